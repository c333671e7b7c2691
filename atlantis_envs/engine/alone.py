"""One thread at a time: an object that one call is changing refuses every other call.

The compiled loops release Python's lock, so two threads that step the same games would write into the same records at
once. An object in use carries ``HERE.mark``; a call that finds the mark raises instead of waiting. Every
process has a mark of its own, so a call in progress that a fork or a pickle carries along means nothing there.

The pattern, written out where a call is short (elsewhere ``alone`` and ``looking`` do it)::

    mark = HERE.mark
    if self._held is mark:
        raise in_use(self, "step")
    try:
        self._held = mark
        ...
    finally:
        self._held = None

Between the test and the assignment there is no point at which CPython changes threads or delivers a signal, and none
between a call that fails and the ``finally``: so two threads never both pass, and Ctrl-C never leaves the mark behind.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

from atlantis_envs.errors import InUseError

Arguments = ParamSpec("Arguments")
Owner = TypeVar("Owner", bound=Any)
Result = TypeVar("Result")
Method = Callable[Concatenate[Owner, Arguments], Result]


class _Here:
    """The mark of this process, which a fork renews."""

    __slots__ = ("mark",)

    def __init__(self) -> None:
        self.renew()

    def renew(self) -> None:
        """Take a new mark, which frees every object that carried the old one."""
        self.mark = object()


HERE = _Here()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=HERE.renew)


def in_use(owner: object, call: str) -> InUseError:
    """Make the error of a call that came while another one was at work."""
    kind = type(owner).__name__
    return InUseError(f"{call}: another call is at work on this {kind}; allowed: one thread at a time for a {kind}")


def alone(method: Method[Owner, Arguments, Result]) -> Method[Owner, Arguments, Result]:
    """Guard a method that changes its object: it is refused while another is at work there, and refuses others."""

    @wraps(method)
    def guarded(self: Owner, *args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        mark = HERE.mark
        if self._held is mark:
            raise in_use(self, method.__name__)
        try:
            self._held = mark
            return method(self, *args, **kwargs)
        finally:
            self._held = None

    return cast("Method[Owner, Arguments, Result]", guarded)


def looking(method: Method[Owner, Arguments, Result]) -> Method[Owner, Arguments, Result]:
    """Guard a method that reads its object: refused while a call changes the object; reads may overlap."""

    @wraps(method)
    def guarded(self: Owner, *args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        if self._held is HERE.mark:
            raise in_use(self, method.__name__)
        result = method(self, *args, **kwargs)
        if self._held is HERE.mark:  # a change began meanwhile: what was read may be half old, half new
            raise in_use(self, method.__name__)
        return result

    return cast("Method[Owner, Arguments, Result]", guarded)
