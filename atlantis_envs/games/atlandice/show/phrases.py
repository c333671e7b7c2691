"""Atlandice in words: what tiles do, what a decision is about, what a move is for, what happened; the table as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from atlantis_envs.drawing.look import WIDE, Board, Ending, Stretch
from atlantis_envs.drawing.phrases import CUT_OFF, counted, listed, score_news, seats_listed, winners, with_half
from atlantis_envs.drawing.plain import fitted_lines
from atlantis_envs.engine.position import Position
from atlantis_envs.games.atlandice import data
from atlantis_envs.games.atlandice.view import view

# What the tile of a district does, in words, and its clause.
EFFECTS = {
    "J1": ("roll 1, 3, 5: one more piece from here", "6.4"),
    "J2": ("swap a piece with another district", "6.5"),
    "J3": ("roll 6: roll again, visit that sector too", "6.6"),
    "L1": ("roll 5, 6: a piece from another district", "6.7"),
    "L2": ("one piece goes to the market", "6.8"),
    "L3": ("your second die: one more piece from here", "6.9"),
    "I1": ("roll 1-4: the hand moves one space, no event", "6.10"),
    "I2": ("one market piece goes to another district", "6.11"),
    "I3": ("move one die to another sector", "6.12"),
    "M1": ("the submarine moves to another sector", "6.13"),
    "M2": ("the submarine moves to another sector", "6.13"),
    "M3": ("the submarine moves to another sector", "6.13"),
    "F1": ("roll 2, 4, 6: one more piece from here", "6.14"),
    "F2": ("one piece goes to another district", "6.15"),
    "F3": ("roll 6: a piece from the market", "6.16"),
}
# What a decision is about, by node, and its clause.
NODES = {
    "visit": ("choose the sector whose die to take", "5.3"),
    "take": ("take a piece of the visited sector", "5.4"),
    "bonus": ("take a second piece, because the submarine is here", "5.5"),
    "effect": ("use the effect of the tile, or leave it", "5.2"),
    "extra": ("take a piece by the effect of the tile", "6.1"),
    "raid": ("name the district to take a piece from", "6.7"),
    "raid_take": ("take a piece from the named district", "6.7"),
    "swap_out": ("name the piece that leaves the jeweler", "6.5"),
    "swap_with": ("name the district to swap with", "6.5"),
    "swap_in": ("name the piece that comes to the jeweler", "6.5"),
    "move_type": ("name the piece to move", "6.1"),
    "move_to": ("name the district the piece goes to", "6.1"),
    "die_from": ("name where the die to move lies", "6.12"),
    "die_to": ("name where the die goes", "6.12"),
    "submarine": ("name where the submarine goes", "6.13"),
    "donate": ("pay two pieces for one point, or stop", "8.5"),
    "donate_more": ("pay the second piece", "8.5"),
}
BY_TILE = {"extra", "move_type", "move_to"}  # nodes of several tiles: the clause is that of the tile
# What is asked in a picture, where there is no room for clauses.
CHANCE = {
    "reveal": "a tile is turned up",
    "first_player": "the first player is drawn",
    "die": "the dice are rolled",
    "roll": "a die is rolled for the effect",
    "reroll": "the die of the jeweler is rolled again",
}
# What brings points: the mark of a clock space or a word, and what happens there (8, 7, 13).
ON_THE_CLOCK = (
    ("total", "most pieces in all: 1 point"),
    ("gem", "most of that type: 1 point"),
    ("donation", f"{data.DONATION_PRICE} pieces buy 1 point"),
    ("end", "the game ends"),
)
OTHERWISE = (
    f"A district without pieces: most of its type win its tile ({data.TILE_POINTS} points), the next 1 point.",
    f"At the end, for each type: most {data.FINAL_FIRST_POINTS} points, next {data.FINAL_SECOND_POINTS}.",
    "The submarine: a second piece.",
)


def goal() -> tuple[str, ...]:
    """Tell what wins (2.4, 7.4, 8.4, 8.5, 13)."""
    return (
        "Have the most points when the hand of the clock reaches its last space.",
        f"A district without pieces is scored: most of its type win its tile ({data.TILE_POINTS} points),",
        "the next most 1 point, and all give back their pieces of that type.",
        "Where the hand stops: most pieces of the type shown, or of all, 1 point;",
        f"or a donation: {data.DONATION_PRICE} pieces buy 1 point.",
        f"At the end, for each type still there: most {data.FINAL_FIRST_POINTS} points, "
        f"next most {data.FINAL_SECOND_POINTS}.",
    )


def question(seen: Mapping[str, Any]) -> str:
    """Tell what the seat to decide is to do."""
    return NODES[seen["place"]["node"]][0] if seen["node"] == "decision" else ""


def clauses(seen: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the clauses of the question."""
    doc = seen["place"]
    if seen["node"] != "decision":
        return ()
    if doc["node"] in BY_TILE:
        return (EFFECTS[doc["sectors"][doc["context"]["sector"]]["tile"]][1],)
    return (NODES[doc["node"]][1],)


