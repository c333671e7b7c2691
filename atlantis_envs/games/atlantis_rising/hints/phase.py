"""Where comparisons of positions are fair: what part of the game is being played."""

from __future__ import annotations

from atlantis_envs.engine.definition import Record
from atlantis_envs.kernels.kernel import kernel


@kernel
def phase(rules: Record, state: Record) -> int:
    """Return the number of the round being played: comparisons are fair where it changes."""
    return int(state.round_number)
