"""Strength is measured in parts that are kept: what was interrupted goes on, and gives what an unbroken run would."""

from __future__ import annotations

import signal
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.support import ROOT

import atlantis_envs
from atlantis_agents.heuristic import HeuristicAgent
from atlantis_agents.networks.policy import save_policy
from atlantis_agents.search.agent import SearchAgent
from atlantis_envs.errors import OptionError
from atlantis_envs.seats.agents import make_agent
from atlantis_envs.seats.positions import ask
from atlantis_training.evaluation.store import Store
from benchmarks.strength import INTERRUPTED, MISTAKEN, Cell, main, missing, parts_of, row, shares_of, timed

KEYS = ("search:2,horizon=2", "random", 7)


def cell() -> Cell:
    return Cell(atlantis_envs.game("atlandice", players=2), *KEYS)


def shares(store: Store) -> dict[tuple[int, int], float]:
    return {
        (part["seat"], part["first"] + number): share
        for part in parts_of(store, cell().key)
        for number, share in enumerate(shares_of(part))
    }


def test_a_measurement_that_was_broken_off_goes_on(tmp_path: Path) -> None:
    file = tmp_path / "cells.jsonl"
    cell().play(Store(file), 4, float("inf"), part=2)
    with file.open("ab") as torn:
        torn.write(b'{"what":{"game"')
    before = file.read_bytes().splitlines()[:-1]
    cell().play(Store(file), 12, float("inf"), part=3)
    assert file.read_bytes().splitlines()[: len(before)] == before
    whole = Store()
    cell().play(whole, 12, float("inf"), part=6)
    assert shares(Store(file)) == shares(whole) and len(shares(whole)) == 12
    assert row(cell().key, parts_of(whole, cell().key))[1:4] == ("search:2,horizon=2", "random", 12)


def test_nothing_is_played_twice(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call = ["atlandice", "random", "-n", "2", "-a", "random", "-g", "6", "--out", str(tmp_path / "cells.jsonl")]
    assert main(call) == 0
    kept = (tmp_path / "cells.jsonl").read_bytes()
    assert main(call) == 0 and main(["--out", str(tmp_path / "cells.jsonl")]) == 0
    assert (tmp_path / "cells.jsonl").read_bytes() == kept
    tables = capsys.readouterr().out.split("| game |")[1:]
    assert len(tables) == 3 and len(set(tables)) == 1 and "| 6 |" in tables[0]


def test_older_parts_that_hold_shares_alone_count_with_those_of_today() -> None:
    whole, mixed = Store(), Store()
    for store in (whole, mixed):
        cell().play(store, 8, float("inf"), part=4)
    part = dict(mixed.parts[0])
    older = {name: part[name] for name in ("seat", "first", "seconds", "decisions", "simulations", "imagined", "code")}
    shared = shares_of(part)
    mixed.parts[0].clear()
    mixed.parts[0].update({"what": part["what"], **older, "shares": shared})
    key = cell().key
    assert shares(mixed) == shares(whole) and row(key, parts_of(mixed, key))[:7] == row(key, parts_of(whole, key))[:7]


def test_the_table_of_the_repository_can_be_read(capsys: pytest.CaptureFixture[str]) -> None:
    store = Store(ROOT / "benchmarks" / "results" / "strength.jsonl")
    what = store.whats()[0]
    assert len(store.whats()) > 50 and row(what, parts_of(store, what))[3] >= 100


@pytest.mark.parametrize(("older", "told"), [(0, ""), (1, " rules {}")])
def test_a_row_says_by_which_rules_its_games_were_played(older: int, told: str) -> None:
    """Games of earlier rules stay in the file, beside those of the present ones."""
    store = Store()
    cell().play(store, 2, float("inf"), part=1)
    key = cell().key
    rules = key["rules"] - older
    assert row({**key, "rules": rules}, parts_of(store, key))[0] == f"atlandice 2 players{told.format(rules)}"
    assert missing(parts_of(store, {**key, "rules": key["rules"] - 1}), 0, 1, 1) == [range(1)]


def test_other_settings_are_another_cell() -> None:
    game = atlantis_envs.game("atlandice", players=2)
    keys = [Cell(game, hero, "random", 7).key for hero in ("search:2", "search:2,gate=0", "search:2,gate=1")]
    assert keys[0] == keys[1] != keys[2]


def test_runs_leave_out_what_is_done() -> None:
    store = Store()
    cell().play(store, 4, float("inf"), part=2)
    assert missing(parts_of(store, cell().key), 0, 7, 3) == [range(2, 5), range(5, 7)]
    assert missing(parts_of(store, cell().key), 1, 2, 3) == []


@pytest.mark.parametrize("content", ["hello\n", "hello"])
def test_a_file_of_something_else_is_refused(content: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "cells.jsonl"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(OptionError, match=r"line.*: b'hello'; allowed: "):
        Store(file)
    assert main(["--out", str(file)]) == MISTAKEN
    error = capsys.readouterr().err
    assert error.startswith(f"Error: {file}, ") and error.count("\n") == 1
    assert file.read_text(encoding="utf-8") == content


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["atlandice", "random", "search:nope"], "Error: search: simulations='nope'; allowed: an integer 1..1000000"),
        (["atlandice", "random", "--seed", "-1"], "Error: seed: -1; allowed: an integer 0..2**64-1"),
        (["atlandice", "random", "-a", "nobody"], "Error: agent: 'nobody'; allowed: "),
        (["chess", "random"], "Error: name: 'chess'; allowed: "),
    ],
)
def test_mistakes_end_with_a_line_before_anything_is_played(
    words: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*words, "-g", "2", "--out", str(tmp_path / "cells.jsonl")]) == MISTAKEN
    said = capsys.readouterr()
    assert said.err.startswith(message) and said.err.count("\n") == 1
    assert said.out == "" and list(tmp_path.iterdir()) == []


