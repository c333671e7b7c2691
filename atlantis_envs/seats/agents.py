"""The Agent protocol, and agents from the texts that name them.

The library knows the protocol only. A text is handed to the installed catalogue (entry-point group
``atlantis_envs.catalogue``), which knows names and directories; here it is found at run time.
"""

from __future__ import annotations

from functools import cache
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from atlantis_envs.base.values import repr_short
from atlantis_envs.errors import OptionError

if TYPE_CHECKING:
    from collections.abc import Callable

    from atlantis_envs.engine.game import Game

CATALOGUE = "atlantis_envs.catalogue"


@runtime_checkable
class Agent(Protocol):
    """Chooses actions for many positions at once, from what the seat to decide may know.

    An agent that is a kernel says so with an attribute ``compiled`` (atlantis_envs.seats.compiled.Compiled).
    """

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


def make_agent(agent: str | Agent, game: Game, **settings: Any) -> Agent:
    """An agent from a text: a name, ``name:argument``, the directory of a policy or a run; an object is returned as is.

    Args:
        agent: the text, or an object that can ``act``.
        game: the game it is to play.
        **settings: for an agent by name: keywords of its factory, for instance ``seed``.

    Raises:
        OptionError: the text names no agent, the agent does not play this game, or the object is no agent.
    """
    if isinstance(agent, str):
        return _catalogue()(agent, game, **settings)
    if not isinstance(agent, Agent):
        raise OptionError(
            f"agent: {repr_short(agent)}; allowed: a name, a directory of a policy, or an object with act()"
        )
    return agent


@cache
def _catalogue() -> Callable[..., Agent]:
    for point in entry_points(group=CATALOGUE):
        found: Callable[..., Agent] = point.load()
        return found
    raise OptionError("agent: no catalogue of agents is installed; allowed: an object with act()")
