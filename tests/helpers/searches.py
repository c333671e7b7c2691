"""Searches taken apart: one position of several, and what single simulations of its actions were worth."""

from __future__ import annotations

from typing import Any

import numpy as np

from atlantis_agents.search.agent import SearchAgent
from atlantis_envs.seats.agents import Positions


def row_of(seen: Positions, row: int) -> Positions:
    """Return one of these positions, alone."""
    return Positions(seen.game, *(part[[row]] for part in (seen.states, seen.seats, seen.observations, seen.masks)))


def single_samples(agent: SearchAgent, seen: Positions, noise: Any, row: int, count: int) -> Any:
    """Return the win shares of the first ``count`` simulations of every legal action, float64 (count, A)."""
    legal, totals = int(seen.masks[row].sum()), [np.zeros(seen.game.num_actions)]
    for k in range(1, count + 1):
        even = SearchAgent.from_argument(agent.game, f"{k * legal},spread=even,horizon={agent.settings.horizon}")
        totals.append(even.study(row_of(seen, row), noise[[row]]).means[0] * k)
    return np.diff(np.array(totals), axis=0)
