"""What the demo found."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from atlantis_envs.engine.game import Game
from atlantis_training.lab.matches import SeatTable
from atlantis_training.lab.order import OrderTable
from atlantis_training.selfplay.ppo import TrainLog, TrainSettings


@dataclass(frozen=True)
class DemoResult:
    """Everything the report is made of."""

    game: Game
    settings: TrainSettings
    log: TrainLog
    against: dict[str, SeatTable]
    order: OrderTable
    policy: Path
    seconds: float
    machine: str
