"""The agent ``search``: a flat search or a tree of imagined games, for all that say what a seat cannot know."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from atlantis_agents.networks.policy import NetworkAgent
from atlantis_agents.search.clock import Clock
from atlantis_agents.search.guided import GuidedSearch
from atlantis_agents.search.lockstep import make_guided
from atlantis_agents.search.loops import make_think
from atlantis_agents.search.memory import NO_WORK, Memory, make_memory, slots_for
from atlantis_agents.search.opinion import prefer
from atlantis_agents.search.own import features_of, make_own, make_playing
from atlantis_agents.search.settings import (
    HEURISTIC,
    POLICIES,
    ROLLOUT,
    TREES,
    heuristic_of,
    make_settings,
    parse_argument,
    usual_settings,
)
from atlantis_agents.search.sharing import share_out
from atlantis_agents.search.tree import make_grow
from atlantis_envs.base.arguments import MAX_SEED, is_integer
from atlantis_envs.base.values import shown
from atlantis_envs.engine.kernel import compiling
from atlantis_envs.engine.records import plain
from atlantis_envs.errors import OptionError
from atlantis_envs.seats.agents import make_agent
from atlantis_envs.seats.positions import Positions, check_law
from atlantis_envs.seats.trials import Trials

if TYPE_CHECKING:
    from atlantis_envs.engine.game import Game

AT_ONCE = 20_000  # imagined decisions per compiled call: some 0.02 to 0.1 s, so Ctrl-C is seen
GLANCE = 500  # ... where a clock is looked at
NOT_IN_TRIALS = {"ms", "simulations", "spread", "tree", "margin"}  # settings: trials are even, so flat, of wins
NOTHING = np.zeros(2, np.float64)
_prepared: set[Any] = set()


@dataclass(frozen=True)
class Found:
    """What a search found out about N positions.

    Attributes:
        choices: int64 (N,), what it plays.
        favourites: int64 (N,), what the heuristic would, or the policy that guides.
        counts: int64 (N, A), simulations by action.
        means: float64 (N, A), mean win share of the seat to decide; NaN where there was no simulation.
        errors: float64 (N, A), standard errors of these means; NaN below two simulations.
        decisions: int64 (N,), decisions taken in all simulations.
        scores: float64 (N, A), the heuristic's scores, or the logits of the policy that guides; -inf where not legal.
    """

    choices: NDArray[np.int64]
    favourites: NDArray[np.int64]
    counts: NDArray[np.int64]
    means: NDArray[np.float64]
    errors: NDArray[np.float64]
    decisions: NDArray[np.int64]
    scores: NDArray[np.float64]


class SearchAgent:
    """Imagines games from the position and plays what came out best.

    Args:
        game: the game it plays; OptionError if it declares no ``resample``.
        seed: 0..2**64-1, of its own generator, for calls without noise; None: fresh entropy.
        **settings: see Settings; what is not given is as the game declares.

    Attributes:
        game: the game.
        seed: the seed.
        settings: complete.
    """

    def __init__(self, game: Game, seed: int | None = None, **settings: Any) -> None:
        """Check the settings; compiles at the first question."""
        if seed is not None and not (is_integer(seed) and 0 <= seed <= MAX_SEED):
            raise OptionError(f"seed: {shown(seed)}; allowed: an integer 0..2**64-1, or None for fresh entropy")
        check_law(game)
        definition = game.definition
        self.game, self.seed = game, None if seed is None else int(seed)
        self.settings = make_settings(definition, usual_settings(definition, game.players), settings)
        self._given = settings
        self._generator = np.random.default_rng(self.seed)
        heuristic = heuristic_of(definition)
        self._heuristic = heuristic
        self._knobs: NDArray[Any] = NOTHING
        if heuristic is not None:
            deep = heuristic.weights if heuristic.deep is None else heuristic.deep
            self._knobs = plain(np.concatenate([heuristic.weights, deep]))
        self._orders = self.settings.orders()
        self._guide = make_agent(self.settings.rollout, game) if self.settings.guided else None
        if hasattr(self._guide, "act_positions"):
            allowed = "a policy of observations; one of afterstates may guide"
            raise OptionError(f"search: rollout={shown(self.settings.rollout)}; allowed: {allowed}")
        self._ranker = self._policy("guide", HEURISTIC)
        self._own = self._policy("own", ROLLOUT)
        if self._own is not None and self._own.advice:
            raise OptionError(f"search: own={shown(self.settings.own)}; allowed: a policy without advice")

    @classmethod
    def from_argument(cls, game: Game, argument: str, **settings: Any) -> SearchAgent:
        """The agent ``search:argument``: a number of simulations, settings as NAME=VALUE, with commas.

        Raises:
            OptionError: naming what is wrong and what is allowed.
        """
        return cls(game, **{**settings, **parse_argument(argument)})

    def act(
        self,
        observations: NDArray[np.uint8],
        masks: NDArray[np.int8],
        noise: NDArray[np.uint64] | None = None,
    ) -> NoReturn:
        """Refused: observations are not enough to play on from.

        Raises:
            OptionError: always.
        """
        raise OptionError(
            "agent: search sees positions, not observations; allowed: asking it through SeatBatch, "
            "atlantis_envs.seats.positions.ask and ask_at, or act_positions"
        )

    def act_positions(self, positions: Positions, noise: NDArray[np.uint64] | None = None) -> NDArray[np.int64]:
        """See PositionAgent.

        Raises:
            OptionError: positions of another game.
        """
        return self.study(positions, noise).choices

    def study(self, positions: Positions, noise: NDArray[np.uint64] | None = None) -> Found:
        """Search every position, and tell all that came out.

        Args:
            positions: N of them, as ``atlantis_envs.seats.positions.known_to`` makes them.
            noise: uint64 (N,), the only randomness; None: drawn from the agent's own generator.

        Raises:
            OptionError: positions of another game.
        """
        if not isinstance(positions, Positions) or positions.game != self.game:
            raise OptionError(f"positions: {shown(positions)}; allowed: Positions of {self.game!r}")
        count = len(positions)
        if noise is None:
            noise = self._generator.integers(0, MAX_SEED, count, np.uint64, endpoint=True)
        self._prepare()
        found = _room(count, self.game.num_actions)
        states, halt = plain(positions.states), threading.Event()
        opinions = None if self._ranker is None else self._ranker.opinions(positions, noise)

        def work(lanes: Any) -> None:
            memory = self._memory()
            guided = self._guided(memory)
            for lane in lanes:
                where = states, lane, int(positions.seats[lane]), noise[lane], halt
                memory.study["begun"] = 0
                if opinions is not None:
                    self._begin(memory, *where[:-1])
                    prefer(memory, opinions[lane], self.settings.prior)
                if guided is None:
                    self._search(memory, *where)
                else:
                    guided.search(*where)
                if halt.is_set():
                    return
                _keep(found, lane, memory)

        share_out(work, count, self.settings.threads, halt)
        return found

    @property
    def budget(self) -> int:
        """Simulations for a decision; 0: the clock limits it."""
        return self.settings.simulations

    def try_all(self, positions: Positions, noise: NDArray[np.uint64]) -> Trials:
        """See Analyst: simulations of every legal action, one row for one luck; mixed rollouts go in pairs."""
        each = 2 if self.settings.rollout == "mixed" else 1
        kept = {name: value for name, value in self._given.items() if name not in NOT_IN_TRIALS}
        legal = int(np.count_nonzero(positions.masks[0]))
        even = SearchAgent(self.game, self.seed, **kept, spread="even", margin=0.0, simulations=each * legal)
        found = even.study(positions, noise)
        return Trials(found.means, each, found.scores[0])

    def _policy(self, setting: str, nobody: str) -> NetworkAgent | None:
        """The policy that a setting names, if one does.

        Raises:
            OptionError: there is no such policy.
        """
        name = getattr(self.settings, setting)
        if name == nobody:
            return None
        agent = make_agent(name, self.game)
        if not isinstance(agent, NetworkAgent):
            raise OptionError(f"search: {setting}={shown(name)}; allowed: {', '.join(POLICIES)}")
        return agent

    def _memory(self) -> Memory:
        heuristic, slots = self._heuristic, 0
        own = () if self._own is None else make_own(self._own)
        if self.settings.tree != "none":
            slots = slots_for(self.settings.simulations, self.settings.ms)
        if heuristic is None:
            return make_memory(self.game.definition, NO_WORK, 1, slots, own)
        return make_memory(self.game.definition, heuristic.work_dtype, heuristic.work_records, slots, own)

    def _guided(self, memory: Memory) -> GuidedSearch | None:
        if self._guide is None:
            return None
        settings = self._orders, self._knobs, self.settings.ms
        return GuidedSearch(self._guide, self.game, self._heuristic, memory, *settings)

    @property
    def entries(self) -> list[Any]:
        """What searching compiles (atlantis_envs.seats.compiled.compiling_for)."""
        law, definition = self.game.loops.resample, self.game.definition
        if self._guide is not None:
            return [law, *make_guided(definition, self._heuristic), *getattr(self._guide, "entries", [])]
        return [law, self._loop()]

    def _loop(self) -> Any:
        """The compiled search."""
        definition = self.game.definition
        if self.settings.tree != "none":
            return make_grow(definition, self._heuristic)
        own = None if self._own is None else make_playing(definition, features_of(self._own))
        return make_think(definition, self._heuristic, own)

    def prepare(self) -> None:
        """Compile, or load, what a search of this game may need with whatever settings but ``own``."""
        for tree in TREES:
            SearchAgent(self.game, 0, tree=tree, simulations=2)._prepare()
        memory = self._memory()
        GuidedSearch(
            make_agent("random", self.game), self.game, self._heuristic, memory, self._orders, self._knobs, 0.0
        ).prepare()

    def _prepare(self) -> None:
        """Compile, telling of it, or load."""
        definition = self.game.definition
        self._think = self._loop()
        guided_loops = make_guided(definition, self._heuristic)
        loops = [self._think] if self._guide is None else list(guided_loops)
        if self._guide is None and self._ranker is not None:
            loops.append(guided_loops.begin)
        if _prepared.issuperset(loops):
            return
        memory = self._memory()
        guided = self._guided(memory)
        with compiling(f"{definition.title}, search", loops):
            if guided_loops.begin in loops:
                memory.study["begun"] = 1  # nothing is searched: it compiles
                self._begin(memory, memory.table, 0, 0, np.uint64(0))
            if guided is not None:
                guided.prepare()
            else:
                memory.study["begun"] = memory.study["finished"] = 1  # nothing is played: it compiles
                self._call(memory, memory.table, 0, 0, np.uint64(0), 1)
        _prepared.update(loops)

    def _begin(self, memory: Memory, states: Any, lane: int, seat: int, key: np.uint64) -> None:
        """Order the actions of a decision as the heuristic would, and imagine nothing yet."""
        m = memory
        make_guided(self.game.definition, self._heuristic).begin(
            self.game.plain_rules, states, lane, seat, key, self._orders, self._knobs, m.study, m.order, m.counts,
            m.sums, m.squares, m.gains, m.gain_squares, m.scores, m.bonus, m.root_mask, m.observation, m.work,
        )  # fmt: skip

    def _call(self, memory: Memory, states: Any, lane: int, seat: int, key: np.uint64, allowance: int) -> None:
        game = self.game
        self._think(
            game.plain_rules, states, lane, seat, game.players, key, allowance, self._orders, self._knobs,
            *memory[:-1], *memory.tree,
        )  # fmt: skip

    def _search(self, memory: Memory, states: Any, lane: int, seat: int, key: np.uint64, halt: threading.Event) -> None:
        """One decision, to its end or until somebody halts."""
        study = memory.study
        started = time.perf_counter()
        allowance = AT_ONCE if self.settings.simulations else GLANCE
        self._call(memory, states, lane, seat, key, allowance)
        clock = Clock(started, self.settings.ms, int(study["rounds"][0]))
        while not study["finished"][0] and not halt.is_set():
            clock.press(study)
            self._call(memory, states, lane, seat, key, allowance)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as game, seed and settings; compiled code is never pickled."""
        return _restore, (type(self), self.game, self.seed, self._given)

    def __repr__(self) -> str:
        """With all settings."""
        return f"<SearchAgent search:{self.settings.text} of {self.game!r}>"


