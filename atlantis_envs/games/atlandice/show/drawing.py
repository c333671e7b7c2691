"""Atlandice as a picture: five districts around the clock, the market within it, and what everybody has."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from math import cos, pi, sin
from typing import Any

from atlantis_envs.drawing.letters import broken, text_width
from atlantis_envs.drawing.look import Look, View
from atlantis_envs.drawing.pen import (
    DO,
    Icon,
    badge,
    buttons,
    circle,
    die,
    heading,
    moved,
    panel,
    path,
    placed,
    polygon,
    rect,
    ring_part,
    wave,
    words,
)
from atlantis_envs.drawing.pen import words as say
from atlantis_envs.drawing.phrases import with_half
from atlantis_envs.drawing.shapes import NARROW, WIDTH, Drawing, Group, Shape
from atlantis_envs.drawing.theme import Roles
from atlantis_envs.games.atlandice import data
from atlantis_envs.games.atlandice.show import phrases
from atlantis_envs.games.atlandice.show.phrases import BOARD, news
from atlantis_envs.games.atlandice.show.refusals import refusal
from atlantis_envs.games.atlandice.view import view

INNER, OUTER = 76, 110
MOST_DICE, MOST_TILES = 4, 6  # shown one by one
LEAST_ARC = 15  # of a clock space that shows its mark
EFFECT = 26  # what a card is shorter on a telephone


@dataclass(frozen=True)
class Plan:
    """Where things lie: left and top, in units; ``people`` go on by their pitch, in so many columns."""

    width: int
    height: int
    cards: tuple[tuple[float, float], ...]  # by district
    card: tuple[float, float]  # width and height
    clock: tuple[float, float, float]  # middle, scale
    people: tuple[float, float, int]  # and columns
    person: tuple[float, float]  # width and height
    buttons: tuple[float, float, float]  # and width
    brief: bool  # an effect has two lines at most, close to each other


def wide(people: int) -> Plan:
    """Return where things lie on a screen."""
    cards = ((201, 42), (400, 198), (400, 364), (5, 364), (5, 198))
    height = min(138.0, 484 / people) - 9
    return Plan(
        WIDTH, 530, cards, (168, 158), (286.5, 318, 1), (578, 42, 1), (214, height), (182, 446, 210), False
    )  # fmt: skip


def tall(people: int) -> Plan:
    """Return where things lie on a telephone."""
    cards = ((3, 40), (211, 304), (211, 436), (3, 304), (3, 172))
    height = 570 + 107 * ((people + 1) // 2)
    return Plan(
        NARROW, height, cards, (176, 130), (284, 166, 0.955), (3, 570, 2), (188, 98), (6, 442, 176), True
    )  # fmt: skip


def draw(planned: Callable[[int], Plan], view: View, names: Sequence[str]) -> Drawing:
    """Draw the table, for a screen (``wide``) or a telephone (``tall``)."""
    doc = view["place"]
    plan = planned(len(doc["participants"]))
    groups = [
        _heading(view, names, plan.width),
        Group("legend") if plan.brief else _legend(),
        *(_district(view, name, plan) for name in data.DISTRICTS),
        moved(_clock(view), *plan.clock),
        moved(_market(view), *plan.clock),
        buttons(view, area, *plan.buttons),
        *(_person(view, participant, names, plan) for participant in range(len(doc["participants"]))),
    ]
    totals = map(with_half, view["scores"], view["half_points"])
    scores = ", ".join(f"{names[seat]} {total}" for seat, total in enumerate(totals))
    about = f"Round {doc['round']}, the hand on space {doc['hand']} of {len(view['spaces']) - 1}. Points: {scores}."
    return Drawing(plan.width, plan.height, "Atlandice", about, tuple(groups))


def area(view: View, action: str) -> str:
    """Tell where a click means the action, or would mean it at another time: a sector, pieces, an effect, a button."""
    context = view["place"]["context"]
    last = action.split()[-1]
    if action.endswith(" for neutral"):
        return f"sector.{action.split()[1]}"
    if action.startswith("pay "):
        return f"stock.{view['to_decide']}.{last}"
    if last in data.TYPES:
        chosen = context is not None and (view["place"]["node"] == "swap_in" or not action.startswith("swap in "))
        return f"piece.{phrases.source(view['place'])}.{last}" if chosen else f"{DO}{action}"
    if last in data.SECTORS:
        return f"sector.{last}"
    return f"effect.{context['sector']}" if action == "use effect" and context is not None else f"{DO}{action}"


# ---------------------------------------------------------------------------------------------------------- above all


def _heading(view: View, names: Sequence[str], width: float) -> Group:
    doc, seat = view["place"], view["to_decide"]
    parts = [f"Round {doc['round']}" if doc["round"] else "Setup"]
    if seat is not None and doc["visit"] < view["visits"]:
        parts.append(f"visit {doc['visit'] + 1} of {view['visits']}")
    if doc["context"] is not None:
        who = " for neutral" if doc["context"]["for"] == "neutral" else ""
        parts.append(f"at the {doc['context']['sector']}{who}")
    return heading(
        "Atlandice", " · ".join(parts), seat, "" if seat is None else names[seat], phrases.headline(view), width
    )


@cache
def _legend() -> Group:
    """Tell what brings points, in the two free corners."""
    shapes: list[Shape] = [say(12, 60, "the hand stops here", 12, "mute", bold=True)]
    for row, (space, message) in enumerate(phrases.ON_THE_CLOCK):
        shapes += placed(space_icon(space), 24, 78 + 25 * row, 0.85 if space != "donation" else 1.0)
        shapes.append(say(41, 82 + 25 * row, message, 11, "mute"))
    y = 60.0
    for message in phrases.OTHERWISE:
        for line in broken(message, 182, 11, 4):
            shapes.append(say(384, y, line, 11, "mute"))
            y += 14.5
        y += 5
    return Group("legend", "what brings points", tuple(shapes))


# ------------------------------------------------------------------------------------------------------------ sectors


def _pieces(sector: Mapping[str, Any]) -> str:
    message = ", ".join(f"{count} {kind}" for kind, count in sector["resources"].items())
    dice = sector["dice"]
    return f"{message or 'no piece'}; {dice} {'die' if dice == 1 else 'dice'}"


def _district(view: View, name: str, plan: Plan) -> Group:
    doc = view["place"]
    sector, at, (width, height) = doc["sectors"][name], plan.cards[data.DISTRICTS.index(name)], plan.card
    lift = EFFECT if plan.brief else 0
    own, here = data.TYPES[data.DISTRICTS.index(name)], view["here"] == name
    exhausted = sector["tile"] is None and not sector["hidden"]
    ground = rect(
        0, 0, width, height, "deep" if exhausted else "land", "ink" if here else "land.edge", 11, 2.6 if here else 1.2
    )
    shapes = [ground, *die(10, 9, data.DISTRICTS.index(name) + 1), say(37, 24.5, name, 14, bold=True)]
    children = []
    if sector["tile"]:
        for index in range(view["needles"][sector["tile"]]):
            shapes += placed(NEEDLE, width - 16 - 9 * index, 19)
        children.append(_effect(name, sector["tile"], width, plan.brief))
    elif not exhausted:
        shapes.append(say(width / 2, 46 if plan.brief else 64, "a tile is turned up", 12, "mute", "middle"))
    else:
        shapes += () if plan.brief else wave(width / 2, 56)
        shapes.append(say(width / 2, 46 if plan.brief else 84, "exhausted", 12, "ink", "middle"))
    children += (moved(group, 0, -lift) for group in _card_pieces(name, own, sector["resources"], width))
    shapes += _dice(10, height - 27, sector["dice"], data.DISTRICTS.index(name) + 1)
    if doc["submarine"] == name:
        shapes += placed(SUBMARINE, width - 26, 125 - lift, 0.85)
    later = f"then {', '.join(sector['hidden'])}" if sector["hidden"] else "" if exhausted else "the last tile"
    shapes.append(say(width - 10, height - 9, later, 11, "mute", "end"))
    tile = f"{sector['tile']}, {phrases.EFFECTS[sector['tile']][0]}" if sector["tile"] else later or "exhausted"
    boat = "; the submarine" if doc["submarine"] == name else ""
    label = f"{name}: {_pieces(sector)}; {tile}{boat}"
    return Group(f"sector.{name}", label, tuple(shapes), tuple(children), at, rect(0, 0, width, height, None, None, 11))


@cache
def _effect(name: str, tile: str, width: float, brief: bool) -> Group:
    """Tell what the tile does, as far as it goes."""
    message, clause = phrases.EFFECTS[tile]
    box = (
        rect(5, 31, width - 10, 28, "note", "note.edge", 5)
        if brief
        else rect(8, 36, width - 16, 45, "note", "note.edge", 6)
    )
    lines = broken(f"{tile}: {message}", width - (18 if brief else 26), 11, 2 if brief else 3)
    top, pitch = (42, 12.5) if brief else (54, 16) if len(lines) < 3 else (48, 13.5)
    shapes = [say(9 if brief else 14, top + pitch * row, line, 11) for row, line in enumerate(lines)]
    return Group(f"effect.{name}", f"{tile}: {message} ({clause})", (box, *shapes), area=box)


def _card_pieces(name: str, own: str, resources: Mapping[str, int], width: float) -> list[Group]:
    """Draw the district's own pieces one by one, others as numbers."""
    groups = []
    count = resources.get(own, 0)
    step = min(17.5, (width - 44) / max(1, count))
    scale = step / 18.5
    icons = [shape for n in range(count) for shape in placed(TYPE_ICONS[own], 10 + step * (n + 0.5), 97, scale)]
    digits = say(width - 12, 104, str(count), 19, "ink" if count else "mute", "end", True)
    groups.append(_piece(name, own, count, (*icons, digits), rect(6, 85, width - 12, 24, None, None, 6)))
    others = [kind for kind in data.TYPES if kind != own and resources.get(kind)]
    for index, kind in enumerate(others):
        x, much = 9 + 31 * index, resources[kind]
        marks = (*placed(TYPE_ICONS[kind], x + 9, 122, 0.75), say(x + 17, 126.5, str(much), 12.5, bold=True))
        groups.append(_piece(name, kind, much, marks, rect(x - 2, 112.5, 30, 19, None, None, 5)))
    return groups


