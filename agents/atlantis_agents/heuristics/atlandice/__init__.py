"""Rules of thumb for Atlandice (docs/rules/atlandice.md)."""

from __future__ import annotations

from atlantis_agents.heuristics import Heuristic
from atlantis_agents.heuristics.atlandice.choices import decide
from atlantis_agents.heuristics.atlandice.weights import make_weights
from atlantis_agents.heuristics.atlandice.work import WORK

HEURISTIC = Heuristic(decide, make_weights(), WORK, work_records=2)
