"""What runs in a worker of a cluster, on whatever machine. Ray is not imported here: it calls."""

from __future__ import annotations

import hashlib
import os
import socket
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from atlantis_training.lab.crew import portable
from atlantis_training.signals import ignore

PACKAGES = ("atlantis_envs", "atlantis_agents", "atlantis_training")
DIGITS = 16  # of a digest: enough to tell versions apart


class Hand:
    """A worker: nothing heavy happens before ``prepare``."""

    def __init__(self) -> None:
        """Leave the signals to whoever began the work."""
        ignore()
        self._work: Callable[..., Any] | None = None

    def about(self) -> tuple[str, str, int, str]:
        """The node's number in Ray, the machine's name, the number of this process, and which code it has."""
        import ray

        return ray.get_runtime_context().get_node_id(), socket.gethostname(), os.getpid(), code_digest()

    def prepare(self, plan: tuple[Callable[..., Callable[[Any], Any]], Sequence[Any]]) -> tuple[bool, Any]:
        """Make the way of working; it finds or compiles the kernels. (True, None), or (False, what was raised)."""

        def begin() -> None:
            make, arguments = plan
            self._work = make(*arguments)

        return _tried(begin)

    def work(self, task: Any, *common: Any) -> tuple[bool, Any]:
        """(True, what a task gives), with what is common to several of them, or (False, what it raised)."""
        assert self._work is not None
        work = self._work
        return _tried(lambda: work(task, *common))


def _tried(call: Callable[[], Any]) -> tuple[bool, Any]:
    try:
        return True, call()
    except MemoryError:  # as if it had been killed for it
        os._exit(1)
    except Exception as error:
        return False, portable(error)


@cache
def code_digest() -> str:
    """A digest of all modules of this project, as they are installed here."""
    found = hashlib.sha256()
    for name in PACKAGES:
        root = Path(str(__import__(name).__file__)).parent
        for path in sorted(root.rglob("*.py")):
            found.update(f"{name}/{path.relative_to(root).as_posix()}\0".encode())
            found.update(path.read_bytes().replace(b"\r\n", b"\n") + b"\0")
    return found.hexdigest()[:DIGITS]
