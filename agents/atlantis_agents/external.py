"""External bots: programs in any language that play over JSON lines, ``exec:COMMAND`` and ``exec:SECONDS:COMMAND``.

The protocol is documented in docs/guide/bots.md. Every question holds the whole position, so a bot needs no memory and
may be asked about many games at once. A bot that fails at a question forfeits that game; it is started anew for the
next question. After ``MOST_FAILURES`` failures in a row it is not asked again and forfeits what is left.
"""

from __future__ import annotations

import json
import os
import queue
import shlex
import subprocess
import sys
import threading
import weakref
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from typing import IO, TYPE_CHECKING, Any, NoReturn

import numpy as np

from atlantis_agents.rows import Bytes, Ids, Masks, Words
from atlantis_envs import __version__
from atlantis_envs.base.files import parse_json
from atlantis_envs.base.values import decimal_number, one_line, repr_short, visible
from atlantis_envs.engine.position import Position
from atlantis_envs.errors import BotError, OptionError
from atlantis_envs.seats.agents import Agent, Positions
from atlantis_envs.seats.positions import check_resample
from atlantis_envs.seats.step import FORFEIT

if TYPE_CHECKING:
    from atlantis_envs.engine.game import Game

PROTOCOL = 1
EXEC = "exec"
FORM = f"{EXEC}:COMMAND or {EXEC}:SECONDS:COMMAND"
VIEW, DOCUMENT, OBSERVATION = KINDS = ("view", "document", "observation")
USUAL_SECONDS, MOST_SECONDS, START_SECONDS = 10.0, 86_400.0, 30.0
MOST_FAILURES = 3  # in a row
MOST_BYTES = 1 << 16  # of a line from a bot
MOST_NAME = 60
RANDOM_BITS = np.uint64(53)  # what every language reads exactly


class Peer:
    """A program at the other end of two streams. Threads write and read, so that no side waits for the other forever.

    Args:
        writes: what the program reads.
        reads: what the program writes.
    """

    def __init__(self, writes: IO[bytes], reads: IO[bytes]) -> None:
        """Start both threads."""
        self._outgoing: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._incoming: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._writer = threading.Thread(target=_write_lines, args=(writes, self._outgoing), daemon=True)
        self._writer.start()
        threading.Thread(target=_read_lines, args=(reads, self._incoming), daemon=True).start()

    def send(self, message: Mapping[str, Any]) -> None:
        """Send a message; it does not wait until it is read."""
        self._outgoing.put(json.dumps(message, allow_nan=False).encode() + b"\n")

    def receive(self, seconds: float) -> dict[str, Any]:
        """Return the next message.

        Raises:
            BotError: nothing came in time, the program has ended, or what came is no JSON object.
        """
        try:
            line = self._incoming.get(timeout=seconds)
        except queue.Empty:
            raise BotError(f"no answer within {seconds:g} s") from None
        if not line:
            raise BotError("it closed its output (did it crash?)")
        if not line.endswith(b"\n"):
            raise BotError(f"a line of more than {MOST_BYTES:,} bytes, or without an end")
        try:
            message = parse_json(line.decode())
        except ValueError:
            message = None
        if not isinstance(message, dict):
            raise BotError(f"{repr_short(line.decode(errors='replace').strip())} is no JSON object")
        return message

    def finish(self, seconds: float) -> None:
        """End the program's input, once everything is written; wait for that."""
        self._outgoing.put(None)
        self._writer.join(seconds)

    def close(self) -> None:
        """Leave the program; the streams may be another's."""


def _write_lines(stream: IO[bytes], lines: queue.SimpleQueue[bytes | None]) -> None:
    with suppress(OSError, ValueError):  # the program has ended, which reading says
        while (line := lines.get()) is not None:
            stream.write(line)
            stream.flush()
        stream.close()


