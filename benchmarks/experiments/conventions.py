"""PettingZoo's own test suite on every game and number of players: ``python -m benchmarks conventions``.

Every test of PettingZoo is run as it stands, with its default settings on environments with theirs; beside the games
also on PettingZoo's connect four, so that a test that no turn-based game with action masks can pass is seen to fail
there too. With ``--flat`` the environments hand out flat float observations.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import platform
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from importlib import import_module, metadata
from types import SimpleNamespace
from typing import Any, NamedTuple

from pettingzoo.test import (
    api_test,
    max_cycles_test,
    parallel_api_test,
    parallel_seed_test,
    performance_benchmark,
    render_test,
    seed_test,
)
from pettingzoo.test.save_obs_test import test_save_obs as save_obs_test
from pettingzoo.test.state_test import state_test
from pettingzoo.utils.conversions import turn_based_aec_to_parallel
from pettingzoo.utils.wrappers import BaseWrapper

import atlantis_envs
from atlantis_envs.registry import definition, environment_name, game_names

PEER = "connect_four"
NOT_SAVED = "did not save the observations"


class Face(NamedTuple):
    """What the tests look at: the functions of an environment's module."""

    env: Callable[..., Any]
    raw_env: Callable[..., Any]
    parallel_env: Callable[..., Any]


class Limited(BaseWrapper):  # type: ignore[misc]
    """A game of PettingZoo, which has no ``max_cycles``, truncated after so many decisions of every agent."""

    def __init__(self, env: Any, max_cycles: int) -> None:
        """Wrap a turn-based environment."""
        super().__init__(env)
        self._limit = max_cycles * env.max_num_agents
        self._left = 0

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a game and count anew."""
        self._left = self._limit
        super().reset(seed=seed, options=options)

    def step(self, action: Any) -> None:
        """Play, and count."""
        super().step(action)
        self._left -= 1
        if self._left == 0:
            self.env.unwrapped.truncations = dict.fromkeys(self.agents, True)


class Outcome(NamedTuple):
    """What came of a test.

    Attributes:
        passed: nothing was raised.
        error: what was raised, in one line.
        warned: the different warnings.
        printed: what it printed.
        seconds: how long it took.
    """

    passed: bool
    error: str
    warned: tuple[str, ...]
    printed: str
    seconds: float

    @property
    def rates(self) -> list[float]:
        """Return turns per second, if it printed any."""
        return [float(line.split()[0]) for line in self.printed.splitlines() if line.endswith("turns per second")]


CHECKS: dict[str, Callable[[Face], None]] = {
    "api_test of env()": lambda face: api_test(face.env()),
    "api_test of raw_env()": lambda face: api_test(face.raw_env()),
    "seed_test": lambda face: seed_test(face.env),
    "parallel_api_test": lambda face: parallel_api_test(face.parallel_env()),
    "parallel_seed_test": lambda face: parallel_seed_test(face.parallel_env),
    "state_test": lambda face: state_test(face.env(), face.parallel_env()),
    "render_test": lambda face: render_test(face.env),
    "test_save_obs": lambda face: save_obs_test(face.env()),
    "performance_benchmark": lambda face: performance_benchmark(face.env()),
    "max_cycles_test": lambda face: max_cycles_test(SimpleNamespace(env=face.env, parallel_env=face.parallel_env)),
}


def face_of(name: str, players: int, flat: bool = False) -> Face:
    """Return the environments of one of our games, with default settings but for the number of players."""
    module: Any = getattr(atlantis_envs, environment_name(name))
    settings = {"players": players} | ({"flat": True} if flat else {})
    return Face(*(partial(getattr(module, kind), **settings) for kind in Face._fields))


def peer_face() -> Face:
    """Return PettingZoo's connect four; ModuleNotFoundError without the extra ``bench``."""
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
    module: Any = import_module("pettingzoo.classic.connect_four.connect_four")

    def env(max_cycles: int | None = None, **settings: Any) -> Any:
        return module.env(**settings) if max_cycles is None else Limited(module.env(**settings), max_cycles)

    return Face(env, module.raw_env, lambda **settings: turn_based_aec_to_parallel(env(**settings)))


