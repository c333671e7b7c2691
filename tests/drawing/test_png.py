"""Pictures as PNG and as arrays: right size, same bytes, letters from the package's own fonts."""

from __future__ import annotations

import io
import json
import struct
import sys
from pathlib import Path

import gymnasium
import numpy as np
import pytest
from helpers.pictures import walk

import atlantis_envs
from atlantis_envs.adapters.gymnasium_env import SeatEnv, SeatVectorEnv
from atlantis_envs.adapters.pettingzoo_env import make_env
from atlantis_envs.drawing.letters import font_file
from atlantis_envs.drawing.svg import to_array, to_png
from atlantis_envs.errors import MissingPackageError

NAMES = ("atlandice", "atlantis", "atlantis_rising")


@pytest.mark.parametrize("channels", [3, 4])
def test_an_array_holds_the_pixels_without_their_opacity(channels: int) -> None:
    image = pytest.importorskip("PIL.Image")
    pixels = np.random.default_rng(1).integers(0, 256, (15, 9, channels), np.uint8)
    file = io.BytesIO()
    image.fromarray(pixels).save(file, "PNG")
    found = to_array(file.getvalue())
    assert found.dtype == np.uint8 and found.flags.writeable and np.array_equal(found, pixels[:, :, :3])


def test_the_widths_of_letters_are_those_of_the_fonts() -> None:
    pytest.importorskip("fontTools")
    from font_widths import font_widths

    stored = json.loads((font_file(False).parent / "widths.json").read_text("utf-8"))
    assert stored == font_widths() and all(len(font["widths"]) > 200 for font in stored.values())


def test_without_the_package_a_sentence_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    position = atlantis_envs.game("atlandice").initial_position()
    for call in (position.png, lambda: to_png("<svg/>", 100)):
        with pytest.raises(MissingPackageError, match=r"resvg-py.*atlantis-envs\[look\]"):
            call()
    monkeypatch.setitem(sys.modules, "PIL", None)
    monkeypatch.setitem(sys.modules, "PIL.Image", None)
    with pytest.raises(MissingPackageError, match=r"Pillow.*atlantis-envs\[look\]"):
        to_array(b"")
    env = make_env("atlandice", 0, render_mode="rgb_array")
    env.reset(seed=1)
    with pytest.raises(ImportError, match=r"atlantis-envs\[look\]"):
        env.render()


def test_no_mode_and_unknown_modes_are_told() -> None:
    env = make_env("atlandice", 0)
    env.reset(seed=1)
    with pytest.warns(UserWarning, match="render_mode='rgb_array'"):
        assert env.render() is None
    with pytest.raises(ValueError, match="'rgb_array'"):
        make_env("atlandice", 0, render_mode="window")


class TestWithTheRenderer:
    """What needs the extra ``look``."""

    @pytest.fixture(autouse=True)
    def renderer(self) -> None:
        pytest.importorskip("resvg_py")

    @pytest.mark.parametrize("name", NAMES)
    def test_size_bytes_and_letters(self, name: str) -> None:
        position = list(walk(name, 3, 1, 150))[-1]
        markup = position.svg()
        image = position.png()
        width, height = struct.unpack_from(">II", image, 16)
        assert f'viewBox="0 0 {width} {height}"' in markup
        assert position.png() == image
        assert struct.unpack_from(">I", position.png(width=400), 16)[0] == 400
        start, stop = markup.index("<text"), markup.index("</text>") + len("</text>")
        assert to_png(markup[:start] + markup[stop:], 800) != image  # a line of text is seen
        assert position.png(theme="dark") != image

    def test_letters_come_from_our_fonts_alone(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """What the renderer is told; and a family that only a system could have is drawn in ours."""
        resvg_py = pytest.importorskip("resvg_py")
        output = []
        draw = resvg_py.svg_to_bytes
        monkeypatch.setattr(resvg_py, "svg_to_bytes", lambda **given: output.append(given) or draw(**given))
        markup = atlantis_envs.game("atlandice").initial_position().svg()
        assert to_png(markup.replace("DejaVu Sans", "Liberation Serif"), 800) == to_png(markup, 800)
        assert len(output) == 2
        for given in output:
            assert given["skip_system_fonts"] is True
            assert sorted(Path(file).name for file in given["font_files"]) == ["DejaVuSans-Bold.ttf", "DejaVuSans.ttf"]

    def test_widths_are_checked(self) -> None:
        position = atlantis_envs.game("atlandice").initial_position()
        for width in (99, 8_001, "800", 1.5):
            with pytest.raises(ValueError, match="width: "):
                position.png(width=width)

    @pytest.mark.parametrize("name", NAMES)
    def test_frames_are_arrays_in_every_environment(self, name: str) -> None:
        env = make_env(name, 0, players=2, render_mode="rgb_array")
        env.reset(seed=1)
        frame = env.render()
        assert frame.dtype == np.uint8 and frame.shape[1] in (800, 990) and frame.flags.c_contiguous
        env.step(int(env.last()[0]["action_mask"].argmax()))
        assert env.render().shape == frame.shape and not np.array_equal(env.render(), frame)
        single = SeatEnv(name, players=2, render_mode="rgb_array")
        single.reset(seed=1)
        assert single.render().shape == frame.shape
        lanes = SeatVectorEnv(2, game=name, players=2, render_mode="rgb_array")
        lanes.reset(seed=1)
        assert [each.shape for each in lanes.render()] == [frame.shape] * 2
        assert env.metadata["render_fps"] == SeatEnv.metadata["render_fps"] == lanes.metadata["render_fps"] == 2

    def test_gymnasium_collects_frames(self) -> None:
        env = gymnasium.wrappers.RenderCollection(SeatEnv("atlandice", players=2, render_mode="rgb_array"))
        env.reset(seed=1)
        for _ in range(2):
            env.step(int(env.unwrapped.action_masks().argmax()))
        frames = env.render()
        assert len(frames) == 3 and all(frame.shape == (530, 800, 3) for frame in frames)

    def test_colours_are_those_of_the_theme(self) -> None:
        position = atlantis_envs.game("atlandice").initial_position()
        corner = to_array(position.png())[-1, 300]
        assert tuple(int(part) for part in corner) == (0xCD, 0xE5, 0xF1)
