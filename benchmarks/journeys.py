"""How many functions and files a call passes: ``python -m benchmarks journeys``.

Somebody who wants to know what a call does follows it from function to function. Each of three calls is made twice:
once so that everything is imported and compiled, and once while every function of ours that is entered is noted. A stop
is one such function, however often it is called. What Python calls of a kernel is one too; what that calls runs as
machine code and is none, and neither are foreign libraries.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import numpy as np

import atlantis_agents
import atlantis_envs
import atlantis_training

ROOTS = tuple(
    os.path.join(os.path.dirname(str(package.__file__)), "")
    for package in (atlantis_envs, atlantis_agents, atlantis_training)
)
EVALUATE = ["evaluate", "atlandice", "heuristic", "random", "--blocks", "2", "--seed", "1", "--workers", "1"]


@dataclass(frozen=True)
class Journey:
    """What one call passes.

    Attributes:
        stops: the functions of ours in the order in which they are first entered, as ``file: function``.
    """

    stops: tuple[str, ...]

    @property
    def files(self) -> tuple[str, ...]:
        """Their files, in the same order."""
        return tuple(dict.fromkeys(stop.split(": ")[0] for stop in self.stops))


def follow(call: Callable[[], object]) -> Journey:
    """Make a call twice and note, the second time, where it passes."""
    call()
    seen: dict[CodeType, None] = {}

    def enter(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(ROOTS):
            seen.setdefault(frame.f_code)

    before = sys.getprofile()
    sys.setprofile(enter)
    try:
        call()
    finally:
        sys.setprofile(before)
    names = (f"{_inside(code.co_filename)}: {code.co_qualname}" for code in seen if not code.co_name.startswith("<"))
    return Journey(tuple(dict.fromkeys(names)))


def _inside(path: str) -> str:
    root = next(root for root in ROOTS if path.startswith(root))
    return Path(path).relative_to(Path(root).parent).as_posix()


def evaluation() -> object:
    """``atlantis evaluate`` of a few games in one process."""
    from atlantis_training.cli.app import app

    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        return app(EVALUATE, prog_name="atlantis", standalone_mode=False)


def aec_step() -> Callable[[], object]:
    """One step of the PettingZoo environment, its observation and mask included."""
    from atlantis_envs import atlandice_v0

    env = atlandice_v0.env(players=3)
    env.reset(seed=1)
    return lambda: env.step(int(env.last()[0]["action_mask"].argmax()))


def vec_env_step() -> Callable[[], object]:
    """One step of the stable-baselines3 environment against random opponents."""
    from atlantis_envs.adapters.sb3_vecenv import SeatVecEnv

    env = SeatVecEnv(atlantis_envs.game("atlandice", players=3), num_envs=4)
    env.seed(1)
    env.reset()
    return lambda: env.step(np.array([int(mask.argmax()) for mask in env.action_masks()]))


def main(arguments: list[str] | None = None) -> int:
    """Print the table; with ``--stops`` every stop too."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks journeys", description=__doc__)
    parser.add_argument("--stops", action="store_true", help="name every stop")
    named = parser.parse_args(arguments).stops
    journeys = {
        "atlantis evaluate": follow(evaluation),
        "one step of the PettingZoo environment": follow(aec_step()),
        "one step of the stable-baselines3 VecEnv": follow(vec_env_step()),
    }
    print("| call | stops | files |\n|---|---|---|")
    for name, journey in journeys.items():
        print(f"| {name} | {len(journey.stops)} | {len(journey.files)} |")
    for name, journey in journeys.items() if named else ():
        print(f"\n{name}")
        for stop in journey.stops:
            print(f"  {stop}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
