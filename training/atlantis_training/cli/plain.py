"""The command line where typer is not installed: ``games``, ``describe``, ``--version``; of the rest, the extra."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import NoReturn

from atlantis_envs.base.values import visible
from atlantis_envs.errors import AtlantisError
from atlantis_training.cli.tables import chosen_game, describe_text, games_text, version_text

# The extra that each further command needs.
EXTRAS = {
    "play": "play",
    "replay": "play",
    "analyse": "play",
    "train": "train",
    "expert": "train",
    "evaluate": "eval",
    "ladder": "eval",
    "export": "export",
    "seats": "eval",
    "levels": "eval",
    "bench": "eval",
}


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
    for command in (games, about):
        command.add_argument("--json", action="store_true", help="machine-readable")
    return parser
