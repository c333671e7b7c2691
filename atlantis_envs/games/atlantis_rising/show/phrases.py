"""Atlantis Rising in words: what a decision is about, what happened, what moves bring; the island as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from atlantis_envs.drawing.look import WIDE, Board, Ending, Stretch
from atlantis_envs.drawing.phrases import CUT_OFF, a, counted, listed
from atlantis_envs.drawing.plain import fitted_lines, glued, in_columns
from atlantis_envs.engine.position import Position
from atlantis_envs.games.atlantis_rising import data
from atlantis_envs.games.atlantis_rising.view import is_open, view

View = Mapping[str, Any]
# What a decision is about, by node, and its clauses.
NODES = {
    "draft": ("take a councilor", "3"),
    "scholar": ("keep one of two artifacts", "11.7"),
    "board": ("choose the hologram's councilor for this round", "4.4"),
    "deploy": ("place or lift a piece, play a card, buy a barrier, drain, or be ready", "5.5"),
    "place": ("name the place for the piece", "5.3"),
    "lift": ("name where the piece is taken from", "5.6"),
    "window": ("play a card or drain between two misfortunes, or pass", "6.2"),
    "flood": ("name the peninsula that floods", "6.6, 6.7, 10.1"),
    "react": ("save the pieces on a flooded tile, or not", "6.5"),
    "plague": ("name where a follower falls ill", "6.9"),
    "late": ("place the astrologer's piece after the misfortunes", "11.9"),
    "act": ("resolve a place, play a card, buy a barrier, drain, or pass", "7.1"),
    "resolve": ("name the place whose action is taken", "7.3"),
    "reroll": ("let the priest roll again, or not", "7.6, 7.7"),
    "fail": ("pay energy for the failed roll, use the knuckle, or leave it", "7.6"),
    "share": ("give to a shared payment", "9.5"),
    "recruit": ("name the seat that gets the recruit", "7.7"),
    "keep": ("name a card to keep", "7.9"),
    "more": ("keep one more card for energy, or none", "7.9"),
    "build": ("name the component to build", "8.3"),
    "discount": ("name the item the artificer saves", "8.4"),
    "ward": ("name the peninsula that gets a barrier", "9.2"),
    "ebb": ("name the peninsula to drain", "9.3"),
    "chart": ("name the peninsula whose targets fall by 2", "12.3"),
    "repeat seat": ("name the seat whose leader is ready again", "12.2"),
    "repeat at": ("name the place of the leader that is ready again", "12.2"),
    "font": ("name the seat that gains 3 energy", "12.3"),
    "give": ("name a good to swap away", "7.8"),
    "take": ("name the good it becomes", "7.8"),
    "look": ("discard a misfortune that was looked at, or none", "12.7"),
    "archive": ("take a card from the discard, or none", "12.4"),
    "amplify": ("name the seat that gains two of a good", "7.11"),
    "gain": ("name the good gained", "7.11"),
    "muster": ("name the seat that gets a follower", "2.4"),
    "sacrifice": ("name whose follower leaves the game", "7.11"),
    "overflow": ("play or discard a card, having too many", "7.12"),
    "call": ("say whose turn comes next", "5.4"),
}
# The same in a picture, where it would be too long.
SHORT = {
    "deploy": "place or lift a piece, play, buy, or be ready",
    "act": "resolve a place, play, buy, or pass",
    "window": "between two misfortunes: play, drain or pass",
    "repeat at": "name the place whose leader is ready again",
    "fail": "the roll failed: pay energy or leave it",
}
CARDS = {
    "cryptographic expertise": "one of your done leaders is ready again",
    "enigma of fervour": "a done leader of any seat is ready again",
    "ancient atlas": "targets of one wild peninsula are 2 lower this round",
    "transmutation": "up to 2 swaps of ore, gold, crystal",
    "call for aid": "take 2 volunteers",
    "warding rite": "a barrier for nothing",
    "ebbing tide": "drain a tile for nothing",
    "mystic font": "a seat gains 3 energy",
    "augury": "look at 3 misfortunes, may discard one",
    "swift evacuation": "pieces on a flooded tile stay and act",
    "archive recovery": "may take a card from the discard; the rest is reshuffled, this card leaves the game",
}
ARTIFACTS = {
    "miner idol": "+1 to your rolls in the mountains",
    "golden sieve": "+1 to your rolls in the hills",
    "singing shard": "+1 to your rolls in the forests",
    "mask of voices": "+1 to the total in cities where you have a piece",
    "fate knuckle": "once a round: roll a failed die again",
    "tidewatch glass": "once a round: look at the next misfortune",
    "everburning bellows": "your first forges action of a round gives 1 more",
    "mystic conduit": "1 energy at the start of each round",
    "keystone of wards": "a barrier you open costs 3",
    "bottomless satchel": "your card limit is 6",
    "index of ages": "you draw 3 cards in the libraries",
}
COMPONENTS = {
    "solar matrix": "every seat gains 1 energy, once",
    "spirit seal": "2 places, of use to followers alone: 2 energy each",
    "aegis emitter": "up to 2 barriers, once",
    "tidal regulator": "up to 2 drains, once",
    "summoning conduit": "a place: 2 volunteers",
    "mystic siphon": "a place: 1 energy and as many as Wrath's value",
    "matter converter": "2 places: up to 3 swaps each",
    "foundry crucible": "a place: 1 ore becomes 3 atlantium",
    "memory crystal": "the library is reshuffled, every seat draws a card, once",
    "muster array": "2 followers join, once",
    "numinous beacon": "a place: look at 3 misfortunes, may discard one",
    "entropy drive": "Wrath goes back one space, once",
    "amplification chamber": "a place: a seat gains 2 more of a good it has",
    "stasis anchor": "a place: a barrier",
    "prism lens": "2 places: 1 gold or crystal each",
    "soul terraformer": "a double place: a follower leaves the game for up to 3 drains",
    "tectonic engine": "a double place: a drain",
    "chronal lattice": "a double place: a good for the owner of each piece",
    "celestial orrery": "a double place: look at 4 misfortunes, may discard two",
    "resonance vault": "a double place: 2 energy for the owner of each piece",
    "power core": "wins the game; needs all leaders at the gate and a gift of every seat",
}
COUNCILORS = {
    "artificer": "what is built on its gate costs 1 item less",
    "explorer": "wild targets on its tile are 1 lower",
    "priest": "may roll again a failed roll on its tile",
    "emissary": "its island tile has room for one more",
    "navigator": "opens the innermost flooded tile of a peninsula",
    "aquanaut": "may stand on any flooded tile and opens it",
    "scholar": "has an extra artifact in play",
    "champion": "the pieces on its flooded tile stay and act",
    "astrologer": "may be placed after the misfortunes",
    "orator": "its action brings a volunteer too",
}
MISFORTUNES = {
    **{name: f"the {name} flood" for name in data.PENINSULAS},
    "calm seas": "nothing happens",
    "controlled flooding": "a peninsula of choice floods, whatever its barrier",
    "earthquake": "wild targets are 1 higher this round",
    "plague": "two followers go home",
    "panic": "no actions in the cities this round",
    "sealed archives": "no actions in the libraries this round",
    "cold furnaces": "no actions in the forges this round",
    "mystic drought": "no actions at the centre this round",
    "unstable gate": "one component at most is built this round",
    "tidal wave": "a peninsula that has sunk least floods",
    "storm surge": "two peninsulas flood",
    "broken wards": "all barriers are lost; without any, a peninsula floods",
    "mystic leak": "every seat loses 1 energy",
    "maelstrom": "two more misfortunes are drawn",
    "divine fury": "one more flood at the end of this round",
}
# Actions of one word.
WORDS = {
    "ready": "Nothing more to place, for now: you are asked again if somebody changes something.",
    "yield": "Let the others place first; twice a round.",
    "pass": "Nothing now; you are asked again unless all pass in a row.",
    "decline": "Refuse what is offered; in a shared payment everything is off.",
    "resolve": "Take the action of a place where you have a ready piece.",
    "pay": "Pay 1 energy for each point that is missing.",
    "knuckle": "Roll once more by the fate knuckle.",
    "peek": "Look at the next misfortune through the tidewatch glass.",
}
# What chance decides, by node.
CHANCE = {
    "C1 first": "the first player is drawn",
    "C2 artifact": "the artifacts of the library are drawn",
    "C3 component": "the blueprint is drawn",
    "C4 artificer": "who gets the artificer is drawn",
    "C5 councilor": "councilors are drawn",
    "C6 scholar": "artifacts are drawn for the scholar",
    "C7 board": "councilors are drawn for the hologram",
    "C8 misfortune": "a misfortune is drawn",
    "C8b look": "a misfortune is looked at",
    "C9 die": "a die is rolled",
    "C10 library": "a card is drawn from the library",
}
ENDS = {
    "core": "won: the Cosmic Gate is complete",
    "sunk": "lost: Atlantis has sunk",
    "round limit": "lost: time is up",
    "truncated": "cut off: neither won nor lost",
}


def goal() -> tuple[str, ...]:
    """Return what wins (7, 8, 16)."""
    return (
        "All win together when nine components and the power core are built;",
        "all lose when the sea takes the centre.",
        "A round: all place pieces, misfortunes flood tiles, pieces act, Wrath floods.",
        "Mountains give ore, hills gold, forests crystal, if a die reaches the target;",
        "forges make atlantium of ore, cities bring followers, libraries cards, the",
        "centre energy. At a gate, those who stand there pay for a component; for the",
        "core all leaders must stand there and every seat must give something.",
        "Outer tiles are better and sink first; barriers stop floods, drains undo them.",
    )


def question(seen: Mapping[str, Any]) -> str:
    """Return what the seat to decide is to do, as far as the one who looks may know it; "" where nobody decides."""
    if seen["node"] != "decision":
        return ""
    message = doing(seen["place"])
    return f"{NODES[seen['name']][0]}{'; ' if message else ''}{message}"


def clauses(seen: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the clauses of the question."""
    return tuple(NODES[seen["name"]][1].split(", ")) if seen["node"] == "decision" else ()


