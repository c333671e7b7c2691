"""Which games there are: the one list of names. Declarations are imported on first use, since they need numba."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from atlantis_envs.engine.values import read_json, shown
from atlantis_envs.errors import OptionError

if TYPE_CHECKING:
    from atlantis_envs.engine.contract import Definition
    from atlantis_envs.engine.game import Game

GAMES = ("atlandice", "atlantis", "atlantis_rising")


def definition(name: str) -> Definition:
    """The declaration of a game.

    Raises:
        OptionError: no such game.
    """
    if not isinstance(name, str) or name not in GAMES:
        raise OptionError(f"name: {shown(name)}; allowed: {', '.join(map(repr, GAMES))}")
    return _declared(name)


@cache
def _declared(name: str) -> Definition:
    return cast("Definition", import_module(f"atlantis_envs.games.{name}.game").GAME)


def game(
    name: str, players: int | None = None, data: str | Path | Mapping[str, Any] | None = None, **options: Any
) -> Game:
    """A game, ready to play.

    Args:
        name: one of ``atlantis_envs.game_names()``.
        players: number of seats; None means the game's usual one.
        data: a path to a JSON file, or a dict, that replaces reconstructed tables; explicit options win over it.
        **options: the game's options, section 14 of its rules file.

    Raises:
        OptionError: unknown name, option or table, or a value that is not allowed; the message lists what is.
    """
    from atlantis_envs.engine.game import make_game

    if isinstance(players, np.integer):
        players = int(players)
    return make_game(definition(name), players, read_tables(data), options)


def read_tables(data: str | Path | Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    """Data tables from a path or a dict.

    Raises:
        OptionError: the file cannot be read, or is not an object.
    """
    if data is None or isinstance(data, Mapping):
        return data
    if not isinstance(data, (str, Path)):
        raise OptionError(f"data: {shown(data)}; allowed: a path to a JSON file, or a dict")
    try:
        tables = read_json(data)
    except ValueError as error:
        raise OptionError(f"data: {error}") from None
    if not isinstance(tables, dict):
        raise OptionError(f"data: {data}: {shown(tables)}; allowed: an object")
    return tables
