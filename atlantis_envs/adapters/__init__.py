"""One foreign library, one file: the games as other libraries expect them, and known to them under their ids.

Entry points are texts, so nothing is loaded before it is asked for.
"""

from __future__ import annotations

import gymnasium
import pettingzoo

from atlantis_envs.registry import GAMES

NAMESPACE = "atlantis_envs"


def register_environments() -> None:
    """Register every game once, however often this is called.

    Gymnasium: ``atlantis_envs/Atlandice-v0`` (``make`` and ``make_vec``). PettingZoo from 1.27, which has a registry:
    ``atlantis_envs/atlandice-v0``, "aec" and "parallel".
    """
    for name in GAMES:
        _register_gymnasium(name)
        if hasattr(pettingzoo, "register"):
            _register_pettingzoo(name)


def _register_gymnasium(name: str) -> None:
    title = "".join(part.capitalize() for part in name.split("_"))
    if f"{NAMESPACE}/{title}-v0" in gymnasium.registry:
        return
    gymnasium.register(
        id=f"{NAMESPACE}/{title}-v0",
        entry_point="atlantis_envs.adapters.gymnasium_env:SeatEnv",
        vector_entry_point="atlantis_envs.adapters.gymnasium_env:SeatVectorEnv",
        kwargs={"game": name},
    )


def _register_pettingzoo(name: str) -> None:
    known = {"aec": pettingzoo.aec_registry, "parallel": pettingzoo.parallel_registry}
    for kind, function in (("aec", "env"), ("parallel", "parallel_env")):
        if f"{NAMESPACE}/{name}-v0" not in known[kind]:
            pettingzoo.register(kind, f"{NAMESPACE}/{name}-v0", entry_point=f"atlantis_envs.{name}_v0:{function}")
