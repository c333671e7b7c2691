"""What a wheel is to carry: the cache of a process that compiled for the oldest processor it shall run on."""

from __future__ import annotations

import os
import platform
from pathlib import Path

from atlantis_envs.kernels.cache import cache_directory, read_entry
from atlantis_envs.kernels.kernel import target
from atlantis_envs.kernels.prebuilt import ANY_PROCESSOR, BASELINES, Manifest, write_prebuilt


def compile_for_wheels() -> dict[str, str]:
    """Return the environment variables with which a process compiles for wheels on this kind of machine."""
    processor, features = BASELINES.get(platform.machine(), ANY_PROCESSOR)
    return {"NUMBA_CPU_NAME": processor, "NUMBA_CPU_FEATURES": features}


def pack(directory: Path) -> int:
    """Write every entry of the cache into a directory that is made, with its manifest; how many there are.

    Raises:
        ValueError: this process does not compile for wheels, or the cache is empty.
    """
    wanted = compile_for_wheels()
    if any(os.environ.get(name) != value for name, value in wanted.items()):
        raise ValueError(f"environment: {' '.join(wanted)}; allowed: as compile_for_wheels() gives them")
    found = {path.name.removesuffix(".nbc"): read_entry(path) for path in sorted(cache_directory().glob("*.nbc"))}
    entries = {name: content for name, content in found.items() if content is not None}
    if not entries:
        raise ValueError(f"{cache_directory()}: no kernels; allowed: a cache that python -m atlantis_envs.warm filled")
    environment, machine = target()
    write_prebuilt(directory, Manifest(environment, *machine), entries)
    return len(entries)
