"""An option is declared once: documents, errors, the rules record, help and the page of options come from there."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import options_page
import pytest
from helpers.support import ROOT

import atlantis_envs
from atlantis_envs.base.values import Reader
from atlantis_envs.engine.options import NEEDED, WHOLE, Between, Custom, GameOptions, accepted, explained, option
from atlantis_envs.engine.records import packed, records
from atlantis_envs.errors import OptionError

GAMES = ("atlandice", "atlantis", "atlantis_rising")
SECTIONS = {"atlandice": 14, "atlantis": 13, "atlantis_rising": 17}
BESIDE = {"players", "preset", "data"}  # keywords that are no option of their own everywhere
CLAUSE = re.compile(r"\b\d+(?:\.\d+|[a-z])\b")
DECLARED = [
    (game, name)
    for game in GAMES
    for name, declared in options_page.declaration(game).declared().items()
    if not isinstance(declared.allowed, Custom)  # only the game knows its values
]


@dataclass(frozen=True)
class Cups(GameOptions):
    players: int = option(NEEDED, "seats", Between(1, 300), "1.1", "players")
    size: str = option("small", "of the cups", ("small", "large"), "1.2", {"large": "large"})
    lids: bool = option(lambda known: known["players"] > 2, "have lids", bool, "1.3", "lids")
    kinds: tuple[str, ...] = option(
        ("tea", "milk"), "what is served", Custom("any", lambda reader, path, value, known: tuple(value)), "1.4",
        {"tea": "tea", "coffee": "coffee"},
    )  # fmt: skip
    limit: int | None = option(
        None, "cups", Custom("any", lambda reader, path, value, known: value), record="most", key="most_cups"
    )
    hidden: int = option(0, "stands beside the options", Between(0, 9), key=None)


def cups(**given: Any) -> Cups:
    reader = Reader()
    return accepted(reader, Cups.read(reader, "", given, hidden=7))


def test_defaults_depend_on_what_is_known() -> None:
    assert cups(players=2) == Cups(2, "small", False, ("tea", "milk"), None, 7)
    assert cups(players=3).lids and not cups(players=3, lids=False).lids


def test_documents_have_the_order_and_the_names_of_the_declaration() -> None:
    document = cups(players=2, most_cups=4).to_json()
    assert json.dumps(document) == (
        '{"players": 2, "size": "small", "lids": false, "kinds": ["tea", "milk"], "most_cups": 4}'
    )
    assert cups(**document).to_json() == document


def test_every_fault_names_the_option_and_what_is_allowed() -> None:
    reader = Reader()
    Cups.read(reader, "options", {"size": "huge", "lids": 1, "colour": 2}, hidden=0)
    assert reader.faults == [
        ("options.colour", "unknown key; allowed: players, size, lids, kinds, most_cups"),
        ("options.players", "missing"),
        ("options.size", "'huge'; allowed: 'small', 'large'"),
        ("options.lids", "1; allowed: true, false"),
    ]
    with pytest.raises(OptionError, match=r"players: 301; allowed: an integer 1\.\.300; size: 'huge'"):
        cups(players=301, size="huge")


@dataclass(frozen=True)
class Mugs(GameOptions):
    players: int = option(2, "seats", (2, 4))


def test_a_game_without_tables_needs_no_reader_of_its_own() -> None:
    assert [Mugs.parse(players, None, {}).players for players in (None, 2, 4)] == [2, 2, 4]
    with pytest.raises(OptionError, match=r"data: \{\}; allowed: None; players: 3; allowed: 2, 4"):
        Mugs.parse(3, {}, {})


def test_the_rules_record_holds_values_and_flags() -> None:
    numbers = dict(Cups.numbers())
    assert numbers.pop("players") == np.int16 and set(numbers.values()) == {np.dtype(np.int8)}
    assert Cups.numbers("lids", "players") == [("lids", np.dtype(np.int8)), ("players", np.dtype(np.int16))]
    rules = records(1, packed(Cups.numbers()))[0]
    cups(players=300, size="large", kinds=["coffee"], most_cups=3).fill(rules)
    assert {name: int(rules[name]) for name in dict(Cups.numbers())} == {
        "players": 300, "large": 1, "lids": 1, "tea": 0, "coffee": 1, "most": 3,
    }  # fmt: skip
    cups(players=1).fill(rules)
    assert [int(rules[name]) for name in ("large", "lids", "tea", "most")] == [0, 0, 1, 0]


def test_meanings() -> None:
    assert explained(cups(players=1))["size"] == 'of the cups; allowed: "small", "large"'
    assert explained(cups(players=1))["players"] == "seats; allowed: 1..300"
    assert explained("no options") == {}


# ---- the games


@pytest.mark.parametrize("game", GAMES)
def test_a_number_of_the_record_belongs_to_one_option_and_is_as_wide_as_it_needs(game: str) -> None:
    made = atlantis_envs.game(game)
    filled = [name for declared in options_page.declaration(game).declared().values() for name in declared.record]
    assert len(filled) > 8 and len(set(filled)) == len(filled)
    for name, wide in options_page.declaration(game).numbers():
        assert made.rules.dtype[name].itemsize >= wide.itemsize, name


@pytest.mark.parametrize(("game", "name"), DECLARED)
def test_every_allowed_value_reaches_the_record_and_no_other_is_taken(game: str, name: str) -> None:
    declared = options_page.declaration(game).declared()[name]
    for value in values_of(declared.allowed):
        rules = atlantis_envs.game(game, **{name: value}).rules[0]
        told = {field: value if when is WHOLE else value == when for field, when in declared.record.items()}
        assert {field: int(rules[field]) for field in told} == told
    for wrong in ("x", (), 10**9, 1.0):
        with pytest.raises(OptionError, match=rf"^{name}: {re.escape(repr(wrong))}; allowed: "):
            atlantis_envs.game(game, **{name: wrong})


def values_of(allowed: Any) -> tuple[Any, ...]:
    if isinstance(allowed, Between):
        return allowed.low, allowed.high
    return allowed if isinstance(allowed, tuple) else (True, False)


@pytest.mark.parametrize("game", GAMES)
def test_every_option_is_described_rare_ones_too(game: str) -> None:
    described = atlantis_envs.game(game).describe()
    keys = set(options_page.declaration(game).keys()) - BESIDE
    assert len(keys) > 8 and keys <= set(described.options)
    lines = str(described).split("options, as now\n")[1].split("\n\n")[0].splitlines()
    for key in keys:
        assert any(line.split()[0] == key and described.meanings[key] in line for line in lines), key


def test_a_rare_option_is_described_as_it_is_set() -> None:
    game = atlantis_envs.game("atlantis", pawns=2)
    assert (game.describe().options["pawns"], game.describe().options["bridges"]) == (2, True)
    assert game.options.to_json()["pawns"] == 2 and "bridges" not in game.options.to_json()


def test_the_page_is_what_the_declarations_say() -> None:
    """If this fails: python tests/options_page.py."""
    assert options_page.PAGE.read_text(encoding="utf-8") == options_page.page()


@pytest.mark.parametrize("game", GAMES)
def test_the_rules_file_has_the_same_options_under_the_same_clauses(game: str) -> None:
    rules = (ROOT / "docs" / "rules" / f"{game}.md").read_text(encoding="utf-8")
    table = rules.split(f"\n## {SECTIONS[game]} Options\n")[1].split("\n## ")[0]
    lines = [[cell.strip(" `") for cell in line.split("|")[1:-1]] for line in table.splitlines() if line[:2] == "| "]
    stated = {row[0]: set(CLAUSE.findall(" ".join(row[1:]))) for row in lines[1:]}
    declared = {item.key or name: item.clause for name, item in options_page.declaration(game).declared().items()}
    assert set(stated) - BESIDE == set(declared) - BESIDE
    for name in set(stated) - BESIDE:
        assert CLAUSE.findall(declared[name]) and set(CLAUSE.findall(declared[name])) <= stated[name], name
