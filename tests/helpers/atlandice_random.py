"""Random options and positions of Atlandice, made from sections 14 and 17 of its rules file alone.

The positions need not arise in play: Districts are missing, stocks are strewn about, tiles are gone. All are valid by
17.4.
"""

from __future__ import annotations

import random
from typing import Any

from oracles.atlandice import CLOCKS, DISTRICTS, LINKED, MARKET, SECTORS, STACKS, TILES, TYPES, OraclePosition


def random_options(players: int, dice: random.Random) -> dict[str, Any]:
    """Options of section 14, each left out or drawn from all its values."""
    inner = ["none", "donation", "total", *TYPES]
    track = ["start", *dice.choices(inner, k=dice.randrange(0, 25)), "end"]
    ranked = [where for where in ("district", "inventory", "final") if dice.random() < 0.5]
    choices: dict[str, list[Any]] = {
        "clock": ["A20", "B24", "C16", track, track],
        "needles": [{key: dice.randint(1, 3) for key in dice.sample([*TILES, MARKET], 5)}],
        "optional_effects": [True, False],
        "min_to_rank": [0, 1],
        "orphan_dice": ["market", "stay"],
        "same_type_exchange": [True, False],
        "machinery_block": ["visit", "round"],
        "l3_counts": ["seat", "beneficiary"],
        "neutral_ranked": [ranked],
        "chain_cap": [1, 2, 10],
        "bare_districts": ["scored", "spared"],
        "handicap": [random_handicap(players, dice)],
    }
    drawn = {name: dice.choice(values) for name, values in choices.items() if dice.random() < 0.7}
    return {"players": players, **drawn}


def random_handicap(players: int, dice: random.Random) -> list[float]:
    """Points at the start, few, so that halves break ties (14.7)."""
    return [dice.randrange(0, 9) / 2 for _ in range(players)]


def sparse_table(position: OraclePosition, dice: random.Random) -> OraclePosition:
    """The same root with few pieces, so that Districts empty, go bare and exhaust often (17.3)."""
    data = position.to_json()
    for name, sector in data["sectors"].items():
        drawn = {kind: dice.randint(0, 2) for kind in (TYPES if name == MARKET else [LINKED[name]])}
        sector["resources"] = {kind: number for kind, number in drawn.items() if number}
    if data["options"]["bare_districts"] == "spared":
        data["bare"] = [x for x in DISTRICTS if not data["sectors"][x]["resources"]]
    return OraclePosition.from_json(data)


def random_document(players: int, dice: random.Random) -> dict[str, Any]:
    """A position at ``visit``, ``die`` or ``donate`` with random options."""
    options = random_options(players, dice)
    node, hand = _node_and_hand(options, dice)
    total = 9 if players == 4 else 7
    visit = {"visit": dice.randrange(total - 1), "die": 0, "donate": total - 1}[node]
    first = dice.randrange(players)
    participants = [_nobody() for _ in range(3 if players == 2 else players)]
    sectors = _districts(participants, dice)
    _strew_pieces(sectors, participants, dice)
    _strew_dice(sectors, options, dice.randrange(total) if node == "die" else total - visit, dice)
    donors = _donors(participants[:players])
    if node == "donate" and not donors:
        return random_document(players, dice)
    spared = options.get("bare_districts") == "spared"
    actor = dice.choice(donors) if node == "donate" else (first + visit) % players if node == "visit" else None
    return {
        "game": "atlandice",
        "options": options,
        "round": dice.randint(1, 300),
        "first": first,
        "visit": visit,
        "node": node,
        "actor": actor,
        "context": None,
        "hand": hand,
        "submarine": dice.choice(SECTORS),
        "sectors": sectors,
        "bare": [x for x in DISTRICTS if spared and _live(sectors[x]) and not sectors[x]["resources"]],
        "participants": participants,
        "given": [node != "die" and dice.random() < 0.5 for _ in range(2)] if players == 2 else [],
        "blocked": _blocked(options, node, dice),
    }


def _nobody() -> dict[str, Any]:
    return {"stock": {}, "points": 0, "tiles": []}


def _live(district: dict[str, Any]) -> bool:
    return district["tile"] is not None


def _node_and_hand(options: dict[str, Any], dice: random.Random) -> tuple[str, int]:
    """A node, and a space where the hand may be then (17.5)."""
    clock = options.get("clock", "A20")
    spaces = CLOCKS[clock].split() if isinstance(clock, str) else clock
    donations = [index for index, space in enumerate(spaces) if space == "donation"]
    if donations and dice.random() < 0.2:
        return "donate", dice.choice(donations)
    return dice.choice(["visit", "visit", "visit", "die"]), dice.randrange(len(spaces))


def _districts(participants: list[dict[str, Any]], dice: random.Random) -> dict[str, Any]:
    """Districts in any state; the tiles that are gone belong to anybody or to nobody."""
    sectors: dict[str, Any] = {}
    for name in DISTRICTS:
        stack = dice.sample(STACKS[name], 3)
        live = dice.random() < 0.75
        tile = stack.pop() if live else None
        hidden = sorted(dice.sample(stack, dice.randrange(3))) if live else []
        sectors[name] = {"tile": tile, "hidden": hidden, "resources": {}, "dice": 0}
        for gone in set(stack) - set(hidden) - {tile}:
            if dice.random() < 0.7:
                dice.choice(participants)["tiles"].append(gone)
    for person in participants:
        person["tiles"].sort(key=TILES.index)
        person["points"] = 4 + dice.randrange(30)  # no fewer than a handicap
    return {**sectors, MARKET: {"resources": {}, "dice": 0}}


def _strew_pieces(sectors: dict[str, Any], participants: list[dict[str, Any]], dice: random.Random) -> None:
    """At most twelve of each live type, anywhere; few, so that Districts empty."""
    places = [s["resources"] for name, s in sectors.items() if name == MARKET or _live(s)]
    places += [person["stock"] for person in participants]
    for district, kind in LINKED.items():
        if _live(sectors[district]):
            for _ in range(dice.choice([0, 1, 3, 5, 12])):
                place = dice.choice(places)
                place[kind] = place.get(kind, 0) + 1
    for place in places:
        counts = {kind: place[kind] for kind in TYPES if kind in place}
        place.clear()
        place.update(counts)


def _strew_dice(sectors: dict[str, Any], options: dict[str, Any], number: int, dice: random.Random) -> None:
    """Dice beside live Sectors, and beside dead ones if the option lets them stay (14.1)."""
    stay = options.get("orphan_dice") == "stay"
    places = [s for name, s in sectors.items() if stay or name == MARKET or _live(s)]
    for _ in range(number):
        dice.choice(places)["dice"] += 1


def _donors(seats: list[dict[str, Any]]) -> list[int]:
    """Seats with two pieces or more (8.5)."""
    return [seat for seat, person in enumerate(seats) if sum(person["stock"].values()) >= 2]


def _blocked(options: dict[str, Any], node: str, dice: random.Random) -> list[int]:
    """Seats without a bonus at the machinery (14.2)."""
    if options.get("machinery_block") != "round" or node == "die":
        return []
    return [seat for seat in range(options["players"]) if dice.random() < 0.3]
