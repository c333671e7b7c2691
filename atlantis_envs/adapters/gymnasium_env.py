"""The Gymnasium environments: one seat of a game, the others played by given agents; one game, or many side by side.

``SeatVectorEnv`` steps many games natively, in each of Gymnasium's autoreset modes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.spaces import Discrete
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from atlantis_envs.adapters.observations import handed_out, observation_space, scale_of
from atlantis_envs.base.arguments import MAX_SEED, action_id, checked_seed, choice, fresh_seed
from atlantis_envs.base.values import repr_short
from atlantis_envs.drawing import render
from atlantis_envs.errors import OptionError
from atlantis_envs.registry import Data
from atlantis_envs.seats.batch import SeatBatch
from atlantis_envs.seats.opponents import Opponents
from atlantis_envs.seats.step import RANDOM, SeatStep

if TYPE_CHECKING:
    from atlantis_envs.engine.game import Game
    from atlantis_envs.engine.position import Position

MAX_ID = 2**62  # larger ids are no less illegal, but do not fit into an array
RESET_MASK = "reset_mask"
Step = tuple[NDArray[Any], float, bool, bool, dict[str, Any]]
VectorStep = tuple[NDArray[Any], NDArray[np.float32], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]


class SeatEnv(gymnasium.Env[NDArray[Any], np.int64]):
    """One seat of a game: a step is one decision of the learner and the answers of its opponents.

    >>> import gymnasium
    >>> name = "atlantis_envs:atlantis_envs/Atlandice-v1"
    >>> env = gymnasium.make(name, players=3, opponents="heuristic")
    >>> observation, info = env.reset(seed=0)
    >>> observation.shape, info["action_mask"].shape
    ((225,), (72,))

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

    metadata = {"render_modes": list(render.RENDER_MODES), "render_fps": render.FRAMES_PER_SECOND}  # noqa: RUF012  # as Gymnasium declares it

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
            shaping: potential-based reward beside the return (atlantis_envs.seats.step), for learning only; 0: none.
            discount: of the learner, for shaping.
            flat: observations are float32 in 0..1, bytes divided by their largest values.
            **options: the game's options.

        Raises:
            OptionError: unknown argument, or a value that is not allowed.
        """
        self.game = chosen_game(game, players, data, options)
        self.render_mode = render.checked_mode(render_mode, render.RENDER_MODES, self.game.name)
        self.render_seat = render.checked_render_seat(render_seat, self.game.players)
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
        if self.render_mode == render.HUMAN:
            self.render()

    def render(self) -> render.Frame | None:
        """Return the position: text ("ansi"), pixels ("rgb_array", uint8 (height, width, 3)), or None.

        None after the text was printed ("human"), or with a warning if there is no render mode.

        It is shown whole, or as ``render_seat`` sees it. Pixels need the extra ``look`` and up to half a second a
        frame: for pictures and videos, not for learning.
        """
        if self.render_mode is None:
            render.warn_no_mode()
            return None
        frame: render.Frame = render.rendered(self.position(), self.render_mode, self.render_seat)
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


# ------------------------------------------------------------------------------------------------- many games


class SeatVectorEnv(VectorEnv[NDArray[Any], NDArray[np.int64], NDArray[Any]]):
    """``num_envs`` SeatEnvs stepped together, equal to Gymnasium's ``SyncVectorEnv`` over SeatEnvs value by value.

    >>> import gymnasium
    >>> name = "atlantis_envs:atlantis_envs/Atlandice-v1"
    >>> envs = gymnasium.make_vec(name, num_envs=4, players=3)
    >>> observations, infos = envs.reset(seed=0)
    >>> observations.shape, infos["action_mask"].shape
    ((4, 225), (4, 72))
    >>> envs.step(infos["action_mask"].argmax(axis=1))[1]
    array([0., 0., 0., 0.], dtype=float32)

    Observations are uint8 (N, F), with ``flat`` float32 (N, F) in 0..1; ``infos["action_mask"]`` is int8 (N, A).
    ``reset(seed=s)`` seeds lane i with s + i, and ``reset(seed=[...])`` every lane with its own: it plays games 0, 1,
    2, ... of it, as SeatEnv does. What a lane does when its game is over is ``autoreset_mode``:

    - SAME_STEP (default): it begins its next game within the step; ``infos["final_obs"]`` and ``infos["final_info"]``
      hold the end.
    - NEXT_STEP: it shows the end, and begins the next game in the following step, whose action there is not looked at
      and whose reward is 0. Such a step is no transition: a learner has to leave it out.
    - DISABLED: it shows the end until ``reset(options={"reset_mask": mask})``.

    Where the end is shown, the mask is all zeros, and "scores" and "returns" are in ``infos``.
    """

    def __init__(
        self,
        num_envs: int = 1,
        *,
        game: str | Game,
        players: int | None = None,
        learner_seat: int | str = RANDOM,
        opponents: Opponents = "random",
        illegal: str = "terminate",
        render_mode: str | None = None,
        render_seat: int | None = None,
        data: Data = None,
        threads: int = 1,
        shaping: float = 0.0,
        discount: float = 1.0,
        flat: bool = False,
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        **options: Any,
    ) -> None:
        """Set up the environments; ``reset`` starts the first games.

        Arguments are those of SeatEnv, but that ``render_mode`` is never "human", and: ``num_envs``, lanes, N;
        ``threads``, as in Game.batch; ``autoreset_mode``, an AutoresetMode, its name or its value, "SAME_STEP" or
        "SameStep", and so on.

        Raises:
            OptionError: unknown argument, or a value that is not allowed.
        """
        if not isinstance(autoreset_mode, AutoresetMode):
            modes = {text: mode for mode in AutoresetMode for text in (mode.name, mode.value)}
            autoreset_mode = modes[choice("autoreset_mode", autoreset_mode, tuple(modes))]
        self.autoreset_mode = self._mode = autoreset_mode
        self.game = chosen_game(game, players, data, options)
        self.render_mode = render.checked_mode(render_mode, render.FRAME_MODES, self.game.name)
        self.render_seat = render.checked_render_seat(render_seat, self.game.players)
        self._seats = SeatBatch(self.game, num_envs, learner_seat, opponents, illegal, threads, shaping, discount)
        self.opponents = self._seats.opponents
        self.num_envs = num_envs
        self.metadata = {
            "render_modes": list(render.FRAME_MODES),
            "render_fps": render.FRAMES_PER_SECOND,
            "autoreset_mode": self._mode,
        }
        self._scale = scale_of(self.game, flat)
        self.single_observation_space = observation_space(self.game, flat)
        self.single_action_space = Discrete(self.game.num_actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._begun = False
        # Lanes that show the end of their game; the next one has begun behind it.
        self._ended = np.zeros(num_envs, np.bool_)
        self._ends = np.zeros((num_envs, self.game.observation_size), np.uint8)
        self._end_seats = np.zeros(num_envs, np.int8)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        """Start a game in every lane: game 0 of its seed, or without one its next game.

        Args:
            seed: s in 0..2**64-N: lane i gets s + i. Or N seeds 0..2**64-1, one per lane; None there, or altogether:
                the lane's next game, and fresh entropy if it never had one.
            options: with "reset_mask", a bool array (N,), only the lanes where it is True start. Other keys are
                ignored.

        Raises:
            TypeError: the mask is not an array of bool.
            ValueError: the mask has another shape or is False everywhere; a bad seed, or the wrong number of them.
            ResetNeeded: the mask leaves lanes out that never began.
        """
        lanes = _checked_mask(options, self.num_envs)
        seeds = _lane_seeds(seed, self.num_envs)
        if not (self._begun or lanes.all()):
            raise ResetNeeded(f"{RESET_MASK}: lanes without a game are left out; allowed: all lanes, the first time")
        super().reset(seed=seeds[0])
        seeded = lanes & np.array([given is not None for given in seeds])
        if seeded.all() or not self._begun:
            self._seats.reset([fresh_seed() if given is None else given for given in seeds])
        else:
            self._seats.restart(np.flatnonzero(lanes & ~seeded & ~self._ended))
            own = [given for given, here in zip(seeds, seeded, strict=True) if here and given is not None]
            self._seats.restart(np.flatnonzero(seeded), own)
        self._begun = True
        self._ended &= ~lanes
        return self._observations(), self._infos(lanes, self._seats.masks, self._seats.seats)

    def _observations(self) -> NDArray[Any]:
        """Return what every lane shows; a copy."""
        observations = self._seats.observations
        observations[self._ended] = self._ends[self._ended]
        return handed_out(observations, self._scale)

    def _infos(self, lanes: NDArray[np.bool_], masks: NDArray[np.int8], seats: NDArray[np.int8]) -> dict[str, Any]:
        """Make the infos that mark masks and seats, both fresh arrays of all lanes, as valid in ``lanes``."""
        learner_seats = seats.astype(np.int64)
        if self._ended.any():  # never in the mode SAME_STEP
            masks[self._ended] = 0
            learner_seats[self._ended] = self._end_seats[self._ended]
        return _with_masks({"action_mask": masks, "learner_seat": learner_seats}, lanes)

    def step(self, actions: ArrayLike) -> VectorStep:
        """Play the learner's action in every lane, and the opponents' answers.

        Args:
            actions: action ids, integers (N,).

        Returns:
            observations (N, F) as from ``reset``, rewards float32 (N,), terminated bool (N,), truncated bool (N,),
            infos.

        Raises:
            IllegalActionError: not integers, or (``illegal="raise"``) one is not legal; no lane has moved.
            ResetNeeded: (mode DISABLED) a lane's game is over; no lane has moved.
            RuntimeError: before ``reset``.
        """
        if self._mode == AutoresetMode.DISABLED and self._ended.any():
            over = ", ".join(map(str, np.flatnonzero(self._ended)))
            raise ResetNeeded(f"step: the game is over in lanes {over}; call reset(options={{'{RESET_MASK}': ...}})")
        everywhere = np.ones(self.num_envs, np.bool_)
        if self._mode == AutoresetMode.SAME_STEP:
            result = self._seats.step(actions)
            infos = self._infos(everywhere, result.masks, result.seats)
            if result.over.any():
                infos |= _with_masks(_finals(result, self._scale), result.over)
            seen = handed_out(result.observations, self._scale)
            return seen, result.rewards, result.over & ~result.truncated, result.truncated, infos
        result = self._seats.step(actions, self._ended)
        self._ended = result.over.copy()
        self._ends, self._end_seats = result.final_observations, result.final_seats
        infos = self._infos(everywhere, result.masks, result.seats)
        if result.over.any():
            infos |= _ends(result)
        terminated = result.over & ~result.truncated
        return self._observations(), result.rewards, terminated, result.truncated, infos

    def action_masks(self) -> NDArray[np.bool_]:
        """Return what the learner may do in each lane, bool (N, A); all False where the end of a game is shown."""
        masks: NDArray[np.bool_] = (self._seats.masks != 0) & ~self._ended[:, None]
        return masks

    def position(self, lane: int) -> Position:
        """Return a copy of the position that one lane shows."""
        batch = self._seats.batch
        return batch.final_position(lane) if self._ended[lane] else batch.position(lane)

    def render(self) -> tuple[render.Frame, ...] | None:
        """Render the positions of all lanes, each as SeatEnv does; None, with a warning, without a ``render_mode``."""
        if self.render_mode is None:
            render.warn_no_mode()
            return None
        lanes = range(self.num_envs)
        return tuple(render.rendered(self.position(lane), self.render_mode, self.render_seat) for lane in lanes)


def _lane_seeds(seed: Any, count: int) -> list[int | None]:
    """Return a seed or None for every lane, as Gymnasium's vector environments read ``seed``."""
    if seed is None:
        return [None] * count
    if np.ndim(seed) == 0:
        if checked_seed(seed) + count - 1 > MAX_SEED:
            raise ValueError(f"seed: {seed} for {count} lanes; allowed: an integer 0..{MAX_SEED - count + 1}")
        return [int(seed) + lane for lane in range(count)]
    if len(seed) != count:
        raise ValueError(f"seed: {len(seed)} of them; allowed: one, or {count}, one per lane")
    return [None if given is None else checked_seed(given) for given in seed]


