"""The directory of the demo: an earlier demo in it gives way, work of the user does not."""

from __future__ import annotations

import shutil
from pathlib import Path

from atlantis_envs.base.values import repr_short
from atlantis_envs.errors import AtlantisError, OptionError
from atlantis_training.demo.settings import demo_settings
from atlantis_training.selfplay.checkpoint import generations, locked, newest_generation
from atlantis_training.selfplay.pool import make_game
from atlantis_training.selfplay.run import CHECKPOINTS, SETTINGS
from atlantis_training.selfplay.settings import read_toml, settings_from


def make_way(out: Path) -> None:
    """Remove the run of an earlier demo, if there is one.

    Raises:
        OptionError: another process is at work there, or the run is none of the demo, or was gone on with.
    """
    with locked(out):
        if not generations(out / CHECKPOINTS):
            return
        if not _untouched(out):
            allowed = "another directory (--out), or removing it"
            raise OptionError(f"out: {repr_short(out)} holds a run that is more than a demo; allowed: {allowed}")
        shutil.rmtree(out / CHECKPOINTS)


def _untouched(out: Path) -> bool:
    """Return whether a run is what the demo began, with the time it was given then."""
    try:
        _, manifest, _, _ = newest_generation(out / CHECKPOINTS)
        saved = settings_from(manifest["state"]["extra"]["settings"])
        began = settings_from(read_toml(out / SETTINGS))
        return bool(saved == began == demo_settings(make_game(saved), saved.seconds))
    except (AtlantisError, KeyError, TypeError):  # damaged, or of another version: not to be judged
        return False
