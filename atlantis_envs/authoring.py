"""Everything that the declaration of a game is written with, under one import.

>>> from atlantis_envs.authoring import Definition, Field, GameOptions, Layout, Texts, kernel, option, packed

docs/guide/your-own-game.md declares a game with it; ``Definition`` says what each part of a declaration means.
"""

from __future__ import annotations

from atlantis_envs.base.values import Reader
from atlantis_envs.engine.chance import sample_below, sample_kind
from atlantis_envs.engine.definition import (
    CHANCE,
    IDENTICAL,
    NOWHERE,
    OVER,
    VALUE_ROOM,
    ZERO_SUM,
    Definition,
    Options,
    Provenance,
    Record,
    Row,
    SearchDefaults,
    Versions,
)
from atlantis_envs.engine.layout import Field, Layout, Texts
from atlantis_envs.engine.options import Between, Custom, GameOptions, Known, option
from atlantis_envs.engine.records import packed, records
from atlantis_envs.errors import OptionError, PositionError
from atlantis_envs.kernels.kernel import kernel
from atlantis_envs.kernels.vocabulary import Vocabulary

__all__ = [
    "CHANCE",
    "IDENTICAL",
    "NOWHERE",
    "OVER",
    "VALUE_ROOM",
    "ZERO_SUM",
    "Between",
    "Custom",
    "Definition",
    "Field",
    "GameOptions",
    "Known",
    "Layout",
    "OptionError",
    "Options",
    "PositionError",
    "Provenance",
    "Reader",
    "Record",
    "Row",
    "SearchDefaults",
    "Texts",
    "Versions",
    "Vocabulary",
    "kernel",
    "option",
    "packed",
    "records",
    "sample_below",
    "sample_kind",
]


def __dir__() -> list[str]:
    """Return the public names."""
    return sorted(__all__)
