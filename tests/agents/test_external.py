"""External bots: whole games over the protocol, what a bot is shown, and every way in which it can fail."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import deque
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.support import ROOT
from typer.testing import CliRunner

import atlantis_envs
from atlantis_agents.external import KINDS, BotAgent, Peer, find_bot
from atlantis_envs.errors import IllegalActionError, OptionError
from atlantis_envs.play.game_session import GameSession
from atlantis_envs.play.page_session import PageSession
from atlantis_envs.seats.agents import make_agent
from atlantis_envs.seats.positions import ask_at
from atlantis_envs.seats.step import FORFEIT
from atlantis_training.cli.app import app
from atlantis_training.evaluation.evaluate import evaluate, evaluation_json
from atlantis_training.evaluation.measure import play_games, results_of
from atlantis_training.evaluation.report import markdown
from atlantis_training.evaluation.store import Store
from atlantis_training.selfplay.settings import SelfPlaySettings

EXAMPLE = ROOT / "training/atlantis_training/examples/bot.py"
# Answers well until question N, then does what it is told to do.
FAILING = """
import json, os, sys, time
way, good, asked = sys.argv[1], int(sys.argv[2]), 0
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "hello", "name": way}), flush=True)
        continue
    asked += 1
    answer = {"id": message["id"], "action": message["legal"][0]}
    if asked > good:
        if way == "sleep":
            time.sleep(60)
        if way == "die":
            os._exit(3)
        answer = {"illegal": answer | {"action": "swim"}, "id": answer | {"id": 0}}.get(way, answer)
    text = json.dumps(answer)
    print({"garbage": "???", "flood": "x" * 100_000}.get(way, text) if asked > good else text, flush=True)
