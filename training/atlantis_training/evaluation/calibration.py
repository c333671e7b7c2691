"""Whether values tell the truth: what they say of positions beside how those games end.

Games are played by one agent in every seat. At a few decisions of each, every value says what share of the win each
seat may expect, from what the seat to decide knows. The Brier score is the mean squared difference from what the seat
got; a reliability plot shows what came of all that was said in each tenth. Intervals are over games, which are
independent; decisions of one game are not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from atlantis_envs.engine.game import Game
from atlantis_envs.seats.agents import Agent, Positions
from atlantis_envs.seats.positions import ask, determinize
from atlantis_training.evaluation import report
from atlantis_training.evaluation.statistics import Share, block_means, shares_of_wins

BINS = 10
EVERY = 7  # decisions of a game: one of so many is looked at
TOGETHER = 256  # games side by side


class Valuer(Protocol):
    """What says what positions are worth."""

    def position_values(self, positions: Positions) -> NDArray[np.float64]:
        """Return the share of the win that each seat may expect, float64 (N, P)."""
        ...


@dataclass(frozen=True)
class Said:
    """What was said of positions, and what came of them.

    Attributes:
        games: the number of the game of each position, int64 (N,).
        values: by name, float64 (N, P); one column where all win together.
        shares: what the seats got, float64 (N, P).
    """

    games: NDArray[np.int64]
    values: Mapping[str, NDArray[np.float64]]
    shares: NDArray[np.float64]

    def brier(self, name: str, seed: int = 0) -> Share:
        """Return the mean squared difference, with a 95 % interval over games."""
        return self._over_games(((self.values[name] - self.shares) ** 2).mean(axis=1), seed)

    def gain(self, name: str, other: str, seed: int = 0) -> Share:
        """Return by how much the Brier score of ``name`` is lower than that of another, over the same positions."""
        errors = [((self.values[one] - self.shares) ** 2).mean(axis=1) for one in (other, name)]
        return self._over_games(errors[0] - errors[1], seed)

    def reliability(self, name: str) -> list[tuple[float, float, int]]:
        """Return of each tenth of what was said: its mean, the mean of what came of it, and how often it was said."""
        said, got = self.values[name].ravel(), self.shares.ravel()
        bins = np.minimum((said * BINS).astype(np.int64), BINS - 1)
        found = [(said[bins == index], got[bins == index]) for index in range(BINS)]
        return [(float(one.mean()), float(other.mean()), len(one)) for one, other in found if len(one)]

    def _over_games(self, errors: NDArray[np.float64], seed: int) -> Share:
        numbers = np.unique(self.games)
        means = np.array([errors[self.games == number].mean() for number in numbers])
        mean = block_means(means[:, None], seed)[0]
        return Share(mean.value, mean.low, mean.high, len(numbers))


def listen(game: Game, player: Agent, valuers: Mapping[str, Valuer], games: int, seed: int) -> Said:
    """Play games and ask every value at one decision of seven.

    Args:
        game: what is played.
        player: sits in every seat.
        valuers: by name.
        games: how many.
        seed: of all luck.
    """
    parts = [_listen(game, player, valuers, range(start, min(games, start + TOGETHER)), seed)
             for start in range(0, games, TOGETHER)]  # fmt: skip
    values = {name: np.concatenate([part.values[name] for part in parts]) for name in valuers}
    return Said(np.concatenate([part.games for part in parts]), values, np.concatenate([part.shares for part in parts]))


def _listen(game: Game, player: Agent, valuers: Mapping[str, Valuer], numbers: range, seed: int) -> Said:
    batch, live = game.batch(len(numbers), seed), np.arange(len(numbers))
    batch.reset(games=np.array(numbers))
    columns = 1 if game.cooperative else game.players
    asked: list[NDArray[np.int64]] = []
    said: dict[str, list[NDArray[np.float64]]] = {name: [] for name in valuers}
    shares, ply = np.zeros((len(numbers), columns)), 0
    while len(live):
        noise = batch.noise(seed, live)
        some = np.flatnonzero((np.array(numbers)[live] + ply) % EVERY == 0)
        if len(some):
            lanes = live[some]
            seen = batch.states[lanes], batch.seats[lanes], batch.observations[lanes], batch.action_masks[lanes]
            positions = determinize(game, *seen, noise[some])
            asked.append(lanes)
            for name, valuer in valuers.items():
                said[name].append(valuer.position_values(positions)[:, :columns])
        rewards, over = batch.step(ask(player, batch, live, noise), live)
        ended = live[over[live]]
        won = rewards[ended, :1] > 0 if game.cooperative else shares_of_wins(rewards[ended].astype(np.float64))
        shares[ended] = np.where(batch.truncated[ended, None], 0.0, won)
        live, ply = live[~over[live]], ply + 1
    lanes = np.concatenate(asked)
    return Said(np.array(numbers)[lanes], {name: np.concatenate(parts) for name, parts in said.items()}, shares[lanes])


def calibration_report(game: Game, player: str, said: Said, seed: int) -> report.Report:
    """Return Brier scores and a reliability plot; gains are over the first value."""
    first, *_ = said.values
    rows = []
    for name in said.values:
        score, gain = said.brier(name, seed), said.gain(name, first, seed)
        better = "" if name == first else f"{gain.value:+.4f} [{gain.low:+.4f}, {gain.high:+.4f}]"
        rows.append((report.markdown(name), f"{score.value:.4f} [{score.low:.4f}, {score.high:.4f}]", better))
    count = said.brier(first).games
    parts = (
        f"# {game.definition.title}, {report.seats_text(game.players)}: calibration",
        f"{count:,} games of {report.markdown(player)} in every seat, {len(said.games):,} positions, seed {seed}. "
        "Brier score: mean squared difference between the share that was said and the one that was got.",
        report.Figure("reliability", partial(draw_reliability, said)),
        report.Table(("value", "Brier score", f"lower than {report.markdown(first)} by"), rows),
    )
    return report.Report("calibration", parts, partial(calibration_json, game, player, said, seed))


def calibration_json(game: Game, player: str, said: Said, seed: int) -> dict[str, Any]:
    """Return the same as plain values."""
    found = {
        name: {"brier": said.brier(name, seed).value, "reliability": said.reliability(name)} for name in said.values
    }
    return {**report.provenance(game, [player], seed), "positions": len(said.games), "values": found}


def draw_reliability(said: Said, paths: Sequence[Path]) -> None:
    """Draw what came of what was said, by tenths."""
    with report.figure(*paths, size=(4.2, 3.6)) as (_, (axis,)):
        axis.plot([0, 1], [0, 1], color="0.4", linewidth=0.8, linestyle="--", zorder=0)
        for number, name in enumerate(said.values):
            points = said.reliability(name)
            label = report.pictured(name if len(name) <= LABEL else f"…{name[1 - LABEL :]}")
            axis.errorbar([point[0] for point in points], [point[1] for point in points], label=label,
                          **report.look(number))  # fmt: skip
        axis.set(xlabel="share that was said", ylabel="share that was got", xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
        axis.legend()


LABEL = 30
