"""Modern board games as reinforcement-learning environments: exact rules, exact masks, explicit chance, fast batches.

>>> import atlantis_envs
>>> position = atlantis_envs.game("atlandice", players=3).initial_position()
>>> position.node
'chance'
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from atlantis_envs.adapters.registration import register_environments
from atlantis_envs.registry import game, game_names

__version__ = "0.1.0"
__all__ = ["__version__", "analyse", "game", "game_names", "replay_html"]
LATER = {"analyse": "atlantis_envs.seats.analysis:analyse", "replay_html": "atlantis_envs.play.replay_page:page_of"}

register_environments()

if TYPE_CHECKING:
    from atlantis_envs.play.replay_page import page_of as replay_html
    from atlantis_envs.seats.analysis import analyse


def __getattr__(name: str) -> Any:
    """Load what is seldom used, and what it needs, when it is asked for."""
    if name not in LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, _, found = LATER[name].partition(":")
    return getattr(import_module(module), found)
