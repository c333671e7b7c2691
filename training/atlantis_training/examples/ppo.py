"""PPO in one file, with nothing but torch and the vector environment: to read, and to begin from.

    python -m atlantis_training.examples.ppo --updates 60

A network plays a changing seat of a game against random opponents and is measured in every seat. What a game of
several seats with many illegal actions asks of PPO is marked (1) to (4).
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from atlantis_envs.adapters.gymnasium_env import SeatVectorEnv
from atlantis_envs.engine.game import Game
from atlantis_envs.registry import game as make_game


@dataclass
class Settings:
    """Every number there is to choose."""

    game: str = "atlandice"
    players: int = 3
    opponents: str = "random"
    updates: int = 60
    lanes: int = 64
    steps: int = 64
    epochs: int = 4
    minibatches: int = 8
    learning_rate: float = 1e-3
    discount: float = 1.0  # (1) games end by themselves and pay at the end alone: nothing to discount
    trace: float = 0.95
    clip: float = 0.2
    entropy: float = 0.01
    value_weight: float = 0.5
    largest_gradient: float = 0.5
    hidden: int = 128
    seed: int = 1
    measured_games: int = 300  # in each seat


class Network(nn.Module):
    """Logits of actions and the value of the position."""

    def __init__(self, features: int, actions: int, hidden: int) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(features, hidden), nn.Tanh(), nn.Linear(hidden, hidden), nn.Tanh())
        self.policy, self.value = nn.Linear(hidden, actions), nn.Linear(hidden, 1)
        nn.init.orthogonal_(self.policy.weight, 0.01)
        nn.init.zeros_(self.policy.bias)

    def forward(self, seen: Tensor, masks: Tensor) -> tuple[torch.distributions.Categorical, Tensor]:
        """Return the distribution over the legal actions, and values."""
        inner = self.body(seen)
        # (2) illegal actions get no probability, the same when data are collected and when they are learned from
        logits = self.policy(inner).masked_fill(~masks, -1e9)
        return torch.distributions.Categorical(logits=logits, validate_args=False), self.value(inner)[:, 0]


@dataclass
class Rollout:
    """What was seen and done: tensors (steps, lanes, ...)."""

    seen: Tensor
    masks: Tensor
    actions: Tensor
    logs: Tensor
    values: Tensor
    rewards: Tensor
    over: Tensor
    final: Tensor  # value of where a game was cut off, 0 where it ended by its rules


class Collector:
    """Plays on where it stopped."""

    def __init__(self, env: SeatVectorEnv, network: Network, seed: int) -> None:
        self.env, self.network = env, network
        seen, _ = env.reset(seed=seed)
        self.seen, self.masks = torch.from_numpy(seen), torch.from_numpy(env.action_masks())

    @torch.no_grad()
    def collect(self, steps: int) -> Rollout:
        """Play so many steps of every lane."""
        rows: list[tuple[Tensor, ...]] = []
        for _ in range(steps):
            policy, values = self.network(self.seen, self.masks)
            actions = policy.sample()
            seen, rewards, terminated, truncated, infos = self.env.step(actions.numpy())
            final = torch.zeros(len(actions))
            for lane in np.flatnonzero(truncated):  # (3) cut off by a bound: worth what would have followed
                end = torch.from_numpy(infos["final_obs"][lane])[None]
                final[lane] = self.network(end, torch.ones_like(self.masks[:1]))[1][0]
            over = torch.from_numpy(terminated | truncated)
            paid = torch.from_numpy(np.asarray(rewards, np.float32))
            rows.append((self.seen, self.masks, actions, policy.log_prob(actions), values, paid, over, final))
            self.seen, self.masks = torch.from_numpy(seen), torch.from_numpy(self.env.action_masks())
        return Rollout(*(torch.stack(column) for column in zip(*rows, strict=True)))

    @torch.no_grad()
    def value(self) -> Tensor:
        """Return the value of where the lanes are now."""
        value: Tensor = self.network(self.seen, self.masks)[1]
        return value


def advantages(rollout: Rollout, following: Tensor, discount: float, trace: float) -> Tensor:
    """Return generalized advantage estimates (Schulman et al. 2016), (steps, lanes).

    (4) A step is a decision of the learning seat, and other seats move in between, so seats never mix in a trajectory.
    """
    out = torch.zeros_like(rollout.values)
    carried = torch.zeros_like(following)
    for step in reversed(range(len(out))):
        on = (~rollout.over[step]).float()
        ahead = torch.where(rollout.over[step], rollout.final[step], following)
        error = rollout.rewards[step] + discount * ahead - rollout.values[step]
        out[step] = carried = error + discount * trace * on * carried
        following = rollout.values[step]
    return out


def learn(network: Network, optimizer: torch.optim.Optimizer, data: Rollout, gains: Tensor, chosen: Settings) -> float:
    """Make a few passes over one rollout; return the mean entropy of the policy."""
    seen, masks, actions, logs = (each.flatten(0, 1) for each in (data.seen, data.masks, data.actions, data.logs))
    gain, target = gains.flatten(), (gains + data.values).flatten()
    entropies: list[float] = []
    for _ in range(chosen.epochs):
        for rows in torch.randperm(len(actions)).chunk(chosen.minibatches):
            policy, values = network(seen[rows], masks[rows])
            ratio = (policy.log_prob(actions[rows]) - logs[rows]).exp()
            scaled = (gain[rows] - gain[rows].mean()) / (gain[rows].std() + 1e-8)
            clipped = ratio.clamp(1 - chosen.clip, 1 + chosen.clip)
            entropy = policy.entropy().mean()
            loss = -torch.min(ratio * scaled, clipped * scaled).mean() - chosen.entropy * entropy
            loss = loss + chosen.value_weight * (values - target[rows]).square().mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), chosen.largest_gradient)
            optimizer.step()
            entropies.append(float(entropy.detach()))
    return float(np.mean(entropies))


Policy = Callable[[Tensor, Tensor], Tensor]  # observations and masks to actions


@torch.no_grad()
def measured(policy: Policy, game: Game, opponents: str, games: int, seed: int) -> list[float]:
    """Return the mean return in every seat; seats that play alike have 0 in a zero-sum game."""
    means = []
    for seat in range(game.players):
        env = SeatVectorEnv(min(games, 100), game=game, learner_seat=seat, opponents=opponents, flat=True)
        seen, _ = env.reset(seed=seed)
        paid: list[float] = []
        while len(paid) < games:
            actions = policy(torch.from_numpy(seen), torch.from_numpy(env.action_masks()))
            seen, rewards, terminated, truncated, _ = env.step(actions.numpy())
            paid.extend(rewards[terminated | truncated].tolist())
        means.append(float(np.mean(paid)))
    return means


class Clock:
    """What has passed since it was made; as a text, seconds and seconds of processor time."""

    def __init__(self) -> None:
        """Start."""
        self._started = time.perf_counter(), time.process_time()

    def __str__(self) -> str:
        """Return the two, rounded."""
        passed, spent = time.perf_counter() - self._started[0], time.process_time() - self._started[1]
        return f"{passed:.0f} s, {spent:.0f} s of processor time"


def tell_measured(policy: Policy, game: Game, opponents: str = "random", games: int = 300, seed: int = 2) -> None:
    """Print the mean return in every seat."""
    for seat, mean in enumerate(measured(policy, game, opponents, games, seed)):
        print(f"seat {seat}: mean return {mean:+.3f} in {games} games or more against {opponents}")


def train(chosen: Settings, tell: bool = True) -> tuple[Network, NDArray[np.float64]]:
    """Train; the network, and its mean return over each update's finished games."""
    torch.manual_seed(chosen.seed)
    torch.set_num_threads(1)
    game = make_game(chosen.game, chosen.players)
    env = SeatVectorEnv(chosen.lanes, game=game, learner_seat="rotate", opponents=chosen.opponents, flat=True)
    network = Network(game.observation_size, game.num_actions, chosen.hidden)
    optimizer = torch.optim.Adam(network.parameters(), chosen.learning_rate, eps=1e-5)
    collector = Collector(env, network, chosen.seed)
    started, curve = time.perf_counter(), []
    for update in range(chosen.updates):
        for group in optimizer.param_groups:
            group["lr"] = chosen.learning_rate * (1 - update / chosen.updates)
        data = collector.collect(chosen.steps)
        gains = advantages(data, collector.value(), chosen.discount, chosen.trace)
        entropy = learn(network, optimizer, data, gains, chosen)
        curve.append(float(data.rewards[data.over].mean()) if data.over.any() else float("nan"))
        if tell and (update % 10 == 9 or update == chosen.updates - 1):
            decisions = (update + 1) * chosen.lanes * chosen.steps
            seconds = time.perf_counter() - started
            print(
                f"{decisions:9,} decisions {seconds:6.0f} s  return {curve[-1]:+.3f}  entropy {entropy:.2f}", flush=True
            )
    return network, np.array(curve)


def main(arguments: Sequence[str] | None = None) -> None:
    """Train with the settings of the command line and measure what came of it."""
    parser = argparse.ArgumentParser(prog="python -m atlantis_training.examples.ppo", description=train.__doc__)
    for name, default in vars(Settings()).items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=type(default), default=default)
    chosen = Settings(**vars(parser.parse_args(arguments)))
    network, _ = train(chosen)
    game = make_game(chosen.game, chosen.players)
    tell_measured(lambda *at: network(*at)[0].sample(), game, chosen.opponents, chosen.measured_games, chosen.seed + 1)


if __name__ == "__main__":
    main()
