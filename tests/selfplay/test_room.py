"""What is written can be read back: whatever a run may begin with, its last checkpoint is in the limits."""

from __future__ import annotations

import json
import tomllib
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("sb3_contrib")

import atlantis_envs
from atlantis_agents.networks import policy
from atlantis_agents.networks.policy import PolicyAgent, save_policy
from atlantis_agents.networks.tensors import (
    MAX_ARRAY_BYTES,
    MAX_LAYERS,
    MAX_MANIFEST_BYTES,
    TensorFileError,
    read_tensors,
    write_tensors,
)
from atlantis_envs.engine.game import Game
from atlantis_envs.errors import OptionError
from atlantis_training.selfplay import checkpoint, size_limits
from atlantis_training.selfplay.checkpoint import CheckpointError, generations, load_generation, save_generation
from atlantis_training.selfplay.run import CHECKPOINTS, Run
from atlantis_training.selfplay.settings import SelfPlaySettings, settings_from, to_toml
from atlantis_training.selfplay.size_limits import check_size_limits, thinned

TINY: dict[str, Any] = {
    "num_envs": 8,
    "num_steps": 16,
    "batch_size": 64,
    "hidden": (16,),
    "steps": 128,
    "imitate": 0,
    "share_snapshots": 0.5,
}


@pytest.fixture
def game() -> Game:
    return atlantis_envs.game("atlandice", players=3)


# ---- refused before anything is written


@pytest.mark.parametrize(
    ("values", "told"),
    [
        (
            {"hidden": [8192, 8192]},
            r"hidden: \[8192, 8192\] makes a policy of \d{3},\d{3},\d{3} bytes; allowed: at most",
        ),
        ({"hidden": [16] * 17}, r"hidden: 17 of them; allowed: at most 16"),
        (
            {"hidden": [2048, 2048], "snapshot_every": 10, "max_snapshots": 100},
            r"max_snapshots: 100 .*, so at most \d+ snap",
        ),
        ({"hidden": [6144, 6144], "snapshot_every": 1, "num_steps": 1}, r"max_snapshots: 8 .*, so smaller layers"),
        (
            {"game": "atlantis_rising", "players": 7, "hidden": [7400, 7400], "num_envs": 65536, "num_steps": 1},
            r"num_envs: 65536 beside these layers makes",
        ),
        ({"data": {"needles": ["x" * 1000] * 20_000}}, r"data"),
        ({"policies": ["x"] * 1001, "share_policies": 1.0}, r"policies: 1001 of them; allowed: at most 1000"),
    ],
    ids=["policy", "17 layers", "snapshots", "one too many", "games", "tables", "too many"],
)
def test_what_could_not_be_read_back_is_refused_before_it_begins(
    values: dict[str, Any], told: str, tmp_path: Path
) -> None:
    with pytest.raises(OptionError, match=told):
        Run.begin(tmp_path / "run", settings_from({"steps": 10**9, "share_snapshots": 0.5, **values}))
    assert not (tmp_path / "run").exists()


def test_names_that_fill_the_manifest_are_refused(game: Game) -> None:
    settings = SelfPlaySettings(
        share_snapshots=0.5, policies=tuple(f"{n}{'p' * 2000}" for n in range(1000)), share_policies=1.0
    )
    with pytest.raises(
        OptionError, match=r"policies, max_snapshots: make a manifest of [\d,]+ bytes; allowed: at most"
    ):
        check_size_limits(game, settings, {})


def test_a_policy_that_could_not_be_read_back_is_not_written(game: Game, tmp_path: Path) -> None:
    narrow = np.zeros((1, 1), np.float32), np.zeros(1, np.float32)
    with pytest.raises(OptionError, match=f"hidden: 17 layers; allowed: at most {MAX_LAYERS}"):
        save_policy(tmp_path / "p", game, [narrow] * 18)
    assert not (tmp_path / "p").exists()


@pytest.mark.parametrize("count", [0, 1, MAX_LAYERS])
def test_a_policy_with_as_many_layers_as_are_allowed_is_read_back(game: Game, count: int, tmp_path: Path) -> None:
    sizes = [game.observation_size, *[3] * count, game.num_actions]
    layers = [(np.full((b, a), 0.01, np.float32), np.zeros(b, np.float32)) for a, b in pairwise(sizes)]
    assert len(PolicyAgent(game, save_policy(tmp_path / "p", game, layers)).layers) == count + 1


# ---- counted at its largest


