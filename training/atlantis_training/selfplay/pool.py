"""Who the learner plays against: a pool that grows with snapshots of the learner itself.

The pool draws opponents by prioritised fictitious self-play (PFSP, Vinyals et al. 2019): the more a game against an
opponent teaches, judged by the learner's recent win share against it, the more often it sits at the table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import atlantis_envs
from atlantis_agents.catalogue import HEURISTIC, RANDOM, names_for
from atlantis_agents.networks.policy import PolicyAgent, policy_directory
from atlantis_envs.engine.game import Game
from atlantis_envs.errors import OptionError
from atlantis_envs.seats.agents import Agent, make_agent
from atlantis_training.selfplay.settings import EVEN, HARD, SelfPlaySettings, TDSettings

SNAPSHOT = "snapshot"
POLICY = "policy"
MEMORY = 0.995  # weight of the past in the recent win share, per game: about the last 200 games count
FLOOR = 0.05  # no opponent is ever forgotten: a beaten one may become dangerous again
TO_UNIT = 2.0**-64


@dataclass
class Entry:
    """An opponent of the pool.

    Attributes:
        number: its own, never used again.
        kind: "random", "heuristic", "policy" or "snapshot".
        name: for people.
        agent: the agent that plays.
        share: the learner's recent win share against it, two at a time: 1 above it, 1/2 level, 0 below.
        games: games behind that.
        active: whether new games are played against it; one that is not waits for its last game to end.
    """

    number: int
    kind: str
    name: str
    agent: Agent
    share: float = 0.5
    games: int = 0
    active: bool = True

    def to_json(self) -> dict[str, Any]:
        """Return all but the agent."""
        return {key: value for key, value in vars(self).items() if key != "agent"}


class Pool:
    """Opponents with statistics. New games draw theirs with odds of share of the kind x priority of the opponent.

    The snapshots divide the share of their kind. Draws are functions of (seed, game number) and the statistics at that
    time, so a resumed run draws the same.

    Args:
        game: what is played.
        shares: weight of each kind; 0 leaves a kind out.
        priority: "even" prefers opponents as strong as the learner, "hard" those it loses to.
        mixed: draw each seat's opponent by itself, not one for the whole table.
        max_snapshots: above it, the snapshot the learner beats most retires.
    """

    def __init__(
        self, game: Game, shares: dict[str, float], priority: str = EVEN, mixed: bool = False, max_snapshots: int = 10
    ) -> None:
        """Begin with the agents that everybody knows."""
        self.game = game
        self.shares = dict(shares)
        self.priority, self.mixed, self.max_snapshots = priority, mixed, max_snapshots
        self.entries: dict[int, Entry] = {}
        self.next_number = 0
        names = [name for name in (RANDOM, HEURISTIC) if name in names_for(game.name)]
        for name in names:
            self.add(name, name, make_agent(name, game))
        if HEURISTIC not in names and not self.shares.get(RANDOM):
            self.shares[RANDOM] = self.shares.get(HEURISTIC, 0.0)  # the only player there is to begin with

    def add(self, kind: str, name: str, agent: Agent) -> Entry:
        """Return a new opponent."""
        entry = Entry(self.next_number, kind, name, agent)
        self.entries[entry.number] = entry
        self.next_number += 1
        return entry

    def add_snapshot(self, name: str, agent: Agent, sitting: NDArray[np.int32]) -> None:
        """Add an opponent that the learner is level with; ``sitting`` says who is still needed."""
        snapshots = [entry for entry in self.entries.values() if entry.kind == SNAPSHOT and entry.active]
        if len(snapshots) >= self.max_snapshots:
            max(snapshots, key=lambda entry: (entry.share, -entry.number)).active = False
        needed = set(np.unique(sitting).tolist())
        kept = {number: entry for number, entry in self.entries.items() if entry.active or number in needed}
        self.entries = kept
        self.add(SNAPSHOT, name, agent)

    # ----------------------------------------------------------------------------------------------------- drawing

    def odds(self) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """Return numbers of the active opponents and the probability of each."""
        active = [entry for entry in self.entries.values() if entry.active]
        counts = {kind: sum(entry.kind == kind for entry in active) for kind in self.shares}
        weights = [
            self.shares.get(entry.kind, 0.0) / max(1, counts.get(entry.kind, 1)) * (self._worth(entry) + FLOOR)
            for entry in active
        ]
        numbers = np.array([entry.number for entry in active], np.int32)
        odds = np.array(weights)
        if not odds.sum() > 0:  # snapshots only, and there is none yet
            odds = np.array([float(entry.kind == RANDOM) for entry in active])
        return numbers, odds / odds.sum()

    def _worth(self, entry: Entry) -> float:
        lost = 1.0 - entry.share
        return lost * lost if self.priority == HARD else 4 * entry.share * lost

    def seat(self, random_words: NDArray[np.uint64], seats: NDArray[np.int8]) -> NDArray[np.int32]:
        """Draw an opponent for every game, or for every seat if mixed; see Seating."""
        numbers, odds = self.odds()
        ladder = np.cumsum(odds)
        draws = (random_words if self.mixed else random_words[:, :1]) * TO_UNIT
        chosen = np.minimum(np.searchsorted(ladder, draws, side="right"), len(numbers) - 1)
        return np.broadcast_to(numbers[chosen], random_words.shape).copy()

    def opponents(self) -> Mapping[int, Agent]:
        """Return every opponent that may play now, by number."""
        return {number: entry.agent for number, entry in self.entries.items()}

    # ----------------------------------------------------------------------------------------------------- learning

    def record(self, sitting: NDArray[np.int32], seats: NDArray[np.int8], returns: NDArray[np.float32]) -> None:
        """Update the win shares of the opponents of games that ended; see Seating. Team mates are no opponents."""
        if self.game.cooperative:
            return
        for row, seat in enumerate(seats):
            for other, number in enumerate(sitting[row]):
                if other != seat and number in self.entries:
                    margin = float(returns[row, seat]) - float(returns[row, other])
                    entry = self.entries[int(number)]
                    outcome = 1.0 if margin > 0 else 0.5 if margin == 0 else 0.0
                    entry.share += (1.0 - MEMORY) * (outcome - entry.share)
                    entry.games += 1


def make_game(settings: SelfPlaySettings | TDSettings) -> Game:
    """Return the game of these settings."""
    clash = sorted({"name", "players", "data"} & set(settings.options))
    if clash:
        raise OptionError(f"options: {', '.join(clash)}; allowed: options of the game; players and data are settings")
    return atlantis_envs.game(
        settings.game, players=settings.players or None, data=settings.data or None, **settings.options
    )


def make_pool(game: Game, settings: SelfPlaySettings, kind: type[Pool] | None = None) -> Pool:
    """Return the opponents there are at the beginning, in a pool of this kind."""
    shares = {
        RANDOM: settings.share_random,
        HEURISTIC: settings.share_heuristic,
        SNAPSHOT: settings.share_snapshots,
        POLICY: settings.share_policies,
    }
    pool = (kind or Pool)(game, shares, settings.priority, settings.mixed, settings.max_snapshots)
    for path in settings.policies:
        saved = policy_directory(path, game)
        agent = make_agent(path, game) if saved is None else PolicyAgent(game, saved, greedy=False)
        pool.add(POLICY, path, agent)
    return pool