def source(doc: Mapping[str, Any]) -> str:
    """Return the sector that a piece is taken from, moved from, or swapped at."""
    context, node = doc["context"], doc["node"]
    if node in {"raid_take", "swap_in"}:
        return str(context["choice"]["district"])
    tile = doc["sectors"][context["sector"]].get("tile")
    by_market = (node == "extra" and tile == "F3") or (node == "move_type" and tile == "I2")
    return "market" if by_market else str(context["sector"])


def headline(seen: Mapping[str, Any]) -> str:
    """Tell what is going on, in a few words: what is asked, what chance decides, or who has won."""
    if seen["truncated"]:
        return CUT_OFF
    if seen["node"] == "over":
        won = winners(seen)
        return f"seat {won[0]} has won" if len(won) == 1 else f"{seats_listed(won)} share the victory"
    node = seen["place"]["node"]
    return CHANCE[node] if seen["node"] == "chance" else NODES[node][0]


def explain(position: Position, action: str) -> str:
    """Tell what a move brings: a visit its pieces, effect, submarine and clock; else where the piece goes."""
    seen = view(position, position.seat)
    doc = seen["place"]
    if action.startswith("visit "):
        messages = [_visit(doc, action.split()[1], seen["visits"])]
        if action.endswith("for neutral"):
            messages.append("What is taken goes to neutral; you give it one of your dice each round.")
        return " ".join(messages)
    if action in ENDING:
        return ENDING[action]
    word, _, rest = action.rpartition(" ")
    return " ".join(filter(None, (_simple(doc, word, rest), _goes_to(doc, action))))


ENDING = {
    "decline effect": "The effect of the tile is left; nothing more happens here.",
    "decline bonus": "The second piece is left; nothing more happens by the submarine.",
    "use effect": "The effect of the tile happens, and nothing of it can be declined any more.",
    "stop paying": "You keep your pieces; the next seat is asked for a donation.",
}


def _simple(doc: Mapping[str, Any], word: str, name: str) -> str:
    """Tell what a move with one name does."""
    sectors = doc["sectors"]
    if word in {"raid", "swap with", "move to", "die from", "die to", "submarine to"}:
        held = listed(sectors[name]["resources"], "s")
        messages = {
            "raid": f"You take one piece from the {name}, which holds {held}.",
            "swap with": f"You swap with the {name}, which holds {held}.",
            "move to": f"The piece goes to the {name}, which holds {held}.",
            "die from": f"One of {counted(sectors[name]['dice'], 'die', plural='dice')} at the {name} is moved.",
            "die to": f"The die then lies at the {name}, for a visit or for the clock.",
            "submarine to": f"From now on a visit to the {name} takes a second piece.",
        }
        return messages[word]
    if word == "pay":
        other = "Two pieces buy 1 point." if doc["node"] == "donate" else "You get 1 point."
        return f"The {name} goes to the {data.DISTRICTS[data.TYPES.index(name)]}. {other}"
    messages = {
        "take": f"You get 1 {name}.",
        "swap out": f"A {name} leaves the jeweler, for a piece of another district.",
        "swap in": f"A {name} comes to the jeweler.",
        "move": f"A {name} is moved; you get nothing.",
    }
    return messages[word]


