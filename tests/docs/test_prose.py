"""docs/prose.py, which measures the pages: it sees long sentences and forbidden words, and not what is code."""

from __future__ import annotations

import sys

import pytest
from helpers.support import ROOT

sys.path.insert(0, str(ROOT / "docs"))
import prose

LONG = "One " + "and one " * 13


@pytest.mark.parametrize(
    ("text", "long"),
    [
        (f"{LONG}.", 1),
        (f"Short. {LONG}. Short.", 1),
        (f"- short\n- {LONG}\n", 1),
        (f"    {LONG}\n", 0),
        (f"```\n{LONG}\n```\n", 0),
        (f"| {LONG} |\n", 0),
        (f"# {LONG}\n", 0),
        ("Two sentences `of code`. " + "Ten words are in this sentence, and two more. " * 5, 0),
    ],
)
def test_long_sentences_are_seen(text: str, long: int) -> None:
    assert len(prose.long_sentences(text)) == long


def test_forbidden_words_are_seen_and_code_is_not() -> None:
    assert [fault.split(";")[0] for fault in prose.forbidden_words("It was told `told`.")] == ["'told'"]


def test_pages_are_measured_but_no_records() -> None:
    names = {path.relative_to(ROOT).as_posix() for path in prose.pages()}
    assert {"README.md", "docs/guide/training.md", "docs/index.md"} <= names
    assert not [name for name in names if name in prose.RECORDS]
    assert [fault for path in prose.pages() for fault in prose.faults_of(path.read_text("utf-8"))] == []


def test_misspelled_and_american_words_are_seen_and_code_is_not() -> None:
    text = "A `wrld` [wich](adress.md) recieves behavior and colour; sizes of afterstates.\n\n    comand\n"
    assert [word for _, word in prose.unknown_words({"page": text})] == ["behavior", "recieves", "wich"]


def test_the_word_list_is_sorted_and_every_word_of_the_pages_is_known() -> None:
    words = (ROOT / prose.WORD_LIST).read_text("utf-8").splitlines()
    assert words == sorted({word.lower() for word in words})
    assert prose.misspelled() == []
