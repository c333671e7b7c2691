"""Rules of thumb for Atlantis (docs/rules/atlantis.md)."""

from __future__ import annotations

from atlantis_agents.heuristics import Heuristic
from atlantis_agents.heuristics.atlantis.choices import decide, score_actions
from atlantis_agents.heuristics.atlantis.scratch import SCRATCH
from atlantis_agents.heuristics.atlantis.weights import make_weights

HEURISTIC = Heuristic(decide, make_weights(), SCRATCH, score_actions)
