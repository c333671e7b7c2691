"""MaskablePPO with collecting and learning written for one case: a discrete choice among few legal actions, on a CPU.

The algorithm is that of sb3-contrib (Schulman et al. 2017; Huang & Ontañón 2020 for masks). What is left out costs
time and changes nothing here: distribution objects and their validation, copies of float observations (bytes are kept),
normalising advantages batch by batch (they are normalised once a round).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.buffers import MaskableRolloutBuffer
from stable_baselines3.common.buffers import RolloutBuffer
from stable_baselines3.common.callbacks import BaseCallback

from atlantis_envs.errors import AtlantisError

ILLEGAL = -1e9
EPSILON = 1e-8


class NoProbabilitiesError(AtlantisError, ArithmeticError):
    """The network's numbers make no probabilities any more."""


class NoBuffer(MaskableRolloutBuffer):
    """Stands where the library expects its buffer, which would hold every observation as floats; holds nothing."""

    def reset(self) -> None:
        """Do nothing."""


@dataclass
class Round:
    """What one round of T steps in N games brought.

    Attributes:
        seen: inputs, uint8 (T, N, F).
        masks: legal actions, bool (T, N, A).
        actions: int64 (T, N).
        logs: log probability of the action when it was chosen, float32 (T, N).
        values: what the network expected, float32 (T, N).
        rewards: float32 (T, N).
        over: whether the game ended with this step, bool (T, N).
        advantages: float32 (T, N), once ``weigh`` was called.
        after: afterstates of every step, uint8 (K, F) each, for a network that scores them; else empty.
    """

    seen: NDArray[np.uint8]
    masks: NDArray[np.bool_]
    actions: NDArray[np.int64]
    logs: NDArray[np.float32]
    values: NDArray[np.float32]
    rewards: NDArray[np.float32]
    over: NDArray[np.bool_]
    advantages: NDArray[np.float32]
    after: list[NDArray[np.uint8]]

    @classmethod
    def empty(cls, steps: int, games: int, inputs: int, actions: int) -> Round:
        """Make room for a round."""
        floats = [np.zeros((steps, games), np.float32) for _ in range(4)]
        flags, ids = np.zeros((steps, games), np.bool_), np.zeros((steps, games), np.int64)
        seen, masks = np.zeros((steps, games, inputs), np.uint8), np.zeros((steps, games, actions), np.bool_)
        return cls(seen, masks, ids, floats[0], floats[1], floats[2], flags, floats[3], [])

    def weigh(self, last: NDArray[np.float32], discount: float, smoothing: float) -> None:
        """Generalised advantage estimation (Schulman et al. 2016); ``last`` (N,): values of where the round stopped."""
        later, ahead = np.zeros_like(last), last
        for step in reversed(range(len(self.values))):
            goes_on = ~self.over[step]
            surprise = self.rewards[step] + discount * ahead * goes_on - self.values[step]
            later = surprise + discount * smoothing * goes_on * later
            self.advantages[step], ahead = later, self.values[step]

    @property
    def returns(self) -> NDArray[np.float32]:
        """What the value is to become, float32 (T, N)."""
        return self.advantages + self.values

    def columns(self) -> tuple[NDArray[Any], ...]:
        """All arrays (T, N, ...), in a fixed order."""
        steps = (self.seen, self.masks, self.actions, self.logs, self.values, self.rewards, self.over)
        return (*steps, self.advantages)

    def rows(self) -> tuple[torch.Tensor, ...]:
        """Everything that learning needs, flat: inputs, masks, actions, log probabilities, advantages, returns."""
        own = (self.seen, self.masks, self.actions, self.logs, self.advantages, self.returns)
        return tuple(torch.from_numpy(array.reshape(-1, *array.shape[2:])) for array in own)


class Pieces:
    """Afterstates of many decisions, cut out decision by decision.

    Args:
        masks: legal actions of each decision, bool (N, A).
        after: uint8 (K, F): those of the first decision in the order of its actions, then those of the second, ...
    """

    def __init__(self, masks: torch.Tensor, after: torch.Tensor) -> None:
        """Find where each decision's begin."""
        self.after, self.counts = after, masks.sum(dim=1)
        self.starts = self.counts.cumsum(0) - self.counts

    def of(self, rows: torch.Tensor) -> torch.Tensor:
        """Those of these decisions, one after the other."""
        counts = self.counts[rows]
        shift = self.starts[rows] - (counts.cumsum(0) - counts)
        return self.after.index_select(0, torch.repeat_interleave(shift, counts) + torch.arange(int(counts.sum())))


