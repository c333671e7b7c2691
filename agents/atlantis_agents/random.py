"""The uniform player: every legal action is equally likely."""

from __future__ import annotations

from typing import Any

import numpy as np

from atlantis_agents.rows import NO_ACTION, Bytes, Ids, Masks, RowAgent, Words
from atlantis_envs.engine.chance import HALF, LOW_32, RANGE_32, philox_block
from atlantis_envs.engine.definition import Row
from atlantis_envs.kernels.kernel import entry, kernel
from atlantis_envs.seats.agents import Compiled


@kernel
def bounded(noise: np.uint64, bound: int) -> Any:
    """Return an exactly uniform integer in [0, bound), 0 < bound < 2**32, as a function of one random word.

    Multiply-shift with rejection (Lemire); a rejected word, one in 2**32 / bound, is replaced by a Philox block of it.
    """
    span = np.uint64(bound)
    low_word, high_word = noise & LOW_32, noise >> HALF
    word = low_word
    attempt = 0
    while True:
        product = word * span
        low = product & LOW_32
        if low >= span or low >= (RANGE_32 - span) % span:
            return np.int64(product >> HALF)
        attempt += 1
        none = np.uint64(0)
        word = philox_block(low_word, high_word, np.uint64(attempt), none, none, none)[0]


@kernel
def nth_legal(mask: Row, number: int) -> int:
    """Return the id of the legal action that has ``number`` legal ones before it."""
    for action in range(len(mask)):
        if mask[action] != 0:
            if number == 0:
                return action
            number -= 1
    return NO_ACTION


@kernel
def count_legal(mask: Row) -> int:
    """Return how many actions are legal."""
    count = 0
    for action in range(len(mask)):
        count += int(mask[action])
    return count


@entry
def random_loop(masks, noise, ids):
    """Write one uniform legal action per row; NO_ACTION where there is none."""
    for row in range(len(masks)):
        count = count_legal(masks[row])
        ids[row] = nth_legal(masks[row], bounded(noise[row], count)) if count > 0 else NO_ACTION


@kernel
def random_action(params, work, observation, mask, noise):
    """Return a uniform legal action; NO_ACTION where there is none."""
    count = count_legal(mask)
    return nth_legal(mask, bounded(noise, count)) if count > 0 else NO_ACTION


class RandomAgent(RowAgent):
    """Plays every legal action with the same probability.

    >>> from atlantis_agents.random import RandomAgent
    >>> game = atlantis_envs.game("atlandice", players=3)
    >>> batch = game.batch(4, seed=0)
    >>> actions = RandomAgent(game, seed=1).act(batch.observations, batch.action_masks)
    >>> batch.action_masks[range(4), actions]
    array([1, 1, 1, 1], dtype=int8)

    Args:
        game: the game it plays.
        seed: 0..2**64-1, of its own generator, for calls without noise; None: fresh entropy.
        threads: 1..1024, among which many rows are shared out; choices do not depend on it.
    """

    entries = (random_loop,)

    def _fill(self, observations: Bytes, masks: Masks, noise: Words, ids: Ids) -> None:
        random_loop(masks, noise, ids)

    @property
    def compiled(self) -> Compiled | None:
        """Return this agent as a kernel; None for a subclass that chooses in another way."""
        nothing = np.zeros(1, np.float64)
        return Compiled(random_action, nothing, nothing) if self._is_plain(RandomAgent) else None
