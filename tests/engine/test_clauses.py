"""Code and rules file cite each other: no clause that does not exist, no rule of the book that nothing cites."""

from __future__ import annotations

import io
import re
import tokenize
from pathlib import Path

import pytest
from helpers import atlandice_scenarios

import atlantis_envs.games.atlandice.game as declaration

PACKAGE = Path(declaration.__file__).parent
RULES = atlandice_scenarios.TEXT
CITED_SECTIONS = (4, 5, 6, 7, 8, 13)  # what the game does; the others describe components, words and files

NUMBER = r"(?<![\w.:<>])(\d{1,2})\.(\d{1,2})(?!\w|\.\d)"
RANGE = re.compile(rf"{NUMBER}(?: - {NUMBER})?")
NAMED = re.compile(r"(?<![\w-])(R-\d+|[CD]\d+)(?!\w)")
A_CLOCK = "C16"

Clause = tuple[int, int]


def clauses_of(text: str) -> dict[Clause, str]:
    """The clauses of a rules file: number -> text, up to the next clause or heading."""
    found: dict[Clause, str] = {}
    outside = re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
    for match in re.finditer(r"^(\d+)\.(\d+) (.*?)(?=^\d+\.\d+ |^#|\Z)", outside, re.DOTALL | re.MULTILINE):
        number = int(match[1]), int(match[2])
        assert number not in found, f"{number} stands twice"
        found[number] = match[3]
    return found


def prose(source: str) -> list[tuple[int, str]]:
    """Comments and strings, docstrings among them, with their lines."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return [(token.start[0], token.string) for token in tokens if token.type in (tokenize.COMMENT, tokenize.STRING)]


def cited_in(text: str) -> list[Clause]:
    """Every clause number in a text; `6.4 - 6.16` cites all between."""
    found = []
    for match in RANGE.finditer(text):
        chapter, first = int(match[1]), int(match[2])
        last = int(match[4]) if match[3] and int(match[3]) == chapter else first
        found += [(chapter, number) for number in range(first, last + 1)]
        if match[3] and int(match[3]) != chapter:
            found.append((int(match[3]), int(match[4])))
    return found


OUTLINE = re.compile(r'"[MLC] -?\d')  # a text of coordinates


def citations() -> dict[Clause, list[str]]:
    """Clause -> the places of the package that cite it."""
    found: dict[Clause, list[str]] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        for line, text in prose(path.read_text(encoding="utf-8")):
            for clause in [] if OUTLINE.match(text) else cited_in(text):
                found.setdefault(clause, []).append(f"{path.name}:{line}")
    return found


def written(clause: Clause) -> str:
    return f"{clause[0]}.{clause[1]}"


CLAUSES = clauses_of(RULES)
CITED = citations()
SHOWING = {"drawing.py", "phrases.py", "refusals.py", "view.py"}  # they tell what the rules do, and carry nothing out


def test_the_rules_file_was_read_as_clauses() -> None:
    """Chapters 1 to 18, each numbered without a gap."""
    chapters = {chapter for chapter, _ in CLAUSES}
    assert chapters == set(range(1, 19)) - {15}  # chapter 15 holds the rulings, R-1 to R-29
    for chapter in chapters:
        numbers = [number for own, number in CLAUSES if own == chapter]
        assert numbers == list(range(1, len(numbers) + 1))
    assert "[book]" in CLAUSES[7, 6] and "7.7" not in CLAUSES[7, 6]


def test_every_clause_the_code_cites_exists() -> None:
    missing = {written(clause): places for clause, places in CITED.items() if clause not in CLAUSES}
    assert not missing


def test_every_rule_of_the_book_is_cited_by_the_code() -> None:
    book = [clause for clause, text in CLAUSES.items() if "[book" in text and clause[0] in CITED_SECTIONS]
    assert len(book) > 40
    kept = {
        clause for clause, places in CITED.items() if any(place.partition(":")[0] not in SHOWING for place in places)
    }
    assert [written(clause) for clause in book if clause not in kept] == []


def test_every_ruling_node_and_chance_event_the_code_cites_exists() -> None:
    known = {*re.findall(r"^(R-\d+) ", RULES, re.MULTILINE), *re.findall(r"^\| ([CD]\d+) \|", RULES, re.MULTILINE)}
    cited = set()
    for path in PACKAGE.rglob("*.py"):
        for _, text in prose(path.read_text(encoding="utf-8")):
            cited |= set(NAMED.findall(text)) - {A_CLOCK}
    assert {"C1", "D5"} <= cited <= known


# Questions, dispatch and counting, which several rules share; the callers cite.
HELPERS = {
    *(
        "node",
        "apply",
        "show_tile",
        "finish_effect",
        "leave_visit",
        "raid_district",
        "legal",
        "mark_pieces",
        "mark_dice",
    ),
    *("best_count", "holders", "pay_holders", "stock_total", "visible_tile"),
}


def test_every_kernel_that_carries_out_a_rule_cites_it() -> None:
    silent = []
    for name in ("play.py", "effects.py", "board.py"):
        source = (PACKAGE / "rules" / name).read_text(encoding="utf-8")
        for match in re.finditer(r'^def (\w+)\(.*?\).*?:\n    """(.*?)"""', source, re.DOTALL | re.MULTILINE):
            if not cited_in(match[2]) and not NAMED.search(match[2]) and match[1] not in HELPERS:
                silent.append(f"{name}: {match[1]}")
    assert silent == []


def test_the_provenance_of_the_data_names_clauses_and_options() -> None:
    provenance = declaration.GAME.provenance
    options = declaration.GAME.parse_options(3, None, {}).to_json()
    for entry in provenance:
        assert cited_in(entry.source) and all(clause in CLAUSES for clause in cited_in(entry.source))
        assert entry.tag in ("book", "inferred", "source", "ruling", "reconstructed")
        assert f"[{entry.tag}" in CLAUSES[cited_in(entry.source)[0]] or entry.tag == "book"
        assert entry.replaceable == "" or entry.replaceable in options
    assert {entry.source for entry in provenance if entry.tag == "reconstructed"} == {"2.5", "2.7"}


@pytest.mark.parametrize(
    ("text", "clauses"),
    [
        ("the tile (7.6).", [(7, 6)]),
        ("(6.4 - 6.6, 6.9)", [(6, 4), (6, 5), (6, 6), (6, 9)]),
        ("(5.9 - 6.1)", [(5, 9), (6, 1)]),
        ("see 10.4.", [(10, 4)]),
        ("{name:20.20} {name:<20.20}", []),
        ("version 1.2.3, x1.5, 12 of 13", []),
    ],
)
def test_citations_are_read_as_they_are_written(text: str, clauses: list[Clause]) -> None:
    assert cited_in(text) == clauses
