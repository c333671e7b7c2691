"""Ctrl-C, SIGTERM and SIGHUP (a terminal that is closed), which end everything alike."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

ENDING = (signal.SIGINT, signal.SIGTERM, *((signal.SIGHUP,) if hasattr(signal, "SIGHUP") else ()))
_OURS = (signal.default_int_handler, signal.SIG_DFL)


@dataclass
class Stop:
    """Requests to stop: after one, the tasks in hand are finished; after two, nothing is waited for.

    Attributes:
        requests: how many have come.
        at_once: what to do at the second one, at whatever moment it comes.
    """

    requests: int = 0
    at_once: Callable[[], None] = lambda: None

    @property
    def now(self) -> bool:
        """Whether nothing is waited for any more."""
        return self.requests > 1

    def ask(self, *_: Any) -> None:
        """Request a stop; also as the handler of a signal."""
        self.requests += 1
        if self.now:
            self.at_once()


def end_like_ctrl_c() -> None:
    """From now on SIGTERM and SIGHUP raise KeyboardInterrupt, unless they mean something already."""
    if threading.current_thread() is threading.main_thread():
        for sign in ENDING:
            if signal.getsignal(sign) is signal.SIG_DFL:
                signal.signal(sign, signal.default_int_handler)


@contextmanager
def heard_by(handler: Callable[..., Any]) -> Iterator[None]:
    """Send these signals to ``handler`` meanwhile, where nobody else handles them."""
    before: dict[signal.Signals, Any] = {}
    try:
        if threading.current_thread() is threading.main_thread():
            for sign in ENDING:
                if signal.getsignal(sign) in _OURS:
                    before[sign] = signal.signal(sign, handler)
        yield
    finally:
        for sign, old in before.items():
            signal.signal(sign, old)


@contextmanager
def held_back() -> Iterator[None]:
    """Hold these signals back meanwhile, also in processes that begin here, which release them when ready."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def ignore() -> None:
    """Leave them to the process that began this one."""
    for sign in ENDING:
        signal.signal(sign, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)
