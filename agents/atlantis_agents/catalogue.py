"""The one place that knows agents: it turns a text into an agent, and says who plays which game.

A text is the name of an installed agent (entry-point group ``atlantis_envs.agents``), ``name:argument`` for an agent
that takes one (its ``from_argument``), or the directory of a policy or of a training run.
"""

from __future__ import annotations

from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Any

from atlantis_agents.heuristic import find_heuristic, heuristic_names
from atlantis_agents.networks.policy import MANIFEST, PolicyAgent
from atlantis_envs.base.values import shown
from atlantis_envs.engine.definition import NOWHERE
from atlantis_envs.errors import OptionError
from atlantis_envs.registry import definition, game_names

if TYPE_CHECKING:
    from atlantis_envs.engine.game import Game
    from atlantis_envs.seats.agents import Agent

GROUP = "atlantis_envs.agents"
POLICY_DIRECTORY = "policy"  # in the directory of a run
RANDOM, HEURISTIC, PLANNER, SEARCH = "random", "heuristic", "planner", "search"


@cache
def agent_names() -> tuple[str, ...]:
    """Names of the installed agents."""
    return tuple(sorted({point.name for point in entry_points(group=GROUP)}))


def names_for(game: str) -> tuple[str, ...]:
    """Names of the installed agents that play a game."""
    known = game in heuristic_names()
    plays = {
        HEURISTIC: known,
        PLANNER: known and find_heuristic(game).deep is not None,
        SEARCH: game in game_names() and definition(game).resampled != NOWHERE,
    }
    return tuple(name for name in agent_names() if plays.get(name, True))


def usual_opponent(game: str) -> str:
    """The best-known agent that plays a game."""
    return HEURISTIC if game in heuristic_names() else RANDOM


def policy_directory(text: str) -> Path | None:
    """The directory of the policy that a text names, itself or as that of its run; None for anything else."""
    for directory in (Path(text), Path(text) / POLICY_DIRECTORY):
        if (directory / MANIFEST).exists():
            return directory
    return None


def find_agent(text: str, game: Game, **settings: Any) -> Agent:
    """The agent that a text names.

    Args:
        text: an installed agent's name, ``name:argument``, or the path of a policy or a training run.
        game: the game it is to play.
        **settings: for an agent by name: keywords of its factory, for instance ``seed``.

    Raises:
        OptionError: it is none of these, or does not fit the game.
    """
    name, colon, argument = text.partition(":")
    for point in entry_points(group=GROUP):
        if point.name == name:
            factory = point.load()
            if not colon:
                agent: Agent = factory(game, **settings)
                return agent
            if not hasattr(factory, "from_argument"):
                raise OptionError(f"agent: {shown(text)}; allowed: {name!r}, which takes no argument")
            agent = factory.from_argument(game, argument, **settings)
            return agent
    directory = policy_directory(text)
    if directory is not None:
        return PolicyAgent(game, directory)
    allowed = f"{', '.join(agent_names())}, or the directory of a policy or a run"
    raise OptionError(f"agent: {shown(text)}; allowed: {allowed}")
