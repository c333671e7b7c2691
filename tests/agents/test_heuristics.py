"""The heuristics of all games: legal everywhere, a function of each row alone, and decided."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from helpers.support import noise_actions, scaled

import atlantis_envs
from atlantis_agents import heuristic
from atlantis_agents.heuristic import HeuristicAgent, find_heuristic, heuristic_names
from atlantis_agents.random import RandomAgent
from atlantis_envs.engine.records import plain, records
from atlantis_envs.errors import OptionError
from atlantis_training.evaluation.evaluate import evaluate_by_seat

SEED = 7
LANES = 32
OPTIONS: dict[str, tuple[dict[str, Any], ...]] = {
    "atlandice": (
        {},
        {"optional_effects": True, "clock": "C16"},
        {"orphan_dice": "stay", "machinery_block": "round", "l3_counts": "beneficiary"},
        {
            "same_type_exchange": False,
            "min_to_rank": 0,
            "neutral_ranked": [],
            "chain_cap": 1,
            "bare_districts": "spared",
        },
    ),
    "atlantis": (
        {},
        {"preset": "brettspielwelt", "first_player": "random"},
        {"sells_per_turn": "any", "bought_cards_pay": True, "paid_cards": "discard", "start_hand": [0, 0, 0, 0]},
        {
            "bridge_after_move": False,
            "pass_bonus": True,
            "tile_set": "uniform",
            "start_hand": [26, 26, 26, 26],
            "reshuffle": "when wanted",
            "settlement_pawns": "all",
            "sell_ones": False,
        },
    ),
    "atlantis_rising": (
        {},
        {"level": 2, "councilors": "draft", "first_player": "random", "hands_open": False},
        {"level": 3, "lift_budget": 0, "yield_budget": 0, "round_limit": 3},
        {"level": 4},
        {"level": 5, "hands_open": False},
    ),
}
SEATS = {"atlandice": (2, 3, 4), "atlantis": (2, 3, 4), "atlantis_rising": (1, 2, 3, 4, 5, 6, 7)}
TABLES = [(name, players) for name in OPTIONS for players in SEATS[name]]


def test_every_game_has_one() -> None:
    assert heuristic_names() == tuple(sorted(atlantis_envs.game_names())) == tuple(OPTIONS)


@pytest.mark.parametrize(("name", "players"), TABLES)
def test_always_legal(name: str, players: int) -> None:
    """At every decision of random games and of its own."""
    for options in OPTIONS[name]:
        game = atlantis_envs.game(name, players=players, **options)
        agent = HeuristicAgent(game, SEED)
        for own in (True, False):
            batch = game.batch(LANES, seed=SEED)
            for _ in range(scaled(150, 3000)):
                noise = batch.noise(SEED)
                actions = agent.act(batch.observations, batch.action_masks, noise)
                assert batch.action_masks[np.arange(LANES), actions].all()
                batch.step(actions if own else noise_actions(batch.action_masks, noise))


@pytest.mark.parametrize(("name", "players"), TABLES)
def test_an_answer_depends_on_its_row_alone(name: str, players: int) -> None:
    game = atlantis_envs.game(name, players=players, **OPTIONS[name][1])
    agent = HeuristicAgent(game, SEED)
    batch = game.batch(LANES, seed=SEED)
    order = np.arange(LANES)[::-1]
    for _ in range(60):
        rows, masks, noise = batch.observations.copy(), batch.action_masks.copy(), batch.noise(SEED)
        together = agent.act(rows, masks, noise)
        assert (agent.act(rows[order], masks[order], noise[order])[order] == together).all()
        for lane in range(0, LANES, 8):
            alone = slice(lane, lane + 1)
            assert agent.act(rows[alone], masks[alone], noise[alone])[0] == together[lane]
        assert (rows == batch.observations).all() and (masks == batch.action_masks).all()
        batch.step(together)


@pytest.mark.parametrize(("name", "players"), [(name, 4) for name in OPTIONS])
def test_nothing_is_remembered(name: str, players: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the work record held before does not matter."""

    def scribbled(count: int, dtype: Any) -> Any:
        work = records(count, dtype)
        plain(work).view(np.uint8)[:] = 0x5A
        return work

    game = atlantis_envs.game(name, players=players)
    agent = HeuristicAgent(game, SEED)
    batch = game.batch(1, seed=SEED)
    for _ in range(1500):
        rows, masks, noise = batch.observations, batch.action_masks, batch.noise(SEED)
        clean = agent.act(rows, masks, noise)
        with monkeypatch.context() as patch:
            patch.setattr(heuristic, "records", scribbled)
            assert agent.act(rows, masks, noise) == clean
        batch.step(clean)


@pytest.mark.parametrize(("name", "least"), [("atlandice", 0.9), ("atlantis", 0.9), ("atlantis_rising", 0.8)])
def test_noise_breaks_ties_only(name: str, least: float) -> None:
    """Most decisions have one best action, whatever the noise."""
    game = atlantis_envs.game(name, players=4)
    agent = HeuristicAgent(game, SEED)
    batch = game.batch(LANES, seed=SEED)
    same = total = 0
    for ply in range(150):
        answers = [
            agent.act(batch.observations, batch.action_masks, np.full(LANES, word * 977 + ply, np.uint64))
            for word in range(4)
        ]
        same += int((np.ptp(answers, axis=0) == 0).sum())
        total += LANES
        batch.step(answers[0])
    assert same > least * total


@pytest.mark.parametrize(("name", "players"), [table for table in TABLES if table[0] != "atlantis_rising"])
def test_beats_random_in_every_seat(name: str, players: int) -> None:
    game = atlantis_envs.game(name, players=players)
    table = evaluate_by_seat(game, HeuristicAgent(game, SEED), RandomAgent(game, SEED), scaled(300, 1000), seed=SEED)
    assert len(table.seats) == players
    assert min(share.low for share in table.seats) > 0.9


def test_fields_that_hide_attributes_are_refused() -> None:
    """Uncompiled, ``work.size`` would be the size of the record."""
    known = find_heuristic("atlantis")
    with pytest.raises(ValueError, match=r"\['size'\]"):
        replace(known, scratch_dtype=np.dtype([("size", np.int64)]))


def test_a_game_without_heuristic_is_refused() -> None:
    with pytest.raises(OptionError, match="'atlandice', 'atlantis', 'atlantis_rising'"):
        find_heuristic("atlantis_2")


@pytest.mark.parametrize("name", OPTIONS)
def test_foreign_rows_are_refused(name: str) -> None:
    game = atlantis_envs.game(name, players=2)
    other = next(further for further in OPTIONS if further != name)
    batch = atlantis_envs.game(other, players=2).batch(1, seed=SEED)
    for agent in (HeuristicAgent(game, SEED), RandomAgent(game, SEED)):
        with pytest.raises(ValueError, match="observations"):
            agent.act(batch.observations, batch.action_masks)
