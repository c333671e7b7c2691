"""What runs in a worker of a cluster, on whatever machine. Ray is not imported here: it calls."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Sequence
from typing import Any

from atlantis_training.evaluation.store import code_hash
from atlantis_training.evaluation.worker_pool import portable
from atlantis_training.signals import ignore

PACKAGES = ("atlantis_envs", "atlantis_agents", "atlantis_training")


class RayWorker:
    """Work on tasks in a worker: nothing heavy happens before ``prepare``."""

    def __init__(self) -> None:
        """Leave the signals to whoever began the work."""
        ignore()
        self._work: Callable[..., Any] | None = None

    def about(self) -> tuple[str, str, int, str]:
        """Return the node's number in Ray, the machine's name, the number of this process, and which code it has."""
        import ray

        return ray.get_runtime_context().get_node_id(), socket.gethostname(), os.getpid(), code_digest()

    def prepare(self, plan: tuple[Callable[..., Callable[[Any], Any]], Sequence[Any]]) -> tuple[bool, Any]:
        """Make the way of working; it finds or compiles the kernels. (True, None), or (False, what was raised)."""

        def begin() -> None:
            make, arguments = plan
            self._work = make(*arguments)

        return _tried(begin)

    def work(self, task: Any, *common: Any) -> tuple[bool, Any]:
        """Return (True, what a task gives), with what is common to several of them, or (False, what it raised)."""
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


def code_digest() -> str:
    """Return a digest of all modules of this project, as they are installed here."""
    return code_hash(PACKAGES, (".py",))
