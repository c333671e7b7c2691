"""Atlandice as a PettingZoo environment.

    >>> from atlantis_envs import atlandice_v1
    >>> env = atlandice_v1.env(players=3)
    >>> env.reset(seed=42)
    >>> for agent in env.agent_iter():
    ...     observation, reward, termination, truncation, info = env.last()
    ...     done = termination or truncation
    ...     action = None if done else env.action_space(agent).sample(info["action_mask"])
    ...     env.step(action)

Rules: docs/rules/atlandice.md. Dice and tiles are drawn inside ``reset`` and ``step``; nothing is hidden.

Agents: ``player_0`` .. ``player_3`` (2 to 4, usually 3) in seat order. A visit to a Sector takes several decisions of
the same agent; which agent begins is drawn.

Actions: ``Discrete(72)``. ``env.game.actions[id]`` is the text of an action.

    visit, visit_neutral    take the die beside a Sector and visit it; with two players also for neutral
    take                    take a piece of this type
    raid                    take a piece from this District
    swap_out, swap_with, swap_in    give a type back, choose with which District, take a type from there
    move, move_to           move a piece of this type to this Sector
    die_from, die_to        move a die from one Sector to another
    submarine               send the submarine to this Sector
    pay, stop_paying        donate a piece of this type, or no more
    effect, decline_bonus   with the option optional_effects: use or decline an effect, decline the bonus

Observations: ``{"observation": uint8 (225,), "action_mask": int8 (72,)}``, own seat first, the same for every number of
players. ``env.game.observation_high`` is the largest value of each byte. In order (bytes):

    node (23)               which decision or chance event it is, one-hot
    resources (30), dice (6)    pieces of each type and dice beside each Sector
    tile (15), hidden (15)  tiles in sight, tiles still to come
    stock (20), points (4), tiles_won (4)    of each participant; owner (15): who won each tile
    submarine (6), here (6), beneficiary (4), actor (4), first (4)    one-hot
    choice_type (5), choice_sector (6)    what the decision has named so far
    bare (5), given (4), blocked (4), visit (1), chain (1), round (1)    where the round stands
    to_end (1), to_event (7), needles (16)    the clock
    players (3), options (10), chain_cap (1)    the game as it is set up
    handicap (4)            half points that each seat begins with

Rewards: 0 until the last step. Then the shared victory rescaled to sum to zero: with n seats and k winners, winners get
(n/k - 1)/(n - 1), the others -1/(n - 1).

Arguments of all functions: ``help`` of each lists them; the options are those of section 14 of the rules.

Version history: v1 (1.0.0) has rules 2 and observation 3; v0 (development versions) had rules 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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

NAME = "atlandice"


class Options(TypedDict, total=False):
    """The options of section 14 of the rules, for type checkers; docs/reference/options.md says more."""

    clock: str | Sequence[str]
    needles: Mapping[str, int]
    optional_effects: bool
    min_to_rank: int
    orphan_dice: Literal["market", "stay"]
    same_type_exchange: bool
    machinery_block: Literal["visit", "round"]
    l3_counts: Literal["seat", "beneficiary"]
    neutral_ranked: Sequence[Literal["district", "inventory", "final"]]
    chain_cap: int
    bare_districts: Literal["scored", "spared"]
    handicap: Sequence[float]


class Keywords(Options, EnvKeywords, total=False):
    """What the environments take beside ``players``."""


def game(players: int | None = None, data: registry.Data = None, **options: Unpack[Options]) -> Game:
    """Return the game itself, as ``atlantis_envs.game`` gives it, with keywords that a type checker knows.

    >>> from atlantis_envs import atlandice_v1
    >>> atlandice_v1.game(players=2).players
    2
    """
    return registry.game(NAME, players, data, **options)


def env(players: int | None = None, **settings: Unpack[Keywords]) -> BoardGameEnv:
    """Return the AEC environment; a call out of order raises an error.

    >>> from atlantis_envs import atlandice_v1
    >>> env = atlandice_v1.env(players=2)
    >>> env.reset(seed=42)
    >>> observation, reward, terminated, truncated, info = env.last()
    >>> observation["observation"].shape, observation["action_mask"].shape
    ((225,), (72,))

    An illegal action ends the game with -1 for the offender, unless ``illegal="raise"``.
    """
    return make_env(NAME, players=players, **settings)


def raw_env(players: int | None = None, **settings: Unpack[Keywords]) -> BoardGameEnv:
    """Return the AEC environment without checks of the order of calls.

    >>> from atlantis_envs import atlandice_v1
    >>> env = atlandice_v1.raw_env(players=2)
    >>> env.reset(seed=42)
    >>> env.agent_selection
    'player_0'

    An illegal action raises IllegalActionError, and nothing has changed, unless ``illegal="terminate"``.
    """
    return make_env(NAME, players=players, ordered=False, **settings)


def parallel_env(players: int | None = None, **settings: Unpack[Keywords]) -> ParallelBoardGameEnv:
    """Return the parallel environment: everybody acts, only the action of the agent to move counts.

    >>> from atlantis_envs import atlandice_v1
    >>> env = atlandice_v1.parallel_env(players=2)
    >>> observations, infos = env.reset(seed=42)
    >>> infos["player_1"]["active_agent"]
    'player_0'

    Illegal actions as in ``env``.
    """
    return ParallelBoardGameEnv(env(players, **settings))


with_arguments(NAME, Options, game, env, raw_env, parallel_env)
