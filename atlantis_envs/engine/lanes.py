"""The arrays of many games side by side, as the compiled loops take them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from atlantis_envs.engine.definition import Definition
from atlantis_envs.engine.records import plain, records


class Scratch(NamedTuple):
    """Work memory of one thread."""

    weights: NDArray[np.int64]
    pay: NDArray[np.float64]
    points: NDArray[np.int64]


class Lanes:
    """The arrays of ``count`` lanes; the engine's own, not yet protected against writing.

    Attributes:
        of_games: what makes up the games themselves.
        of_views: what the seat to decide is shown.
        of_steps: everything a step reads and writes, in the order of the step loop.
    """

    def __init__(self, definition: Definition, players: int, count: int) -> None:
        """Allocate zeroed arrays."""
        self.definition = definition
        features, actions = definition.observation.size, len(definition.actions)
        self.states = records(count, definition.state_dtype)
        self.counters = np.zeros((count, len(definition.streams)), np.uint32)
        self.games = np.zeros(count, np.int64)
        self.plies = np.zeros(count, np.int64)
        self.seats = np.zeros(count, np.int8)
        self.observations = np.zeros((count, features), np.uint8)
        self.masks = np.zeros((count, actions), np.int8)
        self.rewards = np.zeros((count, players), np.float32)
        self.over = np.zeros(count, np.bool_)
        self.truncated = np.zeros(count, np.bool_)
        self.final_states = records(count, definition.state_dtype)
        self.final_observations = np.zeros((count, features), np.uint8)
        self.final_scores = np.zeros((count, players), np.int64)
        self.of_games = (plain(self.states), self.counters, self.games, self.plies)
        self.of_views = (self.seats, self.observations, self.masks)
        ends = (plain(self.final_states), self.final_observations, self.final_scores)
        self.of_steps = (*self.of_games, *self.of_views, self.rewards, self.over, self.truncated, *ends)

    def scratch(self) -> Scratch:
        """Work memory for one thread."""
        return Scratch(
            np.zeros(len(self.definition.outcomes), np.int64),
            np.zeros(self.definition.max_players, np.float64),
            np.zeros(self.definition.max_players, np.int64),
        )
