"""Atlandice, declared for the engine (Huntington and Graham, Ludonaute 2018; 2 to 4 players).

Rules: docs/rules/atlandice.md. Perfect information with chance; utility is the shared victory rescaled to sum to zero.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from atlantis_envs.engine.definition import ZERO_SUM, Definition, SearchDefaults, Versions
from atlantis_envs.games.atlandice import data, document
from atlantis_envs.games.atlandice.actions import ACTIONS, OUTCOMES, STREAMS
from atlantis_envs.games.atlandice.check import FLAGS, check
from atlantis_envs.games.atlandice.layout import LAYOUT
from atlantis_envs.games.atlandice.options import RULES, AtlandiceOptions, parse_options
from atlantis_envs.games.atlandice.rules import board, observation, play
from atlantis_envs.games.atlandice.state import STATE

if TYPE_CHECKING:
    from atlantis_envs.drawing.look import Look

DECISIONS_PER_VISIT = 25  # 16.2: a full chain, eleven Sectors with two takes each, then an effect of two nodes
ROLLS_PER_VISIT = 21
SETUP_AND_LATER_REVEALS = 11
OPTIONAL_DECISIONS_PER_VISIT = 11


def node_bound(options: AtlandiceOptions) -> int:
    """Return a number of nodes that no game exceeds (16.3)."""
    per_visit = DECISIONS_PER_VISIT + ROLLS_PER_VISIT
    if options.optional_effects:
        per_visit += OPTIONAL_DECISIONS_PER_VISIT
    pieces = data.NUM_TYPES * (data.DISTRICT_PIECES[options.players] + data.MARKET_PIECES)
    donations = options.spaces.count("donation") * (pieces + options.players)
    return options.last * (options.dice + per_visit * options.visits) + SETUP_AND_LATER_REVEALS + donations


@cache
def _look() -> Look:
    """Load how positions look, when one is to be seen."""
    from atlantis_envs.games.atlandice.show.drawing import LOOK

    return LOOK


GAME = Definition(
    name="atlandice",
    title="Atlandice",
    versions=Versions(rules=2, observation=3, actions=1, chance=2),
    min_players=data.MIN_PLAYERS,
    max_players=data.MAX_PLAYERS,
    default_players=3,
    utility=ZERO_SUM,
    state_dtype=STATE,
    rules_dtype=RULES,
    parse_options=parse_options,
    actions=ACTIONS,
    outcomes=OUTCOMES,
    streams=STREAMS,
    observation=LAYOUT,
    bound=node_bound,
    bound_reason="the hand advances at least one space a round and a visit is bounded by the chain cap (16.1 - 16.3)",
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
    scores=board.scores,
    returns=board.returns,
    check=check,
    resample=observation.resample,
    phase=play.phase,
    search=SearchDefaults(rollout="mixed", horizon=24, leaf="heuristic"),
)
