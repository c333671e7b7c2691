"""Keys and names that somebody may put into a file to deceive whoever reads a message about them."""

from __future__ import annotations

NASTY = {
    "escape sequence": "\x1b[31m\x1b]0;title\x07red",
    "faked error": "x\nError: all is lost",
    "carriage return": "x\rError: all is lost",
    "line separator": "x\u2028Error: all is lost",
    "turned around": "abc\u202egpj.exe",
    "isolates": "\u2066abc\u2069",
    "without width": "sea\u200bt\ufeff",
    "unseen letter": "sea\u3164\u115f\ufe0f",
    "tag": "seat\U000e0041",
    "half a pair": "seat\ud83d",
    "zero byte": "seat\x00",
    "C1 control": "seat\x9b31m",
    "long": "k" * 10_000,
    "long escapes": "\x1b" * 10_000,
    "quotes": "'; allowed: \"everything",
}
# What a file system takes as a name.
FILE_NAMES = {
    name: text[:100] for name, text in NASTY.items() if name not in {"zero byte", "half a pair", "long", "long escapes"}
} | {"raw byte": "seat\udcff"}
MOST = 200  # characters that a key may take in a message


def check_message(message: str, allowed: str) -> None:
    """One line, every letter visible, not flooded by the key, and what is allowed is still said."""
    assert message.isprintable(), repr(message)
    assert not any(letter in message for letter in "\u3164\u115f\ufe0f")
    assert allowed in message
    assert not any(letter * MOST in message for letter in "k")
    assert len(message) < 3000
