"""What a game is to the engine: one frozen declaration of data and kernels, no subclassing.

A *state* is one record of the game's dtype and holds the position and nothing else. It is a decision node, a chance
node or over; the same ``apply`` takes an action id or an outcome id, by the node. A *rules* record holds everything an
option can change. Kernels neither allocate nor raise; illegal input is refused once, where it comes in.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from importlib import import_module
from pickle import PicklingError, UnpicklingError
from types import FrameType
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from atlantis_envs.base.values import repr_short
from atlantis_envs.engine.defaults import no_faults, no_resample, no_scores, read_state, stored_fields, write_state
from atlantis_envs.engine.layout import Layout, Texts
from atlantis_envs.engine.records import has_padding
from atlantis_envs.errors import PositionError

if TYPE_CHECKING:
    from atlantis_envs.drawing.look import Look

CHANCE = -1  # what ``node`` returns instead of a seat
OVER = -2
MOST_PLIES = 1_000_000  # decisions: a game in play that has had so many is cut off, whatever its declaration promises
ZERO_SUM = "zero-sum"
IDENTICAL = "identical"
NOWHERE = "nowhere"  # is hidden information sampled, where a game declares no resample

Record = Any  # one record of a structured array: attribute access, compiled or not
Row = Any  # one row of a NumPy array, written by a kernel


class Options(Protocol):
    """A game's options: a frozen dataclass of JSON values that can fill a rules record. GameOptions is one."""

    @property
    def players(self) -> int:
        """Return the number of seats."""
        ...

    def to_json(self) -> dict[str, Any]:
        """Return all options as written in a position."""
        ...

    def fill(self, rules: Record) -> None:
        """Write the rules record."""
        ...


@dataclass(frozen=True)
class Provenance:
    """Where a datum of a game comes from.

    >>> from atlantis_envs.authoring import Provenance
    >>> Provenance("the tiles in the bags", "reconstructed", "17.2", "tile_set").replaceable
    'tile_set'

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
    """Four numbers that say which behaviour a file was made with.

    >>> from atlantis_envs.authoring import Versions
    >>> Versions(rules=2, observation=1, actions=1, chance=1).rules
    2

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
class SearchDefaults:
    """Settings of the agent ``search``, as far as the game declares them; docs/guide/search.md explains them.

    >>> from atlantis_envs.authoring import SearchDefaults
    >>> SearchDefaults(rollout="heuristic", horizon="round").simulations
    64

    Attributes:
        simulations: rollouts for one decision.
        rollout: who plays them on: "heuristic", "planner", "mixed" or "random"; "": the heuristic if there is one, else
            at random.
        horizon: where they are cut: "end", "round" (where the game's ``phase`` changes) or a number of decisions.
        least: with "round", decisions before which nothing is cut.
        leaf: what a game that was cut is worth: "value" (the game's own), "heuristic" (that of its rules of thumb) or
            "score" (a softmax of what lies on the table).
        temperature: points of score that make e times the chance of winning, for the leaf "score" and for ``margin``.
        margin: the part, 0..1, that the final scores have in what a game to its end is worth, beside won or lost.
        prior: win share that the heuristic's first choice is given in advance; the others get less, by their ranks.
        gate: standard errors by which another action must beat the heuristic's choice; 0: none, the best is played.
        considered: simulations per action that is looked at; the heuristic's first choices are, the others are not.
    """

    simulations: int = 64
    rollout: str = ""
    horizon: int | str = "end"
    least: int = 0
    leaf: str = "score"
    temperature: float = 1.0
    margin: float = 0.0
    prior: float = 0.0
    gate: float = 0.0
    considered: float = 4.0


VALUE_ROOM = 128  # slots of the row that a ``value`` kernel gets; beyond those of the seats it may write what it likes
USUAL_SEARCH = SearchDefaults()


def _declaring_modules() -> tuple[str, ...]:
    """Return where a declaration in the making may come to stand: the modules of the caller and of what is loading.

    They differ where a function of another module makes it.
    """
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__") in (__name__, "dataclasses", "copy"):
        frame = frame.f_back
    found = [] if frame is None else [frame.f_globals.get("__name__", "")]
    while frame is not None and frame.f_code.co_name != "<module>":
        frame = frame.f_back
    if frame is not None:
        found.append(frame.f_globals.get("__name__", ""))
    return tuple(dict.fromkeys(found))


def plain_look() -> Look:
    """Return how a game looks that says nothing about it: its positions are shown as text."""
    from atlantis_envs.drawing.plain import LOOK

    return LOOK


