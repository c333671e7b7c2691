"""Atlantis as a picture: the path as a serpent of five rows, pawns on it, and what everybody has."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from atlantis_envs.drawing.letters import text_width
from atlantis_envs.drawing.look import Look, View
from atlantis_envs.drawing.pen import (
    DO,
    Icon,
    badge,
    buttons,
    circle,
    heading,
    line,
    panel,
    path,
    placed,
    polygon,
    rect,
    steps,
    wave,
    words,
)
from atlantis_envs.drawing.pen import words as say
from atlantis_envs.drawing.phrases import with_half
from atlantis_envs.drawing.shapes import NARROW, WIDTH, Drawing, Group, Shape
from atlantis_envs.drawing.theme import Roles
from atlantis_envs.games.atlantis import data
from atlantis_envs.games.atlantis.show import phrases
from atlantis_envs.games.atlantis.show.phrases import BOARD, news
from atlantis_envs.games.atlantis.show.refusals import refusal
from atlantis_envs.games.atlantis.view import view

ENDS = ("Atlantis", "mainland")
PERSON = 108  # height


@dataclass(frozen=True)
class Plan:
    """Where things lie: left and top, in units; ``people`` go on in so many columns."""

    width: int
    height: int
    per_row: int
    cells: tuple[float, float, float, float]  # middle of the first one, and from cell to cell
    tile: tuple[float, float]
    end: tuple[float, float]  # scale of the two ends, and between the pawns there
    people: tuple[float, float, int]  # and columns
    hand: tuple[float, float]  # of its cards
    card: tuple[float, float, float]  # width, height, from card to card
    buttons: tuple[float, float, float]  # and width
    heaps: tuple[tuple[float, float], tuple[float, float], tuple[float, float]]  # discard, box, pile

    @property
    def rows(self) -> int:
        """Return the rows of the path."""
        return -(-(data.NUM_SPACES + 2) // self.per_row)


def wide(players: int) -> Plan:
    """Return where things lie on a screen."""
    return Plan(
        WIDTH, 614, 11, (43.0, 75.0, 71.4, 65.0), (61.0, 56.0), (1, 36.0), (10, 384, max(players, 3)), (12, 524),
        (58, 76, 66), (170, 496, 296), ((478, 517), (610, 517), (738, 524)),
    )  # fmt: skip


def tall(players: int) -> Plan:
    """Return where things lie on a telephone."""
    heaps = 570.0 + (PERSON + 6) * ((players + 1) // 2) + 12
    return Plan(
        NARROW, int(heaps) + 84, 7, (27.5, 70.0, 55.3, 52.0), (52.0, 48.0), (0.8, 29.5), (4, 570, 2), (6, 500),
        (52, 60, 55), (140, 462, 246), ((6, heaps), (150, heaps), (330, heaps - 6)),
    )  # fmt: skip


def draw(planned: Callable[[int], Plan], view: View, names: Sequence[str]) -> Drawing:
    """Draw the path, the people, the cards, for a screen (``wide``) or a telephone (``tall``)."""
    plan = planned(view["players"])
    doc, seat = view["place"], view["to_decide"]
    standing = _standing(doc)
    seats = range(view["players"])
    groups = [
        heading("Atlantis", "", seat, "" if seat is None else names[seat], phrases.headline(view), plan.width),
        _way(plan),
        *(_space(view, space, plan) for space in range(data.NUM_SPACES)),
        _end(data.ATLANTIS, standing, plan),
        _end(data.MAINLAND, standing, plan),
        *(_pawn(view, seat, pawn_index, standing, plan) for seat in seats for pawn_index in range(data.NUM_PAWNS)),
        _on_the_way(doc, plan),
        *(_person(view, seat, names, plan) for seat in seats),
        _hand(view, names, plan),
        buttons(view, area, *plan.buttons, 1),
        _heaps(doc, plan),
    ]
    totals = map(with_half, view["scores"], view["half_points"])
    scores = ", ".join(f"{names[seat]} {total}" for seat, total in enumerate(totals))
    about = f"{sum(tile is not None for tile in doc['path'])} of {data.NUM_SPACES} spaces have tiles. Scores: {scores}."
    return Drawing(plan.width, plan.height, "Atlantis", about, tuple(groups))


def area(view: View, action: str) -> str:
    """Tell where a click means the action: a pawn, a card, a tile before the seat, a space to bridge, a button."""
    word, _, rest = action.partition(" ")
    seat = view["to_decide"]
    if word == "pawn":
        return f"pawn.{seat}.{rest}"
    if word == "play" or action.startswith("pay card"):
        return f"card.{rest.split()[-1]}"
    if word == "sell" or action.startswith("pay tile"):
        return f"tile.{seat}.{rest.split()[-1]}"
    return f"space.{rest}" if word == "bridge" else f"{DO}{action}"


# ------------------------------------------------------------------------------------------------------------ the path


def _cell(space: int, plan: Plan) -> tuple[float, float]:
    """Return the middle of a space, Atlantis and mainland included."""
    left, top, pitch, down = plan.cells
    row, column = divmod(space + 1, plan.per_row)
    across = column if row % 2 == 0 else plan.per_row - 1 - column
    return left + pitch * across, top + down * row


@cache
def _way(plan: Plan) -> Group:
    """Draw the water under the path, with arrows from cell to cell."""
    left, top, pitch, down = plan.cells
    right, shapes = left + pitch * (plan.per_row - 1), []
    for row in range(plan.rows):
        last = _cell(min((row + 1) * plan.per_row - 2, data.MAINLAND), plan)[0] if row % 2 else left
        shapes.append(rect(last, top + down * row - 15, right - last, 30, "way", None, 15))
    for row in range(plan.rows - 1):
        x = right if row % 2 == 0 else left
        shapes.append(rect(x - 15, top + down * row, 30, down, "way"))
    for space in range(data.ATLANTIS, data.MAINLAND):
        (x, y), (to_x, to_y) = _cell(space, plan), _cell(space + 1, plan)
        if y == to_y:
            flip = 1.0 if to_x > x else -1.0
            arrow = tuple((letter, (x + to_x) / 2 + flip * float(a), y + float(b)) for letter, a, b in steps(CHEVRON))
        else:
            arrow = tuple((letter, x - float(b), (y + to_y) / 2 + float(a)) for letter, a, b in steps(CHEVRON))
        shapes.append(path(arrow, None, "chevron", 1.6))
    return Group("way", "", tuple(shapes))


def _space(view: View, space: int, plan: Plan) -> Group:
    doc = view["place"]
    tile = doc["path"][space]
    x, y = _cell(space, plan)
    width, height = plan.tile
    where = rect(-width / 2, -height / 2, width, height, None, None, 7)
    digits = say(width / 2 - 5, height / 2 - 5, str(space), 10.5, "mute", "end")
    if tile is None:
        label, shapes = _water(view, space, plan.tile)
        return Group(f"space.{space}", label, (*shapes, digits), at=(x, y), area=where)
    if tile == "?":
        mark = say(0, 8, "?", 24, "ink", "middle", True)
        return Group(
            f"space.{space}",
            f"space {space}: a tile is turned up",
            (*_ground("tile.under", False, plan.tile), mark, digits),
            at=(x, y),
            area=where,
        )
    thing, worth = tile.rstrip("+").split()
    shapes = [
        *_ground(f"t.{thing}", tile.endswith("+"), plan.tile),
        *placed(ICONS[thing], -width / 2 + 15, -height / 2 + 15, 1.05),
    ]
    shapes += [say(width / 2 - 6, -height / 2 + 19, worth, 18, "ink", "end", True), digits]
    below = ", another tile below" if tile.endswith("+") else ""
    return Group(f"space.{space}", f"space {space}: {thing} {worth}{below}", tuple(shapes), at=(x, y), area=where)


def _ground(role: str, covered: bool, tile: tuple[float, float]) -> list[Shape]:
    width, height = tile
    below = [rect(-width / 2 + 4, -height / 2 + 4, width, height, "tile.under", "tile.edge", 7)] if covered else []
    return [*below, rect(-width / 2, -height / 2, width, height, role, "tile.edge", 7)]


def _water(view: View, space: int, tile: tuple[float, float]) -> tuple[str, list[Shape]]:
    """Draw water between tiles, with its bridges and the price of the gap; beyond the tiles open sea."""
    gap = next((gap for gap in view["gaps"] if gap[0] <= space <= gap[1]), None)
    if gap is None:
        return f"space {space}: gone", []
    first, last, price = gap
    width, height = tile
    shapes: list[Shape] = [rect(-width / 2, -height / 2, width, height, "deep", None, 7)]
    bridged = any(first <= other <= last for other in view["place"]["bridges"])
    across = space in view["place"]["bridges"]
    shapes += bridge(-width / 2 - 4, -11, width + 8, 22) if across else wave(0, -6)
    if space == first and price and not bridged:
        shapes += [circle(-width / 2 + 13, height / 2 - 13, 10, "coin", "coin.edge", 1.3)]
        shapes += [say(-width / 2 + 13, height / 2 - 9, str(price), 11.5, "on.coin", "middle", True)]
    message = "a bridge" if bridged else f"toll {price}"
    return f"space {space}: water, gap {first} to {last}, {message}", shapes


def _standing(doc: Mapping[str, Any]) -> dict[int, dict[int, list[int]]]:
    """Return space -> seat -> indices of its pawns there."""
    found: dict[int, dict[int, list[int]]] = {}
    for seat, person in enumerate(doc["seats"]):
        for index, where in enumerate(person["pawns"]):
            found.setdefault(where, {}).setdefault(seat, []).append(index)
    return found


def _end(where: int, standing: Mapping[int, Mapping[int, Sequence[int]]], plan: Plan) -> Group:
    name = ENDS[where == data.MAINLAND]
    pawns = "; ".join(f"{len(numbers)} of seat {seat}" for seat, numbers in standing.get(where, {}).items())
    x, y = _cell(where, plan)
    icon, scale = CASTLE if where == data.ATLANTIS else SHORE, plan.end[0]
    down = (-32 if where == data.ATLANTIS else 40) * scale
    shapes = (*placed(icon, 0, -1, scale), say(0, down, name, 11.5, "ink", "middle", True))
    return Group(f"end.{name}", f"{name}: pawns {pawns or 'none'}", shapes, at=(x, y))


def _pawn(view: View, seat: int, index: int, standing: Mapping[int, Mapping[int, Sequence[int]]], plan: Plan) -> Group:
    """Draw a pawn; of those of a seat that are together at an end, the first stands for all."""
    doc = view["place"]
    where = doc["seats"][seat]["pawns"][index]
    together = standing[where][seat]
    key = f"pawn.{seat}.{index}"
    message = {data.ATLANTIS: "in Atlantis", data.MAINLAND: "at home"}.get(where, f"on space {where}")
    label = f"pawn {index} of seat {seat}, {message}"
    if together[0] != index:
        return Group(key, label)
    x, y = _cell(where, plan)
    shapes: list[Shape] = []
    if where in (data.ATLANTIS, data.MAINLAND):
        pitch = plan.end[1]  # room for a number between them
        left, top = -24.0 + (36 - pitch) + pitch * (seat % 2), -11.0 + 25 * (seat // 2)
        shapes += pawn(seat, left, top)
        if len(together) > 1:
            shapes.append(say(left + 7, top + 1, f"{'×' if pitch > 30 else ''}{len(together)}", 10.5, "ink", bold=True))
        area_ = rect(left - 10, top - 13, pitch if len(together) > 1 else 20, 26, None, None, 6)
    else:
        left, top = -1.0, plan.tile[1] / 2 - 13
        shapes += pawn(seat, left, top)
        area_ = rect(left - 11, top - 14, 22, 28, None, None, 7)
    if seat == doc["seat"] and index == doc["turn"]["pawn"]:
        shapes.insert(0, circle(left, top - 1, 15, "panel", "ink", 2.2))
    return Group(key, label, tuple(shapes), at=(x, y), area=area_)


def _on_the_way(doc: Mapping[str, Any], plan: Plan) -> Group:
    """Tell where the chosen pawn is while cards are played, if it has left its space."""
    turn, seat = doc["turn"], doc["seat"]
    if turn["pawn"] is None or turn["x"] is None or doc["seats"][seat]["pawns"][turn["pawn"]] == turn["x"]:
        return Group("on the way", "no pawn is on its way")
    x, y = _cell(turn["x"], plan)
    return Group(
        "on the way",
        f"pawn {turn['pawn']} of seat {seat} comes to {turn['x']}",
        pawn(seat, 14, 2, ghost=True),
        at=(x, y),
    )


# ------------------------------------------------------------------------------------------------------------- people


def _person(view: View, seat: int, names: Sequence[str], plan: Plan) -> Group:
    person, height = view["place"]["seats"][seat], PERSON
    left, top, columns = plan.people
    pitch = (plan.width - 2 * left + 8) / columns
    width = pitch - 8
    score = with_half(view["scores"][seat], view["half_points"][seat])
    shapes: list[Shape] = [panel(0, 0, width, height, seat == view["place"]["seat"]), *badge(20, 20, seat)]
    shapes += [
        say(37, 25, names[seat], 14, bold=True, room=width - 37 - 46),
        say(width - 11, 28, score, 20, "ink", "end", True),
    ]
    where = [{data.ATLANTIS: "start", data.MAINLAND: "home"}.get(space, str(space)) for space in person["pawns"]]
    for index, space in enumerate(person["pawns"]):
        x = 18 + (width - 60) / data.NUM_PAWNS * index
        shapes += placed((path(PAWN, f"seat{seat}", "seat.edge", 1.4),), x, 44, 0.6)
        ends = {data.ATLANTIS: CASTLE, data.MAINLAND: SHORE}
        shapes += placed(ends[space], x + 17, 44, 0.26) if space in ends else (say(x + 8, 48, str(space), 11.5),)
    if person["bridge"]:
        shapes += bridge(width - 39, 38, 29, 12)
    label = f"{names[seat]}: score {score}, pawns {', '.join(where)}, {'a bridge' if person['bridge'] else 'no bridge'}"
    tiles = ", ".join(f"{count} of value {value}" for value, count in person["tiles"].items()) or "none"
    label += f"; tiles: {tiles}; cards: {_cards_text(person)}"
    groups = _tiles(seat, person["tiles"], width)
    shapes += _cards(person, width)
    return Group(
        f"seat.{seat}",
        label,
        tuple(shapes),
        tuple(groups),
        (left + pitch * (seat % columns), top + (height + 6) * (seat // columns)),
        rect(0, 0, width, height, None, None, 9),
    )


def _tiles(seat: int, tiles: Mapping[str, int], width: float) -> list[Group]:
    """Draw values of the tiles won, with how often."""
    pitch = min(44.0, (width - 17) / max(1, len(tiles)))
    wide, times = (18, "×") if pitch > 38 else (14, "")
    groups = []
    for index, (value, count) in enumerate(tiles.items()):
        x = 11 + pitch * index
        shapes = [
            rect(x, 57, wide, 19, "pill", "pill.edge", 4),
            say(x + wide / 2, 71, value, 12, "ink", "middle", True),
        ]
        much = f"{times}{count}" if count > 1 else ""
        if much:
            shapes.append(say(x + wide + 2.5, 71, much, 10.5, "ink"))
        room = text_width(much, 10.5) + 2 if much else 0
        where = rect(x - 3, 54, wide + 6 + room, 25, None, None, 6)
        groups.append(Group(f"tile.{seat}.{value}", f"{count} of value {value}", tuple(shapes), area=where))
    return groups


def _cards(person: Mapping[str, Any], width: float) -> list[Shape]:
    """Draw cards of the hand as icons where they are known, else their number."""
    hidden = isinstance(person["hand"], int)
    known = person["known"] if hidden else person["hand"]
    much = person["hand"] if hidden else sum(person["hand"].values())
    message = f"{much} {'card' if much == 1 else 'cards'}"
    shapes = [say(11, 97, message, 11, "mute")]
    start = 11 + text_width(message, 11) + 7
    if hidden and known:
        shapes.append(say(start, 97, "with", 11, "mute"))
        start += text_width("with ", 11)
    pitch = min(29.0, (width - start - 4) / max(1, len(known)))
    for index, (thing, count) in enumerate(known.items()):
        x = start + pitch * index
        shapes += placed(ICONS[thing], x + 6, 93, 0.62)
        if count > 1:
            shapes.append(say(x + 12, 97, str(count), 10.5, "ink", bold=True))
    return shapes


def _cards_text(person: Mapping[str, Any]) -> str:
    if isinstance(person["hand"], int):
        known = ", ".join(f"{count} {thing}" for thing, count in person["known"].items())
        return f"{person['hand']}{f', among them {known}' if known else ''}"
    return ", ".join(f"{count} {thing}" for thing, count in person["hand"].items()) or "none"


# -------------------------------------------------------------------------------------------------------------- cards


def _hand(view: View, names: Sequence[str], plan: Plan) -> Group:
    """Draw the cards of who looks; an onlooker sees those of the seat whose turn it is."""
    doc = view["place"]
    seat = view["seat"] if view["seat"] is not None else doc["seat"]
    left, top = plan.hand
    if seat is None:
        return Group("hand", "no cards")
    person = doc["seats"][seat]
    title = "your cards" if view["seat"] is not None else f"cards of {names[seat]}"
    shapes = [say(left, top - 7, title, 12, "mute", bold=True, room=150)]
    bought = doc["turn"].get("bought", {}) if seat == doc["seat"] else {}
    groups = [
        _card(thing, person["hand"][thing], bought.get(thing, 0), left + plan.card[2] * index, plan)
        for index, thing in enumerate(t for t in data.OBJECTS if person["hand"].get(t))
    ]
    return Group("hand", f"{title}: {_cards_text(person)}", tuple(shapes), tuple(groups))


def _card(thing: str, count: int, bought: int, x: float, plan: Plan) -> Group:
    (width, height, _), top = plan.card, plan.hand[1]
    shapes: list[Shape] = [rect(x + 4, top + 3, width, height, "tile.under", "tile.edge", 7)] if count > 1 else []
    shapes += [
        rect(x, top, width, height, f"t.{thing}", "tile.edge", 7),
        *placed(ICONS[thing], x + width / 2, top + height / 2 - (0 if count > 1 or bought else 5), 1.5 * height / 76),
    ]
    shapes.append(say(x + width / 2, top + height - 8, thing, 10.5, "ink", "middle", True))
    if count > 1:
        shapes.append(say(x + width - 6, top + 18, f"×{count}", 13, "ink", "end", True))
    new = f", {bought} bought this turn" if bought else ""
    if bought:
        shapes.append(say(x + 6, top + 17, f"+{bought}", 11, "ink"))  # new, and no means of payment yet (6.6)
    return Group(
        f"card.{thing}",
        f"{count} {thing}{new}",
        tuple(shapes),
        area=rect(x, top, width + (4 if count > 1 else 0), height, None, None, 7),
    )


def _heaps(doc: Mapping[str, Any], plan: Plan) -> Group:
    """Draw the pile and, in the open, the discard and what is out of the game."""
    left, top = plan.heaps[2]
    much = doc["pile"] if isinstance(doc["pile"], int) else sum(doc["pile"].values())
    shapes: list[Shape] = [
        rect(left, top, 48, 62, "card.back", "tile.edge", 7),
        *wave(left + 24, top + 31, 1, "card.back.mark"),
    ]
    shapes.append(say(left + 24, top + 76, f"{much} left", 11.5, "mute", "middle"))
    messages = []
    for row, (name, title) in enumerate((("discard", "discard"), ("box", "paid, out of the game"))):
        x, y = plan.heaps[row]
        shapes.append(say(x, y, title, 11, "mute"))
        if not doc[name]:
            shapes.append(say(x, y + 20, "none", 11, "mute"))
        for index, (thing, count) in enumerate(doc[name].items()):
            left, down = x + 38 * (index % 3), y + 18 + 24 * (index // 3)
            shapes += [
                *placed(ICONS[thing], left + 8, down, 0.7),
                say(left + 18, down + 4.5, str(count), 11.5, "ink", bold=True),
            ]
        messages.append(f"{title}: {', '.join(f'{count} {thing}' for thing, count in doc[name].items()) or 'none'}")
    return Group("heaps", f"{much} cards in the pile; {'; '.join(messages)}", tuple(shapes))


# --------------------------------------------------------------------------------------------------------------- icons


ROLES: Roles = {
    "way": ("#A6CCE2", "#1F4E66"),
    "chevron": ("#5F9CBF", "#6FA9C8"),
    "tile.edge": ("#46545C", "#0B161C"),
    "tile.under": ("#DCE4E8", "#4B5A63"),
    "shore": ("#F7EEDC", "#4A4030"),
    "shore.edge": ("#A98644", "#B79A5E"),
    "plank": ("#8A5A2B", "#A87741"),
    "plank.edge": ("#4A2E12", "#3A240E"),
    "coin": ("#FFF6D6", "#F6E3A1"),
    "coin.edge": ("#7A5A00", "#4A3600"),
    "on.coin": ("#14222B", "#14222B"),
    "card.back": ("#2B4A5C", "#3F6579"),
    "card.back.mark": ("#CDE5F1", "#CDE5F1"),
    "pill": ("#F7EEDC", "#3B342B"),
    "pill.edge": ("#A98644", "#9C8250"),
    "t.ring": ("#BFD8F5", "#27466B"),
    "t.amphora": ("#E3BE97", "#6B4526"),
    "t.olive": ("#BCD98A", "#44591F"),
    "t.helmet": ("#C5CACF", "#4B545C"),
    "t.flag": ("#F5BBD6", "#6E2C4C"),
    "t.statue": ("#FFFFFF", "#1E2A31"),
    "t.crown": ("#F6DF7E", "#5C4C12"),
    "o.ring": ("#0B4EA2", "#9CC7FF"),
    "o.amphora": ("#6B3510", "#F2B98A"),
    "o.olive": ("#3B5A0E", "#C9EC8C"),
    "o.helmet": ("#3A444C", "#E3EAEF"),
    "o.flag": ("#93004F", "#FFA8D2"),
    "o.statue": ("#2A3136", "#FFFFFF"),
    "o.crown": ("#6A5200", "#FFE27A"),
}
ICONS: dict[str, Icon] = {
    "ring": (
        circle(0, 2.5, 6.2, None, "o.ring", 2.8),
        polygon([(-3.6, -8.5), (3.6, -8.5), (5, -6), (0, -2), (-5, -6)], "o.ring"),
    ),
    "amphora": (
        path(
            "M -3.2 -8.5 L 3.2 -8.5 L 2.4 -4.5 C 7.5 -2 6.5 4.5 2.4 8.5 L -2.4 8.5 C -6.5 4.5 -7.5 -2 -2.4 -4.5 Z",
            "o.amphora",
        ),
        path("M -3 -7 C -8 -7 -8.5 -2 -5 -1 M 3 -7 C 8 -7 8.5 -2 5 -1", None, "o.amphora", 1.6),
    ),
    "olive": (
        path("M -6.5 8.5 C -3 2 2 -3 7 -8.5", None, "o.olive", 1.6),
        path("M -1.5 0.5 C -7.5 1 -8.5 -3.5 -8 -6 C -4 -6 -1.5 -4 -1.5 0.5 Z", "o.olive"),
        path("M 3 -4.5 C -1 -5.5 -1.5 -8 -0.5 -9.5 C 2.5 -9.5 4 -7.5 3 -4.5 Z", "o.olive"),
        path("M -1.8 2.5 C 4.5 4.5 7.5 1 8 -1.2 C 4.5 -2.6 0.5 -1.2 -1.8 2.5 Z", "o.olive"),
        circle(1.5, 6.5, 2.3, "o.olive"),
    ),
    "helmet": (
        path(
            "M -7 8 L -7 -1 C -7 -9.5 7 -9.5 7 -1 L 7 8 L 3 8 L 3 2 L 1 2 L 1 -1.5 L -1 -1.5 L -1 2 L -3 2 L -3 8 Z",
            "o.helmet",
        ),
        path("M -8.5 -4 C -6 -12 6 -12 8.5 -4", None, "o.helmet", 2.0),
    ),
    "flag": (
        path("M -6 -9 L -6 9", None, "o.flag", 2.0),
        path("M -5 -8 C -1 -10.5 2 -5.5 8 -8 L 8 1 C 2 3.5 -1 -1.5 -5 1 Z", "o.flag"),
    ),
    "statue": (
        circle(0, -5.5, 3.3, "o.statue"),
        path("M -5 4 C -5.5 -2.5 5.5 -2.5 5 4 Z", "o.statue"),
        rect(-7, 5.2, 14, 3.6, "o.statue"),
    ),
    "crown": (polygon([(-8.5, -6), (-4, -0.5), (0, -8), (4, -0.5), (8.5, -6), (7, 7), (-7, 7)], "o.crown"),),
}
PAWN = "M -8.5 12 C -8.5 4 -4.5 2.5 -5 -1 C -9 -4.5 -6 -12 0 -12 C 6 -12 9 -4.5 5 -1 C 4.5 2.5 8.5 4 8.5 12 Z"
CHEVRON = "M -3 -4.5 L 2 0 L -3 4.5"


def pawn(seat: int, x: float, y: float, ghost: bool = False) -> Icon:
    """Return a pawn with its seat's number, 17 wide and 24 high; a ghost shows where it is on its way."""
    shape = path(PAWN, f"seat{seat}", "ink" if ghost else "seat.edge", 1.4 if ghost else 1.0, dash=ghost, faded=ghost)
    role = "ink" if ghost else f"on.seat{seat}"
    return *placed((shape,), x, y), words(x, y + 9.5, str(seat), 10.5, role, "middle", True)


