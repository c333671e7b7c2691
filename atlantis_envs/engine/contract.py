"""What a game is to the engine: one frozen declaration of data and kernels, no subclassing.

A *state* is one record of the game's dtype and holds the position and nothing else. It is a decision node, a chance
node or over; the same ``apply`` takes an action id or an outcome id, by the node. A *rules* record holds everything an
option can change. Kernels neither allocate nor raise; illegal input is refused once, at the face.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Protocol

import numpy as np

from atlantis_envs.engine.layout import Layout, Texts
from atlantis_envs.engine.records import has_padding

CHANCE = -1  # what ``node`` returns instead of a seat
OVER = -2
ZERO_SUM = "zero-sum"
IDENTICAL = "identical"

Record = Any  # one record of a structured array: attribute access, compiled or not
Row = Any  # one row of a NumPy array, written by a kernel


class Options(Protocol):
    """A game's options: a frozen dataclass of JSON values that can fill a rules record."""

    @property
    def players(self) -> int:
        """Number of seats."""
        ...

    def to_json(self) -> dict[str, Any]:
        """All options as written in a position."""
        ...

    def fill(self, rules: Record) -> None:
        """Write the rules record."""
        ...


@dataclass(frozen=True)
class Provenance:
    """Where a datum comes from.

    Attributes:
        datum: what it is.
        tag: "book", "inferred", "source", "ruling" or "reconstructed".
        source: the clause of the rules file.
        replaceable: the option or data key that replaces it, or "".
    """

    datum: str
    tag: str
    source: str
    replaceable: str = ""


@dataclass(frozen=True)
class Versions:
    """Four numbers that say which behaviour a file was made with; golden hashes fail when one moves alone.

    Attributes:
        rules: legal sets, transitions, chance weights, returns.
        observation: the meaning of observation bytes and masks.
        actions: the numbering of actions and outcomes.
        chance: which outcome a seed gives.
    """

    rules: int
    observation: int
    actions: int
    chance: int


@dataclass(frozen=True)
class Definition:
    """A game, declared.

    Kernels (``rules`` and ``state`` are records, the last argument is written):
        reset(rules, state): the empty table, before any chance.
        node(rules, state) -> seat to decide, CHANCE or OVER.
        legal(rules, state, mask): int8 row of all actions; never empty at a decision node.
        chance(rules, state, weights) -> (stream, first, stop): integer weights of the outcomes first..stop-1, all of
            which are written; the others have weight 0. ``stream`` indexes ``streams``.
        apply(rules, state, index): plays an action or an outcome.
        observe(rules, state, seat, out): uint8 row; only what that seat may know, own seat first.
        scores(rules, state, out): int64 per seat, what lies on the table now.
        returns(rules, state, out): float64 per seat, at the end.
        check(rules, state) -> bits of ``flags``; 0 = sound.
        resample(rules, state, seat, rng) -> False if the position has no law, else True or nothing: redraw what that
            seat cannot know; ``rng`` is an engine.sampling row.
        potential(rules, state) -> float64, optional, for games of IDENTICAL utility: how far everybody together has
            come, about 0..1, a function of what every seat may see. For shaping alone; never part of a return.

    Attributes:
        name: lower case, as in ``atlantis_envs.game(name)``.
        title: for people.
        versions: see Versions.
        min_players: smallest number of seats.
        max_players: largest number of seats.
        default_players: seats if none are named.
        utility: ZERO_SUM or IDENTICAL.
        state_dtype: dtype of a state.
        rules_dtype: dtype of a rules record.
        parse_options: (players, data, options) -> Options; raises OptionError.
        actions: action texts.
        outcomes: chance outcome texts.
        streams: names of the independent chance streams.
        observation: layout.
        bound: (options) -> a number of nodes no game exceeds.
        bound_reason: why.
        flags: for each bit of ``check``, the JSON path to look at and what is wrong there.
        provenance: where the data come from.
        to_json: (options, state) -> position; from_json: (document) -> (options, array of one state
            with every field in range), raises PositionError.
    """

    name: str
    title: str
    versions: Versions
    min_players: int
    max_players: int
    default_players: int
    utility: str
    state_dtype: np.dtype[Any]
    rules_dtype: np.dtype[Any]
    parse_options: Callable[[int | None, Mapping[str, Any] | None, Mapping[str, Any]], Options]
    actions: Texts
    outcomes: Texts
    streams: tuple[str, ...]
    observation: Layout
    bound: Callable[[Any], int]
    bound_reason: str
    flags: tuple[tuple[str, str], ...]
    provenance: tuple[Provenance, ...]
    to_json: Callable[[Any, Record], dict[str, Any]]
    from_json: Callable[[Any], tuple[Options, Any]]
    reset: Callable[..., Any] = field(repr=False)
    node: Callable[..., Any] = field(repr=False)
    legal: Callable[..., Any] = field(repr=False)
    chance: Callable[..., Any] = field(repr=False)
    apply: Callable[..., Any] = field(repr=False)
    observe: Callable[..., Any] = field(repr=False)
    scores: Callable[..., Any] = field(repr=False)
    returns: Callable[..., Any] = field(repr=False)
    check: Callable[..., Any] = field(repr=False)
    resample: Callable[..., Any] = field(repr=False)
    potential: Callable[..., Any] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        """Refuse padding, and field names that mean something else once a record allows attribute access."""
        taken = set(dir(np.recarray))
        for dtype in (self.state_dtype, self.rules_dtype):
            if has_padding(dtype):
                raise ValueError(f"{self.name}: a record with padding has undefined bytes; make it with records.packed")
            clash = sorted(taken & set(dtype.names or ()))
            if clash:
                raise ValueError(f"{self.name}: field names {clash} are attributes of np.recarray; rename them")

    def kernels(self) -> dict[str, Callable[..., Any]]:
        """The kernels by name, optional ones only where there are any."""
        return {f.name: getattr(self, f.name) for f in fields(self) if not f.repr and getattr(self, f.name)}
