"""Plants one small fault after the other in a copy of the project and says which test finds it.

``python tests/planted.py`` does it for all of `planted_faults`, ``--only masks 17`` for some; it runs the tests that
belong to a fault first and the whole suite only where those stay green. What has been settled is remembered in a
results file, so an interrupted run goes on where it stopped. The exit status is 0 if every fault was found, or says of
itself why it may stay.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import json
import os
import queue
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

from helpers.planted_faults import FAULTS, GROUPS, Fault
from helpers.support import ROOT

PACKAGES = ("atlantis_envs", "agents", "training")
OWN_TESTS = "tests/test_planted.py"  # they look at the tree as it is, so any fault would trip them
FOUND, SURVIVED, NO_ANSWER, NOT_TRIED = "found", "survived", "no answer", "not tried"
NO_TESTS = 5  # exit status of pytest where nothing was collected
NICE = 10


class DoesNotApply(Exception):
    """The code a fault was made for is gone, or occurs more than once."""


# ------------------------------------------------------------------------------------------------- where a fault goes


def sources(root: Path) -> list[Path]:
    """Every module of the packages."""
    return sorted(path for package in PACKAGES for path in (root / package).rglob("*.py"))


def definitions(tree: ast.AST, within: str = "") -> Iterator[tuple[str, int, int]]:
    """Functions and classes at every depth: dotted name, first line, last line."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            name = f"{within}{node.name}"
            yield name, node.lineno, node.end_lineno or node.lineno
            yield from definitions(node, f"{name}.")
        else:
            yield from definitions(node, within)


def spots(text: str, fault: Fault) -> list[int]:
    """Where the snippet stands inside a definition of that name."""
    if fault.snippet not in text:
        return []
    found = set()
    starts = [0, *(match.end() for match in re.finditer("\n", text)), len(text)]
    for name, first, last in definitions(ast.parse(text)):
        if f".{name}".endswith(f".{fault.symbol}"):
            at = text.find(fault.snippet, starts[first - 1], starts[last])
            while at >= 0:
                found.add(at)
                at = text.find(fault.snippet, at + 1, starts[last])
    return sorted(found)


def locate(root: Path, fault: Fault) -> tuple[Path, int]:
    """The file and the offset of a fault, wherever the code has been moved to.

    Raises:
        DoesNotApply: there is no such place, or more than one.
    """
    places = [(path, at) for path in sources(root) for at in spots(path.read_text(encoding="utf-8"), fault)]
    near = [place for place in places if fault.near in place[0].as_posix()]
    if len(places) != 1 and len(near) != 1:
        told = ", ".join(str(path.relative_to(root)) for path, _ in places) or "nowhere"
        raise DoesNotApply(f"fault {fault.number} no longer applies: {fault.snippet!r} in {fault.symbol}: {told}")
    return (places if len(places) == 1 else near)[0]


def faulty(root: Path, fault: Fault) -> tuple[Path, str]:
    """The file of a fault and its text with the fault in it.

    Raises:
        DoesNotApply: see locate; or the text does not compile, or is what it was.
    """
    path, at = locate(root, fault)
    text = path.read_text(encoding="utf-8")
    changed = text[:at] + fault.replacement + text[at + len(fault.snippet) :]
    try:
        same = ast.dump(ast.parse(changed)) == ast.dump(ast.parse(text))
    except SyntaxError as error:
        raise DoesNotApply(f"fault {fault.number} no longer applies: {path.name}: {error}") from None
    if same:
        raise DoesNotApply(f"fault {fault.number} no longer applies: it changes nothing in {path.name}")
    return path, changed


def missing_tests(root: Path, fault: Fault) -> list[str]:
    """Files of related tests that do not exist."""
    files = (argument.partition("::")[0] for argument in fault.tests)
    return [file for file in files if not (root / file).exists()]


# ----------------------------------------------------------------------------------------------------- one run of tests


@dataclass
class Ran:
    """What a run of pytest said: its exit status (None: stopped at the time limit) and the first test that failed."""

    status: int | None
    failed: str
    tail: str