def bridge(x: float, y: float, width: float, height: float) -> Icon:
    """Return planks over the water, with their top left corner at a place."""
    count = max(4, round(width / 8))
    step = width / count
    cuts = [line(x + step * n, y, x + step * n, y + height, "plank.edge", 1.0) for n in range(1, count)]
    return rect(x, y, width, height, "plank", "plank.edge", 2, 1.2), *cuts


CASTLE: Icon = (
    path(
        "M -32 27 L -32 -2 L -24 -2 L -24 -26 L -17 -26 L -17 -20 L -10 -20 L -10 -26 L -3 -26 L -3 -20 "
        "L 3 -20 L 3 -26 L 10 -26 L 10 -20 L 17 -20 L 17 -26 L 24 -26 L 24 -2 L 32 -2 L 32 27 Z",
        "shore", "shore.edge", 1.5,
    ),
)  # fmt: skip
SHORE: Icon = (path("M -32 27 C -32 -12 -18 -27 2 -27 C 22 -27 32 -8 32 27 Z", "shore", "shore.edge", 1.5),)


def legend() -> tuple[tuple[Icon, str], ...]:
    """Return what the signs on the board mean."""
    coin = (circle(0, 0, 11, "coin", "coin.edge", 1.3), words(0, 4.5, "2", 13, "on.coin", "middle", True))
    tiles = (
        rect(-12, -12, 30, 28, "tile.under", "tile.edge", 4, 1.0),
        rect(-16, -16, 30, 28, "t.olive", "tile.edge", 4, 1.0),
    )
    return (
        (placed(ICONS["olive"], 0, 0, 1.3), "an object: a card with it takes a pawn to the next tile that shows it"),
        (
            (words(0, 6, "4", 18, "ink", "middle", True),),
            "the large number of a tile: its points; the small one counts spaces",
        ),
        (tiles, "an edge below a tile: another tile lies under it"),
        (wave(0, 0, 1.2), "water: the tile is gone"),
        (coin, "a coin on water: the toll of that gap, paid in points of tiles and cards"),
        (bridge(-16, -8, 32, 16), "a bridge: the gap is free for everybody. Each seat has one"),
        (pawn(0, 0, 0, ghost=True), "a dashed pawn: where the pawn lands when its toll is paid"),
        ((words(0, 5, "\u00d72", 15, "ink", "middle", True),), "so many pawns of a seat stand there"),
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
