"""docs/guide/your-own-game.md is followed to the letter: the game is installed as a package of its own, and played."""

from __future__ import annotations

import importlib
import json
import pickle
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from helpers.support import ROOT

import atlantis_envs
from atlantis_envs.engine.batch import Batch
from atlantis_envs.errors import OptionError, PositionError, UnknownOptionError
from atlantis_envs.play.replay import load_replay, save_replay

PAGE = (ROOT / "docs" / "guide" / "your-own-game.md").read_text(encoding="utf-8")
MODULE, PLAY = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
(PROJECT,) = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)


def install(place: Path, project: str = PROJECT, module: str = MODULE) -> None:
    """What pip leaves of a package of one module."""
    about = tomllib.loads(project)["project"]
    (place / f"{about['name']}.py").write_text(module, encoding="utf-8")
    notes = place / f"{about['name']}-{about['version']}.dist-info"
    notes.mkdir()
    head = f"Metadata-Version: 2.1\nName: {about['name']}\nVersion: {about['version']}\n"
    (notes / "METADATA").write_text(head, encoding="utf-8")
    groups = [
        f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in points.items())
        for group, points in about["entry-points"].items()
    ]
    (notes / "entry_points.txt").write_text("\n".join(groups), encoding="utf-8")


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty directory on the path, and nothing left of it afterwards."""
    before = set(sys.modules)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", None)).startswith(str(tmp_path)):
            del sys.modules[name]
    importlib.invalidate_caches()


@pytest.fixture
def installed(place: Path) -> Path:
    """Follow the page: install its game in a directory of its own."""
    install(place)
    return place


def test_the_page_is_short_and_its_game_is_unknown_before(place: Path) -> None:
    assert len(PAGE.splitlines()) < 200
    assert "highcard" not in atlantis_envs.game_names()
    with pytest.raises(OptionError, match=r"allowed: 'atlandice', 'atlantis', 'atlantis_rising'"):
        atlantis_envs.game("highcard")


def test_the_declaration_needs_one_import_of_this_library() -> None:
    """Private folders stay private: whoever declares a game depends on one module."""
    assert re.findall(r"^from (atlantis_envs\S*) import", MODULE, re.MULTILINE) == ["atlantis_envs.authoring"]


def test_the_game_goes_by_its_name_and_the_page_plays_it(installed: Path) -> None:
    assert atlantis_envs.game_names() == ("atlandice", "atlantis", "atlantis_rising", "highcard")
    made: dict[str, object] = {"__name__": "example"}
    exec(compile(PLAY, "your-own-game.md", "exec"), made)
    with pytest.raises(UnknownOptionError, match=r"colour: unknown key; allowed: players, cards .*'colour'"):
        atlantis_envs.game("highcard", colour=1)
    with pytest.raises(OptionError, match=r"cards: 10; allowed: an integer 2\.\.9"):
        atlantis_envs.game("highcard", cards=10)
    described = atlantis_envs.game("highcard").describe()
    assert (described.players, described.versions.rules, described.node_bound) == (2, 1, 4)
    json.dumps(described.to_json())


def test_a_seat_knows_its_own_card_alone(installed: Path) -> None:
    position = atlantis_envs.game("highcard", cards=9).initial_position()
    for move in ("card 3", "card 7", "pass"):
        position.apply(move)
    assert position.observation(0).tolist() == [3, 1] and position.observation(1).tolist() == [7, 1]
    drawn = [position.resample(0, seed).state[0] for seed in range(300)]
    assert {int(state.cards[0]) for state in drawn} == {3}
    assert {int(state.cards[1]) for state in drawn} == set(range(1, 10))


def test_everything_that_is_in_play_can_be_pickled(installed: Path) -> None:
    game = atlantis_envs.game("highcard", cards=3)
    again = pickle.loads(pickle.dumps(game))
    assert again == game and again.definition is game.definition and again != atlantis_envs.game("highcard")
    batch = game.batch(50, seed=3)
    batch.step([1] * 50)
    copy: Batch = pickle.loads(pickle.dumps(batch))
    assert (copy.states == batch.states).all() and len(np.unique(copy.states)) > 3
    assert pickle.loads(pickle.dumps(batch.position(7))) == batch.position(7)


def test_worker_processes_find_it_and_give_what_one_gives(installed: Path) -> None:
    from atlantis_training.evaluation.measure import measure

    game = atlantis_envs.game("highcard", cards=3)
    line_up = ("random", "random")
    one, two = (measure(game, [line_up], 400, seed=5, workers=workers) for workers in (1, 2))
    assert one.games == two.games == 400 and not two.interrupted
    assert (one.results[0].returns == two.results[0].returns).all()
    assert set(np.unique(one.results[0].returns)) == {-1.0, 0.0, 1.0}


def test_documents_and_replays(installed: Path, tmp_path: Path) -> None:
    game = atlantis_envs.game("highcard", cards=3)
    position = game.initial_position()
    for move in ("card 2", "card 3", "pass"):
        position.apply(move)
    document = position.to_json()
    assert document == {
        "game": "highcard",
        "options": {"players": 2, "cards": 3},
        "state": {"turn": 1, "cards": [2, 3]},
    }
    save_replay(tmp_path / "game.jsonl", position)
    assert load_replay(tmp_path / "game.jsonl") == position
    for state, fault in (
        ({"turn": 3, "cards": [2, 3]}, "state.turn: no seat"),
        ({"turn": 1, "cards": [2, 4]}, "state.cards: no card"),
        ({"turn": 1, "cards": [2, 0]}, "state.cards: dealt"),
        ({"turn": 1, "cards": [2, 200]}, r"state.cards\[1\]: 200; allowed: an integer -128\.\.127"),
        ({"turn": True, "cards": [2]}, "state.turn: True; .*state.cards: .*a list of 2 items"),
        ({"turn": 1}, "state.cards: missing"),
        ([], "state: .*an object"),
    ):
        with pytest.raises(PositionError, match=fault):
            game.from_json({**document, "state": state})
    with pytest.raises(PositionError, match="options: cards: 1; allowed: an integer 2"):
        game.from_json({**document, "options": {"players": 2, "cards": 1}})
    with pytest.raises(PositionError, match="game: 'atlantis'; allowed: 'highcard'"):
        game.from_json({**document, "game": "atlantis"})


def test_the_command_knows_it(installed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from atlantis_training.cli.app import app

    for command in (["games"], ["describe", "highcard"]):
        with pytest.raises(SystemExit) as left:
            app(command)
        assert left.value.code == 0 and "High card" in capsys.readouterr().out


def entry(place: Path, points: str, module: str = MODULE) -> None:
    project = f'[project]\nname = "other"\nversion = "1"\n[project.entry-points."atlantis_envs.games"]\n{points}\n'
    install(place, project, module)


def test_a_name_of_ours_cannot_be_taken(place: Path) -> None:
    entry(place, 'atlantis = "other:GAME"')
    assert atlantis_envs.game_names() == ("atlandice", "atlantis", "atlantis_rising")
    assert atlantis_envs.game("atlantis").definition.title == "Atlantis"


@pytest.mark.parametrize(
    ("point", "fault"),
    [
        ('highcard = "nowhere_to_be_found:GAME"', "cannot be loaded .ModuleNotFoundError"),
        ('highcard = "other:GAMES"', "cannot be loaded .AttributeError"),
        ('highcard = "other:STATE"', "allowed: a Definition"),
        ('lowcard = "other:GAME"', "declares 'highcard'; allowed: the name of the entry point"),
    ],
)
def test_an_entry_point_that_leads_nowhere_is_named(place: Path, point: str, fault: str) -> None:
    entry(place, point)
    name = point.split()[0]
    assert name in atlantis_envs.game_names()
    with pytest.raises(OptionError, match=f"'{name}'.*{fault}"):
        atlantis_envs.game(name)
    assert atlantis_envs.game("atlandice").players == 3
