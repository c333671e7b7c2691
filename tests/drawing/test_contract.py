"""What every drawing promises: it holds together at every node, and everything that can be done has a place."""

from __future__ import annotations

from dataclasses import replace

import pytest
from helpers.pictures import APART, TABLES, all_shapes, faults, heuristic_game, meeting, sampled, texts, walk
from helpers.support import scaled
from helpers.toy_game import TOY

import atlantis_envs
from atlantis_envs.drawing.letters import fitted, text_width
from atlantis_envs.drawing.look import Look
from atlantis_envs.drawing.plain import LOOK as PLAIN
from atlantis_envs.drawing.shapes import Drawing, Group, Shape, all_groups, extent
from atlantis_envs.drawing.theme import palette
from atlantis_envs.engine.position import Position

WIDTHS = {"atlandice": 800, "atlantis": 800, "atlantis_rising": 990}


def drawn(position: Position, seat: int | None, names: list[str] | None = None) -> tuple[Look, Drawing]:
    look = position.game.definition.look()
    called = names or [f"seat {number}" for number in range(position.game.players)]
    return look, look.draw(look.view(position, seat), called)


@pytest.mark.parametrize(("name", "players"), TABLES)
def test_every_node_is_drawn_without_a_fault(name: str, players: int) -> None:
    keys = None
    for number, position in enumerate(sampled(name, players, players)):
        for viewer in (None, number % players):
            look, drawing = drawn(position, viewer)
            assert faults(drawing, set(palette(look.roles, "light"))) == []
            assert drawing.width == WIDTHS[name] and drawing.title and drawing.about
            order = [group.key for group in drawing.groups]
            assert keys is None or order == keys
            keys = order


@pytest.mark.parametrize(("name", "players"), TABLES)
def test_games_of_heuristics_are_drawn_without_a_fault_to_their_end(name: str, players: int) -> None:
    keys, last = set(), None
    for number, last in enumerate(heuristic_game(name, players, players)):
        if number % scaled(*APART[name]) and last.node != "over":
            continue
        look, drawing = drawn(last, None)
        assert faults(drawing, set(palette(look.roles, "light"))) == [] and meeting(drawing) == []
        keys.add(tuple(group.key for group in drawing.groups))
    assert last is not None and last.node == "over" and len(keys) == 1


@pytest.mark.parametrize(("name", "players"), TABLES)
def test_no_text_lies_over_another_or_leaves_the_picture(name: str, players: int) -> None:
    for position in sampled(name, players, players + 10):
        _, drawing = drawn(position, None, ["a seat with a long name", *["heuristic"] * (players - 1)])
        assert meeting(drawing) == []
        for text, (left, top, right, bottom) in texts(drawing):
            assert left >= 0 and top >= 0 and right <= drawing.width and bottom <= drawing.height, text


@pytest.mark.parametrize(("name", "players"), TABLES)
def test_text_stays_on_its_ground(name: str, players: int) -> None:
    """Text of a group that begins with a box lies in that box; so does the text of the groups within it."""
    seen = 0
    for position in sampled(name, players, players + 20):
        _, drawing = drawn(position, None, ["a seat with a long name", *["planner"] * (players - 1)])
        for group in drawing.groups:
            ground = group.shapes[0] if group.shapes else None
            if ground is None or ground.kind != "rect" or ground.fill is None or ground.geometry[2] < 60:
                continue
            left, top, right, bottom = extent(ground)
            alone = Drawing(
                drawing.width, drawing.height, "", "", (Group(group.key, "", group.shapes, group.children),)
            )
            for text, where in texts(alone):
                inside = left <= where[0] and top <= where[1] and where[2] <= right and where[3] <= bottom
                assert inside, (group.key, text, where, (left, top, right, bottom))
                seen += 1
    assert seen > 50


@pytest.mark.parametrize(("name", "players"), TABLES)
def test_every_legal_action_can_be_clicked_on_the_board(name: str, players: int) -> None:
    placed = set()
    for position in sampled(name, players, players + 30, finer=6):
        if position.seat is None:
            continue
        look = position.game.definition.look()
        for viewer in (None, position.seat):
            view = look.view(position, viewer)
            drawing = look.draw(view, ["x"] * players)
            areas = {group.key: group for group, _, _ in all_groups(drawing) if group.area is not None}
            assert view["legal"] == position.legal_actions()
            for action in view["legal"]:
                key = look.area(view, action)
                assert key in areas and areas[key].label, (action, key)
                placed.add(action.split()[0])
    assert len(placed) > 3


def test_pieces_of_atlandice_that_are_clicked_lie_where_they_are_taken_from() -> None:
    """Of the market too, for F3 and I2 (6.11, 6.16)."""
    sectors = set()
    for position in walk("atlandice", 3, 0):
        look = position.game.definition.look()
        view = look.view(position, position.seat)
        for action in view["legal"]:
            part, *rest = look.area(view, action).split(".")
            if part == "piece":
                assert view["place"]["sectors"][rest[0]]["resources"][rest[1]] > 0, (view["place"]["node"], action)
                sectors.add((view["place"]["node"], rest[0]))
    assert {("extra", "market"), ("move_type", "market")} <= sectors


