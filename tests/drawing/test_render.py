"""What environments render: whose knowledge, frames for films, and which modes there are."""

from __future__ import annotations

import struct
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import gymnasium
import numpy as np
import pettingzoo.utils.wrappers as pettingzoo_wrappers
import pytest
from gymnasium.utils.env_checker import check_env
from helpers.pictures import TABLES
from pettingzoo.test import api_test

import atlantis_envs
from atlantis_envs.adapters.gymnasium_env import SeatEnv, SeatVectorEnv
from atlantis_envs.adapters.pettingzoo_env import make_env
from atlantis_envs.drawing.render import rendered
from atlantis_envs.errors import OptionError

MAKERS: dict[str, Callable[..., Any]] = {
    "aec": lambda name, **settings: make_env(name, 0, **settings),
    "gymnasium": lambda name, **settings: SeatEnv(name, **settings),
    "vector": lambda name, **settings: SeatVectorEnv(2, game=name, **settings),
}


def shown_by(env: Any) -> Any:
    """One frame after the start of game 0 of seed 4."""
    env.reset(seed=4)
    frame = env.render()
    return frame[0] if isinstance(frame, tuple) else frame


@pytest.mark.parametrize("kind", MAKERS)
def test_a_seat_may_be_named_whose_knowledge_is_rendered(kind: str) -> None:
    make = MAKERS[kind]
    for mode in ("ansi", "rgb_array"):
        if mode == "rgb_array":
            pytest.importorskip("resvg_py")
        env = make("atlantis", players=2, render_mode=mode, render_seat=1)
        frame = shown_by(env)
        position = env.position(0) if kind == "vector" else env.position()
        own, other, whole = (rendered(position, mode, seat) for seat in (1, 0, None))
        assert np.array_equal(frame, own)
        assert not np.array_equal(frame, other) and not np.array_equal(frame, whole)
        assert np.array_equal(shown_by(make("atlantis", players=2, render_mode=mode)), whole)
    assert env.render_seat == 1 and make("atlantis").render_seat is None


@pytest.mark.parametrize("kind", MAKERS)
@pytest.mark.parametrize("seat", [-1, 2, True, "1", 0.0])
def test_a_seat_that_there_is_not_is_refused(kind: str, seat: Any) -> None:
    with pytest.raises(OptionError, match=r"render_seat: .*; allowed: None, or a seat 0\.\.1"):
        MAKERS[kind]("atlandice", players=2, render_mode="ansi", render_seat=seat)


def test_human_is_text_and_for_many_games_the_page_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    for kind in ("aec", "gymnasium"):
        env = MAKERS[kind]("atlantis", players=2, render_mode="human", render_seat=1)
        assert shown_by(env) is None
        assert capsys.readouterr().out == 2 * (rendered(env.position(), "ansi", 1) + "\n")
    with pytest.raises(OptionError, match=r"render_mode: 'human'; .*atlantis play atlantis_rising --browser"):
        MAKERS["vector"]("atlantis_rising", render_mode="human")
    with pytest.raises(OptionError) as output:
        MAKERS["vector"]("atlantis_rising", render_mode="window")
    assert "--browser" not in str(output.value) and "'rgb_array'" in str(output.value)


def test_the_checks_of_the_interfaces_accept_pixels(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("resvg_py")
    api_test(make_env("atlandice", 0, players=2, render_mode="rgb_array"), num_cycles=3)
    assert "Passed" in capsys.readouterr().out
    env = gymnasium.make("atlantis_envs/Atlandice-v1", players=2, render_mode="rgb_array", illegal="terminate")
    check_env(env.unwrapped, skip_render_check=False)


@pytest.mark.parametrize(("name", "players"), TABLES)
def test_frames_have_sides_that_films_can_hold(name: str, players: int) -> None:
    start = atlantis_envs.game(name, players=players).initial_position()
    drawing = start.game.definition.look().picture(start)
    assert drawing.width % 2 == 0 == drawing.height % 2


# --------------------------------------------------------------------------------------------------------------- films


class Films:
    """Stands for moviepy: keeps what it is given, and writes its size into the file."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.clips: list[tuple[list[np.ndarray], int]] = []
        films = self

        class ImageSequenceClip:
            def __init__(self, frames: list[np.ndarray], fps: int) -> None:
                films.clips.append((frames, fps))

            def write_videofile(self, path: str, logger: Any) -> None:
                Path(path).write_bytes(b"film")

        parts = ["moviepy", "moviepy.video", "moviepy.video.io", "moviepy.video.io.ImageSequenceClip"]
        for name in parts:
            monkeypatch.setitem(sys.modules, name, ModuleType(name))
        sys.modules[parts[-1]].ImageSequenceClip = ImageSequenceClip  # type: ignore[attr-defined]


def record_gymnasium(folder: Path, steps: int) -> None:
    made = SeatEnv("atlandice", players=2, render_mode="rgb_array")
    env = gymnasium.wrappers.RecordVideo(made, str(folder), episode_trigger=lambda number: True)
    env.reset(seed=1)
    for _ in range(steps):
        env.step(int(made.action_masks().argmax()))
    env.close()


def record_pettingzoo(folder: Path, steps: int) -> None:
    wrap = getattr(pettingzoo_wrappers, "RecordVideo", None)
    if wrap is None:
        pytest.skip("this PettingZoo has no RecordVideo")
    env = wrap(make_env("atlandice", 0, players=2, render_mode="rgb_array"), str(folder))
    env.reset(seed=1)
    for _ in range(steps):
        env.step(int(env.last()[0]["action_mask"].argmax()))
    env.close()


RECORDERS = {"gymnasium": record_gymnasium, "pettingzoo": record_pettingzoo}


@pytest.mark.parametrize("kind", RECORDERS)
def test_record_video_gets_every_frame(kind: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pytest.importorskip("resvg_py")
    films = Films(monkeypatch)
    RECORDERS[kind](tmp_path / "films", 3)
    ((frames, fps),) = films.clips
    assert fps == 2 and len(frames) == 4 and {frame.shape for frame in frames} == {(530, 800, 3)}
    assert all(frame.dtype == np.uint8 for frame in frames) and not np.array_equal(frames[0], frames[-1])
    assert [path.read_bytes() for path in (tmp_path / "films").glob("*.mp4")] == [b"film"]


@pytest.mark.parametrize("kind", RECORDERS)
def test_record_video_writes_a_film(kind: str, tmp_path: Path) -> None:
    """With moviepy itself, where it is installed; it is no part of any extra."""
    pytest.importorskip("resvg_py")
    pytest.importorskip("moviepy")
    RECORDERS[kind](tmp_path / "films", 3)
    (film,) = (tmp_path / "films").glob("*.mp4")
    data = film.read_bytes()
    assert data[4:8] == b"ftyp"
    place = data.index(b"avc1", data.index(b"stsd"))  # the sample entry holds width and height (ISO 14496-12, 12.1.3)
    assert struct.unpack_from(">HH", data, place + 28) == (800, 530)