def _piece(sector: str, kind: str, count: int, shapes: tuple[Shape, ...], where: Shape) -> Group:
    return Group(f"piece.{sector}.{kind}", f"{count} {kind} at the {sector}", shapes, area=where)


def _dice(x: float, y: float, count: int, face: int) -> list[Shape]:
    if count > MOST_DICE:
        return [*die(x, y, face, 19), say(x + 25, y + 14.5, f"× {count}", 13, bold=True)]
    return [shape for index in range(count) for shape in die(x + 22 * index, y, face, 19)]


def _market(view: View) -> Group:
    doc = view["place"]
    sector = doc["sectors"]["market"]
    here = view["here"] == "market"
    shapes = [circle(0, 0, INNER - 3, "panel", "ink" if here else "clock.edge", 2.6 if here else 1.2)]
    shapes += [*die(-49, -48, len(data.SECTORS), 17), say(-27, -34.5, "market", 14, bold=True)]
    for index in reversed(range(view["needles"]["market"])):
        shapes += placed(NEEDLE, 37 + 9 * index, -39.5)
    groups = []
    for index, kind in enumerate(data.TYPES):
        count = sector["resources"].get(kind, 0)
        left = (-60 + 41 * index) if index < 3 else (-40 + 41 * (index - 3))
        top = -12 if index < 3 else 15
        marks = placed(TYPE_ICONS[kind], left + 10, top, 0.9, faded=not count)
        digits = say(left + 22, top + 5, str(count), 13, "ink" if count else "mute", bold=bool(count))
        where = rect(left, top - 11, 36, 22, None, None, 6)
        groups.append(_piece("market", kind, count, (*marks, digits), where))
    boat = doc["submarine"] == "market"
    row = min(sector["dice"], MOST_DICE)
    wide = 22 * row if sector["dice"] <= MOST_DICE else 55
    start = -(wide + (38 if boat else 0)) / 2
    shapes += _dice(start, 33, sector["dice"], len(data.SECTORS))
    if boat:
        shapes += placed(SUBMARINE, start + wide + 20, 44, 0.9)
    label = f"market: {_pieces(sector)}{'; the submarine' if boat else ''}"
    return Group("sector.market", label, tuple(shapes), tuple(groups), area=circle(0, 0, INNER - 3, None))


