"""Self-play training, the work of ``atlantis train``.

A run is a directory: ``settings.toml``, ``checkpoints/``, ``tensorboard/``, ``curve.json``, and ``policy/``, the newest
policy as an agent that needs no torch. It may be killed at any moment and goes on from its newest checkpoint.
"""

from __future__ import annotations

import json
import math
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from atlantis_agents.networks.policy import (
    AFTERSTATES,
    OBSERVATIONS,
    POLICY_DIRECTORY,
    RELU,
    check_network,
    save_policy,
)
from atlantis_envs.base.files import write_atomically
from atlantis_envs.base.values import repr_short
from atlantis_envs.errors import AtlantisError, OptionError
from atlantis_envs.seats.agents import make_agent
from atlantis_training.evaluation.cluster import Cluster
from atlantis_training.evaluation.report import sums_of_own
from atlantis_training.selfplay.checkpoint import (
    MANIFEST,
    CheckpointError,
    check_fit,
    collect,
    generations,
    locked,
    newest_generation,
    restore,
    save_generation,
)
from atlantis_training.selfplay.collectors import Collectors
from atlantis_training.selfplay.dataset import check_dataset
from atlantis_training.selfplay.described import BEFORE_EDITIONS, features_for, with_edition
from atlantis_training.selfplay.learner import Learner, SelfPlayVecEnv, value_of
from atlantis_training.selfplay.pool import SNAPSHOT, make_game, make_pool
from atlantis_training.selfplay.ppo import NoProbabilitiesError
from atlantis_training.selfplay.report import DATASET, IMITATE, PLAY, Outcome, Report, Writers
from atlantis_training.selfplay.settings import SelfPlaySettings, settings_from, to_toml
from atlantis_training.selfplay.size_limits import check_size_limits, thinned
from atlantis_training.selfplay.warm_start import take_network, warm_started, without_taken_over
from atlantis_training.signals import heard_by

CHECKPOINTS, CURVE, SETTINGS = "checkpoints", "curve.json", "settings.toml"
WINDOW = 2000  # games behind the win share that is shown
FEWEST_FAR = 2  # parts of a round on a cluster: the learner waits for them, so one worker would gain nothing
MAY_CHANGE = ("steps", "seconds", "checkpoint_every", "keep_checkpoints")  # on going on with a run


class DivergedError(AtlantisError, ArithmeticError):
    """The numbers of the network became infinite; the run stands where its last checkpoint stands."""


Progress = Callable[[Report], None]


