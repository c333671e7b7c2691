"""Policies that are told in a sentence, written as directories."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from atlantis_agents.networks.policy import network_sizes, save_policy
from atlantis_envs.engine.game import Game


def last_legal_policy(directory: Path, game: Game) -> Path:
    """A policy that plays the last legal action."""
    inputs, actions = len(game.observation_high), game.num_actions
    bias = np.arange(actions, dtype=np.float32)
    return save_policy(directory, game, [(np.zeros((actions, inputs), np.float32), bias)])


def following(directory: Path, game: Game) -> Path:
    """A policy that does what its adviser, the heuristic, does."""
    inputs, actions = len(game.observation_high), game.num_actions
    weight = np.concatenate([np.zeros((actions, inputs)), np.eye(actions)], axis=1).astype(np.float32)
    return save_policy(directory, game, [(weight, np.zeros(actions, np.float32))], advice="heuristic")


def valuing(
    directory: Path,
    game: Game,
    bias: float = 0.0,
    scale: float = 0.01,
    inputs: str = "afterstates",
    value: str = "win share",
) -> Path:
    """A network that knows values: any numbers, or one number for all with scale 0."""
    low, high = network_sizes(game, (), "", inputs, False, value)
    generator = np.random.default_rng(5)
    weight, biases = scale * generator.normal(size=(high, low)), np.full(high, bias)
    layers = [(weight.astype(np.float32), biases.astype(np.float32))]
    return save_policy(directory, game, layers, inputs=inputs, value=value)
