"""Recorded decisions of a teacher, to be learned from more than once: a directory of shards and a manifest.

    dataset/manifest.json           what game they are of, who taught, and the SHA-256 of every shard; written last
    dataset/00000.safetensors       the decisions of some games, in order

Every row is a choice: forced decisions teach nothing. Shards are written under another name, flushed and renamed, so a
shard is complete or not there; ``finish`` makes the directory readable. Reading unpickles nothing.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from atlantis_agents.networks.tensors import MAX_ARRAY_BYTES, Arrays, TensorFileError, read_tensors, write_tensors
from atlantis_envs.base.files import read_file, read_json, write_atomically
from atlantis_envs.base.values import Reader, repr_short
from atlantis_envs.errors import OptionError, fault_text
from atlantis_training.selfplay.demonstrations import Demonstrations

if TYPE_CHECKING:
    from atlantis_envs.engine.game import Game

FORMAT = "atlantis-envs dataset 2"
FORMAT_1 = "atlantis-envs lessons 1"  # read, never written; its shards say "seen" for "obs"
MANIFEST = "manifest.json"
FIT = ("format", "game", "versions", "observation", "actions")
KEYS = (*FIT, "players", "options", "about", "decisions", "shards")
MOST_SHARDS = 1_000_000


@dataclass(frozen=True)
class Dataset:
    """Recorded decisions in a directory whose manifest was read and fits a game.

    Attributes:
        path: the directory.
        shards: (name, SHA-256, decisions) of each.
        digest: SHA-256 of the manifest: equal digests, equal decisions.
    """

    path: Path
    shards: tuple[tuple[str, str, int], ...]
    digest: str

    @property
    def decisions(self) -> int:
        """Return how many there are."""
        return sum(count for _, _, count in self.shards)


def shard_name(number: int) -> str:
    """Return the name of the file of shard ``number``."""
    return f"{number:05d}.safetensors"


def write_shard(directory: Path, number: int, rows: Demonstrations) -> None:
    """Put a shard in place, whole or not at all."""
    arrays: Arrays = {
        "obs": rows.obs,
        "masks": np.packbits(rows.masks, axis=1),
        "actions": rows.actions.astype(np.int32),
        "returns": rows.returns,
    }
    if rows.afterstates is not None:
        arrays["after"] = rows.afterstates
    write_tensors(directory / shard_name(number), arrays)


def finish(directory: Path, game: Game, shards: int, about: dict[str, Any]) -> Dataset:
    """Write the manifest of shards 0 .. ``shards`` - 1 and remove all others.

    Args:
        directory: of the shards.
        game: they are of.
        shards: how many belong to it.
        about: how they were made, JSON values.
    """
    rows: list[tuple[str, str, int]] = []
    for number in range(shards):
        raw = read_file(directory / shard_name(number), MAX_ARRAY_BYTES, links=False)
        rows.append((shard_name(number), hashlib.sha256(raw).hexdigest(), count_of(directory, number)))
    for path in (*directory.glob("*.safetensors"), *directory.glob(".*.safetensors.*")):
        if path.name not in {name for name, _, _ in rows}:
            path.unlink()
    manifest = {
        **_fit(game),
        "players": game.players,
        "options": game.options.to_json(),
        "about": about,
        "decisions": sum(count for _, _, count in rows),
        "shards": rows,
    }
    write_atomically(directory / MANIFEST, json.dumps(manifest, indent=1) + "\n")
    return read_dataset(directory, game)


def count_of(directory: Path, number: int) -> int:
    """Count the decisions of a shard; 0 if it is not there.

    Raises:
        OptionError: it is no regular file.
    """
    from safetensors import safe_open

    path = directory / shard_name(number)
    if not os.path.lexists(path):
        return 0
    if not stat.S_ISREG(path.lstat().st_mode):  # what opens it would wait for a pipe
        raise OptionError(f"dataset: {repr_short(path)}: not a regular file; allowed: a shard, or no such file")
    with safe_open(str(path), "numpy") as stream:
        return int(stream.get_slice("actions").get_shape()[0])


def read_dataset(path: str | Path, game: Game) -> Dataset:
    """Read the manifest of a directory of recorded decisions.

    Raises:
        OptionError: there is none, it is damaged, or of another game or version; one line says why.
    """
    directory = Path(path)
    try:
        document = read_json(directory / MANIFEST)
    except ValueError as error:
        raise OptionError(f"dataset: {error}; allowed: a finished directory of recorded decisions") from None
    reader = Reader()
    manifest = dict(reader.mapping("", document, KEYS, required=KEYS))
    listed = [] if reader.faults else reader.sequence("shards", manifest["shards"], 1, MOST_SHARDS)
    rows = [_shard(reader, index, row) for index, row in enumerate(listed)]
    if reader.faults:
        raise OptionError(f"dataset: {repr_short(directory)}: " + fault_text(reader.faults))
    for key, value in _fit(game).items():
        if manifest[key] != value and manifest[key] != FORMAT_1:
            raise OptionError(
                f"dataset: {repr_short(directory)}: {key} is {repr_short(manifest[key])};"
                f" here it is {repr_short(value)}"
            )
    text = json.dumps(manifest, sort_keys=True)
    return Dataset(directory, tuple(rows), hashlib.sha256(text.encode()).hexdigest())


def _shard(reader: Reader, index: int, row: Any) -> tuple[str, str, int]:
    parts = reader.sequence(f"shards[{index}]", row, 3, 3) or ("", "", 0)
    if parts[0] != shard_name(index):
        reader.fault(f"shards[{index}]", f"allowed: {shard_name(index)}")
    return shard_name(index), str(parts[1]), reader.integer(f"shards[{index}]", parts[2], 0, 2**40)


def _fit(game: Game) -> dict[str, Any]:
    definition = game.definition
    return {
        "format": FORMAT,
        "game": game.name,
        "versions": asdict(definition.versions),
        "observation": definition.observation.fingerprint(),
        "actions": game.num_actions,
    }


def load_dataset(datasets: Sequence[Dataset], game: Game, after: bool) -> Demonstrations:
    """Load all decisions of some directories, one after the other.

    Args:
        datasets: at least one.
        game: they are of.
        after: with afterstates.

    Raises:
        OptionError: a shard is damaged, or has no afterstates.
    """
    return joined([_load(dataset.path, shard, game, after) for dataset in datasets for shard in dataset.shards])


def check_dataset(datasets: Sequence[Dataset], game: Game, after: bool) -> None:
    """Read all decisions once, shard by shard, and keep nothing: what cannot be learned from is found before a run.

    Raises:
        OptionError: a shard is damaged, or has no afterstates where ``after`` asks for them.
    """
    for dataset in datasets:
        for shard in dataset.shards:
            _load(dataset.path, shard, game, after)


def joined(parts: Sequence[Demonstrations]) -> Demonstrations:
    """Join choices from several places, one after the other; all with afterstates and scores, or none."""
    obs, masks, actions, returns = (np.concatenate(column) for column in list(zip(*parts, strict=True))[:4])
    after = [part.afterstates for part in parts if part.afterstates is not None]
    scores = [part.scores for part in parts if part.scores is not None]
    led_to = np.concatenate(after) if after else None
    return Demonstrations(obs, masks, actions, returns, led_to, np.concatenate(scores) if scores else None)


def _load(directory: Path, shard: tuple[str, str, int], game: Game, after: bool) -> Demonstrations:
    name, sha256, count = shard
    try:
        arrays = read_tensors(directory / name, sha256)
    except TensorFileError as error:
        raise OptionError(f"dataset: {error}") from None
    actions_wide = game.num_actions
    obs = _array(
        directory / name, arrays, "obs" if "obs" in arrays else "seen", np.uint8, (count, game.observation_size)
    )
    packed = _array(directory / name, arrays, "masks", np.uint8, (count, -(-actions_wide // 8)))
    actions = _array(directory / name, arrays, "actions", np.int32, (count,)).astype(np.int64)
    returns = _array(directory / name, arrays, "returns", np.float32, (count,))
    masks = np.unpackbits(packed, axis=1, count=actions_wide).astype(np.bool_)
    inside = (actions >= 0) & (actions < actions_wide)
    if not inside.all() or not masks[np.arange(count), actions].all() or not np.isfinite(returns).all():
        raise OptionError(
            f"dataset: {repr_short(directory / name)}: actions or returns; allowed: legal actions, finite returns"
        )
    if not after:
        return Demonstrations(obs, masks, actions, returns, None)
    return Demonstrations(
        obs, masks, actions, returns,
        _array(directory / name, arrays, "after", np.uint8, (int(masks.sum()), game.observation_size)),
    )  # fmt: skip


def _array(path: Path, arrays: Arrays, name: str, kind: Any, shape: tuple[int, ...]) -> NDArray[Any]:
    found = arrays.get(name)
    if found is None or found.dtype != kind or found.shape != shape:
        has = None if found is None else f"{found.dtype} {found.shape}"
        raise OptionError(f"dataset: {repr_short(path)}: {name} is {has}; allowed: {np.dtype(kind)} {shape}")
    return found
