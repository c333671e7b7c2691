"""Scores and returns (8.4, 8.7, 12)."""

from __future__ import annotations

from atlantis_envs.engine.definition import Record, Row
from atlantis_envs.engine.kernel import kernel
from atlantis_envs.games.atlantis.payment import owned
from atlantis_envs.games.atlantis.state import Phase


@kernel
def scores(rules: Record, state: Record, out: Row) -> None:
    """Write the final scores; before the end what each seat owns, T of 8.4."""
    for seat in range(int(rules.players)):
        out[seat] = state.final[seat] if state.phase == Phase.OVER else owned(state, seat)


@kernel
def returns(rules: Record, state: Record, out: Row) -> None:
    """Write the shared victory rescaled to sum to zero: (n w - 1) / (n - 1), w = 1/k for k winners (8.7, 12.2)."""
    players = int(rules.players)
    best = int(state.final[0])
    winners = 0
    for seat in range(players):
        score = int(state.final[seat])
        if score > best:
            best, winners = score, 1
        elif score == best:
            winners += 1
    for seat in range(players):
        share = 1.0 / winners if int(state.final[seat]) == best else 0.0
        out[seat] = (players * share - 1.0) / (players - 1)
