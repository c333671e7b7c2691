"""Memory that a gradient step frees and the next one needs again stays with the process."""

from __future__ import annotations

import ctypes
import sys

M_TRIM_THRESHOLD, M_MMAP_MAX = -1, -4  # of glibc's mallopt
MOST = 2**31 - 1


def keep_freed_memory() -> bool:
    """Tell glibc to keep what is freed: else every large array is pages that the system clears one by one.

    Returns:
        Whether that was possible; elsewhere nothing is changed.
    """
    if not sys.platform.startswith("linux"):
        return False
    change = getattr(ctypes.CDLL(None), "mallopt", None)  # other C libraries have none
    return change is not None and bool(change(M_MMAP_MAX, 0)) and bool(change(M_TRIM_THRESHOLD, MOST))
