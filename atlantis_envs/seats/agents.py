"""The Agent protocol, what an agent may offer beside it, and agents from the texts that name them.

The library knows the protocol only. A text is handed to the installed catalogue (entry-point group
``atlantis_envs.catalogue``), which knows names and directories; here it is found at run time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from atlantis_envs.base.values import repr_short
from atlantis_envs.errors import OptionError

if TYPE_CHECKING:
    from atlantis_envs.engine.game import Game
    from atlantis_envs.engine.setup import Setup

CATALOGUE = "atlantis_envs.catalogue"


@runtime_checkable
class Agent(Protocol):
    """Chooses actions for many positions at once, from what the seat to decide may know.

    >>> class First:
    ...     def act(self, observations, masks, noise=None):
    ...         return masks.argmax(axis=1)
    >>> game = atlantis_envs.game("atlandice", players=3)
    >>> batch = atlantis_envs.SeatBatch(game, 4, opponents=First())

    ``act`` is all that an agent needs. What else it may offer is declared by ``Capabilities``.
    """

    def act(
        self,
        observations: NDArray[np.uint8],
        masks: NDArray[np.int8],
        noise: NDArray[np.uint64] | None = None,
    ) -> NDArray[np.int64]:
        """Choose one legal action per row.

        Args:
            observations: uint8 (N, F), of the seat to decide in each row.
            masks: int8 (N, A), 1 = legal; no row is empty.
            noise: uint64 (N,), the only randomness the agent may use, so that what it plays does not depend on how
                games are batched (``Batch.noise``). None: the agent draws its own.

        Returns:
            int64 (N,) action ids.
        """
        ...


@dataclass(frozen=True, eq=False)
class Compiled:
    """An agent as a kernel, so that it plays on without Python between two of its moves (seats/compiled.py).

    Attributes:
        decide: kernel ``(params, scratch, observation, mask, noise) -> action id``, the one that ``act`` would give.
        params: array that the kernel reads.
        scratch: array that the kernel may write to as it likes.
    """

    decide: Callable[..., Any]
    params: NDArray[Any]
    scratch: NDArray[Any]

    @property
    def name(self) -> str:
        """Return the name to sort by, so that the order agents come in does not decide which loops are compiled."""
        plain_function = getattr(self.decide, "py_func", self.decide)
        return f"{plain_function.__module__}.{plain_function.__qualname__}"

    def plays_like(self, other: Compiled) -> bool:
        """Return whether the other one always chooses the same action."""
        return self.decide is other.decide and self.params.tobytes() == other.params.tobytes()


@dataclass(frozen=True, eq=False)
class Positions:
    """Decision nodes of one game, as the seat to decide in each may know them.

    Attributes:
        game: whose positions.
        states: recarray (N,), what the seat cannot know redrawn; copies, the agent may write to them.
        seats: int64 (N,), who is to decide.
        observations: uint8 (N, F), what that seat sees.
        masks: int8 (N, A), what it may do.
    """

    game: Setup
    states: Any
    seats: NDArray[np.int64]
    observations: NDArray[np.uint8]
    masks: NDArray[np.int8]

    def __len__(self) -> int:
        """Return N."""
        return len(self.seats)


class Trials(NamedTuple):
    """What came out of N trials of every legal action.

    Attributes:
        shares: float64 (N, A), win share of the seat to decide, 0..1; NaN for actions that are not legal.
        each: simulations that one row is the mean of.
        scores: float64 (A,), what a rule of thumb thinks of the actions; None: nobody was asked.
    """

    shares: NDArray[np.float64]
    each: int
    scores: NDArray[np.float64] | None


@runtime_checkable
class PositionAgent(Agent, Protocol):
    """An agent that is asked at positions. Its ``act`` may refuse: observations are not enough for it."""

    def act_positions(self, positions: Positions, noise: NDArray[np.uint64] | None = None) -> NDArray[np.int64]:
        """Choose one legal action per position.

        Args:
            positions: N of them.
            noise: uint64 (N,), the only randomness the agent may use; see ``Agent.act``.

        Returns:
            int64 (N,) action ids.
        """
        ...


@runtime_checkable
class Analyst(Agent, Protocol):
    """An agent that simulates games itself."""

    @property
    def budget(self) -> int:
        """Return the simulations that its settings ask for for a decision; 0: something else limits it."""
        ...

    def try_all(self, positions: Positions, noise: NDArray[np.uint64]) -> Trials:
        """Try every legal action once per row.

        Args:
            positions: N of them, alike: the same seat, the same legal actions.
            noise: uint64 (N,), the only randomness: the same word is the same luck for every action.
        """
        ...


class Capabilities(NamedTuple):
    """What an agent offers beside ``act``. An agent with ``act`` alone offers nothing.

    >>> from atlantis_envs.seats.agents import Capabilities
    >>> game = atlantis_envs.game("atlandice", players=3)
    >>> offered = Capabilities(atlantis_envs.make_agent("heuristic", game))
    >>> offered.compiled is not None, offered.act_positions is not None
    (True, False)

    An agent has a capability if it has the attribute of that name. It is looked for when it is asked for, since a
    compiled form may take time to make.

    Attributes:
        agent: the agent.
        compiled: Compiled, the agent as a kernel; or None.
        act_positions: as in PositionAgent, for an agent that sees positions instead of observations; or None. One that
            has the method and does not always want positions says so with a bool ``sees_positions``.
        analyst: the agent, if it simulates games itself (Analyst: ``budget`` and ``try_all``); or None.
        entries: the entry points (kernels) that asking it compiles, for one line of progress.
        prepare: a function without arguments that compiles all that it may need; or None.
    """

    agent: object

    @property
    def compiled(self) -> Compiled | None:
        """Return the agent as a kernel, if it is one."""
        form = getattr(self.agent, "compiled", None)
        return form if isinstance(form, Compiled) else None

    @property
    def act_positions(self) -> Callable[..., Any] | None:
        """Return how it is asked at positions, if it sees them."""
        method: Any = getattr(self.agent, "act_positions", None)
        return method if callable(method) and getattr(self.agent, "sees_positions", True) else None

    @property
    def analyst(self) -> Analyst | None:
        """Return the agent as an Analyst, if it is one."""
        return self.agent if isinstance(self.agent, Analyst) else None

    @property
    def entries(self) -> list[Callable[..., Any]]:
        """Return the entry points that it calls."""
        return list(getattr(self.agent, "entries", ()))

    @property
    def prepare(self) -> Callable[[], None] | None:
        """Return the function that compiles all that it may need, if it has one."""
        return getattr(self.agent, "prepare", None)


def make_agent(agent: str | Agent, game: Game, **settings: Any) -> Agent:
    """Make an agent from a text: a name, ``name:argument``, the directory of a policy or a run; return objects as is.

    >>> game = atlantis_envs.game("atlandice", players=3)
    >>> agent = atlantis_envs.make_agent("search:16", game)
    >>> batch = game.batch(4, seed=0)
    >>> agent = atlantis_envs.make_agent("heuristic", game)
    >>> agent.act(batch.observations, batch.action_masks, batch.noise(seed=1)).shape
    (4,)

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
