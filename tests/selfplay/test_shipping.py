"""Packing a run as an agent of the library, and the figures of its card."""

from __future__ import annotations

import json
import shlex
import shutil
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.support import ROOT
from typer.testing import CliRunner

import atlantis_envs
from atlantis_agents import shipped
from atlantis_agents.catalogue import find_agent
from atlantis_agents.networks.policy import PolicyAgent, load_policy, save_policy
from atlantis_envs.errors import OptionError
from atlantis_envs.registry import definition
from atlantis_training.cli.app import app
from atlantis_training.evaluation import measure as measuring
from atlantis_training.evaluation.measure import measure
from atlantis_training.evaluation.store import Store
from atlantis_training.evaluation.workers import work_through
from atlantis_training.selfplay.expert import save_settings
from atlantis_training.selfplay.run import Run
from atlantis_training.selfplay.settings import ExpertSettings, SelfPlaySettings, TDSettings
from atlantis_training.selfplay.td_run import TDRun
from atlantis_training.shipping import __main__ as shipping
from atlantis_training.shipping import cards
from atlantis_training.shipping.origin import origin_of, train_command

TINY = {"num_envs": 4, "num_steps": 8, "batch_size": 16, "hidden": (8,), "imitate": 1, "steps": 32}
FEW: dict[str, Any] = {
    "num_envs": 32, "hidden": (16,), "batch_size": 256, "replay": 10_000, "checkpoint_every": 3, "steps": 2_000,
}  # fmt: skip


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory of a finished run."""
    out = tmp_path_factory.mktemp("runs") / "first"
    Run.begin(out, SelfPlaySettings(game="atlandice", players=2, seed=7, **TINY)).go()
    return out


def call(monkeypatch: pytest.MonkeyPatch, *words: object) -> None:
    monkeypatch.setattr("sys.argv", ["shipping", *map(str, words)])
    shipping.main()


def test_a_run_is_packed_measured_and_found_by_its_name(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    call(monkeypatch, "network", run, "--games", 7, "--workers", 1, "--out", tmp_path, "--float16")
    card = json.loads((tmp_path / "atlandice-2" / "card.json").read_text())
    assert card["commands"] == [
        "atlantis train atlandice --players 2 --steps 32 --seed 7 --num-envs 4 --num-steps 8 --batch-size 16 "
        "--hidden 8 --imitate 1"
    ]
    assert (card["seed"], card["steps"], card["hidden"], card["stored"]) == (7, 32, [8], "float16")
    assert [cell["against"] for cell in card["cells"]] == ["random", "heuristic", "planner"]
    assert all(cell["games"] == 8 for cell in card["cells"])  # both seats got the same number
    monkeypatch.setattr(shipped, "HERE", tmp_path)
    game = atlantis_envs.game("atlandice", players=2)
    assert find_agent("network", game).path == tmp_path / "atlandice-2" / "policy"  # type: ignore[attr-defined]
    for cell in card["cells"][:2]:  # its command plays the same games
        done = CliRunner().invoke(app, [*shlex.split(cell["command"])[1:], "--out", str(tmp_path / "e")])
        assert done.exit_code == 0, done.output
        found = json.loads((tmp_path / "e" / "evaluation.json").read_text())
        assert found["rows"][0]["share"]["value"] == pytest.approx(cell["value"], abs=1e-4)
        assert found["agents"][0] == {"agent": "network", "sha256": card["sha256"]}
    champion = {"champion": {"atlandice": {"2": ["heuristic", "search:8,guide=network"]}}}
    (tmp_path / "champions.json").write_text(json.dumps(champion))
    text = cards.page(tmp_path)
    assert "| Atlandice | 2 | `champion` | `search:8,guide=network` | `heuristic` |" in text
    assert card["commands"][0] in text
    first = find_agent("network", game).layers[0][0]  # type: ignore[attr-defined]
    same = ("network", run, "--games", 2, "--against", "random", "--workers", 1, "--out", tmp_path)
    call(monkeypatch, *same, "--float16")
    assert not list(tmp_path.glob("*/policy@*")), "the same policy is no new edition"
    call(monkeypatch, *same)  # the weights are not halved: another policy
    shipped.named_texts.cache_clear()
    assert np.array_equal(find_agent("network@1", game).layers[0][0], first)  # type: ignore[attr-defined]
    assert not np.array_equal(find_agent("network@2", game).layers[0][0], first)  # type: ignore[attr-defined]
    assert shipped.named_text(game) == "search:8,guide=network@1"


def test_a_policy_of_ones_own_replaces_that_for_all_numbers_of_players(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = atlantis_envs.game("atlandice", players=2)
    layer = np.zeros((game.num_actions, game.observation_size), np.float32), np.zeros(game.num_actions, np.float32)
    for name in ("policy@1", "policy"):
        save_policy(tmp_path / "atlandice" / name, game, [layer])
    texts = {"champion": {"atlandice": {count: ["search:8,guide=network"] for count in "23"}}}
    (tmp_path / "champions.json").write_text(json.dumps(texts))
    for count in "23":
        (tmp_path / f"atlandice-{count}").mkdir()
        (tmp_path / f"atlandice-{count}" / "champion.json").write_text('{"plays": "search:8,guide=network"}')
    words = ("--games", 2, "--against", "random", "--workers", 1, "--out", tmp_path)
    call(monkeypatch, "network", run, *words)
    cards_of = [json.loads((tmp_path / f"atlandice-{count}" / "champion.json").read_text()) for count in "23"]
    assert [card["plays"] for card in cards_of] == ["search:8,guide=network@2", "search:8,guide=network"]
    monkeypatch.setattr(shipped, "HERE", tmp_path)
    shipped.named_texts.cache_clear()
    assert shipped.named_text(game) == "search:8,guide=network@2"
    assert shipped.named_text(atlantis_envs.game("atlandice", players=3)) == "search:8,guide=network"
    assert [find_agent(f"network@{edition}", game).path for edition in (1, 2, 3)] == [  # type: ignore[attr-defined]
        tmp_path / name for name in ("atlandice/policy@1", "atlandice/policy", "atlandice-2/policy")
    ]
    call(monkeypatch, "network", run, *words, "--float16")
    assert [find_agent(f"network@{edition}", game).path for edition in (1, 2, 3, 4)] == [  # type: ignore[attr-defined]
        tmp_path / name
        for name in ("atlandice/policy@1", "atlandice/policy", "atlandice-2/policy@3", "atlandice-2/policy")
    ]


def test_a_champion_is_measured_as_what_it_stands_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ("--games", 4, "--against", "random", "--workers", 1, "--out", tmp_path)
    call(monkeypatch, "champion", "atlandice", "--players", 2, "--plays", "planner", *words)
    card = json.loads((tmp_path / "atlandice-2" / "champion.json").read_text())
    assert (card["agent"], card["plays"]) == ("champion", "planner")
    (cell,) = card["cells"]
    assert (cell["agent"], cell["games"], len(cell["seats"])) == ("champion", 4, 2)


def test_more_tables_are_added_to_a_card(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game, where = ("atlandice", "--players", 2), ("--workers", 1, "--out", tmp_path)
    first = ("--plays", "heuristic", "--against", "random", "--games", 4)
    call(monkeypatch, "champion", *game, *first, *where)
    (tmp_path / "champions.json").write_text('{"champion": {"atlandice": {"2": ["heuristic"]}}}')
    monkeypatch.setattr(shipped, "HERE", tmp_path)
    call(monkeypatch, "more", "champion", *game, "--against", "random", "--games", 6, "--stranger", run, *where)
    learned = tmp_path / "response"
    settings = TDSettings(game="atlandice", players=2, against="heuristic", evaluation_games=0, **FEW)
    TDRun.begin(learned, settings).go()
    call(monkeypatch, "more", "champion", *game, "--response", learned, "--games", 8, *where)
    call(monkeypatch, "more", "champion", *game, "--against", "random", "--games", 10, *where)
    card = json.loads((tmp_path / "atlandice-2" / "champion.json").read_text())
    cells = {cell["against"]: cell for cell in card["cells"]}
    assert [(name, cell["games"]) for name, cell in cells.items()] == [  # a table measured again stays where it was
        ("random", 10), ("stranger", 6), ("best response", 8)
    ]  # fmt: skip
    assert len(card["cells"]) == 3
    response = cells["best response"]
    assert cells["stranger"]["made_by"] == list(origin_of(run).commands)
    assert response["made_by"] == list(origin_of(learned).commands)
    line_ups = [(str(learned), "heuristic"), ("heuristic", str(learned))]
    played = measure(atlantis_envs.game("atlandice", players=2), line_ups, 4, 12, 1).results
    won = np.mean([found.win_shares[:, seat].mean() for seat, found in enumerate(played)])
    assert response["value"] == pytest.approx(1 - won, abs=1e-4)
    assert "evaluate atlandice BEST_RESPONSE champion --players 2" in response["command"]
    assert "Lowest first: " in "\n".join(cards._card_lines(card)) and "best response: `atlantis train" in cards.page(
        tmp_path
    )


def test_what_a_card_cannot_hold_is_refused(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    game, few = ("atlandice", "--players", 2), ("--games", 2, "--workers", 1)
    for words, message in (
        (("more", "champion", *game), "card: 'atlandice-2/champion.json'; allowed: none, ship it first"),
        (("network", run, "--critic"), "allowed with --critic: a policy that knows values"),
        (("champion", *game, "--response", run), "it learned against nobody; allowed: that of atlantis exploit"),
    ):
        with pytest.raises(SystemExit) as ended:
            call(monkeypatch, *words, *few, "--out", tmp_path / "cards")
        error = capsys.readouterr().err
        assert ended.value.code == 2 and message in error and error.count("\n") == 1, error
    assert not list((tmp_path / "cards").glob("*/*.json"))


def test_a_measurement_that_was_interrupted_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ("champion", "atlandice", "--players", 2, "--plays", "heuristic", "--against", "random", "--games", 80)
    call(monkeypatch, *words, "--workers", 1, "--out", tmp_path / "whole")
    played: list[int] = []

    def stop_after(tasks: int) -> None:
        def through(work, left, workers, take):  # type: ignore[no-untyped-def]
            def counted(index, results):  # type: ignore[no-untyped-def]
                take(index, results)
                played.append(left[index][1].games.start)
                if len(played) == tasks:
                    raise KeyboardInterrupt

            return work_through(work, left, workers, counted)

        monkeypatch.setattr(measuring, "work_through", through)

    stop_after(5)
    with pytest.raises(SystemExit) as left:
        call(monkeypatch, *words, "--workers", 1, "--out", tmp_path / "parts")
    kept = tmp_path / "parts" / "atlandice-2.measured.jsonl"
    assert left.value.code == 130 and not (tmp_path / "parts" / "atlandice-2").exists()
    assert len(kept.read_bytes().splitlines()) == 5 * 2  # of both line-ups
    kept.write_bytes(kept.read_bytes() + b'{"what": {"ga')  # the line that was being written
    stop_after(1000)
    call(monkeypatch, *words, "--workers", 1, "--out", tmp_path / "parts")
    assert sorted(played) == sorted(set(played)) and len(played) > 5, "nothing twice"
    whole, parts = ((tmp_path / where / "atlandice-2" / "champion.json").read_text() for where in ("whole", "parts"))
    cells = [json.loads(text)["cells"] for text in (whole, parts)]
    assert [{**cell, "milliseconds": 0} for cell in cells[0]] == [{**cell, "milliseconds": 0} for cell in cells[1]]
    assert cells[1][0]["games"] == 80 and not kept.exists()


def test_what_several_processes_have_finished_is_kept(tmp_path: Path) -> None:
    game, path, told = atlantis_envs.game("atlandice", players=2), tmp_path / "games.jsonl", list[int]()

    def advance(games: int) -> None:
        told.append(games)
        if len(told) == 3:  # the first one is what was there before
            raise KeyboardInterrupt

    line_ups = [("random", "heuristic"), ("heuristic", "random")]
    assert measure(game, line_ups, 32, 1, 2, advance, store=Store(path)).interrupted
    parts = Store(path).parts
    assert 2 * 2 <= len(parts) < 2 * 16  # those in hand were finished, and no more
    again, whole = (measure(game, line_ups, 32, 1, store=store) for store in (Store(path), None))
    for one, other in zip(again.results, whole.results, strict=True):
        assert np.array_equal(one.returns, other.returns) and np.array_equal(one.scores, other.scores)


def test_a_policy_that_was_replaced_is_measured_anew(tmp_path: Path) -> None:
    game, where = atlantis_envs.game("atlandice", players=2), tmp_path / "policy"
    sizes = (game.num_actions, game.observation_size)

    def measured(weight: float, text: str, against: str, mark: str = "") -> int:
        """Lines in the file after a measurement with this policy."""
        save_policy(where, game, [(np.full(sizes, weight, np.float32), np.zeros(sizes[0], np.float32))])
        path = tmp_path / f"{bool(mark)}{text == str(where)}{against == str(where)}.jsonl"  # others share their games
        how = cards.MeasureSettings(2, 1, 1, Store(path))
        cards.cell_json(cards.Cell(game, {}, against), "network", text, how, mark)
        return len(path.read_bytes().splitlines())

    for text, against in ((str(where), "random"), ("random", str(where)), (f"search:2,guide={where}", "random")):
        counts = [measured(weight, text, against) for weight in (0.0, 0.0, 1.0)]
        assert counts[0] == counts[1] < counts[2]
    counts = [measured(0.0, str(place), "random", "the same mark") for place in (where, tmp_path / "." / "policy")]
    assert counts[0] == counts[1], "a checksum that is given stands for the text, whose place may change"


@pytest.mark.parametrize(
    ("flag", "value", "message"),
    [
        ("--workers", "-1", "'-1'; allowed: 1 or more"),
        ("--workers", "0", "'0'; allowed: 1 or more"),
        ("--workers", "two", "'two'; allowed: 1 or more"),
        ("--seed", "-1", "'-1'; allowed: 0..18446744073709551615"),
        ("--seed", "18446744073709551616", "allowed: 0..18446744073709551615"),
        ("--games", "0", "'0'; allowed: 1..1000000000"),
    ],
)
def test_numbers_that_are_not_allowed_are_named(
    flag: str,
    value: str,
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit) as ended:
        call(monkeypatch, "champion", "atlandice", flag, value, "--out", tmp_path)
    assert ended.value.code == 2
    error = capsys.readouterr().err
    assert f"argument {flag}: " in error and message in error


def test_every_number_of_players_is_measured_by_itself(tmp_path: Path) -> None:
    how = cards.MeasureSettings(4, 12, 1, cards.store_beside(tmp_path / "all"))
    cells_ = list(cards.cells_of("atlandice", [2, 3], against=["random"]))
    found = [cards.cell_json(cell, "champion", "heuristic", how) for cell in cells_]
    assert [len(cell["seats"]) for cell in found] == [2, 3] and [cell["games"] for cell in found] == [4, 6]
    assert how.store.path is not None
    how.store.path.write_text("{}\n")
    with pytest.raises(OptionError, match=r"line 1: .*; allowed: what a measurement wrote"):
        cards.store_beside(tmp_path / "all")


def test_a_team_is_measured_beside_the_heuristic(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ("--games", 3, "--players", 1, "--level", 2, "--workers", 1, "--out", tmp_path)
    call(monkeypatch, "champion", "atlantis_rising", "--plays", "random", *words)
    card = json.loads((tmp_path / "atlantis_rising-1" / "champion.json").read_text())
    assert [(cell["agent"], cell["against"], cell["options"]) for cell in card["cells"]] == [
        ("champion", "", {"level": 2}),
        ("heuristic", "", {"level": 2}),
    ]
    assert card["cells"][0]["command"] == (
        "atlantis evaluate atlantis_rising champion --players 1 --option level=2 --blocks 3 --seed 12"
    )


def test_a_policy_of_a_team_becomes_that_of_the_number_it_is_measured_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    team: dict[str, Any] = {**TINY, "game": "atlantis_rising", "players": 2, "learner_seat": "all", "steps": 0}
    Run.begin(tmp_path / "run", SelfPlaySettings(**team)).go()
    words = ("--games", 1, "--level", 1, "--workers", 1, "--out", tmp_path / "shipped")
    call(monkeypatch, "network", tmp_path / "run", "--players", 3, *words)
    card = json.loads((tmp_path / "shipped" / "atlantis_rising-3" / "card.json").read_text())
    assert card["players"] == 3 and {cell["players"] for cell in card["cells"]} == {3}
    call(monkeypatch, "network", tmp_path / "run", "--players", 2, "--players", 3, *words)  # that it learned with
    assert json.loads((tmp_path / "shipped" / "atlantis_rising-2" / "card.json").read_text())["players"] == 2


def test_halved_weights_choose_as_the_whole_ones(run: Path, tmp_path: Path) -> None:
    whole = load_policy(run / "policy")
    kind = {"activation": whole.activation, "half": True}
    half = PolicyAgent(whole.game, save_policy(tmp_path, whole.game, whole.layers, **kind))
    batch = whole.game.batch(512, 3)
    for _ in range(20):
        batch.step(whole.act(batch.observations, batch.action_masks, batch.noise(1)))
    seen, masks = batch.observations, batch.action_masks
    assert (tmp_path / "weights.safetensors").stat().st_size < 0.6 * (run / "policy/weights.safetensors").stat().st_size
    assert np.allclose(half.logits(seen), whole.logits(seen), atol=0.05)
    assert (half.act(seen, masks) == whole.act(seen, masks)).mean() > 0.97
    assert half.layers[0][0].dtype == np.float32
    for (weight, bias), (other, same) in zip(half.layers, whole.layers, strict=True):
        assert np.array_equal(bias, same) and not np.array_equal(weight, other)
    large = [(np.full((72, whole.game.observation_size), 1e6), np.zeros(72))]
    with pytest.raises(OptionError, match=r"^half: a weight of 1e\+06; allowed: at most 65504$"):
        save_policy(tmp_path / "large", whole.game, large, half=True)


def test_too_large_a_policy_is_refused_and_nothing_is_written(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(cards, "MOST_BYTES", 1000)
    with pytest.raises(SystemExit) as ended:
        call(monkeypatch, "network", run, "--out", tmp_path / "there")
    assert ended.value.code == 2 and not (tmp_path / "there").exists()
    assert "bytes; allowed: at most 1,000, or half of it with --float16" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("network", "nowhere"), "run: nowhere; allowed: the directory of a run or of a policy"),
        (("champion", "chess"), "name: 'chess'; allowed: 'atlandice'"),
        (("champion", "atlandice", "--players", "9"), "players: 9"),
    ],
)
def test_mistakes_end_with_a_line(
    words: tuple[str, ...],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)  # a run of that name elsewhere is not packed
    with pytest.raises(SystemExit) as ended:
        call(monkeypatch, *words, "--out", tmp_path / "out")
    assert ended.value.code == 2
    error = capsys.readouterr().err
    assert message in error and error.count("\n") == 1


def test_a_policy_without_its_run_needs_words_about_itself(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        call(monkeypatch, "network", run / "policy", "--out", tmp_path)
    assert "made-by, minutes: missing" in capsys.readouterr().err
    more = ("--made-by", "atlantis expert atlandice", "--minutes", 3, "--seed-of-policy", 5)
    words = ("--games", 2, "--against", "random", "--workers", 1, "--out", tmp_path)
    call(monkeypatch, "network", run / "policy", *more, *words)
    card = json.loads((tmp_path / "atlandice-2" / "card.json").read_text())
    assert (card["commands"], card["minutes"], card["seed"]) == (["atlantis expert atlandice"], 3.0, 5)


def test_commands_name_no_machine(run: Path) -> None:
    settings = SelfPlaySettings(
        policies=("/somewhere/runs/first", "runs/second", "planner"),
        share_policies=0.5,
        mixed=True,
        options={"optional_effects": True},
    )
    assert train_command(settings) == (
        "atlantis train atlandice --share-policies 0.5 --policies first --policies runs/second --policies planner "
        "--mixed --option optional_effects=true"
    )
    origin = origin_of(run, ("atlantis expert",), 2.0)
    assert origin.commands[0] == "atlantis expert" and origin.minutes >= 2.0
    with pytest.raises(OptionError, match=r"^run: .*; allowed: that of a run of atlantis train or expert$"):
        origin_of(run / "policy")


def test_an_iteration_tells_the_rounds_that_it_came_to(tmp_path: Path) -> None:
    save_settings(ExpertSettings(game="atlandice", rounds=6, decisions=3), tmp_path)
    assert "--rounds 6" in origin_of(tmp_path).commands[-1]
    (tmp_path / "rounds.json").write_text(json.dumps([{"round": 1}, {"round": 2}]))
    assert origin_of(tmp_path).commands == ("atlantis expert atlandice --decisions 3 --rounds 2",)
    save_settings(ExpertSettings(game="atlandice", dataset=("/somewhere/runs/first/round-2/dataset",)), tmp_path)
    assert origin_of(tmp_path).commands == ("atlantis expert atlandice --rounds 2 --dataset first/round-2/dataset",)


def test_a_run_that_went_on_with_other_limits_says_so(run: Path, tmp_path: Path) -> None:
    longer = tmp_path / "longer"
    shutil.copytree(run, longer)
    first = origin_of(longer)
    Run.resume(longer, steps=first.steps + 64).go()
    origin = origin_of(longer)
    assert origin.commands[:-1] == first.commands and origin.steps > first.steps
    assert origin.commands[-1] == f"atlantis train --out RUN --resume --steps {first.steps + 64}"


def test_the_page_of_all_cards_is_up_to_date() -> None:
    assert (ROOT / "docs" / "results" / "agents.md").read_text(encoding="utf-8") == cards.page()


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({}, []),
        ({"trained_rules": 0}, ["Trained with rules 0."]),
        ({"versions": {"rules": 0}}, ["Measured with rules 0; the game now has rules"]),
    ],
)
def test_the_page_says_which_figures_are_of_earlier_rules(changes: dict[str, Any], told: list[str]) -> None:
    card = next(card for card in cards.all_cards() if card["agent"] == "network")
    fresh = {key: value for key, value in card.items() if key != cards.TRAINED_RULES}
    fresh["versions"] = asdict(definition(card["game"]).versions)
    said = cards._card_lines({**fresh, **changes})[0]
    for part in told:
        assert part in said
    assert ("with rules" in said) == bool(told)


def test_no_card_claims_rules_that_the_library_has_not_had() -> None:
    for card in cards.all_cards():
        present = definition(card["game"]).versions.rules
        measured = card["versions"]["rules"]
        assert 1 <= card.get(cards.TRAINED_RULES, measured) <= measured <= present
