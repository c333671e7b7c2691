"""What a position is worth to every seat: the odds that its points, and those it may expect, are the most."""

from __future__ import annotations

import math

from atlantis_agents.heuristics.atlandice import race
from atlantis_agents.heuristics.atlandice.scratch import unpack
from atlantis_envs.engine.definition import Record, Row
from atlantis_envs.kernels.kernel import kernel


@kernel
def value(weights: Record, scratch: Row, observation: Row, out: Row) -> None:
    """Win shares, own seat first: a softmax of the totals, the surer the fewer rounds are left."""
    own = scratch[0]
    unpack(observation, own)
    race.foresee(weights, own)
    players = int(own.players)
    scale = weights.certainty / math.sqrt(1.0 + own.to_come / int(own.visits))
    best = own.total[0]
    for seat in range(1, players):
        best = max(best, own.total[seat])
    everyone = 0.0
    for seat in range(players):
        out[seat] = math.exp(scale * (own.total[seat] - best))
        everyone += out[seat]
    for seat in range(players):
        out[seat] /= everyone
