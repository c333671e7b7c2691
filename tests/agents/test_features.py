"""Features of an observation: right where they can be worked out in another way, and nothing that it does not tell."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from helpers.support import scaled

import atlantis_envs
from atlantis_agents.features import _make_loop, feature_editions, feature_names, find_features, with_features
from atlantis_agents.features.atlandice import FINE as THIRTIETHS
from atlantis_agents.features.atlandice import LEAD, ZERO
from atlantis_agents.features.atlantis import EVEN, FINE, HOME, NOTHING
from atlantis_agents.heuristic import HeuristicAgent, PlannerAgent, find_heuristic
from atlantis_agents.networks.policy import (
    AFTERSTATES,
    FEATURES,
    MANIFEST,
    NetworkAgent,
    PolicyAgent,
    inputs_high,
    save_policy,
)
from atlantis_envs.engine.position import Position
from atlantis_envs.engine.records import plain, plain_records
from atlantis_envs.errors import OptionError
from atlantis_envs.games.atlandice.data import MAX_PARTICIPANTS, NUM_SECTORS, NUM_TYPES
from atlantis_envs.games.atlandice.state import Node
from atlantis_envs.games.atlantis.actions import Act
from atlantis_envs.games.atlantis.data import MAX_PLAYERS, NUM_OBJECTS, NUM_PAWNS, NUM_VALUES, OBJECTS
from atlantis_envs.games.atlantis.state import Phase
from atlantis_envs.seats.positions import ask
from atlantis_training.selfplay.dataset import demonstrate

GAMES = [("atlandice", 2), ("atlandice", 4), ("atlantis", 3), ("atlantis_rising", 1), ("atlantis_rising", 5)]


def some_batch(name, players, lanes=24, plies=60, seed=5):
    """Games that the heuristic, going astray now and then, has brought some way: each lane another number of plies."""
    game = atlantis_envs.game(name, players=players)
    batch, agent, generator = game.batch(lanes, seed), HeuristicAgent(game), np.random.default_rng(seed)
    for ply in range(plies):
        going = np.flatnonzero(np.arange(lanes) * plies >= ply * lanes)
        masks = batch.action_masks[going]
        told = agent.act(batch.observations[going], masks, batch.noise(seed, going))
        astray = (masks * generator.random(masks.shape)).argmax(axis=1)
        batch.step(np.where(generator.random(len(going)) < 0.2, astray, told), going)
    return batch


def described(batch):
    """Features by name, (N, size) each."""
    layout = find_features(batch.game.name).layout
    return layout.view(with_features(batch.game, batch.observations)[:, batch.game.observation_size :])


@pytest.mark.parametrize(("name", "players"), GAMES)
def test_features_stand_behind_the_observation_and_are_its_function(name, players):
    layout, seen = find_features(name).layout, []
    for seed in range(scaled(3, 30)):
        batch = some_batch(name, players, plies=900 if name == "atlantis_rising" else 240, seed=seed)
        wide = with_features(batch.game, batch.observations)
        assert np.array_equal(wide[:, : batch.game.observation_size], batch.observations)
        assert np.array_equal(wide[7], with_features(batch.game, batch.observations[7:8])[0])  # whatever came before
        seen.append(wide)
    seen.append(met_in_games(name, players))
    rows = np.concatenate(seen)
    assert (rows <= inputs_high(batch.game, find_features(name))).all()
    varied = rows[:, batch.game.observation_size :].std(axis=0) > 0
    silent = [piece.name for piece in layout if not varied[piece.start : piece.stop].any()]
    assert not silent


def weights_of(features, players):
    """The record of so many players, as an array of one."""
    return features.weights[min(len(features.weights), players) - 1 :][:1]


def shown_by(features, rows):
    """Observations and features of these weights alone, as bytes."""
    out = np.empty((len(rows), rows.shape[1] + features.layout.size), np.uint8)
    _make_loop(features)(plain(features.weights), plain_records(1, features.scratch_dtype), rows, out)
    return out.tobytes()


def met_in_games(name, players):
    """What a network sees at every choice of some games of the heuristic, with the weights of every edition."""
    game = atlantis_envs.game(name, players=players)
    numbers = np.arange(16 if name == "atlantis_rising" else 64)
    agents = [HeuristicAgent(game, weights=weights_of(each, players)) for each in feature_editions(name)]
    return with_features(game, np.concatenate([demonstrate(game, agent, numbers, 1).obs for agent in agents]))


def test_a_card_leads_where_the_rules_lead_it():
    """Targets, tolls and tiles of the features against playing the card."""
    tried = wins = 0
    for seed in range(scaled(4, 40)):
        batch = some_batch("atlantis", 3, plies=150, seed=seed)
        found = described(batch)
        for lane in range(len(batch.states)):
            position = Position(batch.game, batch.states[lane : lane + 1])
            seat, view = position.seat, seen_by(position, position.seat)
            if not view["phase"][Phase.PLAY]:
                continue
            number = int(view["pawn"].argmax())
            for action in position.legal_actions():
                at = NUM_OBJECTS * number + OBJECTS.index(action.split()[1])
                after = position.clone()
                after.apply(action)
                seen = seen_by(after, seat)
                if seen["phase"][Phase.PAY]:  # it arrived, and the toll is due
                    assert found["target"][lane, at] == seen["x"][0] and not found["occupied"][lane, at]
                    assert found["toll"][lane, at] == seen["due"][0]
                    value = int(found["tile"][lane, at]) - int(seen["due"][0])
                    assert found["gain"][lane, at] == max(NOTHING, EVEN + FINE * value)
                    tried += 1
                elif seen["phase"][Phase.PLAY]:
                    assert found["target"][lane, at] == seen["x"][0] and found["occupied"][lane, at]
                else:  # nothing was due, so the tile is won
                    won = seen["tiles"][:NUM_VALUES].astype(int) - view["tiles"][:NUM_VALUES]
                    value = int(found["tile"][lane, at])
                    assert won.sum() == (value > 0) and (value == 0 or won[value - 1] == 1)
                    assert found["gain"][lane, at] == EVEN + FINE * (value - int(found["toll"][lane, at]))
                    wins += 1
    assert tried > 5 and wins > 5


def seen_by(position, seat):
    """The observation of a seat by name."""
    return position.game.definition.observation.view(position.observation(seat))


def test_chains_are_as_the_heuristic_scores_them():
    """Atlantis: the best move that begins with a card, and the best of all of them."""
    compared = 0
    for seed in range(scaled(4, 40)):
        batch = some_batch("atlantis", 3, plies=150, seed=seed)
        seen, found = batch.game.definition.observation.view(batch.observations), described(batch)
        scores = HeuristicAgent(batch.game).scores(batch.observations, batch.action_masks)
        chains = found["chain"].reshape(len(scores), NUM_PAWNS, NUM_OBJECTS)
        for lane in np.flatnonzero(batch.action_masks.sum(axis=1) > 1):
            if seen["phase"][lane, Phase.PLAY]:
                own = scores[lane, Act.PLAY : Act.PLAY + NUM_OBJECTS]
                shown = chains[lane, int(seen["pawn"][lane].argmax())]
            elif seen["phase"][lane, Phase.TURN]:
                own = scores[lane, Act.PAWN : Act.PAWN + NUM_PAWNS]
                shown = chains[lane].max(axis=1)
                assert found["next"][lane, 0] == shown.max()
            else:
                continue
            looked = own > -100  # neither illegal nor not looked into
            assert np.abs(np.clip(EVEN + FINE * own[looked], 1, 255) - shown[looked]).max(initial=0) <= 1
            compared += looked.sum()
    assert compared > 20


def test_what_threatens_is_what_the_other_seat_sees():
    """Atlantis: what a card would win for an opponent, where that seat has it, and how likely it has it."""
    compared = certain = 0
    for seed in range(scaled(4, 40)):
        batch = some_batch("atlantis", 3, plies=150, seed=seed)
        layout, size = find_features("atlantis").layout, batch.game.observation_size
        for lane in range(len(batch.states)):
            position = Position(batch.game, batch.states[lane : lane + 1])
            rows = np.stack([position.observation(seat) for seat in range(3)])
            found = layout.view(with_features(batch.game, rows)[:, size:])
            seen = batch.game.definition.observation.view(rows)
            threats = found["threat"].reshape(3, MAX_PLAYERS - 1, NUM_PAWNS, NUM_OBJECTS)
            odds = found["odds"].reshape(3, MAX_PLAYERS - 1, NUM_OBJECTS)
            known = seen["known"].reshape(3, MAX_PLAYERS, NUM_OBJECTS)
            for seat, other in ((0, 1), (1, 2), (2, 0), (0, 2)):
                place = (other - seat) % 3 - 1
                assert (odds[seat, place][known[seat, place + 1] > 0] == 255).all()
                certain += (known[seat, place + 1] > 0).sum()
                if seen["hand_size"][seat, place + 1] == 0:
                    assert not odds[seat, place].any()
                if seen["chosen"][other, 0]:  # its pawn stands elsewhere by now
                    continue
                gains = found["gain"][other].reshape(NUM_PAWNS, NUM_OBJECTS)
                held = gains > NOTHING
                assert (threats[seat, place][held] == np.maximum(EVEN, gains[held])).all()
                assert (odds[seat, place][seen["hand"][other] > 0] > 0).all()
                compared += held.sum()
    assert compared > 100 and certain > 0


def test_danger_is_another_pawn_that_reaches_the_same_tile():
    """Atlantis, 2 players: the odds of the likeliest card by which the opponent wins that tile."""
    compared = 0
    for seed in range(scaled(4, 40)):
        batch = some_batch("atlantis", 2, plies=120, seed=seed)
        seen = batch.game.definition.observation.view(batch.observations)
        found = described(batch)
        for lane in np.flatnonzero(seen["chosen"][:, 0] == 0):
            position = Position(batch.game, batch.states[lane : lane + 1])
            other = position.observation(1 - position.seat)[None]
            size = batch.game.observation_size
            theirs = find_features("atlantis").layout.view(with_features(batch.game, other)[:, size:])
            pawns = seen["pawns"][lane].reshape(MAX_PLAYERS, NUM_PAWNS)
            odds = found["odds"][lane, :NUM_OBJECTS].astype(int)
            reached = {}
            for at, target in enumerate(theirs["target"][0]):
                if pawns[1, at // NUM_OBJECTS] < HOME and not theirs["occupied"][0, at]:
                    tile = tile_won(seen, lane, int(pawns[1, at // NUM_OBJECTS]), int(target))
                    reached[tile] = max(reached.get(tile, 0), odds[at % NUM_OBJECTS])
            for at, target in enumerate(found["target"][lane]):
                if pawns[0, at // NUM_OBJECTS] < HOME:
                    tile = tile_won(seen, lane, int(pawns[0, at // NUM_OBJECTS]), int(target))
                    wanted = reached.get(tile, 0) if tile else 0
                    assert abs(int(found["danger"][lane, at]) - wanted) <= 1
                    compared += wanted > 0
            hopes = found["threat"][lane].reshape(-1, NUM_PAWNS, NUM_OBJECTS)[0].max(axis=0).astype(int) - EVEN
            expected, missing = 0.0, 1.0
            for thing in np.argsort(-hopes, kind="stable"):
                expected += missing * odds[thing] / 255 * hopes[thing]
                missing *= 1 - odds[thing] / 255
            assert abs(int(found["expected"][lane, 0]) - expected) <= 1
    assert compared > 100


def tile_won(seen, lane, start, target):
    """The place whose tile a pawn wins on its way: the last before its target with no other pawn; 0: none (7.2)."""
    pawns = set(seen["pawns"][lane].tolist())
    for place in range(target - 1, 0, -1):
        if seen["value"][lane, place - 1] and (place == start or place not in pawns):
            return place
    return 0


def test_what_a_type_pays_is_what_the_final_scoring_gives():
    """Atlandice: 3 points to the first or those tied for it, 1 to whoever is second to a sole first (13.1)."""
    for players in (3, 4):
        batch = some_batch("atlandice", players, plies=120)
        seen, found = batch.game.definition.observation.view(batch.observations), described(batch)
        stocks = seen["stock"].reshape(len(batch.observations), MAX_PARTICIPANTS, NUM_TYPES)[:, :players]
        for lane, kind in np.ndindex(len(stocks), NUM_TYPES):
            for name, changed in (("pays", None), ("pays_less", 0), ("pays_more", ...)):
                for seat in range(players):
                    counts = stocks[lane, :, kind].astype(int)
                    counts[seat if changed is ... else changed or 0] += changed is not None
                    ranked = sorted({count for count in counts if count}, reverse=True)
                    own, alone = counts[seat], len(ranked) > 0 and (counts == ranked[0]).sum() == 1
                    points = 3 if own and own == ranked[0] else int(alone and len(ranked) > 1 and own == ranked[1])
                    live = found["tiles"][lane, kind] > 0
                    assert found[name][lane, MAX_PARTICIPANTS * kind + seat] == points * live, (name, counts)


def test_the_rest_of_the_round_is_as_the_planner_sees_it():
    """A die taken, then what the table is worth two visits later, or after the round: the planner's score of it."""
    compared = [0, 0]
    for players in (2, 3, 4):
        for seed in range(scaled(2, 20)):
            batch = some_batch("atlandice", players, lanes=48, plies=100, seed=seed)
            layout = find_features("atlandice").layout
            scores = PlannerAgent(batch.game).scores(batch.observations, batch.action_masks)
            before = batch.game.definition.observation.view(batch.observations)
            after = batch.afterstates()
            seen = batch.game.definition.observation.view(after.observations)
            found = layout.view(with_features(batch.game, after.observations)[:, batch.game.observation_size :])
            visits = batch.game.options.visits
            for index, row in enumerate(after.rows):
                if not before["node"][row, Node.VISIT] or not seen["node"][index, Node.TAKE]:
                    continue
                if batch.action_masks[row].sum() < 2:  # the planner scores nothing where there is no choice
                    continue
                last = before["visit"][row, 0] + 3 >= visits
                byte = found["table"][index, 3 if last else 2]
                wanted = np.clip(ZERO + LEAD * scores[row, after.actions[index]], 0, 255)
                assert abs(int(byte) - wanted) <= 1.01, (players, seed, index)
                compared[int(last)] += 1
    assert min(compared) > 20


