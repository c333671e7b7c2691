"""TorchRL environments: games side by side for one learning seat, and every seat as an agent.

``SeatTorchEnv`` is the fast one: N games as one batch, opponents inside the step. ``aec_env`` is TorchRL's own wrapper
around the PettingZoo environment, with the settings that masks need.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from atlantis_envs.adapters.gymnasium_env import SeatVectorEnv
from atlantis_envs.adapters.pettingzoo_env import make_env
from atlantis_envs.base.arguments import fresh_seed
from atlantis_envs.errors import missing_package

try:
    import torch
    from tensordict import TensorDict, TensorDictBase
    from torchrl.data import Binary, Bounded, Categorical, Composite, Unbounded
    from torchrl.envs import EnvBase, PettingZooWrapper
except ImportError:
    raise missing_package("torchrl", "torchrl") from None


class SeatTorchEnv(EnvBase):
    """N games, one learner in each, as a batched TorchRL environment (batch size N, on the CPU).

    Keys: "observation" float32 (N, F) in 0..1, "action_mask" bool (N, A), "action" int64 (N,), "reward" float32
    (N, 1), "done", "terminated", "truncated" bool (N, 1). Rewards are the game's returns at its end and 0 before, plus
    shaping, if any. The observation after the last action is the end as the learner sees it; its mask is all True, so
    that a masked distribution is defined there too. An illegal action raises IllegalActionError. Games do not restart
    by themselves: TorchRL's rollouts and collectors reset those that are done.

    Attributes:
        lanes: the SeatVectorEnv underneath.
    """

    batch_locked = True

    def __init__(self, num_envs: int, game: Any, players: int | None = None, **settings: Any) -> None:
        """Set up.

        Args:
            num_envs: games side by side, N.
            game: a Game, or the name of one.
            players: number of seats, where ``game`` is a name; None: the usual one.
            **settings: as for SeatVectorEnv: learner_seat, opponents, shaping, discount, threads, data, and the
                game's options.

        Raises:
            OptionError: unknown argument, or a value that is not allowed.
        """
        fixed: dict[str, Any] = {"illegal": "raise", "flat": True, "autoreset_mode": "DISABLED"}
        self.lanes = SeatVectorEnv(num_envs, game=game, players=players, **settings, **fixed)
        super().__init__(device=torch.device("cpu"), batch_size=torch.Size([num_envs]))
        features, actions = self.lanes.game.observation_size, self.lanes.game.num_actions
        self.observation_spec = Composite(
            observation=Bounded(0.0, 1.0, (num_envs, features), dtype=torch.float32),
            action_mask=Binary(actions, (num_envs, actions), dtype=torch.bool),
            shape=(num_envs,),
        )
        self.action_spec = Categorical(actions, (num_envs,), dtype=torch.int64)
        self.reward_spec = Unbounded((num_envs, 1), dtype=torch.float32)
        flag = Binary(1, (num_envs, 1), dtype=torch.bool)
        self.done_spec = Composite(
            done=flag.clone(), terminated=flag.clone(), truncated=flag.clone(), shape=(num_envs,)
        )
        self._next_seed: int | None = None

    def _set_seed(self, seed: int | None) -> None:
        """Let the next reset of all lanes start game 0 of seeds ``seed``, ``seed`` + 1, ..."""
        self._next_seed = fresh_seed() if seed is None else seed

    def _reset(self, tensordict: TensorDictBase | None = None, **_: Any) -> TensorDictBase:
        wanted = None if tensordict is None else tensordict.get("_reset", None)
        lanes = np.ones(self.lanes.num_envs, np.bool_) if wanted is None else wanted.reshape(-1).numpy().copy()
        seed = self._next_seed if lanes.all() else None
        observations, infos = self.lanes.reset(seed=seed, options={"reset_mask": lanes})
        if seed is not None:
            self._next_seed = None
        running = torch.zeros(self.lanes.num_envs, 1, dtype=torch.bool)
        return self._shown(observations, infos, running, running.clone())

    def _step(self, tensordict: TensorDictBase) -> TensorDictBase:
        actions = tensordict.get("action").numpy()
        observations, rewards, terminated, truncated, infos = self.lanes.step(actions)
        flags = (torch.from_numpy(np.array(each)).unsqueeze(-1) for each in (terminated, truncated))
        out = self._shown(observations, infos, *flags)
        return out.set("reward", torch.from_numpy(np.asarray(rewards, np.float32)).unsqueeze(-1))

    def _shown(self, observations: Any, infos: Any, terminated: Any, truncated: Any) -> TensorDictBase:
        over = terminated | truncated
        mask = torch.from_numpy(infos["action_mask"] != 0) | over
        self.action_spec.update_mask(mask)  # TorchRL's own random policies draw from the spec
        values = {
            "observation": torch.from_numpy(observations),
            "action_mask": mask,
            "done": over,
            "terminated": terminated,
            "truncated": truncated,
        }
        return TensorDict(values, batch_size=self.batch_size)


def aec_env(name: str, players: int | None = None, **settings: Any) -> Any:
    """Return every seat as an agent: the PettingZoo environment of a game in TorchRL's wrapper, with masks.

    Each agent is a group of its own ("player_0", ...), with nested keys ("player_0", "observation", "observation"),
    ("player_0", "action_mask"), ("player_0", "mask") and so on; a loss leaves out what "mask" calls absent.

    Args:
        name: of the game.
        players: number of seats; None: the usual one.
        **settings: as for ``make_env``, but for ``flat``.

    Raises:
        OptionError: unknown argument, or a value that is not allowed.
    """
    env = make_env(name, players=players, **settings)
    groups = {agent: [agent] for agent in env.possible_agents}
    return PettingZooWrapper(env=env, use_mask=True, categorical_actions=True, group_map=groups, done_on_any=False)
