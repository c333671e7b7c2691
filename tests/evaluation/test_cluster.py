"""The tasks of an evaluation on a Ray cluster: the same tables, whatever is lost on the way."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.far_work import FATAL, deadly, refusing, slow
from helpers.support import scaled

import atlantis_envs
from atlantis_envs.errors import OptionError
from atlantis_training.cli.common import with_ray_alone
from atlantis_training.evaluation import cluster as clusters
from atlantis_training.evaluation.cluster import LOST, RayPool, joined
from atlantis_training.evaluation.measure import Measured, measure
from atlantis_training.evaluation.worker_pool import Notes
from atlantis_training.evaluation.workers import STOPPING
from atlantis_training.signals import Stop

needs_ray = pytest.mark.skipif(
    find_spec("ray") is None or sys.platform == "win32",
    reason="ray is not installed: pip install 'atlantis-envs[cluster]'",
)
NOTES = Notes("stopping", "gave up")


# ---- without ray


def test_ray_is_imported_by_nobody_who_does_not_ask_for_it() -> None:
    program = (
        "import sys, atlantis_training.cli.app, atlantis_training.evaluation.seats;"
        "import atlantis_training.evaluation.evaluate;"
        "from atlantis_training.cli.common import chosen_workers\n"
        "with chosen_workers(None, 2) as crew: assert crew == 2\n"
        "assert 'atlantis_training.evaluation.cluster' in sys.modules and 'ray' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_where_ray_is_missing_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(OptionError, match=r"pip install 'atlantis-envs\[cluster\]'"), joined():
        pytest.fail("joined without ray")


@pytest.mark.parametrize(
    "given, read",
    [
        (["--ray", "atlantis", "random"], ["--ray=auto", "atlantis", "random"]),
        (["atlantis", "--ray"], ["atlantis", "--ray=auto"]),
        (["--ray", "--blocks", "5"], ["--ray=auto", "--blocks", "5"]),
        (["--ray", "10.0.0.1:6379", "x"], ["--ray", "10.0.0.1:6379", "x"]),
        (["--ray", "local", "x"], ["--ray", "local", "x"]),
        (["--ray=local", "x"], ["--ray=local", "x"]),
        ([], []),
    ],
)
def test_the_address_may_be_left_out(given: list[str], read: list[str]) -> None:
    assert with_ray_alone(given) == read


@pytest.mark.parametrize("address", ["", "somewhere", "ray://head:10001", "head:", "head:1234567"])
def test_no_address_is_refused_with_those_allowed(address: str) -> None:
    with pytest.raises(OptionError, match="allowed: HOST:PORT, 'auto', 'local'"), joined(address):
        pytest.fail("joined nowhere")


@needs_ray
def test_an_address_where_nobody_listens_is_refused_at_once() -> None:
    started = time.monotonic()
    with pytest.raises(OptionError, match=r"nobody answers at 127\.0\.0\.1:9 "), joined("127.0.0.1:9"):
        pytest.fail("joined nowhere")
    assert time.monotonic() - started < 20


# ---- on two nodes of this machine


def begun(nodes: int) -> Any:
    """A cluster of several nodes with one worker each; the head plays too."""
    from ray.cluster_utils import Cluster as Simulated

    simulated = Simulated(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    for _ in range(nodes - 1):
        simulated.add_node(num_cpus=1)
    return simulated


@pytest.fixture(scope="module")
def simulated() -> Iterator[Any]:
    """Two nodes; a test that kills one adds another."""
    before = {sign: signal.getsignal(sign) for sign in (signal.SIGINT, signal.SIGTERM)}
    found = begun(2)
    yield found
    found.shutdown()
    for sign, handler in before.items():
        signal.signal(sign, handler)


def played(games: int, workers: Any = 1, progress: Any = None) -> Measured:
    line_up = ("heuristic", "random", "random")
    return measure(atlantis_envs.game("atlandice"), [line_up], games, 5, workers, progress)


def same(one: Measured, other: Measured) -> bool:
    names = ("returns", "scores", "starters", "plies", "truncated")
    pairs = zip(one.results, other.results, strict=True)
    return all(np.array_equal(getattr(a, name), getattr(b, name)) for a, b in pairs for name in names)


@needs_ray
def test_a_node_killed_in_the_middle_changes_no_table(
    simulated: Any, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    killed, seen = [], []
    feed = RayPool._feed

    def together(crew: RayPool[Any, Any], *given: Any) -> None:
        """Hand out nothing before everybody is ready: on a busy machine one worker might play all games alone."""
        workers = crew._workers
        if not killed and not all(worker.ready for worker in workers):
            crew._workers = [worker for worker in workers if not worker.ready]
        feed(crew, *given)
        crew._workers = workers

    monkeypatch.setattr(RayPool, "_feed", together)
    handlers = [signal.getsignal(sign) for sign in (signal.SIGINT, signal.SIGTERM)]
    capfd.readouterr()

    def kill_node(games: int) -> None:
        seen.append(games)
        if len(seen) == 3:
            node = simulated.worker_nodes.copy().pop()
            simulated.remove_node(node, allow_graceful=False)
            killed.append(node)

    with joined(simulated.address) as cluster:
        assert cluster.count == 2
        assert handlers == [signal.getsignal(sign) for sign in (signal.SIGINT, signal.SIGTERM)]
        finished = played(6400, cluster, kill_node)
    told = capfd.readouterr()
    simulated.add_node(num_cpus=1)
    assert killed and sum(seen) == 6400 and not finished.interrupted
    assert same(finished, played(6400))
    assert told.out == "" and told.err == LOST.format(socket.gethostname()) + "\n"


@needs_ray
def test_games_that_lose_their_worker_three_times_end_it_with_what_is_finished(
    simulated: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    capfd.readouterr()
    with joined(simulated.address, 2) as cluster:
        crew: RayPool[int, int] = RayPool(cluster, deadly, (), Stop(), NOTES)
        found = dict(crew.work(range(6)))
    told = capfd.readouterr().err.splitlines()
    assert FATAL not in found and all(found[task] == task * task for task in found)
    assert told.count(LOST.format(socket.gethostname())) == 3 and told.count("gave up") == 1


@needs_ray
def test_what_a_task_raises_is_raised_here(simulated: Any) -> None:
    with joined(simulated.address, 1) as cluster:
        crew: RayPool[int, int] = RayPool(cluster, refusing, (), Stop(), NOTES)
        with pytest.raises(OptionError, match=f"task: {FATAL}; allowed: none"):
            list(crew.work(range(6)))


@needs_ray
def test_a_worker_with_other_code_is_refused(simulated: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clusters, "code_digest", lambda: "other")
    with joined(simulated.address, 1) as cluster, pytest.raises(OptionError, match="is not the same as here; allowed"):
        played(100, cluster)


@needs_ray
def test_one_worker_of_a_node_prepares_before_the_others(simulated: Any) -> None:
    """So that kernels are compiled once on each node, and not by all of its workers at the same time."""
    wide = simulated.add_node(num_cpus=3)
    try:
        with joined(simulated.address, 5) as cluster:
            crew: RayPool[int, tuple[str, int, float, float]] = RayPool(cluster, slow, (), Stop(), NOTES)
            made = {answer for _, answer in crew.work(range(60))}
    finally:
        simulated.remove_node(wide)
    several = 0
    for node in {entry[0] for entry in made}:
        (_, _, _, ready), *others = sorted((entry for entry in made if entry[0] == node), key=lambda entry: entry[2])
        several += len(others)
        assert all(ready <= began for _, _, began, _ in others)
    assert several > 0  # where little is to be had of the processor, the last of them comes too late for a task


# ---- commands

COMMANDS = {
    "evaluate": ("evaluate", "atlandice", "heuristic", "random", "--blocks", "200"),
    "seats": ("seats", "atlandice", "random", "--players", "2,3", "--games", "500"),
    "levels": ("levels", "atlantis_rising", "random", "--levels", "1,5", "--games", "100"),
}


def command(*arguments: str) -> subprocess.Popen[str]:
    """A command of its own process group, as a shell starts it."""
    program = "from atlantis_training.cli.command import main; main()"
    return subprocess.Popen(
        [sys.executable, "-c", program, *arguments],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip


@needs_ray
@pytest.mark.parametrize(
    "name", ["evaluate", *(pytest.param(name, marks=pytest.mark.full) for name in ("seats", "levels"))]
)
def test_a_command_writes_the_same_files_as_one_process(simulated: Any, name: str, tmp_path: Path) -> None:
    ways = {"alone": ("--workers", "1"), "cluster": ("--ray", simulated.address)}
    printed = {}
    for way, flags in ways.items():
        process = command(*COMMANDS[name], "--seed", "3", "--out", str(tmp_path / way), *flags)
        out, err = process.communicate(timeout=300)
        assert process.returncode == 0, err
        printed[way] = out.replace(str(tmp_path / way), "DIR")
    assert printed["alone"] == printed["cluster"] and printed["alone"]
    for path in sorted((tmp_path / "alone").glob("*.json")) + sorted((tmp_path / "alone").glob("*.md")):
        assert path.read_bytes() == (tmp_path / "cluster" / path.name).read_bytes()
    assert (tmp_path / "cluster" / f"{'evaluation' if name == 'evaluate' else name}.json").exists()


@needs_ray
@pytest.mark.full
@pytest.mark.parametrize("times", [1, 2])
@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM], ids=lambda sign: sign.name)
def test_a_signal_ends_it_soon_with_what_is_finished(simulated: Any, sign: signal.Signals, times: int) -> None:
    arguments = ("evaluate", "atlandice", "random", "--blocks", "4000000", "--ray", simulated.address)
    process = command(*arguments)
    time.sleep(scaled(20, 40))  # until games are played, on a busy machine too
    started = time.monotonic()
    for _ in range(times):
        os.killpg(process.pid, sign)
        time.sleep(0.2)
    out, err = process.communicate(timeout=60)
    assert time.monotonic() - started < 20 and process.returncode == 130
    assert "Traceback" not in out + err and "Interrupted: " in err
    assert times == 2 or (STOPPING in err and " of 4,000,000 blocks were finished" in err)
