"""Ways through a game that several tests take. Everything here is deterministic in its arguments."""

from __future__ import annotations

import hashlib
import os
import random
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from atlantis_envs.engine.game import Game
from atlantis_envs.engine.position import Position
from atlantis_envs.engine.records import plain, records

FULL = os.environ.get("ATLANTIS_TESTS") == "full"
ROOT = Path(__file__).resolve().parents[2]
TESTS = ROOT / "tests"


def scaled(plain: int, full: int) -> int:
    """How much of something a test does: in a plain run, and in a full one."""
    return full if FULL else plain


def sampled(values: Iterable[Any], plain: Callable[[Any], bool]) -> list[Any]:
    """Parameters of a test, of which a plain run tries only those for which `plain` holds."""
    return [value if plain(value) else pytest.param(value, marks=pytest.mark.full) for value in values]


FEW_TEAMS = (1, 2, 4, 7)  # players of Atlantis Rising, in a plain run
TEAMS = sampled(range(1, 8), FEW_TEAMS.__contains__)


# ---- choosing without NumPy's or Python's generators, whose streams may change


def word(*address: object) -> int:
    """A 64-bit number that is a function of its address alone."""
    return int.from_bytes(hashlib.blake2b(repr(address).encode(), digest_size=8).digest(), "little")


def pick(items: list[Any], *address: object) -> Any:
    """One of the items."""
    return items[word(*address) % len(items)]


# ---- single positions


def moves(position: Position) -> list[str]:
    """Everything that may happen next, decisions and outcomes alike; [] at the end."""
    return position.legal_actions() or list(position.chance_outcomes())


def play(position: Position, nodes: int, dice: random.Random) -> Position:
    """Let ``nodes`` random things happen, or fewer if the game ends; the same position is returned."""
    for _ in range(nodes):
        offered = moves(position)
        if not offered:
            break
        position.apply(dice.choice(offered))
    return position


def to_decision(position: Position, dice: random.Random) -> Position:
    """Go on until a seat decides."""
    while position.node == "chance":
        position.apply(dice.choice(moves(position)))
    return position


def snapshot(position: Position) -> tuple[Any, ...]:
    """Everything a position says about itself."""
    seats = range(position.game.players)
    return (
        position.node,
        position.seat,
        position.legal_actions(),
        position.chance_outcomes(),
        position.to_json(),
        position.scores(),
        position.key(),
        [position.observation(seat).tobytes() for seat in seats],
        [position.action_mask(seat).tobytes() for seat in seats],
        position.returns() if position.node == "over" else None,
        position.log,
    )


# ---- random play in compiled code


class Walk:
    """One compiled random game after another, stopped wherever one likes: decisions, chance nodes and ends.

    ``used`` and ``drawn`` count what was played; ``finished`` and ``longest`` (in nodes) describe whole games.
    """

    def __init__(self, game: Game, seed: int) -> None:
        self.game = game
        self.key = np.uint64(seed)
        self.states = records(1, game.definition.state_dtype)
        self.states[:] = game.root
        self.counters = np.zeros((1, len(game.definition.streams)), np.uint32)
        self.games = np.zeros(1, np.int64)
        self.plies = np.zeros(1, np.int64)
        self.used = np.zeros(len(game.actions), np.int64)
        self.drawn = np.zeros(len(game.outcomes), np.int64)
        self.bound = game.definition.bound(game.options)
        self.finished = 0
        self.longest = 0
        self._weights = np.zeros(len(game.outcomes), np.int64)
        self._mask = np.zeros(len(game.actions), np.int8)

    def advance(self, nodes: int) -> int:
        """Pass ``nodes`` nodes, each one checked; 0, or what was found broken."""
        own = (plain(self.states), self.counters, self.games, self.plies, self._weights, self._mask, self.key)
        before = (plain(self.game.rules), plain(self.game.root))
        found = self.game.loops.fuzz(*before, *own, nodes, self.used, self.drawn, self.bound)
        fault, _, finished, longest = (int(number) for number in found)
        self.finished += finished
        self.longest = max(self.longest, longest)
        return fault

    def position(self) -> Position:
        """A copy of where the walk stands."""
        return Position(self.game, self.states)

    def place(self, states: Any) -> None:
        """Stand elsewhere; chance and choices go on from the same counters."""
        self.states[:] = states

    def trail(self) -> bytes:
        """Everything the walk has done and where it stands."""
        arrays = (self.states, self.counters, self.games, self.plies, self.used, self.drawn)
        return b"".join(array.tobytes() for array in arrays)


def scattered(game: Game, count: int, seed: int) -> list[Position]:
    """Positions of random games at nodes of every kind, a random number of nodes apart."""
    walk = Walk(game, seed)
    found = []
    for number in range(count):
        assert walk.advance(1 + word(seed, number) % 40) == 0
        found.append(walk.position())
    return found


# ---- batches


def noise_actions(masks: NDArray[np.int8], noise: NDArray[np.uint64]) -> NDArray[np.int64]:
    """One legal action per row, a function of that row and its word alone."""
    counts = masks.sum(axis=1).astype(np.uint64)
    ranks = noise % counts
    return np.asarray((np.cumsum(masks, axis=1) == (ranks + 1)[:, None].astype(np.int64)).argmax(axis=1))


# ---- other processes


def run_python(*arguments: str | Path, timeout: int = 300, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run this interpreter with the tests importable, these environment variables and warnings as errors."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("NUMBA_")}
    command = [sys.executable, "-W", "error", *map(str, arguments)]
    paths = (TESTS, ROOT, ROOT / "agents", ROOT / "training")  # of this tree, also where another one is installed
    environment |= {"PYTHONPATH": os.pathsep.join(map(str, paths)), **variables}
    return subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=timeout, check=False, cwd=ROOT
    )
