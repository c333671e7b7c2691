"""The agents that come with the library: their names, their cards, their files."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from helpers.support import ROOT, run_python

import atlantis_envs
from atlantis_agents import shipped
from atlantis_agents.catalogue import agent_names, find_agent, names_for
from atlantis_agents.networks.policy import PolicyAgent, load_policy, policy_directory, save_policy
from atlantis_agents.search.agent import SearchAgent
from atlantis_agents.shipped import (
    CARD,
    CRITIC,
    FOLDERS,
    HERE,
    NAMED,
    NAMES,
    POLICY,
    card_name,
    named_text,
    named_texts,
    shipped_directories,
)
from atlantis_envs.adapters.gymnasium_env import SeatEnv
from atlantis_envs.errors import OptionError
from atlantis_envs.registry import definition
from atlantis_envs.seats.agents import make_agent
from atlantis_envs.seats.positions import ask, determinize

SEED = 3
MOST_BYTES = 2_000_000
SHIPPED = shipped_directories()
CARDS = sorted(path for agent in (*FOLDERS, *NAMED) for path in HERE.glob(f"*/{card_name(agent)}"))
HEAD = {"format", "agent", "game", "players", "library", "versions", "cells"}
MADE = {
    "commands",
    "seed",
    "minutes",
    "steps",
    "hidden",
    "inputs",
    "features",
    "activation",
    "advice",
    "weights",
    "stored",
    "bytes",
}
CELL = {
    "players", "options", "agent", "against", "fair", "value", "low", "high", "games", "seats", "milliseconds",
    "command",
}  # fmt: skip


def games_of(directory: str) -> list[atlantis_envs.Game]:
    """The game of a directory with every number of players that it is for."""
    name, _, players = directory.partition("-")
    about = definition(name)
    counts = [int(players)] if players else range(about.min_players, about.max_players + 1)
    return [atlantis_envs.game(name, players=count) for count in counts]


def test_there_is_something_for_somebody() -> None:
    assert SHIPPED and CARDS
    assert set(NAMES) <= set(agent_names())


@pytest.mark.parametrize("directory", SHIPPED)
def test_network_is_the_policy_of_the_game_and_number_of_players(directory: str) -> None:
    for game in games_of(directory):
        agent = find_agent("network", game, seed=3)
        assert isinstance(agent, PolicyAgent) and agent.path in (HERE / f"{game.name}-{game.players}" / POLICY,
                                                                 HERE / game.name / POLICY)  # fmt: skip
        assert agent.greedy and policy_directory("network", game) == agent.path
        assert make_agent("network", game).path == agent.path  # type: ignore[attr-defined]
        assert "network" in names_for(game.name)


@pytest.mark.parametrize("name", atlantis_envs.game_names())
def test_champion_is_found_and_plays_in_every_game_with_every_number_of_players(name: str) -> None:
    about = definition(name)
    assert set(named_texts()["champion"][name]) == {str(n) for n in range(about.min_players, about.max_players + 1)}
    assert "champion" in names_for(name)
    for agent_name, games in named_texts().items():
        for count, editions in games.get(name, {}).items():
            game = atlantis_envs.game(name, players=int(count))
            texts = {agent_name: editions[-1], **{f"{agent_name}@{i + 1}": text for i, text in enumerate(editions)}}
            for text, stands_for in texts.items():
                agent, meant = find_agent(text, game, seed=3), find_agent(stands_for, game, seed=3)
                assert isinstance(agent, SearchAgent) and isinstance(meant, SearchAgent)
                assert (agent.settings, agent.seed) == (meant.settings, 3)
    game = atlantis_envs.game(name)
    batch = game.batch(1, 5)
    action = ask(find_agent("champion", game), batch, np.arange(1), batch.noise(5))
    assert batch.action_masks[0, action[0]] == 1


def test_earlier_editions_are_found_by_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game = atlantis_envs.game("atlandice", players=3)
    zeros = np.zeros(game.num_actions, np.float32)
    for edition, name in enumerate((f"{POLICY}@1", f"{POLICY}@2", POLICY)):
        weight = np.full((game.num_actions, game.observation_size), edition, np.float32)
        save_policy(tmp_path / "atlandice-3" / name, game, [(weight, zeros)])
    editions = ["heuristic", "search:8,guide=network@1", "search:8,guide=network"]
    (tmp_path / "champions.json").write_text(json.dumps({"champion": {"atlandice": {"3": editions}}}))
    monkeypatch.setattr(shipped, "HERE", tmp_path)
    weights = [find_agent(f"network{at}", game).layers[0][0].max() for at in ("@1", "@2", "@3", "")]  # type: ignore[attr-defined]
    assert weights == [0, 1, 2, 2]
    assert [named_text(game, f"champion{at}") for at in ("@1", "@2", "@3", "")] == [*editions, editions[2]]
    assert make_agent("champion@2", game).settings.guide == "network@1"  # type: ignore[attr-defined]
    for text, allowed in (("network@4", "network@1 .. network@3"), ("champion@0", "champion@1 .. champion@3")):
        name = text.partition("@")[0]
        with pytest.raises(OptionError, match=f"^agent: '{text}'; allowed: {name}, or {allowed}$"):
            find_agent(text, game)
    with pytest.raises(OptionError, match=r"^agent: 'grandmaster' of atlandice with 3 players; .*none is named$"):
        find_agent("grandmaster@1", game)


def test_what_was_for_all_numbers_of_players_comes_before_a_policy_of_ones_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = atlantis_envs.game("atlandice", players=3)
    zeros = np.zeros(game.num_actions, np.float32)
    names = (f"atlandice/{POLICY}@1", f"atlandice/{POLICY}", f"atlandice-3/{POLICY}")
    for edition, name in enumerate(names):
        weight = np.full((game.num_actions, game.observation_size), edition, np.float32)
        save_policy(tmp_path / name, game, [(weight, zeros)])
    monkeypatch.setattr(shipped, "HERE", tmp_path)
    three, four = game, atlantis_envs.game("atlandice", players=4)
    found = [[find_agent(f"network{at}", one).layers[0][0].max() for at in ("@1", "@2", "")] for one in (three, four)]  # type: ignore[attr-defined]
    assert found == [[0, 1, 2], [0, 1, 1]]
    with pytest.raises(OptionError, match=r"allowed: network, or network@1 .. network@3$"):
        find_agent("network@4", three)
    (tmp_path / names[2]).rename(tmp_path / f"atlandice-3/{POLICY}@3")
    save_policy(tmp_path / names[2], game, [(weight + 1, zeros)])
    later = [find_agent(f"network@{edition}", three).layers[0][0].max() for edition in (1, 2, 3, 4)]  # type: ignore[attr-defined]
    assert later == [0, 1, 2, 3]


def test_a_grandmaster_is_the_champions_search_with_more_time() -> None:
    counts = [(game, int(count)) for game, texts in named_texts()["grandmaster"].items() for count in texts]
    assert {(game, count) for game in ("atlandice", "atlantis") for count in (2, 3, 4)} <= set(counts)
    for name, players in counts:
        game = atlantis_envs.game(name, players=players)
        champion, grandmaster = (make_agent(agent, game).settings for agent in ("champion", "grandmaster"))  # type: ignore[attr-defined]
        for same in ("leaf", "guide", "root", "horizon"):
            assert getattr(grandmaster, same) == getattr(champion, same)
        if name == "atlandice":
            assert grandmaster.tree == "puct" and grandmaster.simulations >= 5 * champion.simulations
        else:  # its network plays the rollouts, at ten times the time of heuristics
            assert grandmaster.rollout == grandmaster.leaf and grandmaster.simulations >= 2 * champion.simulations


def test_seat_views_take_both_names() -> None:
    for opponents in ("network", "champion"):
        environment = SeatEnv("atlandice", players=3, opponents=opponents)
        environment.reset(seed=1)
        for _ in range(3):
            environment.step(int(environment.action_masks().argmax()))
    assert isinstance(SeatEnv("atlandice", players=3, opponents="champion").opponents[0], SearchAgent)


def test_the_network_may_play_imagined_games_on() -> None:
    game = atlantis_envs.game("atlandice", players=3)
    by_name = find_agent("search:8,rollout=network", game)
    by_path = find_agent(f"search:8,rollout={policy_directory('network', game)}", game)
    batch = game.batch(4, 2)
    words = batch.noise(2)
    assert ask(by_name, batch, np.arange(4), words).tolist() == ask(by_path, batch, np.arange(4), words).tolist()


@pytest.mark.parametrize("text", ["network:3", "champion:", "network:"])
def test_they_take_no_argument(text: str) -> None:
    with pytest.raises(OptionError, match=r"^agent: '[a-z]+:3?'; allowed: '[a-z]+', which takes no argument$"):
        find_agent(text, atlantis_envs.game("atlandice", players=3))


def test_what_is_not_shipped_is_refused_and_what_is_shipped_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = atlantis_envs.game("atlandice", players=3)
    layer = (np.zeros((game.num_actions, game.observation_size), np.float32), np.zeros(game.num_actions, np.float32))
    (tmp_path / "champions.json").write_text('{"champion": {"atlandice": {"2": ["heuristic"]}}}')
    monkeypatch.setattr(shipped, "HERE", tmp_path)
    with pytest.raises(OptionError, match=r"the library, none is shipped$"):
        find_agent("network", game)
    save_policy(tmp_path / "atlandice-2" / POLICY, game, [layer])
    save_policy(tmp_path / "atlantis" / POLICY, game, [layer])
    there = "atlandice with 2 players, atlantis"
    with pytest.raises(
        OptionError, match=f"^agent: 'network' of atlandice with 3 players; allowed: .*library, {there}$"
    ):
        find_agent("network", game)
    with pytest.raises(
        OptionError, match=r"^agent: 'champion' of atlandice with 3 .*library, atlandice with 2 players$"
    ):
        find_agent("champion", game)
    assert names_for("atlandice")[0] == "champion" and "champion" not in names_for("atlantis")
    assert "network" in names_for("atlantis") and "network" not in names_for("atlantis_rising")
    two = atlantis_envs.game("atlandice", players=2)
    assert find_agent("network", two).path == tmp_path / "atlandice-2" / POLICY  # type: ignore[attr-defined]
    save_policy(tmp_path / "atlandice" / POLICY, game, [layer])  # for the numbers that have none of their own
    assert find_agent("network", game).path == tmp_path / "atlandice" / POLICY  # type: ignore[attr-defined]
    assert find_agent("network", two).path == tmp_path / "atlandice-2" / POLICY  # type: ignore[attr-defined]


# -------------------------------------------------------------------------------------------------------------- files


@pytest.mark.parametrize(
    ("directory", "name"), [(at, name) for name in FOLDERS for at in shipped_directories(HERE, name)]
)
def test_files_are_small_and_of_the_policy_that_the_card_describes(directory: str, name: str) -> None:
    place = HERE / directory
    files = sorted((place / FOLDERS[name]).iterdir())
    assert [path.name for path in files] == ["manifest.json", "weights.safetensors"]
    card = json.loads((place / card_name(name)).read_text())
    size = sum(path.stat().st_size for path in files)
    assert size == card["bytes"] <= MOST_BYTES
    agent = load_policy(place / FOLDERS[name])
    assert name != CRITIC or agent.value
    assert agent.manifest["sha256"] == card["sha256"]
    assert card["weights"] == sum(weight.size + bias.size for weight, bias in agent.layers)
    assert card["game"] == agent.game.name == directory.partition("-")[0]


@pytest.mark.parametrize("path", CARDS, ids=[str(path.relative_to(HERE)) for path in CARDS])
def test_cards_say_all_and_nothing_of_the_machine_that_made_them(path: Path) -> None:
    text = path.read_text()
    card = json.loads(text)
    agent = "network" if path.name == CARD else path.stem
    network = agent in FOLDERS
    assert set(card) - {"trained_rules", "calibration"} == HEAD | ({*MADE, "sha256"} if network else {"plays"})
    assert not re.search(r"/home|/tmp|/work|/root|\d{4}-\d\d-\d\d", text)
    assert card["agent"] == agent and card["cells"]
    if network:
        assert card["commands"] and all(command.startswith(("atlantis ", "python -m ")) for command in card["commands"])
        assert card["minutes"] > 0
    else:
        assert card["plays"] == named_texts()[agent][card["game"]][str(card["players"])][-1]
    for cell in card["cells"]:
        assert set(cell) - {"made_by"} == CELL
        assert 0 <= cell["low"] <= cell["value"] <= cell["high"] <= 1 and cell["games"] > 0
        if cell["against"]:
            assert len(cell["seats"]) == cell["players"]
            assert cell["value"] == pytest.approx(np.mean([seat["value"] for seat in cell["seats"]]), abs=2e-4)
        assert cell["command"].startswith(f"atlantis evaluate {card['game']} ")
        assert f" {cell['agent']} " in cell["command"]
        assert f"--players {cell['players']} " in cell["command"]


def test_both_are_found_and_the_network_plays_without_torch() -> None:
    name, _, players = next(iter(SHIPPED)).partition("-")
    script = (
        "import sys, numpy, atlantis_envs; from atlantis_envs.seats.agents import make_agent\n"
        "from atlantis_envs.seats.positions import ask\n"
        f"game = atlantis_envs.game({name!r}, players={players or None})\n"
        "batch = game.batch(2, 1); agent = make_agent('network', game); make_agent('champion', game)\n"
        "batch.step(ask(agent, batch, numpy.arange(2), batch.noise(1)))\n"
        "print(sorted({'torch', 'stable_baselines3', 'atlantis_training'} & set(sys.modules)))\n"
    )
    done = run_python("-c", script)
    assert (done.stdout, done.stderr) == ("[]\n", "")


def test_the_wheel_takes_all_that_is_no_code_along() -> None:
    """Packages are copied whole, unless git ignores a file."""
    ignored = run_python("-c", "import subprocess; print(subprocess.run(['git', 'check-ignore', '--no-index', '-v', "
                         f"*{[str(path) for path in HERE.rglob('*') if path.suffix != '.pyc']!r}], "
                         "capture_output=True, text=True).stdout)")  # fmt: skip
    assert [line for line in ignored.stdout.splitlines() if "__pycache__" not in line and line] == []
    assert 'packages = ["atlantis_envs", "agents/atlantis_agents"' in (ROOT / "pyproject.toml").read_text()


def test_a_policy_of_afterstates_plays_by_the_rules_of_the_game_at_hand() -> None:
    """It may have been made for another number of players, which changes what an action leads to."""
    place, game = HERE / "atlantis-2" / POLICY, atlantis_envs.game("atlantis", players=2)
    agents = [
        load_policy(place),
        PolicyAgent(game, place),
        PolicyAgent(atlantis_envs.game("atlantis", players=4), place),
    ]
    assert agents[0].game == game
    batch, lanes, choices = game.batch(16, SEED), np.arange(16), 0
    for _ in range(30):
        chosen = [ask(agent, batch, lanes, batch.noise(SEED)) for agent in agents]
        assert np.array_equal(chosen[0], chosen[1]) and np.array_equal(chosen[0], chosen[2])
        choices += int((batch.action_masks.sum(axis=1) > 1).sum())
        batch.step(chosen[0])
    assert choices > 100
    shown = batch.states, batch.seats, batch.observations, batch.action_masks, batch.noise(SEED)
    other = replace(determinize(game, *shown), game=atlantis_envs.game("atlandice"))
    with pytest.raises(OptionError, match="positions: of 'atlandice'; allowed: of 'atlantis'"):
        agents[0].act_positions(other)
