"""The agents that come with the library: trained policies, and what is strongest, as data beside this file.

``GAME-PLAYERS/`` is for that number of players, ``GAME/`` for all that have no directory of their own:

    policy/           the agent ``network``, as atlantis_agents.networks.policy reads it
    policy@1/         what it was first, where it has been replaced: ``network@1``; then policy@2, ...; numbers below
                      the first one are the policies of ``GAME/``
    card.json         how that policy was made and how strong it is
    critic/           the agent ``critic``: a policy that knows values, for the leaves of a search; then critic@1, ...
    critic.json       its card
    champion.json     how strong the agent ``champion`` is
    grandmaster.json  how strong the agent ``grandmaster`` is

``champions.json`` says which texts ``champion`` and ``grandmaster`` stand for, by game and number of players: all
editions, the newest last. A name means the newest, ``champion@1`` the first, so that a comparison can be repeated. All
cards are written by ``python -m atlantis_training.shipping``.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from atlantis_envs.base.files import read_json
from atlantis_envs.base.values import repr_short, whole_number
from atlantis_envs.errors import OptionError

if TYPE_CHECKING:
    from atlantis_envs.engine.setup import Setup

HERE = Path(__file__).parent
POLICY, CARD, CHAMPIONS = "policy", "card.json", "champions.json"
NETWORK, CRITIC, CHAMPION, GRANDMASTER = "network", "critic", "champion", "grandmaster"
FOLDERS = {NETWORK: POLICY, CRITIC: CRITIC}  # of policies
ANALYST, SEARCH = "analyst", "search"  # the first is a name for hints and analyses, not for tables
IMAGINED = ("rollout", "leaf", "guide")  # settings of a search: who plays, values and ranks what it imagines
NAMED = (CHAMPION, GRANDMASTER)  # texts of champions.json
NAMES = (*NAMED, *FOLDERS)
EDITION = "@"
Item = TypeVar("Item")


def is_shipped(text: str, names: tuple[str, ...] = NAMES) -> bool:
    """Return whether a text is one of these names of what comes with the library, in whatever edition."""
    return text.partition(EDITION)[0] in names


def is_network(text: str) -> bool:
    """Return whether a text is ``network`` or ``critic`` or an edition of them."""
    return is_shipped(text, tuple(FOLDERS))


def card_name(agent: str) -> str:
    """Return the file name of an agent's card."""
    return CARD if agent == NETWORK else f"{agent}.json"


def shipped_directories(within: Path = HERE, agent: str = NETWORK) -> dict[str, Path]:
    """Return the policies that ``network`` or ``critic`` may stand for, by the name of the directory around them."""
    return {path.parent.name: path for path in sorted(within.glob(f"*/{FOLDERS[agent]}")) if path.is_dir()}


def network_directory(game: Setup, text: str = NETWORK) -> Path:
    """Return the policy that comes with the library for a game with its number of players.

    Args:
        game: with its number of players.
        text: ``network``, ``critic``, or ``network@1`` for its first edition.

    Raises:
        OptionError: there is none, or no such edition; what there is is named.
    """
    agent = text.partition(EDITION)[0]
    there = shipped_directories(HERE, agent)
    found = [there[name] for name in (f"{game.name}-{game.players}", game.name) if name in there]
    if found:
        return _edition(text, editions_of(found))
    raise OptionError(f"{_none_for(agent, game)}{', '.join(map(_spoken, there)) or 'none is shipped'}")


def editions_of(found: Sequence[Path]) -> list[Path]:
    """Return all editions of a policy, the newest last.

    Args:
        found: its directory, and perhaps that of the policy for all numbers of players, which it replaced. The editions
            of that one have the numbers below the first one of its own.
    """
    earlier = earlier_policies(found[0])
    general = editions_of(found[1:]) if len(found) > 1 else []
    replaced = _number(earlier[0]) - 1 if earlier else len(general)
    return [*general[:replaced], *earlier, found[0]]