def test_an_offer_is_what_the_die_beside_a_sector_means():
    """No die, no offer; what an emptied round looks like is what it looks like now."""
    batch = some_batch("atlandice", 3, plies=120)
    seen, found = batch.game.definition.observation.view(batch.observations), described(batch)
    offers = found["offer"].reshape(len(batch.observations), -1, NUM_SECTORS)
    assert ((offers[:, :3] > 0) == (seen["dice"] > 0)[:, None]).all() and not offers[:, 3].any()
    assert (found["pace"].sum(axis=1) == 1).all()
    donating = seen["node"][:, Node.DONATE] | seen["node"][:, Node.DONATE_MORE] > 0
    assert (found["table"][donating] == found["table"][donating][:, :1]).all()


def test_what_a_seat_is_offered_is_the_same_to_everybody():
    """Atlandice: the inputs about another seat are those that it has about itself."""
    features, compared = find_features("atlandice"), 0
    for players in (2, 3, 4):
        batch = some_batch("atlandice", players, lanes=48, plies=100)
        for lane in range(len(batch.states)):
            position = Position(batch.game, batch.states[lane : lane + 1])
            rows = np.stack([position.observation(seat) for seat in range(players)])
            found = features.layout.view(with_features(batch.game, rows)[:, batch.game.observation_size :])
            for name in ("offer", "piece", "hand"):
                by_seat = found[name].reshape(players, 4, -1)
                for seat, other in np.ndindex(players, players):
                    own = by_seat[other, 0].astype(int)
                    assert np.abs(by_seat[seat, (other - seat) % players] - own).max() <= 1, name
                    compared += seat != other and np.ptp(own) > 0
            own = found["piece"].reshape(players, 4, -1)[:, 0].astype(int)
            assert np.abs(own - found["another"]).max() <= 1  # of the first edition
    assert compared > 500


