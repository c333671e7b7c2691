"""Every count of a view is to be seen: one more of anything is another picture, or it is listed with its reason."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Any

import pytest
from helpers.pictures import sampled
from helpers.support import scaled

from atlantis_envs.drawing.look import Look
from atlantis_envs.drawing.shapes import Drawing, Group
from atlantis_envs.games.atlantis_rising.data import COMPONENTS

Path = tuple[str | int, ...]
NO_COUNT = "no count: it says who or where, or how the game is set up"
BY_PARTS = "a sum of counts that are shown"
UNSEEN = {  # pattern of a path -> why one more of it changes nothing that is seen
    "atlandice": {
        "players": NO_COUNT,
        "seat": NO_COUNT,
        "place.actor": NO_COUNT,
        "place.context.chain": "visits chained so far; a bound that stops a chain of ten",
        "place.context.for": NO_COUNT,
        "scores.*": BY_PARTS,
    },
    "atlantis": {
        "players": NO_COUNT,
        "seat": NO_COUNT,
        "place.bag.*": "tiles not seen yet, which an onlooker is told in the document only",
        "place.first": NO_COUNT,
        "place.idle": "idle turns in a row (8.2): passes that draw nothing",
        "place.scores.*": "the scores at the end stand at the seats",
        "place.turn.sold": "sales of this turn; what may be sold is offered",
        "place.turn.space": NO_COUNT,
        "place.turn.draws": "cards that are drawn at once, without a decision",
    },
    "atlantis_rising": {
        "players": NO_COUNT,
        "seat": NO_COUNT,
        "level": NO_COUNT,
        "place.draws.*": NO_COUNT,
        "place.pending.*.seat": NO_COUNT,
        "place.misfortunes.discard.*": "the deck tells what is left of the peninsulas",
        "place.pending.*.bonus": "told together with the die as soon as that is rolled",
        "place.passes": "seats in a row that are ready; nobody can do anything about it",
        "place.built_this_round": "what is built is listed",
        "place.track_energy_taken": "energy of the solo track; the seat's energy is shown",
        "place.seats.*.declines": "bounds how often somebody may refuse; a bound of the notation",
        "place.seats.*.lifts": "bounds how often a piece may be lifted; a bound of the notation",
        "place.seats.*.yields": "bounds how often somebody may yield; a bound of the notation",
        "place.seats.*.removed": "followers out of the game; home, reserve and board are shown",
        "place.seats.*.spent_volunteers": "volunteers out of the game; those left are shown",
        "capacity.centre": "any number of pieces fit there",
        "capacity.gate *": "any number of pieces fit there",
        "values.centre": "nothing is rolled there",
        "values.gate *": "nothing is rolled there",
        "values.component": "nothing is rolled there",
        "scores.*": "the heading says whether the game is won",
    },
}


def counts(value: Any, path: Path = ()) -> Iterator[Path]:
    """The paths to all integers of a view."""
    if isinstance(value, int) and not isinstance(value, bool):
        yield path
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from counts(item, (*path, key))
    elif isinstance(value, (list, tuple)):
        for key, item in enumerate(value):
            yield from counts(item, (*path, key))


def changed(value: Any, path: Path, step: int) -> Any:
    """The view with so many more at a path."""
    if not path:
        return value + step
    if isinstance(value, Mapping):
        return {**value, path[0]: changed(value[path[0]], path[1:], step)}
    return type(value)([changed(item, path[1:], step) if key == path[0] else item for key, item in enumerate(value)])


def pattern(path: Path) -> str:
    """A path without its places in lists; components are all alike, tiles with needles too, and cards known."""
    parts = ["*" if isinstance(step, int) else step for step in path]
    if parts[0] == "needles" and parts[1] != "market":
        parts[1] = "tile"
    if "known" in parts:
        parts[-1] = "object"
    return ".".join(["component" if number == 1 and part in COMPONENTS else part for number, part in enumerate(parts)])


def marks(drawing: Drawing) -> tuple[Group, ...]:
    """What is drawn, without what is only told."""

    def bare(group: Group) -> Group:
        return replace(group, label="", children=tuple(map(bare, group.children)))

    return tuple(map(bare, drawing.groups))


def is_seen(look: Look, view: Any, path: Path, plain: tuple[Group, ...], names: list[str]) -> bool:
    """Whether one more is another picture, or one less where there cannot be more."""
    for step in (1, -1):
        try:
            return marks(look.draw(changed(view, path, step), names)) != plain
        except (IndexError, KeyError, AttributeError):
            continue
    return False


@pytest.mark.parametrize("name", UNSEEN)
def test_one_more_of_anything_is_seen(name: str) -> None:
    seen, met = set(), set()
    positions = list(sampled(name, 3, 5))
    for position in positions[:: max(1, len(positions) // scaled(6, 30))] + positions[-1:]:
        look = position.game.definition.look()
        names = ["a", "b", "c"]
        for view in (look.view(position, None), look.view(position, 1)):
            plain = marks(look.draw(view, names))
            for path in counts(view):
                output = pattern(path)
                met.add(output)
                if output not in seen and is_seen(look, view, path, plain, names):
                    seen.add(output)
    listed = {output: [shape for shape in UNSEEN[name] if fnmatchcase(output, shape)] for output in met}
    assert sorted(output for output in met - seen if not listed[output]) == []
    needless = [output for output in seen for shape in listed[output] if UNSEEN[name][shape] != NO_COUNT]
    assert needless == [], "listed, yet seen"
    assert set(UNSEEN[name]) - {shape for shapes in listed.values() for shape in shapes} == set(), "listed, yet not met"
