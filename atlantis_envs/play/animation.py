"""A recorded game as a moving picture: SVG, which needs no other package, or WebP, which needs the extra ``look``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import Any

from atlantis_envs.base.arguments import choice, integer, number
from atlantis_envs.base.files import write_atomically
from atlantis_envs.base.values import repr_short
from atlantis_envs.drawing.look import MOST_PIXELS, changed_keys, checked_viewer, names_of
from atlantis_envs.drawing.shapes import Drawing
from atlantis_envs.drawing.svg import Colours, group_marks, imported, to_png, to_svg
from atlantis_envs.drawing.theme import palette
from atlantis_envs.engine.position import Position
from atlantis_envs.play.replay_page import events_of, recorded_game, round_of, steps_of

EVERY = ("event", "decision", "turn", "round")
ENDINGS = (".svg", ".webp")
HELD = 4  # how much longer the last picture stays
QUALITY = 80  # of a WebP


def animate(
    replay: str | Path | Position,
    out: str | Path,
    every: str = "turn",
    seconds: float = 0.8,
    seat: int | None = None,
    names: Sequence[str] | None = None,
    theme: str = "light",
    width: int = 640,
    advance: Callable[[int, int], None] | None = None,
) -> int:
    """Write a game as a moving picture that begins anew at its end; what has changed is outlined.

    >>> import pathlib, tempfile
    >>> position = atlantis_envs.game("atlandice", players=2).initial_position()
    >>> position.apply("reveal J2")
    >>> out = pathlib.Path(tempfile.mkdtemp()) / "game.svg"
    >>> atlantis_envs.animate(position, out, every="event")
    2

    Args:
        replay: a replay file, or a position with the log of its game from the beginning.
        out: the file, which ends in ".svg" or ".webp"; it is complete or was never there.
        every: a picture for every "event", "decision", "turn" or "round".
        seconds: how long each stays; the last one four times as long.
        seat: whose knowledge is shown; None: everything, hidden cards too.
        names: of the seats; None: those of the file, else "seat 0" and so on.
        theme: "light" or "dark".
        width: pixels across, of a WebP.
        advance: (pictures done, pictures in all), called after each picture of a WebP.

    Returns:
        How many pictures it has.

    Raises:
        MissingPackageError: a WebP without resvg-py and Pillow.
        ReplayError: naming the line of the file and what is wrong with it.
        ValueError: naming the argument and what is allowed.
    """
    path = Path(out)
    if path.suffix.lower() not in ENDINGS:
        raise ValueError(f"out: {repr_short(str(out))}; allowed: a name that ends in {' or '.join(ENDINGS)}")
    choice("every", every, EVERY)
    stay, across = number("seconds", seconds, 0.02, 60), integer("width", width, 100, MOST_PIXELS)
    recorded = recorded_game(replay)
    start, end = recorded.start, recorded.end
    viewer = checked_viewer(end, seat)
    called = names_of(end, names or recorded.names)
    look = end.game.definition.look()
    colours = palette(look.roles, theme)
    drawings = [look.draw(look.view(position, viewer), called) for position in _positions(start, end, viewer, every)]
    if path.suffix.lower() == ".svg":
        write_atomically(path, animated_svg(drawings, colours, stay))
    else:
        write_atomically(path, _webp(drawings, colours, stay, across, advance))
    return len(drawings)


def _positions(start: Position, end: Position, viewer: int | None, every: str) -> list[Position]:
    """Return the positions to be shown, the first and the last one among them."""
    positions = [*(event.before for event in events_of(end, start)), end]
    if every == "event":
        return positions
    look = end.game.definition.look()
    rounds = [round_of(look.view(position, viewer)) for position in positions]
    steps = steps_of([position.seat for position in positions], rounds)[every]
    last = len(positions) - 1
    return [positions[index] for index in (*(step for step in steps if step < last), last)]


def _changes(drawings: Sequence[Drawing], colours: Colours) -> Iterator[dict[str, None]]:
    """Yield for every picture the keys of what has changed since the one before."""
    yield {}
    for before, after in pairwise(drawings):
        yield dict.fromkeys(changed_keys(before, after, colours))


# ----------------------------------------------------------------------------------------------------------------- svg


def animated_svg(drawings: Sequence[Drawing], colours: Colours, seconds: float) -> str:
    """Return pictures of one game as one SVG: what stays is there once, what changes comes and goes."""
    whole = len(drawings) + HELD - 1
    spans: dict[str, list[tuple[int, int, str]]] = {}  # key -> first picture, the one after the last, markup
    for index, (drawing, changed) in enumerate(zip(drawings, _changes(drawings, colours), strict=True)):
        stop = index + 1 if index + 1 < len(drawings) else whole
        for key, marks in group_marks(drawing, colours, None, changed).items():
            known = spans.setdefault(key, [])
            if known and known[-1][1:] == (index, marks):
                known[-1] = known[-1][0], stop, marks
            else:
                known.append((index, stop, marks))
    parts = [_span(*span, whole, seconds) for known in spans.values() for span in known]
    empty = Drawing(drawings[0].width, drawings[0].height, drawings[0].title, drawings[-1].about, ())
    return to_svg(empty, colours).replace("</svg>", f"{''.join(parts)}</svg>")


def _span(first: int, stop: int, marks: str, whole: int, seconds: float) -> str:
    """Return markup that is seen from one picture to before another."""
    if (first, stop) == (0, whole):
        return marks
    moments = [(0, "none")] * (first > 0) + [(first, "inline")] + [(stop, "none")] * (stop < whole)
    times = ";".join(f"{at / whole:.6g}" for at, _ in moments)
    values = ";".join(value for _, value in moments)
    timing = f'dur="{whole * seconds:g}s" calcMode="discrete" repeatCount="indefinite"'
    turn = f'<animate attributeName="display" values="{values}" keyTimes="{times}" {timing}/>'
    hidden = ' display="none"' if first > 0 else ""  # where nothing moves, the first picture is seen
    return f"<g{hidden}>{turn}{marks}</g>"


# ---------------------------------------------------------------------------------------------------------------- webp


def _webp(
    drawings: Sequence[Drawing],
    colours: Colours,
    seconds: float,
    width: int,
    advance: Callable[[int, int], None] | None,
) -> bytes:
    image: Any = imported("PIL.Image", "Pillow")
    frames = []
    for index, (drawing, changed) in enumerate(zip(drawings, _changes(drawings, colours), strict=True), 1):
        frames.append(image.open(BytesIO(to_png(to_svg(drawing, colours, None, changed), width))).convert("RGB"))
        if advance is not None:
            advance(index, len(drawings))
    stays = [round(1000 * seconds)] * (len(frames) - 1) + [round(1000 * seconds * HELD)]
    content = BytesIO()
    frames[0].save(
        content, "WEBP", save_all=True, append_images=frames[1:], duration=stays, loop=0, quality=QUALITY, method=4
    )
    return content.getvalue()
