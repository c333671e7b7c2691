"""Markup of pictures: sound XML, the same bytes every time, nothing hidden, nothing that collides in a page."""

from __future__ import annotations

import ast
import json
import os
import random
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import pytest
from helpers.pictures import GOLDENS, TABLES, sampled, walk
from helpers.support import ROOT, play, scaled
from reach_play import Observer

import atlantis_envs
from atlantis_envs.drawing.pen import badge, rect, words
from atlantis_envs.drawing.shapes import Drawing, Group
from atlantis_envs.drawing.svg import css_name, delta, group_marks, page_colours, to_svg
from atlantis_envs.drawing.theme import palette
from atlantis_envs.engine.position import Position

BAD_NAME = "<img onerror=x>&\"'\n\0"
NEVER = (" id=", "<style", " style=", "<script", "href", "url(", "<image", "<use", "&nbsp;")
NODE = "{http://www.w3.org/2000/svg}"
NAMES = ("atlandice", "atlantis", "atlantis_rising")


@pytest.mark.parametrize(("name", "players"), TABLES)
def test_the_markup_is_sound_and_stands_alone(name: str, players: int) -> None:
    for number, position in enumerate(sampled(name, players, players + 40)):
        theme = ("light", "dark")[number % 2]
        markup = position.svg(theme=theme, legal=True)
        root = ElementTree.fromstring(markup)
        assert root.tag == f"{NODE}svg" and root.get("viewBox") == f"0 0 {root.get('width')} {root.get('height')}"
        assert not [part for part in NEVER if part in markup] and "var(" not in markup
        keys = [group.get("data-key") for group in root.iter(f"{NODE}g")]
        assert len(keys) == len(set(keys)) and None not in keys
        if position.seat is not None:
            output = {int(part) for group in root.iter(f"{NODE}g") for part in group.get("data-moves", "").split()}
            legal = {position.game.definition.actions.ids[action] for action in position.legal_actions()}
            assert output <= legal


def test_names_stay_text_wherever_they_stand() -> None:
    for name in ("atlandice", "atlantis", "atlantis_rising"):
        position = next(iter(reversed(list(walk(name, 3, 1, 200)))))
        markup = position.svg(names=[BAD_NAME, "b", "c"])
        root = ElementTree.fromstring(markup)
        assert "<img" not in markup and "&lt;img" in markup
        assert not [group for group in root.iter() if group.tag.endswith("img")]


def test_pictures_are_refused_with_reasons() -> None:
    position = atlantis_envs.game("atlandice").initial_position()
    other = atlantis_envs.game("atlandice", players=2).initial_position()
    for wrong, output in (
        ({"theme": "sepia"}, "theme: 'sepia'; allowed: "), ({"seat": 3}, "seat: 3; allowed: 0..2"),
        ({"seat": "0"}, "seat: "), ({"names": ["a"]}, "names: "), ({"names": "abc"}, "names: 'abc'; allowed"),
        ({"last": other}, "last: "), ({"last": 1}, "last: "),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=output.split(";")[0].replace("(", r"\(")):
            position.svg(**wrong)


def test_the_same_positions_give_the_same_bytes_in_every_process() -> None:
    """A picture that changes is looked at: ``make look`` draws the sheet, and renews the hashes with it."""
    for seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-m", "helpers.pictures"], cwd=ROOT, capture_output=True, text=True, check=True,
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": _paths()},
        )  # fmt: skip
        found = json.loads(done.stdout)
        assert {name: len(set(hashes)) for name, hashes in found.items()} == dict.fromkeys(NAMES, 12)
        assert found == json.loads(GOLDENS.read_text("utf-8")), "look at the pictures that `make look` draws"


def _paths() -> str:
    return ":".join(str(ROOT / part) for part in ("", "agents", "training", "tests"))


def test_11_1_a_seat_is_shown_no_card_it_cannot_know() -> None:
    """The picture of a seat is the same for every world it takes for possible; that of an onlooker is not."""
    alike = changed = told_apart = 0
    for number, position in enumerate(walk("atlantis", 3, 8)):
        if position.seat is None or number % scaled(11, 3):
            continue
        for seat in range(3):
            try:
                twin = position.resample(seat, number)
            except ValueError:
                continue
            assert twin.svg(seat=seat, legal=True) == position.svg(seat=seat, legal=True)
            alike += 1
            changed += twin != position
            told_apart += twin.svg() != position.svg()
    assert alike >= changed > 20 and told_apart > 20


