"""What happened in a game, as one seat may know it: moves and the chance after them, results, what looks different."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from atlantis_envs.drawing.look import Look, View
from atlantis_envs.drawing.shapes import Drawing, all_groups
from atlantis_envs.engine.position import Position
from atlantis_envs.play.game_session import GameSession, visible_text

MOST_TEXTS, HALF = 8, 4  # of one report; of more, as at a setup, the first and the last
MOST_OUTCOMES = 12  # that a preview tells one by one
WORLDS = 3  # in which a preview asks what chance may bring


@dataclass(frozen=True)
class Report:
    """A decision and the chance that followed.

    Attributes:
        seat: whose decision; None: chance alone.
        own: whether it is that of the one who looks.
        texts: what was done and drawn.
        news: what came of it, in sentences.
        stop: how many events there were after it.
        changed: keys of what looks different.
        view: what may be known after it.
        drawing: the picture of that.
    """

    seat: int | None
    own: bool
    texts: list[str]
    news: list[str]
    stop: int
    changed: frozenset[str]
    view: View
    drawing: Drawing


def reports(look: Look, session: GameSession, viewer: int | None, names: Sequence[str], since: int) -> list[Report]:
    """Return what happened since so many events, as a seat may know it."""
    found: list[Report] = []
    if since == len(session.events):
        return found
    stops = [n for n in range(since + 1, len(session.events)) if session.events[n].before.seat is not None]
    view = look.view(session.events[since].before, viewer)
    drawing = look.draw(view, names)
    for start, stop in zip([since, *stops], [*stops, len(session.events)], strict=True):
        event = session.events[start]
        after = look.view(session.events[stop].before if stop < len(session.events) else session.position, viewer)
        texts = [visible_text(each, viewer) for each in session.events[start:stop]]
        new = look.draw(after, names)
        news, changed = look.news(view, ", ".join(texts), after), changed_parts(drawing, new)
        seat = event.before.seat
        own = seat is not None and seat == viewer
        if len(texts) > MOST_TEXTS:
            texts = [*texts[:HALF], f"... {len(texts) - 2 * HALF} more ...", *texts[-HALF:]]
        found.append(Report(seat, own, texts, list(news), stop, changed, after, new))
        view, drawing = after, new
    return found


def changed_parts(old: Drawing, new: Drawing) -> frozenset[str]:
    """Return keys of the areas whose marks are others or lie elsewhere; of areas in each other the innermost."""
    before, after = _marks(old), _marks(new)
    found: set[str] = set()
    around: set[str] = set()  # groups with one of those inside
    for group, _, _ in reversed(list(all_groups(new))):  # what is inside a group comes before it
        if any(child.key in found or child.key in around for child in group.children):
            around.add(group.key)
        elif group.area is not None and after[group.key] != before.get(group.key, after[group.key]):
            found.add(group.key)
    return frozenset(found)


def _marks(drawing: Drawing) -> dict[str, tuple[float, float, list[Any]]]:
    """Return what of every group tells something: not outlines, which say whose turn it is."""
    marks = {}
    for group, x, y in all_groups(drawing):
        seen = [(shape.kind, shape.geometry, shape.fill, shape.text, shape.faded) for shape in group.shapes]
        marks[group.key] = (x, y, seen)
    return marks


# --------------------------------------------------------------------------------------------------------- previews


def preview(look: Look, position: Position, seat: int, action: str, through: bool = True) -> tuple[list[str], Position]:
    """Return what a legal move of a seat would do, in sentences, and the position after it.

    ``through``: what then has no alternative is played too. Where something is hidden it is tried in worlds that the
    seat cannot tell from the true one.
    """
    is_open = look.board.is_open(position.game)
    worlds = [position.clone()] if is_open else [position.resample(seat, world) for world in range(WORLDS)]
    before = look.view(worlds[0], seat)
    done: list[str] = []
    for world in worlds:
        done = _played(world, seat, action, through)
    after = worlds[0]
    view = look.view(after, seat)
    lines = [look.explain(position, action), *look.news(before, ", ".join(done), view)]
    if len(done) > 1:
        lines.append(f"then {', '.join(done[1:])}")
    if after.node == "over":
        lines.append("then the game is over")
    elif after.seat == seat:
        lines.append(f"then you are to {look.question(view)}")
    elif after.seat is not None:
        lines.append(f"then seat {after.seat} is to decide")
    else:
        lines += _chances(look, worlds, seat, through)
    return [line for line in lines if line], after


def _played(world: Position, seat: int, action: str, through: bool) -> list[str]:
    """Play a move in a world, and what has no alternative then; all that was played."""
    done = [action]
    world.apply(action)
    while through and world.seat == seat and len(legal := world.legal_actions()) == 1:
        done.append(legal[0])
        world.apply(legal[0])
    return done


def _chances(look: Look, worlds: Sequence[Position], seat: int, through: bool) -> list[str]:
    """Return what chance may bring, outcomes of one result together; only their number where weights would tell."""
    outcomes = worlds[0].chance_outcomes()
    if any(world.chance_outcomes() != outcomes for world in worlds[1:]):
        return ["then chance decides"]
    if len(outcomes) == 1:
        return [f"then chance: {next(iter(outcomes))}"]
    if len(outcomes) > MOST_OUTCOMES:
        return [f"then chance: one of {len(outcomes)} outcomes"]
    found: dict[str, list[str]] = {}
    view = look.view(worlds[0], seat)
    for text in outcomes:
        after = worlds[0].clone()
        done = _played(after, seat, text, through)
        seen = look.view(after, seat)
        asked = [f"you are to {look.question(seen)}"] if after.seat == seat else []
        brings = [*done[1:], *look.news(view, ", ".join(done), seen), *asked]
        found.setdefault("; ".join(brings), []).append(text)
    whole = sum(outcomes.values())
    return [
        f"then {_together(texts)} ({sum(outcomes[text] for text in texts)} of {whole}){f': {brings}' if brings else ''}"
        for brings, texts in found.items()
    ]


def _together(texts: Sequence[str]) -> str:
    """Return texts after each other, a first word that all share only once."""
    heads = {text.partition(" ")[0] for text in texts}
    if len(heads) > 1:
        return ", ".join(texts)
    return f"{heads.pop()} {', '.join(text.partition(' ')[2] for text in texts)}".strip()
