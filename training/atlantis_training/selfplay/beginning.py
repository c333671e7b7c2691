"""What a run begins with: its game, its opponents, and maybe a policy."""

from __future__ import annotations

import atlantis_envs
from atlantis_agents.catalogue import HEURISTIC, RANDOM, policy_directory
from atlantis_agents.networks.policy import PolicyAgent
from atlantis_envs.engine.game import Game
from atlantis_envs.errors import OptionError
from atlantis_envs.seats.agents import make_agent
from atlantis_training.selfplay.pool import POLICY, SNAPSHOT, Pool
from atlantis_training.selfplay.settings import SelfPlaySettings


def make_game(settings: SelfPlaySettings) -> Game:
    """The game of these settings."""
    clash = sorted({"name", "players", "data"} & set(settings.options))
    if clash:
        raise OptionError(f"options: {', '.join(clash)}; allowed: options of the game; players and data are settings")
    return atlantis_envs.game(
        settings.game, players=settings.players or None, data=settings.data or None, **settings.options
    )


def make_pool(game: Game, settings: SelfPlaySettings) -> Pool:
    """The opponents there are at the beginning."""
    shares = {
        RANDOM: settings.share_random,
        HEURISTIC: settings.share_heuristic,
        SNAPSHOT: settings.share_snapshots,
        POLICY: settings.share_policies,
    }
    pool = Pool(game, shares, settings.priority, settings.mixed, settings.max_snapshots)
    for path in settings.policies:
        saved = policy_directory(path, game)
        agent = make_agent(path, game) if saved is None else PolicyAgent(game, saved, greedy=False)
        pool.add(POLICY, path, agent)
    return pool