def _clock(view: View) -> Group:
    """Draw the ring of spaces around (0, 0): those behind the hand are under water."""
    spaces, hand = view["spaces"], view["place"]["hand"]
    count = len(spaces)
    middle = (INNER + OUTER) / 2
    arc = 2 * pi * middle / count
    shapes = [circle(0, 0, OUTER, "clock.ahead", "clock.edge", 1.4)]
    for index in range(count):
        start, stop = index / count, (index + 1) / count
        behind = index < hand
        shapes.append(
            path(ring_part(0, 0, INNER, OUTER, start, stop), "deep" if behind else "clock.ahead", "clock.edge", 1.0)
        )
        if arc >= LEAST_ARC:
            turn = 2 * pi * (start + stop) / 2
            shapes += placed(
                space_icon(spaces[index]), middle * sin(turn), -middle * cos(turn), min(1.0, arc / 26) * 0.95
            )
    start, stop = hand / count, (hand + 1) / count
    turn = 2 * pi * (start + stop) / 2
    shapes.append(path(ring_part(0, 0, INNER, OUTER, start, stop), None, "ink", 3.2))
    tip = [(INNER + 9, 0.0), (INNER - 2, -0.08), (INNER - 2, 0.08)]
    shapes.append(polygon([(r * sin(turn + d), -r * cos(turn + d)) for r, d in tip], "ink"))
    ahead = next((f"; in {n - hand} spaces: {spaces[n]}" for n in range(hand + 1, count) if spaces[n] != "none"), "")
    label = f"clock: the hand is on space {hand} of {count - 1}, {spaces[hand]}{ahead}"
    return Group("clock", label, tuple(shapes))


