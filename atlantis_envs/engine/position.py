"""One position as a Python object: for search, tests, replays and reading along."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from atlantis_envs.base.arguments import checked_seed, fresh_seed, integer, is_integer
from atlantis_envs.base.values import repr_short
from atlantis_envs.engine.definition import CHANCE, MOST_PLIES, OVER
from atlantis_envs.engine.records import compact, read_only
from atlantis_envs.engine.setup import Setup
from atlantis_envs.engine.threads import PROCESS, in_use, shared
from atlantis_envs.errors import IllegalActionError, IllegalChanceError

ONE = (1,)  # the shape of an array of one state


class Position:
    """A position of a game: a decision node, a chance node, or over. Mutable; ``clone`` before trying moves.

    >>> position = atlantis_envs.game("atlandice", players=3).initial_position()
    >>> position.chance_outcomes()
    {'reveal J1': 1, 'reveal J2': 1, 'reveal J3': 1}
    >>> position.apply("reveal J2")

    The 1,000,000th decision cuts a game off: then it is over and ``truncated``. A position of a game in play counts on
    from the decisions of that game, any other one from where it was made; JSON holds no count.

    Any number of threads may look at a position and clone it; while one applies a move to it, another that applies or
    clones gets InUseError, and its call has changed nothing.

    Attributes:
        game: the Game, with its options.
        state: recarray of one record, read-only: ``apply`` is the way to change it.
    """

    __slots__ = ("_arrays", "_chance", "_held", "_history", "_plies", "_raw", "game")

    _arrays: tuple[Any, Any]  # the rules, and the state in ``_raw``, as the compiled loops take them
    _chance: tuple[int, int, NDArray[np.uint32]] | None  # seed, game index, counters; never written to, so shared
    _held: object | None  # engine.threads
    _history: tuple[Any, str] | None
    _plies: int  # decisions so far

    def __init__(self, game: Setup, state: Any) -> None:
        """Copy an array of one state, of the game's dtype."""
        self._take(game, bytearray(state.tobytes()))

    def _take(self, game: Setup, raw: bytearray, history: Any = None, chance: Any = None, plies: int = 0) -> None:
        # The state lies in bytes of Python's own: copying an array of records asks every field for its type, 7-19 us.
        self.game = game
        self._raw = raw
        self._arrays = (game.plain_rules, np.ndarray(ONE, game.record_dtype, raw))
        self._history = history
        self._chance = chance
        self._plies = plies
        self._held = None

    @property
    def state(self) -> Any:
        """Return the state as a recarray of one record: the memory that ``apply`` changes; NumPy does not write to it.

        torch and ctypes can; what they write nobody has checked, and ``apply`` may then do anything.
        """
        return read_only(self._arrays[1]).view(np.recarray)

    def attach_chance(self, seed: int, game_index: int, counters: NDArray[np.uint32], plies: int = 0) -> None:
        """Let ``sample_chance()`` without a seed go on as a batch lane would, after so many decisions of its game."""
        self._chance = (seed, game_index, counters.copy())
        self._plies = plies

    def cut_off(self) -> None:
        """End the game here, as its 1,000,000th decision does; nothing changes where its rules have ended it."""
        self._plies = MOST_PLIES

    # --------------------------------------------------------------------------------------------------- looking

    def _node(self) -> int:
        return OVER if self._plies >= MOST_PLIES else int(self.game.for_positions.node(*self._arrays))

    def _cut(self) -> bool:
        """Return whether the 1,000,000th decision ended the game, and not its rules."""
        return self._plies >= MOST_PLIES and int(self.game.for_positions.node(*self._arrays)) != OVER

    @property
    def node(self) -> str:
        """Return what happens next: "decision", "chance" or "over"."""
        code = self._node()
        return "chance" if code == CHANCE else "over" if code == OVER else "decision"

    @property
    def seat(self) -> int | None:
        """Return the seat to decide; None at chance nodes and when over."""
        code = self._node()
        return code if code >= 0 else None

    def _mask(self) -> NDArray[np.int8]:
        mask = np.zeros(self.game.num_actions, np.int8)
        if self._plies < MOST_PLIES:
            self.game.for_positions.legal(*self._arrays, mask)
        return mask

    def legal_actions(self) -> list[str]:
        """Return texts of the legal actions in id order; [] where nobody decides."""
        return [self.game.actions[index] for index in self._mask().nonzero()[0].tolist()]

    def legal_action_ids(self) -> list[int]:
        """Return ids of the legal actions, the ones of ``legal_actions`` in the same order; [] where nobody decides."""
        ids: list[int] = self._mask().nonzero()[0].tolist()
        return ids

    def chance_outcomes(self) -> dict[str, int]:
        """Return outcome text -> integer weight in id order; {} where chance does not decide.

        Raises:
            IllegalChanceError: chance decides, but no outcome can happen or a weight is negative: broken.
        """
        return {self.game.outcomes[index]: weight for index, weight in self.chance_outcome_ids().items()}

    def chance_outcome_ids(self) -> dict[int, int]:
        """Return outcome id -> integer weight, the ones of ``chance_outcomes`` in the same order.

        Raises:
            IllegalChanceError: as ``chance_outcomes``.
        """
        return self._chances()[1] if self._node() == CHANCE else {}

    def _chances(self) -> tuple[int, dict[int, int]]:
        """Return the stream of a chance node, and the weights of what can happen."""
        every = np.zeros(len(self.game.outcomes), np.int64)
        stream, first, stop = self.game.for_positions.chance(*self._arrays, every)
        weights = every[first:stop].tolist()
        if not any(weights) or min(weights) < 0:
            broken = "; ".join(f"{path}: {text}" for path, text in self.faults()) or "check finds nothing"
            raise IllegalChanceError(
                f"a chance node without outcomes, or with negative weights, so this position is broken ({broken}); "
                "allowed: sound positions"
            )
        return stream, {index: weight for index, weight in enumerate(weights, first) if weight > 0}

    def action_mask(self, seat: int) -> NDArray[np.int8]:
        """Return int8 (A,): 1 = legal for this seat now; all zero unless it is the one to decide.

        Raises:
            ValueError: no such seat.
        """
        if self._node() == integer("seat", seat, 0, self.game.players - 1):
            return self._mask()
        return np.zeros(self.game.num_actions, np.int8)

    def observation(self, seat: int) -> NDArray[np.uint8]:
        """Return uint8 (F,): what this seat may know, own seat first.

        Raises:
            ValueError: no such seat.
        """
        out = np.zeros(self.game.observation_size, np.uint8)
        self.game.for_positions.observe(*self._arrays, integer("seat", seat, 0, self.game.players - 1), out)
        return out

    def scores(self) -> list[int]:
        """Return the score of each seat as things stand now."""
        out = np.zeros(self.game.definition.max_players, np.int64)
        self.game.for_positions.scores(*self._arrays, out)
        points: list[int] = out[: self.game.players].tolist()
        return points

    def returns(self) -> list[float]:
        """Return the return of each seat.

        Raises:
            ValueError: the game is not over.
        """
        if self._node() != OVER:
            raise ValueError(f"returns: the node is {self.node!r}; allowed: only when the game is over")
        out = np.zeros(self.game.definition.max_players, np.float64)
        if not self._cut():
            self.game.for_positions.returns(*self._arrays, out)
        pay: list[float] = out[: self.game.players].tolist()
        return pay

    @property
    def truncated(self) -> bool:
        """Return whether a safety bound cut the game off: it is over, nobody has won or lost, all returns are 0."""
        return self._cut() or (self._node() == OVER and bool(self.game.for_positions.truncated(*self._arrays)))

    def check(self) -> int:
        """Return bits of what is broken, 0 = sound; ``faults`` says it in words."""
        return int(self.game.for_positions.check(*self._arrays))

    def faults(self) -> list[tuple[str, str]]:
        """Return what ``check`` found, as (JSON path, what is wrong there)."""
        flags = self.check()
        return [fault for bit, fault in enumerate(self.game.definition.flags) if flags >> bit & 1]

    def svg(
        self,
        seat: int | None = None,
        theme: str = "light",
        last: Position | None = None,
        legal: bool = False,
        names: Sequence[str] | None = None,
    ) -> str:
        """Return a picture of the position, as SVG markup without ids, style sheets and links.

        Args:
            seat: who looks, and sees no more than it may know; None: everything is shown.
            theme: "light" or "dark".
            last: an earlier position of the game; what has changed since is outlined with dots.
            legal: outline what can be done.
            names: of the seats; None: "seat 0" and so on.

        Raises:
            ValueError: no such seat or theme, a position of another game, or not one name for every seat.
        """
        return self.game.definition.look().svg(self, seat, theme, last, legal, names)

    def png(self, width: int | None = None, **svg_options: Any) -> bytes:
        """Return the same picture as a PNG file, ``width`` pixels wide; needs the extra ``look``.

        Args:
            width: 100..8000; None: as many as the picture has units.
            **svg_options: as for ``svg``.

        Raises:
            MissingPackageError: resvg-py is not installed.
            ValueError: as ``svg``, or no such width.
        """
        return self.game.definition.look().png(self, width, **svg_options)

    def _repr_svg_(self) -> str:
        """Return what a notebook shows."""
        return self.svg()

    # --------------------------------------------------------------------------------------------------- moving

    def apply(self, move: int | str) -> None:
        """Play an action at a decision node, an outcome at a chance node; either as its text or as its id.

        Raises:
            IllegalActionError: not legal here, unknown, or neither text nor id.
            IllegalChanceError: not an outcome of this chance node, or it has none.
            InUseError: another thread is applying a move.
            The position is unchanged after any of them.
        """
        token = PROCESS.token
        if self._held is token:
            raise in_use(self, "apply")
        try:
            self._held = token
            code = self._node()
            if code == OVER:
                raise IllegalActionError(f"{repr_short(move)}: the game is over; allowed: nothing")
            if code == CHANCE:
                index, stream = self._outcome_id(move)
                text = self.game.outcomes[index]
                if self._chance is not None:
                    seed, game_index, counters = self._chance
                    counters = counters.copy()
                    counters[stream] += 1
                    self._chance = (seed, game_index, counters)
            else:
                index = self._action_id(move)
                text = self.game.actions[index]
            self.game.for_positions.apply(*self._arrays, index)
            self._plies += code != CHANCE
            self._history = (self._history, text)
        finally:
            self._held = None

    def _action_id(self, move: Any) -> int:
        mask = self._mask()
        if isinstance(move, str):
            action = self.game.definition.actions.ids.get(move, -1)
            if action >= 0 and mask[action]:
                return action
            known = "is not legal" if action >= 0 else "is no action"
            legal = ", ".join(self.game.actions[index] for index in np.flatnonzero(mask))
            raise IllegalActionError(f"{repr_short(move)} {known}; allowed: {legal}")
        if not is_integer(move):
            raise IllegalActionError(
                f"{repr_short(move)} is {type(move).__name__}; allowed: an action text or an integer id"
            )
        if not 0 <= move < len(mask) or not mask[int(move)]:
            raise IllegalActionError(self.game.fault_text(move, mask))
        return int(move)

    def _outcome_id(self, move: Any) -> tuple[int, int]:
        """Return the id of an outcome, and the stream it comes from."""
        stream, outcomes = self._chances()
        index = self.game.definition.outcomes.ids.get(move) if isinstance(move, str) else move
        if not (isinstance(move, str) or is_integer(move)) or index not in outcomes:
            known = ", ".join(self.game.outcomes[outcome] for outcome in outcomes)
            raise IllegalChanceError(f"{repr_short(move)} cannot happen here; allowed: {known}, or the id of one")
        return int(index), stream

    def sample_chance(self, seed: int | None = None) -> str:
        """Draw the outcome of this chance node (it is not played; ``apply`` does that).

        Args:
            seed: 0..2**64-1, a draw of its own; None goes on with the chance of the batch lane or environment the
                position came from, and is fresh entropy if it came from none.

        Raises:
            IllegalChanceError: not at a chance node, or at one where nothing can happen.
            ValueError: no such seed.
        """
        if self._node() != CHANCE:
            raise IllegalChanceError(f"sample_chance: the node is {self.node!r}; allowed: only at a chance node")
        key = None if seed is None else checked_seed(seed)
        self._chances()  # refuses a node where nothing can happen
        streams = len(self.game.definition.streams)
        counters = np.zeros(streams, np.uint32)
        game_index = 0
        if key is None and self._chance is not None:
            key, game_index, drawn = self._chance
            counters = drawn.copy()
        if key is None:
            key = fresh_seed()
        weights = np.zeros(len(self.game.outcomes), np.int64)
        arguments = (*self._arrays, counters, weights, np.uint64(key), game_index)
        return self.game.outcomes[int(self.game.for_positions.sample(*arguments))]

    def resample(self, seat: int, seed: int) -> Position:
        """Return a copy in which what ``seat`` cannot know is redrawn, as the rules file says.

        The copy's log is empty and its chance is its own, since both may tell what the seat cannot know.

        Raises:
            ValueError: no such seat or seed, or a node at which the rules file says nothing about this seat.
        """
        own = integer("seat", seat, 0, self.game.players - 1)
        key = checked_seed(seed)
        drawn = Position.__new__(Position)
        drawn._take(self.game, self._raw[:], plies=self._plies)
        rng = np.array([key, 0], np.uint64)
        redrawn = self.game.for_positions.resample(*drawn._arrays, own, rng)
        if redrawn is not None and not redrawn:
            allowed = self.game.definition.resample_nodes
            raise ValueError(f"resample: nothing can be drawn for seat {own} at this node; allowed: {allowed}")
        return drawn

    # --------------------------------------------------------------------------------------- copying and comparing

    def clone(self) -> Position:
        """Return an independent copy, log included."""
        if self._held is PROCESS.token:
            raise in_use(self, "clone")
        twin = Position.__new__(Position)
        twin._take(self.game, self._raw[:], self._history, self._chance, self._plies)
        return twin

    @property
    def log(self) -> list[str]:
        """Return texts of everything played since the position was made, decisions and chance in order."""
        texts: list[str] = []
        link = self._history
        while link is not None:
            link, text = link
            texts.append(text)
        return texts[::-1]

    @shared
    def to_json(self) -> dict[str, Any]:
        """Return the position as a document of plain values."""
        return self.game.definition.write(self.game.options, self._arrays[1][0])

    def key(self) -> bytes:
        """Return a key that is equal for equal positions of equal games, and only for them; the same in every process.

        It is 16 bytes for the game and its options, a bit for every byte of the state, and those bytes that are not 0.
        """
        return self.game.fingerprint + compact(self._raw)

    def __eq__(self, other: object) -> bool:
        """Return whether game, options and position are the same; the way it came about does not matter."""
        if not isinstance(other, Position):
            return NotImplemented
        return self.game == other.game and self._raw == other._raw

    __hash__ = None  # type: ignore[assignment]  # mutable: use key()

    def __copy__(self) -> Position:
        """Return a clone."""
        return self.clone()

    def __deepcopy__(self, memo: Any) -> Position:
        """Return a clone."""
        return self.clone()

    @shared
    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as game, bytes, log, chance and decisions so far; kernels are never pickled."""
        chance = self._chance or (None, 0, None)
        return _restore, (self.game, bytes(self._raw), self.log, *chance, self._plies)

    def __str__(self) -> str:
        """Return the board as people read it, hidden parts included, and who is to decide."""
        return self.game.definition.look().text(self)

    def __repr__(self) -> str:
        """Return game, node and seat."""
        return f"<Position of {self.game!r}: {self.node}, seat {self.seat}>"


def checked_positions(positions: Any, game: Setup | None = None) -> list[Position]:
    """Return the positions as a list, all of one game: ``game``, or that of the first one.

    Raises:
        ValueError: naming the argument and what is wrong with it.
    """
    if isinstance(positions, (str, bytes, Mapping)) or not isinstance(positions, Iterable):
        raise ValueError(f"positions: {repr_short(positions)}; allowed: a list of positions")
    given = list(positions)
    if not given:
        raise ValueError("positions: none; allowed: at least 1")
    wanted = given[0].game if game is None and isinstance(given[0], Position) else game
    allowed = "positions" if wanted is None else f"positions of {wanted!r}"
    for index, position in enumerate(given):
        if not isinstance(position, Position) or position.game != wanted:
            raise ValueError(f"positions[{index}]: {repr_short(position)}; allowed: {allowed}")
        if position.check() != 0:  # kernels trust their arguments
            raise ValueError(f"positions[{index}]: broken, {position.faults()}; allowed: sound positions")
    return given


def _restore(
    game: Setup, state: bytes, log: list[str], seed: int | None, game_index: int, counters: Any, plies: int
) -> Position:
    position = Position(game, np.frombuffer(state, game.definition.state_dtype))
    for text in log:
        position._history = (position._history, text)
    if counters is not None and seed is not None:
        position.attach_chance(seed, game_index, counters)
    position._plies = plies
    return position
