"""How strong an agent is, cell by cell, as a card tells it."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from atlantis_envs.engine.game import Game
from atlantis_envs.seats.agents import make_agent
from atlantis_envs.seats.positions import ask
from atlantis_training.bars import games_bar
from atlantis_training.evaluation.evaluate import hero_line_ups, hero_shares
from atlantis_training.evaluation.measure import measure
from atlantis_training.evaluation.report import option_flags, seats_text
from atlantis_training.evaluation.statistics import Share, win_share
from atlantis_training.evaluation.store import Store

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
class MeasureSettings:
    """How a table is measured.

    Attributes:
        games: of each cell, at least so many: all seats get the same number.
        seed: of chance and agents.
        workers: processes; None: a sensible number.
        store: keeps what was played, which is not played again.
    """

    games: int
    seed: int
    workers: int | None
    store: Store


def store_beside(target: Path) -> Store:
    """Return what was played for the agent of a directory, which need not be there: in a file beside it.

    Raises:
        OptionError: the file is none of ours, or damaged.
    """
    return Store(target.with_name(f"{target.name}.measured.jsonl"))


def cell_json(cell: Cell, name: str, text: str, how: MeasureSettings, mark: str = "") -> dict[str, Any]:
    """Play a cell.

    Args:
        cell: the table.
        name: what the card calls the agent.
        text: what names it here.
        how: see MeasureSettings.
        mark: what tells the agent apart where its text does not, a checksum.

    Returns:
        Players, options, share of wins with its interval, the same by seat, CPU milliseconds of a decision, and the
        command that plays the same games once the agent has its name.

    Raises:
        KeyboardInterrupt: also where processes were killed; every task that was finished is kept.
    """
    game, together = cell.game, not cell.against
    tables = ((text,) * game.players,) if together else hero_line_ups(text, cell.against, game.players)
    blocks = -(-how.games // len(tables))
    title = f"{name}, {seats_text(game.players)}" + (f", against {cell.against}" if cell.against else "")
    with games_bar(title, total=blocks * len(tables)) as advance:
        measured = measure(
            game, tables, blocks, how.seed, how.workers, advance,
            store=how.store, aliases={text: mark} if mark else None,
        )  # fmt: skip
    if measured.interrupted:
        raise KeyboardInterrupt
    columns = hero_shares(measured)
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


def _plain(share: Share) -> dict[str, Any]:
    return {key: round(value, 4) if isinstance(value, float) else value for key, value in asdict(share).items()}


def _command(cell: Cell, name: str, blocks: int, seed: int) -> str:
    flags = (f"--players {cell.game.players}", *option_flags(cell.options))
    parts = ("atlantis evaluate", cell.game.name, name, cell.against, *flags)
    return " ".join([part for part in parts if part] + [f"--blocks {blocks} --seed {seed}"])


def decision_milliseconds(game: Game, text: str, seed: int = 0, decisions: int = TIMED) -> float:
    """Return the mean CPU milliseconds of a decision with a choice, one at a time, in games against itself."""
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
