"""Hints at a table: an agent's move at once, then what every move is worth, line by line as it grows.

What imagines games compiles at its first use, up to a minute. ``Warming`` does that in a thread of its own.
"""

from __future__ import annotations

import atexit
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial

from atlantis_envs.engine.game import Game, game_of
from atlantis_envs.engine.position import Position
from atlantis_envs.errors import AtlantisError, OptionError
from atlantis_envs.kernels.kernel import in_background
from atlantis_envs.seats.agents import make_agent
from atlantis_envs.seats.analysis import USUAL, Analysis, Judged, analyse, analysing
from atlantis_envs.seats.positions import ask_at

ADVISER, ANALYST = "heuristic", "analyst"
PATIENCE = 0.1  # seconds between two looks at whether it is ready, or no longer wanted
NOTE_SECONDS = 1.0  # seconds between two words while somebody waits
AT_EXIT = 30.0  # seconds that the end of the program waits for a kernel half made
NO_DIFFERENCE = "no difference found"


@dataclass(frozen=True)
class Hint:
    """What is known so far; the next one knows more.

    Attributes:
        move: what the adviser would play; None: the game has no such agent.
        adviser: its name.
        note: what is going on, or what came of it: "getting ready ...", "48 of 128 simulations", "no difference found",
            why there are no win shares; "" if there is nothing to say.
        lines: one for every move, best first: "take 3: 41 % ± 4, best"; empty at first.
        analysis: the numbers behind the lines.
        complete: nothing more will come.
    """

    move: str | None
    adviser: str
    note: str = ""
    lines: tuple[str, ...] = ()
    analysis: Analysis | None = None
    complete: bool = False


def line_of(judged: Judged, marked: bool) -> str:
    """Return a move's line; the ``marked`` ones are the best or not worse beyond noise."""
    margin = max(judged.high - judged.share, judged.share - judged.low)
    return f"{judged.text}: {judged.share * 100:.0f} % ± {margin * 100:.0f}{', best' if marked else ''}"


def lines_of(analysis: Analysis) -> tuple[str, ...]:
    """Return a line for every move, best first. Moves that noise cannot tell from the best one share its mark."""
    several = len(analysis.actions) > 1 and analysis.difference
    return tuple(line_of(judged, several and judged.level) for judged in analysis.actions)


class Background:
    """Work that compiles, in a thread of its own; it gives up between two kernels when it is no longer wanted.

    Args:
        work: what is done.
        silent: say nothing on stderr about what is compiled.

    Attributes:
        reason: why it came to nothing; "" while all is well.
    """

    def __init__(self, work: Callable[[], None], silent: bool = True) -> None:
        """Begin at once."""
        self.reason = ""
        self._work, self._silent, self._stop = work, silent, threading.Event()
        self._thread = threading.Thread(target=self._run, name="background", daemon=True)
        self._thread.start()
        atexit.register(self.end)  # code half made must not be left to a process that ends

    @property
    def ready(self) -> bool:
        """Return whether it has come to an end, a good one or another."""
        return not self._thread.is_alive()

    def end(self) -> None:
        """Give up, since it is no longer wanted, after the kernel that is being made."""
        self._stop.set()
        self._thread.join(AT_EXIT)
        atexit.unregister(self.end)

    def _run(self) -> None:
        try:
            with in_background(self._stop, self._silent):
                self._work()
        except AtlantisError as error:
            self.reason = str(error)
        except KeyboardInterrupt:
            self.reason = "given up"


class Warming(Background):
    """Gets what imagines games of one kind ready in the background.

    Args:
        position: any position of the game; it is copied.
        analyst: the agent's name.
    """

    def __init__(self, position: Position, analyst: str = ANALYST) -> None:
        """Begin at once."""
        self._began = time.monotonic()
        super().__init__(partial(_ask_once, game_of(position.game), position.clone(), analyst))

    @property
    def status(self) -> str:
        """Return how it stands, to be shown."""
        if not self.ready:
            return f"getting ready, first use only: {time.monotonic() - self._began:.0f} s"
        return f"no win shares: {self.reason}" if self.reason else "ready"

    def wait(self, stop: threading.Event) -> Iterator[str]:
        """Yield words while it is not ready; ends when it is, or when ``stop`` is set."""
        noted = time.monotonic()  # what is only loaded takes less
        while not self.ready and not stop.is_set():
            if time.monotonic() - noted >= NOTE_SECONDS:
                noted = time.monotonic()
                yield self.status
            self._thread.join(PATIENCE)


def _ask_once(game: Game, position: Position, analyst: str) -> None:
    """Analyse the next decision, so that all that it takes is loaded."""
    make_agent(analyst, game)
    while position.node == "chance":
        position.apply(position.sample_chance(0))
    if position.seat is not None:
        analyse(position, analyst, 1)


def hints_at(
    position: Position,
    noise: int,
    warming: Warming,
    simulations: int = USUAL,
    adviser: str = ADVISER,
    analyst: str = ANALYST,
    seed: int = 0,
    stop: threading.Event | None = None,
) -> Iterator[Hint]:
    """Yield hints at a position; see Table.hint."""
    halt = threading.Event() if stop is None else stop
    here = position.clone()
    hint = Hint(_move(here, noise, adviser), adviser)
    yield hint
    for status in warming.wait(halt):
        yield replace(hint, note=status)
    if halt.is_set():
        return
    if warming.reason:
        yield replace(hint, note=warming.status, complete=True)
        return
    for found in analysing(here, analyst, simulations, seed, stop=halt):
        yield replace(hint, note=_note(found), lines=lines_of(found), analysis=found, complete=found.complete)


def _move(position: Position, noise: int, adviser: str) -> str | None:
    game = game_of(position.game)
    try:
        agent = make_agent(adviser, game)
    except OptionError:
        return None
    return game.actions[ask_at(agent, position, noise)]


def _note(analysis: Analysis) -> str:
    if not analysis.complete:
        return f"{analysis.simulations} of {analysis.wanted} simulations of every move"
    if len(analysis.actions) == 1:
        return "the only move"
    return "" if analysis.difference else NO_DIFFERENCE
