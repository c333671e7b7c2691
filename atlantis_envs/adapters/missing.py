"""What an adapter says when the library it adapts to is not installed."""

from __future__ import annotations

from atlantis_envs.errors import MissingPackageError


def missing(library: str, extra: str) -> MissingPackageError:
    """Make the error: what is not installed, and the extra that brings it."""
    return MissingPackageError(
        f"{library} is not installed, and this adapter needs it; allowed: pip install 'atlantis-envs[{extra}]'"
    )
