"""A learner whose only legal action is played for it sees the same games."""

from __future__ import annotations

import numpy as np
import pytest

import atlantis_envs
from atlantis_envs.seats.batch import SeatBatch

GAMES = 5


class Last:
    """An agent that is no kernel: the last legal action."""

    def act(self, observations, masks, noise=None):
        return masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)


def choices(masks, observations):
    """A legal action that depends on what is seen alone."""
    words = observations.astype(np.int64).sum(axis=1)
    counts = masks.sum(axis=1)
    return np.array([np.flatnonzero(row)[word % count] for row, word, count in zip(masks, words, counts, strict=True)])


def ends(batch, wanted):
    """Results and numbers of choices of the first games of each lane."""
    batch.reset(3)
    found = [[] for _ in range(batch.num_games)]
    taken = np.zeros(batch.num_games, int)
    while min(map(len, found)) < wanted:
        masks = batch.masks
        taken += masks.sum(axis=1) > 1
        played = batch.step(choices(masks, batch.observations))
        for lane in np.flatnonzero(played.over):
            end = (played.final_returns[lane].tolist(), played.final_scores[lane].tolist(), int(taken[lane]))
            found[lane].append((*end, int(played.final_seats[lane]) if batch._rule != "all" else 0))
            taken[lane] = 0
    return [rows[:wanted] for rows in found]


@pytest.mark.parametrize(
    ("name", "players", "seat", "opponents"),
    [
        ("atlandice", 3, "rotate", "heuristic"),
        ("atlandice", 2, 1, Last()),
        ("atlandice", 3, "random", ["random", Last()]),
        ("atlantis", 4, "rotate", "random"),
        ("atlantis_rising", 2, "all", "random"),
        ("atlantis_rising", 3, 0, "random"),
    ],
)
def test_the_games_are_the_same_and_every_step_is_a_choice(name, players, seat, opponents):
    game = atlantis_envs.game(name, players=players)
    plain = SeatBatch(game, GAMES, seat, opponents)
    skipping = SeatBatch(game, GAMES, seat, opponents, skip_forced=True)
    assert ends(plain, 2) == ends(skipping, 2)
    for _ in range(50):
        assert (skipping.masks.sum(axis=1) > 1).all()
        skipping.step(choices(skipping.masks, skipping.observations))
