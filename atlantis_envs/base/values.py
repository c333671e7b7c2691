"""Reading values that come from outside: strict, and every fault is collected with its place.

Used for options, data files, positions and replays alike. Nothing here evaluates or unpickles anything.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import PurePath
from typing import Any

MAX_SHOWN = 60  # characters of a value, a key or a name
MAX_LINE = 200  # of a path, or of what another library says
MOST_LISTED = 20  # values that one message names
CUT = "..."
# Letters that Unicode counts as such and nobody sees: fillers, joiners, selectors of variants.
UNSEEN = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]")
PLAIN_KEY = re.compile(r"[\w .-]*")  # needs no quotation marks
WHOLE = re.compile(r"-?(0|[1-9][0-9]*)")
DECIMAL = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?")
WITH_EXPONENT = re.compile(DECIMAL.pattern + r"(e[+-]?[0-9]+)?", re.IGNORECASE | re.ASCII)
MOST_DIGITS = 30  # of a number in a text


def repr_short(value: Any) -> str:
    """Return anything from outside as text for a message: one line, every letter visible, shortened.

    A path is shown as it is, all else as ``repr`` writes it. Control characters, marks that turn the direction of
    writing, letters without width and halves of surrogate pairs are written as their numbers.
    """
    if isinstance(value, PurePath):
        return one_line(str(value))
    if isinstance(value, (str, bytes)):
        value = value[: MAX_SHOWN + 1]  # the repr of no more than is shown
    try:
        text = repr(value)
    except Exception:  # nested too deeply, an integer of thousands of digits, a repr of its own that fails
        text = f"a value of type {type(value).__name__} that cannot be written out"
    text = visible(text[: MAX_SHOWN + 1])
    return text if len(text) <= MAX_SHOWN else text[: MAX_SHOWN - len(CUT)] + CUT


def one_line(value: object) -> str:
    """Return a path, or a text of another library, as one visible line, cut in the middle where it is long."""
    text = str(value)
    if len(text) > MAX_LINE:
        half = (MAX_LINE - len(CUT)) // 2
        text = text[:half] + CUT + text[-half:]
    text = visible(text)
    return text if len(text) <= MAX_LINE else text[: MAX_LINE - len(CUT)] + CUT


def visible(text: str) -> str:
    """Return the text with everything that does not print as one visible letter written as its number."""
    if text.isprintable() and not UNSEEN.search(text):
        return text
    return "".join(letter if _is_visible(letter) else letter.encode("unicode_escape").decode() for letter in text)


def _is_visible(letter: str) -> bool:
    return letter.isprintable() and not UNSEEN.match(letter)


def child(path: str, key: Any) -> str:
    """Return the place of a key from outside, ``path.key``; a key that is no plain text is quoted."""
    plain = isinstance(key, str) and len(key) <= MAX_SHOWN and PLAIN_KEY.fullmatch(key)
    name = visible(key) if plain else repr_short(key)
    return f"{path}.{name}" if path else name


def listed(values: Iterable[Any]) -> str:
    """Return values, each as ``shown`` writes it, with commas between them; only so many of them."""
    texts = [repr_short(value) for value in values]
    more = [f"and {len(texts) - MOST_LISTED} more"] if len(texts) > MOST_LISTED else []
    return ", ".join([*texts[:MOST_LISTED], *more])


def whole_number(text: str) -> int | None:
    """Return the integer that a text writes in plain ASCII digits, as JSON does; None for anything else."""
    return int(text) if len(text) <= MOST_DIGITS and WHOLE.fullmatch(text) else None


def decimal_number(text: str, exponent: bool = False) -> float | None:
    """Return the number that a text writes in plain ASCII digits, perhaps with a point; None for anything else.

    With ``exponent`` the text may have one, as Python writes small and large numbers: 5e-05.
    """
    pattern = WITH_EXPONENT if exponent else DECIMAL
    number = float(text) if len(text) <= MOST_DIGITS and pattern.fullmatch(text) else math.inf
    return number if math.isfinite(number) else None


class Reader:
    """Reads values out of a JSON document and collects ``(path, fault)`` pairs instead of stopping at the first.

    >>> from atlantis_envs.authoring import Reader
    >>> reader = Reader()
    >>> reader.integer("turn", 5, 0, 3), reader.choice("suit", "sun", ("moon", "sun"))
    (0, 'sun')
    >>> reader.faults
    [('turn', '5; allowed: an integer 0..3')]

    Each method returns the value, or a harmless default after noting a fault.

    Attributes:
        faults: the faults so far, as (JSON path, what is wrong there).
    """

    def __init__(self) -> None:
        """Start without faults."""
        self.faults: list[tuple[str, str]] = []

    def fault(self, path: str, text: str) -> None:
        """Note a fault; a path that is made of keys from outside is made with ``child``."""
        self.faults.append((visible(path), visible(text)))

    def integer(self, path: str, value: Any, low: int, high: int) -> int:
        """Read an integer in low..high; bool and float are not integers."""
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            self.fault(path, f"{repr_short(value)}; allowed: an integer {low}..{high}")
            return low
        return value

    def boolean(self, path: str, value: Any) -> bool:
        """Read True or False."""
        if not isinstance(value, bool):
            self.fault(path, f"{repr_short(value)}; allowed: true, false")
            return False
        return value

    def choice(self, path: str, value: Any, allowed: Sequence[Any]) -> Any:
        """Read one of the allowed values, of the same type."""
        for candidate in allowed:
            if type(candidate) is type(value) and candidate == value:
                return value
        self.fault(path, f"{repr_short(value)}; allowed: {', '.join(map(repr_short, allowed))}")
        return allowed[0]

    def mapping(
        self, path: str, value: Any, known: Collection[str], required: Collection[str] = ()
    ) -> Mapping[str, Any]:
        """Read an object with known keys only, and all required ones."""
        if not isinstance(value, Mapping):
            self.fault(path, f"{repr_short(value)}; allowed: an object with keys {', '.join(known)}")
            return {}
        for key in value:
            if key not in known:
                self.fault(child(path, key), f"unknown key; allowed: {', '.join(known)}")
        for key in required:
            if key not in value:
                self.fault(child(path, key), "missing")
        return {key: value[key] for key in value if key in known}

    def sequence(self, path: str, value: Any, low: int, high: int) -> list[Any]:
        """Read a list of low..high items."""
        if not isinstance(value, (list, tuple)) or not low <= len(value) <= high:
            size = f"{low}" if low == high else f"{low}..{high}"
            self.fault(path, f"{repr_short(value)}; allowed: a list of {size} items")
            return []
        return list(value)