def headline(seen: Mapping[str, Any]) -> str:
    """Return what is going on, in a few words: what is asked, what chance decides, or how it ended."""
    if seen["node"] == "over":
        return ENDS[seen["place"]["result"]["reason"]] if seen["place"]["result"] else CUT_OFF
    if seen["node"] == "chance":
        return CHANCE[seen["name"]]
    return SHORT.get(seen["name"], NODES[seen["name"]][0])


def doing(place: Mapping[str, Any]) -> str:
    """Return what the frame on top adds to the decision; "" if nothing."""
    frame = place["pending"][-1] if place["pending"] else {"do": ""}
    if frame["do"] == "wild":
        rolled = "" if frame["value"] is None else f", die and bonus {frame['value']}"
        return f"target {frame['target']}{rolled}"
    if frame["do"] == "city":
        dice = ["?" if face is None else str(face) for face in frame["dice"]]
        return f"dice {' and '.join(dice)} at {frame['at']}"
    if frame["do"] == "share":
        return f"{frame['rest']} {frame['type']} still to pay for {_purpose(place, frame)}"
    if frame["do"] == "library":
        return f"drawn: {frame['drawn'] if isinstance(frame['drawn'], int) else ', '.join(frame['drawn'])}"
    if frame["do"] in {"card", "misfortune"}:
        return f"{frame['card']}"
    return f"{frame['kind']}" if frame["do"] in {"place", "lift"} else ""


