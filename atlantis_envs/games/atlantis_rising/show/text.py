"""Atlantis Rising in text: the island tile by tile, what is built, who has what, Wrath and misfortunes.

While hands are open everybody sees everything (15.1); else what others hold, draw and put under the deck is a number
(15.2).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from atlantis_envs.drawing.look import WIDE, Board
from atlantis_envs.drawing.phrases import counted
from atlantis_envs.drawing.text import fitted_lines, glued
from atlantis_envs.engine.position import Position
from atlantis_envs.games.atlantis_rising import data
from atlantis_envs.games.atlantis_rising.show import phrases
from atlantis_envs.games.atlantis_rising.view import is_open, view

CELL = 11
COLUMN = 38  # of two columns of prices
LETTERS = {"leader": "L", "hologram": "H", "follower": "F", "volunteer": "V", "automaton": "A"}
SYMBOLS = ("both", "bot", "dis")
LEGEND = (
    "Column 1 is outermost. Targets; cards kept (both, or one: the other goes to",
    "the bottom or is discarded); atlantium for 1 ore. L0 leader of seat 0, F",
    "follower, V volunteer, H hologram, A automaton; small letters have acted.",
    "~~~ under water, # has a barrier.",
)
PHASES = {
    "start": "start", "deploy": "deployment", "misfortune": "misfortunes", "actions": "actions", "wrath": "Wrath",
    "over": "over",
}  # fmt: skip


def text(position: Position, seat: int | None, names: Sequence[str], width: int = WIDE) -> str:
    """Write what the seat may know."""
    seen = view(position, seat)
    lines = [*_head(seen), "", *_island(seen), "", *_places(seen), ""]
    lines += [*_blueprint(seen), "", *_people(seen, names), "", *_heaps(seen["place"])]
    if position.seat not in (None, seat):  # who is to decide is asked, below the board
        lines += ["", f"Seat {position.seat}: {phrases.question(seen)}"]
    return "\n".join(fitted_lines(lines, width)) + "\n"


def _names(names: Sequence[str], between: str = ", ") -> str:
    """Write a list that is broken between names only."""
    return between.join(map(glued, names)) or "-"


# ---------------------------------------------------------------------------------------------------------------- head


def _head(seen: Mapping[str, Any]) -> list[str]:
    place = seen["place"]
    if place["phase"] == "setup":
        return [f"Setup, level {seen['level']}"]
    limit = seen["round_limit"]
    turn = f", turn of seat {place['turn']}" if place["phase"] in {"deploy", "actions"} else ""
    of = f" of {limit}" if limit else ""
    head = f"Level {seen['level']}, round {place['round']}{of}, {PHASES[place['phase']]}{turn}"
    track = [str(value) for value in seen["wrath"]]
    track[place["wrath"]] = f"[{track[place['wrath']]}]"
    due = f", {place['floods']} to choose now" if place["floods"] else ""
    lines = [
        f"{head}; first player seat {place['first']}",
        f"Wrath: {' '.join(track)} floods at the end of a round{due}",
    ]
    lines += [", ".join(_effects(place["effects"]))] if _effects(place["effects"]) else []
    if place["draws"]:
        lines.append(f"misfortunes still to draw by seats {', '.join(map(str, place['draws']))}")
    if place["result"]:
        told = "CUT OFF" if seen["truncated"] else "WON" if place["result"]["win"] else "LOST"
        lines.append(f"{told}: {place['result']['reason']}")
    return lines


def _effects(effects: Mapping[str, Any]) -> list[str]:
    """Return what this round is like."""
    found = [f"earthquake: targets +{effects['earthquake']}"] if effects["earthquake"] else []
    found += [f"atlas: {name} -{2 * count}" for name, count in effects["atlas"].items() if count]
    found += [f"{name} closed" for name in effects["closed"]]
    found += ["one build at most"] if effects["build_limit"] else []
    found += [f"{counted(effects['extra_floods'], 'more flood')} at the end"] if effects["extra_floods"] else []
    return found


# -------------------------------------------------------------------------------------------------------------- island


def _pieces(place: Mapping[str, Any]) -> dict[str, str]:
    """Map location -> its pieces as letters."""
    found: dict[str, str] = {}
    for entry in place["placed"]:
        letter = f"{LETTERS[entry['kind']]}{entry['seat']}"
        found[entry["at"]] = found.get(entry["at"], "") + letter * entry["ready"] + letter.lower() * entry["done"]
    return found


def _island(seen: Mapping[str, Any]) -> list[str]:
    place = seen["place"]
    pieces = _pieces(place)
    rows = range(1, data.TILES_PER_PENINSULA + 1)
    lines = [f"{'':12}" + "".join(f"{number:<{CELL}}" for number in rows).rstrip()]
    for peninsula in data.PENINSULAS:
        cells = []
        for row in rows:
            at = f"{peninsula} {row}"
            value = seen["values"][at]
            wet = row <= place["flooded"][peninsula]
            told = "~~~" if wet else SYMBOLS[value] if peninsula == "libraries" else str(value)
            cells.append(f"{told} {_short(pieces.get(at, ''), CELL - 2 - len(told))}".rstrip().ljust(CELL))
        mark = "#" if peninsula in place["barriers"] else ""
        lines.append(f"{peninsula:<10}{mark:<2}" + "".join(cells).rstrip())
    return [*lines, *LEGEND]


def _short(pieces: str, room: int) -> str:
    """Write pieces, or their number where they do not fit."""
    return pieces if len(pieces) <= room else f"{len(pieces) // 2} pcs"


def _places(seen: Mapping[str, Any]) -> list[str]:
    """Write places without a number of their own: centre, gates, components."""
    pieces = _pieces(seen["place"])
    gates = [name for name in data.LOCATIONS if name.startswith("gate")][: seen["gates"]]
    named = ["centre", *gates, *(name for name in seen["place"]["built"] if name in data.LOCATIONS)]
    return [_names([f"{name}: {_grouped(pieces.get(name, '')) or '-'}" for name in named], "   ")]


def _grouped(pieces: str) -> str:
    """Write equal pieces together, as F0x3."""
    each = [pieces[start : start + 2] for start in range(0, len(pieces), 2)]
    return " ".join(f"{name}x{each.count(name)}" if each.count(name) > 1 else name for name in dict.fromkeys(each))


def _blueprint(seen: Mapping[str, Any]) -> list[str]:
    built, rest = seen["place"]["built"], seen["place"]["blueprint"]
    lines = [f"Built {len(built)} of {len(built) + len(rest)}: {_names(built)}"]
    cells = [f"{name:<22}{_price(seen['prices'][name])}".ljust(COLUMN) for name in rest]
    return [*lines, *("".join(cells[start : start + 2]).rstrip() for start in range(0, len(cells), 2))]


def _price(price: Mapping[str, int]) -> str:
    return " ".join(f"{count}{good[0]}" for good, count in price.items())


# -------------------------------------------------------------------------------------------------------------- people


def _people(seen: Mapping[str, Any], names: Sequence[str]) -> list[str]:
    place, lines = seen["place"], []
    for seat, person in enumerate(place["seats"]):
        mark = ">" if seat == seen["to_decide"] else " "
        goods = " ".join(f"{person[good]}{good[0] if good != 'atlantium' else 'a'}" for good in data.GOODS)
        lines.append(f"{mark} seat {seat}, {names[seat]:.30}: {person['councilor'] or 'no councilor yet'}; {goods}")
        home = _counts({kind: count for kind, count in person["home"].items() if count})
        barred = ", barred" if person["barred"] else ""
        lines.append(f"    home: {home}; reserve {person['reserve']}{barred}; {_cards(person)}")
    if place["hologram"]:
        holds = f" with {place['hologram']['artifact']}" if place["hologram"]["artifact"] else ""
        lines.append(f"  hologram: {place['hologram']['councilor'] or '-'}{holds}")
    lines.append("  goods: o ore, g gold, c crystal, a atlantium, e energy")
    return lines


def _cards(person: Mapping[str, Any]) -> str:
    hand = person["hand"]
    shown = person.get("shown") or {}
    if isinstance(hand, int):
        told = f"{hand} cards" + (f" (known: {_counts(shown)})" if shown else "")
    else:
        told = _counts(hand)
    own = [*person["artifacts"], *([person["scholar_artifact"]] if person["scholar_artifact"] else [])]
    used = [f"{name} (used)" if name in person["used"] else name for name in own]
    return f"hand: {told}" + (f"; in play: {_names(used)}" if used else "")


def _heaps(place: Mapping[str, Any]) -> list[str]:
    cards, library = place["misfortunes"], place["library"]
    top = f"; next: {_names(cards['top'])}" if cards["top"] else ""
    bottom = library["bottom"] if isinstance(library["bottom"], int) else len(library["bottom"])
    basic = {name: count for name, count in library["deck"].items() if name in data.BASIC_CARDS}
    artifacts = [name for name in library["deck"] if name not in data.BASIC_CARDS]
    return [
        f"misfortunes, {sum(cards['deck'].values())} in the deck{top}: {_counts(cards['deck'])}",
        f"  discarded: {_counts(cards['discard'])}",
        f"library unseen: {_counts(basic)}; artifacts: {_names(artifacts)}; {bottom} under the deck",
        f"  discarded: {_counts(library['discard'])}",
        f"volunteers {place['volunteers']}",
    ]


def _counts(counts: Mapping[str, int]) -> str:
    return _names([f"{name} x{count}" if count > 1 else name for name, count in counts.items()])


BOARD = Board(is_open=is_open, text=text)
