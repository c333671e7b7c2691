"""Our learner beside sb3-contrib's: ``python -m benchmarks learner``.

Both have the same network, start from the same weights, play the same games against the same opponents, and take turns,
a round each; CPU time of one thread. "Equal loss" is shown, not claimed: each learns from the very same round once, and
the loss of that round is measured before and after by the same code. The library is measured with
twice the passes too, since ours learns more from a pass.
"""

from __future__ import annotations

import argparse
import statistics
import time
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import configure

import atlantis_envs
from atlantis_envs.seats.opponents import FixedSeating
from atlantis_training.selfplay.learner import Learner, SelfPlayVecEnv
from atlantis_training.selfplay.network import fast_bfloat16
from atlantis_training.selfplay.ppo import PPO, RolloutBuffer
from atlantis_training.selfplay.settings import SelfPlaySettings, settings_from
from benchmarks.measure import pinned

LIBRARY, LEAN, FAST = "sb3-contrib MaskablePPO", "ours, float32", "ours, bfloat16"
LONG = f"{LIBRARY}, twice the passes"
AS_IT_COMES = "sb3-contrib, two networks with tanh, 4 epochs"


class _Quiet(BaseCallback):
    def _on_step(self) -> bool:
        return True


def make_learner(settings: SelfPlaySettings, fast: bool) -> Learner:
    """Return ours, ready for rounds, with statistics of the inputs."""
    game = atlantis_envs.game(settings.game, players=settings.players or None)
    learner = Learner(game, settings, SelfPlayVecEnv(game, settings, FixedSeating(game, "heuristic")))
    learner.model.env.begin()
    learner.model.fast = fast
    learner.play_round()
    return learner


def make_library(settings: SelfPlaySettings, like: Learner, name: str = LIBRARY) -> Any:
    """Return the library's, with the network and the weights of ours; or with a network as the library makes it."""
    as_it_comes = name == AS_IT_COMES
    game = like.game
    environment = SelfPlayVecEnv(game, settings, FixedSeating(game, "heuristic"))
    same = {**like.model.policy_kwargs, "optimizer_kwargs": {"eps": 1e-5}}
    model = MaskablePPO(
        "MlpPolicy",
        environment,
        learning_rate=settings.learning_rate,
        n_steps=settings.num_steps,
        batch_size=settings.batch_size,
        n_epochs=4 if as_it_comes else settings.num_epochs * (2 if name == LONG else 1),
        gamma=settings.discount,
        gae_lambda=settings.gae_lambda,
        clip_range=settings.clip,
        ent_coef=settings.entropy,
        policy_kwargs={"net_arch": list(settings.hidden)} if as_it_comes else same,
        device="cpu",
    )
    model.set_logger(configure(format_strings=[]))
    if not as_it_comes:
        model.policy.load_state_dict(like.model.policy.state_dict())
    model._setup_learn(10**9, _Quiet())
    return model


def round_of(model: Any, steps: int) -> tuple[float, float]:
    """Return CPU seconds of collecting a round and of learning from it."""
    started = time.process_time()
    if isinstance(model, PPO):
        model.collect(model.env, model.rollout_buffer)
    else:
        callback = _Quiet()
        callback.init_callback(model)
        model.collect_rollouts(model.env, callback, model.rollout_buffer, steps)
    collected = time.process_time()
    if isinstance(model, PPO):
        model.update()
    else:
        model.train()
    return collected - started, time.process_time() - collected


def loss_of(model: Any, held: RolloutBuffer, clip: float) -> float:
    """Return PPO's loss on a round (policy + value / 2), by the library's own forward pass."""
    seen, masks, actions, old, advantages, returns = held.rows()
    inputs = seen.float() * model.policy.features_extractor.scale
    with torch.no_grad():
        values, logs, _ = model.policy.evaluate_actions(inputs, actions, action_masks=masks.numpy())
    advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
    ratio = (logs - old).exp()
    policy = -torch.minimum(advantages * ratio, advantages * ratio.clamp(1 - clip, 1 + clip)).mean()
    return float(policy + 0.5 * torch.nn.functional.mse_loss(values.flatten(), returns))


