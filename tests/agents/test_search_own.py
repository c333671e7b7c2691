"""A policy that plays the own seat in imagined games: kernels ask it, and choose as it would."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.policies import last_legal_policy, valuing

import atlantis_envs
from atlantis_agents.catalogue import find_agent
from atlantis_agents.features import find_features
from atlantis_agents.networks.compiled import enter, finish, for_kernels, forget, go_back, keep, output
from atlantis_agents.networks.policy import NetworkAgent, network_sizes, save_policy, share_outputs
from atlantis_agents.search.agent import Found, SearchAgent
from atlantis_agents.search.policy import make_policy_kernels, make_search_policy
from atlantis_envs.engine.batch import Batch
from atlantis_envs.engine.definition import Definition
from atlantis_envs.engine.game import Game
from atlantis_envs.engine.records import plain
from atlantis_envs.errors import OptionError
from atlantis_envs.kernels.kernel import entry
from atlantis_envs.seats.agents import Positions, make_agent
from atlantis_envs.seats.positions import ask, determinize

SEED = 5
FOUND = ("choices", "prior_choices", "counts", "means", "errors", "decisions", "scores")
KINDS = [("atlantis", 3, ""), ("atlandice", 3, ""), ("atlantis_rising", 2, "tanh"), ("atlantis", 2, "linear")]


def midgame(game: Game, plies: int = 40, lanes: int = 6) -> Batch:
    made, agent = game.batch(lanes, SEED), make_agent("heuristic", game)
    for _ in range(plies):
        made.step(ask(agent, made, np.arange(lanes), made.noise(SEED)))
    return made


def shown(batch: Batch) -> tuple[Positions, Any]:
    noise = batch.noise(SEED)
    seen = determinize(batch.game, batch.states, batch.seats, batch.observations, batch.action_masks, noise)
    return seen, noise


def study(batch: Batch, text: str) -> Found:
    agent = find_agent(text, batch.game)
    assert isinstance(agent, SearchAgent)
    return agent.study(*shown(batch))


def policy_of(game: Game, kind: str) -> NetworkAgent:
    """What comes with the library, or a network of any numbers: with tanh between its layers, or of a single layer."""
    if not kind:
        found = make_agent("network", game)
        assert isinstance(found, NetworkAgent)
        return found
    generator = np.random.default_rng(SEED)
    hidden = () if kind == "linear" else (24, 18, 17)
    sizes = (game.observation_size, *hidden, game.num_actions)
    layers = [
        (generator.normal(size=(outputs, inputs)).astype(np.float32), generator.normal(size=outputs).astype(np.float32))
        for inputs, outputs in pairwise(sizes)
    ]
    return NetworkAgent(game, layers, activation="tanh")


@entry
def _logits_loop(net: Any, rows: Any, features: Any, base: int, out: Any) -> None:
    forget(net)
    for row in range(len(rows)):
        if row > base >= 0 and row % 2:
            go_back(net)
        enter(net, rows[row], features[row])
        if row == base:
            keep(net)
        finish(net)
        for action in range(out.shape[1]):
            out[row, action] = output(net, action)


@pytest.mark.parametrize(("name", "players", "kind"), KINDS)
@pytest.mark.parametrize("base", [-1, 0, 2])
def test_kernels_compute_what_numpy_computes(name: str, players: int, kind: str, base: int) -> None:
    """Whichever row is remembered."""
    from atlantis_agents.features import with_features

    game = atlantis_envs.game(name, players=players)
    agent, rows = policy_of(game, kind), midgame(game).observations
    features = np.zeros((len(rows), 0), np.uint8)
    if agent.features:
        features = np.ascontiguousarray(with_features(game, rows, agent.features.edition)[:, game.observation_size :])
    wanted = agent.logits(rows)
    found = np.zeros_like(wanted)
    _logits_loop(for_kernels(agent), rows, features, base, found)
    assert np.allclose(found, wanted, rtol=1e-4, atol=1e-3 * np.abs(wanted).max())


@cache
def choosing(definition: Definition, features: Any) -> Any:
    reset, _, choose, _, _ = make_policy_kernels(definition, features, features)

    @entry
    def choose_loop(rules: Any, states: Any, seats: Any, masks: Any, policy: Any, out: Any) -> None:
        reset(rules[0], states[0], seats[0], policy)
        for row in range(len(out)):
            out[row] = choose(rules[0], states[row], seats[row], masks[row], policy)

    return choose_loop


@pytest.mark.parametrize(("name", "players", "kind"), KINDS)
def test_kernels_choose_as_the_policy_does(name: str, players: int, kind: str) -> None:
    game = atlantis_envs.game(name, players=players)
    agent = policy_of(game, kind)
    loop = choosing(game.definition, agent.features)
    several = 0
    for plies in (0, 7, 30, 61):
        batch = midgame(game, plies)
        found = np.full(len(batch.seats), -1, np.int64)
        loop(game.plain_rules, plain(batch.states), batch.seats, batch.action_masks, make_search_policy(agent), found)
        assert np.array_equal(found, ask(agent, batch, np.arange(len(found)), batch.noise(SEED))), plies
        several += int((batch.action_masks.sum(axis=1) > 1).sum())
    assert several > 8


@pytest.fixture(scope="module")
def dice() -> Batch:
    return midgame(atlantis_envs.game("atlandice", players=3))


@pytest.fixture(scope="module")
def stubborn(dice: Batch, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return last_legal_policy(tmp_path_factory.mktemp("stubborn"), dice.game)


def test_a_team_plays_on_as_one(tmp_path: Path) -> None:
    """In a game that is won together the own seat is everybody: what a policy as rollout finds."""
    batch = midgame(atlantis_envs.game("atlantis_rising", players=2), 60)
    policy = last_legal_policy(tmp_path, batch.game)
    own, rollout = (study(batch, f"search:24,horizon=30,{name}={policy}") for name in ("own", "rollout"))
    for name in FOUND:
        assert np.array_equal(getattr(own, name), getattr(rollout, name), equal_nan=True), name
    assert own.counts.sum() > 40


def test_the_others_play_as_ever(dice: Batch, stubborn: Path) -> None:
    """Up to the next decision of the own seat nothing changes; then it does."""
    plain_search, own = (
        study(dice, f"search:40,spread=even,horizon=end,leaf=score,rollout=heuristic{more}")
        for more in (",own=rollout", f",own={stubborn}")
    )
    everybody = study(dice, f"search:40,spread=even,horizon=end,leaf=score,rollout={stubborn}")
    assert not np.array_equal(own.means, plain_search.means, equal_nan=True)
    assert not np.array_equal(own.means, everybody.means, equal_nan=True)
    legal = np.isfinite(own.means)
    assert own.means[legal].mean() < plain_search.means[legal].mean()  # against who plays well it does worse
    short = [study(dice, f"search:40,spread=even,horizon=0{more}").means for more in ("", f",own={stubborn}")]
    assert np.array_equal(*short, equal_nan=True)


def test_threads_do_not_matter(dice: Batch, stubborn: Path) -> None:
    alone, shared = (study(dice, f"search:24,own={stubborn},threads={count}") for count in (1, 3))
    for name in FOUND:
        assert np.array_equal(getattr(alone, name), getattr(shared, name), equal_nan=True), name


def test_lanes_do_not_matter() -> None:
    batch = midgame(atlantis_envs.game("atlantis", players=3))
    agent = find_agent("search:24,own=network", batch.game)
    assert isinstance(agent, SearchAgent)
    seen, noise = shown(batch)
    together = agent.study(seen, noise)
    for row in range(len(seen)):
        one = Positions(batch.game, *(part[[row]] for part in (seen.states, seen.seats, seen.observations, seen.masks)))
        found = agent.study(one, noise[[row]])
        for name in FOUND:
            assert np.array_equal(getattr(found, name)[0], getattr(together, name)[row], equal_nan=True), name


def test_a_policy_may_guide_and_play_the_own_seat(dice: Batch, stubborn: Path) -> None:
    both = study(dice, f"search:40,spread=even,guide={stubborn},own={stubborn}")
    own = study(dice, f"search:40,spread=even,own={stubborn}")
    assert np.array_equal(both.means, own.means, equal_nan=True)
    last = dice.action_masks.shape[1] - 1 - dice.action_masks[:, ::-1].argmax(axis=1)
    assert np.array_equal(both.prior_choices, last)


# ---------------------------------------------------------------------------------------------- a network that values


@cache
def valuing_loop(definition: Definition) -> Any:
    kernels = make_policy_kernels(definition, None, None)

    @entry
    def value_loop(
        rules: Any, states: Any, seats: Any, masks: Any, players: int, policy: Any, shares: Any, scores: Any
    ) -> None:
        kernels.reset(rules[0], states[0], seats[0], policy)
        for row in range(len(shares)):
            kernels.value(rules[0], states[row], seats[row], masks[row], players, policy, shares[row])
            kernels.rank(rules[0], states[row], seats[row], masks[row], policy, scores[row])

    return value_loop


@pytest.mark.parametrize("name", ["atlandice", "atlantis", "atlantis_rising"])
@pytest.mark.parametrize(
    ("inputs", "value"),
    [("afterstates", "win share"), ("afterstates", "seat shares"), ("observations", "seat shares")],
)
def test_kernels_value_and_rank_as_numpy_does(name: str, inputs: str, value: str, tmp_path: Path) -> None:
    """For every seat, whatever a policy sees."""
    game = atlantis_envs.game(name)
    agent, batch = (
        make_agent(str(valuing(tmp_path, game, 0.0, 0.3 if game.cooperative else 3.0, inputs, value)), game),
        midgame(game),
    )
    assert isinstance(agent, NetworkAgent)
    seen, noise = shown(batch)
    wanted = agent.position_values(seen)
    assert wanted.shape == (len(seen), game.players) and wanted.std() > 0.01
    if not game.cooperative:
        assert np.allclose(wanted.sum(axis=1), 1)
    if value == "win share":
        assert np.allclose(wanted[np.arange(len(seen)), seen.seats], np.nanmax(agent.action_values(seen), axis=1))
    shares, scores = np.zeros(wanted.shape), np.full(batch.action_masks.shape, -1e9)
    policy = make_search_policy(agent, agent, ranks=True, tree=True)
    where = plain(seen.states), batch.seats, batch.action_masks
    valuing_loop(game.definition)(game.plain_rules, *where, game.players, policy, shares, scores)
    assert np.allclose(shares, wanted, atol=1e-4)
    assert np.allclose(scores, agent.position_logits(seen, noise), rtol=1e-3, atol=1e-3)


def test_kernels_compare_gains_as_numpy_does(tmp_path: Path) -> None:
    """With the potential that an action brings; a search may be guided by such a policy."""
    game = atlantis_envs.game("atlantis_rising", players=4)
    batch = midgame(game)
    layer = np.random.default_rng(5).normal(size=(1, game.observation_size)).astype(np.float32), np.zeros(1, np.float32)
    saved = save_policy(tmp_path, game, [layer], inputs="afterstates", potential=5.0)
    agent = make_agent(str(saved), game)
    assert isinstance(agent, NetworkAgent) and agent.potential == 5.0
    seen, noise = shown(batch)
    scores = np.full(batch.action_masks.shape, -1e9)
    kernels = make_policy_kernels(game.definition, None, None)

    @entry
    def rank_loop(rules: Any, states: Any, seats: Any, masks: Any, policy: Any, scores: Any) -> None:
        kernels.reset(rules[0], states[0], seats[0], policy)
        for row in range(len(scores)):
            kernels.rank(rules[0], states[row], seats[row], masks[row], policy, scores[row])

    where = plain(seen.states), batch.seats, batch.action_masks
    rank_loop(game.plain_rules, *where, make_search_policy(agent, ranks=True), scores)
    wanted = agent.position_logits(seen, noise)
    assert np.allclose(scores, wanted, rtol=1e-4, atol=0.05) and wanted[wanted > -1e8].std() > 1
    greedy = agent.act_positions(seen, noise)
    assert np.array_equal(study(batch, f"search:8,guide={saved},prior=0.02").prior_choices, greedy)
    texts = "tree=puct", f"tree=puct,guide={saved}", "tree=none", f"own={saved}"
    guided = [study(batch, f"search:48,{text}") for text in texts]
    for one, other in pairwise(guided):
        assert not np.array_equal(one.counts, other.counts)


@pytest.mark.parametrize(("name", "players"), [("atlandice", 3), ("atlantis_rising", 2)])
def test_a_game_that_is_cut_is_worth_what_the_network_says(name: str, players: int, tmp_path: Path) -> None:
    batch = midgame(atlantis_envs.game(name, players=players))
    policy = valuing(tmp_path, batch.game, bias=1.0, scale=0.0)
    found = study(batch, f"search:24,spread=even,horizon=3,leaf={policy}")
    assert np.allclose(found.means[found.counts > 0], 1 / (1 + np.exp(-1.0)), atol=1e-6)  # nothing ends so soon
    assert (found.decisions >= 3 * found.counts.sum(axis=1)).all()


def test_a_network_is_asked_when_its_seat_is_to_choose(dice: Batch, tmp_path: Path) -> None:
    """Rollouts go on to there: at horizon 0 as many decisions are played as others have before the own next one."""
    policy = valuing(tmp_path, dice.game, scale=0.0)
    leaf, score = (study(dice, f"search:24,spread=even,horizon=0,leaf={name}") for name in (policy, "score"))
    assert (score.decisions == 0).all() and leaf.decisions.sum() > 0


def test_a_policy_plays_every_seat(dice: Batch, tmp_path: Path) -> None:
    """Another than its own seat alone, and the same where there is no other."""
    policy = valuing(tmp_path, dice.game, scale=3.0)
    own, rollout = (
        study(dice, f"search:24,spread=even,horizon=end,{name}={policy}").means for name in ("own", "rollout")
    )
    assert not np.array_equal(own, rollout, equal_nan=True)


@pytest.mark.parametrize("settings", ["horizon=3", "horizon=4,tree=puct", "root=gumbel,horizon=3"])
def test_a_copy_values_what_the_player_would(settings: str, tmp_path: Path) -> None:
    """Two networks are asked, each with rows of its own: with a copy only the order of its sums changes."""
    batch = midgame(atlantis_envs.game("atlandice", players=3))
    policy, copy = (valuing(tmp_path / name, batch.game, scale=3.0) for name in ("player", "copy"))
    one, apart = (
        study(batch, f"search:24,{settings},rollout={policy},guide={policy},leaf={leaf}") for leaf in (policy, copy)
    )
    assert find_agent(f"search:leaf={copy},rollout={policy}", batch.game).settings.player == str(policy)
    assert np.nanstd(one.means) > 0.01 and np.allclose(one.means, apart.means, atol=1e-4, equal_nan=True)
    assert np.array_equal(one.choices, apart.choices) and np.array_equal(one.counts, apart.counts)
    agent = find_agent(f"search:24,{settings},rollout={policy},guide={policy},leaf={copy}", batch.game)
    assert isinstance(agent, SearchAgent)
    for _ in range(2):  # what was searched before changes no bit
        assert np.array_equal(agent.study(*shown(batch)).means, apart.means, equal_nan=True)


@pytest.mark.parametrize(("name", "players"), [("atlandice", 3), ("atlantis_rising", 2)])
def test_who_values_need_not_play(name: str, players: int, tmp_path: Path) -> None:
    """The player's own value is not asked, and may see other inputs than the valuer."""
    batch = midgame(atlantis_envs.game(name, players=players))
    game, features = batch.game, find_features(name)
    assert features is not None
    player = valuing(tmp_path / "player", game, bias=-2.0, scale=3.0)
    sizes = network_sizes(game, (), "", "observations", features, "seat shares")
    layer = np.zeros((sizes[-1], sizes[0]), np.float32), np.zeros(sizes[-1], np.float32)
    layer[1][-share_outputs(game, "seat shares")] = 1.0
    valuer = save_policy(tmp_path / "valuer", game, [layer], features=features, value="seat shares")
    asked = f"search:24,spread=even,horizon=3,rollout={player},guide={player},leaf="
    found, own = study(batch, f"{asked}{valuer}"), study(batch, f"{asked}{player}")
    wanted = make_agent(str(valuer), game).position_values(shown(batch)[0])[0].max()
    assert wanted == pytest.approx(1 / (1 + np.exp(-1.0) * (1 if game.cooperative else players - 1)))
    assert np.array_equal(found.prior_choices, own.prior_choices)
    assert np.nanmax(found.means) <= wanted + 1e-6 < np.inf
    assert not np.allclose(found.means, own.means, equal_nan=True)