def evened(rows: torch.Tensor) -> torch.Tensor:
    """Rows, and rows of zeros behind them, a sixteenth more at most, so that few numbers of rows are ever seen.

    oneDNN, which multiplies bfloat16, prepares a product for every number of rows and keeps 1,024 of them: gigabytes.
    """
    count = len(rows)
    step = 1 << max(0, count.bit_length() - 5)
    return torch.nn.functional.pad(rows, (0, 0, 0, -count % step))


class LeanPPO(MaskablePPO):
    """MaskablePPO for SelfPlayVecEnv and a policy on a Trunk; ``collect_rollouts`` and ``train`` are its own.

    Attributes:
        round: what the last call of ``collect_rollouts`` brought.
        fast: multiply in bfloat16; parameters, losses and everything else stay float32.
    """

    round: Round | None = None
    fast = False
    policy: Any  # on a Trunk, which the library's types do not know
    observation_space: Any
    batch_size: int
    action_space: Any

    def look(
        self, seen: torch.Tensor, masks: torch.Tensor, after: torch.Tensor | None = None
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Look at N decisions.

        Args:
            seen: inputs, uint8 (N, F).
            masks: legal actions, bool (N, A).
            after: uint8 (K, F), their afterstates in the order of Pieces, for a network that scores those.

        Returns:
            Logs of probabilities float32 (N, A), about -1e9 where not legal, and values float32 (N,).
        """
        trunk, head = self.policy.features_extractor, self.policy.action_net
        with torch.autocast("cpu", torch.bfloat16, enabled=self.fast):
            features = trunk.of_bytes(seen)
            scored = features if after is None else trunk.of_bytes(evened(after) if self.fast else after)
            logits = head(scored).float()
        if after is None:
            logits = logits.masked_fill(~masks, ILLEGAL)
        else:
            logits = torch.full(masks.shape, ILLEGAL).masked_scatter(masks, logits.flatten()[: len(after)])
        return torch.log_softmax(logits, dim=1), self.policy.value_net(features).float().flatten()

    def _values(self, seen: NDArray[np.uint8]) -> NDArray[np.float32]:
        with torch.no_grad(), torch.autocast("cpu", torch.bfloat16, enabled=self.fast):
            features = self.policy.features_extractor.of_bytes(torch.from_numpy(seen))
        with torch.no_grad():
            values: NDArray[np.float32] = self.policy.value_net(features).flatten().numpy()
        return values

    def choose(
        self, seen: NDArray[np.uint8], masks: NDArray[np.bool_], after: NDArray[np.uint8] | None = None
    ) -> tuple[NDArray[Any], ...]:
        """Sampled actions int64 (N,), their log probabilities and the values, float32 (N,).

        Raises:
            NoProbabilitiesError: training has diverged.
        """
        with torch.no_grad():
            scored = None if after is None else torch.from_numpy(after)
            logs, values = self.look(torch.from_numpy(seen), torch.from_numpy(masks), scored)
            ladder = torch.softmax(logs, dim=1).cumsum(dim=1)  # exp of -1e9 is slow
            if not bool(ladder[:, -1].isfinite().all()):
                raise NoProbabilitiesError("the policy has no probabilities")
            draws = torch.rand(len(seen), 1) * ladder[:, -1:]
            actions = (ladder <= draws).sum(dim=1, keepdim=True)
            last = masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)  # where rounding passes the end of the ladder
            actions = torch.minimum(actions, torch.from_numpy(last.astype(np.int64))[:, None])
            return actions.flatten().numpy(), logs.gather(1, actions).flatten().numpy(), values.numpy()

    def make_room(self, steps: int) -> Round:
        """Room for a round of this many steps, the last one's if it fits.

        Raises:
            MemoryError: there is not enough.
        """
        if self.round is None or self.round.rewards.shape != (steps, self.n_envs):
            inputs, actions = int(np.prod(self.observation_space.shape)), int(self.action_space.n)
            self.round = Round.empty(steps, self.n_envs, inputs, actions)
        return self.round

    def collect_rollouts(
        self,
        env: Any,
        callback: BaseCallback,
        rollout_buffer: RolloutBuffer,
        n_rollout_steps: int,
        use_masking: bool = True,
    ) -> bool:
        """Play a round; False if the callback ended it. See MaskablePPO; masks are always used."""
        own = self.make_room(n_rollout_steps)
        own.after.clear()
        callback.on_rollout_start()
        for step in range(n_rollout_steps):
            self._last_obs, self._last_episode_starts = self._play_step(env, own, step)
            self.num_timesteps += env.num_envs
            callback.update_locals(locals())
            if not callback.on_step():
                return False
        own.weigh(self._values(env.seen_bytes().copy()), self.gamma, self.gae_lambda)
        callback.on_rollout_end()
        return True

    def play(self, env: Any, own: Round) -> None:
        """Play a round in some games, whose number need not be that of the learner's own; nothing else changes."""
        own.after.clear()
        for step in range(len(own.values)):
            self._play_step(env, own, step)
        own.weigh(self._values(env.seen_bytes().copy()), self.gamma, self.gae_lambda)

    def _play_step(self, env: Any, own: Round, step: int) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """One step of every game; what is seen then, and which games ended."""
        own.seen[step], own.masks[step] = env.seen_bytes(), env.action_masks()
        after = env.after_bytes()
        own.after += [] if after is None else [after]
        own.actions[step], own.logs[step], own.values[step] = self.choose(own.seen[step], own.masks[step], after)
        seen, own.rewards[step], own.over[step], _ = env.step(own.actions[step])
        self._value_what_was_cut(env, own, step)
        return seen, own.over[step].copy()

    def _value_what_was_cut(self, env: Any, own: Round, step: int) -> None:
        """A game that a safety bound cut off is worth what would have followed."""
        cut = np.flatnonzero(env.played.truncated & env.played.over)
        if cut.size:
            own.rewards[step, cut] += self.gamma * self._values(env.final_bytes(cut))

    def train(self) -> None:
        """Learn from the last round; see MaskablePPO."""
        assert self.round is not None, "nothing was collected"
        self._update_learning_rate(self.policy.optimizer)
        clip = float(self.clip_range(self._current_progress_remaining))  # type: ignore[operator]
        seen, masks, actions, old, advantages, returns = self.round.rows()
        pieces = Pieces(masks, torch.from_numpy(np.concatenate(self.round.after))) if self.round.after else None
        advantages = (advantages - advantages.mean()) / (advantages.std() + EPSILON)
        parameters = [parameter for parameter in self.policy.parameters() if parameter.requires_grad]
        sums = torch.zeros(5)
        batches = 0
        for _ in range(self.n_epochs):
            for rows in torch.split(torch.randperm(len(actions)), self.batch_size):
                legal = masks.index_select(0, rows)
                logs, values = self.look(seen.index_select(0, rows), legal, None if pieces is None else pieces.of(rows))
                chosen = logs.gather(1, actions[rows, None]).flatten()
                gone = chosen - old[rows]
                ratio = gone.exp()
                gain = advantages[rows]
                policy_loss = -torch.minimum(gain * ratio, gain * ratio.clamp(1 - clip, 1 + clip)).mean()
                entropy = -(torch.softmax(logs, dim=1) * logs).sum(dim=1).mean()
                value_loss = torch.nn.functional.mse_loss(values, returns[rows])
                loss = policy_loss - self.ent_coef * entropy + self.vf_coef * value_loss
                self.policy.optimizer.zero_grad()
                loss.backward()  # type: ignore[no-untyped-call]
                torch.nn.utils.clip_grad_norm_(parameters, self.max_grad_norm)
                self.policy.optimizer.step()
                with torch.no_grad():
                    clipped = ((ratio - 1).abs() > clip).float().mean()
                    sums += torch.stack([-entropy, policy_loss, value_loss, (ratio - 1 - gone).mean(), clipped])
                batches += 1
        self._n_updates += self.n_epochs
        names = ("entropy_loss", "policy_gradient_loss", "value_loss", "approx_kl", "clip_fraction")
        for name, value in zip(names, (sums / batches).tolist(), strict=True):
            self.logger.record(f"train/{name}", value)
        spread = float(returns.var())
        left = float((returns - torch.from_numpy(self.round.values.reshape(-1))).var())
        self.logger.record("train/explained_variance", 1 - left / spread if spread else 0.0)