def test_a_change_is_the_table_later_less_the_table_now():
    batch = some_batch("atlandice", 3, plies=120)
    after = batch.afterstates().observations
    rows = with_features(batch.game, after)[:, batch.game.observation_size :]
    found = find_features("atlandice").layout.view(rows)
    table, change = found["table"].astype(float), found["change"].astype(float)
    whole = ((table > 0) & (table < 255)).all(axis=1)[:, None] & (change > 0) & (change < 255)  # nothing is cut off
    later, more = (table[:, 1:] - table[:, :1]) / LEAD, (change - ZERO) / THIRTIETHS
    assert whole.sum() > 50 and np.ptp(more[whole]) > 1
    assert np.abs(later - more)[whole].max() <= 2 / LEAD


def test_a_policy_with_features_is_saved_read_and_played(tmp_path):
    game = atlantis_envs.game("atlantis", players=3)
    size = len(inputs_high(game, find_features("atlantis")))
    assert size == game.observation_size + find_features("atlantis").layout.size
    layers = [(np.random.default_rng(0).normal(size=(1, size)).astype(np.float32), np.zeros(1, np.float32))]
    path = save_policy(tmp_path / "p", game, layers, inputs=AFTERSTATES, features=find_features(game.name))
    batch, lanes = some_batch("atlantis", 3), np.arange(24)
    agent = PolicyAgent(game, path)
    assert agent.features
    chosen = ask(agent, batch, lanes, batch.noise(1))
    after = batch.afterstates()
    scores = (
        with_features(game, after.observations) / inputs_high(game, find_features(game.name)).astype(np.float32)
    ) @ layers[0][0][0]
    for row in lanes:
        own = after.rows == row
        assert chosen[row] == after.actions[own][scores[own].argmax()]
    same = NetworkAgent(game, layers, inputs=AFTERSTATES, features=find_features(game.name))
    assert np.array_equal(chosen, ask(same, batch, lanes, batch.noise(1)))


