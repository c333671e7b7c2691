"""The PettingZoo environments: one AECEnv class, and one ParallelEnv class, for every game.

It adds to a game what PettingZoo asks for and nothing else: agent names, dictionaries, rewards that are paid once, and
the rule that an agent whose game is over is stepped once more with None. Chance is played inside ``reset`` and
``step``. What ``help`` says of arguments comes out of the declarations, so that it says what is so.
"""

from __future__ import annotations

import copy
import inspect
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict
from textwrap import fill
from typing import TYPE_CHECKING, Any, Literal, TypedDict

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete, Space
from numpy.typing import NDArray
from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.utils.env_logger import EnvLogger

from atlantis_envs.adapters.observations import handed_out, observation_space, scale_of
from atlantis_envs.base.arguments import action_id, checked_seed, choice, fresh_seed, is_integer
from atlantis_envs.base.values import repr_short
from atlantis_envs.drawing import render
from atlantis_envs.engine.definition import OVER, Definition
from atlantis_envs.engine.options import GameOptions
from atlantis_envs.engine.single import Single
from atlantis_envs.errors import IllegalActionError, OptionError
from atlantis_envs.registry import Data, definition, environment_name
from atlantis_envs.registry import game as registered_game
from atlantis_envs.seats.step import ILLEGAL_MODES, ILLEGAL_REWARD, RAISE, TERMINATE

if TYPE_CHECKING:
    from atlantis_envs.engine.game import Game
    from atlantis_envs.engine.position import Position

AgentDict = dict[str, Any]
AFTER_RESET = {"agents", "num_agents", "agent_selection", "rewards", "terminations", "truncations", "infos"}
WIDTH = 116
MOST_DEFAULT = 60
DATA = "a path or dict that replaces reconstructed tables"
ILLEGAL = "of env and parallel_env 'terminate', of raw_env 'raise'"


class EnvKeywords(TypedDict, total=False):
    """Keywords of the environments of every game, beside ``players`` and its options."""

    data: Data
    render_mode: Literal["human", "ansi", "rgb_array"] | None
    render_seat: int | None
    illegal: Literal["raise", "terminate"]
    max_cycles: int | None
    flat: bool


