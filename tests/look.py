"""Pictures of fixed positions, to be looked at: ``python tests/look.py [FOLDER]`` (default: ``look``).

For every game and number of players a position early, in the middle and late in a game of heuristics, light, dark, and
as somebody sees it who lacks the cones for green. The hashes of pictures in `tests/drawing/goldens.json` are renewed
with the sheet, and in no other way. ``--docs`` renews the pictures in ``docs/`` instead, and those of the start page.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path

import matplotlib.image
import numpy as np
from helpers.pictures import EYES, GOLDENS, TABLES, golden_hashes, heuristic_game
from helpers.support import ROOT
from PIL import Image

import atlantis_envs
from atlantis_envs.drawing.svg import to_array
from atlantis_envs.engine.position import Position
from atlantis_envs.play.game_session import GameSession
from atlantis_envs.seats.agents import make_agent

CARDS = ROOT / "atlantis_envs" / "play" / "page" / "cards.json"
EVENTS = {"atlandice": 140, "atlantis": 120, "atlantis_rising": 560}
STAGES = {"early": 0.05, "middle": 0.5, "late": 0.92}  # parts of a game
SHOWN = {"atlandice": 3, "atlantis": 4, "atlantis_rising": 4}  # players in docs/
FRAMES, BOARD = 14, 420  # of the animation: pictures, and pixels across a board


def position_of(name: str, players: int) -> Position:
    """The first decision after a number of events."""
    game = atlantis_envs.game(name, players=players)
    session = GameSession(game, [make_agent("heuristic", game)] * players, 7)
    while session.position.node != "over" and (len(session.events) < EVENTS[name] or session.position.seat is None):
        session.advance()
    return session.position


def stages_of(name: str, players: int) -> dict[str, Position]:
    """Decisions early, in the middle and late in a game."""
    decisions = [position for position in heuristic_game(name, players, 7) if position.seat is not None]
    return {stage: decisions[int(part * len(decisions))] for stage, part in STAGES.items()}


def without_green(pixels: np.ndarray) -> np.ndarray:
    """An array of pixels as a deuteranope sees it."""
    values = pixels / 255
    linear = np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)
    seen = np.clip(linear @ np.array(EYES["deuteranopia"]).T, 0, 1)
    return np.asarray(np.where(seen <= 0.0031308, seen * 12.92, 1.055 * seen ** (1 / 2.4) - 0.055))


def draw_sheet(folder: Path) -> None:
    """All pictures."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, players in TABLES:
        for stage, position in stages_of(name, players).items():
            for theme in ("light", "dark"):
                image = position.png(theme=theme, legal=True)
                file = f"{name}-{players}-{stage}-{theme}"
                (folder / f"{file}.png").write_bytes(image)
                matplotlib.image.imsave(folder / f"{file}-no-green.png", without_green(to_array(image)))
        print(f"{name}, {players} players")
    GOLDENS.write_text(json.dumps(golden_hashes(), indent=1) + "\n", "utf-8")
    print(f"{GOLDENS.name}: the pictures above are the ones meant; look at them")


def draw_docs() -> None:
    """The pictures of the documentation, views for the cards of the start page, and the animation of its first page."""
    views = {}
    for name, players in SHOWN.items():
        position = position_of(name, players)
        (ROOT / "docs" / "images" / f"look-{name}.png").write_bytes(position.png(legal=True))
        views[name] = position.game.definition.look().view(position, None)
    CARDS.write_text(json.dumps(views, separators=(",", ":")) + "\n", "utf-8")
    rows = [frames_of(name, players) for name, players in SHOWN.items()]
    strip = [side_by_side(boards) for boards in zip(*rows, strict=True)]
    file = ROOT / "docs" / "images" / "games.webp"
    strip[0].save(file, save_all=True, append_images=strip[1:], duration=900, loop=0, quality=70, method=6)


def frames_of(name: str, players: int) -> list[Image.Image]:
    """Boards from the beginning of a game to its end, at even steps."""
    decisions = [position for position in heuristic_game(name, players, 7) if position.seat is not None]
    shown = [decisions[int(step * (len(decisions) - 1) / (FRAMES - 1))] for step in range(FRAMES)]
    return [Image.open(BytesIO(position.png(width=BOARD))).convert("RGB") for position in shown]


def side_by_side(boards: Sequence[Image.Image]) -> Image.Image:
    """One picture of boards beside each other, centred, on the colour of the first one."""
    whole = Image.new("RGB", (BOARD * len(boards), max(board.height for board in boards)), boards[0].getpixel((0, 0)))
    for column, board in enumerate(boards):
        whole.paste(board, (BOARD * column, (whole.height - board.height) // 2))
    return whole


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=Path("look"))
    parser.add_argument("--docs", action="store_true")
    given = parser.parse_args()
    draw_docs() if given.docs else draw_sheet(given.folder)
