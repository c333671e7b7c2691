"""One foreign library, one file: the games as other libraries expect them, and known to them under their ids.

Entry points are texts, so nothing is loaded before it is asked for.
"""

from __future__ import annotations

import gymnasium
import pettingzoo

from atlantis_envs.registry import ENVIRONMENTS, NAMESPACE, gymnasium_id


def register_environments() -> None:
    """Register every game once, however often this is called.

    Gymnasium: ``atlantis_envs/Atlandice-v1`` (``make`` and ``make_vec``). PettingZoo from 1.27, which has a registry:
    ``atlantis_envs/atlandice-v1``, "aec" and "parallel". With v0 both make today's environment, and warn.
    """
    for name, today in ENVIRONMENTS.items():
        for version in (0, today):
            _register_gymnasium(name, version)
            if hasattr(pettingzoo, "register"):
                _register_pettingzoo(name, version)


def _register_gymnasium(name: str, version: int) -> None:
    identifier = gymnasium_id(name, version)
    if identifier in gymnasium.registry:
        return
    gymnasium.register(
        id=identifier,
        entry_point="atlantis_envs.adapters.gymnasium_env:SeatEnv",
        vector_entry_point="atlantis_envs.adapters.gymnasium_env:SeatVectorEnv",
        kwargs={"game": name},
    )


def _register_pettingzoo(name: str, version: int) -> None:
    identifier, module = f"{NAMESPACE}/{name}-v{version}", f"atlantis_envs.{name}_v{version}"
    known = {"aec": pettingzoo.aec_registry, "parallel": pettingzoo.parallel_registry}
    for kind, function in (("aec", "env"), ("parallel", "parallel_env")):
        if identifier not in known[kind]:
            pettingzoo.register(kind, identifier, entry_point=f"{module}:{function}")
