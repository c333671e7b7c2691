"""A game between people and agents, without input or output: what happens, what may be seen, what is undone.

Chance is that of game 0 of the table's seed, unless another number is named, and agents' own choices are a function of
seed, game and ply, as everywhere in this package: the same seed and the same moves give the same game, whether it was
undone, saved or played in one go.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from atlantis_envs.engine.game import Game
from atlantis_envs.engine.position import Position
from atlantis_envs.play.hints import Hint, Warming, hints_at
from atlantis_envs.play.replay import Player, replay_lines, save_replay
from atlantis_envs.seats.agents import Agent
from atlantis_envs.seats.analysis import USUAL
from atlantis_envs.seats.positions import ask_at
from atlantis_envs.seats.step import FORFEIT, forfeit_returns

HIDDEN = "?"


@dataclass(frozen=True)
class Event:
    """One thing that happened.

    Attributes:
        before: the position it happened in.
        text: the action or the outcome.
        chosen: whether a person typed it.
    """

    before: Position
    text: str
    chosen: bool = False


@dataclass(frozen=True)
class Run:
    """What one actor did in a row, as a seat may know it.

    Attributes:
        who: "seat 1", or "chance".
        texts: what happened, in order.
        typed: whether the one who looks typed all of it.
        before: the position before it.
        after: the position after it.
    """

    who: str
    texts: tuple[str, ...]
    typed: bool
    before: Position
    after: Position


@dataclass(frozen=True)
class Forfeit:
    """The end of a game that an agent gave up.

    Attributes:
        seat: its seat.
        why: what went wrong; "" if it does not say.
        returns: of all seats.
        winners: seats that win by it: all others, or nobody in a team.
    """

    seat: int
    why: str
    returns: list[float]
    winners: tuple[int, ...]

    @classmethod
    def of(cls, game: Game, seat: int, agent: Agent) -> Forfeit:
        """Return what follows from an agent that gives up."""
        winners = () if game.cooperative else tuple(other for other in range(game.players) if other != seat)
        returns = forfeit_returns(game.players, seat, game.cooperative)
        return cls(seat, getattr(agent, "failure", ""), returns, winners)

    def text(self, names: Sequence[str]) -> str:
        """Say who gave up and why."""
        return f"Seat {self.seat}, {names[self.seat]}, forfeits{f': {self.why}' if self.why else ''}."


@dataclass(frozen=True)
class Mark:
    """Where a person had to decide, to come back to."""

    seat: int
    position: Position
    plies: int
    events: int


def visible_text(event: Event, viewer: int | None) -> str:
    """Return the event as a seat may know it; None sees everything, and so do all where nothing is hidden.

    It is hidden if something else could have happened that leads elsewhere and looks the same from that seat.
    """
    before = event.before
    game = before.game
    if viewer is None or before.seat == viewer or game.definition.look().board.is_open(game):
        return event.text
    after = before.clone()
    after.apply(event.text)
    seen = after.observation(viewer).tobytes()
    for other in before.legal_actions() or before.chance_outcomes():
        if other != event.text:
            twin = before.clone()
            twin.apply(other)
            if twin.key() != after.key() and twin.observation(viewer).tobytes() == seen:
                return f"{event.text.split()[0]} {HIDDEN}"
    return event.text


class GameSession:
    """A game in play.

    Args:
        game: the game.
        players: by seat: an agent, or None for a person.
        seed: of chance and agents.
        start: where it begins; None: at the beginning.
        hints: whether faces are to offer hints; None: unless several people play.
        game_index: of the game among those of the seed, as a batch counts them.
        seats: who sits where, for what is saved; None: that is not said.

    Attributes:
        position: where it stands.
        people: seats of people.
        hints: whether faces are to offer hints.
        start: where it began, None for the beginning.
        seats: who sits where; None: not said.
        events: everything that happened, in order.
        forfeit: how the game ended, if an agent gave it up; None otherwise.
    """

    def __init__(
        self,
        game: Game,
        players: Sequence[Agent | None],
        seed: int,
        start: Position | None = None,
        hints: bool | None = None,
        game_index: int = 0,
        seats: Sequence[Player] | None = None,
    ) -> None:
        """Set up the game; nothing is played yet."""
        self.game, self.players, self.seed, self.start = game, tuple(players), seed, start
        self.seats = seats
        self.people = [seat for seat, agent in enumerate(self.players) if agent is None]
        self._game_index = game_index
        self.position = game.initial_position() if start is None else start.clone()
        self.position.attach_chance(seed, game_index, np.zeros(len(game.definition.streams), np.uint32))
        self.events: list[Event] = []
        self.forfeit: Forfeit | None = None
        self._marks: list[Mark] = []
        self._plies = 0
        self._warming: Warming | None = None
        self.hints = len(self.people) < 2 if hints is None else hints

    @property
    def person(self) -> int | None:
        """Return the seat to decide, if a person plays it."""
        seat = self.position.seat
        return seat if seat is not None and self.players[seat] is None else None

    @property
    def viewer(self) -> int | None:
        """Return the seat that looks at the screen: the person to decide, or the only person; None for an onlooker."""
        people = self.people
        return self.person if self.person is not None else people[0] if len(people) == 1 else None

    def waits(self, ask_forced: bool = False) -> bool:
        """Return whether a person has to choose: of several moves, or of one if they want to be asked."""
        return self.person is not None and (ask_forced or len(self.position.legal_actions()) > 1)

    def step(self, ask_forced: bool = False) -> bool:
        """Let chance, an agent or a person without a choice move; False if a person has to choose, or at the end."""
        if self.position.node == "over" or self.waits(ask_forced):
            return False
        if self.person is None:
            self.advance()
        else:
            self._happen(self.position.legal_actions()[0])
        return True

    def last_choice(self, seat: int | None) -> int | None:
        """Return how many events came before the last choice of ``seat``, of anybody if None; None: there is none."""
        indices = [mark.events for mark in self._marks if seat is None or mark.seat == seat]
        return indices[-1] if indices else None

    def replay(self, log: Sequence[str]) -> None:
        """Play the log of a saved game again."""
        for text in log:
            self._happen(text)

    def save(self, path: Path) -> None:
        """Write what has happened as a replay, hidden cards included.

        Raises:
            OSError: the file cannot be written.
        """
        save_replay(path, self.position, self.start, self.seats)

    def replay_text(self) -> str:
        """Return what has happened as the text of a replay, hidden cards included."""
        return "".join(line + "\n" for line in replay_lines(self.position, self.start, self.seats))

    def advance(self) -> None:
        """Let chance or an agent move."""
        position = self.position
        if position.seat is None:
            self._happen(position.sample_chance())
            return
        agent = self.players[position.seat]
        assert agent is not None, "it is for a person to decide"
        action = ask_at(agent, position, self._noise(), forfeits=True)
        if action == FORFEIT:
            self.forfeit = Forfeit.of(self.game, position.seat, agent)
            position.cut_off()
        else:
            self._happen(self.game.actions[action])

    def choice_of(self, agent: Agent) -> str:
        """Return the action that an agent would play here."""
        return self.game.actions[ask_at(agent, self.position, self._noise())]

    def warm_hints(self) -> Warming:
        """Get hints ready in the background, the first time it is called; ``word`` says how that stands."""
        if self._warming is None:
            self._warming = Warming(self.position)
        return self._warming

    def hint(self, simulations: int = USUAL, stop: threading.Event | None = None) -> Iterator[Hint]:
        """Yield what the heuristic would play, at once; then what every move is worth, as it grows.

        The position is copied at the call, and what the seat to decide cannot know does not count. The same seed of the
        table, at the same ply, gives the same numbers in the end.

        Args:
            simulations: of every move.
            stop: set it, from any thread, to end the work within half a second; nothing more is yielded then. So does
                leaving the iterator.

        Yields:
            The heuristic's move alone; words while hints get ready (up to a minute, the first time ever on a machine);
            hints with a line per move, the last of them ``complete``.

        Raises:
            ValueError: nobody is to decide.
        """
        if self.position.seat is None:
            raise ValueError(f"hint: the node is {self.position.node!r}; allowed: only where a seat decides")
        noise = self._noise()
        return hints_at(self.position.clone(), noise, self.warm_hints(), simulations, seed=noise, stop=stop)

    def _noise(self) -> int:
        random_words = np.zeros(1, np.uint64)
        seeds, game_indices = np.array([self.seed], np.uint64), np.array([self._game_index], np.int64)
        self.game.loops.noise(seeds, game_indices, np.array([self._plies]), random_words)
        return int(random_words[0])

    def play(self, text: str, *more: str) -> None:
        """Play a move that a person chose, or several that were chosen, and are taken back, as one.

        Raises:
            IllegalActionError: the first one is not legal; nothing has changed.
        """
        seat, before = self.position.seat, self.position.clone()
        assert seat is not None
        plies, events = self._plies, len(self.events)
        self._happen(text, chosen=True)
        self._marks.append(Mark(seat, before, plies, events))
        for then in more:
            self._happen(then, chosen=True)

    def _happen(self, text: str, chosen: bool = False) -> None:
        before = self.position.clone()
        self.position.apply(text)
        self.events.append(Event(before, text, chosen))
        self._plies += before.seat is not None

    def undo(self, seat: int | None = None) -> bool:
        """Go back to the last decision of ``seat``, of anybody's if None; False if there is none.

        Chance gives the same again; moves decide what it is used for.
        """
        indices = [index for index, mark in enumerate(self._marks) if seat is None or mark.seat == seat]
        if not indices:
            return False
        mark = self._marks[indices[-1]]
        del self._marks[indices[-1] :]
        del self.events[mark.events :]
        self.position, self._plies, self.forfeit = mark.position.clone(), mark.plies, None
        return True

    def runs(self, viewer: int | None, since: int = 0) -> list[Run]:
        """Return everything that happened, what one actor did in a row taken together, what the viewer typed apart."""
        events = self.events[since:]
        after = [*(event.before for event in events[1:]), self.position]
        runs: list[Run] = []
        for event, then in zip(events, after, strict=False):  # none happened: the position alone is left over
            seat = event.before.seat
            who = "chance" if seat is None else f"seat {seat}"
            typed = event.chosen and seat == viewer
            text = visible_text(event, viewer)
            if runs and (runs[-1].who, runs[-1].typed) == (who, typed):
                last = runs.pop()
                runs.append(Run(who, (*last.texts, text), typed, last.before, then))
            else:
                runs.append(Run(who, (text,), typed, event.before, then))
        return runs
