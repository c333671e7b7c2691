"""How likely the team is to win from here: a small network over features of the position, for search.

It was fitted to how games ended, at the beginnings of their rounds, and is meant for these. Teams of several and one
player alone have a network each, in ``value.json`` and ``value-alone.json``: ``about`` there names the command that
fits it anew.
"""

from __future__ import annotations

import math

from atlantis_envs.engine.definition import Record, Row
from atlantis_envs.engine.network import make_output, read_network
from atlantis_envs.games.atlantis_rising import data
from atlantis_envs.games.atlantis_rising.data import Component, Good, Kind
from atlantis_envs.kernels.kernel import kernel

CARDS = 35  # the first of NUM_BASIC features
NUM_FEATURES = CARDS + data.NUM_BASIC


ALONE = "value-alone.json"
NETWORK, NETWORK_ALONE = read_network(str(__package__)), read_network(str(__package__), ALONE)
_of_team, _of_one = make_output(NETWORK), make_output(NETWORK_ALONE)


@kernel
def features(rules: Record, state: Record, out: Row) -> None:
    """Write NUM_FEATURES numbers of about 0..1 into ``out``."""
    players = int(rules.players)
    out[0] = players / data.MAX_PLAYERS
    out[1] = int(rules.level) / 5
    out[2] = int(state.round_number) / 20
    out[3] = int(state.num_built) / 10
    out[4] = int(rules.wrath_values[int(state.wrath)]) / 5
    out[5] = int(state.wrath) / max(1, int(rules.wrath_last))
    describe_prices(rules, state, players, out)
    describe_goods(state, players, out)
    describe_water(state, out)
    describe_people(state, players, out)


@kernel
def describe_prices(rules: Record, state: Record, players: int, out: Row) -> None:
    """Write features 6..15: what is paid, what of the rest is there, by type what is missing and what the core
    finds.
    """
    total, paid, covered = 0, 0, 0
    for kind in range(data.NUM_PRICE_TYPES):
        rest, held = 0, 0
        for component in range(data.NUM_COMPONENTS):
            price = int(rules.price[component, kind])
            if state.is_built[component] != 0:
                paid += price
            elif state.blueprint[component] != 0:
                rest += price
        for seat in range(players):
            held += int(state.goods[seat, kind + 1])
            if kind + 1 == Good.ATLANTIUM:
                held += int(state.goods[seat, Good.ORE])
        total += rest
        covered += min(held, rest)
        out[8 + kind] = max(0, rest - held) / 10
        out[12 + kind] = min(1.0, held / max(1, int(rules.price[Component.POWER_CORE, kind])))
    out[6] = paid / max(1, paid + total)
    out[7] = covered / max(1, total)


@kernel
def describe_goods(state: Record, players: int, out: Row) -> None:
    """Write features 16..22 and cards by kind: what a seat owns, and how many own something that the core takes
    (8.4).
    """
    for good in range(data.NUM_GOODS):
        held = 0
        for seat in range(players):
            held += int(state.goods[seat, good])
        out[16 + good] = held / (4 * players)
    givers, cards = 0, 0
    for seat in range(players):
        if state.goods[seat, Good.GOLD] + state.goods[seat, Good.CRYSTAL] + state.goods[seat, Good.ATLANTIUM] > 0:
            givers += 1
    for card in range(data.NUM_BASIC):
        held = 0
        for seat in range(players):
            held += int(state.hand[seat, card])
        out[CARDS + card] = held / players
        cards += held
    out[21] = givers / players
    out[22] = cards / (4 * players)


@kernel
def describe_water(state: Record, out: Row) -> None:
    """Write features 23..30: what is flooded, in all and by peninsula, and what is behind barriers."""
    flooded, barriers = 0, 0
    for peninsula in range(data.NUM_PENINSULAS):
        flooded += int(state.flooded[peninsula])
        barriers += int(state.barriers[peninsula])
        out[25 + peninsula] = int(state.flooded[peninsula]) / data.TILES_PER_PENINSULA
    out[23] = flooded / data.NUM_TILES
    out[24] = barriers / data.NUM_PENINSULAS


@kernel
def describe_people(state: Record, players: int, out: Row) -> None:
    """Write features 31..34: pieces at home, in reserve, volunteers, artifacts."""
    home, reserve, volunteers, artifacts = 0, 0, 0, 0
    for seat in range(players):
        home += int(state.home[seat, Kind.FOLLOWER])
        volunteers += int(state.home[seat, Kind.VOLUNTEER])
        reserve += int(state.reserve[seat])
        for artifact in range(data.NUM_ARTIFACTS):
            artifacts += int(state.artifacts[seat]) >> artifact & 1
    out[31] = home / (5 * players)
    out[32] = reserve / (5 * players)
    out[33] = volunteers / (5 * players)
    out[34] = artifacts / (2 * players)


@kernel
def value(rules: Record, state: Record, out: Row) -> None:
    """Write the chance that everybody wins, the same for every seat."""
    seen = out[data.MAX_PLAYERS :]
    features(rules, state, seen)
    total = _of_one(seen[:NUM_FEATURES]) if rules.players == 1 else _of_team(seen[:NUM_FEATURES])
    for seat in range(int(rules.players)):
        out[seat] = 1.0 / (1.0 + math.exp(-total))
