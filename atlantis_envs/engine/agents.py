"""What plays: the Agent protocol, and agents by name through the entry-point group ``atlantis_envs.agents``.

The engine knows the protocol only; the agents themselves live in other packages and are found at run time.
"""

from __future__ import annotations

from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from atlantis_envs.engine.values import shown
from atlantis_envs.errors import OptionError

if TYPE_CHECKING:
    from atlantis_envs.engine.game import Game

GROUP = "atlantis_envs.agents"


@runtime_checkable
class Agent(Protocol):
    """Chooses actions for many positions at once, from what the seat to decide may know."""

    def act(
        self,
        observations: NDArray[np.uint8],
        masks: NDArray[np.int8],
        noise: NDArray[np.uint64] | None = None,
    ) -> NDArray[np.int64]:
        """One legal action per row.

        Args:
            observations: uint8 (N, F), of the seat to decide in each row.
            masks: int8 (N, A), 1 = legal; no row is empty.
            noise: uint64 (N,), the only randomness the agent may use, so that what it plays does not depend on how
                games are batched (``Batch.noise``). None: the agent draws its own.

        Returns:
            int64 (N,) action ids.
        """
        ...


def agent_names() -> tuple[str, ...]:
    """Names of the installed agents."""
    return tuple(sorted({point.name for point in entry_points(group=GROUP)}))


def make_agent(agent: str | Agent, game: Game, **settings: Any) -> Agent:
    """An agent by name, made as ``factory(game, **settings)``; an object that can ``act`` is returned as it is.

    Raises:
        OptionError: unknown name, or not an agent.
    """
    if isinstance(agent, str):
        for point in entry_points(group=GROUP):
            if point.name == agent:
                made: Agent = point.load()(game, **settings)
                return made
        raise OptionError(f"agent: {agent!r}; allowed: {', '.join(map(repr, agent_names()))}, or an object with act()")
    if not isinstance(agent, Agent):
        raise OptionError(
            f"agent: {shown(agent)}; allowed: {', '.join(map(repr, agent_names()))}, or an object with act()"
        )
    return agent
