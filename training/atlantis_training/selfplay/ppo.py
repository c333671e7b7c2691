"""MaskablePPO with collecting and learning written for one case: a discrete choice among few legal actions, on a CPU.

The algorithm is that of sb3-contrib (Schulman et al. 2017; Huang & Ontañón 2020 for masks). What is left out costs
time and changes nothing here: distribution objects and their validation, copies of float observations (bytes are kept),
normalising advantages batch by batch (they are normalised once a round).
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback

from atlantis_envs.errors import AtlantisError

ILLEGAL = -1e9
EPSILON = 1e-8
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3  # of glibc's mallopt
MOST_KEPT = 32 * 2**20  # bytes of one array; glibc allows no more
NEVER = 2**31 - 1


class NoProbabilitiesError(AtlantisError, ArithmeticError):
    """Raised where the network's numbers make no probabilities any more."""


class RolloutBuffer:
    """What T steps in N games bring. It takes the arguments of the library's own, and holds observations as bytes.

    Attributes:
        obs: inputs, uint8 (T, N, F).
        masks: legal actions, bool (T, N, A).
        actions: int64 (T, N).
        logprobs: log probability of the action when it was chosen, float32 (T, N).
        values: what the network expected, float32 (T, N).
        rewards: float32 (T, N).
        dones: whether the game ended with this step, bool (T, N).
        advantages: float32 (T, N), once ``compute_gae`` was called.
        returns: what the value is to become, float32 (T, N), at the same time.
        afterstates: those of every step, uint8 (K, F) each, for a network that scores them; else empty.
    """

    def __init__(
        self, steps: int, obs_space: Any, action_space: Any, device: Any = "cpu",
        gae_lambda: float = 1.0, gamma: float = 1.0, n_envs: int = 1,
    ) -> None:  # fmt: skip
        """Allocate the arrays.

        Raises:
            MemoryError: there is not enough.
        """
        self.gae_lambda, self.gamma = gae_lambda, gamma
        size, width = (steps, n_envs), int(action_space.n)
        self.obs = np.zeros((*size, int(np.prod(obs_space.shape))), np.uint8)
        self.masks, self.dones = np.zeros((*size, width), np.bool_), np.zeros(size, np.bool_)
        self.actions = np.zeros(size, np.int64)
        self.logprobs, self.values, self.rewards = (np.zeros(size, np.float32) for _ in range(3))
        self.advantages, self.returns = (np.zeros(size, np.float32) for _ in range(2))
        self.afterstates: list[NDArray[np.uint8]] = []

    def compute_gae(self, next_values: NDArray[np.float32]) -> None:
        """Fill in advantages (GAE; Schulman et al. 2016) and returns; ``next_values`` (N,): of where play stopped."""
        next_advantages = np.zeros_like(next_values)
        for step in reversed(range(len(self.values))):
            goes_on = ~self.dones[step]
            delta = self.rewards[step] + self.gamma * next_values * goes_on - self.values[step]
            next_advantages = delta + self.gamma * self.gae_lambda * goes_on * next_advantages
            self.advantages[step], next_values = next_advantages, self.values[step]
        self.returns = self.advantages + self.values

    def columns(self) -> tuple[NDArray[Any], ...]:
        """Return all arrays (T, N, ...), in a fixed order."""
        steps = (self.obs, self.masks, self.actions, self.logprobs, self.values, self.rewards, self.dones)
        return (*steps, self.advantages, self.returns)

    def rows(self) -> tuple[torch.Tensor, ...]:
        """Return what learning needs, flat: inputs, masks, actions, log probabilities, advantages, returns."""
        own = (self.obs, self.masks, self.actions, self.logprobs, self.advantages, self.returns)
        return tuple(torch.from_numpy(array.reshape(-1, *array.shape[2:])) for array in own)


class AfterstateIndex:
    """Afterstates of many decisions, cut out decision by decision.

    Args:
        masks: legal actions of each decision, bool (N, A).
        afterstates: uint8 (K, F): of the first decision in the order of its actions, then of the second, ...
    """

    def __init__(self, masks: torch.Tensor, afterstates: torch.Tensor) -> None:
        """Find where each decision's begin."""
        self.afterstates, self.counts = afterstates, masks.sum(dim=1)
        self.starts = self.counts.cumsum(0) - self.counts

    def of(self, rows: torch.Tensor) -> torch.Tensor:
        """Return those of these decisions, one after the other."""
        counts = self.counts[rows]
        shift = self.starts[rows] - (counts.cumsum(0) - counts)
        chosen = torch.repeat_interleave(shift, counts) + torch.arange(int(counts.sum()))
        return self.afterstates.index_select(0, chosen)


