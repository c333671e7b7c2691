"""Playing at a table in a terminal: the board, numbered moves, a line of commands; all in lines that fit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from shutil import get_terminal_size

from atlantis_envs.drawing.look import Look
from atlantis_envs.drawing.plain import fitted_lines, glued
from atlantis_envs.engine.position import Position
from atlantis_envs.play.game_session import Forfeit, GameSession, Run
from atlantis_envs.registry import GAMES, rules_file

HELP = """\
  a number   play that move; its text works too
  Enter      more moves, where not all fit the screen
  a word     the moves with that word in them, or why it cannot be done
  ? number   explain a move
  h, hint    what the heuristic would play, and what each move is worth
  b, board   the whole board; | marks what has changed since you last looked
  l, log     what has happened so far
  r, rules   what wins, and where the rules are
  u, undo    take back to your last decision; the luck stays the same
  s, save    save a replay, s FILE under that name (and go on later with --load)
  q, quit    leave
  ?, help    this list"""
WORDS = {
    "hint": "h", "board": "b", "log": "l", "rules": "r", "undo": "u", "save": "s", "quit": "q", "exit": "q",
    "help": "?",
}  # fmt: skip
MOST_DIGITS = 10  # Python refuses to read very long numbers

Write = Callable[[str], None]
Read = Callable[[str], str]  # prompt -> line; raises EOFError when there are no more


class Terminal:
    """One session in a terminal.

    Args:
        table: the game.
        names: what to call the seats.
        write: shows a line; ``colours.painted`` gives one that does so in colour.
        read: asks for a line.
        file: where ``s`` without a name saves.
        ask_forced: ask for moves without an alternative too.
        warm: get hints ready in the background while somebody thinks.
    """

    def __init__(
        self,
        session: GameSession,
        names: Sequence[str],
        write: Write,
        read: Read,
        file: Path,
        ask_forced: bool = False,
        warm: bool = False,
    ) -> None:
        """Prepare; nothing is shown yet."""
        self.session, self.names, self.file, self.ask_forced = session, tuple(map(shortened, names)), file, ask_forced
        self._write, self._read = write, read
        self._look = session.game.definition.look()
        self._warm = warm
        self._seen: dict[int | None, int] = {}  # viewer -> events shown
        self._boards: dict[tuple[int | None, bool], str] = {}  # viewer, whether whole -> the board shown last
        self._rows = page_rows()  # of moves that go below the board
        self._page = 0  # of the moves
        self._last: int | None = None  # who looked at the screen last
        self._saved: tuple[Path, int] | None = None  # where, and how many events
        self._commands: Mapping[str, Callable[[str], None]] = {
            "?": self._explain, "h": self._hint, "b": self._show_board,
            "l": self._log, "r": self._rules, "u": self._undo, "s": self._save,
        }  # fmt: skip

    # ----------------------------------------------------------------------------------------------------- the session

    def run(self) -> bool:
        """Play until the end or until somebody leaves; return whether the game ended."""
        if self.session.people and not self.session.events:
            self._rules("")
        try:
            while True:
                while self.session.step(self.ask_forced):
                    pass
                if self.session.position.node == "over":
                    self._finish()
                    if not self.session.people or not self._ask_after_end():
                        return True
                elif not self._decide():
                    return False
        except EOFError:
            self._write("")
            self._leave()
            return self.session.position.node == "over"

    def _decide(self) -> bool:
        """Let a person decide; False if they leave."""
        seat = self.session.person
        assert seat is not None
        self._hand_over(seat)
        self._show_events(seat)
        self._ask(seat)
        if self._warm and self.session.hints:
            self.session.warm_hints()
        while True:
            line = self._read(f"seat {seat}> ").strip()
            if WORDS.get(line.lower(), line) == "q":
                self._leave()
                return False
            before = len(self.session.events)
            self._obey(line)
            if len(self.session.events) != before:
                return True

    def _obey(self, line: str) -> None:
        word, _, rest = line.partition(" ")
        if line.startswith("?"):
            word, rest = "?", line[1:]
        word = WORDS.get(word.lower(), word)
        if word in self._commands:
            self._commands[word](rest.strip())
        elif line:
            self._play(line)
        else:
            self._show_moves(self._page + 1)

    def _hand_over(self, seat: int) -> None:
        """Clear the screen: with several people and hidden cards nobody sees another's."""
        if self._last not in (None, seat) and not self._look.board.is_open(self.session.game):
            self._write("\n" * 60)
            self._read(f"seat {seat}, {self.names[seat]}: press Enter when you alone look at the screen ")
        self._last = seat

    def _leave(self) -> None:
        saved = self._saved is not None and self._saved[1] == len(self.session.events)
        self._write("Left." if saved else "Left; the game is not saved.")

    # ---------------------------------------------------------------------------------------------------------- showing

    def _tell(self, viewer: int | None, since: int) -> bool:
        """Say what happened since then; return whether anything did."""
        runs = self.session.runs(viewer, since)
        for line in run_lines(runs, viewer, self._look, self.names):
            self._write(line)
        return bool(runs) and not all(run.typed for run in runs)

    def _show_events(self, viewer: int | None) -> None:
        """Show what happened since this viewer looked last; the board too, unless only they moved."""
        since = self._seen.get(viewer, 0)
        if self._tell(viewer, since) or since == 0:
            self._show_board(whole=False)
        self._seen[viewer] = len(self.session.events)

    def _show_board(self, _: str = "", whole: bool = True) -> None:
        """Show the board, or one that leaves room for the question, where the game has such a one."""
        viewer, position, board = self.session.viewer, self.session.position, self._look.board
        text = board.text(position, viewer, self.names, board_width())
        if not whole and board.short is not None and text.count("\n") + ROWS_KEPT > screen_height():
            text = board.short(position, viewer, self.names, board_width())
            if not any(key[1] is False for key in self._boards):
                self._say("The board is shortened to fit the screen; b shows all of it.")
            self._rows = max(LEAST_ROWS_BELOW, screen_height() - text.count("\n") - ROWS_BETWEEN)
            self._write_board(text, viewer, False)
        else:
            self._rows = page_rows()
            self._write_board(text, viewer, True)

    def _write_board(self, text: str, viewer: int | None, whole: bool) -> None:
        self._write("\n" + marked(text, self._boards.get((viewer, whole))))
        self._boards[viewer, whole] = text

    def _ask(self, seat: int) -> None:
        """Show the question with its clauses, and the moves."""
        view = self._look.view(self.session.position, seat)
        clauses = self._look.clauses(view)
        cited = f" (rules {', '.join(clauses)})" if clauses else ""
        asked = self._look.question(view) or "to move"
        self._say(f"Seat {seat}, {self.names[seat]}: {asked}{cited}")
        self._show_moves(0)

    def _show_moves(self, page: int, among: Sequence[int] = ()) -> None:
        """Show a page of the moves; ``among``: of these numbers only."""
        actions = self.session.position.legal_actions()
        pages = move_pages(among or range(1, len(actions) + 1), actions, self._rows)
        self._page = page % len(pages)
        for row in pages[self._page]:
            self._write(row)
        if len(pages) > 1:
            more = "" if among else " Enter: more, or"
            message = (
                f"  Page {self._page + 1} of {len(pages)}, {len(among or actions)} moves.{more} a word those with it."
            )
            self._write(message)

    def _say(self, line: str) -> None:
        """Show a line, in as many as it takes to fit."""
        for row in broken(line):
            self._write(row)

    def _log(self, _: str) -> None:
        self._tell(self.session.viewer, 0)

    def _rules(self, _: str) -> None:
        declared = self.session.game.definition
        for line in rules_lines(declared.name, declared.title, self._look):
            self._write(line)

    def _finish(self) -> None:
        viewer = self.session.viewer
        self._tell(viewer, self._seen.get(viewer, 0))
        board = self._look.board.text(self.session.position, None, self.names, board_width())
        self._write_board(board, viewer, True)
        self._seen[viewer] = len(self.session.events)
        for line in result_lines(self.session.position, self.names, self.session.forfeit):
            self._write(line)

    def _ask_after_end(self) -> bool:
        """Offer to save or take back at the end; return whether the game goes on."""
        while True:
            line = self._read("s saves, u takes back, Enter leaves> ").strip()
            if line.partition(" ")[0] == "s":
                self._save(line[1:].strip())
            elif line == "u":
                self._undo("")
                return self.session.position.node != "over"
            elif line in ("", "q"):
                return False

    # --------------------------------------------------------------------------------------------------------- commands

    def _play(self, line: str) -> None:
        action = self._find(line)
        if action is not None:
            self.session.play(action)

    def _find(self, line: str) -> str | None:
        """Return the move that a number or a text means; else show those with the text in them, or say why not."""
        actions = self.session.position.legal_actions()
        if line.isascii() and line.isdecimal() and len(line) < MOST_DIGITS and 1 <= int(line) <= len(actions):
            return actions[int(line) - 1]
        text = " ".join(line.lower().split())
        if text in actions:
            return text
        among = [number for number, action in enumerate(actions, 1) if text in action.lower()]
        if among and not line.isdecimal():
            self._show_moves(0, among)
        else:
            self._refuse(line, text)
        return None

    def _refuse(self, line: str, text: str) -> None:
        """Say why that cannot be done; of several actions with the text in them, if it is the same for all."""
        position = self.session.position
        if line.isdecimal():
            message = f"{shortened(line)} is no move here: there are 1 to {len(position.legal_actions())}"
        else:
            known = [action for action in position.game.actions if text in action.lower()]
            reasons = {self._look.refusal(position, action) for action in known}
            message = reasons.pop() if len(reasons) == 1 else self._look.refusal(position, shortened(text))
        self._say(f"{message[0].upper()}{message[1:]}. Type ? for help.")

    def _explain(self, rest: str) -> None:
        if not rest:
            self._write(HELP)
            return
        action = self._find(rest)
        if action is not None:
            for line in self.explanation(action):
                self._say(line)

    def explanation(self, action: str) -> Iterator[str]:
        """Yield what a move is for, what it changes at once, and who decides then."""
        position, seat, look = self.session.position, self.session.position.seat, self._look
        words = look.explain(position, action)
        yield f"{action}: {words}" if words else f"{action}:"
        after = position.clone()
        after.apply(action)
        before, then = look.view(position, seat), look.view(after, seat)
        yield from (f"  = {news}" for news in look.news(before, action, then))
        if after.seat == seat:
            yield f"  Then you are asked again: {look.question(then) or 'to move'}."
        else:
            other = "chance decides" if after.seat is None else f"seat {after.seat} decides"
            yield "  Then the game is over." if after.node == "over" else f"  Then {other}."

    def _hint(self, _: str) -> None:
        """Show the heuristic's move, then what every move is worth; Ctrl-C keeps what there is."""
        if not self.session.hints:
            self._say("No hint: several people play; start with --hints to have them.")
            return
        number = {text: index for index, text in enumerate(self.session.position.legal_actions(), 1)}
        hint, announced = None, False
        try:
            for hint in self.session.hint():
                if hint.move is not None and not hint.note and not hint.lines:
                    self._say(f"The {hint.adviser} would play {number[hint.move]}, {hint.move}.")
                elif hint.analysis is None and not hint.complete and not announced:
                    announced = True
                    self._say(f"Win shares: {hint.note}; Ctrl-C stops.")
        except KeyboardInterrupt:
            self._write("Stopped.")
        if hint is not None and hint.analysis is not None:
            for line, judged in zip(hint.lines, hint.analysis.actions, strict=True):
                self._say(f"{number[judged.text]:>3}  {line}")
        if hint is not None and hint.note and (hint.complete or hint.lines):
            self._say(f"{hint.note[0].upper()}{hint.note[1:]}.")

    def _undo(self, _: str) -> None:
        if not self.session.undo(self.session.viewer):
            self._write("Nothing to take back.")
            return
        length = len(self.session.events)
        self._seen = {viewer: min(count, length) for viewer, count in self._seen.items()}
        self._write("Taken back.")
        self._show_board()

    def _save(self, rest: str) -> None:
        path = Path(rest) if rest else self.file
        try:
            if path.exists() and (self._saved is None or path != self._saved[0]):
                self._write(f"{shortened(str(path))} exists: name another file, s FILE.")
                return
            self.session.save(path)
        except (OSError, ValueError) as error:  # ValueError: a name with a null character
            reason = getattr(error, "strerror", None) or error
            self._write(f"{shortened(str(path))}: cannot be written ({reason}).")
            return
        self._saved = path, len(self.session.events)
        self._say(f"Saved. To go on: the same command with --load {path} --seed {self.session.seed}")


