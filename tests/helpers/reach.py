"""How often play reaches each effect of Atlantis Rising: a count of what was seen to change, not of what was tried.

Every move is looked at with the states before and after it. An effect counts once per card, action or roll, and only
where the change that is its own is there: a barrier more, a tile less under water, a roll that succeeds by exactly the
point an artifact adds. `reach_play` plays and prints the table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from atlantis_envs.games.atlantis_rising import data
from atlantis_envs.games.atlantis_rising import state as s

GROUPS = {
    "library card": data.BASIC_CARDS,
    "artifact": data.ARTIFACTS,
    "councilor": data.COUNCILORS,
    "component built": data.COMPONENTS,
    "component at work": data.COMPONENTS,
    "misfortune": data.MISFORTUNES,
}
FLOODING = ("tidal wave", "storm surge")
CLOSING = ("panic", "sealed archives", "cold furnaces", "mystic drought")
TURNS = {s.Node.DEPLOY, s.Node.ACT, s.Node.WINDOW, s.Node.OVERFLOW}


def effects() -> list[tuple[str, str]]:
    """Every (group, name) that is counted."""
    return [(group, name) for group, names in GROUPS.items() for name in names]


@dataclass
class Step:
    """One move and the states around it.

    Attributes:
        text: the action or outcome.
        node: NODE_* or CHANCE_* it was made at.
        seat: who made it, -1 for chance.
        origin: the card, location, component or misfortune that it belongs to; "" once that has counted.
        before: state.
        after: state.
        rules: rules record.
    """

    text: str
    node: int
    seat: int
    origin: tuple[str, str]
    before: Any
    after: Any
    rules: Any

    def grew(self, name: str, column: int | None = None) -> int:
        """By how much the sum of a field, or of one of its columns, has grown."""
        old, new = self.before[name], self.after[name]
        if column is not None:
            old, new = old[..., column], new[..., column]
        return int(np.sum(new, dtype=np.int64)) - int(np.sum(old, dtype=np.int64))

    @property
    def frame(self) -> Any:
        """The top frame before the move."""
        return self.before["frames"][max(0, int(self.before["num_frames"]) - 1)]

    def place(self) -> int:
        """The location of an ``at`` action."""
        return data.LOCATIONS.index(self.text[3:])

    def has(self, seat: int, artifact: int) -> bool:
        """Whether the seat has the artifact in play, by any of the three ways (12.9)."""
        state = self.before
        by_hologram = state["hologram_artifact"] == artifact and state["first"] == seat
        return bool(
            state["artifacts"][seat] >> artifact & 1 or state["scholar_artifact"][seat] == artifact or by_hologram
        )


# ---- effects that belong to a card, a component or a misfortune

ENERGY = data.Good.ENERGY


def dried(step: Step) -> bool:
    return step.grew("flooded") == -1


def warded(step: Step) -> bool:
    return step.grew("barriers") == 1


def flooded(step: Step) -> bool:
    """A tile went under, or a barrier went for it."""
    return step.grew("flooded") == 1 or step.grew("barriers") == -1


def swapped(step: Step) -> bool:
    return step.text.startswith("take") and (step.after["goods"] != step.before["goods"]).sum() == 2


def took(number: int) -> Callable[[Step], bool]:
    return lambda step: step.text.startswith("take") and step.grew("goods") == number


def looked(step: Step) -> bool:
    return step.text.startswith("look") and (step.after["misfortune_top"] >= 0).sum() > 0


def ready_again(step: Step) -> bool:
    if step.node != s.Node.REPEAT_AT:
        return False
    old, new = step.before["pieces"][step.place()], step.after["pieces"][step.place()]
    return bool(((old & s.DONE_MASK) & ~(new & s.DONE_MASK)).any())


def recruited(step: Step) -> bool:
    return step.grew("reserve") < 0 and step.grew("home", data.Kind.FOLLOWER) >= -step.grew("reserve")


def summoned(step: Step) -> bool:
    """More volunteers than an orator alone would bring."""
    orator = (
        int(step.before["special_at"][data.Councilor.ORATOR]) == step.place() if step.node == s.Node.RESOLVE else False
    )
    return -step.grew("volunteers") > int(orator)


def energy(number: int) -> Callable[[Step], bool]:
    return lambda step: step.grew("goods", ENERGY) == number


def siphoned(step: Step) -> bool:
    return step.grew("goods", ENERGY) == 1 + int(step.rules["wrath_values"][int(step.before["wrath"])])


def just_built(step: Step) -> bool:
    return step.grew("num_built") == 1


CARD_EFFECTS: dict[str, Callable[[Step], bool]] = {
    "cryptographic expertise": ready_again,
    "enigma of fervour": ready_again,
    "ancient atlas": lambda step: step.grew("atlas") == 1,
    "transmutation": swapped,
    "call for aid": lambda step: step.grew("volunteers") < 0,
    "warding rite": warded,
    "ebbing tide": dried,
    "mystic font": energy(3),
    "augury": looked,
    "swift evacuation": lambda step: step.grew("crowd") == 0 and step.grew("hand") == -1,
    "archive recovery": lambda step: step.text.startswith("keep") and step.grew("hand") == 1,
}
COMPONENT_EFFECTS: dict[str, Callable[[Step], bool]] = {
    "solar matrix": lambda step: just_built(step) and step.grew("goods", ENERGY) == int(step.rules["players"]),
    "spirit seal": energy(2),
    "aegis emitter": warded,
    "tidal regulator": dried,
    "summoning conduit": summoned,
    "mystic siphon": siphoned,
    "matter converter": swapped,
    "foundry crucible": lambda step: (
        step.grew("goods", data.Good.ATLANTIUM) == 3 and step.grew("goods", data.Good.ORE) == -1
    ),
    "memory crystal": lambda step: step.text.startswith("library") and step.frame[s.Column.DO] == s.Frame.MEMORY,
    "muster array": recruited,
    "numinous beacon": looked,
    "entropy drive": lambda step: just_built(step) and step.grew("wrath") == -1,
    "amplification chamber": took(2),
    "stasis anchor": warded,
    "prism lens": took(1),
    "soul terraformer": lambda step: step.grew("removed") == 1,
    "tectonic engine": dried,
    "chronal lattice": took(1),
    "celestial orrery": looked,
    "resonance vault": energy(4),
    "power core": lambda step: int(step.after["result"]) == s.Result.CORE,
}


def basic(step: Step) -> bool:
    """The card's peninsula, or, where that is all under water, others instead (6.6)."""
    peninsula = data.PENINSULAS.index(step.origin[1])
    if int(step.before["flooded"][peninsula]) == data.TILES_PER_PENINSULA:
        return int(step.after["node"]) in {s.Node.FLOOD, s.Node.OVER}
    here = step.after["flooded"][peninsula] - step.before["flooded"][peninsula]
    return bool(here == 1 or step.before["barriers"][peninsula] > step.after["barriers"][peninsula])


