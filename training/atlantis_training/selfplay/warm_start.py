"""A run or an expert iteration that begins with the network of another run, or of a policy."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from atlantis_agents.features import NEWEST, feature_editions, find_features
from atlantis_agents.networks.policy import (
    AFTERSTATES,
    RELU,
    SEAT_SHARES,
    Layers,
    PolicyAgent,
    policy_directory,
    share_outputs,
)
from atlantis_envs.base.values import repr_short
from atlantis_envs.engine.game import Game
from atlantis_envs.errors import OptionError
from atlantis_training.selfplay.checkpoint import CheckpointError, newest_generation, policy_parts
from atlantis_training.selfplay.pool import make_game
from atlantis_training.selfplay.settings import ExpertSettings, SelfPlaySettings, TDSettings

if TYPE_CHECKING:
    from atlantis_training.selfplay.learner import Learner

TAKEN_OVER = ("hidden", "afterstates", "features", "features_edition", "imitate")  # by a run that begins with a policy


def warm_started(settings: SelfPlaySettings) -> tuple[SelfPlaySettings, PolicyAgent | None]:
    """Return the settings of a run that may begin with a policy, whose shape they take over, and that policy.

    Raises:
        OptionError: there is no such policy, or the learner cannot go on from it.
    """
    if not settings.start:
        return settings, None
    agent, shape = begun_with(settings, make_game(settings), settings.teacher if settings.advice else "")
    if settings.imitate not in (0, SelfPlaySettings.imitate):
        raise OptionError(f"imitate: {settings.imitate}; allowed: 0 with start, which is not taught once more")
    return replace(settings, **shape, imitate=0), agent


def expert_started(settings: ExpertSettings) -> tuple[ExpertSettings, Layers | None]:
    """Return the settings of an expert iteration that may begin with a policy, whose shape they take over.

    Layers may be wider than those of the policy: the network plays as the policy does until it has learned more.

    Returns:
        The settings, and the first layers of the network: those of the policy, and behind its logits the shares of all
        seats, which are equal where the policy tells none; None: none is named.

    Raises:
        OptionError: there is no such policy, or the iteration cannot go on from it.
    """
    if not settings.start:
        return settings, None
    game = make_game(settings.run())
    agent, shape = begun_with(settings, game)
    layers = agent.layers
    if agent.value != SEAT_SHARES:
        weight, bias = agent.policy_layers[-1]
        more = share_outputs(game, SEAT_SHARES)
        layers = (*layers[:-1], (np.pad(weight, ((0, more), (0, 0))), np.pad(bias, (0, more))))
    wider = {} if settings.hidden == ExpertSettings.hidden else {"hidden": settings.hidden}
    return replace(settings, **shape | wider), layers


def begun_with(
    settings: SelfPlaySettings | ExpertSettings, game: Game, advice: str = ""
) -> tuple[PolicyAgent, dict[str, Any]]:
    """Return the policy that ``start`` names, and the settings that its shape fixes.

    Args:
        settings: with ``start``, and with ``hidden``, ``afterstates`` and ``features`` as wished.
        game: what is learned.
        advice: agent whose actions the network sees; "": none.

    Raises:
        OptionError: there is no such policy, or nothing can go on from it.
    """
    directory = policy_directory(settings.start, game)
    if directory is None:
        raise OptionError(
            f"start: {repr_short(settings.start)}; allowed: the directory of a policy or a run, or 'network'"
        )
    agent = PolicyAgent(game, directory, greedy=False)
    hidden = tuple(int(weight.shape[0]) for weight, _ in agent.layers[:-1])
    check_hidden(settings, hidden)
    if agent.activation != RELU:
        raise OptionError(f"start: {repr_short(directory)}: its activation is {agent.activation!r}; allowed: {RELU!r}")
    if agent.advice != advice:
        raise OptionError(f"start: {repr_short(directory)}: its advice is {agent.advice!r}; allowed: {advice!r}")
    if agent.potential:
        raise OptionError(
            f"start: {repr_short(directory)}: it learned gains, no odds; allowed: with `--learner td` alone"
        )
    after = agent.manifest["inputs"] == AFTERSTATES
    if settings.afterstates and not after:
        raise OptionError("afterstates: True; allowed: False, start has none")
    return agent, {"hidden": hidden, "afterstates": after, **taken_features(settings, agent)}


def taken_features(settings: SelfPlaySettings | ExpertSettings | TDSettings, agent: PolicyAgent) -> dict[str, Any]:
    """Return what a run that begins with a policy says of features: it sees what the policy saw.

    A run by TD may name an edition that shows all that the policy saw, and more behind it.

    Raises:
        OptionError: the settings wish for others.
    """
    features = agent.features
    if settings.features and not features:
        raise OptionError("features: True; allowed: False, start has none")
    edition = features.edition if features else NEWEST
    allowed = (edition, *_longer_editions(agent)) if isinstance(settings, TDSettings) else (edition,)
    if settings.features_edition not in (NEWEST, *allowed):
        longer = "".join(f", {other}, which shows more" for other in allowed[1:])
        found = settings.features_edition
        raise OptionError(f"features_edition: {found}; allowed: {edition}, that of start{longer}, or 0")
    return {"features": bool(features), "features_edition": settings.features_edition or edition}


def _longer_editions(agent: PolicyAgent) -> tuple[int, ...]:
    """Return the editions of features that show all that a policy sees, and more behind it."""
    if agent.features is None:
        return ()
    seen = agent.features
    return tuple(
        other.edition
        for other in feature_editions(agent.game.name)
        if other.layout.size > seen.layout.size and other.layout.pieces[: len(seen.layout.pieces)] == seen.layout.pieces
    )


def layers_seeing(agent: PolicyAgent, edition: int) -> Layers:
    """Return the layers of a policy, which heed nothing of what an edition of the features shows beyond its own."""
    if agent.features is None:
        return agent.layers
    (weight, bias), *rest = agent.layers
    more = find_features(agent.game.name, edition).layout.size - agent.features.layout.size
    return ((np.pad(weight, ((0, 0), (0, more))), bias), *rest)


def check_hidden(settings: SelfPlaySettings | ExpertSettings | TDSettings, hidden: tuple[int, ...]) -> None:
    """Refuse layers that cannot go on from those of a policy.

    Raises:
        OptionError: naming ``hidden``.
    """
    wished, grows = settings.hidden, isinstance(settings, ExpertSettings)
    if wished in (hidden, type(settings).hidden):
        return
    if grows and len(wished) == len(hidden) and all(new >= old for new, old in zip(wished, hidden, strict=True)):
        return
    which = "that of start, or as many layers with more units" if grows else "that of start"
    raise OptionError(f"hidden: {repr_short(list(wished))}; allowed: {list(hidden)}, {which}")


def without_taken_over(changes: dict[str, Any], saved: SelfPlaySettings | TDSettings) -> dict[str, Any]:
    """Return the changes to the settings of a run, less those that it did not heed when it began with a policy.

    So the command that began the run goes on with it.
    """
    if changes.get("features_edition") == NEWEST:  # what it found then
        changes = {name: value for name, value in changes.items() if name != "features_edition"}
    if not saved.start:
        return changes
    usual = type(saved)()
    heeded = {name: value for name, value in changes.items() if name not in TAKEN_OVER}
    return heeded | {
        name: changes[name] for name in TAKEN_OVER if name in changes and _plain(changes[name]) != getattr(usual, name)
    }


def _plain(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def take_network(learner: Learner, checkpoints: Path) -> bool:
    """Give a learner the whole network of another run: what it thinks a position is worth is in no policy.

    Args:
        learner: whose network is replaced.
        checkpoints: those of the other run; the newest sound one is taken.

    Returns:
        Whether there was one of the same shape; else nothing is changed.
    """
    try:
        arrays = newest_generation(checkpoints)[2]
    except CheckpointError:
        return False
    policy = learner.model.policy
    weights: dict[str, torch.Tensor] = {}
    for name, own in policy_parts(policy):
        array = arrays.get(f"policy.{name}")
        if array is None or array.shape != tuple(own.shape) or not np.isfinite(array).all():
            return False
        weights[name] = torch.from_numpy(array.copy())
    policy.load_state_dict(weights, strict=False)
    return True