@pytest.mark.parametrize(
    "values",
    [
        {"snapshot_every": 1, "max_snapshots": 3},
        {"hidden": (32, 8), "advice": True, "snapshot_every": 2, "max_snapshots": 4},
        {"hidden": (), "imitate": 600, "snapshot_every": 1, "max_snapshots": 2, "mixed": True},
    ],
)
def test_no_checkpoint_of_a_run_is_larger_than_was_counted(
    values: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the limits just at what is counted it may begin, and every checkpoint is read; one byte less, and not."""
    settings = settings_from({**TINY, "steps": 128 * 12, "checkpoint_every": 1, "keep_checkpoints": 100, **values})
    counted = least_limit(settings, monkeypatch)
    run = Run.begin(tmp_path / "run", settings)
    run.go()
    sizes = []
    for path in generations(tmp_path / "run" / CHECKPOINTS):
        sizes.append((path / "state.safetensors").stat().st_size)
        load_generation(path)
    assert len(sizes) > 12 and max(sizes) <= counted <= 3 * max(sizes) + 400_000
    assert len(run.pool.entries) > 4


def least_limit(settings: SelfPlaySettings, monkeypatch: pytest.MonkeyPatch) -> int:
    """The smallest limit with which these settings are allowed, by bisection."""
    run = Run(Path("nowhere"), settings)
    tables = run.environment.core.to_arrays()

    def allowed(limit: int) -> bool:
        with monkeypatch.context() as patch:
            patch.setattr(size_limits, "MAX_ARRAY_BYTES", limit)
            try:
                check_size_limits(run.game, settings, tables)
            except OptionError:
                return False
            return True

    low, high = 0, MAX_ARRAY_BYTES
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if allowed(middle) else (middle, high)
    return high


def test_the_curve_never_grows_beyond_what_a_checkpoint_holds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(size_limits, "MOST_ROWS", 6)
    run = Run.begin(tmp_path / "run", settings_from({**TINY, "steps": 128 * 20, "checkpoint_every": 1}))
    run.go()
    steps = [row["steps"] for row in run.curve]
    assert 3 <= len(steps) <= 6 and steps == sorted(steps) and steps[-1] == 128 * 20
    assert Run.resume(tmp_path / "run").curve == run.curve
    assert json.loads((tmp_path / "run" / "curve.json").read_text()) == run.curve


def test_the_last_row_of_a_curve_stays_when_it_is_thinned() -> None:
    for count in range(1, 30):
        rows = list(range(count))
        kept = thinned(rows, 9)
        assert kept == rows if count <= 9 else (kept[-1] == count - 1 and len(kept) == (count + 1) // 2)


def test_a_full_curve_and_pool_fit_into_the_manifest(game: Game) -> None:
    """The rows that are allowed, at their longest, beside a pool at its largest."""
    settings = SelfPlaySettings(share_snapshots=0.5, steps=10**15, max_snapshots=1000, snapshot_every=10, hidden=(4,))
    run = Run(Path("nowhere"), settings)
    rows = run._most_rows
    row = {"steps": 10**15, "seconds": 1e12 + 0.1, "share": 1 / 3}
    against = {"random": 0.1234, "heuristic": 0.1234, "snapshot": 0.1234}
    extra = {"settings": settings.to_json(), "seconds": 1 / 3, "curve": [{**row, "against": against}] * rows}
    entry = size_limits.Entry(10**9, "snapshot", f"snapshot {10**15}", None, 1 / 3, 10**9).to_json()
    text = checkpoint.manifest_text(game, "0" * 64, {"pool": [entry] * 1100, "extra": extra})
    assert rows == size_limits.MOST_ROWS and len(text) < MAX_MANIFEST_BYTES


# ---- the writers themselves


def test_arrays_above_the_limit_are_not_written(tmp_path: Path) -> None:
    with pytest.raises(TensorFileError, match=r"x: 4000 bytes; allowed: 1000, which is what can be read back"):
        write_tensors(tmp_path / "x", {"a": np.zeros(1000, np.float32)}, 1000)
    assert not (tmp_path / "x").exists()
    sha256 = write_tensors(tmp_path / "y", {"a": np.zeros(100, np.float32)}, 1000)
    assert read_tensors(tmp_path / "y", sha256, 1000)["a"].shape == (100,)


@pytest.mark.parametrize("what", ["arrays", "manifest"])
def test_a_checkpoint_above_the_limit_leaves_the_older_one(
    game: Game, what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save_generation(tmp_path, 1, game, {"a": np.zeros(3)}, {"x": 1})
    if what == "manifest":
        monkeypatch.setattr(checkpoint, "MAX_MANIFEST_BYTES", 3000)
    state = {"x": "y" * 4000} if what == "manifest" else {}
    arrays = {"a": np.broadcast_to(np.zeros(1, np.float32), (1 << 29,))} if what == "arrays" else {}
    with pytest.raises(CheckpointError, match=r"bytes; allowed: \d+"):
        save_generation(tmp_path, 2, game, arrays, state, keep=1)
    assert [path.name for path in generations(tmp_path)] == ["00000001"]
    assert load_generation(generations(tmp_path)[0])[0]["state"] == {"x": 1}


# ---- settings


@pytest.mark.parametrize(
    "values",
    [
        {"steps": 10**400}, {"imitate": 10**16}, {"learning_rate": 10**400}, {"seconds": 10**400}, {"seed": 10**400},
        {"checkpoint_every": 10**400}, {"batch_size": 2**80}, {"players": -(10**400)}, {"seconds": -(10**400)},
    ],
    ids=lambda values: next(iter(values)),
)  # fmt: skip
def test_numbers_that_nobody_means_are_refused_by_name(values: dict[str, Any]) -> None:
    with pytest.raises(OptionError, match=f"^{next(iter(values))}: .*; allowed: "):
        settings_from(values)


@pytest.mark.parametrize("text", ["\udcff", "a\ud800b"])
def test_texts_that_no_file_can_hold_are_refused_by_name(text: str) -> None:
    for values in (
        {"policies": [text], "share_policies": 1.0},
        {"game": text},
        {"options": {text: 1}},
        {"data": {"a": [text]}},
    ):
        with pytest.raises(OptionError, match=f"^{next(iter(values))}: "):
            settings_from(values)


def test_every_text_in_settings_survives_the_toml_file() -> None:
    name = "".join(map(chr, range(1, 0x250))) + "\u2028\U0001f600"
    settings = replace(SelfPlaySettings(), policies=(name,), share_policies=1.0, data={name: name})
    assert settings_from(tomllib.loads(to_toml(settings))) == settings


def test_limits_have_one_home() -> None:
    assert policy.MAX_LAYERS is MAX_LAYERS and checkpoint.MAX_MANIFEST_BYTES is MAX_MANIFEST_BYTES
