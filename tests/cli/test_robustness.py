"""Arguments, names of files and rights that nobody planned for: one clear error, or it works; never a traceback."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from helpers.support import ROOT

import atlantis_envs
from atlantis_envs import atlandice_v1, atlantis_rising_v2, atlantis_v1
from atlantis_envs.adapters.gymnasium_env import SeatEnv, SeatVectorEnv
from atlantis_envs.adapters.pettingzoo_env import BoardGameEnv
from atlantis_envs.base.files import write_atomically
from atlantis_envs.engine.batch import Batch
from atlantis_envs.engine.game import Game
from atlantis_envs.errors import OptionError, UnknownOptionError


@pytest.fixture
def game() -> Game:
    return atlantis_envs.game("atlandice", players=3)


# ---- positions for a batch


def filled(game: Game, method: str, positions: Any) -> Batch:
    if method == "from_positions":
        return Batch.from_positions(positions)
    if method == "batch_from_positions":
        return game.batch_from_positions(positions)
    batch = game.batch(2, seed=1)
    return batch.load(positions) if method == "load" else batch.from_positions(positions)


@pytest.mark.parametrize("method", ["from_positions", "load", "batch_from_positions", "on a batch"])
def test_what_are_no_positions_is_said_by_name(game: Game, method: str) -> None:
    root = game.initial_position()
    other = atlantis_envs.game("atlantis").initial_position()
    options = atlantis_envs.game("atlandice", players=3, chain_cap=2).initial_position()
    ended = root.clone()
    while ended.node != "over":
        ended.apply(ended.sample_chance(1) if ended.node == "chance" else ended.legal_actions()[0])
    misuses: list[tuple[Any, str]] = [
        (5, r"^positions: 5; allowed: a list of positions"),
        (None, r"^positions: None; allowed: a list"),
        (root, r"^positions: <Position .*; allowed: a list"),
        ("ab", r"^positions: 'ab'; allowed: a list"),
        ({0: root}, r"^positions: .*; allowed: a list"),
        ([], r"^positions: none; allowed: at least 1"),
        (np.zeros(2), r"^positions\[0\]: .*; allowed: positions"),
        ([1, 2], r"^positions\[0\]: 1; allowed: positions"),
        ([root, root.to_json()], r"^positions\[1\]: \{.*; allowed: positions of game\('atlandice'"),
        ([root, other], r"^positions\[1\]: <Position .*; allowed: positions of game\('atlandice'"),
        ([root, options], r"^positions\[1\]: <Position .*; allowed: positions of game\('atlandice'"),
        ([root, ended], r"^positions\[1\]: the game is over"),
        ([root, None], r"^positions\[1\]: None; allowed: positions of game"),
    ]
    if method in {"load", "on a batch"}:
        misuses += [([root] * 3, r"^positions: 3; allowed: 2, one per lane"), ([other] * 2, r"^positions\[0\]")]
    for misuse, told in misuses:
        with pytest.raises(ValueError, match=told):
            filled(game, method, misuse)
    for fine in ([root, root], (root, root), iter([root, root])):
        assert len(filled(game, method, fine)) == 2


def test_a_load_that_is_refused_changes_nothing(game: Game) -> None:
    batch = game.batch(2, seed=1)
    before = batch.states.tobytes(), batch.games.tolist(), batch.seed
    for positions, seed in (([game.initial_position(), None], 3), ([game.initial_position()] * 2, -1)):
        with pytest.raises(ValueError, match=r"positions\[1\]|seed"):
            batch.load(positions, seed=seed)  # type: ignore[arg-type]
    assert before == (batch.states.tobytes(), batch.games.tolist(), batch.seed)


@pytest.mark.parametrize(
    "make", [lambda game: Batch(game, 2), BoardGameEnv, SeatEnv, lambda game: SeatVectorEnv(2, game=game)]
)
@pytest.mark.parametrize("wrong", [5, None, b"atlandice"])
def test_what_is_no_game_is_said_by_name(make: Callable[[Any], Any], wrong: Any) -> None:
    with pytest.raises(OptionError, match=r"^game: .*; allowed: a Game"):
        make(wrong)


# ---- unknown keywords


@pytest.mark.parametrize("name", atlantis_envs.game_names())
def test_options_as_they_are_written_are_options_that_are_known(name: str) -> None:
    options = atlantis_envs.game(name).options.to_json()
    again = atlantis_envs.game(name, **options)
    assert again == atlantis_envs.game(name)


MAKERS: dict[str, Callable[..., Any]] = {
    "game": lambda **more: atlantis_envs.game("atlantis", **more),
    "env": atlandice_v1.env,
    "raw_env": atlantis_v1.raw_env,
    "parallel_env": atlantis_rising_v2.parallel_env,
    "make": lambda **more: gymnasium.make("atlantis_envs/Atlandice-v1", **more),
    "make_vec": lambda **more: gymnasium.make_vec("atlantis_envs/Atlandice-v1", num_envs=2, **more),
    "SeatEnv": lambda **more: SeatEnv("atlandice", **more),
    "SeatEnv of a Game": lambda **more: SeatEnv(atlantis_envs.game("atlandice"), **more),
    "SeatVectorEnv of a Game": lambda **more: SeatVectorEnv(2, game=atlantis_envs.game("atlandice"), **more),
    "BoardGameEnv": lambda **more: BoardGameEnv(atlantis_envs.game("atlandice"), **more),
    "batch": lambda **more: atlantis_envs.game("atlandice").batch(2, **more),
}


@pytest.mark.parametrize("name", MAKERS)
def test_an_unknown_keyword_is_a_type_error_in_pythons_words(name: str) -> None:
    """Other libraries try a keyword, look for these words, and leave it out."""
    with pytest.raises(TypeError, match="unexpected keyword argument 'frameskip'") as caught:
        MAKERS[name](frameskip=4)
    assert name in {"BoardGameEnv", "batch"} or isinstance(caught.value, (UnknownOptionError, OptionError))
    with pytest.raises((OptionError, TypeError)):
        MAKERS[name](frameskip=4, players=99)


def test_a_bad_value_of_a_known_option_is_no_type_error() -> None:
    for options in ({"chain_cap": 99}, {"players": 9}, {"data": 5}, {"orphan_dice": []}):
        with pytest.raises(OptionError) as caught:
            atlantis_envs.game("atlandice", **options)
        assert not isinstance(caught.value, TypeError)


def test_a_seat_vec_env_says_it_too(game: Game) -> None:
    vecenv = pytest.importorskip("atlantis_envs.adapters.sb3_vecenv")
    with pytest.raises(TypeError, match="frameskip"):
        vecenv.SeatVecEnv(game, 2, frameskip=4)


# ---- who may read what is written


@pytest.mark.skipif(os.name != "posix", reason="rights of POSIX")
@pytest.mark.parametrize("umask", [0o022, 0o002, 0o077, 0o000])
def test_what_is_written_may_be_read_as_the_umask_says(umask: int, tmp_path: Path) -> None:
    before = os.umask(umask)
    try:
        write_atomically(tmp_path / "new.md", "text")
        (tmp_path / "plain").write_text("text")
    finally:
        os.umask(before)
    mode = stat.S_IMODE((tmp_path / "new.md").stat().st_mode)
    assert mode == stat.S_IMODE((tmp_path / "plain").stat().st_mode) == 0o666 & ~umask
    (tmp_path / "new.md").chmod(0o640)
    write_atomically(tmp_path / "new.md", b"other")
    assert stat.S_IMODE((tmp_path / "new.md").stat().st_mode) == 0o640
    assert (tmp_path / "new.md").read_bytes() == b"other" and len(list(tmp_path.iterdir())) == 2


def test_what_cannot_be_written_leaves_the_old_file_and_nothing_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / ("long" * 60)
    write_atomically(path, "old")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        write_atomically(path, "new")
    assert path.read_text() == "old" and len(list(tmp_path.iterdir())) == 1


# ---- the command line

BAD = os.fsdecode(b"\xff\xfe-name")


def command(*arguments: str, cwd: Path, **variables: str) -> subprocess.CompletedProcess[bytes]:
    paths = os.pathsep.join(str(ROOT / part) for part in ("", "agents", "training"))
    return subprocess.run(
        [sys.executable, "-c", "from atlantis_training.cli.command import main; main()", *map(os.fsencode, arguments)],
        cwd=cwd, capture_output=True, timeout=300, check=False, env={**os.environ, "PYTHONPATH": paths, **variables},
    )  # fmt: skip


@pytest.mark.skipif(sys.platform in {"win32", "darwin"}, reason="file systems that know names only as text")
def test_names_that_are_no_text_work_or_are_told_in_a_line(tmp_path: Path) -> None:
    pytest.importorskip("typer")
    from atlantis_agents.networks.policy import save_policy

    game = atlantis_envs.game("atlandice")
    weights = np.zeros((game.num_actions, game.observation_size), np.float32)
    save_policy(tmp_path / BAD, game, [(weights, np.zeros(game.num_actions, np.float32))])
    (tmp_path / f"{BAD}.json").write_text("{")
    done = command("evaluate", "atlandice", BAD, "random", "-b", "2", "--out", f"out{BAD}", cwd=tmp_path)
    assert done.returncode == 0 and b"Written: out" in done.stdout, done.stderr
    assert json.loads((tmp_path / f"out{BAD}" / "evaluation.json").read_text())["blocks"] == 2
    assert "\\udcff" in (tmp_path / f"out{BAD}" / "evaluation.md").read_text("utf-8")
    refused = [
        ["evaluate", "atlandice", f"no{BAD}"],
        ["evaluate", BAD, "random"],
        ["evaluate", "atlandice", "random", "--data", f"{BAD}.json"],
        ["evaluate", "atlandice", "random", "--option", f"{BAD}=1"],
        ["evaluate", "atlandice", "random", "--option", f"clock={BAD}"],
        ["replay", BAD],
        ["play", "atlandice", "--load", f"{BAD}.json"],
        ["play", "atlandice", "--seat", f"no{BAD}"],
        ["train", "atlandice", "--out", "x", "--policies", BAD, "--share-policies", "1"],
        ["train", "--settings", f"{BAD}.json", "--out", "x"],
        ["train", "--resume", "--out", BAD],
        ["seats", "atlandice", "random", "--players", BAD],
    ]
    for arguments in refused:
        result = command(*arguments, cwd=tmp_path)
        told = result.stderr.decode().splitlines()
        assert result.returncode == 2 and told[-1].startswith("Error: ") and b"Traceback" not in result.stderr, (
            arguments
        )


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["seats", "atlandice", "random", "--precision", "1e-300"], "precision: 1e-300; allowed: 0.0001 or more"),
        (["seats", "atlandice", "random", "--precision", "nan"], "--precision 'nan'; allowed: a number"),
        (["seats", "atlandice", "random", "--precision", "1e400"], "--precision '1e400'; allowed: a number"),
        (["seats", "atlandice", "random", "--games", "9" * 30], "--games"),
        (["evaluate", "atlandice", "random", "--blocks", "9" * 30], "--blocks"),
        (["evaluate", "atlandice", "random", "--blocks", "9" * 5000], "--blocks"),
        (["evaluate", "atlandice", "random", "--players", "9" * 30], "players: 999"),
        (["levels", "atlantis_rising", "random", "--games", "9" * 30], "--games"),
        (["levels", "atlantis_rising", "random", "--levels", "999999999"], "level"),
        (["describe", "atlandice", "--option", "chain_cap=1e400"], "chain_cap: inf"),
        (["describe", "atlandice", "--option", "chain_cap=" + "9" * 5000], "chain_cap"),
        (["train", "atlandice", "--out", "x", "--steps", "9" * 400], "--steps '999"),
        (["train", "atlandice", "--out", "x", "--learning-rate", "1e400"], "--learning-rate '1e400'; allowed"),
        (["train", "atlandice", "--out", "x", "--hidden", ",".join(["8"] * 17)], "hidden: 17 of them; allowed: at"),
        (["train", "atlandice", "--out", "x", "--hidden", "8192,8192"], "hidden: [8192, 8192] makes a policy of"),
        (["train", "atlandice", "--out", "x", "--num-envs", "65536", "--num-steps", "65536"], "not enough memory"),
    ],
    ids=lambda value: " ".join(value)[:60] if isinstance(value, list) else "",
)  # fmt: skip
def test_numbers_out_of_all_proportion_are_told_in_a_line(arguments: list[str], told: str, tmp_path: Path) -> None:
    pytest.importorskip("typer")
    result = command(*arguments, cwd=tmp_path)
    text = result.stderr.decode()
    assert result.returncode == 2 and "Traceback" not in text, text[-500:]
    assert text.splitlines()[-1].startswith("Error: ") and told in text.splitlines()[-1]
    assert not (tmp_path / "x").exists()
