"""Memory that a gradient step frees and the next one needs again stays with the process."""

from __future__ import annotations

import ctypes
import sys

M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3  # of glibc's mallopt
MOST_KEPT = 32 * 2**20  # bytes of one array; glibc allows no more
NEVER = 2**31 - 1


def keep_freed_memory() -> bool:
    """Tell glibc to keep what is freed: else arrays of megabytes are pages that the system clears again and again.

    Returns:
        Whether that was possible; elsewhere nothing is changed.
    """
    if not sys.platform.startswith("linux"):
        return False
    change = getattr(ctypes.CDLL(None), "mallopt", None)  # other C libraries have none
    return change is not None and bool(change(M_MMAP_THRESHOLD, MOST_KEPT)) and bool(change(M_TRIM_THRESHOLD, NEVER))
