"""Features of Atlantis Rising against the scores of the heuristic with their weights, whose appraisal they show."""

from __future__ import annotations

import numpy as np
import pytest

import atlantis_envs
from atlantis_agents.features import MOST, find_features, with_features
from atlantis_agents.features.atlantis_rising import FINE
from atlantis_agents.heuristic import HeuristicAgent
from atlantis_agents.heuristics.atlantis_rising.deploy import PLANNED
from atlantis_envs.games.atlantis_rising.actions import Act
from atlantis_envs.games.atlantis_rising.data import (
    GATE,
    MAX_PLAYERS,
    NUM_GATES,
    NUM_LOCATIONS,
    NUM_PENINSULAS,
    NUM_WILD,
    Basic,
    Kind,
)
from atlantis_envs.games.atlantis_rising.layout import At
from atlantis_envs.games.atlantis_rising.state import NODES, Node
from atlantis_training.selfplay.dataset import demonstrate

EDITION = 1  # whose weights play every kind of choice in few games
UNKNOWN, UNFIT = -50, -100


@pytest.fixture(scope="module")
def games():
    """Node, features by name, scores and legal actions at every choice of some games of 1, 2, 5 and 7 seats."""
    features, parts = find_features("atlantis_rising", EDITION), []
    for players in (1, 2, 5, 7):
        game = atlantis_envs.game("atlantis_rising", players=players, level=3)
        agent = HeuristicAgent(game, weights=features.weights)
        watched = demonstrate(game, agent, np.arange(12), 5, scored=True)
        rows = with_features(game, watched.obs, EDITION)
        told = np.where(watched.masks, watched.scores, np.inf).min(axis=1) < watched.scores.max(axis=1)
        parts.append((watched.obs, rows[:, game.observation_size :], watched.scores, watched.masks, told))
    seen, rows, scores, masks, told = (np.concatenate(column) for column in zip(*parts, strict=True))
    nodes = seen[:, At.NODE : At.NODE + len(NODES)].argmax(axis=1)

    def at(node, first, count):
        """Features by name, scores and legality of so many actions, where scores tell something at a node."""
        here = (nodes == node) & told
        actions = slice(first, first + count)
        return features.layout.view(rows[here]), scores[here, actions].astype(np.float64), masks[here, actions]

    return at


def is_byte_of(found, wanted, legal):
    """Whether bytes are these numbers, cut off at both ends, where it is legal; and that there are some."""
    expected = np.clip(np.nan_to_num(wanted, neginf=0.0), 0, MOST).astype(int)
    assert legal.sum() > 5
    return (np.abs(found.astype(int) - expected)[legal] <= 1).all()  # scores have passed through float32


def test_what_a_flood_costs(games):
    found, scores, legal = games(Node.FLOOD, Act.FLOOD, NUM_PENINSULAS)
    assert is_byte_of(found["flooding"], FINE * (1 - scores), legal)
    assert (found["flooding"][legal] == 0).any()  # where a barrier takes it


def test_what_the_piece_in_hand_is_good_for(games):
    found, scores, legal = games(Node.PLACE, Act.AT, NUM_LOCATIONS)
    unplanned = legal & (scores > UNKNOWN) & (scores < PLANNED / 2)
    unplanned[:, GATE : GATE + NUM_GATES] = False
    assert is_byte_of(found["value"], 1 + FINE * scores, unplanned)
    gates = scores[:, GATE : GATE + NUM_GATES]
    wanted = legal[:, GATE : GATE + NUM_GATES] & (gates >= PLANNED)
    assert is_byte_of(found["gate"], 1 + gates - PLANNED, wanted)
    assert (found["gate"][legal[:, GATE : GATE + NUM_GATES] & (gates == UNFIT)] == 0).all()


def test_what_each_kind_at_home_is_good_for(games):
    found, scores, legal = games(Node.DEPLOY, Act.PLACE, Kind.AUTOMATON + 1)
    for kind in (Kind.FOLLOWER, Kind.VOLUNTEER):  # the leader's score has a little besides
        score, able = scores[:, kind], legal[:, kind] & (scores[:, kind] > UNKNOWN)
        planned = able & (score >= PLANNED)
        assert is_byte_of(found["wanted"][:, kind], 1 + score - PLANNED, planned)
        assert is_byte_of(found["best"][:, kind], 1 + FINE * score, able & ~planned)


@pytest.mark.parametrize(("node", "piece", "sign"), [
    (Node.FONT, "energy", -1), (Node.RECRUIT, "reserve", 1), (Node.REPEAT_SEAT, "reserve", 1),
    (Node.AMPLIFY, "offer", FINE),
])  # fmt: skip
def test_seats_stand_in_the_order_of_the_actions(games, node, piece, sign):
    found, scores, legal = games(node, Act.SEAT, MAX_PLAYERS)
    assert is_byte_of(found[piece], sign * scores, legal)


def test_what_an_atlas_and_a_repetition_bring(games):
    found, scores, legal = games(Node.CHART, Act.CHART, NUM_WILD)
    assert is_byte_of(found["chart"], 8 * scores, legal)
    found, scores, legal = games(Node.ACT, Act.PLAY + Basic.ENIGMA_OF_FERVOUR, 1)
    able, enough = legal[:, 0], 64 * find_features("atlantis_rising", EDITION).weights["repetition"][0]
    worth = found["again"][:, MAX_PLAYERS].astype(float)
    sure = able & (np.abs(worth - enough) > 1)  # beside the edge of a byte
    assert np.array_equal((scores[:, 0] > 0)[sure], (worth > enough)[sure])
    assert (found["again"][:, MAX_PLAYERS] == found["again"][:, :MAX_PLAYERS].max(axis=1)).all()
