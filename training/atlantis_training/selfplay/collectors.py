"""Rounds collected in parts, here or by the workers of a cluster, with the same result bit for bit.

A part is a fixed share of the games. It is played from what it is given and nothing else: the games as they stand, the
policy, the opponents with their statistics, and random numbers that are a function of the run's seed, the round and the
part. So it does not matter who plays it, or whether it is played twice because a worker was lost. What the parts learn
about opponents counts from the next round on, in the order of the parts.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from hashlib import blake2b
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from atlantis_agents.networks.policy import Layers, NetworkAgent
from atlantis_agents.networks.tensors import Arrays
from atlantis_envs.engine.game import Game
from atlantis_envs.errors import AtlantisError
from atlantis_envs.seats.agents import Agent
from atlantis_training.evaluation.cluster import GAVE_UP, Cluster, RayPool
from atlantis_training.evaluation.report import agent_json
from atlantis_training.evaluation.worker_pool import Notes
from atlantis_training.evaluation.workers import begin_remote
from atlantis_training.selfplay.checkpoint import policy_parts
from atlantis_training.selfplay.learner import Learner, SelfPlayVecEnv
from atlantis_training.selfplay.pool import SNAPSHOT, Entry, Pool, make_pool
from atlantis_training.selfplay.ppo import RolloutBuffer
from atlantis_training.selfplay.settings import SelfPlaySettings
from atlantis_training.signals import Stop

NOTES = Notes("Interrupted: finishing the round in hand.", GAVE_UP)
Ended = tuple[NDArray[np.int32], NDArray[np.int8], NDArray[np.float32]]  # of games, as Pool.record takes it


class LostError(AtlantisError, RuntimeError):
    """The workers of a part were lost again and again; the run stands where its last checkpoint stands."""


class Common(NamedTuple):
    """What all parts of a round are played with.

    Attributes:
        weights: of the network, by name.
        entries: opponents: all but the agent (see Entry), and the layers of those that are snapshots.
        next_number: see Pool.
        margin: see SelfPlayVecEnv.
        fast: see PPO.
    """

    weights: dict[str, torch.Tensor]
    entries: tuple[tuple[dict[str, Any], Layers | None], ...]
    next_number: int
    margin: float
    fast: bool


class Part(NamedTuple):
    """Games to be played a round on.

    Attributes:
        number: of the part.
        round: how many rounds came before.
        tables: the games, see SeatBatch.to_arrays.
        potential: see SelfPlayVecEnv, float64 (N,).
    """

    number: int
    round: int
    tables: Arrays
    potential: NDArray[np.float64]


class PartResult(NamedTuple):
    """What a part brought.

    Attributes:
        rollouts: what was played; it is used again for the next part of this size. None once it was taken over.
        tables: the games as they stand then.
        potential: see Part.
        won: the learner's win shares in games that ended.
        ended: who sat there and what they got.
        seconds: spent in the environment.
        thinking: the part of it spent by opponents that are not kernels.
    """

    rollouts: RolloutBuffer | None
    tables: Arrays
    potential: NDArray[np.float64]
    won: NDArray[np.float64]
    ended: list[Ended]
    seconds: float
    thinking: float


class RecordingPool(Pool):
    """A pool that remembers the games that ended.

    Attributes:
        ended: games that ended since this was emptied.
    """

    def __init__(self, *arguments: Any) -> None:
        """Begin as a Pool does."""
        super().__init__(*arguments)
        self.ended: list[Ended] = []

    def record(self, sitting: NDArray[np.int32], seats: NDArray[np.int8], returns: NDArray[np.float32]) -> None:
        """Update the win shares, and remember why."""
        self.ended.append((sitting.copy(), seats.copy(), returns.copy()))
        super().record(sitting, seats, returns)


class Workspace(NamedTuple):
    """Where parts with the same number of games are played."""

    environment: SelfPlayVecEnv
    pool: RecordingPool
    fixed: dict[tuple[str, str], Agent]  # kind, name -> agents that are no snapshots
    rollouts: RolloutBuffer


class Collector:
    """Plays parts. At home it uses the run's own learner; a worker makes one that is given the weights."""

    def __init__(self, game: Game, settings: SelfPlaySettings, learner: Learner | None = None) -> None:
        """Prepare; what has the size of a part is made with the first part of that size."""
        self.settings, self._learner, self._own = settings, learner, learner is None
        self._game = game
        self._spaces: dict[int, Workspace] = {}
        self._snapshots: dict[int, NetworkAgent] = {}

    def play(self, part: Part, common: Common) -> PartResult:
        """Play a part.

        Raises:
            NoProbabilitiesError: training has diverged.
        """
        environment, pool, fixed, own = space = self._space(len(part.potential))
        learner = self._taught(space, common)
        pool.next_number = common.next_number
        pool.entries = {known["number"]: Entry(agent=self._agent(known, layers, fixed), **known)
                        for known, layers in common.entries}  # fmt: skip
        pool.ended = []
        self._snapshots = {number: agent for number, agent in self._snapshots.items() if number in pool.entries}
        environment.core.from_arrays(part.tables)
        environment.potential[:] = part.potential
        environment.margin, environment.seconds = common.margin, 0.0
        environment.remember(np.zeros(0))
        before = environment.thinking
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(_word(self.settings.seed, part))
            learner.model.collect(environment, own)
        spent = environment.seconds, environment.thinking - before
        potential = environment.potential.copy()
        return PartResult(own, environment.core.to_arrays(), potential, environment.won, pool.ended, *spent)

    def _space(self, games: int) -> Workspace:
        if games not in self._spaces:
            settings = self.settings
            pool = make_pool(self._game, settings, RecordingPool)
            assert isinstance(pool, RecordingPool)
            environment = SelfPlayVecEnv(self._game, settings, pool, games)
            fixed = {(entry.kind, entry.name): entry.agent for entry in pool.entries.values()}
            spaces = environment.observation_space, environment.action_space
            kind = {"gae_lambda": settings.gae_lambda, "gamma": settings.discount}
            own = RolloutBuffer(settings.num_steps, *spaces, **kind, n_envs=games)
            self._spaces[games] = Workspace(environment, pool, fixed, own)
        return self._spaces[games]

    def _taught(self, space: Workspace, common: Common) -> Learner:
        """Return the learner, with these weights."""
        if self._learner is None:
            self._learner = Learner(self._game, self.settings, space.environment)
        if self._own:
            # All of them are there: what is left out is the trunk again.
            self._learner.model.policy.load_state_dict(common.weights, strict=False)
            self._learner.model.fast = common.fast
        return self._learner

    def _agent(self, known: dict[str, Any], layers: Layers | None, fixed: dict[tuple[str, str], Agent]) -> Agent:
        if layers is None:
            return fixed[known["kind"], known["name"]]
        assert self._learner is not None
        if known["number"] not in self._snapshots:
            self._snapshots[known["number"]] = self._learner.agent(layers)
        return self._snapshots[known["number"]]


