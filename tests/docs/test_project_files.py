"""What stands beside the code says the same as the code."""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import asdict
from importlib import import_module

import gymnasium
import pytest
from helpers.support import ROOT, run_python

import atlantis_envs
from atlantis_envs.registry import GAMES, definition, environment_name, gymnasium_id, rules_file

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def test_there_is_one_version() -> None:
    cited = re.search(r"^version: (.*)\ndate-released: (.*)$", (ROOT / "CITATION.cff").read_text("utf-8"), re.MULTILINE)
    assert cited and cited[1] == PROJECT["project"]["version"] == atlantis_envs.__version__
    assert f"\n## [{cited[1]}] - {cited[2]}\n" in (ROOT / "CHANGELOG.md").read_text("utf-8")


def test_rules_come_with_the_wheel() -> None:
    assert PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]["docs/rules"] == "atlantis_envs/rules"
    for name in GAMES:
        path = rules_file(name)
        assert path is not None and path.read_text("utf-8").startswith("#")


METADATA = """
import json
from hatch_build import Addresses
found = {"version": "1.2.3"}
Addresses(".", {}).update(found)
print(json.dumps(found))
"""


@pytest.mark.parametrize("address", ["", "https://example.org/project/"])
def test_addresses_are_those_that_are_given(address: str) -> None:
    told = run_python("-c", METADATA, ATLANTIS_ENVS_URL=address, PYTHONPATH=str(ROOT)).stdout
    found, readme = json.loads(told), (ROOT / "README.md").read_text("utf-8")
    assert found["urls"].get("Issues", "") == (f"{address}issues" if address else "")
    text = found["readme"]["text"]
    links = re.findall(r"\]\(([^)]*)\)", text)
    assert len(links) > 20 and found["readme"]["content-type"] == "text/markdown"
    if address:  # a page elsewhere has no files beside it
        assert all(link.startswith("https://") for link in links)
        assert f"({address}raw/v1.2.3/docs/images/games.webp)" in text
        assert f"({address}blob/v1.2.3/docs/guide/researchers.md#what-is-reconstructed)" in text
        text = re.sub(rf"\({address}(raw|blob)/v1.2.3/", "(", text)
    assert text == readme


@pytest.mark.parametrize("name", GAMES)
def test_the_page_of_stability_has_the_versions_of_every_game(name: str) -> None:
    declared = definition(name)
    numbers = " | ".join(map(str, asdict(declared.versions).values()))
    page = (ROOT / "docs/stability.md").read_text("utf-8")
    assert f"| {declared.title} | {numbers} | `{environment_name(name)}` |" in page
    for what, number in asdict(declared.versions).items():
        assert number == 1 or re.search(rf"\|[^|]*\b{what} {number}\b", page.partition("## History")[2]), (what, number)


def test_a_deprecated_name_works_and_says_what_to_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(atlantis_envs.DEPRECATED, "make_game", ("game", "1.1", "2.0"))
    with pytest.warns(
        DeprecationWarning, match=r"^atlantis_envs.make_game is deprecated since 1.1 and goes in 2.0"
    ) as told:
        assert atlantis_envs.make_game is atlantis_envs.game
    assert told[0].filename == __file__ and "make_game" not in dir(atlantis_envs)


@pytest.mark.parametrize("name", GAMES)
def test_the_former_name_of_an_environment_gives_todays(name: str) -> None:
    former = import_module(f"atlantis_envs.{name}_v0")
    with pytest.warns(DeprecationWarning, match=rf"^atlantis_envs.{name}_v0.env is deprecated since 1.0") as told:
        env = former.env(players=3)
    assert len(told) == 1 and told[0].filename == __file__ and str(env) == environment_name(name)
    env.reset(seed=1)
    env.step(int(env.last()[4]["action_mask"].argmax()))
    assert getattr(atlantis_envs, f"{name}_v0") is former and not hasattr(former, "nothing")
    with pytest.warns(DeprecationWarning, match="out of date"):
        assert gymnasium.make(gymnasium_id(name, 0), players=3).unwrapped.game == env.game


def test_what_was_to_go_is_gone() -> None:
    now = [int(part) for part in atlantis_envs.__version__.split(".")[:2]]
    assert all([int(part) for part in until.split(".")[:2]] > now for _, _, until in atlantis_envs.DEPRECATED.values())
    assert now < [2, 0] or not atlantis_envs.FORMER
