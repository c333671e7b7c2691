"""Tianshou: one learning seat with masks in its observations, and every seat as an agent.

Observations are dictionaries ``{"obs": float32 (F,) in 0..1, "mask": bool (A,)}``, which Tianshou's Q-learners read:
they choose among the legal actions alone. ``SeatsEnv`` adds "agent_id", by which MultiAgentPolicy finds who is to move.
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Dict, MultiBinary
from numpy.typing import NDArray

from atlantis_envs.adapters.gymnasium_env import SeatEnv
from atlantis_envs.adapters.observations import unit_scale
from atlantis_envs.adapters.pettingzoo_env import make_env
from atlantis_envs.errors import missing_package

try:
    from tianshou.env import PettingZooEnv
except ImportError:
    raise missing_package("tianshou", "tianshou") from None

Seen = dict[str, Any]


class LearnerEnv(gymnasium.Env[Seen, Any]):
    """One learning seat, for Tianshou's vector environments and collectors; a SeatEnv underneath.

    An illegal action raises IllegalActionError. The mask at the end of a game is all True, since learners look there
    too.
    """

    def __init__(self, game: Any, players: int | None = None, **settings: Any) -> None:
        """Set up; arguments as for SeatEnv, but for ``flat`` and ``illegal``.

        Raises:
            OptionError: unknown argument, or a value that is not allowed.
        """
        fixed: dict[str, Any] = {"illegal": "raise", "flat": True}
        self.seat = SeatEnv(game=game, players=players, **settings, **fixed)
        self.action_space = self.seat.action_space
        mask = MultiBinary(self.seat.game.num_actions)
        self.observation_space = Dict({"obs": self.seat.observation_space, "mask": mask})

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Seen, dict[str, Any]]:
        """Reset as SeatEnv does."""
        seen, info = self.seat.reset(seed=seed, options=options)
        return _seen(seen, info, False), {}

    def step(self, action: Any) -> tuple[Seen, float, bool, bool, dict[str, Any]]:
        """Step as SeatEnv does."""
        seen, reward, terminated, truncated, info = self.seat.step(action)
        return _seen(seen, info, terminated or truncated), float(reward), terminated, truncated, {}


def _seen(observation: NDArray[np.float32], info: dict[str, Any], over: bool) -> Seen:
    mask = np.asarray(info["action_mask"]) != 0
    return {"obs": observation, "mask": np.ones_like(mask) if over else mask}


class SeatsEnv(PettingZooEnv):
    """Every seat as an agent, for MultiAgentPolicy; Tianshou's own wrapper of the PettingZoo environment.

    It differs in what Tianshou hands on: observations are float32 in 0..1 and masks arrays, and every step has rewards
    of its own, one for each seat, where the wrapper hands out the same list again and again.
    """

    def __init__(self, name: str, players: int | None = None, **settings: Any) -> None:
        """Set up; arguments as for ``make_env``, but for ``flat``; illegal actions raise.

        Raises:
            OptionError: unknown argument, or a value that is not allowed.
        """
        table = make_env(name, players=players, **{"illegal": "raise", **settings})
        self._scale = unit_scale(table.game)
        super().__init__(table)

    def reset(self, *args: Any, **kwargs: Any) -> tuple[Seen, dict[str, Any]]:
        """Start a game; what the agent to move sees."""
        seen, info = super().reset(*args, **kwargs)
        self.rewards = [0.0] * len(self.agents)
        return self._plain(seen), info

    def step(self, action: Any) -> tuple[Seen, list[float], bool, bool, dict[str, Any]]:
        """Play for the agent to move; rewards of all seats, float."""
        seen, rewards, terminated, truncated, info = super().step(action)
        out = self._plain(seen)
        if terminated or truncated:
            out["mask"] = np.ones_like(out["mask"])
        return out, [float(reward) for reward in rewards], terminated, truncated, info

    def _plain(self, seen: Seen) -> Seen:
        return {**seen, "obs": seen["obs"] * self._scale, "mask": np.array(seen["mask"], np.bool_)}