def _goes_to(doc: Mapping[str, Any], action: str) -> str:
    context = doc["context"]
    if context is not None and action.startswith("take ") and context["for"] != doc["actor"]:
        return f"The piece goes to {context['for']}."
    return ""


def _visit(doc: Mapping[str, Any], name: str, visits: int) -> str:
    sector = doc["sectors"][name]
    held = sector["resources"]
    pieces = listed(held, "s")
    parts = [f"You take the die, then one of {pieces}" if held else "You take the die; there is no piece"]
    if doc["submarine"] == name and held:
        parts.append("and one more for the submarine if one is left")
    tile = sector.get("tile")
    effect = f"Then {tile}: {EFFECTS[tile][0]}." if tile else "No effect follows."
    last = doc["visit"] == visits - 1
    clock = " The die that is left then moves the hand by the needles of its sector." if last else ""
    return f"{' '.join(parts)}. {effect}{clock}"


# -------------------------------------------------------------------------------------------------------- what happened

View = Mapping[str, Any]
AT_SPACE = {
    "none": "nothing happens there",
    "donation": "a donation",
    "total": "an inventory of all pieces",
    "start": "the start",
    "end": "the end of the game",
}


def news(before: View, text: str, after: View) -> tuple[str, ...]:
    """Tell of tiles won and turned up, pieces given back, the hand, and every change of a score."""
    old, new, spaces, players = before["place"], after["place"], after["spaces"], after["players"]
    lines: list[str] = []
    for district, kind in zip(data.DISTRICTS, data.TYPES, strict=True):
        if old["sectors"][district]["tile"] != new["sectors"][district]["tile"]:
            lines += _turned(before, after, text, district, kind)
    if new["hand"] > old["hand"]:
        space, moved = spaces[new["hand"]], counted(new["hand"] - old["hand"], "space")
        there = AT_SPACE.get(space, f"an inventory of {space}s")
        lines.append(f"the hand moves {moved} to {new['hand']} of {len(spaces) - 1}: {there}")
    lines += score_news(before, after, "point")
    for was, now in zip(old["participants"][players:], new["participants"][players:], strict=True):  # it has no seat
        gained = now["points"] - was["points"]
        lines += [f"neutral: {counted(gained, 'point', sign=True)} beside its tiles"] if gained else []
    if after["node"] == "over" and before["node"] != "over":
        how = f"the game is over: {seats_listed(winners(after))} won"
        lines.append(CUT_OFF if after["truncated"] else how)
    return tuple(lines)


def _turned(before: View, after: View, text: str, district: str, kind: str) -> Iterator[str]:
    """Tell of a district with another tile: if it ran empty who won which and gave back what, and what is seen now."""
    old, new = before["place"], after["place"]
    gone, shown = old["sectors"][district]["tile"], new["sectors"][district]["tile"]
    if gone is not None:
        who = [*(f"seat {seat}" for seat in range(after["players"])), "neutral"]
        people = list(zip(who, old["participants"], new["participants"], strict=False))
        owner = next((name for name, was, now in people if gone in now["tiles"] and gone not in was["tiles"]), None)
        if owner is not None:
            yield f"the {district} is empty: {owner}, first in {kind}s, wins its tile {gone}"
        else:
            yield f"the {district} is empty: nobody has a {kind}, and its tile {gone} leaves the game"
        for name, was, now in people:
            given = was["stock"].get(kind, 0) - now["stock"].get(kind, 0)
            if given > 0:
                yield f"{name} gives back {counted(given, kind)}"
    if shown is not None and f"reveal {shown}" not in text:
        yield f"the {district} shows {shown} now"
    elif shown is None and not new["sectors"][district]["hidden"]:
        yield f"the {district} is exhausted: no {kind} is left in the game"


