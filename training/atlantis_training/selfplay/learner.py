"""The learner: MaskablePPO on ``SelfPlayVecEnv``, and imitation of a teacher before it plays."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import torch
from gymnasium.spaces import Box
from numpy.typing import NDArray
from stable_baselines3.common.callbacks import BaseCallback

from atlantis_agents.networks.policy import Layers, NetworkAgent, one_hot
from atlantis_envs.adapters.sb3_vecenv import SeatVecEnv
from atlantis_envs.engine.definition import IDENTICAL
from atlantis_envs.engine.game import Game
from atlantis_envs.seats.agents import make_agent
from atlantis_envs.seats.positions import ask
from atlantis_training.selfplay.ppo import build_model, policy_layers
from atlantis_training.selfplay.settings import SelfPlaySettings

IMITATION_GAMES = 256  # played from beginning to end in one round of imitation
IMITATION_BATCH = 1024
IMITATION_SEED = 2**63  # added to the run's seed: other games than those that are learned from later
ILLEGAL = -1e9
FINAL_RATE = 0.1  # of the learning rate of imitation, at its end
VALUE_WEIGHT = 0.5


class SelfPlayVecEnv(SeatVecEnv):
    """SeatVecEnv whose reward may be shaped, and which knows how long it took.

    Shaping (seats.shaping) leaves the aim as it is. The margin is another aim: a share of the final lead (of the final
    score in a cooperative game) counts beside the result, so that losing narrowly is better than losing clearly.

    Attributes:
        margin: reward for each point of the final lead; the learner lowers it from round to round.
        seconds: time spent in ``step``, opponents included.
    """

    def __init__(self, game: Game, settings: SelfPlaySettings, seating: Any) -> None:
        """Set up; ``reset`` starts the games."""
        helped = {"shaping": settings.shaping, "discount": settings.discount}
        super().__init__(game, settings.num_envs, seating, settings.learner_seat, settings.seed, **helped)
        self._adviser = make_agent(settings.teacher, game) if settings.advice else None
        if self._adviser:
            self.observation_space = Box(0.0, 1.0, (game.observation_size + game.num_actions,), np.float32)
        self.margin = settings.margin
        self.seconds = 0.0

    def reset(self) -> NDArray[np.float32]:
        """Start new games, with the observation of ``seen``; see SeatVecEnv."""
        super().reset()
        return self.seen()

    @property
    def potential(self) -> NDArray[np.float64]:
        """The potential that shaping remembers, float64 (N,); part of a checkpoint."""
        return self.shaping.potential

    def seen(self) -> NDArray[np.float32]:
        """What the learner sees now, with the teacher's advice if it gets any."""
        core = self.core
        observations = self.scaled(core.observations)
        if self._adviser is None:
            return observations
        advised = self._adviser.act(core.batch.observations, core.batch.action_masks, core.batch.noise(core.batch.seed))
        return np.concatenate([observations, one_hot(advised, self.game.num_actions)], axis=1)

    def step_wait(self) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """Play a step and add the margin to the rewards; see SeatVecEnv."""
        started = time.perf_counter()
        observations, rewards, over, infos = super().step_wait()
        if self._adviser:
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


class _Quiet(BaseCallback):
    """Does nothing: the run looks after everything itself, between two rounds."""

    def _on_step(self) -> bool:
        return True