def _purpose(place: Mapping[str, Any], frame: Mapping[str, Any]) -> str:
    if frame["for"] == "build":
        return str(place["pending"][-2]["component"])
    return f"a {frame['for']} on {frame['target']}" if frame["target"] else str(frame["for"])


# -------------------------------------------------------------------------------------------------------- what happened


def news(before: View, text: str, after: View) -> tuple[str, ...]:
    """List tiles that sank or came up, barriers, pieces sent home, goods, followers, Wrath, and what was built."""
    old, new = before["place"], after["place"]
    lines = [*_sea(old, new), *_barriers(old, new)]
    lines += _sent_home(old, new)
    for seat, (was, now) in enumerate(zip(old["seats"], new["seats"], strict=True)):
        lines += _owned(seat, was, now)
    lines += _built(before, after)
    lines += _table(before, after)
    return tuple(lines)


def _sea(old: View, new: View) -> Iterator[str]:
    for name in data.PENINSULAS:
        was, now = old["flooded"][name], new["flooded"][name]
        yield from (f"{name} {number} sinks" for number in range(was + 1, now + 1))
        yield from (f"{name} {number} comes up again" for number in range(was, now, -1))


def _barriers(old: View, new: View) -> Iterator[str]:
    for name in data.PENINSULAS:
        if name in old["barriers"] and name not in new["barriers"]:
            yield f"the barrier of the {name} is gone"
        elif name in new["barriers"] and name not in old["barriers"]:
            yield f"the {name} have a barrier"


