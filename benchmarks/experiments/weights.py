"""Fit the numbers of the Atlantis Rising heuristic by CMA-ES to the games that its team wins.

    python -m benchmarks weights 1:3:700:1 1:5:400:0.7 --minutes 30 --out runs/weights.json

A cell is PLAYERS:LEVEL:GAMES:SHARE: every candidate plays so many games there, the same as all others of its
generation, and the part won counts by its share. A component built counts for a little of it, since few games are won
at first. What was found so far is in the file after every generation, so Ctrl-C loses nothing; ``--start`` goes on.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import atlantis_envs
from atlantis_agents.heuristic import HeuristicAgent
from atlantis_agents.heuristics.atlantis_rising.weights import make_weights, weights_of
from atlantis_envs.base.files import write_atomically
from atlantis_training.evaluation.measure import play_games

COMPONENT = 0.03  # of a game won: a component built
TEST_SEED = 10**6  # of games that no candidate plays
LARGEST = 4.0  # of the exponent by which a number may grow
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Cell:
    """Games of one kind, and how much the part won counts."""

    players: int
    level: int
    games: int
    share: float

    @classmethod
    def read(cls, text: str) -> Cell:
        """Read PLAYERS:LEVEL:GAMES:SHARE."""
        players, level, games, share = text.split(":")
        return cls(int(players), int(level), int(games), float(share))


class Score:
    """What candidates are worth: a team of each plays the same games."""

    def __init__(self, cells: Sequence[Cell]) -> None:
        """Prepare the games."""
        self.cells = cells
        self.games = [atlantis_envs.game("atlantis_rising", players=cell.players, level=cell.level) for cell in cells]

    def __call__(self, weights: dict[str, Any], seed: int, times: int = 1) -> tuple[float, list[float]]:
        """Return the worth, and the part won of every cell."""
        total, parts = 0.0, []
        for cell, game in zip(self.cells, self.games, strict=True):
            agent = HeuristicAgent(game, weights=make_weights(weights, cell.players))
            played = play_games(game, [agent] * cell.players, cell.games * times, seed=seed)
            won, built = float((played.returns[:, 0] > 0).mean()), float(played.scores[:, 0].mean())
            total += cell.share * (won + COMPONENT * built)
            parts.append(round(won, 4))
        return total, parts


def changed(weights: dict[str, Any], point: Floats) -> dict[str, Any]:
    """Return the weights at a point around them: a positive number grows by a factor, the others by a summand."""
    result, place = {}, 0
    for name, value in weights.items():
        numbers = np.atleast_1d(np.asarray(value, np.float64))
        moved = point[place : place + len(numbers)]
        place += len(numbers)
        if np.ndim(value) == 0 and value > 0:
            result[name] = float(value * np.exp(np.clip(moved[0], -LARGEST, LARGEST)))
        else:
            spread = max(0.3, 1.5 * float(np.median(np.abs(numbers)))) if np.ndim(value) else 0.3
            rows = (numbers + spread * moved).tolist()
            result[name] = rows if np.ndim(value) else rows[0]
    return result


def main(arguments: list[str]) -> None:
    """Search, and write the best mean so far after every generation."""
    import cma  # of the extra "bench"

    parser = argparse.ArgumentParser(prog="python -m benchmarks weights", description=__doc__.splitlines()[0])
    parser.add_argument("cells", nargs="+", type=Cell.read, metavar="PLAYERS:LEVEL:GAMES:SHARE")
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--population", type=int, default=18)
    parser.add_argument("--step", type=float, default=0.25, help="standard deviation at first")
    parser.add_argument("--start", type=Path, help="a file that --out wrote, to go on from")
    parser.add_argument("--out", type=Path, default=Path("weights.json"))
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(arguments)
    score, first = Score(given.cells), weights_of(given.cells[0].players)
    if given.start:
        first = json.loads(given.start.read_text("utf-8"))["weights"]
    size = sum(np.size(value) for value in first.values())
    print("before:", score(first, TEST_SEED, 2), flush=True)
    search = cma.CMAEvolutionStrategy(
        np.zeros(size), given.step, {"popsize": given.population, "seed": given.seed, "verbose": -9}
    )
    begun, generation = time.monotonic(), 0
    while time.monotonic() - begun < 60 * given.minutes:
        generation += 1
        points = search.ask()
        search.tell(points, [-score(changed(first, point), generation)[0] for point in points])
        found = changed(first, search.mean)
        write_atomically(given.out, json.dumps({"weights": found}, indent=1) + "\n")
        if generation % 10 == 0:
            print(f"{generation}, {(time.monotonic() - begun) / 60:.0f} min:", score(found, TEST_SEED, 2), flush=True)
