"""Rollouts by a trained policy: NumPy and kernels by turns find what the compiled search finds."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest
from helpers.duel_game import duel_game
from helpers.policies import following, last_legal_policy
from helpers.support import run_python

import atlantis_envs
from atlantis_agents.catalogue import find_agent
from atlantis_agents.heuristic import HeuristicAgent
from atlantis_agents.networks.policy import save_policy
from atlantis_agents.search.agent import Found, SearchAgent
from atlantis_envs.engine.batch import Batch
from atlantis_envs.engine.game import Game
from atlantis_envs.errors import OptionError
from atlantis_envs.seats.positions import determinize

SEED = 3
LIKE_SEARCH = ("choices", "prior_choices", "counts", "means", "errors", "decisions")


@pytest.fixture(scope="module")
def batch() -> Batch:
    """Games of the heuristic that have been going on for a while."""
    game = atlantis_envs.game("atlandice", players=3)
    made, agent = game.batch(4, SEED), HeuristicAgent(game)
    for _ in range(40):
        made.step(agent.act(made.observations, made.action_masks, made.noise(SEED)))
    return made


@pytest.fixture(scope="module")
def follower(batch: Batch, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return following(tmp_path_factory.mktemp("follower"), batch.game)


@pytest.fixture(scope="module")
def stubborn(batch: Batch, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return last_legal_policy(tmp_path_factory.mktemp("stubborn"), batch.game)


def study(game: Game, batch: Batch, text: str) -> Found:
    noise = batch.noise(SEED)
    seen = determinize(game, batch.states, batch.seats, batch.observations, batch.action_masks, noise)
    agent = find_agent(text, game)
    assert isinstance(agent, SearchAgent)
    return agent.study(seen, noise)


@pytest.mark.parametrize(
    "more", ["", ",horizon=end,leaf=score", ",spread=even,horizon=5", ",gate=1,prior=0.05", ",spread=race,gate=1"]
)
def test_a_policy_that_plays_as_the_heuristic_finds_what_its_rollouts_find(
    batch: Batch, follower: Path, more: str
) -> None:
    guided = study(batch.game, batch, f"search:40,rollout={follower}{more}")
    compiled = study(batch.game, batch, f"search:40,rollout=heuristic{more}")
    for name in LIKE_SEARCH:
        assert np.array_equal(getattr(guided, name), getattr(compiled, name), equal_nan=True), name
    assert compiled.counts.sum() > 60


def trail(roles: str) -> str:
    """What a search with a policy in these roles finds in the duel, to the last bit."""
    game = duel_game()
    found = study(game, game.batch(3, SEED), f"search:30,{roles}")
    return f"{found.choices.tolist()} {found.counts.tolist()} {found.means.tolist()}"


@pytest.mark.parametrize("role", ["rollout", "rollout=random,own"])
def test_uncompiled_it_finds_the_same(tmp_path: Path, role: str) -> None:
    game = duel_game()
    inputs, actions = len(game.observation_high), game.num_actions
    policy = save_policy(tmp_path, game, [(np.ones((actions, inputs), np.float32), np.zeros(actions, np.float32))])
    code = (
        "import sys; sys.path.insert(0, 'tests/agents');"
        f"from test_search_guided import trail; print(trail({f'{role}={policy}'!r}))"
    )
    result = run_python("-c", code, timeout=600, NUMBA_DISABLE_JIT="1")
    assert result.returncode == 0, result.stderr
    assert result.stdout.strip() == trail(f"{role}={policy}")


def test_another_policy_finds_something_else(batch: Batch, follower: Path, stubborn: Path) -> None:
    found = [study(batch.game, batch, f"search:40,rollout={policy}").means for policy in (follower, stubborn)]
    assert not np.array_equal(*found, equal_nan=True)


@pytest.mark.parametrize("kind", ["stubborn", "follower"])
def test_threads_do_not_matter(batch: Batch, kind: str, request: pytest.FixtureRequest) -> None:
    policy = request.getfixturevalue(kind)
    alone, shared = (study(batch.game, batch, f"search:24,rollout={policy},threads={n}") for n in (1, 3))
    for name in LIKE_SEARCH:
        assert np.array_equal(getattr(alone, name), getattr(shared, name), equal_nan=True), name


@pytest.mark.parametrize("kind", ["stubborn", "follower"])
def test_by_the_clock_it_ends(batch: Batch, kind: str, request: pytest.FixtureRequest) -> None:
    policy = request.getfixturevalue(kind)
    quick, slow = (study(batch.game, batch, f"search:ms={ms},rollout={policy}").counts.sum() for ms in (5, 400))
    assert 0 < quick < slow


def test_somebody_who_halts_is_heard(batch: Batch, follower: Path) -> None:
    agent = find_agent(f"search:100000,rollout={follower}", batch.game)
    assert isinstance(agent, SearchAgent)
    searcher = agent._searcher
    room = searcher._make_room()
    halt = threading.Event()
    halt.set()
    lane = int(np.argmax(batch.action_masks.sum(axis=1)))
    searcher._search_lane(room, batch.states.view(np.ndarray), lane, int(batch.seats[lane]), np.uint64(1), None, halt)
    memory = room[0]
    assert not memory.search["finished"][0] and memory.counts.sum() == 0 and memory.search["legal"][0] > 1


@pytest.mark.parametrize("text", ["search:rollout=/nowhere", "search:rollout=search"])
def test_what_is_no_policy_is_refused(batch: Batch, text: str) -> None:
    with pytest.raises(OptionError, match=r"random, network, critic, the directory of a policy or a run$"):
        find_agent(text, batch.game)


def test_a_directory_without_policy_and_a_tree_are_refused(batch: Batch, stubborn: Path, tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="directory of a policy"):
        find_agent(f"search:rollout={tmp_path}", batch.game)
    with pytest.raises(OptionError, match=r"allowed with tree=puct: rollout$"):
        find_agent(f"search:own={stubborn},tree=puct", batch.game)


# ------------------------------------------------------------------------------------------ a policy ranks the actions


def last_legal(batch: Batch) -> np.ndarray:
    """What the stubborn policy would play."""
    return batch.action_masks.shape[1] - 1 - batch.action_masks[:, ::-1].argmax(axis=1)


def test_a_policy_that_guides_ranks_in_the_place_of_the_heuristic(batch: Batch, stubborn: Path) -> None:
    plain = study(batch.game, batch, "search:40,spread=even")
    led = study(batch.game, batch, f"search:40,spread=even,guide={stubborn}")
    for name in ("counts", "means", "errors", "decisions"):  # numbers and luck do not depend on who ranks
        assert np.array_equal(getattr(plain, name), getattr(led, name), equal_nan=True), name
    assert np.array_equal(led.prior_choices, last_legal(batch))
    assert not np.array_equal(plain.prior_choices, led.prior_choices)
    legal = batch.action_masks != 0
    assert np.array_equal(np.isfinite(led.scores), legal)
    assert (led.scores[legal] == np.nonzero(legal)[1]).all()  # its logits: the numbers of the actions


def test_prior_gate_and_considered_follow_the_policy_that_guides(batch: Batch, stubborn: Path) -> None:
    assert (batch.action_masks.sum(axis=1) > 2).any()
    for more in ("gate=100", "prior=1,considered=1"):
        led = study(batch.game, batch, f"search:8,{more},guide={stubborn}")
        assert np.array_equal(led.choices, last_legal(batch)), more
    few = study(batch.game, batch, f"search:8,considered=4,guide={stubborn}")
    for row, mask in enumerate(batch.action_masks):
        legal = np.flatnonzero(mask)
        assert np.array_equal(np.flatnonzero(few.counts[row]), legal[-2:] if len(legal) > 1 else [])


def test_a_policy_may_guide_and_play_on(batch: Batch, stubborn: Path, follower: Path) -> None:
    both = study(batch.game, batch, f"search:40,spread=even,guide={stubborn},rollout={follower}")
    compiled = study(batch.game, batch, "search:40,spread=even,rollout=heuristic")
    assert np.array_equal(both.means, compiled.means, equal_nan=True)
    assert np.array_equal(both.prior_choices, last_legal(batch))


def test_a_policy_of_afterstates_may_guide(tmp_path: Path) -> None:
    game = atlantis_envs.game("atlantis", players=2)
    generator = np.random.default_rng(4)
    layer = (generator.normal(size=(1, game.observation_size)).astype(np.float32), np.zeros(1, np.float32))
    policy = save_policy(tmp_path, game, [layer], inputs="afterstates")
    made = game.batch(3, SEED)
    noise = made.noise(SEED)
    seen = determinize(game, made.states, made.seats, made.observations, made.action_masks, noise)
    agent = find_agent(f"search:2,gate=100,horizon=0,leaf=score,guide={policy}", game)
    assert np.array_equal(agent.act_positions(seen, noise), find_agent(str(policy), game).act_positions(seen, noise))  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "search:guide=nowhere",
            "guide='nowhere'; allowed: heuristic, network, critic, the directory of a policy or a run",
        ),
        ("search:guide=random", "guide='random'; allowed: heuristic, network"),
    ],
)
def test_other_guides_are_refused(text: str, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        find_agent(text, atlantis_envs.game("atlandice", players=3))


def test_a_directory_that_is_called_like_a_value_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = atlantis_envs.game("atlandice", players=3)
    texts = ("search:16", "champion", "search:8,rollout=light", "search:8,rollout=mixed,leaf=score")
    before = [repr(find_agent(text, game)) for text in texts]
    monkeypatch.chdir(tmp_path)
    for name in ("heuristic", "planner", "mixed", "light", "random", "rollout", "value", "score"):
        Path(name).mkdir()
    assert [repr(find_agent(text, game)) for text in texts] == before
    for setting in ("guide", "rollout", "leaf", "own"):
        with pytest.raises(OptionError, match=rf"^search: {setting}='./mixed'; allowed: .*the directory of a policy"):
            find_agent(f"search:{setting}=./mixed", game)
