"""Replays as HTML: one file that asks for nothing, its record complete, and nothing in it that a seat may not know."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest
from helpers.pictures import walk
from typer.testing import CliRunner

import atlantis_envs
from atlantis_agents.catalogue import find_agent
from atlantis_envs.drawing.svg import group_marks, page_colours
from atlantis_envs.drawing.theme import palette
from atlantis_envs.engine.position import Position
from atlantis_envs.play.graph import Evaluation, graph_of
from atlantis_envs.play.replay import save_replay
from atlantis_envs.play.replay_page import replay_html
from atlantis_training.cli.app import app
from atlantis_training.evaluation.review import win_curve

NAMES = ("atlandice", "atlantis", "atlantis_rising")


def game_of(name: str, most: int, seed: int = 1, players: int = 3, **options: Any) -> list[Position]:
    return list(walk(name, players, seed, most, **options))


def record_in(page: str) -> dict[str, Any]:
    data = re.search(r'id="data">([^<]*)</script>', page)
    assert data is not None
    record: dict[str, Any] = json.loads(gzip.decompress(base64.b64decode(data[1])))
    return record


def marks_after(record: dict[str, Any], event: int) -> dict[str, str]:
    """What the page shows after an event, of the groups of a picture that ever change."""
    return {key: [marks for at, marks in each if at <= event][-1] for key, each in record["changes"].items()}


@pytest.mark.parametrize("name", NAMES)
def test_the_record_holds_the_picture_after_every_event(name: str) -> None:
    positions = game_of(name, 260)
    names = ["a", "b", "c"]
    record = record_in(replay_html(positions[-1], names=names))
    look = positions[0].game.definition.look()
    colours = page_colours(list(palette(look.roles, "light")))
    for pictures, draw, every in ((record, look.draw, 1), (record["narrow"], look.draw_narrow, 7)):
        assert draw is not None
        root = ElementTree.fromstring(pictures["frame"])
        keys = [group.get("data-key") for group in root if group.tag.endswith("}g")]
        first: dict[str, str] = {}
        for event, position in [*enumerate(positions)][::every]:
            marks = group_marks(draw(look.view(position, None), names), colours)
            assert keys == list(marks)
            changing = marks_after(pictures, event)
            assert all(marks[key] == messages for key, messages in changing.items())
            still = set(marks) - set(changing)
            first = first or marks
            assert all(marks[key] == first[key] for key in still)
    assert len(record["events"]) == len(positions) - 1 == len(positions[-1].log)
    assert record["events"][0] == f"chance: {positions[-1].log[0]}"
    steps = record["steps"]
    assert steps["decision"] == [n for n, position in enumerate(positions) if position.seat is not None]
    assert set(steps["turn"]) <= set(steps["decision"]) and 0 < len(steps["round"]) < len(steps["decision"])


def test_the_page_asks_for_nothing_and_runs_only_its_own_script() -> None:
    page = replay_html(game_of("atlandice", 80)[-1], names=["<script>alert(1)</script>", "SCRIPT STYLE DATA", "ABOUT"])
    assert page.count("<script") == 2 and "<script>alert" not in page
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy is not None and policy[1].startswith("default-src 'none';") and "unsafe" not in policy[1]
    for tag in ("script", "style"):
        inside = re.search(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        assert inside is not None
        digest = base64.b64encode(hashlib.sha256(inside[1].encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy[1]
    own = re.sub(r"base64,[^)]*", "", page.replace("http://www.w3.org/2000/svg", ""))
    assert not re.search(r"https?:|url\((?!data:)|@import|\bsrc=|href=", own.split('id="data">')[0])
    assert "<title>Atlandice, 3 seats</title>" in page


def test_what_a_seat_may_not_know_is_not_in_its_page() -> None:
    positions = game_of("atlantis", 160, players=2)
    end = positions[-1]
    whole, own = record_in(replay_html(end)), record_in(replay_html(end, seat=0))
    drawn = [n for n, text in enumerate(end.log) if text.startswith("card ") and positions[n].to_json()["seat"] == 1]
    assert drawn
    hidden = [own["events"][n] for n in drawn if len(positions[n].chance_outcomes()) > 1]
    assert hidden and set(hidden) == {"chance: card ?"}
    assert all(whole["events"][n] == f"chance: {end.log[n]}" for n in drawn)
    look = end.game.definition.look()
    colours = page_colours(list(palette(look.roles, "light")))
    for event in range(0, len(positions), 20):
        marks = group_marks(look.draw(look.view(positions[event], 0), ["seat 0", "seat 1"]), colours)
        assert all(marks[key] == messages for key, messages in marks_after(own, event).items())
    assert "as seat 0 sees it" in replay_html(end, seat=0) and "hidden cards too" in replay_html(end)


def test_a_page_can_begin_anywhere() -> None:
    positions = game_of("atlandice", 100)
    start = atlantis_envs.game("atlandice").from_json(positions[40].to_json())
    end = start.clone()
    for text in positions[-1].log[40:60]:
        end.apply(text)
    record = record_in(replay_html(end, start))
    assert len(record["events"]) == 20
    assert [each.split(": ")[1] for each in record["events"]] == positions[-1].log[40:60]


def test_the_same_game_gives_the_same_page() -> None:
    end = game_of("atlandice", 60)[-1]
    assert replay_html(end) == replay_html(end)


def test_graphs_have_lines_bands_and_a_caption() -> None:
    evaluation = Evaluation((0, 5, 10), ((0.5, 0.5), (1.0, 0.0), (0.2, 0.8)), ((0.1, 0.1),) * 3, "how")
    graph = graph_of(evaluation, 10)
    root = ElementTree.fromstring(graph["picture"])
    keys = [group.get("data-key") for group in root if group.tag.endswith("}g")]
    assert keys == ["ground", "line.0", "line.1"] and graph["caption"] == "how"
    together = graph_of(Evaluation((0,), ((1.0,),), ((0.0,),), "", True), 0)["picture"]
    assert 'data-key="line.0"' in together and "line.1" not in together


def test_the_course_of_a_game_ends_where_it_ended() -> None:
    for seed in range(20):
        positions = game_of("atlandice", 5_000, seed)
        if sorted(positions[-1].returns())[-1] > sorted(positions[-1].returns())[-2]:
            break
    end = positions[-1]
    taken = win_curve(end, None, find_agent("heuristic", end.game), "heuristic", 40, seed=3, points=10_000)
    again = win_curve(end, None, find_agent("heuristic", end.game), "heuristic", 40, seed=3, points=10_000)
    assert taken == again and list(taken.events) == [n for n, p in enumerate(positions[:-1]) if p.seat is not None]
    assert all(abs(sum(shares) - 1) < 1e-9 for shares in taken.shares)
    winner = end.returns().index(max(end.returns()))
    assert taken.shares[-1][winner] > taken.shares[0][winner]
    assert all(0 < margin < 0.2 for margins in taken.margins for margin in margins)
    assert len(win_curve(end, None, find_agent("heuristic", end.game), "heuristic", 4, points=7).events) == 7


def test_the_command_writes_the_page(tmp_path: Path) -> None:
    end = game_of("atlandice", 5_000)[-1]
    save_replay(tmp_path / "a.jsonl", end)
    run = lambda *said: CliRunner().invoke(app, ["replay", str(tmp_path / "a.jsonl"), *said])  # noqa: E731
    out = tmp_path / "a.html"
    done = run("--html", str(out), "--seat", "1", "--evaluate", "4")
    assert done.exit_code == 0 and f"{len(end.log)} events" in done.output, done.output
    record = record_in(out.read_text("utf-8"))
    caption = record["graph"]["caption"]  # the critic of Atlandice is better calibrated than games played on
    assert caption.startswith("Win share of each seat, as search:leaf=critic values ") and "what 4 draws" in caption
    assert len(record["events"]) == len(end.log)
    for said, messages in (
        (["--html", str(out), "--seat", "3"], "--seat 3: the game has 3 seats"),
        (["--seat", "0"], "go with --html"),
        (["--html", str(tmp_path / "no" / "where.html")], "cannot be written"),
    ):
        done = run(*said)
        assert done.exit_code != 0 and messages in " ".join(done.output.split()), done.output