def test_the_key_tells_a_policy_from_the_one_before_it_under_its_path(tmp_path: Path) -> None:
    game, where = atlantis_envs.game("atlandice", players=2), tmp_path / "policy"
    sizes = (game.num_actions, game.observation_size)
    texts = [(str(where), "random"), (f"search:2,guide={where}", "random"), ("random", str(where))]

    def keys(weight: float) -> list[dict[str, Any]]:
        save_policy(where, game, [(np.full(sizes, weight, np.float32), np.zeros(sizes[0], np.float32))])
        return [Cell(game, hero, against, 7).key for hero, against in texts]

    before, after = keys(0.0), keys(1.0)
    assert keys(0.0) == before and all(one != other for one, other in zip(before, after, strict=True))
    assert all(list(key["sha256"]) == [str(where)] for key in after)
    known = ["game", "players", "options", "rules", "hero", "against", "seed"]  # the keys of the file there is
    for hero in ("heuristic", "search:2", "champion", "network"):
        assert list(Cell(game, hero, "network", 7).key) == known


def test_the_watch_runs_for_decisions_with_a_choice_and_nothing_is_chosen_otherwise() -> None:
    game = atlantis_envs.game("atlandice", players=2)
    batch, lanes = game.batch(64, 1), np.arange(64)
    agents = {text: make_agent(text, game) for text in ("heuristic", "search:4,horizon=2", "champion")}
    asked: list[int] = []

    class Watched(HeuristicAgent):
        def act(self, observations, masks, noise=None):  # type: ignore[no-untyped-def]
            asked.append(int((masks.sum(axis=1) > 1).sum()) - len(masks))
            return super().act(observations, masks, noise)

    watched = timed(Watched(game))
    watched.by_row = True
    forced = 0
    for _ in range(12):
        words = batch.noise(2)
        forced += int((batch.action_masks.sum(axis=1) == 1).sum())
        actions = ask(agents["heuristic"], batch, lanes, words)
        for agent in agents.values():
            assert np.array_equal(ask(timed(agent), batch, lanes, words), ask(agent, batch, lanes, words))
        assert np.array_equal(ask(watched, batch, lanes, words), actions)
        batch.step(actions)
    assert forced and asked and set(asked) == {0} and watched.decisions == 12 * 64 - forced
    assert timed(agents["heuristic"]).by_row and not timed(agents["champion"]).by_row  # network guides


def test_agents_have_answered_before_the_watch_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    study = SearchAgent.study
    monkeypatch.setattr(
        SearchAgent, "study", lambda agent, where, noise=None: asked.append(len(where)) or study(agent, where, noise)
    )
    cell()
    assert asked == [1]


def test_ctrl_c_ends_it_within_a_second_and_keeps_what_is_done(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, told = tmp_path / "cells.jsonl", []

    def tell() -> None:
        while not file.exists():
            time.sleep(0.01)
        time.sleep(0.1)
        told.append(time.perf_counter())
        signal.raise_signal(signal.SIGINT)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    teller = threading.Thread(target=tell, daemon=True)
    teller.start()
    try:
        status = main(["atlandice", "search:8", "-n", "2", "-g", "100000", "--part", "1", "--out", str(file)])
        assert time.perf_counter() - told[0] < 1.0
    finally:
        signal.signal(signal.SIGINT, before)
    captured = capsys.readouterr()
    assert status == INTERRUPTED and "goes on from here" in captured.err
    games = sum(len(shares_of(part)) for part in Store(file).parts)
    assert games > 0 and f"| {games} |" in captured.out
