"""Flat search with rollouts by a trained policy, which no kernel can ask: NumPy evaluates it for many games at once.

Kernels lay out a batch of imagined games, all that the actions in question are due in this round of halving; then a
policy chooses for all that go on and a kernel plays it, by turns, until every game has ended or is cut. Numbers and
luck are those of the compiled search: a policy that plays as the heuristic does gives the same means as its rollouts.
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from atlantis_agents.heuristics import Heuristic
from atlantis_agents.search.clock import Clock
from atlantis_agents.search.lockstep import make_guided
from atlantis_agents.search.memory import Memory
from atlantis_envs.engine.records import plain, records
from atlantis_envs.seats.agents import Agent

if TYPE_CHECKING:
    from atlantis_envs.engine.game import Game

AT_A_TIME = 256  # imagined games


class GuidedSearch:
    """Searches decisions of one agent, with memory of its own.

    Args:
        guide: plays imagined games on.
        game: the game.
        heuristic: its heuristic, if there is one.
        memory: says after a search what came out.
        orders: array of one ORDERS; knobs: weights of the heuristic.
        ms: see Settings.
    """

    def __init__(
        self, guide: Agent, game: Game, heuristic: Heuristic | None, memory: Memory, orders: Any, knobs: Any, ms: float
    ) -> None:
        """Build, not yet compile."""
        self.guide, self.game, self.memory, self.orders, self.knobs, self.ms = guide, game, memory, orders, knobs, ms
        self.loops = make_guided(game.definition, heuristic)

    def prepare(self) -> None:
        """Compile: nothing is played."""
        self.memory.study["begun"] = 1
        nothing, halt = np.zeros(0, np.int64), threading.Event()
        self._begin(self.memory.table, 0, 0, np.uint64(0))
        self._record(self._play(self.memory.table, 0, 0, np.uint64(0), nothing, nothing, halt))

    def search(self, states: Any, lane: int, seat: int, key: np.uint64, halt: threading.Event) -> None:
        """One decision, to its end or until somebody halts."""
        study, order, started = self.memory.study, self.memory.order, time.perf_counter()
        self._begin(states, lane, seat, key)
        clock = Clock(started, self.ms, int(study["rounds"][0]))
        while not study["finished"][0]:
            alive, quota = int(study["alive"][0]), int(study["quota"][0])
            due = quota - int(study["passes"][0]) if quota else 1
            passes = max(1, min(due, AT_A_TIME // alive))
            actions = np.tile(order[:alive], passes)
            numbers = self.memory.counts[actions] + np.repeat(np.arange(passes), alive)
            played = self._play(states, lane, seat, key, actions, numbers, halt)
            if halt.is_set():
                return
            clock.press(study)
            self._record(played)

    def _begin(self, states: Any, lane: int, seat: int, key: np.uint64) -> None:
        m = self.memory
        self.loops.begin(
            self.game.plain_rules, states, lane, seat, key, self.orders, self.knobs, m.study, m.order, m.counts, m.sums,
            m.squares, m.gains, m.gain_squares, m.scores, m.bonus, m.root_mask, m.observation, m.work,
        )  # fmt: skip

    def _record(self, played: tuple[NDArray[np.float64], NDArray[np.int64]]) -> None:
        m = self.memory
        self.loops.record(
            m.study, self.orders, *played, m.order, m.counts, m.sums, m.squares, m.latest, m.gains, m.gain_squares,
            m.bonus,
        )  # fmt: skip

    def _play(
        self,
        states: Any,
        lane: int,
        seat: int,
        key: np.uint64,
        actions: NDArray[np.int64],
        numbers: NDArray[np.int64],
        halt: threading.Event,
    ) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Imagine games with these first actions: what they were worth, and how many decisions came after them."""
        m, game, count = self.memory, self.game, len(actions)
        playing, decisions = np.ones(count, np.int8), np.full(count, -1)
        worth, words = np.zeros(count), np.zeros(count, np.uint64)
        tables = plain(records(count, game.definition.state_dtype))
        counters = np.zeros((count, len(m.counters)), np.uint32)
        seen, masks = np.zeros((count, len(m.observation)), np.uint8), np.zeros((count, len(m.mask)), np.int8)
        moves = actions.copy()
        while not halt.is_set():
            left = self.loops.move(
                game.plain_rules, states, lane, seat, game.players, key, self.orders, self.knobs, numbers, moves,
                playing, decisions, worth, words, tables, counters, seen, masks, m.weights, m.pay, m.points, m.rng,
                m.work, m.shares,
            )  # fmt: skip
            if not left:
                break
            rows = np.flatnonzero(playing)
            moves[rows] = self.guide.act(seen[rows], masks[rows], words[rows])
        return worth, decisions
