"""What seats cannot know: nothing (section 12)."""

from __future__ import annotations

from atlantis_envs.engine.definition import Record, Row
from atlantis_envs.engine.kernel import kernel


@kernel
def resample(rules: Record, state: Record, seat: int, rng: Row) -> None:
    """Do nothing: with perfect information there is nothing to redraw (12.3)."""