def test_a_policy_of_other_features_is_refused(tmp_path):
    game = atlantis_envs.game("atlandice", players=3)
    layers = [
        (
            np.zeros((game.num_actions, len(inputs_high(game, find_features(game.name)))), np.float32),
            np.zeros(game.num_actions),
        )
    ]
    path = save_policy(tmp_path / "p", game, layers, features=find_features(game.name))
    manifest = json.loads((path / MANIFEST).read_text())
    first, second = (features.fingerprint() for features in feature_editions(game.name))
    assert first != second == manifest[FEATURES]
    (path / MANIFEST).write_text(json.dumps({**manifest, FEATURES: "0123456789abcdef"}))
    with pytest.raises(OptionError, match=f"features is '0123456789abcdef'; this library has '{first}', '{second}'"):
        PolicyAgent(game, path)
    (path / MANIFEST).write_text(json.dumps({**manifest, FEATURES: ""}))
    with pytest.raises(OptionError, match=r"0\.weight"):
        PolicyAgent(game, path)


def test_a_policy_goes_on_seeing_the_edition_that_it_learned_from(tmp_path):
    game = atlantis_envs.game("atlantis_rising", players=4)
    batch = some_batch("atlantis_rising", 4, plies=300)
    old, new = find_features(game.name, 1), find_features(game.name)
    rows = [with_features(game, batch.observations, features.edition) for features in (old, new)]
    assert new.edition == 2 and not np.array_equal(*rows)
    for features, seen in zip((old, new), rows, strict=True):
        weight = np.random.default_rng(1).normal(size=(game.num_actions, seen.shape[1])).astype(np.float32)
        path = save_policy(tmp_path / "p", game, [(weight, np.zeros(game.num_actions, np.float32))], features=features)
        agent = PolicyAgent(game, path)
        assert agent.features is features
        wanted = seen / inputs_high(game, features).astype(np.float32) @ weight.T
        assert np.allclose(agent.logits(batch.observations), wanted, atol=1e-3)


