"""The settings of a search: read from a text or from keywords, checked against what the game has."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from atlantis_agents.heuristic import find_heuristic, heuristic_names
from atlantis_agents.heuristics import Heuristic
from atlantis_agents.search.memory import SEARCH_CONFIG, Horizon, Leaf, Plays, Rollout, Spread
from atlantis_agents.shipped import CRITIC, NETWORK, is_network
from atlantis_envs.base.arguments import is_integer
from atlantis_envs.base.files import is_directory
from atlantis_envs.base.values import decimal_number, listed, repr_short, whole_number
from atlantis_envs.engine.definition import IDENTICAL, Definition
from atlantis_envs.engine.records import plain, records
from atlantis_envs.errors import OptionError

HEURISTIC, ROLLOUT = "heuristic", "rollout"
POLICIES = (NETWORK, CRITIC, "the directory of a policy or a run")
WORDS = {ROLLOUT, *(name.lower() for name in (*Rollout.numbers(), *Leaf.numbers()))}  # never a directory; ./light is
MOST_DECISIONS = 1_000_000
LIMITS: dict[str, tuple[float, float]] = {  # of integers, and of other numbers
    "simulations": (1, 1_000_000),
    "ms": (0.1, 600_000.0),
    "least": (0, MOST_DECISIONS),
    "temperature": (0.001, 1e6),
    "margin": (0.0, 1.0),
    "prior": (0.0, 1.0),
    "explore": (0.0, 1000.0),
    "answers": (0.0, 1.0),
    "noise": (0.0, 10.0),
    "value_scale": (0.001, 1000.0),
    "gate": (0.0, 100.0),
    "considered": (0.001, 1e6),
    "threads": (1, 1024),
}
TREES = ("none", "puct")
HALVING, GUMBEL, RACE = "halving", "gumbel", "race"
ROOTS = (HALVING, GUMBEL)
SPREADS = (HALVING, "even", RACE)
VALUE_SCALE = 0.5  # see benchmarks/experiments/ablations.py
LEAST_LOOKED_AT = 2  # actions: else there would be nothing to compare


@dataclass(frozen=True)
class Settings:
    """Settings of one search agent, complete and allowed.

    Attributes:
        simulations: rollouts per decision; 0 where ``ms`` is the budget.
        ms: milliseconds per decision; 0: none. What is played then depends on the machine.
        rollout: see SearchDefaults, as for horizon, least, leaf, temperature, margin, prior, gate and considered; or
            ``network``, or the directory of a policy or a run, which plays every seat.
        leaf: besides, ``critic``, or the directory of a policy or a run that knows values; it need not be the one that
            plays.
        spread: "halving": the better half of the actions goes on; "even": all get equally many simulations; "race":
            those leave that are not ahead of the first-ranked one, and it ends early where none is.
        root: "halving": actions are compared by win shares; "gumbel": by log odds and win shares together, and a tree
            is grown from actions by turns (Danihelka et al. 2022).
        noise: scale of the Gumbel noise on the log odds; 0: none, to play as well as it can.
        value_scale: what a win share counts for beside log odds: so many times 50 + simulations of the action.
        tree: "none": flat root search; "puct": a tree, see tree.py; prior, considered and spread mean nothing to it.
        explore: how much PUCT looks at what is seldom tried.
        answers: chance of a tree's simulation that all others answer as in rollouts, not as PUCT chooses; it means
            nothing without a tree, and in cooperative games.
        guide: who ranks the actions before anything is simulated, in a tree at every node: "heuristic"; or ``network``,
            or the directory of a policy or a run.
        own: who plays the seat to decide, or its team, in rollouts: "rollout", as everybody; or ``network``, or the
            directory of a policy or a run.
        threads: positions searched at once; results do not depend on it.
    """

    simulations: int
    rollout: str
    horizon: int | str
    leaf: str
    temperature: float
    margin: float
    prior: float
    gate: float
    considered: float
    least: int = 0
    ms: float = 0.0
    spread: str = HALVING
    root: str = HALVING
    noise: float = 0.0
    value_scale: float = VALUE_SCALE
    tree: str = "none"
    explore: float = 1.0
    answers: float = 0.0
    guide: str = HEURISTIC
    own: str = ROLLOUT
    threads: int = 1

    def config(self) -> Any:
        """Return what kernels read of it, an array of one SEARCH_CONFIG."""
        made = records(1, SEARCH_CONFIG)
        numbers = "prior", "gate", "temperature", "margin", "simulations", "explore", "answers", "noise", "value_scale"
        for name in numbers:
            made[name] = getattr(self, name)
        actions = self.simulations / self.considered if self.simulations else math.inf
        made.considered = max(LEAST_LOOKED_AT, int(min(actions, MOST_DECISIONS)))
        made.rollout = Rollout.numbers().get(self.rollout.upper(), Rollout.HEURISTIC)
        made.leaf = Leaf.numbers().get(self.leaf.upper(), Leaf.SCORE)
        made.horizon = Horizon.DECISIONS
        if isinstance(self.horizon, str):
            made.horizon, made.limit = Horizon.numbers()[self.horizon.upper()], self.least
        else:
            made.limit = self.horizon
        made.spread = Spread.numbers()[self.spread.upper()]
        made.gumbel = self.root == GUMBEL
        return plain(made)

    @property
    def player(self) -> str:
        """Return the policy that kernels ask: it plays in rollouts, ranks in a tree or values; "": none does."""
        named = (self.rollout, self.own, HEURISTIC if self.tree == "none" else self.guide, self.leaf)
        return next((text for text in named if is_policy(text)), "")

    @property
    def ranks(self) -> bool:
        """Return whether that policy ranks the actions too."""
        return is_policy(self.guide) and self.guide == self.player

    @property
    def plays(self) -> Plays:
        """Return whom that policy plays."""
        if is_policy(self.rollout):
            return Plays.ALL
        return Plays.ROOT if is_policy(self.own) else Plays.NOBODY

    @property
    def text(self) -> str:
        """Return what follows the colon in a name that means these settings in full."""
        budget = f"ms={_written(self.ms)}" if self.ms else str(self.simulations)
        others = [name for name in NAMES if name not in {"simulations", "ms", "threads"}]
        parts = [f"{name}={_written(value)}" if isinstance(value := getattr(self, name), float) else f"{name}={value}"
                 for name in others]  # fmt: skip
        return ",".join([budget, *parts])


def _written(value: float) -> str:
    """Return a number with six digits and without an exponent, as ``parse_argument`` reads it."""
    return np.format_float_positional(float(f"{value:g}"), trim="-")


NAMES = tuple(field.name for field in fields(Settings))


def heuristic_of(definition: Definition) -> Heuristic | None:
    """Return the heuristic of a game, if there is one."""
    return find_heuristic(definition.name) if definition.name in heuristic_names() else None


def rollouts_of(definition: Definition) -> tuple[str, ...]:
    """Return who may play rollouts of this game."""
    heuristic = heuristic_of(definition)
    if heuristic is None:
        return ("random",)
    return ("heuristic", *(() if heuristic.deep is None else ("planner", "mixed")), "light", "random")


def leaves_of(definition: Definition) -> tuple[str, ...]:
    """Return what there is to value a game of this kind that was cut."""
    heuristic = heuristic_of(definition)
    own = () if definition.value is None else ("value",)
    return (*own, *(() if heuristic is None or heuristic.value is None else ("heuristic",)), "score")


def usual_settings(definition: Definition) -> Settings:
    """Return settings as the game declares them."""
    declared = definition.search
    usual = {field.name: getattr(declared, field.name) for field in fields(declared)}
    usual["rollout"] = usual["rollout"] or rollouts_of(definition)[0]
    return make_settings(definition, None, usual)


def parse_argument(argument: str) -> dict[str, Any]:
    """Read keywords out of ``64``, ``ms=20,rollout=mixed`` and the like.

    Raises:
        OptionError: a part is neither a number of simulations at the beginning nor ``name=value``, or comes twice.
    """
    given: dict[str, Any] = {}
    for index, part in enumerate(argument.split(",")):
        name, equals, value = part.partition("=")
        if not equals and index == 0 and part:
            name, value = "simulations", part
        elif not equals or name not in NAMES:
            raise _bad(
                argument, f"a number of simulations, then NAME=VALUE with commas, NAME one of {', '.join(NAMES)}"
            )
        if name in given:
            raise _bad(argument, f"each of {', '.join(NAMES)} once")
        whole, number = whole_number(value), decimal_number(value)
        given[name] = whole if whole is not None else value if number is None else number
    return given


def _bad(argument: str, allowed: str) -> OptionError:
    return OptionError(f"agent: {repr_short(f'search:{argument}')}; allowed: {allowed}")


def make_settings(definition: Definition, usual: Settings | None, given: Mapping[str, Any]) -> Settings:
    """Put ``given`` over ``usual``, checked.

    Raises:
        OptionError: naming the setting and what is allowed.
    """
    unknown = sorted(set(given) - set(NAMES))
    if unknown:
        raise OptionError(f"search: {listed(unknown)}; allowed: {', '.join(NAMES)}")
    if "ms" in given and "simulations" in given:
        raise OptionError("search: simulations and ms; allowed: one of them, the budget of a decision")
    changed = dict(given)
    if "ms" in given:
        changed["simulations"] = 0
    made = Settings(**changed) if usual is None else replace(usual, **changed)
    if "simulations" in given:
        made = replace(made, ms=0.0)
    _check(definition, made, "ms" in given)
    return made


def _check(definition: Definition, made: Settings, timed: bool) -> None:
    _check_limits(made, "ms" if timed else "simulations")
    for name, words in allowed_words(definition).items():
        if not is_policy(getattr(made, name)):
            _one_of(made, name, words)
    if is_policy(made.rollout):
        _one_of(made, "own", (ROLLOUT,), " with a policy as rollout")
    _one_of(made, "spread", SPREADS)
    _one_of(made, "root", ROOTS)
    if made.spread == RACE:
        _one_of(made, "root", (HALVING,), f" with spread={RACE}")
    _one_of(made, "tree", TREES)
    if made.tree != "none":
        where = f" with tree={made.tree}"
        _one_of(made, "spread", (HALVING,), where)
        _one_of(made, "own", (ROLLOUT,), where)
        if is_policy(made.guide) and made.player != made.guide:
            _one_of(made, "guide", (HEURISTIC, made.player), f"{where} and that policy in its rollouts")
    words = ("end",) if definition.phase is None else ("end", "round")
    counted = is_integer(made.horizon) and 0 <= int(made.horizon) <= MOST_DECISIONS
    if not counted and not (isinstance(made.horizon, str) and made.horizon in words):
        or_number = f"{', '.join(words)}, or a number of decisions 0..{MOST_DECISIONS}"
        raise OptionError(f"search: horizon={repr_short(made.horizon)}; allowed: {or_number}")
    _check_limits(made, "least", "temperature", "margin")
    if made.margin and definition.utility == IDENTICAL:
        raise OptionError(f"search: margin={repr_short(made.margin)}; allowed: 0 where a game is won together")
    _check_limits(made, "prior", "explore", "answers", "noise", "value_scale", "gate", "considered", "threads")


def is_policy(value: Any) -> bool:
    """Return whether a setting names a policy: ``network``, or a directory that is not called like another value."""
    return isinstance(value, str) and value not in WORDS and (is_network(value) or is_directory(value))


def allowed_words(definition: Definition) -> dict[str, tuple[str, ...]]:
    """Return what the settings allow, beside directories, that may name a policy."""
    own = {"rollout": rollouts_of(definition), "guide": (HEURISTIC,), "own": (ROLLOUT,), "leaf": leaves_of(definition)}
    return {name: (*words, *POLICIES) for name, words in own.items()}


def _one_of(made: Settings, name: str, allowed: tuple[str, ...], where: str = "") -> None:
    value = getattr(made, name)
    if not isinstance(value, str) or value not in allowed:
        raise OptionError(f"search: {name}={repr_short(value)}; allowed{where}: {', '.join(allowed)}")


def _check_limits(made: Settings, *names: str) -> None:
    for name in names:
        value, (low, high) = getattr(made, name), LIMITS[name]
        whole = isinstance(low, int)
        number = is_integer(value) if whole else isinstance(value, (int, float)) and not isinstance(value, bool)
        if not number or not low <= value <= high:
            allowed = f"an integer {low}..{high}" if whole else f"a number {low:g}..{high:g}"
            raise OptionError(f"search: {name}={repr_short(value)}; allowed: {allowed}")