# ------------------------------------------------------------------------------------------------------------- people


def _person(view: View, participant: int, names: Sequence[str], plan: Plan) -> Group:
    people = view["place"]["participants"]
    person = people[participant]
    neutral = participant >= view["players"]
    name = "neutral" if neutral else names[participant]
    (left, top, columns), (width, height) = plan.people, plan.person
    pitch = min(40.0, (width - 14) / len(data.TYPES))
    half = 0 if neutral else view["half_points"][participant]
    total = with_half(person["points"] + data.TILE_POINTS * len(person["tiles"]), half)
    shapes: list[Shape] = [panel(0, 0, width, height, view["to_decide"] == participant)]
    mark = [circle(20, 21, 11, "neutral", "seat.edge"), say(20, 25.5, "n", 12.5, "on.seat0", "middle", True)]
    shapes += mark if neutral else badge(20, 21, participant)
    shapes.append(say(37, 26, name, 14.5, bold=True, room=width - 37 - 48))
    shapes.append(say(width - 12, 29, total, 21, "ink", "end", True))
    won = f" + {len(person['tiles'])} × {data.TILE_POINTS}" if person["tiles"] else ""
    points = "point" if person["points"] == 1 else "points"
    shapes.append(say(width - 12, 46, f"{person['points']} {points}{won}", 11.5, "mute", "end"))
    if participant == view["place"]["first"]:
        shapes += [rect(35, 34, 38, 16, "quiet", "panel.edge", 8), say(54, 46, "first", 10.5, "mute", "middle")]
    shapes += _tiles(person["tiles"], 12, 55 if height < 120 else 58)
    groups = []
    for index, kind in enumerate(data.TYPES):
        count, x = person["stock"].get(kind, 0), 12 + pitch * index
        marks = placed(TYPE_ICONS[kind], x + 9, height - 17, 0.85, faded=not count)
        digits = say(x + 20, height - 12, str(count), 13, "ink" if count else "mute", bold=bool(count))
        where = rect(x - 2, height - 29, pitch - 1, 24, None, None, 6)
        groups.append(Group(f"stock.{participant}.{kind}", f"{name}: {count} {kind}", (*marks, digits), area=where))
    stock = ", ".join(f"{count} {kind}" for kind, count in person["stock"].items()) or "no pieces"
    label = f"{name}: {total} in all, {person['points']} {points}, tiles {' '.join(person['tiles']) or 'none'}; {stock}"
    at = (left + (width + 8) * (participant % columns), top + (height + 9) * (participant // columns))
    return Group(
        f"seat.{participant}", label, tuple(shapes), tuple(groups), at, rect(0, 0, width, height, None, None, 9)
    )


def _tiles(tiles: Sequence[str], x: float, y: float) -> list[Shape]:
    """Draw tiles won; those for which there is no room as a number."""
    shown = tiles if len(tiles) <= MOST_TILES else tiles[: MOST_TILES - 1]
    shapes: list[Shape] = []
    for tile in shown:
        shapes += [
            rect(x, y, 27, 18, "land", "land.edge", 4),
            say(x + 13.5, y + 13.5, tile, 11.5, "ink", "middle", True),
        ]
        x += 31
    if len(tiles) > len(shown):
        more = f"+ {len(tiles) - len(shown)}"
        shapes.append(say(x + text_width("+", 6), y + 13.5, more, 11.5, "ink", bold=True))
    return shapes


# --------------------------------------------------------------------------------------------------------------- icons


ROLES: Roles = {
    "land": ("#F7EEDC", "#3B342B"),
    "land.edge": ("#A98644", "#9C8250"),
    "note": ("#FFFDF6", "#22323B"),
    "note.edge": ("#C9B588", "#4A5A62"),
    "clock.ahead": ("#FBF2DF", "#4A3F2E"),
    "clock.edge": ("#A98644", "#9C8250"),
    "cut": ("#FFFFFF", "#14222B"),  # lines inside an icon
    "neutral": ("#8A97A0", "#8A97A0"),
    "gem": ("#0F7FA8", "#4FB7E8"),
    "book": ("#7A3B12", "#FF7433"),
    "provision": ("#9A7010", "#F4D33C"),
    "tool": ("#2C3A55", "#C9DDE6"),
    "weapon": ("#9B1B30", "#F58598"),
}

HEXAGON = [(-8.0, 0.0), (-4.0, -6.9), (4.0, -6.9), (8.0, 0.0), (4.0, 6.9), (-4.0, 6.9)]
TYPE_ICONS: dict[str, Icon] = {
    "gem": (
        polygon([(-8, -2.5), (-4.5, -7), (4.5, -7), (8, -2.5), (0, 8)], "gem"),
        path("M -8 -2.5 L 8 -2.5 M -3.5 -2.5 L 0 7 L 3.5 -2.5 M -3.5 -2.5 L 0 -7 L 3.5 -2.5", None, "cut", 0.9),
    ),
    "book": (
        rect(-6, -7.5, 12.5, 15, "book", None, 1.5),
        path("M -3.2 -7.5 L -3.2 7.5 M -0.6 -3.8 L 4 -3.8", None, "cut", 1.2),
    ),
    "provision": (
        path("M -8.5 5 C -9.5 -3 -5 -6.5 0 -6.5 C 5 -6.5 9.5 -3 8.5 5 Z", "provision"),
        path("M -4.5 -3.5 L -3 2 M -0.5 -4.5 L 1 1 M 3.5 -4 L 5 1.5", None, "cut", 1.2),
    ),
    "tool": (polygon(HEXAGON, "tool"), circle(0, 0, 3.1, "cut")),
    "weapon": (
        path("M 0 -8 L 7 -6 L 7 -0.5 C 7 4 3.5 6.8 0 8.2 C -3.5 6.8 -7 4 -7 -0.5 L -7 -6 Z", "weapon"),
        path("M 0 -4.5 L 0 4.5 M -3.6 -1.4 L 3.6 -1.4", None, "cut", 1.4),
    ),
}
NEEDLE: Icon = (
    path("M 0 -7.5 C 3.2 -1 3.6 1.8 1.5 3.6 L 1.1 7.5 L -1.1 7.5 L -1.5 3.6 C -3.6 1.8 -3.2 -1 0 -7.5 Z", "ink"),
)
SUBMARINE: Icon = (
    path("M -12 1 C -12 -4.5 -6 -6 1 -6 C 10 -6 16 -3 16 1 C 16 5 10 8 1 8 C -6 8 -12 6 -12 1 Z", "ink"),
    polygon([(-13, 1), (-17, -4), (-17, 6)], "ink"),
    path("M -3 -6 L -2 -10.5 L 5 -10.5 L 6 -6 Z M 2 -10.5 L 2 -14 L 7 -14", "ink", "ink", 1.5),
    *(circle(x, 1, 2.0, "land") for x in (-4.0, 2.5, 9.0)),
)  # fmt: skip
TURN = "M -5 0 L 4 0 M 0.5 -3.6 L 4.4 0 L 0.5 3.6"


@cache
def space_icon(space: str) -> Icon:
    """Return the mark of a clock space."""
    if space in TYPE_ICONS:
        return TYPE_ICONS[space]
    if space == "total":
        return (words(0, 6, "Σ", 17, "ink", "middle", True),)
    if space == "donation":
        return (circle(0, 0, 10, "note", "ink", 1.2), words(0, 4.2, "+1", 11.6, "ink", "middle", True))
    if space == "start":
        return (path(TURN, None, "ink", 1.8),)
    if space == "end":
        return wave(0, 0, 0.85, "ink")
    return (circle(0, 0, 1.8, "ink"),)


def legend() -> tuple[tuple[Icon, str], ...]:
    """Return what the signs on the board mean."""
    needles = tuple(shape for x in (-9, 0, 9) for shape in placed(NEEDLE, x, 0))
    return (
        (
            die(-11, -11, 4, 22.0),
            "a die in the corner: its face brings dice to this sector; below lie those there are",
        ),
        (needles, "needles: the die that nobody took moves the hand of the clock by so many spaces"),
        (placed(SUBMARINE, 0, 0, 0.8), "the submarine: who visits this sector takes a second piece"),
        (placed(space_icon("total"), 0, 0, 1.2), "the hand stops here: who has most pieces gets 1 point"),
        (placed(space_icon("donation"), 0, 0, 1.2), "the hand stops here: everybody may pay two pieces for 1 point"),
        (placed(space_icon("end"), 0, 0, 1.2), "the game ends here"),
        (
            (words(0, 5, "J3", 15, "ink", "middle", True),),
            "a tile; its effect stands below its name, later tiles after 'then'",
        ),
    )


LOOK = Look(
    view=view,
    draw=partial(draw, wide),
    area=area,
    roles=ROLES,
    goal=phrases.goal,
    question=phrases.question,
    clauses=phrases.clauses,
    explain=phrases.explain,
    refusal=refusal,
    news=news,
    board=BOARD,
    ending=phrases.ending,
    legend=legend,
    draw_narrow=partial(draw, tall),
)
