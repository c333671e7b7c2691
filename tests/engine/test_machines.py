"""Batch and Position under any order of calls, beside models that remember moves alone; hypothesis finds the order.

A lane is modelled by a single game that is played move by move, a position by its log, played again from the root.
"""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest
from helpers.support import FULL, pick, scaled
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

import atlantis_envs
from atlantis_envs.engine.batch import Batch
from atlantis_envs.engine.game import Game
from atlantis_envs.engine.position import Position
from atlantis_envs.errors import IllegalActionError

TABLES = [("atlandice", 2), ("atlantis", 2), ("atlantis_rising", 1)]
# Making a failing order short takes minutes: a full run does it.
PHASES = (Phase.generate, Phase.shrink) if FULL else (Phase.generate,)
SETTINGS = settings(max_examples=scaled(12, 500), stateful_step_count=25, phases=PHASES)
LANES = 3
SEEDS, PICKS = st.integers(0, 2**64 - 1), st.integers(0, 2**16)
SOME_LANES = st.lists(st.integers(0, LANES - 1), min_size=1, max_size=LANES, unique=True)


@cache
def game_of(name: str, players: int) -> Game:
    return atlantis_envs.game(name, players=players)


@cache
def late_positions(game: Game) -> list[Position]:
    """Positions in play, most of them a decision or two before the end."""
    found: list[Position] = []
    for number in range(4):
        batch = game.batch(1, seed=number)
        way: list[Position] = []
        while not batch.over[0]:
            way.append(batch.position(0))
            batch.step([pick(way[-1].legal_action_ids(), number, len(way))])
        found += [way[-1], way[-2], way[len(way) // 2]]
    return found


@dataclass
class Lane:
    """The game that a lane plays: its seed, its index, how much that grows by, and where it stands."""

    key: int
    index: int
    stride: int
    position: Position
    over: bool = False
    returns: tuple[float, ...] = ()
    end: Position | None = None

    @classmethod
    def begun(cls, game: Game, key: int, index: int, stride: int) -> Lane:
        lane = cls(key, index, stride, game.initial_position())
        lane.position.attach_chance(key, index, np.zeros(len(game.definition.streams), np.uint32))
        return lane.settled()

    def settled(self) -> Lane:
        while self.position.node == "chance":
            self.position.apply(self.position.sample_chance())
        return self

    def copied(self) -> Lane:
        return Lane(**{**vars(self), "position": self.position.clone()})

    def following(self, game: Game) -> Lane:
        return Lane.begun(game, self.key, self.index + self.stride, self.stride)


class BatchMachine(RuleBasedStateMachine):
    """A batch, what it should be, and clones of it with theirs."""

    game: Game

    @initialize(seed=SEEDS)
    def begin(self, seed: int) -> None:
        self.batch, self.twins = self.game.batch(LANES, seed), list[tuple[Batch, list[Lane]]]()
        self.lanes = [Lane.begun(self.game, seed, lane, LANES) for lane in range(LANES)]

    @rule(seed=SEEDS)
    def reset_with_one_seed(self, seed: int) -> None:
        self.batch.reset(seed)
        self.lanes = [Lane.begun(self.game, seed, lane, LANES) for lane in range(LANES)]

    @rule(seeds=st.lists(SEEDS, min_size=LANES, max_size=LANES))
    def reset_with_a_seed_a_lane(self, seeds: list[int]) -> None:
        self.batch.reset(seeds)
        self.lanes = [Lane.begun(self.game, seed, 0, 1) for seed in seeds]

    @rule(picks=st.lists(PICKS, min_size=LANES, max_size=LANES), which=SOME_LANES)
    def step(self, picks: list[int], which: list[int]) -> None:
        legal = [lane.position.legal_action_ids() for lane in self.lanes]
        actions = [ids[number % len(ids)] for ids, number in zip(legal, picks, strict=True)]
        self.batch.step([actions[number] for number in which], which)
        for lane in self.lanes:
            lane.over = False
        for number in which:
            lane = self.lanes[number]
            lane.position.apply(actions[number])
            if lane.settled().position.node == "over":
                end, self.lanes[number] = lane.position, lane.following(self.game)
                lane = self.lanes[number]
                lane.over, lane.returns, lane.end = True, tuple(end.returns()), end

    @rule(which=SOME_LANES, action=st.integers(-3, 2**12))
    def an_illegal_action_moves_no_lane(self, which: list[int], action: int) -> None:
        if action not in self.lanes[which[-1]].position.legal_action_ids():
            actions = [self.lanes[number].position.legal_action_ids()[0] for number in which[:-1]]
            with pytest.raises(IllegalActionError):
                self.batch.step([*actions, action], which)
            for lane in self.lanes:  # what the step before brought is cleared
                lane.over = lane.over and bool(self.batch.over.any())

    @rule(which=SOME_LANES)
    def abandon(self, which: list[int]) -> None:
        self.batch.abandon(which)
        for number in which:
            lane = self.lanes[number]
            self.lanes[number] = lane.following(self.game)
            self.lanes[number].over, self.lanes[number].returns = lane.over, lane.returns

    @rule(picks=st.lists(PICKS, min_size=LANES, max_size=LANES), seed=SEEDS)
    def load(self, picks: list[int], seed: int) -> None:
        pool = late_positions(self.game)
        given = [pool[number % len(pool)] for number in picks]
        self.batch.load(given, seed)
        streams = len(self.game.definition.streams)
        self.lanes = [Lane(seed, number, LANES, position.clone()) for number, position in enumerate(given)]
        for lane in self.lanes:
            lane.position.attach_chance(seed, lane.index, np.zeros(streams, np.uint32))
            lane.settled()

    @precondition(lambda self: len(self.twins) < 2)
    @rule()
    def clone(self) -> None:
        self.twins.append((self.batch.clone(), [lane.copied() for lane in self.lanes]))

    @precondition(lambda self: self.twins)
    @rule()
    def go_on_with_a_clone(self) -> None:
        other, lanes = self.twins.pop()
        self.twins.append((self.batch, self.lanes))
        self.batch, self.lanes = other, lanes

    @rule()
    def go_through_arrays(self) -> None:
        seeds = self.batch.seed if self.lanes[0].stride == LANES else self.batch.seeds
        arrays, self.batch = self.batch.to_arrays(), self.game.batch(LANES)
        self.batch.from_arrays(arrays, seeds)

    @rule()
    def go_through_pickle(self) -> None:
        self.batch = pickle.loads(pickle.dumps(self.batch))

    @invariant()
    def every_batch_is_what_it_should_be(self) -> None:
        for batch, lanes in [(self.batch, self.lanes), *self.twins] if hasattr(self, "batch") else ():
            for number, lane in enumerate(lanes):
                position = batch.position(number)
                assert position == lane.position and int(batch.games[number]) == lane.index
                assert (int(batch.seeds[number]), batch.stride) == (lane.key, lane.stride)
                assert int(batch.seats[number]) == lane.position.seat
                assert batch.action_masks[number].nonzero()[0].tolist() == lane.position.legal_action_ids()
                assert (batch.observations[number] == lane.position.observation(lane.position.seat)).all()
                assert bool(batch.over[number]) == lane.over
                if lane.over:
                    assert batch.rewards[number].tolist() == pytest.approx(lane.returns)
                if lane.over and lane.end is not None:
                    assert batch.final_position(number) == lane.end


@dataclass
class Logged:
    """A position and the moves that lead to it."""

    position: Position
    log: list[str]


class PositionMachine(RuleBasedStateMachine):
    """Positions that came about in different ways; each is what its own moves lead to, whatever happened to others."""

    game: Game

    def root(self) -> Position:
        root = self.game.initial_position()
        root.attach_chance(self.seed, 0, np.zeros(len(self.game.definition.streams), np.uint32))
        return root

    @initialize(seed=SEEDS, moves=st.integers(0, 120))
    def begin(self, seed: int, moves: int) -> None:
        self.seed = seed
        position = self.root()
        for number in range(moves):
            if position.node == "over":
                break
            position.apply(
                position.sample_chance() if position.seat is None else pick(position.legal_actions(), seed, number)
            )
        self.pool = [Logged(position, position.log)]

    def chosen(self, which: int) -> Logged:
        return self.pool[which % len(self.pool)]

    def add(self, logged: Logged) -> None:
        self.pool = [*self.pool, logged][-4:]

    @rule(which=PICKS, number=PICKS, as_id=st.booleans())
    def play(self, which: int, number: int, as_id: bool) -> None:
        logged = self.chosen(which)
        position = logged.position
        if position.node == "chance":
            text = position.sample_chance()
            ids = {
                name: index
                for index, name in zip(position.chance_outcome_ids(), position.chance_outcomes(), strict=True)
            }
        elif position.node == "decision":
            ids = dict(zip(position.legal_actions(), position.legal_action_ids(), strict=True))
            text = list(ids)[number % len(ids)]
        else:
            return
        position.apply(ids[text] if as_id else text)
        logged.log = [*logged.log, text]

    @rule(which=PICKS, action=st.integers(-3, 2**12))
    def an_illegal_action_changes_nothing(self, which: int, action: int) -> None:
        position = self.chosen(which).position
        if position.node != "chance" and action not in position.legal_action_ids():
            with pytest.raises(IllegalActionError):
                position.apply(action)

    @rule(which=PICKS, way=st.sampled_from(["clone", "pickle"]))
    def copy(self, which: int, way: str) -> None:
        logged = self.chosen(which)
        copies: dict[str, Callable[[Position], Any]] = {
            "clone": Position.clone,
            "pickle": lambda position: pickle.loads(pickle.dumps(position)),
        }
        self.add(Logged(copies[way](logged.position), logged.log))

    @rule(which=PICKS)
    def json_tells_the_whole_position(self, which: int) -> None:
        position = self.chosen(which).position
        again = self.game.from_json(json.loads(json.dumps(position.to_json())))
        assert again == position and again.key() == position.key() and again.log == []

    @rule(which=PICKS, seed=SEEDS)
    def what_a_seat_knows_is_the_same_redrawn(self, which: int, seed: int) -> None:
        position = self.chosen(which).position
        if position.seat is not None:
            drawn = position.resample(position.seat, seed)
            assert (drawn.observation(position.seat) == position.observation(position.seat)).all()
            assert drawn.legal_actions() == position.legal_actions() and drawn.check() == 0

    @invariant()
    def every_position_is_what_its_moves_lead_to(self) -> None:
        for logged in getattr(self, "pool", ()):
            again = self.root()
            for text in logged.log:
                again.apply(text)
            position = logged.position
            assert position.log == logged.log and position == again and position.key() == again.key()
            assert (position.node, position.seat) == (again.node, again.seat)
            if position.node == "chance":
                assert position.sample_chance() == again.sample_chance()


@pytest.mark.parametrize("machine", [BatchMachine, PositionMachine])
@pytest.mark.parametrize(("name", "players"), TABLES)
def test_any_order_of_calls(machine: type[Any], name: str, players: int) -> None:
    own = type(machine.__name__, (machine,), {"game": game_of(name, players)})
    run_state_machine_as_test(own, settings=SETTINGS)
