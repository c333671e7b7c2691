"""Where figures come from: agents with the checksums of all policies they use; and no page of what is no number."""

from __future__ import annotations

import json
import math
import re
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import atlantis_envs
from atlantis_agents.networks.policy import save_policy
from atlantis_agents.shipped import network_directory
from atlantis_training.evaluation.report import Figure, Report, Table, agent_json, markdown, sums_of_own

GAME = atlantis_envs.game("atlandice", players=2)


def stored(path: Path, seed: int) -> str:
    """The checksum of a policy with random weights."""
    generator = np.random.default_rng(seed)
    sizes = (GAME.observation_size, 4, GAME.num_actions)
    layers = [
        (generator.normal(size=(to, by)).astype(np.float32), np.zeros(to, np.float32)) for by, to in pairwise(sizes)
    ]
    save_policy(path, GAME, layers)
    return str(json.loads((path / "manifest.json").read_text())["sha256"])


def test_every_policy_that_a_text_names_has_its_checksum(tmp_path: Path) -> None:
    one, other = stored(tmp_path / "one", 1), stored(tmp_path / "two" / "policy", 2)
    own, run = str(tmp_path / "one"), str(tmp_path / "two")
    network = json.loads((network_directory(GAME) / "manifest.json").read_text())["sha256"]
    assert agent_json(own, GAME) == {"agent": own, "sha256": one}
    assert agent_json("network", GAME) == {"agent": "network", "sha256": network}
    assert agent_json("search:2", GAME) == {"agent": "search:2"}
    text = f"search:2,guide={own},own={run}"
    assert agent_json(text, GAME)["policies"] == {own: one, run: other}
    text = f"search:2,guide={own},rollout={run}"
    assert agent_json(text, GAME) == {"agent": text, "policies": {own: one, run: other}}
    champion = agent_json("champion", GAME)
    (guide,) = re.findall("guide=([^,]+)", champion["plays"])
    critic = json.loads((network_directory(GAME, guide) / "manifest.json").read_text())["sha256"]
    assert champion["policies"] == {guide: critic} and guide.startswith("critic")
    assert sums_of_own(["champion", "network", "heuristic", text], GAME) == {own: one, run: other}
    assert stored(tmp_path / "one", 3) != one and agent_json(text, GAME)["policies"][own] != one


def test_a_page_with_what_is_no_number_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        Report("page", ["text"], lambda: {"error": math.nan}).write(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_report_is_a_page_with_its_parts_a_document_and_a_picture(tmp_path: Path) -> None:
    drawn: list[Path] = []
    report = Report(
        "page", ["# title", "", Figure("a map", drawn.extend), Table(("a", 2), [("x", 0.5)])], lambda: {"n": 1}
    )
    assert report.markdown() == "# title\n\n| a | 2 |\n|---|---|\n| x | 0.5 |\n"
    paths = report.write(tmp_path / "new")
    assert [path.name for path in paths] == ["page.md", "page.json", "page.png", "page.svg", "page.pdf"]
    assert drawn == paths[2:]
    assert paths[0].read_text().splitlines()[2] == "![a map](page.png)" and json.loads(paths[1].read_text()) == {"n": 1}
    assert [path.name for path in Report("page", ["text"]).write(tmp_path / "bare")] == ["page.md"]


def test_a_name_from_outside_cannot_become_markdown() -> None:
    name = "a|b`c`\n# <b>*x*</b> [l](u)"
    shown = markdown(name)
    assert "\n" not in shown and len(str(Table(("agent", "share"), [(shown, 1)])).splitlines()) == 3
    assert (
        not re.search(r"(?<!\\)[|`*<>\[\]]", shown)
        and markdown("search:4,guide=runs/my_run") == "search:4,guide=runs/my_run"
    )
