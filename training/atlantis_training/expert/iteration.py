"""Expert iteration (Anthony, Tian & Barber 2017): record what a search plays, fit a network, let it guide the search.

A directory: ``expert.json``, the settings; ``round-1/lessons`` and ``round-1/run`` and so on; ``rounds.json``, what
came of each round; ``policy/``, that of the newest one. It may be killed at any moment and goes on where it was:
lessons shard by shard, a run from its newest checkpoint, to the same bytes.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from atlantis_agents.catalogue import POLICY_DIRECTORY, usual_opponent
from atlantis_agents.networks.limits import MAX_WEIGHT_BYTES
from atlantis_agents.networks.policy import AFTERSTATES, MANIFEST, OBSERVATIONS, WEIGHTS, check_network
from atlantis_envs.base.files import read_file, read_json, write_atomically, write_together
from atlantis_envs.base.values import repr_short
from atlantis_envs.engine.game import Game
from atlantis_envs.errors import OptionError
from atlantis_envs.seats.agents import make_agent
from atlantis_training.evaluation.cluster import Cluster
from atlantis_training.evaluation.evaluate import evaluate
from atlantis_training.evaluation.measure import is_team, rotations
from atlantis_training.expert.guided import check_guided
from atlantis_training.expert.settings import FILE, ExpertSettings, lessons_of, run_of, save_settings, saved_settings
from atlantis_training.expert.teaching import SEED, Lesson, teach
from atlantis_training.selfplay.checkpoint import generations
from atlantis_training.selfplay.lessons import MANIFEST as LESSONS_MANIFEST
from atlantis_training.selfplay.lessons import Source, read_source
from atlantis_training.selfplay.lock import alone_in
from atlantis_training.selfplay.pool import make_game
from atlantis_training.selfplay.report import Outcome
from atlantis_training.selfplay.run import CHECKPOINTS, CURVE, DivergedError, Run

ROUNDS, SECONDS = "rounds.json", "seconds.json"
MEASURED_WITH = 12  # the seed of games that measure: none that was learned from
Show = Callable[[str, float, str], None]  # a phase, how far it is, 0..1, and a text


def seconds_of(out: Path) -> float:
    """The time that all calls together took, but for those that were killed."""
    path = out / SECONDS
    return float(read_json(path)) if path.exists() else 0.0


@dataclass
class Iteration:
    """Work in a directory. Made by ``begin`` or ``resume``; ``go`` does it.

    Attributes:
        out: the directory.
        settings: of it.
        game: that of the settings.
    """

    out: Path
    settings: ExpertSettings
    game: Game

    @classmethod
    def begin(cls, out: Path, settings: ExpertSettings) -> Iteration:
        """A new one.

        Raises:
            OptionError: there is one in that directory, or a setting is not allowed.
        """
        game = make_game(settings.run(1, out))
        make_agent(settings.teacher, game)  # refused now: the directory is not made yet
        if settings.imitate:
            make_agent(settings.first_teacher, game)
        inputs = AFTERSTATES if settings.afterstates else OBSERVATIONS
        check_network(game, settings.hidden, "", inputs, settings.features)
        check_guided(settings, out, game)
        if (out / FILE).exists():
            raise OptionError(
                f"out: {repr_short(out)} holds an expert iteration; allowed: another directory, or --resume"
            )
        out.mkdir(parents=True, exist_ok=True)
        save_settings(settings, out)
        return cls(out, settings, game)

    @classmethod
    def resume(cls, out: Path, guided: str | None = None) -> Iteration:
        """Go on with one.

        Args:
            out: its directory, which may have been moved.
            guided: another teacher of later rounds, where none has begun; None: the one it has.

        Raises:
            OptionError: there is none, or the teacher of later rounds cannot be made, or is fixed by now.
        """
        settings = saved_settings(out)
        game = make_game(settings.run(1, out))
        changed = replace(settings, guided=settings.guided if guided is None else guided)
        if any(not (lessons_of(out, number) / LESSONS_MANIFEST).exists() for number in range(2, settings.rounds + 1)):
            check_guided(changed, out, game)
        if changed != settings:
            with alone_in(out):
                if any(lessons_of(out, 2).glob("*.safetensors")):
                    raise OptionError("guided: fixed, round 2 has begun; allowed: what it began with")
                save_settings(changed, out)
        return cls(out, changed, game)

    def go(self, show: Show, workers: int | Cluster = 1) -> bool:
        """Do all rounds that are left; False if Ctrl-C or SIGTERM ended it early.

        Args:
            show: told how far it is.
            workers: processes that record, or a cluster.

        Raises:
            OptionError: another process is at work in the directory.
        """
        with alone_in(self.out):
            started = time.perf_counter()
            try:
                return all(self._round(number, show, workers) for number in range(1, self.settings.rounds + 1))
            finally:
                seconds = seconds_of(self.out) + time.perf_counter() - started
                write_atomically(self.out / SECONDS, json.dumps(round(seconds, 1)) + "\n")

    def results(self) -> list[dict[str, Any]]:
        """What came of each round so far."""
        path = self.out / ROUNDS
        found: list[dict[str, Any]] = read_json(path) if path.exists() else []
        return found

    def _round(self, number: int, show: Show, workers: int | Cluster) -> bool:
        """Do a round, as far as it is not done; False if it was interrupted."""
        if len(self.results()) >= number:
            return True
        lessons = self._record(number, show, workers)
        if lessons is None:
            return False
        outcome = self._fit(number, show)
        if outcome.interrupted:
            return False
        row = {"round": number, "teacher": self.settings.teacher_of(number, self.out), "decisions": lessons.decisions}
        curve = read_json(run_of(self.out, number) / CURVE)
        row |= {"agreement": curve[-1]["agreement"] if curve else None}
        if self.settings.games:
            share = self._measure(outcome.policy, number, show)
            if share is None:
                return False
            row |= share
        policy = self.out / POLICY_DIRECTORY
        policy.mkdir(exist_ok=True)
        write_together(
            {policy / name: read_file(outcome.policy / name, MAX_WEIGHT_BYTES) for name in (WEIGHTS, MANIFEST)}
        )
        write_atomically(self.out / ROUNDS, json.dumps([*self.results(), row], indent=1) + "\n")
        return True

    def _record(self, number: int, show: Show, workers: int | Cluster) -> Source | None:
        directory, settings = lessons_of(self.out, number), self.settings
        if (directory / LESSONS_MANIFEST).exists():
            return read_source(directory, self.game)
        teacher, phase, done = settings.teacher_of(number, self.out), f"record {number}", 0
        seed = settings.seed + SEED + (number << 33)
        lesson = Lesson(self.game, teacher, seed, settings.stray, settings.afterstates)

        def advance(count: int) -> None:
            nonlocal done
            done += count
            show(phase, min(1.0, done / settings.decisions), f"{done:,} decisions of {teacher}")

        return teach(lesson, directory, settings.decisions, workers, advance)

    def _fit(self, number: int, show: Show) -> Outcome:
        """Fit the network to all that was recorded so far."""
        directory, settings = run_of(self.out, number), self.settings.run(number, self.out)
        if generations(directory / CHECKPOINTS):
            # The run remembers paths as they were when it began: another working directory, or before a move.
            run = Run.resume(directory, moved={"lessons": settings.lessons, "start": settings.start})
        else:
            run = Run.begin(directory, settings)
        try:
            return run.go(lambda report: show(f"{report.phase} {number}", report.done, report.text))
        except DivergedError as error:  # in the words of this command
            raise DivergedError(str(error).replace("imitate_rate", "rate")) from None

    def _measure(self, policy: Path, number: int, show: Show) -> dict[str, Any] | None:
        """The policy's share of wins against the best-known agent; in a cooperative game, of games won together."""
        game, phase, done = self.game, f"measure {number}", 0
        together = is_team(game)
        opponent = str(policy) if together else usual_opponent(game.name)
        line_up = (str(policy), *(opponent,) * (game.players - 1))
        blocks = -(-self.settings.games // len(rotations(line_up)))
        total = blocks * len(rotations(line_up))

        def advance(count: int) -> None:
            nonlocal done
            done += count
            show(phase, done / total, f"{done:,} games")

        found = evaluate(game, line_up, blocks, MEASURED_WITH, 1, advance)
        if found.interrupted:
            return None
        share = found.team.share if found.team is not None else found.agents[0].share
        against = "" if together else opponent
        return {"against": against, "share": share.value, "low": share.low, "high": share.high, "games": share.games}
