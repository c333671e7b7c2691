"""Plays without the compiler, so that coverage sees kernels: ``NUMBA_DISABLE_JIT=1 python tests/uncompiled.py GAME``.

Whole games of the heuristics, which go astray now and then, with all that is asked of a batch on the way, from their
beginnings and from late positions; advice at nodes of every kind; searches of every kind in the middle of a game. What
is asserted is what must hold in any game.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from helpers.golden_games import ATLANTIS, RISING, SOURCES, Document
from helpers.policies import following, last_legal_policy, valuing
from helpers.support import Walk

import atlantis_envs
from atlantis_agents.catalogue import find_agent
from atlantis_agents.features import features_of
from atlantis_agents.search.agent import SearchAgent
from atlantis_agents.search.settings import leaves_of, rollouts_of
from atlantis_envs.engine.batch import Batch
from atlantis_envs.engine.game import Game
from atlantis_envs.engine.position import Position
from atlantis_envs.engine.single import Single
from atlantis_envs.seats.batch import SeatBatch
from atlantis_envs.seats.positions import determinize

SEED = 7
ASTRAY = 0.2  # of the choices are random
EVERY = 16  # plies between two looks at everything
WALKED = 60  # nodes of random play
SPOILED, STRIDE = 40, 3  # changes of a position; every third position is changed
CHANGES = (-1, 1, 2, -100, 100)
TWICE, KINDS = 2, 6  # so often the heuristic is asked where the same kinds of actions are legal; at least so many
TABLES: dict[str, list[dict[str, Any]]] = {
    "atlandice": [{"players": 2}, {"players": 3, "optional_effects": True}, {"players": 4, "handicap": [0, 1, 2, 0]}],
    "atlantis": [
        {"players": 2, **ATLANTIS[0], "handicap": [0, 3]},
        *({"players": 2 + number % 3, **ATLANTIS[number]} for number in range(1, len(ATLANTIS))),
    ],
    "atlantis_rising": [{"players": players, **RISING[number]} for players, number in ((1, 4), (4, 1), (7, 3), (2, 5))],
}
LATE = {"atlantis_rising": (8, 9)}  # components built where a game goes on
SEARCHES = (
    "4,rollout=random,horizon=end,considered=1", "6,spread=even,gate=0,horizon=2", "6,spread=race,gate=1,horizon=2",
    "6,gate=1,prior=0.05,horizon=2",
    "6,root=gumbel,noise=1,guide={values},leaf={values},horizon=2", "6,tree=puct,horizon=2",
    "6,tree=puct,root=gumbel,guide={values},leaf={values},horizon=0", "4,rollout={last},horizon=2",
    "4,rollout=random,own={last},horizon=3", "4,guide={last},own={last},horizon=round,least=2",
    "4,rollout={follower},horizon=2",
)  # fmt: skip


def play(batch: Batch) -> Iterator[Batch]:
    """A game of the heuristic that goes astray, from here to its end; the batch every so many plies."""
    agent, dice = find_agent("heuristic", batch.game), np.random.default_rng(SEED)
    over = np.zeros(1, bool)
    while not over[0]:
        if batch.plies[0] % EVERY == 0:
            yield batch
        legal = np.flatnonzero(batch.action_masks[0])
        told = agent.act(batch.observations, batch.action_masks, batch.noise(SEED))
        assert told[0] in legal
        rewards, over = batch.step(dice.choice(legal, 1) if dice.random() < ASTRAY else told)
    last = batch.final_position(0)
    assert last.node == "over" and last.check() == 0 and np.allclose(rewards[0], last.returns())


def look(batch: Batch) -> None:
    """Ask everything that is asked of a batch, and compare what can be."""
    position, seat = batch.position(0), int(batch.seats[0])
    assert position.check() == 0 and (position.observation(seat) == batch.observations[0]).all()
    assert features_of(batch.game, batch.observations).shape[0] == 1
    assert np.isfinite(batch.potentials(batch.seats)).all()
    after = batch.afterstates()
    assert len(after.actions) == batch.action_masks.sum()
    again = batch.clone()
    again.load([batch.game.from_json(position.to_json()).resample(seat, SEED)])
    assert (again.observations == batch.observations).all()


def search(batch: Batch, folder: Path) -> None:
    """Search a position in every way that the game has."""
    noise = batch.noise(SEED)
    seen = determinize(batch.game, batch.states, batch.seats, batch.observations, batch.action_masks, noise)
    makers = {"values": valuing, "last": last_legal_policy, "follower": following}
    policies = {name: make(folder / name, batch.game) for name, make in makers.items()}
    definition = batch.game.definition
    leaves = [f"2,horizon=2,leaf={leaf}" for leaf in leaves_of(definition)]
    rollouts = [f"2,horizon=round,least=3,rollout={rollout}" for rollout in rollouts_of(definition)]
    for text in (*SEARCHES, *leaves, *rollouts):
        agent = find_agent(f"search:{text.format_map(policies)}", batch.game)
        assert isinstance(agent, SearchAgent)
        found = agent.study(seen, noise)
        assert batch.action_masks[0, found.choices[0]] and found.counts.sum() > 0, text


def spoil(position: Position, dice: np.random.Generator) -> tuple[int, int]:
    """Change numbers of a position: what its check lets pass can be played on. How many were found, of how many."""
    found = 0
    for name in dice.choice(position.state.dtype.names, SPOILED):
        states = position.state.copy()
        numbers = states[name]
        at = int(dice.integers(numbers.size))
        numbers.flat[at] = np.int64(int(numbers.flat[at]) + dice.choice(CHANGES)).astype(numbers.dtype)
        changed = Position(position.game, states)
        found += changed.check() != 0
        assert changed.check() or changed.legal_actions() or changed.node != "decision"
    return found, SPOILED


def documents(name: str) -> Iterator[Document]:
    """Late and rare positions."""
    source = SOURCES[name]
    return source.documents() if name == "atlandice" else source.starts()


def late(name: str, built: int) -> Batch:
    """A later round, with so many components built."""
    found = next(one for one in documents(name) if one["round"] > 1 and len(one["built"]) == built)
    return Batch.from_positions([atlantis_envs.game(name).from_json(found)], SEED)


def advise(name: str) -> None:
    """Ask the heuristic wherever other kinds of actions can be chosen from, twice where they come up again."""
    seen = Counter[tuple[str, ...]]()
    for document in documents(name):
        position = atlantis_envs.game(name).from_json(document)
        kinds = tuple(sorted({action.partition(" ")[0] for action in position.legal_actions()}))
        seen[kinds] += 1
        if kinds and seen[kinds] <= TWICE:
            batch = Batch.from_positions([position], SEED)
            agent = find_agent("heuristic", position.game)
            [told] = agent.act(batch.observations, batch.action_masks, batch.noise(SEED))
            assert batch.action_masks[0, told]
            keep_secrets(concealed(document))
    assert len(seen) > KINDS


def concealed(document: Document) -> Position:
    """The position with hands that nobody else knows, where that is an option."""
    if "hands_open" in document["options"]:
        seats = [{**seat, "shown": {}} for seat in document["seats"]]
        document = {**document, "options": {**document["options"], "hands_open": False}, "seats": seats}
    return atlantis_envs.game(document["game"]).from_json(document)


def keep_secrets(position: Position) -> None:
    """Redraw what each seat cannot know: it sees the same afterwards, and the position is as sound as before."""
    anywhere = position.game.definition.resample_nodes == "every node"
    for seat in range(position.game.players) if anywhere else [] if position.seat is None else [position.seat]:
        twin = position.resample(seat, SEED)
        assert twin.check() == 0 and (twin.observation(seat) == position.observation(seat)).all()


def spoil_all(name: str) -> None:
    """Change numbers of late and rare positions; most of it must be found."""
    dice = np.random.default_rng(SEED)
    some = islice(documents(name), 0, None, STRIDE)
    counts = [spoil(atlantis_envs.game(name).from_json(one), dice) for one in some]
    found, tried = np.sum(counts, axis=0)
    assert found > tried / 2


def sit_down(game: Game) -> None:
    """Play on beside opponents that are kernels, then in a single game."""
    seats = SeatBatch(game, 2, opponents="heuristic", skip_forced=True)
    seats.reset()
    for _ in range(4):
        seats.step(seats.masks.argmax(axis=1))
    single = Single(game)
    single.start(SEED, 0)
    for _ in range(20):
        single.step(int(single.mask.argmax()))
    assert single.position().check() == 0
    assert Walk(game, SEED).advance(WALKED) == 0


def main() -> None:
    """Play the games that are named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("games", nargs="*", default=list(TABLES))
    for name in parser.parse_args().games:
        for options in TABLES[name]:
            game = atlantis_envs.game(name, **options)
            searched = options is not TABLES[name][1]
            for number, batch in enumerate(play(game.batch(1, SEED))):
                look(batch)
                if number and not searched and batch.action_masks.sum() > 1:
                    searched = True
                    with tempfile.TemporaryDirectory() as folder:
                        search(batch, Path(folder))
        for built in LATE.get(name, ()):
            for batch in play(late(name, built)):
                look(batch)
        advise(name)
        spoil_all(name)
        sit_down(atlantis_envs.game(name))


if __name__ == "__main__":
    main()
