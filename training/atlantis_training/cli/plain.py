"""What works without any package of an extra: games out of flags, ``games``, ``describe``, ``rules``, ``--version``."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from atlantis_envs.base.values import repr_short, visible
from atlantis_envs.errors import AtlantisError, OptionError

if TYPE_CHECKING:
    from atlantis_envs.engine.game import Game

# The extra that each further command needs.
EXTRAS = {
    "play": "play",
    "serve": "play",
    "replay": "play",
    "analyse": "play",
    "train": "train",
    "expert": "train",
    "evaluate": "eval",
    "ladder": "eval",
    "exploit": "train",
    "export": "export",
    "seats": "eval",
    "levels": "eval",
    "compensate": "eval",
    "luck": "eval",
    "profile": "eval",
    "bench": "eval",
}


def version_text() -> str:
    """Return the name and the version of the library."""
    from atlantis_envs import __version__

    return f"atlantis-envs {__version__}"


def games_text(as_json: bool = False) -> str:
    """Return the list of games, as a table or as JSON."""
    import atlantis_envs
    from atlantis_agents.catalogue import names_for
    from atlantis_envs.registry import definition

    rows: list[dict[str, Any]] = []
    for name in atlantis_envs.game_names():
        declared = definition(name)
        players = f"{declared.min_players}-{declared.max_players}"
        rows.append({
            "game": name, "title": declared.title, "players": players, "usual": declared.default_players,
            "actions": len(declared.actions), "observation": declared.observation.size, "utility": declared.utility,
            "agents": list(names_for(name)),
        })  # fmt: skip
    if as_json:
        return json.dumps(rows, indent=1)
    head = f"{'game':<17}{'title':<17}{'players':<9}{'actions':<9}{'observation':<13}{'utility':<10}agents"
    lines = [
        f"{row['game']:<17}{row['title']:<17}{row['players']:<9}{row['actions']:<9}"
        f"{row['observation']!s:<13}{row['utility']:<10}{', '.join(row['agents'])}"
        for row in rows
    ]
    return "\n".join([head, *lines])


def describe_text(game: Game, as_json: bool = False) -> str:
    """Return the description of a game, as a table or as JSON."""
    description = game.describe()
    return json.dumps(description.to_json(), indent=1) if as_json else str(description)


def rules_text(name: str, path: bool = False) -> str:
    """Return the rules of a game, clause by clause, or the path of their file.

    Raises:
        OptionError: no such game, or one of another package.
    """
    from atlantis_envs.registry import GAMES, rules_file

    file = rules_file(name)
    if file is None:
        raise OptionError(
            f"game: {repr_short(name)} is another package's; allowed: {', '.join(map(repr_short, GAMES))}"
        )
    return str(file) if path else file.read_text("utf-8").rstrip()


def chosen_game(
    name: str, players: int | None = None, options: Sequence[str] | None = None, data: Path | None = None
) -> Game:
    """Return the game that flags describe.

    Raises:
        OptionError: naming what is wrong and what is allowed.
    """
    import atlantis_envs

    return atlantis_envs.game(name, players=players, data=data, **(chosen_options(options) if options else {}))


def chosen_options(options: Sequence[str] | None) -> dict[str, Any]:
    """Read what ``--option`` flags say.

    Raises:
        OptionError: one is not KEY=VALUE.
    """
    chosen: dict[str, Any] = {}
    for text in options or ():
        key, equals, value = text.partition("=")
        if not equals or key in {"", "players", "data", "name"}:
            raise OptionError(f"--option {repr_short(text)}; allowed: KEY=VALUE with an option of the game")
        chosen[key] = _value(value)
    return chosen


def _value(text: str) -> Any:
    """Read JSON, or take the text itself, as where blanks surround it."""
    from atlantis_envs.base.files import parse_json

    try:
        return text if text != text.strip() else parse_json(text)
    except ValueError:
        return text


# ----------------------------------------------------------------------------------------- where typer is not installed


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line, and exit code 2."""

    def error(self, message: str) -> NoReturn:
        """Print the line and exit."""
        fail(f"{message}. See: {self.prog} --help")


def fail(message: str) -> NoReturn:
    """Print one line on stderr and exit with code 2."""
    print(f"Error: {visible(' '.join(message.split()))}", file=sys.stderr)
    raise SystemExit(2)


def run_plain(words: list[str]) -> None:
    """Run a command line with what the library itself needs, and nothing else."""
    if words and words[0] in EXTRAS:
        fail(f"{words[0]}: typer not installed: pip install 'atlantis-envs[{EXTRAS[words[0]]}]'")
    given = _parser().parse_args(words or ["--help"])
    try:
        if given.command == "games":
            print(games_text(given.json))
        elif given.command == "rules":
            print(rules_text(given.game, given.path))
        else:
            game = chosen_game(given.game, given.players, given.option, given.data)
            print(describe_text(game, given.json))
    except AtlantisError as error:
        fail(str(error))


def _parser() -> Parser:
    further = ", ".join(f"{command} [{extra}]" for command, extra in EXTRAS.items())
    more = f"Commands that need an extra, pip install 'atlantis-envs[EXTRA]': {further}"
    parser = Parser("atlantis", description="Modern board games for reinforcement learning.", epilog=more)
    parser.add_argument("--version", action="version", version=version_text())
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    games = commands.add_parser("games", help="list the games")
    about = commands.add_parser("describe", help="options, actions, observation, length and sources of a game")
    about.add_argument("game", metavar="GAME")
    about.add_argument("--players", "-n", type=int, help="number of seats")
    about.add_argument("--option", "-o", action="append", metavar="KEY=VALUE", help="an option; may be repeated")
    about.add_argument("--data", type=Path, metavar="FILE", help="JSON tables that replace reconstructed ones")
    rules = commands.add_parser("rules", help="the rules of a game, clause by clause")
    rules.add_argument("game", metavar="GAME")
    rules.add_argument("--path", action="store_true", help="only the path of the file")
    for command in (games, about):
        command.add_argument("--json", action="store_true", help="machine-readable")
    return parser
