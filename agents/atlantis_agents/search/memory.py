"""What one search writes to: a record of how far it is, numbers per action, and a table to play on."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from atlantis_envs.engine.definition import Definition
from atlantis_envs.engine.records import packed, plain, records
from atlantis_envs.engine.searching import VALUE_ROOM
from atlantis_envs.engine.vocabulary import Vocabulary


class Rollout(Vocabulary):
    """Who plays imagined games on; the first two are places in the array of weights."""

    HEURISTIC = 0
    PLANNER = 1
    MIXED = 2
    RANDOM = 3
    LIGHT = 4


class Horizon(Vocabulary):
    """Where imagined games are cut."""

    END = 0
    DECISIONS = 1
    ROUND = 2


class Leaf(Vocabulary):
    """What an imagined game that was cut is worth."""

    VALUE = 0
    HEURISTIC = 1
    SCORE = 2


ENDS_ROUND, ENDS_ALL = 1, 2  # of a search by the clock: a part of its time is over, or all of it
MOST_SLOTS = 2**20  # 24 MiB
MOST_A_MS = 1000  # simulations in a millisecond: no game is imagined in less than a microsecond
MOST_DEPTH = 256  # of a tree; deeper, imagined games are played on
NO_WORK = np.dtype([("nothing", np.float64)])  # of a record where there is no work to do

# What kernels read of the settings: see SearchDefaults for the meaning.
ORDERS = packed(
    [
        ("prior", np.float64),
        ("gate", np.float64),
        ("temperature", np.float64),
        ("margin", np.float64),
        ("explore", np.float64),  # of PUCT
        ("simulations", np.int64),  # 0: until the driver says that a round of halving is over
        ("considered", np.int64),  # actions that are looked at, at most
        ("rollout", np.int64),  # a Rollout
        ("horizon", np.int64),  # a Horizon
        ("limit", np.int64),  # decisions before which nothing is cut
        ("leaf", np.int64),  # a Leaf
        ("even", np.int64),  # 1: all actions get equally many simulations
    ]
)

# How far the search of one decision is.
STUDY = packed(
    [
        ("legal", np.int64),  # legal actions
        ("alive", np.int64),  # the first so many of ``order`` are still in question
        ("at", np.int64),  # the place in ``order`` that is simulated next
        ("passes", np.int64),  # how often all in question have been simulated in this round of halving
        ("quota", np.int64),  # ... and how often they are to be; 0: until ``hurry``
        ("hurry", np.int64),  # ENDS_ROUND, ENDS_ALL: what ends with this pass
        ("rounds", np.int64),  # of halving, at most
        ("favourite", np.int64),  # the heuristic's choice
        ("choice", np.int64),  # valid when finished
        ("begun", np.int64),
        ("finished", np.int64),
        ("used", np.int64),  # slots of the tree's table
        ("simulations", np.int64),  # so far
        ("decisions", np.int64),  # taken in them so far
    ]
)


class Tree(NamedTuple):
    """What a tree search has besides, in the order that its loop takes it.

    Attributes:
        keys: uint64 (S,), fingerprints of the tree's nodes and edges, 0 where a slot is empty; visits: int64 (S,);
            totals: float64 (S,), sums of win shares of who chose the edge.
        path: int64 (MOST_DEPTH,), slots of the edges of this simulation; movers: who chose them.
        node_order: int64 (A,), node_scores and node_bonus: float64 (A,), as order, scores and bonus, within the tree.
    """

    keys: NDArray[np.uint64]
    visits: NDArray[np.int64]
    totals: NDArray[np.float64]
    path: NDArray[np.int64]
    movers: NDArray[np.int64]
    node_order: NDArray[np.int64]
    node_scores: NDArray[np.float64]
    node_bonus: NDArray[np.float64]


class Memory(NamedTuple):
    """One search's work memory, in the order that the compiled loop takes it.

    Attributes:
        study: array of one STUDY.
        order: int64 (A,), legal actions, the most promising first.
        counts: int64 (A,), simulations by action.
        sums: float64 (A,), of win shares; squares: of their squares.
        latest: float64 (A,), win share in the last simulation.
        gains: float64 (A,), sums of how much better the action did than the favourite with the same luck.
        gain_squares: float64 (A,), of their squares.
        scores: float64 (A,), the heuristic's.
        bonus: float64 (A,), win share given in advance.
        root_mask: int8 (A,).
        shares: float64 (max players,), what the last simulation was worth to every seat.
        table: array of one state; the rest: what kernels of the game write to.
        own: the policy of the own seat (own.py), or nothing.
        tree: a Tree, which comes last, or nothing.
    """

    study: Any
    order: NDArray[np.int64]
    counts: NDArray[np.int64]
    sums: NDArray[np.float64]
    squares: NDArray[np.float64]
    latest: NDArray[np.float64]
    gains: NDArray[np.float64]
    gain_squares: NDArray[np.float64]
    scores: NDArray[np.float64]
    bonus: NDArray[np.float64]
    root_mask: NDArray[np.int8]
    table: Any
    counters: NDArray[np.uint32]
    weights: NDArray[np.int64]
    observation: NDArray[np.uint8]
    mask: NDArray[np.int8]
    pay: NDArray[np.float64]
    points: NDArray[np.int64]
    rng: NDArray[np.uint64]
    work: Any
    shares: NDArray[np.float64]
    own: tuple[Any, ...]
    tree: tuple[NDArray[Any], ...]


def slots_for(simulations: int, ms: float = 0.0) -> int:
    """Slots of a table for so many simulations, a power of two: a simulation adds a node and an edge at most.

    It is cleared for every decision, so it is no larger than what the budget, of the clock where that is the budget,
    can fill.
    """
    simulations = simulations or math.ceil(ms * MOST_A_MS)
    return min(MOST_SLOTS, 1 << (4 * simulations).bit_length())


def make_memory(
    definition: Definition, work_dtype: np.dtype[Any], work_records: int, slots: int = 0, own: tuple[Any, ...] = ()
) -> Memory:
    """Zeroed memory for one search at a time; ``slots``, a power of two, for its tree, 0: none."""
    actions = len(definition.actions)

    def numbers() -> NDArray[np.float64]:
        return np.zeros(actions, np.float64)

    return Memory(
        study=plain(records(1, STUDY)),
        order=np.zeros(actions, np.int64),
        counts=np.zeros(actions, np.int64),
        sums=numbers(),
        squares=numbers(),
        latest=numbers(),
        gains=numbers(),
        gain_squares=numbers(),
        scores=numbers(),
        bonus=numbers(),
        root_mask=np.zeros(actions, np.int8),
        table=plain(records(1, definition.state_dtype)),
        counters=np.zeros(len(definition.streams), np.uint32),
        weights=np.zeros(len(definition.outcomes), np.int64),
        observation=np.zeros(definition.observation.size, np.uint8),
        mask=np.zeros(actions, np.int8),
        pay=np.zeros(max(VALUE_ROOM, definition.max_players), np.float64),
        points=np.zeros(definition.max_players, np.int64),
        rng=np.zeros(2, np.uint64),
        work=plain(records(work_records, work_dtype)),
        shares=np.zeros(definition.max_players, np.float64),
        own=own,
        tree=make_tree(actions, slots) if slots else (),
    )


def make_tree(actions: int, slots: int) -> Tree:
    """An empty tree."""
    return Tree(
        keys=np.zeros(slots, np.uint64),
        visits=np.zeros(slots, np.int64),
        totals=np.zeros(slots, np.float64),
        path=np.zeros(MOST_DEPTH, np.int64),
        movers=np.zeros(MOST_DEPTH, np.int64),
        node_order=np.zeros(actions, np.int64),
        node_scores=np.zeros(actions, np.float64),
        node_bonus=np.zeros(actions, np.float64),
    )
