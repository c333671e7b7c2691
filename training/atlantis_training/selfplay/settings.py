"""All settings of a self-play run in one place: a dataclass, and a TOML file of the same settings.

A setting is a field of a frozen dataclass that says what it means and what it may be (``setting``). Expert iteration
declares its own in the same way, and commands make their flags of both.
"""

from __future__ import annotations

import json
import math
import tomllib
from collections.abc import Mapping
from dataclasses import Field, asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from atlantis_agents.external import EXEC
from atlantis_agents.networks.policy import POLICY_DIRECTORY
from atlantis_agents.networks.tensors import MAX_LAYERS, MAX_WIDTH
from atlantis_envs.base.files import read_file
from atlantis_envs.base.values import listed, one_line, repr_short
from atlantis_envs.errors import OptionError

PPO, TD = "ppo", "td"
EVEN, HARD = "even", "hard"
PRIORITIES = (EVEN, HARD)
ALL_SEATS = "all"
LEARNER_SEATS = ("rotate", "random", ALL_SEATS)
FEWEST_ROWS = 2  # of a round
MOST_COUNT = 10**15
MOST_COLLECTORS = 4096
MOST_FLOAT = 10**300
MOST_EDITION = 1000
MOST_ITEMS = 1000  # of a list of texts
MOST_WEIGHT = 1_000_000  # far above what is of use, and far below what overflows


def setting(default: Any, about: str, low: float = 0, high: float | None = None) -> Any:
    """Return a field with its meaning and its range; a whole number is never larger than a checkpoint can count."""
    if high is None:
        high = MOST_COUNT if type(default) is int else math.inf
    return field(default=default, metadata={"about": about, "low": low, "high": high})


