"""What ``help`` says of the arguments of environments: out of the declarations, so that it says what is so."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable
from textwrap import fill
from typing import Any

from atlantis_envs.adapters.pettingzoo_aec import BoardGameEnv, EnvKeywords
from atlantis_envs.engine.definition import Definition
from atlantis_envs.engine.options import GameOptions

WIDTH = 116
MOST_DEFAULT = 60
DATA = "a path or dict that replaces reconstructed tables"
ILLEGAL = "of env and parallel_env 'terminate', of raw_env 'raise'"


def with_arguments(name: str, functions: tuple[Callable[..., Any], ...], options: type, environments: bool) -> None:
    """Append the arguments to the docstrings of functions: type, meaning, what is allowed, default.

    Args:
        name: of the game.
        functions: what gets them.
        options: the TypedDict of the game's options.
        environments: whether they take the keywords of environments too.
    """
    from atlantis_envs.registry import definition

    text = "\n".join(["Args:", *_options(definition(name), options), *(_environments() if environments else [_data()])])
    for function in functions:
        if function.__doc__ is not None:  # python -OO
            function.__doc__ = f"{inspect.cleandoc(function.__doc__)}\n\n{text}\n"


def _options(game: Definition, hints: type) -> list[str]:
    standard = game.parse_options(None, None, {})
    defaults = standard.to_json()
    seats = f"number of seats, {game.min_players}..{game.max_players}"
    rows = [_row("players", "int", f"{seats}. Default: {game.default_players}")]
    declared = {}
    if isinstance(standard, GameOptions):
        declared = {key: standard.declared()[field] for key, field in standard.keys().items()}
    for name, hint in hints.__annotations__.items():
        said = f"option: see docs/options.md. Default: {_short(defaults.get(name))}"
        if name in declared:
            default = _short(defaults.get(name, declared[name].default))
            said = f"{declared[name].about}; allowed: {declared[name].allowed_text}. Default: {default}"
        rows.append(_row(name, _type(hint), said))
    return rows


def _environments() -> list[str]:
    meanings = dict(re.findall(r"^    (\w+): ((?:.+\n?)(?:^     +.+\n?)*)", _args(), re.MULTILINE))
    defaults = inspect.signature(BoardGameEnv.__init__).parameters
    rows = [_data()]
    for name, hint in EnvKeywords.__annotations__.items():
        if name in meanings:
            default = ILLEGAL if name == "illegal" else repr(defaults[name].default)
            rows.append(_row(name, _type(hint), f"{' '.join(meanings[name].split())} Default: {default}"))
    return rows


def _args() -> str:
    return inspect.cleandoc(BoardGameEnv.__init__.__doc__ or "").partition("Args:\n")[2].partition("\n\n")[0]


def _data() -> str:
    return _row("data", "str | Path | Mapping | None", f"{DATA}. Default: None")


def _type(hint: Any) -> str:
    return str(getattr(hint, "__forward_arg__", hint))


def _short(value: Any) -> str:
    text = json.dumps(value, default=str)
    return text if len(text) <= MOST_DEFAULT else "as in docs/options.md"


def _row(name: str, kind: str, text: str) -> str:
    return fill(f"{name} ({kind}): {text}.", WIDTH, initial_indent="    ", subsequent_indent="        ")
