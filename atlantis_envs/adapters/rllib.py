"""RLlib: every game as a MultiAgentEnv of the new API stack, and a module that keeps to the action masks.

    >>> from ray.rllib.algorithms.ppo import PPOConfig
    >>> from atlantis_envs.adapters.rllib import config_for
    >>> algorithm = config_for(PPOConfig(), "atlandice", players=3).build_algo()

One module plays all seats ("shared"). For others, say who plays with ``policy_mapping_fn``; ``masked_module`` makes the
specification of a module and ``RANDOM`` that of one that chooses at random.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete

from atlantis_envs.adapters.observations import observation_space, unit_scale
from atlantis_envs.base.arguments import action_id, checked_seed, choice, fresh_seed
from atlantis_envs.engine.definition import OVER
from atlantis_envs.engine.single import Single
from atlantis_envs.errors import IllegalActionError, missing_package
from atlantis_envs.registry import game as make_game
from atlantis_envs.seats.step import ILLEGAL_MODES, ILLEGAL_REWARD, RAISE, TERMINATE

try:
    import torch
    from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
    from ray.rllib.core.rl_module.rl_module import RLModule, RLModuleSpec
    from ray.rllib.env.multi_agent_env import MultiAgentEnv
    from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule
    from ray.rllib.utils.spaces.space_utils import batch as stacked
except ImportError:
    raise missing_package("ray[rllib]", "rllib") from None

SHARED = "shared"
MASK, SEEN = "action_mask", "observations"  # the keys that RLlib's own masking module reads


class SeatsEnv(MultiAgentEnv):
    """A board game for RLlib: agents "player_0", ... take turns; an observation comes only to the agent to move.

    Observations are ``{"observations": float32 (F,) in 0..1, "action_mask": float32 (A,)}``. Rewards are 0 until the
    end, which pays every agent its return. What a safety bound cuts off is truncated. RLlib tries an action of its own
    without looking at the mask when it begins, so an illegal action ends the game by default, with -1 for the offender.

    Attributes:
        game: the Game.
        possible_agents: every agent's name.
    """

    def __init__(self, config: Mapping[str, Any] | None = None) -> None:
        """Set up; ``reset`` starts the first game.

        Args:
            config: "game", a Game or a name; "illegal", "terminate" (default) or "raise": IllegalActionError, and
                nothing has changed; with a name also "players", "data" and the game's options.

        Raises:
            OptionError: unknown argument, or a value that is not allowed.
        """
        super().__init__()
        settings = dict(config or {})
        self._illegal = choice("illegal", settings.pop("illegal", TERMINATE), ILLEGAL_MODES)
        chosen = settings.pop("game", None)
        self.game = make_game(chosen, **settings) if not hasattr(chosen, "definition") else chosen
        self.possible_agents = [f"player_{seat}" for seat in range(self.game.players)]
        self.agents = self.possible_agents[:]  # after the end too: RLlib holds the last observations against it
        self._over = True
        space = Dict(
            {
                SEEN: observation_space(self.game, flat=True),
                MASK: Box(0.0, 1.0, (self.game.num_actions,), np.float32),
            }
        )
        self.observation_spaces = dict.fromkeys(self.possible_agents, space)
        self.action_spaces = {agent: Discrete(self.game.num_actions) for agent in self.possible_agents}
        self._scale = unit_scale(self.game)
        self._single = Single(self.game)
        self._seeded = False

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[dict[str, Any], dict[str, Any]]:
        """Start game 0 of ``seed``, or without one the next game of the present seed."""
        single = self._single
        if seed is None and self._seeded:
            single.start(single.seed, single.game_index + 1)
        else:
            single.start(fresh_seed() if seed is None else checked_seed(seed), 0)
        self._seeded, self._over = True, False
        return self._turn(), {}

    def step(self, action_dict: Mapping[str, Any]) -> tuple[dict[str, Any], ...]:
        """Play the action of the agent to move; actions of others are refused.

        Raises:
            IllegalActionError: not one action of the agent to move, no integer, or (``illegal="raise"``) not a legal
                one. Nothing has changed.
        """
        single = self._single
        agent = None if self._over else self.possible_agents[single.seat]
        if agent is None or list(action_dict) != [agent]:
            wanted = "nothing before reset(), the game is over" if agent is None else f"an action of {agent} alone"
            raise IllegalActionError(f"actions of {', '.join(action_dict) or 'nobody'}; allowed: {wanted}")
        action = action_dict[agent]
        seat = single.step(action_id(action))
        if seat >= 0:
            return self._turn(), {agent: 0.0}, {"__all__": False}, {"__all__": False}, {}
        if seat == OVER:
            return self._end(single.returns(), bool(single.truncated()), {})
        if self._illegal == RAISE:
            raise IllegalActionError(self.game.fault_text(action, single.mask))
        paid = [ILLEGAL_REWARD if name == agent else 0.0 for name in self.possible_agents]
        return self._end(paid, False, {agent: {"illegal_action": True}})

    def _end(self, paid: list[float], truncated: bool, infos: dict[str, Any]) -> tuple[dict[str, Any], ...]:
        rewards = dict(zip(self.possible_agents, paid, strict=True))
        observations = {name: self._seen(seat) for seat, name in enumerate(self.possible_agents)}
        self._over = True
        flags = dict.fromkeys([*self.possible_agents, "__all__"], True)
        quiet = dict.fromkeys(flags, False)
        return observations, rewards, (quiet if truncated else flags), (flags if truncated else quiet), infos

    def _turn(self) -> dict[str, Any]:
        seat = self._single.seat
        mask = self._single.mask.astype(np.float32)
        return {self.possible_agents[seat]: {SEEN: self._single.observation * self._scale, MASK: mask}}

    def _seen(self, seat: int) -> dict[str, Any]:
        """Return the end as a seat sees it; everything counts as legal there, so that masked logits are defined."""
        return {SEEN: self._single.observe(seat) * self._scale, MASK: np.ones(self.game.num_actions, np.float32)}


class MaskedModule(ActionMaskingTorchRLModule):
    """RLlib's masking module for PPO, under a name of ours, with a way to ask it for moves."""

    def choose(self, observation: Mapping[str, Any]) -> int:
        """Return the most likely legal action at one observation of SeatsEnv."""
        with torch.no_grad():
            row = {key: torch.as_tensor(value) for key, value in stacked([dict(observation)]).items()}
            logits = self.forward_inference({"obs": row})["action_dist_inputs"]
        return int(logits.argmax(-1)[0])


