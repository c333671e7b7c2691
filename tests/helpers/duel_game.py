"""A game solved by hand, in which averaging over random play goes wrong, and so does not seeing what chance showed.

Seat 0 stops or passes, then a card 1..5 is drawn. Who stopped wins if it is a 1: one time in five. Who passed lets seat
1 see the card and choose: "stop" wins for seat 0 if the card is even, "pass" if it is odd. So seat 1 always wins:
passing is worth 0, though at random it wins every other game, and if seat 1 had to choose unseeing, two in five.
"""

from __future__ import annotations

from dataclasses import replace

from atlantis_envs.engine.definition import CHANCE, OVER
from atlantis_envs.engine.game import Game
from atlantis_envs.kernels.kernel import kernel
from helpers.toy_game import CARDS, DONE, STOP, TOY, ToyOptions

EXACT = (0.2, 0.0)  # what stopping and passing are worth to seat 0


@kernel
def reset(rules, state):
    state.cards[:] = 0
    state.turn = 0


@kernel
def node(rules, state):
    if int(state.turn) == 0:
        return 0
    if state.cards[0] == 0:
        return CHANCE
    return 1 if int(state.turn) == 1 else OVER


@kernel
def chance(rules, state, weights):
    weights[:] = 1
    return 0, 0, CARDS


@kernel
def apply(rules, state, index):
    if int(state.turn) == 0:
        state.turn = DONE if index == STOP else 1
        state.cards[1] = 0
    elif state.cards[0] == 0:
        state.cards[0] = index + 1
    else:
        state.cards[1] = index + 1
        state.turn = DONE


@kernel
def legal(rules, state, mask):
    mask[:] = 1 if node(rules, state) >= 0 else 0


@kernel
def returns(rules, state, out):
    odd = int(state.cards[0]) % 2 == 1
    won = odd == (state.cards[1] == 2)
    if state.cards[1] == 0:
        won = state.cards[0] == 1
    out[0] = 1.0 if won else -1.0
    out[1] = -out[0]


DUEL = replace(
    TOY, name="duel", title="Duel", reset=reset, node=node, chance=chance, apply=apply, legal=legal, returns=returns
)


def duel_game() -> Game:
    return Game(DUEL, ToyOptions())