def calm(step: Step) -> bool:
    return all(step.grew(name) == 0 for name in ("flooded", "barriers", "goods", "crowd", "closed", "extra_floods"))


MISFORTUNE_EFFECTS: dict[str, Callable[[Step], bool]] = {
    **dict.fromkeys(data.PENINSULAS, basic),
    **dict.fromkeys(FLOODING, flooded),
    **{
        name: lambda step, bit=bit: bool(int(step.after["closed"]) & ~int(step.before["closed"]) & 1 << bit)
        for bit, name in enumerate(CLOSING)
    },
    "calm seas": calm,
    "controlled flooding": lambda step: step.grew("flooded") == 1,
    "earthquake": lambda step: step.grew("earthquake") == 1,
    "plague": lambda step: step.grew("home", data.Kind.FOLLOWER) == 1,
    "unstable gate": lambda step: step.grew("build_limit") == 1,
    "broken wards": lambda step: step.grew("flooded") == 1 or step.grew("barriers") < 0,
    "mystic leak": lambda step: step.grew("goods", ENERGY) < 0,
    "maelstrom": lambda step: (step.after["draws"] >= 0).sum() == (step.before["draws"] >= 0).sum() + 1,
    "divine fury": lambda step: step.grew("extra_floods") == 1,
}
OWNED = {"library card": CARD_EFFECTS, "component at work": COMPONENT_EFFECTS, "misfortune": MISFORTUNE_EFFECTS}


