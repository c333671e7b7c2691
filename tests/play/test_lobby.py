"""What an address serves before, between and after games: choices are checked, files read, games set up aside."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest
from helpers.served import page_session

import atlantis_envs
from atlantis_envs.engine.game import game_of
from atlantis_envs.engine.position import Position
from atlantis_envs.play.game_session import GameSession
from atlantis_envs.play.graph import Evaluation, Mistake
from atlantis_envs.play.lobby import Lobby
from atlantis_envs.play.page_session import PageSession, RefusedError, StaleError
from atlantis_envs.play.replay import Player, players_of, replay_lines

PERSON, HEURISTIC = {"name": "Ada", "agent": None}, {"name": "", "agent": "heuristic"}


def agents_of(game: str) -> Mapping[str, str]:
    return {"heuristic": "at once"}


def ready(lobby: Lobby) -> PageSession:
    """Wait for the game that gets ready."""
    for _ in range(3000):
        if lobby.progress()["stage"] != "busy":
            break
        time.sleep(0.02)
    assert lobby.progress() == {"stage": "ready", "text": ""}
    return lobby.table


def begin(lobby: Lobby, **changed: Any) -> dict[str, Any]:
    given = {"game": "atlandice", "players": [PERSON, HEURISTIC], "options": {}, "seed": 7, "go_on": False}
    return lobby.begin(**{**given, **changed})


def test_every_game_is_offered_with_its_picture_players_and_options() -> None:
    offers = {offer["game"]: offer for offer in Lobby(None, agents_of).offers()}
    assert set(offers) == set(atlantis_envs.game_names())
    for offer in offers.values():
        assert offer["picture"]["svg"].startswith("<svg") and "--sea" in offer["picture"]["colours"]["dark"]
        assert offer["agents"] == [{"text": "heuristic", "note": "at once"}] and offer["goal"]
        for option in offer["options"]:
            atlantis_envs.game(offer["game"], **{option["name"]: option["allowed"][-1]})
    assert offers["atlantis_rising"]["options"][0]["allowed"] == [1, 2, 3, 4, 5]


def test_a_game_gets_ready_aside_and_is_then_the_one_in_play() -> None:
    lobby = Lobby(None, agents_of)
    with pytest.raises(StaleError, match="no game is in play"):
        _ = lobby.table
    begin(lobby, options={"optional_effects": True})
    page = ready(lobby)
    assert page.names == ["Ada", "heuristic"] and page.session.waits()
    assert page.session.game == atlantis_envs.game("atlandice", players=2, optional_effects=True)
    assert json.loads(page.session.replay_text().splitlines()[0])["seats"] == [
        {"name": "Ada", "agent": None}, {"name": "heuristic", "agent": "heuristic"},
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("changed", "fault"),
    [
        ({"game": "chess"}, "game: 'chess'; allowed: atlandice"),
        ({"players": [PERSON]}, "players"),
        ({"players": [PERSON, {"name": 3, "agent": None}]}, "players: seat 1"),
        ({"players": [PERSON, "heuristic"]}, "players: seat 1"),
        ({"players": [PERSON, {"name": "", "agent": "exec:true"}]}, "players: seat 1"),
        ({"options": {"data": {}}}, "options: 'data'"),
        ({"options": {"optional_effects": 7}}, "options: 'optional_effects': 7"),
        ({"seed": -1}, "seed: -1; allowed"),
        ({"go_on": True}, "go_on: no file"),
    ],
)
def test_a_wrong_choice_is_refused_by_name(changed: dict[str, Any], fault: str) -> None:
    lobby = Lobby(None, agents_of)
    with pytest.raises(RefusedError, match=fault):
        begin(lobby, **changed)
    assert lobby.page is None and lobby.progress()["stage"] == "none"


def test_a_rematch_has_the_same_people_or_turns_the_seats() -> None:
    over = page_session("atlandice", ["human", "heuristic", "heuristic"], 3, 10_000)
    players = players_of([None, "heuristic", "random"], ["Ada"])
    over.session.seats = players
    lobby = Lobby(over, agents_of)
    assert over.state()["again"]
    lobby.again(turned=True)
    page = ready(lobby)
    assert page.names == ["random", "Ada", "heuristic"] and page.session.people == [1] and page is not over
    with pytest.raises(RefusedError, match="at the end of a game"):
        lobby.again(turned=False)


def test_a_saved_game_is_gone_on_with_and_one_that_is_over_looked_through() -> None:
    lobby, half = Lobby(None, agents_of), page_session("atlantis", ["human", "heuristic"], 3, 130)
    half.session.seats = [Player("Ada"), Player("h", "heuristic")]
    told = lobby.open(half.session.replay_text())
    assert told["players"] == [{"name": "Ada", "agent": None}, {"name": "h", "agent": "heuristic"}]
    assert not told["over"] and told["game"] == "atlantis"
    begin(lobby, game="atlantis", players=told["players"], go_on=True)
    page = ready(lobby)
    log = half.session.position.log
    assert page.session.position.log[: len(log)] == log
    assert "Ada" in lobby.opened_page()
    with pytest.raises(RefusedError, match="line 2"):
        lobby.open("\n".join([*list(replay_lines(half.session.position))[:1], "{}"]))
    with pytest.raises(StaleError):
        Lobby(None, agents_of).opened_page()


@pytest.mark.parametrize("name", atlantis_envs.game_names())
def test_every_point_of_a_finished_game_has_a_reason(name: str) -> None:
    for seed in (1, 2):
        page = page_session(name, ["human", "heuristic", "heuristic"], seed, 10_000)
        result = page.state()["result"]
        for seat in result["seats"]:
            if seat["points"]:
                assert sum(points for _, points in seat["points"]) == seat["score"]
                assert all(reason and reason != "otherwise" for reason, _ in seat["points"])
        assert result["title"] and (
            result["why"] or all(seat["points"] or not seat["score"] for seat in result["seats"])
        )


def test_half_a_game_is_saved_as_the_seat_may_know_it() -> None:
    page = page_session("atlantis", ["human", "heuristic", "heuristic"], 5, 130)
    name, text = page.replay()
    assert name == "atlantis-as-seat-0.html" and text == page.look_through() and page.state()["saves"] == "page"
    open_game = page_session("atlandice", ["human", "heuristic"], 5, 60)
    assert open_game.replay()[0] == "atlandice.jsonl" and open_game.state()["saves"] == "replay"
    over = page_session("atlantis", ["human", "heuristic"], 5, 10_000)
    assert over.replay()[0] == "atlantis.jsonl"


def test_what_cost_most_is_found_in_the_background() -> None:
    worst = Mistake(3, 0, "1", 0.2, 0.6, "gave away 40 %", ("visit inn", "visit forge"))

    def review(end: Position, start: Position | None, seats: Sequence[int]) -> Iterator[tuple[int, int, Evaluation]]:
        assert end.node == "over" and start is None and seats == [0]
        for done in (1, 2):
            yield (
                done,
                2,
                Evaluation(
                    (3,), ((0.2, 0.8),), ((0.1, 0.1),), "", mistakes=(worst,) * (done - 1), luck=("Mostly luck.",)
                ),
            )

    lobby = Lobby(page_session("atlandice", ["human", "heuristic"], 3, 10_000), agents_of, review=review)
    assert lobby.reviewed()["stage"] == "none"
    plain = lobby.look_through()
    while lobby.review()["stage"] == "busy":
        time.sleep(0.01)
    told = {"event": 3, "seat": 0, "text": "visit inn wins 20 %; better: visit forge, 60 %"}
    assert lobby.reviewed() == {"stage": "ready", "done": 2, "wanted": 2, "worst": [told], "luck": ["Mostly luck."]}
    assert lobby.look_through() != plain
    lobby.table.ply += 1  # a move was taken back
    assert lobby.reviewed()["stage"] == "none" and lobby.look_through() == plain
    half = Lobby(page_session("atlandice", ["human", "heuristic"], 3, 60), agents_of, review=review)
    with pytest.raises(RefusedError, match="at the end"):
        half.review()
    assert Lobby(half.page, agents_of).reviewed()["stage"] == "never"


@pytest.mark.parametrize(("name", "options"), [("atlantis", {}), ("atlantis_rising", {"hands_open": False})])
def test_what_a_seat_is_sent_is_the_same_in_worlds_that_it_cannot_tell_apart(name: str, options: Any) -> None:
    played = page_session(name, ["human", "heuristic", "heuristic"], 5, 130 if name == "atlantis" else 430, **options)
    while played.session.position.seat != 0:
        played.session.advance()
    start = played.session.position
    differ = 0
    for world in range(2):
        sent = [sent_to_seat_0(position) for position in (start, start.resample(0, world))]
        differ += start.resample(0, world).key() != start.key()
        assert sent[0] == sent[1]
    assert differ


def sent_to_seat_0(position: Position) -> str:
    """All that the page may ask for, at a decision of seat 0 and after a move."""
    game = game_of(position.game)
    session = GameSession(game, [None, None, None], 9, game.from_json(position.to_json()))
    session.people = [0]
    page = PageSession(session, ["Ada", "b", "c"])
    moves = page.state()["moves"]
    sent: list[Any] = [page.preview(move["text"]) for move in moves]
    sent += [page.why([move["key"]]) for move in moves] + [page.why([], action) for action in game.actions[::40]]
    *_, hint = session.hint(simulations=2)
    sent += [hint.move, hint.lines]
    session.play(moves[0]["text"])
    page = PageSession(session, ["Ada", "b", "c"])
    sent += [page.state(), page.state(narrow=True), page.at(0), page.history(), page.standing(), page.text()]
    return json.dumps([*sent, page.replay(), page.look_through()])
