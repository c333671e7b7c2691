"""A record in which one number is as small or as large as its type allows is never sound, whichever number it is."""

from __future__ import annotations

import random

import numpy as np
import pytest
from helpers.support import play

import atlantis_envs
from atlantis_envs.engine.position import Position

FREE = {  # numbers of which a rule bounds no end, or that nothing reads
    "atlandice": {"points", "round_number", "unused"},
    "atlantis": {"final", "toll"},
    "atlantis_rising": {"public_hand", "unused"},  # of seats that do not play
}
NODES = {"atlandice": (60, 200), "atlantis": (60, 100), "atlantis_rising": (20, 60, 300)}  # how far play has come


@pytest.mark.parametrize(("name", "nodes"), [(name, nodes) for name, several in NODES.items() for nodes in several])
def test_a_number_at_the_end_of_its_type_is_found(name: str, nodes: int) -> None:
    game = atlantis_envs.game(name, players=2)
    position = play(game.initial_position(), nodes, random.Random(3))
    assert position.faults() == [] and position.node != "over"
    missed, tried = set(), 0
    for field in position.state.dtype.names:
        numbers = position.state[field]
        for at in {0, numbers.size // 2, numbers.size - 1}:
            for value in (np.iinfo(numbers.dtype).min, np.iinfo(numbers.dtype).max):
                if numbers.flat[at] != value:
                    states = position.state.copy()
                    states[field].flat[at] = value
                    found = Position(game, states).faults()
                    tried += 1
                    missed |= set() if found else {field}
                    assert all(place and "\n" not in words for place, words in found)
    assert missed <= FREE[name] and tried > 80
