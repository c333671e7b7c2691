"""Named stretches of a dense range: action texts, outcome texts and observation pieces are declared once, here.

``Texts`` numbers texts (id <-> text); ``Layout`` numbers the bytes of an observation. Both hand out the first index of
a stretch by name, which is what kernels use as a constant.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from atlantis_envs.kernels.vocabulary import Vocabulary


class Texts:
    """A dense numbering of texts, as of actions: named spans one after the other, ids 0, 1, 2, ...

    >>> from atlantis_envs.authoring import Texts
    >>> actions = Texts(("stop", ("stop",)), ("take", ("take 1", "take 2")))
    >>> len(actions), actions["take"], actions.ids["take 2"], actions.texts[0]
    (3, 1, 2, 'stop')

    Args:
        spans: ``(span name, texts)`` pairs in id order.

    Attributes:
        texts: the texts, index = id.
        ids: text -> id.
        starts: span name -> id of its first text; ``actions["take"]`` says it too.

    Raises:
        ValueError: a text or a span name that comes twice.
    """

    def __init__(self, *spans: tuple[str, Sequence[str]]) -> None:
        """Number the texts of the spans one after the other."""
        self.starts: dict[str, int] = {}
        texts: list[str] = []
        for name, members in spans:
            self.starts[name] = len(texts)
            texts.extend(members)
        self.texts = tuple(texts)
        self.ids = {text: number for number, text in enumerate(texts)}
        if len(self.ids) != len(texts) or len(self.starts) != len(spans):
            raise ValueError("texts and span names must be unique")

    def __getitem__(self, span: str) -> int:
        """Return the id of the first text of a span."""
        return self.starts[span]

    def first_ids(self, name: str, **others: int) -> Any:
        """Return the first id of every span, for kernels: a vocabulary of this name; ``DIE`` is ``self["die"]``.

        ``others`` are members besides, or instead.
        """
        vocabulary: Any = Vocabulary
        return vocabulary(
            name, {**{span.upper(): first for span, first in self.starts.items()}, **others}, module=__name__
        )

    def __len__(self) -> int:
        """Return how many texts there are."""
        return len(self.texts)


@dataclass(frozen=True)
class Field:
    """A named piece of the observation.

    >>> from atlantis_envs.authoring import Field
    >>> Field("hand", 7, 15, "cards of each kind in your hand").size
    7

    Attributes:
        name: of the piece.
        size: its number of bytes.
        high: the largest value of each byte, 1..255.
        about: what the bytes mean.
        start: its first byte; filled in by Layout.
    """

    name: str
    size: int
    high: int
    about: str
    start: int = 0

    @property
    def stop(self) -> int:
        """Return one past the last byte."""
        return self.start + self.size


class Layout:
    """The bytes of an observation as named pieces, in order.

    >>> from atlantis_envs.authoring import Field, Layout
    >>> layout = Layout(Field("card", 1, 9, "own card"), Field("passed", 3, 1, "who has passed"))
    >>> layout.size, layout["passed"], layout.high()
    (4, 1, array([9, 1, 1, 1], dtype=uint8))

    Args:
        pieces: the pieces; their ``start`` is filled in here. ``high`` is the largest value a byte takes (1..255); a
            value that could be larger is stored as ``high`` and the piece's ``about`` says so.

    Attributes:
        pieces: the same, with their ``start``.
        size: the number of bytes, F.

    Raises:
        ValueError: a name that comes twice, or a ``high`` outside 1..255.
    """

    def __init__(self, *pieces: Field) -> None:
        """Place the pieces one after the other."""
        placed: list[Field] = []
        start = 0
        for piece in pieces:
            if not 1 <= piece.high <= 255:
                raise ValueError(f"piece {piece.name}: high is {piece.high}, allowed 1..255")
            placed.append(Field(piece.name, piece.size, piece.high, piece.about, start))
            start += piece.size
        self.pieces = tuple(placed)
        self.size = start
        self._by_name = {piece.name: piece for piece in placed}
        if len(self._by_name) != len(placed):
            raise ValueError("piece names must be unique")

    def __getitem__(self, name: str) -> int:
        """Return the first index of a piece."""
        return self._by_name[name].start

    def __iter__(self) -> Iterator[Field]:
        """Return the pieces in order."""
        return iter(self.pieces)

    def starts(self, name: str) -> Any:
        """Return where every piece starts, for kernels: a vocabulary of this name; ``NODE`` is ``self["node"]``."""
        vocabulary: Any = Vocabulary
        return vocabulary(name, {piece.name.upper(): piece.start for piece in self.pieces}, module=__name__)

    def high(self) -> NDArray[np.uint8]:
        """Return the largest value of every byte: uint8, shape (size,)."""
        return np.concatenate([np.full(piece.size, piece.high, np.uint8) for piece in self.pieces])

    def view(self, observation: NDArray[np.uint8]) -> dict[str, NDArray[np.uint8]]:
        """Return named views on an observation of shape (..., size)."""
        return {piece.name: observation[..., piece.start : piece.stop] for piece in self.pieces}

    def fingerprint(self) -> str:
        """Return a short hash of names, sizes and highs; stored with trained weights."""
        text = ";".join(f"{piece.name}:{piece.size}:{piece.high}" for piece in self.pieces)
        return hashlib.sha256(text.encode()).hexdigest()[:16]
