"""What a terminal shows, as lines that fit: what happened, the moves, the board with what has changed, the result."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from shutil import get_terminal_size

from atlantis_envs.drawing.look import Look
from atlantis_envs.drawing.text import fitted_lines, glued
from atlantis_envs.engine.position import Position
from atlantis_envs.play.game_session import Run

RULES = Path(__file__).resolve().parents[2] / "docs" / "rules"  # in a checkout; a package has no docs
MOST_TEXTS = 30
MOST_SHOWN = 60
WIDTHS = 60, 120  # of lines, whatever the terminal
LEAST_ROWS = 6  # of moves on a page, however low the terminal
ROWS_KEPT = 12  # of the screen for the question, the prompt and the lower part of the board
CHANGED, SAME = "| ", "  "  # before lines of the board


def screen_width() -> int:
    """Return characters of a line: as many as the terminal has, within bounds."""
    narrowest, widest = WIDTHS
    return min(widest, max(narrowest, get_terminal_size((widest, 24)).columns))


def page_rows() -> int:
    """Return rows of moves that are shown at once."""
    return max(LEAST_ROWS, get_terminal_size((WIDTHS[1], 50)).lines - ROWS_KEPT)


def broken(line: str) -> list[str]:
    """Return the line in as many as it takes, so that they fit."""
    return fitted_lines([line], screen_width())


# ------------------------------------------------------------------------------------------------------ what happened


def event_lines(happened: Sequence[tuple[str, list[str]]], names: Sequence[str]) -> Iterator[str]:
    """Yield lines such as - seat 1, heuristic: visit forge, take weapon."""
    for who, texts in happened:
        yield from _run_lines(who, texts, names)


def _run_lines(who: str, texts: Sequence[str], names: Sequence[str]) -> Iterator[str]:
    """Yield texts after each other; of very many, as at a setup, only the first and the last."""
    name = who if who == "chance" else f"{who}, {names[int(who.split()[1])]}"
    if len(texts) > MOST_TEXTS:
        texts = [*texts[: MOST_TEXTS // 2], f"... {len(texts) - MOST_TEXTS} more ...", *texts[-MOST_TEXTS // 2 :]]
    yield from broken(f"- {name}: {', '.join(map(glued, texts))}")


def run_lines(runs: Iterable[Run], viewer: int | None, look: Look, names: Sequence[str]) -> Iterator[str]:
    """Yield what happened as a seat may know it, and under it what came of it.

    What the viewer typed is not repeated; what came of it is said.
    """
    for run in runs:
        if not run.typed:
            yield from _run_lines(run.who, run.texts, names)
        for news in look.news(look.view(run.before, viewer), ", ".join(run.texts), look.view(run.after, viewer)):
            yield from fitted_lines([f"  = {news}"], screen_width(), "    ")


# --------------------------------------------------------------------------------------------------- moves and board


def move_pages(numbers: Sequence[int], actions: Sequence[str]) -> list[list[str]]:
    """Return the moves with their numbers, in columns, page by page."""
    width = screen_width()
    widest = max(len(actions[number - 1]) for number in numbers) + 7
    per_row = max(1, (width + 2) // widest)  # the last column needs no room behind it
    cells = [f"{number:>3}  {actions[number - 1]}".ljust(widest) for number in numbers]
    rows = ["".join(cells[start : start + per_row]).rstrip() for start in range(0, len(cells), per_row)]
    size = page_rows()
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
    path = RULES / f"{name}.md"
    where = f"The rules, clause by clause: {path}" if path.exists() else "The rules are in docs/rules of the project."
    goal = [f"  {line}" for line in look.goal()]
    head = [f"{title}, what wins:"] if goal else [f"{title} says nothing about what wins."]
    return [*fitted_lines([*head, *goal], screen_width()), *(broken(where) if look.goal() else [])]


def shortened(text: str) -> str:
    """Return what was typed, or a name, fit to be shown in a line: nothing in it steers the terminal."""
    shown = text.encode("unicode_escape").decode("ascii") if not text.isprintable() else text
    return shown if len(shown) <= MOST_SHOWN else f"{shown[: MOST_SHOWN - 3]}..."


def result_lines(position: Position, names: Sequence[str]) -> Iterator[str]:
    """Yield scores, returns and winners."""
    scores, returns = position.scores(), position.returns()
    best = max(returns)
    cut_off = " A safety bound cut it off: nobody has won or lost." if position.truncated else ""
    yield f"The game is over.{cut_off}"
    for seat, name in enumerate(names):
        won = "  wins" if returns[seat] == best and best > 0 else ""
        yield f"  seat {seat}, {name[:20]:<20} score {scores[seat]:>3}   return {returns[seat]:+.2f}{won}"
