"""Playing at a table in a terminal: the board, numbered moves, and a line of commands."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from shutil import get_terminal_size
from textwrap import wrap
from typing import Any

from atlantis_envs.drawing.board import find_board
from atlantis_envs.engine.position import Position
from atlantis_envs.play.replay import save_replay
from atlantis_envs.play.table import Table

HELP = """\
  a number   play that move (its text works too)
  ? number   explain a move
  h          a hint: what the heuristic would play, and what each move is worth
  b          the board again
  l          what has happened so far
  u          take back to your last decision; the luck stays the same
  s [file]   save a replay (and go on later with --load)
  q          leave
  ?          this list"""
MOST_CHANGES = 12
MOST_TEXTS = 30
MOST_DIGITS = 10  # Python refuses to read very long numbers
MOST_SHOWN = 60
WIDTHS = 60, 110  # of lines, whatever the terminal
GLUE = "\N{NO-BREAK SPACE}"  # stands for a space inside a move until lines are broken

Write = Callable[[str], None]
Read = Callable[[str], str]  # prompt -> line; raises EOFError when there are no more


class Terminal:
    """One sitting at a table.

    Args:
        table: the game.
        names: what to call the seats.
        write: shows a line.
        read: asks for a line.
        file: where ``s`` without a name saves.
        ask_forced: ask for moves without an alternative too.
        warm: get hints ready in the background while somebody thinks.
    """

    def __init__(
        self,
        table: Table,
        names: Sequence[str],
        write: Write,
        read: Read,
        file: Path,
        ask_forced: bool = False,
        warm: bool = False,
    ) -> None:
        """Prepare; nothing is shown yet."""
        self.table, self.names, self.file, self.ask_forced = table, tuple(names), file, ask_forced
        self._write, self._read = write, read
        self._board = find_board(table.game.definition)
        self._warm = warm
        self._seen: dict[int | None, int] = {}  # viewer -> events shown
        self._last: int | None = None  # who looked at the screen last
        self._saved: tuple[Path, int] | None = None  # where, and how many events
        self._commands: Mapping[str, Callable[[str], None]] = {
            "?": self._explain, "h": self._hint, "b": self._show_board,
            "l": self._log, "u": self._undo, "s": self._save,
        }  # fmt: skip

    # ----------------------------------------------------------------------------------------------------- the sitting

    def run(self) -> bool:
        """Play until the end or until somebody leaves; return whether the game ended."""
        try:
            while True:
                self._run_others()
                if self.table.position.node == "over":
                    self._finish()
                    if not self.table.people or not self._ask_after_end():
                        return True
                elif not self._decide():
                    return False
        except EOFError:
            self._write("")
            self._leave()
            return self.table.position.node == "over"

    def _run_others(self) -> None:
        """Play for chance, agents, and people without a choice."""
        table = self.table
        while table.position.node != "over":
            if table.person is None:
                table.advance()
            elif not self.ask_forced and len(table.position.legal_actions()) == 1:
                table.play(table.position.legal_actions()[0], chosen=False)
            else:
                return

    def _decide(self) -> bool:
        """Let a person decide; False if they leave."""
        seat = self.table.person
        assert seat is not None
        self._hand_over(seat)
        self._show_events(seat)
        self._show_moves()
        if self._warm and self.table.hints:
            self.table.warm_hints()
        while True:
            line = self._read(f"seat {seat}> ").strip()
            if line == "q":
                self._leave()
                return False
            before = len(self.table.events)
            self._obey(line)
            if len(self.table.events) != before:
                return True

    def _obey(self, line: str) -> None:
        word, _, rest = line.partition(" ")
        if line.startswith("?"):
            word, rest = "?", line[1:]
        if word in self._commands:
            self._commands[word](rest.strip())
        elif line:
            self._play(line)

    def _hand_over(self, seat: int) -> None:
        """With several people and hidden cards, nobody sees another's screen."""
        if self._last not in (None, seat) and not self._board.is_open(self.table.game):
            self._write("\n" * 60)
            self._read(f"seat {seat}, {self.names[seat]}: press Enter when you alone look at the screen ")
        self._last = seat

    def _leave(self) -> None:
        saved = self._saved is not None and self._saved[1] == len(self.table.events)
        self._write("Left." if saved else "Left; the game is not saved.")

    # ---------------------------------------------------------------------------------------------------------- showing

    def _viewer(self) -> int | None:
        """The seat that looks at the screen: the person to decide, or the only person; None for an onlooker."""
        people = self.table.people
        return self.table.person if self.table.person is not None else people[0] if len(people) == 1 else None

    def _show_events(self, viewer: int | None) -> None:
        """Show what happened since this viewer looked last; the board too, unless only they moved."""
        since = self._seen.get(viewer, 0)
        happened = self.table.shown(viewer, since)
        for line in event_lines(happened, self.names):
            self._write(line)
        if happened or since == 0:
            self._show_board()
        self._seen[viewer] = len(self.table.events)

    def _show_board(self, _: str = "") -> None:
        self._write("\n" + self._board.text(self.table.position, self._viewer(), self.names))

    def _show_moves(self) -> None:
        seat, actions = self.table.position.seat, self.table.position.legal_actions()
        width = max(map(len, actions)) + 7
        per_line = max(1, screen_width() // width)
        question = self._board.question(self.table.position)
        self._write("\n".join(_broken(f"Seat {seat}, {self.names[seat or 0]}: {question or 'to move'}")))
        cells = [f"{number:>3}  {text}".ljust(width) for number, text in enumerate(actions, 1)]
        for start in range(0, len(cells), per_line):
            self._write("".join(cells[start : start + per_line]).rstrip())

    def _log(self, _: str) -> None:
        for line in event_lines(self.table.shown(self._viewer()), self.names):
            self._write(line)

    def _finish(self) -> None:
        viewer = self._viewer()
        for line in event_lines(self.table.shown(viewer, self._seen.get(viewer, 0)), self.names):
            self._write(line)
        self._write("\n" + self._board.text(self.table.position, None, self.names))
        self._seen[viewer] = len(self.table.events)
        for line in result_lines(self.table.position, self.names):
            self._write(line)

    def _ask_after_end(self) -> bool:
        """Offer to save or take back at the end; return whether the game goes on."""
        while True:
            line = self._read("s saves, u takes back, Enter leaves> ").strip()
            if line.partition(" ")[0] == "s":
                self._save(line[1:].strip())
            elif line == "u":
                self._undo("")
                return self.table.position.node != "over"
            elif line in ("", "q"):
                return False

    # --------------------------------------------------------------------------------------------------------- commands

    def _play(self, line: str) -> None:
        action = self._find(line)
        if action is not None:
            self.table.play(action)

    def _find(self, line: str) -> str | None:
        """The move that a number or a text stands for; says so if there is none."""
        actions = self.table.position.legal_actions()
        if line.isdecimal() and len(line) < MOST_DIGITS and 1 <= int(line) <= len(actions):
            return actions[int(line) - 1]
        if line in actions:
            return line
        self._write(f"{line[:40]!r} is no move here: type 1..{len(actions)}, or ? for help.")
        return None

    def _explain(self, rest: str) -> None:
        if not rest:
            self._write(HELP)
            return
        action = self._find(rest)
        if action is not None:
            for line in self.explanation(action):
                self._write("\n".join(_broken(line)))

    def explanation(self, action: str) -> Iterator[str]:
        """What a move is for, and what it changes of what the seat sees."""
        position, seat = self.table.position, self.table.position.seat
        words = self._board.explain(position, action)
        yield f"{action}: {words}" if words else f"{action}:"
        after = position.clone()
        after.apply(action)
        changes = list(differences(self._board.document(position, seat), self._board.document(after, seat)))
        for change in changes[:MOST_CHANGES]:
            yield f"  {change}"
        if len(changes) > MOST_CHANGES:
            yield f"  and {len(changes) - MOST_CHANGES} more changes"
        following = "chance" if after.node == "chance" else "the end" if after.seat is None else f"seat {after.seat}"
        yield f"  next: {following}"

    def _hint(self, _: str) -> None:
        """Show the heuristic's move, then what every move is worth; Ctrl-C keeps what there is."""
        if not self.table.hints:
            self._write("No hint: several people play; start with --hints to have them.")
            return
        number = {text: place for place, text in enumerate(self.table.position.legal_actions(), 1)}
        hint, told = None, False
        try:
            for hint in self.table.hint():
                if hint.move is not None and not hint.note and not hint.lines:
                    self._write(f"The {hint.adviser} would play {number[hint.move]}, {hint.move}.")
                elif hint.analysis is None and not hint.complete and not told:
                    told = True
                    self._write(f"Win shares: {hint.note}; Ctrl-C stops.")
        except KeyboardInterrupt:
            self._write("Stopped.")
        if hint is not None and hint.analysis is not None:
            for line, judged in zip(hint.lines, hint.analysis.actions, strict=True):
                self._write(f"{number[judged.text]:>3}  {line}")
        if hint is not None and hint.note and (hint.complete or hint.lines):
            self._write(f"{hint.note[0].upper()}{hint.note[1:]}.")

    def _undo(self, _: str) -> None:
        if not self.table.undo(self._viewer()):
            self._write("Nothing to take back.")
            return
        length = len(self.table.events)
        self._seen = {viewer: min(count, length) for viewer, count in self._seen.items()}
        self._write("Taken back.")
        self._show_board()

    def _save(self, rest: str) -> None:
        path = Path(rest) if rest else self.file
        try:
            if path.exists() and (self._saved is None or path != self._saved[0]):
                self._write(f"{path} exists: name another file, s FILE.")
                return
            save_replay(path, self.table.position, self.table.start)
        except (OSError, ValueError) as error:  # ValueError: a name with a null character
            reason = getattr(error, "strerror", None) or error
            self._write(f"{shortened(str(path))}: cannot be written ({reason}).")
            return
        self._saved = path, len(self.table.events)
        self._write(f"Saved. To go on: the same command with --load {path} --seed {self.table.seed}")


def event_lines(happened: Sequence[tuple[str, list[str]]], names: Sequence[str]) -> Iterator[str]:
    """Lines such as - seat 1, heuristic: visit forge, take weapon."""
    for who, texts in happened:
        name = who if who == "chance" else f"{who}, {names[int(who.split()[1])]}"
        yield from _wrapped(f"- {name}: ", texts)


def _wrapped(head: str, texts: Sequence[str]) -> list[str]:
    """Texts after each other, in lines that fit; of very many, as at a setup, only the first and the last."""
    if len(texts) > MOST_TEXTS:
        texts = [*texts[: MOST_TEXTS // 2], f"... {len(texts) - MOST_TEXTS} more ...", *texts[-MOST_TEXTS // 2 :]]
    lines = _broken(head + ", ".join(text.replace(" ", GLUE) for text in texts))
    return [line.replace(GLUE, " ") for line in lines]


def _broken(line: str) -> list[str]:
    return wrap(line, screen_width(), subsequent_indent="  ", break_on_hyphens=False)


def screen_width() -> int:
    """Characters of a line: as many as the terminal has, within bounds."""
    narrowest, widest = WIDTHS
    return min(widest, max(narrowest, get_terminal_size((widest, 24)).columns))


def shortened(text: str) -> str:
    """What was typed, fit to be shown in a line."""
    shown = text.encode("unicode_escape").decode("ascii") if not text.isprintable() else text
    return shown if len(shown) <= MOST_SHOWN else f"{shown[: MOST_SHOWN - 3]}..."


def result_lines(position: Position, names: Sequence[str]) -> Iterator[str]:
    """Scores, returns and winners."""
    scores, returns = position.scores(), position.returns()
    best = max(returns)
    cut_off = " A safety bound cut it off: nobody has won or lost." if position.truncated else ""
    yield f"The game is over.{cut_off}"
    for seat, name in enumerate(names):
        won = "  wins" if returns[seat] == best and best > 0 else ""
        yield f"  seat {seat}, {name:<16} score {scores[seat]:>3}   return {returns[seat]:+.2f}{won}"


def differences(before: Any, after: Any, path: str = "") -> Iterator[str]:
    """A line path: old -> new for every value that differs between two documents."""
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        for key in dict.fromkeys([*before, *after]):
            yield from differences(before.get(key, 0), after.get(key, 0), f"{path}.{key}" if path else str(key))
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for index, (old, new) in enumerate(zip(before, after, strict=True)):
            yield from differences(old, new, f"{path}[{index}]")
    elif before != after:
        yield f"{path}: {_short(before)} -> {_short(after)}"


def _short(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_short(item)}" for key, item in value.items()) or "-"
    return "-" if value is None or value == [] else str(value)