def outcome(check: Callable[[Face], None], face: Face) -> Outcome:
    """Run one test in a folder that is thrown away, since one of them may write pictures."""
    printed, error, started = io.StringIO(), "", time.perf_counter()
    here = os.getcwd()
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        os.chdir(folder)
        try:
            with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(io.StringIO()):
                check(face)
        except Exception as raised:  # whatever a test finds is what is reported
            line = traceback.extract_tb(raised.__traceback__)[-1].line
            error = f"{type(raised).__name__}: {raised}".splitlines()[0].rstrip(": ") + f" at `{line}`"
        finally:
            os.chdir(here)
    warned = tuple(sorted({str(warning.message).splitlines()[0] for warning in caught}))
    return Outcome(not error, error, warned, printed.getvalue(), time.perf_counter() - started)


def cell(found: dict[int, Outcome]) -> str:
    """Return a table's cell: how many numbers of players passed, which failed, and what there is to say."""
    failed = [players for players, one in found.items() if not one.passed]
    notes = [] if failed else [f"{len(found)} of {len(found)} pass"]
    if failed:
        notes.append(f"{len(failed)} of {len(found)} fail: {found[failed[0]].error[:120]}")
    if any(NOT_SAVED in one.printed for one in found.values()):
        notes.append("saves nothing: no image")
    rates = [rate for one in found.values() for rate in one.rates]
    if rates:
        notes.append(f"{min(rates):,.0f}-{max(rates):,.0f} turns/s")
    warned = len({text for one in found.values() for text in one.warned})
    if warned:
        notes.append(f"{warned} warning" + "s" * (warned > 1))
    return "; ".join(notes)


def results(name: str, checks: Iterable[str], flat: bool, counts: Sequence[int]) -> dict[str, dict[int, Outcome]]:
    """Return test -> number of players -> outcome; ``name`` is one of our games, or PEER."""
    made = {players: peer_face() if name == PEER else face_of(name, players, flat) for players in counts}
    found: dict[str, dict[int, Outcome]] = {}
    for check in checks:
        found[check] = {players: outcome(CHECKS[check], face) for players, face in made.items()}
        print(".", end="", file=sys.stderr, flush=True)
    return found


def counts_of(name: str) -> list[int]:
    """Return all numbers of players of one of our games, or of PEER."""
    if name == PEER:
        return [2]
    game = definition(name)
    return list(range(game.min_players, game.max_players + 1))


def main(arguments: list[str]) -> int:
    """Print the table; 1 if one of our games fails a test that connect four passes, or with one player count only."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks conventions", description=__doc__)
    parser.add_argument("games", nargs="*", default=list(game_names()), help="which games (default: all)")
    parser.add_argument("--only", action="append", choices=list(CHECKS), help="only this test (may be repeated)")
    parser.add_argument("--flat", action="store_true", help="environments with flat=True")
    chosen = parser.parse_args(arguments)
    names, checks = [*chosen.games, PEER], chosen.only or list(CHECKS)
    try:
        peer_face()
    except ModuleNotFoundError as missing:
        print(f"without {PEER}: {missing} (extra bench)", file=sys.stderr)
        names.remove(PEER)
    found = {name: results(name, checks, chosen.flat, counts_of(name)) for name in names}
    print(file=sys.stderr)
    print(f"PettingZoo {metadata.version('pettingzoo')}, Gymnasium {metadata.version('gymnasium')}, ", end="")
    print(f"Python {platform.python_version()}{', flat=True' if chosen.flat else ''}\n")
    heads = [f"{name}, {counts_of(name)[0]}-{counts_of(name)[-1]} players" for name in chosen.games]
    print("| test | " + " | ".join(heads + [f"PettingZoo's {name}" for name in names if name == PEER]) + " |")
    print("|---" * (len(names) + 1) + "|")
    for check in checks:
        print(f"| `{check}` | " + " | ".join(cell(found[name][check]) for name in names) + " |")
    print()
    warned = {
        text for name in chosen.games for of in found[name].values() for one in of.values() for text in one.warned
    }
    for text in sorted(warned):
        print(f"- warning: {text}")
    return int(any(not fair(found, name, check) for name in chosen.games for check in checks))


def fair(found: dict[str, dict[str, dict[int, Outcome]]], name: str, check: str) -> bool:
    """Return whether a game passes a test, or connect four fails it too."""
    passed = all(one.passed for one in found[name][check].values())
    return passed or (PEER in found and not all(one.passed for one in found[PEER][check].values()))
