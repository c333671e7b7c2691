"""Games of an evaluation kept as replay files: the best of the first agent, and the last ones.

Nothing is recorded while agents are measured. A game is a function of its number, its seed and who sits where, so those
that are wanted are played once more, one by one, and compared with what was counted. Where an agent is no function of
what it sees, such as a search by the clock, they may come out otherwise; then there is nothing to keep.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from atlantis_envs.engine.game import Game
from atlantis_envs.engine.position import Position
from atlantis_envs.play.game_session import GameSession
from atlantis_envs.play.replay import save_replay
from atlantis_envs.seats.agents import Agent
from atlantis_training.evaluation.evaluate import Evaluation


@dataclass(frozen=True)
class Wanted:
    """A game to keep.

    Attributes:
        why: "best" or "last".
        place: 1 is the best, or the last.
        rotation: which rotation.
        row: where its results stand.
        number: game number.
    """

    why: str
    place: int
    rotation: int
    row: int
    number: int

    @property
    def name(self) -> str:
        """Return the name of its file."""
        return f"{self.why}-{self.place:02d}-table-{self.rotation}-game-{self.number}.jsonl"


def wanted(evaluation: Evaluation, count: int) -> list[Wanted]:
    """Return which games to keep: half the best for the first agent, half the last ones; fewer if there are fewer.

    Best is the share of the win, then the lead, the score, and the shorter game; of equals the earlier one.
    """
    games = [(rotation, row) for row in range(evaluation.blocks) for rotation in range(len(evaluation.tables))]
    if not games:
        return []
    ranks = [_ranks(evaluation, rotation) for rotation in range(len(evaluation.tables))]
    ordered = sorted(games, key=lambda game: tuple(-value for value in ranks[game[0]][game[1]]))
    best = ordered[: (count + 1) // 2]
    last = [game for game in reversed(games) if game not in best][: count - len(best)]
    chosen = [("best", place, *game) for place, game in enumerate(best, 1)]
    chosen += [("last", place, *game) for place, game in enumerate(last, 1)]
    return [Wanted(*game, int(evaluation.results[game[2]].numbers[game[3]])) for game in chosen]


def _ranks(evaluation: Evaluation, rotation: int) -> list[tuple[float, ...]]:
    """Return what makes every game of a rotation good for the first agent, most important first."""
    results, first = evaluation.results[rotation], evaluation.line_up[0]
    own = np.array([text == first for text in evaluation.tables[rotation]])
    columns = [values[:, own].mean(axis=1) for values in (results.win_shares, results.margins, results.scores)]
    return [tuple(map(float, row)) for row in np.stack([*columns, -results.plies], axis=1)]


def play_again(game: Game, seated: Sequence[Agent], seed: int, number: int) -> Position:
    """Return the end of a game of an evaluation, with everything that happened in its log."""
    session = GameSession(game, seated, seed, game_number=number)
    while session.position.node != "over":
        session.advance()
    return session.position


def save_games(evaluation: Evaluation, agents: Mapping[str, Agent], count: int, directory: Path) -> list[Path]:
    """Write the replays of ``count`` games, or of all if there are fewer; return the files, best first.

    Games that came out otherwise than when they were measured are left out.

    Raises:
        OSError: the directory cannot be written to.
    """
    directory.mkdir(parents=True, exist_ok=True)
    paths = []
    for game in wanted(evaluation, count):
        seated = [agents[text] for text in evaluation.tables[game.rotation]]
        end = play_again(evaluation.game, seated, evaluation.seed, game.number)
        if end.scores() == evaluation.results[game.rotation].scores[game.row].tolist():
            paths.append(directory / game.name)
            save_replay(paths[-1], end)
    return paths
