"""How strong an agent is, cell by cell, as a card tells it."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from atlantis_envs.engine.definition import IDENTICAL
from atlantis_envs.engine.game import Game
from atlantis_envs.seats.agents import make_agent
from atlantis_envs.seats.positions import ask
from atlantis_training.bars import games_bar
from atlantis_training.lab.code import code_print
from atlantis_training.lab.matches import Progress, Results
from atlantis_training.lab.pages import option_flags, sums_of_own
from atlantis_training.lab.statistics import Share, win_share
from atlantis_training.lab.workers import Players, Task, cut, default_workers, play_work, work_through
from atlantis_training.shipping.kept import Kept

TIMED = 200  # decisions with a choice whose time is taken
WARM = 20  # ... after so many of them


@dataclass(frozen=True)
class Cell:
    """One table to measure.

    Attributes:
        game: with its number of players and options.
        options: those that are not the usual ones.
        against: who sits in the other seats; empty where all seats are the agent's, in cooperative games.
    """

    game: Game
    options: dict[str, Any]
    against: str


@dataclass(frozen=True)
class Measured:
    """How a table is measured.

    Attributes:
        games: of each cell, at least so many: all seats get the same number.
        seed: of chance and agents.
        workers: processes; None: a sensible number.
        kept: what was played before, which is not played again; it grows.
    """

    games: int
    seed: int
    workers: int | None
    kept: Kept


def cell_json(cell: Cell, name: str, text: str, how: Measured, mark: str = "") -> dict[str, Any]:
    """Play a cell.

    Args:
        cell: the table.
        name: what the card calls the agent.
        text: what names it here.
        how: see Measured.
        mark: what tells the agent apart where its text does not, a checksum.

    Returns:
        Players, options, share of wins with its interval, the same by seat, CPU milliseconds of a decision, and the
        command that plays the same games once the agent has its name.

    Raises:
        KeyboardInterrupt: the tasks that were finished are kept.
    """
    game, together = cell.game, not cell.against
    line_up = (text,) * game.players if together else (text, *(cell.against,) * (game.players - 1))
    tables = (line_up,) if together else tuple(line_up[-seat:] + line_up[:-seat] for seat in range(game.players))
    blocks = -(-how.games // len(tables))
    what = {
        "game": game.name,
        "options": game.options.to_json(),  # players among them
        "agent": mark or text,
        "against": cell.against,
        "seed": how.seed,
        "code": code_print(),
    }
    sums = sums_of_own([*([] if mark else [text]), *([cell.against] if cell.against else [])], game)
    what |= {"sha256": sums} if sums else {}
    title = f"{name}, {game.players} players" + (f", against {cell.against}" if cell.against else "")
    with games_bar(title, total=blocks * len(tables)) as advance:
        columns = _shares(Players(game, line_up), cut(tables, blocks), what, how, advance)
    return {
        "players": game.players,
        "options": cell.options,
        "agent": name,
        "against": cell.against,
        "fair": None if together else 1 / game.players,
        **_plain(win_share(columns.ravel())),
        "seats": [] if together else [_plain(win_share(column)) for column in columns],
        "milliseconds": round(decision_milliseconds(game, text), 3),
        "command": _command(cell, name, blocks, how.seed),
    }


def _shares(
    players: Players, tasks: list[Task], what: dict[str, Any], how: Measured, advance: Progress
) -> NDArray[np.float64]:
    """What the agent won of every game, float64 (tables, games); it sits in seat s of table s, or everywhere.

    Raises:
        KeyboardInterrupt: also where processes were killed; every task that was finished is kept.
    """
    parts, together = how.kept.of(what), is_team(players.game)
    known = {first + number for first, part in parts.items() for number in range(part.shape[1])}
    left = [task for task in tasks if not known.issuperset(range(task.first, task.first + task.count))]
    advance(sum(task.games for task in tasks) - sum(task.games for task in left))

    def take(index: int, results: tuple[Results, ...]) -> bool:
        won = np.stack([_won(result, seat, together) for seat, result in enumerate(results)])
        how.kept.add(what, left[index].first, won)
        parts[left[index].first] = won
        advance(left[index].games)
        return False

    workers = default_workers(sum(task.games for task in left)) if how.workers is None else how.workers
    interrupted = work_through(play_work(players, how.seed), left, workers, take)
    games = {first + number: part[:, number] for first, part in parts.items() for number in range(part.shape[1])}
    asked = range(sum(task.count for task in tasks))
    if interrupted or not games.keys() >= set(asked):
        raise KeyboardInterrupt
    return np.stack([games[number] for number in asked], axis=1)


def _won(result: Results, seat: int, together: bool) -> NDArray[np.float64]:
    won = result.returns[:, 0] > 0 if together else result.win_shares[:, seat]
    return np.asarray(won, np.float64)


def _plain(share: Share) -> dict[str, Any]:
    return {key: round(value, 4) if isinstance(value, float) else value for key, value in asdict(share).items()}


def _command(cell: Cell, name: str, blocks: int, seed: int) -> str:
    flags = (f"--players {cell.game.players}", *option_flags(cell.options))
    parts = ("atlantis evaluate", cell.game.name, name, cell.against, *flags)
    return " ".join([part for part in parts if part] + [f"--blocks {blocks} --seed {seed}"])


def decision_milliseconds(game: Game, text: str, seed: int = 0, decisions: int = TIMED) -> float:
    """CPU milliseconds of a decision with a choice, one at a time, in games of the agent against itself; the mean."""
    agent, batch, lane = make_agent(text, game), game.batch(1, seed), np.arange(1)
    spent, counted = 0.0, -WARM
    while counted < decisions:
        words, choice = batch.noise(seed), int(batch.action_masks.sum()) > 1
        started = time.process_time()
        action = ask(agent, batch, lane, words)
        took = time.process_time() - started
        counted += choice
        spent += took if choice and counted > 0 else 0.0
        batch.step(action)
    return 1000 * spent / decisions


def is_team(game: Game) -> bool:
    """Whether all seats share one result, so that an agent is measured in all of them."""
    return bool(game.definition.utility == IDENTICAL)