"""
WAYS = {
    "sleep": "no answer within 0.3 s",
    "die": "it closed its output (did it crash?)",
    "garbage": "'???' is no JSON object",
    "illegal": "action 'swim' is not legal",
    "id": "id 0; allowed: 6, that of the question",
    "flood": "a line of more than 65,536 bytes, or without an end",
}


@pytest.fixture
def failing(tmp_path: Path) -> Path:
    path = tmp_path / "failing.py"
    path.write_text(FAILING)
    return path


class Scripted(Peer):
    """A bot in this process that takes the first legal action and keeps what it is asked."""

    def __init__(self, kind: str = "view") -> None:
        self.kind, self.asked, self.waiting = kind, [], deque[dict[str, Any]]()

    def send(self, message):
        self.asked.append(json.loads(json.dumps(message)))
        hello = {"type": "hello", "name": "scripted", "position": self.kind}
        first = {"id": message.get("id"), "action": message.get("legal_ids", [0])[0]}
        self.waiting.append(hello if message["type"] == "hello" else first)

    def receive(self, seconds):
        return self.waiting.popleft()


@pytest.mark.parametrize("name", atlantis_envs.game_names())
def test_a_bot_plays_a_whole_game(name: str) -> None:
    game = atlantis_envs.game(name, players=2)
    session = GameSession(game, [find_bot(game, f"{sys.executable} {EXAMPLE}")] * 2, seed=1)
    while session.step():
        pass
    assert session.position.node == "over" and session.forfeit is None and not session.position.truncated


@pytest.mark.parametrize("kind", KINDS)
def test_a_bot_is_shown_nothing_that_its_seat_cannot_know(kind: str) -> None:
    game = atlantis_envs.game("atlantis", players=3)
    batch = game.batch(1, seed=3)
    for _ in range(40):
        batch.step([batch.position(0).legal_action_ids()[-1]])
    position = batch.position(0)
    peer = Scripted(kind)
    bot = BotAgent(game, lambda: peer, "scripted")
    for twin in (position, position.resample(position.seat, 7)):
        assert game.actions[ask_at(bot, twin, noise=5)] in position.legal_actions()
    hello, first, second = peer.asked
    assert hello["game"] == "atlantis" and hello["versions"]["rules"] == game.definition.versions.rules
    assert first | {"id": 0} == second | {"id": 0} and first["legal"] == position.legal_actions()
    if kind == "document":
        assert (
            game.from_json(first["position"]).observation(first["seat"]).tolist()
            == position.observation(position.seat).tolist()
        )


@pytest.mark.parametrize("way", WAYS)
def test_each_failure_is_a_forfeit_and_one_line(way: str, failing: Path, capfd: pytest.CaptureFixture[str]) -> None:
    game = atlantis_envs.game("atlandice", players=2)
    bot = find_bot(game, f"0.3:{sys.executable} {failing} {way} 5")
    session = GameSession(game, [make_agent("random", game), bot], seed=3)
    while session.step():
        pass
    assert session.forfeit is not None and session.forfeit.winners == (0,) and session.forfeit.returns == [0.0, -1.0]
    assert session.forfeit.text(["a", "b"]) == f"Seat 1, b, forfeits: {WAYS[way]}."
    assert capfd.readouterr().err == f"{bot!r}: forfeits a game: {WAYS[way]}.\n"


@pytest.mark.parametrize("name", atlantis_envs.game_names())
def test_whoever_watches_is_told_that_a_game_was_given_up_and_no_other_end(name: str, failing: Path) -> None:
    """In the terminal and on the page: the rules of the game have not ended it, so nobody has won by them."""
    bot = f"exec:{sys.executable} {failing} die 3"
    shown = CliRunner().invoke(app, ["play", name, "-n", "2", "-s", "heuristic", "-s", bot, "--seed", "1"])
    assert shown.exit_code == 0, shown.output
    told = " ".join(shown.stdout.split())
    assert told.count("= the game is cut off") == 1 and " won" not in told and "share the victory" not in told
    assert told.count(f"The game is over. Seat 1, failing.py die 3, forfeits: {WAYS['die']}.") == 1
    assert told.count("return -1.00") == (2 if name == "atlantis_rising" else 1)
    game = atlantis_envs.game(name, players=2)
    session = GameSession(game, [None, find_bot(game, bot.removeprefix("exec:"))], seed=1)
    table = PageSession(session, ["you", "the bot"])
    while session.forfeit is None:
        session.step()
        if session.person is not None:
            session.play(session.position.legal_actions()[0])
    state = table.state()
    assert state["result"]["why"] == f"Seat 1, the bot, forfeits: {WAYS['die']}."
    assert "the game is cut off" in json.dumps(state)


def test_a_bot_that_failed_goes_on_with_the_other_games(failing: Path) -> None:
    game = atlantis_envs.game("atlandice", players=2)
    bot, other = find_bot(game, f"{sys.executable} {failing} die 200"), make_agent("random", game)
    results = play_games(game, [other, bot], 12)
    lost = results.returns[:, 1] == FORFEIT
    assert bot.failure == WAYS["die"] and (results.plies > 0).all() and set(results.numbers) == set(range(12))
    assert 1 <= (results.returns == [0.0, -1.0]).all(axis=1).sum() < lost.size
    alone = play_games(game, [other, make_agent("random", game)], 12)
    assert (alone.starters == results.starters).all()


def test_who_fails_again_and_again_is_asked_no_more(failing: Path, capfd: pytest.CaptureFixture[str]) -> None:
    game = atlantis_envs.game("atlantis_rising", players=2)
    bot = find_bot(game, f"{sys.executable} {failing} die 0")
    results = play_games(game, [bot, bot], 20)
    assert (results.returns == -1.0).all()
    assert capfd.readouterr().err.splitlines()[1:] == [
        f"{bot!r}: failed 3 times in a row, forfeits all games from now on ({WAYS['die']})."
    ]


def test_a_learner_does_not_go_on_against_a_bot_that_failed(failing: Path) -> None:
    game = atlantis_envs.game("atlandice", players=2)
    bot = find_bot(game, f"{sys.executable} {failing} garbage 0")
    batch = game.batch(1)
    with pytest.raises(IllegalActionError, match="forfeits"):
        ask_at(bot, batch.position(0))
    with pytest.raises(OptionError, match="sees positions"):
        bot.act(batch.observations, batch.action_masks)


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ("", "allowed: exec:COMMAND or exec:SECONDS:COMMAND"),
        ("0:cat", "SECONDS above 0"),
        ("'cat", "No closing quotation"),
        ("not-a-program", "cannot be started"),
        ("cat", "greeting .* allowed: {.type.: .hello., "),
        (f"{sys.executable} -c pass", "closed its output"),
    ],
)
def test_what_is_no_bot_is_refused(argument: str, message: str) -> None:
    with pytest.raises(OptionError, match=message) as caught:
        make_agent(f"exec:{argument}", atlantis_envs.game("atlandice"))
    assert str(caught.value).count("allowed: ") == 1


@pytest.mark.parametrize("setting", [{"teacher": "exec:cat"}, {"policies": ("eps:0.1:exec:cat",)}])
def test_settings_of_a_run_name_no_commands(setting: dict[str, Any]) -> None:
    with pytest.raises(OptionError, match="no command"):
        SelfPlaySettings(**setting)


@pytest.mark.parametrize("way", ["sleep", "die", "garbage"])
def test_an_evaluation_counts_forfeits_per_agent(way: str, failing: Path, tmp_path: Path) -> None:
    bot = f"exec:0.3:{sys.executable} {failing} {way} 0"
    arguments = ["evaluate", "atlandice", "random", bot, "--players", "2", "--blocks", "3", "--out", str(tmp_path)]
    shown = CliRunner().invoke(app, arguments)
    line = f"- {markdown(bot)} forfeited 6 of 6 games, which count as lost."
    written = json.loads((tmp_path / "evaluation.json").read_text())
    assert shown.exit_code == 0 and "| random | 1.0000 |" in shown.output
    assert line in shown.output and line in (tmp_path / "evaluation.md").read_text()
    assert written["forfeits"] == {bot: 6} and written["rows"][1]["share"]["value"] == 0


def test_a_team_forfeits_too_and_what_was_kept_knows_it(failing: Path, tmp_path: Path) -> None:
    game, bot = atlantis_envs.game("atlantis_rising", players=2), f"exec:{sys.executable} {failing} die 0"
    store = Store(tmp_path / "games.jsonl")
    found = evaluate(game, ["random", bot], 2, store=store)
    assert found.forfeits == {bot: 4} and found.team is not None and found.team.lost.value == 1
    again = evaluate(game, ["random", bot], 2, store=Store(tmp_path / "games.jsonl"))
    assert evaluation_json(again) == evaluation_json(found)
    assert evaluate(game, ["random", "random"], 2, store=store).forfeits == {}
    with pytest.raises(OptionError, match=r"forfeits; allowed: seats 0\.\.1"):
        results_of(store.parts[0] | {"forfeits": [2] * len(store.parts[0]["plies"])}, 2)


def test_serve_plays_with_the_program_that_started_it() -> None:
    words = [sys.executable, "-m", "atlantis_training.cli.command", "serve", "atlandice", "--players", "2", "-g", "2"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        over = []
        for line in process.stdout:
            message = json.loads(line)
            if message["type"] == "over":
                over.append(message)
            else:
                answer = {"id": message.get("id"), "action": (message.get("legal") or [""])[0]}
                hello = {"type": "hello", "name": "parent"}
                bad = len(over) == 1  # in the second game
                process.stdin.write(json.dumps(hello if message["type"] == "hello" else answer).encode())
                process.stdin.write(b"?\n" if bad else b"\n")
                process.stdin.flush()
        assert process.wait() == 0
        assert process.stderr.read().decode().count("\n") == 1
    assert [message["game"] for message in over] == [0, 1] and over[0]["forfeit"] is None
    assert over[1]["forfeit"].endswith("is no JSON object.") and over[1]["returns"] == [-1.0, 0.0]
    assert np.sign(over[0]["returns"]).any()
