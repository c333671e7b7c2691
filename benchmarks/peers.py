"""Other libraries, in the same run: the nearest games they have. The games differ; the table says so."""

from __future__ import annotations

import warnings

import numpy as np

from benchmarks.measure import Rate, pinned, rate
from benchmarks.ours import aec_loop


def open_spiel_backgammon(steps: int = 2000) -> tuple[Rate, str]:
    """Decisions/s of OpenSpiel's backgammon from Python: tensor observation by the fast observer, legal mask."""
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

    with pinned(1):
        return rate(work), "OpenSpiel backgammon, Python"


def pettingzoo_connect_four(wrapped: bool) -> tuple[Rate, str]:
    """Steps/s of PettingZoo's connect four."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pettingzoo.classic import connect_four_v3

    environment = connect_four_v3.env() if wrapped else connect_four_v3.raw_env()
    with pinned(1):
        return rate(aec_loop(environment)), f"PettingZoo connect four, {'env()' if wrapped else 'raw_env()'}"


def open_spiel_clone_nanoseconds(name: str = "backgammon") -> float:
    """Nanoseconds of ``State.clone`` of an OpenSpiel game, from Python."""
    import pyspiel

    state = pyspiel.load_game(name).new_initial_state()

    def work() -> int:
        for _ in range(1000):
            state.clone()
        return 1000

    with pinned(1):
        return 1e9 / rate(work).median
