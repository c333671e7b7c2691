"""Rows of bytes, many bytes at a time: copying a run of them, reading eight as one number.

The compiler cannot know that an observation and a state do not overlap, so it copies byte for byte where this copies
whatever a register holds; and it cannot know that most bytes of a mask are 0. Beside ``kernel`` the only module that
knows numba.
"""

from __future__ import annotations

import sys
from typing import Any

import numba
from numba.core import cgutils
from numba.core.errors import TypingError
from numba.extending import intrinsic

from atlantis_envs.kernels.kernel import JIT, kernel

BYTE = 8  # bits


@intrinsic  # type: ignore[untyped-decorator]
def _copy(_: Any, to: Any, at: Any, source: Any, start: Any, count: Any) -> Any:
    if any(
        not isinstance(row, numba.types.Array) or row.dtype.bitwidth != BYTE or row.layout != "C"
        for row in (to, source)
    ):
        raise TypingError(f"move: {to}, {source}; allowed: rows of bytes")

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        target, origin = (
            cgutils.pointer_add(
                builder, context.make_array(signature.args[row])(context, builder, args[row]).data, args[row + 1]
            )
            for row in (0, 2)
        )
        cgutils.raw_memcpy(builder, target, origin, args[4], 1)
        return context.get_dummy_value()

    whole = numba.types.intp
    return numba.types.void(to, whole, source, whole, whole), generate


@intrinsic  # type: ignore[untyped-decorator]
def _load(_: Any, row: Any, at: Any) -> Any:
    if not isinstance(row, numba.types.Array) or row.dtype.bitwidth != BYTE or row.layout != "C":
        raise TypingError(f"eight: {row}; allowed: rows of bytes")

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        start = cgutils.pointer_add(builder, data, args[1])
        word = context.get_value_type(numba.types.int64)
        read = builder.load(builder.bitcast(start, word.as_pointer()), align=1)
        return read if sys.byteorder == "little" else builder.bswap(read)

    return numba.types.int64(row, numba.types.intp), generate


if JIT:

    @kernel
    def eight(row, at):  # type: ignore[no-untyped-def]
        """Read eight bytes of a C-contiguous row from ``at`` on as one int64, the first the lowest; all must exist."""
        return _load(row, at)

    @kernel
    def move(to, at, source, start, count):  # type: ignore[no-untyped-def]
        """Write ``count`` bytes of ``source`` from ``start`` on into ``to`` from ``at`` on; they may not overlap.

        Both are C-contiguous and of one-byte integers; of several dimensions, places are counted row after row.
        """
        _copy(to, at, source, start, count)

else:

    def eight(row: Any, at: int) -> int:
        """Do the same uncompiled."""
        return int.from_bytes(row[at : at + 8].tobytes(), "little", signed=True)

    def move(to: Any, at: int, source: Any, start: int, count: int) -> None:
        """Do the same uncompiled."""
        to.reshape(-1)[at : at + count] = source.reshape(-1)[start : start + count].view(to.dtype)
