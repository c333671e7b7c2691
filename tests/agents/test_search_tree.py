"""Tree search: exact where a game can be solved, by the same rules of seeds and threads as the flat search."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from helpers.duel_game import EXACT, duel_game
from helpers.duel_game import node as duel_node
from helpers.support import run_python
from helpers.toy_game import TOY, ToyOptions

import atlantis_envs
from atlantis_agents.catalogue import find_agent
from atlantis_agents.heuristic import HeuristicAgent
from atlantis_agents.search.agent import Found, SearchAgent
from atlantis_agents.search.memory import ENDS_ALL, ENDS_STAGE, MOST_SLOTS, Clock, slots_for
from atlantis_agents.search.rollout import LONGEST
from atlantis_envs.engine.batch import Batch
from atlantis_envs.engine.game import Game
from atlantis_envs.errors import OptionError
from atlantis_envs.kernels.kernel import kernel
from atlantis_envs.seats.positions import determinize

SEED = 3
STOP, PASS = 0, 1


def study(agent: SearchAgent, batch: Batch) -> Found:
    noise = batch.noise(SEED)
    return agent.study(
        determinize(batch.game, batch.states, batch.seats, batch.observations, batch.action_masks, noise), noise
    )


@cache
def midgame() -> Batch:
    game = atlantis_envs.game("atlandice", players=3)
    batch, agent = game.batch(4, SEED), HeuristicAgent(game)
    for _ in range(40):
        batch.step(agent.act(batch.observations, batch.action_masks, batch.noise(SEED)))
    return batch


def test_it_finds_the_exact_solution_where_averaging_does_not() -> None:
    batch = duel_game().batch(8, SEED)
    flat = study(SearchAgent(batch.game, simulations=3000), batch)
    assert (flat.choices == PASS).all() and np.allclose(flat.means[:, PASS], 0.5, atol=0.05)
    tree = study(SearchAgent(batch.game, simulations=3000, tree="puct"), batch)
    assert (tree.choices == STOP).all()
    assert np.allclose(tree.means[:, STOP], EXACT[STOP], atol=0.04)
    assert (tree.means[:, PASS] < 0.25).all()  # near 0, less what was spent on finding it out
    assert (tree.counts.sum(axis=1) == 3000).all() and (tree.counts[:, STOP] > 2000).all()


def test_a_share_of_the_answers_is_that_of_rollouts() -> None:
    """Where others answer at random, passing wins every other game; in half of the simulations, every fourth."""
    batch = duel_game().batch(8, SEED)
    always = study(SearchAgent(batch.game, simulations=3000, tree="puct", answers=1.0), batch)
    assert (always.choices == PASS).all() and np.allclose(always.means[:, PASS], 0.5, atol=0.05)
    half = study(SearchAgent(batch.game, simulations=3000, tree="puct", answers=0.5), batch)
    assert np.allclose(half.means[:, PASS], 0.25, atol=0.06)


@kernel
def first_seat_only(rules, state):
    """Seat 0 decides both times: it passes, sees the card and wins."""
    seat = duel_node(rules, state)
    return 0 if seat == 1 else seat


def test_who_searches_never_answers_as_in_rollouts() -> None:
    batch = Game(replace(duel_game().definition, name="alone", node=first_seat_only), ToyOptions()).batch(8, SEED)
    for answers in (0.0, 1.0):
        found = study(SearchAgent(batch.game, simulations=2000, tree="puct", answers=answers), batch)
        assert (found.choices == PASS).all() and (found.means[:, PASS] > 0.9).all()


def test_answers_are_those_of_a_policy_that_plays_rollouts() -> None:
    """Where nobody but others decides up to the horizon, a tree with answers is a flat search then."""
    game = atlantis_envs.game("atlandice", players=3)
    batch, agent = game.batch(24, SEED), HeuristicAgent(game)
    for _ in range(40):
        batch.step(agent.act(batch.observations, batch.action_masks, batch.noise(SEED)))

    def searched(**settings: Any) -> Found:
        return study(SearchAgent(game, simulations=40, horizon=2, rollout="network", root="gumbel", **settings), batch)

    def alike(one: Found) -> int:
        rows = zip(one.means, flat.means, strict=True)
        return sum(np.array_equal(own, other, equal_nan=True) for own, other in rows)

    flat, answered = searched(), searched(tree="puct", answers=1.0)
    assert alike(answered) >= alike(searched(tree="puct")) + 4
    shared = searched(tree="puct", answers=1.0, threads=3)
    assert np.array_equal(answered.means, shared.means, equal_nan=True)


def test_a_team_has_no_others() -> None:
    batch = atlantis_envs.game("atlantis_rising", players=4).batch(6, SEED)
    for _ in range(60):
        batch.step(HeuristicAgent(batch.game).act(batch.observations, batch.action_masks, batch.noise(SEED)))
    alone, answered = (
        study(SearchAgent(batch.game, simulations=200, tree="puct", answers=answers), batch) for answers in (0.0, 1.0)
    )
    assert np.array_equal(alone.means, answered.means, equal_nan=True) and (alone.counts.sum(axis=1) > 0).any()


@kernel
def in_circles(rules, state, index):
    """Cards are dealt; then seats take turns for ever."""
    if state.cards[0] == 0 or state.cards[1] == 0:
        state.cards[0 if state.cards[0] == 0 else 1] = index + 1
    else:
        state.turn = 1 - int(state.turn)


@pytest.mark.parametrize("settings", [{}, {"tree": "puct"}, {"horizon": 10**6}, {"tree": "puct", "horizon": 10**6}])
def test_no_imagined_game_is_too_long_to_end(settings: dict[str, Any]) -> None:
    game = Game(replace(TOY, name="circles", apply=in_circles), ToyOptions())
    found = study(SearchAgent(game, simulations=4, **settings), game.batch(2, SEED))
    assert (found.counts.sum(axis=1) == 4).all()
    assert (found.decisions >= 3 * (LONGEST - 4)).all() and (found.decisions <= 4 * LONGEST).all()


def test_who_decides_after_chance_knows_the_outcome() -> None:
    """At seat 1's decision the exact answer depends on the card alone, and is worth the whole game."""
    batch = duel_game().batch(16, SEED)
    batch.step(np.full(16, PASS))
    odd = batch.states.cards[:, 0] % 2 == 1
    assert odd.any() and not odd.all()
    found = study(SearchAgent(batch.game, simulations=50, tree="puct"), batch)
    assert (found.choices == np.where(odd, STOP, PASS)).all()
    assert (found.means[np.arange(16), found.choices] == 1.0).all()


