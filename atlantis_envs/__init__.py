"""Modern board games as reinforcement-learning environments: exact rules, exact masks, explicit chance, fast batches.

>>> import atlantis_envs
>>> position = atlantis_envs.game("atlandice", players=3).initial_position()
>>> position.node
'chance'
"""

from __future__ import annotations

from atlantis_envs.adapters.registration import register_environments
from atlantis_envs.registry import game, game_names

__version__ = "0.1.0"
__all__ = ["__version__", "game", "game_names"]

register_environments()
