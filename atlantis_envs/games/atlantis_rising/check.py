"""What the position alone can show to be broken, as bits; 0 = sound."""

from __future__ import annotations

from atlantis_envs.engine.contract import Record
from atlantis_envs.engine.kernel import kernel

FLAGS = (("phase", "a field is outside its range"),)


@kernel
def check(rules: Record, state: Record) -> int:
    """Bits of FLAGS."""
    return 0
