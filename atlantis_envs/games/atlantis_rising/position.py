"""Positions of Atlantis Rising as documents (section 20): what ``document`` offers to others."""

from __future__ import annotations

from atlantis_envs.games.atlantis_rising.document.read import from_json
from atlantis_envs.games.atlantis_rising.document.write import to_json

__all__ = ["from_json", "to_json"]
