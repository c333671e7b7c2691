"""Rounds collected in parts: the same run bit for bit, whoever plays the parts and whatever is lost on the way."""

from __future__ import annotations

import os
import signal
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("sb3_contrib")
from atlantis_envs.errors import OptionError
from atlantis_training.evaluation import cluster as clusters
from atlantis_training.evaluation.cluster import Cluster, joined
from atlantis_training.selfplay.checkpoint import newest_generation
from atlantis_training.selfplay.collectors import Collectors, LostError, Part, _word
from atlantis_training.selfplay.learner import SelfPlayVecEnv
from atlantis_training.selfplay.pool import make_pool
from atlantis_training.selfplay.run import CHECKPOINTS, Report, Run
from atlantis_training.selfplay.settings import SelfPlaySettings

needs_ray = pytest.mark.skipif(
    find_spec("ray") is None or sys.platform == "win32",
    reason="ray is not installed: pip install 'atlantis-envs[cluster]'",
)
ROUNDS = 4
SMALL: dict[str, Any] = {
    "players": 3, "num_envs": 7, "num_steps": 24, "batch_size": 64, "num_epochs": 1, "hidden": (16,), "imitate": 0,
    "steps": ROUNDS * 7 * 24, "collectors": 3, "share_snapshots": 1.0, "snapshot_every": 1, "max_snapshots": 2,
    "margin": 0.1, "shaping": 0.05, "checkpoint_every": 1, "seed": 5,
}  # fmt: skip
KINDS: list[dict[str, Any]] = [
    {},
    {"afterstates": True, "mixed": True, "policies": ("planner",), "share_policies": 0.5},
]


def settings(**changes: Any) -> SelfPlaySettings:
    return SelfPlaySettings(**{**SMALL, **changes})


def left(out: Path) -> tuple[dict[str, bytes], Any]:
    """All that the last checkpoint says, but for times."""
    _, manifest, arrays, warnings = newest_generation(out / CHECKPOINTS)
    assert not warnings
    state = manifest["state"]
    extra = {**state["extra"], "seconds": 0, "curve": [{**row, "seconds": 0} for row in state["extra"]["curve"]]}
    arrays = {name: np.asarray(array) for name, array in arrays.items()}
    return {name: array.tobytes() for name, array in arrays.items()}, {**state, "extra": extra}


def gone(out: Path, **changes: Any) -> tuple[dict[str, bytes], Any]:
    """A run at home, to its end."""
    Run.begin(out, settings(**changes)).go()
    return left(out)


@pytest.mark.parametrize("kind", KINDS)
def test_a_resumed_run_goes_on_as_if_it_had_not_stopped(tmp_path: Path, kind: dict[str, Any]) -> None:
    straight = gone(tmp_path / "straight", **kind)
    whole = settings(**kind)
    assert straight[1]["counters"]["rounds"] == ROUNDS and len(straight[1]["pool"]) > 2
    run = Run.begin(tmp_path / "stopped", whole)

    def stop(report: Report) -> None:
        if run.learner.rounds == 2:
            os.kill(os.getpid(), signal.SIGINT)

    assert run.go(stop).interrupted
    Run.resume(tmp_path / "stopped").go()
    assert left(tmp_path / "stopped") == straight


def test_parts_play_other_games_and_all_of_them(tmp_path: Path) -> None:
    run = Run.begin(tmp_path / "run", settings())
    seeds = run.environment.core.batch.seeds.copy()
    assert len(set(seeds.tolist())) == SMALL["num_envs"]
    before = run.environment.core.batch.plies.copy()
    run.learner.play_round()
    own = run.learner.model.rollout_buffer
    assert (own.masks.sum(axis=2) > 1).all() and own.masks[np.arange(24)[:, None], np.arange(7), own.actions].all()
    assert np.isfinite(own.advantages).all() and own.advantages.any(axis=0).all()
    assert (run.environment.core.batch.seeds == seeds).all()
    assert (run.environment.core.batch.plies != before).any() and run.learner.steps == own.actions.size
    ended = int(own.dones.sum())
    played = [entry for entry in run.pool.entries.values() if entry.games]
    assert sum(entry.games for entry in played) == 2 * ended > 0
    assert len(run.environment.won) == ended


def test_a_round_in_parts_is_what_the_games_say(tmp_path: Path) -> None:
    """The same actions in all games at once: the same observations, masks, rewards and ends, and the same games."""
    run = Run.begin(tmp_path / "run", settings(share_snapshots=0.0, margin=0.0))
    alone = SelfPlayVecEnv(run.game, run.settings, make_pool(run.game, run.settings))
    alone.reset()
    for _ in range(2):
        run.learner.play_round()
        own = run.learner.model.rollout_buffer
        for step in range(SMALL["num_steps"]):
            assert (alone.obs() == own.obs[step]).all() and (alone.action_masks() == own.masks[step]).all()
            _, rewards, over, _ = alone.step(own.actions[step])
            assert (rewards == own.rewards[step]).all() and (over == own.dones[step]).all()
        assert (alone.potential == run.environment.potential).all() and alone.potential.any()
        tables, same = run.environment.core.to_arrays(), alone.core.to_arrays()
        assert all((tables[name] == same[name]).all() for name in same)


def test_every_part_of_every_round_draws_numbers_of_its_own() -> None:
    parts = [Part(number, before, {}, np.zeros(1)) for number in range(3) for before in range(3)]
    words = {_word(seed, part) for part in parts for seed in range(3)}
    assert len(words) == 27 and all(0 <= word < 2**63 for word in words)


def test_one_part_is_the_run_as_it_always_was() -> None:
    assert SelfPlaySettings().collectors == 1
    with pytest.raises(OptionError, match=r"collectors: 8; allowed: 1\.\.7, a game for each"):
        settings(collectors=8)


def test_a_cluster_wants_more_than_one_part(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="collectors: 1; allowed on a cluster: 2 or more, fixed when a run begins"):
        Run.begin(tmp_path / "run", settings(collectors=1), Cluster(2))
    assert not (tmp_path / "run").exists()


def test_a_part_that_never_comes_ends_the_run_at_its_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Run.begin(tmp_path / "run", settings())
    monkeypatch.setattr(Collectors, "_played", lambda self, tables, potential: iter(()))
    before = left(tmp_path / "run")
    with pytest.raises(LostError, match="the last checkpoint stands"):
        run.go()
    assert left(tmp_path / "run") == before
    with pytest.raises(OptionError, match="stopped in the middle of a round"):
        run.go()


@needs_ray
@pytest.mark.parametrize("kind", KINDS[1:])
def test_a_cluster_learns_the_same_though_a_worker_is_killed(
    tmp_path: Path, kind: dict[str, Any], capfd: pytest.CaptureFixture[str]
) -> None:
    import ray

    at_home = gone(tmp_path / "home", **kind)
    killed: list[int] = []
    with joined(clusters.LOCAL, workers=2) as cluster:
        run = Run.begin(tmp_path / "far", settings(**kind), cluster)

        def kill(report: Report) -> None:
            crew = run._collectors._crew
            if not killed and crew is not None and run.learner.rounds == 2:
                killed.append(ray.get(crew._workers[0].handle.about.remote())[2])
                os.kill(killed[0], signal.SIGKILL)

        outcome = run.go(kill)
    assert killed and not outcome.interrupted
    assert left(tmp_path / "far") == at_home
    assert clusters.LOST.partition("{}")[0] in capfd.readouterr().err
