"""Sets of small numbers as the bits of an int64."""

from __future__ import annotations

from atlantis_envs.kernels.kernel import kernel

# For counting bits in parallel: every second bit, pair, nibble.
ODD_BITS = 0x5555555555555555
ODD_PAIRS = 0x3333333333333333
ODD_NIBBLES = 0x0F0F0F0F0F0F0F0F
ALL_BYTES = 0x0101010101010101  # times this, the last byte is the sum of all
COUNT_MASK = 127


@kernel
def lowest(bits: int) -> int:
    """Return the lowest number in a set that is not empty: how many bits lie below its lowest.

    Compilers know this form: it becomes one instruction.
    """
    return size((bits & -bits) - 1)


@kernel
def size(bits: int) -> int:
    """Return how many numbers below 63 are in a set: one instruction too."""
    bits -= bits >> 1 & ODD_BITS
    bits = (bits & ODD_PAIRS) + (bits >> 2 & ODD_PAIRS)
    bits = bits + (bits >> 4) & ODD_NIBBLES
    return bits * ALL_BYTES >> 56 & COUNT_MASK
