"""docs/rules/departures.md: the options it names exist, differ from the default, and none is forgotten."""

from __future__ import annotations

import ast
import re
from typing import Any

import pytest
from helpers.support import ROOT

import atlantis_envs

TEXT = (ROOT / "docs" / "rules" / "departures.md").read_text(encoding="utf-8")
GAMES = ["atlandice", "atlantis", "atlantis_rising"]


def section(game: str) -> str:
    """What the page says of a game."""
    title = atlantis_envs.game(game).definition.title
    return TEXT.split(f"\n## {title}\n", 1)[1].split("\n## ", 1)[0]


def rows(game: str) -> list[str]:
    """The rows of its tables, without heads."""
    lines = [line for line in section(game).splitlines() if line.startswith("| ")]
    return [line for line in lines if not line.startswith("| rule, clause |")]


def named(game: str) -> list[tuple[str, Any]]:
    """Every `option=value` in a row."""
    found = re.findall(r"`(\w+)=([^`]+)`", "\n".join(rows(game)))
    return [(name, ast.literal_eval(value)) for name, value in found]


@pytest.mark.parametrize("game", GAMES)
def test_what_is_named_can_be_chosen_and_is_not_the_default(game: str) -> None:
    defaults = atlantis_envs.game(game).options.to_json()
    pairs = named(game)
    assert len(pairs) > 5
    for name, value in pairs:
        assert atlantis_envs.game(game, **{name: value}).options.to_json()[name] == value
        if f"The letter, `{name}=" not in section(game):
            assert defaults[name] != value, name


@pytest.mark.parametrize("game", GAMES)
def test_no_option_is_forgotten(game: str) -> None:
    words = set(re.findall(r"`(\w+)", "\n".join(rows(game))))
    options = set(atlantis_envs.game(game).options.to_json()) - {"players"}
    assert options <= words, options - words


@pytest.mark.parametrize("game", GAMES)
def test_clauses_and_rulings_exist(game: str) -> None:
    rules = (ROOT / "docs" / "rules" / f"{game}.md").read_text(encoding="utf-8")
    for row in rows(game):
        place = row.split("|")[1].split(":", 1)[1]
        for clause in re.findall(r"\d+\.\d+", place):
            assert re.search(rf"^(#+ )?{re.escape(clause)}\b", rules, re.MULTILINE), row
        for ruling in re.findall(r"R-\d+", place):
            assert re.search(rf"^(- )?{ruling} ", rules, re.MULTILINE), row


def rulings(game: str) -> list[str]:
    """The rulings of its rules file, in order."""
    rules = (ROOT / "docs" / "rules" / f"{game}.md").read_text(encoding="utf-8")
    return re.findall(r"^(?:- )?(R-\d+) ", rules, re.MULTILINE)


def unlisted(game: str) -> list[str]:
    """The rulings that a paragraph, not a row, names: without loss, or needing no row."""
    paragraphs = [part for part in section(game).split("\n\n") if part.startswith(("Without loss:", "Need no row:"))]
    return re.findall(r"R-\d+", "\n".join(paragraphs))


@pytest.mark.parametrize("game", GAMES)
def test_every_ruling_has_a_row_or_is_said_to_need_none(game: str) -> None:
    known, in_rows = rulings(game), set(re.findall(r"R-\d+", "\n".join(rows(game))))
    assert len(known) > 25 and len(set(known)) == len(known)
    named = in_rows | set(unlisted(game))
    assert named == set(known), sorted(named ^ set(known))


@pytest.mark.parametrize("game", GAMES)
def test_no_ruling_is_both_in_a_row_and_without_one(game: str) -> None:
    left_out = unlisted(game)
    in_rows = {ruling for row in rows(game) for ruling in re.findall(r"R-\d+", row.split("|")[1])}
    assert len(left_out) == len(set(left_out)) > 2 and not in_rows & set(left_out)
