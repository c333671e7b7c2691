"""What is taken out of the recipe is really out, and the table tells rows apart."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("sb3_contrib")

import atlantis_envs
from atlantis_agents.catalogue import find_agent
from atlantis_envs.seats.agents import make_agent
from atlantis_training.selfplay import dataset
from atlantis_training.selfplay.run import Run
from atlantis_training.selfplay.settings import ExpertSettings, settings_from
from benchmarks.experiments import ablations
from benchmarks.experiments.ablations import CHOICES, ODDS, ROWS, SCALING, Row, main, measured, table, taken_out

FEW: dict[str, Any] = {"decisions": 100, "epochs": 1, "budgets": (2,), "hidden": (8,)}
TINY = {"imitate": 300, "steps": 0, "hidden": (8,)}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.game} {row.title}")
def test_every_row_is_a_run_that_can_be_made(row: Row) -> None:
    if row.agent:
        assert find_agent(row.agent, atlantis_envs.game(row.game, players=3))
    elif row.teacher:
        assert ExpertSettings(game=row.game, teacher=row.teacher, **row.settings).run().game == row.game
    else:
        assert settings_from({"game": row.game, "players": 3, **row.settings}).game == row.game


@pytest.mark.parametrize(
    "row",
    [
        Row("a search", "atlandice", agent="search:2"),
        Row("odds", "atlandice", FEW, teacher="search:root=gumbel,noise=1,gate=0"),
        Row("choices", "atlandice", FEW, ODDS, teacher="search:root=gumbel,noise=1,gate=0"),
    ],
    ids=lambda row: row.title,
)
def test_searches_and_what_is_learned_from_them_are_rows(row: Row, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ablations, "GAMES", 2)
    monkeypatch.setattr(ablations, "SEARCH_GAMES", 2)
    found = measured(row, 1)
    assert found["games"] == 6 and 0 <= found["low"] <= found["share"] <= found["high"] <= 1
    assert (found["agreement"] is None) == (row.agent != "")


def test_rows_differ() -> None:
    assert len({json.dumps(asdict(row) | {"title": ""}) for row in ROWS}) == len(ROWS)


def test_forced_decisions_are_watched_only_without_that_step() -> None:
    game = atlantis_envs.game("atlandice", players=3)
    agent = make_agent("heuristic", game)
    watched = dataset.demonstrate(game, agent, np.arange(4), 1)
    assert watched.masks.sum(axis=1).min() == 2
    with taken_out(CHOICES):
        more = dataset.demonstrate(game, agent, np.arange(4), 1)
    assert more.masks.sum(axis=1).min() == 1 and len(more.actions) > len(watched.actions)
    assert dataset.FEWEST == 2


@pytest.mark.parametrize("without", ["", SCALING])
def test_inputs_are_scaled_only_with_that_step(tmp_path: Path, without: str) -> None:
    with taken_out(without):
        run = Run.begin(tmp_path / "run", settings_from({"game": "atlandice", "players": 3, **TINY}))
        run.go()
    trunk = run.learner.model.policy.features_extractor
    assert trunk.measured and bool((trunk.mean != 0).any()) == (not without)


def test_a_row_is_measured_kept_and_shown(tmp_path, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setattr("benchmarks.experiments.ablations.GAMES", 2)
    rows = (Row("base", "atlandice", TINY), Row("raw", "atlandice", TINY, SCALING))
    monkeypatch.setattr("benchmarks.experiments.ablations.ROWS", rows)
    kept = [measured(row, 1) for row in rows]
    assert kept[0]["games"] == 6 and kept[0]["seconds"] > 0
    file, told = tmp_path / "rows.jsonl", list[str]()
    file.write_text("".join(json.dumps(row) + "\n" for row in kept))
    main(["--out", str(file), "--seconds", "0"], told.append)
    assert told == [table(kept)] and told[0].count("\n") == 3
    main(["--out", str(file)], told.append)  # the second seed was missing
    assert len(file.read_text().splitlines()) == 4 and told[-1].count("] |") == 2
