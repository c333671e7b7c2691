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
from stable_baselines3.common.callbacks import BaseCallback

from atlantis_agents.catalogue import usual_opponent
from atlantis_agents.features import with_features
from atlantis_agents.networks.policy import (
    AFTERSTATES,
    OBSERVATIONS,
    RELU,
    Layers,
    NetworkAgent,
    inputs_high,
    one_hot,
)
from atlantis_envs.adapters.sb3_vecenv import SeatVecEnv
from atlantis_envs.engine.definition import IDENTICAL
from atlantis_envs.engine.game import Game
from atlantis_envs.seats.agents import Agent, make_agent
from atlantis_training.selfplay.imitation import distance, odds_of
from atlantis_training.selfplay.lean import LeanPPO, NoBuffer, Pieces
from atlantis_training.selfplay.lessons import Source, Watched, joined, load_lessons, read_source
from atlantis_training.selfplay.memory import keep_freed_memory
from atlantis_training.selfplay.network import (
    ScoringPolicy,
    Trunk,
    fast_bfloat16,
    few_of,
    policy_layers,
    take_layers,
)
from atlantis_training.selfplay.pool import make_game
from atlantis_training.selfplay.settings import SelfPlaySettings
from atlantis_training.selfplay.watching import watch

IMITATION_GAMES = 256  # played from beginning to end in one round of imitation
IMITATION_BATCH = 1024
IMITATION_SEED = 2**63  # added to the run's seed: other games than those that are learned from later
SEED_BITS = 32  # of the seed of a run
IMITATION_SHARE = 0.35  # of the time, where time is limited: then imitation ends at the latest
FINAL_RATE = 0.1  # of the learning rate of imitation, at its end
VALUE_WEIGHT = 0.5
LESSON_ROWS = 65_536  # decisions of recorded lessons in one round


