"""Checkpoints that a crash cannot tear and that cannot run code: one directory per generation.

    checkpoints/00000042/state.safetensors    every array
    checkpoints/00000042/manifest.json        every other value, and the SHA-256 of the arrays; written last

A generation is written under another name, flushed to disk and renamed, so it is complete or not there. Reading knows
exactly these two names, follows no links, unpickles nothing, and compares the checksum before it looks inside.

Everything that the next step depends on is in it: network, optimiser, counters, the generators of torch, NumPy and
Python, the opponents with their statistics and weights, and the games. A run restored on the same machine with one
torch thread goes on bit for bit as if it had never stopped. One process at a time writes in the directory of a run.
"""

from __future__ import annotations

import json
import os
import random
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray

from atlantis_agents.networks.policy import NetworkAgent
from atlantis_agents.networks.tensors import (
    MAX_ENTRIES,
    MAX_MANIFEST_BYTES,
    Arrays,
    TensorFileError,
    read_tensors,
    write_tensors,
)
from atlantis_envs.base.files import read_json, write_atomically
from atlantis_envs.base.values import Reader, repr_short
from atlantis_envs.errors import AtlantisError, OptionError, fault_text
from atlantis_envs.seats.agents import Agent
from atlantis_training.selfplay.learner import Learner, SelfPlayVecEnv
from atlantis_training.selfplay.network import policy_layers
from atlantis_training.selfplay.pool import SNAPSHOT, Entry, Pool

try:
    import fcntl
except ImportError:  # Windows, where nothing keeps two processes apart
    fcntl = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from atlantis_envs.engine.game import Game

FORMAT = "atlantis-envs checkpoint 2"
FORMAT_1 = "atlantis-envs checkpoint 1"  # read, never written
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
    """Return the manifest of a generation."""
    manifest = {"format": FORMAT, **_fit(game), "options": game.options.to_json(), "sha256": sha256, "state": state}
    return json.dumps(manifest, indent=1, allow_nan=False) + "\n"


def generations(directory: Path) -> list[Path]:
    """Return the generations in a directory, oldest first."""
    if not directory.is_dir():
        return []
    return sorted(path for path in directory.iterdir() if NAME.fullmatch(path.name) and not path.is_symlink())


def load_generation(path: Path) -> tuple[dict[str, Any], Arrays]:
    """Return the manifest and the arrays of one generation; its ``state`` has not been looked at.

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
            raise ValueError(f"{repr_short(path / MANIFEST)}: " + fault_text(reader.faults))
        if manifest["format"] not in (FORMAT, FORMAT_1):
            raise ValueError(
                f"{repr_short(path)}: format is {repr_short(manifest['format'])}; this library has {FORMAT!r}"
            )
        arrays = read_tensors(path / ARRAYS, manifest["sha256"])
    except (ValueError, TensorFileError) as error:
        raise CheckpointError(f"checkpoint: {error}") from None
    if manifest["format"] == FORMAT_1:
        _upgrade(manifest, arrays)
    return manifest, arrays


def _upgrade(manifest: dict[str, Any], arrays: Arrays) -> None:
    """Turn what format 1 holds into format 2: other names, and nothing that nobody reads."""

    def table(of: Any, name: str) -> dict[str, Any]:
        found = of.get(name) if isinstance(of, dict) else None
        return found if isinstance(found, dict) else {}

    for name in ("observations", "starts"):
        arrays.pop(name, None)
    extra, counters = table(manifest["state"], "extra"), table(manifest["state"], "counters")
    for name in ("_n_updates", "_episode_num"):
        counters.pop(name, None)
    for name in ("rows", "rounds"):  # younger than the format: 0 where they are missing
        counters[f"dataset_{name}"] = counters.pop(f"lesson_{name}", 0)
    for where, old, new in (
        (extra, "lessons", "dataset"),
        (table(extra, "settings"), "lessons", "dataset"),
        (table(extra, "settings"), "lesson_epochs", "dataset_epochs"),
    ):
        if old in where:
            where[new] = where.pop(old)
    manifest["format"] = FORMAT


def newest_generation(directory: Path) -> tuple[Path, dict[str, Any], Arrays, list[str]]:
    """Return the newest generation that is sound, its manifest and arrays, and a line for each newer one that is not.

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
    """Return what must be equal for a checkpoint to make sense."""
    definition = game.definition
    return {
        "game": game.name,
        "versions": asdict(definition.versions),
        "observation": definition.observation.fingerprint(),
        "actions": game.num_actions,
    }


def _kind(path: Path) -> str:
    """Return what a foreign file seems to be, for the message."""
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


LOCK = ".lock"


