"""Vocabularies are integers to a kernel, whatever they meet there, and the compiler knows their names only."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

import numpy as np
import pytest

from atlantis_envs.kernels.kernel import JIT, callees, entry, kernel
from atlantis_envs.kernels.vocabulary import Vocabulary


class Colour(Vocabulary):
    RED = 0
    GREEN = 1
    DARK_BLUE = 2
    NAVY = 2


class Plain(IntEnum):
    ONE = 1


SHIFTS = (3, 5, 7)
PAIR = (Colour.GREEN, Colour.DARK_BLUE)


@kernel
def twice(number: int) -> int:
    return 2 * number


@entry
def with_members(row: Any) -> int:
    narrow = int(row[Colour.GREEN])
    mixed = Colour.DARK_BLUE if narrow > Colour.GREEN else narrow  # a member or an int8
    total = SHIFTS[Colour.NAVY] + PAIR[Colour.GREEN]
    for colour in PAIR:
        total = total * 10 + int(row[colour])
    for number in range(Colour.RED, Colour.NAVY):
        total += number
    if mixed == Colour.NAVY and narrow in (Colour.RED, Colour.GREEN, 5):
        total += 1000 * min(narrow, Colour.DARK_BLUE) + 100 * int(Colour.NAVY) + (1 << Colour.DARK_BLUE)
    row[Colour.RED] = Colour.NAVY
    return total + twice(Colour.DARK_BLUE) + twice(narrow) + int(row[Colour.RED])


@entry
def with_numbers(row: Any) -> int:
    narrow = int(row[1])
    mixed = 2 if narrow > 1 else narrow
    total = SHIFTS[2] + 2
    for colour in (1, 2):
        total = total * 10 + int(row[colour])
    for number in range(0, 2):
        total += number
    if mixed == 2 and narrow in (0, 1, 5):
        total += 1000 * min(narrow, 2) + 100 * 2 + (1 << 2)
    row[0] = 2
    return total + twice(2) + twice(narrow) + int(row[0])


@entry
def with_a_wrong_name(row: Any) -> int:
    return row[0] + Colour.PURPLE  # type: ignore[attr-defined]


@entry
def with_a_plain_enumeration(row: Any) -> int:
    return row[0] + Plain.ONE


@pytest.mark.parametrize("narrow", [0, 1, 2, 5, 100])
def test_members_are_what_their_numbers_are(narrow: int) -> None:
    rows = [np.array([0, narrow, 7], np.int8) for _ in range(2)]
    assert with_members(rows[0]) == with_numbers(rows[1])
    assert rows[0].tobytes() == rows[1].tobytes() and rows[0][0] == Colour.NAVY


def test_texts_and_numbers() -> None:
    assert Colour.texts() == ("red", "green", "dark blue")
    assert Colour.texts("_") == ("red", "green", "dark_blue")
    assert Colour.numbers() == {"RED": 0, "GREEN": 1, "DARK_BLUE": 2, "NAVY": 2}


@pytest.mark.skipif(not JIT, reason="about compiling")
def test_a_kernel_is_compiled_once_for_members_and_integers() -> None:
    with_members(np.zeros(3, np.int8))
    assert twice in callees(with_members)
    assert len(twice.signatures) <= 1  # type: ignore[attr-defined]  # none where the caller came from the cache


@pytest.mark.skipif(not JIT, reason="about compiling")
def test_a_wrong_name_is_refused() -> None:
    with pytest.raises(Exception, match="Unknown attribute 'PURPLE'"):
        with_a_wrong_name(np.zeros(3, np.int8))


@pytest.mark.skipif(not JIT, reason="about compiling")
def test_another_enumeration_is_refused_by_name() -> None:
    with pytest.raises(TypeError, match=r"Plain.*vocabularies"):
        with_a_plain_enumeration(np.zeros(3, np.int8))
