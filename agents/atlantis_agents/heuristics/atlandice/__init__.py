"""Rules of thumb for Atlandice (docs/rules/atlandice.md)."""

from __future__ import annotations

from atlantis_agents.heuristics import Heuristic
from atlantis_agents.heuristics.atlandice.choices import decide, decide_rest, fast_decide, score_actions
from atlantis_agents.heuristics.atlandice.race import value
from atlantis_agents.heuristics.atlandice.scratch import SCRATCH
from atlantis_agents.heuristics.atlandice.weights import DEEP, make_weights

HEURISTIC = Heuristic(
    decide,
    make_weights(),
    SCRATCH,
    score_actions,
    scratch_records=2,
    value=value,
    deep=make_weights(DEEP),
    fast_decide=fast_decide,
    decide_rest=decide_rest,
)
