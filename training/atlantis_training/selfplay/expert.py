"""Expert iteration (Anthony, Tian & Barber 2017): record what a search plays, fit a network, let it guide the search.

A directory: ``expert.json``, the settings; ``round-1/dataset`` and ``round-1/run`` and so on; ``rounds.json``, what
came of each round; ``policy/``, that of the newest one. It may be killed at any moment and goes on where it was:
a dataset shard by shard, a run from its newest checkpoint, to the same bytes.

What a shard holds is a function of the game, the teacher, the seed and the shard's number alone. So what is recorded
depends neither on the number of processes nor on how often they were interrupted: it is the first shards, in order,
that together have as many decisions as were asked for.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields, replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from atlantis_agents.catalogue import POLICY_DIRECTORY, usual_opponent
from atlantis_agents.networks.policy import (
    AFTERSTATES,
    MANIFEST,
    OBSERVATIONS,
    RELU,
    WEIGHTS,
    check_network,
    network_sizes,
    save_policy,
)
from atlantis_agents.networks.tensors import MAX_WEIGHT_BYTES
from atlantis_envs.base.files import read_file, read_json, write_atomically, write_together
from atlantis_envs.base.values import repr_short
from atlantis_envs.engine.batch import Batch
from atlantis_envs.engine.game import Game
from atlantis_envs.errors import OptionError
from atlantis_envs.seats.agents import Agent, make_agent
from atlantis_training.evaluation.cluster import Cluster
from atlantis_training.evaluation.evaluate import evaluate
from atlantis_training.evaluation.measure import rotations, tried_agents
from atlantis_training.evaluation.workers import Work, work_through
from atlantis_training.selfplay.checkpoint import generations, locked
from atlantis_training.selfplay.dataset import MANIFEST as DATASET_MANIFEST
from atlantis_training.selfplay.dataset import (
    Dataset,
    Demonstrations,
    count_of,
    demonstrate,
    finish,
    read_dataset,
    write_shard,
)
from atlantis_training.selfplay.pool import make_game
from atlantis_training.selfplay.report import Outcome
from atlantis_training.selfplay.run import CHECKPOINTS, CURVE, DivergedError, Run
from atlantis_training.selfplay.settings import POLICY, ExpertSettings, dataset_of, policy_of, run_of

FORMAT = "atlantis-envs expert 2"
FILE = "expert.json"


def save_settings(settings: ExpertSettings, out: Path) -> None:
    """Write them to the directory of an iteration."""
    write_atomically(out / FILE, json.dumps({"format": FORMAT, **asdict(settings)}, indent=1) + "\n")


def saved_settings(out: Path) -> ExpertSettings:
    """Return those that an iteration began with.

    Raises:
        OptionError: there is none in that directory.
    """
    try:
        values = read_json(out / FILE)
    except ValueError as error:
        raise OptionError(f"out: {error}; allowed: the directory of an expert iteration") from None
    known = {item.name for item in fields(ExpertSettings)}
    if not isinstance(values, dict) or values.pop("format", None) != FORMAT or set(values) - known:
        raise OptionError(f"out: {repr_short(out / FILE)}; allowed: settings of {FORMAT!r}")
    return ExpertSettings(**values)


def check_guided(settings: ExpertSettings, out: Path, game: Game) -> None:
    """Refuse a teacher of later rounds that could not be made.

    Args:
        settings: of the iteration; one of a single round has no such teacher.
        out: its directory, which becomes a part of the teacher's text.
        game: that of the settings.

    Raises:
        OptionError: naming ``guided``, or ``out`` where the text is right and only the path breaks it.
    """
    if settings.rounds < 2:
        return
    with TemporaryDirectory() as folder:
        plain, alike = Path(folder) / "p", Path(folder) / _below(policy_of(out, 1))
        for policy in (plain, alike):
            _stand_in(policy, settings, game)
        try:
            make_agent(settings.guided.replace(POLICY, str(plain)), game)
        except OptionError as error:
            why = str(error).replace(str(plain), POLICY)
            raise OptionError(f"guided: {repr_short(settings.guided)}: {why}") from None
        try:
            make_agent(settings.guided.replace(POLICY, str(alike)), game)
        except OptionError:
            allowed = "a directory without commas, or --guided POLICY"
            raise OptionError(
                f"out: {repr_short(out)} cannot stand for POLICY in {repr_short(settings.guided)}; allowed: {allowed}"
            ) from None


def _below(path: Path) -> Path:
    """Return the path with all its names, to be put below another one."""
    return Path(*(part for part in path.parts if part not in (path.anchor, "..")))


def _stand_in(directory: Path, settings: ExpertSettings, game: Game) -> None:
    """Write a policy with inputs and outputs as those of the iteration, and nothing between."""
    inputs = AFTERSTATES if settings.afterstates else OBSERVATIONS
    sizes = network_sizes(game, (), "", inputs, settings.features)
    layers = [(np.zeros((high, low), np.float32), np.zeros(high, np.float32)) for low, high in pairwise(sizes)]
    save_policy(directory, game, layers, activation=RELU, inputs=inputs, features=settings.features)


GAMES = 16  # of a shard, played side by side: an interruption waits for them
SEED = 2**62  # added to that of the settings: other games than those that are learned from or measured with
SPREAD = np.uint64(0x9E3779B97F4A7C15)  # makes further words of one
TO_UNIT = 2.0**-53


@dataclass(frozen=True)
class Recording:
    """What is recorded.

    Attributes:
        game: the game.
        teacher: a text that names an agent; it sits in every seat.
        seed: of chance and teacher.
        epsilon: share of decisions where something else is played than what the teacher says: what it says is recorded.
        afterstates: whether those are recorded too.
    """

    game: Game
    teacher: str
    seed: int
    epsilon: float
    afterstates: bool


def record(
    recording: Recording, directory: Path, decisions: int, workers: int | Cluster, advance: Callable[[int], None]
) -> Dataset | None:
    """Record decisions, or go on with recording; None if it was interrupted.

    Args:
        recording: what is recorded.
        directory: of the shards, made if needed; what it holds of this recording is kept.
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

    def take(index: int, rows: Demonstrations) -> bool:
        write_shard(directory, missing[index], rows)
        counts[missing[index]] = len(rows.actions)
        advance(len(rows.actions))
        return enough(counts, decisions) > 0

    if not enough(counts, decisions):
        agent = tried_agents(recording.game, [recording.teacher])[recording.teacher]
        work = Work(partial(record_shard, recording, agent), _begin, (recording.game, recording), (recording.teacher,))
        work_through(work, missing, workers, take)
    shards = enough(counts, decisions)
    if not shards:
        return None
    about = {"teacher": recording.teacher, "seed": recording.seed, "epsilon": recording.epsilon}
    return finish(directory, recording.game, shards, about)


