"""Atlantis, declared for the engine (Leo Colovini, Amigo 2009; 2 to 4 players).

Rules: docs/rules/atlantis.md. Hidden hands, chance, payments item by item; utility is the shared victory rescaled to
sum to zero.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from atlantis_envs.engine.definition import ZERO_SUM, Definition, SearchDefaults, Versions
from atlantis_envs.games.atlantis import data, document, layout, value
from atlantis_envs.games.atlantis.actions import ACTIONS, OUTCOMES, STREAMS
from atlantis_envs.games.atlantis.check import FLAGS, check
from atlantis_envs.games.atlantis.options import RULES, AtlantisOptions, parse_options
from atlantis_envs.games.atlantis.rules import observation, payment, play
from atlantis_envs.games.atlantis.state import STATE

if TYPE_CHECKING:
    from atlantis_envs.drawing.look import Look

MOVES_PER_PAWN = 54  # 15.1
PASSES_IN_A_RUN = 53  # 15.2: each draws two of 105 cards, the last perhaps one
CARDS_OF_A_SALE = 3
CARDS_OF_A_TURN = 4


def node_bound(options: AtlantisOptions) -> int:
    """Return a number of nodes that no game exceeds (15.1 - 15.3)."""
    players = options.players
    pawns = data.NUM_PAWNS * players
    tiles = 2 * data.TILES_PER_SIDE
    moves = MOVES_PER_PAWN * pawns
    with_sale_or_bridge = tiles + players
    idle = (players - 1) * (moves + 1 + with_sale_or_bridge)
    turns = moves + PASSES_IN_A_RUN * (moves + 1) + with_sale_or_bridge + idle + 1
    setup = 1 + data.NUM_SPACES - 1 + data.MAX_START_HAND * players
    per_turn = 1 + CARDS_OF_A_TURN  # a pawn or a pass, and the draw
    per_move = pawns + data.NUM_CARDS + 3  # cards played, cards paid, an under tile, `done` twice
    tiles_given = tiles * (1 + CARDS_OF_A_SALE)  # sold, or paid
    return setup + turns * per_turn + moves * per_move + tiles_given + players


@cache
def _look() -> Look:
    """Load how positions look, when one is to be seen."""
    from atlantis_envs.games.atlantis.show.drawing import LOOK

    return LOOK


GAME = Definition(
    name="atlantis",
    title="Atlantis",
    versions=Versions(rules=2, observation=3, actions=2, chance=2),
    min_players=data.MIN_PLAYERS,
    max_players=data.MAX_PLAYERS,
    default_players=data.MAX_PLAYERS,
    utility=ZERO_SUM,
    state_dtype=STATE,
    rules_dtype=RULES,
    parse_options=parse_options,
    actions=ACTIONS,
    outcomes=OUTCOMES,
    streams=STREAMS,
    observation=layout.LAYOUT,
    bound=node_bound,
    bound_reason="pawns only go forward, and a run of passes draws at most 105 cards (15.1 - 15.3)",
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
    scores=payment.scores,
    returns=payment.returns,
    check=check,
    resample=observation.resample,
    phase=play.phase,
    value=value.value,
    search=SearchDefaults(simulations=256, rollout="heuristic", horizon="round", least=20, leaf="value", gate=0.5),
    resample_nodes="nodes where that seat decides, and the start of another seat's turn, nothing done in it yet (11.4)",
)
