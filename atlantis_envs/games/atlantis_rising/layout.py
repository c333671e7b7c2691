"""What the bytes of an observation mean: named pieces and where they start.

Seats are counted from the observing seat clockwise; absent seats are zero, so one network can serve one to seven. Own
pieces are shown by location, those of others as their number there.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from atlantis_envs.engine.layout import Field, Layout
from atlantis_envs.games.atlantis_rising import data
from atlantis_envs.games.atlantis_rising.state import FRAMES, NODES, NUM_DETAILS

MOST = 255  # numbers are capped here
SEATS = data.MAX_PLAYERS

LAYOUT = Layout(
    Field("node", len(NODES), 1, "one-hot: the present node, in the order of state.NODES"),
    Field("ready", data.NUM_LOCATIONS, 63, "location -> own pieces that may still act, automaton apart"),
    Field("done", data.NUM_LOCATIONS, 63, "location -> own pieces that have acted"),
    Field("crowd", data.NUM_LOCATIONS, 127, "location -> pieces of all seats"),
    Field("flooded", data.NUM_PENINSULAS, 6, "peninsula -> flooded tiles"),
    Field("barriers", data.NUM_PENINSULAS, 1, "peninsula -> 1: has a barrier"),
    Field("goods", SEATS * data.NUM_GOODS, MOST, "seat x ore, gold, crystal, atlantium, energy, capped at 255"),
    Field("home", SEATS * data.NUM_KINDS, 15, "seat x leader, hologram, follower, volunteer, automaton at home"),
    Field("councilor", SEATS, data.NUM_COUNCILORS, "seat -> 1 + councilor, 0 none yet"),
    Field("chief", SEATS + 1, data.NUM_LOCATIONS, "seat, then the hologram -> 1 + location of the leader, 0 at home"),
    Field("reserve", SEATS, 15, "seat -> followers in the reserve"),
    Field("spent", SEATS, 15, "seat -> volunteers sent home this round"),
    Field("barred", SEATS, 1, "1: barred from opening shared payments in this phase"),
    Field("used", SEATS, 7, "seat -> bits: fate knuckle, tidewatch glass, everburning bellows used this round"),
    Field("hand", SEATS * data.NUM_BASIC, 15, "seat x basic card; of others what is known"),
    Field("hand_size", SEATS, 63, "seat -> basic cards in hand"),
    Field("artifact", data.NUM_ARTIFACTS, SEATS + 1, "0 out of play, 1 + seat in play, 8 with the hologram"),
    Field("budget", 3, MOST, "own lifts, yields and refusals without a bar left, capped at 255"),
    Field("component", data.NUM_COMPONENTS, 2, "0 not in this game, 1 on the blueprint, 2 built"),
    Field("deck", data.NUM_CARDS, 15, "library card -> number unseen: in the deck, or nobody knows where"),
    Field("discard", data.NUM_BASIC, 15, "basic card -> number in the library discard"),
    Field("bottom", 1, 63, "cards under the library deck"),
    Field("misfortunes", data.NUM_MISFORTUNES, 127, "misfortune kind -> number in the unknown part of the deck"),
    Field("top", data.MAX_TOP, data.NUM_MISFORTUNES, "1 + kind of the misfortunes known on top, 0 unknown"),
    Field("seat", SEATS, 1, "one-hot: the seat to decide, if any"),
    Field("own", SEATS, 1, "one-hot: the number of the observing seat, as actions `seat j` and details count seats"),
    Field("first", SEATS, 1, "one-hot: the first player"),
    Field("turn", SEATS, 1, "one-hot: the seat whose turn it is"),
    Field("draws", SEATS, 31, "seat -> misfortunes still to draw this round"),
    Field("hologram", data.NUM_COUNCILORS, 1, "one-hot: the hologram's board, if any"),
    Field("wrath", 2, 15, "index on the Wrath track, its value"),
    Field("atlas", data.NUM_WILD, 15, "wild peninsula -> ancient atlases of this round"),
    Field("closed", len(data.CLOSABLE), 1, "1: no action in cities, libraries, forges, at the centre this round"),
    Field(
        "round", 11, MOST,
        "number of the round, passes, volunteers in the supply, track energy taken, components built this round, "
        "earthquakes, build limit, extra floods, Wrath floods to choose, window open, whether the first player is to "
        "name the next seat; capped at 255",
    ),
    Field("frame", len(FRAMES), 1, "one-hot: the frame on top of the stack (section 20), the first means none"),
    Field("detail", NUM_DETAILS, MOST, "columns 1 to 13 of that frame (state.py) and the held seat, each plus 1"),
    Field("price", data.NUM_COMPONENTS * data.NUM_PRICE_TYPES, 15, "component x price type"),
    Field("tile", data.NUM_TILES, 15, "tile -> target, symbol or rate"),
    Field("players", SEATS, 1, "one-hot: number of seats"),
    Field("level", 5, 1, "one-hot: level"),
    Field(
        "costs", 9, MOST,
        "barrier, drain, card limit, round limit (0 none, capped at 255), hands open, automaton per die, divers on "
        "flooded tiles only, casting vote, must act",
    ),
)  # fmt: skip
OBSERVATION_SIZE = LAYOUT.size
At = LAYOUT.starts("At")  # where each piece starts


def fill_observed(rules: Any) -> None:
    """Write what options determine as an observation, zero elsewhere; it never changes during a game."""
    out = rules.observed_options
    out[:] = 0
    out[At.PRICE : At.PRICE + rules.price.size] = rules.price.reshape(-1)
    out[At.TILE : At.TILE + data.NUM_TILES] = rules.tile_value[: data.NUM_TILES]
    out[At.PLAYERS + int(rules.players) - 1] = 1
    out[At.LEVEL + int(rules.level) - 1] = 1
    limits = (
        rules.barrier_cost, rules.drain_cost, rules.hand_limit, rules.round_limit, rules.hands_open,
        rules.automaton_per_die, rules.divers_on_flooded, rules.casting_vote, rules.must_act,
    )  # fmt: skip
    out[At.COSTS : At.COSTS + len(limits)] = np.minimum(limits, MOST)
