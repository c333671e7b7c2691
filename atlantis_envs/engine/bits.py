"""Sets of small numbers as the bits of an int64."""

from __future__ import annotations

from atlantis_envs.engine.kernel import kernel

# For counting bits in parallel: every second bit, pair, nibble.
ODD_BITS = 0x5555555555555555
ODD_PAIRS = 0x3333333333333333
ODD_NIBBLES = 0x0F0F0F0F0F0F0F0F
ALL_BYTES = 0x0101010101010101  # times this, the last byte is the sum of all
COUNT_MASK = 127


@kernel
def lowest(bits: int) -> int:
    """The lowest number in a set that is not empty: how many bits lie below its lowest.

    Compilers know this form: it becomes one instruction.
    """
    below = (bits & -bits) - 1
    below -= below >> 1 & ODD_BITS
    below = (below & ODD_PAIRS) + (below >> 2 & ODD_PAIRS)
    below = below + (below >> 4) & ODD_NIBBLES
    return below * ALL_BYTES >> 56 & COUNT_MASK