def _read_lines(stream: IO[bytes], lines: queue.SimpleQueue[bytes]) -> None:
    line = b"\n"
    with suppress(OSError, ValueError):
        while line.endswith(b"\n"):
            line = stream.readline(MOST_BYTES + 1)
            lines.put(line)
    lines.put(b"")


class BotAgent(Agent):
    """A bot at the other end of a ``Peer``. It sees positions, with hidden parts left out or redrawn.

    Args:
        game: the game it plays.
        connect: reaches the program; called again after a failure.
        text: what messages call it.
        seconds: time for an answer.

    Attributes:
        name: what the bot calls itself.
        failure: why it forfeited last; "" if it never did.
    """

    def __init__(self, game: Game, connect: Callable[[], Peer], text: str, seconds: float = USUAL_SECONDS) -> None:
        """Start the bot and exchange greetings.

        Raises:
            OptionError: it does not start or does not greet.
        """
        check_resample(game)
        self.game, self.text, self.seconds, self.failure = game, text, seconds, ""
        self._connect, self._failures, self._asked = connect, 0, 0
        self._peer: Peer | None = None
        try:
            self._connected()
        except BotError as error:
            self._leave()
            allowed = "" if "; allowed: " in str(error) else "; allowed: a bot as docs/guide/bots.md describes it"
            raise OptionError(f"agent: {self!r}: {error}{allowed}") from None

    def act(self, observations: Bytes, masks: Masks, noise: Words | None = None) -> Ids:
        """Refuse: a bot is asked at positions.

        Raises:
            OptionError: always.
        """
        raise OptionError(f"agent: {one_line(self.text)} sees positions; allowed: where positions are known")

    def act_positions(self, positions: Positions, noise: Words | None = None) -> Ids:
        """Return one legal action per position, FORFEIT where the bot failed; see PositionAgent."""
        if noise is None:
            noise = np.random.default_rng().integers(0, 2**63, len(positions), np.uint64)
        questions = [self._question(positions, row, int(noise[row] >> (np.uint64(64) - RANDOM_BITS)))
                     for row in range(len(positions))]  # fmt: skip
        chosen = np.full(len(questions), FORFEIT, np.int64)
        waiting = deque(range(len(questions)))
        while waiting and self._failures < MOST_FAILURES:
            try:
                peer = self._connected()
                for row in waiting:
                    peer.send(questions[row])
                while waiting:
                    row = waiting[0]
                    chosen[row] = self._answer(peer, questions[row])
                    waiting.popleft()
                    self._failures = 0
            except BotError as error:
                waiting.popleft()
                self._fail(error)
        return chosen

    def _question(self, positions: Positions, row: int, random: int) -> dict[str, Any]:
        seat = int(positions.seats[row])
        position = Position(self.game, positions.states[row : row + 1])
        self._asked += 1
        if self._kind == OBSERVATION:
            shown: Any = positions.observations[row].tolist()
        elif self._kind == DOCUMENT:
            shown = position.to_json()
        else:
            shown = self.game.definition.look().view(position, seat)
        ids = np.flatnonzero(positions.masks[row]).tolist()
        legal = [self.game.actions[index] for index in ids]
        head = {"type": "decide", "id": self._asked, "seat": seat, "random": random}
        return {**head, "position": shown, "legal": legal, "legal_ids": ids}

    def _answer(self, peer: Peer, question: Mapping[str, Any]) -> int:
        """Return the action id that the answer to a question means.

        Raises:
            BotError: none in time, one to another question, or one that names no legal action.
        """
        message = peer.receive(self.seconds)
        if message.get("id") != question["id"]:
            raise BotError(f"id {repr_short(message.get('id'))}; allowed: {question['id']}, that of the question")
        action = message.get("action")
        for legal in ("legal", "legal_ids"):
            if isinstance(action, (str, int)) and not isinstance(action, bool) and action in question[legal]:
                return int(question["legal_ids"][question[legal].index(action)])
        raise BotError(f"action {repr_short(action)} is not legal")

    def _connected(self) -> Peer:
        """Return the peer; greet it if it is new."""
        if self._peer is None:
            self._peer = self._connect()
            self._peer.send(greeting(self.game, self.seconds))
            answer = self._peer.receive(max(self.seconds, START_SECONDS))
            name, kind = answer.get("name"), answer.get("position", VIEW)
            if answer.get("type") != "hello" or not isinstance(name, str) or kind not in KINDS:
                allowed = f'{{"type": "hello", "name": text, "position": {" or ".join(KINDS)}}}'
                raise BotError(f"greeting {repr_short(answer)}; allowed: {allowed}")
            self.name, self._kind = one_line(name[:MOST_NAME]), kind
        return self._peer

    def _fail(self, error: BotError) -> None:
        """Note a failure, and say it the first time and when it is the last."""
        self._leave()
        self._failures += 1
        first, self.failure = not self.failure, str(error)
        if self._failures == MOST_FAILURES:
            _say(f"{self!r}: failed {MOST_FAILURES} times in a row, forfeits all games from now on ({error}).")
        elif first:
            _say(f"{self!r}: forfeits a game: {error}.")

    def _leave(self) -> None:
        if self._peer is not None:
            self._peer.close()
            self._peer = None

    def __reduce__(self) -> NoReturn:
        """Refuse: a program that runs cannot be sent to another process.

        Raises:
            OptionError: always.
        """
        raise OptionError(f"agent: {one_line(self.text)} cannot be pickled; allowed: its text")

    def __repr__(self) -> str:
        """Return the text that names it."""
        return one_line(self.text)


