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
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from atlantis_agents.networks.policy import SEAT_SHARES, share_outputs
from atlantis_agents.networks.tensors import MAX_ARRAY_BYTES, Arrays, TensorFileError, read_tensors, write_tensors
from atlantis_envs.base.files import read_file, read_json, write_atomically
from atlantis_envs.base.values import Reader, repr_short
from atlantis_envs.errors import OptionError, fault_text
from atlantis_envs.seats.agents import Agent
from atlantis_envs.seats.positions import ask
from atlantis_training.evaluation.statistics import shares_of_wins

if TYPE_CHECKING:
    from atlantis_envs.engine.batch import Batch
    from atlantis_envs.engine.game import Game

FEWEST = 2  # legal actions of a decision that is kept: there is nothing to learn where nothing is to choose
# What is played in these lanes of a batch instead of the actions that the teacher says; it may change them in place.
Instead = Callable[["Batch", NDArray[np.int64], NDArray[np.int64]], NDArray[np.int64]]


class Targets(NamedTuple):
    """What N decisions teach a policy that knows values.

    Attributes:
        policies: odds of the actions, float32 (N, A); 0 where not legal.
        shares: of the win that each seat got, float32 (N, S), the mover's first, then in turn order; or (N, 1) of all.
        surprise: how far the odds are from what was thought before, in nats, float32 (N,).
        values: win shares that a search expects of the actions, float16 (N, A), 0 where not legal; None: unknown.
    """

    policies: NDArray[np.float32]
    shares: NDArray[np.float32]
    surprise: NDArray[np.float32]
    values: NDArray[np.float16] | None = None


class Demonstrations(NamedTuple):
    """Choices of a teacher.

    Attributes:
        obs: observations, uint8 (N, F).
        masks: what was legal, bool (N, A).
        actions: what it played, int64 (N,).
        returns: what its game paid to that seat, float32 (N,).
        afterstates: those of all choices, uint8 (K, F), for a network that scores them.
        scores: what the teacher thinks of every action, float32 (N, A), -inf where not legal; None if nobody asked.
        targets: what a policy that knows values learns from them; None if nobody recorded it.
    """

    obs: NDArray[np.uint8]
    masks: NDArray[np.bool_]
    actions: NDArray[np.int64]
    returns: NDArray[np.float32]
    afterstates: NDArray[np.uint8] | None
    scores: NDArray[np.float32] | None = None
    targets: Targets | None = None


def mover_shares(
    game: Game, paid: NDArray[np.float64], lanes: NDArray[np.int64], seats: NDArray[np.int64]
) -> NDArray[np.float32]:
    """Return what Targets.shares says of N decisions, float32 (N, S) or (N, 1).

    Args:
        game: that was played.
        paid: to every seat of every game, float64 (G, P); NaN for games that were cut off, which nobody won.
        lanes: of each decision its game, int64 (N,).
        seats: who was to move, int64 (N,).
    """
    returns = np.nan_to_num(paid)
    if game.cooperative:
        return (returns[lanes, :1] > 0).astype(np.float32)
    won = np.where(np.isnan(paid), 1 / game.players, shares_of_wins(returns))
    turns = (seats[:, None] + np.arange(game.players)) % game.players
    shares = np.zeros((len(lanes), share_outputs(game, SEAT_SHARES)), np.float32)
    shares[:, : game.players] = np.take_along_axis(won[lanes], turns, axis=1)
    return shares


def demonstrate(
    game: Game,
    teacher: Agent,
    games: NDArray[np.int64],
    seed: int,
    instead: Instead | None = None,
    afterstates: bool = False,
    scored: bool = False,
) -> Demonstrations:
    """Return what a teacher plays, or would play, at every choice of some games.

    Args:
        game: what is played.
        teacher: who plays it against itself.
        games: their numbers, int64 (N,).
        seed: of the games and of the noise of whoever plays.
        instead: what is played where there is a choice; None: what the teacher says.
        afterstates: record those too.
        scored: with what the teacher thinks of every action; it is one of the heuristic's kind then.
    """
    batch, lanes = game.batch(len(games), seed), np.arange(len(games))
    batch.reset(games=games)
    paid = np.zeros((len(games), game.players), np.float32)
    kept: list[tuple[NDArray[Any], ...]] = []
    led_to: list[NDArray[np.uint8]] = []
    while len(lanes):
        masks = batch.action_masks[lanes]
        actions, choice = masks.argmax(axis=1), masks.sum(axis=1) >= FEWEST
        some = lanes[choice]
        if len(some):
            wanted = ask(teacher, batch, some, batch.noise(seed, some))
            kept.append(
                (batch.observations[some], masks[choice] != 0, wanted, some, batch.seats[some].astype(np.int64))
            )
            led_to += [batch.afterstates(some).observations] if afterstates else []
            actions[choice] = wanted if instead is None else instead(batch, some, wanted.copy())
        rewards, over = batch.step(actions, lanes)
        paid[over] = rewards[over]
        lanes = lanes[~over[lanes]]
    obs, legal, chosen, whose, seats = (np.concatenate(column) for column in zip(*kept, strict=True))
    adviser: Any = teacher
    scores = adviser.scores(obs, legal.astype(np.int8)).astype(np.float32) if scored else None
    after = np.concatenate(led_to) if afterstates else None
    return Demonstrations(obs, legal, chosen, paid[whose, seats], after, scores)