# -------------------------------------------------------------------------------------------------------------- the end


def ending(stretches: Sequence[Stretch]) -> Ending:
    """Tell what brought every seat its points: tiles, districts, the clock, donations, the end."""
    players = stretches[-1][2]["players"] if stretches else 0
    found: list[Counter[str]] = [Counter() for _ in range(players)]
    for before, text, after in stretches:
        people = zip(found, before["place"]["participants"], after["place"]["participants"], strict=False)
        for points, was, now in people:
            if now["points"] != was["points"]:
                points[_reason(before, text, after)] += now["points"] - was["points"]
    for points, person in zip(found, stretches[-1][2]["place"]["participants"] if stretches else (), strict=False):
        if person["tiles"]:
            points[f"tiles {', '.join(person['tiles'])}"] = data.TILE_POINTS * len(person["tiles"])
    return Ending(points=tuple(tuple(points.items()) for points in found))


def _reason(before: View, text: str, after: View) -> str:
    """Tell what brings points beside tiles; several reasons may come at once."""
    old, new = before["place"], after["place"]
    tiles = [(old["sectors"][district]["tile"], new["sectors"][district]["tile"]) for district in data.DISTRICTS]
    stopped = new["hand"] > old["hand"] and after["spaces"][new["hand"]] in {*data.TYPES, "total"}
    reasons = {
        "handicap": old["first"] is None,
        "donations": text.startswith("pay "),
        "next most in emptied districts": any(was is not None and was != now for was, now in tiles),
        "stops of the hand": stopped,
        "most or next most at the end": after["node"] == "over",
    }
    return " and ".join(reason for reason, holds in reasons.items() if holds) or "otherwise"


# ---------------------------------------------------------------------------------------------------------------- text


SPACES = {
    "start": "start", "none": "·", "donation": "don", "total": "all", "end": "END",
    "gem": "gem", "book": "book", "provision": "prov", "tool": "tool", "weapon": "weap",
}  # fmt: skip
SHORT_TYPES = tuple(SPACES[kind] for kind in data.TYPES)


NARROW = 112  # lines shorter than this have the effects of tiles below the table
NAME = 19
NEAR = 5  # spaces of the clock that a short board shows


def text(position: Position, seat: int | None, names: Sequence[str], width: int = WIDE) -> str:
    """Write the whole table."""
    seen = view(position, seat)
    doc = seen["place"]
    lines = [_head(seen), _clock(doc, seen["spaces"])]
    lines += ["", *_sectors(seen, width), "", *_people(seen, names, width)]
    if position.seat not in (None, seat):  # who is to decide is asked, below the board
        lines += ["", f"Seat {position.seat}: {question(seen)}"]
    return "\n".join(fitted_lines(lines, width)) + "\n"


def short(position: Position, seat: int | None, names: Sequence[str], width: int = WIDE) -> str:
    """Write the same for a screen of 24 lines: the clock as far as it is near, effects of tiles to be visited."""
    seen = view(position, seat)
    doc, spaces = seen["place"], seen["spaces"]
    near = " ".join(SPACES[space] for space in spaces[doc["hand"] + 1 : doc["hand"] + NEAR])
    clock = f"clock {doc['hand']}/{len(spaces) - 1}{f', next {near}' if near else ''}"
    table, effects = _table(seen, False)
    asked = {action.split()[1] for action in seen["legal"] if action.startswith("visit ")}
    asked |= {doc["context"]["sector"]} if doc["context"] is not None else set()
    lines = [
        f"{_head(seen).replace(' is first player', ' is first')}; {clock}",
        *table,
        *(text for name, text in effects.items() if name in asked),
    ]
    return "\n".join(fitted_lines([*lines, *_people(seen, names, width)], width)) + "\n"


