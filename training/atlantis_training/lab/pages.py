"""What pages of results have in common: Markdown, JSON and pictures, and where their figures come from."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from atlantis_agents.catalogue import agent_names, policy_directory
from atlantis_agents.networks.policy import MANIFEST
from atlantis_agents.shipped import CHAMPION, NETWORK, champion_text
from atlantis_envs import __version__
from atlantis_envs.base.files import read_json, write_atomically
from atlantis_envs.engine.game import Game

PLACES = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh")  # in the order of play


def write_page(
    out: Path, name: str, page: str, document: dict[str, Any], draw: Callable[[Sequence[Path]], None] | None = None
) -> list[Path]:
    """Write ``name.md`` and ``name.json``, and where ``draw`` draws them ``name.png`` and ``name.svg``.

    Returns:
        The paths of what was written.
    """
    out.mkdir(parents=True, exist_ok=True)
    text, data, *pictures = [out / f"{name}.{ending}" for ending in ("md", "json", "png", "svg")]
    write_atomically(text, page)
    write_atomically(data, json.dumps(document, indent=1) + "\n")
    if draw is None:
        return [text, data]
    draw(pictures)
    return [text, data, *pictures]


def truncated_lines(truncated: int, games: int) -> list[str]:
    """Report the games that a safety bound cut off; nothing if there are none."""
    message = f"{truncated:,} of {games:,} games were cut off by a safety bound: neither won nor lost."
    return [message, ""] if truncated else []


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
        "agents": [agent_json(agent, game) for agent in dict.fromkeys(agents)],
    }


def agent_json(agent: str, game: Game) -> dict[str, Any]:
    """An agent's text, what it stands for if that is another one, and what its weights are if it has any."""
    plays = champion_text(game) if agent == CHAMPION else agent
    policy = None if plays != NETWORK and plays in agent_names() else policy_directory(plays, game)
    return (
        {"agent": agent}
        | ({"plays": plays} if plays != agent else {})
        | ({"sha256": read_json(policy / MANIFEST)["sha256"]} if policy else {})
    )