def begin(game: Game, settings: SelfPlaySettings) -> Any:
    """Return a way of playing parts, in a worker."""
    return Collector(game, settings).play


def _word(seed: int, part: Part) -> int:
    """Return the seed of a part's choices."""
    text = f"{seed} {part.round} {part.number}".encode()
    return int.from_bytes(blake2b(text, digest_size=8).digest(), "big") >> 1


def _rows(array: NDArray[Any], games: int) -> NDArray[Any]:
    """Return a table with a row for each game, whose rows may lie one behind the other in it."""
    return array.reshape(games, -1)


def _some(array: NDArray[Any], lanes: slice, games: int) -> NDArray[Any]:
    """Return the rows of some games, in the shape of the whole."""
    return _rows(array, games)[lanes].reshape(-1, *array.shape[1:])


class Collectors:
    """The parts of a run's rounds, and who plays them."""

    def __init__(
        self,
        settings: SelfPlaySettings,
        learner: Learner,
        environment: SelfPlayVecEnv,
        pool: Pool,
        cluster: Cluster | None = None,
    ) -> None:
        """Prepare; nobody begins before ``gather``."""
        self.settings, self._learner, self._environment, self._pool = settings, learner, environment, pool
        self._cluster, self._workers = cluster, None  # type: tuple[Cluster | None, RayPool[Part, PartResult] | None]
        self._home: Collector | None = None
        bounds = [settings.num_envs * number // settings.collectors for number in range(settings.collectors + 1)]
        self._lanes = [slice(*pair) for pair in pairwise(bounds)]

    def gather(self) -> None:
        """Collect a round into the learner's model; pool and environment then stand where it ends.

        Raises:
            LostError: workers were lost three times at a part.
        """
        environment, model = self._environment, self._learner.model
        own = model.rollout_buffer
        tables = {name: array.copy() for name, array in environment.core.to_arrays().items()}
        potential, done = environment.potential.copy(), dict[int, PartResult]()
        afterstates: dict[int, list[NDArray[np.uint8]]] = {}
        for number, found in self._played(tables, potential):
            lanes = self._lanes[number]
            assert found.rollouts is not None
            for array, part in zip(own.columns(), found.rollouts.columns(), strict=True):
                array[:, lanes] = part
            for name, array in tables.items():
                _rows(array, environment.num_envs)[lanes] = _rows(found.tables[name], len(found.potential))
            potential[lanes] = found.potential
            afterstates[number] = list(found.rollouts.afterstates)  # the next part may be played in the same buffer
            done[number] = found._replace(rollouts=None, tables={})
        if len(done) < len(self._lanes):
            raise LostError(f"{GAVE_UP.partition(':')[0]}: the last checkpoint stands; go on with --resume")
        parts = [done[number] for number in sorted(done)]
        steps = zip(*(afterstates[number] for number in sorted(done)), strict=True)
        own.afterstates[:] = [np.concatenate(step) for step in steps]
        self._record_ends(parts)
        environment.core.from_arrays(tables)
        environment.potential[:] = potential

    def _record_ends(self, parts: list[PartResult]) -> None:
        """Tell pool and environment what happened, in the order of the parts."""
        environment = self._environment
        for part in parts:
            for ended in part.ended:
                self._pool.record(*ended)
        environment.remember(np.concatenate([environment.won, *(part.won for part in parts)]))
        together = min(len(parts), self._workers.count) if self._workers else 1
        environment.seconds += sum(part.seconds for part in parts) / together
        environment.core.thinking += sum(part.thinking for part in parts) / together

    def _played(self, tables: Arrays, potential: NDArray[np.float64]) -> Iterator[tuple[int, PartResult]]:
        rounds = self._learner.rounds
        parts = [
            Part(
                number,
                rounds,
                {name: _some(array, lanes, len(potential)) for name, array in tables.items()},
                potential[lanes].copy(),
            )
            for number, lanes in enumerate(self._lanes)
        ]
        common = self._common()
        if self._cluster:
            if self._workers is None:
                game = self._learner.game
                known = [(game, path, agent_json(path, game)) for path in self.settings.policies]
                arguments = (begin, (game, self.settings), os.getcwd(), known)
                self._workers = RayPool(self._cluster, begin_remote, arguments, Stop(), NOTES, stay=True)
            yield from self._workers.work(parts, common)
            return
        if self._home is None:
            self._home = Collector(self._learner.game, self.settings, self._learner)
        for part in parts:
            yield part.number, self._home.play(part, common)

    def _common(self) -> Common:
        model, pool = self._learner.model, self._pool
        weights = {name: tensor.detach().clone() for name, tensor in policy_parts(model.policy)}
        entries = tuple(
            (
                entry.to_json(),
                entry.agent.layers if entry.kind == SNAPSHOT and isinstance(entry.agent, NetworkAgent) else None,
            )
            for entry in pool.entries.values()
        )
        return Common(weights, entries, pool.next_number, self._environment.margin, model.fast)

    def close(self) -> None:
        """Send the workers away."""
        if self._workers is not None:
            self._workers.close()
            self._workers = None