def enough(counts: dict[int, int], decisions: int) -> int:
    """Return how many of the first shards together have so many decisions; 0 if those that are there do not."""
    total = shards = 0
    while total < decisions:
        if shards not in counts:
            return 0
        total += counts[shards]
        shards += 1
    return shards


def _begin(_: Game, recording: Recording) -> Callable[[int], Demonstrations]:
    return partial(record_shard, recording, make_agent(recording.teacher, recording.game))


def record_shard(recording: Recording, teacher: Agent, shard: int) -> Demonstrations:
    """Return all choices in the games of a shard."""

    def instead(batch: Batch, lanes: NDArray[np.int64], actions: NDArray[np.int64]) -> NDArray[np.int64]:
        words = batch.noise(recording.seed, lanes)
        return epsilon_greedy(actions, batch.action_masks[lanes], words, recording.epsilon)

    games = np.arange(GAMES) + GAMES * shard
    return demonstrate(recording.game, teacher, games, recording.seed, instead, recording.afterstates)


def epsilon_greedy(
    actions: NDArray[np.int64], masks: NDArray[np.int8], words: NDArray[np.uint64], epsilon: float
) -> NDArray[np.int64]:
    """Return these actions, but in a share ``epsilon`` of the decisions any legal one.

    Args:
        actions: int64 (N,).
        masks: what is legal, int8 (N, A).
        words: random words that decide, uint64 (N,).
        epsilon: 0..1.
    """
    first, second = words * SPREAD, (words ^ SPREAD) * SPREAD
    random = (first >> np.uint64(11)) * TO_UNIT < epsilon
    legal = masks != 0
    wanted = (second >> np.uint64(11)) * TO_UNIT * legal.sum(axis=1)
    any_legal = (legal.cumsum(axis=1) > np.floor(wanted)[:, None]).argmax(axis=1)
    return np.where(random, any_legal, actions)


