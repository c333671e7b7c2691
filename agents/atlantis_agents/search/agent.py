"""The agent ``search``: a flat search or a tree of rollouts, for all games that say what a seat cannot know."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from atlantis_agents.networks.policy import NetworkAgent, policy_directory
from atlantis_agents.search.searcher import Found, Policies, Searcher
from atlantis_agents.search.settings import (
    POLICIES,
    TREES,
    allowed_words,
    is_policy,
    leaves_of,
    make_settings,
    parse_argument,
    usual_settings,
)
from atlantis_agents.shipped import is_network
from atlantis_envs.base.arguments import MAX_SEED, is_integer
from atlantis_envs.base.values import repr_short
from atlantis_envs.errors import OptionError
from atlantis_envs.seats.agents import Capabilities, Positions, Trials, make_agent
from atlantis_envs.seats.positions import check_resample

if TYPE_CHECKING:
    from atlantis_envs.engine.game import Game

NOT_IN_TRIALS = {"ms", "simulations", "spread", "tree", "margin"}  # settings: trials are even, so flat, of wins


class SearchAgent:
    """Simulates games from the position and plays the action that came out best.

    >>> from atlantis_agents.search.agent import SearchAgent
    >>> game = atlantis_envs.game("atlandice", players=3)
    >>> agent = SearchAgent(game, seed=0, simulations=16)
    >>> agent.settings.simulations, agent.settings.rollout
    (16, 'mixed')
    >>> batch = atlantis_envs.SeatBatch(game, 4, opponents=agent)

    Args:
        game: the game it plays.
        seed: 0..2**64-1, of its own generator, for calls without noise; None: fresh entropy.
        **settings: as in docs/guide/search.md. Omitted ones default to the game's ``Definition.search``.

    Attributes:
        game: the game.
        seed: the seed.
        settings: all settings, defaults included.

    Raises:
        OptionError: a setting or value that is not supported, or a game that declares no ``resample``.
    """

    def __init__(self, game: Game, seed: int | None = None, **settings: Any) -> None:
        """Check the settings; compiles at the first question."""
        if seed is not None and not (is_integer(seed) and 0 <= seed <= MAX_SEED):
            raise OptionError(f"seed: {repr_short(seed)}; allowed: an integer 0..2**64-1, or None for fresh entropy")
        check_resample(game)
        definition = game.definition
        self.game, self.seed = game, None if seed is None else int(seed)
        self.settings = make_settings(definition, usual_settings(definition), settings)
        self._given = settings
        self._generator = np.random.default_rng(self.seed)
        self._policies = self._find_policies()
        self._searcher = Searcher(game, self.settings, self._policies)
        self._compiled = False

    @classmethod
    def from_argument(cls, game: Game, argument: str, **settings: Any) -> SearchAgent:
        """Make the agent ``search:argument``: a number of simulations, settings as NAME=VALUE, with commas.

        Raises:
            OptionError: naming what is wrong and what is allowed.
        """
        return cls(game, **{**settings, **parse_argument(argument)})

    def act(
        self,
        observations: NDArray[np.uint8],
        masks: NDArray[np.int8],
        noise: NDArray[np.uint64] | None = None,
    ) -> NoReturn:
        """Refuse: observations are not enough to play on from.

        Raises:
            OptionError: always.
        """
        raise OptionError(
            "agent: search sees positions, not observations; allowed: asking it through SeatBatch, "
            "atlantis_envs.seats.positions.ask and ask_at, or act_positions"
        )

    def act_positions(self, positions: Positions, noise: NDArray[np.uint64] | None = None) -> NDArray[np.int64]:
        """Return one legal action per position; see PositionAgent.

        Raises:
            OptionError: positions of another game.
        """
        return self.study(positions, noise).choices

    def study(self, positions: Positions, noise: NDArray[np.uint64] | None = None) -> Found:
        """Search every position, and return all that came out.

        Args:
            positions: N of them, as ``atlantis_envs.seats.positions.determinize`` makes them.
            noise: uint64 (N,), the only randomness; None: drawn from the agent's own generator.

        Raises:
            OptionError: positions of another game.
        """
        mine = isinstance(positions, Positions) and (positions.game is self.game or positions.game == self.game)
        if not mine:
            raise OptionError(f"positions: {repr_short(positions)}; allowed: Positions of {self.game!r}")
        if noise is None:
            noise = self._generator.integers(0, MAX_SEED, len(positions), np.uint64, endpoint=True)
        if not self._compiled:
            self._searcher.compile()
            self._compiled = True
        return self._searcher.search(positions, noise)

    def position_values(self, positions: Positions) -> NDArray[np.float64]:
        """Return what the leaf of the search says that positions are worth to every seat, float64 (N, P)."""
        return self._searcher.leaf_values(positions)

    @property
    def budget(self) -> int:
        """Return the simulations for a decision; 0: the clock limits it."""
        return self.settings.simulations

    def try_all(self, positions: Positions, noise: NDArray[np.uint64]) -> Trials:
        """Try every legal action once per row of luck, mixed rollouts in pairs; see Analyst."""
        each = 2 if self.settings.rollout == "mixed" else 1
        kept = {name: value for name, value in self._given.items() if name not in NOT_IN_TRIALS}
        legal = int(np.count_nonzero(positions.masks[0]))
        even = SearchAgent(self.game, self.seed, **kept, spread="even", margin=0.0, simulations=each * legal)
        found = even.study(positions, noise)
        return Trials(found.means, each, found.scores[0])

    def _find_policies(self) -> Policies:
        """Return whom the settings name.

        Raises:
            OptionError: there is no such policy, or it cannot do what they say.
        """
        made = self.settings
        named = [setting for setting in ("rollout", "own", "leaf", "guide") if is_policy(getattr(made, setting))]
        found = {getattr(made, setting): self._policy(setting) for setting in named}
        for setting in named:
            self._check_policy(setting, found[getattr(made, setting)])
        player, valuer, guide = found.get(made.player), found.get(made.leaf), found.get(made.guide)
        if player is not None and player.advice:  # its adviser is no kernel: NumPy asks both
            if valuer is not None:
                allowed = ", ".join(leaves_of(self.game.definition))
                raise OptionError(f"search: leaf={repr_short(made.leaf)}; allowed with rollouts by advice: {allowed}")
            return Policies(rollouts=player, prior=guide)
        return Policies(prior=None if made.ranks else guide, player=player, valuer=valuer)

    def _check_policy(self, setting: str, policy: NetworkAgent) -> None:
        """Refuse a policy that cannot do what a setting says.

        Raises:
            OptionError: naming the setting.
        """
        made = self.settings
        text = f"search: {setting}={repr_short(getattr(made, setting))}; allowed: a policy"
        if setting == "leaf" and not policy.value:
            raise OptionError(f"{text} that knows values, as learned by TD")
        if policy.advice and (made.tree != "none" or setting not in ("rollout", "guide")):
            raise OptionError(f"{text} without advice")

    def _policy(self, setting: str) -> NetworkAgent:
        """Return the policy that a setting names.

        Raises:
            OptionError: there is no such policy.
        """
        name = getattr(self.settings, setting)
        if not is_network(name) and policy_directory(name) is None:
            allowed = ", ".join(allowed_words(self.game.definition)[setting])
            raise OptionError(f"search: {setting}={repr_short(name)}; allowed: {allowed}")
        agent = make_agent(name, self.game)
        if not isinstance(agent, NetworkAgent):
            raise OptionError(f"search: {setting}={repr_short(name)}; allowed: {', '.join(POLICIES)}")
        return agent

    @property
    def entries(self) -> list[Any]:
        """Return what searching compiles (atlantis_envs.seats.compiled.compiling_for)."""
        return [self.game.loops.resample, *self._searcher.entries, *Capabilities(self._policies.rollouts).entries]

    def prepare(self) -> None:
        """Compile, or load, what a search of this game may need with whatever settings but ``own``."""
        for tree in TREES:
            SearchAgent(self.game, 0, tree=tree, simulations=2)._searcher.compile()
        Searcher(self.game, self.settings, Policies(rollouts=make_agent("random", self.game))).compile()

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as game, seed and settings; compiled code is never pickled."""
        return _restore, (type(self), self.game, self.seed, self._given)

    def __repr__(self) -> str:
        """Show all settings."""
        return f"<SearchAgent search:{self.settings.text} of {self.game!r}>"


def _restore(kind: type[SearchAgent], game: Game, seed: int | None, given: dict[str, Any]) -> SearchAgent:
    return kind(game, seed, **given)