def test_a_policy_that_cannot_value_or_rank_there_is_refused(dice: Batch, stubborn: Path, tmp_path: Path) -> None:
    policy = valuing(tmp_path, dice.game)
    find_agent(f"search:2,own={stubborn},leaf={policy}", dice.game)
    find_agent(f"search:2,tree=puct,guide={stubborn},leaf={policy}", dice.game)
    for text, allowed in (
        (f"search:2,leaf={stubborn}", "allowed: a policy that knows values, as learned by TD$"),
        (
            f"search:2,rollout={policy},guide={stubborn},tree=puct",
            "allowed with tree=puct and that policy in its rollouts: heur",
        ),
    ):
        with pytest.raises(OptionError, match=allowed):
            find_agent(text, dice.game)


def test_one_share_is_known_of_afterstates(dice: Batch, tmp_path: Path) -> None:
    layer = (
        np.zeros((dice.game.num_actions, dice.game.observation_size), np.float32),
        np.zeros(dice.game.num_actions, np.float32),
    )
    with pytest.raises(
        OptionError, match="value: 'win share' with inputs 'observations'; allowed: '', 'seat shares', or"
    ):
        save_policy(tmp_path / "policy", dice.game, [layer], value="win share")
    assert not (tmp_path / "policy").exists()


def test_a_policy_with_an_adviser_is_refused(dice: Batch, tmp_path: Path) -> None:
    inputs, actions = len(dice.game.observation_high), dice.game.num_actions
    layer = (np.zeros((actions, inputs + actions), np.float32), np.zeros(actions, np.float32))
    policy = save_policy(tmp_path, dice.game, [layer], advice="heuristic")
    with pytest.raises(OptionError, match=r"own=.*; allowed: a policy without advice$"):
        find_agent(f"search:own={policy}", dice.game)
    valuer = valuing(tmp_path / "valuer", dice.game)
    with pytest.raises(OptionError, match=r"leaf=.*; allowed with rollouts by advice: "):
        find_agent(f"search:rollout={policy},leaf={valuer}", dice.game)


@pytest.mark.parametrize(
    ("text", "allowed"),
    [
        ("search:own=nowhere", "own='nowhere'; allowed: rollout, network, critic, the directory of a policy or a run$"),
        ("search:own=heuristic", "own='heuristic'; allowed: rollout, network"),
        ("search:own=network,tree=puct", "own='network'; allowed with tree=puct: rollout$"),
        ("search:own=network,rollout=network", "own='network'; allowed with a policy as rollout: rollout$"),
    ],
)
def test_others_are_refused(text: str, allowed: str) -> None:
    with pytest.raises(OptionError, match=allowed):
        find_agent(text, atlantis_envs.game("atlandice", players=3))
