"""A player that is no kernel, and a learner whose choices depend on nothing but what it sees."""

from __future__ import annotations

import numpy as np

from helpers.support import noise_actions

KEY = np.uint64(0x9E3779B97F4A7C15)


class Shifted:
    """An agent that is no kernel."""

    def act(self, observations, masks, noise=None):
        return noise_actions(masks, noise + np.uint64(5))


def learner_actions(tables):
    observations = tables.observations.astype(np.uint64)
    words = (observations * np.arange(1, observations.shape[1] + 1, dtype=np.uint64)).sum(axis=1)
    return noise_actions(tables.masks, words * KEY >> np.uint64(20))
