"""Which games there are: the one list of names. Declarations are imported on first use, since they need numba.

A game outside this repository is named in the entry-point group ``atlantis_envs.games`` of the package that brings it,
as ``name = "module:attribute"``, where the attribute is its Definition.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from atlantis_envs.base.files import read_json
from atlantis_envs.base.values import one_line, repr_short
from atlantis_envs.errors import OptionError

if TYPE_CHECKING:
    from atlantis_envs.engine.definition import Definition
    from atlantis_envs.engine.game import Game

Data = str | Path | Mapping[str, Any] | None  # tables: a path to a JSON file, or a dict
ENVIRONMENTS = {"atlandice": 1, "atlantis": 1, "atlantis_rising": 2}  # versions; docs/stability.md has their history
GAMES = tuple(ENVIRONMENTS)
GROUP = "atlantis_envs.games"
NAMESPACE = "atlantis_envs"  # of ids in the registries of Gymnasium and PettingZoo
PACKAGE = Path(__file__).resolve().parent
RULES = (PACKAGE / "rules", PACKAGE.parent / "docs" / "rules")  # of a wheel, of a checkout
MOST_KEPT = 32  # games that are kept, so that asking for the same again makes nothing anew
PLAIN = (str, int, bool, type(None))  # a game made with such values alone is kept: nobody can change them later


def game_names() -> tuple[str, ...]:
    """Return the names of the games: those of this library, then those of other packages in alphabetical order.

    >>> atlantis_envs.game_names()[:3]
    ('atlandice', 'atlantis', 'atlantis_rising')
    """
    return (*GAMES, *sorted(_outside()))


def environment_name(name: str) -> str:
    """Return the versioned name of a game's environment, such as ``atlandice_v1``; v0 for games of other packages."""
    return f"{name}_v{ENVIRONMENTS.get(name, 0)}"


def gymnasium_id(name: str, version: int | None = None) -> str:
    """Return what Gymnasium knows a game of ours by, such as ``atlantis_envs/Atlandice-v1``; None: today's version."""
    return f"{NAMESPACE}/{name.title().replace('_', '')}-v{ENVIRONMENTS[name] if version is None else version}"


def definition(name: str) -> Definition:
    """Return the declaration of a game.

    Raises:
        OptionError: no such game, or one of another package that cannot be loaded.
    """
    if isinstance(name, str) and name in GAMES:
        return _own(name)
    points = _outside()
    if not isinstance(name, str) or name not in points:
        raise OptionError(f"name: {repr_short(name)}; allowed: {', '.join(map(repr_short, game_names()))}")
    return _loaded(points[name])


@cache
def _own(name: str) -> Definition:
    return cast("Definition", import_module(f"atlantis_envs.games.{name}.game").GAME)


def rules_file(name: str) -> Path | None:
    """Return the rules file of a game of ours, clause by clause; None for the games of other packages.

    Raises:
        OptionError: no such game, or an installation without the files.
    """
    if definition(name).name not in GAMES:
        return None
    for folder in RULES:
        if (folder / f"{name}.md").is_file():
            return folder / f"{name}.md"
    raise OptionError(f"rules: {one_line(RULES[0])} is missing; allowed: a wheel as it was built, or a checkout")


def _outside() -> dict[str, EntryPoint]:
    """Return other packages' games by name. No name of ours can be taken, and the first with a name keeps it."""
    found: dict[str, EntryPoint] = {}
    for point in entry_points(group=GROUP):
        if point.name not in GAMES:
            found.setdefault(point.name, point)
    return found


def _loaded(point: EntryPoint) -> Definition:
    from atlantis_envs.engine.definition import Definition

    where = f"name: {repr_short(point.name)}: the entry point {repr_short(point.value)} of the group {GROUP}"
    try:
        declared = point.load()
    except Exception as error:  # whatever a module of somebody else's may raise
        raise OptionError(f"{where} cannot be loaded ({type(error).__name__}: {one_line(error)})") from error
    if not isinstance(declared, Definition):
        raise OptionError(f"{where} is {repr_short(declared)}; allowed: a Definition")
    if declared.name != point.name:
        raise OptionError(f"{where} declares {repr_short(declared.name)}; allowed: the name of the entry point")
    return declared


def game(name: str, players: int | None = None, data: Data = None, **options: Any) -> Game:
    """Return a game, ready to play.

    >>> atlantis_envs.game("atlandice", players=2, chain_cap=3).players
    2

    Args:
        name: one of ``atlantis_envs.game_names()``.
        players: number of seats; None means the game's usual one.
        data: a path to a JSON file, or a dict, that replaces reconstructed tables; explicit options win over it.
        **options: the game's options; docs/reference/options.md lists them.

    Raises:
        UnknownOptionError: an unknown option; an OptionError and a TypeError.
        OptionError: unknown name or table, or a value that is not allowed; the message lists what is.
    """
    if isinstance(players, np.integer):
        players = int(players)
    ours = data is None and isinstance(name, str) and name in GAMES
    if ours and all(type(value) in PLAIN for value in (players, *options.values())):
        return _kept(name, players, **options)
    return _made(name, players, data, **options)


def _made(name: str, players: int | None, data: Data = None, **options: Any) -> Game:
    from atlantis_envs.engine.game import make_game

    tables = data if data is None or isinstance(data, Mapping) else read_tables(data)
    return make_game(definition(name), players, tables, options)


# Of ours alone: their declarations are loaded once, those of other packages may change. True and 1 are two values.
_kept = lru_cache(MOST_KEPT, typed=True)(_made)


def read_tables(data: str | Path) -> Mapping[str, Any]:
    """Return the data tables of a file.

    Raises:
        OptionError: the file cannot be read, or is not an object.
    """
    if not isinstance(data, (str, Path)):
        raise OptionError(f"data: {repr_short(data)}; allowed: a path to a JSON file, or a dict")
    try:
        tables = read_json(data)
    except ValueError as error:
        raise OptionError(f"data: {error}") from None
    if not isinstance(tables, dict):
        raise OptionError(f"data: {repr_short(Path(data))}: {repr_short(tables)}; allowed: an object")
    return tables
