"""First-player advantage: the same agent in every seat, wins counted by order of play."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from atlantis_envs.engine.agents import Agent
from atlantis_envs.engine.game import Game
from atlantis_training.evaluate import Progress, play_games
from atlantis_training.statistics import Z95, Share, equality_p_value, win_share


@dataclass(frozen=True)
class OrderRow:
    """One place in the order of play.

    Attributes:
        share: share of wins.
        score: mean final score.
        score_error: half-width of its 95 % interval.
    """

    share: Share
    score: float
    score_error: float


@dataclass(frozen=True)
class OrderTable:
    """Who profits from going first.

    Attributes:
        rows: by order of play; rows[0] is the seat that decides first.
        games: games played.
        ties: share of games with more than one winner.
        p_value: of "the order of play makes no difference".
        mean_plies: decisions a game.
    """

    rows: tuple[OrderRow, ...]
    games: int
    ties: float
    p_value: float
    mean_plies: float


def order_table(
    game: Game, agent: Agent, num_games: int, seed: int = 0, progress: Progress | None = None
) -> OrderTable:
    """Play ``num_games`` games of ``agent`` against itself and tabulate by order of play."""
    results = play_games(game, [agent] * game.players, num_games, seed, progress)
    shares = results.by_order(results.win_shares)
    scores = results.by_order(results.scores.astype(np.float64))
    error = Z95 * scores.std(axis=0, ddof=1) / np.sqrt(num_games)
    rows = tuple(
        OrderRow(win_share(shares[:, place]), float(scores[:, place].mean()), float(error[place]))
        for place in range(game.players)
    )
    return OrderTable(
        rows=rows,
        games=num_games,
        ties=float((results.win_shares.max(axis=1) < 1).mean()),
        p_value=equality_p_value(shares),
        mean_plies=float(results.plies.mean()),
    )