def _sent_home(old: View, new: View) -> Iterator[str]:
    """List pieces that a flood, a misfortune or a build sent home; a seat lifts its own, after the actions all go."""
    if not (new["placed"] and old["phase"] in {"misfortune", "actions"}):
        return
    gone = _standing(old) - _standing(new)
    for (seat, kind, at), count in gone.items():
        yield f"{counted(count, kind)} of seat {seat} go{'es' if count == 1 else ''} home from {at}"


def _standing(place: View) -> Counter[tuple[int, str, str]]:
    found: Counter[tuple[int, str, str]] = Counter()
    for entry in place["placed"]:
        found[entry["seat"], entry["kind"], entry["at"]] += entry["ready"] + entry["done"]
    return found


def _owned(seat: int, was: View, now: View) -> Iterator[str]:
    gained = {good: max(0, now[good] - was[good]) for good in data.GOODS}
    lost = {good: max(0, was[good] - now[good]) for good in data.GOODS}
    if any(gained.values()):
        yield f"seat {seat} gains {listed(gained)}"
    if any(lost.values()):
        yield f"seat {seat} gives {listed(lost)}"
    if now["reserve"] < was["reserve"]:
        yield f"seat {seat} gets {counted(was['reserve'] - now['reserve'], 'follower')}"
    taken = _volunteers(now) - _volunteers(was)
    if now["home"]["volunteer"] > was["home"]["volunteer"] and taken > 0:
        yield f"seat {seat} gets {counted(taken, 'volunteer')}"
    if now["removed"] > was["removed"]:
        yield f"{counted(now['removed'] - was['removed'], 'follower')} of seat {seat} leaves the game"
    if now["barred"] and not was["barred"]:
        yield f"seat {seat} is barred: it may open no more shared payments in this phase"


def _volunteers(person: View) -> int:
    return int(person["home"]["volunteer"]) + int(person["spent_volunteers"])


def _built(before: View, after: View) -> Iterator[str]:
    """List components built: the score of everybody."""
    old, new = before["place"]["built"], after["place"]["built"]
    for name in new[len(old) :]:
        yield f"the {name} is built"
    for seat, (was, now) in enumerate(zip(before["scores"], after["scores"], strict=True)):
        if now != was and seat == 0:
            yield f"all seats: {counted(now - was, 'component', sign=True)}, {now} in all"


def _table(before: View, after: View) -> Iterator[str]:
    old, new = before["place"], after["place"]
    if new["wrath"] != old["wrath"]:
        value = after["wrath"][new["wrath"]]
        yield f"Wrath moves to space {new['wrath']}: {counted(value, 'flood')} at the end of a round"
    was, now = old["effects"], new["effects"]
    if new["round"] != old["round"]:
        yield f"round {new['round']} begins, seat {new['first']} is first player"
    else:
        yield from (f"{name}: no actions there this round" for name in now["closed"] if name not in was["closed"])
        if now["earthquake"] > was["earthquake"]:
            yield MISFORTUNES["earthquake"]
        if now["build_limit"] is not None and was["build_limit"] is None:
            yield MISFORTUNES["unstable gate"]
        if now["extra_floods"] > was["extra_floods"]:
            yield MISFORTUNES["divine fury"]
    if after["node"] == "over" and before["node"] != "over":
        yield f"the game is over, {ENDS[new['result']['reason']]}" if new["result"] else CUT_OFF


def ending(stretches: Sequence[Stretch]) -> Ending:
    """Tell why the team has won or lost, when, and how much was built."""
    if not stretches:
        return Ending()
    last = stretches[-1][2]
    place = last["place"]
    why = ENDS[place["result"]["reason"]].partition(": ")[2] if place["result"] else CUT_OFF
    return Ending(f"{why}; round {place['round']}, {counted(len(place['built']), 'component')} built")


# --------------------------------------------------------------------------------------------------------- explanations


SYMBOLS = ("keep both", "keep one, the other goes under the deck", "keep one, the other is discarded")
COMPANY = "A double place: two pieces must stand there to act."


def explain(position: Position, action: str) -> str:
    """Return what a move brings and costs, as far as no card is turned up and no die is rolled for it."""
    seen = view(position, position.seat)
    word, _, rest = action.partition(" ")
    if word in TOLD:
        return TOLD[word](position, seen, rest)
    return WORDS[action] if action in WORDS else f"{rest.capitalize()}: {_known(rest)}."