class RandomModule(RLModule):
    """Chooses among the legal actions with equal chances; never trained."""

    def _forward(self, batch: dict[str, Any], **_: Any) -> dict[str, Any]:
        mask = torch.as_tensor(np.asarray(batch["obs"][MASK]))
        return {"actions": torch.multinomial(mask, 1)[:, 0].numpy()}

    def _forward_train(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        raise NotImplementedError("RandomModule is not trained; leave it out of policies_to_train")


RANDOM = RLModuleSpec(module_class=RandomModule)


def masked_module(hidden: tuple[int, ...] = (256, 256)) -> Any:
    """Return the specification of a network that keeps to the masks: layers of these widths, policy and value apart."""
    return RLModuleSpec(
        module_class=MaskedModule, model_config={"fcnet_hiddens": list(hidden), "head_fcnet_hiddens": []}
    )


def config_for(config: Any, game: Any, hidden: tuple[int, ...] = (256, 256), **settings: Any) -> Any:
    """Return an algorithm's configuration, of PPO or a kin, with SeatsEnv and one masked module for all seats.

    Args:
        config: of RLlib, changed in place and given back.
        game: a Game or a name.
        hidden: widths of the layers.
        **settings: "players", "data" and the game's options, where ``game`` is a name.
    """
    modules = MultiRLModuleSpec(rl_module_specs={SHARED: masked_module(hidden)})
    return (
        config.environment(SeatsEnv, env_config={"game": game, **settings})
        .multi_agent(policies={SHARED}, policy_mapping_fn=lambda agent, episode, **_: SHARED)
        .rl_module(rl_module_spec=modules)
    )
