"""What the commands share: games out of flags, and errors of one line."""

from __future__ import annotations

import importlib.util
import os
import re
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

from atlantis_envs.base.values import decimal_number, repr_short, visible, whole_number
from atlantis_envs.errors import AtlantisError
from atlantis_training.cli.plain import chosen_game as chosen_game
from atlantis_training.cli.plain import chosen_options as chosen_options
from atlantis_training.cli.plain import fail as fail

if TYPE_CHECKING:
    from atlantis_training.evaluation.report import Report
    from atlantis_training.evaluation.workers import Workers as ChosenWorkers

MOST_SEED = 2**63 - 1
INTERRUPTED = 130
MOST_COUNT = 10**9 - 1

GameName = Annotated[str, typer.Argument(metavar="GAME", help="atlandice, atlantis, ...; `atlantis games` lists them")]
AgentText = Annotated[str, typer.Argument(metavar="AGENT", help="a name, or the directory of a policy or a run")]
PlayerCount = Annotated[
    int | None, typer.Option("--players", "-n", help="number of seats; default: the game's usual one")
]
OptionList = Annotated[
    list[str] | None,
    typer.Option(
        "--option",
        "-o",
        metavar="KEY=VALUE",
        help="an option of the game, VALUE as JSON; may be repeated; `atlantis describe GAME` lists them",
    ),
]
DataFile = Annotated[
    Path | None, typer.Option("--data", metavar="FILE", help="JSON tables that replace reconstructed ones")
]
PlayerCounts = Annotated[
    str | None, typer.Option("--players", "-n", help="4, or 2,3,4, or all; default: the game's usual one")
]
Results = Annotated[
    Path | None, typer.Option("--out", metavar="DIR", help="write the page there, as .md and .json, and its pictures")
]
Resume = Annotated[
    bool, typer.Option("--resume", help="go on with the games that are kept in --out, perhaps to more of them")
]
Seed = Annotated[int, typer.Option("--seed", min=0, max=MOST_SEED, help="of chance and agents")]
Workers = Annotated[
    int | None,
    typer.Option(
        "--workers",
        "-w",
        min=1,
        max=256,
        help="processes; results do not depend on it  [default: one per core, one for a short run]",
    ),
]
Ray = Annotated[
    str | None,
    typer.Option(
        "--ray",
        metavar="[ADDRESS]",
        help="play on the workers of a Ray cluster: HOST:PORT of its head; alone, of that which runs here; "
        "local, on one made for it. --workers says how many  [default: none, processes of this machine]",
    ),
]
Minutes = Annotated[float | None, typer.Option("--minutes", min=0.01, help="stop then; default: when it is told")]
GOES_ON = "; --resume goes on"
# Click would take the next word for the address, whatever it is.
RAY_ADDRESS = re.compile(r"[^/\\]*:\d+|auto|local|ray:.*")


def with_ray_alone(words: Sequence[str]) -> list[str]:
    """Return the words of a command line, where ``--ray`` may stand without an address."""
    following = [*words[1:], ""]
    return [
        "--ray=auto" if word == "--ray" and not RAY_ADDRESS.fullmatch(after) else word
        for word, after in zip(words, following, strict=False)
    ]


def chosen_workers(ray: str | None, workers: int | None) -> AbstractContextManager[ChosenWorkers]:
    """Return the processes that flags ask for: a number of them, or a cluster, which is left at the end."""
    if ray is None:
        return nullcontext(workers)
    require("cluster", "ray")
    from atlantis_training.evaluation.cluster import joined

    return joined(ray, workers)