def origin(step: Step) -> tuple[str, str]:
    """What the move belongs to: what was played, resolved, built or drawn last in this turn."""
    word, _, rest = step.text.partition(" ")
    if word == "play":
        return "library card", rest
    if word == "build" or (step.node == s.Node.RESOLVE and rest in data.COMPONENTS):
        return "component at work", rest
    if word == "misfortune":
        return "misfortune", rest
    return ("", "") if step.node in TURNS | {s.Node.RESOLVE} else step.origin


# ---- effects that work on what others do


def wild_roll(step: Step) -> Iterator[tuple[str, str]]:
    """A success by exactly one point is owed to each single point that helped."""
    frame, face = step.frame, int(step.text[4:])
    at, seat = int(frame[s.Column.PLACE_AT]), int(frame[s.Column.SEAT])
    if (
        face + int(frame[s.Column.BONUS]) != int(frame[s.Column.TARGET])
        or step.grew("goods", at // data.TILES_PER_PENINSULA) != 1
    ):
        return
    if step.has(seat, at // data.TILES_PER_PENINSULA):
        yield "artifact", data.ARTIFACTS[at // data.TILES_PER_PENINSULA]
    if int(step.before["special_at"][data.Councilor.EXPLORER]) == at:
        yield "councilor", "explorer"


def city_roll(step: Step) -> Iterator[tuple[str, str]]:
    """A success that mask of voices made: one point less would have failed."""
    frame, face = step.frame, int(step.text[4:])
    dice = [int(frame[s.Column.DIE]), int(frame[s.Column.DIE + 1])]
    dice[dice.index(0)] = face
    at = int(frame[s.Column.PLACE_AT])
    present = step.before["pieces"][at]
    owners = [seat for seat in range(len(present)) if present[seat] & ~s.AUTOMATON_BIT]
    if 0 in dice or not any(step.has(seat, data.Artifact.MASK_OF_VOICES) for seat in owners):
        return
    total = sum(dice) + int(step.rules["wrath_values"][int(step.before["wrath"])])
    total += 2 * bool((present & s.AUTOMATON_BIT).any())
    succeeded = step.grew("reserve") == -1 or int(step.after["node"]) == s.Node.RECRUIT
    if total + 1 == int(step.rules["tile_value"][at]) and succeeded:
        yield "artifact", "mask of voices"


def placed(step: Step) -> Iterator[tuple[str, str]]:
    """A piece came to stand where only a councilor lets it."""
    at, special = step.place(), step.after["special_at"]
    if step.node == s.Node.LATE:
        yield "councilor", "astrologer"
    if int(step.after["crowd"][at]) > int(step.rules["capacity"][at]) and special[data.Councilor.EMISSARY] == at:
        yield "councilor", "emissary"
    if at < data.NUM_TILES and at % data.TILES_PER_PENINSULA < step.before["flooded"][at // data.TILES_PER_PENINSULA]:
        yield from (
            ("councilor", data.COUNCILORS[c])
            for c in (data.Councilor.NAVIGATOR, data.Councilor.AQUANAUT)
            if special[c] == at
        )


def resolved(step: Step) -> Iterator[tuple[str, str]]:
    """An action began: the orator's volunteer, the bellows, the third card of the index."""
    at = step.place()
    old, new = step.before["pieces"][at], step.after["pieces"][at]
    acted = ((new & ~old) & s.CHIEF_DONE_MASK).any()
    if int(step.before["special_at"][data.Councilor.ORATOR]) == at and acted and step.grew("volunteers") < 0:
        yield "councilor", "orator"
    if step.grew("used") > 0 and step.grew("goods", data.Good.ORE) == -1:
        yield "artifact", "everburning bellows"
    frame = step.after["frames"][max(0, int(step.after["num_frames"]) - 1)]
    if frame[s.Column.DO] == s.Frame.LIBRARY and frame[s.Column.TO_DRAW] == 3:
        yield "artifact", "index of ages"


def bought(step: Step) -> Iterator[tuple[str, str]]:
    """A barrier that was paid for, and cost a point less than usual."""
    if step.grew("barriers") == 1 and not step.origin[1] and step.grew("goods", ENERGY) == -data.KEYSTONE_COST:
        yield "artifact", "keystone of wards"


def stayed(step: Step) -> Iterator[tuple[str, str]]:
    """The tile of the champion's piece went under, and the piece is still there."""
    before, after = step.before, step.after
    at = int(before["special_at"][data.Councilor.CHAMPION])
    if 0 <= at < data.NUM_TILES and int(after["special_at"][data.Councilor.CHAMPION]) == at:
        peninsula, row = divmod(at, data.TILES_PER_PENINSULA)
        if before["flooded"][peninsula] == row and after["flooded"][peninsula] == row + 1:
            yield "councilor", "champion"


def round_began(step: Step) -> Iterator[tuple[str, str]]:
    """Energy from the conduit; a seat alone has energy of the track as well, so it is left out."""
    for seat in range(int(step.rules["players"])):
        gained = step.after["goods"][seat, ENERGY] - step.before["goods"][seat, ENERGY]
        if gained == 1 and step.has(seat, data.Artifact.MYSTIC_CONDUIT) and int(step.rules["players"]) > 1:
            yield "artifact", "mystic conduit"


def turn_ended(step: Step) -> Iterator[tuple[str, str]]:
    """More cards than the limit, and nobody is asked to discard."""
    for seat in range(int(step.rules["players"])):
        cards = int(step.after["hand"][seat].sum()) + int(step.after["artifacts"][seat]).bit_count()
        if cards > int(step.rules["hand_limit"]) and step.has(seat, data.Artifact.BOTTOMLESS_SATCHEL):
            yield "artifact", "bottomless satchel"


def anywhere(step: Step) -> Iterator[tuple[str, str]]:
    """What may follow from several kinds of move."""
    before, after = step.before, step.after
    if after["num_built"] > before["num_built"]:
        yield "component built", data.COMPONENTS[int(after["built"][int(before["num_built"])])]
    if step.text.startswith(("barrier", "contribute")):
        yield from bought(step)
    if step.text.startswith(("misfortune", "flood")):
        yield from stayed(step)
    if after["round_number"] > before["round_number"] > 0:
        yield from round_began(step)
    if step.node != s.Node.ACT and after["node"] == s.Node.ACT and before["phase"] == s.Phase.ACTIONS:
        yield from turn_ended(step)


BY_TEXT: dict[str, tuple[str, str]] = {
    "knuckle": ("artifact", "fate knuckle"),
    "peek": ("artifact", "tidewatch glass"),
    "discount": ("councilor", "artificer"),
    "reroll": ("councilor", "priest"),
}


def seen(step: Step) -> Iterator[tuple[str, str]]:
    """Every effect this move shows."""
    word = step.text.partition(" ")[0]
    if word == "die":
        yield from wild_roll(step) if step.frame[s.Column.DO] == s.Frame.WILD else city_roll(step)
    elif step.node in {s.Node.PLACE, s.Node.LATE}:
        yield from placed(step)
    elif step.node == s.Node.RESOLVE:
        yield from resolved(step)
    elif step.node == s.Node.SCHOLAR:
        yield "councilor", "scholar"
    elif word in BY_TEXT:
        yield BY_TEXT[word]
    yield from anywhere(step)
