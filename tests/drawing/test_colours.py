"""Colours: legible on every ground in both themes, and no kind told by its colour alone."""

from __future__ import annotations

import re
from itertools import combinations

import pytest
from helpers.pictures import EYES, contrast, nearest

from atlantis_envs.drawing.theme import COMMON, THEMES, palette
from atlantis_envs.games.atlandice.show.drawing import TYPE_ICONS, space_icon
from atlantis_envs.games.atlantis.show.drawing import ICONS
from atlantis_envs.games.atlantis_rising.show.drawing import GOODS, piece
from atlantis_envs.registry import definition

NAMES = ("atlandice", "atlantis", "atlantis_rising")
TEXT, MARK = 4.5, 3.0  # least contrast of text and of what has to be seen (WCAG 2, 1.4.3 and 1.4.11)
GROUNDS = {  # on which text in ink stands, beside those of all games
    "atlandice": ("land", "note", "clock.ahead", "deep"),
    "atlantis": (*(f"t.{thing}" for thing in ICONS), "deep", "pill", "shore"),
    "atlantis_rising": (
        *(f"l.{name}" for name in ("mountains", "hills", "forests", "cities", "libraries", "forges")),
        "chip", "shallow", "deep",
    ),
}  # fmt: skip
QUIET = {  # on which text in mute stands
    "atlandice": ("land",),
    "atlantis": tuple(f"t.{thing}" for thing in ICONS),
    "atlantis_rising": ("shallow",),
}


def colours(name: str, theme: str) -> dict[str, str]:
    return palette(definition(name).look().roles, theme)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("name", NAMES)
def test_text_is_legible_on_every_ground(name: str, theme: str) -> None:
    found = colours(name, theme)
    for ground in ("sea", "panel", "quiet", *GROUNDS[name]):
        assert contrast(found["ink"], found[ground]) >= TEXT, ground
    for ground in ("sea", "panel", "quiet", *QUIET[name]):
        assert contrast(found["mute"], found[ground]) >= TEXT, ground
    for seat in range(7):
        assert contrast(found[f"on.seat{seat}"], found[f"seat{seat}"]) >= TEXT, seat
    assert contrast(found["changed"], found["panel"]) >= TEXT and contrast(found["changed"], found["sea"]) >= TEXT


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("name", NAMES)
def test_outlines_of_what_can_be_done_are_seen_beside_their_halo(name: str, theme: str) -> None:
    found = colours(name, theme)
    assert contrast(found["accent"], found["halo"]) >= MARK
    assert contrast(found["ink"], found["sea"]) >= MARK and contrast(found["changed"], found["halo"]) >= MARK


def test_icons_are_seen_on_their_grounds() -> None:
    for theme in THEMES:
        for name, icons, grounds in (
            ("atlandice", TYPE_ICONS, {kind: ("land", "panel", "clock.ahead") for kind in TYPE_ICONS}),
            ("atlantis", ICONS, {thing: (f"t.{thing}", "panel", "sea") for thing in ICONS}),
            ("atlantis_rising", GOODS, {good: ("panel",) for good in GOODS}),
        ):
            found = colours(name, theme)
            for kind in icons:
                role = f"o.{kind}" if name == "atlantis" else kind
                for ground in grounds[kind]:
                    assert contrast(found[role], found[ground]) >= MARK, (name, theme, kind, ground)


def test_seats_are_told_apart_by_every_eye() -> None:
    for theme in THEMES:
        found = palette(COMMON, theme)
        for eye in (None, *EYES):
            assert nearest([found[f"seat{seat}"] for seat in range(4)], eye) >= 15, (theme, eye)
            assert nearest([found[f"seat{seat}"] for seat in range(7)], eye) >= 15, (theme, eye)


def test_the_eyes_see_less() -> None:
    """The simulation does something: red and green of the same lightness come together."""
    assert nearest(["#B05050", "#5C7A3C"], None) > 40 > 25 > nearest(["#B05050", "#5C7A3C"], "deuteranopia")


@pytest.mark.parametrize("icons", [TYPE_ICONS, ICONS, GOODS], ids=NAMES)
def test_kinds_differ_by_their_outlines(icons: dict[str, tuple[object, ...]]) -> None:
    outlines = {kind: [(shape.kind, shape.geometry) for shape in icon] for kind, icon in icons.items()}  # type: ignore[attr-defined]
    for one, other in combinations(outlines, 2):
        assert outlines[one] != outlines[other], (one, other)
        assert outlines[one][0] != outlines[other][0], (one, other)


def test_spaces_of_the_clock_differ_by_their_outlines() -> None:
    """Compared with every colour removed, of types and of what is no type alike."""
    spaces = ["none", "start", "total", "donation", "end", *TYPE_ICONS]
    outlines = {
        space: tuple((shape.kind, shape.geometry, shape.text) for shape in space_icon(space)) for space in spaces
    }
    assert all(outlines.values()) and len(set(outlines.values())) == len(spaces)


def test_pieces_differ_by_their_outlines() -> None:
    kinds = ("leader", "hologram", "follower", "volunteer", "automaton")
    outlines = {kind: piece(kind, 0, 0, 0)[0] for kind in kinds}
    assert len({(shape.kind, shape.geometry) for shape in outlines.values()}) == len(kinds)


def test_every_role_is_a_colour_in_both_themes() -> None:
    for name in NAMES:
        for theme in THEMES:
            assert all(re.fullmatch(r"#[0-9A-F]{6}", colour) for colour in colours(name, theme).values())
    with pytest.raises(ValueError, match="allowed: light, dark"):
        palette(COMMON, "sepia")
