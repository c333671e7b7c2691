"""Positions that only a broken program can make: reported, never played silently, and nothing is written outside."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from helpers.draws import at_draw, drawn
from helpers.support import run_python

from atlantis_envs.engine.chance import sample_kind
from atlantis_envs.errors import IllegalChanceError
from atlantis_envs.kernels.kernel import entry


@pytest.mark.parametrize("pile", [[0] * 7, [-1, 0, 0, -3, 0, 0, 0], [-128] * 7])
def test_a_chance_node_where_nothing_can_happen_is_reported(pile: list[int]) -> None:
    position = at_draw(pile)
    before = position.key()
    assert position.node == "chance" and position.check() != 0
    assert drawn(position, 0) == 0, "outside the range of the node"
    for ask in (position.chance_outcomes, position.sample_chance, lambda: position.apply("card ring")):
        with pytest.raises(IllegalChanceError, match=r"without outcomes.*broken \(.+: .+\); allowed: "):
            ask()
    assert position.key() == before and position.clone().key() == before


def test_no_batch_begins_at_a_broken_position() -> None:
    broken = at_draw([0] * 7)
    batch = broken.game.batch(2, seed=4)
    before = batch.states.tobytes()
    with pytest.raises(ValueError, match=r"positions\[0\]: broken, .*pile.*allowed: sound positions"):
        batch.load([broken, broken])
    with pytest.raises(ValueError, match=r"positions\[0\]: broken"):
        broken.game.batch_from_positions([broken])
    assert batch.states.tobytes() == before


@pytest.mark.parametrize(
    ("pile", "possible"),
    [
        ([-5, 3, 0, 0, 0, 0, 0], {0}),
        ([0, 0, 0, 0, 0, 1, -1], {0}),
        ([-1, 0, 4, 0, 0, 0, 0], {2}),
        ([2, -1, 0, 3, 0, 0, -1], {0, 3}),
        ([0, 0, 0, 0, 0, 0, 1], {6}),
    ],
)
def test_a_draw_stays_in_its_range_and_takes_what_has_a_weight(pile: list[int], possible: set[int]) -> None:
    """Weights that add up to nothing give the first outcome; a negative one is reported like none at all."""
    position = at_draw(pile)
    assert {drawn(position, number) for number in range(60)} == possible
    if min(pile) < 0:
        with pytest.raises(IllegalChanceError, match="negative weights"):
            position.sample_chance(1)
        with pytest.raises(IllegalChanceError, match="negative weights"):
            position.chance_outcomes()
    else:
        assert position.sample_chance(1) == "card crown"


@entry
def sample_once(rng: Any, counts: Any, total: int) -> int:
    return sample_kind(rng, counts, total)


@pytest.mark.parametrize("counts", [[0, 0, 0], [1, 0, 0], [-7, 0, 2]])
def test_a_piece_is_never_drawn_from_outside_its_multiset(counts: list[int]) -> None:
    """Whatever the total says; the row behind stays as it is."""
    rows = np.array([counts, [9, 9, 9]], np.int8)
    for seed in range(30):
        rows[0] = counts
        assert 0 <= sample_once(np.array([seed, 0], np.uint64), rows[0], 40) < 3
        assert rows[1].tolist() == [9, 9, 9]


PROGRAM = """
from helpers.draws import at_draw, drawn
piles = [[0] * 7, [-5, 3, 0, 0, 0, 0, 0], [2, -1, 0, 3, 0, 0, -1], [1, 2, 3, 4, 5, 6, 7]]
print([drawn(at_draw(pile), number) for pile in piles for number in range(12)])
"""


def test_guards_are_the_same_without_the_compiler() -> None:
    done = run_python("-c", PROGRAM, NUMBA_DISABLE_JIT="1")
    assert done.returncode == 0, done.stderr
    piles = [[0] * 7, [-5, 3, 0, 0, 0, 0, 0], [2, -1, 0, 3, 0, 0, -1], [1, 2, 3, 4, 5, 6, 7]]
    assert done.stdout.strip() == str([drawn(at_draw(pile), number) for pile in piles for number in range(12)])
