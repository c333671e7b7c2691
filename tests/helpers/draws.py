"""Draws of Atlantis from piles that only a broken program can make."""

from __future__ import annotations

import random

import numpy as np

import atlantis_envs
from atlantis_envs.engine.position import Position
from helpers.support import play


def at_draw(pile: list[int]) -> Position:
    """Atlantis at a draw whose pile is this one, whatever the other cards are."""
    position = atlantis_envs.game("atlantis", players=2).initial_position()
    while position.to_json()["phase"] != "draw":
        play(position, 1, random.Random(3))
    position._arrays[1]["pile"][0, :] = pile  # the engine's own memory: what is handed out is read-only
    return position


def drawn(position: Position, number: int) -> int:
    """What the engine draws in game ``number`` of seed 1, counted from the first outcome of the node."""
    game = position.game
    counters = np.zeros(len(game.definition.streams), np.uint32)
    weights = np.zeros(len(game.outcomes), np.int64)
    arrays = (game.plain_rules, position._arrays[1])
    outcome = int(game.loops.sample(*arrays, counters, weights, np.uint64(1), number))
    return outcome - game.definition.outcomes.ids["card ring"]
