"""What lies beside the island of Atlantis Rising: Wrath, gates, the blueprint, decks, and what this round is like."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from atlantis_envs.drawing.letters import broken
from atlantis_envs.drawing.look import View
from atlantis_envs.drawing.pen import panel, placed, rect
from atlantis_envs.drawing.pen import words as say
from atlantis_envs.drawing.phrases import counted
from atlantis_envs.drawing.shapes import Group, Shape
from atlantis_envs.games.atlantis_rising import words
from atlantis_envs.games.atlantis_rising.data import PENINSULAS
from atlantis_envs.games.atlantis_rising.drawing_island import Pieces, pieces_by_place, told_pieces
from atlantis_envs.games.atlantis_rising.icons import GATE, GOODS, TICK, piece

LEFT, RIGHT = 566.0, 792.0
GATES_AT, LIST_AT, ROW = 44.0, 113.0, 28.0
NOTES = (400.0, 640.0)  # top and bottom
MOST_AT_GATE = 4
LEGEND = ("leader", "hologram", "follower", "volunteer", "automaton")
INITIALS = {"mountains": "mo", "hills": "hi", "forests": "fo", "cities": "ci", "libraries": "li", "forges": "fg"}


def side(view: View) -> list[Group]:
    """Everything beside the island."""
    pieces = pieces_by_place(view["place"])
    gates = [_gate(number, view["gates"], pieces) for number in range(1, view["gates"] + 1)]
    return [_wrath(view), *gates, _blueprint(view, pieces), _notes(view)]


def _wrath(view: View) -> Group:
    """The track: how many floods a round ends with."""
    now = view["place"]["wrath"]
    shapes: list[Shape] = [say(12, 60, "wrath: floods each round", 11.5, "mute")]
    for number, value in enumerate(view["wrath"]):
        x, y = 12 + 27 * (number % 6), 68 + 27 * (number // 6)
        ground = rect(
            x,
            y,
            24,
            24,
            "deep" if number <= now else "panel",
            "ink" if number == now else "panel.edge",
            5,
            2.6 if number == now else 1,
        )
        shapes += [ground, say(x + 12, y + 16.5, str(value), 12.5, "ink", "middle", True)]
    return Group(
        "wrath",
        f"wrath: {view['wrath'][now]} floods at the end of this round, space {now + 1} of {len(view['wrath'])}",
        tuple(shapes),
    )


def _gate(number: int, count: int, pieces: Pieces) -> Group:
    width = (RIGHT - LEFT - 5 * (count - 1)) / count
    x, there = LEFT + (width + 5) * (number - 1), list(pieces.get(f"gate {number}", ()))
    shapes: list[Shape] = [panel(x, GATES_AT, width, 44), *placed(GATE, x + 16, GATES_AT + 24)]
    shapes.append(say(x + 32, GATES_AT + 15, f"gate {number}", 11, "mute"))
    fits = min(MOST_AT_GATE, int((width - 36) // 18))
    shown = there if len(there) <= fits else there[: fits - 1]
    for place, (kind, seat, done) in enumerate(shown):
        shapes += piece(kind, seat, x + 40 + 18 * place, GATES_AT + 30, done, 0.92)
    if len(there) > len(shown):
        shapes.append(say(x + 32 + 18 * len(shown), GATES_AT + 34, f"+{len(there) - len(shown)}", 11, "ink", bold=True))
    where = rect(x, GATES_AT, width, 44, None, None, 9)
    return Group(f"at.gate {number}", f"gate {number}: {told_pieces(there)}", tuple(shapes), area=where)


# ---------------------------------------------------------------------------------------------------------- blueprint


def _blueprint(view: View, pieces: Pieces) -> Group:
    place = view["place"]
    built, rest = place["built"], place["blueprint"]
    title = (
        f"Cosmic Gate: built {len(built)} of {len(built) + len(rest)}"
        if built or rest
        else "Cosmic Gate: not yet known"
    )
    rows = [_component(view, name, number, True, pieces) for number, name in enumerate(built)]
    rows += [_component(view, name, len(built) + number, False, pieces) for number, name in enumerate(rest)]
    label = f"{title}; {', '.join(built) or 'nothing'} built"
    return Group("blueprint", label, (say(LEFT + 2, 106, title, 12, "mute", bold=True),), tuple(rows))


def _component(view: View, name: str, number: int, built: bool, pieces: Pieces) -> Group:
    y, width = LIST_AT + ROW * number, RIGHT - LEFT
    last = name == "power core"
    shapes: list[Shape] = [
        rect(
            LEFT,
            y,
            width,
            ROW - 3,
            "quiet" if built else "panel",
            "ink" if last else "panel.edge",
            6,
            2.0 if last else 1.0,
        )
    ]
    if built:
        shapes += placed(TICK, LEFT + 14, y + 12)
    shapes.append(say(LEFT + (27 if built else 9), y + 17, name, 12, "ink", bold=last, room=126))
    there = pieces.get(name, ())
    price = view["prices"][name]
    told = ", ".join(f"{count} {good}" for good, count in price.items())
    if built:
        slots, groups = _places(view, name, there, y)
        label = f"{name}: built; {words.COMPONENTS[name]}"
        return Group(
            f"component.{name}", label, (*shapes, *slots), groups, area=rect(LEFT, y, width, ROW - 3, None, None, 6)
        )
    x = RIGHT - 9
    for good, count in reversed(price.items()):
        shapes += [*placed(GOODS[good], x - 6, y + 12.5, 0.72), say(x - 14, y + 17, str(count), 12, "ink", "end", True)]
        x -= 28
    where = rect(LEFT, y, width, ROW - 3, None, None, 6)
    return Group(f"component.{name}", f"{name}: costs {told}; {words.COMPONENTS[name]}", tuple(shapes), area=where)


def _places(
    view: View, name: str, there: Sequence[tuple[str, int, bool]], y: float
) -> tuple[list[Shape], tuple[Group, ...]]:
    """The places of a component that is built."""
    capacity = view["capacity"].get(name, 0)
    if not capacity:
        return [], ()
    shapes: list[Shape] = []
    shown = list(there)[:4]
    for number in range(max(capacity, len(shown))):
        x = RIGHT - 15 - 18 * number
        if number < len(shown):
            kind, seat, done = shown[number]
            shapes += piece(kind, seat, x, y + 12.5, done, 0.9)
        else:
            shapes.append(rect(x - 6.5, y + 6, 13, 13, None, "slot", 6.5, 1.0, dash=True))
    wide = 18 * max(capacity, len(shown)) + 4
    where = rect(RIGHT - wide - 2, y + 1, wide, ROW - 5, None, None, 6)
    return [], (Group(f"at.{name}", f"{name}: {told_pieces(there)}", tuple(shapes), area=where),)


# -------------------------------------------------------------------------------------------------------------- notes


def _notes(view: View) -> Group:
    """Decks, volunteers and what is special now."""
    place = view["place"]
    top, bottom = NOTES
    shapes: list[Shape] = [panel(LEFT, top, RIGHT - LEFT, bottom - top, fill="quiet")]
    cards = place["misfortunes"]
    y = top + 18
    shapes.append(
        say(LEFT + 9, y, f"misfortunes: {sum(cards['deck'].values()) + len(cards['top'])} left", 11.5, "mute")
    )
    shapes += _deck(cards["deck"], y + 8)
    other = sum(count for kind, count in cards["deck"].items() if kind not in PENINSULAS)
    shapes.append(say(LEFT + 9, y + 58, f"floods by peninsula; {other} other cards", 11, "mute"))
    y += 77
    room = RIGHT - LEFT - 18
    for told, bold in _lines(view):
        for line in broken(told, room, 11.5, 3, bold):
            if y > bottom - 46:
                break
            shapes.append(say(LEFT + 9, y, line, 11.5, "ink" if bold else "mute", bold=bold))
            y += 15
        y += 3
    shapes += _legend(bottom - 30)
    label = "; ".join(told for told, _ in _lines(view))
    return Group("notes", label, tuple(shapes))


def _legend(y: float) -> list[Shape]:
    """Which shape is which piece."""
    shapes: list[Shape] = []
    for number, kind in enumerate(LEGEND):
        x, down = LEFT + 15 + 75 * (number % 3), y + 20 * (number // 3)
        shapes += [*piece(kind, -1, x, down, scale=0.72), say(x + 10, down + 4, kind, 11, "mute")]
    return shapes


def _deck(deck: Mapping[str, int], y: float) -> list[Shape]:
    """How many misfortunes of each peninsula are left, with its initials."""
    shapes: list[Shape] = []
    for number, name in enumerate(PENINSULAS):
        x = LEFT + 9 + 35 * number
        shapes += [
            rect(x, y, 32, 36, f"l.{name}", "tile.edge", 5),
            say(x + 16, y + 14, INITIALS[name], 10.5, "ink", "middle"),
        ]
        shapes.append(say(x + 16, y + 30, str(deck.get(name, 0)), 13, "ink", "middle", True))
    return shapes


def _lines(view: View) -> list[tuple[str, bool]]:
    """What is special now in bold, then the decks."""
    place = view["place"]
    found = [(told, True) for told in (_now(place), *_effects(place)) if told]
    if place["misfortunes"]["top"]:
        found.append((f"next misfortunes: {', '.join(place['misfortunes']['top'])}", True))
    library = place["library"]
    under = library["bottom"] if isinstance(library["bottom"], int) else len(library["bottom"])
    beneath = f", {under} under the deck" if under else ""
    found.append(
        (
            f"library: {sum(library['deck'].values())} unseen{beneath}, {sum(library['discard'].values())} discarded",
            False,
        )
    )
    found.append((f"volunteers: {place['volunteers']} left; level {place['level']}", False))
    found.append(("hollow pieces have acted this round", False))
    if place["hologram"]:
        held = place["hologram"]
        found.append(
            (
                f"hologram: {held['councilor'] or 'to be chosen'}{', ' + held['artifact'] if held['artifact'] else ''}",
                False,
            )
        )
    return found


def _now(place: Mapping[str, Any]) -> str:
    told = words.doing(place)
    return told if told.startswith("drawn") or not told else f"now: {told}"


def _effects(place: Mapping[str, Any]) -> list[str]:
    """What this round is like, the closed places apart, which say so themselves."""
    effects = place["effects"]
    found = [f"earthquake: targets +{effects['earthquake']}"] if effects["earthquake"] else []
    found += [f"{name}: targets -{2 * count}" for name, count in effects["atlas"].items() if count]
    found += ["only one component this round"] if effects["build_limit"] else []
    found += [f"{counted(effects['extra_floods'], 'more flood')} at the end"] if effects["extra_floods"] else []
    found += [f"floods to choose now: {place['floods']}"] if place["floods"] else []
    return found