@dataclass(frozen=True)
class SelfPlaySettings:
    """What a self-play run needs to know; each field says what it means.

    A step is one decision of the learner, a round is ``num_envs * num_steps`` of them and one update of the network.
    """

    learner: str = setting(PPO, f"{PPO}: a policy, which may imitate a teacher first; {TD}: values, by the rules alone")
    game: str = setting("atlandice", "name of the game")
    players: int = setting(0, "number of seats; 0: the game's usual one")
    steps: int = setting(15_000_000, "steps in all, imitation not counted; 0: only imitate", 0)
    seconds: float = setting(
        0.0, "stop after this time, however many steps are done, and let rates follow it; 0: no limit"
    )
    seed: int = setting(0, "of games, weights and sampling", 0, 2**32 - 1)

    learner_seat: str = setting("rotate", "rotate, random, or in cooperative games all: a team of one policy")
    num_envs: int = setting(512, "games played side by side", 1, 65_536)
    collectors: int = setting(
        1,
        "parts in which a round is collected, each by itself: with --ray by workers of the cluster",
        1,
        MOST_COLLECTORS,
    )
    num_steps: int = setting(64, "steps of each game between two updates", 1, 65_536)
    batch_size: int = setting(4096, "rows of one gradient step", 2)
    num_epochs: int = setting(2, "passes over the rows of a round", 1, 100)
    learning_rate: float = setting(4e-4, "of Adam, at the beginning", 0, 1)
    learning_rate_end: float = setting(5e-5, "of Adam, at the end; in between it falls in a straight line", 0, 1)
    entropy: float = setting(0.003, "bonus for undecided policies, at the beginning", 0, MOST_WEIGHT)
    entropy_end: float = setting(0.001, "the same at the end", 0, MOST_WEIGHT)
    discount: float = setting(1.0, "1: the result counts fully however long the game", 0, 1)
    gae_lambda: float = setting(0.95, "bias against variance in advantages", 0, 1)
    clip: float = setting(0.2, "how far one round may move the policy", 0, 10)
    hidden: tuple[int, ...] = setting(
        (256, 128), "sizes of the hidden layers, which policy and value share", 1, MAX_WIDTH
    )
    afterstates: bool = setting(False, "score what the learner sees after each legal action, instead of naming actions")
    features: bool = setting(
        False, "show the network what follows from an observation too, where the game has such features"
    )
    features_edition: int = setting(0, "edition of those features; 0: the newest, or that of start", 0, MOST_EDITION)
    shaping: float = setting(
        0.0, "reward per point of lead or unit of progress, given back at the end; 0: none", 0, MOST_WEIGHT
    )

    teacher: str = setting(
        "heuristic", "whom imitation follows: heuristic, planner, search:64, any agent; advice: one of the first two"
    )
    advice: bool = setting(False, "show the learner what the teacher would do, as further inputs")
    margin: float = setting(
        0.0, "reward beside the result for each point of the final lead, at the beginning", 0, MOST_WEIGHT
    )
    margin_until: float = setting(0.5, "share of the steps after which that has fallen to 0", 1e-6, 1)

    imitate: int = setting(3_000_000, "decisions of the teacher to imitate before learning by playing; 0: none")
    imitate_rate: float = setting(1.5e-3, "learning rate of the imitation, falling to a tenth", 0, 1)
    imitate_doubt: float = setting(0.0, "share of each choice that imitation spreads over all legal actions", 0, 1)
    imitate_temperature: float = setting(
        0.0, "imitate odds exp(score / this) of the teacher's scores, in its units; 0: its choices alone",
        0, MOST_WEIGHT,
    )  # fmt: skip
    imitate_own: float = setting(
        0.0, "share of the imitated games that the learner plays, at the end; the teacher says what it would do", 0, 1
    )
    imitate_players: tuple[int, ...] = setting(
        (0,), "player counts of the imitated games, each as often as the others; 0: that of the run", 0, MOST_ITEMS
    )
    dataset: tuple[str, ...] = setting(
        (), "recorded decisions to imitate after that: directories that `atlantis expert` wrote"
    )
    dataset_epochs: int = setting(6, "passes over the recorded decisions", 1, 1000)
    start: str = setting(
        "", "policy, or run with its value, to begin with instead of imitating a teacher that plays: directory or name"
    )
    start_temperature: float = setting(
        1.0, "what the logits of start are divided by: below 1, it samples more nearly its best actions", 0.01, 100
    )
    warmup: int = setting(4, "rounds after an imitation in which only the value learns")

    share_random: float = setting(0.0, "weight of the random player among opponents", 0, MOST_WEIGHT)
    share_heuristic: float = setting(1.0, "weight of the heuristic", 0, MOST_WEIGHT)
    share_snapshots: float = setting(0.0, "weight of earlier versions of the learner, together", 0, MOST_WEIGHT)
    share_policies: float = setting(0.0, "weight of the agents named in `policies`, together", 0, MOST_WEIGHT)
    policies: tuple[str, ...] = setting((), "further agents to play against: names (planner), directories of policies")
    priority: str = setting("even", "even: prefer opponents as strong as the learner; hard: those it loses to")
    mixed: bool = setting(False, "draw an opponent for each seat, not one for the whole table")
    snapshot_every: int = setting(20, "rounds between two snapshots of the learner", 1)
    max_snapshots: int = setting(8, "snapshots that are played against at a time", 1, 1000)

    checkpoint_every: int = setting(10, "rounds between two checkpoints", 1)
    keep_checkpoints: int = setting(2, "checkpoints kept, the newest", 1, 1000)
    options: Mapping[str, Any] = field(default_factory=dict, metadata={"about": "options of the game"})
    data: Mapping[str, Any] = field(
        default_factory=dict, metadata={"about": "tables that replace reconstructed ones; explicit options win"}
    )

    def __post_init__(self) -> None:
        """Refuse values that are not allowed.

        Raises:
            OptionError: naming the setting and what is allowed.
        """
        check_fields(self)
        _check_learner(self, PPO)
        if not self.imitate_players:
            raise OptionError("imitate_players: []; allowed: one or more player counts; 0: that of the run")
        if self.num_envs * self.num_steps < FEWEST_ROWS:
            counts = f"num_envs, num_steps: {self.num_envs}, {self.num_steps}"
            raise OptionError(f"{counts}; allowed: a product of {FEWEST_ROWS} or more: one advantage has no spread")
        if self.collectors > self.num_envs:
            raise OptionError(f"collectors: {self.collectors}; allowed: 1..{self.num_envs}, a game for each (num_envs)")
        if self.priority not in PRIORITIES:
            raise OptionError(f"priority: {repr_short(self.priority)}; allowed: {', '.join(map(repr, PRIORITIES))}")
        if self.learner_seat not in LEARNER_SEATS:
            allowed = ", ".join(map(repr, LEARNER_SEATS))
            raise OptionError(f"learner_seat: {repr_short(self.learner_seat)}; allowed: {allowed}")
        from atlantis_agents.networks.policy import ADVISERS

        if (self.advice or self.imitate_temperature) and self.teacher not in ADVISERS:
            raise OptionError(f"teacher: {repr_short(self.teacher)}; allowed: {', '.join(map(repr, ADVISERS))}")
        if self.share_random + self.share_heuristic + self.share_snapshots + self.share_policies <= 0:
            raise OptionError(
                "share_random, share_heuristic, share_snapshots, share_policies: all 0; allowed: one above"
            )
        if self.start_temperature != 1 and not self.start:
            raise OptionError(f"start_temperature: {self.start_temperature}; allowed: 1 without start")
        if bool(self.policies) != bool(self.share_policies):
            raise OptionError("policies and share_policies: one without the other; allowed: both or neither")

    @property
    def keeps_snapshots(self) -> bool:
        """Return whether the learner meets earlier versions of itself."""
        return self.share_snapshots > 0 and self.learner_seat != ALL_SEATS

    def to_json(self) -> dict[str, Any]:
        """Return the settings as plain values, for JSON."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}


OF_GAME = ("game", "players", "options")  # settings that say which game is played
TABLES = ("options", "data")  # settings that are tables of their own
_FIELDS = {item.name: item for item in fields(SelfPlaySettings)}


def setting_like(name: str, default: Any, about: str = "") -> Any:
    """Return a field with the range of a setting of a run, and its meaning if no other is given."""
    metadata = _FIELDS[name].metadata
    return field(default=default, metadata={**metadata, "about": about or metadata["about"]})


def check_fields(settings: Any) -> None:
    """Bring all fields of a dataclass of settings into the type of their defaults.

    Raises:
        OptionError: naming the setting: another type, or out of range.
    """
    for item in fields(settings):
        object.__setattr__(settings, item.name, _checked(item, getattr(settings, item.name)))


def _checked(item: Field[Any], value: Any) -> Any:
    """Return the value in the type of its default.

    Raises:
        OptionError: another type, or out of range.
    """
    name, default, about = item.name, item.default, item.metadata
    if name in TABLES:
        if not isinstance(value, Mapping) or not _plain(value):
            raise OptionError(
                f"{name}: {repr_short(value)}; allowed: a table of numbers, texts, booleans, lists, tables"
            )
        return dict(value)
    if isinstance(default, tuple):
        kind = type((*default, "")[0])
        if not isinstance(value, (list, tuple)) or not all(type(part) is kind for part in value):
            raise OptionError(f"{name}: {repr_short(value)}; allowed: a list of {kind.__name__}")
        if kind is int and not all(about["low"] <= part <= about["high"] for part in value):
            raise OptionError(f"{name}: {repr_short(value)}; allowed: each {about['low']}..{about['high']}")
        most = MAX_LAYERS if kind is int else MOST_ITEMS
        if len(value) > most:
            raise OptionError(f"{name}: {len(value)} of them; allowed: at most {most}")
        if not _plain(value):
            raise OptionError(f"{name}: {repr_short(value)}; allowed: names that are text")
        for part in value:
            _check_no_command(name, part)
        return tuple(value)
    if isinstance(default, float) and type(value) is int:
        value = float(value) if abs(value) < MOST_FLOAT else math.inf
    if type(value) is not type(default):
        raise OptionError(f"{name}: {repr_short(value)}; allowed: {type(default).__name__}")
    if isinstance(value, (int, float)) and not isinstance(value, bool) and not _within(value, about):
        allowed = f"{about['low']}..{about['high']}" if value > about["high"] else allowed_range(item)
        raise OptionError(f"{name}: {repr_short(value)}; allowed: {allowed}")
    if not _plain(value):
        raise OptionError(f"{name}: {repr_short(value)}; allowed: text")
    _check_no_command(name, value)
    return value


def _check_no_command(name: str, value: Any) -> None:
    """Refuse an agent that is a command: settings may come from a file, which must not run programs."""
    if isinstance(value, str) and f"{EXEC}:" in value:
        raise OptionError(f"{name}: {repr_short(value)}; allowed: an agent that is no command ({EXEC}:...)")


def _within(value: float, about: Mapping[str, Any]) -> bool:
    return about["low"] <= value <= about["high"] and math.isfinite(value)


def allowed_range(item: Field[Any]) -> str:
    """Return what a setting that is a number may be, as text; empty for others."""
    first = (*item.default, 0)[0] if isinstance(item.default, tuple) else item.default
    if isinstance(first, bool) or not isinstance(first, (int, float)):
        return ""
    low, high = item.metadata["low"], item.metadata["high"]
    return f"{low} or more" if high >= MOST_COUNT else f"{low}..{high}"


def _plain(value: Any) -> bool:
    """Return whether JSON and TOML can both hold the value, in UTF-8."""
    if isinstance(value, str):
        return not any("\ud800" <= letter <= "\udfff" for letter in value)
    if isinstance(value, Mapping):
        return all(isinstance(key, str) and _plain(key) and _plain(item) for key, item in value.items())
    if isinstance(value, (list, tuple)):
        return all(map(_plain, value))
    return isinstance(value, (bool, int)) or (isinstance(value, float) and math.isfinite(value))


def settings_from(values: Any, base: Any = None) -> Any:
    """Make the settings of a learner from names and values; what is not named is as in ``base``.

    Args:
        values: names and values; ``learner`` says whose settings they are, by default SelfPlaySettings.
        base: settings of the same learner; None: the defaults.

    Raises:
        OptionError: an unknown name, or a value that is not allowed.
    """
    if not isinstance(values, Mapping):
        raise OptionError(f"settings: {repr_short(values)}; allowed: a table")
    learner = values.get("learner", base.learner if base else PPO)
    if learner not in LEARNERS:
        raise OptionError(f"learner: {repr_short(learner)}; allowed: {', '.join(map(repr, LEARNERS))}")
    kind = LEARNERS[learner]
    if base and type(base) is not kind:
        raise OptionError(f"learner: {repr_short(learner)}; allowed here: {base.learner!r}")
    names = [item.name for item in fields(kind)]
    unknown = sorted((name for name in values if name not in names), key=str)
    if unknown:
        raise OptionError(f"settings: unknown {listed(unknown)}; allowed with {learner}: {', '.join(names)}")
    return replace(base, **values) if base else kind(**values)


def _check_without_budget(name: str, text: str) -> None:
    """Refuse a search that says how long it is; what else is wrong with it is told where it is made.

    Raises:
        OptionError: naming the setting.
    """
    from atlantis_agents.search.settings import parse_argument

    kind, colon, argument = text.partition(":")
    try:
        given = parse_argument(argument) if kind == "search" and colon else {}
    except OptionError:
        return
    if {"simulations", "ms"} & set(given):
        raise OptionError(f"{name}: {repr_short(text)}; allowed: a search without a number or ms, which budgets gives")


def read_toml(path: str | Path) -> dict[str, Any]:
    """Read what a TOML file says, as names and values.

    Raises:
        OptionError: it cannot be read, or says something that is not allowed.
    """
    try:
        raw = read_file(path)
    except ValueError as error:
        raise OptionError(f"settings: {error}") from None
    try:
        values = tomllib.loads(raw.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise OptionError(f"settings: {repr_short(Path(path))}: {one_line(error)}") from None
    settings_from(values)
    return values


def to_toml(settings: Any) -> str:
    """Write the settings as a TOML file that explains itself."""
    lines = ["# Settings of a self-play run; see docs/guide/training.md."]
    values = settings.to_json()
    lines += [
        f"{item.name} = {_toml(values[item.name])}  # {item.metadata['about']}"
        for item in fields(settings)
        if item.name not in TABLES
    ]
    for name in TABLES:
        if values[name]:
            lines += ["", f"[{name}]", *(f"{_toml(key)} = {_toml(value)}" for key, value in values[name].items())]
    return "\n".join(lines) + "\n"


def _toml(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_toml(key)} = {_toml(item)}" for key, item in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(_toml, value)) + "]"
    # JSON writes numbers, texts and booleans as TOML does, but for one letter that TOML wants written as a number.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


# ---------------------------------------------------------------------------------------------- temporal difference


@dataclass(frozen=True)
class TDSettings:
    """What learning afterstates by temporal difference needs to know; each field says what it means.

    A step is one decision with a choice, of any seat.
    """

    learner: str = setting_like("learner", TD)
    game: str = setting_like("game", "atlandice")
    players: int = setting_like("players", 0)
    steps: int = setting(30_000_000, "decisions with a choice in all, of all seats", 1)
    seconds: float = setting_like("seconds", 0.0)
    seed: int = setting_like("seed", 0)
    num_envs: int = setting_like("num_envs", 512)
    hidden: tuple[int, ...] = setting_like("hidden", (256, 256), "sizes of the hidden layers")
    features: bool = setting_like("features", False)
    features_edition: int = setting_like("features_edition", 0)
    batch_size: int = setting_like("batch_size", 1024)
    learning_rate: float = setting_like("learning_rate", 1e-3)
    learning_rate_end: float = setting_like("learning_rate_end", 5e-5)
    td_lambda: float = setting(0.7, "share of later values, 0: only the next choice, 1: only the result", 0, 1)
    temperature: float = setting(
        0.01,
        "choices have odds exp(value / this); values are chances to win, or with progress_weight 40 times the progress",
        1e-6,
        MOST_WEIGHT,
    )
    epsilon: float = setting(0.02, "share of choices that are random", 0, 1)
    replay: int = setting(400_000, "afterstates that are kept to learn from, the newest", 10_000, 10**7)
    replay_passes: float = setting(2.0, "how often each of them is learned from, on average", 0, 100)
    player_counts: tuple[int, ...] = setting(
        (0,), "numbers of players that are learned at the same time, by one network; 0: that of the run", 0, MOST_ITEMS
    )
    against: str = setting(
        "", "agent that has all seats but one and does not learn: the learner becomes its best response; '': itself"
    )
    start: str = setting_like("start", "", "policy that `--learner td` made, to begin with: a directory or a name")
    progress_weight: float = setting(
        0.0,
        "in cooperative games: weight of how far the team comes, beside whether it wins; above 0, an afterstate learns "
        "what is gained after it",
        0,
        1,
    )
    discount: float = setting_like(
        "discount",
        1.0,
        "below 1, with progress_weight: what is gained a choice later counts for less, by this; rises to 1 in the run",
    )
    evaluation_games: int = setting(
        300, "of each checkpoint against the usual opponent, for the curve; nothing is learned from them", 0, 10**6
    )
    checkpoint_every: int = setting_like("checkpoint_every", 200)
    keep_checkpoints: int = setting_like("keep_checkpoints", 1)
    options: Mapping[str, Any] = field(default_factory=dict, metadata={"about": "options of the game"})
    data: Mapping[str, Any] = field(
        default_factory=dict, metadata={"about": "tables that replace reconstructed ones; explicit options win"}
    )

    def __post_init__(self) -> None:
        """Refuse what is not allowed.

        Raises:
            OptionError: naming the setting and what is allowed.
        """
        check_fields(self)
        _check_learner(self, TD)
        if self.discount < 1 and not self.progress_weight:
            raise OptionError(f"discount: {self.discount}; allowed: 1, or less with progress_weight above 0")
        if not self.player_counts:
            raise OptionError("player_counts: []; allowed: one or more player counts; 0: that of the run")

    to_json = SelfPlaySettings.to_json


LEARNERS: dict[str, type[Any]] = {PPO: SelfPlaySettings, TD: TDSettings}


def _check_learner(settings: Any, learner: str) -> None:
    if settings.learner != learner:
        raise OptionError(f"learner: {repr_short(settings.learner)}; allowed here: {learner!r}")


# ------------------------------------------------------------------------------------------------ expert iteration

POLICY = "POLICY"  # in a teacher's text: the policy of the round before
SEARCH = "search:root=gumbel,noise=1,gate=0"


@dataclass(frozen=True)
class ExpertSettings:
    """What an expert iteration needs to know; each field says what it means."""

    game: str = setting_like("game", "")
    players: int = setting_like("players", 0)
    teacher: str = setting(SEARCH, "who plays in the first round; a search without a number")
    guided: str = setting(
        f"{SEARCH},guide={POLICY},leaf={POLICY}", f"who plays later; {POLICY} is that of the round before"
    )
    budgets: tuple[int, ...] = setting((16, 64), "simulations of a search, a usual decision first, then a large one")
    large_share: float = setting(0.25, "share of decisions with the last budget", 0, 1)
    decisions: int = setting(500_000, "with a choice, recorded in a round", 1, 10**9)
    rounds: int = setting(4, "of recording and fitting", 1, 1000)
    epsilon: float = setting(0.0, "share of decisions where something else is played than what the teacher says", 0, 1)
    company: tuple[str, ...] = setting(
        (), "who sits beside the learner; by default heuristic, planner where there is one, search:16"
    )
    company_share: float = setting(0.5, "share of games with one learner among company and policies before", 0, 1)
    start: str = setting(
        "", "policy whose network the first round begins with: the directory of a policy or a run, or 'network'"
    )
    pupil_share: float = setting(
        0.0,
        "share of the games that the policy of the round before plays, in the first round that of start; the teacher "
        "says what it would do",
        0,
        1,
    )
    epochs: int = setting(3, "passes over what was recorded, in every round", 1, 1000)
    window: int = setting(3, "rounds whose decisions are learned from", 1, 1000)
    dataset: tuple[str, ...] = setting((), "of an iteration, whose decisions every round learns from too")
    batch_size: int = setting(1024, "decisions that a step of gradient looks at", 1, 10**6)
    rate: float = setting(1e-3, "learning rate of a round, falling to a tenth", 0, 1)
    value_weight: float = setting(1.0, "what the shares of seats count for beside the policy", 0, 1000)
    value_temperature: float = setting(
        0.0,
        "above 0, the policy learns odds exp(expected win share / this) of the teacher, a search; 0: its odds",
        0,
        1000,
    )
    prior_temperature: float = setting(
        0.0,
        "above 0, with value_temperature: the policy that a round begins with is the prior of what is learned, its "
        "logits divided by this; 0: no prior",
        0,
        1000,
    )
    surprise_share: float = setting(
        0.5, "part of the weight that decisions have by how much the search changed its mind", 0, 1
    )
    hidden: tuple[int, ...] = setting_like("hidden", (256, 256))
    afterstates: bool = setting_like("afterstates", False)
    features: bool = setting_like("features", False)
    features_edition: int = setting_like("features_edition", 0)
    games: int = setting(600, "that every round's policy is measured with, at least; 0: none", 0, 10**6)
    seed: int = setting_like("seed", 0, "of everything")
    options: Mapping[str, Any] = field(default_factory=dict, metadata={"about": "options of the game"})

    def __post_init__(self) -> None:
        """Refuse what is not allowed.

        Raises:
            OptionError: naming the setting and what is allowed.
        """
        check_fields(self)
        if POLICY in self.teacher:
            raise OptionError(
                f"teacher: {repr_short(self.teacher)}; allowed: no {POLICY}, there is none in the first round"
            )
        for name in ("teacher", "guided"):
            _check_without_budget(name, getattr(self, name))
        if not self.budgets or any(not 1 <= budget <= 10**6 for budget in self.budgets):
            raise OptionError(f"budgets: {repr_short(list(self.budgets))}; allowed: one or more numbers 1..1000000")
        if self.prior_temperature and not (self.start and self.value_temperature):
            allowed = "0, or more with start and with value_temperature above 0"
            raise OptionError(f"prior_temperature: {self.prior_temperature}; allowed: {allowed}")

    def run(self) -> SelfPlaySettings:
        """Return settings of a run of the same game."""
        made: SelfPlaySettings = settings_from({"game": self.game, "players": self.players, "options": self.options})
        return made

    def teacher_of(self, number: int, out: Path) -> str:
        """Return who plays in a round."""
        if number == 1:
            return self.teacher
        return self.guided.replace(POLICY, str(policy_of(out, number - 1)))


def dataset_of(out: Path, number: int) -> Path:
    """Return the directory of what a round recorded."""
    return out / f"round-{number}" / "dataset"


def fit_of(out: Path, number: int) -> Path:
    """Return the directory of the checkpoints of its network."""
    return out / f"round-{number}" / "fit"


def policy_of(out: Path, number: int) -> Path:
    """Return the directory of a round's policy."""
    return out / f"round-{number}" / POLICY_DIRECTORY
