"""A trained policy that needs only NumPy: weights in safetensors beside a JSON manifest that says what they fit.

A policy directory holds ``manifest.json`` and ``weights.safetensors``. Nothing in it is unpickled or evaluated; the
manifest's SHA-256 is checked before the weights are used.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load as load_tensors
from safetensors.numpy import save as save_tensors

from atlantis_envs.engine.replay import write_atomically
from atlantis_envs.engine.values import Reader, read_json, shown
from atlantis_envs.errors import OptionError

if TYPE_CHECKING:
    from atlantis_envs.engine.game import Game

FORMAT = "atlantis-envs policy 1"
MANIFEST = "manifest.json"
WEIGHTS = "weights.safetensors"
KEYS = ("format", "game", "players", "options", "versions", "observation", "actions", "hidden", "sha256", "about")
MAX_WEIGHT_BYTES = 256 * 1024 * 1024
MAX_LAYERS = 16
ILLEGAL = np.float32(-1e9)
TO_UNIT = 2.0**-64

Layers = Sequence[tuple[NDArray[np.float32], NDArray[np.float32]]]


def save_policy(path: str | Path, game: Game, layers: Layers, about: str = "") -> Path:
    """Write a policy directory: a multi-layer perceptron with tanh between layers, logits at the end.

    Args:
        path: directory, created if needed.
        game: the game it was trained on.
        layers: (weight float32 (outputs, inputs), bias float32 (outputs,)) from the observation, divided by
            ``game.observation_high``, to the action logits.
        about: how it was made; free text.
    """
    directory = Path(path)
    directory.mkdir(parents=True, exist_ok=True)
    tensors = {}
    for number, (weight, bias) in enumerate(layers):
        tensors[f"{number}.weight"] = np.ascontiguousarray(weight, np.float32)
        tensors[f"{number}.bias"] = np.ascontiguousarray(bias, np.float32)
    raw = save_tensors(tensors)
    manifest = {
        "format": FORMAT,
        "game": game.name,
        "players": game.players,
        "options": game.options.to_json(),
        "versions": asdict(game.definition.versions),
        "observation": game.definition.observation.fingerprint(),
        "actions": game.num_actions,
        "hidden": [int(weight.shape[0]) for weight, _ in layers[:-1]],
        "sha256": hashlib.sha256(raw).hexdigest(),
        "about": about,
    }
    temporary = directory / f".{WEIGHTS}.{os.getpid()}"
    with temporary.open("wb") as stream:
        stream.write(raw)
        stream.flush()
        os.fsync(stream.fileno())
    os.replace(temporary, directory / WEIGHTS)
    write_atomically(directory / MANIFEST, json.dumps(manifest, indent=1) + "\n")
    return directory


class PolicyAgent:
    """Plays a saved policy.

    Args:
        game: the game to play; its observation and actions must be those the policy was trained with. Other player
            counts and options are allowed: the observation has room for all of them.
        path: a policy directory.
        greedy: play the most likely legal action; otherwise sample from the policy.
        seed: of the agent's own generator, used where ``act`` gets no noise.

    Raises:
        OptionError: the directory is missing or damaged, or fits another game or version; one line says why.
    """

    def __init__(self, game: Game, path: str | Path, greedy: bool = True, seed: int | None = None) -> None:
        """Read and check the files."""
        self.game = game
        self.path = Path(path)
        self.greedy = greedy
        self._generator = np.random.default_rng(seed)
        self._scale = np.float32(1) / game.observation_high.astype(np.float32)
        self.manifest = _manifest(self.path, game)
        self._layers = _layers(self.path, self.manifest, game)

    def logits(self, observations: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Action logits before masking, float32 (N, A)."""
        values: NDArray[np.float32] = observations.astype(np.float32) * self._scale
        for weight, bias in self._layers[:-1]:
            values = np.tanh(values @ weight.T + bias)
        weight, bias = self._layers[-1]
        return np.asarray(values @ weight.T + bias, np.float32)

    def act(
        self,
        observations: NDArray[np.uint8],
        masks: NDArray[np.int8],
        noise: NDArray[np.uint64] | None = None,
    ) -> NDArray[np.int64]:
        """One legal action per row; see Agent."""
        logits = np.where(masks != 0, self.logits(observations), ILLEGAL)
        if self.greedy:
            return np.asarray(logits.argmax(axis=1), np.int64)
        odds = np.exp(logits - logits.max(axis=1, keepdims=True)) * (masks != 0)
        ladder = np.cumsum(odds, axis=1, dtype=np.float64)
        drawn = self._generator.random(len(logits)) if noise is None else noise * TO_UNIT
        choice = (ladder <= (drawn * ladder[:, -1])[:, None]).sum(axis=1)
        last = masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)  # where rounding passes the end of the ladder
        return np.minimum(choice, last).astype(np.int64)


