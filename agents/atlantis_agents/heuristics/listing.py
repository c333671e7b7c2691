"""The legal actions of a mask row, of which nearly all is 0: eight actions at a time."""

from __future__ import annotations

from atlantis_envs.engine.bits import ALL_BYTES, lowest
from atlantis_envs.engine.definition import Record, Row
from atlantis_envs.kernels.copying import eight
from atlantis_envs.kernels.kernel import kernel

WORD = 8  # bytes


@kernel
def marks(word: int) -> int:
    """Return the lowest bit of every byte that is not 0."""
    if word == 0:
        return 0
    word |= word >> 4
    word |= word >> 2
    word |= word >> 1
    return word & ALL_BYTES


@kernel
def list_legal(scratch: Record, mask: Row, score: float) -> int:
    """Write the legal actions into ``legal`` in rising order and give each the same ``score``; how many there are."""
    return list_among(scratch, mask, score, 0, len(mask))


@kernel
def list_among(scratch: Record, mask: Row, score: float, start: int, end: int) -> int:
    """Return the same for the actions from ``start`` to before ``end`` alone."""
    legal = 0
    stop = end - (end - start) % WORD
    for before in range(start, stop, WORD):
        left = marks(eight(mask, before))
        while left != 0:
            action = before + (lowest(left) >> 3)
            scratch.legal[legal] = action
            scratch.score[action] = score
            legal += 1
            left &= left - 1
    for action in range(stop, end):
        if mask[action] != 0:
            scratch.legal[legal] = action
            scratch.score[action] = score
            legal += 1
    return legal


@kernel
def some(row: Row, start: int, stop: int) -> bool:
    """Return whether any of these bytes is not 0."""
    found = 0
    for place in range(start, stop):
        found |= int(row[place])
    return found != 0
