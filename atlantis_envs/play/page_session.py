"""A table as a page shows it: what one screen may know of a game, in documents of plain values.

People share the screen. Where a game hides cards and several people play, the screen is covered between them: it shows
nothing until one seat says that it alone looks. Nothing here knows a browser; ``server`` carries the documents.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from atlantis_envs.drawing.look import THEN, Ending, Look, Stretch, View
from atlantis_envs.drawing.shapes import Drawing, all_groups
from atlantis_envs.drawing.svg import delta, group_marks, outlines, page_colours, to_svg
from atlantis_envs.drawing.theme import THEMES, palette
from atlantis_envs.engine.position import Position
from atlantis_envs.errors import AtlantisError, OptionError
from atlantis_envs.play.game_session import GameSession, visible_text
from atlantis_envs.play.graph import Evaluation
from atlantis_envs.play.hints import ADVISER, Hint
from atlantis_envs.play.replay_page import replay_html
from atlantis_envs.seats.agents import make_agent
from atlantis_envs.seats.analysis import standing

STANDING_GAMES = 96  # that are played on for the chances to win
SLICE = 0.5  # seconds that agents may play on before the page is told
MOST_FRAMES = 24  # pictures on the way in one answer
MOST_TRAIL = 8
MOST_WATCHED, MOST_PLAYED = 8, 400  # decisions in one answer, to somebody who watches or who plays
HINT = ("move", "adviser", "note", "lines", "complete")  # of a hint, what the page shows
MOST_MARKED = 5  # of the moves of a hint, marked on the board


class StaleError(AtlantisError):
    """The page shows another moment than the present one, or the screen is not that of the seat."""


class OvertakenError(StaleError):
    """A question about a moment that is over: the game went on while it was on its way, which is nobody's fault."""


class RefusedError(AtlantisError):
    """A move that is not legal; says why, with the clause."""


class Moment(NamedTuple):
    """What one screen is for at a moment.

    Attributes:
        over: the game is over.
        covered: nothing is shown until one seat says that it alone looks.
        waits: a person is to choose.
        asked: it is the one who looks.
        own: the seat of the person at the screen, at the end too; None: several at an open table, or nobody.
        viewer: the seat whose knowledge is shown; None: everything, to onlookers and at the end.
    """

    over: bool
    covered: bool
    waits: bool
    asked: bool
    own: int | None
    viewer: int | None