# -------------------------------------------------------------------------------------------------------------- screen


MOST_TEXTS = 30
MOST_SHOWN = 60
WIDTHS = 60, 120  # of lines, whatever the terminal
LEAST_ROWS = 6  # of moves on a page, however low the terminal
ROWS_KEPT = 12  # of the screen for the question, the prompt and the lower part of the board
ROWS_BETWEEN = 5  # below a short board: a blank line, the question, the number of the page, the prompt
LEAST_ROWS_BELOW = 2  # of moves below a short board
CHANGED, SAME = "| ", "  "  # before lines of the board


def screen_width() -> int:
    """Return characters of a line: as many as the terminal has, within bounds."""
    narrowest, widest = WIDTHS
    return min(widest, max(narrowest, get_terminal_size((widest, 24)).columns))


def screen_height() -> int:
    """Return lines of the screen."""
    return get_terminal_size((WIDTHS[1], 50)).lines


def page_rows() -> int:
    """Return rows of moves that are shown at once."""
    return max(LEAST_ROWS, screen_height() - ROWS_KEPT)


def broken(line: str) -> list[str]:
    """Return the line in as many as it takes, so that they fit."""
    return fitted_lines([line], screen_width())


# ------------------------------------------------------------------------------------------------------ what happened


def event_lines(run: Run, names: Sequence[str]) -> list[str]:
    """Return - seat 1, heuristic: visit forge, take weapon; of very many, as at a setup, the first and the last."""
    who, texts = run.who, run.texts
    name = who if who == "chance" else f"{who}, {names[int(who.split()[1])]}"
    if len(texts) > MOST_TEXTS:
        texts = (*texts[: MOST_TEXTS // 2], f"... {len(texts) - MOST_TEXTS} more ...", *texts[-MOST_TEXTS // 2 :])
    return broken(f"- {name}: {', '.join(map(glued, texts))}")


def run_lines(runs: Iterable[Run], viewer: int | None, look: Look, names: Sequence[str]) -> Iterator[str]:
    """Yield what happened as a seat may know it, and under it what came of it.

    What the viewer typed is not repeated; what came of it is said.
    """
    for run in runs:
        if not run.typed:
            yield from event_lines(run, names)
        for news in look.news(look.view(run.before, viewer), ", ".join(run.texts), look.view(run.after, viewer)):
            yield from fitted_lines([f"  = {news}"], screen_width(), "    ")


# --------------------------------------------------------------------------------------------------- moves and board


def move_pages(numbers: Sequence[int], actions: Sequence[str], size: int) -> list[list[str]]:
    """Return the moves with their numbers, in columns, page by page of so many rows."""
    width = screen_width()
    widest = max(len(actions[number - 1]) for number in numbers) + 7
    per_row = max(1, (width + 2) // widest)  # the last column needs no room behind it
    cells = [f"{number:>3}  {actions[number - 1]}".ljust(widest) for number in numbers]
    rows = ["".join(cells[start : start + per_row]).rstrip() for start in range(0, len(cells), per_row)]
    return [rows[start : start + size] for start in range(0, len(rows), size)]


def marked(board: str, before: str | None) -> str:
    """Return the board with a mark before every line that was not there before; None: nothing was."""
    known = set((board if before is None else before).splitlines())
    lines = [f"{SAME if line in known else CHANGED}{line}".rstrip() for line in board.splitlines()]
    return "\n".join(lines) + "\n"


def board_width() -> int:
    """Return what is left of a line beside the mark."""
    return screen_width() - len(SAME)


# ------------------------------------------------------------------------------------------------- rules and result


def rules_lines(name: str, title: str, look: Look) -> list[str]:
    """Return what wins, and where the rules file lies."""
    path = rules_file(name) if name in GAMES else None
    where = f"The rules, clause by clause: {path}" if path else "The rules are those of the package that brings it."
    goal = [f"  {line}" for line in look.goal()]
    head = [f"{title}, what wins:"] if goal else [f"{title} says nothing about what wins."]
    return [*fitted_lines([*head, *goal], screen_width()), *(broken(where) if look.goal() else [])]


def shortened(text: str) -> str:
    """Return what was typed, or a name, fit to be shown in a line: nothing in it steers the terminal."""
    shown = text.encode("unicode_escape").decode("ascii") if not text.isprintable() else text
    return shown if len(shown) <= MOST_SHOWN else f"{shown[: MOST_SHOWN - 3]}..."


def result_lines(position: Position, names: Sequence[str], forfeit: Forfeit | None = None) -> Iterator[str]:
    """Yield scores, returns and winners."""
    scores, returns = position.scores(), position.returns() if forfeit is None else forfeit.returns
    best, note = max(returns), ""
    winners = [seat for seat, pay in enumerate(returns) if pay == best and best > 0]
    if forfeit is not None:
        note, winners = f" {forfeit.text(names)}", list(forfeit.winners)
    elif position.truncated:
        note = " A safety bound cut it off: nobody has won or lost."
    yield from broken(f"The game is over.{note}")
    for seat, name in enumerate(names):
        won = "  wins" if seat in winners else ""
        yield f"  seat {seat}, {name[:20]:<20} score {scores[seat]:>3}   return {returns[seat]:+.2f}{won}"
