"""Beginning with the network of another run: one player count, opponent or teacher after the other."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from atlantis_envs.base.values import shown
from atlantis_training.selfplay.checkpoint import CheckpointError, check_kind, newest_generation
from atlantis_training.selfplay.state import policy_parts

if TYPE_CHECKING:
    from atlantis_envs.engine.game import Game
    from atlantis_training.selfplay.learner import Learner

CHECKPOINTS = "checkpoints"


def begin_with(learner: Learner, game: Game, run: str | Path) -> None:
    """Give a learner that has learned nothing yet the network of a run: trunk, statistics of the inputs, both heads.

    Players and options of the two games may differ; the observation and the actions may not.

    Args:
        learner: whose network is replaced.
        game: what it is to learn.
        run: the directory of the other run; its newest sound checkpoint is taken.

    Raises:
        CheckpointError: there is none, or it is of another game or of a network of another shape.
    """
    path, manifest, arrays, _ = newest_generation(Path(run) / CHECKPOINTS)
    check_kind(path, manifest, game)
    own = dict(policy_parts(learner.model.policy))
    weights: dict[str, Any] = {}
    for name, tensor in own.items():
        found = arrays.get(f"policy.{name}")
        if found is None or found.shape != tuple(tensor.shape):
            has = "missing" if found is None else f"of shape {found.shape}"
            raise CheckpointError(
                f"start: {shown(str(run))}: {name} is {has}; allowed: {tuple(tensor.shape)}, the same hidden, advice "
                "and afterstates"
            )
        weights[name] = torch.from_numpy(found.copy())
        if not bool(weights[name].isfinite().all()):
            raise CheckpointError(f"start: {shown(str(run))}: {name} is not finite")
    learner.model.policy.load_state_dict(weights, strict=False)