class Run:
    """A run in a directory. Made by ``begin`` or ``resume``; ``go`` does the work.

    Attributes:
        curve: one row every few rounds: steps, seconds, win share and that against each opponent; while it imitates,
            the share of choices that are the teacher's.
    """

    _playing = 0.0  # seconds of rounds of playing, in this call

    def __init__(self, out: Path, settings: SelfPlaySettings, cluster: Cluster | None = None) -> None:
        """Set everything up; nothing is written yet."""
        if cluster and settings.collectors < FEWEST_FAR:
            allowed = f"allowed on a cluster: {FEWEST_FAR} or more, fixed when a run begins"
            raise OptionError(f"collectors: {settings.collectors}; {allowed}")
        self.out, self.settings = out, settings
        self.game = make_game(settings)
        if settings.imitate or settings.advice:
            make_agent(settings.teacher, self.game)  # refused now: the first round is too late, the directory is made
        inputs = AFTERSTATES if settings.afterstates else OBSERVATIONS
        advice = settings.teacher if settings.advice else ""
        kind = inputs, features_for(settings, self.game), value_of(self.game, settings)
        check_network(self.game, settings.hidden, advice, *kind)
        self.pool = make_pool(self.game, settings)
        self._policies = sums_of_own(settings.policies, self.game)  # now, since they may be replaced while it runs
        self.environment = SelfPlayVecEnv(self.game, settings, self.pool)
        self._most_rows = check_size_limits(self.game, settings, self.environment.core.to_arrays())
        self.learner = Learner(self.game, settings, self.environment)
        self.learner.clock = self._elapsed
        self._collectors = Collectors(settings, self.learner, self.environment, self.pool, cluster)
        if settings.collectors > 1:
            self.learner.gather = self._collectors.gather
        self.seconds = 0.0  # of earlier calls
        self.curve: list[dict[str, Any]] = []
        self.warnings: list[str] = []
        self._started = time.perf_counter()
        self._newest: list[Path] = []  # the checkpoint that this run stands on,
        self._kept, self._value, self._layers = 0, self.learner.value, self.learner.layers()  # and its policy
        self._in_round = self._stop = False

    @classmethod
    def begin(cls, out: str | Path, settings: SelfPlaySettings, cluster: Cluster | None = None) -> Run:
        """Return a new run, collected by workers of a cluster if there is one.

        Raises:
            OptionError: there is a run in that directory, or a setting is not allowed.
        """
        directory = Path(out)
        with locked(directory):
            refuse_a_run(directory)
        settings, first = warm_started(settings)
        settings = with_edition(settings, make_game(settings))
        run = cls(directory, settings, cluster)
        check_dataset(run.learner.datasets, run.game, settings.afterstates)
        run.environment.begin()
        if first is not None:
            if not take_network(run.learner, Path(settings.start) / CHECKPOINTS):
                run.learner.begin_from(first)
            run.learner.scale_logits(settings.start_temperature)
            run._layers = run.learner.layers()
        run._claim(to_toml(settings))
        return run

    def _claim(self, settings: str) -> None:
        """Write the settings and a first checkpoint into the directory.

        Raises:
            OptionError: there is a run in it: another process may have begun one while this one made ready.
        """
        self.out.mkdir(parents=True, exist_ok=True)
        with locked(self.out):
            refuse_a_run(self.out)
            write_atomically(self.out / SETTINGS, settings)
            self.save()

    @classmethod
    def resume(
        cls, out: str | Path, cluster: Cluster | None = None, *, moved: Mapping[str, Any] | None = None, **changes: Any
    ) -> Run:
        """Go on from the newest sound checkpoint.

        Args:
            out: the directory of the run.
            cluster: whose workers collect the rounds; None: this process. What is learned is the same.
            moved: settings that say where files are now, ``dataset`` and ``start``; the same decisions.
            **changes: settings; all but MAY_CHANGE must be what they were.

        Raises:
            CheckpointError: there is none, or it does not fit.
            OptionError: a change that is not allowed.
        """
        directory = Path(out)
        with locked(directory):
            newest = generations(directory / CHECKPOINTS)[-1:]
            path, manifest, arrays, warnings = newest_generation(directory / CHECKPOINTS)
        saved = settings_from(moved or {}, saved_settings(path, manifest))
        changes = without_taken_over(changes, saved)
        settings = settings_from(changes, saved)
        changed = [name for name in changes if getattr(settings, name) != getattr(saved, name)]
        refused = [name for name in changed if name not in MAY_CHANGE]
        if refused:
            raise OptionError(f"{', '.join(refused)}: fixed when the run began; allowed: {', '.join(MAY_CHANGE)}")
        run = cls(directory, settings, cluster)
        check_fit(path, manifest, run.game)
        run.warnings, run._newest = warnings, newest
        extra = restore(run.learner, run.environment, run.pool, arrays, manifest["state"])
        if extra.get("dataset", []) != [dataset.digest for dataset in run.learner.datasets]:
            raise CheckpointError(
                f"checkpoint: {repr_short(path)}: dataset holds other decisions now; allowed: those it began with"
            )
        if extra.get("policies", run._policies) != run._policies:
            raise CheckpointError(
                f"checkpoint: {repr_short(path)}: policies have other weights now; allowed: those it began with"
            )
        run.seconds, run.curve = time_and_curve(path, extra)
        run._keep()
        return run

    # -------------------------------------------------------------------------------------------------------- rounds

    @property
    def finished(self) -> bool:
        """Return whether all steps are done, or the time is over."""
        limit = self.settings.seconds
        done = self.learner.steps >= self.settings.steps and self.learner.phase == PLAY
        return done or bool(limit and self._elapsed() >= limit)

    @property
    def spent(self) -> float:
        """Share of the limit of time that is used up, 0..1; of the steps, if there is none."""
        limit = self.settings.seconds
        return min(1.0, self._elapsed() / limit) if limit else self.learner.progress

    def _elapsed(self) -> float:
        return self.seconds + time.perf_counter() - self._started

    def go(self, progress: Progress | None = None) -> Outcome:
        """Learn until all is done.

        Ctrl-C or SIGTERM ends it early, after the round in hand, and ``resume`` goes on from there. A second one stops
        at once: then the last checkpoint stands.

        Raises:
            OptionError: another process is at work on this run, or has been since it was read.
            DivergedError: the settings let the network run off to infinity.
        """
        with locked(self.out):
            if generations(self.out / CHECKPOINTS)[-1:] != self._newest:
                raise OptionError(
                    f"out: {repr_short(self.out)}: another process went on with this run; allowed: resuming it anew"
                )
            if self._in_round:
                raise OptionError(
                    f"out: {repr_short(self.out)}: stopped in the middle of a round; allowed: resuming it anew"
                )
            self._started, self._stop = time.perf_counter(), False
            if self.finished:
                return self._nothing_left()
            with self._patient():
                return self._go(progress)

    def _nothing_left(self) -> Outcome:
        """Leave everything alone, but for a policy that a kill between checkpoint and policy left behind."""
        settings, policy = self.settings, self.out / POLICY_DIRECTORY
        if self.learner.steps >= settings.steps and self.learner.phase == PLAY:
            why = f"--steps {settings.steps} are done; give more with --steps"
        else:
            why = f"--seconds {settings.seconds:g} is used up; give more with --seconds"
        written, saved = policy / MANIFEST, self._newest[-1] / MANIFEST
        if not written.exists() or written.stat().st_mtime_ns < saved.stat().st_mtime_ns:
            self.export()
        return Outcome(self._kept, 0.0, policy, warnings=self.warnings, nothing_left=f"nothing left to do: {why}")

    def _go(self, progress: Progress | None) -> Outcome:
        first, interrupted = self.learner.steps, False
        writers = Writers(self.out / "tensorboard")
        try:
            while not self.finished and not self._stop:
                report = self._round()
                writers.log(report, self._imitated() if report.imitating else report.steps)
                if progress:
                    progress(report)
        except KeyboardInterrupt:
            interrupted = True
        finally:
            self._close()
            writers.close()
            if not self._in_round:  # else the state is neither the old nor the new one: the last checkpoint stands
                self.save()
            seconds = time.perf_counter() - self._started
            self.seconds, self._started = self.seconds + seconds, self._started + seconds  # another call counts on
        environment, networks = self._shares_of_time()
        return Outcome(
            steps=self._kept,
            seconds=seconds,
            policy=self.out / POLICY_DIRECTORY,
            interrupted=interrupted or not self.finished,
            environment=environment,
            networks=networks,
            rate=(self._kept - first) / seconds,
            warnings=self.warnings,
        )

    def _imitated(self) -> int:
        return self.learner.imitated + self.learner.dataset_rows

    def _close(self) -> None:
        self._collectors.close()

    def _shares_of_time(self) -> tuple[float, float]:
        """Return the shares of the time of playing that environment and networks of opponents took."""
        playing = self._playing or math.inf  # no round, no share
        return self.environment.seconds / playing, self.environment.thinking / playing

    @contextmanager
    def _patient(self) -> Iterator[None]:
        """Let the first Ctrl-C or SIGTERM wait for the end of the round; the next one does not, but tears no file."""

        def interrupted(*_: Any) -> None:
            if self._stop and self._in_round:
                raise KeyboardInterrupt
            if not self._stop:
                with suppress(RuntimeError):  # it may come in the middle of another line
                    print("Interrupted: finishing the round in hand; once more stops at once", file=sys.stderr)
            self._stop = True

        with heard_by(interrupted):
            yield

    def _round(self) -> Report:
        learner, settings = self.learner, self.settings
        before, started, phase = learner.steps, time.perf_counter(), learner.phase
        self._in_round = True
        figures = self._learn(phase)
        took = time.perf_counter() - started
        if phase == PLAY:
            self._playing += took
            if settings.keeps_snapshots and learner.rounds % settings.snapshot_every == 0:
                self._snapshot()
        self._in_round = False
        report = self._report(phase, (learner.steps - before) / took, figures)
        if self._number % settings.checkpoint_every == 0:
            row = {"steps": report.steps, "seconds": round(self._elapsed(), 1), "against": report.against}
            found = {"agreement": round(figures["agreement"], 4)} if report.imitating else {"share": report.share}
            known = {name: value for name, value in found.items() if value is not None}
            self.curve = thinned([*self.curve, {**row, **known}], self._most_rows)
            self.save()
        return report

    def _learn(self, phase: str) -> dict[str, float]:
        """Do one round of the learner, which is left with numbers that a checkpoint takes."""
        learner, why = self.learner, "a parameter is not finite"
        rounds = {PLAY: learner.play_round, IMITATE: learner.imitate_round, DATASET: learner.dataset_round}
        try:
            figures = rounds[phase]()
        except NoProbabilitiesError as error:
            why = str(error)
        else:
            if _finite(learner):
                return figures
        rate = "learning_rate" if phase == PLAY else "imitate_rate"
        message = f"training diverged at {learner.steps:,} steps: {why}; the last checkpoint is sound"
        raise DivergedError(f"{message}; allowed: a smaller {rate}") from None

    def _report(self, phase: str, rate: float, figures: dict[str, float]) -> Report:
        learner = self.learner
        known = [entry for entry in self.pool.entries.values() if entry.active and entry.games]
        named = {entry.name: round(entry.share, 4) for entry in known if entry.kind != SNAPSHOT}
        own = [entry.share for entry in known if entry.kind == SNAPSHOT]
        against = named | ({SNAPSHOT: round(sum(own) / len(own), 4)} if own else {})
        share = self.environment.recent_win_share(WINDOW)
        if phase == PLAY:
            done = learner.progress
        else:
            done = learner.imitated_share if phase == IMITATE else learner.dataset_share
        return Report(phase, done, learner.steps, rate, share, against, figures)

    def _snapshot(self) -> None:
        self.pool.add_snapshot(f"{SNAPSHOT} {self.learner.steps}", self.learner.agent(), self.environment.core.sitting)

    # ------------------------------------------------------------------------------------------------------- writing

    @property
    def _number(self) -> int:
        """Return the rounds of all kinds so far."""
        return self.learner.rounds + self.learner.imitation_rounds + self.learner.dataset_rounds

    def save(self) -> Path:
        """Write a checkpoint, and its policy."""
        extra = {"settings": self.settings.to_json(), "seconds": self._elapsed(), "curve": self.curve}
        extra["dataset"] = [dataset.digest for dataset in self.learner.datasets]
        extra["policies"] = self._policies
        arrays, state = collect(self.learner, self.environment, self.pool, extra)
        number = self._number
        directory, keep = self.out / CHECKPOINTS, self.settings.keep_checkpoints
        path = save_generation(directory, number, self.game, arrays, state, keep)
        self._newest = [path]
        self._keep()
        self.export()
        return path

    def _keep(self) -> None:
        """Remember the present policy as that of the checkpoint."""
        self._kept, self._value, self._layers = self.learner.steps, self.learner.value, self.learner.layers()

    def export(self) -> Path:
        """Write the policy of the last checkpoint and the learning curve."""
        write_atomically(self.out / CURVE, json.dumps(self.curve, indent=1) + "\n")
        about = f"MaskablePPO, self-play, {self._kept} steps"
        advice = self.settings.teacher if self.settings.advice else ""
        directory, described = self.out / POLICY_DIRECTORY, features_for(self.settings, self.game)
        kind: dict[str, Any] = {"activation": RELU, "inputs": self.learner.inputs, "value": self._value}
        return save_policy(directory, self.game, self._layers, about, advice, features=described, **kind)


