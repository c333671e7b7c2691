"""``atlantis analyse``: a planted blunder is found, and everything it writes holds it."""

from __future__ import annotations

import base64
import gzip
import json
import math
import re
import signal
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import atlantis_envs
from atlantis_agents.catalogue import agent_names
from atlantis_envs.play.game_session import GameSession
from atlantis_envs.play.graph import Evaluation, Mistake, graph_of
from atlantis_envs.play.replay import load_recorded, replay_lines
from atlantis_envs.play.replay_page import events_of
from atlantis_envs.seats.agents import make_agent
from atlantis_envs.seats.analysis import NORMAL, Judged, Loss, analyse
from atlantis_training.cli.app import app
from atlantis_training.evaluation import review
from atlantis_training.evaluation.review import Reviewed, curve, decisions_of, mistakes_of, totals_of


def run(*arguments: str) -> Any:
    return CliRunner().invoke(app, ["analyse", *arguments], prog_name="atlantis", terminal_width=200)


@cache
def blundered() -> tuple[str, int, int, str]:
    """A game in which one move is bad: the file, how many events went before it, whose it is, and its text."""
    game = atlantis_envs.game("atlandice", players=3)
    heuristic = make_agent("heuristic", game)
    session = GameSession(game, [heuristic] * 3, 5)
    while True:
        position = session.position
        if position.seat is not None and len(session.events) > 60 and len(position.legal_actions()) > 1:
            worst = analyse(position, "search:64", seed=77).actions[-1].text
            if analyse(position, "search:64", seed=78).loss(worst).share > 0.12:
                break
        session.advance()
    seat, event = session.position.seat, len(session.events)
    assert seat is not None
    session.play(worst)
    for _ in range(12):
        session.advance()
    return "\n".join(replay_lines(session.position)) + "\n", event, seat, worst


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("game.jsonl").write_text(blundered()[0], "utf-8")


def record_in(page: str) -> dict[str, Any]:
    data = re.search(r'id="data">([^<]*)</script>', page)
    assert data is not None
    record: dict[str, Any] = json.loads(gzip.decompress(base64.b64decode(data[1])))
    return record


def test_a_blunder_is_found_and_shown_everywhere() -> None:
    pytest.importorskip("resvg_py")
    _, event, seat, worst = blundered()
    judge = ("--agent", "search")  # which called it a blunder
    result = run("game.jsonl", "--html", "out.html", "--png", "out.png", "--seed", "3", *judge)
    assert result.exit_code == 0, result.output
    first = next(line for line in result.output.splitlines() if line.startswith("  1. "))
    assert re.match(rf"  1\. event {event + 1}, seat {seat} gave away \d+ % ± \d+: {worst} \d+ % ± \d+, ", first), first
    recorded = load_recorded("game.jsonl")
    count = len(decisions_of(recorded.end, recorded.start))
    assert f"{count} of {count} decisions with an alternative; search, 64 simulations" in result.output
    record = record_in(Path("out.html").read_text("utf-8"))
    assert len(record["luck"]) > 4 and all(line in result.output.splitlines() for line in record["luck"])
    assert re.fullmatch(
        rf"seat {seat} went from \d+ % to \d+ % so far: luck [+-]\d+ ± \d+, own decisions -\d+ ± \d+, .*",
        next(line for line in record["luck"] if line.startswith(f"seat {seat} went")),
    )
    assert record["events"][event].startswith(f"seat {seat}: {worst} (1. gave away ")
    assert f'data-key="mistake.{event + 1}"' in record["graph"]["picture"]
    assert Path("out.png").read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    again = run("game.jsonl", "--seed", "3", *judge).output
    said = [
        [line for line in one.splitlines() if "Written" not in line and " left " not in line]
        for one in (result.output, again)
    ]
    assert said[0] == said[1] and len(said[0]) > 5


