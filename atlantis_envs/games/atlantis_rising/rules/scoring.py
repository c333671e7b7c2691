"""Scores, returns, and what a position is worth on the way (section 16)."""

from __future__ import annotations

from atlantis_envs.engine.definition import Record, Row
from atlantis_envs.games.atlantis_rising import data
from atlantis_envs.games.atlantis_rising.data import Good
from atlantis_envs.games.atlantis_rising.state import Result
from atlantis_envs.kernels.kernel import kernel


@kernel
def scores(rules: Record, state: Record, out: Row) -> None:
    """Write the components built, the same for every seat."""
    for seat in range(int(rules.players)):
        out[seat] = int(state.num_built)


@kernel
def returns(rules: Record, state: Record, out: Row) -> None:
    """Write +1 for everybody on a win, -1 on a loss, 0 where the game was cut off (16.3)."""
    for seat in range(int(rules.players)):
        out[seat] = 1.0 if state.result == Result.CORE else 0.0 if state.result == Result.TRUNCATED else -1.0


@kernel
def truncated(rules: Record, state: Record) -> bool:
    """Tell whether the game was cut off: neither won nor lost (16.4)."""
    return state.result == Result.TRUNCATED


@kernel
def potential(rules: Record, state: Record) -> float:
    """Return the share of the blueprint's price paid, plus half of what everybody's goods cover of the rest, less the
    sea.

    An ore counts as an atlantium, the least a forge makes of it (7.10). Half the island flooded costs a quarter.
    """
    total = 0
    paid = 0
    covered = 0
    for kind in range(data.NUM_PRICE_TYPES):
        rest = 0
        for component in range(data.NUM_COMPONENTS):
            if state.is_built[component] != 0:
                paid += int(rules.price[component, kind])
            elif state.blueprint[component] != 0:
                rest += int(rules.price[component, kind])
        total += rest
        held = 0
        for seat in range(int(rules.players)):
            held += int(state.goods[seat, kind + 1])
            if kind + 1 == Good.ATLANTIUM:
                held += int(state.goods[seat, Good.ORE])
        covered += min(held, rest)
    total += paid
    flooded = 0
    for peninsula in range(data.NUM_PENINSULAS):
        flooded += int(state.flooded[peninsula])
    built = (2 * paid + covered) / (2 * total) if total > 0 else 0.0
    return built - flooded / (2 * data.NUM_TILES)
