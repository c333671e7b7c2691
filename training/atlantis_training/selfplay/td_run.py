"""Runs of the TD learner, the work of ``atlantis train --learner td``: the same directory as that of any other run."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray

from atlantis_agents.catalogue import usual_opponent
from atlantis_agents.networks.policy import (
    AFTERSTATES,
    POLICY_DIRECTORY,
    RELU,
    WIN_SHARE,
    Layers,
    PolicyAgent,
    check_network,
    policy_directory,
    save_policy,
)
from atlantis_agents.networks.tensors import MAX_ARRAY_BYTES, Arrays
from atlantis_envs.base.arguments import check_arrays
from atlantis_envs.base.files import read_json, write_atomically
from atlantis_envs.base.values import Reader, one_line, repr_short
from atlantis_envs.errors import AtlantisError, OptionError, fault_text
from atlantis_envs.seats.agents import Agent, make_agent
from atlantis_training.evaluation.cluster import Cluster
from atlantis_training.evaluation.measure import play_games
from atlantis_training.selfplay.checkpoint import (
    MANIFEST,
    CheckpointError,
    check_fit,
    generations,
    locked,
    newest_generation,
    save_generation,
)
from atlantis_training.selfplay.described import features_for, with_edition
from atlantis_training.selfplay.pool import make_game
from atlantis_training.selfplay.report import PLAY, Outcome, Report
from atlantis_training.selfplay.run import (
    CHECKPOINTS,
    CURVE,
    MAY_CHANGE,
    DivergedError,
    Run,
    refuse_a_run,
    saved_settings,
    time_and_curve,
)
from atlantis_training.selfplay.settings import MOST_COUNT, TD, TDSettings, settings_from, to_toml
from atlantis_training.selfplay.size_limits import MOST_ROWS, thinned
from atlantis_training.selfplay.td import Replay, TDLearner, potential_weight
from atlantis_training.selfplay.warm_start import check_hidden, layers_seeing, taken_features, without_taken_over

if TYPE_CHECKING:
    from atlantis_envs.engine.game import Game

ADAM = ("step", "exp_avg", "exp_avg_sq")
COUNTERS = {"num_timesteps": "steps", "updates": "updates", "games": "games"}  # as checkpoints call them
STATE_KEYS = ("counters", "owed", "head", "recent", "generator", "extra")
REACHED = "reached"  # missing in older checkpoints, whose teams learned other gains
EVALUATION_SEED = 2**31  # of games that nothing is learned from
MOST_UNSAVED = 600.0  # seconds between two checkpoints of a run with a limit of time, where rounds take long
ROW_BYTES = 26  # of an afterstate in the memory, beside its inputs


class TDRun(Run):
    """A run of the TD learner in a directory. Made by ``begin`` or ``resume``; ``go`` does the work.

    Attributes:
        curve: one row for each checkpoint: steps, seconds, those of the processor, the loss, and the share of the win
            against the usual opponent, or of games won where all seats win together (without games of evaluation: that
            of the last games while learning); the potential at the end of a team's last games, where its progress
            counts.
    """

    learner: Any
    settings: Any

    def __init__(
        self, out: Path, settings: TDSettings, cluster: Cluster | None = None, first: Layers | None = None
    ) -> None:
        """Set everything up; nothing is written yet.

        Args:
            out: the directory of the run.
            settings: those of the run.
            cluster: None.
            first: layers to begin with; None: random ones, or those of a checkpoint.

        Raises:
            OptionError: a setting does not fit the game, or a cluster is to collect.
        """
        if cluster:
            raise OptionError(f"ray: with learner {TD!r}; allowed: none, one process plays and learns")
        self.out, self.game, self.settings = out, make_game(settings), settings
        check_network(self.game, settings.hidden, "", AFTERSTATES, features_for(settings, self.game))
        if settings.against and self.game.cooperative:
            raise OptionError(f"against: {repr_short(settings.against)}; allowed: '' where all seats win together")
        if settings.progress_weight and not self.game.cooperative:
            raise OptionError(f"progress_weight: {settings.progress_weight}; allowed: 0 where seats compete")
        if settings.progress_weight and self.game.definition.potential is None:
            raise OptionError(
                f"progress_weight: {settings.progress_weight}; allowed: 0, the game declares no potential"
            )
        self.learner = TDLearner(self.game, settings, first)
        size = self.learner.replay.rows.nbytes + ROW_BYTES * settings.replay
        if 2 * size > MAX_ARRAY_BYTES:  # games and layers take far less than the other half
            most = settings.replay * MAX_ARRAY_BYTES // (2 * size)
            raise OptionError(f"replay: {settings.replay}; allowed: at most {most} of this size")
        self._opponent: Agent | None = None
        if settings.evaluation_games and not self.learner.team:
            self._opponent = make_agent(self.opponent, self.game)
        self.seconds, self.cpu_seconds = 0.0, 0.0
        self.curve: list[dict[str, Any]] = []
        self.warnings: list[str] = []
        self._started = time.perf_counter()
        self._newest: list[Path] = []
        self._rounds, self._saved = 0, 0.0
        self._share: float | None = None
        self._kept, self._layers = 0, self.learner.layers()
        self._in_round = self._stop = False

    @property
    def opponent(self) -> str:
        """Return the agent that the learning curve tells about."""
        return self.settings.against or usual_opponent(self.game.name)

    @classmethod
    def begin(cls, out: str | Path, settings: Any, cluster: Cluster | None = None) -> TDRun:
        """Return a new run.

        Raises:
            OptionError: there is a run in that directory, or a setting is not allowed.
        """
        with locked(Path(out)):
            refuse_a_run(Path(out))
        game = make_game(settings)
        settings, first = begun_with(settings, game)
        settings = with_edition(settings, game)
        run = cls(Path(out), settings, cluster, first)
        run._claim(to_toml(run.settings))
        return run

    @classmethod
    def resume(
        cls, out: str | Path, cluster: Cluster | None = None, *, moved: Mapping[str, Any] | None = None, **changes: Any
    ) -> TDRun:
        """Go on from the newest sound checkpoint.

        Args:
            out: the directory of the run.
            cluster: None.
            moved: nothing that is moved matters here.
            **changes: settings; all but MAY_CHANGE must be what they were.

        Raises:
            CheckpointError: there is none, or it does not fit.
            OptionError: a change that is not allowed.
        """
        directory = Path(out)
        with locked(directory):
            newest = generations(directory / CHECKPOINTS)[-1:]
            path, manifest, arrays, warnings = newest_generation(directory / CHECKPOINTS)
        saved = saved_settings(path, manifest)
        if not isinstance(saved, TDSettings):
            raise OptionError(f"run: {repr_short(directory)}: its learner is {saved.learner!r}; allowed: {TD!r}")
        changes = without_taken_over(changes, saved)
        settings = settings_from(changes, saved)
        refused = [n for n in changes if getattr(settings, n) != getattr(saved, n) and n not in MAY_CHANGE]
        if refused:
            raise OptionError(f"{', '.join(refused)}: fixed when the run began; allowed: {', '.join(MAY_CHANGE)}")
        run = cls(directory, settings, cluster)
        check_fit(path, manifest, run.game)
        run.warnings, run._newest = warnings, newest
        extra = restore(run.learner, arrays, manifest["state"])
        run.seconds, run.curve = time_and_curve(path, extra)
        run._rounds, run.cpu_seconds = _count(path, extra, "rounds"), _count(path, extra, "cpu_seconds")
        run._kept, run._layers, run._saved = run.learner.steps, run.learner.layers(), run.seconds
        return run

    @property
    def finished(self) -> bool:
        """Return whether all steps are done, or the time is over."""
        return self.spent >= 1.0

    @property
    def spent(self) -> float:
        """Return the share of the limit of steps or of time that is used up, whichever is more, 0..1."""
        limit, steps = self.settings.seconds, self.learner.steps / self.settings.steps
        return float(min(1.0, max(steps, self._elapsed() / limit if limit else 0.0)))

    def _round(self) -> Report:
        learner, settings = self.learner, self.settings
        before, started, used = learner.steps, time.perf_counter(), time.process_time()
        self._in_round = True
        figures = learner.round(self.spent)
        self._in_round = False
        took = time.perf_counter() - started
        self._playing += took
        self._rounds += 1
        if not math.isfinite(sum(float(part.detach().sum()) for part in learner.network.parameters())):
            message = f"training diverged at {learner.steps:,} steps: a parameter is not finite"
            raise DivergedError(f"{message}; the last checkpoint is sound; allowed: a smaller learning_rate")
        self.cpu_seconds += time.process_time() - used
        overdue = settings.seconds and self._elapsed() - self._saved > MOST_UNSAVED
        if self._rounds % settings.checkpoint_every == 0 or overdue:
            self._add_to_curve(figures)
            self.save()
        share = float(np.mean(learner.recent)) if learner.recent else self._share
        against = {} if self._opponent is None or share is None else {self.opponent: round(share, 4)}
        known = {name: value for name, value in figures.items() if math.isfinite(value)}
        return Report(PLAY, self.spent, learner.steps, (learner.steps - before) / took, share, against, known)

    def _add_to_curve(self, figures: dict[str, float]) -> None:
        row: dict[str, Any] = {"steps": self.learner.steps, "seconds": round(self._elapsed(), 1)}
        row["cpu_seconds"] = round(self.cpu_seconds, 1)
        if math.isfinite(figures["loss"]):
            row["loss"] = round(figures["loss"], 5)
        if self.settings.evaluation_games:
            self._share = self._evaluate()
            row["share"] = round(self._share, 4)
        elif (self.settings.against or self.learner.team) and self.learner.recent:
            row["share"] = round(float(np.mean(self.learner.recent)), 4)
        if self.learner.reached:
            row["potential"] = round(float(np.mean(self.learner.reached)), 4)
        self.curve = thinned([*self.curve, row], MOST_ROWS)

    def _evaluate(self) -> float:
        """Return how the network fares, greedily, in games that it does not learn from."""
        agent, game = self.learner.agent(), self.game
        if self._opponent is None:
            results = play_games(game, [agent] * game.players, self.settings.evaluation_games, EVALUATION_SEED)
            return float(results.won[:, 0].mean())
        games = max(1, self.settings.evaluation_games // game.players)
        shares = []
        for seat in range(game.players):
            line_up = [agent if other == seat else self._opponent for other in range(game.players)]
            shares.append(play_games(game, line_up, games, EVALUATION_SEED).win_shares[:, seat].mean())
        return float(np.mean(shares))

    def _nothing_left(self) -> Outcome:
        why = "--steps are done" if self.learner.steps >= self.settings.steps else "--seconds are used up"
        self.export()
        policy = self.out / POLICY_DIRECTORY
        text = f"nothing left to do: {why}; give more of them"
        return Outcome(self._kept, 0.0, policy, warnings=self.warnings, nothing_left=text)

    def _close(self) -> None:
        pass

    def _shares_of_time(self) -> tuple[float, float]:
        return 0.0, 0.0

    @property
    def _number(self) -> int:
        return self._rounds

    def save(self) -> Path:
        """Write a checkpoint, and its policy."""
        extra = {"settings": self.settings.to_json(), "seconds": self._elapsed(), "curve": self.curve}
        extra |= {"rounds": self._rounds, "cpu_seconds": self.cpu_seconds}
        arrays, state = collect(self.learner, extra)
        keep = self.settings.keep_checkpoints
        path = save_generation(self.out / CHECKPOINTS, self._rounds, self.game, arrays, state, keep)
        self._newest, self._saved = [path], self._elapsed()
        self._kept, self._layers = self.learner.steps, self.learner.layers()
        self.export()
        return path

    def export(self) -> Path:
        """Write the policy of the last checkpoint and the learning curve."""
        write_atomically(self.out / CURVE, json.dumps(self.curve, indent=1) + "\n")
        value = "" if self.learner.potential else WIN_SHARE
        about = f"TD({self.settings.td_lambda:g}) on afterstates, self-play, {self._kept} steps"
        kind: dict[str, Any] = {"activation": RELU, "inputs": AFTERSTATES, "features": self.learner.described}
        return save_policy(
            self.out / POLICY_DIRECTORY,
            self.game,
            self._layers,
            about,
            value=value,
            potential=self.learner.potential,
            **kind,
        )


def begun_with(settings: TDSettings, game: Game) -> tuple[TDSettings, Layers | None]:
    """Return the settings of a run that may begin with a policy, whose shape they take over, and its layers.

    Raises:
        OptionError: there is no such policy, or it knows no values.
    """
    if not settings.start:
        return settings, None
    directory = policy_directory(settings.start, game)
    if directory is None:
        allowed = "the directory of a policy or a run, or 'network'"
        raise OptionError(f"start: {repr_short(settings.start)}; allowed: {allowed}")
    agent, potential = PolicyAgent(game, directory), potential_weight(game, settings)
    if agent.activation != RELU or not agent.sees_positions:
        raise OptionError(f"start: {repr_short(directory)}; allowed: a policy that `--learner td` made")
    if agent.value != ("" if potential else WIN_SHARE) or agent.potential != potential:
        allowed = "one that learned gains, with this progress_weight" if potential else "one that learned win shares"
        raise OptionError(f"start: {repr_short(directory)}; allowed: a policy of `--learner td`, {allowed}")
    hidden = tuple(len(bias) for _, bias in agent.layers[:-1])
    check_hidden(settings, hidden)
    begun = replace(settings, hidden=hidden, **taken_features(settings, agent))
    return begun, layers_seeing(agent, begun.features_edition)


def learner_of(out: str | Path) -> str:
    """Return whose run lies in a directory, as far as its newest checkpoint tells; else an empty text."""
    for path in reversed(generations(Path(out) / CHECKPOINTS)):
        try:
            settings = read_json(path / MANIFEST)["state"]["extra"]["settings"]
            return str(settings.get("learner", ""))
        except (ValueError, KeyError, TypeError, AttributeError):
            continue
    return ""


# --------------------------------------------------------------------------------------------------------- checkpoints


def collect(learner: TDLearner, extra: Any) -> tuple[Arrays, dict[str, Any]]:
    """Collect everything the next step depends on; ``extra`` is what the caller wants to keep beside it."""
    arrays: Arrays = {f"network.{name}": part.numpy().copy() for name, part in _parts(learner).items()}
    for number, memory in learner.optimizer.state_dict()["state"].items():
        arrays |= {f"optimizer.{number}.{name}": memory[name].numpy().copy() for name in ADAM}
    for number, group in enumerate(learner.groups):
        games = (group.seat or group.batch).to_arrays()
        arrays |= {f"games.{number}.{name}": _plain(array) for name, array in games.items()}
    replay, filled = learner.replay, min(learner.replay.head, len(learner.replay.ready))
    for name in Replay.ARRAYS:
        array = getattr(replay, name)
        arrays[f"replay.{name}"] = array if name == "latest" else array[:filled]
    generator = learner.generator.bit_generator.state
    state = {
        "counters": {name: getattr(learner, own) for name, own in COUNTERS.items()},
        "owed": learner.owed,
        "head": replay.head,
        "recent": learner.recent,
        REACHED: learner.reached,
        "generator": [f"{generator['state'][name]:x}" for name in ("state", "inc")]
        + [f"{generator[name]:x}" for name in ("has_uint32", "uinteger")],
        "extra": extra,
    }
    return arrays, state


def _parts(learner: TDLearner) -> dict[str, torch.Tensor]:
    return {name: part.detach() for name, part in learner.network.state_dict().items()}


def _plain(array: NDArray[Any]) -> NDArray[Any]:
    """Return a structured array as bytes, (N, size of a record)."""
    return array.view(np.uint8).reshape(len(array), -1) if array.dtype.names else array


def restore(learner: TDLearner, arrays: Arrays, state: Any) -> dict[str, Any]:
    """Go on from ``collect``; return what was ``extra`` there.

    Raises:
        CheckpointError: in one line, what does not fit. The learner must not be used then.
    """
    try:
        return _restore(learner, arrays, state)
    except (AtlantisError, ValueError, KeyError, TypeError, IndexError, OverflowError, RuntimeError) as error:
        raise CheckpointError(f"checkpoint: {one_line(error)}") from None


def _restore(learner: TDLearner, arrays: Arrays, state: Any) -> dict[str, Any]:
    reader = Reader()
    values = dict(reader.mapping("state", state, (*STATE_KEYS, REACHED), required=STATE_KEYS))
    if reader.faults:
        raise ValueError(fault_text(reader.faults))
    names = tuple(COUNTERS)
    counters = dict(reader.mapping("state.counters", values["counters"], names, required=names))
    for name, own in COUNTERS.items():
        setattr(learner, own, reader.integer(f"state.counters.{name}", counters.get(name), 0, MOST_COUNT))
    head = reader.integer("state.head", values["head"], 0, MOST_COUNT)
    if reader.faults:
        raise ValueError(fault_text(reader.faults))
    learner.owed = _finite("owed", values["owed"])
    learner.recent = [_finite("recent", share) for share in values["recent"]]
    if learner.gains and REACHED not in values:
        raise ValueError("state: gains of an older version; begin a new run")
    learner.reached = [_finite(REACHED, value, -math.inf) for value in values.get(REACHED, [])]
    _restore_network(learner, arrays)
    for number, group in enumerate(learner.groups):
        prefix = f"games.{number}."
        games = {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}
        if group.seat:
            group.seat.from_arrays(games)
        else:
            group.batch.from_arrays(games, group.batch.seed)
    _restore_replay(learner.replay, arrays, head, learner.gains)
    generator: Any = learner.generator.bit_generator.state
    numbers = [int(text, 16) for text in values["generator"]]
    generator["state"] = dict(zip(("state", "inc"), numbers, strict=False))
    generator["has_uint32"], generator["uinteger"] = numbers[2:]
    learner.generator.bit_generator.state = generator
    if not isinstance(values["extra"], dict):
        raise ValueError("state.extra: not an object")
    return values["extra"]


def _restore_network(learner: TDLearner, arrays: Arrays) -> None:
    parts = _parts(learner)
    wanted = {f"network.{name}": part.numpy() for name, part in parts.items()}
    check_arrays(arrays, wanted)
    for name in wanted:
        if not np.isfinite(arrays[name]).all():
            raise ValueError(f"{name}: not finite")
    learner.network.load_state_dict({name: torch.from_numpy(arrays[f"network.{name}"].copy()) for name in parts})
    memory = {}
    for number, parameter in enumerate(learner.network.parameters()):
        names = {name: f"optimizer.{number}.{name}" for name in ADAM}
        if names["step"] not in arrays:
            continue
        shapes = {names["step"]: np.zeros((), np.float32)}
        shapes |= {names[name]: parameter.detach().numpy() for name in ADAM[1:]}
        check_arrays(arrays, shapes)
        memory[number] = {name: torch.from_numpy(arrays[names[name]].copy()) for name in ADAM}
        if not all(bool(part.isfinite().all()) for part in memory[number].values()):
            raise ValueError(f"optimizer.{number}: not finite")
    groups = learner.optimizer.state_dict()["param_groups"]
    learner.optimizer.load_state_dict({"state": memory, "param_groups": groups})


def _restore_replay(replay: Replay, arrays: Arrays, head: int, gains: bool) -> None:
    """Take a memory over; a chain must lead backwards, since it is followed to its beginning."""
    capacity = len(replay.ready)
    filled = min(head, capacity)
    wanted = {name: getattr(replay, name) for name in Replay.ARRAYS}
    own = {name: array if name == "latest" else array[:filled] for name, array in wanted.items()}
    check_arrays(arrays, {f"replay.{name}": array for name, array in own.items()})
    for name, array in own.items():
        array[...] = arrays[f"replay.{name}"]
    slots = np.arange(filled)
    serials = head - 1 - (head - 1 - slots) % capacity
    sound = (replay.previous[:filled] >= -1).all() and (replay.previous[:filled] < serials).all()
    if not sound or not ((replay.latest >= -1) & (replay.latest < head)).all():
        raise ValueError("replay: an afterstate comes before itself")
    for array in (replay.values, replay.targets, replay.progress):
        if not (np.isfinite(array).all() if gains else ((array >= 0) & (array <= 1)).all()):
            raise ValueError("replay: a gain that is not finite" if gains else "replay: a chance that is not in 0..1")
    replay.head = head


def _finite(name: str, value: Any, low: float = 0.0) -> float:
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not number or not math.isfinite(value) or value < low:
        allowed = "0 or more" if low == 0 else "a finite number"
        raise ValueError(f"{name}: {repr_short(value)}; allowed: {allowed}")
    return float(value)


def _count(path: Path, extra: Mapping[str, Any], name: str) -> Any:
    try:
        found = _finite(name, extra.get(name))
    except ValueError as error:
        raise CheckpointError(f"checkpoint: {repr_short(path)}: {error}") from None
    return int(found) if name == "rounds" else found
