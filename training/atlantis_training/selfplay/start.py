"""Beginning with the network of another run, or with a policy alone: one player count or teacher after the other."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from atlantis_agents.catalogue import policy_directory
from atlantis_agents.networks.policy import RELU, PolicyAgent
from atlantis_agents.shipped import NETWORK
from atlantis_envs.base.values import shown
from atlantis_envs.errors import OptionError
from atlantis_training.selfplay.checkpoint import CheckpointError, check_kind, newest_generation
from atlantis_training.selfplay.state import policy_parts

if TYPE_CHECKING:
    from atlantis_envs.engine.game import Game
    from atlantis_training.selfplay.learner import Learner

CHECKPOINTS = "checkpoints"


def begin_with(learner: Learner, game: Game, start: str) -> None:
    """Give a learner that has learned nothing yet the network of a run, or a policy.

    From the directory of a run come trunk, statistics of the inputs and both heads; from that of a policy, or from the
    agent ``network``, all but statistics, which are measured anew, and the value. Players and options of the two games
    may differ; the observation and the actions may not.

    Args:
        learner: whose network is replaced.
        game: what it is to learn.
        start: the directory of the other run, whose newest sound checkpoint is taken, or what names a policy.

    Raises:
        CheckpointError: a run without a checkpoint, of another game or of a network of another shape.
        OptionError: there is no such run or policy, or the learner's network has another shape.
    """
    if (Path(start) / CHECKPOINTS).is_dir():
        _begin_with_run(learner, game, start)
        return
    directory = policy_directory(start, game)
    if directory is None:
        raise OptionError(f"start: {shown(start)}; allowed: the directory of a run or a policy, or {NETWORK!r}")
    agent, settings = PolicyAgent(game, directory, greedy=False), learner.settings
    hidden = [int(weight.shape[0]) for weight, _ in agent.layers[:-1]]
    for name, found, here in (
        ("hidden", hidden, list(settings.hidden)),
        ("activation", agent.activation, RELU),
        ("inputs", agent.manifest["inputs"], learner.inputs),
        ("advice", agent.advice, settings.teacher if settings.advice else ""),
    ):
        if found != here:
            raise OptionError(f"start: {shown(start)}: {name} is {shown(found)}; this run has {shown(here)}")
    learner.begin_from(agent)


def _begin_with_run(learner: Learner, game: Game, run: str) -> None:
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