class PageSession:
    """One game session as a page shows it.

    Args:
        table: the game.
        names: what to call the seats.
        ask_forced: ask for moves without an alternative too.
        warm: get hints ready in the background, once somebody is asked.

    Attributes:
        ply: how many things have happened at this table, each taking back among them; it never comes back, so a page
            that knows it shows the present moment.
    """

    def __init__(
        self, session: GameSession, names: Sequence[str], ask_forced: bool = False, warm: bool = False
    ) -> None:
        """Sit down; nothing is played yet."""
        self.session, self.names, self.ask_forced = session, list(names), ask_forced
        self.look = session.game.definition.look()
        self.ply = len(session.events)
        self._colours = page_colours(list(palette(self.look.roles, THEMES[0])))
        self._is_open = self.look.board.is_open(session.game)  # every seat knows everything
        self._hides = not self._is_open and len(session.people) > 1
        self._warm = warm and session.hints
        self._looker: int | None = None
        self._narrow, self._draw = False, self.look.draw
        self._joined = self.ply  # events before anybody looked
        self._sent: tuple[int, dict[str, str]] | None = None  # ply, what the page shows since
        self._lock = threading.Lock()

    # ------------------------------------------------------------------------------------------------------ who looks

    def _moment(self) -> Moment:
        """Return who looks now, and what they are to do."""
        node, seat = self.session.position.node, self.session.viewer
        over, waits = node == "over", self.session.waits(self.ask_forced)
        own = self._looker if self._hides or not self.session.people else seat
        covered = self._hides and own is None and not over
        asked = waits and not covered and own == self.session.person
        return Moment(over, covered, waits, asked, own, None if over else own)

    def _viewer(self) -> int | None:
        """Return the seat whose knowledge is shown; None: everything, to onlookers and at the end."""
        moment = self._moment()
        if moment.covered:
            raise StaleError("the screen is covered; allowed: to say which seat looks")
        return moment.viewer

    def _check(self, ply: int) -> None:
        if ply != self.ply:
            raise StaleError(f"ply: {ply}; allowed: {self.ply}, since the game has gone on")

    # --------------------------------------------------------------------------------------------------------- asking

    def _still(self, ply: int | None) -> None:
        if ply not in (None, self.ply):
            raise OvertakenError(f"ply: {ply}; the game is at {self.ply}")

    def state(self, ply: int | None = None, narrow: bool | None = None) -> dict[str, Any]:
        """Return what the page shows now; of the picture only what has changed since ``ply``, where that is known.

        ``narrow``: from now on the page wants pictures for a telephone, or no more; None: as before.
        """
        with self._lock:
            if narrow not in (None, self._narrow):
                self._narrow, self._sent = bool(narrow), None
                self._draw = (self.look.draw_narrow if narrow else None) or self.look.draw
            return self._state(None, ply)

    def at(self, event: int) -> dict[str, Any]:
        """Return the picture after so many events, and what the last of them was."""
        with self._lock:
            viewer, events = self._viewer(), self.session.events
            event = max(0, min(len(events), event))
            position = events[event].before if event < len(events) else self.session.position
            message = "the beginning" if event == 0 else self._event_text(event - 1, viewer)
            drawing = self._drawing(position, viewer)
            return {"event": event, "of": len(events), "told": message, "groups": group_marks(drawing, self._colours)}

    def history(self, since: int = 0) -> list[dict[str, Any]]:
        """Return all that happened after so many events, as the one at the screen may know it, decision by decision."""
        with self._lock:
            viewer = self._viewer()
            return [part.document() for part in parts(self.look, self.session, viewer, since)]

    def preview(self, action: str, ply: int | None = None) -> dict[str, Any]:
        """Return what a legal move would do: in words, and outlines of what it changes.

        Raises:
            OvertakenError: it was asked at another ``ply``.
            RefusedError: the move is not legal.
        """
        with self._lock:
            self._still(ply)
            position, seat = self._deciding()
            *leads, last = self._checked(position, action)
        old = self._drawing(position, seat)
        for lead in leads:
            position.apply(lead)
        lines, after = preview(self.look, position, seat, last, not self.ask_forced)
        new = self._drawing(after, seat)
        marks = outlines(new, self._colours, dict.fromkeys(changed_parts(old, new)))
        return {"action": action, "lines": lines, "outlines": marks}

    def why(self, keys: Sequence[str], action: str | None = None, ply: int | None = None) -> str:
        """Return why nothing can be done at the innermost of these keys that moves are ever about, or why not a move.

        "" if it is legal.

        Raises:
            OvertakenError: it was asked at another ``ply``.
        """
        with self._lock:
            self._still(ply)
            position, seat = self._deciding()
        if action is not None:
            return self.look.refusal(position, action)
        view = self.look.view(position, seat)
        for key in keys:
            meant = [text for text in position.game.actions if self.look.area(view, text) == key]
            if meant:
                kinds = {text.split()[0] for text in view["legal"]}  # what is asked for now comes first
                meant.sort(key=lambda text: text.split()[0] not in kinds)
                if meant[0].split()[0] not in kinds:  # a click there may mean two actions
                    afters = [after for _, after in self.look.leads(position)] or [position]
                    return min((self.look.refusal(after, meant[0]) for after in afters), key=bool)
                return self.look.refusal(position, meant[0])
        return "nothing can be done there"

    def standing(self, ply: int | None = None) -> dict[str, Any]:
        """Return how likely every seat is to win, as the one at the screen may know it; of a team there is one share.

        The heuristic plays on in every seat. Where nobody decides, or there is no heuristic, there are no shares.

        Raises:
            OvertakenError: it was asked at another ``ply``.
        """
        with self._lock:
            self._still(ply)
            viewer, position = self._viewer(), self.session.position.clone()
        if position.seat is None:
            return {"shares": None}
        try:
            agent = make_agent(ADVISER, self.session.game)
        except OptionError:
            return {"shares": None}
        shares = standing(position, agent, None if self._is_open else viewer, STANDING_GAMES).tolist()
        return {"shares": shares[:1] if position.game.cooperative else shares}

    def text(self) -> str:
        """Return the board as text."""
        with self._lock:
            return self.look.board.text(self.session.position, self._viewer(), self.names)

    def replay(self) -> tuple[str, str]:
        """Return name and text of a file of what has happened: a replay where it gives nothing hidden away.

        Else it is a page to look through, of what the seat at the screen may know.
        """
        with self._lock:
            viewer, name = self._viewer(), self.session.game.name
            if self._is_open or viewer is None:
                return f"{name}.jsonl", self.session.replay_text()
            return f"{name}-as-seat-{viewer}.html", self._page(viewer)

    def look_through(self, evaluation: Evaluation | None = None) -> str:
        """Return a page to walk through what has happened, as far as the one at the screen may know it."""
        with self._lock:
            viewer = self._viewer()
            return self._page(None if self._is_open else viewer, evaluation)

    def _page(self, viewer: int | None, evaluation: Evaluation | None = None) -> str:
        return replay_html(self.session.position, self.session.start, viewer, self.names, evaluation)

    def hint(self, stop: threading.Event) -> Iterator[dict[str, Any]]:
        """Yield what the table's hint says, as it grows, until ``stop`` is set."""
        with self._lock:
            self._deciding()
            if not self.session.hints:
                raise RefusedError("hints are off where several people play; --hints at the start allows them")
            hints = self.session.hint(stop=stop)
        return ({**{name: getattr(hint, name) for name in HINT}, **_marked(hint)} for hint in hints)

    def _deciding(self) -> tuple[Position, int]:
        """Return a copy of the position and the seat that looks and decides."""
        if not self._moment().asked:
            raise StaleError("nobody who looks is to decide now")
        return self.session.position.clone(), self.session.person or 0

    # ----------------------------------------------------------------------------------------------------------- doing

    def move(self, ply: int, action: str) -> dict[str, Any]:
        """Play a move of the person who looks, then let others answer for a while.

        Raises:
            StaleError: the page shows another moment.
            RefusedError: the move is not legal; nothing has changed.
        """
        with self._lock:
            self._check(ply)
            position, _ = self._deciding()
            since = len(self.session.events)
            self.session.play(*self._checked(position, action))
            return self._go_on(since)

    def _checked(self, position: Position, action: str) -> list[str]:
        """Return a legal action, or the two that a click may mean.

        Raises:
            RefusedError: it is neither.
        """
        if action in position.legal_actions():
            return [action]
        if THEN in action and action in self.look.pairs(position):
            return action.split(THEN)
        raise RefusedError(self.look.refusal(position, action))

    def go(self, ply: int, once: bool = False) -> dict[str, Any]:
        """Let others play for a while; ``once``: until somebody has decided."""
        with self._lock:
            self._check(ply)
            return self._go_on(len(self.session.events), once)

    def follow(self, ply: int, seat: int | None) -> dict[str, Any]:
        """Look on as a seat does; None: with everything seen.

        Raises:
            RefusedError: people play, or there is no such seat.
        """
        with self._lock:
            self._check(ply)
            if self.session.people or seat not in (None, *range(len(self.names))):
                raise RefusedError(f"seat: {seat}; allowed: null, or a seat, where only agents play")
            self._looker, self._sent = seat, None
            return self._state(None, None)

    def undo(self, ply: int) -> dict[str, Any]:
        """Go back to the last decision of the one who looks.

        Raises:
            RefusedError: there is none.
        """
        with self._lock:
            self._check(ply)
            moment = self._moment()
            if moment.covered or not self.session.undo(moment.own):
                raise RefusedError("there is nothing to take back")
            self.ply += 1
            return self._state(None, None)

    def uncover(self, ply: int, seat: int | None) -> dict[str, Any]:
        """Show the screen to the seat that says it alone looks; None covers the screen.

        Raises:
            RefusedError: nothing is hidden at this table, or it is no seat of a person, or another one is to decide.
        """
        with self._lock:
            self._check(ply)
            if not self._hides or seat not in (None, self.session.person if self._moment().waits else None):
                raise RefusedError(f"seat: {seat}; allowed: null, or the seat that is to decide where cards are hidden")
            self._looker = seat
            self._sent = None
            return self._state(None, None)

    def _go_on(self, since: int, once: bool = False) -> dict[str, Any]:
        stop, events = time.monotonic() + SLICE, self.session.events
        most = 1 if once else MOST_WATCHED if not self.session.people else MOST_PLAYED
        while self.session.step(self.ask_forced) and time.monotonic() < stop:
            if sum(event.before.seat is not None for event in events[since:]) >= most:
                break
        if self._warm and self._moment().asked:
            self.session.warm_hints()
        known = self.ply
        self.ply += len(self.session.events) - since
        return self._state(since, known)

    # -------------------------------------------------------------------------------------------------------- documents

    def _state(self, since: int | None, ply: int | None) -> dict[str, Any]:
        """Return the document of the present moment, after what happened ``since`` an event."""
        moment, session = self._moment(), self.session
        head: dict[str, Any] = {"ply": self.ply, "events": len(session.events), "over": moment.over}
        head |= {"names": self.names, "person": session.person, "busy": not moment.over and not moment.waits}
        head |= {"covered": moment.covered, "hides": self._hides, "hints": session.hints}
        head |= {"watched": not session.people, "again": moment.over and session.seats is not None}
        if moment.covered:
            self._sent = None
            return head
        last = session.last_choice(moment.own)
        happened = self._reports(moment.viewer, self._joined if last is None else last)
        known = self._sent[1] if self._sent is not None and ply == self._sent[0] else None
        steps, marks = self._steps(happened, since, known)
        if happened:
            view, drawing = happened[-1].view, happened[-1].drawing
        else:
            view = self.look.view(session.position, moment.viewer)
            drawing = self._draw(view, self.names)
        ids = session.game.definition.actions.ids
        legal = view["legal"] if moment.asked else []
        moves = [{"id": ids[text], "text": text, "key": self.look.area(view, text)} for text in legal]
        pairs = self.look.pairs(session.position).items() if moment.asked else ()
        ways = [{"id": len(ids) + number, "text": text, "key": key} for number, (text, key) in enumerate(pairs)]
        areas: dict[str, list[int]] = {}
        for move in [*moves, *ways]:
            areas.setdefault(move["key"], []).append(move["id"])
        others = [report for report in happened if not report.own and report.seat is not None and not moment.over]
        changed = {key: report.seat for report in others for key in report.changed}  # the last seat that did
        now = group_marks(drawing, self._colours, areas, changed)
        self._sent = self.ply, now
        return {
            **head,
            "viewer": moment.viewer,
            "narrow": self._narrow,
            "base": None if known is None else ply,
            "frame": to_svg(drawing, self._colours) if known is None else None,
            "groups": now if marks is None else delta(marks, now),
            "about": drawing.about,
            "steps": steps,
            "question": self._question(view, moment),
            "moves": moves,
            "ways": ways,
            "trail": self._trail(moment.viewer),
            "result": self._result() if moment.over else None,
            "can_undo": last is not None,
            "saves": "replay" if self._is_open or moment.viewer is None else "page",
        }

    def _steps(
        self, happened: Sequence[Report], since: int | None, known: dict[str, str] | None
    ) -> tuple[list[dict[str, Any]], dict[str, str] | None]:
        """Return what happened, new things with the picture after each; and what the page shows after them."""
        fresh = [report for report in happened if since is not None and report.stop > since]
        drawn = fresh[-MOST_FRAMES:]
        steps, marks = [], known
        for report in happened:
            step: dict[str, Any] = {**report.document(), "fresh": report in fresh}
            if marks is not None and report in drawn:
                after = group_marks(report.drawing, self._colours)
                step["groups"], marks = delta(marks, after), after
            steps.append(step)
        return steps, marks

    def _question(self, view: View, moment: Moment) -> dict[str, Any]:
        """Return what is asked, of whom, and the clauses it comes from."""
        person = self.session.person
        if moment.asked:
            return {"asked": self.look.question(view), "clauses": list(self.look.clauses(view))}
        if moment.over:
            return {"asked": "the game is over", "clauses": []}
        if person is not None and self._hides:
            return {"asked": f"seat {person}, {self.names[person]}, is to decide: hide your cards", "clauses": []}
        return {"asked": "the others are playing" if self.session.people else "you are watching", "clauses": []}

    def _result(self) -> dict[str, Any]:
        """Return who has won, why, and where every point came from."""
        position, forfeit = self.session.position, self.session.forfeit
        returns, scores = position.returns() if forfeit is None else forfeit.returns, position.scores()
        best, together = max(returns), position.game.cooperative
        won = [seat in forfeit.winners if forfeit else pay == best and best > 0 for seat, pay in enumerate(returns)]
        ending = self.look.ending(stretches(self.look, self.session)) if forfeit is None else Ending()
        points = ending.points or ((),) * len(self.names)
        seats = [
            {"name": name, "score": score, "won": wins, "points": parts}
            for name, score, wins, parts in zip(self.names, scores, won, points, strict=True)
        ]
        if forfeit is not None:
            return {"title": "The game is over", "why": forfeit.text(self.names), "seats": seats}
        called = [name if self.names.count(name) == 1 else f"{name} ({seat})" for seat, name in enumerate(self.names)]
        winners = [name for name, wins in zip(called, won, strict=True) if wins]
        return {
            "title": _verdict(winners, together, position.truncated),
            "why": ending.why[:1].upper() + ending.why[1:],
            "seats": seats,
        }

    def _trail(self, viewer: int | None) -> list[str]:
        """Return what the seat to decide has done since another one was asked, and what chance made of it."""
        seat, events = self.session.position.seat, self.session.events
        if seat is None or seat != viewer:
            return []
        start = first = len(events)
        while start and events[start - 1].before.seat in (seat, None):
            start -= 1
            first = start if events[start].before.seat is not None else first
        return [visible_text(event, viewer) for event in events[first:][-MOST_TRAIL:]]

    def _drawing(self, position: Position, viewer: int | None) -> Drawing:
        return self._draw(self.look.view(position, viewer), self.names)

    def _reports(self, viewer: int | None, since: int) -> list[Report]:
        """Return what happened since so many events, as a seat may know it, with pictures."""
        found: list[Report] = []
        drawing = None
        for part in parts(self.look, self.session, viewer, since):
            before, drawing = drawing or self._draw(part.before, self.names), self._draw(part.view, self.names)
            found.append(Report(**vars(part), changed=changed_parts(before, drawing), drawing=drawing))
        return found

    def _event_text(self, index: int, viewer: int | None) -> str:
        event = self.session.events[index]
        who = "chance" if event.before.seat is None else self.names[event.before.seat]
        return f"{who}: {visible_text(event, viewer)}"


