"""Processes that play: they end when they should."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from atlantis_training.workers import STOPPING


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
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
from atlantis_training.workers import STOPPING, cut, run_tasks

def told(count, told=[]):
    if not told:
        print(*[child.pid for child in multiprocessing.active_children()], flush=True)
    told.append(count)

if __name__ == "__main__":
    run_tasks(atlantis_envs.game("atlandice"), cut([("random",) * 3], 1_000_000), workers=2, progress=told)
"""


def alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{process}/stat")  # where nobody collects orphans, a dead one stays as a zombie
    return not (state.exists() and state.read_text().rpartition(")")[2].split()[0] == "Z")