class BoardGameEnv(AECEnv):
    """A board game as a PettingZoo environment, in turn (AEC).

    >>> from atlantis_envs.adapters.pettingzoo_env import BoardGameEnv
    >>> env = BoardGameEnv(atlantis_envs.game("atlandice", players=3))
    >>> env.reset(seed=42)
    >>> for agent in env.agent_iter():
    ...     observation, reward, terminated, truncated, info = env.last()
    ...     over = terminated or truncated
    ...     env.step(None if over else int(observation["action_mask"].argmax()))
    >>> env.agents
    []

    Agents are ``player_0``, ``player_1``, ... in seat order. An observation is ``{"observation": uint8 (F,),
    "action_mask": int8 (A,)}``; the mask is also ``infos[agent]["action_mask"]``, the same object, and all zeros for
    an agent that is not to move. With ``flat`` an observation is float32 (F,) in 0..1, and the mask is in ``infos``
    alone. All arrays handed out are fresh. Rewards are 0 until the last step, which pays every agent its return.

    A game that a safety bound (``Position.truncated``) or ``max_cycles`` cuts off sets ``truncations`` instead of
    ``terminations``.

    ``reset(seed=s)`` starts game 0 of seed s and every later ``reset()`` the next game of it; never seeded, the seed is
    fresh entropy. Game index g of a seed is the same game as in ``Game.batch``. Before ``reset`` nothing else works.

    Attributes:
        game: the Game.
        possible_agents: every agent's name.
        render_mode: None, "human", "ansi" or "rgb_array".
        render_seat: whose knowledge is rendered; None: everything.
        metadata: name, render modes, versions and the data that are reconstructed.
        state_space: Box of ``state()``.
    """

    def __init__(
        self,
        game: Game,
        render_mode: str | None = None,
        illegal: str = RAISE,
        ordered: bool = True,
        version: int | None = None,
        max_cycles: int | None = None,
        flat: bool = False,
        render_seat: int | None = None,
    ) -> None:
        """Set up; ``reset`` starts the first game.

        Args:
            game: what is played.
            render_mode: None, "human" (the text is printed after every step), "ansi" or "rgb_array".
            illegal: what an illegal action does. "raise": IllegalActionError, nothing has changed. "terminate": the
                game ends, the offender gets -1, the others 0, and ``infos[offender]["illegal_action"]`` is True.
            ordered: hold the caller to the order of calls, as PettingZoo's OrderEnforcingWrapper does.
            version: of the environment's name; None: today's.
            max_cycles: a game is truncated, without rewards, after ``max_cycles`` decisions for every seat, whoever
                took them: ``max_cycles * players`` in all. None: there is no such limit.
            flat: observations, and ``state()``, are float32 in 0..1, bytes divided by their largest values.
            render_seat: whose knowledge ``render`` shows; None: everything, hidden cards too.

        Raises:
            OptionError: a value that is not allowed.
        """
        from atlantis_envs.engine.game import checked_game

        self.game = checked_game(game)
        self.render_mode = render.checked_mode(render_mode, render.RENDER_MODES, game.name)
        self.render_seat = render.checked_render_seat(render_seat, game.players)
        self._illegal = choice("illegal", illegal, ILLEGAL_MODES)
        self._ordered = ordered
        self.metadata = _metadata(game, version)
        self.possible_agents = [f"player_{seat}" for seat in range(game.players)]
        self._seat_of = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._limit = _limit(max_cycles) * game.players
        self._limited = max_cycles is not None
        self._scale = scale_of(game, flat)
        self._human = render_mode == render.HUMAN
        self.observation_spaces = {agent: _spaces(game, flat) for agent in self.possible_agents}
        self.action_spaces = {agent: Discrete(game.num_actions) for agent in self.possible_agents}
        self.state_space = observation_space(game, flat, game.players)
        self._single = Single(game)
        self._no_mask = np.zeros(game.num_actions, np.int8)
        self._seeded = False
        self._finished: bool | None = None  # None: not reset yet
        self._moved = False

    # ------------------------------------------------------------------------------------------------------- playing

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Start a game: game 0 of ``seed``, or without a seed the next game of the present one.

        Args:
            seed: 0..2**64-1.
            options: no key is known; all are ignored.

        Raises:
            ValueError: no such seed; nothing has changed.
        """
        single = self._single
        if seed is not None:
            single.start(checked_seed(seed), 0)
        elif self._seeded:
            single.start(single.seed, single.game_index + 1)
        else:
            single.start(fresh_seed(), 0)
        self._seeded, self._finished, self._moved = True, False, True
        self._seat = single.seat
        agents = self.possible_agents
        self.agents = agents[:]
        self.agent_selection = agents[self._seat]
        self.rewards = dict.fromkeys(agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(agents, 0.0)
        self.terminations = dict.fromkeys(agents, False)
        self.truncations = dict.fromkeys(agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {"action_mask": self._no_mask.copy()} for agent in agents}
        self.infos[self.agent_selection] = {"action_mask": single._mask.copy()}
        self._skip_agent_selection = None
        self._left = self._limit
        if self._human:
            self.render()

    def step(self, action: Any) -> None:
        """Play ``action`` for ``agent_selection``; None for an agent whose game is over.

        Raises:
            IllegalActionError: not an integer action id, or (``illegal="raise"``) not legal. Nothing has changed.
        """
        if self._finished is not False:
            self._step_after_end(action)
            return
        single = self._single
        seat = single.step(action if type(action) is int else action_id(action))
        if seat >= 0:
            agent = self.agent_selection
            if seat != self._seat:
                self.infos[agent] = {"action_mask": self._no_mask.copy()}
                self._seat = seat
                self.agent_selection = agent = self.possible_agents[seat]
            self.infos[agent] = {"action_mask": single._mask.copy()}
            if self._limited:
                self._left -= 1
                if self._left == 0:
                    self._finish(dict.fromkeys(self.possible_agents, 0.0).values(), True)
        elif seat == OVER:
            self._finish(single.returns(), single.truncated())
        else:
            self._refuse(action)
        self._moved = True
        if self._human:
            self.render()

    def _refuse(self, action: Any) -> None:
        if self._illegal == RAISE:
            raise IllegalActionError(self.game.fault_text(action, self._single.mask))
        offender = self.agent_selection
        self._finish([ILLEGAL_REWARD if agent == offender else 0.0 for agent in self.possible_agents], False)
        self.infos[offender]["illegal_action"] = True

    def _finish(self, rewards: Iterable[float], truncated: bool) -> None:
        """Pay every agent; each is now iterated once more, in seat order."""
        for agent, reward in zip(self.possible_agents, rewards, strict=True):
            self.rewards[agent] = self._cumulative_rewards[agent] = reward
            self.terminations[agent] = not truncated
            self.truncations[agent] = truncated
            self.infos[agent] = {"action_mask": self._no_mask.copy()}
        self._finished = True
        self._deads_step_first()

    def _step_after_end(self, action: Any) -> None:
        self._need_reset("step")
        if self.agents:
            if action is not None:
                raise IllegalActionError(f"action: {repr_short(action)}; allowed: None, since the game is over")
            self._was_dead_step(None)
            self._moved = True
        elif self._ordered:
            EnvLogger.warn_step_after_terminated_truncated()
        else:
            raise IllegalActionError(f"action: {repr_short(action)}; allowed: nothing before reset(): the game is over")

    # ------------------------------------------------------------------------------------------------------- looking

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Return observation, reward since it last moved, termination, truncation and info of ``agent_selection``."""
        if self._finished is None:
            self._need_reset("last")
        agent = self.agent_selection
        return (
            self.observe(agent) if observe else None,
            self._cumulative_rewards[agent],
            self.terminations[agent],
            self.truncations[agent],
            self.infos[agent],
        )

    def observe(self, agent: str) -> Any:
        """Return what any agent sees, at any time: observation and mask, or with ``flat`` the observation.

        Raises:
            ValueError: no such agent.
        """
        if self._finished is False and agent == self.agent_selection:
            if self._scale is not None:
                return self._single.observation * self._scale
            return {"observation": self._single.observation.copy(), "action_mask": self.infos[agent]["action_mask"]}
        self._need_reset("observe")
        self._known(agent)
        if self._scale is not None:
            return self._single.observe(self._seat_of[agent]) * self._scale
        mask = self.infos[agent]["action_mask"] if agent in self.infos else self._no_mask.copy()
        return {"observation": self._single.observe(self._seat_of[agent]), "action_mask": mask}

    def _known(self, agent: str) -> str:
        if agent not in self._seat_of:
            raise ValueError(f"agent: {repr_short(agent)}; allowed: {', '.join(self.possible_agents)}")
        return agent

    def state(self) -> NDArray[Any]:
        """Return the whole position, for centralised critics: the observations of all seats, one after the other."""
        self._need_reset("state")
        seen = [handed_out(self._single.observe(seat), self._scale) for seat in range(self.game.players)]
        return np.concatenate(seen)

    def position(self) -> Position:
        """Return a copy of the position; its chance goes on as the environment's would."""
        self._need_reset("position")
        return self._single.position()

    @property
    def game_seed(self) -> int:
        """Return the seed of the present game's chance."""
        return self._single.seed

    @property
    def game_index(self) -> int:
        """Return the index of the present game under that seed."""
        return self._single.game_index

    def agent_iter(self, max_iter: int = 2**63) -> Iterable[str]:
        """Yield ``agent_selection`` until everybody's game is over; call ``step`` in the loop."""
        self._need_reset("agent_iter")
        turns: Iterable[str] = self._ordered_turns(max_iter) if self._ordered else super().agent_iter(max_iter)
        return turns

    def _ordered_turns(self, max_iter: int) -> Iterator[str]:
        while self.agents and max_iter > 0:
            if not self._moved:
                raise AssertionError("need to call step() or reset() in a loop over agent_iter()")
            self._moved = False
            max_iter -= 1
            yield self.agent_selection

    def observation_space(self, agent: str) -> Space[Any]:
        """Return the observation space of an agent, the same object every time."""
        return self.observation_spaces[self._known(agent)]

    def action_space(self, agent: str) -> Discrete:
        """Return the action space of an agent, the same object every time."""
        return self.action_spaces[self._known(agent)]

    def render(self) -> render.Frame | None:
        """Return the position: text ("ansi"), pixels ("rgb_array", uint8 (height, width, 3)), or None.

        None after the text was printed ("human"), or with a warning if there is no render mode.

        It is shown whole, or as ``render_seat`` sees it. Pixels need the extra ``look`` and up to half a second a
        frame: for pictures and videos, not for learning.
        """
        self._need_reset("render")
        if self.render_mode is None:
            render.warn_no_mode()
            return None
        frame: render.Frame = render.rendered(self._single.position(), self.render_mode, self.render_seat)
        return frame

    def close(self) -> None:
        """Do nothing: nothing is held open."""

    # ------------------------------------------------------------------------------------------------ everything else

    def _need_reset(self, method: str) -> None:
        if self._finished is None:
            raise AssertionError(f"reset() needs to be called before {method}()")

    def __getattr__(self, name: str) -> Any:
        """Explain a missing attribute; Python calls this for no other."""
        if name in AFTER_RESET:
            raise AttributeError(f"{name} cannot be accessed before reset()")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __copy__(self) -> BoardGameEnv:
        """Copy deeply: two environments never share a game."""
        return copy.deepcopy(self)

    def __repr__(self) -> str:
        """Return the environment's name, and the game with its options."""
        return f"<{self}: {self.game!r}>"