def _marked(hint: Hint) -> dict[str, Any]:
    """Return the best moves of a hint as the board marks them, and how many moves noise cannot tell from the best."""
    judged = hint.analysis.actions if hint.analysis is not None else ()
    places = [1 if one.level else number for number, one in enumerate(judged, 1)]
    best = [{"text": one.text, "share": one.share, "place": place} for one, place in zip(judged, places, strict=True)]
    return {"best": best[:MOST_MARKED], "equal": sum(one.level for one in judged)}


# ------------------------------------------------------------------------------------------------------------- reports


MOST_TEXTS, HALF = 8, 4  # of one report; of more, as at a setup, the first and the last
MOST_OUTCOMES = 12  # that a preview tells one by one
SAMPLES = 3  # in which a preview asks what chance may bring


@dataclass(frozen=True)
class Part:
    """A decision and the chance that followed.

    Attributes:
        seat: whose decision; None: chance alone.
        own: whether it is that of the one who looks.
        texts: what was done and drawn.
        news: what came of it, in sentences.
        start: how many events there were before it.
        stop: and after it.
        before: what may be known before it.
        view: and after it.
    """

    seat: int | None
    own: bool
    texts: list[str]
    news: list[str]
    start: int
    stop: int
    before: View
    view: View

    def document(self) -> dict[str, Any]:
        """Return what the page tells of it."""
        document: dict[str, Any] = {"seat": self.seat, "own": self.own, "texts": self.texts, "news": self.news}
        document |= {"start": self.start, "stop": self.stop}
        return {**document, "round": self.view["place"].get("round") if "place" in self.view else None}


