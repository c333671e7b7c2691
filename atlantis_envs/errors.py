"""Errors of the public interface; after any of them nothing has changed.

Every message names the field at fault and the values it allows.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

MOST_FAULTS = 20  # that one message names


def fault_text(faults: Sequence[tuple[str, str]], root: str = "") -> str:
    """Return faults as one line, ``path: what is wrong; ...``; only so many of them. ``root`` names the path ""."""
    texts = [f"{path or root}: {text}" for path, text in faults[:MOST_FAULTS]]
    more = [f"and {len(faults) - MOST_FAULTS} more faults"] if len(faults) > MOST_FAULTS else []
    return "; ".join([*texts, *more])


class AtlantisError(Exception):
    """Base class of every error raised by this library."""


class IllegalActionError(AtlantisError, ValueError):
    """An action that is not legal here, unknown, or not an action at all."""


class IllegalChanceError(AtlantisError, ValueError):
    """A chance outcome that cannot happen here, or a chance call away from a chance node."""


class OptionError(AtlantisError, ValueError):
    """An unknown game, option or data table, or a value it does not allow."""


class UnknownOptionError(OptionError, TypeError):
    """A keyword that nobody knows: also a TypeError, as Python raises for one, with the words that Python uses."""


class InUseError(AtlantisError, RuntimeError):
    """A call that came while another thread's call, or an unfinished one, was at work on the same object."""


class ReplayError(AtlantisError, ValueError):
    """A replay file that is damaged or does not follow the rules; names the line."""


class PositionError(AtlantisError, ValueError):
    """A position that cannot exist.

    Attributes:
        faults: every fault found, as ``(json_path, what_is_wrong)`` pairs.
    """

    def __init__(self, faults: Sequence[tuple[str, str]]) -> None:
        """Collect the faults into one readable message."""
        self.faults = tuple(faults)
        super().__init__(fault_text(self.faults, "position"))

    def __reduce__(self) -> tuple[type[PositionError], tuple[tuple[tuple[str, str], ...]]]:
        """Keep the faults when the error crosses a process boundary."""
        return (type(self), (self.faults,))


class BotError(AtlantisError):
    """An external bot that does not answer, or not as docs/guide/bots.md says."""


class MissingPackageError(AtlantisError, ImportError):
    """Something that needs a package of an extra that is not installed; names the extra."""


def missing_package(library: str, extra: str) -> MissingPackageError:
    """Make the error of an adapter: what is not installed, and the extra that brings it."""
    return MissingPackageError(
        f"{library} is not installed, and this adapter needs it; allowed: pip install 'atlantis-envs[{extra}]'"
    )


def deprecated(name: str, instead: str, since: str, until: str, stacklevel: int = 3) -> None:
    """Say that a public name, argument or value is to go; docs/stability.md says what that promises.

    Args:
        name: what is to go, as a user writes it.
        instead: what to use.
        since: version of the library that deprecates it.
        until: version that will no longer have it.
        stacklevel: of the warning; 3 is the caller of the function that calls this one.
    """
    text = f"{name} is deprecated since {since} and goes in {until}; allowed then: {instead}"
    warnings.warn(text, DeprecationWarning, stacklevel)


def former_module(name: str, instead: str, since: str, until: str) -> Callable[[str], Any]:
    """Return the ``__getattr__`` of a module that has another name today; arguments as for ``deprecated``."""

    def look_up(attribute: str) -> Any:
        """Return what today's module has by this name, with one warning."""
        found = getattr(import_module(instead), attribute)
        deprecated(f"{name}.{attribute}", f"{instead}.{attribute}", since, until)
        return found

    return look_up
