"""MaskablePPO on one learning seat of any game, against given opponents.

The thin way from an environment to an agent: stable-baselines3 learns, this file only says on what, for how long, and
what is kept. The result is a policy directory that plays without torch.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback

from atlantis_agents.networks.policy import check_network, save_policy
from atlantis_envs.adapters.sb3_vecenv import SeatVecEnv
from atlantis_envs.engine.game import Game
from atlantis_training.selfplay.settings import SelfPlaySettings

CURVE_WINDOW = 2000  # games behind each point of the learning curve


@dataclass(frozen=True)
class TrainSettings:
    """What a run needs to know.

    Attributes:
        opponents: agents for the other seats, in turn; names or objects.
        seconds: wall-clock time to learn for.
        num_envs: games played side by side.
        num_steps: steps of each game between two updates.
        batch_size: rows of one gradient step.
        num_epochs: passes over the collected rows.
        learning_rate: of Adam.
        discount: 1 means the result counts fully however long the game.
        gae_lambda: bias against variance in advantages.
        entropy: bonus for undecided policies.
        hidden: sizes of the hidden layers, of policy and value alike.
        seed: of games, weights and sampling.
    """

    opponents: tuple[Any, ...] = ("random",)
    seconds: float = 120.0
    num_envs: int = 512
    num_steps: int = 32
    batch_size: int = 2048
    num_epochs: int = 4
    learning_rate: float = 1e-3
    discount: float = 1.0
    gae_lambda: float = 0.95
    entropy: float = 0.005
    hidden: tuple[int, ...] = (64, 64)
    seed: int = 0


@dataclass
class TrainLog:
    """What happened in a run.

    Attributes:
        steps: decisions of the learning seat.
        seconds: wall-clock time.
        interrupted: whether Ctrl-C ended it early.
        curve: (steps, win share of the last games) now and then.
    """

    steps: int = 0
    seconds: float = 0.0
    interrupted: bool = False
    curve: list[tuple[int, float]] = field(default_factory=list)


Progress = Callable[[float, int, float], None]  # share of the time gone, steps, recent win share


class _Clock(BaseCallback):
    """Ends training when its time is over and keeps the learning curve."""

    def __init__(self, seconds: float, log: TrainLog, progress: Progress | None) -> None:
        super().__init__()
        self._seconds, self._log, self._progress = seconds, log, progress
        self._started = 0.0

    def _on_training_start(self) -> None:
        self._started = time.perf_counter()

    def _on_step(self) -> bool:
        return time.perf_counter() - self._started < self._seconds

    def _on_rollout_end(self) -> None:
        share = self.training_env.recent_win_share(CURVE_WINDOW)  # type: ignore[attr-defined]
        if share > 0.0:  # 0 only while no game has ended yet
            self._log.curve.append((self.num_timesteps, share))
        if self._progress:
            gone = (time.perf_counter() - self._started) / self._seconds
            self._progress(min(1.0, gone), self.num_timesteps, share)


def train(game: Game, settings: TrainSettings, progress: Progress | None = None) -> tuple[MaskablePPO, TrainLog]:
    """Learn for ``settings.seconds``; Ctrl-C ends it early and keeps what was learned.

    Raises:
        OptionError: a network whose policy could not be read back.
    """
    check_network(game, settings.hidden)
    environment = SeatVecEnv(game, settings.num_envs, settings.opponents, seed=settings.seed)
    model = build_model(environment, settings, settings.learning_rate)
    log = TrainLog()
    started = time.perf_counter()
    try:
        model.learn(total_timesteps=10**12, callback=_Clock(settings.seconds, log, progress))
    except KeyboardInterrupt:
        log.interrupted = True
    log.steps, log.seconds = model.num_timesteps, time.perf_counter() - started
    return model, log


def build_model(
    environment: SeatVecEnv,
    settings: TrainSettings | SelfPlaySettings,
    rate: float | Callable[[float], float],
    **more: Any,
) -> MaskablePPO:
    """The learner of these settings, on one thread; seeds the global generators of torch, NumPy and Python."""
    torch.set_num_threads(1)
    return MaskablePPO(
        "MlpPolicy",
        environment,
        learning_rate=rate,
        n_steps=settings.num_steps,
        batch_size=settings.batch_size,
        n_epochs=settings.num_epochs,
        gamma=settings.discount,
        gae_lambda=settings.gae_lambda,
        ent_coef=settings.entropy,
        policy_kwargs={"net_arch": list(settings.hidden)},
        seed=settings.seed,
        device="cpu",
        **more,
    )


def export_policy(model: MaskablePPO, game: Game, path: str | Path, about: str = "", advice: str = "") -> Path:
    """Write the policy network of a model as a policy directory that plays without torch."""
    return save_policy(path, game, policy_layers(model), about, advice)


def policy_layers(model: MaskablePPO) -> list[tuple[NDArray[np.float32], NDArray[np.float32]]]:
    """The policy network of a model as (weight, bias) pairs; copies."""
    network = [*model.policy.mlp_extractor.policy_net, model.policy.action_net]
    return [
        (layer.weight.detach().numpy().astype(np.float32), layer.bias.detach().numpy().astype(np.float32))
        for layer in network
        if isinstance(layer, torch.nn.Linear)
    ]
