"""The same games for parallel learners: everybody is asked in every step, and only who is to move counts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pettingzoo import ParallelEnv

from atlantis_envs.base.values import repr_short
from atlantis_envs.errors import IllegalActionError

if TYPE_CHECKING:
    from atlantis_envs.adapters.pettingzoo_aec import BoardGameEnv
    from atlantis_envs.drawing.render import Frame
    from atlantis_envs.engine.game import Game
    from atlantis_envs.engine.position import Position

AgentDict = dict[str, Any]


class ParallelBoardGameEnv(ParallelEnv):
    """A board game as a parallel PettingZoo environment: a step is one decision of the agent to move.

    Observations, masks, rewards and seeds are those of BoardGameEnv; ``infos[agent]["active_agent"]`` names the agent
    to move, whose mask is the only one that is not all zeros. Stepped without actions after the end of a game, it shows
    the end again and pays nothing.

    Attributes:
        aec_env: the environment underneath.
        possible_agents: every agent's name.
        agents: those that are in play: all, or after the end none.
        metadata: as of the environment underneath.
        render_mode: as of the environment underneath.
        state_space: Box of ``state()``.
    """

    def __init__(self, aec_env: BoardGameEnv) -> None:
        """Make the parallel interface to an environment, which it then owns."""
        self.aec_env = aec_env
        self.possible_agents = aec_env.possible_agents[:]
        self.agents: list[str] = []
        self.metadata = aec_env.metadata
        self.render_mode = aec_env.render_mode
        self.state_space = aec_env.state_space
        self._end: tuple[AgentDict, AgentDict, AgentDict, AgentDict] | None = None

    @property
    def game(self) -> Game:
        """Return the Game."""
        return self.aec_env.game

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> tuple[AgentDict, AgentDict]:
        """Start a game, as BoardGameEnv does; observations and infos of all agents.

        Raises:
            ValueError: no such seed; nothing has changed.
        """
        self.aec_env.reset(seed, options)
        self._end = None
        self.agents = self.possible_agents[:]
        return self._observations(), self._infos()

    def _observations(self) -> AgentDict:
        return {agent: self.aec_env.observe(agent) for agent in self.possible_agents}

    def _infos(self) -> AgentDict:
        shared = {"active_agent": self.aec_env.agent_selection}
        return {agent: info | shared for agent, info in self.aec_env.infos.items()}

    def step(self, actions: Mapping[str, Any]) -> tuple[AgentDict, AgentDict, AgentDict, AgentDict, AgentDict]:
        """Play the action of the agent to move.

        Args:
            actions: agent -> action id; those of other agents are not looked at. After the end none, or Nones.

        Returns:
            observations, rewards (float), terminations (bool), truncations (bool), infos, each by agent.

        Raises:
            IllegalActionError: the agent to move has no action, or as BoardGameEnv.step. Nothing has changed.
            AssertionError: before ``reset``.
        """
        aec = self.aec_env
        if self._end is not None:
            return self._again(actions)
        if not self.agents:
            raise AssertionError("reset() needs to be called before step()")
        mover = aec.agent_selection
        if mover not in actions:
            raise IllegalActionError(
                f"actions: none for {mover}, who is to move; there are {repr_short(sorted(actions))}"
            )
        aec.step(actions[mover])
        result = (self._observations(), dict(aec.terminations), dict(aec.truncations), self._infos())
        rewards = dict(aec.rewards)
        if any(result[1].values()) or any(result[2].values()):
            while aec.agents:
                aec.step(None)
            self.agents, self._end = [], result
        observations, terminations, truncations, infos = result
        return observations, rewards, terminations, truncations, infos

    def _again(self, actions: Mapping[str, Any]) -> tuple[AgentDict, AgentDict, AgentDict, AgentDict, AgentDict]:
        if any(action is not None for action in actions.values()):
            raise IllegalActionError(f"actions: {repr_short(actions)}; allowed: none before reset(): the game is over")
        assert self._end is not None
        _, terminations, truncations, infos = self._end
        paid = dict.fromkeys(self.possible_agents, 0.0)
        infos = {agent: dict(info) for agent, info in infos.items()}
        return self._observations(), paid, dict(terminations), dict(truncations), infos

    def observation_space(self, agent: str) -> Any:
        """Return the observation space of an agent, the same object every time."""
        return self.aec_env.observation_space(agent)

    def action_space(self, agent: str) -> Any:
        """Return the action space of an agent, the same object every time."""
        return self.aec_env.action_space(agent)

    def state(self) -> Any:
        """See BoardGameEnv.state."""
        return self.aec_env.state()

    def position(self) -> Position:
        """See BoardGameEnv.position."""
        return self.aec_env.position()

    def render(self) -> Frame | None:
        """See BoardGameEnv.render."""
        return self.aec_env.render()

    def close(self) -> None:
        """Do nothing: nothing is held open."""

    def __str__(self) -> str:
        """Return the environment's name."""
        return str(self.aec_env)

    def __repr__(self) -> str:
        """Return the environment's name, and the game with its options."""
        return f"<{self} in parallel: {self.game!r}>"
