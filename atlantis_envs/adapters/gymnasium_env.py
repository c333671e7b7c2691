"""The Gymnasium environment: one seat of a game, the others played by given agents."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.spaces import Discrete
from numpy.typing import NDArray

from atlantis_envs.adapters.observations import handed_out, observation_space, scale_of
from atlantis_envs.base.arguments import action_id, checked_seed
from atlantis_envs.drawing.render import (
    FRAMES_PER_SECOND,
    HUMAN,
    RENDER_MODES,
    Frame,
    checked_mode,
    checked_render_seat,
    rendered,
    warn_no_mode,
)
from atlantis_envs.errors import OptionError
from atlantis_envs.seats.batch import SeatBatch
from atlantis_envs.seats.opponents import Opponents
from atlantis_envs.seats.step import RANDOM, SeatStep

if TYPE_CHECKING:
    from atlantis_envs.engine.game import Game
    from atlantis_envs.engine.position import Position

MAX_ID = 2**62  # larger ids are no less illegal, but do not fit into an array
Data = str | Path | Mapping[str, Any] | None
Step = tuple[NDArray[Any], float, bool, bool, dict[str, Any]]


class SeatEnv(gymnasium.Env[NDArray[Any], np.int64]):
    """One seat of a game: a step is one decision of the learner and the answers of its opponents.

    Observations are uint8 (F,), own seat first; with ``flat`` float32 (F,) in 0..1. ``info["action_mask"]`` is int8
    (A,), also ``action_masks()`` as bool; ``info["learner_seat"]`` is the seat. The reward is 0 until the game ends, by
    whoever's move, and then the seat's return; ``info`` then has "scores" and "returns" of all seats. ``reset(seed=s)``
    starts game 0 of s, every later ``reset()`` the next one. A game that a safety bound cuts off is truncated, every
    other end is a termination.

    With ``learner_seat="all"``, in cooperative games, one policy plays every seat: a step is the decision of the seat
    to move (``info["learner_seat"]``), whose observation it gets, and the reward is the common return.

    Attributes:
        game: the Game.
        opponents: the agents that play the other seats.
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": FRAMES_PER_SECOND}  # noqa: RUF012  # as Gymnasium declares it

    def __init__(
        self,
        game: str | Game,
        players: int | None = None,
        learner_seat: int | str = RANDOM,
        opponents: Opponents = "random",
        illegal: str = "terminate",
        render_mode: str | None = None,
        render_seat: int | None = None,
        data: Data = None,
        shaping: float = 0.0,
        discount: float = 1.0,
        flat: bool = False,
        **options: Any,
    ) -> None:
        """Set up the environment; ``reset`` starts the first game.

        Args:
            game: a name, with ``players``, ``data`` and ``options`` as in ``atlantis_envs.game``; or a Game.
            players: number of seats.
            learner_seat: a seat; "random", drawn for every game; "rotate", game index modulo players; or, in a
                cooperative game, "all".
            opponents: an agent (object or name) for all other seats, or a list, one per seat after the learner's.
            illegal: "terminate": an illegal action ends the game with reward -1 and ``info["illegal_action"]``;
                "raise": IllegalActionError, and nothing has changed.
            render_mode: None, "human" (the text is printed after every step), "ansi" or "rgb_array".
            render_seat: whose knowledge ``render`` shows; None: everything, hidden cards too.
            data: replaces reconstructed tables.
            shaping: potential-based reward beside the return (atlantis_envs.seats.shaping), for learning only; 0: none.
            discount: of the learner, for shaping.
            flat: observations are float32 in 0..1, bytes divided by their largest values.
            **options: the game's options.

        Raises:
            OptionError: unknown argument, or a value that is not allowed.
        """
        self.game = chosen_game(game, players, data, options)
        self.render_mode = checked_mode(render_mode, RENDER_MODES, self.game.name)
        self.render_seat = checked_render_seat(render_seat, self.game.players)
        self._seats = SeatBatch(self.game, 1, learner_seat, opponents, illegal, 1, shaping, discount)
        self.opponents = self._seats.opponents
        self._scale = scale_of(self.game, flat)
        self.observation_space = observation_space(self.game, flat)
        self.action_space = Discrete(self.game.num_actions)
        self._in_play = False
        self._next_begun = False  # the lane already plays the game the next reset() is to start

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        """Start a game, up to the learner's first decision.

        Args:
            seed: 0..2**64-1: game 0 of it. None: the next game of the present seed.
            options: no key is known; all are ignored.
        """
        if seed is not None:
            checked_seed(seed)
        super().reset(seed=seed)
        if seed is not None or not self._next_begun:
            self._seats.reset(seed)
        self._in_play, self._next_begun = True, False
        self._print()
        return handed_out(self._seats.observations[0], self._scale), self._info()

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self._seats.masks[0], "learner_seat": int(self._seats.seats[0])}

    def step(self, action: Any) -> Step:
        """Play the learner's action and the opponents' answers.

        Raises:
            IllegalActionError: not an integer, or (``illegal="raise"``) not legal.
            ResetNeeded: no game is in play.
        """
        if not self._in_play:
            raise ResetNeeded("step: no game is in play; call reset() first")
        result = self._seats.step([max(-MAX_ID, min(action_id(action), MAX_ID))])
        if not result.over[0]:
            self._print()
            seen = handed_out(result.observations[0], self._scale)
            return seen, float(result.rewards[0]), False, False, self._info()
        self._in_play, self._next_begun = False, True
        self._print()
        truncated = bool(result.truncated[0])
        reward = float(result.rewards[0])
        seen = handed_out(result.final_observations[0], self._scale)
        return seen, reward, not truncated, truncated, _final_info(result, 0)

    def action_masks(self) -> NDArray[np.bool_]:
        """Return what the learner may do, bool (A,); all False while no game is in play."""
        masks: NDArray[np.bool_] = (self._seats.masks[0] != 0) & self._in_play
        return masks

    def position(self) -> Position:
        """Return a copy of the position, after the end the final one.

        Raises:
            ResetNeeded: before the first reset.
        """
        if not (self._in_play or self._next_begun):
            raise ResetNeeded("position: no game was started; call reset() first")
        batch = self._seats.batch
        return batch.position(0) if self._in_play else batch.final_position(0)

    def _print(self) -> None:
        if self.render_mode == HUMAN:
            self.render()

    def render(self) -> Frame | None:
        """Return the position: text ("ansi"), pixels ("rgb_array", uint8 (height, width, 3)), or None.

        None after the text was printed ("human"), or with a warning if there is no render mode.

        It is shown whole, or as ``render_seat`` sees it. Pixels need the extra ``look`` and up to half a second a
        frame: for pictures and videos, not for learning.
        """
        if self.render_mode is None:
            warn_no_mode()
            return None
        frame: Frame = rendered(self.position(), self.render_mode, self.render_seat)
        return frame


def _final_info(result: SeatStep, lane: int) -> dict[str, Any]:
    """Return the info of a game's last step."""
    info = {
        "action_mask": np.zeros(result.masks.shape[1], np.int8),
        "learner_seat": int(result.final_seats[lane]),
        "scores": result.final_scores[lane],
        "returns": result.final_returns[lane],
    }
    return info | {"illegal_action": True} if result.illegal[lane] else info


def chosen_game(game: str | Game, players: int | None, data: Data, options: Mapping[str, Any]) -> Game:
    """Return the Game itself, or the one of that name.

    Raises:
        OptionError: a Game with arguments beside it, or as ``atlantis_envs.game``.
    """
    from atlantis_envs.engine.game import checked_game, unknown_keyword
    from atlantis_envs.registry import game as make

    if isinstance(game, str):
        return make(game, players, data, **options)
    if players is not None or data is not None or options:
        message = "players, data, options: go with a game's name; a Game object brings its own"
        raise unknown_keyword(message, next(iter(options))) if options else OptionError(message)
    return checked_game(game)
