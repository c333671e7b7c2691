"""One visible wait: what is compiled is counted and estimated beforehand, on one line, and nothing is said twice."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from helpers.toy_kernels import RUN, Toy

from atlantis_envs.engine.chance import noise_word
from atlantis_envs.kernels.kernel import JIT, in_words
from atlantis_envs.kernels.progress import Progress


class Screen:
    """A terminal, or a file."""

    def __init__(self, terminal: bool) -> None:
        self.text, self._terminal = "", terminal

    def write(self, text: str) -> None:
        self.text += text

    def flush(self) -> None:
        """Nothing is held back."""

    def isatty(self) -> bool:
        return self._terminal


def shown(monkeypatch: pytest.MonkeyPatch, terminal: bool) -> Screen:
    screen = Screen(terminal)
    monkeypatch.setattr("sys.stderr", screen)
    return screen


def plan(**seconds: float) -> Mapping[str, float]:
    return seconds


def compile_all(progress: Progress, *kernels: str) -> None:
    for kernel in kernels:
        progress.begin(kernel, kernel, lambda: plan())
    for kernel in reversed(kernels):
        progress.end(kernel)


def test_one_line_says_what_how_many_and_how_long(monkeypatch: pytest.MonkeyPatch) -> None:
    screen, progress = shown(monkeypatch, terminal=False), Progress()
    with progress.expect("chess", lambda: plan(a=3.0, b=4.0)):
        compile_all(progress, "a", "b")
    head = "atlantis-envs: compiling chess (first use only, then cached): 2 kernels, about 7 s ..."
    assert screen.text.startswith(head) and re.fullmatch(r" \d+\.\d s\n", screen.text[len(head) :])


def test_nothing_is_counted_where_nothing_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    screen, progress = shown(monkeypatch, terminal=True), Progress()

    def never() -> Mapping[str, float]:
        raise AssertionError("counted")

    with progress.expect("chess", never):
        pass
    assert screen.text == ""


def test_what_is_inside_belongs_to_the_line_of_the_outermost(monkeypatch: pytest.MonkeyPatch) -> None:
    screen, progress = shown(monkeypatch, terminal=False), Progress()
    with progress.expect("a match", lambda: plan(a=1.0, c=2.0)):
        with progress.expect("chess", lambda: plan(a=1.0, b=2.0)):
            compile_all(progress, "a", "b")
        compile_all(progress, "c")
    assert screen.text.count("compiling") == 1 and screen.text.count("\n") == 1
    assert "compiling a match" in screen.text and "3 kernels, about 5 s" in screen.text
    with progress.expect("another", lambda: plan(d=1.0)):
        compile_all(progress, "d")
    assert "compiling another (first use only, then cached): 1 kernel, about 1 s" in screen.text


def test_a_terminal_sees_how_many_are_done_and_what_was_not_foreseen(monkeypatch: pytest.MonkeyPatch) -> None:
    screen, progress = shown(monkeypatch, terminal=True), Progress()
    with progress.expect("chess", lambda: plan(a=1.0, b=1.0)):
        compile_all(progress, "a")
        with progress.expect("more", lambda: plan(a=1.0, c=1.0)):
            compile_all(progress, "c")
        compile_all(progress, "unforeseen")
        compile_all(progress, "b")
    assert re.findall(r"\d/\d kernels", screen.text) == ["1/2 kernels", "2/3 kernels", "3/4 kernels", "4/4 kernels"]
    assert all(len(line) < 140 for line in screen.text.split("\r"))


def test_the_time_left_follows_the_pace_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    screen, progress = shown(monkeypatch, terminal=True), Progress()
    clock = iter([100.0, 130.0, 130.0, 200.0])
    monkeypatch.setattr("time.process_time", lambda: next(clock))
    with progress.expect("chess", lambda: plan(a=10.0, b=20.0)):
        compile_all(progress, "a")
        assert "about 30 s" in screen.text and "1/2 kernels, 60 s left" in screen.text


BUSY = " 1.3 s of processor time, 341.9 s by the clock: other work keeps this machine busy\n"


@pytest.mark.parametrize(("waited", "told"), [(341.9, BUSY), (1.4, " 1.3 s\n")], ids=["busy", "idle"])
def test_seconds_are_processor_time_of_this_process(monkeypatch: pytest.MonkeyPatch, waited: float, told: str) -> None:
    screen, progress = shown(monkeypatch, terminal=False), Progress()
    processor, clock = iter([10.0, 11.3]), iter([100.0, 100.0 + waited])
    monkeypatch.setattr("time.process_time", lambda: next(processor))
    monkeypatch.setattr("time.perf_counter", lambda: next(clock))
    with progress.expect("chess", lambda: plan(a=1.0)):
        compile_all(progress, "a")
    assert screen.text.endswith(f"about 1 s ...{told}")


def test_another_process_that_compiles_the_same_is_named_once(monkeypatch: pytest.MonkeyPatch) -> None:
    screen, progress = shown(monkeypatch, terminal=False), Progress()
    with progress.expect("chess", lambda: plan(a=1.0, b=1.0)):
        for kernel in "ab":
            progress.begin(kernel, kernel, plan)
            progress.compiled_elsewhere()
            progress.end(kernel)
    assert screen.text.count("another process compiles the same") == 1


MEANWHILE = """
    import subprocess, sys
    from atlantis_envs.kernels import kernel

    alone = kernel._Entries.save

    def save(*arguments):
        kernel._Entries.save = alone
        subprocess.run([sys.executable, "-c", "from toy.outer import run; run(2)"], check=True, capture_output=True)
        alone(*arguments)

    kernel._Entries.save = save
    from toy.outer import run
    run(2)
"""


@pytest.mark.skipif(not JIT, reason="nothing is compiled")
def test_who_finds_an_entry_that_was_not_there_says_so(tmp_path: Path) -> None:
    toy = Toy(tmp_path)
    told = toy.run(MEANWHILE).stderr
    assert told.count("(another process compiles the same)") == 1 and told.count("\n") == 1, told
    for path in toy.kernels.glob("*.nbc"):
        path.write_bytes(b"torn")
    told = toy.run(RUN).stderr
    assert "compiling run" in told and "another" not in told


@pytest.mark.skipif(not JIT, reason="nothing is compiled")
def test_kernels_of_ours_are_named_by_what_they_are_part_of() -> None:
    assert in_words(plain(noise_word)) == "environment"
    assert in_words(plain(plan)) == "plan"  # somebody else's word


def plain(kernel: Any) -> Any:
    return getattr(kernel, "py_func", kernel)


def test_a_silent_thread_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    screen, progress = shown(monkeypatch, terminal=True), Progress()
    with progress.silent(), progress.expect("chess", lambda: plan(a=1.0)):
        compile_all(progress, "a")
    assert screen.text == ""


@pytest.mark.skipif(not JIT, reason="nothing is compiled")
def test_only_what_is_in_no_cache_counts(tmp_path: Path) -> None:
    toy = Toy(tmp_path)
    assert "compiling run (first use only, then cached): 2 kernels, about " in toy.run(RUN).stderr
    toy.edit("outer.py", "step(step(x))", "step(x)")
    assert "compiling run (first use only, then cached): 1 kernel, about " in toy.run(RUN).stderr
    assert toy.run(RUN).stderr == ""