def _finite(learner: Learner) -> bool:
    """Return whether all is finite that is read back only if it is: parameters, and what Adam remembers of them."""
    policy = learner.model.policy
    memories = [value for memory in policy.optimizer.state.values() for value in memory.values()]
    return all(bool(tensor.isfinite().all()) for tensor in (*policy.parameters(), *memories))


def refuse_a_run(directory: Path) -> None:
    """Refuse a directory that holds a run.

    Raises:
        OptionError: naming what is allowed.
    """
    if generations(directory / CHECKPOINTS):
        raise OptionError(
            f"out: {repr_short(directory)} holds a run; allowed: another directory, or going on with it (--resume)"
        )


def saved_settings(path: Path, manifest: dict[str, Any]) -> Any:
    """Return the settings that a checkpoint holds.

    Raises:
        CheckpointError: it holds none, or some that are not allowed.
    """
    try:
        return settings_from({**BEFORE_EDITIONS, **manifest["state"]["extra"]["settings"]})
    except (KeyError, TypeError):
        raise CheckpointError(f"checkpoint: {repr_short(path)}: settings are missing") from None
    except OptionError as error:
        raise CheckpointError(f"checkpoint: {repr_short(path)}: {error}") from None


def time_and_curve(path: Path, extra: dict[str, Any]) -> tuple[float, list[dict[str, Any]]]:
    """Return the seconds that earlier calls took, and the learning curve.

    Raises:
        CheckpointError: a checkpoint without them.
    """
    seconds, curve = extra.get("seconds"), extra.get("curve")
    known = isinstance(seconds, (int, float)) and not isinstance(seconds, bool) and 0 <= seconds < math.inf
    if not known or not isinstance(curve, list):
        found = f"seconds {repr_short(seconds)}, curve {repr_short(curve)}"
        raise CheckpointError(f"checkpoint: {repr_short(path)}: {found}; allowed: a time, a list")
    return float(seconds or 0.0), curve
