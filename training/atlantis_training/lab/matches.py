"""Playing agents against each other and counting who wins, seat by seat.

The chance of game number g is the same whoever plays it, and agents' own randomness is a function of (seed, game
number, ply): two line-ups compared on the same seed meet the same luck, and results do not depend on batching.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from atlantis_envs.engine.definition import IDENTICAL
from atlantis_envs.engine.game import Game
from atlantis_envs.seats.agents import Agent
from atlantis_envs.seats.positions import ask
from atlantis_training.lab.statistics import Share, shares_of_wins, win_share

LANES = 1024
Progress = Callable[[int], None]  # called with the number of games finished since the last call


@dataclass(frozen=True)
class Results:
    """Finished games, by game number.

    Attributes:
        returns: float64 (G, P), by seat.
        scores: int64 (G, P), by seat.
        starters: int64 (G,), the seat that decided first.
        plies: int64 (G,), decisions in the game.
        truncated: bool (G,), where a safety bound cut the game off: neither won nor lost by anybody.
    """

    returns: NDArray[np.float64]
    scores: NDArray[np.int64]
    starters: NDArray[np.int64]
    plies: NDArray[np.int64]
    truncated: NDArray[np.bool_]

    @classmethod
    def empty(cls, num_games: int, players: int) -> Results:
        """Room for so many games."""
        games = (num_games, players)
        starters, plies = np.zeros(num_games, np.int64), np.zeros(num_games, np.int64)
        return cls(np.zeros(games), np.zeros(games, np.int64), starters, plies, np.zeros(num_games, np.bool_))

    @classmethod
    def join(cls, parts: Sequence[Results]) -> Results:
        """The games of all parts, in order."""
        columns = [(part.returns, part.scores, part.starters, part.plies, part.truncated) for part in parts]
        return cls(*(np.concatenate(column) for column in zip(*columns, strict=True)))

    @property
    def win_shares(self) -> NDArray[np.float64]:
        """float64 (G, P): 1 for a win, 1/k for each of k winners; 0 for everybody where the game was cut off."""
        return np.where(self.truncated[:, None], 0.0, shares_of_wins(self.returns))

    @property
    def won(self) -> NDArray[np.float64]:
        """float64 (G, P): 1 where a game paid more than nothing, which in a cooperative one is winning it; else 0."""
        return np.where(self.truncated[:, None], 0.0, self.returns > 0)

    @property
    def ties(self) -> float:
        """Share of games with several winners."""
        several = (self.win_shares.max(axis=1) < 1) & ~self.truncated
        return float(several.mean()) if len(several) else 0.0

    @property
    def places(self) -> NDArray[np.float64]:
        """float64 (G, P): 1 is best, by returns and then by scores; equals share the mean of their places."""
        higher = self.returns[:, None, :] > self.returns[:, :, None]
        same = self.returns[:, None, :] == self.returns[:, :, None]
        better = higher | same & (self.scores[:, None, :] > self.scores[:, :, None])
        equal = same & (self.scores[:, None, :] == self.scores[:, :, None])
        return np.asarray(0.5 + better.sum(axis=2) + equal.sum(axis=2) / 2)

    @property
    def margins(self) -> NDArray[np.int64]:
        """int64 (G, P): the score less that of the best opponent; 0 where there is none."""
        players = self.scores.shape[1]
        if players == 1:
            return np.zeros_like(self.scores)
        others = [np.delete(self.scores, seat, axis=1).max(axis=1) for seat in range(players)]
        return np.asarray(self.scores - np.stack(others, axis=1))

    def by_order(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Columns by order of play instead of by seat: column 0 is the seat that decided first."""
        players = values.shape[1]
        seats = (self.starters[:, None] + np.arange(players)) % players
        return np.take_along_axis(values, seats, axis=1)


def play_games(
    game: Game,
    agents: Sequence[Agent],
    num_games: int,
    seed: int = 0,
    progress: Progress | None = None,
    first: int = 0,
) -> Results:
    """Play games first..first+num_games-1 of a seed; ``agents[s]`` sits in seat s.

    Every one of these games is played to its end, so short games are not favoured.

    Raises:
        ValueError: the number of agents is not the number of seats.
    """
    if len(agents) != game.players:
        raise ValueError(f"agents: {len(agents)}; allowed: {game.players}, one per seat")
    lanes = min(LANES, num_games)
    batch = game.batch(lanes, seed)
    if first:
        batch.reset(games=first + np.arange(lanes))
    results = Results.empty(num_games, game.players)
    results.starters[:lanes] = batch.seats
    playing = np.arange(lanes)
    actions = np.zeros(lanes, np.int64)
    while len(playing):
        numbers, plies = batch.games[playing] - first, batch.plies[playing]
        _choose(batch, agents, playing, actions, seed)
        rewards, over = batch.step(actions[playing], playing)
        ended = over[playing]
        if ended.any():
            done = numbers[ended]
            results.returns[done] = rewards[playing[ended]]
            results.scores[done] = batch.final_scores[playing[ended]]
            results.plies[done] = plies[ended] + 1
            results.truncated[done] = batch.truncated[playing[ended]]
            following = batch.games[playing] - first
            begun = ended & (following < num_games)
            results.starters[following[begun]] = batch.seats[playing[begun]]
            playing = playing[following < num_games]
            if progress:
                progress(len(done))
    return results


def _choose(batch, agents, playing, actions, seed) -> None:  # type: ignore[no-untyped-def]
    """Let every distinct agent choose in one call, over all lanes where it is to move."""
    seats = batch.seats[playing]
    for agent in {id(agent): agent for agent in agents}.values():
        own = np.isin(seats, [seat for seat, sitting in enumerate(agents) if sitting is agent])
        lanes = playing[own]
        if len(lanes):
            actions[lanes] = ask(agent, batch, lanes, batch.noise(seed, lanes))


@dataclass(frozen=True)
class SeatTable:
    """How one agent does in every seat against the same others; in a cooperative game beside them.

    Attributes:
        seats: a Share per seat: of wins, ties split; in a cooperative game of games won.
        overall: over all seats.
        fair: 1 / players, what an equal player would win; NaN in a cooperative game, where nobody wins a part.
    """

    seats: tuple[Share, ...]
    overall: Share
    fair: float


def evaluate_by_seat(
    game: Game, agent: Agent, opponent: Agent, games_per_seat: int, seed: int = 0, progress: Progress | None = None
) -> SeatTable:
    """``agent`` in each seat in turn, ``opponent`` in all others, the same games for every seat.

    In a cooperative game all win or all lose, so a share of the victory says nothing: there games won are counted.
    """
    columns, together = [], game.definition.utility == IDENTICAL
    for seat in range(game.players):
        table = [agent if other == seat else opponent for other in range(game.players)]
        results = play_games(game, table, games_per_seat, seed, progress)
        columns.append((results.won if together else results.win_shares)[:, seat])
    fair = math.nan if together else 1 / game.players
    return SeatTable(tuple(win_share(column) for column in columns), win_share(np.concatenate(columns)), fair)


def evaluate_team(game: Game, agent: Agent, num_games: int, seed: int = 0, progress: Progress | None = None) -> Share:
    """Games of a cooperative game that are won with ``agent`` in every seat."""
    return win_share(play_games(game, [agent] * game.players, num_games, seed, progress).won[:, 0])
