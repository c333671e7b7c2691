"""Ways of working that the tests send to workers of a cluster, which import this file."""

from __future__ import annotations

import os
import time
from collections.abc import Callable

from atlantis_envs.errors import OptionError

FATAL = 3


def deadly() -> Callable[[int], int]:
    """Ends its process at one task, as the system does for want of memory."""

    def work(task: int) -> int:
        if task == FATAL:
            os._exit(1)
        return task * task

    return work


def refusing() -> Callable[[int], int]:
    """Refuses a task."""

    def work(task: int) -> int:
        if task == FATAL:
            raise OptionError(f"task: {task}; allowed: none")
        return task

    return work


def slow() -> Callable[[int], tuple[str, int, float, float]]:
    """Says where and when it was made, which takes a while."""
    import ray

    began = time.time()
    time.sleep(1.0)
    made = (ray.get_runtime_context().get_node_id(), os.getpid(), began, time.time())

    def work(_: int) -> tuple[str, int, float, float]:
        time.sleep(0.2)
        return made

    return work
