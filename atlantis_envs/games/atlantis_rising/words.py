"""Atlantis Rising in words: decisions, cards and components, each with its clause."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from atlantis_envs.games.atlantis_rising.data import PENINSULAS

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
    **{name: f"the {name} flood" for name in PENINSULAS},
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
    """What wins (7, 8, 16)."""
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
    """What the seat to decide is to do, as far as the one who looks may know it; "" where nobody decides."""
    if seen["node"] != "decision":
        return ""
    told = doing(seen["place"])
    return f"{NODES[seen['name']][0]}{'; ' if told else ''}{told}"


def clauses(seen: Mapping[str, Any]) -> tuple[str, ...]:
    """The clauses of the question."""
    return tuple(NODES[seen["name"]][1].split(", ")) if seen["node"] == "decision" else ()


def headline(seen: Mapping[str, Any]) -> str:
    """What is going on, in a few words: what is asked, what chance decides, or how it ended."""
    if seen["node"] == "over":
        return ENDS[seen["place"]["result"]["reason"]]
    if seen["node"] == "chance":
        return CHANCE[seen["name"]]
    return SHORT.get(seen["name"], NODES[seen["name"]][0])


def doing(place: Mapping[str, Any]) -> str:
    """What the frame on top adds to the decision; "" if nothing."""
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