@pytest.mark.parametrize("name", ["atlandice", "atlantis", "atlantis_rising"])
def test_two_areas_that_can_be_clicked_have_different_places(name: str) -> None:
    for position in sampled(name, 2, 3):
        look, drawing = drawn(position, position.seat)
        view = look.view(position, position.seat)
        keys = {look.area(view, action) for action in view["legal"]}
        marks = [
            (round(x + e[0], 1), round(y + e[1], 1), round(x + e[2], 1), round(y + e[3], 1))
            for group, x, y in all_groups(drawing)
            if group.key in keys and group.area is not None
            for e in [extent(group.area)]
        ]
        assert len(marks) == len(keys) == len(set(marks))


@pytest.mark.parametrize("name", ["atlandice", "atlantis"])
def test_views_say_of_the_record_what_documents_say(name: str) -> None:
    """Every part of a view that the document has too is equal, but for what its seat may not know."""
    compared = set()

    def agree(seen: object, said: object) -> None:
        if isinstance(seen, dict) and isinstance(said, dict):
            for key in seen:
                compared.add(key)
                agree(seen[key], said[key])
        elif isinstance(seen, list):
            assert isinstance(said, list) and len(seen) == len(said)
            for one, other in zip(seen, said, strict=True):
                agree(one, other)
        elif isinstance(seen, int) and isinstance(said, dict):  # hidden: how many there are
            assert seen == sum(said.values())
        else:
            assert seen == said

    for number, position in enumerate(sampled(name, 2, 5)):
        said = position.to_json()
        for viewer in (None, number % 2):
            seen = position.game.definition.look().view(position, viewer)["place"]
            agree(seen, {"players": 2, **said})
            for seat, person in enumerate(seen.get("seats", [])):
                assert isinstance(person["hand"], int) == (viewer is not None and seat != viewer)
    assert len(compared) > 15


def test_a_view_of_another_seat_offers_nothing_where_hands_are_hidden() -> None:
    look = atlantis_envs.game("atlantis").definition.look()
    for position in walk("atlantis", 2, 5, 200):
        if position.seat is not None:
            assert look.view(position, 1 - position.seat)["legal"] == []


def test_faults_are_found() -> None:
    """Each kind of fault is told; a drawing without any has none."""
    good = Group("a", "a box", (Shape("rect", (0, 0, 9, 9, 0), "ink"),), area=Shape("rect", (0, 0, 9, 9, 0)))
    bad = [
        Group("a", "", (Shape("rect", (0, 0, 9, 9, 0), "ink"),)),
        Group("b", "", (Shape("blob", (0, 0), "ink"),)),
        Group("c", "", (Shape("circle", (0, 0, 9), "ink"),)),
        Group("d", "", (Shape("circle", (20, 20, 9), "no such role"),)),
        Group("e", "", (Shape("text", (20, 20), "ink", text="small", size=9),)),
        Group("f", "", (Shape("text", (20, 20), "ink", text="there", anchor="left"),)),
        Group("g", "", (Shape("path", (("Q", 1, 2),), "ink"),)),
        Group("h", "", (), area=Shape("circle", (20, 20, 9))),
    ]
    roles = {"ink"}
    assert faults(Drawing(100, 100, "", "", (good,)), roles) == []
    for group in bad:
        found = faults(Drawing(100, 100, "", "", (good, group)), roles)
        assert len(found) == 1 and found[0].startswith(f"{group.key}: "), (group.key, found)


def test_a_declaration_names_its_look() -> None:
    look = atlantis_envs.game("atlandice").definition.look()
    assert replace(TOY, look=lambda: look).look() is look
    with pytest.raises(ValueError, match=r"look: 'highcard\.drawing'; allowed: a function without arguments"):
        replace(TOY, look="highcard.drawing")


def test_a_game_without_a_look_is_drawn_as_its_text() -> None:
    assert TOY.look() is PLAIN
    position = atlantis_envs.game("atlantis").initial_position()
    drawing = PLAIN.draw(PLAIN.view(position, 0), ["a", "b", "c"])
    assert faults(drawing, set(palette({}, "light"))) == [] and meeting(drawing) == []
    assert any("scores" in placed.shape.text for placed in all_shapes(drawing))


def test_texts_are_cut_where_the_room_ends() -> None:
    assert fitted("short", 100, 12) == "short"
    cut = fitted("a very long name of an agent", 60, 12)
    assert cut.endswith("…") and text_width(cut, 12) <= 60 < text_width("a very long name", 12)
    assert text_width("mmm", 10) > 2 * text_width("iii", 10) > 0
    assert text_width("m", 10, True) > text_width("m", 10)
