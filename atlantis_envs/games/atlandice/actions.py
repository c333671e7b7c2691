"""The 72 actions and the chance outcomes of Atlandice, numbered as in 10.3 and 11.2."""

from __future__ import annotations

from atlantis_envs.engine.layout import Texts
from atlantis_envs.games.atlandice import data
from atlantis_envs.kernels.vocabulary import Vocabulary


def _without(district: int) -> tuple[str, ...]:
    return tuple(name for index, name in enumerate(data.DISTRICTS) if index != district)


ACTIONS = Texts(
    ("visit", [f"visit {sector}" for sector in data.SECTORS]),
    ("visit_neutral", [f"visit {sector} for neutral" for sector in data.SECTORS]),
    ("take", [f"take {name}" for name in data.TYPES]),
    ("raid", [f"raid {district}" for district in _without(data.Sector.LIBRARY)]),
    ("swap_out", [f"swap out {name}" for name in data.TYPES]),
    ("swap_with", [f"swap with {district}" for district in _without(data.Sector.JEWELER)]),
    ("swap_in", [f"swap in {name}" for name in data.TYPES]),
    ("move", [f"move {name}" for name in data.TYPES]),
    ("move_to", [f"move to {district}" for district in data.DISTRICTS]),
    ("die_from", [f"die from {sector}" for sector in data.SECTORS]),
    ("die_to", [f"die to {sector}" for sector in data.SECTORS]),
    ("submarine", [f"submarine to {sector}" for sector in data.SECTORS]),
    ("pay", [f"pay {name}" for name in data.TYPES]),
    ("stop_paying", ["stop paying"]),
    ("effect", ["use effect", "decline effect"]),
    ("decline_bonus", ["decline bonus"]),
)
# The first id of every kind of action.
Act = ACTIONS.first_ids("Act", USE_EFFECT=ACTIONS["effect"], DECLINE_EFFECT=ACTIONS["effect"] + 1)

OUTCOMES = Texts(
    ("reveal", [f"reveal {tile}" for tile in data.TILES]),
    ("first_player", [f"first player {seat}" for seat in range(data.MAX_PLAYERS)]),
    ("die", [f"die {face}" for face in range(1, data.FACES + 1)]),
    ("roll", [f"roll {face}" for face in range(1, data.FACES + 1)]),
)
Outcome = OUTCOMES.first_ids("Outcome")

# Chance streams: reveals per District, the first player, the opening dice, and effect rolls per seat, so that what one
# seat does never shifts the dice of the opening or another seat's rolls.
STREAMS = (
    *(f"reveal {district}" for district in data.DISTRICTS),
    "first player",
    "die",
    *(f"roll, seat {seat}" for seat in range(data.MAX_PLAYERS)),
)


class Stream(Vocabulary):
    """The number of every stream, or of its first; reveals are numbered as the Districts."""

    FIRST_PLAYER = data.NUM_DISTRICTS
    DIE = FIRST_PLAYER + 1
    ROLL = DIE + 1
