"""Which tests `make test` leaves to `make slow`, and which games are compiled before them."""

from __future__ import annotations

import json
from pathlib import Path

import durations
import pytest
import warming
from helpers.support import TESTS

JUNIT = """<testsuites><testsuite>
<testcase classname="tests.test_durations" name="test_a[x.y]" time="8" />
<testcase classname="tests.test_durations.TestClass" name="test_b" time="2" />
<testcase classname="tests.test_durations" name="test_c" time="0.1" />
<testcase classname="tests.test_durations" name="test_d" time="9"><skipped message="not here" /></testcase>
</testsuite></testsuites>"""
FILE = "tests/test_durations.py"


def test_the_shortest_run_of_a_test_counts_and_what_is_quick_has_no_record(tmp_path: Path) -> None:
    for name, text in {"1.xml": JUNIT, "2.xml": JUNIT.replace('time="8"', 'time="4"')}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    found = durations.durations([tmp_path / "1.xml", tmp_path / "2.xml"], scale=0.5)
    assert found == {f"{FILE}::TestClass::test_b": 1.0, f"{FILE}::test_a[x.y]": 2.0}


def test_of_every_kind_of_case_the_shortest_is_quick_unless_it_takes_too_long() -> None:
    slow = {"f::a[1]": 1.0, "f::b[red-1]": 3.0, "f::b[red-2]": 2.0, "f::c[1]": 0.4, "f::e[red-2]": 0.6, "f::g": 1.1}
    quick = {"f::a[2]": 0.7, "f::d": 0.5, "f::e[blue-1]": 0.7, "f::e[red-1]": 0.5}
    nodes = [*slow, *quick, "f::c[2]", "f::new"]
    assert durations.slow_tests(nodes, slow | quick) == set(slow)


def test_a_plain_run_tries_every_kind_of_case_and_further_ones_for_a_while() -> None:
    slow = {
        "f::a[red-1]": 1.5,
        "f::a[red-2]": 1.0,
        "f::a[red-3]": 0.5,
        "f::a[blue-1]": 2.5,
        "f::b": 30.0,
        "f::c[1]": 9.0,
    }
    assert durations.spare_tests([*slow, "f::new"], slow) == {"f::a[red-1]"}
    assert durations.spare_tests(["f::a[red-1]"], slow) == set()


def test_the_record_is_sorted_and_what_it_says_is_slow_is_marked(request: pytest.FixtureRequest) -> None:
    record = json.loads(durations.RECORD.read_text(encoding="utf-8"))
    assert list(record) == sorted(record) and min(record.values()) >= durations.QUICK
    marked = {item.nodeid for item in request.session.items if item.get_closest_marker("slow")}
    assert marked <= set(record) | {item.nodeid for item in request.session.items if _marked_by_hand(item)}


def _marked_by_hand(item: pytest.Item) -> bool:
    """Whether a test is slow whatever the record says: a long run, or in a file that says so."""
    file = item.getparent(pytest.Module)
    return bool(item.get_closest_marker("full") or (file and any(one.name == "slow" for one in file.own_markers)))


@pytest.mark.parametrize(
    ("arguments", "games"),
    [
        ([], ["atlantis_rising", "atlandice", "atlantis"]),
        (["-k", "name"], ["atlantis_rising", "atlandice", "atlantis"]),
        (["engine/test_clauses.py", "-x"], ["atlandice"]),
        (["games/atlantis/test_masks.py::test_9_2_long_payments"], ["atlantis"]),
        (["engine/test_vocabulary.py"], []),
        (["engine/test_parity.py"], ["atlantis_rising", "atlandice", "atlantis"]),
    ],
)
def test_only_games_that_the_named_tests_mention_are_compiled(arguments: list[str], games: list[str]) -> None:
    found = warming.games_of([str(TESTS / one) if "/" in one else one for one in arguments])
    assert found == games
