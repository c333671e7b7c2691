"""Atlantis Rising, second edition, declared for the engine (Ciscell and Dickman, Elf Creek Games 2019; 1 to 7 players).

Rules: docs/rules/atlantis_rising.md. Cooperative: every seat gets the same return.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from atlantis_envs.engine.definition import IDENTICAL, Definition, SearchDefaults, Versions
from atlantis_envs.games.atlantis_rising import data, document, value
from atlantis_envs.games.atlantis_rising.actions import ACTIONS, OUTCOMES, STREAMS
from atlantis_envs.games.atlantis_rising.check import FLAGS, check
from atlantis_envs.games.atlantis_rising.data import Basic
from atlantis_envs.games.atlantis_rising.layout import LAYOUT
from atlantis_envs.games.atlantis_rising.options import DECLINES, RULES, AtlantisRisingOptions, parse_options
from atlantis_envs.games.atlantis_rising.rules import observation, play
from atlantis_envs.games.atlantis_rising.state import STATE

if TYPE_CHECKING:
    from atlantis_envs.drawing.look import Look

DECISIONS_PER_ROUND = 11_000  # 19: in a round without library cards; no more nodes are chance than decisions
DECISIONS_PER_CARD = 100  # ... and what one card can add, once, in whatever round it leaves a hand
NODES_PER_BUDGET = 40  # what one lift or yield more than usual can cause
NODES_PER_DECLINE = 160  # ... and one refused payment more, in each of three phases
USUAL_BUDGET = 5


def most_cards(options: AtlantisRisingOptions) -> int:
    """Return how often library cards leave a hand in a game, at most (19).

    The library is drawn once, and once more after every reshuffle: there are the memory crystal's and one for each
    archive recovery, which leaves the game; each of these also brings one card back into a hand.
    """
    tables = options.tables
    cards = sum(entry["copies"] for entry in tables["library"].values())
    cards += tables["constants"]["artifacts_in_library"]["value"]
    archives = tables["library"][data.BASIC_CARDS[Basic.ARCHIVE_RECOVERY]]["copies"]
    return int(cards * (2 + archives) + archives)


def node_bound(options: AtlantisRisingOptions) -> int:
    """Return a number of nodes that no game exceeds (19)."""
    budget = max(0, options.lift_budget + options.yield_budget - USUAL_BUDGET)
    declines = max(0, options.decline_budget - DECLINES)
    per_seat = NODES_PER_BUDGET * budget + NODES_PER_DECLINE * declines
    rounds = min(options.round_limit or options.truncation, options.truncation)
    in_cards = 2 * DECISIONS_PER_CARD * most_cards(options)
    return rounds * (2 * DECISIONS_PER_ROUND + per_seat * options.players) + in_cards


@cache
def _look() -> Look:
    """Load how positions look, when one is to be seen."""
    from atlantis_envs.games.atlantis_rising.show.drawing import LOOK

    return LOOK


GAME = Definition(
    name="atlantis_rising",
    title="Atlantis Rising",
    versions=Versions(rules=3, observation=2, actions=1, chance=2),
    min_players=data.MIN_PLAYERS,
    max_players=data.MAX_PLAYERS,
    default_players=4,
    utility=IDENTICAL,
    state_dtype=STATE,
    rules_dtype=RULES,
    parse_options=parse_options,
    actions=ACTIONS,
    outcomes=OUTCOMES,
    streams=STREAMS,
    observation=LAYOUT,
    bound=node_bound,
    bound_reason="rounds are bounded (10.4), and in each placing, lifting, drains and actions (19); so is how often "
    "library cards leave hands, as archive recovery leaves the game (12.4); no more nodes are chance than decisions",
    look=_look,
    flags=FLAGS,
    provenance=data.PROVENANCE,
    to_json=document.to_json,
    from_json=document.from_json,
    reset=play.reset,
    node=play.node,
    legal=play.legal,
    chance=play.chance,
    apply=play.apply,
    observe=observation.observe,
    scores=play.scores,
    returns=play.returns,
    check=check,
    resample=observation.resample,
    potential=play.potential,
    truncated=play.truncated,
    phase=play.phase,
    value=value.value,
    search=SearchDefaults(
        rollout="heuristic",
        horizon="round",
        leaf="value",
        gate=1.0,
    ),
)
