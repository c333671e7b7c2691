"""Policies that are told in a sentence, written as directories."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from atlantis_agents.networks.policy import save_policy
from atlantis_envs.engine.game import Game


def last_legal_policy(directory: Path, game: Game) -> Path:
    """A policy that plays the last legal action."""
    inputs, actions = len(game.observation_high), game.num_actions
    bias = np.arange(actions, dtype=np.float32)
    return save_policy(directory, game, [(np.zeros((actions, inputs), np.float32), bias)])