def _manifest(path: Path, game: Game) -> dict[str, Any]:
    try:
        document = read_json(path / MANIFEST)
    except ValueError as error:
        raise OptionError(f"policy: {error}") from None
    reader = Reader()
    manifest = dict(reader.mapping("", document, KEYS, required=KEYS))
    if reader.faults:
        raise OptionError(f"policy: {path / MANIFEST}: " + "; ".join(f"{key}: {text}" for key, text in reader.faults))
    definition = game.definition
    wanted: dict[str, Any] = {
        "format": FORMAT,
        "game": game.name,
        "observation": definition.observation.fingerprint(),
        "actions": game.num_actions,
        "versions": asdict(definition.versions),
    }
    for key, value in wanted.items():
        if manifest[key] != value:
            raise OptionError(f"policy: {path}: {key} is {shown(manifest[key])}; this library has {shown(value)}")
    return manifest


def _layers(path: Path, manifest: dict[str, Any], game: Game) -> list[tuple[NDArray[np.float32], NDArray[np.float32]]]:
    reader = Reader()
    hidden = [
        reader.integer(f"hidden[{index}]", size, 1, 1 << 16)
        for index, size in enumerate(reader.sequence("hidden", manifest["hidden"], 0, MAX_LAYERS))
    ]
    if reader.faults:
        raise OptionError(f"policy: {path / MANIFEST}: " + "; ".join(f"{key}: {text}" for key, text in reader.faults))
    try:
        with (path / WEIGHTS).open("rb") as stream:
            raw = stream.read(MAX_WEIGHT_BYTES + 1)
    except OSError as error:
        raise OptionError(f"policy: {path / WEIGHTS}: cannot be read ({error.strerror or error})") from None
    if hashlib.sha256(raw).hexdigest() != manifest["sha256"]:
        raise OptionError(f"policy: {path / WEIGHTS}: SHA-256 differs from the manifest's; the file is damaged")
    try:
        tensors = load_tensors(raw)
    except SafetensorError as error:
        raise OptionError(f"policy: {path / WEIGHTS}: {error}") from None
    sizes = [game.observation_size, *hidden, game.num_actions]
    return [_layer(path, tensors, number, shape) for number, shape in enumerate(zip(sizes[1:], sizes, strict=False))]


def _layer(
    path: Path, tensors: dict[str, NDArray[Any]], number: int, shape: tuple[int, int]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    for name, size in ((f"{number}.weight", shape), (f"{number}.bias", shape[:1])):
        tensor = tensors.get(name)
        if tensor is None or tensor.shape != size or tensor.dtype != np.float32 or not np.isfinite(tensor).all():
            found = None if tensor is None else f"{tensor.dtype} {tensor.shape}"
            raise OptionError(f"policy: {path / WEIGHTS}: {name} is {found}; allowed: finite float32 {size}")
    return tensors[f"{number}.weight"], tensors[f"{number}.bias"]
