"""The agents that are kernels, random and heuristic, as players of a compiled loop."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from atlantis_agents.heuristic import find_heuristic, heuristic_names
from atlantis_agents.heuristics import Heuristic
from atlantis_agents.random import bounded, count_legal, nth_legal
from atlantis_agents.rows import NO_ACTION
from atlantis_envs.engine.advance import Players
from atlantis_envs.engine.game import Game
from atlantis_envs.engine.kernel import kernel
from atlantis_envs.engine.records import records

RANDOM, HEURISTIC = "random", "heuristic"
RANDOM_CODE = 0


@kernel
def random_action(mask, noise):  # type: ignore[no-untyped-def]
    """A uniform legal action, the one RandomAgent plays; NO_ACTION where there is none."""
    count = count_legal(mask)
    return nth_legal(mask, bounded(noise, count)) if count > 0 else NO_ACTION


@cache
def make_decide(heuristic: Heuristic | None) -> Callable[..., Any]:
    """The kernel that asks the random player (code 0) or the heuristic (code 1)."""
    if heuristic is None:

        @kernel
        def decide_random(code, knobs, work, observation, mask, noise):  # type: ignore[no-untyped-def]
            return random_action(mask, noise)  # type: ignore[no-untyped-call]

        return decide_random
    think = heuristic.decide

    @kernel
    def decide_either(code, knobs, work, observation, mask, noise):  # type: ignore[no-untyped-def]
        if code == RANDOM_CODE:
            return random_action(mask, noise)  # type: ignore[no-untyped-call]
        return think(knobs[0], work, observation, mask, noise)

    return decide_either


def kernel_players(game: Game) -> tuple[Players, tuple[str, ...]]:
    """The players there are for a game, and their names in the order of their codes."""
    if game.name not in heuristic_names():
        nothing = np.zeros(1, np.float64)
        return Players(make_decide(None), nothing, nothing), (RANDOM,)
    heuristic = find_heuristic(game.name)
    work = records(heuristic.work_records, heuristic.work_dtype)
    return Players(make_decide(heuristic), heuristic.weights, work), (RANDOM, HEURISTIC)
