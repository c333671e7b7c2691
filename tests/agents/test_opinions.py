"""What heuristics choose and how they rank changes only when it is meant to, compiled or not."""

from __future__ import annotations

import json
from typing import Any

import opinions
import pytest
from helpers.support import TESTS, run_python

from atlantis_agents.heuristic import heuristic_names


def test_every_heuristic_is_held_to_its_opinions() -> None:
    assert tuple(sorted(opinions.EDITION)) == tuple(sorted(opinions.stored())) == heuristic_names()


@pytest.mark.parametrize("name", opinions.GAMES)
def test_opinions_change_only_with_their_edition(name: str) -> None:
    complaint, renewable = opinions.complaint(name, opinions.stored().get(name), opinions.computed(name))
    assert not (complaint and not renewable), f"{complaint}: undo the change, or raise EDITION in tests/opinions.py"
    assert not complaint, "run python tests/opinions.py --write"


@pytest.mark.parametrize("name", opinions.GAMES)
def test_uncompiled_kernels_think_the_same_to_the_last_bit(name: str) -> None:
    """Warnings are errors there: compiled, a division by zero goes unnoticed."""
    result = run_python(TESTS / "opinions.py", "--sample", name, timeout=3_600, NUMBA_DISABLE_JIT="1")
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout)[name] == opinions.digests(name, sample=True, exact=True)


def test_a_silent_change_is_refused_and_a_raised_edition_renewed() -> None:
    old: dict[str, Any] = {"edition": 1, "choices": "a", "scores": "b"}
    assert opinions.complaint("toy", old, dict(old)) == ("", True)
    assert opinions.complaint("toy", old, {**old, "scores": "c"})[1] is False
    assert opinions.complaint("toy", old, {"edition": 2, "choices": "c", "scores": "d"})[1] is True
    assert opinions.complaint("toy", None, old)[1] is True