def test_any_number_of_threads_and_lanes_gives_the_same() -> None:
    batch = midgame()
    alone = study(SearchAgent(batch.game, simulations=24, tree="puct"), batch)
    shared = study(SearchAgent(batch.game, simulations=24, tree="puct", threads=3), batch)
    for name in ("choices", "counts", "means", "decisions"):
        assert np.array_equal(getattr(alone, name), getattr(shared, name), equal_nan=True), name
    several = batch.action_masks.sum(axis=1) > 1
    assert several.any() and (alone.counts.sum(axis=1)[several] == 24).all()
    assert (alone.counts[batch.action_masks == 0] == 0).all()


def test_simulations_in_parts_are_simulations_in_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """However often Python looks in, the tree goes on where it was."""
    batch = midgame()
    whole = study(SearchAgent(batch.game, simulations=40, tree="puct"), batch)
    monkeypatch.setattr("atlantis_agents.search.searcher.AT_ONCE", 1)
    parts = study(SearchAgent(batch.game, simulations=40, tree="puct"), batch)
    assert np.array_equal(whole.means, parts.means, equal_nan=True)


def test_a_full_table_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("atlantis_agents.search.searcher.slots_for", lambda simulations, ms, edges: 8)
    batch = midgame()
    found = study(SearchAgent(batch.game, simulations=200, tree="puct", horizon=4), batch)
    several = batch.action_masks.sum(axis=1) > 1
    assert (found.counts.sum(axis=1)[several] == 200).all()