class Runner:
    """Runs tests in copies of the project; what still runs can be ended at any moment."""

    def __init__(self) -> None:
        self.children: set[subprocess.Popen[str]] = set()

    def run(self, copy: Path, arguments: Iterable[str], limit: float) -> Ran:
        """Run pytest on a copy: the interpreter and the packages of this process, the sources of the copy."""
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(str(copy / package) for package in ("", "agents", "training")),
            "PYTHONDONTWRITEBYTECODE": "1",  # a file changed twice within a second would be taken for its compiled form
        }
        command = [sys.executable, "-m", "pytest", "-x", "-q", "--tb=line", "-n", "0", "-p", "no:cacheprovider"]
        told, shown = subprocess.PIPE, {"cwd": copy, "env": environment, "text": True, "errors": "replace"}
        child = subprocess.Popen(
            [*command, *arguments], stdout=told, stderr=subprocess.STDOUT, start_new_session=True, **shown
        )
        self.children.add(child)
        try:
            text, _ = child.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            return Ran(None, "", f"no end within {limit:.0f} s")
        finally:
            end(child)
            self.children.discard(child)
        failed = re.search(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", text, re.MULTILINE)
        return Ran(child.returncode, failed[1] if failed else "", "\n".join(text.strip().splitlines()[-3:]))

    def stop(self) -> None:
        """End everything that runs."""
        for child in list(self.children):
            end(child)


def end(child: subprocess.Popen[str]) -> None:
    """End a run of tests with everything it started."""
    if child.poll() is None:
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()


# ------------------------------------------------------------------------------------------------------------ verdicts


@dataclass
class Verdict:
    """What came of a fault.

    Attributes:
        number: of the fault.
        outcome: FOUND, SURVIVED (the tests named in ``by``), NO_ANSWER or NOT_TRIED.
        by: the test that found it, or which tests stayed green.
        seconds: all runs together.
        key: of the fault and the file it was planted in; with another one the verdict is out of date.
    """

    number: int
    outcome: str
    by: str
    seconds: float
    key: str


def key_of(root: Path, fault: Fault) -> str:
    """A digest of the fault, its related tests' arguments and the file it goes into."""
    _, text = faulty(root, fault)
    told = repr((fault.symbol, fault.snippet, fault.replacement, fault.tests, text))
    return hashlib.sha256(told.encode()).hexdigest()[:16]


class Nursery(Runner):
    """Copies of the project to plant in, one for each job."""

    def __init__(self, jobs: int) -> None:
        super().__init__()
        self.base = Path(tempfile.mkdtemp(prefix="planted-"))
        self.copies: queue.Queue[Path] = queue.Queue()
        listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        told = subprocess.run(listed, cwd=ROOT, capture_output=True, check=True, text=True).stdout
        names = [name for name in told.split("\0") if name and (ROOT / name).is_file()]
        for number in range(jobs):
            copy = self.base / f"copy-{number}"
            for name in names:
                (copy / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, copy / name)
            self.copies.put(copy)

    def close(self) -> None:
        """End everything and remove it."""
        self.stop()
        shutil.rmtree(self.base, ignore_errors=True)


@dataclass(frozen=True)
class Limits:
    """Seconds for the related tests and for the whole suite; 0 leaves the whole suite out."""

    related: float
    whole: float


def try_fault(nursery: Nursery, fault: Fault, limits: Limits) -> Verdict:
    """Plant a fault in a free copy, run its tests, then the whole suite, and put things right again."""
    copy, started = nursery.copies.get(), time.monotonic()
    path, changed = faulty(copy, fault)
    original = path.read_bytes()
    try:
        path.write_text(changed, encoding="utf-8")
        outcome, by = _judge(nursery, copy, fault, limits)
    finally:
        path.write_bytes(original)
        nursery.copies.put(copy)
    return Verdict(fault.number, outcome, by, round(time.monotonic() - started, 1), key_of(ROOT, fault))


def _judge(nursery: Nursery, copy: Path, fault: Fault, limits: Limits) -> tuple[str, str]:
    ran = nursery.run(copy, fault.tests, limits.related)
    if ran.status == 0 and limits.whole:
        ran = nursery.run(copy, [f"--ignore={OWN_TESTS}", "tests"], limits.whole)
    if ran.status == 0:
        return SURVIVED, "the whole suite" if limits.whole else " ".join(fault.tests)
    if ran.failed:
        return FOUND, ran.failed
    return NO_ANSWER, ran.tail.replace("\n", " / ") if ran.status != NO_TESTS else f"no tests: {' '.join(fault.tests)}"


def try_all(faults: Sequence[Fault], results: Path, jobs: int, limits: Limits) -> list[Verdict]:
    """Try what has not been settled; the tests that found something are then run without any fault."""
    known = read_results(results)
    settled = {n: v for n, v in known.items() if v.outcome == FOUND}
    keys = {fault.number: key_of(ROOT, fault) for fault in faults}
    due = [f for f in faults if f.number not in settled or settled[f.number].key != keys[f.number]]
    guard = threading.Lock()
    nursery = Nursery(jobs)

    def work(fault: Fault) -> None:
        verdict = try_fault(nursery, fault, limits)
        with guard:
            known[fault.number] = verdict
            write_results(results, known)
            print(line(fault, verdict), flush=True)

    try:
        with ThreadPoolExecutor(jobs) as pool:
            waiting = [pool.submit(work, fault) for fault in due]
            try:
                for future in waiting:
                    future.result()
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                nursery.stop()
                raise
        if due:
            _drop_what_fails_anyway(nursery, [known[fault.number] for fault in due], limits)
            write_results(results, known)
    finally:
        nursery.close()
    fresh = Verdict(0, NOT_TRIED, "", 0.0, "")
    return [known.get(fault.number, fresh) for fault in faults]


def _drop_what_fails_anyway(nursery: Nursery, verdicts: Sequence[Verdict], limits: Limits) -> None:
    """A test that fails without a fault has found nothing."""
    finders = sorted({verdict.by for verdict in verdicts if verdict.outcome == FOUND})
    copy = nursery.copies.get()
    while finders:
        ran = nursery.run(copy, finders, max(limits.related, limits.whole))
        if ran.status == 0:
            break
        if ran.failed not in finders:
            raise SystemExit(f"the tests that found faults, run without one: {ran.tail}")
        finders.remove(ran.failed)
        for verdict in verdicts:
            if verdict.by == ran.failed:
                verdict.outcome, verdict.by = NO_ANSWER, f"{ran.failed} fails without the fault, too"
    nursery.copies.put(copy)


# ------------------------------------------------------------------------------------------------ results, the table


def read_results(path: Path) -> dict[int, Verdict]:
    """The verdicts of earlier runs, by number of the fault."""
    if not path.exists():
        return {}
    rows = json.loads(path.read_text(encoding="utf-8"))
    return {row["number"]: Verdict(**row) for row in rows}


def write_results(path: Path, known: dict[int, Verdict]) -> None:
    """Write all verdicts; an interruption leaves the old file or the new one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f"{path.name}.unfinished")
    rows = [asdict(known[number]) for number in sorted(known)]
    unfinished.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    unfinished.replace(path)


def line(fault: Fault, verdict: Verdict) -> str:
    """One fault in one line."""
    return f"{fault.number:2}  {fault.group:11}  {verdict.outcome:9}  {verdict.seconds:6.1f} s  {verdict.by}"


def table(faults: Sequence[Fault], verdicts: Sequence[Verdict]) -> str:
    """All faults, what was changed, and who found it."""
    rows = ["| nr | group | where | mistake | outcome | by |", "|---|---|---|---|---|---|"]
    for fault, verdict in zip(faults, verdicts, strict=True):
        by = verdict.by if verdict.outcome == FOUND or not fault.explained else f"{verdict.by}; {fault.explained}"
        path, _ = locate(ROOT, fault)
        where = f"{path.relative_to(ROOT)}: {fault.symbol}"
        rows.append(f"| {fault.number} | {fault.group} | {where} | {fault.why} | {verdict.outcome} | {by} |")
    found = sum(verdict.outcome == FOUND for verdict in verdicts)
    return "\n".join([*rows, "", f"{found} of {len(faults)} found"])


def chosen(only: Sequence[str]) -> list[Fault]:
    """The faults of these groups and numbers; all if nothing is named."""
    wrong = [word for word in only if word not in GROUPS and word not in {str(fault.number) for fault in FAULTS}]
    if wrong:
        raise SystemExit(f"--only: {', '.join(wrong)}; allowed: {', '.join(GROUPS)}, 1..{len(FAULTS)}")
    return [fault for fault in FAULTS if not only or fault.group in only or str(fault.number) in only]


def main(arguments: Sequence[str] | None = None) -> int:
    """Plant, run, print the table; 1 if a fault survived unexplained."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", default=[], metavar="GROUP|NUMBER", help="only these; default: all")
    parser.add_argument("--jobs", type=int, default=1, help="faults tried side by side, each in its own copy")
    parser.add_argument("--results", type=Path, default=ROOT / "build" / "planted.json", help="what has been settled")
    parser.add_argument("--again", action="store_true", help="try those again that are settled")
    parser.add_argument("--related-seconds", type=float, default=600, help="time limit of the related tests")
    parser.add_argument("--whole-seconds", type=float, default=3600, help="of the whole suite; 0: do not run it")
    given = parser.parse_args(arguments)
    faults = chosen(given.only)
    for fault in faults:
        faulty(ROOT, fault)
        if missing_tests(ROOT, fault):
            raise SystemExit(f"fault {fault.number}: no such tests: {', '.join(missing_tests(ROOT, fault))}")
    if given.again:
        numbers = {fault.number for fault in faults}
        write_results(given.results, {n: v for n, v in read_results(given.results).items() if n not in numbers})
    if hasattr(os, "nice"):
        os.nice(NICE)
    limits = Limits(given.related_seconds, given.whole_seconds)
    verdicts = try_all(faults, given.results, given.jobs, limits)
    print(table(faults, verdicts))
    pairs = zip(faults, verdicts, strict=True)
    return int(any(v.outcome != FOUND and not (v.outcome == SURVIVED and f.explained) for f, v in pairs))


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # ends what it started, as Ctrl-C does
    try:
        sys.exit(main())
    except DoesNotApply as error:
        sys.exit(str(error))
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)