def _known(name: str) -> str:
    return {**CARDS, **ARTIFACTS, **COMPONENTS, **COUNCILORS, **MISFORTUNES}[name]


# --------------------------------------------------------------------------------------------------------------- places


def benefit(position: Position, seen: View, name: str) -> str:
    """Return what a piece that acts at a place brings."""
    place, kind = seen["place"], name.rpartition(" ")[0]
    value = seen["values"][name]
    if kind in data.PENINSULAS[: data.NUM_WILD]:
        good = data.GOODS[data.PENINSULAS.index(kind)]
        return f"Roll a die, {value} or more{_eased(place, kind)} brings 1 {good}; energy makes up for what is missing."
    if kind == "cities":
        wrath = seen["wrath"][place["wrath"]]
        return f"Two dice and Wrath ({wrath}) must reach {value}: a follower joins. {COMPANY}"
    if kind == "libraries":
        return f"Draw 2 cards: {SYMBOLS[value]}."
    if kind == "forges":
        return f"1 ore becomes {value} atlantium."
    if name == "centre":
        return f"{int(position.game.rules[0].centre_energy)} energy for a piece."
    if kind == "gate":
        return "A component is built here, paid for by all who stand here; the pieces go home then."
    return f"{_known(name).capitalize()}."


def _eased(place: View, kind: str) -> str:
    """Return how this round changes a target."""
    effects = place["effects"]
    messages = [f"1 more for the earthquake{_times(effects['earthquake'])}"] if effects["earthquake"] else []
    atlas = effects["atlas"][kind]
    messages += [f"2 less for the atlas{_times(atlas)}"] if atlas else []
    return f" ({', '.join(messages)})" if messages else ""


def _times(count: int) -> str:
    return f", {count} times" if count > 1 else ""


def room(seen: View, name: str) -> str:
    """Return how many pieces fit at a place, and how many stand there."""
    capacity = seen["capacity"][name]
    there = sum(entry["ready"] + entry["done"] for entry in seen["place"]["placed"] if entry["at"] == name)
    if capacity >= data.UNLIMITED:
        return f"Room for any number; {there} there."
    return f"Room for {counted(capacity, 'piece')}; {there} there."


def _at(position: Position, seen: View, name: str) -> str:
    if seen["name"] in {"place", "late"}:
        return f"{benefit(position, seen, name)} {room(seen, name)}{_flood_risk(seen, name)}"
    if seen["name"] == "resolve":
        return benefit(position, seen, name)
    return {
        "lift": f"The piece comes home from {name} and is placed anew.",
        "plague": f"A follower at {name} goes home and does not act this round.",
        "repeat at": f"The leader at {name} is ready again. {benefit(position, seen, name)}",
    }[seen["name"]]


def _flood_risk(seen: View, name: str) -> str:
    """Tell whether the tile is the next to sink."""
    peninsula, _, number = name.rpartition(" ")
    if peninsula not in data.PENINSULAS or int(number) != seen["place"]["flooded"][peninsula] + 1:
        return ""
    kept = peninsula in seen["place"]["barriers"]
    return " A barrier guards it." if kept else " It is the next tile there to sink."


# --------------------------------------------------------------------------------------------------------------- energy


def _barrier(position: Position, seen: View, name: str) -> str:
    message = f"The next flood of the {name} takes the barrier instead of a tile."
    return f"{message} {_cost(position, seen, 'barrier_cost')}" if seen["name"] != "ward" else message


def _drain(position: Position, seen: View, name: str) -> str:
    message = f"{name.capitalize()} {seen['place']['flooded'][name]} comes up again."
    return f"{message} {_cost(position, seen, 'drain_cost')}" if seen["name"] != "ebb" else message


def _cost(position: Position, seen: View, name: str) -> str:
    own = seen["place"]["seats"][seen["to_decide"]]
    cheap = name == "barrier_cost" and "keystone of wards" in own["artifacts"]
    price = "less, by the keystone of wards" if cheap else f"{int(position.game.rules[0][name])} energy"
    return f"It costs {price}, which all seats may share."


