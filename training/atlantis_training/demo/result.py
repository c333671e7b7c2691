"""What the demo found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from atlantis_envs.engine.game import Game
from atlantis_training.lab.matches import SeatTable
from atlantis_training.lab.order import OrderTable
from atlantis_training.lab.statistics import Share
from atlantis_training.selfplay.report import Outcome
from atlantis_training.selfplay.settings import SelfPlaySettings


@dataclass(frozen=True)
class Duels:
    """How the agent does against others, and what the order of play is worth.

    Attributes:
        against: by name of the opponents.
        order: of equal heuristics.
    """

    against: dict[str, SeatTable]
    order: OrderTable


@dataclass(frozen=True)
class Teams:
    """How teams of one agent in every seat do in a cooperative game.

    Attributes:
        won: games won, by what sits in every seat; the learned agent first.
    """

    won: dict[str, Share]


Measured = Duels | Teams


@dataclass(frozen=True)
class DemoResult:
    """Everything the report is made of.

    Attributes:
        game: what was learned.
        settings: of the run.
        outcome: what the run came to.
        imitated: choices of the teacher that were imitated.
        curve: of the run.
        measured: how strong the agent is.
        seconds: wall-clock time of everything.
        machine: what it ran on.
    """

    game: Game
    settings: SelfPlaySettings
    outcome: Outcome
    imitated: int
    curve: list[dict[str, Any]]
    measured: Measured
    seconds: float
    machine: str