def test_one_player_alone_has_features_by_numbers_of_its_own():
    """As the heuristic weighs: otherwise alone than in a team."""
    features = find_features("atlantis_rising")
    assert (features.weights == find_heuristic("atlantis_rising").weights).all()
    assert features.weights[0]["raw"] != features.weights[1]["raw"]
    alone, team = (some_batch("atlantis_rising", players, plies=300).observations for players in (1, 3))
    game, other = (atlantis_envs.game("atlantis_rising", players=players) for players in (1, 3))
    assert np.array_equal(with_features(game, alone), with_features(other, alone))  # the observation says who plays
    assert np.array_equal(with_features(game, team), with_features(other, team))
    own, first = (replace(features, weights=features.weights[row : row + 1]) for row in (0, 1))
    assert shown_by(own, alone) == with_features(game, alone).tobytes() != shown_by(first, alone)
    assert shown_by(first, team) == with_features(other, team).tobytes() != shown_by(own, team)


@pytest.mark.parametrize("edition", [-1, 3])
def test_an_edition_that_is_not_there_is_named(edition):
    with pytest.raises(OptionError, match=f"features_edition: {edition}; allowed: 1..2, or 0: the newest"):
        find_features("atlantis_rising", edition)


def test_a_game_without_features_is_named():
    with pytest.raises(OptionError, match="'chess' has none; allowed: " + ", ".join(map(repr, feature_names()))):
        find_features("chess")
