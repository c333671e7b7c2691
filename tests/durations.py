"""Which tests are slow: those that took long in a recorded run. ``make durations`` records a run of all of them.

``python tests/durations.py JUNIT.xml ...`` writes durations.json from the files that ``pytest --junitxml`` leaves. Of
several runs the shortest time of a test counts, since the first test of a process pays for what all of them load.
``--scale`` turns the seconds of a busy machine into those of a quiet one.
"""

from __future__ import annotations

import argparse
import json
import re
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RECORD = ROOT / "tests" / "durations.json"
QUICK = 0.1  # seconds: tests that take less have no record, like new ones
TOLERABLE = 0.8  # seconds: what a case may take and be quick, if it is the shortest of its kind
ENOUGH = 2.0  # seconds of slow cases of one test, after which a plain run tries further cases of new kinds only
WORD = re.compile(r"[a-z_]{2,}", re.IGNORECASE)  # in the brackets of a node id: a kind of case, where a number is none


def slow_tests(nodes: Iterable[str], record: Mapping[str, float] | None = None) -> set[str]:
    """Return those of these node ids that ``make test`` leaves to ``make slow``.

    Of every kind of case of a test (every word in its brackets) the shortest is quick, if that is tolerable.
    """
    seconds = json.loads(RECORD.read_text(encoding="utf-8")) if record is None else record
    slow: set[str] = set()
    seen: set[tuple[str, str]] = set()
    for node, _, kinds in _shortest_first(nodes, seconds):
        if node in seconds and (seconds[node] > TOLERABLE or kinds <= seen):
            slow.add(node)
        else:
            seen |= kinds
    return slow


def spare_tests(nodes: Iterable[str], record: Mapping[str, float] | None = None) -> set[str]:
    """Return those slow tests that only a full run tries: a plain one tries every kind of case, and enough cases."""
    seconds = json.loads(RECORD.read_text(encoding="utf-8")) if record is None else record
    nodes = list(nodes)
    slow, spare, seen, spent = slow_tests(nodes, seconds), set[str](), set[tuple[str, str]](), Counter[str]()
    for node, test, kinds in _shortest_first(nodes, seconds):
        takes = seconds[node] if node in slow else 0.0
        if node in slow and kinds <= seen and spent[test] + takes > ENOUGH:
            spare.add(node)
        else:
            seen |= kinds
            spent[test] += takes
    return spare


def _shortest_first(
    nodes: Iterable[str], seconds: Mapping[str, float]
) -> Iterator[tuple[str, str, set[tuple[str, str]]]]:
    """Every node id, its test, and of which kinds its case is: every word in its brackets."""
    for node in sorted(nodes, key=lambda node: (seconds.get(node, 0.0), node)):
        test, _, case = node.partition("[")
        yield node, test, {(test, word) for word in ("", *WORD.findall(case))}


def durations(paths: Iterable[Path], scale: float = 1.0) -> dict[str, float]:
    """Return the seconds of every test that is not quick, by node id, in the order of these."""
    shortest: dict[str, float] = {}
    for path in paths:
        for node, seconds in _cases(path):
            shortest[node] = min(seconds * scale, shortest.get(node, float("inf")))
    return {node: round(seconds, 2) for node, seconds in sorted(shortest.items()) if seconds > QUICK}


def _cases(path: Path) -> Iterator[tuple[str, float]]:
    """Every test of a run that was not skipped, with its seconds."""
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        if case.find("skipped") is None:
            yield _node(case.get("classname", ""), case.get("name", "")), float(case.get("time", "0"))


def _node(classname: str, name: str) -> str:
    """The node id: of a dotted name, what leads to a file is its path, and what follows is a class."""
    parts = classname.split(".")
    ends = [end for end in range(1, len(parts)) if ROOT.joinpath(*parts[:end]).with_suffix(".py").is_file()]
    end = ends[0] if ends else len(parts)
    return "::".join(["/".join(parts[:end]) + ".py", *parts[end:], name])


def main() -> None:
    """Write the record."""
    parser = argparse.ArgumentParser(description="Record how long tests take.")
    parser.add_argument("files", nargs="+", type=Path, help="what pytest --junitxml has written")
    parser.add_argument("--scale", type=float, default=1.0, help="quiet seconds in one second of these runs")
    chosen = parser.parse_args()
    found = durations(chosen.files, chosen.scale)
    RECORD.write_text(json.dumps(found, indent=0, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"{len(found)} tests take longer than {QUICK} s; {len(slow_tests(found, found))} of these are slow.")


if __name__ == "__main__":
    main()
