"""What happened in a game of Atlantis Rising that no event says, from two views of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from atlantis_envs.drawing.phrases import counted, listed
from atlantis_envs.games.atlantis_rising.data import GOODS, PENINSULAS
from atlantis_envs.games.atlantis_rising.words import ENDS, MISFORTUNES

View = Mapping[str, Any]


def news(before: View, text: str, after: View) -> tuple[str, ...]:
    """Tiles that sank or came up, barriers, pieces sent home, goods, followers, Wrath, and what was built."""
    old, new = before["place"], after["place"]
    lines = [*_sea(old, new), *_barriers(old, new)]
    lines += _sent_home(old, new)
    for seat, (was, now) in enumerate(zip(old["seats"], new["seats"], strict=True)):
        lines += _owned(seat, was, now)
    lines += _built(before, after)
    lines += _table(before, after)
    return tuple(lines)


def _sea(old: View, new: View) -> Iterator[str]:
    for name in PENINSULAS:
        was, now = old["flooded"][name], new["flooded"][name]
        yield from (f"{name} {number} sinks" for number in range(was + 1, now + 1))
        yield from (f"{name} {number} comes up again" for number in range(was, now, -1))


def _barriers(old: View, new: View) -> Iterator[str]:
    for name in PENINSULAS:
        if name in old["barriers"] and name not in new["barriers"]:
            yield f"the barrier of the {name} is gone"
        elif name in new["barriers"] and name not in old["barriers"]:
            yield f"the {name} have a barrier"


def _sent_home(old: View, new: View) -> Iterator[str]:
    """Pieces that a flood, a misfortune or a build sent home; a seat lifts its own, and after the actions all go."""
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
    gained = {good: max(0, now[good] - was[good]) for good in GOODS}
    lost = {good: max(0, was[good] - now[good]) for good in GOODS}
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
    """Components built: the score of everybody."""
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
        yield f"the game is over, {ENDS[new['result']['reason']]}"