ROUNDS, SECONDS = "rounds.json", "seconds.json"
MEASURED_WITH = 12  # the seed of games that measure: none that was learned from
Show = Callable[[str, float, str], None]  # a phase, how far it is, 0..1, and a text


def seconds_of(out: Path) -> float:
    """Return the time that all calls together took, but for those that were killed."""
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
        """Return a new one.

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
        if any(not (dataset_of(out, number) / DATASET_MANIFEST).exists() for number in range(2, settings.rounds + 1)):
            check_guided(changed, out, game)
        if changed != settings:
            with locked(out):
                if any(dataset_of(out, 2).glob("*.safetensors")):
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
        with locked(self.out):
            started = time.perf_counter()
            try:
                return all(self._round(number, show, workers) for number in range(1, self.settings.rounds + 1))
            finally:
                seconds = seconds_of(self.out) + time.perf_counter() - started
                write_atomically(self.out / SECONDS, json.dumps(round(seconds, 1)) + "\n")

    def results(self) -> list[dict[str, Any]]:
        """Return what came of each round so far."""
        path = self.out / ROUNDS
        found: list[dict[str, Any]] = read_json(path) if path.exists() else []
        return found

    def _round(self, number: int, show: Show, workers: int | Cluster) -> bool:
        """Do a round, as far as it is not done; False if it was interrupted."""
        if len(self.results()) >= number:
            return True
        dataset = self._record(number, show, workers)
        if dataset is None:
            return False
        outcome = self._fit(number, show)
        if outcome.interrupted:
            return False
        row = {"round": number, "teacher": self.settings.teacher_of(number, self.out), "decisions": dataset.decisions}
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

    def _record(self, number: int, show: Show, workers: int | Cluster) -> Dataset | None:
        directory, settings = dataset_of(self.out, number), self.settings
        if (directory / DATASET_MANIFEST).exists():
            return read_dataset(directory, self.game)
        teacher, phase, done = settings.teacher_of(number, self.out), f"record {number}", 0
        seed = settings.seed + SEED + (number << 33)
        recording = Recording(self.game, teacher, seed, settings.epsilon, settings.afterstates)

        def advance(count: int) -> None:
            nonlocal done
            done += count
            show(phase, min(1.0, done / settings.decisions), f"{done:,} decisions of {teacher}")

        return record(recording, directory, settings.decisions, workers, advance)

    def _fit(self, number: int, show: Show) -> Outcome:
        """Fit the network to all that was recorded so far."""
        directory, settings = run_of(self.out, number), self.settings.run(number, self.out)
        if generations(directory / CHECKPOINTS):
            # The run remembers paths as they were when it began: another working directory, or before a move.
            run = Run.resume(directory, moved={"dataset": settings.dataset, "start": settings.start})
        else:
            run = Run.begin(directory, settings)
        try:
            return run.go(lambda report: show(f"{report.phase} {number}", report.done, report.text))
        except DivergedError as error:  # in the words of this command
            raise DivergedError(str(error).replace("imitate_rate", "rate")) from None

    def _measure(self, policy: Path, number: int, show: Show) -> dict[str, Any] | None:
        """Return the policy's share of wins against the best-known agent; in a cooperative game, of games won
        together.
        """
        game, phase, done = self.game, f"measure {number}", 0
        together = game.cooperative
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
