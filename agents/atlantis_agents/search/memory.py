"""What one search reads and writes: its config, how far it is, numbers per action, and a state to play on."""

from __future__ import annotations

import math
import time
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from atlantis_envs.engine.definition import VALUE_ROOM, Definition
from atlantis_envs.engine.records import packed, plain, plain_records, records
from atlantis_envs.kernels.vocabulary import Vocabulary


class Rollout(Vocabulary):
    """Who plays rollouts; the first two are indices into the array of params."""

    HEURISTIC = 0
    PLANNER = 1
    MIXED = 2
    RANDOM = 3
    LIGHT = 4


class Horizon(Vocabulary):
    """Where rollouts are cut."""

    END = 0
    DECISIONS = 1
    ROUND = 2


class Leaf(Vocabulary):
    """How a rollout that was cut is valued, where no network does it."""

    VALUE = 0
    HEURISTIC = 1
    SCORE = 2


class Prior(Vocabulary):
    """What scores of actions are, where log odds are made of them."""

    RANKS = 0  # only their order counts: odds of 1, 1/2, 1/3, ...
    LOGITS = 1  # log odds
    VALUES = 2  # logits of shares of the win


class Spread(Vocabulary):
    """How simulations are shared out among the actions of a decision."""

    HALVING = 0
    EVEN = 1
    RACE = 2


class Plays(Vocabulary):
    """Whom the policy of a search plays in rollouts."""

    NOBODY = 0
    ROOT = 1
    ALL = 2


ENDS_STAGE, ENDS_ALL = 1, 2  # of a search by the clock: a part of its time is over, or all of it
MOST_SLOTS = 2**20  # 24 MiB
MOST_A_MS = 1000  # simulations in a millisecond: no game is simulated in less than a microsecond
MOST_DEPTH = 256  # of a tree; below it, rollouts go on
NO_SCRATCH = np.dtype([("nothing", np.float64)])  # of a record where nothing is computed

# What kernels read of the settings: see SearchDefaults for the meaning.
SEARCH_CONFIG = packed(
    [
        ("prior", np.float64),
        ("gate", np.float64),
        ("temperature", np.float64),
        ("margin", np.float64),
        ("explore", np.float64),  # of PUCT
        ("answers", np.float64),  # chance that the others answer as in rollouts in a simulation of a tree
        ("noise", np.float64),  # of Gumbel's kind, on the log odds of the root
        ("value_scale", np.float64),  # what a win share counts for beside log odds, by visits
        ("simulations", np.int64),  # 0: until the driver says that a stage of halving is over
        ("considered", np.int64),  # actions that are simulated, at most
        ("rollout", np.int64),  # a Rollout
        ("horizon", np.int64),  # a Horizon
        ("limit", np.int64),  # decisions before which nothing is cut
        ("leaf", np.int64),  # a Leaf
        ("spread", np.int64),  # a Spread
        ("gumbel", np.int64),  # 1: actions are compared by log odds and win shares together
        ("prior_kind", np.int64),  # a Prior
    ]
)

# How far the search of one decision is.
SEARCH_STATE = packed(
    [
        ("legal", np.int64),  # legal actions
        ("alive", np.int64),  # the first so many of ``order`` are still in question
        ("next_index", np.int64),  # the index in ``order`` that is simulated next
        ("passes", np.int64),  # how often all in question have been simulated in this stage of halving
        ("quota", np.int64),  # ... and how often they are to be; 0: until ``ends``
        ("ends", np.int64),  # ENDS_STAGE, ENDS_ALL: what ends with this pass
        ("stages", np.int64),  # of halving, at most
        ("prior_choice", np.int64),  # what the heuristic would play, or the policy that guides
        ("choice", np.int64),  # valid when finished
        ("begun", np.int64),
        ("finished", np.int64),
        ("used", np.int64),  # slots of the tree's table
        ("simulations", np.int64),  # so far
        ("decisions", np.int64),  # taken in them so far
    ]
)


class Memory(NamedTuple):
    """One search's memory, all that its kernels read and write but the game; a thread needs one of its own."""

    config: Any  # array of one SEARCH_CONFIG
    params: NDArray[Any]  # the heuristic's weights, then those of its planner
    search: Any  # array of one SEARCH_STATE
    order: NDArray[np.int64]  # (A,), legal actions, the most promising first
    counts: NDArray[np.int64]  # (A,), simulations by action
    sums: NDArray[np.float64]  # (A,), of win shares
    squares: NDArray[np.float64]  # (A,), of their squares
    latest: NDArray[np.float64]  # (A,), win share in the last simulation
    gains: NDArray[np.float64]  # (A,), sums of how much better it did than the prior choice with the same luck
    gain_squares: NDArray[np.float64]  # (A,), of their squares
    scores: NDArray[np.float64]  # (A,), the heuristic's
    bonus: NDArray[np.float64]  # (A,), win share given in advance; with a Gumbel root, log odds and noise
    log_prior: NDArray[np.float64]  # (A,), log odds of the legal actions
    root_mask: NDArray[np.int8]  # (A,)
    state: Any  # array of one game state, the sample that a rollout plays on
    counters: NDArray[np.uint32]  # (streams,), outcomes drawn
    weights: NDArray[np.int64]  # (outcomes,), of the chance node at hand
    observation: NDArray[np.uint8]  # (F,), of the node at hand
    mask: NDArray[np.int8]  # (A,), of the node at hand
    values: NDArray[np.float64]  # what a kernel of the game says of seats
    points: NDArray[np.int64]  # (max players,), scores of the game
    rng: NDArray[np.uint64]  # (2,)
    scratch: Any  # array of the heuristic's records
    shares: NDArray[np.float64]  # (max players,), what the last simulation was worth to every seat


