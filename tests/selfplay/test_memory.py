"""Freed memory that stays with the process that learns."""

from __future__ import annotations

import subprocess
import sys

import pytest

SIZE = 24 * 2**20  # bytes: far above what the C library keeps by itself
PROGRAM = f"""
import resource, sys
import numpy
from atlantis_training.selfplay.ppo import keep_freed_memory

print(keep_freed_memory() if sys.argv[1] == "keep" else False)
numpy.ones({SIZE}, numpy.uint8)
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(4):
    numpy.ones({SIZE}, numpy.uint8)
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


def faults(how):
    run = subprocess.run([sys.executable, "-c", PROGRAM, how], capture_output=True, text=True, check=True)
    possible, count = run.stdout.split()
    return possible == "True", int(count)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="glibc alone")
def test_pages_that_were_freed_are_not_cleared_again():
    possible, kept = faults("keep")
    if not possible:
        pytest.skip("another C library")
    assert kept < 100 < faults("leave")[1]


def test_elsewhere_nothing_is_changed(monkeypatch):
    from atlantis_training.selfplay import memory

    monkeypatch.setattr(memory.sys, "platform", "darwin")
    monkeypatch.setattr(memory.ctypes, "CDLL", None)  # would fail if it were called
    assert memory.keep_freed_memory() is False
