"""Searches a few positions and prints what came out: compiled and uncompiled processes must print the same."""

from __future__ import annotations

import numpy as np

import atlantis_envs
from atlantis_agents.search.agent import SearchAgent
from atlantis_envs.seats.positions import determinize

SEED = 5
SETTINGS = {
    "atlandice": {"simulations": 4, "horizon": 3, "root": "gumbel", "noise": 1.0},
    "atlantis": {"simulations": 4, "horizon": 3},
    "atlantis_rising": {"simulations": 4, "horizon": 2},
}


def trail() -> list[str]:
    """A line per game: choices, simulations, and the bits of the means."""
    lines = []
    for name, settings in SETTINGS.items():
        game = atlantis_envs.game(name, players=2)
        batch = game.batch(2, SEED)
        while batch.plies.min() < 6 or batch.action_masks.sum(axis=1).min() < 2:  # where there is something to search
            batch.step([np.flatnonzero(mask)[0] for mask in batch.action_masks])
        noise = batch.noise(SEED)
        positions = determinize(game, batch.states, batch.seats, batch.observations, batch.action_masks, noise)
        with np.errstate(divide="ignore"):  # a heuristic asks what the last card of a hand is worth
            found = SearchAgent(game, **settings).study(positions, noise)  # type: ignore[arg-type]
        means = np.round(np.nan_to_num(found.means), 9).sum(axis=1)
        lines.append(f"{name}:{found.choices.tolist()}:{found.counts.sum(axis=1).tolist()}:{means.tolist()}")
    return ["".join(line.split()) for line in lines]


if __name__ == "__main__":
    print("\n".join(trail()))
