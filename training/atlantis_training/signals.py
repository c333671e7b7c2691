"""Ctrl-C, SIGTERM and SIGHUP (a terminal that is closed), which end everything alike."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any

ENDING = (signal.SIGINT, signal.SIGTERM, *((signal.SIGHUP,) if hasattr(signal, "SIGHUP") else ()))
_OURS = (signal.default_int_handler, signal.SIG_DFL)


@dataclass(eq=False)
class Stop:
    """Requests to stop: after one, the tasks in hand are finished; after two, nothing is waited for.

    Attributes:
        requests: how many have come.
        at_once: what to do at the second one, at whatever moment it comes.
        asked: whether a stop was requested at all, here or of another one that was heard inside this one.
    """

    requests: int = 0
    at_once: Callable[[], None] = lambda: None
    asked: bool = False
    _breaks: bool = False

    @property
    def now(self) -> bool:
        """Return whether nothing is waited for any more."""
        return self.requests > 1

    def ask(self, *_: Any) -> None:
        """Request a stop; also as the handler of a signal.

        Raises:
            KeyboardInterrupt: instead, within ``breaking``.
        """
        if self._breaks:
            raise KeyboardInterrupt
        self.requests, self.asked = self.requests + 1, True
        if self.now:
            self.at_once()

    @contextmanager
    def breaking(self) -> Iterator[None]:
        """Raise KeyboardInterrupt at a signal meanwhile: what is done here is given up, not waited for.

        Whoever catches it, right outside, asks.
        """
        try:
            self._breaks = True
            yield
        finally:
            self._breaks = False

    @contextmanager
    def heard(self) -> Iterator[Stop]:
        """Listen to these signals meanwhile.

        One that is heard inside another one begins as the outer one stands, and tells it in the end.
        """
        if threading.current_thread() is not threading.main_thread():  # where no signal comes
            yield self
            return
        outer = _heard[-1] if _heard else Stop()
        _heard.append(self)
        try:
            with heard_by(self.ask):
                self.requests, self.asked = max(self.requests, int(outer.asked)), self.asked or outer.asked
                yield self
        finally:
            _heard.remove(self)
            outer.asked |= self.asked


_heard: list[Stop] = []  # the innermost last


def _interrupt() -> None:
    raise KeyboardInterrupt


def reporting() -> AbstractContextManager[Stop]:
    """Let results be made into tables and written: one signal is remembered, a second one raises KeyboardInterrupt.

    Games that are played inside still end at the first one. So what was finished is always reported.
    """
    return Stop(at_once=_interrupt).heard()


def end_like_ctrl_c() -> None:
    """Let SIGTERM and SIGHUP raise KeyboardInterrupt from now on, unless they mean something already."""
    if threading.current_thread() is threading.main_thread():
        for sign in ENDING:
            if signal.getsignal(sign) is signal.SIG_DFL:
                signal.signal(sign, signal.default_int_handler)


@contextmanager
def heard_by(handler: Callable[..., Any]) -> Iterator[None]:
    """Send these signals to ``handler`` meanwhile, where nobody else, or a ``Stop``, handles them."""
    before: dict[signal.Signals, Any] = {}
    try:
        if threading.current_thread() is threading.main_thread():
            for sign in ENDING:
                present = signal.getsignal(sign)
                if present in _OURS or isinstance(getattr(present, "__self__", None), Stop):
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