class Tree(NamedTuple):
    """What a tree search has besides."""

    keys: NDArray[np.uint64]  # (S,), fingerprints of the tree's nodes and edges, 0 where a slot is empty
    visits: NDArray[np.int64]  # (S,)
    totals: NDArray[np.float64]  # (S,), sums of win shares of who chose the edge
    priors: NDArray[np.float64]  # (S,), of edges, where a policy ranks actions
    path: NDArray[np.int64]  # (MOST_DEPTH,), slots of the edges of this simulation
    movers: NDArray[np.int64]  # (MOST_DEPTH,), who chose them
    order: NDArray[np.int64]  # (A,), as in Memory, within the tree; so are the two below
    scores: NDArray[np.float64]
    bonus: NDArray[np.float64]
    log_prior: NDArray[np.float64]


def slots_for(simulations: int, ms: float = 0.0, edges: int = 1) -> int:
    """Return the slots of a table for so many simulations, a power of two: each adds a node and some edges at most.

    The table is cleared for every decision, so it is no larger than what the budget, of the clock where that is the
    budget, can fill.
    """
    simulations = simulations or math.ceil(ms * MOST_A_MS)
    return min(MOST_SLOTS, 1 << (2 * (1 + edges) * simulations).bit_length())


def make_memory(
    definition: Definition, config: Any, params: NDArray[Any], scratch_dtype: np.dtype[Any], scratch_records: int
) -> Memory:
    """Make zeroed memory for one search at a time."""
    actions = len(definition.actions)

    def zeros() -> NDArray[np.float64]:
        return np.zeros(actions, np.float64)

    return Memory(
        config=config,
        params=params,
        search=plain(records(1, SEARCH_STATE)),
        order=np.zeros(actions, np.int64),
        counts=np.zeros(actions, np.int64),
        sums=zeros(),
        squares=zeros(),
        latest=zeros(),
        gains=zeros(),
        gain_squares=zeros(),
        scores=zeros(),
        bonus=zeros(),
        log_prior=zeros(),
        root_mask=np.zeros(actions, np.int8),
        state=plain(records(1, definition.state_dtype)),
        counters=np.zeros(len(definition.streams), np.uint32),
        weights=np.zeros(len(definition.outcomes), np.int64),
        observation=np.zeros(definition.observation.size, np.uint8),
        mask=np.zeros(actions, np.int8),
        values=np.zeros(max(VALUE_ROOM, definition.max_players), np.float64),
        points=np.zeros(definition.max_players, np.int64),
        rng=np.zeros(2, np.uint64),
        scratch=plain_records(scratch_records, scratch_dtype),
        shares=np.zeros(definition.max_players, np.float64),
    )


def make_tree(actions: int, slots: int) -> Tree:
    """Make an empty tree; ``slots`` is a power of two."""
    return Tree(
        keys=np.zeros(slots, np.uint64),
        visits=np.zeros(slots, np.int64),
        totals=np.zeros(slots, np.float64),
        priors=np.zeros(slots, np.float64),
        path=np.zeros(MOST_DEPTH, np.int64),
        movers=np.zeros(MOST_DEPTH, np.int64),
        order=np.zeros(actions, np.int64),
        scores=np.zeros(actions, np.float64),
        bonus=np.zeros(actions, np.float64),
        log_prior=np.zeros(actions, np.float64),
    )


class Clock:
    """Shares a budget in milliseconds out among the stages of halving.

    Args:
        started: by ``time.perf_counter``.
        ms: the budget; 0: there is none, and nothing ever ends by it.
        stages: among which it is shared out.
    """

    def __init__(self, started: float, ms: float, stages: int) -> None:
        """Remember."""
        self.started, self.seconds, self.stages, self.over = started, ms / 1000, max(1, stages), 0

    def tick(self, search: Any) -> None:
        """Write to the search state what ends with the pass in hand: a pass is never left half done."""
        if not self.seconds:
            return
        spent = time.perf_counter() - self.started
        if spent > self.seconds:
            search["ends"] = ENDS_ALL
        elif spent > (self.over + 1) * self.seconds / self.stages:
            self.over += 1
            search["ends"] = ENDS_STAGE