def test_15_2_a_seat_is_shown_no_card_of_closed_hands() -> None:
    game = atlantis_envs.game("atlantis_rising", players=3, hands_open=False)
    changed = told_apart = 0
    for number in range(scaled(30, 300)):
        observer = Observer(number, eager=True)
        position = play(game.initial_position(), 250 + 20 * (number % 9), observer.dice)
        if position.node != "decision":
            continue
        seat = number % 3
        try:
            twin = position.resample(seat, number)
        except ValueError:
            continue
        assert twin.svg(seat=seat, legal=True) == position.svg(seat=seat, legal=True)
        changed += twin != position
        told_apart += any(twin.svg(seat=other) != position.svg(seat=other) for other in range(3))
    assert changed > 3 and told_apart > 3


@pytest.mark.parametrize("name", ["atlandice", "atlantis", "atlantis_rising"])
def test_what_changes_is_marked_and_patches_make_the_next_picture(name: str) -> None:
    before = None
    marked = 0
    for position in walk(name, 3, 3, scaled(150, 600)):
        look = position.game.definition.look()
        colours = palette(look.roles, "light")
        drawing = look.draw(look.view(position, None), ["a", "b", "c"])
        now = group_marks(drawing, colours)
        if before is not None:
            assert {**before[0], **delta(before[0], now)} == now
            assert delta(now, now) == {}
            marked += "stroke-linecap" in position.svg(last=before[1])
        before = now, position.clone()
    assert marked > 20


def test_a_page_may_bring_the_colours() -> None:
    position = atlantis_envs.game("atlandice").initial_position()
    look = position.game.definition.look()
    markup = to_svg(
        look.draw(look.view(position, None), ["a", "b", "c"]), page_colours(list(palette(look.roles, "dark")))
    )
    assert "var(--sea)" in markup and "var(--land-edge)" in markup and "#" not in markup.replace("#fff", "")
    assert css_name("on.seat0") == "on-seat0"


def test_every_count_that_is_seen_changes_the_picture() -> None:
    """One piece, point or card more is another picture."""
    position = play(atlantis_envs.game("atlandice").initial_position(), 120, random.Random(1))
    look = position.game.definition.look()
    names = ["a", "b", "c"]

    def picture(view: dict[str, object]) -> str:
        return to_svg(look.draw(view, names), palette(look.roles, "light"))

    plain = picture(look.view(position, None))
    for path in (
        ("hand",), ("round",), ("participants", 0, "points"), ("participants", 1, "stock", "gem"),
        ("sectors", "inn", "resources", "provision"), ("sectors", "market", "resources", "tool"),
        ("sectors", "forge", "dice"), ("needles", "market"),
    ):  # fmt: skip
        view = look.view(position, None)
        place = view if path[0] == "needles" else view["place"]
        for step in path[:-1]:
            place = place[step]
        place[path[-1]] = (place.get(path[-1], 0) if isinstance(place, dict) else place[path[-1]]) + 1
        assert picture(view) != plain, path


def test_notebooks_get_a_picture() -> None:
    position: Position = atlantis_envs.game("atlantis").initial_position()
    assert position._repr_svg_() == position.svg() and position.svg().startswith("<svg ")


def test_nothing_is_drawn_or_loaded_unless_asked_for() -> None:
    script = (
        "import sys, atlantis_envs\n"
        "from atlantis_envs.atlandice_v1 import env\n"
        "made = env(render_mode='rgb_array'); made.reset(seed=1); made.step(made.last()[0]['action_mask'].argmax())\n"
        "print(sorted(name for name in sys.modules if name in ('resvg_py', 'starlette', 'uvicorn')\n"
        "    or name.startswith('atlantis_envs.drawing.')\n"
        "    or (name.startswith('atlantis_envs.games') and name.endswith('.drawing'))))\n"
    )
    env = {**os.environ, "PYTHONPATH": _paths()}
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True, env=env)
    loaded = ast.literal_eval(done.stdout.strip().splitlines()[-1])
    assert not {
        "resvg_py",
        "starlette",
        "uvicorn",
        "atlantis_envs.drawing.look",
        "atlantis_envs.drawing.svg",
    } & set(loaded)
    assert not [name for name in loaded if name.endswith(".drawing")]


def test_the_number_of_who_changed_a_place_catches_no_click() -> None:
    place = rect(0, 0, 40, 40, "panel")
    drawing = Drawing(100, 100, "", "", (Group("place", area=place),))
    markup = to_svg(drawing, palette({}, "light"), changed={"place": 1})
    number = ElementTree.fromstring(markup).find(
        ".//{http://www.w3.org/2000/svg}g[@pointer-events='none']/{http://www.w3.org/2000/svg}text"
    )
    assert number is not None and number.text == "1"
    own = Drawing(100, 100, "", "", (Group("place", shapes=badge(5, 5, 1), area=place),))  # a piece with its number
    count = Drawing(100, 100, "", "", (Group("place", shapes=(words(5, 5, "1"),), area=place),))  # of something else
    numbers = [to_svg(each, palette({}, "light"), changed={"place": 1}).count(">1<") for each in (own, count)]
    assert numbers == [1, 2]