@dataclass(frozen=True)
class Report(Part):
    """A part with the picture after it.

    Attributes:
        changed: keys of what looks different.
        drawing: the picture.
    """

    changed: frozenset[str]
    drawing: Drawing


def parts(look: Look, session: GameSession, viewer: int | None, since: int) -> Iterator[Part]:
    """Yield what happened since so many events, as a seat may know it."""
    if since >= len(session.events):
        return
    stops = [n for n in range(since + 1, len(session.events)) if session.events[n].before.seat is not None]
    view = look.view(session.events[since].before, viewer)
    for start, stop in zip([since, *stops], [*stops, len(session.events)], strict=True):
        seat = session.events[start].before.seat
        after = look.view(session.events[stop].before if stop < len(session.events) else session.position, viewer)
        texts = [visible_text(each, viewer) for each in session.events[start:stop]]
        news = list(look.news(view, ", ".join(texts), after))
        if len(texts) > MOST_TEXTS:
            texts = [*texts[:HALF], f"... {len(texts) - 2 * HALF} more ...", *texts[-HALF:]]
        yield Part(seat, seat is not None and seat == viewer, texts, news, start, stop, view, after)
        view = after


def stretches(look: Look, session: GameSession) -> list[Stretch]:
    """Return everything that happened, event by event, as one sees it who may see everything."""
    events = session.events
    views = [look.view(position, None) for position in (*(event.before for event in events), session.position)]
    return [(views[number], event.text, views[number + 1]) for number, event in enumerate(events)]