@dataclass(frozen=True)
class Definition:
    """A game, declared: first what every game must say, then what has a default.

    >>> definition = atlantis_envs.game("atlandice").definition
    >>> definition.title, definition.min_players, definition.max_players, definition.utility
    ('Atlandice', 2, 4, 'zero-sum')

    docs/guide/your-own-game.md declares a whole one.

    A declaration stands under a name at the top of a module, as in ``GAME = Definition(...)``. It is pickled as that
    place, so that other processes find it again.

    Of the kernels ``rules`` and ``state`` are records, and the last argument is written.

    Kernels:
        reset(rules, state): set up the empty table, before any chance.
        node(rules, state): return the seat to decide, CHANCE or OVER.
        legal(rules, state, mask): write 1 for each legal action, int8. At a decision node at least one is legal.
        chance(rules, state, weights): return (stream, first, stop) and write integer weights of all outcomes
            first..stop-1; the others have weight 0. ``stream`` indexes ``streams``.
        apply(rules, state, index): play an action or an outcome.
        observe(rules, state, seat, out): write a uint8 row, only what that seat may know, own seat first.
        returns(rules, state, out): write float64 per seat, at the end.
        scores(rules, state, out): write int64 per seat, the score so far. Default: 0 for every seat.
        check(rules, state): return bits of ``flags``; 0 = sound. Kernels trust their arguments, so a game without
            a check reads no positions from documents.
        resample(rules, state, seat, rng): sample what that seat cannot know. Return False if nothing can be drawn
            there. ``rng`` is a row of engine.chance, ``resample_nodes`` says at which nodes. Default: there is none.
            A game in which nothing is hidden declares one that does nothing.
        potential(rules, state): return how far the team has come, float64, about 0..1. For IDENTICAL utility: shaping,
            and teams that learn gains of progress. A function of what every seat may see. Default: none.
        truncated(rules, state): return whether a game that is over was cut off by a safety bound. Then nobody has won
            and every return is 0. Default: no game ever is.
        phase(rules, state): return an integer that changes where a comparison of positions is fair, mostly the number
            of the round. Default: none, and search has no horizon "round".
        value(rules, state, out): write the win share that each seat may hope for, float64, 0..1, in a game that is
            not over. ``out`` has VALUE_ROOM slots; those beyond the seats are free for use. It may look at everything:
            what the seat to decide cannot know was redrawn before. Default: none, and search has no leaf "value".

    Attributes:
        name: lower case, as in ``atlantis_envs.game(name)``.
        title: for people.
        min_players: smallest number of seats.
        max_players: largest number of seats.
        utility: ZERO_SUM or IDENTICAL.
        state_dtype: dtype of a state, from records.packed.
        rules_dtype: dtype of a rules record, from records.packed.
        parse_options: (players, data, options) -> Options; raises OptionError.
        actions: action texts.
        outcomes: chance outcome texts.
        observation: layout.
        bound: (options) -> a number of nodes no game exceeds.
        versions: see Versions. Default: 1 everywhere.
        default_players: seats if none are named. Default: ``min_players``.
        streams: names of the independent chance streams. Default: a single one.
        bound_reason: why no game exceeds the bound.
        flags: for each bit of ``check``, the JSON path to look at and what is wrong there.
        provenance: where the data come from.
        resample_nodes: at which nodes ``resample`` can sample what a seat cannot know, in words.
        search: how search plays this game unless its settings say otherwise.
        to_json: (options, state) -> position; from_json: (document) -> (options, array of one state with every field in
            range), raises PositionError. Declared both or neither; by default a document holds the fields of the state
            under their names, which have to be integers, bool or arrays of these.
        look: () -> the game's pictures, text and phrases (drawing/look.py). It is called when a position is to be seen,
            so it may import what draws. Default: positions are shown as text.
        modules: where the declaration is looked for when it is pickled; found out, not declared.
    """

    name: str
    title: str
    min_players: int
    max_players: int
    utility: str
    state_dtype: np.dtype[Any]
    rules_dtype: np.dtype[Any]
    parse_options: Callable[[int | None, Mapping[str, Any] | None, Mapping[str, Any]], Options]
    actions: Texts
    outcomes: Texts
    observation: Layout
    bound: Callable[[Any], int]
    reset: Callable[..., Any] = field(repr=False)
    node: Callable[..., Any] = field(repr=False)
    legal: Callable[..., Any] = field(repr=False)
    chance: Callable[..., Any] = field(repr=False)
    apply: Callable[..., Any] = field(repr=False)
    observe: Callable[..., Any] = field(repr=False)
    returns: Callable[..., Any] = field(repr=False)

    scores: Callable[..., Any] = field(default=no_scores, repr=False)
    check: Callable[..., Any] = field(default=no_faults, repr=False)
    resample: Callable[..., Any] = field(default=no_resample, repr=False)
    potential: Callable[..., Any] | None = field(default=None, repr=False)
    truncated: Callable[..., Any] | None = field(default=None, repr=False)
    phase: Callable[..., Any] | None = field(default=None, repr=False)
    value: Callable[..., Any] | None = field(default=None, repr=False)
    versions: Versions = Versions(1, 1, 1, 1)
    default_players: int = 0
    streams: tuple[str, ...] = ("chance",)
    bound_reason: str = "as the game declares"
    flags: tuple[tuple[str, str], ...] = ()
    provenance: tuple[Provenance, ...] = ()
    resample_nodes: str = ""
    search: SearchDefaults = USUAL_SEARCH
    to_json: Callable[[Any, Record], dict[str, Any]] | None = None
    from_json: Callable[[Any], tuple[Options, Any]] | None = None
    look: Callable[[], Look] = plain_look
    modules: tuple[str, ...] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        """Fill in what follows from the rest, and refuse what would go wrong later.

        Raises:
            ValueError: padding; field names that mean something else once a record allows attribute access; numbers of
                players out of order; one of ``to_json`` and ``from_json``; a field that no document can hold; a
                ``look`` that is no function.
        """
        self._fill("modules", _declaring_modules())
        taken = set(dir(np.recarray))
        for dtype in (self.state_dtype, self.rules_dtype):
            if has_padding(dtype):
                raise ValueError(f"{self.name}: a record with padding has undefined bytes; make it with records.packed")
            clash = sorted(taken & set(dtype.names or ()))
            if clash:
                raise ValueError(f"{self.name}: field names {clash} are attributes of np.recarray; rename them")
        self._fill("default_players", self.default_players or self.min_players)
        if not 1 <= self.min_players <= self.default_players <= self.max_players:
            numbers = f"{self.min_players}, {self.default_players}, {self.max_players}"
            raise ValueError(f"{self.name}: least, usual and most players are {numbers}; allowed: 1 or more, rising")
        nodes = "every node" if self.resample_nodes in ("", NOWHERE) else self.resample_nodes
        self._fill("resample_nodes", NOWHERE if self.resample is no_resample else nodes)
        if not callable(self.look):
            allowed = "a function without arguments that returns a Look"
            raise ValueError(f"{self.name}: look: {repr_short(self.look)}; allowed: {allowed}")
        if (self.to_json is None) != (self.from_json is None):
            raise ValueError(f"{self.name}: to_json and from_json go together; one of them is missing")
        if self.to_json is None:
            stored_fields(self.name, self.state_dtype)

    def _fill(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    def write(self, options: Options, state: Record) -> dict[str, Any]:
        """Return a position as a document of plain values."""
        if self.to_json is not None:
            return self.to_json(options, state)
        return write_state(self.name, self.state_dtype, options, state)

    def read(self, document: Any) -> tuple[Options, Any]:
        """Return options and an array of one state, every field in range; ``check`` says whether they fit together.

        Raises:
            PositionError: every fault with its JSON path.
        """
        if self.from_json is not None:
            return self.from_json(document)
        if self.check is no_faults:
            raise PositionError([("", f"{self.name} declares no check, and so none of its positions can be read")])
        return read_state(self.name, self.state_dtype, self.parse_options, document)

    def kernels(self) -> dict[str, Callable[..., Any]]:
        """Return the kernels by name, optional ones only where there are any."""
        return {f.name: getattr(self, f.name) for f in fields(self) if not f.repr and getattr(self, f.name)}

    def __deepcopy__(self, memo: Any = None) -> Definition:
        """Return itself: a declaration is immutable."""
        return self

    __copy__ = __deepcopy__

    def __reduce__(self) -> tuple[Callable[..., Definition], tuple[str, str]]:
        """Pickle as the module and the name it stands under.

        Raises:
            pickle.PicklingError: it stands under no name there, so nobody could find it again.
        """
        for module in self.modules:
            found = sys.modules.get(module)
            for name, value in () if found is None else list(vars(found).items()):
                if value is self:
                    return find_definition, (module, name)
        raise PicklingError(
            f"{self.name}: no name in {' and '.join(self.modules)} means this declaration, so no other process finds "
            "it; allowed: one at the top of a module, as in GAME = Definition(...)"
        )


def find_definition(module: str, name: str) -> Definition:
    """Return the declaration that stands under a name in a module.

    Raises:
        pickle.UnpicklingError: there is no such module here, or no declaration of that name in it.
    """
    path = f"{module}:{name}"
    try:
        found = getattr(import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise UnpicklingError(f"the game declared at {path} cannot be found here ({error})") from error
    if not isinstance(found, Definition):
        raise UnpicklingError(f"{path} is {repr_short(found)}; allowed: a Definition")
    return found