@contextmanager
def locked(directory: Path) -> Iterator[None]:
    """Keep every other process out of a directory; the system releases it when this one dies, however it dies.

    Raises:
        OptionError: another one is in it.
    """
    if fcntl is None or not directory.is_dir():
        yield
        return
    try:
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NONBLOCK", 0)  # a pipe of that name is not waited for
        stream = os.fdopen(os.open(directory / LOCK, flags, 0o666), "rb")
    except OSError:  # whoever cannot write here cannot get in anybody's way
        yield
        return
    with stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise OptionError(
                f"out: {repr_short(directory)} is in use by another process; allowed: another directory"
            ) from None
        except OSError:  # a file system without locks
            pass
        yield


COUNTERS = ("imitated", "imitation_rounds", "imitation_ms", "rounds", "dataset_rows", "dataset_rounds")  # of a Learner
STEPS = "num_timesteps"  # the counter of its model
ADAM = ("step", "exp_avg", "exp_avg_sq")
MAX_COUNT = 2**62
ENTRY_KEYS = ("number", "kind", "name", "share", "games", "active")
STATE_KEYS = ("counters", "next_number", "pool", "python", "numpy", "extra")


def collect(learner: Learner, environment: SelfPlayVecEnv, pool: Pool, extra: Any) -> tuple[Arrays, dict[str, Any]]:
    """Collect everything the next step depends on; ``extra`` is what the caller wants to keep beside it."""
    model = learner.model
    arrays: Arrays = {f"policy.{name}": _numpy(tensor) for name, tensor in policy_parts(model.policy)}
    for number, memory in model.policy.optimizer.state_dict()["state"].items():
        arrays |= {f"optimizer.{number}.{name}": _numpy(memory[name]) for name in ADAM}
    arrays |= {f"tables.{name}": _plain(array) for name, array in environment.core.to_arrays().items()}
    arrays["potential"] = environment.potential
    arrays["won"] = environment.won
    for entry in pool.entries.values():
        if isinstance(entry.agent, NetworkAgent) and entry.kind == SNAPSHOT:
            for index, (weight, bias) in enumerate(entry.agent.layers):
                arrays |= {f"pool.{entry.number}.{index}.weight": weight, f"pool.{entry.number}.{index}.bias": bias}
    arrays["torch"] = _numpy(torch.get_rng_state())
    numpy_state: Any = np.random.get_state()  # noqa: NPY002  the global generator is what the learner draws from
    arrays["numpy"] = numpy_state[1]
    python_state = random.getstate()
    arrays["python"] = np.array(python_state[1], np.uint64)
    state = {
        "counters": {STEPS: learner.steps} | {name: getattr(learner, name) for name in COUNTERS},
        "next_number": pool.next_number,
        "pool": [entry.to_json() for entry in pool.entries.values()],
        "python": python_state[2],
        "numpy": [int(numpy_state[2]), int(numpy_state[3]), float(numpy_state[4])],
        "extra": extra,
    }
    return arrays, state


def policy_parts(policy: Any) -> list[tuple[str, torch.Tensor]]:
    """Return parameters and buffers by name; the library lists the trunk three times, once is enough."""
    again = ("pi_features_extractor.", "vf_features_extractor.")
    return [(name, tensor) for name, tensor in policy.state_dict().items() if not name.startswith(again)]


def restore(learner: Learner, environment: SelfPlayVecEnv, pool: Pool, arrays: Arrays, state: Any) -> Any:
    """Go on from ``collect``; return what was ``extra`` there.

    Raises:
        CheckpointError: in one line, what does not fit. The learner must not be used then.
    """
    document = _State(arrays, state)
    try:
        _restore_pool(pool, learner, document)
        environment.core.from_arrays(document.part("tables."))
        _restore_model(learner, document)
        environment.potential[:] = document.array("potential", environment.potential, finite=True)
        environment.remember(document.arrays["won"].astype(np.float64).ravel())
        _restore_generators(document)
    except CheckpointError:
        raise
    except (ValueError, KeyError, TypeError, IndexError, OverflowError, RuntimeError) as error:
        first = (str(error).splitlines() or [""])[0]
        raise CheckpointError(f"checkpoint: {type(error).__name__}: {first}") from None
    return document.values["extra"]


class _State:
    """Arrays and values of a checkpoint, taken out with a check."""

    def __init__(self, arrays: Arrays, state: Any) -> None:
        self.arrays = arrays
        reader = Reader()
        self.values = dict(reader.mapping("state", state, STATE_KEYS, required=STATE_KEYS))
        if not reader.faults:
            counters = (STEPS, *COUNTERS)
            found = dict(reader.mapping("state.counters", self.values["counters"], counters, required=counters))
            for name, value in found.items():
                reader.integer(f"state.counters.{name}", value, 0, MAX_COUNT)
            reader.integer("state.next_number", self.values["next_number"], 0, 2**31 - 1)
        if reader.faults:
            raise CheckpointError("checkpoint: " + fault_text(reader.faults))

    def part(self, prefix: str) -> Arrays:
        return {name.removeprefix(prefix): array for name, array in self.arrays.items() if name.startswith(prefix)}

    def array(self, name: str, like: NDArray[Any], finite: bool = False) -> NDArray[Any]:
        """Return an array of the shape and type of another."""
        found = self.arrays.get(name)
        if found is None or found.shape != like.shape or found.dtype != like.dtype:
            has = None if found is None else f"{found.dtype} {found.shape}"
            raise CheckpointError(f"checkpoint: {name} is {has}; allowed: {like.dtype} {like.shape}")
        if finite and not np.isfinite(found).all():
            raise CheckpointError(f"checkpoint: {name} is not finite")
        return found.copy()