def _verdict(won: Sequence[str], together: bool, truncated: bool) -> str:
    """Tell who has won."""
    if truncated:
        return "A safety bound cut the game off: nobody has won"
    if together:
        return "The team has won" if won else "The team has lost"
    if len(won) > 1:
        return f"{', '.join(won[:-1])} and {won[-1]} share the victory"
    return "You have won" if won[0] == "you" else f"{won[0]} has won"


def changed_parts(old: Drawing, new: Drawing) -> frozenset[str]:
    """Return keys of the areas whose marks are others or lie elsewhere; of areas in each other the innermost.

    Outlines are no marks: they say whose turn it is.
    """
    before, after = (
        {
            group.key: (x, y, [(one.kind, one.geometry, one.fill, one.text, one.faded) for one in group.shapes])
            for group, x, y in all_groups(drawing)
        }
        for drawing in (old, new)
    )
    found: set[str] = set()
    around: set[str] = set()  # groups with one of those inside
    for group, _, _ in reversed(list(all_groups(new))):  # what is inside a group comes before it
        if any(child.key in found or child.key in around for child in group.children):
            around.add(group.key)
        elif group.area is not None and after[group.key] != before.get(group.key, after[group.key]):
            found.add(group.key)
    return frozenset(found)


# --------------------------------------------------------------------------------------------------------- previews