def padded(rows: torch.Tensor) -> torch.Tensor:
    """Return rows, and rows of zeros behind them, a sixteenth more at most, so that few numbers of rows are ever met.

    oneDNN, which multiplies bfloat16, prepares a product for every number of rows and keeps 1,024 of them: gigabytes.
    """
    count = len(rows)
    step = 1 << max(0, count.bit_length() - 5)
    return torch.nn.functional.pad(rows, (0, 0, 0, -count % step))


class PPO(MaskablePPO):
    """MaskablePPO for SelfPlayVecEnv and a policy on a Trunk; collecting and learning are its own.

    Attributes:
        rollout_buffer: the RolloutBuffer, which holds what was collected last.
        fast: multiply in bfloat16; parameters, losses and everything else stay float32.
    """

    fast = False
    policy: Any  # on a Trunk, which the library's types do not know
    rollout_buffer: Any
    batch_size: int

    def logprobs_and_values(
        self, obs: torch.Tensor, masks: torch.Tensor, afterstates: torch.Tensor | None = None
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return what policy and value say of N decisions.

        Args:
            obs: inputs, uint8 (N, F).
            masks: legal actions, bool (N, A).
            afterstates: uint8 (K, F), in the order of AfterstateIndex, for a network that scores those.

        Returns:
            Log probabilities float32 (N, A), about -1e9 where not legal, and values float32 (N,).
        """
        trunk, head = self.policy.features_extractor, self.policy.action_net
        with torch.autocast("cpu", torch.bfloat16, enabled=self.fast):
            features = trunk.of_bytes(obs)
            if afterstates is None:
                scored = features
            else:
                scored = trunk.of_bytes(padded(afterstates) if self.fast else afterstates)
            logits = head(scored).float()
        if afterstates is None:
            logits = logits.masked_fill(~masks, ILLEGAL)
        else:
            logits = torch.full(masks.shape, ILLEGAL).masked_scatter(masks, logits.flatten()[: len(afterstates)])
        return torch.log_softmax(logits, dim=1), self.policy.value_net(features).float().flatten()

    def values_of(self, obs: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Return the values float32 (N,) of inputs uint8 (N, F)."""
        with torch.no_grad(), torch.autocast("cpu", torch.bfloat16, enabled=self.fast):
            features = self.policy.features_extractor.of_bytes(torch.from_numpy(obs))
        with torch.no_grad():
            values: NDArray[np.float32] = self.policy.value_net(features).flatten().numpy()
        return values

    def sample(
        self, obs: NDArray[np.uint8], masks: NDArray[np.bool_], afterstates: NDArray[np.uint8] | None = None
    ) -> tuple[NDArray[Any], ...]:
        """Return sampled actions int64 (N,), their log probabilities and the values, float32 (N,).

        Raises:
            NoProbabilitiesError: training has diverged.
        """
        with torch.no_grad():
            scored = None if afterstates is None else torch.from_numpy(afterstates)
            logprobs, values = self.logprobs_and_values(torch.from_numpy(obs), torch.from_numpy(masks), scored)
            ladder = torch.softmax(logprobs, dim=1).cumsum(dim=1)  # exp of -1e9 is slow
            if not bool(ladder[:, -1].isfinite().all()):
                raise NoProbabilitiesError("the policy has no probabilities")
            draws = torch.rand(len(obs), 1) * ladder[:, -1:]
            actions = (ladder <= draws).sum(dim=1, keepdim=True)
            last = masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)  # where rounding passes the end of the ladder
            actions = torch.minimum(actions, torch.from_numpy(last.astype(np.int64))[:, None])
            return actions.flatten().numpy(), logprobs.gather(1, actions).flatten().numpy(), values.numpy()

    def collect(self, env: Any, rollouts: RolloutBuffer, on_step: Callable[[], bool] | None = None) -> bool:
        """Play the games of an environment, as many as the buffer has columns, for as many steps as it has rows.

        Args:
            env: a SelfPlayVecEnv; its number of games need not be that of the learner's own.
            rollouts: is filled.
            on_step: called after every step; False ends the rollout.

        Returns:
            Whether it came to its end.

        Raises:
            NoProbabilitiesError: training has diverged.
        """
        rollouts.afterstates.clear()
        for step in range(len(rollouts.values)):
            rollouts.obs[step], rollouts.masks[step] = env.obs(), env.core.batch.action_masks
            afterstates = env.afterstates() if env.scoring else None
            rollouts.afterstates += [] if afterstates is None else [afterstates]
            rollouts.actions[step], rollouts.logprobs[step], rollouts.values[step] = self.sample(
                rollouts.obs[step], rollouts.masks[step], afterstates
            )
            played = env.play(rollouts.actions[step])
            rollouts.rewards[step], rollouts.dones[step] = played.rewards, played.over
            if played.truncated.any():
                self._bootstrap_truncated(env, rollouts, step)
            if on_step is not None and not on_step():
                return False
        rollouts.compute_gae(self.values_of(env.obs().copy()))
        return True

    def _bootstrap_truncated(self, env: Any, rollouts: RolloutBuffer, step: int) -> None:
        """Add the value of what would have followed, where a safety bound cut a game off."""
        cut = np.flatnonzero(env.played.truncated & env.played.over)
        if cut.size:
            rollouts.rewards[step, cut] += self.gamma * self.values_of(env.final_obs(cut))

    def collect_rollouts(
        self, env: Any, callback: BaseCallback, rollout_buffer: Any, n_rollout_steps: int, use_masking: bool = True
    ) -> bool:
        """Play a round for ``learn``; False if the callback ended it. See MaskablePPO; masks are always used."""

        def on_step() -> bool:
            self.num_timesteps += env.num_envs
            return callback.on_step()

        callback.on_rollout_start()
        finished = self.collect(env, rollout_buffer, on_step)
        callback.on_rollout_end()
        return finished

    def train(self) -> None:
        """Learn from the last round, for ``learn``; see MaskablePPO."""
        self._update_learning_rate(self.policy.optimizer)
        for name, value in self.update().items():
            self.logger.record(f"train/{name}", value)

    def update(self) -> dict[str, float]:
        """Learn from the last round; figures for the log by name."""
        rollouts, clip = self.rollout_buffer, float(self.clip_range(1.0))  # type: ignore[operator]
        obs, masks, actions, old_logprobs, advantages, returns = rollouts.rows()
        after = rollouts.afterstates
        index = AfterstateIndex(masks, torch.from_numpy(np.concatenate(after))) if after else None
        advantages = (advantages - advantages.mean()) / (advantages.std() + EPSILON)
        parameters = [parameter for parameter in self.policy.parameters() if parameter.requires_grad]
        sums = torch.zeros(5)
        batches = 0
        for _ in range(self.n_epochs):
            for rows in torch.split(torch.randperm(len(actions)), self.batch_size):
                afterstates = None if index is None else index.of(rows)
                legal = masks.index_select(0, rows)
                logprobs, values = self.logprobs_and_values(obs.index_select(0, rows), legal, afterstates)
                logratio = logprobs.gather(1, actions[rows, None]).flatten() - old_logprobs[rows]
                ratio = logratio.exp()
                gain = advantages[rows]
                policy_loss = -torch.minimum(gain * ratio, gain * ratio.clamp(1 - clip, 1 + clip)).mean()
                entropy = -(torch.softmax(logprobs, dim=1) * logprobs).sum(dim=1).mean()
                value_loss = torch.nn.functional.mse_loss(values, returns[rows])
                loss = policy_loss - self.ent_coef * entropy + self.vf_coef * value_loss
                self.policy.optimizer.zero_grad()
                loss.backward()  # type: ignore[no-untyped-call]
                torch.nn.utils.clip_grad_norm_(parameters, self.max_grad_norm)
                self.policy.optimizer.step()
                with torch.no_grad():
                    clipped = ((ratio - 1).abs() > clip).float().mean()
                    sums += torch.stack([entropy, policy_loss, value_loss, (ratio - 1 - logratio).mean(), clipped])
                batches += 1
        names = ("entropy", "policy_gradient_loss", "value_loss", "approx_kl", "clip_fraction")
        figures = dict(zip(names, (sums / batches).tolist(), strict=True))
        spread = float(returns.var())
        left = float((returns - torch.from_numpy(rollouts.values.reshape(-1))).var())
        return {**figures, "explained_variance": 1 - left / spread if spread else 0.0}


def keep_freed_memory() -> bool:
    """Tell glibc to keep what is freed: else arrays of megabytes are pages that the system clears again and again.

    Returns:
        Whether that was possible; elsewhere nothing is changed.
    """
    if not sys.platform.startswith("linux"):
        return False
    change = getattr(ctypes.CDLL(None), "mallopt", None)  # other C libraries have none
    return change is not None and bool(change(M_MMAP_THRESHOLD, MOST_KEPT)) and bool(change(M_TRIM_THRESHOLD, NEVER))
