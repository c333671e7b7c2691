"""What each step of the recipe brings: the same run with one thing changed, two seeds a row.

    python -m benchmarks ablations --out benchmarks/results/ablations.jsonl

Rows are kept as they are measured; the same command goes on from there. A row is a run of ``atlantis train`` with the
settings named, greedy; or a search, of about equal cost as the others; or a network fitted to what a search played. All
play against heuristics, every seat equally often.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

import torch

import atlantis_envs
from atlantis_agents.networks.policy import PolicyAgent, load_policy, one_hot
from atlantis_envs.seats.agents import make_agent
from atlantis_training.evaluation.evaluate import evaluate_by_seat
from atlantis_training.evaluation.statistics import Share
from atlantis_training.selfplay import dataset
from atlantis_training.selfplay.dataset import load_dataset
from atlantis_training.selfplay.expert import Recording, record
from atlantis_training.selfplay.fitting import Fit, rows_of
from atlantis_training.selfplay.network import Trunk
from atlantis_training.selfplay.pool import make_game
from atlantis_training.selfplay.run import Run
from atlantis_training.selfplay.settings import ExpertSettings, TDSettings, settings_from
from atlantis_training.selfplay.td_run import TDRun

SEEDS = (1, 2)
GAMES = 400  # of every seat


@dataclass(frozen=True)
class Row:
    """One variant.

    Attributes:
        title: what is changed.
        game: its name, 3 players.
        settings: of the run.
        without: what is taken out of the code: SCALING, CHOICES or ODDS.
        agent: a search that is measured as it is; "" for a run.
        teacher: a search whose decisions a network is fitted to; "" for a run.
    """

    title: str
    game: str
    settings: dict[str, Any] = field(default_factory=dict)
    without: str = ""
    agent: str = ""
    teacher: str = ""


SCALING, CHOICES, ODDS = "scaling of inputs", "choices only", "odds"
SHOWN = {"features": True, "features_edition": 1}
BARE = {"features": False, "features_edition": 0}
ATLANDICE = {**SHOWN, "teacher": "planner", "imitate": 1_500_000, "steps": 0, "hidden": (256, 256)}
ATLANTIS = {**SHOWN, "afterstates": True, "imitate": 400_000, "steps": 0, "hidden": (256, 256)}
FEW = 150_000
GUMBEL = "search:root=gumbel,noise=1,gate=0,guide=critic@2,leaf=critic@2,horizon=8"
FITTING = {**SHOWN, "decisions": 15_000, "epochs": 6, "budgets": (16,), "company_share": 0.0}
TD_ALONE = {**SHOWN, "learner": "td", "steps": 4_000_000, "evaluation_games": 0}
SEARCH_GAMES = 100  # of every seat
PLAYING = {"num_envs": 512, "batch_size": 4096, "steps": 2_000_000}


def _of(base: dict[str, Any], **changes: Any) -> dict[str, Any]:
    return {**base, **changes}


ROWS = (
    Row("imitation of the planner, 1.5 million choices: the base of the rows below", "atlandice", ATLANDICE),
    Row("without features", "atlandice", _of(ATLANDICE, **BARE)),
    Row("without features, inputs divided by their largest", "atlandice", _of(ATLANDICE, **BARE), SCALING),
    Row("forced decisions imitated too, 1.5 million in all", "atlandice", ATLANDICE, CHOICES),
    Row("layers 64, 64", "atlandice", _of(ATLANDICE, hidden=(64, 64))),
    Row("layers 512, 512", "atlandice", _of(ATLANDICE, hidden=(512, 512))),
    Row("layers 256, 256, 256, 256", "atlandice", _of(ATLANDICE, hidden=(256, 256, 256, 256))),
    Row("scores of the teacher imitated, temperature 0.1", "atlandice", _of(ATLANDICE, imitate_temperature=0.1)),
    Row("scores of the teacher imitated, temperature 0.5", "atlandice", _of(ATLANDICE, imitate_temperature=0.5)),
    Row("teacher heuristic", "atlandice", _of(ATLANDICE, teacher="heuristic")),
    Row("teacher planner, 150,000 choices", "atlandice", _of(ATLANDICE, imitate=FEW)),
    Row("teacher search:16, 150,000 choices", "atlandice", _of(ATLANDICE, teacher="search:16", imitate=FEW)),
    Row("teacher search:16", "atlandice", _of(ATLANDICE, teacher="search:16")),
    Row("then PPO, 2 million decisions", "atlandice", _of(ATLANDICE, **PLAYING)),
    Row("PPO alone, 3.5 million decisions", "atlandice", _of(ATLANDICE, **PLAYING, imitate=0) | {"steps": 3_500_000}),
    Row("imitation of the heuristic, 0.4 million choices: the base of the rows below", "atlantis", ATLANTIS),
    Row("without features", "atlantis", _of(ATLANTIS, **BARE)),
    Row("without afterstates", "atlantis", _of(ATLANTIS, afterstates=False)),
    Row("without both", "atlantis", _of(ATLANTIS, afterstates=False, **BARE)),
    Row("layers 64, 64", "atlantis", _of(ATLANTIS, hidden=(64, 64))),
    Row("teacher search:64", "atlantis", _of(ATLANTIS, teacher="search:64")),
    Row("scores of the teacher imitated, temperature 0.1", "atlantis", _of(ATLANTIS, imitate_temperature=0.1)),
    Row("scores of the teacher imitated, temperature 0.5", "atlantis", _of(ATLANTIS, imitate_temperature=0.5)),
    Row("scores of the teacher imitated, temperature 2", "atlantis", _of(ATLANTIS, imitate_temperature=2.0)),
    Row("a search as declared: the base of the rows below", "atlandice", agent="search:64"),
    Row("values of the critic after 8 decisions", "atlandice", agent="search:64,leaf=critic@2,horizon=8"),
    Row("a Gumbel root", "atlandice", agent="search:64,root=gumbel"),
    Row("a Gumbel root, ranked by the critic, with its values", "atlandice",
        agent="search:60,root=gumbel,guide=critic@2,leaf=critic@2,horizon=8"),
    Row("the same ranks and values, halving", "atlandice",
        agent="search:60,guide=critic@2,prior=0.02,leaf=critic@2,horizon=8"),
    Row("rollouts of the critic, 4 decisions, with its values", "atlandice",
        agent="search:20,rollout=critic@2,leaf=critic@2,horizon=4"),
    Row("a tree, ranked by the critic, with its values", "atlandice",
        agent="search:36,tree=puct,guide=critic@2,leaf=critic@2,horizon=0"),
    Row("TD from the rules alone, 4 million choices", "atlandice", TD_ALONE),
    Row("the same, shown the rest of the round", "atlandice", _of(TD_ALONE, features_edition=2)),
    Row("the same without features", "atlandice", _of(TD_ALONE, **BARE)),
    Row("TD, each afterstate learned from its next choice alone", "atlandice", _of(TD_ALONE, td_lambda=0.0)),
    Row("TD, each afterstate learned from the result alone", "atlandice", _of(TD_ALONE, td_lambda=1.0)),
    Row("15,000 decisions of a Gumbel root of 16, its improved policy learned", "atlandice", FITTING, teacher=GUMBEL),
    Row("the same decisions, its choices learned", "atlandice", FITTING, ODDS, teacher=GUMBEL),
    Row("as many, half of the games with one seat among heuristic, planner and search:16", "atlandice",
        _of(FITTING, company=("heuristic", "planner", "search:16"), company_share=0.5), teacher=GUMBEL),
)  # fmt: skip


@contextmanager
def taken_out(what: str) -> Iterator[None]:
    """Take a step of the recipe out of the library meanwhile."""
    if what == CHOICES:
        with patch.object(dataset, "FEWEST", 1):
            yield
    elif what == SCALING:

        def measure(self: Trunk, rows: Any) -> None:
            self.measured.fill_(True)

        with patch.object(Trunk, "measure", measure):
            yield
    else:
        yield


def measured(row: Row, seed: int) -> dict[str, Any]:
    """Measure a row with a seed; JSON values."""
    found = (_searched if row.agent else _fitted if row.teacher else _trained)(row, seed)
    return dict(json.loads(json.dumps({**asdict(row), "seed": seed, **found})))


def _result_text(share: Share, agreement: float | None, seconds: float) -> dict[str, Any]:
    found = {"share": share.value, "low": share.low, "high": share.high, "games": share.games}
    return {**found, "agreement": agreement, "seconds": round(seconds, 1)}


def _searched(row: Row, seed: int) -> dict[str, Any]:
    """Let a search play; seconds are of all its games."""
    game = atlantis_envs.game(row.game, players=3)
    agent, others = make_agent(row.agent, game), make_agent("heuristic", game)
    evaluate_by_seat(game, agent, others, 1, seed=seed)  # compiled
    started = time.process_time()
    share = evaluate_by_seat(game, agent, others, SEARCH_GAMES, seed=12 + seed).overall
    return _result_text(share, None, time.process_time() - started)


def _fitted(row: Row, seed: int) -> dict[str, Any]:
    """Fit a network to recorded decisions of a search."""
    settings = ExpertSettings(game=row.game, players=3, seed=seed, **row.settings)
    game, started = make_game(settings.run()), time.process_time()
    beside: dict[str, Any] = {"company": settings.company, "company_share": settings.company_share}
    recording = Recording(game, row.teacher, seed, budgets=settings.budgets, **beside)
    with tempfile.TemporaryDirectory() as folder:
        recorded = record(recording, Path(folder) / "dataset", settings.decisions, 1, lambda count: None)
        assert recorded is not None, "nobody interrupts"
        rows = load_dataset([recorded], game, False)
        assert rows.targets is not None, "a search with a Gumbel root tells them"
        if row.without == ODDS:
            chosen = one_hot(rows.actions, game.num_actions)
            rows = rows._replace(targets=rows.targets._replace(policies=chosen))
        fit = Fit(game, settings, 1, None)
        fit.go(rows_of(game, settings, rows), Path(folder) / "fit", lambda done, text: None)
        agent = PolicyAgent(game, fit.export(Path(folder) / "policy"))
    seconds = time.process_time() - started
    share = evaluate_by_seat(game, agent, make_agent("heuristic", game), GAMES, seed=12).overall
    return _result_text(share, fit.figures[-1]["agreement"], seconds)


def _trained(row: Row, seed: int) -> dict[str, Any]:
    """Train a row."""
    settings = settings_from({"game": row.game, "players": 3, "seed": seed, **row.settings})
    with tempfile.TemporaryDirectory() as folder, taken_out(row.without):
        started = time.process_time()
        kind = TDRun if isinstance(settings, TDSettings) else Run
        run = kind.begin(Path(folder) / "run", settings)
        run.go()
        seconds = time.process_time() - started
        agreement = next((entry["agreement"] for entry in reversed(run.curve) if "agreement" in entry), None)
        agent, others = load_policy(run.export()), make_agent("heuristic", run.game)
        share = evaluate_by_seat(run.game, agent, others, GAMES, seed=12).overall
    return _result_text(share, agreement, seconds)


def table(rows: list[dict[str, Any]]) -> str:
    """Return rows as Markdown, seeds side by side."""
    lines = ["| game | changed | win share, by seed | agrees | CPU s |", "|---|---|---|---|---|"]
    for row in ROWS:
        own = [kept for kept in rows if _is_of(kept, row)]
        if own:
            shares = ", ".join(f"{kept['share']:.3f} [{kept['low']:.3f}, {kept['high']:.3f}]" for kept in own)
            agrees = ", ".join("" if kept["agreement"] is None else f"{kept['agreement']:.3f}" for kept in own)
            seconds = ", ".join(f"{kept['seconds']:.0f}" for kept in own)
            lines.append(f"| {row.game} | {row.title} | {shares} | {agrees} | {seconds} |")
    return "\n".join(lines)


def _is_of(kept: dict[str, Any], row: Row) -> bool:
    return all(kept.get(key, "") == value for key, value in json.loads(json.dumps(asdict(row))).items())


def main(arguments: list[str], tell: Callable[[str], None] = print) -> None:
    """Measure what is missing, print all."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks ablations", description=__doc__)
    parser.add_argument("--out", type=Path, help="JSON lines to keep rows in, and to go on from")
    parser.add_argument("--rows", default="", help="only rows whose title, agent or teacher holds this text")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin no more rows after so long")
    given = parser.parse_args(arguments)
    torch.set_num_threads(1)
    lines = given.out.read_text(encoding="utf-8").splitlines() if given.out and given.out.exists() else []
    kept = [json.loads(line) for line in lines]
    started = time.monotonic()
    for seed in SEEDS:
        for row in ROWS:
            if given.rows not in f"{row.title} {row.agent} {row.teacher}":
                continue
            if any(_is_of(one, row) and one["seed"] == seed for one in kept):
                continue
            if time.monotonic() - started > given.seconds:
                break
            kept.append(measured(row, seed))
            tell(f"{row.game}, seed {seed}, {row.title}: {kept[-1]['share']:.3f} in {kept[-1]['seconds']:.0f} s")
            if given.out:
                with given.out.open("a", encoding="utf-8") as stream:
                    stream.write(json.dumps(kept[-1]) + "\n")
    tell(table(sorted(kept, key=lambda one: int(one["seed"]))))
