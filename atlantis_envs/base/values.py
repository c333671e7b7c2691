"""Reading values that come from outside: strict, and every fault is collected with its place.

Used for options, data files, positions and replays alike. Nothing here evaluates or unpickles anything.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

MAX_SHOWN = 60


def shown(value: Any) -> str:
    """A value as text for a message, shortened."""
    try:
        text = repr(value)
    except Exception:  # nested too deeply, an integer of thousands of digits, a repr of its own that fails
        text = f"a value of type {type(value).__name__} that cannot be written out"
    return text if len(text) <= MAX_SHOWN else text[: MAX_SHOWN - 3] + "..."


class Reader:
    """Reads values out of a JSON document and collects ``(path, fault)`` pairs instead of stopping at the first.

    Each method returns the value, or a harmless default after noting a fault.
    """

    def __init__(self) -> None:
        """Start without faults."""
        self.faults: list[tuple[str, str]] = []

    def fault(self, path: str, text: str) -> None:
        """Note a fault."""
        self.faults.append((path, text))

    def integer(self, path: str, value: Any, low: int, high: int) -> int:
        """An integer in low..high; bool and float are not integers."""
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            self.fault(path, f"{shown(value)}; allowed: an integer {low}..{high}")
            return low
        return value

    def boolean(self, path: str, value: Any) -> bool:
        """True or False."""
        if not isinstance(value, bool):
            self.fault(path, f"{shown(value)}; allowed: true, false")
            return False
        return value

    def choice(self, path: str, value: Any, allowed: Sequence[Any]) -> Any:
        """One of the allowed values, of the same type."""
        for candidate in allowed:
            if type(candidate) is type(value) and candidate == value:
                return value
        self.fault(path, f"{shown(value)}; allowed: {', '.join(map(repr, allowed))}")
        return allowed[0]

    def mapping(
        self, path: str, value: Any, known: Collection[str], required: Collection[str] = ()
    ) -> Mapping[str, Any]:
        """An object with known keys only, and all required ones."""
        if not isinstance(value, Mapping):
            self.fault(path, f"{shown(value)}; allowed: an object with keys {', '.join(known)}")
            return {}
        for key in value:
            if key not in known:
                self.fault(f"{path}.{key}" if path else str(key), f"unknown key; allowed: {', '.join(known)}")
        for key in required:
            if key not in value:
                self.fault(f"{path}.{key}" if path else str(key), "missing")
        return {key: value[key] for key in value if key in known}

    def sequence(self, path: str, value: Any, low: int, high: int) -> list[Any]:
        """A list of low..high items."""
        if not isinstance(value, (list, tuple)) or not low <= len(value) <= high:
            size = f"{low}" if low == high else f"{low}..{high}"
            self.fault(path, f"{shown(value)}; allowed: a list of {size} items")
            return []
        return list(value)