def _restore(kind: type[SearchAgent], game: Game, seed: int | None, given: dict[str, Any]) -> SearchAgent:
    return kind(game, seed, **given)


def _room(count: int, actions: int) -> Found:
    """Nothing found yet."""
    return Found(
        choices=np.full(count, -1, np.int64),
        favourites=np.full(count, -1, np.int64),
        counts=np.zeros((count, actions), np.int64),
        means=np.full((count, actions), np.nan),
        errors=np.full((count, actions), np.nan),
        decisions=np.zeros(count, np.int64),
        scores=np.full((count, actions), -np.inf),
    )


def _keep(found: Found, lane: int, memory: Memory) -> None:
    """Write down what was found in one lane."""
    counts = memory.counts
    found.choices[lane] = memory.study["choice"][0]
    found.favourites[lane] = memory.study["favourite"][0]
    found.decisions[lane] = memory.study["decisions"][0]
    found.counts[lane] = counts
    found.scores[lane] = np.where(memory.root_mask != 0, memory.scores, -np.inf)
    some, several = counts > 0, counts > 1
    found.means[lane, some] = memory.sums[some] / counts[some]
    numbers = counts[several]
    means = memory.sums[several] / numbers
    variances = np.maximum(0.0, memory.squares[several] - numbers * means**2) / (numbers - 1)
    found.errors[lane, several] = np.sqrt(variances / numbers)
