"""Settings of an expert iteration."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from atlantis_agents.catalogue import POLICY_DIRECTORY
from atlantis_envs.base.files import read_json, write_atomically
from atlantis_envs.base.values import repr_short
from atlantis_envs.errors import OptionError
from atlantis_training.selfplay.settings import SelfPlaySettings, settings_from

FORMAT = "atlantis-envs expert 1"
FILE = "expert.json"
POLICY = "POLICY"  # in a teacher's text: the policy of the round before
MOST_ROUNDS, MOST_DECISIONS, MOST_GAMES = 1000, 10**9, 10**6
# What a run calls settings that have a name of their own here: errors are about what was typed.
OF_RUN = {"lesson_epochs": "epochs", "imitate_rate": "rate", "teacher": "first_teacher"}


@dataclass(frozen=True)
class ExpertSettings:
    """What an expert iteration needs to know.

    Attributes:
        game: name of the game.
        players: number of seats; 0: the usual one.
        teacher: who plays in the first round.
        guided: who plays in all later ones; POLICY stands for the policy of the round before.
        decisions: with a choice, recorded in a round.
        rounds: of recording and fitting.
        stray: share of decisions where something else is played than what the teacher says.
        first_teacher: whom the network imitates before the first round: cheap, so that it knows the game.
        imitate: how many of its decisions; 0: none.
        epochs: passes over all decisions recorded so far, in every round.
        rate: learning rate of a round, falling to a tenth.
        hidden: sizes of the hidden layers.
        afterstates: whether the network scores what actions lead to.
        features: whether it sees what follows from an observation too.
        games: that every round's policy is measured with, at least; 0: none.
        seed: of everything, 0..2**32-1.
        options: of the game.
    """

    game: str
    players: int = 0
    teacher: str = "search:64"
    guided: str = f"search:64,guide={POLICY}"
    decisions: int = 500_000
    rounds: int = 2
    stray: float = 0.05
    first_teacher: str = "heuristic"
    imitate: int = 2_000_000
    epochs: int = 6
    rate: float = 1e-3
    hidden: tuple[int, ...] = (256, 256)
    afterstates: bool = False
    features: bool = False
    games: int = 600
    seed: int = 0
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse what is not allowed.

        Raises:
            OptionError: naming the setting and what is allowed.
        """
        object.__setattr__(self, "hidden", tuple(self.hidden))
        for name, low, high in (
            ("decisions", 1, MOST_DECISIONS), ("rounds", 1, MOST_ROUNDS), ("games", 0, MOST_GAMES),
        ):  # fmt: skip
            value = getattr(self, name)
            if type(value) is not int or not low <= value <= high:
                raise OptionError(f"{name}: {repr_short(value)}; allowed: {low}..{high}")
        if not isinstance(self.stray, (int, float)) or not 0 <= self.stray <= 1:
            raise OptionError(f"stray: {repr_short(self.stray)}; allowed: 0..1")
        for name in ("teacher", "guided"):
            if not isinstance(getattr(self, name), str):
                raise OptionError(f"{name}: {repr_short(getattr(self, name))}; allowed: the name of an agent")
        if POLICY in self.teacher:
            raise OptionError(
                f"teacher: {repr_short(self.teacher)}; allowed: no {POLICY}, there is none in the first round"
            )
        self.run(1, Path())

    def run(self, number: int, out: Path) -> SelfPlaySettings:
        """The settings of the run that fits the lessons of a round: it imitates and does not play.

        Args:
            number: of the round, from 1.
            out: directory of the iteration.

        Raises:
            OptionError: a setting of the run is not allowed.
        """
        values: dict[str, Any] = {
            "game": self.game,
            "players": self.players,
            "options": self.options,
            "seed": self.seed,
            "steps": 0,
            "lessons": tuple(str(lessons_of(out, earlier)) for earlier in range(1, number + 1)),
            "lesson_epochs": self.epochs,
            "imitate_rate": self.rate,
        }
        values |= {"hidden": self.hidden, "afterstates": self.afterstates, "features": self.features}
        if number > 1:
            values |= {"start": str(run_of(out, number - 1)), "imitate": 0}
        else:
            values |= {"teacher": self.first_teacher, "imitate": self.imitate}
        try:
            return settings_from(values)
        except OptionError as error:
            name, colon, rest = str(error).partition(":")
            raise OptionError(OF_RUN.get(name, name) + colon + rest) from None

    def teacher_of(self, number: int, out: Path) -> str:
        """Who plays in a round."""
        if number == 1:
            return self.teacher
        return self.guided.replace(POLICY, str(policy_of(out, number - 1)))


def lessons_of(out: Path, number: int) -> Path:
    """The directory of a round's lessons."""
    return out / f"round-{number}" / "lessons"


def run_of(out: Path, number: int) -> Path:
    """The directory of the run that fits them."""
    return out / f"round-{number}" / "run"


def policy_of(out: Path, number: int) -> Path:
    """The directory of a round's policy."""
    return run_of(out, number) / POLICY_DIRECTORY


NAMES = tuple(item.name for item in fields(ExpertSettings))


def save_settings(settings: ExpertSettings, out: Path) -> None:
    """Write them to the directory of an iteration."""
    write_atomically(out / FILE, json.dumps({"format": FORMAT, **asdict(settings)}, indent=1) + "\n")


def saved_settings(out: Path) -> ExpertSettings:
    """Those that an iteration began with.

    Raises:
        OptionError: there is none in that directory.
    """
    try:
        values = read_json(out / FILE)
    except ValueError as error:
        raise OptionError(f"out: {error}; allowed: the directory of an expert iteration") from None
    if not isinstance(values, dict) or values.pop("format", None) != FORMAT or set(values) - set(NAMES):
        raise OptionError(f"out: {repr_short(out / FILE)}; allowed: settings of {FORMAT!r}")
    return ExpertSettings(**values)
