"""What tests of pictures share: positions to draw, boxes of texts, and how colours look to different eyes.

``python -m helpers.pictures`` prints the hashes of the pictures whose bytes `tests/drawing/goldens.json` holds.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from reach_play import Observer, late_position

import atlantis_envs
from atlantis_envs.drawing.letters import text_width
from atlantis_envs.drawing.shapes import STEPS, Drawing, Shape, all_groups, extent
from atlantis_envs.engine.position import Position
from atlantis_envs.play.game_session import GameSession
from atlantis_envs.seats.agents import make_agent
from helpers.support import TESTS, moves, scaled

TABLES = [
    *(("atlandice", players) for players in (2, 3, 4)),
    *(("atlantis", players) for players in (2, 3, 4)),
    *(("atlantis_rising", players) for players in (1, 2, 3, 4, 5, 6, 7)),
]
APART = {"atlandice": (31, 3), "atlantis": (37, 3), "atlantis_rising": (241, 11)}  # nodes between two pictures
CAPITAL, BASE = 0.73, 0.02  # what of a line of text must not meet another one, in sizes


def walk(name: str, players: int, seed: int, most: int = 100_000, **options: Any) -> Iterator[Position]:
    """Every position of a random game, the end included."""
    dice = random.Random(seed)
    position = atlantis_envs.game(name, players=players, **options).initial_position()
    for _ in range(most):
        yield position.clone()
        if position.node == "over":
            return
        position.apply(dice.choice(moves(position)))


def heuristic_game(name: str, players: int, seed: int) -> Iterator[Position]:
    """Every position of a game of heuristics, the end included."""
    game = atlantis_envs.game(name, players=players)
    session = GameSession(game, [make_agent("heuristic", game)] * players, seed)
    yield session.position.clone()
    while session.position.node != "over":
        session.advance()
        yield session.position.clone()


def sampled(name: str, players: int, seed: int, finer: int = 1, **options: Any) -> Iterator[Position]:
    """Some positions of a random game, first and last included; of Atlantis Rising some of late rounds too."""
    every = max(1, scaled(*APART[name]) // finer)
    for number, position in enumerate(walk(name, players, seed, 3_000, **options)):
        if number % every == 0 or position.node == "over":
            yield position
    if name == "atlantis_rising" and not options:
        observer = Observer(seed, eager=True)
        for _ in range(6):
            yield late_position(players, observer)


# ------------------------------------------------------------------------------------------------------------- goldens

GOLDENS = TESTS / "drawing" / "goldens.json"
GOLDEN_TABLES = {"atlandice": (2, 3, 4), "atlantis": (2, 3, 4), "atlantis_rising": (1, 4, 7)}
GOLDEN_STEPS = {"atlandice": 45, "atlantis": 60, "atlantis_rising": 70}  # events between two positions


def golden_hashes() -> dict[str, list[str]]:
    """Of each game the hashes of twelve pictures: four of a random game at each of three tables, themes in turn."""
    found: dict[str, list[str]] = {}
    for name, tables in GOLDEN_TABLES.items():
        step = GOLDEN_STEPS[name]
        for players in tables:
            for number, position in enumerate(list(walk(name, players, 3, 4 * step))[step - 1 :: step]):
                look = position.svg(theme=("light", "dark")[number % 2], legal=True)
                found.setdefault(name, []).append(hashlib.sha256(look.encode()).hexdigest()[:16])
    return found


KINDS = ("rect", "circle", "line", "path", "text")
ANCHORS = ("start", "middle", "end")
SMALLEST_TEXT = 10.5  # legible where the picture is 800 pixels wide


class Placed(NamedTuple):
    """A shape, the key of its group, and what is to be added to its coordinates."""

    key: str
    shape: Shape
    x: float
    y: float


def all_shapes(drawing: Drawing) -> Iterator[Placed]:
    """Every shape that is seen, from back to front."""
    for group, x, y in all_groups(drawing):
        for shape in group.shapes:
            yield Placed(group.key, shape, x, y)


def faults(drawing: Drawing, roles: set[str]) -> list[str]:
    """What breaks the contract, in sentences; ``roles`` are those that have a colour."""
    found: list[str] = []
    keys: set[str] = set()
    for group, x, y in all_groups(drawing):
        if group.key in keys:
            found.append(f"{group.key}: the key occurs twice")
        keys.add(group.key)
        marks = [*group.shapes, *([group.area] if group.area is not None else [])]
        found += [f"{group.key}: {fault}" for shape in marks for fault in _shape_faults(shape, x, y, drawing, roles)]
        if group.area is not None and not group.label:
            found.append(f"{group.key}: an area without a label")
    return found


def _shape_faults(shape: Shape, x: float, y: float, drawing: Drawing, roles: set[str]) -> Iterator[str]:
    if shape.kind not in KINDS:
        yield f"no such kind of shape: {shape.kind!r}"
        return
    yield from (
        f"no such role: {role!r}" for role in (shape.fill, shape.line) if role is not None and role not in roles
    )
    if shape.kind == "text":
        if shape.size < SMALLEST_TEXT:
            yield f"{shape.text!r} is written in {shape.size:g}; allowed: {SMALLEST_TEXT:g} or more"
        if shape.anchor not in ANCHORS:
            yield f"no such anchor: {shape.anchor!r}"
        return
    if shape.kind == "path" and not all(len(step) - 1 == STEPS.get(str(step[0]), -1) for step in shape.geometry):
        yield "a step of a path is malformed"
        return
    left, top, right, bottom = extent(shape)
    if left + x < -0.01 or top + y < -0.01 or right + x > drawing.width + 0.01 or bottom + y > drawing.height + 0.01:
        yield f"a {shape.kind} leaves the drawing"


def box(placed: Placed) -> tuple[float, float, float, float]:
    """Left, top, right and bottom of a text."""
    shape = placed.shape
    x, y = (float(number) for number in shape.geometry)
    width = text_width(shape.text, shape.size, shape.bold)
    left = x - {"start": 0.0, "middle": width / 2, "end": width}[shape.anchor]
    top = y - CAPITAL * shape.size
    return left + placed.x, top + placed.y, left + width + placed.x, y + BASE * shape.size + placed.y


def texts(drawing: Drawing) -> list[tuple[str, tuple[float, float, float, float]]]:
    """Every text with its box."""
    found = [(placed.shape.text, box(placed)) for placed in all_shapes(drawing) if placed.shape.kind == "text"]
    return [(text, where) for text, where in found if text.strip()]


def meeting(drawing: Drawing) -> list[tuple[str, str]]:
    """Pairs of texts that lie over each other."""
    ordered = sorted(texts(drawing), key=lambda item: item[1][0])
    found = []
    for number, (text, (_, top, right, bottom)) in enumerate(ordered):
        for other, (left, upper, _, lower) in ordered[number + 1 :]:
            if left >= right:
                break
            if upper < bottom and lower > top:
                found.append((text, other))
    return found


# ------------------------------------------------------------------------------------------------------------- colours

# Machado, Oliveira, Fernandes 2009: linear RGB as people without one kind of cone see it.
EYES = {
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
WHITE = np.array([0.9505, 1.0, 1.089])


def linear(colour: str) -> np.ndarray[Any, Any]:
    """A colour such as #D55E00 as linear RGB."""
    values = np.array([int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)])
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


def contrast(one: str, other: str) -> float:
    """Contrast of two colours (WCAG 2)."""
    light, dark = sorted((float(TO_XYZ[1] @ linear(colour)) for colour in (one, other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def lab(colour: str, eye: str | None = None) -> np.ndarray[Any, Any]:
    """A colour in CIELAB, as an eye sees it."""
    rgb = linear(colour) if eye is None else np.clip(np.array(EYES[eye]) @ linear(colour), 0, 1)
    x, y, z = np.where((t := TO_XYZ @ rgb / WHITE) > 0.008856, np.cbrt(t), 7.787 * t + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def nearest(colours: list[str], eye: str | None) -> float:
    """The least distance between two of the colours, in CIELAB."""
    seen = [lab(colour, eye) for colour in colours]
    return min(float(np.linalg.norm(a - b)) for n, a in enumerate(seen) for b in seen[n + 1 :])


if __name__ == "__main__":
    print(json.dumps(golden_hashes(), indent=1))
