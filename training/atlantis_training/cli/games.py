"""``atlantis games`` and ``atlantis describe``: what there is."""

from __future__ import annotations

from typing import Annotated

import typer

from atlantis_training.cli.common import DataFile, GameName, OptionList, PlayerCount, chosen_game
from atlantis_training.cli.tables import describe_text, games_text

AsJson = Annotated[bool, typer.Option("--json", help="machine-readable")]


def games_command(as_json: AsJson = False) -> None:
    """List the games."""
    typer.echo(games_text(as_json))


def describe_command(
    game: GameName,
    players: PlayerCount = None,
    option: OptionList = None,
    data: DataFile = None,
    as_json: AsJson = False,
) -> None:
    """Options, actions, observation, length and sources of a game."""
    typer.echo(describe_text(chosen_game(game, players, option, data), as_json))
