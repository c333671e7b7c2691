"""A native stable-baselines3 VecEnv on the compiled batch: one learning seat a game, opponents inside the step.

Faster than any wrapper over single environments, and safe for MaskablePPO: ``action_masks`` is there for
``env_method``, a trajectory never mixes seats, and the final reward always reaches the seat that earned it.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from gymnasium.spaces import Discrete
from numpy.typing import NDArray
from stable_baselines3.common.vec_env.base_vec_env import VecEnv

from atlantis_envs.adapters.observations import observation_space, unit_scale
from atlantis_envs.base.arguments import checked_seed
from atlantis_envs.engine.game import Game, checked_game
from atlantis_envs.seats.batch import SeatBatch
from atlantis_envs.seats.opponents import Opponents, Seating
from atlantis_envs.seats.step import ROTATE, SeatStep, Shaping

REMEMBERED_GAMES = 20_000


class SeatVecEnv(VecEnv):
    """N games side by side for stable-baselines3.

    >>> from atlantis_envs.adapters.sb3_vecenv import SeatVecEnv
    >>> env = SeatVecEnv(atlantis_envs.game("atlandice", players=3), 4, opponents="heuristic")
    >>> env.reset().shape, env.action_masks().shape
    ((4, 225), (4, 72))

    Observations are float32 (N, F) in 0..1 (bytes divided by ``Game.observation_high``), rewards the game's returns at
    its end and 0 before, plus shaping, if any. Finished games restart within the step; ``infos[i]`` then holds
    ``terminal_observation``, ``episode`` (return, length, seconds) and ``win_share`` (1 for a game won together). Where
    a safety bound cut the game off, ``TimeLimit.truncated`` is True, so that the learner values what would have
    followed, and there is no ``win_share``: such a game is neither won nor lost.

    Args:
        game: what is played.
        num_envs: games side by side.
        opponents: an agent for all other seats, or one per other seat; names or objects. Or a Seating, which
            chooses them for every game.
        learner_seat: a seat, "random" or "rotate"; "all" in a cooperative game: one policy plays every seat, a step is
            the decision of the seat to move as that seat sees it, and ``opponents`` have no seat.
        seed: of the games.
        shaping: potential-based reward, per unit of potential (atlantis_envs.seats.step); 0: none.
        discount: of the learner, for shaping.
        skip_forced: play the learner's only legal action for it, so that every step is a choice.
    """

    def __init__(
        self,
        game: Game,
        num_envs: int,
        opponents: Opponents | Seating = "random",
        learner_seat: int | str = ROTATE,
        seed: int = 0,
        shaping: float = 0.0,
        discount: float = 1.0,
        skip_forced: bool = False,
    ) -> None:
        """Set up; ``reset`` starts the games."""
        self.game = checked_game(game)
        self.render_mode = None
        helped: dict[str, Any] = {"shaping": shaping, "discount": discount, "skip_forced": skip_forced}
        self.core = SeatBatch(game, num_envs, learner_seat, opponents, **helped)
        self._seed = checked_seed(seed)
        self._started = time.perf_counter()
        self._scale = unit_scale(game)
        self._won: deque[float] = deque(maxlen=REMEMBERED_GAMES)
        self._actions: NDArray[Any] = np.zeros(num_envs, np.int64)
        super().__init__(num_envs, observation_space(game, flat=True), Discrete(game.num_actions))

    def reset(self) -> NDArray[np.float32]:
        """Start new games; the seed is that of ``seed()`` if called since the last reset, else games go on."""
        chosen = self._seeds[0] if self._seeds[0] is not None else self._seed
        self.core.reset(chosen)
        self._seed = None
        self._reset_seeds()
        self._reset_options()
        return self.scaled(self.core.observations)

    _seed: int | None
    played: SeatStep  # the last step in full

    def step_async(self, actions: NDArray[Any]) -> None:
        """Remember the learner's actions."""
        self._actions = np.asarray(actions)

    def play(self, actions: NDArray[Any]) -> SeatStep:
        """Play the learner's actions and the opponents' answers, and remember who won; the step in full.

        Raises:
            IllegalActionError: an action is not legal; nothing has moved.
        """
        self.played = played = self.core.step(actions)
        if played.over.any():
            ended = np.flatnonzero(played.over & ~played.truncated)
            self._won.extend(self._win_shares(played, ended).tolist())
        return played

    def step_wait(self) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """Play the remembered actions, and the opponents' answers.

        Raises:
            IllegalActionError: an action is not legal; nothing has moved.
        """
        played = self.play(self._actions)
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        ended = np.flatnonzero(played.over)
        if len(ended):
            last = self.scaled(played.final_observations[ended])
            shares = self._win_shares(played, ended)
            seconds = round(time.perf_counter() - self._started, 6)
            for row, lane in enumerate(ended):
                episode = {
                    "r": float(played.final_returns[lane, played.final_seats[lane]]),
                    "l": int(played.lengths[lane]),
                    "t": seconds,
                }
                cut_off = bool(played.truncated[lane])
                infos[lane] = {"terminal_observation": last[row], "TimeLimit.truncated": cut_off, "episode": episode}
                if not cut_off:
                    infos[lane]["win_share"] = float(shares[row])
        return self.scaled(played.observations), played.rewards, played.over, infos

    @property
    def shaping(self) -> Shaping:
        """Return the shaping that is added to the rewards."""
        return self.core.shaping

    def _win_shares(self, played: SeatStep, ended: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return 1 for a game won, 1/k for each of k winners; a team has won with a positive return."""
        returns, own = played.final_returns[ended], played.final_seats[ended]
        if self.game.cooperative:
            return (returns[:, 0] > 0).astype(np.float64)
        best = returns == returns.max(axis=1, keepdims=True)
        return np.asarray(best[np.arange(len(ended)), own] / best.sum(axis=1))

    def scaled(self, observations: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Scale observations: bytes divided by their largest value."""
        return observations * self._scale

    def action_masks(self) -> NDArray[np.bool_]:
        """Return bool (N, A): what the learner may do in every game."""
        return self.core.masks.view(np.bool_)  # a copy already, of zeros and ones

    def recent_win_share(self, games: int) -> float | None:
        """Return the learner's mean win share over its last ``games`` games; None before one has ended."""
        recent = list(self._won)[-games:]
        return float(np.mean(recent)) if recent else None

    @property
    def won(self) -> NDArray[np.float64]:
        """Return the learner's win shares in its last games, oldest first."""
        return np.array(self._won, np.float64)

    def remember(self, won: NDArray[np.float64]) -> None:
        """Replace what ``won`` shows."""
        self._won = deque(won.tolist(), maxlen=REMEMBERED_GAMES)

    def close(self) -> None:
        """Do nothing: there is nothing to release."""

    def get_attr(self, attr_name: str, indices: int | Iterable[int] | None = None) -> list[Any]:
        """Return the attribute of this object, once per chosen game."""
        value = getattr(self, attr_name)
        return [value for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: int | Iterable[int] | None = None) -> None:
        """Set an attribute of this object; it is one for all games."""
        setattr(self, attr_name, value)

    def env_method(
        self, method_name: str, *method_args: Any, indices: int | Iterable[int] | None = None, **method_kwargs: Any
    ) -> list[Any]:
        """Call a method of this object; per-game results come back for the chosen games."""
        result = getattr(self, method_name)(*method_args, **method_kwargs)
        chosen = self._get_indices(indices)
        if isinstance(result, np.ndarray) and len(result) == self.num_envs:
            return [result[index] for index in chosen]
        return [result for _ in chosen]

    def env_is_wrapped(self, wrapper_class: Any, indices: int | Iterable[int] | None = None) -> list[bool]:
        """Return False for every game: there are no wrappers inside."""
        return [False for _ in self._get_indices(indices)]

    def get_images(self) -> Sequence[Any]:
        """Return no pictures."""
        return [None] * self.num_envs
