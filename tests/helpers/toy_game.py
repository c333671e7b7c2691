"""The smallest game with all that an environment must cope with: chance, hidden cards, and an early end.

Each of two seats gets a hidden card. Seat 0 stops or passes, then seat 1 does; after that, or when one stops, the
higher card wins.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from atlantis_envs.engine.definition import CHANCE, OVER, ZERO_SUM, Definition, Versions
from atlantis_envs.engine.game import Game
from atlantis_envs.engine.layout import Field, Layout, Texts
from atlantis_envs.engine.records import packed
from atlantis_envs.kernels.kernel import kernel

SEATS, CARDS, STOP, DONE = 2, 5, 0, 2
STATE = packed([("turn", np.int16), ("cards", np.int8, (SEATS,))])
RULES = packed([("players", np.int16)])


@dataclass(frozen=True)
class ToyOptions:
    players: int = SEATS

    def to_json(self) -> dict[str, Any]:
        return {"players": self.players}

    def fill(self, rules: Any) -> None:
        rules.players = self.players


@kernel
def reset(rules, state):
    state.cards[:] = 0
    state.turn = 0


@kernel
def node(rules, state):
    if state.cards[0] == 0 or state.cards[1] == 0:
        return CHANCE
    return OVER if int(state.turn) == DONE else int(state.turn)


@kernel
def legal(rules, state, mask):
    mask[:] = 1 if node(rules, state) >= 0 else 0


@kernel
def chance(rules, state, weights):
    weights[:] = 1
    return (0 if state.cards[0] == 0 else 1), 0, CARDS


@kernel
def apply(rules, state, index):
    if state.cards[0] == 0:
        state.cards[0] = index + 1
    elif state.cards[1] == 0:
        state.cards[1] = index + 1
    else:
        state.turn = DONE if index == STOP else int(state.turn) + 1


@kernel
def observe(rules, state, seat, out):
    out[0] = state.cards[seat]
    out[1] = state.turn
    out[2] = seat


@kernel
def scores(rules, state, out):
    for seat in range(SEATS):
        out[seat] = int(state.cards[seat])


@kernel
def returns(rules, state, out):
    lead = int(state.cards[0]) - int(state.cards[1])
    out[0] = 1.0 if lead > 0 else (-1.0 if lead < 0 else 0.0)
    out[1] = -out[0]


@kernel
def check(rules, state):
    return 0


@kernel
def resample(rules, state, seat, rng):
    pass


def parse_options(players: int | None, data: Mapping[str, Any] | None, options: Mapping[str, Any]) -> ToyOptions:
    return ToyOptions()


TOY = Definition(
    name="toy",
    title="Toy",
    versions=Versions(1, 1, 1, 1),
    min_players=SEATS,
    max_players=SEATS,
    default_players=SEATS,
    utility=ZERO_SUM,
    state_dtype=STATE,
    rules_dtype=RULES,
    parse_options=parse_options,
    actions=Texts(("actions", ("stop", "pass"))),
    outcomes=Texts(("cards", tuple(f"card {value}" for value in range(1, CARDS + 1)))),
    streams=("card of seat 0", "card of seat 1"),
    observation=Layout(
        Field("card", 1, CARDS, "own card"), Field("turn", 1, DONE, "turn"), Field("seat", 1, SEATS, "own seat")
    ),
    bound=lambda options: 4,
    bound_reason="two cards, two decisions",
    flags=(),
    provenance=(),
    to_json=lambda options, state: {"game": "toy", "cards": state.cards.tolist(), "turn": int(state.turn)},
    from_json=lambda document: (ToyOptions(), np.zeros(1, STATE)),
    reset=reset,
    node=node,
    legal=legal,
    chance=chance,
    apply=apply,
    observe=observe,
    scores=scores,
    returns=returns,
    check=check,
    resample=resample,
)


def toy_game() -> Game:
    return Game(TOY, ToyOptions())
