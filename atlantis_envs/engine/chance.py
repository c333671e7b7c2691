"""Chance: the generator Philox4x32-10, draws that are no chance event, and the kernels that play chance nodes.

Source: Salmon, Moraes, Dror, Shaw, "Parallel Random Numbers: As Easy as 1, 2, 3" (SC 2011). A block of four 32-bit
words is a pure function of a 64-bit key and a 128-bit counter, so a chance event is addressed, not consumed: the key is
the seed, the counter is (game index, how many events of this stream so far, stream, attempt). Two games never share a
block, and one seat's extra roll cannot shift another seat's cards.

All arithmetic is on uint64 values below 2**32 times 2**32, so nothing overflows and the same source runs uncompiled.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from atlantis_envs.engine.definition import CHANCE, Definition, Row
from atlantis_envs.kernels.kernel import kernel

MULTIPLIER_0 = np.uint64(0xD2511F53)
MULTIPLIER_1 = np.uint64(0xCD9E8D57)
WEYL_0 = np.uint64(0x9E3779B9)
WEYL_1 = np.uint64(0xBB67AE85)
LOW_32 = np.uint64(0xFFFFFFFF)
HALF = np.uint64(32)
RANGE_32 = np.uint64(0x100000000)
ROUNDS = 10
STREAM_SHIFT = 16  # the counter's last word holds the stream above 16 bits of attempt
NOISE_STREAM = 0xFFFF  # not a chance event: the random words handed to agents


@kernel
def philox_round(c0, c1, c2, c3, k0, k1):
    """Return the words of the counter and of the key after one more round."""
    product_0 = MULTIPLIER_0 * c0
    product_1 = MULTIPLIER_1 * c2
    return (
        (product_1 >> HALF) ^ c1 ^ k0,
        product_1 & LOW_32,
        (product_0 >> HALF) ^ c3 ^ k1,
        product_0 & LOW_32,
        (k0 + WEYL_0) & LOW_32,
        (k1 + WEYL_1) & LOW_32,
    )


@kernel
def philox_block(c0, c1, c2, c3, k0, k1):
    """Return four words of the block at counter (c0, c1, c2, c3) under key (k0, k1); uint64 holding 32 bits each."""
    for _ in range(ROUNDS):
        c0, c1, c2, c3, k0, k1 = philox_round(c0, c1, c2, c3, k0, k1)
    return c0, c1, c2, c3


@kernel
def chance_block(key, game, count, stream, attempt):
    """Return the block that belongs to one chance event."""
    return philox_block(
        np.uint64(game) & LOW_32,
        np.uint64(game) >> HALF,
        np.uint64(count) & LOW_32,
        np.uint64((stream << STREAM_SHIFT) + attempt),
        key & LOW_32,
        key >> HALF,
    )


@kernel
def draw_below(key, game, count, stream, bound):
    """Return an exactly uniform integer in [0, bound), 0 < bound < 2**32 (Lemire's multiply-shift with rejection)."""
    span = np.uint64(bound)
    attempt = 0
    while True:
        word = chance_block(key, game, count, stream, attempt)[0]
        product = word * span
        low = product & LOW_32
        if low >= span or low >= (RANGE_32 - span) % span:
            return np.int64(product >> HALF)
        attempt += 1


@kernel
def noise_word(key, game, ply):
    """Return a 64-bit word for an agent's own randomness at one ply of one game, apart from all chance events."""
    words = chance_block(key, game, ply, NOISE_STREAM, 0)
    return (words[0] << HALF) | words[1]


@kernel
def noise_words(keys, games, plies, out):
    """Write ``noise_word`` of every row.

    The rounds are written out here, and rows lie side by side: so compilers do eight rows at once.
    """
    for row in range(len(out)):
        c0, c1 = np.uint64(games[row]) & LOW_32, np.uint64(games[row]) >> HALF
        c2, c3 = np.uint64(plies[row]) & LOW_32, np.uint64(NOISE_STREAM << STREAM_SHIFT)
        k0, k1 = keys[row] & LOW_32, keys[row] >> HALF
        for _ in range(ROUNDS):
            c0, c1, c2, c3, k0, k1 = philox_round(c0, c1, c2, c3, k0, k1)
        out[row] = (c0 << HALF) | c1


SAMPLING_STREAM = 0xFFFE  # apart from every chance stream of a game
ONE = np.uint64(1)


@kernel
def sample_below(rng: Row, bound: int) -> int:
    """Return an exactly uniform integer in [0, bound), 0 < bound < 2**32; advances the row."""
    value = draw_below(rng[0], 0, np.int64(rng[1]), SAMPLING_STREAM, bound)
    rng[1] += ONE
    return value


@kernel
def sample_kind(rng: Row, counts: Row, total: int) -> int:
    """Return the kind of one piece drawn from a multiset of ``total`` pieces; it is taken out of ``counts``.

    A total that is not that of ``counts`` gives the last kind, never one that does not exist.
    """
    left = sample_below(rng, total)
    kind = 0
    while kind < len(counts) - 1 and left >= int(counts[kind]):
        left -= int(counts[kind])
        kind += 1
    counts[kind] -= 1
    return kind


class Chances(NamedTuple):
    """Two kernels closed over a game's own.

    Attributes:
        draw: ``(rules, state, counters, weights, key, game) -> outcome`` of this chance node.
        play: the same arguments; plays chance up to a decision or the end, and says how many outcomes that were.
    """

    draw: Callable[..., Any]
    play: Callable[..., Any]


@cache
def make_chances(definition: Definition) -> Chances:
    """Build (not yet compile) the kernels of a game."""
    node, chance, apply = definition.node, definition.chance, definition.apply

    @kernel
    def draw_outcome(rules, state, counters, weights, key, game):
        """Return the outcome a chance node takes in this game: addressed by stream and count, then counted.

        Never one outside the range of the node, whatever its weights are. If they add up to something, the sum up to
        the last outcome is above what is drawn, so the walk ends in its range, at a positive weight; if they do not,
        the position is broken, which the faces refuse before they come here, and the first outcome stands in.
        """
        stream, first, stop = chance(rules, state, weights)
        total = 0
        for outcome in range(first, stop):
            total += int(weights[outcome])
        if total <= 0:
            return first
        left = draw_below(key, game, counters[stream], stream, total)
        counters[stream] += 1
        outcome = first
        while left >= weights[outcome]:
            left -= int(weights[outcome])
            outcome += 1
        return outcome

    @kernel
    def play_chance(rules, state, counters, weights, key, game):
        """Play chance until somebody decides or the game is over; how many outcomes were played."""
        played = 0
        while node(rules, state) == CHANCE:
            apply(rules, state, draw_outcome(rules, state, counters, weights, key, game))
            played += 1
        return played

    return Chances(draw_outcome, play_chance)