def greeting(game: Game, seconds: float) -> dict[str, Any]:
    """Return the first message to a bot."""
    return {
        "type": "hello",
        "protocol": PROTOCOL,
        "library": __version__,
        "game": game.name,
        "players": game.players,
        "options": game.options.to_json(),
        "versions": asdict(game.definition.versions),
        "seconds": seconds,
    }


def _say(line: str) -> None:
    print(visible(line), file=sys.stderr, flush=True)


# ------------------------------------------------------------------------------------------------------------ programs


class ChildPeer(Peer):
    """A program that this process started; it is killed when it is left."""

    def __init__(self, words: Sequence[str]) -> None:
        """Start the program.

        Raises:
            BotError: it does not start.
        """
        try:
            # In a session of its own: Ctrl-C is for us alone, and a signal reaches what the program starts, too.
            process = subprocess.Popen(
                words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=os.name == "posix"
            )
        except (OSError, ValueError) as error:
            raise BotError(f"cannot be started ({getattr(error, 'strerror', None) or error})") from None
        assert process.stdin is not None and process.stdout is not None
        self._kill = weakref.finalize(self, _end, process)
        super().__init__(process.stdin, process.stdout)

    def close(self) -> None:
        """Kill the program."""
        self._kill()


def _end(process: subprocess.Popen[bytes]) -> None:
    with suppress(OSError):
        if os.name == "posix":
            os.killpg(process.pid, 9)
        process.kill()
    process.wait()


def find_bot(game: Game, argument: str) -> BotAgent:
    """Return the bot of ``COMMAND`` or ``SECONDS:COMMAND``; no shell reads the command.

    Raises:
        OptionError: naming what is wrong and what is allowed.
    """
    head, colon, rest = argument.partition(":")
    number = decimal_number(head) if colon else None
    seconds, command = (USUAL_SECONDS, argument) if number is None else (number, rest)
    try:
        words = shlex.split(command, posix=os.name == "posix")
    except ValueError as error:
        raise OptionError(f"agent: {repr_short(command)}: {error}; allowed: {FORM}") from None
    if not words or not 0 < seconds <= MOST_SECONDS:
        text = repr_short(f"{EXEC}:{argument}")
        raise OptionError(f"agent: {text}; allowed: {FORM}, SECONDS above 0 and at most {MOST_SECONDS:g}")
    return BotAgent(game, lambda: ChildPeer(words), f"{EXEC}:{argument}", seconds)
