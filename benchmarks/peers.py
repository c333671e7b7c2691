"""Other libraries, in the same run: the nearest games they have. The games differ; the table says so."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks import foreign
from benchmarks.measure import Process, ProcessError, Rate, aec_loop, pinned, rate

# Libraries with an environment of their own: what each is called and the rows that `foreign` measures with it.
ELSEWHERE: dict[str, tuple[str, dict[str, tuple[str, ...]]]] = {
    "pgx": (
        "pgx",
        {
            "pgx backgammon, 1,024 games, a call a step (decision: one die moved)": ("backgammon", "1"),
            "pgx backgammon, 1,024 games, a call for 20 steps (decision: one die moved)": ("backgammon", "20"),
            "pgx connect four, 1,024 games, a call a step (decision: one disc)": ("connect_four", "1"),
            "pgx connect four, 1,024 games, a call for 20 steps (decision: one disc)": ("connect_four", "20"),
        },
    ),
    "envpool": (
        "EnvPool",
        {
            "EnvPool Backgammon-v1, 1,024 at once (decision: one die moved)": ("Backgammon-v1",),
            "EnvPool CartPole-v1, no board game, 1,024 at once (decision: one step)": ("CartPole-v1",),
            "EnvPool Blackjack-v1, cards, 1,024 at once (decision: one step)": ("Blackjack-v1",),
        },
    ),
}
VERSIONS = {"pgx": "pgx==2.6.0 jax==0.10.2", "envpool": "envpool==1.2.5"}


def elsewhere(library: str, python: str) -> dict[str, Process]:
    """Return a process per row of a library, each ready; a ProcessError where that interpreter cannot run it."""
    _, rows = ELSEWHERE[library]
    started: dict[str, Process] = {}
    try:
        for label, arguments in rows.items():
            # Isolated (-I): neither this library's paths nor its modules may be found there.
            command = [python, "-I", str(Path(foreign.__file__)), library, *arguments]
            started[label] = Process(command, f"--{library} {python}")
    except ProcessError:
        for process in started.values():
            process.stop()
        raise
    return started


def how_to_get(libraries: list[str]) -> str:
    """Return one line: what is not shown, and the commands that show it."""
    names = ", ".join(ELSEWHERE[library][0] for library in libraries)
    versions = " ".join(VERSIONS[library] for library in libraries)
    options = " ".join(f"--{library} ../peers/bin/python" for library in libraries)
    install = f"python3 -m venv ../peers && ../peers/bin/pip install {versions}"
    return f"Not asked for, so not shown: {names}. `{install}`, then add `{options}`."


def open_spiel_work(steps: int = 2000) -> Callable[[], int]:
    """Return OpenSpiel's backgammon from Python: tensor observation by the fast observer, legal mask."""
    import pyspiel
    from open_spiel.python.observation import make_observation

    game = pyspiel.load_game("backgammon")
    observation = make_observation(game)
    generator = np.random.default_rng(0)
    state = game.new_initial_state()

    def work() -> int:
        nonlocal state
        done = 0
        while done < steps:
            if state.is_terminal():
                state = game.new_initial_state()
            elif state.is_chance_node():
                outcomes = state.chance_outcomes()
                weights = np.cumsum([weight for _, weight in outcomes])
                state.apply_action(outcomes[int(np.searchsorted(weights, generator.random()))][0])
            else:
                observation.set_from(state, state.current_player())
                np.asarray(state.legal_actions_mask(), np.int8)
                legal = state.legal_actions()
                state.apply_action(legal[int(generator.random() * len(legal))])
                done += 1
        return done

    return work


def open_spiel_backgammon() -> tuple[Rate, str]:
    """Return decisions/s of it."""
    with pinned(1):
        return rate(open_spiel_work()), "OpenSpiel backgammon, Python"


def pettingzoo_work(wrapped: bool) -> Callable[[], int]:
    """Return PettingZoo's connect four."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pettingzoo.classic import connect_four_v3

    return aec_loop(connect_four_v3.env() if wrapped else connect_four_v3.raw_env())


def pettingzoo_connect_four(wrapped: bool) -> tuple[Rate, str]:
    """Return steps/s of it."""
    with pinned(1):
        return rate(pettingzoo_work(wrapped)), f"PettingZoo connect four, {'env()' if wrapped else 'raw_env()'}"


def open_spiel_clone_nanoseconds(name: str = "backgammon") -> float:
    """Return nanoseconds of ``State.clone`` of an OpenSpiel game, from Python."""
    import pyspiel

    state = pyspiel.load_game(name).new_initial_state()

    def work() -> int:
        for _ in range(1000):
            state.clone()
        return 1000

    with pinned(1):
        return 1e9 / rate(work).median
