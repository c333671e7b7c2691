"""Atlantis Rising, second edition, as a PettingZoo environment: cooperative, every seat gets the same return.

    >>> from atlantis_envs import atlantis_rising_v2
    >>> env = atlantis_rising_v2.env(players=4)
    >>> env.reset(seed=42)
    >>> for agent in env.agent_iter():
    ...     observation, reward, termination, truncation, info = env.last()
    ...     done = termination or truncation
    ...     action = None if done else env.action_space(agent).sample(info["action_mask"])
    ...     env.step(action)

Rules: docs/rules/atlantis_rising.md. Cards, dice and misfortunes are drawn inside ``reset`` and ``step``.

Agents: ``player_0`` .. ``player_6`` (1 to 7, usually 4) in seat order.

Actions: ``Discrete(231)``. ``env.game.actions[id]`` is the text of an action; section 13 of the rules numbers them.

Observations: ``{"observation": uint8 (760,), "action_mask": int8 (231,)}``, own seat first, the same for every number
of players. ``env.game.describe().observation`` names every piece with its place, size, largest value and meaning.

Rewards: 0 until the last step, then the same return for every seat. A game that is cut off after ``truncation`` rounds
is truncated and has no winner; every other end is a termination. One policy plays all seats through Gymnasium:
``gymnasium.make("atlantis_envs/AtlantisRising-v2", learner_seat="all")``, where rewards may also be shaped.

Arguments of all functions: ``help`` of each lists them; the options are those of the rules file, among them the level.

Version history: v2 (1.0.0) has rules 3 and observation 2; development versions: v1 had rules 2, v0 rules 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, TypedDict, Unpack

from atlantis_envs import registry
from atlantis_envs.adapters.pettingzoo_env import (
    BoardGameEnv,
    EnvKeywords,
    ParallelBoardGameEnv,
    make_env,
    with_arguments,
)

if TYPE_CHECKING:
    from atlantis_envs.engine.game import Game

NAME = "atlantis_rising"


class Options(TypedDict, total=False):
    """The options of section 17 of the rules, for type checkers; docs/reference/options.md says more."""

    level: int
    first_player: int | Literal["random"]
    councilors: Literal["random", "draft"] | Sequence[str]
    blueprint: Literal["random"] | Sequence[str]
    force_artificer: bool
    hands_open: bool
    lift_budget: int
    yield_budget: int
    decline_budget: int
    casting_vote: bool
    must_act: bool
    round_limit: int | None
    truncation: int
    solo_energy: Literal["track", "every round"]
    solo_prices: Literal["printed", "reduced"]
    automaton_dice: Literal["once", "per die"]
    divers: Literal["any tile", "flooded tile"]


class Keywords(Options, EnvKeywords, total=False):
    """What the environments take beside ``players``."""


def game(players: int | None = None, data: registry.Data = None, **options: Unpack[Options]) -> Game:
    """Return the game itself, as ``atlantis_envs.game`` gives it, with keywords that a type checker knows.

    >>> from atlantis_envs import atlantis_rising_v2
    >>> atlantis_rising_v2.game(players=2).players
    2
    """
    return registry.game(NAME, players, data, **options)


def env(players: int | None = None, **settings: Unpack[Keywords]) -> BoardGameEnv:
    """Return the AEC environment; a call out of order raises an error.

    >>> from atlantis_envs import atlantis_rising_v2
    >>> env = atlantis_rising_v2.env(players=2)
    >>> env.reset(seed=42)
    >>> observation, reward, terminated, truncated, info = env.last()
    >>> observation["observation"].shape, observation["action_mask"].shape
    ((760,), (231,))

    An illegal action ends the game with -1 for the offender, unless ``illegal="raise"``.
    """
    return make_env(NAME, players=players, **settings)


def raw_env(players: int | None = None, **settings: Unpack[Keywords]) -> BoardGameEnv:
    """Return the AEC environment without checks of the order of calls.

    >>> from atlantis_envs import atlantis_rising_v2
    >>> env = atlantis_rising_v2.raw_env(players=2)
    >>> env.reset(seed=42)
    >>> env.agent_selection
    'player_0'

    An illegal action raises IllegalActionError, and nothing has changed, unless ``illegal="terminate"``.
    """
    return make_env(NAME, players=players, ordered=False, **settings)


def parallel_env(players: int | None = None, **settings: Unpack[Keywords]) -> ParallelBoardGameEnv:
    """Return the parallel environment: everybody acts, only the action of the agent to move counts.

    >>> from atlantis_envs import atlantis_rising_v2
    >>> env = atlantis_rising_v2.parallel_env(players=2)
    >>> observations, infos = env.reset(seed=42)
    >>> infos["player_1"]["active_agent"]
    'player_0'

    Illegal actions as in ``env``.
    """
    return ParallelBoardGameEnv(env(players, **settings))


with_arguments(NAME, Options, game, env, raw_env, parallel_env)