def _flood(position: Position, seen: View, name: str) -> str:
    place = seen["place"]
    controlled = bool(place["pending"]) and place["pending"][-1].get("card") == "controlled flooding"
    if name in place["barriers"] and not controlled:
        return f"The barrier of the {name} is spent; no tile sinks."
    tile = f"{name} {min(data.TILES_PER_PENINSULA, place['flooded'][name] + 1)}"
    there = sum(entry["ready"] + entry["done"] for entry in place["placed"] if entry["at"] == tile)
    return f"{tile.capitalize()} sinks, with {counted(there, 'piece') if there else 'nobody'} on it."


# ---------------------------------------------------------------------------------------------------- pieces and goods


def _place(position: Position, seen: View, kind: str) -> str:
    after = position.clone()
    after.apply(f"place {kind}")
    return f"You put the {kind} on the board: {counted(len(after.legal_actions()), 'place')} to choose from."


def _lift(position: Position, seen: View, kind: str) -> str:
    lifts = seen["place"]["seats"][seen["to_decide"]]["lifts"]
    return f"You take {a(kind)} home to place it anew; you may do so {counted(lifts, 'time')} more this round."


def _build(position: Position, seen: View, name: str) -> str:
    return f"{name.capitalize()}: {COMPONENTS[name]}. Its price: {listed(seen['prices'][name])}."


def _contribute(position: Position, seen: View, amount: str) -> str:
    frame = seen["place"]["pending"][-1]
    rest = frame["rest"] - int(amount)
    return f"You promise {amount} {frame['type']}, {rest} are left for others; nothing is paid until all is promised."


def _seat(position: Position, seen: View, number: str) -> str:
    messages = {
        "recruit": "Seat {} gets the recruit.",
        "repeat seat": "A leader of seat {} will be ready again.",
        "font": "Seat {} gains 3 energy.",
        "amplify": "Seat {} gains 2 of a good that it has.",
        "muster": "Seat {} gets a follower.",
        "sacrifice": "A follower of seat {} leaves the game.",
        "call": "The next turn is that of seat {}.",
    }
    return messages[seen["name"]].format(number)


def _take(position: Position, seen: View, good: str) -> str:
    if seen["name"] == "take":
        return f"The {seen['place']['pending'][-1]['given']} becomes 1 {good}."
    return f"{counted(2, good, plural=good) if _amplifies(seen) else f'1 {good}'} is gained."


def _amplifies(seen: View) -> bool:
    return bool(seen["place"]["pending"][-1]["do"] == "amplify")


def _short(message: str) -> Callable[[Position, View, str], str]:
    """Return a sentence with the rest of the action in it."""
    return lambda position, seen, rest: message.format(rest)


TOLD: Mapping[str, Callable[[Position, View, str], str]] = {
    "at": _at,
    "barrier": _barrier,
    "drain": _drain,
    "flood": _flood,
    "place": _place,
    "lift": _lift,
    "build": _build,
    "contribute": _contribute,
    "seat": _seat,
    "take": _take,
    "give": _short("1 {} is swapped away; you name next what it becomes."),
    "chart": _short("Targets in the {} are 2 lower this round."),
    "discount": _short("The artificer saves 1 {}."),
    "remove": _short("The misfortune {} is discarded and not drawn for now."),
    "reroll": _short("Roll once more: {}."),
}


# ---------------------------------------------------------------------------------------------------------------- text


CELL = 11
COLUMN = 38  # of two columns of prices
LETTERS = {"leader": "L", "hologram": "H", "follower": "F", "volunteer": "V", "automaton": "A"}
SHORT_SYMBOLS = ("both", "bot", "dis")
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
        lines += ["", f"Seat {position.seat}: {question(seen)}"]
    return "\n".join(fitted_lines(lines, width)) + "\n"


MOST_NAMED = 4  # seats whose councilors a short board names


def short(position: Position, seat: int | None, names: Sequence[str], width: int = WIDE) -> str:
    """Write the island, or prices where one is to be paid, and what the seats have, for a screen of 24 lines."""
    seen = view(position, seat)
    place = seen["place"]
    priced = seen["name"] in {"build", "discount"} or any(frame["do"] == "build" for frame in place["pending"])
    asked = _blueprint(seen)[1:] if priced else _island(seen)[: -len(LEGEND)]
    first, *more = _head(seen)
    built = f"built {len(place['built'])}/{len(place['built']) + len(place['blueprint'])}"
    about = "; ".join([*more, built]).replace(" at the end of a round", " a round")
    about = about.replace("misfortunes still to draw by", "to draw:")
    lines = [first, about, *asked, *_places(seen, False), *in_columns([*_seat_cells(seen)], width)]
    if seat is not None:
        lines.append(f"seat {seat}, {place['seats'][seat]['councilor'] or '-'}, {_cards(place['seats'][seat])}")
    return "\n".join(fitted_lines(lines, width)) + "\n"


