"""How strong an agent is, cell by cell, as a card tells it."""

from __future__ import annotations

import json
import time
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from atlantis_envs.engine.definition import IDENTICAL
from atlantis_envs.engine.game import Game
from atlantis_envs.seats.agents import make_agent
from atlantis_envs.seats.positions import ask
from atlantis_training.bars import games_bar
from atlantis_training.lab.evaluation import evaluate
from atlantis_training.lab.statistics import Share
from atlantis_training.lab.workers import Players, rotations

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
    """

    games: int
    seed: int
    workers: int | None


def cell_json(cell: Cell, name: str, text: str, how: Measured) -> dict[str, Any]:
    """Play a cell.

    Args:
        cell: the table.
        name: what the card calls the agent.
        text: what names it here.
        how: see Measured.

    Returns:
        Players, options, share of wins with its interval, the same by seat, CPU milliseconds of a decision, and the
        command that plays the same games once the agent has its name.
    """
    game, together = cell.game, not cell.against
    line_up = (text,) * game.players if together else (text, *(cell.against,) * (game.players - 1))
    blocks = -(-how.games // len(rotations(line_up)))
    title = f"{name}, {game.players} players" + (f", against {cell.against}" if cell.against else "")
    with games_bar(title, total=blocks * len(rotations(line_up))) as advance:
        found = evaluate(Players(game, line_up), blocks, how.seed, how.workers, advance)
    if found.interrupted:
        raise KeyboardInterrupt
    row = found.team if found.team is not None else found.agents[0]
    seats = () if found.team is not None else found.agents[0].seats
    return {
        "players": game.players,
        "options": cell.options,
        "agent": name,
        "against": cell.against,
        "fair": None if together else 1 / game.players,
        **_plain(row.share),
        "seats": [_plain(share) for share in seats],
        "milliseconds": round(decision_milliseconds(game, text), 3),
        "command": _command(cell, name, blocks, how.seed),
    }


def _plain(share: Share) -> dict[str, Any]:
    return {key: round(value, 4) if isinstance(value, float) else value for key, value in asdict(share).items()}


def _command(cell: Cell, name: str, blocks: int, seed: int) -> str:
    options = [f"--option {key}={json.dumps(value)}" for key, value in cell.options.items()]
    parts = ("atlantis evaluate", cell.game.name, name, cell.against, f"--players {cell.game.players}", *options)
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
