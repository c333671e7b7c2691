"""Rules of thumb for Atlantis Rising (docs/rules/atlantis_rising.md): one team, every seat thinks for all of them."""

from __future__ import annotations

from atlantis_agents.heuristics import Heuristic
from atlantis_agents.heuristics.atlantis_rising.choices import decide, glance, rank, think
from atlantis_agents.heuristics.atlantis_rising.weights import make_weights
from atlantis_agents.heuristics.atlantis_rising.work import WORK

HEURISTIC = Heuristic(decide, make_weights(), WORK, rank, glance=glance, think=think)
