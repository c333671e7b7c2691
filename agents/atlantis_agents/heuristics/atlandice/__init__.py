"""Rules of thumb for Atlandice (docs/rules/atlandice.md)."""

from __future__ import annotations

from atlantis_agents.heuristics import Heuristic
from atlantis_agents.heuristics.atlandice.choices import decide
from atlantis_agents.heuristics.atlandice.weights import DEEP, make_weights
from atlantis_agents.heuristics.atlandice.work import WORK

HEURISTIC = Heuristic(decide, make_weights(), WORK, deep=make_weights(DEEP), work_records=2)
