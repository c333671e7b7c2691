"""The learner's network: inputs set to mean 0 and deviation 1, one trunk with ReLU, a head for policy and for value.

Bytes divided by the largest they may be hide the signal: a count that rarely leaves 0..3 of 255 becomes noise. So the
statistics of what is really seen are part of the network. Saved policies know nothing of them: ``policy_layers`` folds
them into the first layer.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from gymnasium import spaces
from numpy.typing import NDArray
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor

from atlantis_agents.networks.policy import ACTIVATIONS, RELU, Layers, save_policy
from atlantis_envs.base.arguments import choice

if TYPE_CHECKING:
    from atlantis_envs.engine.game import Game

LEAST_DEVIATION = 0.1  # of a byte: what hardly ever changes is not blown up
MOST_MEASURED = 65_536  # rows: in numbers of 64 bits they take 400 MB where there are 760 inputs
SMALL = 0.01  # gain of a new policy's head: all actions begin about equal
SHARE_SLOPE = 3.0  # log odds of a win per unit of the expected return, -1..1: the share is off by 0.07 at most
FAST_BFLOAT16 = ("avx512_bf16", "amx_bf16")  # processors that multiply it in hardware


def few_of(rows: NDArray[Any]) -> NDArray[Any]:
    """Return an even choice of at most MOST_MEASURED rows."""
    return rows[:: max(1, -(-len(rows) // MOST_MEASURED))]


class Trunk(BaseFeaturesExtractor):
    """The layers that policy and value share.

    Args:
        space: of the inputs, float32 (F,) in 0..1.
        high: largest byte of each input, (F,); 1 where an input is no byte.
        hidden: sizes of the layers; with none the heads see the inputs.

    Attributes:
        mean: of the inputs, in 0..1; a buffer, so that it is saved with the weights.
        gain: 1 / deviation, in the same units.
    """

    mean: torch.Tensor
    gain: torch.Tensor
    measured: torch.Tensor
    scale: torch.Tensor

    def __init__(self, space: spaces.Box, high: NDArray[np.uint8], hidden: tuple[int, ...]) -> None:
        """Build the layers; the statistics are those of bytes over their whole range, until ``measure``."""
        size = int(np.prod(space.shape))
        super().__init__(space, hidden[-1] if hidden else size)
        layers: list[torch.nn.Module] = []
        for inputs, outputs in pairwise((size, *hidden)):
            layers += [torch.nn.Linear(inputs, outputs), torch.nn.ReLU()]
        self.layers = torch.nn.Sequential(*layers)
        self.register_buffer("scale", torch.from_numpy(np.float32(1) / high.astype(np.float32)), persistent=False)
        self.register_buffer("mean", torch.zeros(size))
        self.register_buffer("gain", torch.ones(size))
        self.register_buffer("measured", torch.zeros((), dtype=torch.bool))

    def measure(self, rows: NDArray[np.uint8]) -> None:
        """Take the statistics of these inputs, uint8 (N, F), at least one row; of many rows, an even choice."""
        rows = few_of(rows)
        high = 1.0 / self.scale.cpu().numpy().astype(np.float64)
        mean, deviation = rows.mean(axis=0, dtype=np.float64), rows.std(axis=0, dtype=np.float64)
        self.mean.copy_(torch.from_numpy(mean / high))
        self.gain.copy_(torch.from_numpy(high / np.maximum(deviation, LEAST_DEVIATION)))
        self.measured.fill_(True)

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        """Return features, float32 (N, last hidden size), of inputs float32 (N, F) in 0..1."""
        features: torch.Tensor = self.layers((inputs - self.mean) * self.gain)
        return features.float()

    def of_bytes(self, rows: torch.Tensor) -> torch.Tensor:
        """Return the same of inputs as bytes, uint8 (N, F)."""
        inputs = rows.float().mul_(self.scale * self.gain).sub_(self.mean * self.gain)  # in place: less new memory
        features: torch.Tensor = self.layers(inputs)
        return features.float()


class ScoringPolicy(MaskableActorCriticPolicy):
    """A policy whose head is one number: the logit of the action that led to what the trunk looks at."""

    def _build(self, lr_schedule: Any) -> None:
        super()._build(lr_schedule)
        self.action_net = torch.nn.Linear(self.mlp_extractor.latent_dim_pi, 1)
        torch.nn.init.orthogonal_(self.action_net.weight, SMALL)
        self.action_net.bias.data.zero_()
        make: Any = self.optimizer_class
        self.optimizer = make(self.parameters(), lr=lr_schedule(1), **self.optimizer_kwargs)


def policy_layers(model: Any) -> list[tuple[NDArray[np.float32], NDArray[np.float32]]]:
    """Return the policy network of a model as (weight, bias) pairs that take bytes divided by their largest; copies."""
    trunk, heads = model.policy.features_extractor, [*model.policy.mlp_extractor.policy_net, model.policy.action_net]
    return network_layers(trunk, heads)


def valuing_layers(model: Any) -> list[tuple[NDArray[np.float32], NDArray[np.float32]]]:
    """Return ``policy_layers`` with one output more: log odds of winning, of what the value expects a game to pay.

    For a game that pays 1 or -1 to all. The odds of a straight line stand in for log((1 + return) / (1 - return)).
    """
    *layers, (weight, bias) = policy_layers(model)
    own, own_bias = _numbers(model.policy.value_net)
    more, more_bias = (np.asarray(SHARE_SLOPE * part, np.float32) for part in (own, own_bias))
    return [*layers, (np.concatenate([weight, more]), np.concatenate([bias, more_bias]))]


def network_layers(trunk: Any, heads: Iterable[Any]) -> list[tuple[NDArray[np.float32], NDArray[np.float32]]]:
    """Return the layers of a trunk and of what stands on it as (weight, bias) pairs; copies.

    They take bytes divided by their largest: what a Trunk measured is folded into the first of them.
    """
    own = trunk.layers if isinstance(trunk, Trunk) else ()
    layers = [_numbers(layer) for layer in (*own, *heads) if isinstance(layer, torch.nn.Linear)]
    if isinstance(trunk, Trunk):
        weight, bias = layers[0]
        mean, gain = (buffer.cpu().numpy().astype(np.float64) for buffer in (trunk.mean, trunk.gain))
        layers[0] = weight * gain, bias - (weight * gain) @ mean
    return [(np.asarray(weight, np.float32), np.asarray(bias, np.float32)) for weight, bias in layers]


def take_layers(trunk: Trunk, head: torch.nn.Linear, layers: Layers) -> None:
    """Put the layers of a saved policy, which take bytes divided by their largest, into a network that measured them.

    The opposite of ``policy_layers``; the policy plays as before, up to rounding. Units that the network has more stay
    random, and nothing listens to them yet (Net2Net; Chen, Goodfellow & Shlens 2016).
    """
    mean, gain = (buffer.cpu().numpy().astype(np.float64) for buffer in (trunk.mean, trunk.gain))
    weights = [(weight.astype(np.float64), bias.astype(np.float64)) for weight, bias in layers]
    first, bias = weights[0]
    weights[0] = first / gain, bias + first @ mean
    linear = [layer for layer in (*trunk.layers, head) if isinstance(layer, torch.nn.Linear)]
    for layer, (weight, bias) in zip(linear, weights, strict=True):
        rows, columns = weight.shape
        layer.weight.data[:rows, columns:] = 0
        layer.weight.data[:rows, :columns] = torch.from_numpy(weight)
        layer.bias.data[:rows] = torch.from_numpy(bias)


def export_policy(model: Any, game: Game, path: str | Path, about: str = "") -> Path:
    """Write the policy of a MaskablePPO with an ``MlpPolicy`` on SeatVecEnv as a directory that plays without torch.

    Args:
        model: the library's own, with tanh or ReLU between its layers; or a PPO that names actions.
        game: what it learned on.
        path: the directory, made if needed.
        about: how it was made.

    Raises:
        OptionError: another function between its layers, or layers too large to be read back.
    """
    policy = model.policy
    own = [*getattr(policy.features_extractor, "layers", ()), *policy.mlp_extractor.policy_net]
    kinds = {type(layer).__name__.lower() for layer in own if not isinstance(layer, torch.nn.Linear)} or {RELU}
    activation = choice("activation", ", ".join(sorted(kinds)), ACTIVATIONS)
    return save_policy(path, game, policy_layers(model), about, activation=activation)


def _numbers(layer: torch.nn.Linear) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    weight, bias = (part.detach().cpu().numpy().astype(np.float64) for part in (layer.weight, layer.bias))
    return weight, bias


def fast_bfloat16() -> bool:
    """Return whether this processor multiplies bfloat16 faster than float32, as far as Linux tells."""
    try:
        with open("/proc/cpuinfo", encoding="ascii", errors="replace") as stream:
            flags = next((line for line in stream if line.startswith("flags")), "").split()
    except OSError:
        return False
    return any(name in flags for name in FAST_BFLOAT16)