def _head(seen: Mapping[str, Any]) -> str:
    doc = seen["place"]
    if doc["round"] == 0:
        return "Setup"
    head = f"Round {doc['round']}"
    if seen["to_decide"] is not None and doc["visit"] < seen["visits"]:
        head += f", visit {doc['visit'] + 1} of {seen['visits']}"
    if doc["context"] is not None:
        who = doc["context"]["for"]
        head += f", visiting the {doc['context']['sector']}{' for neutral' if who == 'neutral' else ''}"
    if doc["first"] is not None:
        head += f", seat {doc['first']} is first player"
    return head


def _clock(doc: dict[str, Any], spaces: Sequence[str]) -> str:
    shown = [f"[{SPACES[space]}]" if n == doc["hand"] else SPACES[space] for n, space in enumerate(spaces)]
    return f"Clock {doc['hand']}/{len(spaces) - 1}: {' '.join(shown)}"


def _sectors(seen: Mapping[str, Any], width: int) -> list[str]:
    """Write a row for every sector; where there is no room, what the tiles do stands below."""
    table, effects = _table(seen, width >= NARROW)
    legend = "die: the face that lies there; * the submarine: a visitor takes a second piece"
    return [*table, *effects.values(), legend]


def _table(seen: Mapping[str, Any], wide: bool) -> tuple[list[str], dict[str, str]]:
    """Return the rows of the sectors, and by sector the effects of tiles that do not stand in them."""
    doc = seen["place"]
    kinds = "".join(f"{kind:>5}" for kind in SHORT_TYPES)
    lines = [f"{'sector':<11}{'die':<5}{'dice':<5}{kinds}  {'needles':<9}tile{': effect' if wide else ''}"]
    effects = {}
    for face, name in enumerate(data.SECTORS, 1):
        sector = doc["sectors"][name]
        tile = sector.get("tile")
        mark = "*" if doc["submarine"] == name else ""
        pieces = "".join(f"{sector['resources'].get(kind) or '-':>5}" for kind in data.TYPES)
        needles = seen["needles"]["market" if name == "market" else tile] if tile or name == "market" else "-"
        head = f"{name + mark:<11}{face:<5}{sector['dice'] or '-':<5}{pieces}  {needles!s:<9}"
        message, later = _tile(name, sector, doc)
        lines.append(f"{head}{message}{later}" if wide or not later else f"{head}{tile}")
        if later and not wide:
            effects[name] = f"{message}{later}"
    return lines, effects


def _tile(name: str, sector: dict[str, Any], doc: dict[str, Any]) -> tuple[str, str]:
    """Return the tile with its effect, and what comes after it."""
    if name == "market":
        return "no effect", ""
    if sector["tile"] is None:
        return "drawing a tile" if sector["hidden"] else "exhausted", ""
    later = f"; then {', '.join(sector['hidden'])}" if sector["hidden"] else "; the last tile"
    return f"{sector['tile']}: {EFFECTS[sector['tile']][0]}", later


def _people(seen: Mapping[str, Any], names: Sequence[str], width: int) -> list[str]:
    lines = [f"{'':<{NAME + 2}}{'total':>6}{'points':>8}  {''.join(f'{kind:>5}' for kind in SHORT_TYPES)}   tiles"]
    halves = [*seen["half_points"], 0]
    for participant, person in enumerate(seen["place"]["participants"]):
        name = f"seat {participant}, {names[participant]}" if participant < seen["players"] else "neutral"
        mark = "> " if participant == seen["to_decide"] else "  "
        total = with_half(person["points"] + data.TILE_POINTS * len(person["tiles"]), halves[participant])
        stock = "".join(f"{person['stock'].get(kind, 0) or '-':>5}" for kind in data.TYPES)
        head = f"{mark}{name:<{NAME}.{NAME}}{total:>6}{person['points']:>8}  {stock}   "
        lines += fitted_lines([head + (" ".join(person["tiles"]) or "-")], width, " " * len(head))
    return lines


TINTS = {rf"\b(?:{name}|{short})\b": name for name, short in zip(data.TYPES, SHORT_TYPES, strict=True)}
BOARD = Board(is_open=lambda game: True, text=text, short=short, tints=TINTS)
