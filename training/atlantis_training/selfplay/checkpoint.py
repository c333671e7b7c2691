"""Checkpoints that a crash cannot tear and that cannot run code: one directory per generation.

    checkpoints/00000042/state.safetensors    every array
    checkpoints/00000042/manifest.json        every other value, and the SHA-256 of the arrays; written last

A generation is written under another name, flushed to disk and renamed, so it is complete or not there. Reading knows
exactly these two names, follows no links, unpickles nothing, and compares the checksum before it looks inside.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from atlantis_agents.networks.limits import MAX_MANIFEST_BYTES
from atlantis_agents.networks.tensors import Arrays, TensorFileError, read_tensors, write_tensors
from atlantis_envs.base.files import read_json, write_atomically
from atlantis_envs.base.values import Reader, repr_short
from atlantis_envs.errors import AtlantisError, told

if TYPE_CHECKING:
    from atlantis_envs.engine.game import Game

FORMAT = "atlantis-envs checkpoint 1"
MANIFEST = "manifest.json"
ARRAYS = "state.safetensors"
KEYS = ("format", "game", "options", "versions", "observation", "actions", "sha256", "state")
NAME = re.compile(r"\d{8}")
UNFINISHED = ".unfinished-"
SHORTEST_ARCHIVE = b"PK"


class CheckpointError(AtlantisError, ValueError):
    """A checkpoint that is missing, damaged, or of another game or version; one line."""


def save_generation(directory: Path, number: int, game: Game, arrays: Arrays, state: Any, keep: int = 3) -> Path:
    """Write a generation, then remove all but the newest ``keep``.

    Args:
        directory: of all generations, made if needed.
        number: of this one; an older one of the same number is replaced.
        game: what was being learned.
        arrays: everything that is an array.
        state: everything else, JSON values.
        keep: generations left in the end, at least 1.

    Raises:
        CheckpointError: it would be too large to be read back; what is there stays as it is.
    """
    directory.mkdir(parents=True, exist_ok=True)
    _sweep(directory)
    target = directory / f"{number:08d}"
    temporary = directory / f"{UNFINISHED}{target.name}"
    temporary.mkdir()
    try:
        sha256 = write_tensors(temporary / ARRAYS, arrays)
        text = manifest_text(game, sha256, state)
        if len(text) > MAX_MANIFEST_BYTES:
            size = f"manifest of {len(text)} bytes; allowed: {MAX_MANIFEST_BYTES}"
            raise CheckpointError(f"checkpoint: {repr_short(target)}: {size}")
        write_atomically(temporary / MANIFEST, text)
        _flush(temporary)
    except TensorFileError as error:
        _remove(temporary)
        raise CheckpointError(f"checkpoint: {error}") from None
    except BaseException:  # a full disk above all
        _remove(temporary)
        raise
    if target.exists():
        os.replace(target, directory / f"{UNFINISHED}old-{target.name}")
    os.replace(temporary, target)
    _flush(directory)
    for old in generations(directory)[: -max(1, keep)]:
        _remove(old)
    _sweep(directory)
    return target


def manifest_text(game: Game, sha256: str, state: Any) -> str:
    """The manifest of a generation."""
    manifest = {"format": FORMAT, **_fit(game), "options": game.options.to_json(), "sha256": sha256, "state": state}
    return json.dumps(manifest, indent=1, allow_nan=False) + "\n"


def generations(directory: Path) -> list[Path]:
    """The generations in a directory, oldest first."""
    if not directory.is_dir():
        return []
    return sorted(path for path in directory.iterdir() if NAME.fullmatch(path.name) and not path.is_symlink())


def load_generation(path: Path) -> tuple[dict[str, Any], Arrays]:
    """The manifest and the arrays of one generation; its ``state`` has not been looked at.

    Raises:
        CheckpointError: in one line, why not.
    """
    if path.is_file():
        raise CheckpointError(f"checkpoint: {repr_short(path)}: {_kind(path)}; allowed: a directory of our own format")
    if (path / MANIFEST).is_symlink():
        raise CheckpointError(f"checkpoint: {repr_short(path / MANIFEST)}: not a regular file")
    try:
        document = read_json(path / MANIFEST)
        reader = Reader()
        manifest = dict(reader.mapping("", document, KEYS, required=KEYS))
        if reader.faults:
            raise ValueError(f"{repr_short(path / MANIFEST)}: " + told(reader.faults))
        if manifest["format"] != FORMAT:
            raise ValueError(
                f"{repr_short(path)}: format is {repr_short(manifest['format'])}; this library has {FORMAT!r}"
            )
        return manifest, read_tensors(path / ARRAYS, manifest["sha256"])
    except (ValueError, TensorFileError) as error:
        raise CheckpointError(f"checkpoint: {error}") from None


def newest_generation(directory: Path) -> tuple[Path, dict[str, Any], Arrays, list[str]]:
    """The newest generation that is sound, its manifest and arrays, and a line for each newer one that is not.

    Raises:
        CheckpointError: there is none.
    """
    faults: list[str] = []
    for path in reversed(generations(directory)):
        try:
            return path, *load_generation(path), faults
        except CheckpointError as error:
            faults.append(str(error))
    if faults:
        raise CheckpointError(faults[0])
    raise CheckpointError(f"checkpoint: {repr_short(directory)}: holds no checkpoint")


def check_fit(path: Path, manifest: dict[str, Any], game: Game) -> None:
    """Refuse a checkpoint of another game or version.

    Raises:
        CheckpointError: naming both.
    """
    for key, value in {**_fit(game), "options": game.options.to_json()}.items():
        found = manifest[key]
        if found != value:
            if isinstance(found, dict) and isinstance(value, dict) and set(found) == set(value):
                other = [name for name in value if found[name] != value[name]]
                found, value = ({name: side[name] for name in other} for side in (found, value))
            raise CheckpointError(
                f"checkpoint: {repr_short(path)}: {key} is {repr_short(found)}; here it is {repr_short(value)}"
            )


def _fit(game: Game) -> dict[str, Any]:
    """What must be equal for a checkpoint to make sense."""
    definition = game.definition
    return {
        "game": game.name,
        "versions": asdict(definition.versions),
        "observation": definition.observation.fingerprint(),
        "actions": game.num_actions,
    }


def _kind(path: Path) -> str:
    """What a foreign file seems to be, for the message."""
    with path.open("rb") as stream:
        archive = stream.read(len(SHORTEST_ARCHIVE)) == SHORTEST_ARCHIVE
    return "a zip archive, which stable-baselines3 and torch write and which can hold code" if archive else "a file"


def _flush(directory: Path) -> None:
    """Make renames inside a directory last; a system that cannot open directories needs no such thing."""
    if os.name == "nt":
        return
    handle = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _remove(path: Path) -> None:
    """Remove a generation; renamed first, so that half of it is never taken for a generation."""
    aside = path.parent / f"{UNFINISHED}old-{path.name}"
    os.replace(path, aside)
    shutil.rmtree(aside, ignore_errors=True)


def _sweep(directory: Path) -> None:
    """Remove what an interrupted save left behind."""
    for path in directory.glob(f"{UNFINISHED}*"):
        shutil.rmtree(path, ignore_errors=True)
