"""What the demo trains with."""

from __future__ import annotations

from typing import Any

from atlantis_agents.features import feature_names
from atlantis_agents.heuristic import find_heuristic
from atlantis_envs.engine.definition import IDENTICAL
from atlantis_envs.engine.game import Game
from atlantis_training.selfplay.settings import ALL_SEATS, SelfPlaySettings

ROUNDS_PER_POINT = 4  # of the learning curve


def demo_settings(game: Game, seconds: float) -> SelfPlaySettings:
    """Return the defaults of ``atlantis train`` for a run that time alone ends, with the best the game has."""
    settings: dict[str, Any] = {
        "players": game.players,
        "seconds": seconds,
        "steps": 10**12,
        "checkpoint_every": ROUNDS_PER_POINT,
        "features": game.name in feature_names(),
        "teacher": "heuristic" if find_heuristic(game.name).deep is None else "planner",
    }
    if game.definition.utility == IDENTICAL:
        settings["learner_seat"] = ALL_SEATS  # one policy is the team: there is nobody to play against
    return SelfPlaySettings(game=game.name, **settings)
