"""Modern board games as reinforcement-learning environments: exact rules, exact masks, explicit chance, fast batches.

>>> import atlantis_envs
>>> position = atlantis_envs.game("atlandice", players=3).initial_position()
>>> position.node
'chance'
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from atlantis_envs.adapters import register_environments
from atlantis_envs.registry import GAMES, environment_name, game, game_names

__version__ = "1.0.0"
__all__ = [
    "Batch",
    "Game",
    "Position",
    "SeatBatch",
    "__version__",
    "analyse",
    "animate",
    "game",
    "game_names",
    "make_agent",
    "replay_html",
]
LATER = {
    "Batch": "atlantis_envs.engine.batch:Batch",
    "Game": "atlantis_envs.engine.game:Game",
    "Position": "atlantis_envs.engine.position:Position",
    "SeatBatch": "atlantis_envs.seats.batch:SeatBatch",
    "analyse": "atlantis_envs.seats.analysis:analyse",
    "animate": "atlantis_envs.play.animation:animate",
    "make_agent": "atlantis_envs.seats.agents:make_agent",
    "replay_html": "atlantis_envs.play.replay_page:page_of",
}
DEPRECATED: dict[str, tuple[str, str, str]] = {}  # old name: name to use, version since when, version that has none
FORMER = tuple(f"{name}_v0" for name in GAMES)  # modules with another name today
MODULES = ("authoring", "errors", *map(environment_name, GAMES))

register_environments()

if TYPE_CHECKING:
    from atlantis_envs import atlandice_v1 as atlandice_v1
    from atlantis_envs import atlantis_rising_v2 as atlantis_rising_v2
    from atlantis_envs import atlantis_v1 as atlantis_v1
    from atlantis_envs import authoring as authoring
    from atlantis_envs import errors as errors
    from atlantis_envs.engine.batch import Batch
    from atlantis_envs.engine.game import Game
    from atlantis_envs.engine.position import Position
    from atlantis_envs.play.animation import animate
    from atlantis_envs.play.replay_page import page_of as replay_html
    from atlantis_envs.seats.agents import make_agent
    from atlantis_envs.seats.analysis import analyse
    from atlantis_envs.seats.batch import SeatBatch


def __getattr__(name: str) -> Any:
    """Load what needs the compiler, or is seldom used, when it is asked for."""
    if name in DEPRECATED:
        from atlantis_envs.errors import deprecated

        instead, since, until = DEPRECATED[name]
        deprecated(f"{__name__}.{name}", f"{__name__}.{instead}", since, until)
        return getattr(import_module(__name__), instead)
    if name in MODULES or name in FORMER:
        return import_module(f"{__name__}.{name}")
    if name not in LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, _, found = LATER[name].partition(":")
    return getattr(import_module(module), found)


def __dir__() -> list[str]:
    """Return the public names, loaded or not."""
    return sorted((*__all__, *MODULES))
