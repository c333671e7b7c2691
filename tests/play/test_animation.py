"""Games as moving pictures: every picture is seen in its time, and only what its seat may know."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from xml.etree import ElementTree

import pytest
from helpers.pictures import heuristic_game

import atlantis_envs
from atlantis_envs.drawing.svg import group_marks
from atlantis_envs.drawing.theme import palette
from atlantis_envs.engine.position import Position
from atlantis_envs.play.animation import HELD, animated_svg
from atlantis_envs.play.replay import save_replay

ANIMATE = "{http://www.w3.org/2000/svg}animate"


@pytest.fixture(scope="module")
def end() -> Position:
    return list(heuristic_game("atlantis", 2, 3))[-1]


def seen_at(svg: str, moment: float) -> list[str]:
    """The keys of groups that are seen at a moment of 0..1."""
    found = []
    for part in ElementTree.fromstring(svg):
        moving = part.find(ANIMATE)
        if moving is not None:
            times = [float(time) for time in moving.attrib["keyTimes"].split(";")]
            now = sum(time <= moment for time in times) - 1
            if moving.attrib["values"].split(";")[now] == "none":
                continue
            part = part[1]
        if "data-key" in part.attrib:
            found.append(part.attrib["data-key"])
    return found


def test_every_group_is_seen_once_at_every_moment() -> None:
    look = atlantis_envs.game("atlantis", players=2).definition.look()
    positions = list(heuristic_game("atlantis", 2, 3))[::25]
    drawings = [look.draw(look.view(position, None), ["a", "b"]) for position in positions]
    svg = animated_svg(drawings, palette(look.roles, "light"), 0.5)
    whole = len(drawings) + HELD - 1
    for number, drawing in enumerate(drawings):
        wanted = sorted(group_marks(drawing, palette(look.roles, "light")))
        assert sorted(seen_at(svg, (number + 0.5) / whole)) == wanted
    assert sorted(seen_at(svg, 0.999)) == sorted(group.key for group in drawings[-1].groups)


@pytest.fixture(scope="module")
def stretch(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Position]]:
    """A replay of the first moves after the cards were dealt, and its positions."""
    later = next(islice(heuristic_game("atlantis", 2, 3), 100, None))
    start = next(islice(heuristic_game("atlantis", 2, 3), 75, None))
    positions = [later.game.from_json(start.to_json())]
    for text in later.log[75:]:
        after = positions[-1].clone()
        after.apply(text)
        positions.append(after)
    file = tmp_path_factory.mktemp("animation") / "game.jsonl"
    save_replay(file, positions[-1], positions[0])
    return file, positions


def test_pictures_are_counted_by_turn_and_by_event(stretch: tuple[Path, list[Position]], tmp_path: Path) -> None:
    turns, events = (atlantis_envs.animate(stretch[0], tmp_path / "a.svg", every=every) for every in ("turn", "event"))
    assert 1 < turns < events == 26


def test_a_seat_is_shown_what_it_may_know(stretch: tuple[Path, list[Position]], tmp_path: Path) -> None:
    file, positions = stretch
    look, out = positions[0].game.definition.look(), tmp_path / "game.svg"
    texts = []
    for seat in (None, 0):
        drawings = [look.draw(look.view(position, seat), ["Ann & Co", "b"]) for position in positions]
        atlantis_envs.animate(file, out, "event", seat=seat, names=["Ann & Co", "b"])
        texts.append(out.read_text("utf-8"))
        assert texts[-1] == animated_svg(drawings, palette(look.roles, "light"), 0.8)
    assert texts[0] != texts[1] and "Ann &amp; Co" in texts[1]


def test_a_webp_moves(end: Position, tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    pytest.importorskip("resvg_py")
    out, done = tmp_path / "game.webp", []
    count = atlantis_envs.animate(end, out, "round", 0.5, width=200, advance=lambda *at: done.append(at))
    with image.open(out) as film:
        assert film.n_frames == count == len(done) and film.width == 200


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"out": "a.gif"}, ".svg or .webp"),
        ({"every": "week"}, "every"),
        ({"seconds": 0}, "seconds"),
        ({"seat": 2}, "seat"),
    ],
)
def test_wrong_arguments_leave_no_file(end: Position, tmp_path: Path, wrong: dict, message: str) -> None:
    out = tmp_path / wrong.pop("out", "a.svg")
    with pytest.raises(ValueError, match=message):
        atlantis_envs.animate(end, out, **wrong)
    assert not list(tmp_path.iterdir())