def make_env(
    name: str,
    version: int | None = None,
    *,
    players: int | None = None,
    data: Data = None,
    render_mode: str | None = None,
    render_seat: int | None = None,
    ordered: bool = True,
    max_cycles: int | None = None,
    flat: bool = False,
    **options: Any,
) -> BoardGameEnv:
    """Return the AEC environment of a game by name; arguments as in ``atlantis_envs.game`` and BoardGameEnv.

    >>> from atlantis_envs.adapters.pettingzoo_env import make_env
    >>> make_env("atlandice", players=2, flat=True).observation_space("player_0").dtype
    dtype('float32')

    Without ``illegal``, it is "terminate" for an environment that is ``ordered`` and "raise" for a raw one, which is
    the custom of PettingZoo.

    Raises:
        OptionError: unknown argument, or a value that is not allowed.
    """
    illegal = options.pop("illegal", TERMINATE if ordered else RAISE)
    made = registered_game(name, players, data, **options)
    return BoardGameEnv(made, render_mode, illegal, ordered, version, max_cycles, flat, render_seat)


def _limit(max_cycles: Any) -> int:
    """Return decisions for every seat; -1, to which counting down never comes, for no limit."""
    if max_cycles is None:
        return -1
    if is_integer(max_cycles) and max_cycles > 0:
        return int(max_cycles)
    raise OptionError(f"max_cycles: {repr_short(max_cycles)}; allowed: None, or an integer from 1 on")


