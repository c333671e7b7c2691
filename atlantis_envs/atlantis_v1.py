"""Atlantis as a PettingZoo environment.

    >>> from atlantis_envs import atlantis_v1
    >>> env = atlantis_v1.env(players=3)
    >>> env.reset(seed=42)
    >>> for agent in env.agent_iter():
    ...     observation, reward, termination, truncation, info = env.last()
    ...     done = termination or truncation
    ...     action = None if done else env.action_space(agent).sample(info["action_mask"])
    ...     env.step(action)

Rules: docs/rules/atlantis.md. Tiles and cards are drawn inside ``reset`` and ``step``. Hands are hidden: an observation
holds the own hand, of the others their sizes and what all have seen of them, and of the pile its size.

Agents: ``player_0`` .. ``player_3`` (2 to 4, usually 4) in seat order. A turn takes several decisions of one agent;
``player_0`` begins unless the option first_player is "random".

Actions: ``Discrete(84)``. ``env.game.actions[id]`` is the text of an action. Spaces count from Atlantis, 0 to 52.

    pass, done              no pawn can move; no bridge after the move, no more to pay
    sell, sell_one          give up a tile of this value for cards; one of value 1 for nothing
    pawn                    choose the pawn that moves
    play                    play a card of this object
    pay_tile, pay_card      pay with a tile of this value, with a card of this object
    bridge                  put the bridge on the gap that begins at this space

Observations: ``{"observation": uint8 (397,), "action_mask": int8 (84,)}``, own seat first and the others clockwise, the
same for every number of players. ``env.game.observation_high`` is the largest value of each byte. In order (bytes):

    phase (10)              which decision or chance event it is, one-hot
    object (53), value (53)    of the top of each space, 0 without tile
    covered (32)            an under tile lies on space 0-9, 20-25, 27-32, 43-52
    bridges (4)             where bridges lie; places: 0 none or Atlantis, 1 + s space s, 54 the mainland
    bag (98)                tiles not seen yet, of each side
    pawns (12)              places, three pawns a seat
    hand (7)                own cards of each object
    known (28), hand_size (4)    of each seat, cards all know it holds; number of cards
    tiles (28), bridge (4)    of each seat, collected tiles of each value; bridge unused
    discard (7), box (7), pile (1)    cards of each object; size of the pile
    seat (4), first (4)     whose turn it is, who began, one-hot
    idle (1), sold (1), bridged (1)    idle turns in a row; sales and bridge of this turn
    bought (7)              own cards bought this turn and not yet played
    pawn (3), chosen (1), x (1)    the pawn that moves, one-hot; whether there is one; where it is by now
    due (1), last (1)       still to pay; 1 + the item given last
    space (1), draws (1), then (3)    what chance fills, cards still to come, what follows
    players (3), options (12)    the game as it is set up
    handicap (4)            half points that each seat begins with

Rewards: 0 until the last step. Then the shared victory rescaled to sum to zero: with n seats and k winners, winners get
(n/k - 1)/(n - 1), the others -1/(n - 1).

Arguments of all functions: ``help`` of each lists them; the options are those of section 13 of the rules.

Version history: v1 (1.0.0) has rules 2, observation 3 and actions 2; v0 (development versions) had rules 1.
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

NAME = "atlantis"


class Options(TypedDict, total=False):
    """The options of section 13 of the rules, for type checkers; docs/reference/options.md says more."""

    preset: Literal["amigo", "brettspielwelt"]
    first_player: Literal["seat0", "random"]
    start_hand: Sequence[int]
    path: Literal["full"] | Sequence[int]
    tile_set: Literal["reconstructed", "uniform"] | Mapping[str, Mapping[str, int]]
    sells_per_turn: Literal[1, "any"]
    sell_ones: bool
    bought_cards_pay: bool
    overpay: Literal["exact_first", "irredundant", "any"]
    paid_cards: Literal["box", "discard"]
    bridge_after_move: bool
    reshuffle: Literal["at once", "when wanted"]
    pass_bonus: bool
    settlement: Literal["items", "subtract"]
    settlement_pawns: Literal["path", "all"]
    cards: Literal["full"] | Mapping[str, int]
    pawns: int
    handicap: Sequence[float]
    bridges: bool


class Keywords(Options, EnvKeywords, total=False):
    """What the environments take beside ``players``."""


def game(players: int | None = None, data: registry.Data = None, **options: Unpack[Options]) -> Game:
    """Return the game itself, as ``atlantis_envs.game`` gives it, with keywords that a type checker knows.

    >>> from atlantis_envs import atlantis_v1
    >>> atlantis_v1.game(players=2).players
    2
    """
    return registry.game(NAME, players, data, **options)


def env(players: int | None = None, **settings: Unpack[Keywords]) -> BoardGameEnv:
    """Return the AEC environment; a call out of order raises an error.

    >>> from atlantis_envs import atlantis_v1
    >>> env = atlantis_v1.env(players=2)
    >>> env.reset(seed=42)
    >>> observation, reward, terminated, truncated, info = env.last()
    >>> observation["observation"].shape, observation["action_mask"].shape
    ((397,), (84,))

    An illegal action ends the game with -1 for the offender, unless ``illegal="raise"``.
    """
    return make_env(NAME, players=players, **settings)


def raw_env(players: int | None = None, **settings: Unpack[Keywords]) -> BoardGameEnv:
    """Return the AEC environment without checks of the order of calls.

    >>> from atlantis_envs import atlantis_v1
    >>> env = atlantis_v1.raw_env(players=2)
    >>> env.reset(seed=42)
    >>> env.agent_selection
    'player_0'

    An illegal action raises IllegalActionError, and nothing has changed, unless ``illegal="terminate"``.
    """
    return make_env(NAME, players=players, ordered=False, **settings)


def parallel_env(players: int | None = None, **settings: Unpack[Keywords]) -> ParallelBoardGameEnv:
    """Return the parallel environment: everybody acts, only the action of the agent to move counts.

    >>> from atlantis_envs import atlantis_v1
    >>> env = atlantis_v1.parallel_env(players=2)
    >>> observations, infos = env.reset(seed=42)
    >>> infos["player_1"]["active_agent"]
    'player_0'

    Illegal actions as in ``env``.
    """
    return ParallelBoardGameEnv(env(players, **settings))


with_arguments(NAME, Options, game, env, raw_env, parallel_env)
