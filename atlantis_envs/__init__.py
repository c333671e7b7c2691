"""Modern board games as reinforcement-learning environments: exact rules, exact masks, explicit chance, fast batches.

>>> import atlantis_envs
>>> position = atlantis_envs.game("atlandice", players=3).initial_position()
>>> position.node
'chance'
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atlantis_envs.adapters.registration import register_environments
from atlantis_envs.registry import game, game_names

__version__ = "0.1.0"
__all__ = ["__version__", "analyse", "game", "game_names"]

register_environments()

if TYPE_CHECKING:
    from atlantis_envs.seats.analysis import analyse


def __getattr__(name: str) -> Any:
    """Load ``analyse``, and what it needs, when it is asked for."""
    if name != "analyse":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from atlantis_envs.seats.analysis import analyse as found

    return found