def earlier_policies(present: Path) -> list[Path]:
    """Return the policies that the one in this directory has replaced, the first one first."""
    found = present.parent.glob(f"{present.name}{EDITION}*")
    return sorted(found, key=_number)


def _number(policy: Path) -> int:
    return int(policy.name.partition(EDITION)[2])


def named_text(game: Setup, text: str = CHAMPION) -> str:
    """Return the text of the agent that ``champion``, ``grandmaster`` or an edition of them stands for.

    Raises:
        OptionError: there is none for this game and number of players, or no such edition; names what there is.
    """
    name = text.partition(EDITION)[0]
    named = named_texts(HERE).get(name, {})
    editions = named.get(game.name, {}).get(str(game.players))
    if not editions:
        there = [f"{other}-{players}" for other, texts in named.items() for players in texts]
        raise OptionError(f"{_none_for(name, game)}{', '.join(map(_spoken, there)) or 'none is named'}")
    return str(_edition(text, editions))


def analyst_text(game: Setup) -> str:
    """Return the text of the agent that analyses: a search that imagines the players and values that are best known.

    Where seats compete, it values by a policy that is better calibrated than what the game declares, beyond noise, as
    the policy's card says (atlantis_training.evaluation.calibration). That is measured on games of heuristics. A team
    may play far better than those, so where seats win together it imagines what the champion imagines.
    """
    if game.cooperative:
        return _imagining_as(game, CHAMPION)
    for agent in (CRITIC, NETWORK):
        try:
            card = read_json(network_directory(game, agent).parent / card_name(agent))
        except (OptionError, ValueError):
            continue
        if (card.get("calibration") or {}).get("low", 0) > 0:
            return f"{SEARCH}:leaf={agent}"
    return SEARCH


def _imagining_as(game: Setup, name: str) -> str:
    """Return a search with the rollouts, leaf and guide of a named one, and otherwise the usual settings."""
    try:
        _, _, settings = named_text(game, name).partition(":")
    except OptionError:
        return SEARCH
    kept = [setting for setting in settings.split(",") if setting.partition("=")[0] in IMAGINED]
    return f"{SEARCH}:{','.join(kept)}" if kept else SEARCH


def meant(game: Setup, text: str) -> str:
    """Return the text of the agent that a text stands for: itself, but for those of ``named_text``."""
    return named_text(game, text) if is_shipped(text, NAMED) else text


def _edition(text: str, editions: list[Item]) -> Item:
    name, given, number = text.partition(EDITION)
    if not given:
        return editions[-1]
    index = whole_number(number)
    if index is None or not 1 <= index <= len(editions):
        last = f" .. {name}{EDITION}{len(editions)}" if len(editions) > 1 else ""
        raise OptionError(f"agent: {repr_short(text)}; allowed: {name}, or {name}{EDITION}1{last}")
    return editions[index - 1]


@cache
def named_texts(within: Path = HERE) -> dict[str, dict[str, dict[str, list[str]]]]:
    """Return what names stand for: all editions, by name, game and number of players."""
    found: dict[str, dict[str, dict[str, list[str]]]] = read_json(within / CHAMPIONS)
    return found


def shipped_for(game: str) -> tuple[str, ...]:
    """Return those of NAMES that play a game, with some number of players at least."""
    named = named_texts(HERE)
    policies = {agent: [name.partition("-")[0] for name in shipped_directories(HERE, agent)] for agent in FOLDERS}
    texts = [name for name in NAMED if named.get(name, {}).get(game)]
    return (*texts, *(agent for agent, games in policies.items() if game in games))


def _none_for(agent: str, game: Setup) -> str:
    return f"agent: '{agent}' of {_spoken(f'{game.name}-{game.players}')}; allowed: one that comes with the library, "


def _spoken(name: str) -> str:
    """Return the name of a directory in words."""
    game, dash, players = name.partition("-")
    return f"{game} with {players} player{'s' * (players != '1')}" if dash else game