def _metadata(game: Game, version: int | None) -> dict[str, Any]:
    description = game.describe()
    return {
        "name": environment_name(game.name) if version is None else f"{game.name}_v{version}",
        "render_modes": list(render.RENDER_MODES),
        "render_fps": render.FRAMES_PER_SECOND,
        "is_parallelizable": False,
        "versions": asdict(description.versions),
        "reconstructed": list(description.reconstructed),
    }


def _spaces(game: Game, flat: bool) -> Space[Any]:
    """Return the space of one seat's observations: flat, or a Dict with the mask."""
    seen = observation_space(game, flat)
    return seen if flat else Dict({"observation": seen, "action_mask": Box(0, 1, (game.num_actions,), np.int8)})


# ---------------------------------------------------------------------------------------------- parallel games


class ParallelBoardGameEnv(ParallelEnv):
    """A board game as a parallel PettingZoo environment: a step is one decision of the agent to move.

    >>> from atlantis_envs.adapters.pettingzoo_env import BoardGameEnv, ParallelBoardGameEnv
    >>> env = ParallelBoardGameEnv(BoardGameEnv(atlantis_envs.game("atlandice", players=3)))
    >>> observations, infos = env.reset(seed=42)
    >>> actions = {agent: int(infos[agent]["action_mask"].argmax()) for agent in env.agents}
    >>> observations, rewards, terminations, truncations, infos = env.step(actions)
    >>> rewards
    {'player_0': 0.0, 'player_1': 0.0, 'player_2': 0.0}

    Observations, masks, rewards and seeds are those of BoardGameEnv; ``infos[agent]["active_agent"]`` names the agent
    to move, whose mask is the only one that is not all zeros. Stepped without actions after the end of a game, it shows
    the end again, with rewards 0.

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

    def render(self) -> render.Frame | None:
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


# --------------------------------------------------------------------------------------------------- arguments


def with_arguments(name: str, options: type, make: Callable[..., Any], *environments: Callable[..., Any]) -> None:
    """Append the arguments to the docstrings of functions: type, meaning, what is allowed, default.

    Args:
        name: of the game.
        options: the TypedDict of the game's options.
        make: returns the game.
        *environments: return its environments, and take the keywords of environments too.
    """
    data = _row("data", "str | Path | Mapping | None", f"{DATA}. Default: None")
    rows = ["Args:", *_options(definition(name), options), data]
    for function in (make, *environments):
        if function.__doc__ is not None:  # python -OO
            text = "\n".join([*rows, *(() if function is make else _environments())])
            function.__doc__ = f"{inspect.cleandoc(function.__doc__)}\n\n{text}\n"


def _options(game: Definition, hints: type) -> list[str]:
    standard = game.parse_options(None, None, {})
    defaults = standard.to_json()
    seats = f"number of seats, {game.min_players}..{game.max_players}"
    rows = [_row("players", "int", f"{seats}. Default: {game.default_players}")]
    declared = {}
    if isinstance(standard, GameOptions):
        declared = {key: standard.declared()[field] for key, field in standard.keys().items()}
    for name, hint in hints.__annotations__.items():
        said = f"option: see docs/reference/options.md. Default: {_short(defaults.get(name))}"
        if name in declared:
            default = _short(defaults.get(name, declared[name].default))
            said = f"{declared[name].about}; allowed: {declared[name].allowed_text}. Default: {default}"
        rows.append(_row(name, _type(hint), said))
    return rows


def _environments() -> list[str]:
    listed = inspect.cleandoc(BoardGameEnv.__init__.__doc__ or "").partition("Args:\n")[2].partition("\n\n")[0]
    meanings = dict(re.findall(r"^    (\w+): ((?:.+\n?)(?:^     +.+\n?)*)", listed, re.MULTILINE))
    defaults = inspect.signature(BoardGameEnv.__init__).parameters
    rows = []
    for name, hint in EnvKeywords.__annotations__.items():
        if name in meanings:
            default = ILLEGAL if name == "illegal" else repr(defaults[name].default)
            rows.append(_row(name, _type(hint), f"{' '.join(meanings[name].split())} Default: {default}"))
    return rows


def _type(hint: Any) -> str:
    return str(getattr(hint, "__forward_arg__", hint))


def _short(value: Any) -> str:
    text = json.dumps(value, default=str)
    return text if len(text) <= MOST_DEFAULT else "as in docs/reference/options.md"


def _row(name: str, kind: str, text: str) -> str:
    return fill(f"{name} ({kind}): {text}.", WIDTH, initial_indent="    ", subsequent_indent="        ")