def fill(model: Any, held: RolloutBuffer) -> None:
    """Give the library's buffer a round that ours collected."""
    buffer, starts = model.rollout_buffer, np.zeros(held.rewards.shape[1], np.bool_)
    scale = model.policy.features_extractor.scale.numpy()
    buffer.reset()
    for step in range(len(held.rewards)):
        values, logs = torch.from_numpy(held.values[step]), torch.from_numpy(held.logprobs[step])
        row = (held.obs[step] * scale, held.actions[step][:, None], held.rewards[step], starts, values, logs)
        buffer.add(*row, action_masks=held.masks[step])
        starts = held.dones[step]
    buffer.advantages[:], buffer.returns[:] = held.advantages, held.returns


def losses(settings: SelfPlaySettings) -> dict[str, tuple[float, float]]:
    """Return the loss of one and the same round, before and after each has learned from it."""
    found = {}
    for name, fast in ((LEAN, False), (FAST, True)):
        learner = make_learner(settings, fast)
        held = learner.model.rollout_buffer
        libraries = {other: make_library(settings, learner, other) for other in (LIBRARY, LONG)}
        before = loss_of(libraries[LIBRARY], held, settings.clip)
        if name == LEAN:
            for other, library in libraries.items():
                fill(library, held)
                library.train()
                found[other] = before, loss_of(library, held, settings.clip)
        learner.model.update()
        found[name] = before, loss_of(learner.model, held, settings.clip)
    return found


def main(arguments: list[str]) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks learner", description=__doc__.partition("\n")[0])
    parser.add_argument("--game", default="atlandice")
    parser.add_argument("--players", type=int, default=0, help="default: the game's usual number")
    parser.add_argument("--hidden", default="256,256", help="sizes of the layers (default: 256,256)")
    parser.add_argument("--rounds", type=int, default=4, help="of each learner (default: 4)")
    parser.add_argument("--epochs", type=int, default=2, help="passes over a round (default: 2)")
    given = parser.parse_args(arguments)
    hidden = [int(size) for size in given.hidden.split(",")]
    chosen = {"hidden": hidden, "num_epochs": given.epochs, "imitate": 0}
    settings = settings_from({"game": given.game, "players": given.players, **chosen})
    torch.set_num_threads(1)
    with pinned(1):
        show(settings, given.rounds)


def show(settings: SelfPlaySettings, rounds: int) -> None:
    """Print the table."""
    learners = {LEAN: make_learner(settings, False).model, FAST: make_learner(settings, True).model}
    beside = make_learner(settings, False)
    learners |= {name: make_library(settings, beside, name) for name in (AS_IT_COMES, LIBRARY, LONG)}
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in learners}
    for _ in range(rounds):
        for name, model in learners.items():
            times[name].append(round_of(model, settings.num_steps))
    decisions = settings.num_envs * settings.num_steps
    found = losses(settings)
    median = {name: [statistics.median(part) for part in zip(*rows, strict=True)] for name, rows in times.items()}
    layers = f"layers {list(settings.hidden)}, {settings.num_epochs} epochs"
    print(f"{settings.game}, {layers}, {decisions:,} decisions a round")
    print("| learner | collect, us a decision | learn, us | decisions a CPU second | times | loss of a round |")
    print("|---|---|---|---|---|---|")
    slowest = sum(median[LIBRARY])
    for name in (AS_IT_COMES, LIBRARY, LONG, LEAN, FAST):
        collect, learn = median[name]
        speed, times_as_fast = decisions / (collect + learn), slowest / (collect + learn)
        loss = "{:.4f} -> {:.4f}".format(*found[name]) if name in found else ""
        figures = (
            f"{1e6 * collect / decisions:.2f} | {1e6 * learn / decisions:.2f} | {speed:,.0f} | {times_as_fast:.2f}"
        )
        print(f"| {name} | {figures} | {loss} |")
    print(f"This processor {'multiplies' if fast_bfloat16() else 'does not multiply'} bfloat16 in hardware.")
