"""Expert iteration (Anthony, Tian & Barber 2017): record what a search plays, fit a network, let it guide the search.

A search with a Gumbel root and few simulations plays; a network learns its improved policy (completed Q values) and
what every seat got (Danihelka et al. 2022). Some decisions have a larger budget (playout cap randomisation), those that
surprise the network count for more (Wu 2019), and in a share of the games the others are company: heuristics, searches
and the policies of earlier rounds.

A directory: ``expert.json``, the settings; ``round-1/dataset``, ``round-1/fit`` and ``round-1/policy`` and so on;
``rounds.json``, what came of each round; ``policy/``, that of the newest one. It may be killed at any moment and goes
on where it was: a dataset shard by shard, a network from its last pass, to the same bytes.

What a shard holds is a function of the game, the agents, the seed and the shard's number alone. So what is recorded
depends neither on the number of processes nor on how often they were interrupted: it is the first shards, in order,
that together have as many decisions as were asked for.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from atlantis_agents.catalogue import usual_opponent
from atlantis_agents.networks.policy import (
    AFTERSTATES,
    MANIFEST,
    OBSERVATIONS,
    POLICY_DIRECTORY,
    RELU,
    SEAT_SHARES,
    WEIGHTS,
    PolicyAgent,
    check_network,
    network_sizes,
    one_hot,
    save_policy,
)
from atlantis_agents.networks.tensors import MAX_WEIGHT_BYTES
from atlantis_agents.search.agent import SearchAgent
from atlantis_agents.search.settings import GUMBEL, heuristic_of
from atlantis_envs.base.files import read_file, read_json, write_atomically, write_together
from atlantis_envs.base.values import repr_short
from atlantis_envs.engine.batch import Batch
from atlantis_envs.engine.game import Game
from atlantis_envs.errors import OptionError
from atlantis_envs.seats.agents import Agent, make_agent
from atlantis_envs.seats.positions import ask, determinize
from atlantis_training.evaluation.cluster import Cluster
from atlantis_training.evaluation.evaluate import evaluate
from atlantis_training.evaluation.measure import rotations, tried_agents
from atlantis_training.evaluation.workers import Work, default_workers, work_through
from atlantis_training.selfplay.checkpoint import locked
from atlantis_training.selfplay.dataset import (
    FEWEST,
    Dataset,
    Demonstrations,
    Targets,
    count_of,
    finish,
    load_dataset,
    mover_shares,
    read_dataset,
    write_shard,
)
from atlantis_training.selfplay.dataset import MANIFEST as DATASET_MANIFEST
from atlantis_training.selfplay.described import BEFORE_EDITIONS, features_for, with_edition
from atlantis_training.selfplay.fitting import CPU, Fit, check_device, rows_of
from atlantis_training.selfplay.pool import make_game
from atlantis_training.selfplay.settings import POLICY, ExpertSettings, dataset_of, fit_of, policy_of
from atlantis_training.selfplay.warm_start import expert_started

FORMAT = "atlantis-envs expert 3"
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
    return ExpertSettings(**{**BEFORE_EDITIONS, **values})


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
            check_values(settings, make_agent(settings.guided.replace(POLICY, str(plain)), game))
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


def check_values(settings: ExpertSettings, teacher: Agent) -> None:
    """Refuse a teacher that expects no win shares, where these are learned.

    Raises:
        OptionError: naming ``value_temperature``.
    """
    if settings.value_temperature and not isinstance(teacher, SearchAgent):
        raise OptionError(f"value_temperature: {settings.value_temperature}; allowed: 0, or a teacher that searches")


def check_datasets(settings: ExpertSettings, game: Game) -> None:
    """Refuse recorded decisions that the network cannot learn from; the first shard of each is looked at.

    Raises:
        OptionError: naming ``dataset`` or ``value_temperature``.
    """
    for path in settings.dataset:
        found = read_dataset(path, game)
        first = replace(found, shards=found.shards[:1])
        rows_of(game, settings, load_dataset([first], game, settings.afterstates))


def _below(path: Path) -> Path:
    """Return the path with all its names, to be put below another one."""
    return Path(*(part for part in path.parts if part not in (path.anchor, "..")))


def _stand_in(directory: Path, settings: ExpertSettings, game: Game) -> None:
    """Write a policy with inputs and outputs as those of the iteration, and nothing between."""
    inputs = AFTERSTATES if settings.afterstates else OBSERVATIONS
    kind: dict[str, Any] = {"inputs": inputs, "features": features_for(settings, game), "value": SEAT_SHARES}
    low, high = network_sizes(game, (), "", **kind)
    layers = [(np.zeros((high, low), np.float32), np.zeros(high, np.float32))]
    save_policy(directory, game, layers, activation=RELU, **kind)


GAMES = 16  # of a shard, played side by side: an interruption waits for them
SEED = 2**62  # added to that of the settings: other games than those that are learned from or measured with
SPREAD = np.uint64(0x9E3779B97F4A7C15)  # makes further words of one
TO_UNIT = 2.0**-53


LEARNER = -1  # who sits in a seat, beside indices of company


@dataclass(frozen=True)
class Recording:
    """What is recorded.

    Attributes:
        game: the game.
        teacher: a text that names an agent; its decisions are recorded.
        seed: of chance and agents.
        epsilon: share of decisions where something else is played than what the teacher says: what it says is recorded.
        afterstates: whether those are recorded too.
        budgets: simulations of the teacher, if it is a search without a number; the last one is the large one.
        large_share: of decisions with the large one.
        company: texts of agents that sit beside the teacher.
        company_share: of games with one seat of the teacher's, and company in all others.
        pupil: text of an agent that plays in some games instead of the teacher, which says what it would do.
        pupil_share: of such games.
    """

    game: Game
    teacher: str
    seed: int
    epsilon: float = 0.0
    afterstates: bool = False
    budgets: tuple[int, ...] = ()
    large_share: float = 0.0
    company: tuple[str, ...] = ()
    company_share: float = 0.0
    pupil: str = ""
    pupil_share: float = 0.0

    @property
    def teachers(self) -> tuple[str, ...]:
        """Return the teacher with its usual budget, and with the large one."""
        if not self.budgets or not self.teacher.startswith("search:"):
            return (self.teacher,) * 2
        return tuple(f"{self.teacher},simulations={budget}" for budget in (self.budgets[0], self.budgets[-1]))

    @property
    def texts(self) -> tuple[str, ...]:
        """Return all agents that play, each once."""
        pupils = (self.pupil,) if self.pupil else ()
        return tuple(dict.fromkeys((*self.teachers, *self.company, *pupils)))

    def tables(self, shard: int) -> NDArray[np.int64]:
        """Return who sits where in the games of a shard, int64 (GAMES, P): LEARNER or an index of company."""
        generator, players = np.random.default_rng([self.seed, shard]), self.game.players
        company = generator.integers(0, max(1, len(self.company)), (GAMES, players))
        mixed = generator.random(GAMES) < self.company_share
        if not self.company or self.game.cooperative:
            mixed[:] = False
        own = generator.integers(0, players, GAMES)
        alone = mixed[:, None] & (np.arange(players) != own[:, None])
        return np.where(alone, company, LEARNER)

    def of_pupil(self, shard: int) -> NDArray[np.bool_]:
        """Return which games of a shard the pupil plays, bool (GAMES,)."""
        share = self.pupil_share if self.pupil else 0.0
        found: NDArray[np.bool_] = np.random.default_rng([self.seed, shard, 1]).random(GAMES) < share
        return found


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
        agents = tried_agents(recording.game, recording.texts)
        here = partial(record_shard, recording, agents)
        at_work = tuple((recording.game, text) for text in recording.texts)
        work = Work(here, _begin, (recording,), at_work)
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


def _begin(recording: Recording) -> Callable[[int], Demonstrations]:
    agents = {text: make_agent(text, recording.game) for text in recording.texts}
    return partial(record_shard, recording, agents)


class Taught(NamedTuple):
    """What a teacher says of some decisions.

    Attributes:
        actions: what it would play, int64 (N,).
        policies: odds, float32 (N, A).
        surprise: how far these are from what it thought before, float32 (N,).
        values: what win shares it expects, float16 (N, A); NaN of a teacher that does not search.
    """

    actions: NDArray[np.int64]
    policies: NDArray[np.float32]
    surprise: NDArray[np.float32]
    values: NDArray[np.float16]


def teach(agent: Agent, batch: Batch, lanes: NDArray[np.int64], noise: NDArray[np.uint64]) -> Taught:
    """Ask a teacher: a search with a Gumbel root tells odds, of any other one the choice is certain."""
    count, width = len(lanes), batch.game.num_actions
    if not isinstance(agent, SearchAgent):
        actions = ask(agent, batch, lanes, noise)
        unknown = np.full((count, width), np.nan, np.float16)
        return Taught(actions, one_hot(actions, width), np.zeros(count, np.float32), unknown)
    masks = batch.action_masks[lanes]
    seen = batch.states[lanes], batch.seats[lanes], batch.observations[lanes], masks
    found = agent.study(determinize(batch.game, *seen, noise), noise)
    values = np.where(masks != 0, found.completed, 0.0).astype(np.float16)
    if agent.settings.root != GUMBEL:
        return Taught(found.choices, one_hot(found.choices, width), np.zeros(count, np.float32), values)
    policies, legal = found.policies, np.isfinite(found.log_priors)
    with np.errstate(divide="ignore", invalid="ignore"):
        gains = np.where(legal & (policies > 0), policies * (np.log(policies) - found.log_priors), 0.0)
    surprise = np.maximum(0, gains.sum(axis=1)).astype(np.float32)
    return Taught(found.choices, policies.astype(np.float32), surprise, values)


class Kept(NamedTuple):
    """Decisions of the learner at one ply, before anybody knows how their games end."""

    obs: NDArray[np.uint8]
    masks: NDArray[np.bool_]
    lanes: NDArray[np.int64]
    seats: NDArray[np.int64]
    taught: Taught
    afterstates: NDArray[np.uint8]


def record_shard(recording: Recording, agents: Mapping[str, Agent], shard: int) -> Demonstrations:
    """Return all choices of the learner in the games of a shard."""
    game, seed = recording.game, recording.seed
    batch, lanes = game.batch(GAMES, seed), np.arange(GAMES)
    batch.reset(games=lanes + GAMES * shard)
    tables, pupils, paid = recording.tables(shard), recording.of_pupil(shard), np.zeros((GAMES, game.players))
    kept: list[Kept] = []
    while len(lanes):
        masks = batch.action_masks[lanes]
        actions, some = masks.argmax(axis=1), np.flatnonzero(masks.sum(axis=1) >= FEWEST)
        who = tables[lanes[some], batch.seats[lanes[some]]]
        for index in np.unique(who):
            rows = some[who == index]
            noise = batch.noise(seed, lanes[rows])
            if index == LEARNER:
                kept.append(_decide(recording, agents, batch, lanes[rows], noise))
                played, its = kept[-1].taught.actions.copy(), pupils[lanes[rows]]
                if its.any():
                    played[its] = ask(agents[recording.pupil], batch, lanes[rows][its], noise[its])
                actions[rows] = epsilon_greedy(played, masks[rows], noise, recording.epsilon)
            else:
                actions[rows] = ask(agents[recording.company[index]], batch, lanes[rows], noise)
        rewards, over = batch.step(actions, lanes)
        paid[over] = np.where(batch.truncated[over, None], np.nan, rewards[over])
        lanes = lanes[~over[lanes]]
    return _demonstrations(recording, kept, paid)


def _decide(
    recording: Recording, agents: Mapping[str, Agent], batch: Batch, lanes: NDArray[np.int64], noise: NDArray[np.uint64]
) -> Kept:
    """Ask the teacher in these lanes, with a large budget in some of them."""
    large = ((noise * SPREAD) >> np.uint64(11)) * TO_UNIT < recording.large_share
    width = batch.game.num_actions
    count = len(lanes)
    taught = Taught(
        np.zeros(count, np.int64),
        np.zeros((count, width), np.float32),
        np.zeros(count, np.float32),
        np.zeros((count, width), np.float16),
    )
    for text, part in zip(recording.teachers, (np.flatnonzero(~large), np.flatnonzero(large)), strict=True):
        if len(part):
            found = teach(agents[text], batch, lanes[part], noise[part])
            taught.actions[part], taught.policies[part], taught.surprise[part], taught.values[part] = found
    after = batch.afterstates(lanes).observations if recording.afterstates else np.zeros((0, 0), np.uint8)
    obs, masks = batch.observations[lanes], batch.action_masks[lanes] != 0
    return Kept(obs, masks, lanes, batch.seats[lanes].astype(np.int64), taught, after)


def _demonstrations(recording: Recording, kept: list[Kept], paid: NDArray[np.float64]) -> Demonstrations:
    """Return decisions with what their games paid; NaN is the pay of games that were cut off, which nobody won."""
    game = recording.game
    obs, masks, lanes, seats = (np.concatenate(column) for column in list(zip(*kept, strict=True))[:4])
    taught = Taught(*(np.concatenate(column) for column in zip(*(part.taught for part in kept), strict=True)))
    returns = np.nan_to_num(paid)
    shares = mover_shares(game, paid, lanes, seats)
    after = np.concatenate([part.afterstates for part in kept]) if recording.afterstates else None
    values = None if np.isnan(taught.values).any() else taught.values
    targets = Targets(taught.policies, shares, taught.surprise, values)
    own = returns[lanes, seats].astype(np.float32)
    return Demonstrations(obs, masks, taught.actions, own, after, None, targets)


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


def recording_of(settings: ExpertSettings, game: Game, number: int, out: Path) -> Recording:
    """Return what a round records; policies of earlier rounds are company."""
    company = settings.company or usual_company(game)
    return Recording(
        game=game,
        teacher=settings.teacher_of(number, out),
        seed=settings.seed + SEED + (number << 33),
        epsilon=settings.epsilon,
        afterstates=settings.afterstates,
        budgets=settings.budgets,
        large_share=settings.large_share,
        company=(*company, *(str(policy_of(out, earlier)) for earlier in range(1, number))),
        company_share=settings.company_share,
        pupil=(str(policy_of(out, number - 1)) if number > 1 else settings.start) if settings.pupil_share else "",
        pupil_share=settings.pupil_share,
    )


def usual_company(game: Game) -> tuple[str, ...]:
    """Return the agents that sit beside the learner where nobody says who does."""
    heuristic = heuristic_of(game.definition)
    if heuristic is None:
        return ("random",)
    return ("heuristic", *(() if heuristic.deep is None else ("planner",)), "search:16")


def seconds_of(out: Path) -> float:
    """Return the time that all calls together took, but for those that were killed."""
    path = out / SECONDS
    return float(read_json(path)) if path.exists() else 0.0


def results_of(out: Path) -> list[dict[str, Any]]:
    """Return what came of each round of an iteration so far."""
    path = out / ROUNDS
    found: list[dict[str, Any]] = read_json(path) if path.exists() else []
    return found


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
            OptionError: there is one in that directory, a setting is not allowed, or nothing can begin with ``start``.
        """
        game = make_game(settings.run())
        settings, _ = expert_started(settings)
        settings = with_edition(settings, game)
        recording = recording_of(settings, game, 1, out)
        agents = {text: make_agent(text, game) for text in recording.texts}  # refused now: no directory is made yet
        check_values(settings, agents[recording.teachers[0]])
        inputs = AFTERSTATES if settings.afterstates else OBSERVATIONS
        check_network(game, settings.hidden, "", inputs, features_for(settings, game), SEAT_SHARES)
        check_guided(settings, out, game)
        check_datasets(settings, game)
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
        game = make_game(settings.run())
        changed = replace(settings, guided=settings.guided if guided is None else guided)
        if any(not (dataset_of(out, number) / DATASET_MANIFEST).exists() for number in range(2, settings.rounds + 1)):
            check_guided(changed, out, game)
        if changed != settings:
            with locked(out):
                if any(dataset_of(out, 2).glob("*.safetensors")):
                    raise OptionError("guided: fixed, round 2 has begun; allowed: what it began with")
                save_settings(changed, out)
        return cls(out, changed, game)

    def go(self, show: Show, workers: int | Cluster = 1, device: str = CPU) -> bool:
        """Do all rounds that are left; False if Ctrl-C or SIGTERM ended it early.

        Args:
            show: told how far it is.
            workers: processes that record, or a cluster.
            device: what fits the networks, ``cpu`` or ``cuda``.

        Raises:
            OptionError: another process is at work in the directory, or there is no such device.
        """
        check_device(device)
        with locked(self.out):
            started = time.perf_counter()
            try:
                return all(self._round(number, show, workers, device) for number in range(1, self.settings.rounds + 1))
            finally:
                seconds = seconds_of(self.out) + time.perf_counter() - started
                write_atomically(self.out / SECONDS, json.dumps(round(seconds, 1)) + "\n")

    def results(self) -> list[dict[str, Any]]:
        """Return what came of each round so far."""
        return results_of(self.out)

    def _round(self, number: int, show: Show, workers: int | Cluster, device: str) -> bool:
        """Do a round, as far as it is not done; False if it was interrupted."""
        if len(self.results()) >= number:
            return True
        dataset = self._record(number, show, workers)
        if dataset is None:
            return False
        figures = self._fit(number, show, device)
        row = {"round": number, "teacher": self.settings.teacher_of(number, self.out), "decisions": dataset.decisions}
        row |= figures
        path = policy_of(self.out, number)
        if self.settings.games:
            share = self._measure(path, number, show, workers)
            if share is None:
                return False
            row |= share
        policy = self.out / POLICY_DIRECTORY
        policy.mkdir(exist_ok=True)
        write_together({policy / name: read_file(path / name, MAX_WEIGHT_BYTES) for name in (WEIGHTS, MANIFEST)})
        write_atomically(self.out / ROUNDS, json.dumps([*self.results(), row], indent=1) + "\n")
        return True

    def _record(self, number: int, show: Show, workers: int | Cluster) -> Dataset | None:
        directory, settings = dataset_of(self.out, number), self.settings
        if (directory / DATASET_MANIFEST).exists():
            return read_dataset(directory, self.game)
        recording, phase, done = recording_of(settings, self.game, number, self.out), f"record {number}", 0

        def advance(count: int) -> None:
            nonlocal done
            done += count
            show(phase, min(1.0, done / settings.decisions), f"{done:,} decisions of {recording.teacher}")

        return record(recording, directory, settings.decisions, workers, advance)

    def _fit(self, number: int, show: Show, device: str) -> dict[str, float]:
        """Fit the network to what the last rounds recorded; return the figures of the last pass."""
        settings, begun = self.settings, policy_of(self.out, number - 1)
        first = PolicyAgent(self.game, begun).layers if number > 1 else expert_started(settings)[1]
        numbers = range(max(1, number - settings.window + 1), number + 1)
        paths: list[str | Path] = [*settings.dataset, *(dataset_of(self.out, earlier) for earlier in numbers)]
        datasets = [read_dataset(path, self.game) for path in paths]
        fit = Fit(self.game, settings, number, first, device)
        rows = rows_of(self.game, settings, load_dataset(datasets, self.game, settings.afterstates))
        fit.go(rows, fit_of(self.out, number), lambda done, text: show(f"fit {number}", done, text))
        fit.export(policy_of(self.out, number))
        return fit.figures[-1]

    def _measure(self, policy: Path, number: int, show: Show, workers: int | Cluster) -> dict[str, Any] | None:
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

        here = 1 if isinstance(workers, Cluster) else min(workers, default_workers(total))
        found = evaluate(game, line_up, blocks, MEASURED_WITH, here, advance)
        if found.interrupted:
            return None
        share = found.team.share if found.team is not None else found.agents[0].share
        against = "" if together else opponent
        return {"against": against, "share": share.value, "low": share.low, "high": share.high, "games": share.games}