class SelfPlayVecEnv(SeatVecEnv):
    """SeatVecEnv in which every step is a choice, whose reward may be shaped, and which knows how long it took.

    Shaping (seats.shaping) leaves the aim as it is. The margin is another aim: a share of the final lead (of the final
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
        self.describing = settings.features
        self.high = inputs_high(game, self.describing, settings.advice)
        self._inputs_scale = np.float32(1) / self.high.astype(np.float32)
        self.observation_space = Box(0.0, 1.0, self.high.shape, np.float32)
        self.scoring = settings.afterstates
        self.margin = settings.margin
        self.seconds = 0.0

    def reset(self) -> NDArray[np.float32]:
        """Start new games, with the observation of ``seen``; see SeatVecEnv."""
        super().reset()
        if self._apart is not None:
            self.core.reset(self._apart)
        return self.seen()

    @property
    def potential(self) -> NDArray[np.float64]:
        """The potential that shaping remembers, float64 (N,); part of a checkpoint."""
        return self.shaping.potential

    def seen(self) -> NDArray[np.float32]:
        """What the learner sees now, with the teacher's advice if it gets any; float32 in 0..1."""
        return self.seen_bytes() * self._inputs_scale

    def seen_bytes(self) -> NDArray[np.uint8]:
        """The same as bytes, uint8 (N, F): observations, features if there are any, and advice."""
        batch = self.core.batch
        seen = self.described(batch.observations)
        if self._adviser is None:
            return seen
        advised = self._adviser.act(batch.observations, batch.action_masks, batch.noise(batch.seed))
        return with_advice(seen, one_hot(advised, self.game.num_actions))

    def described(self, observations: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Observations with features behind them, if the network sees those."""
        return with_features(self.game, observations) if self.describing else observations

    def after_bytes(self) -> NDArray[np.uint8] | None:
        """What the learner would see after each legal action, uint8 (K, F), if its network scores that."""
        return self.described(self.core.batch.afterstates().observations) if self.scoring else None

    def final_bytes(self, lanes: NDArray[np.int64]) -> NDArray[np.uint8]:
        """The last observations of the games that ended in these lanes, without advice: nobody is to decide there."""
        last = self.described(self.played.final_observations[lanes])
        return last if self._adviser is None else with_advice(last, np.zeros((len(last), self.game.num_actions)))

    def step_wait(self) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """Play a step and add the margin to the rewards; see SeatVecEnv."""
        started = time.perf_counter()
        observations, rewards, over, infos = super().step_wait()
        if self._adviser or self.describing:
            observations = self.seen()
        if self.margin:
            rewards = rewards + self._final_margins().astype(np.float32)
        self.seconds += time.perf_counter() - started
        return observations, rewards, over, infos

    def _final_margins(self) -> NDArray[np.float64]:
        """What the lead of each game that ended is worth, 0 elsewhere."""
        played, lanes = self.played, np.arange(self.num_envs)
        others = played.final_scores.astype(np.float64)
        own = others[lanes, played.final_seats].copy()
        others[lanes, played.final_seats] = -np.inf
        alone = self.game.players == 1 or self.game.definition.utility == IDENTICAL
        lead = own if alone else own - others.max(axis=1)
        return np.where(played.over, self.margin * lead, 0.0)

    def action_masks(self) -> NDArray[np.bool_]:
        """Say what the learner may do in every game, and count the time; see SeatVecEnv."""
        started = time.perf_counter()
        masks = super().action_masks()
        self.seconds += time.perf_counter() - started
        return masks

    @property
    def thinking(self) -> float:
        """The seconds of it that opponents which are not kernels took."""
        return self.core.thinking


def with_advice(observations: NDArray[np.uint8], advice: NDArray[Any]) -> NDArray[np.uint8]:
    """Observations, and behind them 1 for the action that is advised, uint8 (N, F + A)."""
    return np.concatenate([observations, advice.astype(np.uint8)], axis=1)


class _Quiet(BaseCallback):
    """Does nothing: the run looks after everything itself, between two rounds."""

    def _on_step(self) -> bool:
        return True


class Learner:
    """One network and its way of learning; a round at a time.

    Attributes:
        model: the LeanPPO.
        clock: seconds that the run has taken so far, for settings with a limit of time.
        gather: collects a round in another way than by playing it here, all games at once.
        imitated: decisions imitated so far.
        imitation_rounds: rounds of imitation so far.
        imitation_ms: the time at which imitation ended, in milliseconds of ``clock``.
        lesson_rows: decisions of recorded lessons fitted so far, each counted as often as it was.
        lesson_rounds: rounds of that so far.
        sources: the recorded lessons.
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
        self.lesson_rows = self.lesson_rounds = 0
        self.sources: tuple[Source, ...] = tuple(read_source(path, game) for path in settings.lessons)
        self._lessons: Watched | None = None
        self._taught = tuple(make_game(replace(settings, players=n)) if n else game for n in settings.imitate_players)
        self.model: Any = None  # the model reads its learning rate while it is being built
        self.model = LeanPPO(
            ScoringPolicy if settings.afterstates else "MlpPolicy",
            environment,
            learning_rate=self._rate,
            n_steps=settings.num_steps,
            batch_size=settings.batch_size,
            n_epochs=settings.num_epochs,
            gamma=settings.discount,
            gae_lambda=settings.gae_lambda,
            clip_range=settings.clip,
            ent_coef=settings.entropy,
            rollout_buffer_class=NoBuffer,
            policy_kwargs={
                "net_arch": [],
                "features_extractor_class": Trunk,
                "features_extractor_kwargs": {"high": environment.high, "hidden": settings.hidden},
                "optimizer_kwargs": {"eps": 1e-5, "fused": True},
            },
            seed=settings.seed,
            device="cpu",
        )
        self.model.fast = fast_bfloat16()
        self.model.make_room(settings.num_steps)  # now, before anything is written
        self._quiet = _Quiet()

    def start(self, reset: bool = True) -> None:
        """Make ready for rounds; with ``reset`` new games begin, else the present ones go on."""
        model = self.model
        if not reset:  # what is put in place here is replaced by what was saved
            model._last_obs = np.zeros(model.observation_space.shape, np.float32)
        _, self._callback = model._setup_learn(self.settings.steps, self._quiet, reset_num_timesteps=reset)

    def agent(self, layers: Layers | None = None, greedy: bool = False, game: Game | None = None) -> NetworkAgent:
        """The present policy, or one with these layers, as a player that samples, or takes what it likes best.

        It plays the game of the run, or another one of the same kind, with another number of players for example.
        """
        advice = self.settings.teacher if self.settings.advice else ""
        kind: dict[str, Any] = {"activation": RELU, "inputs": self.inputs, "features": self.settings.features}
        return NetworkAgent(game or self.game, layers or policy_layers(self.model), greedy, advice=advice, **kind)

    @property
    def inputs(self) -> str:
        """What its policy looks at."""
        return AFTERSTATES if self.settings.afterstates else OBSERVATIONS

    @property
    def steps(self) -> int:
        """The learner's decisions so far."""
        return int(self.model.num_timesteps) if self.model else 0

    @property
    def progress(self) -> float:
        """Share of the playing done, in steps or, where time is limited, in time; 0..1."""
        limit, began = self.settings.seconds, self.imitation_ms / 1000
        gone = (self.clock() - began) / max(limit - began, 1e-9) if limit and not self.imitating else 0.0
        return min(1.0, max(self.steps / max(1, self.settings.steps), gone))

    @property
    def imitating(self) -> bool:
        """Whether the next round imitates: a teacher that plays, or recorded lessons."""
        return self.watching_done < 1 or self.lessons_done < 1

    @property
    def imitation_done(self) -> float:
        """Share done of what is being imitated, 0..1: first a teacher, then recorded lessons."""
        return self.lessons_done if self.in_lessons else self.watching_done

    @property
    def in_lessons(self) -> bool:
        """Whether the next round fits recorded lessons."""
        return self.watching_done >= 1 and self.lessons_done < 1

    @property
    def lessons_done(self) -> float:
        """Share of the recorded lessons done, 0..1."""
        total = self.settings.lesson_epochs * sum(source.decisions for source in self.sources)
        return min(1.0, self.lesson_rows / total) if total and not self.rounds else 1.0

    @property
    def watching_done(self) -> float:
        """Share done of the imitation of a teacher that plays, 0..1; it may end by time."""
        if self.rounds or self.imitation_ms or not self.settings.imitate:
            return 1.0
        limit = IMITATION_SHARE * self.settings.seconds
        return min(1.0, max(self.imitated / self.settings.imitate, self.clock() / limit if limit else 0.0))

    def _rate(self, _: float) -> float:
        settings = self.settings
        return settings.learning_rate + (settings.learning_rate_end - settings.learning_rate) * self.progress

    # ---------------------------------------------------------------------------------------------------- by playing

    def play_round(self) -> dict[str, float]:
        """Collect one round and learn from it; figures for the log."""
        settings, model = self.settings, self.model
        if self.imitated and not self.imitation_ms:  # its time was over before a round of it could say so
            self._end_imitation()
        if not model.policy.features_extractor.measured:
            watched = self._teacher_games(usual_opponent(self.game.name))
            self._measure(watched)
        self._freeze_policy(self._untried and self.rounds < settings.warmup)
        model.env.margin = settings.margin * (1 - min(1.0, self.progress / settings.margin_until))
        model.ent_coef = settings.entropy + (settings.entropy_end - settings.entropy) * self.progress
        started = time.perf_counter()
        if self.gather:
            self.gather()
        else:
            model.collect_rollouts(model.env, self._callback, model.rollout_buffer, settings.num_steps)
        collected = time.perf_counter()
        model.train()
        self.rounds += 1
        values = model.logger.name_to_value
        names = ("entropy_loss", "value_loss", "approx_kl", "clip_fraction", "explained_variance", "learning_rate")
        figures = {name: float(values.get(f"train/{name}", 0.0)) for name in names}
        figures["entropy"] = -figures.pop("entropy_loss")
        return {**figures, "collect_seconds": collected - started, "learn_seconds": time.perf_counter() - collected}

    @property
    def _untried(self) -> bool:
        """Whether the policy came from others, so that its value knows nothing of its own games."""
        return bool(self.settings.imitate or self.settings.lessons or self.settings.start)

    def _freeze_policy(self, frozen: bool) -> None:
        """Keep an imitated policy as it is while the untrained value would only spoil it."""
        policy = self.model.policy
        for part in (policy.features_extractor, policy.action_net):
            for parameter in part.parameters():
                parameter.requires_grad_(not frozen)

    # -------------------------------------------------------------------------------------------------- by imitation

    def imitating_round(self) -> dict[str, float]:
        """One round of what is imitated next."""
        return self.lesson_round() if self.in_lessons else self.imitate_round()

    def imitate_round(self) -> dict[str, float]:
        """Watch the teacher, and fit policy and value to what it does.

        It plays some games against itself. In a share of them that grows from 0 (`imitate_own`) the learner plays, and
        the teacher says what it would do there: so the learner meets the positions that its own mistakes lead to
        (DAgger; Ross, Gordon & Bagnell 2011).
        """
        watched = self._teacher_games(self.settings.teacher, self.settings.imitate_own * self.watching_done)
        figures = self._fit_rows(watched, torch.randperm(len(watched.seen)))
        self.imitated += len(watched.seen)
        self.imitation_rounds += 1
        if self.watching_done >= 1:
            self._end_imitation()
        return figures

    def lesson_round(self) -> dict[str, float]:
        """Fit policy and value to some of the recorded lessons, in an order of their own for every pass."""
        if self._lessons is None:
            self._lessons = load_lessons(self.sources, self.game, self.settings.afterstates)
        size = len(self._lessons.seen)
        epoch, first = divmod(self.lesson_rows, size)
        order = np.random.default_rng([self.settings.seed, epoch]).permutation(size)[first : first + LESSON_ROWS]
        figures = self._fit_rows(self._lessons, torch.from_numpy(order))
        self.lesson_rows += len(order)
        self.lesson_rounds += 1
        if self.lessons_done >= 1:
            self._lessons = None
            self._end_imitation()
        return figures

    def _end_imitation(self) -> None:
        self.imitation_ms = max(1, round(1000 * self.clock()))
        self.model.policy.optimizer.state.clear()  # what Adam remembers of imitation means nothing to playing

    def _fit_rows(self, watched: Watched, order: torch.Tensor) -> dict[str, float]:
        """Fit policy and value to these rows, batch by batch; the mean loss, and the share of equal choices."""
        policy = self.model.policy
        if not policy.features_extractor.measured:
            self._measure(watched)
        for group in policy.optimizer.param_groups:
            group["lr"] = self.settings.imitate_rate * (1 + (FINAL_RATE - 1) * self.imitation_done)
        masks = torch.from_numpy(watched.masks)
        rest = [torch.from_numpy(array) for array in (watched.actions, watched.returns)]
        odds = odds_of(watched, self.settings.imitate_temperature)
        pieces = None if watched.after is None else Pieces(masks, torch.from_numpy(watched.after))
        sums, batches = torch.zeros(2), 0
        for rows in torch.split(order, IMITATION_BATCH):
            these = rows.numpy()  # as a tensor, a single row would be taken for a number
            seen = torch.from_numpy(self._shown(watched.seen[these], watched.actions[these]))
            after = None if pieces is None else torch.from_numpy(self.model.env.described(pieces.of(rows).numpy()))
            legal = masks.index_select(0, rows)
            logs, values = self.model.look(seen, legal, after)
            target = None if odds is None else odds.index_select(0, rows)
            sums += self._fit(logs, values, legal, rest[0][rows], rest[1][rows], target)
            batches += 1
        loss, agreement = (sums / batches).tolist()
        return {"loss": loss, "agreement": agreement}

    # ------------------------------------------------------------------------------------------------ from a policy

    def begin_from(self, agent: NetworkAgent) -> None:
        """Take over a policy of the same shape; its inputs are measured in games that it plays against itself."""
        trunk, head = self.model.policy.features_extractor, self.model.policy.action_net
        watched = self._teacher_games(agent)
        self._measure(watched)
        take_layers(trunk, head, agent.layers)

    def _measure(self, watched: Watched) -> None:
        """Take the statistics of the inputs: of what is seen, and of where actions lead if that is looked at."""
        shown = [self._shown(few_of(watched.seen), few_of(watched.actions))]  # before they grow by features
        if watched.after is not None:
            shown.append(self.model.env.described(few_of(watched.after)))
        self.model.policy.features_extractor.measure(np.concatenate(shown))

    def _shown(self, seen: NDArray[np.uint8], advice: NDArray[np.int64]) -> NDArray[np.uint8]:
        """Observations as the network sees them, with these actions as advice if it gets any."""
        shown = self.model.env.described(seen)
        return with_advice(shown, one_hot(advice, self.game.num_actions)) if self.settings.advice else shown

    def _fit(
        self,
        logs: torch.Tensor,
        values: torch.Tensor,
        masks: torch.Tensor,
        wanted: torch.Tensor,
        returns: torch.Tensor,
        odds: torch.Tensor | None = None,
    ) -> torch.Tensor:
        """One step of gradient; the loss of the policy, and the share of choices that are the teacher's."""
        loss = distance(logs, wanted, masks, odds, self.settings.imitate_doubt)
        both = loss + VALUE_WEIGHT * torch.nn.functional.mse_loss(values, returns)
        optimizer = self.model.policy.optimizer
        optimizer.zero_grad()
        both.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        return torch.stack([loss.detach(), (logs.argmax(1) == wanted).float().mean()])

    def _teacher_games(self, name: str | Agent, own: float = 0.0) -> Watched:
        """All choices of some games that an agent plays against itself; a share ``own`` of them the learner plays."""
        each = max(1, IMITATION_GAMES // len(self._taught))
        numbers = np.arange(each) + each * self.imitation_rounds
        mine, seed, after = round(own * each), self.settings.seed + IMITATION_SEED, self.settings.afterstates
        scored = bool(self.settings.imitate_temperature) and name == self.settings.teacher
        own_agents = [self.agent(greedy=True, game=game) for game in self._taught]
        watched = zip(self._taught, own_agents, strict=True)
        return joined([watch(game, name, numbers, seed, pupil, mine, after, scored) for game, pupil in watched])
