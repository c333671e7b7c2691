"""Processes that play: they end when they should."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from multiprocessing import active_children
from pathlib import Path

import numpy as np
import pytest
from helpers.support import sampled

import atlantis_envs
from atlantis_envs.errors import OptionError
from atlantis_training.evaluation.measure import Measured, measure, tasks_of
from atlantis_training.evaluation.workers import GAVE_UP, STOPPING

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGKILL], ids=["Ctrl-C twice", "kill -9"])
def test_no_process_outlives_the_one_that_began_it(sign: signal.Signals, tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(LONG)
    with subprocess.Popen(
        [sys.executable, program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None and parent.stderr is not None
        try:
            children = [int(number) for number in parent.stdout.readline().split()]
            parent.send_signal(sign)
            if sign == signal.SIGINT:
                assert f"{STOPPING}\n" in iter(parent.stderr.readline, "")  # after what is told of compiling
                time.sleep(0.2)  # a hand is no faster
                parent.send_signal(sign)
            parent.wait(30)
        finally:
            parent.kill()
    assert len(children) == 2
    for _ in range(100):
        if not any(alive(child) for child in children):
            return
        time.sleep(0.1)
    pytest.fail("a child is still there")


LONG = """
import multiprocessing
import atlantis_envs
from atlantis_training.evaluation.measure import measure

def told(count, told=[]):
    if not told:
        print(*[child.pid for child in multiprocessing.active_children()], flush=True)
    told.append(count)

if __name__ == "__main__":
    measure(atlantis_envs.game("atlandice"), [("random",) * 3], 1_000_000, workers=2, progress=told)
