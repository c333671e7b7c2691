"""Rules of thumb for Atlantis Rising (docs/rules/atlantis_rising.md): one team, every seat thinks for all of them."""

from __future__ import annotations

from atlantis_agents.heuristics import Heuristic
from atlantis_agents.heuristics.atlantis_rising.choices import decide, decide_rest, fast_decide, score_actions
from atlantis_agents.heuristics.atlantis_rising.scratch import SCRATCH
from atlantis_agents.heuristics.atlantis_rising.weights import RULES_2, weights_by_players

HEURISTIC = Heuristic(
    decide,
    weights_by_players(),
    SCRATCH,
    score_actions,
    rollout_weights=weights_by_players(alone=RULES_2),
    fast_decide=fast_decide,
    decide_rest=decide_rest,
)
