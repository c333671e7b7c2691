"""The player by rules of thumb: one compiled loop over the heuristic of the game."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from atlantis_agents import heuristics
from atlantis_agents.heuristics import Heuristic
from atlantis_agents.rows import BYTE, MARK, Bytes, Ids, Masks, RowAgent, Words, checked_rows
from atlantis_envs.base.values import repr_short
from atlantis_envs.engine.records import plain, plain_records, records
from atlantis_envs.errors import OptionError
from atlantis_envs.kernels.kernel import direct, entry, kernel
from atlantis_envs.seats.agents import Compiled

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from atlantis_envs.engine.game import Game


def heuristic_names() -> tuple[str, ...]:
    """Return names of the games that have a heuristic."""
    return tuple(sorted(module.name for module in iter_modules(heuristics.__path__) if module.ispkg))


@cache
def find_heuristic(name: str) -> Heuristic:
    """Return the heuristic of a game.

    Raises:
        OptionError: there is none.
    """
    if name not in heuristic_names():
        raise OptionError(f"game: {name!r} has no heuristic; allowed: {', '.join(map(repr, heuristic_names()))}")
    found: Heuristic = import_module(f"{heuristics.__name__}.{name}").HEURISTIC
    return found


@cache
def make_loop(heuristic: Heuristic) -> Callable[..., Any]:
    """Make the loop over rows (not yet compiled)."""
    decide = heuristic.decide

    @entry
    def heuristic_loop(weights, scratch, observations, masks, noise, ids):
        for row in range(len(ids)):
            ids[row] = decide(weights[0], scratch, observations[row], masks[row], noise[row])

    return heuristic_loop


@cache
def make_call(heuristic: Heuristic) -> Callable[..., Any]:
    """Find the machine code of the loop; it looks at no types, and those of records take longer than many choices."""
    words = np.zeros(1, np.uint64)
    rows = np.zeros((1, 1), np.uint8), np.zeros((1, 1), np.int8)
    scratch = plain_records(heuristic.scratch_records, heuristic.scratch_dtype)
    return direct(make_loop(heuristic), plain(heuristic.weights), scratch, *rows, words, words.view(np.int64))


@cache
def make_ranking(heuristic: Heuristic) -> Callable[..., Any]:
    """Make the loop that scores every legal action (not yet compiled)."""
    score_actions = heuristic.score_actions

    @entry
    def ranking_loop(weights, scratch, observations, masks, scores):
        for row in range(len(scores)):
            score_actions(weights[0], scratch, observations[row], masks[row], np.uint64(0), scores[row])

    return ranking_loop


@cache
def _make_decide(heuristic: Heuristic) -> Callable[..., Any]:
    """Make the heuristic a compiled agent: its weights are the only record of ``params``."""
    choose = heuristic.decide

    @kernel
    def decide(params, scratch, observation, mask, noise):
        return choose(params[0], scratch, observation, mask, noise)

    return decide


class HeuristicAgent(RowAgent):
    """Plays by the game's rules of thumb; chance only breaks ties.

    >>> from atlantis_agents.heuristic import HeuristicAgent
    >>> game = atlantis_envs.game("atlandice", players=3)
    >>> batch = game.batch(4, seed=0)
    >>> HeuristicAgent(game).act(batch.observations, batch.action_masks, batch.noise(seed=1)).shape
    (4,)

    Args:
        game: the game it plays.
        seed: 0..2**64-1, of its own generator, for calls without noise; None: fresh entropy.
        threads: 1..1024, among which many rows are shared out; choices do not depend on it.
        weights: its numbers, array of one record, as ``make_weights`` of the game's heuristic gives; None: the usual.

    Raises:
        OptionError: no heuristic is known for the game, or the numbers are not one record of its own.
    """

    def __init__(self, game: Game, seed: int | None = None, threads: int = 1, weights: Any = None) -> None:
        """Find the heuristic."""
        super().__init__(game, seed, threads)
        self._heuristic = find_heuristic(game.name)
        usual = self._heuristic.weights_for(game.players)
        self._weights = usual if weights is None else weights
        if getattr(self._weights, "dtype", None) != usual.dtype or self._weights.shape != (1,):
            raise OptionError(f"weights: {repr_short(weights)}; allowed: what make_weights of the heuristic returns")
        self.entries = (make_loop(self._heuristic),)

    def _fill(self, observations: Bytes, masks: Masks, noise: Words, ids: Ids) -> None:
        scratch = plain_records(self._heuristic.scratch_records, self._heuristic.scratch_dtype)
        make_call(self._heuristic)(plain(self._weights), scratch, observations, masks, noise, ids)

    def scores(self, observations: Bytes, masks: Masks) -> NDArray[np.float64]:
        """Return what it thinks of every legal action, in units of its own, float64 (N, A); -inf where not legal.

        Its choice is one of the best of a row. Arguments and errors as for ``act``.
        """
        observations = checked_rows("observations", observations, BYTE, self.game.observation_size)
        masks = checked_rows("masks", masks, MARK, self.game.num_actions, len(observations))
        out = np.zeros(masks.shape, np.float64)
        scratch = plain_records(self._heuristic.scratch_records, self._heuristic.scratch_dtype)
        make_ranking(self._heuristic)(plain(self._weights), scratch, observations, masks, out)
        return out

    @property
    def compiled(self) -> Compiled | None:
        """Return this agent as a kernel; None for a subclass that chooses in another way."""
        if not self._is_plain(HeuristicAgent):
            return None
        scratch = records(self._heuristic.scratch_records, self._heuristic.scratch_dtype)
        return Compiled(_make_decide(self._heuristic), self._weights, scratch)


class PlannerAgent(HeuristicAgent):
    """The same rules of thumb, looking further ahead: stronger and slower. OptionError where a game has none."""

    def __init__(self, game: Game, seed: int | None = None, threads: int = 1) -> None:
        """Find the heuristic and its deep weights."""
        super().__init__(game, seed, threads)
        if self._heuristic.deep is None:
            raise OptionError(f"game: {game.name!r} has no planner; allowed: the agent 'heuristic'")
        self._weights = self._heuristic.deep
