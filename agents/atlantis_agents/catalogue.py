"""The one place that knows agents: it turns a text into an agent, and says who plays which game.

A text is the name of an installed agent (entry-point group ``atlantis_envs.agents``), ``name:argument`` for an agent
that takes one (its ``from_argument``), ``network``, ``critic``, ``champion`` or ``grandmaster`` for what comes with the
library (atlantis_agents.shipped; ``champion@1`` is its first edition), or the directory of a policy or of a
training run. ``analyst`` is the search that hints and analyses ask. ``eps:0.1:TEXT`` and ``soft:0.5:TEXT`` are agents
that err (atlantis_agents.weakened). ``exec:COMMAND`` is a program of any language (atlantis_agents.external).
"""

from __future__ import annotations

from functools import cache
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any

from atlantis_agents.external import EXEC, FORM, find_bot
from atlantis_agents.heuristic import find_heuristic, heuristic_names
from atlantis_agents.networks.policy import PolicyAgent, policy_directory
from atlantis_agents.shipped import (
    ANALYST,
    NAMED,
    NAMES,
    analyst_text,
    is_shipped,
    meant,
    network_directory,
    shipped_for,
)
from atlantis_agents.weakened import EpsilonAgent, SoftAgent, WeakenedAgent
from atlantis_envs.base.values import repr_short
from atlantis_envs.engine.definition import NOWHERE
from atlantis_envs.errors import OptionError
from atlantis_envs.registry import definition, game_names

if TYPE_CHECKING:
    from atlantis_envs.engine.game import Game
    from atlantis_envs.seats.agents import Agent

GROUP = "atlantis_envs.agents"
WEAKENED: dict[str, type[WeakenedAgent]] = {kind.NAME: kind for kind in (EpsilonAgent, SoftAgent)}
RANDOM, HEURISTIC, PLANNER, SEARCH = "random", "heuristic", "planner", "search"


def base_text(text: str) -> str:
    """Return the text of the agent below those that err: ``heuristic`` of ``eps:0.1:heuristic``."""
    name, _, rest = text.partition(":")
    amount, colon, base = rest.partition(":")
    return base_text(base) if name in WEAKENED and colon and amount else text


@cache
def agent_names() -> tuple[str, ...]:
    """Return names of the installed agents, and of what comes with the library."""
    return tuple(sorted({point.name for point in entry_points(group=GROUP)} | set(NAMES)))


def names_for(game: str) -> tuple[str, ...]:
    """Return names of the agents that play a game."""
    known = game in heuristic_names()
    shipped = shipped_for(game)
    plays = {
        HEURISTIC: known,
        PLANNER: known and find_heuristic(game).deep is not None,
        SEARCH: game in game_names() and definition(game).resample_nodes != NOWHERE,
        **{name: name in shipped for name in NAMES},
    }
    return tuple(name for name in agent_names() if plays.get(name, True))


def usual_opponent(game: str) -> str:
    """Return the best-known agent that plays a game."""
    return HEURISTIC if game in heuristic_names() else RANDOM


def find_agent(text: str, game: Game, **settings: Any) -> Agent:
    """Return the agent that a text names.

    >>> from atlantis_agents.catalogue import find_agent
    >>> game = atlantis_envs.game("atlandice", players=2)
    >>> find_agent("search:16", game).settings.simulations
    16

    Args:
        text: an agent's name, ``name:argument``, or the path of a policy or a training run.
        game: the game it is to play.
        **settings: for an agent by name: keywords of its factory, for instance ``seed``.

    Raises:
        OptionError: it is none of these, or does not fit the game.
    """
    if text == ANALYST:
        return find_agent(analyst_text(game), game, **settings)
    name, colon, argument = text.partition(":")
    if is_shipped(name) and colon:
        raise OptionError(f"agent: {repr_short(text)}; allowed: {name!r}, which takes no argument")
    if is_shipped(name, NAMED):
        return find_agent(meant(game, text), game, **settings)
    if is_shipped(name):
        return PolicyAgent(game, network_directory(game, text), **settings)
    if name == EXEC:
        return find_bot(game, argument)
    if name in WEAKENED:
        return WEAKENED[name].from_argument(game, argument, **settings)
    for point in entry_points(group=GROUP):
        if point.name == name:
            factory = point.load()
            if not colon:
                agent: Agent = factory(game, **settings)
                return agent
            if not hasattr(factory, "from_argument"):
                raise OptionError(f"agent: {repr_short(text)}; allowed: {name!r}, which takes no argument")
            agent = factory.from_argument(game, argument, **settings)
            return agent
    directory = policy_directory(text)
    if directory is not None:
        return PolicyAgent(game, directory)
    erring = ", ".join(f"{name}:NUMBER:AGENT" for name in WEAKENED)
    allowed = f"{', '.join(agent_names())}, {erring}, {FORM}, or the directory of a policy or a run"
    raise OptionError(f"agent: {repr_short(text)}; allowed: {allowed}")
