"""The searches of one agent: compiled once, memory kept, lanes shared out among threads that may be interrupted."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from atlantis_agents.networks.policy import NetworkAgent
from atlantis_agents.search.flat import FIRST_VISITS, make_begin, make_flat
from atlantis_agents.search.guided import GuidedSearch
from atlantis_agents.search.memory import NO_SCRATCH, Clock, Memory, make_memory, make_tree, slots_for
from atlantis_agents.search.policy import make_policy_kernels, make_search_policy, prior_of
from atlantis_agents.search.rollout import make_leaf_values
from atlantis_agents.search.settings import Settings, heuristic_of
from atlantis_agents.search.tree import make_grow
from atlantis_envs.engine.records import as_records, plain
from atlantis_envs.kernels.kernel import compiling
from atlantis_envs.seats.agents import Agent, Positions

if TYPE_CHECKING:
    from atlantis_envs.engine.game import Game

AT_ONCE = 20_000  # decisions in rollouts per compiled call: some 0.02 to 0.1 s, so Ctrl-C is seen
AT_ONCE_TIMED = 500  # ... where a clock is looked at
NO_PARAMS = np.zeros(2, np.float64)
NO_LOGITS = np.zeros(0, np.float32)
EDGES = 31  # of a node in a tree whose actions a policy ranks, more or less
_compiled: set[Any] = set()  # entries that this process has called

Room = tuple[Memory, tuple[Any, ...]]  # of one thread: memory, and a tree with a policy, a policy, or nothing


@dataclass(frozen=True)
class Found:
    """What a search found out about N positions.

    Attributes:
        choices: int64 (N,), what it plays.
        prior_choices: int64 (N,), what the heuristic would, or the policy that guides.
        counts: int64 (N, A), simulations by action.
        means: float64 (N, A), mean win share of the seat to decide; NaN where there was no simulation.
        errors: float64 (N, A), standard errors of these means; NaN below two simulations.
        decisions: int64 (N,), decisions taken in all simulations.
        scores: float64 (N, A), the heuristic's scores, or the logits of the policy that guides; -inf where not legal.
        log_priors: float64 (N, A), the log odds of a Gumbel root, without noise; -inf where not legal, NaN without one.
        value_scale: of that root.
    """

    choices: NDArray[np.int64]
    prior_choices: NDArray[np.int64]
    counts: NDArray[np.int64]
    means: NDArray[np.float64]
    errors: NDArray[np.float64]
    decisions: NDArray[np.int64]
    scores: NDArray[np.float64]
    log_priors: NDArray[np.float64]
    value_scale: float

    @property
    def policies(self) -> NDArray[np.float64]:
        """Return what a Gumbel root makes of its prior, float64 (N, A), 0 where not legal (Danihelka et al. 2022).

        What was not simulated counts as ``completed`` says.
        """
        scale = (FIRST_VISITS + self.counts.max(axis=1, keepdims=True)) * self.value_scale
        logits = self.log_priors + scale * self.completed
        odds = np.exp(logits - logits.max(axis=1, keepdims=True))
        return np.asarray(odds / odds.sum(axis=1, keepdims=True))

    @property
    def completed(self) -> NDArray[np.float64]:
        """Return the mean win shares, float64 (N, A): what was not simulated counts as the mean of what was.

        That mean weighs actions by the prior of a Gumbel root (completed Q values; Danihelka et al. 2022), with another
        root equally. 0 where nothing was simulated.
        """
        tried = self.counts > 0
        priors = np.where(np.isnan(self.log_priors), 1.0, np.exp(self.log_priors))
        weights = np.where(tried, priors, 0.0)
        means = np.where(tried, np.nan_to_num(self.means), 0.0)
        mixed = (weights * means).sum(axis=1) / np.maximum(weights.sum(axis=1), np.finfo(np.float64).tiny)
        return np.where(tried, means, mixed[:, None])


@dataclass(frozen=True)
class Policies:
    """Whom a search asks beside the heuristic; None: nobody.

    Attributes:
        rollouts: plays them, in NumPy; None: kernels play them.
        prior: ranks the actions of a decision, in NumPy; None: the player does if it ranks, else the heuristic.
        player: plays and ranks as the settings say, in kernels.
        valuer: values games that were cut, in kernels; it may be the player, and there is none without a player.
    """

    rollouts: Agent | None = None
    prior: NetworkAgent | None = None
    player: NetworkAgent | None = None
    valuer: NetworkAgent | None = None


class Searcher:
    """Searches decisions with the same settings again and again."""

    def __init__(self, game: Game, settings: Settings, policies: Policies) -> None:
        """Build, not yet compile."""
        definition, heuristic = game.definition, heuristic_of(game.definition)
        self.game, self.settings = game, settings
        self._heuristic, self._policies = heuristic, policies
        self._config, self._params = settings.config(), NO_PARAMS
        if heuristic is not None:
            usual = heuristic.rollout_weights_for(game.players)
            deep = usual if heuristic.deep is None else heuristic.deep
            self._params = plain(as_records(np.concatenate([usual, deep])))
        player, valuer = policies.player, policies.valuer or policies.player
        self._guided = None if policies.rollouts is None else GuidedSearch(policies.rollouts, game, heuristic)
        self._begin = make_begin(definition, heuristic) if policies.rollouts or policies.prior else None
        ranking = policies.prior or (player if settings.ranks else None)
        if ranking is not None:
            self._config["prior_kind"] = prior_of(ranking)
        kernels = None
        if player is not None and valuer is not None:
            kernels = make_policy_kernels(definition, player.features, valuer.features)
        make = make_flat if settings.tree == "none" else make_grow
        self._loop = make(definition, heuristic, kernels)
        self._rooms: list[Room] = []  # that no thread works in

    @property
    def entries(self) -> list[Any]:
        """Return what searching compiles."""
        loops = [self._loop] if self._guided is None else list(self._guided.kernels)
        return loops if self._begin is None else [*loops, self._begin]

    def compile(self) -> None:
        """Compile, telling of it, or load; nothing where this process has done so before."""
        entries = self.entries
        if _compiled.issuperset(entries):
            return
        memory, extra = room = self._make_room()
        nobody = memory.state, 0, 0
        memory.search["begun"] = memory.search["finished"] = 1  # nothing is played: it compiles
        with compiling(f"{self.game.definition.title}, search", entries):
            if self._begin is not None:
                self._begin(self.game.plain_rules, *nobody, np.uint64(0), memory, NO_LOGITS)
            if self._guided is not None:
                self._guided.compile(memory)
            else:
                self._loop(self.game.plain_rules, *nobody, self.game.players, np.uint64(0), 1, memory, extra)
        self._rooms.append(room)
        _compiled.update(entries)

    def leaf_values(self, positions: Positions) -> NDArray[np.float64]:
        """Return what the leaf says that positions are worth to every seat, float64 (N, P)."""
        if self._policies.valuer is not None:
            return self._policies.valuer.position_values(positions)
        game, out = self.game, np.zeros((len(positions), self.game.players))
        loop, (memory, _) = make_leaf_values(game.definition, self._heuristic), self._make_room()
        with compiling(f"{game.definition.title}, values", [loop]):
            loop(game.plain_rules, plain(positions.states), np.asarray(positions.seats, np.int64), memory, out)
        return out

    def search(self, positions: Positions, noise: NDArray[np.uint64]) -> Found:
        """Search every position; ``noise``, uint64 (N,), is the only randomness."""
        count, halt = len(positions.seats), threading.Event()
        found = _nothing_found(count, self.game.num_actions, self.settings.value_scale)
        states = positions.states.view(np.ndarray)
        prior = self._policies.prior
        logits = None if prior is None else prior.position_logits(positions, noise)

        def work(lanes: Iterable[int]) -> None:
            try:
                room = self._rooms.pop()
            except IndexError:  # other threads work in all of them
                room = self._make_room()
            for lane in lanes:
                ranked = None if logits is None else logits[lane]
                self._search_lane(room, states, lane, int(positions.seats[lane]), noise[lane], ranked, halt)
                if halt.is_set():
                    return
                _write(found, lane, room[0])
            self._rooms.append(room)

        if min(count, self.settings.threads) < 2:
            work(range(count))
        else:
            share_out(work, count, self.settings.threads, halt)
        return found

    def _search_lane(
        self,
        room: Room,
        states: Any,
        lane: int,
        seat: int,
        key: np.uint64,
        logits: NDArray[np.float32] | None,
        halt: threading.Event,
    ) -> None:
        """Search one decision, to its end or until somebody halts."""
        (memory, extra), game, started = room, self.game, time.perf_counter()
        search = memory.search
        search["begun"] = 0
        if self._begin is not None:
            self._begin(game.plain_rules, states, lane, seat, key, memory, NO_LOGITS if logits is None else logits)
        if self._guided is not None:
            clock = Clock(started, self.settings.ms, int(search["stages"][0]))
            self._guided.search(memory, states, lane, seat, key, clock, halt)
            return
        allowance = AT_ONCE if self.settings.simulations else AT_ONCE_TIMED
        arguments = game.plain_rules, states, lane, seat, game.players, key, allowance, memory, extra
        self._loop(*arguments)
        if search["finished"][0]:
            return
        clock = Clock(started, self.settings.ms, int(search["stages"][0]))
        while not search["finished"][0] and not halt.is_set():
            clock.tick(search)
            self._loop(*arguments)

    def _make_room(self) -> Room:
        definition, heuristic = self.game.definition, self._heuristic
        settings, policy = self.settings, tuple[Any, ...]()
        scratch = (NO_SCRATCH, 1) if heuristic is None else (heuristic.scratch_dtype, heuristic.scratch_records)
        in_tree = settings.tree != "none"
        player, valuer = self._policies.player, self._policies.valuer
        if player is not None:
            policy = make_search_policy(player, valuer, settings.plays, settings.ranks, in_tree)
        extra = policy
        if in_tree:
            slots = slots_for(settings.simulations, settings.ms, EDGES if settings.ranks else 1)
            extra = make_tree(len(definition.actions), slots), policy
        return make_memory(definition, self._config, self._params, *scratch), extra


def _nothing_found(count: int, actions: int, value_scale: float) -> Found:
    return Found(
        choices=np.full(count, -1, np.int64),
        prior_choices=np.full(count, -1, np.int64),
        counts=np.zeros((count, actions), np.int64),
        means=np.full((count, actions), np.nan),
        errors=np.full((count, actions), np.nan),
        decisions=np.zeros(count, np.int64),
        scores=np.full((count, actions), -np.inf),
        log_priors=np.full((count, actions), np.nan),
        value_scale=value_scale,
    )


def _write(found: Found, lane: int, memory: Memory) -> None:
    """Write what was found in one lane."""
    counts = memory.counts
    found.choices[lane] = memory.search["choice"][0]
    found.prior_choices[lane] = memory.search["prior_choice"][0]
    found.decisions[lane] = memory.search["decisions"][0]
    found.counts[lane] = counts
    found.scores[lane] = np.where(memory.root_mask != 0, memory.scores, -np.inf)
    if memory.config["gumbel"][0]:
        found.log_priors[lane] = np.where(memory.root_mask != 0, memory.log_prior, -np.inf)
    some, several = counts > 0, counts > 1
    found.means[lane, some] = memory.sums[some] / counts[some]
    numbers = counts[several]
    means = memory.sums[several] / numbers
    variances = np.maximum(0.0, memory.squares[several] - numbers * means**2) / (numbers - 1)
    found.errors[lane, several] = np.sqrt(variances / numbers)


# -------------------------------------------------------------------------------------------------------------- threads


def share_out(work: Callable[[Iterator[int]], None], count: int, threads: int, halt: threading.Event) -> None:
    """Let threads, the caller's among them, work through lanes 0..count-1.

    Args:
        work: takes lanes out of the iterator until there are none, and returns soon once ``halt`` is set.
        count: lanes.
        threads: at most so many.
        halt: set if one of them fails or the caller is interrupted.

    Raises:
        BaseException: the first one that was raised in any of them; all have ended before.
    """
    lanes = iter(range(count))  # whoever asks next gets the next one
    failed: list[BaseException] = []

    def run() -> None:
        try:
            work(lanes)
        except BaseException as error:
            failed.append(error)
            halt.set()

    others = [threading.Thread(target=run, daemon=True) for _ in range(min(threads, count) - 1)]
    for other in others:
        other.start()
    run()
    for other in others:
        while other.is_alive():
            try:
                other.join()
            except KeyboardInterrupt as error:
                failed.append(error)
                halt.set()
    if failed:
        raise failed[0]