def test_a_seat_sees_its_own_decisions_only() -> None:
    seat = blundered()[2]
    output = run("game.jsonl", "--seat", str(seat), "--simulations", "16").output
    assert set(re.findall(r"seat (\d)", output)) == {str(seat)} and "16 simulations" in output
    other = run("game.jsonl", "--seat", str((seat + 1) % 3), "--simulations", "16").output
    assert f"event {blundered()[1] + 1}," not in other


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_a_signal_while_results_are_shown_loses_none(monkeypatch: pytest.MonkeyPatch) -> None:
    real, left = review.totals_of, [signal.SIGINT]

    def working(*given: Any) -> Any:
        while left:
            signal.raise_signal(left.pop())
        return real(*given)

    monkeypatch.setattr(review, "totals_of", working)
    result = run("game.jsonl", "--simulations", "8", "--seat", "0", "--html", "shown.html")
    assert result.exit_code == 130 and Path("shown.html").exists() and "seat 0: " in result.stdout
    assert re.search(r"Interrupted: (\d+) of \1 decisions were analysed", result.stderr)


def test_an_interruption_keeps_what_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    real = review.review

    def tired(*given: Any) -> Iterator[Reviewed]:
        for number, one in enumerate(real(*given)):
            if number == 3:
                raise KeyboardInterrupt
            yield one

    monkeypatch.setattr(review, "review", tired)
    result = run("game.jsonl", "--simulations", "8", "--html", "out.html")
    assert result.exit_code == 130 and Path("out.html").exists()
    assert re.search(r"Interrupted: 3 of \d+ decisions were analysed", result.stderr)
    assert len(re.findall(r"3 of \d+ decisions", result.stdout)) == 1
    assert sum(int(count) for count in re.findall(r"seat \d: (\d+) decisions", result.stdout)) == 3


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["missing.jsonl"], "missing.jsonl: cannot be read"),
        (["game.jsonl", "--seat", "3"], "--seat 3: the game has 3 seats; allowed: 0..2"),
        (["game.jsonl", "--agent", "nobody"], f"agent: 'nobody'; allowed: {', '.join(agent_names())}"),
        (["game.jsonl", "--simulations", "100001"], "--simulations 100001; allowed: 1..100000"),
        (["game.jsonl", "--simulations", "4", "--html", "no/out.html"], "--html no/out.html: cannot be written"),
        (["game.jsonl", "--simulations", "8", "--png", "."], "--png .: cannot be written"),
        (["empty.jsonl"], "no decision with an alternative"),
        (["game.jsonl", "--simulations", "3", "-a", "heuristic"], "--simulations 3; allowed with heuristic: 4..100000"),
        (
            ["game.jsonl", "--simulations", "3", "-a", "search:rollout=random"],
            "--simulations 3; allowed with search:rollout=random: 4..100000",
        ),
        (
            ["game.jsonl", "-a", "search:6,rollout=mixed"],
            "--simulations 6; allowed with search:6,rollout=mixed: 7..",
        ),
    ],
)
def test_what_is_wrong_is_told_in_a_line(arguments: list[str], told: str) -> None:
    Path("empty.jsonl").write_text("\n".join(blundered()[0].splitlines()[:2]) + "\n", "utf-8")
    result = run(*arguments)
    assert result.exit_code == 2 and told in result.stderr.splitlines()[-1], result.output


# ------------------------------------------------------------------------------------------------------------- numbers


def one(event: int, seat: int, lost: float, sure: bool) -> Reviewed:
    played = Judged(0, "pass", 0.5, 0.4, 0.6, NORMAL, 64, 1, not sure)
    best = Judged(1, "stop", 0.5 + lost, 0.4 + lost, 0.6 + lost, NORMAL, 64, 2, True)
    return Reviewed(event, seat, played, best, Loss(lost, 0.03, sure))


def test_totals_and_the_order_of_mistakes() -> None:
    seen = [one(3, 0, 0.1, True), one(5, 1, 0.3, True), one(7, 0, 0.02, False), one(9, 0, 0.2, True)]
    assert [each.event for each in mistakes_of(seen)] == [5, 9, 3]
    first, second = totals_of(seen)
    assert (first.seat, first.decisions, first.mistakes, second.lost) == (0, 3, 2, 0.3)
    assert first.lost == pytest.approx(0.32) and first.margin == pytest.approx(1.96 * 0.03 * 3**0.5, rel=1e-3)


def test_what_is_not_known_is_not_nothing() -> None:
    recorded = load_recorded("game.jsonl")
    seen = list(review.review(decisions_of(recorded.end, recorded.start)[:2], "heuristic", 3))
    assert all(math.isnan(total.lost) and math.isnan(total.margin) for total in totals_of(seen))
    assert mistakes_of(seen) == []
    picture = graph_of(curve(seen, recorded.end, "", 3), len(recorded.end.log))["picture"]
    assert "nan" not in picture.lower()


