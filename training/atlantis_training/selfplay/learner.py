"""The learner: PPO on ``SelfPlayVecEnv``, and imitation of a teacher before it plays."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from gymnasium.spaces import Box
from numpy.typing import NDArray
from stable_baselines3.common.utils import update_learning_rate

from atlantis_agents.catalogue import usual_opponent
from atlantis_agents.features import with_features
from atlantis_agents.networks.policy import (
    AFTERSTATES,
    OBSERVATIONS,
    RELU,
    SEAT_SHARES,
    Layers,
    NetworkAgent,
    inputs_high,
    one_hot,
)
from atlantis_envs.adapters.sb3_vecenv import SeatVecEnv
from atlantis_envs.engine.batch import Batch
from atlantis_envs.engine.game import Game
from atlantis_envs.seats.agents import Agent, make_agent
from atlantis_envs.seats.positions import ask
from atlantis_envs.seats.step import SeatStep
from atlantis_training.selfplay import network
from atlantis_training.selfplay.dataset import (
    Dataset,
    Demonstrations,
    Instead,
    demonstrate,
    distance,
    joined,
    load_dataset,
    odds_of,
    read_dataset,
)
from atlantis_training.selfplay.described import features_for
from atlantis_training.selfplay.pool import make_game
from atlantis_training.selfplay.ppo import PPO, AfterstateIndex, RolloutBuffer, keep_freed_memory
from atlantis_training.selfplay.report import DATASET, IMITATE, PLAY
from atlantis_training.selfplay.settings import SelfPlaySettings

IMITATION_GAMES = 256  # played from beginning to end in one round of imitation
IMITATION_BATCH = 1024
IMITATION_SEED = 2**63  # added to the run's seed: other games than those that are learned from later
SEED_BITS = 32  # of the seed of a run
IMITATION_SHARE = 0.35  # of the time, where time is limited: then imitation ends at the latest
FINAL_RATE = 0.1  # of the learning rate of imitation, at its end
VALUE_WEIGHT = 0.5
DATASET_ROWS = 65_536  # decisions of a dataset in one round


class SelfPlayVecEnv(SeatVecEnv):
    """SeatVecEnv in which every step is a choice, whose reward may be shaped, and which knows how long it took.

    Shaping (seats.step) leaves the aim as it is. The margin is another aim: a share of the final lead (of the final
    score in a cooperative game) counts beside the result, so that losing narrowly is better than losing clearly.

    Attributes:
        margin: reward for each point of the final lead; the learner lowers it from round to round.
        seconds: time spent in ``step``, opponents included.
    """

    def __init__(self, game: Game, settings: SelfPlaySettings, seating: Any, num_envs: int = 0) -> None:
        """Set up; ``reset`` starts the games: as many as the settings say, or ``num_envs``, of a part of a round.

        Where rounds are collected in parts every game has a seed of its own, so it goes on wherever it is played.
        """
        helped = {"shaping": settings.shaping, "discount": settings.discount}
        lanes = num_envs or settings.num_envs
        super().__init__(game, lanes, seating, settings.learner_seat, settings.seed, **helped, skip_forced=True)
        self._apart: NDArray[np.uint64] | None = None  # a seed for every game
        if settings.collectors > 1:
            self._apart = np.uint64(settings.seed) + (np.arange(1, lanes + 1, dtype=np.uint64) << np.uint64(SEED_BITS))
            self.core.batch.reset(self._apart)
        self._adviser = make_agent(settings.teacher, game) if settings.advice else None
        self.described = features_for(settings, game)
        self.high = inputs_high(game, self.described, settings.advice)
        self._inputs_scale = np.float32(1) / self.high.astype(np.float32)
        self.observation_space = Box(0.0, 1.0, self.high.shape, np.float32)
        self.scoring = settings.afterstates
        self.margin = settings.margin
        self.seconds = 0.0

    def begin(self) -> None:
        """Start new games; the seed is that of the settings."""
        super().reset()
        if self._apart is not None:
            self.core.reset(self._apart)

    def reset(self) -> NDArray[np.float32]:
        """Start new games, with the observations of ``scaled_obs``; see SeatVecEnv."""
        self.begin()
        return self.scaled_obs()

    @property
    def potential(self) -> NDArray[np.float64]:
        """Return the potential that shaping remembers, float64 (N,); part of a checkpoint."""
        return self.shaping.potential

    def scaled_obs(self) -> NDArray[np.float32]:
        """Return ``obs`` in 0..1, float32, as the library wants it."""
        return self.obs() * self._inputs_scale

    def obs(self) -> NDArray[np.uint8]:
        """Return what the learner sees now, uint8 (N, F): observations, features if there are any, and advice.

        Without features and advice this is the batch's own memory, which the next step overwrites.
        """
        batch = self.core.batch
        obs = self.add_features(batch.observations)
        if self._adviser is None:
            return obs
        advice = self._adviser.act(batch.observations, batch.action_masks, batch.noise(batch.seed))
        return with_advice(obs, one_hot(advice, self.game.num_actions))

    def add_features(self, observations: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Return observations with features behind them, if the network sees those."""
        if self.described is None:
            return observations
        return with_features(self.game, observations, self.described.edition)

    def afterstates(self) -> NDArray[np.uint8]:
        """Return what the learner would see after each legal action, uint8 (K, F)."""
        return self.add_features(self.core.batch.afterstates().observations)

    def final_obs(self, lanes: NDArray[np.int64]) -> NDArray[np.uint8]:
        """Return the last observations of the games that ended in these lanes; no advice: nobody is to decide there."""
        last = self.add_features(self.played.final_observations[lanes])
        return last if self._adviser is None else with_advice(last, np.zeros((len(last), self.game.num_actions)))

    def play(self, actions: NDArray[Any]) -> SeatStep:
        """Play a step, add the margin to the rewards and count the time; see SeatVecEnv."""
        started = time.perf_counter()
        played = super().play(actions)
        if self.margin:
            played.rewards[:] = played.rewards + self._final_margins().astype(np.float32)
        self.seconds += time.perf_counter() - started
        return played

    def step_wait(self) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """Play the remembered actions; see SeatVecEnv."""
        observations, rewards, over, infos = super().step_wait()
        return (self.scaled_obs() if self._adviser or self.described else observations), rewards, over, infos

    def _final_margins(self) -> NDArray[np.float64]:
        """Return what the lead of each game that ended is worth, 0 elsewhere."""
        played, lanes = self.played, np.arange(self.num_envs)
        others = played.final_scores.astype(np.float64)
        own = others[lanes, played.final_seats].copy()
        others[lanes, played.final_seats] = -np.inf
        alone = self.game.players == 1 or self.game.cooperative
        lead = own if alone else own - others.max(axis=1)
        return np.where(played.over, self.margin * lead, 0.0)

    @property
    def thinking(self) -> float:
        """Return the seconds of it that opponents which are not kernels took."""
        return self.core.thinking