def _seat_cells(seen: Mapping[str, Any]) -> Iterator[str]:
    """Yield for every seat its councilor, where there is room for it, goods, and pieces at home as letters."""
    named = len(seen["place"]["seats"]) <= MOST_NAMED
    for seat, person in enumerate(seen["place"]["seats"]):
        mark = ">" if seat == seen["to_decide"] else " "
        home = "".join(f"{count}{LETTERS[kind]}" for kind, count in person["home"].items() if count)
        councilor = f"{person['councilor'] or '-':<10} " if named else ""
        yield f"{mark}@{seat} {councilor}{_goods(person)} {home}"


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
        message = "CUT OFF" if seen["truncated"] else "WON" if place["result"]["win"] else "LOST"
        lines.append(f"{message}: {place['result']['reason']}")
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
            message = "~~~" if wet else SHORT_SYMBOLS[value] if peninsula == "libraries" else str(value)
            cells.append(f"{message} {_fitted(pieces.get(at, ''), CELL - 2 - len(message))}".rstrip().ljust(CELL))
        mark = "#" if peninsula in place["barriers"] else ""
        lines.append(f"{peninsula:<10}{mark:<2}" + "".join(cells).rstrip())
    return [*lines, *LEGEND]


def _fitted(pieces: str, room: int) -> str:
    """Write pieces, or their number where they do not fit."""
    return pieces if len(pieces) <= room else f"{len(pieces) // 2} pcs"


def _places(seen: Mapping[str, Any], empty: bool = True) -> list[str]:
    """Write places without a number of their own: centre, gates, components; ``empty``: those without a piece too."""
    pieces = _pieces(seen["place"])
    gates = [name for name in data.LOCATIONS if name.startswith("gate")][: seen["gates"]]
    named = ["centre", *gates, *(name for name in seen["place"]["built"] if name in data.LOCATIONS)]
    named = [name for name in named if empty or name in pieces]
    return [_names([f"{name}: {_grouped(pieces.get(name, '')) or '-'}" for name in named], "   ")] if named else []


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
        who = f"{mark} seat {seat}, {names[seat]:.30}: {person['councilor'] or 'no councilor yet'}"
        lines.append(f"{who}; {_goods(person)}")
        home = _counts({kind: count for kind, count in person["home"].items() if count})
        barred = ", barred" if person["barred"] else ""
        lines.append(f"    home: {home}; reserve {person['reserve']}{barred}; {_cards(person)}")
    if place["hologram"]:
        holds = f" with {place['hologram']['artifact']}" if place["hologram"]["artifact"] else ""
        lines.append(f"  hologram: {place['hologram']['councilor'] or '-'}{holds}")
    lines.append("  goods: o ore, g gold, c crystal, a atlantium, e energy")
    return lines


def _goods(person: Mapping[str, Any]) -> str:
    return " ".join(f"{person[good]}{good[0]}" for good in data.GOODS)


def _cards(person: Mapping[str, Any]) -> str:
    hand = person["hand"]
    shown = person.get("shown") or {}
    if isinstance(hand, int):
        message = f"{hand} cards" + (f" (known: {_counts(shown)})" if shown else "")
    else:
        message = _counts(hand)
    own = [*person["artifacts"], *([person["scholar_artifact"]] if person["scholar_artifact"] else [])]
    used = [f"{name} (used)" if name in person["used"] else name for name in own]
    return f"hand: {message}" + (f"; in play: {_names(used)}" if used else "")


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


# Names of places as in the picture, pieces as their seats.
TINTS = {
    **{rf"\b{name}\b": f"l.{name}" for name in data.PENINSULAS},
    **{rf"(?i:(?<![a-z])[{''.join(LETTERS.values())}]{seat}(?!\d))": f"seat{seat}" for seat in range(data.MAX_PLAYERS)},
    "~~~": "deep",
    "(?<= )#(?= )": "shield",
}
BOARD = Board(is_open=is_open, text=text, short=short, tints=TINTS)