def odds_of(watched: Demonstrations, temperature: float) -> torch.Tensor | None:
    """Return what a teacher's scores are imitated as, float32 (N, A); None: its choices are imitated.

    Scores say what a mistake costs and which actions are as good; choices do not (distillation; Hinton, Vinyals & Dean
    2015). Where all are equal they say nothing, as the choice was made without them, and it is imitated.
    """
    if not temperature or watched.scores is None:
        return None
    scores = torch.from_numpy(watched.scores)
    odds = torch.softmax(scores / temperature, dim=1)
    silent = scores.masked_fill(scores.isinf(), torch.inf).amin(dim=1) == scores.amax(dim=1)
    chosen = torch.from_numpy(watched.actions)[silent]
    odds[silent] = torch.nn.functional.one_hot(chosen, odds.shape[1]).float()
    return odds


def distance(
    logs: torch.Tensor, wanted: torch.Tensor, legal: torch.Tensor, odds: torch.Tensor | None, doubt: float
) -> torch.Tensor:
    """Return the mean cross entropy to the teacher's odds, or to its choice, with label smoothing over legal actions.

    Args:
        logs: log odds of the policy, float32 (N, A).
        wanted: the teacher's choice, int64 (N,).
        legal: bool (N, A).
        odds: of the teacher, float32 (N, A), or None.
        doubt: 0..1, share of the target that is spread over all legal actions.
    """
    if odds is None:
        loss = torch.nn.functional.nll_loss(logs, wanted)
    else:
        loss = -(odds * logs.masked_fill(~legal, 0.0)).sum(dim=1).mean()
    if not doubt:
        return loss
    return (1 - doubt) * loss - doubt * (logs.masked_fill(~legal, 0.0).sum(dim=1) / legal.sum(dim=1)).mean()


# -------------------------------------------------------------------------------------------------- kept in a directory


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
    if rows.targets is not None:
        arrays |= {"policies": rows.targets.policies.astype(np.float16)}
        arrays |= {name: getattr(rows.targets, name) for name in ("shares", "surprise")}
        if rows.targets.values is not None:
            arrays["values"] = rows.targets.values
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
    taught = [part.targets for part in parts if part.targets is not None]
    targets = _joined_targets(taught) if taught else None
    return Demonstrations(obs, masks, actions, returns, led_to, np.concatenate(scores) if scores else None, targets)


def _joined_targets(parts: Sequence[Targets]) -> Targets:
    policies, shares, surprise = (np.concatenate(column) for column in list(zip(*parts, strict=True))[:3])
    values = [part.values for part in parts if part.values is not None]
    return Targets(policies, shares, surprise, np.concatenate(values) if len(values) == len(parts) else None)


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
    led_to = None
    if after:
        led_to = _array(directory / name, arrays, "after", np.uint8, (int(masks.sum()), game.observation_size))
    targets = _targets(directory / name, arrays, masks, game) if "policies" in arrays else None
    return Demonstrations(obs, masks, actions, returns, led_to, None, targets)


def _targets(path: Path, arrays: Arrays, masks: NDArray[np.bool_], game: Game) -> Targets:
    """Read targets.

    Raises:
        OptionError: odds of what is not legal, or numbers that are no odds or shares.
    """
    count, width = masks.shape
    found = Targets(
        _array(path, arrays, "policies", np.float16, (count, width)).astype(np.float32),
        _array(path, arrays, "shares", np.float32, (count, share_outputs(game, SEAT_SHARES))),
        _array(path, arrays, "surprise", np.float32, (count,)),
        _array(path, arrays, "values", np.float16, (count, width)) if "values" in arrays else None,
    )
    finite = all(np.isfinite(part).all() and (part >= 0).all() for part in found if part is not None)
    if not finite or found.policies[~masks].any() or not (found.policies.sum(axis=1) > 0.5).all():
        allowed = "odds of legal actions, and numbers from 0"
        raise OptionError(f"dataset: {repr_short(path)}: policies, shares, surprise or values; allowed: {allowed}")
    return found


def _array(path: Path, arrays: Arrays, name: str, kind: Any, shape: tuple[int, ...]) -> NDArray[Any]:
    found = arrays.get(name)
    if found is None or found.dtype != kind or found.shape != shape:
        has = None if found is None else f"{found.dtype} {found.shape}"
        raise OptionError(f"dataset: {repr_short(path)}: {name} is {has}; allowed: {np.dtype(kind)} {shape}")
    return found
