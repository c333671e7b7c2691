"""Which edition of a game's features the network of a run sees."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from atlantis_agents.features import NEWEST, Features, find_features
from atlantis_envs.errors import OptionError

if TYPE_CHECKING:
    from atlantis_envs.engine.game import Game

BEFORE_EDITIONS: Mapping[str, Any] = {"features_edition": 1}  # what settings mean that were saved without one


def features_for(settings: Any, game: Game) -> Features | None:
    """Return the features that a network of these settings sees; None: it sees none.

    Args:
        settings: with ``features`` and ``features_edition``.
        game: what is played.

    Raises:
        OptionError: the game has none, or there is no such edition.
    """
    return find_features(game.name, settings.features_edition) if settings.features else None


def with_edition(settings: Any, game: Game) -> Any:
    """Return the settings of a new run, which name the edition that it sees: a later library may have newer ones.

    Raises:
        OptionError: as of features_for, or an edition is named where no features are shown.
    """
    if settings.features_edition != NEWEST and not settings.features:
        raise OptionError(f"features_edition: {settings.features_edition}; allowed: 0 without features")
    features = features_for(settings, game)
    return replace(settings, features_edition=features.edition if features else NEWEST)
