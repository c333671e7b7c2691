"""PPO of TorchRL: a changing seat learns against random opponents and is measured in each.

python -m atlantis_training.examples.torchrl_ppo --updates 40

Needs the extra torchrl.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import torch
from tensordict.nn import TensorDictModule
from torch import Tensor, nn
from torchrl.collectors import Collector
from torchrl.modules import MaskedCategorical, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

from atlantis_envs.adapters.torchrl import SeatTorchEnv
from atlantis_training.examples.ppo import Clock, Policy, tell_measured

LANES, STEPS, EPOCHS, MINIBATCHES = 64, 64, 4, 8


def layers(features: int, outputs: int, hidden: int = 128) -> nn.Sequential:
    """Return two hidden layers."""
    inner = (nn.Linear(features, hidden), nn.Tanh(), nn.Linear(hidden, hidden), nn.Tanh())
    return nn.Sequential(*inner, nn.Linear(hidden, outputs))


def drawing(logits: nn.Module) -> Policy:
    """Return a policy that draws from what the network prefers among the legal actions."""

    def policy(seen: Tensor, masks: Tensor) -> Tensor:
        drawn: Tensor = MaskedCategorical(logits=logits(seen), mask=masks).sample()
        return drawn

    return policy


def train(updates: int, every: int = 5, games: int = 300, players: int = 3, seed: int = 1) -> nn.Module:
    """Train, measure now and then, and give back the network from observations to logits."""
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    env = SeatTorchEnv(LANES, "atlandice", players, learner_seat="rotate", opponents="random")
    env.set_seed(seed)
    logits = layers(env.lanes.game.observation_size, env.lanes.game.num_actions)
    actor = ProbabilisticActor(
        TensorDictModule(logits, ["observation"], ["logits"]),
        in_keys={"logits": "logits", "mask": "action_mask"},
        distribution_class=MaskedCategorical,
        return_log_prob=True,
    )
    critic = ValueOperator(layers(env.lanes.game.observation_size, 1), in_keys=["observation"])
    # Games end by themselves and pay at the end alone, so nothing is discounted.
    advantage = GAE(gamma=1.0, lmbda=0.95, value_network=critic)
    loss = ClipPPOLoss(actor, critic, clip_epsilon=0.2, entropy_coeff=0.01, critic_coeff=0.5, normalize_advantage=True)
    optimizer = torch.optim.Adam(loss.parameters(), 1e-3, eps=1e-5)
    frames = LANES * STEPS
    clock = Clock()
    for update, batch in enumerate(Collector(env, actor, frames_per_batch=frames, total_frames=frames * updates)):
        with torch.no_grad():
            advantage(batch)
        data = batch.reshape(-1)
        for _ in range(EPOCHS):
            for rows in torch.randperm(frames).chunk(MINIBATCHES):
                parts = loss(data[rows])
                total = parts["loss_objective"] + parts["loss_critic"] + parts["loss_entropy"]
                optimizer.zero_grad()
                total.backward()
                nn.utils.clip_grad_norm_(loss.parameters(), 0.5)
                optimizer.step()
        paid = batch["next", "reward"][batch["next", "done"]]
        if (update + 1) % every == 0 or update == updates - 1:
            print(f"{(update + 1) * frames:,} decisions, {clock}, return {paid.mean():+.3f}", flush=True)
            tell_measured(drawing(logits), env.lanes.game, games=games)
    return logits


def main(arguments: Sequence[str] | None = None) -> None:
    """Train and measure."""
    parser = argparse.ArgumentParser(prog="python -m atlantis_training.examples.torchrl_ppo")
    parser.add_argument("--updates", type=int, default=40)
    parser.add_argument("--every", type=int, default=5, help="updates from one measurement to the next")
    parser.add_argument("--games", type=int, default=300, help="measured in each seat")
    chosen = parser.parse_args(arguments)
    train(chosen.updates, chosen.every, chosen.games)


if __name__ == "__main__":
    main()
