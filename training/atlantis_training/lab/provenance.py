"""Where figures come from: what a reader must know to get the same ones again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from atlantis_agents.catalogue import agent_names, policy_directory
from atlantis_agents.networks.policy import MANIFEST
from atlantis_envs import __version__
from atlantis_envs.base.files import read_json
from atlantis_envs.engine.game import Game


def provenance(game: Game, agents: Sequence[str], seed: int) -> dict[str, Any]:
    """Game, options, versions, seed and agents as plain values."""
    return {
        "game": game.name,
        "players": game.players,
        "options": game.options.to_json(),
        "versions": asdict(game.definition.versions),
        "library": __version__,
        "numpy": np.__version__,
        "seed": seed,
        "agents": [agent_json(agent) for agent in dict.fromkeys(agents)],
    }


def agent_json(agent: str) -> dict[str, Any]:
    """An agent's text, and what its weights are if it has any."""
    policy = None if agent in agent_names() else policy_directory(agent)
    return {"agent": agent} | ({"sha256": read_json(policy / MANIFEST)["sha256"]} if policy else {})
