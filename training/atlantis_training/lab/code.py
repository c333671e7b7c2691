"""Which code played: what is measured in several sittings must have been measured with one and the same."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

import atlantis_agents
import atlantis_envs


@cache
def code_print() -> str:
    """A fingerprint of all code and data of games and agents."""
    total = hashlib.sha256()
    for package in (atlantis_envs, atlantis_agents):
        root = Path(str(package.__file__)).parent
        for file in sorted(root.rglob("*")):
            if file.suffix in {".py", ".json"}:
                total.update(str(file.relative_to(root)).encode() + file.read_bytes())
    return total.hexdigest()[:12]