def _checked_mask(options: dict[str, Any] | None, count: int) -> NDArray[np.bool_]:
    """Return the lanes that a reset is about; exceptions are of the kinds that Gymnasium raises."""
    if options is None or RESET_MASK not in options:
        return np.ones(count, np.bool_)
    mask = options[RESET_MASK]
    allowed = f"allowed: a NumPy array of bool, shape ({count},), not False everywhere"
    if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_:
        raise TypeError(f"options[{RESET_MASK!r}]: {repr_short(mask)}; {allowed}")
    if mask.shape != (count,) or not mask.any():
        raise ValueError(f"options[{RESET_MASK!r}]: {repr_short(mask)}; {allowed}")
    return mask


def _ends(result: SeatStep) -> dict[str, Any]:
    """Return the infos that only the end of a game has, batched as Gymnasium does it."""
    infos = _with_masks({"scores": result.final_scores, "returns": result.final_returns}, result.over)
    if result.illegal.any():
        infos |= _with_masks({"illegal_action": result.illegal.copy()}, result.illegal)
    return infos


def _finals(result: SeatStep, scale: NDArray[np.float32] | None) -> dict[str, Any]:
    """Batch ends as Gymnasium does: ``final_obs`` an object array, ``final_info`` a dict of arrays with masks."""
    observations = np.full(len(result.over), None, object)
    ended = np.flatnonzero(result.over)
    for lane, end in zip(ended, handed_out(result.final_observations[ended], scale), strict=True):
        observations[lane] = end
    shown_there = {"action_mask": np.zeros_like(result.masks), "learner_seat": result.final_seats.astype(np.int64)}
    return {"final_obs": observations, "final_info": _with_masks(shown_there, result.over) | _ends(result)}


def _with_masks(values: dict[str, Any], valid: NDArray[np.bool_]) -> dict[str, Any]:
    """Return Gymnasium's pairs: ``key`` and ``_key``, which says in which lanes it holds."""
    return values | {f"_{key}": valid.copy() for key in values}
