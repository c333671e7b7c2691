"""A teacher plays against itself and its decisions are recorded, in several processes if there are.

What a shard holds is a function of the game, the teacher, the seed and the shard's number alone. So the lessons do not
depend on the number of processes, nor on how often they were interrupted: those are the first shards, in order, that
together have as many decisions as were asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from atlantis_envs.engine.game import Game
from atlantis_envs.seats.agents import Agent, make_agent
from atlantis_envs.seats.positions import ask
from atlantis_training.evaluation.cluster import Cluster
from atlantis_training.evaluation.measure import tried_agents
from atlantis_training.evaluation.workers import Work, work_through
from atlantis_training.selfplay.lessons import Source, Watched, count_of, finish, write_shard

GAMES = 16  # of a shard, played side by side: an interruption waits for them
SEED = 2**62  # added to that of the settings: other games than those that are learned from or measured with
SPREAD = np.uint64(0x9E3779B97F4A7C15)  # makes further words of one
TO_UNIT = 2.0**-53


@dataclass(frozen=True)
class Lesson:
    """What is taught.

    Attributes:
        game: the game.
        teacher: a text that names an agent; it sits in every seat.
        seed: of chance and teacher.
        stray: share of decisions where something else is played than what the teacher says: what it says is recorded.
        after: whether afterstates are recorded too.
    """

    game: Game
    teacher: str
    seed: int
    stray: float
    after: bool


def teach(
    lesson: Lesson, directory: Path, decisions: int, workers: int | Cluster, advance: Callable[[int], None]
) -> Source | None:
    """Record lessons, or go on with recording; None if it was interrupted.

    Args:
        lesson: what is taught.
        directory: of the shards, made if needed; what it holds of this lesson is kept.
        decisions: at least so many are recorded.
        workers: processes, or a cluster.
        advance: called with the number of decisions that were recorded since the last call.

    Raises:
        OptionError: there is no such teacher for this game.
    """
    directory.mkdir(parents=True, exist_ok=True)
    most = -(-decisions // GAMES)  # every game has a choice
    counts = {number: count for number in range(most) if (count := count_of(directory, number))}
    advance(sum(counts.values()))
    missing = [number for number in range(most) if number not in counts]

    def take(index: int, watched: Watched) -> bool:
        write_shard(directory, missing[index], watched)
        counts[missing[index]] = len(watched.actions)
        advance(len(watched.actions))
        return enough(counts, decisions) > 0

    if not enough(counts, decisions):
        agent = tried_agents(lesson.game, [lesson.teacher])[lesson.teacher]
        arguments = (lesson.game, lesson.teacher, lesson.seed, lesson.stray, lesson.after)
        work = Work(partial(recorded, lesson, agent), _begin, arguments, (lesson.teacher,))
        work_through(work, missing, workers, take)
    shards = enough(counts, decisions)
    if not shards:
        return None
    return finish(
        directory, lesson.game, shards, {"teacher": lesson.teacher, "seed": lesson.seed, "stray": lesson.stray}
    )


def enough(counts: dict[int, int], decisions: int) -> int:
    """How many of the first shards together have so many decisions; 0 if those that are there do not."""
    total = shards = 0
    while total < decisions:
        if shards not in counts:
            return 0
        total += counts[shards]
        shards += 1
    return shards


def _begin(game: Game, teacher: str, seed: int, stray: float, after: bool) -> Callable[[int], Watched]:
    return partial(recorded, Lesson(game, teacher, seed, stray, after), make_agent(teacher, game))


def recorded(lesson: Lesson, teacher: Agent, shard: int) -> Watched:
    """All choices in the games of a shard."""
    game, seed = lesson.game, lesson.seed
    batch, lanes = game.batch(GAMES, seed), np.arange(GAMES)
    batch.reset(games=lanes + GAMES * shard)
    paid = np.zeros((GAMES, game.players), np.float32)
    kept: list[tuple[NDArray[Any], ...]] = []
    after: list[NDArray[np.uint8]] = []
    while len(lanes):
        masks, words = batch.action_masks[lanes], batch.noise(seed, lanes)
        actions, choice = masks.argmax(axis=1), masks.sum(axis=1) > 1
        some = lanes[choice]
        if len(some):
            told = ask(teacher, batch, some, words[choice])
            seats = batch.seats[some].astype(np.int64)
            kept.append((batch.observations[some], masks[choice] != 0, told, some, seats))
            after += [batch.afterstates(some).observations] if lesson.after else []
            actions[choice] = strayed(told, masks[choice], words[choice], lesson.stray)
        rewards, over = batch.step(actions, lanes)
        paid[over] = rewards[over]
        lanes = lanes[~over[lanes]]
    seen, legal, chosen, whose, seats = (np.concatenate(column) for column in zip(*kept, strict=True))
    return Watched(seen, legal, chosen, paid[whose, seats], np.concatenate(after) if after else None)


def strayed(
    told: NDArray[np.int64], masks: NDArray[np.int8], words: NDArray[np.uint64], share: float
) -> NDArray[np.int64]:
    """What is played: what was told, or in some decisions any legal action."""
    first, second = words * SPREAD, (words ^ SPREAD) * SPREAD
    random = (first >> np.uint64(11)) * TO_UNIT < share
    legal = masks != 0
    wanted = (second >> np.uint64(11)) * TO_UNIT * legal.sum(axis=1)
    any_legal = (legal.cumsum(axis=1) > np.floor(wanted)[:, None]).argmax(axis=1)
    return np.where(random, any_legal, told)
