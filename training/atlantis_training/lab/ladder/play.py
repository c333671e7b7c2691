"""Playing a ladder in several processes, with the same outcomes whatever their number, and stopping early."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from atlantis_envs.engine.game import Game
from atlantis_training.lab.ladder.outcomes import MISSING, Entry, Log, Outcomes
from atlantis_training.lab.ladder.plan import STEP, Ladder, check_blocks
from atlantis_training.lab.ladder.table import lead
from atlantis_training.lab.matches import Progress, Results
from atlantis_training.lab.sequential import OPEN, Verdict, first_answer, judge
from atlantis_training.lab.workers import Task, Work, default_workers, play_task, tried_agents, work_through


@dataclass(frozen=True)
class Played:
    """What was played of a ladder.

    Attributes:
        ladder: of which.
        outcomes: of the blocks that count, all of them whole.
        requested: blocks requested.
        better: the two agents of the sequential test, "is the second better than the first"; None without one.
        verdict: its answer; None without a test or without a block.
    """

    ladder: Ladder
    outcomes: Outcomes
    requested: int
    better: tuple[str, str] | None = None
    verdict: Verdict | None = None

    @property
    def blocks(self) -> int:
        """Blocks that count."""
        return int(self.outcomes.winners.shape[2])

    @property
    def decided(self) -> bool:
        """Whether a sequential test came to an answer."""
        return self.verdict is not None and self.verdict.answer != OPEN

    @property
    def interrupted(self) -> bool:
        """Whether it ended before all blocks were played and for no other reason."""
        return self.blocks < self.requested and not self.decided


def missing_tasks(ladder: Ladder, outcomes: Outcomes) -> list[tuple[int, Task]]:
    """What is left to play, as numbers of matchups and their tasks: early blocks first, so that they are soon whole."""
    blocks = outcomes.winners.shape[2]
    tasks = []
    for start in range(0, blocks, STEP):
        for matchup, tables in enumerate(ladder.matchups):
            gaps = np.flatnonzero((outcomes.winners[matchup, :, start : start + STEP] == MISSING).any(axis=0))
            if len(gaps):
                first, last = start + int(gaps[0]), start + int(gaps[-1])
                tasks.append((matchup, Task(tables, first, last - first + 1)))
    return tasks


def play_ladder(
    ladder: Ladder,
    blocks: int,
    log: Log | None = None,
    workers: int | None = 1,
    bar: Callable[[int], Progress] | None = None,
    better: tuple[str, str] | None = None,
) -> Played:
    """Play what is missing of the first ``blocks`` blocks.

    Args:
        ladder: who plays whom.
        blocks: game numbers 0..blocks-1 of every table.
        log: where finished tasks are kept, with those that are there already; None keeps nothing.
        workers: processes; the outcomes do not depend on it. None: a sensible number.
        bar: told the number of games to play; returns what is called with the number finished since the last call.
        better: stop as soon as it is known whether the second of these agents is better than the first. The blocks that
            count are those up to the answer, in their order, whatever else was played meanwhile.

    Raises:
        OptionError: a number of blocks that is not allowed, or an agent that does not fit.
    """
    check_blocks(ladder, blocks)
    agents = tried_agents(ladder.game, ladder.agents)
    outcomes = Outcomes.none(ladder, blocks)
    for entry in log.entries if log else ():
        outcomes.put(entry)
    if not _answered(ladder, outcomes, better):
        numbered = missing_tasks(ladder, outcomes)
        tasks = [task for _, task in numbered]
        games = sum(task.games for task in tasks)
        advance = bar(games) if bar else None

        def take(index: int, results: tuple[Results, ...]) -> bool:
            entry = Entry.of(numbered[index][0], tasks[index].first, results, ladder.cooperative)
            if log:
                log.add(entry)
            outcomes.put(entry)
            if advance:
                advance(tasks[index].games)
            return _answered(ladder, outcomes, better)

        here = partial(play_task, ladder.game, agents, seed=ladder.seed)
        work = Work(here, _begin, (ladder.game, ladder.agents, ladder.seed), ladder.agents)
        work_through(work, tasks, default_workers(games) if workers is None else workers, take)
    whole = outcomes.first(outcomes.finished)
    verdict = judge(lead(ladder, whole, *better)) if better and outcomes.finished else None
    return Played(ladder, whole.first(verdict.block) if verdict else whole, blocks, better, verdict)


def _begin(game: Game, agents: tuple[str, ...], seed: int) -> Callable[[Task], tuple[Results, ...]]:
    return partial(play_task, game, tried_agents(game, agents), seed=seed)


def _answered(ladder: Ladder, outcomes: Outcomes, better: tuple[str, str] | None) -> bool:
    """Whether the whole blocks answer the question of the sequential test, if there is one."""
    whole = outcomes.finished
    return bool(better and whole and first_answer(lead(ladder, outcomes.first(whole), *better))[0] != OPEN)
