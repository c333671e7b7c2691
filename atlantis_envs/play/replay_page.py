"""A recorded game as one HTML file that needs nothing else: the picture after every event, to walk through.

Of the pictures only what changes is kept: for every group of the drawing the events after which it looks different.
What all our pages are put together from comes last: files of ``page/``, the palettes of a game, the letters.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib import resources
from itertools import pairwise
from pathlib import Path
from typing import Any

from atlantis_envs.base.values import repr_short
from atlantis_envs.drawing.letters import font_file
from atlantis_envs.drawing.look import View, checked_viewer, names_of
from atlantis_envs.drawing.shapes import Drawing
from atlantis_envs.drawing.svg import Colours, css_name, escaped, group_marks, page_colours, to_svg
from atlantis_envs.drawing.theme import THEMES, Roles, palette
from atlantis_envs.engine.position import Position
from atlantis_envs.play.game_session import Event, visible_text
from atlantis_envs.play.graph import Evaluation, graph_of
from atlantis_envs.play.replay import Recorded, load_recorded


def replay_html(
    end: Position,
    start: Position | None = None,
    seat: int | None = None,
    names: Sequence[str] | None = None,
    evaluation: Evaluation | None = None,
) -> str:
    """Return the page of a game.

    Args:
        end: where the game stands; its log is shown.
        start: where its log began; None: the beginning.
        seat: whose knowledge the page holds; None: everything, hidden cards too.
        names: of the seats; None: "seat 0" and so on.
        evaluation: win shares on the way, drawn below the board, mistakes told with their events; None: no graph.

    Raises:
        ValueError: no such seat, or not one name for every seat.
    """
    viewer, called = checked_viewer(end, seat), names_of(end, names)
    events = events_of(end, start)
    record = _record(events, end, viewer, called)
    if evaluation is not None:
        for mistake in evaluation.mistakes:
            record["events"][mistake.event] += f" ({mistake.name}. {mistake.text})"
        record["graph"] = graph_of(evaluation, len(record["events"]))
        record["shares"] = [
            [event, [None if math.isnan(share) else share for share in shares]]
            for event, shares in zip(evaluation.events, evaluation.shares, strict=True)
        ]
        record["mistakes"] = _mistakes(evaluation, events, viewer)
        record["luck"] = list(evaluation.luck)
    return _page(end, record, viewer, called)


def page_of(
    replay: str | Path | Position,
    seat: int | None = None,
    names: Sequence[str] | None = None,
    evaluation: Evaluation | None = None,
) -> str:
    """Return the page of a recorded game as one HTML document that needs nothing else.

    >>> position = atlantis_envs.game("atlandice", players=2).initial_position()
    >>> position.apply("reveal J2")
    >>> atlantis_envs.replay_html(position).splitlines()[0]
    '<!DOCTYPE html>'

    In a notebook: ``IPython.display.IFrame("data:text/html;base64," + b64encode(page.encode()).decode(), 820, 760)``,
    or write it to a file and open that.

    Args:
        replay: a replay file, or a position with the log of its game from the beginning.
        seat: whose knowledge the page holds; None: everything, hidden cards too.
        names: of the seats; None: those of the file, else "seat 0" and so on.
        evaluation: win shares on the way; None: no graph.

    Raises:
        ReplayError: naming the line of the file and what is wrong with it.
        ValueError: no such seat, not one name for every seat, or neither a path nor a position.
    """
    recorded = recorded_game(replay)
    return replay_html(recorded.end, recorded.start, seat, names or recorded.names, evaluation)


def recorded_game(replay: str | Path | Position) -> Recorded:
    """Return the game of a replay file, or of a position with its log from the beginning.

    Raises:
        ReplayError: naming the line of the file and what is wrong with it.
        ValueError: neither a path nor a position.
    """
    if isinstance(replay, Position):
        return Recorded(Position(replay.game, replay.game.root), replay)
    if not isinstance(replay, (str, Path)):
        raise ValueError(f"replay: {repr_short(replay)}; allowed: a path or a position")
    return load_recorded(replay)


def events_of(end: Position, start: Position | None) -> list[Event]:
    """Return everything that happened, with the position before it."""
    position = Position(end.game, end.game.root) if start is None else start.clone()
    events = []
    for text in end.log:
        events.append(Event(position.clone(), text))
        position.apply(text)
    return events


# ---------------------------------------------------------------------------------------------------------- the record


def _record(events: Sequence[Event], end: Position, viewer: int | None, names: Sequence[str]) -> dict[str, Any]:
    look = end.game.definition.look()
    colours = page_colours(list(palette(look.roles, THEMES[0])))
    positions = [*(event.before for event in events), end]
    views = [look.view(position, viewer) for position in positions]
    seats = [position.seat for position in positions]
    texts = [_event_text(event, viewer, names) for event in events]
    steps = steps_of(seats, [round_of(view) for view in views])
    words = {"events": texts, "seats": seats[:-1], "names": list(names), "steps": steps}
    drawn = _pictures((look.draw(view, names) for view in views), colours)
    narrow = look.draw_narrow and _pictures((look.draw_narrow(view, names) for view in views), colours)
    return {**drawn, "narrow": narrow, **words, "graph": None, "shares": [], "mistakes": [], "luck": []}


def _pictures(drawings: Iterable[Drawing], colours: Colours) -> dict[str, Any]:
    """Return the first picture, and of groups that change the markup, each with the number of events it holds after."""
    frame, changes = "", dict[str, list[list[Any]]]()
    for index, drawing in enumerate(drawings):
        frame = frame or to_svg(drawing, colours)
        for key, marks in group_marks(drawing, colours).items():
            if key not in changes or changes[key][-1][1] != marks:
                changes.setdefault(key, []).append([index, marks])
    return {"frame": frame, "changes": {key: marks for key, marks in changes.items() if len(marks) > 1}}


def _mistakes(evaluation: Evaluation, events: Sequence[Event], viewer: int | None) -> list[dict[str, Any]]:
    """Return mistakes with the keys of the places where what was played and what was best lie, where they have any."""
    found = []
    for mistake in evaluation.mistakes:
        before = events[mistake.event].before
        look = before.game.definition.look()
        view = look.view(before, viewer)
        keys = [look.area(view, move) if move in view["legal"] else None for move in mistake.moves]
        found.append({"number": mistake.number, "seat": mistake.seat, "text": mistake.text, "keys": keys})
    return found


def _event_text(event: Event, viewer: int | None, names: Sequence[str]) -> str:
    seat = event.before.seat
    who = "chance" if seat is None else names[seat]
    return f"{who}: {visible_text(event, viewer)}"


def round_of(view: View) -> int | None:
    """Return the round that a view says it is; None: the game counts none."""
    found: int | None = view["place"].get("round") if "place" in view else None
    return found


def steps_of(seats: Sequence[int | None], rounds: Sequence[int | None]) -> dict[str, list[int]]:
    """Return places to stop at: decisions; where another seat is to decide; where a round begins.

    Where a game does not count rounds, one begins when the turn comes to a seat before or at the last one's.
    """
    decisions = [index for index, seat in enumerate(seats) if seat is not None]
    turns = decisions[:1] + [index for before, index in pairwise(decisions) if seats[before] != seats[index]]
    counted = [index for index in range(1, len(rounds)) if rounds[index] != rounds[index - 1]]
    wrapped = [index for before, index in pairwise(turns) if (seats[index] or 0) <= (seats[before] or 0)]
    return {"decision": decisions, "turn": turns, "round": counted or wrapped}


# ------------------------------------------------------------------------------------------------------------ the page


def _page(end: Position, record: Mapping[str, Any], viewer: int | None, names: Sequence[str]) -> str:
    game = end.game
    css, code = style(game.definition.look().roles, "replay.css"), script("replay.js")
    packed = gzip.compress(json.dumps(record, separators=(",", ":")).encode(), 9, mtime=0)
    title = f"{game.definition.title}, {game.players} {'seat' if game.players == 1 else 'seats'}"
    parts = {
        "TITLE": escaped(title),
        "ABOUT": escaped(_about(end, len(record["events"]), viewer, names)),
        "SCRIPT_HASH": _digest(code),
        "STYLE_HASH": _digest(css),
        "STYLE": css,
        "DATA": base64.b64encode(packed).decode(),
        "SCRIPT": code,
    }
    return filled(part("replay.html"), parts)


def _about(end: Position, count: int, viewer: int | None, names: Sequence[str]) -> str:
    """Return who played what, how it ended, and what may be seen."""
    game = end.game
    result = f"scores {', '.join(f'{name} {score}' for name, score in zip(names, end.scores(), strict=True))}"
    closed = not game.definition.look().board.is_open(game)
    sees = f"as {names[viewer]} sees it" if viewer is not None else "everything is shown, hidden cards too"
    rules = f"rules {game.definition.versions.rules}"
    return f"{count} events; {result}; {rules}{f'; {sees}' if closed else ''}. {game!r}"


def _digest(text: str) -> str:
    """Return how a content security policy names what may run."""
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


# --------------------------------------------------------------------------------------------------------------- pages


FONTS = (("FONT_PLAIN", False), ("FONT_BOLD", True))


def part(name: str) -> str:
    """Return a file of ``page/``."""
    return resources.files(__package__).joinpath("page", name).read_text("utf-8")


def style(roles: Roles, name: str) -> str:
    """Return what all pages share, both palettes with the roles of a game, and the style of one page."""
    css = part("look.css")
    for theme in THEMES:
        colours = " ".join(f"--{css_name(role)}: {colour};" for role, colour in palette(roles, theme).items())
        css = css.replace(theme.upper(), colours)
    for mark, bold in FONTS:
        css = css.replace(mark, _letters(bold))
    return css + part(name)


def script(*names: str) -> str:
    """Return how pictures are patched, and the scripts of one page."""
    return part("look.js") + "".join(map(part, names))


def filled(template: str, parts: Mapping[str, str]) -> str:
    """Fill a template: every mark such as <!--NAME--> gets its part, and what is put in is never looked through."""
    parts_found = []
    for piece in template.split("<!--"):
        name, closed, rest = piece.partition("-->")
        parts_found.append(parts[name] + rest if closed else piece)
    return "".join(parts_found)


@cache
def _letters(bold: bool) -> str:
    return base64.b64encode(font_file(bold).read_bytes()).decode()