def test_the_fewest_simulations_that_are_allowed_say_something() -> None:
    output = run("game.jsonl", "--simulations", "7", "-a", "search:rollout=mixed", "--seat", "0").output
    assert "8 simulations of every move" in output and re.search(r"seat 0: .* % ± \d+ given away", output), output


def test_the_curve_of_each_seat_goes_through_its_own_decisions() -> None:
    position = atlantis_envs.game("atlandice", players=3).initial_position()
    drawn = curve([one(3, 0, 0.1, True), one(5, 1, 0.3, True), one(9, 0, 0.2, False)], position, "", 1)
    assert [[share == share for share in each] for each in drawn.shares] == [[1, 0, 0], [0, 1, 0], [1, 0, 0]]
    assert drawn.events == (4, 6, 10) and drawn.mistakes[0].number == 6  # as the page counts: the first event is 1
    assert [(mistake.event, mistake.name) for mistake in drawn.mistakes] == [(5, "1")]
    picture = graph_of(drawn, 10)["picture"]
    assert "seat 0: 50%, 50%" in picture and "seat 1: 50%<" in picture and "seat 2: nothing to show" in picture
    team = atlantis_envs.game("atlantis_rising", players=2).initial_position()
    assert curve([one(3, 1, 0.1, True)], team, "", 1).shares == ((0.5,),)


def test_names_of_mistakes_do_not_stand_on_each_other() -> None:
    marks = tuple(Mistake(event, 0, f"m{event}", 0.2, 0.6, "") for event in (100, 101, 150))
    picture = graph_of(Evaluation((1, 200), ((0.5,), (0.5,)), ((0.1,), (0.1,)), "", mistakes=marks), 200)["picture"]
    assert re.findall(r">(m\d+)<", picture) == ["m100", "m150"] and picture.count('data-key="mistake.') == 3


# ------------------------------------------------------------------------------------------------------ luck and skill


def test_luck_is_what_chance_nodes_changed() -> None:
    game = atlantis_envs.game("atlandice", players=2)
    heuristic, erring = make_agent("heuristic", game), make_agent("random", game)
    session = GameSession(game, [erring, heuristic], 3)
    while len(session.events) < 100:
        session.advance()
    start = game.from_json(session.position.to_json())
    before = len(session.events)
    while len(session.events) < 130 and session.position.node != "over":
        session.advance()
    end, events = start.clone(), session.position.log[before:]
    chance, errors, places = 0.0, 0.0, [start.clone()]
    seats = [start.seat]
    for text in events:
        end.apply(text)
        places.append(end.clone())
        seats.append(end.seat)
    wins = review._played_on(places, heuristic, 1000, 9)[..., 0]
    steps = [number for number, seat in enumerate(seats[:-1]) if seat is None]
    for number in steps:
        chance += float(wins[number + 1].mean() - wins[number].mean())
        errors += float(wins[number + 1].var() + wins[number].var()) / 1000
    found = review.account(end, start, heuristic, 500, 1)
    for one in found.balances:
        assert one.end - one.begin == pytest.approx(one.luck + one.own + one.others)
    first, second = found.balances
    assert first.luck == pytest.approx(-second.luck) and first.own == pytest.approx(-second.others)
    assert abs(first.luck - chance) < 3 * (errors + (first.luck_margin / 1.96) ** 2) ** 0.5
    assert first.own < -first.own_margin
    own = {run: float(wins[run.stop].mean() - wins[run.start].mean()) for run in runs_of(seats)}
    assert {stroke.events for stroke in found.strokes} <= set(own) and 0 < len(found.strokes) <= review.STROKES
    for stroke in found.strokes:
        assert abs(stroke.change[0] - own[stroke.events]) < 0.07  # 3 errors of two means of 1,000 games each
        assert stroke.change[0] == pytest.approx(-stroke.change[1]) and 0.01 < stroke.margin[0] < 0.05
    largest = max(own, key=lambda run: abs(own[run]))
    assert largest in {stroke.events for stroke in found.strokes}
    squared = sum(change**2 for change in own.values())
    whole = squared + erred(decisions_of(end, start), heuristic)
    assert abs(found.swings - squared / whole) < 1.5 * found.swings_margin < 0.3


