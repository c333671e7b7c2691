"""The agents that come with the library: trained policies, and what is strongest, as data beside this file.

``GAME-PLAYERS/`` is for that number of players, ``GAME/`` for all that have no directory of their own:

    policy/          the agent ``network``, as atlantis_agents.networks.policy reads it
    card.json        how that policy was made and how strong it is
    champion.json    how strong the agent ``champion`` is

``champions.json`` says which text ``champion`` stands for, by game and number of players. All cards are written by
``python -m atlantis_training.shipping``.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from atlantis_envs.base.files import read_json
from atlantis_envs.errors import OptionError

if TYPE_CHECKING:
    from atlantis_envs.engine.setup import Setup

HERE = Path(__file__).parent
POLICY, CARD, CHAMPION_CARD, CHAMPIONS = "policy", "card.json", "champion.json", "champions.json"
NETWORK, CHAMPION = "network", "champion"


def shipped_directories(within: Path = HERE) -> dict[str, Path]:
    """Return the directories that hold a policy, by name."""
    return {path.parent.name: path for path in sorted(within.glob(f"*/{POLICY}")) if path.is_dir()}


def network_directory(game: Setup) -> Path:
    """Return the policy that comes with the library for a game with its number of players.

    Raises:
        OptionError: there is none; those that there are are named.
    """
    there = shipped_directories(HERE)
    for name in (f"{game.name}-{game.players}", game.name):
        if name in there:
            return there[name]
    raise OptionError(f"{_none_for(NETWORK, game)}{', '.join(map(_spoken, there)) or 'none is shipped'}")


def champion_text(game: Setup) -> str:
    """Return the text of the agent that ``champion`` stands for.

    Raises:
        OptionError: there is none for this game with this number of players; those that there are are named.
    """
    named = champions(HERE)
    text = named.get(game.name, {}).get(str(game.players))
    if text is None:
        there = [f"{name}-{players}" for name, texts in named.items() for players in texts]
        raise OptionError(f"{_none_for(CHAMPION, game)}{', '.join(map(_spoken, there)) or 'none is named'}")
    return str(text)


@cache
def champions(within: Path = HERE) -> dict[str, dict[str, Any]]:
    """Return what ``champion`` stands for: texts by game and number of players."""
    found: dict[str, dict[str, Any]] = read_json(within / CHAMPIONS)
    return found


def shipped_for(game: str) -> tuple[str, ...]:
    """Return those of ``champion`` and ``network`` that play a game, with some number of players at least."""
    network = any(name.partition("-")[0] == game for name in shipped_directories(HERE))
    return (*([CHAMPION] if champions(HERE).get(game) else []), *([NETWORK] if network else []))


def _none_for(agent: str, game: Setup) -> str:
    return f"agent: '{agent}' of {_spoken(f'{game.name}-{game.players}')}; allowed: one that comes with the library, "


def _spoken(name: str) -> str:
    """Return the name of a directory in words."""
    game, dash, players = name.partition("-")
    return f"{game} with {players} player{'s' * (players != '1')}" if dash else game
