"""Atlantis Rising in words: decisions, cards and components, each with its clause."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# What a decision is about, by node.
NODES = {
    "draft": "take a councilor (3)",
    "scholar": "keep one of two artifacts (11.7)",
    "board": "choose the hologram's councilor for this round (4.4)",
    "deploy": "place or lift a piece, play a card, buy a barrier, drain, or be ready (5.5)",
    "place": "name the place for the piece (5.3)",
    "lift": "name where the piece is taken from (5.6)",
    "window": "between two misfortunes: a card, a drain, or pass (6.2)",
    "flood": "name the peninsula that floods (6.6, 6.7, 10.1)",
    "react": "may save the pieces on a flooded tile (6.5)",
    "plague": "name where a follower falls ill (6.9)",
    "late": "place the astrologer's piece after the misfortunes (11.9)",
    "act": "resolve a place, play a card, buy a barrier, drain, or pass (7.1)",
    "resolve": "name the place whose action is taken (7.3)",
    "reroll": "the priest may roll again (7.6, 7.7)",
    "fail": "the roll failed: may pay energy or use the knuckle (7.6)",
    "share": "give to a shared payment (9.5)",
    "recruit": "name the seat that gets the recruit (7.7)",
    "keep": "name a card to keep (7.9)",
    "more": "may keep one more card for 1 energy (7.9)",
    "build": "name the component to build (8.3)",
    "discount": "name the item the artificer saves (8.4)",
    "ward": "name the peninsula that gets a barrier (9.2)",
    "ebb": "name the peninsula to drain (9.3)",
    "chart": "name the peninsula whose targets fall by 2 (12.3)",
    "repeat seat": "name the seat whose leader is ready again (12.2)",
    "repeat at": "name the place of the leader that is ready again (12.2)",
    "font": "name the seat that gains 3 energy (12.3)",
    "give": "name a good to swap away (7.8)",
    "take": "name the good it becomes (7.8)",
    "look": "may discard a misfortune it has seen (12.7)",
    "archive": "may take a card from the discard (12.4)",
    "amplify": "name the seat that gains two of a good (7.11)",
    "gain": "name the good gained (7.11)",
    "muster": "name the seat that gets a follower (2.4)",
    "sacrifice": "name whose follower leaves the game (7.11)",
    "overflow": "too many cards: play or discard one (7.12)",
    "call": "say whose turn comes next (5.4)",
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
    "archive recovery": "may take a card from the discard; the rest is reshuffled",
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
    "spirit seal": "2 places for followers: 2 energy each",
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
    "power core": "wins the game; needs all leaders at the gate and a gift of every seat (8.4)",
}
WORDS = {
    "ready": "Nothing more to place, for now: you are asked again if somebody changes something (5.4).",
    "yield": "Let the others place first; twice a round (5.5).",
    "pass": "Nothing now; you are asked again unless all pass in a row (7.1).",
    "decline": "Refuse what is offered; in a shared payment everything is off (9.5).",
    "resolve": "Take the action of a place where you have a ready piece (7.3).",
    "pay": "Pay 1 energy for each point that is missing (7.6).",
    "knuckle": "Roll once more by the fate knuckle (7.6).",
    "peek": "Look at the next misfortune through the tidewatch glass (12.6).",
    "lift": "Take one of your pieces back home to place it anew; three times a round (5.5).",
    "place": "Put one of your pieces on the board (5.3).",
    "barrier": "A barrier absorbs the next flood of the peninsula; bought, it costs 4 energy that all may share (9.1).",
    "drain": "The last flooded tile comes up again; bought, it costs 5 energy that all may share (9.3).",
    "flood": "The next tile of the peninsula goes under, or its barrier is lost (6.3).",
    "contribute": "Give so many of what is being paid; nothing is paid until all is promised (9.5).",
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


def question(view: Mapping[str, Any]) -> str:
    """What the seat to decide is to do, as far as the one who looks may know it."""
    return f"{NODES[view['name']]}{_and(doing(view['place']))}"


def headline(view: Mapping[str, Any]) -> str:
    """What is going on, in a few words: what is asked, what chance decides, or how it ended."""
    if view["node"] == "over":
        return ENDS[view["place"]["result"]["reason"]]
    if view["node"] == "chance":
        return CHANCE[view["name"]]
    return SHORT.get(view["name"], NODES[view["name"]].rpartition(" (")[0])


def explain(view: Mapping[str, Any], action: str) -> str:
    """What the decision is about, and what a named card, artifact or component does."""
    word, _, rest = action.partition(" ")
    known = {**CARDS, **ARTIFACTS, **COMPONENTS}
    told = f" {rest.capitalize()}: {known[rest]}." if rest in known else ""
    return f"You {NODES[view['name']]}.{told} {WORDS.get(word, '')}".strip()


def _and(told: str) -> str:
    return f"; {told}" if told else ""


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
