"""Who plays whom: every agent as hero in every seat against tables of every other agent, block by block."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

from atlantis_envs.base.values import shown
from atlantis_envs.engine.definition import IDENTICAL
from atlantis_envs.engine.game import Game, checked_game
from atlantis_envs.errors import OptionError
from atlantis_training.lab.limits import GAMES_LIMIT
from atlantis_training.lab.workers import LineUp

MOST_AGENTS = 32
LEAST_BLOCKS = 2  # spread is seen between blocks
STEP = 25  # blocks of a task; a task is what an interruption may lose


@dataclass(frozen=True)
class Ladder:
    """A ladder: its games are a function of these.

    Attributes:
        game: the game.
        agents: different texts, one per agent; the first is the one that ratings are compared with.
        seed: of chance and agents.
    """

    game: Game
    agents: tuple[str, ...]
    seed: int = 0

    def __post_init__(self) -> None:
        """Check the agents.

        Raises:
            OptionError: too few, too many, or the same twice.
        """
        checked_game(self.game)
        twice = [agent for agent in self.agents if self.agents.count(agent) > 1]
        if twice:
            raise OptionError(f"agents: {shown(twice[0])} is named twice; allowed: different agents")
        if not 2 <= len(self.agents) <= MOST_AGENTS:
            raise OptionError(f"agents: {len(self.agents)}; allowed: 2..{MOST_AGENTS}")

    @property
    def cooperative(self) -> bool:
        """Whether the seats win and lose together: then a team of each agent plays by itself."""
        return bool(self.game.definition.utility == IDENTICAL)

    @cached_property
    def matchups(self) -> tuple[tuple[LineUp, ...], ...]:
        """The tables of every pair of agents, or the one table of every team; equally many each."""
        if self.cooperative:
            return tuple(((agent,) * self.game.players,) for agent in self.agents)
        return tuple(self._tables(one, other) for one, other in combinations(self.agents, 2))

    def _tables(self, one: str, other: str) -> tuple[LineUp, ...]:
        """Either agent as hero in every seat; with two players these are the same tables."""
        seats = range(self.game.players)
        heroes = [self.hero_table(hero, rest, seat) for hero, rest in ((one, other), (other, one)) for seat in seats]
        return tuple(dict.fromkeys(heroes))

    def hero_table(self, hero: str, rest: str, seat: int) -> LineUp:
        """``hero`` in ``seat``, ``rest`` in all others."""
        return tuple(hero if place == seat else rest for place in range(self.game.players))

    @property
    def games_a_block(self) -> int:
        """Games of one block: every table of every matchup once, all with the same luck."""
        return sum(len(tables) for tables in self.matchups)


def check_blocks(ladder: Ladder, blocks: int) -> None:
    """Check a number of blocks.

    Raises:
        OptionError: too few for intervals, or more games than can be kept.
    """
    most = GAMES_LIMIT // ladder.games_a_block
    if not LEAST_BLOCKS <= blocks <= most:
        raise OptionError(f"blocks: {shown(blocks)}; allowed: {LEAST_BLOCKS}..{most}")


def two_named(text: str, agents: Sequence[str]) -> tuple[str, str]:
    """Read "A:B" where names may hold colons themselves: both are among the agents, which are these two.

    Raises:
        OptionError: they are not.
    """
    parts = text.split(":")
    splits = [(":".join(parts[:cut]), ":".join(parts[cut:])) for cut in range(1, len(parts))]
    fitting = [pair for pair in splits if set(pair) == set(agents) and pair[0] != pair[1]]
    if len(fitting) != 1 or len(agents) != 2:
        named = ", ".join(map(shown, agents))
        raise OptionError(f"better: {shown(text)} with agents {named}; allowed: A:B, with A and B the agents")
    return fitting[0]
