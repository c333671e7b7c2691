"""What ``atlantis games`` and ``atlantis describe`` print, without any package of an extra."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from atlantis_envs.base.values import repr_short
from atlantis_envs.errors import OptionError

if TYPE_CHECKING:
    from atlantis_envs.engine.game import Game


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


def chosen_game(
    name: str, players: int | None = None, options: Sequence[str] | None = None, data: Path | None = None
) -> Game:
    """Return the game that flags describe.

    Raises:
        OptionError: naming what is wrong and what is allowed.
    """
    import atlantis_envs

    return atlantis_envs.game(name, players=players, data=data, **chosen_options(options))


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