class OneLineErrors(TyperGroup):
    """Commands whose user errors end with one plain line and exit code 2."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        """Run the command line; see typer."""
        args = sys.argv[1:] if args is None else args
        if "--ray" in args:
            args = with_ray_alone(args)
        parameters: Any = (item for command in self.commands.values() for item in command.params)
        for item in parameters:
            item.consume_value = partial(consume_strictly, item, item.consume_value)
        run = partial(super().main, args, prog_name, complete_var, False, windows_expand_args, **extra)
        if not standalone_mode:
            return run()
        try:
            code = run()
        except typer.Abort:  # Ctrl-C before the command begins, in some versions of typer
            code = INTERRUPTED
        except AtlantisError as error:
            fail(str(error))
        except OSError as error:
            place = error.filename2 or error.filename  # the second one is where a temporary file was to go
            named = isinstance(place, (str, bytes))
            fail(f"{repr_short(Path(os.fsdecode(place)))}: {error.strerror}" if named else str(error))
        except MemoryError as error:
            fail(f"not enough memory: {error or 'ask for less at a time'}")
        except Exception as error:
            if not hasattr(error, "format_message"):  # a wrong flag or value, in all versions of typer
                raise
            if type(error).__name__ == "NoArgsIsHelpError":  # no command was given; the message is the help
                typer.echo(error.format_message())
                raise SystemExit(0) from None
            context = getattr(error, "ctx", None)
            path = context.command_path if context is not None else "atlantis"
            message = visible(error.format_message().rstrip("."))
            fail(f"{message}{'' if message.endswith('?') else '.'} See: {path} --help")
        raise SystemExit(code if isinstance(code, int) else 0)

    def invoke(self, ctx: Any) -> Any:
        """Run a command; typer says nothing at Ctrl-C."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            typer.echo("Interrupted.", err=True)
            raise typer.Exit(INTERRUPTED) from None


def consume_strictly(item: Any, usual: Callable[..., Any], *arguments: Any) -> Any:
    """Read a parameter of a command as usual; one that is a number takes plain ASCII digits alone.

    Python's ``int`` and ``float`` read digits of every script, blanks, underscores, a plus, nan and inf too.
    """
    value, source = usual(*arguments)
    if isinstance(value, str):
        described = getattr(getattr(item, "type_descriptor", None), "annotation", None)  # of newer versions of typer
        name = getattr(getattr(item, "type", None), "name", getattr(described, "__name__", ""))
        kind = next((kind for kind in ("int", "float") if name.startswith(kind)), "")
        if (kind == "int" and whole_number(value) is None) or (kind == "float" and decimal_number(value, True) is None):
            what = "a whole number" if kind == "int" else "a number"
            fail(f"{max(item.opts, key=len)} {repr_short(value)}; allowed: {what} in plain digits")
    return value, source


def stopped(what: str) -> NoReturn:
    """Print the line after Ctrl-C and exit with the code that shells know it by."""
    typer.echo(f"Interrupted: {visible(what)}.", err=True)
    raise typer.Exit(INTERRUPTED)


def require(extra: str, *modules: str) -> None:
    """Refuse to go on without the packages of an extra."""
    missing = [module for module in modules if importlib.util.find_spec(module) is None]
    if missing:
        fail(f"{', '.join(missing)} not installed: pip install 'atlantis-envs[{extra}]'")


def player_counts(game: str, text: str | None, fewest: int) -> list[int | None]:
    """Read ``--players`` where several numbers may stand; [None] is the game's usual one."""
    from atlantis_envs.registry import definition

    about = definition(game)
    if text is None:
        return [None]
    if text == "all":
        return list(range(max(fewest, about.min_players), about.max_players + 1))
    return list(counts("--players", text, ", or all"))


def counts(flag: str, text: str, further: str = "") -> list[int]:
    """Read different numbers with commas between them."""
    parts = text.split(",")
    found = [whole_number(part) for part in parts]
    numbers = [number for number in found if number is not None and 0 <= number <= MOST_COUNT]
    if len(numbers) < len(parts):
        fail(f"{flag} {repr_short(text)}; allowed: a number, numbers with commas{further}")
    return list(dict.fromkeys(numbers))


def make_directory(out: Path) -> None:
    """Make the directory that ``--out`` names, and check that results can be written there."""
    if out.exists() and not out.is_dir():
        fail(f"out: {repr_short(out)} is a file; allowed: a directory")
    out.mkdir(parents=True, exist_ok=True)
    if not os.access(out, os.W_OK | os.X_OK):
        fail(f"out: {repr_short(out)} cannot be written to; allowed: a directory of yours")


def check_out(out: Path | None, resume: bool) -> None:
    """Refuse ``--resume`` without ``--out``; make the directory that this names."""
    if out is not None:
        make_directory(out)
    elif resume:
        fail("--resume: goes with --out DIR")


def show_report(report: Report, out: Path | None) -> None:
    """Print a report, set in a terminal, plain in a pipe, and write it into the directory ``out``."""
    from rich.console import Console

    console = Console()
    if console.is_terminal:
        from rich.markdown import Markdown

        console.print(Markdown(report.markdown()))
    else:
        typer.echo(report.markdown())
    for path in report.write(out) if out is not None else ():
        typer.echo(f"Written: {repr_short(path)}")