def _restore_pool(pool: Pool, learner: Learner, document: _State) -> None:
    reader = Reader()
    fixed = {(entry.kind, entry.name): entry for entry in pool.entries.values()}  # the kernels and the saved policies
    entries: dict[int, Entry] = {}
    for index, item in enumerate(reader.sequence("pool", document.values["pool"], 1, MAX_ENTRIES)):
        fields = reader.mapping(f"pool[{index}]", item, ENTRY_KEYS, required=ENTRY_KEYS)
        if reader.faults:
            break
        number = reader.integer(f"pool[{index}].number", fields["number"], 0, document.values["next_number"])
        games = reader.integer(f"pool[{index}].games", fields["games"], 0, MAX_COUNT)
        share = fields["share"]
        if not isinstance(share, float) or not 0 <= share <= 1:
            reader.fault(f"pool[{index}].share", "allowed: 0.0..1.0")
            break
        kind, name = str(fields["kind"]), str(fields["name"])
        if kind == SNAPSHOT:
            agent: Agent = _snapshot(learner, document, number)
        elif (kind, name) in fixed:
            agent = fixed[kind, name].agent
        else:
            reader.fault(f"pool[{index}]", f"{kind} {name!r} is not in the settings")
            break
        entries[number] = Entry(number, kind, name, agent, share, games, fields["active"] is True)
    if reader.faults:
        raise CheckpointError("checkpoint: " + fault_text(reader.faults))
    pool.entries, pool.next_number = entries, document.values["next_number"]


def _snapshot(learner: Learner, document: _State, number: int) -> NetworkAgent:
    """Return an earlier version of the learner, whose layers are shaped like the learner's own."""
    layers = [
        (
            document.array(f"pool.{number}.{index}.weight", weight, finite=True),
            document.array(f"pool.{number}.{index}.bias", bias, finite=True),
        )
        for index, (weight, bias) in enumerate(policy_layers(learner.model))
    ]
    return learner.agent(layers)


def _restore_model(learner: Learner, document: _State) -> None:
    model, policy = learner.model, learner.model.policy
    weights = {
        name: torch.from_numpy(document.array(f"policy.{name}", _numpy(tensor), finite=True))
        for name, tensor in policy_parts(policy)
    }
    policy.load_state_dict(weights, strict=False)  # all of them are there: what is left out is the trunk again
    memory: dict[int, dict[str, torch.Tensor]] = {}
    for number, parameter in enumerate(policy.parameters()):
        if f"optimizer.{number}.step" in document.arrays:
            like = _numpy(parameter)
            shapes = {"step": np.zeros((), np.float32), "exp_avg": like, "exp_avg_sq": like}
            memory[number] = {
                name: torch.from_numpy(document.array(f"optimizer.{number}.{name}", shapes[name], finite=True))
                for name in ADAM
            }
    own = policy.optimizer.state_dict()
    policy.optimizer.load_state_dict({"state": memory, "param_groups": own["param_groups"]})
    counters = document.values["counters"]
    model.num_timesteps = counters[STEPS]
    for name in COUNTERS:
        setattr(learner, name, counters[name])


def _restore_generators(document: _State) -> None:
    reader = Reader()
    position, has_gauss, gauss = reader.sequence("state.numpy", document.values["numpy"], 3, 3) or (0, 0, 0)
    reader.integer("state.numpy[0]", position, 0, 624)
    reader.integer("state.numpy[1]", has_gauss, 0, 1)
    if reader.faults:
        raise CheckpointError("checkpoint: " + fault_text(reader.faults))
    words: Callable[[int, type], NDArray[Any]] = np.zeros
    np.random.set_state(  # noqa: NPY002
        ("MT19937", document.array("numpy", words(624, np.uint32)), int(position), int(has_gauss), float(gauss))
    )
    python = document.array("python", words(625, np.uint64))
    random.setstate((3, tuple(int(word) for word in python), document.values["python"]))
    torch.set_rng_state(torch.from_numpy(document.array("torch", _numpy(torch.get_rng_state()))))


def _numpy(tensor: torch.Tensor) -> NDArray[Any]:
    array: NDArray[Any] = tensor.detach().cpu().numpy()
    return array


def _plain(array: NDArray[Any]) -> NDArray[Any]:
    return np.ascontiguousarray(array)
