"""PPO of RLlib: one network plays all seats against itself and is measured against random agents in each.

python -m atlantis_training.examples.rllib_ppo --iterations 25

Needs the extra rllib.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import ray
import torch
from ray.rllib.algorithms.ppo import PPOConfig
from torch import Tensor

from atlantis_envs.adapters.rllib import MASK, SEEN, SHARED, MaskedModule, config_for
from atlantis_envs.registry import game as make_game
from atlantis_training.examples.ppo import Clock, tell_measured


def config(players: int = 3, batch: int = 4_000) -> PPOConfig:
    """Return Atlandice without workers; ``.env_runners(num_env_runners=8)`` collects games beside each other."""
    chosen = config_for(PPOConfig(), "atlandice", hidden=(128, 128), players=players)
    # Games end by themselves and pay at the end alone, so nothing is discounted.
    return (
        chosen.env_runners(num_env_runners=0)
        .training(
            train_batch_size_per_learner=batch,
            minibatch_size=500,
            num_epochs=6,
            lr=1e-3,
            gamma=1.0,
            lambda_=0.95,
            clip_param=0.2,
            entropy_coeff=0.01,
            vf_loss_coeff=0.5,
            vf_clip_param=10.0,
            use_kl_loss=False,
            grad_clip=0.5,
        )
        .debugging(seed=1, log_level="ERROR")
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Train, and measure now and then."""
    parser = argparse.ArgumentParser(prog="python -m atlantis_training.examples.rllib_ppo")
    parser.add_argument("--iterations", type=int, default=25)
    parser.add_argument("--batch", type=int, default=4_000, help="decisions in an iteration")
    parser.add_argument("--every", type=int, default=5, help="iterations from one measurement to the next")
    parser.add_argument("--games", type=int, default=300, help="measured in each seat")
    chosen = parser.parse_args(arguments)
    torch.set_num_threads(1)
    if not ray.is_initialized():  # a cluster of its own, whatever else runs on this machine
        ray.init("local", num_cpus=1, include_dashboard=False, configure_logging=False)
    algorithm = config(batch=chosen.batch).build_algo()
    module: MaskedModule = algorithm.get_module(SHARED)

    def policy(seen: Tensor, masks: Tensor) -> Tensor:
        logits = module.forward_inference({"obs": {SEEN: seen, MASK: masks.float()}})["action_dist_inputs"]
        drawn: Tensor = torch.multinomial(logits.softmax(-1), 1)[:, 0]
        return drawn

    game = make_game("atlandice", 3)
    clock = Clock()
    for iteration in range(1, chosen.iterations + 1):
        algorithm.train()
        if iteration % chosen.every == 0 or iteration == chosen.iterations:
            print(f"iteration {iteration}, {iteration * chosen.batch:,} decisions, {clock}", flush=True)
            tell_measured(policy, game, games=chosen.games)
    algorithm.stop()


if __name__ == "__main__":
    main()
