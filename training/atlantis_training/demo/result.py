"""What the demo found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from atlantis_envs.engine.game import Game
from atlantis_training.lab.matches import SeatTable
from atlantis_training.lab.order import OrderTable
from atlantis_training.selfplay.report import Outcome
from atlantis_training.selfplay.settings import SelfPlaySettings


@dataclass(frozen=True)
class DemoResult:
    """Everything the report is made of."""

    game: Game
    settings: SelfPlaySettings
    outcome: Outcome
    imitated: int
    curve: list[dict[str, Any]]
    against: dict[str, SeatTable]
    order: OrderTable
    seconds: float
    machine: str
