"""Atlantis Rising as a picture: the island, what lies beside it, the councilors and their cards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from atlantis_envs.drawing.letters import fitted, text_width
from atlantis_envs.drawing.look import Look, View
from atlantis_envs.drawing.pen import badge, heading, panel, placed, rect, star
from atlantis_envs.drawing.pen import words as say
from atlantis_envs.drawing.shapes import WIDTH, Drawing, Group, Shape
from atlantis_envs.games.atlantis_rising import words
from atlantis_envs.games.atlantis_rising.data import GOODS as GOOD_NAMES
from atlantis_envs.games.atlantis_rising.data import KINDS
from atlantis_envs.games.atlantis_rising.drawing_island import island
from atlantis_envs.games.atlantis_rising.drawing_side import side
from atlantis_envs.games.atlantis_rising.explain import explain
from atlantis_envs.games.atlantis_rising.icons import GOODS, ROLES, piece
from atlantis_envs.games.atlantis_rising.news import news
from atlantis_envs.games.atlantis_rising.refusals import refusal
from atlantis_envs.games.atlantis_rising.text import BOARD
from atlantis_envs.games.atlantis_rising.view import view

TOP, PITCH, PANEL, PER_ROW = 650, (197, 104), (190, 96), 4  # even, as films want it
STRIP = 66  # height of the cards


def draw(view: View, names: Sequence[str]) -> Drawing:
    """The table."""
    rows = (view["players"] + PER_ROW - 1) // PER_ROW
    bottom = TOP + PITCH[1] * rows
    groups = [
        _heading(view, names),
        *island(view),
        *side(view),
        *(_person(view, seat, names) for seat in range(view["players"])),
        _cards(view, names, bottom),
    ]
    place = view["place"]
    sunk = sum(place["flooded"].values())
    about = f"Round {place['round']}: {len(place['built'])} components built, {sunk} of 36 tiles under water."
    return Drawing(WIDTH, bottom + STRIP, "Atlantis Rising", about, tuple(groups))


def area(view: View, action: str) -> str | None:
    """Where a click means the action: a place, a peninsula, a component, a seat, pieces at home, goods, cards."""
    word, _, rest = action.partition(" ")
    seat = view["to_decide"]
    if word in ("at", "build"):
        return f"{'at' if word == 'at' else 'component'}.{rest}"
    if word in ("barrier", "drain", "flood", "chart"):
        return f"peninsula.{rest}"
    if word == "seat":
        return f"seat.{rest}"
    if word == "place":
        return f"home.{seat}.{rest}"
    if word in ("give", "take"):
        return f"good.{seat}.{rest}"
    if word in ("play", "discard"):
        return f"card.{rest}" if _strip_seat(view) == seat else None
    return f"offer.{rest}" if word == "keep" and rest in _offered(view["place"]) else None


def _heading(view: View, names: Sequence[str]) -> Group:
    place, seat = view["place"], view["to_decide"]
    told = "setup" if place["phase"] == "setup" else f"round {place['round']} · {place['phase']}"
    return heading("Atlantis Rising", told, seat, "" if seat is None else names[seat], words.headline(view), WIDTH)


# ------------------------------------------------------------------------------------------------------------- people


def _person(view: View, seat: int, names: Sequence[str]) -> Group:
    place, (width, height) = view["place"], PANEL
    person = place["seats"][seat]
    x, y = 8 + PITCH[0] * (seat % PER_ROW), TOP + PITCH[1] * (seat // PER_ROW)
    shapes: list[Shape] = [panel(0, 0, width, height, view["to_decide"] == seat), *badge(18, 18, seat)]
    councilor = person["councilor"] or ""
    first = place["first"] == seat and place["phase"] != "setup"
    room = width - 42 - text_width(councilor, 11.5) - (22 if first else 4)
    name = fitted(names[seat], room, 13.5, True)
    shapes += [say(34, 23, name, 13.5, bold=True), say(width - 8, 22.5, councilor, 11.5, "mute", "end")]
    if first:
        shapes.append(star(34 + text_width(name, 13.5, True) + 11, 18, 8.5, "star", "seat.edge"))
    groups = [_good(person, seat, number, good) for number, good in enumerate(GOOD_NAMES)]
    groups += _home(person, seat)
    shapes.append(say(9, 70, "home", 11, "mute"))
    shapes.append(say(9, 88, _told(person), 11, "mute", room=width - 18))
    goods = ", ".join(f"{person[good]} {good}" for good in GOOD_NAMES)
    home = ", ".join(f"{count} {kind}" for kind, count in person["home"].items() if count) or "nobody"
    label = f"{names[seat]}, {councilor or 'no councilor yet'}: {goods}; at home {home}; {_told(person)}"
    return Group(f"seat.{seat}", label, tuple(shapes), tuple(groups), (x, y), rect(0, 0, width, height, None, None, 9))


def _good(person: Mapping[str, Any], seat: int, number: int, good: str) -> Group:
    count, x = person[good], 9 + 35 * number
    marks = placed(GOODS[good], x + 7, 45, 0.85, faded=not count)
    told = say(x + 17, 49.5, str(count), 12.5, "ink" if count else "mute", bold=bool(count))
    return Group(f"good.{seat}.{good}", f"{count} {good}", (*marks, told), area=rect(x - 3, 35, 34, 20, None, None, 5))


def _home(person: Mapping[str, Any], seat: int) -> list[Group]:
    """Pieces at home, which can be placed."""
    x, groups = 57.0, []
    gap = 8.0 if sum(1 for count in person["home"].values() if count) < 4 else 3.0
    for kind in KINDS:
        count = person["home"][kind]
        if not count:
            continue
        shapes = list(piece(kind, seat, x, 66, scale=0.9))
        wide = 18.0
        if count > 1:
            shapes.append(say(x + 10, 70, f"×{count}", 11, "ink"))
            wide += text_width(f"×{count}", 11) + 2
        groups.append(
            Group(
                f"home.{seat}.{kind}",
                f"{count} {kind} at home",
                tuple(shapes),
                area=rect(x - 11, 55, wide + 4, 22, None, None, 6),
            )
        )
        x += wide + gap
    return groups


def _told(person: Mapping[str, Any]) -> str:
    """Cards, artifacts, reserve."""
    cards = person["hand"] if isinstance(person["hand"], int) else sum(person["hand"].values())
    artifacts = len(_artifacts(person))
    parts = [
        f"{cards} {'card' if cards == 1 else 'cards'}",
        f"{artifacts} {'artifact' if artifacts == 1 else 'artifacts'}",
    ]
    parts.append(f"reserve {person['reserve']}")
    return " · ".join(parts) + (" · barred" if person["barred"] else "")


def _artifacts(person: Mapping[str, Any]) -> list[str]:
    return [*person["artifacts"], *([person["scholar_artifact"]] if person["scholar_artifact"] else [])]


# -------------------------------------------------------------------------------------------------------------- cards


def _strip_seat(view: View) -> int | None:
    """Whose cards are shown by name: those of who looks; an onlooker sees those of the seat to decide."""
    place = view["place"]
    if view["seat"] is not None:
        return int(view["seat"])
    return view["to_decide"] if view["to_decide"] is not None else place["turn"]


def _offered(place: Mapping[str, Any]) -> list[str]:
    """Cards drawn by the action in progress, where they may be known."""
    frame = place["pending"][-1] if place["pending"] else {}
    offered = frame.get("drawn", frame.get("seen", []))
    return [] if isinstance(offered, int) else [card for card in offered if card]


def _cards(view: View, names: Sequence[str], top: int) -> Group:
    place, seat = view["place"], _strip_seat(view)
    person = place["seats"][seat] if seat is not None else None
    if person is None or isinstance(person["hand"], int):
        return Group("cards", "no cards to be seen")
    title = "your cards" if view["seat"] is not None else f"cards of {names[seat or 0]}"
    chips = [(f"card.{name}", name, count, "") for name, count in person["hand"].items()]
    chips += [(f"card.{name}", name, 1, "used" if name in person["used"] else "in play") for name in _artifacts(person)]
    offered = _offered(place)
    chips += [(f"offer.{name}", name, offered.count(name), "drawn") for name in dict.fromkeys(offered)]
    x, y = 12.0, top + 14.0
    shapes = [say(x, y, title, 11.5, "mute", bold=True, room=300)]
    if not chips:
        shapes.append(say(x, y + 22, "none", 11.5, "mute"))
    groups, y = [], y + 7
    for key, name, count, mark in chips:
        told = f"{name}{f' ×{count}' if count > 1 else ''}{f' ({mark})' if mark else ''}"
        wide = text_width(told, 11.5) + 16
        if x + wide > WIDTH - 10:
            x, y = 12.0, y + 22
        groups.append(_chip(key, name, told, x, y, wide))
        x += wide + 6
    return Group("cards", f"{title}: {', '.join(chip[1] for chip in chips) or 'none'}", tuple(shapes), tuple(groups))


def _chip(key: str, name: str, told: str, x: float, y: float, wide: float) -> Group:
    box = rect(x, y, wide, 19, "chip", "chip.edge", 5)
    what = {**words.CARDS, **words.ARTIFACTS}.get(name, "")
    return Group(key, f"{told}: {what}" if what else told, (box, say(x + 8, y + 13.5, told, 11.5)), area=box)


LOOK = Look(
    view=view,
    draw=draw,
    area=area,
    roles=ROLES,
    goal=words.goal,
    question=words.question,
    clauses=words.clauses,
    explain=explain,
    refusal=refusal,
    news=news,
    board=BOARD,
)
