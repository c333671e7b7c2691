"""Files from outside that are none: pipes, devices, directories, sockets, links to nowhere; and a disk that is full."""

from __future__ import annotations

import errno
import os
import resource
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from helpers.policies import last_legal_policy
from helpers.support import ROOT

import atlantis_envs
from atlantis_agents.networks.policy import MANIFEST, WEIGHTS, load_policy
from atlantis_agents.networks.tensors import write_tensors
from atlantis_envs.base.files import append_whole, read_file, read_json, write_atomically, write_together
from atlantis_envs.play.replay import load_replay, save_replay
from atlantis_training.evaluation.ladder import LOG, Ladder, ladder_store
from atlantis_training.evaluation.report import figure
from atlantis_training.evaluation.store import Store
from atlantis_training.selfplay.checkpoint import LOCK, load_generation, locked, save_generation
from atlantis_training.selfplay.dataset import MANIFEST as LESSONS
from atlantis_training.selfplay.dataset import count_of, read_dataset, shard_name
from atlantis_training.selfplay.settings import read_toml

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names here")
GAME = atlantis_envs.game("atlandice", players=2)
KINDS = ("pipe", "device", "directory", "socket", "link to nowhere", "link to itself", "link to a device")
SECONDS = 10


def no_file(path: Path, kind: str) -> None:
    """Put something there that is no regular file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "device":
        try:
            os.mknod(path, 0o600 | 0o020000, os.makedev(1, 5))  # as /dev/zero
        except PermissionError:
            pytest.skip("only root makes devices")
    elif kind == "directory":
        path.mkdir()
    elif kind == "socket":
        here = os.getcwd()
        os.chdir(path.parent)  # a path of a socket is short
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(path.name)
        os.chdir(here)
    else:
        path.symlink_to({"link to nowhere": "nowhere", "link to itself": path.name}.get(kind, "/dev/zero"))


@contextmanager
def soon() -> Iterator[None]:
    """Fail rather than wait for ever."""

    def late(*_: Any) -> None:
        raise AssertionError(f"still at it after {SECONDS} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def policy_without(name: str) -> Callable[[Path, str], Any]:
    def read(place: Path, kind: str) -> Any:
        policy = last_legal_policy(place / "policy", GAME)
        no_file(policy / name, kind)
        return load_policy(policy)

    return read


def ladder_log(place: Path, kind: str) -> Any:
    no_file(place / LOG, kind)
    return ladder_store(place, Ladder(GAME, ("heuristic", "random"), 0), resume=True)


def checkpoint(place: Path, kind: str) -> Any:
    saved = save_generation(place, 1, GAME, {}, {})
    no_file(saved / "manifest.json", kind)
    return load_generation(saved)


def at(name: str, read: Callable[[Path], Any]) -> Callable[[Path, str], Any]:
    def reading(place: Path, kind: str) -> Any:
        no_file(place / name, kind)
        return read(place / name)

    return reading


def added(path: Path) -> None:
    """Add a line to a file that came into being after the store was opened."""
    store = Store()
    store.path = path
    store.add({}, {"x": "x" * 5000})


READERS: dict[str, Callable[[Path, str], Any]] = {
    "bytes": at("a", read_file),
    "JSON": at("a.json", read_json),
    "data": at("a.json", lambda path: atlantis_envs.game("atlandice", data=path)),
    "replay": at("a.jsonl", load_replay),
    "settings": at("a.toml", read_toml),
    "lines": at("a.jsonl", Store),
    "a line to add": at("a.jsonl", added),
    "manifest": policy_without(MANIFEST),
    "weights": policy_without(WEIGHTS),
    "ladder": ladder_log,
    "lessons": at(LESSONS, lambda path: read_dataset(path.parent, GAME)),
    "shard": at(shard_name(0), lambda path: count_of(path.parent, 0)),
    "checkpoint": checkpoint,
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("reader", READERS)
def test_what_is_no_regular_file_is_refused_at_once_and_named(reader: str, kind: str, tmp_path: Path) -> None:
    with soon(), pytest.raises((ValueError, OSError)) as caught:
        READERS[reader](tmp_path, kind)
    assert str(tmp_path) in str(caught.value) and "\n" not in str(caught.value)


def test_a_file_that_is_too_large_is_refused_with_the_limit(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.touch()
    os.truncate(file, 1 << 40)  # a terabyte of nothing
    for read, limit in ((read_json, 1 << 24), (load_replay, 1 << 24), (Store, 1 << 28)):
        with soon(), pytest.raises(ValueError, match=f"larger than {limit} bytes; allowed: a regular file of at most"):
            read(file)
    assert read_file(Path("/proc/self/status"), 1 << 20)  # whose size the system gives as 0
    with pytest.raises(ValueError, match="larger than 10 bytes"):
        read_file(Path("/proc/self/status"), 10)


def test_a_file_that_becomes_a_pipe_while_it_is_looked_at_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, look = tmp_path / "a", os.stat
    file.touch()

    def exchanged(path: Any, *arguments: Any, **named: Any) -> os.stat_result:
        found = look(path, *arguments, **named)
        if path == file:
            monkeypatch.undo()
            file.unlink()
            os.mkfifo(file)
        return found

    monkeypatch.setattr(os, "stat", exchanged)
    with soon(), pytest.raises(ValueError, match="not a regular file; allowed: a regular file of at most"):
        read_file(file)


def test_a_lock_that_is_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / LOCK)
    with soon(), locked(tmp_path):
        pass


# ---- a disk that is full


@contextmanager
def full_after(count: int) -> Iterator[None]:
    """Let files of this process have no more than so many bytes: a write fails part way, as on a full disk."""
    before, handler = resource.getrlimit(resource.RLIMIT_FSIZE), signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (count, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)


def contents(place: Path) -> dict[str, bytes]:
    return {str(path.relative_to(place)): path.read_bytes() for path in place.rglob("*") if path.is_file()}


def drawn(place: Path) -> None:
    with figure(place / "a.png", size=(3, 2)) as (_, (axis,)):
        axis.plot([1, 2])


WRITERS: dict[str, Callable[[Path], Any]] = {
    "text": lambda place: write_atomically(place / "a.txt", "x" * 5000),
    "several": lambda place: write_together({place / "a.txt": "x", place / "b.txt": "x" * 5000}),
    "policy": lambda place: last_legal_policy(place / "policy", GAME),
    "arrays": lambda place: write_tensors(place / "a.safetensors", {"a": GAME.observation_high.repeat(99)}),
    "checkpoint": lambda place: save_generation(place / "c", 7, GAME, {"a": GAME.observation_high.repeat(99)}, {}),
    "lines": lambda place: added(place / "a.jsonl"),
    "replay": lambda place: save_replay(place / "a.txt", GAME.initial_position()),
    "picture": drawn,
}


@pytest.mark.parametrize("writer", WRITERS)
def test_on_a_full_disk_the_file_is_named_and_nothing_is_left_or_lost(writer: str, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("old")
    (tmp_path / "a.jsonl").write_text("[1]\n")
    (tmp_path / "policy").mkdir()
    (tmp_path / "policy" / WEIGHTS).write_text("old")
    before = contents(tmp_path)
    with full_after(500), pytest.raises(OSError) as caught:
        WRITERS[writer](tmp_path)
    assert caught.value.errno == errno.EFBIG and str(tmp_path) in str(caught.value.filename)
    assert not Path(caught.value.filename).name.startswith(".")
    assert contents(tmp_path) == before and not list(tmp_path.rglob(".*"))
    WRITERS[writer](tmp_path)  # and when there is room again it works
    assert contents(tmp_path) != before


def test_a_ladder_log_on_a_full_disk_stays_whole(tmp_path: Path) -> None:
    log = ladder_store(tmp_path, Ladder(GAME, ("heuristic", "random"), 0), resume=False)
    head = (tmp_path / LOG).read_bytes()
    with full_after(len(head) + 5), pytest.raises(OSError) as caught:
        log.add({}, {"x": "0" * 50})
    assert len(log.parts) == 1
    assert caught.value.filename == str(tmp_path / LOG) and (tmp_path / LOG).read_bytes() == head


def test_a_write_that_takes_a_part_is_gone_on_with(tmp_path: Path) -> None:
    class Slow:
        """A file that takes seven bytes at a time."""

        def __init__(self, stream: Any) -> None:
            self.stream = stream

        def write(self, data: Any) -> int:
            return int(self.stream.write(bytes(data[:7])))

        def __getattr__(self, name: str) -> Any:
            return getattr(self.stream, name)

    with (tmp_path / "a").open("ab", buffering=0) as stream:
        append_whole(Slow(stream), tmp_path / "a", b"a line of more than seven bytes\n")  # type: ignore[arg-type]
    assert (tmp_path / "a").read_bytes() == b"a line of more than seven bytes\n"


def test_the_command_names_the_file_on_a_full_disk(tmp_path: Path) -> None:
    code = (
        "import resource, signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); "
        "resource.setrlimit(resource.RLIMIT_FSIZE, (200, 200)); from atlantis_training.cli.app import main; main()"
    )
    paths = os.pathsep.join(str(ROOT / part) for part in ("", "agents", "training"))
    said = ["evaluate", "atlandice", "random", "--blocks", "2", "--workers", "1", "--out", str(tmp_path)]
    done = subprocess.run(
        [sys.executable, "-c", code, *said], capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": paths},
    )  # fmt: skip
    last = done.stderr.strip().splitlines()[-1]
    assert done.returncode == 2 and last == f"Error: {tmp_path / 'evaluation.jsonl'}: File too large", done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["evaluation.jsonl"]  # games that are kept; no temporary file
