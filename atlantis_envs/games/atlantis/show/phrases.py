"""Atlantis in words: what a decision is about, what a move is for, what happened; the path as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from atlantis_envs.drawing.look import WIDE, Board, Ending, Stretch
from atlantis_envs.drawing.phrases import CUT_OFF, counted, listed, score_news, seats_listed, winners, with_half
from atlantis_envs.drawing.plain import fitted_lines, glued, in_columns
from atlantis_envs.engine.position import Position
from atlantis_envs.games.atlantis import data
from atlantis_envs.games.atlantis.view import TURNED, view

# What a decision is about, by phase, and its clause.
PHASES = {
    "turn": ("choose a pawn to move", "5.1"),
    "play": ("play a card: the pawn goes to the next tile that shows its object", "5.4"),
    "pay": ("pay the toll of the gaps on the way, item by item", "6.4"),
    "after": ("bridge a gap, or be done with the turn", "6.9"),
}
PASSING = ("pass, because no pawn can move, and draw cards", "4.5")
BEFORE = {"sell": ("sell a tile for cards", "4.3"), "bridge": ("bridge a gap", "6.9")}
# What chance decides, by phase.
CHANCE = {
    "first": "the first player is drawn",
    "lay": "the tiles are laid out",
    "deal": "cards are dealt",
    "uncover": "the tile below is turned up",
    "draw": "a card is drawn",
}


def goal() -> tuple[str, ...]:
    """Tell what wins (5.4, 6.4, 7.2, 8.1, 8.4)."""
    return (
        "Bring your three pawns from sinking Atlantis to the mainland; most points win.",
        "A card takes a pawn to the next tile with its object, and on if one is there.",
        "You then take the last tile behind your pawn: its value is points.",
        "What is taken is water; crossing it costs the lower of the tiles beside it,",
        "paid in tiles and cards (a card is worth 1). A bridge makes a gap free.",
        "The game ends with the turn that brings somebody's third pawn home;",
        "pawns still on the path pay their tolls then. A card in hand is 1 point.",
    )


def question(seen: Mapping[str, Any]) -> str:
    """Tell what the seat to decide is to do; "" where nobody decides."""
    doc = seen["place"]
    if seen["node"] != "decision":
        return ""
    asked = " or ".join([_main(seen)[0], *(f"first {message}" for message, _ in _before(seen))])
    return f"{asked}; {doc['turn']['due']} still to pay" if doc["phase"] == "pay" else asked


def clauses(seen: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the clauses of the question."""
    if seen["node"] != "decision":
        return ()
    return (_main(seen)[1], *(clause for _, clause in _before(seen)))


def _main(seen: Mapping[str, Any]) -> tuple[str, str]:
    return PASSING if "pass" in seen["legal"] else PHASES[seen["place"]["phase"]]


