"""Games that are watched to be imitated: a teacher plays them, or corrects the learner that does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from atlantis_envs.seats.agents import Agent, make_agent
from atlantis_envs.seats.positions import ask
from atlantis_training.selfplay.lessons import Watched

if TYPE_CHECKING:
    from atlantis_envs.engine.game import Game

FEWEST = 2  # legal actions of a decision that is kept: there is nothing to learn where nothing is to choose


def watch(
    game: Game,
    teacher: str | Agent,
    numbers: NDArray[np.int64],
    seed: int,
    pupil: Agent,
    own: int,
    after: bool,
    scored: bool = False,
) -> Watched:
    """What a teacher plays, or would play, at every choice of some games.

    Args:
        game: what is played.
        teacher: who plays it against itself.
        numbers: of the games, int64 (N,).
        seed: of the games and of the noise of whoever plays.
        pupil: plays the first ``own`` games against itself; there the teacher only says what it would do.
        own: 0..N.
        after: with afterstates.
        scored: with what the teacher thinks of every action; it is one of the heuristic's kind then.
    """
    adviser: Any = make_agent(teacher, game)
    batch = game.batch(len(numbers), seed)
    batch.reset(games=numbers)
    lanes, paid = np.arange(len(numbers)), np.zeros((len(numbers), game.players), np.float32)
    kept: list[tuple[NDArray[Any], ...]] = []
    led_to: list[NDArray[np.uint8]] = []
    while len(lanes):
        masks = batch.action_masks[lanes]
        actions = ask(adviser, batch, lanes, batch.noise(seed, lanes))
        choice = masks.sum(axis=1) >= FEWEST
        some = lanes[choice]
        seats = batch.seats[some].astype(np.int64)
        kept.append((batch.observations[some], masks[choice] != 0, actions[choice], some, seats))
        led_to += [batch.afterstates(some).observations] if after else []
        mine = lanes < own
        if mine.any():
            actions[mine] = ask(pupil, batch, lanes[mine], batch.noise(seed, lanes[mine]))
        rewards, over = batch.step(actions, lanes)
        paid[over] = rewards[over]
        lanes = lanes[~over[lanes]]
    seen, legal, chosen, whose, seats = (np.concatenate(column) for column in zip(*kept, strict=True))
    scores = adviser.scores(seen, legal.astype(np.int8)).astype(np.float32) if scored else None
    return Watched(seen, legal, chosen, paid[whose, seats], np.concatenate(led_to) if after else None, scores)