def preview(look: Look, position: Position, seat: int, action: str, through: bool = True) -> tuple[list[str], Position]:
    """Return what a legal move of a seat would do, in sentences, and the position after it.

    ``through``: what then has no alternative is played too. Where something is hidden it is tried in samples that the
    seat cannot tell from the true one.
    """
    is_open = look.board.is_open(position.game)
    samples = [position.clone()] if is_open else [position.resample(seat, sample) for sample in range(SAMPLES)]
    before = look.view(samples[0], seat)
    done: list[str] = []
    for sample in samples:
        done = _played(sample, seat, action, through)
    after = samples[0]
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
        lines += _chances(look, samples, seat, through)
    return [line for line in lines if line], after


def _played(sample: Position, seat: int, action: str, through: bool) -> list[str]:
    """Play a move in a sample, and what has no alternative then; all that was played."""
    done = [action]
    sample.apply(action)
    while through and sample.seat == seat and len(legal := sample.legal_actions()) == 1:
        done.append(legal[0])
        sample.apply(legal[0])
    return done


def _chances(look: Look, samples: Sequence[Position], seat: int, through: bool) -> list[str]:
    """Return what chance may bring, outcomes of one result together; only their number where weights would tell."""
    outcomes = samples[0].chance_outcomes()
    if any(sample.chance_outcomes() != outcomes for sample in samples[1:]):
        return ["then chance decides"]
    if len(outcomes) == 1:
        return [f"then chance: {next(iter(outcomes))}"]
    if len(outcomes) > MOST_OUTCOMES:
        return [f"then chance: one of {len(outcomes)} outcomes"]
    found: dict[str, list[str]] = {}
    view = look.view(samples[0], seat)
    for text in outcomes:
        after = samples[0].clone()
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