def _before(seen: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Tell what may be done before a pawn is chosen."""
    if seen["place"]["phase"] != "turn":
        return []
    words = {action.split()[0] for action in seen["legal"]}
    return [message for word, message in BEFORE.items() if word in words]


def headline(seen: Mapping[str, Any]) -> str:
    """Tell what is going on, in a few words: what is asked, what chance decides, or who has won."""
    doc = seen["place"]
    if seen["truncated"]:
        return CUT_OFF
    if seen["node"] == "over":
        won = winners(seen)
        return f"{seats_listed(won)} {'has' if len(won) == 1 else 'have'} won"
    if seen["node"] == "chance":
        return CHANCE[doc["phase"]]
    if doc["phase"] == "pay":
        return f"pay the toll, {doc['turn']['due']} still due"
    if "pass" in seen["legal"]:
        return "no pawn can move: pass"
    return {"turn": "choose a pawn", "play": "play a card", "after": "may bridge a gap"}[doc["phase"]]


# ------------------------------------------------------------------------------------------------------ what moves do


def explain(position: Position, action: str) -> str:
    """Tell what a move brings and costs, as far as no card is turned up for it."""
    seat = position.seat
    after = position.clone()
    after.apply(action)
    old, new = view(position, seat), view(after, seat)
    word, _, rest = action.partition(" ")
    if word == "pass":
        return f"You show your hand to all and draw {counted(new['place']['turn']['draws'], 'card')}."
    if word == "sell":
        gained = counted(new["place"]["turn"]["draws"], "card")
        return f"The tile leaves the game, and you draw {gained}: a card is worth 1, the tile {rest}."
    if word == "bridge":
        price = next(toll for low, _, toll in old["gaps"] if low == int(rest))
        return f"The gap at {rest}, toll {price}, is free for everybody from now on. You have one bridge."
    if word == "pawn":
        return f"Pawn {rest}, now {at(_pawns(old)[int(rest)])}. {' '.join(_ways(after))}"
    if word == "done":
        return "You keep your bridge, and the turn ends."
    return _lead(old, new).capitalize() if word == "play" else _pay(old, new)


def at(space: int) -> str:
    """Return a place of the path in a sentence."""
    return "on Atlantis" if space == data.ATLANTIS else "at home" if space == data.MAINLAND else f"on space {space}"


def towards(space: int) -> str:
    """Return the way to a place of the path in a sentence."""
    return "home" if space == data.MAINLAND else f"to space {space}"


def _pawns(seen: Mapping[str, Any]) -> list[int]:
    """Return the pawns of the seat that decides in a view."""
    pawns: list[int] = seen["place"]["seats"][seen["seat"]]["pawns"]
    return pawns


def _ways(chosen: Position) -> list[str]:
    """Tell where each card leads from here."""
    messages = []
    for action in chosen.legal_actions():
        after = chosen.clone()
        after.apply(action)
        messages.append(f"{action[5:].capitalize()}: {_lead(view(chosen, chosen.seat), view(after, chosen.seat))}")
    return messages


def _lead(old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    """Tell where a card takes the pawn, and what that costs or brings."""
    pawn, turn = old["place"]["turn"]["pawn"], new["place"]["turn"]
    if new["place"]["phase"] == "play":
        return f"the pawn goes {towards(turn['x'])}, where a pawn stands; you play another card from there."
    if new["place"]["phase"] == "pay":
        return f"the pawn goes {towards(turn['x'])}; the toll is {turn['due']}."
    return f"the pawn goes {towards(_pawns(new)[pawn])}, no toll; {_prize(old, new)}."


def _prize(old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    """Return the tile that a pawn takes where it lands."""
    spaces = enumerate(zip(old["place"]["path"], new["place"]["path"], strict=True))
    taken = [(space, was) for space, (was, now) in spaces if was is not None and was != now]
    return f"you take {taken[0][1].rstrip('+')} from space {taken[0][0]}" if taken else "there is no tile to take"


def _pay(old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    due = new["place"]["turn"]["due"]
    if new["place"]["phase"] == "pay" and due:
        return f"It counts {old['place']['turn']['due'] - due}; {due} {'is' if due == 1 else 'are'} still to pay then."
    if new["place"]["phase"] == "pay":
        return "The toll is paid then; you may give more."
    pawn = old["place"]["turn"]["pawn"]
    return f"The toll is paid then: the pawn goes {towards(_pawns(new)[pawn])}, and {_prize(old, new)}."


# -------------------------------------------------------------------------------------------------------- what happened

View = Mapping[str, Any]


def news(before: View, text: str, after: View) -> tuple[str, ...]:
    """Tell of pawns that moved, tiles won, new water, tolls, hands shown, and every change of a score."""
    old, new = before["place"], after["place"]
    lines: list[str] = []
    for seat, (was, now) in enumerate(zip(old["seats"], new["seats"], strict=True)):
        lines += _moved(seat, was, now)
        lines += _tiles(seat, was, now)
        lines += _shown(seat, was, now, text)
    lines += _path(old, new)
    lines += _gaps(before, after) if old["phase"] not in {"first", "lay"} else []
    lines += _pile(old, new)
    lines += score_news(before, after, "point")
    if after["node"] == "over" and before["node"] != "over":
        how = f"the game is over, tolls to the mainland are paid: {seats_listed(winners(after))} won"
        lines.append(CUT_OFF if after["truncated"] else how)
    return tuple(lines)


def _moved(seat: int, was: View, now: View) -> Iterator[str]:
    for pawn, (start, end) in enumerate(zip(was["pawns"], now["pawns"], strict=True)):
        if start != end:
            yield f"pawn {pawn} of seat {seat}, so far {at(start)}, moves {towards(end)}"


def _tiles(seat: int, was: View, now: View) -> Iterator[str]:
    """Tell of tiles by value: won, or paid and sold."""
    values = sorted({*was["tiles"], *now["tiles"]})
    changes = {value: now["tiles"].get(value, 0) - was["tiles"].get(value, 0) for value in values}
    won = [value for value in values for _ in range(changes[value])]
    lost = [value for value in values for _ in range(-changes[value])]
    if won:
        yield f"seat {seat} wins {_valued(won)}"
    if lost:
        yield f"seat {seat} gives up {_valued(lost)}"


def _valued(values: list[str]) -> str:
    return f"{'a tile' if len(values) == 1 else 'tiles'} of value {' and '.join(values)}"


def _shown(seat: int, was: View, now: View, text: str) -> Iterator[str]:
    """Return the hand that a passing seat has to show (4.5, 11.3)."""
    if "pass" in text.split(", ") and now["known"] and now["known"] != was["known"]:
        yield f"seat {seat} shows its hand: {listed(now['known'])}"


def _path(old: View, new: View) -> Iterator[str]:
    for space, (was, now) in enumerate(zip(old["path"], new["path"], strict=True)):
        if was not in (None, TURNED) and now is None:
            yield f"{was} is taken from space {space}, which is water now"
        elif was not in (None, TURNED) and now != was:
            below = "the tile below is turned up" if now == TURNED else f"below it lies {now}"
            yield f"{was.rstrip('+')} is taken from space {space}, {below}"
    start, end = _ends(old["path"]), _ends(new["path"])
    if start and end and start[0] != end[0]:
        yield f"Atlantis now borders on space {end[0]}"
    if start and end and start[1] != end[1]:
        yield f"the mainland now borders on space {end[1]}"


def _ends(path: list[str | None]) -> tuple[int, int] | None:
    """Return the lowest and the highest space with a tile; None where no tile is left or laid."""
    spaces = [space for space, tile in enumerate(path) if tile is not None]
    return (spaces[0], spaces[-1]) if spaces else None


def _gaps(before: View, after: View) -> Iterator[str]:
    """Tell of new tolls. None is known while a tile is being turned up; then those beside it are told."""
    if TURNED in after["place"]["path"]:
        return
    known = {(low, high): toll for low, high, toll in before["gaps"]}
    turning = [space for space, tile in enumerate(before["place"]["path"]) if tile == TURNED]
    for low, high, toll in after["gaps"]:
        if turning and not {low - 1, high + 1} & set(turning):
            continue
        if turning or known.get((low, high)) != toll:
            where = f"{low}" if low == high else f"{low} to {high}"
            yield f"the gap at {where} {f'costs {toll}' if toll else 'is free'} now"


def _pile(old: View, new: View) -> Iterator[str]:
    """Tell of a pile that has grown: it is the former discard (7.7)."""
    was, now = (doc["pile"] if isinstance(doc["pile"], int) else sum(doc["pile"].values()) for doc in (old, new))
    if now > was and old["phase"] != "deal":
        yield f"the discard is the new pile, {now} cards"


def ending(stretches: Sequence[Stretch]) -> Ending:
    """Tell what every score is made of: tiles, cards, a handicap, tolls of pawns that are left at the end (8.2)."""
    if not stretches:
        return Ending()
    last = stretches[-1][2]
    people = zip(last["place"]["seats"], last["scores"], last["half_points"], strict=True)
    return Ending(points=tuple(_points(person, score, halves // 2) for person, score, halves in people))


def _points(person: View, score: int, handicap: int) -> tuple[tuple[str, int], ...]:
    values = [int(value) for value, count in person["tiles"].items() for _ in range(count)]
    cards = sum(person["hand"].values())
    left = sum(where != data.MAINLAND for where in person["pawns"])
    found = {
        f"tiles {' + '.join(map(str, values))}": sum(values),
        f"{counted(cards, 'card')} in hand": cards,
        "handicap": handicap,
        f"tolls of {counted(left, 'pawn')} left on the path": score - sum(values) - cards - handicap,
    }
    return tuple((reason, points) for reason, points in found.items() if points)


# ---------------------------------------------------------------------------------------------------------------- text


FULL_NAMES = 95  # lines at least as long have the full names of objects in the path
CELL, SHORT_CELL = 10, 7
OUTSIDE = {"first": "Setup", "lay": "Setup", "deal": "Setup", "over": "The game is over"}  # phases without a turn
SHORT = {
    "ring": "ring", "amphora": "amph", "olive": "oliv", "helmet": "helm", "flag": "flag", "statue": "stat",
    "crown": "crwn",
}  # fmt: skip


def text(position: Position, seat: int | None, names: Sequence[str], width: int = WIDE) -> str:
    """Write what the seat may know."""
    seen = view(position, seat)
    doc = seen["place"]
    lines = [_head(doc), "", *_spaces(doc, width), *_tolls(seen["gaps"]), ""]
    lines += [*_people(seen, names), "", *_heaps(doc)]
    return "\n".join(fitted_lines(lines, width)) + "\n"


def short(position: Position, seat: int | None, names: Sequence[str], width: int = WIDE) -> str:
    """Write the path, the tolls and a line for every seat, for a screen of 24 lines."""
    seen = view(position, seat)
    doc = seen["place"]
    start, *path, home, _ = _spaces(doc, width)
    people = _people(seen, names)
    heads = [line.partition(", pawns")[0] for line in people if not line.startswith("    ")]
    hands = [line.strip() for line in people if line.startswith("    hand")]
    own = [] if seat is None else [f"seat {seat}, {hands[seat]}"]
    cells = [
        head if other == seat else f"{head}, {hands[other].removeprefix('hand: ')}" for other, head in enumerate(heads)
    ]
    lines = [f"{_head(doc)}   {start}   {home}", *path, *_tolls(seen["gaps"]), *in_columns(cells, width), *own]
    return "\n".join(fitted_lines(lines, width)) + "\n"


def _head(doc: Mapping[str, Any]) -> str:
    if doc["phase"] in OUTSIDE:
        return OUTSIDE[doc["phase"]]
    turn = doc["turn"]
    head = f"Turn of seat {doc['seat']}"
    if turn["pawn"] is not None:
        head += f", pawn {turn['pawn']}"
    if turn["due"]:
        head += f", {turn['due']} still to pay"
    return head


def _spaces(doc: Mapping[str, Any], width: int) -> list[str]:
    """Draw the path as it winds from Atlantis to the mainland: rows of tiles, under them spaces with their pawns."""
    pawns: dict[int, list[str]] = {}
    for seat, person in enumerate(doc["seats"]):
        for where in person["pawns"]:
            pawns.setdefault(where, []).append(f"@{seat}")  # on a space there is one at most (5.4)
    full = width >= FULL_NAMES
    cell = CELL if full else SHORT_CELL
    per_row = (width - 1) // cell  # the first column is for the turns of the path
    lines: list[str] = []
    for start in range(0, len(doc["path"]), per_row):
        spaces = range(start, min(start + per_row, len(doc["path"])))
        tiles = [_tile(doc, space, cell - 1, full).ljust(cell) for space in spaces]
        marks = [f"{space} {' '.join(pawns.get(space, ()))}".ljust(cell) for space in spaces]
        lines += _row(tiles, marks, start // per_row % 2 == 1, spaces[-1] + 1 == len(doc["path"]), cell * per_row)
    ends = [
        f"{name}: {_counts(Counter(pawns.get(where, ())))}"
        for name, where in (("Atlantis", data.ATLANTIS), ("mainland", data.MAINLAND))
    ]
    legend = "+ another tile below   ~ water   = bridge   @0 a pawn of seat 0"
    return [ends[0], *(line.rstrip() for line in lines), ends[1], legend]


def _row(tiles: Sequence[str], marks: Sequence[str], back: bool, last: bool, width: int) -> Iterator[str]:
    """Yield the two lines of a row of the path, which runs from right to left where it comes ``back``."""
    order = -1 if back else 1
    head, foot = ("".join(cells[::order]) for cells in (tiles, marks))
    head, foot = (text.rjust(width) if back else text.ljust(width) for text in (head, foot))
    turn, below = (" ", " ") if last else ("/" if back else "\\", "|")
    if back:
        yield f"{turn}{head[:-1]}/"
        yield f"{below}{foot}"
    else:
        yield f"\\{head[:-1]}{turn}"
        yield f" {foot[:-1]}{below}"


def _tile(doc: Mapping[str, Any], space: int, room: int, full: bool) -> str:
    """Return what lies on a space, in few characters: amph7+; water and bridges fill the room."""
    tile = doc["path"][space]
    if tile is None:
        return ("=" if space in doc["bridges"] else "~") * room
    thing, _, value = tile.partition(" ")
    return f"{thing if full else SHORT.get(thing, thing)}{value}"


def _tolls(gaps: Sequence[tuple[int, int, int]]) -> list[str]:
    """Tell what every gap costs."""
    messages = [glued(f"{low if low == high else f'{low} to {high}'} {toll or 'free'}") for low, high, toll in gaps]
    return [f"tolls of gaps: {', '.join(messages)}"] if messages else []


def _people(seen: Mapping[str, Any], names: Sequence[str]) -> list[str]:
    lines = []
    scores = [*map(with_half, seen["scores"], seen["half_points"])]
    for seat, person in enumerate(seen["place"]["seats"]):
        mark = ">" if seat == seen["to_decide"] else " "
        pawns = ", ".join(
            "home" if where == data.MAINLAND else "start" if where == data.ATLANTIS else str(where)
            for where in person["pawns"]
        )
        tiles = _counts({f"value {value}": count for value, count in person["tiles"].items()})
        hand = f"{person['hand']} cards" if isinstance(person["hand"], int) else _counts(person["hand"])
        known = f" (known: {_counts(person['known'])})" if person["known"] and isinstance(person["hand"], int) else ""
        bridge = "bridge left" if person["bridge"] else "no bridge"
        lines.append(f"{mark} seat {seat}, {names[seat]:.30}: score {scores[seat]}, pawns {pawns}, {bridge}")
        lines.append(f"    hand: {hand}{known}")
        lines += [f"    tiles: {tiles}"] if person["tiles"] else []
    return lines


def _heaps(doc: Mapping[str, Any]) -> list[str]:
    pile = doc["pile"] if isinstance(doc["pile"], int) else _counts(doc["pile"])
    return [f"pile: {pile}   discard: {_counts(doc['discard'])}"]


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(glued(f"{name} x{count}" if count > 1 else name) for name, count in counts.items()) or "-"


# A tile is painted as in the picture, as far as its object and its value go.
TINTS = {
    **{rf"\b(?:{name}|{SHORT[name]}) ?\d\+?": f"t.{name}" for name in data.OBJECTS},
    "~+": "deep",
    "=+": "plank",
}
BOARD = Board(is_open=lambda game: False, text=text, short=short, tints=TINTS)