def runs_of(seats: list[int | None]) -> list[range]:
    """Chance events in a row, from who decided before each event and at the end."""
    chance = [seat is None for seat in seats[:-1]]
    begins = [n for n, each in enumerate(chance) if each and not (n and chance[n - 1])]
    return [range(n, next((m for m in range(n, len(chance)) if not chance[m]), len(chance))) for n in begins]


def erred(decisions: list[review.Decision], agent: Any) -> float:
    """What decisions changed, squared and summed, without what noise adds."""
    gained = review._gains(decisions, agent, 2000, 17, False)[..., 0]
    return float((gained.mean(axis=1) ** 2 - gained.var(axis=1) / 2000).sum())


def stroke(first: int, last: int, change: float) -> review.Stroke:
    return review.Stroke(range(first, last + 1), (change, -change), (0.04, 0.04))


def test_strokes_of_luck_and_all_other_chance_add_up() -> None:
    one = review.Balance(0, 0.5, 1.0, 0.1, 0.2, 0.2, 0.02, 0.02, 0.03)
    strokes = (stroke(0, 4, -0.1), stroke(7, 7, 0.25), stroke(9, 9, 0.03))  # the last one is noise
    found = review.Account((one,), strokes, 0.734, 0.06)
    game = atlantis_envs.game("atlantis", players=2)
    position = game.initial_position()
    for seed in range(10):
        position.apply(position.sample_chance(seed))
    events = events_of(position, None)
    texts = [event.text for event in events]
    assert review.strokes_text(found, one, events, None, "you") == (
        f"Your luck: event 8 ({texts[7]}) gave 25 % ± 4, events 1 to 5 ({', '.join(texts[:3])} and 2 more) took "
        "10 % ± 4, all other chance gave 5 % ± 6."
    )
    assert review.strokes_text(found, one, events, None, "seat 0").startswith("Seat 0's luck: ")
    assert review.swings_text(found).startswith("Luck made 73 % ± 6 of all ups and downs")
    calm = review.Account((one,), strokes[2:], 0.5, 0.4)
    assert review.strokes_text(calm, one, events, None, "you") == review.swings_text(calm) == ""


def test_a_stroke_of_luck_tells_no_hidden_card() -> None:
    game = atlantis_envs.game("atlantis", players=2)
    session = GameSession(game, [make_agent("heuristic", game)] * 2, 3)
    owner = None
    while owner is None or not session.position.log[-1].startswith("card "):
        owner = session.position.seat if session.position.seat is not None else owner
        session.advance()
    events = events_of(session.position, None)
    one = review.Balance(0, 0.5, 0.7, 0.0, 0.0, 0.2, 0.02, 0.02, 0.03)
    found = review.Account((one,), (stroke(len(events) - 1, len(events) - 1, 0.25),), 1.0, 0.1)
    card = events[-1].text
    told = [review.strokes_text(found, one, events, viewer, "you") for viewer in (None, owner, 1 - owner)]
    assert [card in text for text in told] == [True, True, False] and "card " in told[2]


@pytest.mark.parametrize(
    ("seat", "parts", "who", "told"),
    [
        (
            1,
            (0.3, 1.0, 0.0, 0.1, 0.6),
            "you",
            "Mostly luck. Your chance to win went from 30 % to 100 %: luck gave 60 % ± 5",
        ),
        (1, (0.3, 0.0, -0.4, 0.0, 0.1), "seat 1", "Mostly own moves. Seat 1's chance to win went from 30 % to 0 %"),
        (1, (0.3, 0.4, 0.04, 0.03, 0.03), "you", "Luck and moves cannot be told apart. Your"),
        (None, (0.97, 1.0, 0.0, 0.0, 0.03), "the team", "It went as expected. The team's chance"),
    ],
)
def test_a_player_is_told_what_was_luck(
    seat: int | None, parts: tuple[float, float, float, float, float], who: str, told: str
) -> None:
    text = review.luck_text(review.Balance(seat, *parts, 0.05, 0.05, 0.05), who)
    assert text.startswith(told) and ("others" in text) == (seat is not None)
