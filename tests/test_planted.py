"""The planted faults can still be planted: each in one place, in code that compiles. `planted` plants and runs them."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import planted
import pytest
from helpers.planted_faults import FAULTS, Fault
from planted import FOUND, NO_ANSWER, SURVIVED, DoesNotApply, Limits, Nursery, Ran, Verdict


def test_there_are_at_least_four_in_each_group() -> None:
    numbers = [fault.number for fault in FAULTS]
    assert len(set(numbers)) == len(numbers) and set(numbers) >= set(range(1, 49))
    assert min(Counter(fault.group for fault in FAULTS).values()) >= 4


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: f"{fault.number}-{fault.group}")
def test_it_applies_to_one_place_and_the_file_compiles(fault: Fault) -> None:
    path, changed = planted.faulty(planted.ROOT, fault)
    compile(changed, path, "exec")
    assert planted.missing_tests(planted.ROOT, fault) == []


# ---- the planting itself, on a small tree

CODE = "class A:\n    def f(self):\n        return 1\n\n\ndef f():\n    x = 1\n    return 1\n"


def fault_of(symbol: str = "A.f", snippet: str = "return 1", replacement: str = "return 2", near: str = "x/") -> Fault:
    return Fault(1, "g", near, symbol, snippet, replacement, "why", ("tests/test_it.py",))


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for package in planted.PACKAGES:
        (tmp_path / package / "x").mkdir(parents=True)
    (tmp_path / "agents" / "x" / "a.py").write_text(CODE)
    (tmp_path / "tests").mkdir()
    return tmp_path


def test_the_place_is_found_in_whatever_file_it_is(tree: Path) -> None:
    path, changed = planted.faulty(tree, fault_of())
    assert path.name == "a.py" and changed == CODE.replace("return 1", "return 2", 1)
    path.rename(tree / "training" / "other.py")
    assert planted.faulty(tree, fault_of()) == (tree / "training" / "other.py", changed)


def test_near_decides_between_files(tree: Path) -> None:
    (tree / "agents" / "b.py").write_text(CODE)
    assert planted.faulty(tree, fault_of(near="x/a"))[0].name == "a.py"
    with pytest.raises(DoesNotApply, match=r"fault 1 no longer applies: 'return 1' in A.f: agents/b.py, agents/x/a.py"):
        planted.faulty(tree, fault_of(near="agents"))


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        (fault_of(snippet="return 3"), "nowhere"),
        (fault_of(symbol="B.f"), "nowhere"),
        (fault_of(symbol="f"), r"a\.py, .*a\.py"),
        (fault_of(snippet="1", symbol="f"), r"a\.py, .*a\.py"),
        (fault_of(replacement="return ("), "was never closed"),
        (fault_of(replacement="return 1  # the same"), "it changes nothing in a.py"),
    ],
)
def test_what_cannot_be_planted_is_said(tree: Path, fault: Fault, told: str) -> None:
    with pytest.raises(DoesNotApply, match=f"^fault 1 no longer applies: .*{told}"):
        planted.faulty(tree, fault)


class Pretended(Nursery):
    """A nursery whose test runs are scripted; it remembers what was requested and what stood in the file."""

    def __init__(self, tree: Path, answers: list[Ran]) -> None:
        self.children = set()
        self.base, self.answers, self.requested = tree / "nothing", answers, []
        self.copies = planted.queue.Queue()
        self.copies.put(tree)

    def run(self, copy: Path, arguments, limit: float) -> Ran:
        self.requested.append((list(arguments), (copy / "agents" / "x" / "a.py").read_text()))
        return self.answers.pop(0)


GREEN, RED, STUCK = Ran(0, "", "1 passed"), Ran(1, "tests/test_it.py::test", "1 failed"), Ran(None, "", "no end")


@pytest.mark.parametrize(
    ("answers", "whole", "outcome", "by"),
    [
        ([RED], 9, FOUND, "tests/test_it.py::test"),
        ([GREEN, RED], 9, FOUND, "tests/test_it.py::test"),
        ([GREEN, GREEN], 9, SURVIVED, "the whole suite"),
        ([GREEN], 0, SURVIVED, "tests/test_it.py"),
        ([STUCK], 9, NO_ANSWER, "no end"),
        ([Ran(5, "", "nothing ran")], 9, NO_ANSWER, "no tests: tests/test_it.py"),
    ],
)
def test_a_verdict_and_the_file_as_it_was(
    tree: Path, monkeypatch: pytest.MonkeyPatch, answers: list[Ran], whole: float, outcome: str, by: str
) -> None:
    monkeypatch.setattr(planted, "ROOT", tree)
    nursery = Pretended(tree, list(answers))
    verdict = planted.try_fault(nursery, fault_of(), Limits(9, whole))
    assert (verdict.outcome, verdict.by) == (outcome, by)
    assert all("return 2" in text for _, text in nursery.requested) and not nursery.answers
    assert (tree / "agents" / "x" / "a.py").read_text() == CODE and nursery.copies.qsize() == 1


def test_what_is_settled_is_not_tried_again_unless_it_changed(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    results = tree / "build" / "planted.json"
    made: list[Pretended] = []
    monkeypatch.setattr(planted, "ROOT", tree)

    def answering(*answers: Ran) -> None:
        def nursery(jobs: int) -> Pretended:
            made.append(Pretended(tree, list(answers)))
            return made[-1]

        monkeypatch.setattr(planted, "Nursery", nursery)

    answering(RED, GREEN)  # the second run is that of the finder on a sound tree
    [verdict] = planted.try_all([fault_of()], results, 1, Limits(9, 0))
    assert verdict.outcome == FOUND and made[-1].requested[-1] == (["tests/test_it.py::test"], CODE)
    answering()
    assert planted.try_all([fault_of()], results, 1, Limits(9, 0)) == [verdict]
    answering(GREEN)
    [verdict] = planted.try_all([fault_of(replacement="return 3")], results, 1, Limits(9, 0))
    assert verdict.outcome == SURVIVED and json.loads(results.read_text())[0]["outcome"] == SURVIVED
    answering(RED, RED)  # a test that fails without a fault finds nothing
    [verdict] = planted.try_all([fault_of()], results, 1, Limits(9, 0))
    assert (verdict.outcome, verdict.by) == (NO_ANSWER, "tests/test_it.py::test fails without the fault, too")


def test_the_status_is_0_only_if_all_are_found_or_explained(
    tree: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    explained = Fault(1, "g", "x/", "A.f", "return 1", "return 2", "why", (), "nobody calls it")
    monkeypatch.setattr(planted, "ROOT", tree)
    monkeypatch.setattr(planted.os, "nice", lambda _: 0, raising=False)
    for fault, outcome, status in [
        (fault_of(), FOUND, 0), (fault_of(), SURVIVED, 1), (fault_of(), NO_ANSWER, 1),
        (explained, SURVIVED, 0), (explained, NO_ANSWER, 1),
    ]:  # fmt: skip
        (tree / "tests" / "test_it.py").touch()
        monkeypatch.setattr(planted, "FAULTS", (fault,))
        verdict = Verdict(1, outcome, "somebody", 1.0, "")
        monkeypatch.setattr(planted, "try_all", lambda *_, verdict=verdict: [verdict])
        assert planted.main([]) == status
        told = capsys.readouterr().out
        assert "| 1 | g | agents/x/a.py: A.f | why |" in told and f"{int(outcome == FOUND)} of 1 found" in told
        assert ("nobody calls it" in told) == (outcome != FOUND and fault is explained)
    with pytest.raises(SystemExit, match=r"--only: 49, mask; allowed: rules, masks, .*, 1\.\.1"):
        planted.main(["--only", "49", "mask", "1"])


def test_one_run_of_tests_tells_who_failed_first_and_ends_in_time(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(
        "import time\n\ndef test_good():\n    pass\n\ndef test_bad():\n    assert 0, 'a - b'\n"
        "\ndef test_long():\n    time.sleep(60)\n"
    )
    runner = planted.Runner()
    assert runner.run(tmp_path, ["test_it.py::test_good"], 60).status == 0
    assert runner.run(tmp_path, ["test_it.py"], 60).failed == "test_it.py::test_bad"
    assert runner.run(tmp_path, ["test_it.py", "-k", "nothing"], 60).status == planted.NO_TESTS
    assert runner.run(tmp_path, ["test_it.py::test_long"], 3) == Ran(None, "", "no end within 3 s")
    assert not runner.children
