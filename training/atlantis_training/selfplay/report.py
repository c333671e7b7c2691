"""How a run stands after a round, and what it came to."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Report:
    """How a run stands, after every round.

    Attributes:
        imitating: whether it is still imitating.
        done: share of the phase done, 0..1.
        steps: the learner's decisions so far.
        rate: decisions a second, of late.
        share: the learner's recent win share against everybody it plays; None before a game has ended.
        against: the same, two at a time, by name of opponent; nobody in a cooperative game, where nobody is beaten.
        figures: of the learning algorithm, by name.
        lessons: whether what it imitates is recorded.
    """

    imitating: bool
    done: float
    steps: int
    rate: float
    share: float | None
    against: dict[str, float]
    figures: dict[str, float]
    lessons: bool = False

    @property
    def phase(self) -> str:
        """The name of the phase the run is in."""
        if self.lessons:
            return "lessons"
        return "imitate" if self.imitating else "play"

    @property
    def brief(self) -> str:
        """How well it plays, in a few words."""
        if self.imitating:
            return f"agrees {self.figures['agreement']:.0%}"
        return "no game has ended" if self.share is None else f"wins {self.share:.1%}"

    @property
    def text(self) -> str:
        """How fast the run is and how well it plays, in a line."""
        if self.imitating:
            return self.brief
        opponents = ", ".join(f"{name} {share:.0%}" for name, share in self.against.items())
        text = f"{_short(self.steps)} steps, {_short(self.rate)}/s, {self.brief}"
        return text + (f" ({opponents})" if opponents else "")


def _short(value: float) -> str:
    """A number in few characters."""
    for size, letter in ((1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:.3g}{letter}"
    return f"{value:.3g}"


@dataclass
class Outcome:
    """What a run came to.

    Attributes:
        steps: the learner's decisions.
        seconds: wall-clock time of this call.
        policy: the policy directory.
        interrupted: whether Ctrl-C ended it.
        environment: share of the time of playing rounds spent in the environment with all its opponents.
        networks: the part of that share taken by opponents that are networks.
        rate: steps a second over the whole call.
        warnings: checkpoints that were passed over as damaged.
        nothing_left: why there was nothing to do; empty if there was something.
    """

    steps: int
    seconds: float
    policy: Path
    interrupted: bool = False
    environment: float = 0.0
    networks: float = 0.0
    rate: float = 0.0
    warnings: list[str] = field(default_factory=list)
    nothing_left: str = ""
