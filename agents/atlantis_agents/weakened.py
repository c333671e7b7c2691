"""Agents that err on purpose, so that skill is an axis: ``eps:0.1:heuristic`` and ``soft:0.5:heuristic``.

What they draw is a function of the word that ``act`` gets, so it does not depend on how games are batched. The agent
below gets the same word: with nothing drawn it plays as it always does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from atlantis_agents.heuristic import HeuristicAgent
from atlantis_agents.networks.policy import NetworkAgent
from atlantis_agents.random import random_loop
from atlantis_agents.rows import Bytes, Ids, Masks, Words, check_some_legal
from atlantis_envs.base.values import decimal_number, repr_short
from atlantis_envs.errors import OptionError
from atlantis_envs.seats.agents import Agent, Capabilities, Positions, make_agent

if TYPE_CHECKING:
    from atlantis_envs.engine.game import Game

STEP = np.uint64(0x9E3779B97F4A7C15)  # of SplitMix64 (Steele, Lea & Flood 2014)
MIX_1, MIX_2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
TO_UNIT = 2.0**-64
MOST_TEMPERATURE = 1e6


def derived_words(noise: Words, number: int) -> Words:
    """Return words that are independent of these and of those of other numbers, uint64 (N,)."""
    with np.errstate(over="ignore"):
        words = noise + np.uint64(number + 1) * STEP
        words = (words ^ (words >> np.uint64(30))) * MIX_1
        words = (words ^ (words >> np.uint64(27))) * MIX_2
    return words ^ (words >> np.uint64(31))


class WeakenedAgent(Agent):
    """An agent on top of another one.

    Args:
        game: the game to play.
        base: the agent below, or a text that names it.
        amount: how much it errs.
        seed: of its own generator, used where ``act`` gets no noise; None: fresh entropy.

    Attributes:
        base: the agent below.
        sees_positions: whether that one is asked at positions.
    """

    NAME = ""
    RANGE = (0.0, 1.0)

    def __init__(self, game: Game, base: str | Agent, amount: float, seed: int | None = None) -> None:
        """Find the agent below.

        Raises:
            OptionError: there is no such agent, it cannot be weakened like this, or an amount out of range.
        """
        low, high = self.RANGE
        if isinstance(amount, bool) or not isinstance(amount, (int, float)) or not low <= amount <= high:
            raise OptionError(f"agent: {self.NAME}:{repr_short(amount)}; allowed: a number {low:g}..{high:g}")
        self.game, self.amount = game, float(amount)
        self.base = make_agent(base, game)
        self.sees_positions = Capabilities(self.base).act_positions is not None
        self.entries = tuple(Capabilities(self.base).entries)
        self._generator = np.random.default_rng(seed)

    @classmethod
    def from_argument(cls, game: Game, argument: str, **settings: Any) -> WeakenedAgent:
        """Make the agent out of ``AMOUNT:BASE``.

        Raises:
            OptionError: naming what is wrong and what is allowed.
        """
        amount, colon, base = argument.partition(":")
        number = decimal_number(amount)
        if number is None or not colon or not base:
            low, high = cls.RANGE
            example = f"{cls.NAME}:NUMBER:AGENT, NUMBER {low:g}..{high:g}"
            raise OptionError(f"agent: {repr_short(f'{cls.NAME}:{argument}')}; allowed: {example}")
        return cls(game, base, number, **settings)

    def _noise(self, count: int, noise: Words | None) -> Words:
        if noise is not None:
            return noise
        return self._generator.integers(0, 2**64 - 1, count, np.uint64, endpoint=True)


class EpsilonAgent(WeakenedAgent):
    """Plays what another agent plays, but with chance ``amount`` a legal action at random; ``eps:AMOUNT:BASE``."""

    NAME = "eps"

    def act(self, observations: Bytes, masks: Masks, noise: Words | None = None) -> Ids:
        """Return one legal action per row; see Agent."""
        noise = self._noise(len(masks), noise)
        return self._erring(self.base.act(observations, masks, noise), masks, noise)

    def act_positions(self, positions: Positions, noise: Words | None = None) -> Ids:
        """Return one legal action per position; see PositionAgent."""
        noise = self._noise(len(positions), noise)
        ask: Any = Capabilities(self.base).act_positions
        return self._erring(ask(positions, noise), positions.masks, noise)

    def _erring(self, actions: Ids, masks: Masks, noise: Words) -> Ids:
        errs = derived_words(noise, 0) * TO_UNIT < self.amount
        ids = np.array(actions, np.int64)
        if errs.any():
            picked = np.zeros(int(errs.sum()), np.int64)
            draw: Any = random_loop
            draw(np.ascontiguousarray(masks[errs]), derived_words(noise, 1)[errs], picked)
            ids[errs] = picked
        return ids


class SoftAgent(WeakenedAgent):
    """Draws an action with odds exp(score / amount); ``soft:AMOUNT:BASE``.

    The scores are those of a heuristic or a planner, or the logits of a policy, in units of their own.
    """

    NAME, RANGE = "soft", (1e-6, MOST_TEMPERATURE)

    def __init__(self, game: Game, base: str | Agent, amount: float, seed: int | None = None) -> None:
        """Find the agent below; see WeakenedAgent."""
        super().__init__(game, base, amount, seed)
        if not isinstance(self.base, (HeuristicAgent, NetworkAgent)):
            raise OptionError(f"agent: soft of {repr_short(base)}; allowed: heuristic, planner, or a policy")

    def act(self, observations: Bytes, masks: Masks, noise: Words | None = None) -> Ids:
        """Return one legal action per row; see Agent."""
        noise = self._noise(len(masks), noise)
        if isinstance(self.base, NetworkAgent):
            return self._drawn(self.base.masked_logits(observations, masks, noise), masks, noise)
        scores = self.base.scores(observations, masks)  # type: ignore[attr-defined]
        check_some_legal(masks)
        return self._drawn(scores, masks, noise)

    def act_positions(self, positions: Positions, noise: Words | None = None) -> Ids:
        """Return one legal action per position; see PositionAgent."""
        noise = self._noise(len(positions), noise)
        scores = self.base.position_logits(positions, noise)  # type: ignore[attr-defined]
        return self._drawn(scores, positions.masks, noise)

    def _drawn(self, scores: NDArray[Any], masks: Masks, noise: Words) -> Ids:
        legal = masks != 0
        worth = np.where(legal, scores, -np.inf).astype(np.float64)
        odds = np.where(legal, np.exp((worth - worth.max(axis=1, keepdims=True)) / self.amount), 0.0)
        ladder = np.cumsum(odds, axis=1)
        picks = (ladder <= (derived_words(noise, 0) * TO_UNIT * ladder[:, -1])[:, None]).sum(axis=1)
        last = masks.shape[1] - 1 - legal[:, ::-1].argmax(axis=1)  # where rounding passes the end of the ladder
        return np.asarray(np.minimum(picks, last), np.int64)