class Learner:
    """One network and its way of learning; a round at a time.

    Attributes:
        model: the MaskablePPO.
        imitated: decisions imitated so far.
        imitation_rounds: rounds of imitation so far.
        rounds: rounds of playing so far.
    """

    def __init__(self, game: Game, settings: SelfPlaySettings, environment: SelfPlayVecEnv) -> None:
        """Build the model; seeds the global generators of torch, NumPy and Python."""
        self.game, self.settings = game, settings
        self.model: Any = None  # the model reads its learning rate while it is being built
        self.model = build_model(environment, settings, self._rate, clip_range=settings.clip)
        self.imitated = self.imitation_rounds = self.rounds = 0
        self._quiet = _Quiet()

    def start(self, reset: bool = True) -> None:
        """Make ready for rounds; with ``reset`` new games begin, else the present ones go on."""
        model = self.model
        if not reset:  # what is put in place here is replaced by what was saved
            model._last_obs = np.zeros(model.observation_space.shape, np.float32)
        _, self._callback = model._setup_learn(self.settings.steps, self._quiet, reset_num_timesteps=reset)

    def agent(self, layers: Layers | None = None) -> NetworkAgent:
        """The present policy, or one with these layers, as a player that samples."""
        advice = self.settings.teacher if self.settings.advice else ""
        return NetworkAgent(self.game, layers or policy_layers(self.model), greedy=False, advice=advice)

    @property
    def steps(self) -> int:
        """The learner's decisions so far."""
        return int(self.model.num_timesteps) if self.model else 0

    @property
    def progress(self) -> float:
        """Share of the steps done, 0..1."""
        return min(1.0, self.steps / self.settings.steps)

    @property
    def imitating(self) -> bool:
        """Whether the next round imitates."""
        return self.imitated < self.settings.imitate

    def _rate(self, _: float) -> float:
        settings = self.settings
        return settings.learning_rate + (settings.learning_rate_end - settings.learning_rate) * self.progress

    # ---------------------------------------------------------------------------------------------------- by playing

    def play_round(self) -> dict[str, float]:
        """Collect one round and learn from it; figures for the log."""
        settings, model = self.settings, self.model
        self._freeze_policy(settings.imitate > 0 and self.rounds < settings.warmup)
        model.env.margin = settings.margin * (1 - min(1.0, self.progress / settings.margin_until))
        model.ent_coef = settings.entropy + (settings.entropy_end - settings.entropy) * self.progress
        started = time.perf_counter()
        model.collect_rollouts(model.env, self._callback, model.rollout_buffer, settings.num_steps)
        collected = time.perf_counter()
        model.train()
        self.rounds += 1
        values = model.logger.name_to_value
        names = ("entropy_loss", "value_loss", "approx_kl", "clip_fraction", "explained_variance", "learning_rate")
        figures = {name: float(values.get(f"train/{name}", 0.0)) for name in names}
        figures["entropy"] = -figures.pop("entropy_loss")
        return {**figures, "collect_seconds": collected - started, "learn_seconds": time.perf_counter() - collected}

    def _freeze_policy(self, frozen: bool) -> None:
        """Keep an imitated policy as it is while the untrained value would only spoil it."""
        policy = self.model.policy
        for part in (policy.mlp_extractor.policy_net, policy.action_net):
            for parameter in part.parameters():
                parameter.requires_grad_(not frozen)

    # -------------------------------------------------------------------------------------------------- by imitation

    def imitate_round(self) -> dict[str, float]:
        """Watch the teacher play some games against itself, and fit policy and value to them."""
        observations, masks, actions, returns = self._teacher_games()
        policy = self.model.policy
        scale = torch.from_numpy(np.float32(1) / self.game.observation_high.astype(np.float32))
        gone = min(1.0, self.imitated / self.settings.imitate)
        for group in policy.optimizer.param_groups:
            group["lr"] = self.settings.imitate_rate * (1 + (FINAL_RATE - 1) * gone)
        order = np.random.permutation(len(actions))  # noqa: NPY002  the generator that is saved
        losses, right = [], []
        for start in range(0, len(order), IMITATION_BATCH):
            rows = order[start : start + IMITATION_BATCH]
            wanted = torch.from_numpy(actions[rows])
            features = torch.from_numpy(observations[rows]).float() * scale
            if self.settings.advice:
                advised = torch.nn.functional.one_hot(wanted, self.game.num_actions)
                features = torch.cat([features, advised.float()], dim=1)
            latent, latent_value = policy.mlp_extractor(features)
            legal = torch.from_numpy(masks[rows]) != 0
            logits = policy.action_net(latent).masked_fill(~legal, ILLEGAL)
            values = policy.value_net(latent_value).flatten()
            loss = self._distance(logits, wanted, legal)
            both = loss + VALUE_WEIGHT * torch.nn.functional.mse_loss(values, torch.from_numpy(returns[rows]))
            policy.optimizer.zero_grad()
            both.backward()  # type: ignore[no-untyped-call]
            policy.optimizer.step()
            losses.append(loss.item())
            right.append((logits.argmax(1) == wanted).float().mean().item())
        self.imitated += len(actions)
        self.imitation_rounds += 1
        if not self.imitating:
            policy.optimizer.state.clear()  # what Adam remembers of imitation means nothing to playing
        return {"loss": float(np.mean(losses)), "agreement": float(np.mean(right))}

    def _distance(self, logits: torch.Tensor, wanted: torch.Tensor, legal: torch.Tensor) -> torch.Tensor:
        """Cross entropy to the teacher's choice, with label smoothing over the legal actions."""
        doubt = self.settings.imitate_doubt
        loss = torch.nn.functional.cross_entropy(logits, wanted)
        if not doubt:
            return loss
        logs = torch.log_softmax(logits, dim=1).masked_fill(~legal, 0.0)
        return (1 - doubt) * loss - doubt * (logs.sum(dim=1) / legal.sum(dim=1)).mean()

    def _teacher_games(self) -> tuple[NDArray[np.uint8], NDArray[np.int8], NDArray[np.int64], NDArray[np.float32]]:
        """All decisions of some games: what was seen, what was legal, what was played, what it returned."""
        game, seed = self.game, self.settings.seed + IMITATION_SEED
        teacher = make_agent(self.settings.teacher, game)
        batch = game.batch(IMITATION_GAMES, seed)
        batch.reset(games=np.arange(IMITATION_GAMES) + IMITATION_GAMES * self.imitation_rounds)
        lanes, paid = np.arange(IMITATION_GAMES), np.zeros((IMITATION_GAMES, game.players), np.float32)
        seen: list[tuple[NDArray[Any], ...]] = []
        while len(lanes):
            observations, masks = batch.observations[lanes], batch.action_masks[lanes]
            actions = ask(teacher, batch, lanes, batch.noise(seed, lanes))
            seen.append((observations, masks, actions, lanes, batch.seats[lanes].astype(np.int64)))
            rewards, over = batch.step(actions, lanes)
            paid[over] = rewards[over]
            lanes = lanes[~over[lanes]]
        observations, masks, actions, whose, seats = (np.concatenate(column) for column in zip(*seen, strict=True))
        return observations, masks, actions, paid[whose, seats]