def test_tables_grow_with_the_budget() -> None:
    assert slots_for(1) == 8 and slots_for(64) == 512 and slots_for(1_000_000) == slots_for(0, 500.0) == MOST_SLOTS
    assert slots_for(0, 0.1) == 512 and slots_for(0, 1.0) == 4096


def test_the_gate_is_heard() -> None:
    batch = midgame()
    shut = study(SearchAgent(batch.game, simulations=64, tree="puct", gate=100.0), batch)
    assert (shut.choices == shut.prior_choices).all()


def test_a_tree_by_the_clock_ends() -> None:
    batch = midgame()
    quick, slow = (study(SearchAgent(batch.game, ms=ms, tree="puct"), batch).counts.sum() for ms in (5, 200))
    assert 0 < quick < slow


def test_trials_of_every_action_are_those_of_a_flat_search() -> None:
    """An analysis tries all actions equally often, which a tree does not."""
    batch = midgame()
    lane = int(np.argmax(batch.action_masks.sum(axis=1)))
    noise = batch.noise(SEED, [lane])
    seen = determinize(
        batch.game, batch.states[[lane]], batch.seats[[lane]], batch.observations[[lane]], batch.action_masks[[lane]],
        noise,
    )  # fmt: skip
    tree, flat = (SearchAgent(batch.game, simulations=8, tree=kind).try_all(seen, noise) for kind in ("puct", "none"))
    assert np.isfinite(flat.shares).sum() == batch.action_masks[lane].sum() > 1
    assert np.array_equal(tree.shares, flat.shares, equal_nan=True)


def test_names_carry_it() -> None:
    game = midgame().game
    agent = find_agent("search:32,tree=puct,explore=2,answers=0.25", game)
    assert isinstance(agent, SearchAgent) and (agent.settings.tree, agent.settings.explore) == ("puct", 2)
    assert agent.settings.answers == 0.25
    assert SearchAgent.from_argument(game, agent.settings.text).settings == agent.settings


@pytest.mark.parametrize(
    ("text", "allowed"),
    [
        ("search:tree=deep", "allowed: none, puct"),
        ("search:tree=puct,explore=-1", r"allowed: a number 0\.\.1000"),
        ("search:tree=puct,answers=2", r"answers=2; allowed: a number 0\.\.1"),
        ("search:tree=puct,spread=even", "allowed with tree=puct: halving"),
    ],
)
def test_bad_settings_are_refused(text: str, allowed: str) -> None:
    with pytest.raises(OptionError, match=allowed):
        find_agent(text, midgame().game)


def trail(game: Game) -> list[str]:
    """What a tree finds, to the last bit."""
    found = study(SearchAgent(game, simulations=60, tree="puct"), game.batch(3, SEED))
    return [repr(found.choices.tolist()), repr(found.counts.tolist()), repr(found.means.tolist())]


def test_uncompiled_it_finds_the_same() -> None:
    code = (
        "import sys; sys.path.insert(0, 'tests/agents'); from test_search_tree import duel_game, trail;"
        "print('\\n'.join(trail(duel_game())))"
    )
    result = run_python("-c", code, timeout=600, NUMBA_DISABLE_JIT="1")
    assert result.returncode == 0, result.stderr
    assert result.stdout.splitlines() == trail(duel_game())


def test_a_search_by_the_clock_ends_with_the_pass_in_which_its_time_is_over() -> None:
    search, loud = {"ends": 0}, Clock(0.0, 100.0, 4)
    for spent, ends in ((0.024, 0), (0.026, ENDS_STAGE), (0.049, 0), (0.051, ENDS_STAGE), (0.101, ENDS_ALL)):
        search["ends"] = 0
        loud.started = time.perf_counter() - spent
        loud.tick(search)
        assert search["ends"] == ends, spent
    Clock(0.0, 0.0, 4).tick(search := {"ends": 0})
    assert search["ends"] == 0


def test_out_of_time_halving_does_not_go_on() -> None:
    batch = midgame()
    found = study(SearchAgent(batch.game, ms=0.1, considered=0.001, horizon="end"), batch)
    assert found.counts.max() <= 2  # a pass, and one that was begun before the clock was looked at
