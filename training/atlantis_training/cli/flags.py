"""Settings as flags of a command: one flag for each field of a dataclass of settings."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import Field, fields
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from atlantis_envs.base.values import repr_short, whole_number
from atlantis_envs.errors import OptionError
from atlantis_training.selfplay.settings import TABLES, allowed_range

MOST_DIGITS = 9  # Python refuses to read a number of thousands of them
# These the command declares itself: an argument, and what other commands have too.
ELSEWHERE = ("game", "players", *TABLES)


def with_settings(*settings: type[Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Put a flag for every field of ``settings`` in the place of ``**given`` of a command; one not given is None.

    Of several kinds of settings, a field that has the same name has one flag.
    """

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        hints = get_type_hints(command, include_extras=True)
        own = [item for item in inspect.signature(command).parameters.values() if item.kind is not item.VAR_KEYWORD]
        all_of_them = [*(item.replace(annotation=hints[item.name]) for item in own), *_parameters(settings)]
        command.__signature__ = inspect.Signature(all_of_them)  # type: ignore[attr-defined]
        command.__annotations__ = {item.name: item.annotation for item in all_of_them} | {"return": hints["return"]}
        return command

    return decorate


def _parameters(kinds: Sequence[type[Any]]) -> Iterator[inspect.Parameter]:
    found: dict[str, list[Field[Any]]] = {}
    for kind in kinds:
        for item in fields(kind):
            if item.name not in ELSEWHERE:
                found.setdefault(item.name, []).append(item)
    for name, items in found.items():
        of, option = _option(items)
        annotation = Annotated[of | None, option]  # type: ignore[valid-type]
        yield inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)


def _option(items: Sequence[Field[Any]]) -> tuple[Any, Any]:
    """Return the type of a flag, and what typer needs to know about it."""
    item = items[0]
    default, about = item.default, item.metadata["about"]
    flag = f"--{item.name.replace('_', '-')}"
    allowed = allowed_range(item)
    usual = " or ".join(dict.fromkeys(_as_flag(one.default) for one in items))
    if isinstance(default, bool):
        no = flag.replace("--", "--no-", 1)
        return bool, typer.Option(f"{flag}/{no}", help=f"{about}  [default: {usual}]")
    if not isinstance(default, tuple):
        note = f"{allowed}; default: {usual}" if allowed else f"default: {usual}"
        return type(default), typer.Option(flag, help=f"{about}  [{note}]")
    if default and isinstance(default[0], int):
        return str, typer.Option(flag, metavar="N,N,...", help=f"{about}  [each {allowed}; default: {usual}]")
    return list[str], typer.Option(flag, metavar="DIR", help=f"{about}; may be repeated  [default: none]")


def _as_flag(default: Any) -> str:
    """Return a default as one writes it on a command line."""
    if isinstance(default, bool):
        return "yes" if default else "no"
    return ",".join(map(str, default)) if isinstance(default, tuple) else str(default)


def given_settings(flags: Mapping[str, Any], *kinds: type[Any]) -> dict[str, Any]:
    """Return the settings that flags give, in the types of the settings.

    Raises:
        OptionError: a text is not a list of numbers.
    """
    defaults = {item.name: item.default for kind in kinds for item in fields(kind)}
    given = {name: value for name, value in flags.items() if value is not None}
    for name, value in given.items():
        if isinstance(value, str) and isinstance(defaults[name], tuple):
            given[name] = _numbers(name, value)
    # A flag that may be repeated and was not given is an empty list in some versions of typer.
    return {name: value for name, value in given.items() if value != []}


def _numbers(name: str, text: str) -> tuple[int, ...]:
    found = [whole_number(part) for part in text.split(",")] if text else []
    numbers = tuple(number for number in found if number is not None and 0 <= number < 10**MOST_DIGITS)
    if len(numbers) < len(found):
        raise OptionError(f"{name}: {repr_short(text)}; allowed: whole numbers with commas between them")
    return numbers


def tables_of(path: Path) -> Mapping[str, Any]:
    """Read the tables of a JSON file.

    Raises:
        OptionError: it cannot be read, or is no object.
    """
    from atlantis_envs.registry import read_tables

    return read_tables(path) or {}
