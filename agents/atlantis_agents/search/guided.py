"""Flat search with rollouts by a trained policy, which no kernel can ask: NumPy evaluates it for many games at once.

Kernels draw a batch of samples, all that the actions in question are due in this stage of halving; then a policy
chooses for all that go on and a kernel plays it, by turns, until every game has ended or is cut. Numbers and luck are
those of the compiled search: a policy that plays as the heuristic does gives the same means as its rollouts.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from atlantis_agents.heuristics import Heuristic
from atlantis_agents.search.flat import end_simulation
from atlantis_agents.search.memory import Clock, Memory
from atlantis_agents.search.rollout import make_draw_sample, make_end, make_is_cut, make_leaf, make_phase
from atlantis_envs.engine.chance import make_chances, noise_word
from atlantis_envs.engine.definition import OVER, Definition
from atlantis_envs.engine.records import plain, records
from atlantis_envs.kernels.kernel import entry
from atlantis_envs.seats.agents import Agent

if TYPE_CHECKING:
    from atlantis_envs.engine.game import Game

AT_A_TIME = 256  # rollouts


class Rollouts(NamedTuple):
    """N rollouts side by side."""

    samples: NDArray[np.int64]  # (N,), the number of each one's sample of the root
    actions: NDArray[np.int64]  # (N,), what is played next
    playing: NDArray[np.int8]  # (N,), 1: it goes on
    decisions: NDArray[np.int64]  # (N,), taken after the first action; -1 before that
    shares: NDArray[np.float64]  # (N,), what it was worth to the root seat
    random_words: NDArray[np.uint64]  # (N,), for who plays on
    states: Any  # (N,), game states
    counters: NDArray[np.uint32]  # (N, streams), outcomes drawn
    observations: NDArray[np.uint8]  # (N, F), what the mover sees
    masks: NDArray[np.int8]  # (N, A), what it may do


def make_rollouts(definition: Definition, actions: NDArray[np.int64], samples: NDArray[np.int64]) -> Rollouts:
    """Make rollouts with these first actions, not yet begun."""
    count = len(actions)
    return Rollouts(
        samples=samples,
        actions=actions.copy(),
        playing=np.ones(count, np.int8),
        decisions=np.full(count, -1),
        shares=np.zeros(count),
        random_words=np.zeros(count, np.uint64),
        states=plain(records(count, definition.state_dtype)),
        counters=np.zeros((count, len(definition.streams)), np.uint32),
        observations=np.zeros((count, definition.observation.size), np.uint8),
        masks=np.zeros((count, len(definition.actions)), np.int8),
    )


class GuidedKernels(NamedTuple):
    """The entries of one game.

    Attributes:
        move: play one action in every rollout that goes on, the first one on a fresh sample, and write for each what
            its mover sees, or what it was worth.
        record: count what all rollouts of some passes were worth.
    """

    move: Callable[..., Any]
    record: Callable[..., Any]


@cache
def make_guided(definition: Definition, heuristic: Heuristic | None) -> GuidedKernels:
    """Build (not yet compile) the entries of a game."""
    node, legal, apply, observe = definition.node, definition.legal, definition.apply, definition.observe
    play_chance, draw_sample = make_chances(definition).play, make_draw_sample(definition)
    phase, is_cut = make_phase(definition), make_is_cut(definition)
    leaf, end = make_leaf(definition, heuristic), make_end(definition)

    @entry
    def move_loop(rules, states, lane, seat, players, key, memory, batch):
        left = 0
        for row in range(len(batch.samples)):
            if batch.playing[row] == 0:
                continue
            sample, counters = int(batch.samples[row]), batch.counters[row]
            if batch.decisions[row] < 0:
                here = batch.states[row : row + 1]
                draw_sample(rules[0], states[lane], seat, key, sample, here, counters, memory.rng)
            state = batch.states[row]
            before = phase(rules[0], state)
            apply(rules[0], state, int(batch.actions[row]))
            play_chance(rules[0], state, counters, memory.weights, key, sample)
            batch.decisions[row] += 1
            mover = node(rules[0], state)
            if mover == OVER:
                end(rules[0], state, players, memory)
            elif is_cut(rules[0], state, before, batch.decisions[row], memory):
                leaf(rules[0], state, seat, players, batch.observations[row], memory)
            else:
                legal(rules[0], state, batch.masks[row])
                observe(rules[0], state, mover, batch.observations[row])
                batch.random_words[row] = noise_word(key, sample, int(batch.decisions[row]))
                left += 1
                continue
            batch.playing[row] = 0
            batch.shares[row] = memory.shares[seat]
        return left

    @entry
    def record_loop(memory, shares, decisions):
        for row in range(len(shares)):
            action = int(memory.order[memory.search[0].next_index])
            end_simulation(memory, action, shares[row], decisions[row])

    return GuidedKernels(move_loop, record_loop)


class GuidedSearch:
    """Searches decisions with rollouts by a policy.

    Args:
        policy: plays the rollouts.
        game: the game.
        heuristic: its heuristic, if there is one.
    """

    def __init__(self, policy: Agent, game: Game, heuristic: Heuristic | None) -> None:
        """Build, not yet compile."""
        self.policy, self.game = policy, game
        self.kernels = make_guided(game.definition, heuristic)

    def compile(self, memory: Memory) -> None:
        """Compile: nothing is played."""
        nothing = np.zeros(0, np.int64)
        nowhere = memory.state, 0, 0, np.uint64(0), make_rollouts(self.game.definition, nothing, nothing)
        played = self._play(memory, *nowhere, threading.Event())
        self.kernels.record(memory, played.shares, played.decisions)

    def search(
        self, memory: Memory, states: Any, lane: int, seat: int, key: np.uint64, clock: Clock, halt: threading.Event
    ) -> None:
        """Search one decision that was begun, to its end or until somebody halts."""
        search, definition = memory.search, self.game.definition
        while not search["finished"][0]:
            alive, quota = int(search["alive"][0]), int(search["quota"][0])
            due = quota - int(search["passes"][0]) if quota else 1
            passes = max(1, min(due, AT_A_TIME // alive))
            actions = np.tile(memory.order[:alive], passes)
            samples = memory.counts[actions] + np.repeat(np.arange(passes), alive)
            played = self._play(memory, states, lane, seat, key, make_rollouts(definition, actions, samples), halt)
            if halt.is_set():
                return
            clock.tick(search)
            self.kernels.record(memory, played.shares, played.decisions)

    def _play(
        self,
        memory: Memory,
        states: Any,
        lane: int,
        seat: int,
        key: np.uint64,
        batch: Rollouts,
        halt: threading.Event,
    ) -> Rollouts:
        """Play all rollouts to their ends, or until somebody halts."""
        game = self.game
        while not halt.is_set():
            if not self.kernels.move(game.plain_rules, states, lane, seat, game.players, key, memory, batch):
                break
            rows = np.flatnonzero(batch.playing)
            seen = batch.observations[rows], batch.masks[rows], batch.random_words[rows]
            batch.actions[rows] = self.policy.act(*seen)
        return batch
