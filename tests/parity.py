"""Plays a fixed stretch of games and prints running hashes: two runs that print the same behave the same.

``python tests/parity.py --nodes 100000 --steps 2000`` in processes of different kinds is what `test_parity` compares.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Iterator
from itertools import islice

import numpy as np
from helpers.support import noise_actions, pick
from soak import VARIANTS

import atlantis_envs
from atlantis_envs.engine.game import Game
from atlantis_envs.engine.position import Position

SEED = 20_180_901
CHECKPOINT = 500
LANES = 5


def games() -> list[Game]:
    """Every number of players with every variant of the options."""
    return [
        atlantis_envs.game("atlandice", players=players, **options) for options in VARIANTS for players in (2, 3, 4)
    ]


# ---- node by node


def root(game: Game, number: int, seed: int = SEED) -> Position:
    """The root of one game of a seed, its chance not yet drawn."""
    position = game.initial_position()
    position.attach_chance(seed, number, np.zeros(len(game.definition.streams), np.uint32))
    return position


def facts(position: Position, count: int) -> bytes:
    """Everything about a position that could differ between two machines."""
    seat = position.seat
    watcher = count % position.game.players
    parts = [position.state.tobytes(), str(seat).encode(), position.observation(watcher).tobytes()]
    if seat is None:
        parts.append(json.dumps(position.chance_outcomes()).encode())
    else:
        parts += [position.action_mask(seat).tobytes(), position.observation(seat).tobytes()]
    if position.node == "over":
        parts.append(f"{position.scores()} {position.returns()}".encode())
    return b"|".join(parts)


def nodes() -> Iterator[bytes]:
    """Facts of every node of one game after the other."""
    count = 0
    for number in range(10**9):
        for game in games():
            position = root(game, number)
            while True:
                yield facts(position, count)
                count += 1
                kind = position.node
                if kind == "over":
                    break
                offered = [position.sample_chance()] if kind == "chance" else position.legal_actions()
                position.apply(pick(offered, number, count))


# ---- batches


def steps() -> Iterator[bytes]:
    """All arrays of small batches after every step."""
    own = [game.batch(LANES, seed=SEED) for game in games()]
    for batch in own:
        batch.reset(games=np.arange(LANES) * 1_000_003 + 2**33)  # game numbers beyond 32 bits
    while True:
        for batch in own:
            rewards, over = batch.step(noise_actions(batch.action_masks, batch.noise(SEED)))
            shown = (batch.states, batch.games, batch.plies, batch.seats, batch.observations, batch.action_masks)
            ended = (batch.final_observations[over], batch.final_scores[over], batch.final_states[over])
            yield b"|".join(array.tobytes() for array in (*shown, rewards, over, *ended[:2]))
            yield repr([batch.final_position(int(lane)).key() for lane in np.flatnonzero(over)]).encode()


# ---- hashes


class Trail:
    """Running hashes of one endless stretch, computed as far as anybody asks."""

    def __init__(self, stretch: Iterator[bytes]) -> None:
        self.stretch = stretch
        self.digest = hashlib.sha256()
        self.hashes: list[str] = []

    def upto(self, length: int) -> list[str]:
        """The hash of everything so far, at every checkpoint."""
        while len(self.hashes) * CHECKPOINT < length:
            for part in islice(self.stretch, CHECKPOINT):
                self.digest.update(part)
            self.hashes.append(self.digest.hexdigest()[:16])
        return self.hashes[: length // CHECKPOINT]


def main() -> None:
    """Print the running hashes as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=100_000)
    parser.add_argument("--steps", type=int, default=10_000)
    arguments = parser.parse_args()
    found = {"nodes": Trail(nodes()).upto(arguments.nodes), "steps": Trail(steps()).upto(arguments.steps)}
    print(json.dumps(found))


if __name__ == "__main__":
    main()
