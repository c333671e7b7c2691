"""Closed vocabularies: numbers with names, which kernels read as ``Node.TAKE`` at no cost."""

from __future__ import annotations

from enum import EnumMeta, IntEnum


class VocabularyType(EnumMeta):
    """The class of vocabularies, by which the compiler tells them from other enumerations."""


class Vocabulary(IntEnum, metaclass=VocabularyType):
    """An enumeration whose members are plain integers to a kernel, exactly as if the number stood there.

    >>> from atlantis_envs.authoring import Vocabulary
    >>> class Suit(Vocabulary):
    ...     RED_MOON = 0
    ...     SUN = 1
    >>> Suit.SUN + 1, Suit.texts()
    (2, ('red moon', 'sun'))

    Two names may have one number; the first is the one that iteration and ``texts`` give.
    """

    @classmethod
    def numbers(cls) -> dict[str, int]:
        """Return every name and its number, second names included."""
        return {name: int(member) for name, member in cls.__members__.items()}

    @classmethod
    def texts(cls, between: str = " ") -> tuple[str, ...]:
        """Return the names in lower case, in the order of the class, with ``between`` between their words."""
        return tuple(member.name.lower().replace("_", between) for member in cls)