def with_advice(observations: NDArray[np.uint8], advice: NDArray[Any]) -> NDArray[np.uint8]:
    """Return observations, and behind them 1 for the action that is advised, uint8 (N, F + A)."""
    return np.concatenate([observations, advice.astype(np.uint8)], axis=1)


def value_of(game: Game, settings: SelfPlaySettings) -> str:
    """Return what a policy that learned by playing tells beside actions: the share of the win, or "".

    Where all win together the learner's value expects that share. It does not where rewards come beside the result,
    where later results count less, or where the network sees afterstates or advice.
    """
    other = settings.shaping or settings.margin or settings.discount < 1 or settings.afterstates or settings.advice
    return SEAT_SHARES if game.cooperative and not other else ""


class Learner:
    """One network and its way of learning; a round at a time.

    Attributes:
        model: the PPO.
        clock: seconds that the run has taken so far, for settings with a limit of time.
        gather: collects a round in another way than by playing it here, all games at once.
        imitated: decisions imitated so far.
        imitation_rounds: rounds of imitation so far.
        imitation_ms: the time at which imitation ended, in milliseconds of ``clock``.
        dataset_rows: decisions of datasets fitted so far, each counted as often as it was.
        dataset_rounds: rounds of that so far.
        datasets: what was recorded.
        rounds: rounds of playing so far.
    """

    def __init__(self, game: Game, settings: SelfPlaySettings, environment: SelfPlayVecEnv) -> None:
        """Build the model; seeds the global generators of torch, NumPy and Python."""
        torch.set_num_threads(1)
        keep_freed_memory()
        self.game, self.settings = game, settings
        self.clock: Callable[[], float] = lambda: 0.0
        self.gather: Callable[[], None] | None = None
        self.imitated = self.imitation_rounds = self.imitation_ms = self.rounds = 0
        self.dataset_rows = self.dataset_rounds = 0
        self.datasets: tuple[Dataset, ...] = tuple(read_dataset(path, game) for path in settings.dataset)
        self._demonstrations: Demonstrations | None = None
        self._taught = tuple(make_game(replace(settings, players=n)) if n else game for n in settings.imitate_players)
        # A policy that came from others; its value knows nothing of its own games.
        self._untried = bool(settings.imitate or settings.dataset or settings.start)
        kind: type[Any] = RolloutBuffer  # it takes the place of the library's
        self.model: Any = PPO(
            network.ScoringPolicy if settings.afterstates else "MlpPolicy",
            environment,
            learning_rate=settings.learning_rate,
            n_steps=settings.num_steps,
            batch_size=settings.batch_size,
            n_epochs=settings.num_epochs,
            gamma=settings.discount,
            gae_lambda=settings.gae_lambda,
            clip_range=settings.clip,
            ent_coef=settings.entropy,
            rollout_buffer_class=kind,
            policy_kwargs={
                "net_arch": [],
                "features_extractor_class": network.Trunk,
                "features_extractor_kwargs": {"high": environment.high, "hidden": settings.hidden},
                "optimizer_kwargs": {"eps": 1e-5, "fused": True},
            },
            seed=settings.seed,
            device="cpu",
        )
        self.model.fast = network.fast_bfloat16()

    def agent(self, layers: Layers | None = None, greedy: bool = False, game: Game | None = None) -> NetworkAgent:
        """Return the present policy, or one with these layers, as a player that samples, or takes what it likes best.

        It plays the game of the run, or another one of the same kind, with another number of players for example.
        """
        advice = self.settings.teacher if self.settings.advice else ""
        kind: dict[str, Any] = {"activation": RELU, "inputs": self.inputs, "features": self.model.env.described}
        layers = layers or network.policy_layers(self.model)
        return NetworkAgent(game or self.game, layers, greedy, advice=advice, **kind)

    @property
    def value(self) -> str:
        """Return what its policy tells beside actions, as ``value_of`` says; nothing before it has played."""
        return value_of(self.game, self.settings) if self.rounds else ""

    def layers(self) -> Layers:
        """Return the layers of the policy that a run writes, with an output for what ``value`` names; copies."""
        return network.valuing_layers(self.model) if self.value else network.policy_layers(self.model)

    @property
    def inputs(self) -> str:
        """Return what its policy looks at."""
        return AFTERSTATES if self.settings.afterstates else OBSERVATIONS

    @property
    def steps(self) -> int:
        """Return the learner's decisions so far."""
        return int(self.model.num_timesteps)

    @property
    def progress(self) -> float:
        """Share of the playing done, in steps or, where time is limited, in time; 0..1."""
        limit, began = self.settings.seconds, self.imitation_ms / 1000
        timed = limit and self.phase == PLAY
        gone = (self.clock() - began) / max(limit - began, 1e-9) if timed else 0.0
        return min(1.0, max(self.steps / max(1, self.settings.steps), gone))

    @property
    def phase(self) -> str:
        """Return what the next round does: PLAY, or before that IMITATE a teacher that plays, then a recorded
        DATASET.
        """
        if self.rounds or (self.imitated_share >= 1 and self.dataset_share >= 1):
            return PLAY
        return IMITATE if self.imitated_share < 1 else DATASET

    @property
    def dataset_share(self) -> float:
        """Share of the passes over the datasets done, 0..1."""
        total = self.settings.dataset_epochs * sum(dataset.decisions for dataset in self.datasets)
        return min(1.0, self.dataset_rows / total) if total and not self.rounds else 1.0

    @property
    def imitated_share(self) -> float:
        """Share done of the imitation of a teacher that plays, 0..1; it may end by time."""
        if self.rounds or self.imitation_ms or not self.settings.imitate:
            return 1.0
        limit = IMITATION_SHARE * self.settings.seconds
        return min(1.0, max(self.imitated / self.settings.imitate, self.clock() / limit if limit else 0.0))

    # ---------------------------------------------------------------------------------------------------- by playing

    def play_round(self) -> dict[str, float]:
        """Collect one round and learn from it; figures for the log."""
        settings, model = self.settings, self.model
        if self.imitated and not self.imitation_ms:  # its time was over before a round of it could say so
            self._end_imitation()
        if not model.policy.features_extractor.measured:
            self._measure(self._teacher_games(usual_opponent(self.game.name)))
        if self._untried and self.rounds <= settings.warmup:
            self._freeze_policy(self.rounds < settings.warmup)
        progress = self.progress
        model.env.margin = settings.margin * (1 - min(1.0, progress / settings.margin_until))
        model.ent_coef = settings.entropy + (settings.entropy_end - settings.entropy) * progress
        started = time.perf_counter()
        if self.gather:
            self.gather()
        else:
            model.collect(model.env, model.rollout_buffer)
        model.num_timesteps += model.rollout_buffer.rewards.size
        collected = time.perf_counter()
        rate = settings.learning_rate + (settings.learning_rate_end - settings.learning_rate) * self.progress
        update_learning_rate(model.policy.optimizer, rate)
        figures = {**model.update(), "learning_rate": rate}
        self.rounds += 1
        return {**figures, "collect_seconds": collected - started, "learn_seconds": time.perf_counter() - collected}

    def _freeze_policy(self, frozen: bool) -> None:
        """Keep an imitated policy as it is while the untrained value would only spoil it."""
        policy = self.model.policy
        for part in (policy.features_extractor, policy.action_net):
            for parameter in part.parameters():
                parameter.requires_grad_(not frozen)

    # -------------------------------------------------------------------------------------------------- by imitation

    def imitate_round(self) -> dict[str, float]:
        """Watch the teacher, and fit policy and value to what it does.

        It plays some games against itself. In a share of them that grows from 0 (`imitate_own`) the learner plays, and
        the teacher says what it would do there: so the learner meets the positions that its own mistakes lead to
        (DAgger; Ross, Gordon & Bagnell 2011).
        """
        rows = self._teacher_games(self.settings.teacher, self.settings.imitate_own * self.imitated_share)
        figures = self._fit_rows(rows, torch.randperm(len(rows.obs)))
        self.imitated += len(rows.obs)
        self.imitation_rounds += 1
        if self.imitated_share >= 1:
            self._end_imitation()
        return figures

    def dataset_round(self) -> dict[str, float]:
        """Fit policy and value to some of the recorded decisions, in an order of their own for every pass."""
        if self._demonstrations is None:
            self._demonstrations = load_dataset(self.datasets, self.game, self.settings.afterstates)
        size = len(self._demonstrations.obs)
        epoch, first = divmod(self.dataset_rows, size)
        order = np.random.default_rng([self.settings.seed, epoch]).permutation(size)[first : first + DATASET_ROWS]
        figures = self._fit_rows(self._demonstrations, torch.from_numpy(order))
        self.dataset_rows += len(order)
        self.dataset_rounds += 1
        if self.dataset_share >= 1:
            self._demonstrations = None
            self._end_imitation()
        return figures

    def _end_imitation(self) -> None:
        self.imitation_ms = max(1, round(1000 * self.clock()))
        self.model.policy.optimizer.state.clear()  # what Adam remembers of imitation means nothing to playing

    def _fit_rows(self, rows: Demonstrations, order: torch.Tensor) -> dict[str, float]:
        """Fit policy and value to these rows, batch by batch; the mean loss, and the share of equal choices."""
        policy, settings = self.model.policy, self.settings
        if not policy.features_extractor.measured:
            self._measure(rows)
        share = self.dataset_share if rows is self._demonstrations else self.imitated_share
        update_learning_rate(policy.optimizer, settings.imitate_rate * (1 + (FINAL_RATE - 1) * share))
        masks, wanted, returns = (torch.from_numpy(array) for array in (rows.masks, rows.actions, rows.returns))
        odds = odds_of(rows, settings.imitate_temperature)
        after = rows.afterstates
        index = None if after is None else AfterstateIndex(masks, torch.from_numpy(after))
        sums, batches = torch.zeros(2), 0
        for some in torch.split(order, IMITATION_BATCH):
            chosen = some.numpy()  # as a tensor, a single row would be taken for a number
            obs = torch.from_numpy(self._inputs_of(rows.obs[chosen], rows.actions[chosen]))
            led_to = None if index is None else torch.from_numpy(self.model.env.add_features(index.of(some).numpy()))
            legal = masks.index_select(0, some)
            logprobs, values = self.model.logprobs_and_values(obs, legal, led_to)
            target = None if odds is None else odds.index_select(0, some)
            loss = distance(logprobs, wanted[some], legal, target, settings.imitate_doubt)
            both = loss + VALUE_WEIGHT * torch.nn.functional.mse_loss(values, returns[some])
            policy.optimizer.zero_grad()
            both.backward()  # type: ignore[no-untyped-call]
            policy.optimizer.step()
            sums += torch.stack([loss.detach(), (logprobs.argmax(1) == wanted[some]).float().mean()])
            batches += 1
        loss, agreement = (sums / batches).tolist()
        return {"loss": loss, "agreement": agreement}

    # ------------------------------------------------------------------------------------------------ from a policy

    def begin_from(self, agent: NetworkAgent) -> None:
        """Take over a policy of the same shape; its inputs are measured in games that it plays against itself."""
        trunk, head = self.model.policy.features_extractor, self.model.policy.action_net
        self._measure(self._teacher_games(agent))
        network.take_layers(trunk, head, agent.policy_layers)

    def scale_logits(self, temperature: float) -> None:
        """Make the policy sample otherwise: its logits are divided by this, and its best actions stay the same."""
        with torch.no_grad():
            for parameter in self.model.policy.action_net.parameters():
                parameter.div_(temperature)

    def _measure(self, rows: Demonstrations) -> None:
        """Take the statistics of the inputs: of what is seen, and of where actions lead if that is looked at."""
        few = network.few_of  # before they grow by features
        inputs = [self._inputs_of(few(rows.obs), few(rows.actions))]
        if rows.afterstates is not None:
            inputs.append(self.model.env.add_features(few(rows.afterstates)))
        self.model.policy.features_extractor.measure(np.concatenate(inputs))

    def _inputs_of(self, obs: NDArray[np.uint8], advice: NDArray[np.int64]) -> NDArray[np.uint8]:
        """Return observations as the network sees them, with these actions as advice if it gets any."""
        inputs = self.model.env.add_features(obs)
        return with_advice(inputs, one_hot(advice, self.game.num_actions)) if self.settings.advice else inputs

    def _teacher_games(self, teacher: str | Agent, own: float = 0.0) -> Demonstrations:
        """Return all choices of games that an agent plays against itself; a share ``own`` of them the learner plays."""
        settings, each = self.settings, max(1, IMITATION_GAMES // len(self._taught))
        games = np.arange(each) + each * self.imitation_rounds
        mine, seed = round(own * each), settings.seed + IMITATION_SEED
        scored = bool(settings.imitate_temperature) and teacher == settings.teacher
        parts = []
        for game in self._taught:
            pupil = _pupil(self.agent(greedy=True, game=game), mine, seed) if mine else None
            agent = make_agent(teacher, game)
            parts.append(demonstrate(game, agent, games, seed, pupil, settings.afterstates, scored))
        return joined(parts)


def _pupil(agent: Agent, games: int, seed: int) -> Instead:
    """Return what is played where the learner plays the first ``games`` lanes, and the teacher the others."""

    def instead(batch: Batch, lanes: NDArray[np.int64], actions: NDArray[np.int64]) -> NDArray[np.int64]:
        mine = lanes < games
        if mine.any():
            actions[mine] = ask(agent, batch, lanes[mine], batch.noise(seed, lanes[mine]))
        return actions

    return instead