"""


def alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{process}/stat")  # where nobody collects orphans, a dead one stays as a zombie
    return not (state.exists() and state.read_text().rpartition(")")[2].split()[0] == "Z")


# ---- killed processes


def played(workers: int, progress: Callable[[int], None] | None = None, first: str = "random") -> Measured:
    return measure(atlantis_envs.game("atlandice"), [(first, "random", "random")], 6400, 5, workers, progress)


def same(one: Measured, other: Measured) -> bool:
    return all(
        np.array_equal(getattr(one.results[0], name), getattr(other.results[0], name))
        for name in ("returns", "scores", "starters", "plies")
    )


def test_a_killed_process_costs_a_retry_and_nothing_else(capfd: pytest.CaptureFixture[str]) -> None:
    killed: list[int] = []

    def kill_one(_: int) -> None:
        if not killed:
            victim = active_children()[0].pid
            assert victim is not None
            os.kill(victim, signal.SIGKILL)
            killed.append(victim)

    capfd.readouterr()
    finished = played(2, kill_one)
    assert killed and not finished.interrupted and finished.games == 6400
    assert same(finished, played(1))
    assert not active_children() and capfd.readouterr().err == ""


def test_processes_killed_between_two_tasks_cost_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    killed: list[int] = []

    def kill_all(_: int) -> None:
        if not killed:
            time.sleep(1.0)  # the other process has finished its task by now
            for child in active_children():
                assert child.pid is not None
                os.kill(child.pid, signal.SIGKILL)
                killed.append(child.pid)

    capfd.readouterr()
    finished = played(2, kill_all)
    assert len(killed) == 2 and not finished.interrupted and same(finished, played(1))
    assert capfd.readouterr().err == "" and not active_children()


def test_a_task_that_kills_twice_ends_it_with_a_line_and_what_is_finished(capfd: pytest.CaptureFixture[str]) -> None:
    """Real processes, killed as the system kills them that take its memory."""

    def kill(_: int) -> None:
        for child in active_children():
            assert child.pid is not None
            os.kill(child.pid, signal.SIGKILL)

    capfd.readouterr()
    finished = played(2, kill)
    told = capfd.readouterr().err
    assert finished.interrupted and 0 < finished.games < 6400
    assert told == f"{GAVE_UP}\n" and not active_children()


def test_what_a_task_raises_is_raised_here_and_leaves_nobody_behind(tmp_path: Path) -> None:
    from atlantis_agents.networks.policy import save_policy

    game = atlantis_envs.game("atlandice")
    weights = np.zeros((game.num_actions, game.observation_size), np.float32)
    policy = save_policy(tmp_path / "p", game, [(weights, np.zeros(game.num_actions, np.float32))])
    gone: list[int] = []

    def remove(_: int) -> None:
        if not gone:  # the process that takes the place of this one finds no policy
            gone.append(1)
            (policy / "manifest.json").unlink()
            for child in active_children():
                child.kill()

    with pytest.raises(OptionError, match="allowed"):
        played(2, remove, str(policy))
    assert not active_children()


def test_more_games_than_anybody_can_keep_are_refused() -> None:
    with pytest.raises(OptionError, match=r"games: 1000.*; allowed: at most 1000000000 of each line-up"):
        tasks_of([("random",) * 3], 10**15)


# ---- signals, at any moment

EVALUATE = ("evaluate", "atlandice", "random", "--blocks", "400000", "--workers", "2")


class Command:
    """A command of its own process group, as a shell starts it."""

    def __init__(self, *arguments: str, cwd: Path | None = None) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", "from atlantis_training.cli.command import main; main()", *arguments],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True, cwd=cwd,
        )  # fmt: skip

    def group(self) -> list[int]:
        """Who of the process group is alive."""
        own = str(self.process.pid)
        found = []
        for path in Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = path.read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if fields[2] == own and fields[0] != "Z":
                found.append(int(path.parent.name))
        return found

    def wait_for(self, processes: int) -> None:
        for _ in range(600):
            if len(self.group()) >= processes:
                return
            time.sleep(0.05)
        pytest.fail("the processes did not begin")

    def end(self) -> tuple[int, str, str]:
        out, err = self.process.communicate(timeout=60)
        for _ in range(50):
            if not self.group():
                return self.process.returncode, out, err
            time.sleep(0.1)
        pytest.fail("a process is still there")


needs_proc = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")


@needs_proc
@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM], ids=lambda sign: sign.name)
@pytest.mark.parametrize("whole", sampled([False, True], lambda whole: whole), ids=["the parent", "the group"])
def test_both_signals_end_a_command_with_what_is_finished(sign: signal.Signals, whole: bool, tmp_path: Path) -> None:
    command = Command(*EVALUATE, "--out", str(tmp_path))
    command.wait_for(4)  # with the one that looks after the others' resources
    time.sleep(3)
    (os.killpg if whole else os.kill)(command.process.pid, sign)
    code, out, err = command.end()
    assert code == 130 and "Traceback" not in out + err
    assert err.count(STOPPING) <= 1 and re.search(r"Interrupted: [\d,]+ of 400,000 blocks were finished|no block", err)


@needs_proc
@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM], ids=lambda sign: sign.name)
@pytest.mark.parametrize("moment", [0.0, 1.0, 3.5])
def test_two_signals_at_any_moment_leave_nobody_waiting(sign: signal.Signals, moment: float) -> None:
    command = Command(*EVALUATE)
    command.wait_for(2)
    time.sleep(moment)
    os.killpg(command.process.pid, sign)
    time.sleep(0.15)
    started = time.monotonic()
    with suppress(ProcessLookupError):
        os.killpg(command.process.pid, sign)
    code, out, err = command.end()
    assert code in {130, -sign} and "Traceback" not in out + err
    assert time.monotonic() - started < 20


@needs_proc
def test_sigterm_ends_training_like_ctrl_c(tmp_path: Path) -> None:
    few = ("--num-envs", "8", "--num-steps", "16", "--batch-size", "64", "--hidden", "16", "--steps", "10000000")
    command = Command("train", "atlandice", "--out", "run", *few, cwd=tmp_path)
    for _ in range(600):
        if (tmp_path / "run" / "checkpoints").is_dir():
            break
        time.sleep(0.05)
    time.sleep(3)
    os.kill(command.process.pid, signal.SIGTERM)
    code, _, err = command.end()
    assert code == 130 and "Traceback" not in err
    assert "Interrupted: finishing the round in hand" in err and "To go on: atlantis train --out run --resume" in err
    assert (tmp_path / "run" / "policy" / "manifest.json").exists()
