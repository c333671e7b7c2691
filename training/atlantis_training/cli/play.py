"""``atlantis play`` and ``atlantis replay``, in the terminal and in the browser."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from atlantis_envs.base.values import one_line, repr_short
from atlantis_envs.errors import ReplayError
from atlantis_training.cli.common import (
    MOST_SEED,
    DataFile,
    OptionList,
    PlayerCount,
    chosen_game,
    fail,
)
from atlantis_training.signals import heard_by

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from atlantis_envs.engine.game import Game
    from atlantis_envs.engine.position import Position
    from atlantis_envs.play.game_session import Event, GameSession
    from atlantis_envs.play.graph import Evaluation
    from atlantis_envs.play.lobby import Lobby
    from atlantis_envs.play.replay import Player, Recorded
    from atlantis_envs.seats.agents import Agent

HUMAN = "human"
SeatList = Annotated[
    list[str] | None,
    typer.Option(
        "--seat", "-s", metavar="WHO",
        help="human, an agent's name, or the directory of a policy or a run; once per seat, the last one takes the "
        "seats that are left [default: human, then heuristic, or random where there is none]",
    ),
]  # fmt: skip
Browser = Annotated[bool, typer.Option("--browser", help="in the browser (extra `play`)")]
Port = Annotated[int, typer.Option("--port", min=0, max=65535, help="with --browser: where to listen [default: any]")]
NoOpen = Annotated[bool, typer.Option("--no-open", help="with --browser: print the address and open nothing")]


def play_command(
    game: Annotated[
        str | None,
        typer.Argument(metavar="[GAME]", help="atlandice, atlantis, ...; without one, a page in the browser to choose"),
    ] = None,
    seat: SeatList = None,
    players: PlayerCount = None,
    seed: Annotated[
        int | None, typer.Option("--seed", min=0, max=MOST_SEED, help="of chance and agents [default: any]")
    ] = None,
    load: Annotated[Path | None, typer.Option("--load", metavar="FILE", help="go on with a saved game")] = None,
    save: Annotated[
        Path | None,
        typer.Option("--save", metavar="FILE", help="where `s` without a name saves; in the browser: at the end"),
    ] = None,
    ask_forced: Annotated[bool, typer.Option("--ask-forced", help="ask for moves without an alternative too")] = False,
    name: Annotated[
        list[str] | None, typer.Option("--name", metavar="NAME", help="of a person; once per person, in order")
    ] = None,
    browser: Browser = False,
    port: Port = 0,
    no_open: NoOpen = False,
    hints: Annotated[bool, typer.Option("--hints", help="hints where several people play too")] = False,
    option: OptionList = None,
    data: DataFile = None,
) -> None:
    """Play a game in the terminal or in the browser, against agents or other people."""
    if game is None:
        if any((seat, players, seed is not None, load, ask_forced, hints, option, data, name)):
            fail(
                "GAME: missing; allowed: a game, or no flags but --save, --port, --no-open: the page asks for the rest"
            )
        check_browser(True, port, no_open)
        open_lobby(None, False, port, not no_open, save)
        return
    from atlantis_envs.engine.game import game_of
    from atlantis_envs.play.colours import painted
    from atlantis_envs.play.game_session import GameSession
    from atlantis_envs.play.terminal import Terminal, broken
    from atlantis_training.evaluation.report import seats_text

    check_browser(browser, port, no_open)
    saved = None if load is None else recorded_of_file(load)
    built = chosen_game(game, players, option, data) if saved is None else game_of(saved.start.game)
    _same_game(built, game, players, bool(option or data), load)
    line_up = _line_up(seat or _saved_line_up(saved), built)
    seated = _seated(line_up, name, None if saved is None or seat else saved.names)
    seed = secrets.randbits(32) if seed is None else seed
    at_root = saved is None or saved.start == built.initial_position()
    start = None if saved is None or at_root else saved.start
    session = GameSession(built, _agents(line_up, built), seed, start, hints or None, seats=seated)
    session.replay([] if saved is None else saved.end.log)
    message = (
        f"{built.definition.title}, {seats_text(built.players)}: {', '.join(map(one_line, line_up))}; seed {seed}."
    )
    if browser:
        typer.echo(message)
        open_lobby(session, ask_forced, port, not no_open, save)
        return
    for line in broken(f"{message} Type ? for help."):
        typer.echo(line)
    file = save or load or Path(f"{built.name}.jsonl")
    names = [player.name for player in seated]
    write = painted(built.definition.look(), typer.echo)
    Terminal(session, names, write, input, file, ask_forced, warm=sys.stdin.isatty()).run()


def _saved_line_up(saved: Recorded | None) -> list[str] | None:
    """Return who sat where in a saved game, as ``--seat`` says it.

    What a file says is no command: an agent that has no plain name here is replaced by the usual one.
    """
    if saved is None or saved.players is None:
        return None
    known = list(agents_of(saved.end.game.name))
    return [HUMAN if agent is None else agent if agent in known else known[0] for _, agent in saved.players]


def _seated(line_up: Sequence[str], given: Sequence[str] | None, saved: Sequence[str] | None) -> list[Player]:
    """Return who sits where, people with the names that ``--name`` gives them, or those of a saved game."""
    from atlantis_envs.play.replay import players_of

    people = [seat for seat, who in enumerate(line_up) if who == HUMAN]
    if len(given or ()) > len(people):
        fail(f"--name: {len(given or ())} names; allowed: one for each of {len(people)} people")
    names: list[str] = list(saved or [""] * len(line_up))
    for seat, name in zip(people, given or (), strict=False):
        names[seat] = name
    return players_of([None if who == HUMAN else who for who in line_up], names)


def _save_at_the_end(lobby: Lobby, save: Path | None) -> None:
    """Write what has happened in the last game where --save says."""
    if save is None or lobby.page is None:
        return
    try:
        lobby.page.session.save(save)
    except (OSError, ValueError) as error:
        fail(f"--save {repr_short(save)}: cannot be written ({getattr(error, 'strerror', None) or error})")
    with suppress(OSError):  # a terminal that is closed
        typer.echo(f"Saved: {repr_short(save)}")


def recorded_of_file(path: Path) -> Recorded:
    """Read a replay file; a fault is reported with the name of the file."""
    from atlantis_envs.play.replay import load_recorded

    try:
        return load_recorded(path)
    except ReplayError as error:
        message = str(error)
        raise ReplayError(
            message if message.startswith(f"{repr_short(path)}: ") else f"{repr_short(path)}: {message}"
        ) from None


def _same_game(saved: Game, name: str, players: int | None, changed: bool, load: Path | None) -> None:
    """Refuse other arguments about the game than those of the saved game."""
    if load is not None and (saved.name != name or players not in (None, saved.players) or changed):
        fail(f"--load {repr_short(load)}: a game of {saved!r}; allowed: that game, without --option and --data")


def _line_up(seats: Sequence[str] | None, game: Game) -> tuple[str, ...]:
    from atlantis_agents.catalogue import usual_opponent
    from atlantis_training.evaluation.measure import fill_line_up

    return fill_line_up(seats or [HUMAN, usual_opponent(game.name)][: game.players], game.players)


def _agents(line_up: Sequence[str], game: Game) -> list[Agent | None]:
    from atlantis_agents.catalogue import find_agent

    return [None if who == HUMAN else find_agent(who, game) for who in line_up]


def replay_command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="a replay file")],
    step: Annotated[bool, typer.Option("--step", help="one event at a time: Enter goes on, b back, q leaves")] = False,
    at: Annotated[int | None, typer.Option("--at", min=0, help="only the board after so many events")] = None,
    html: Annotated[Path | None, typer.Option("--html", metavar="OUT", help="write a page to walk through")] = None,
    moving: Annotated[
        Path | None,
        typer.Option("--animate", metavar="OUT", help="write a moving picture, .svg, or .webp (extra `look`)"),
    ] = None,
    every: Annotated[
        str,
        typer.Option("--every", metavar="STEP", help="with --animate: a picture every event, decision, turn, round"),
    ] = "turn",
    seat: Annotated[
        int | None,
        typer.Option(
            "--seat", min=0, help="of a page or a moving picture: only what this seat may know [default: everything]"
        ),
    ] = None,
    evaluate: Annotated[
        int, typer.Option("--evaluate", min=0, metavar="N", help="of a page: win shares on the way, of N games each")
    ] = 0,
    browser: Browser = False,
    port: Port = 0,
    no_open: NoOpen = False,
) -> None:
    """Show a recorded game; every line of the file is checked against the rules."""
    check_browser(browser, port, no_open)
    if every != "turn" and moving is None:
        fail("--every: goes with --animate OUT")
    if moving is not None:
        _animate(file, moving, every, seat)
        if html is None and not browser:
            return
    if html is not None or browser:
        page, events = _page_of(file, seat, evaluate)
        if html is not None:
            _write_page(page, events, html)
        if browser:
            open_page(page, port, not no_open)
        return
    if seat is not None or evaluate:
        fail("--seat, --evaluate: go with --html OUT or --browser; --seat with --animate OUT too")
    from atlantis_envs.engine.game import game_of
    from atlantis_envs.play.colours import painted
    from atlantis_envs.play.game_session import Event, GameSession
    from atlantis_envs.play.terminal import event_lines, result_lines, screen_width
    from atlantis_training.evaluation.report import seats_text

    recorded = recorded_of_file(file)
    start, log = recorded.start, recorded.end.log
    game = game_of(start.game)
    names = recorded.names or ["player"] * game.players
    look = game.definition.look()
    write = painted(look, typer.echo)
    session = GameSession(game, [None] * game.players, 0, start)
    if at is not None and at > len(log):
        fail(f"--at {at}: the game has {len(log)} events; allowed: 0..{len(log)}")
    session.replay(log if at is None else log[:at])
    typer.echo(f"{game.definition.title}, {seats_text(game.players)}, {len(log)} events.")
    if step:
        _step([*session.events, Event(session.position, "")], names, game, write)
        return
    if at is None:
        for line in (line for run in session.runs(None) for line in event_lines(run, names)):
            write(line)
    write("\n" + look.board.text(session.position, None, names, screen_width()))
    if session.position.node == "over":
        for line in result_lines(session.position, names):
            write(line)


def _page_of(file: Path, seat: int | None, games: int) -> tuple[str, int]:
    """Return the recorded game as a page, and how many events it has."""
    from atlantis_envs.play.replay_page import replay_html

    start, end, _ = recorded = _recorded_with_seat(file, seat)
    evaluation = None
    if games:
        from atlantis_agents.catalogue import find_agent, usual_opponent
        from atlantis_agents.shipped import SEARCH, analyst_text
        from atlantis_envs.engine.game import game_of
        from atlantis_training.evaluation.review import value_curve, win_curve

        game = game_of(end.game)
        if (analyst := analyst_text(game)) != SEARCH:
            evaluation = value_curve(end, start, find_agent(analyst, game), analyst, games)
        else:
            name = usual_opponent(game.name)
            evaluation = win_curve(end, start, find_agent(name, game), name, games)
    return replay_html(end, start, seat, recorded.names, evaluation), len(end.log)


def _recorded_with_seat(file: Path, seat: int | None) -> Recorded:
    recorded = recorded_of_file(file)
    players = recorded.end.game.players
    if seat is not None and seat >= players:
        fail(f"--seat {seat}: the game has {players} seats; allowed: 0..{players - 1}")
    return recorded


def _animate(file: Path, out: Path, every: str, seat: int | None) -> None:
    """Write a recorded game as a moving picture."""
    from atlantis_envs.play.animation import animate
    from atlantis_training.bars import phase_bars

    _recorded_with_seat(file, seat)
    try:
        with phase_bars() as show:
            advance = partial(_show_pictures, show)
            count = animate(file, out, every, seat=seat, advance=advance)
    except ValueError as error:
        fail(f"--animate: {error}")
    typer.echo(f"Written: {repr_short(out)}, {count} pictures, {out.stat().st_size / 1e6:.2f} MB")


def _show_pictures(show: Callable[[str, float, str], None], done: int, total: int) -> None:
    show("animate", done / total, f"{done} of {total} pictures")


def _write_page(page: str, events: int, out: Path) -> None:
    from atlantis_envs.base.files import write_atomically

    try:
        write_atomically(out, page)
    except (OSError, ValueError) as error:
        fail(f"--html {repr_short(out)}: cannot be written ({getattr(error, 'strerror', None) or error})")
    typer.echo(f"{repr_short(out)}: {events} events, {out.stat().st_size / 1e6:.2f} MB")


def _step(events: Sequence[Event], names: Sequence[str], game: Game, write: Callable[[str], None]) -> None:
    """Walk through the positions before each event, and the last one."""
    from atlantis_envs.play.terminal import screen_width

    place = 0
    while True:
        event = events[place]
        seat = event.before.seat
        write("\n" + game.definition.look().board.text(event.before, None, names, screen_width()))
        who = "chance" if seat is None else f"seat {seat}"
        write(f"{place}/{len(events) - 1}  {f'{who}: {event.text}' if event.text else 'end of the record'}")
        try:
            line = input("Enter goes on, b back, q leaves> ").strip()
        except EOFError:
            return
        if line == "q" or (line == "" and place == len(events) - 1):
            return
        place = max(0, place - 1) if line == "b" else min(place + 1, len(events) - 1)


# ------------------------------------------------------------------------------------------------------- in the browser


def check_browser(browser: bool, port: int, no_open: bool) -> None:
    """Refuse what goes with --browser alone, and --browser without its packages."""
    from importlib.util import find_spec

    if not browser and (port or no_open):
        fail("--port, --no-open: go with --browser")
    if browser and not (find_spec("starlette") and find_spec("uvicorn")):
        fail("--browser: needs starlette and uvicorn: pip install 'atlantis-envs[play]'")


# What to expect of the agents that the start page offers, from the quickest to the strongest.
NOTES = {
    "heuristic": "rules of thumb, at once",
    "random": "any legal move",
    "network": "a small network, at once",
    "planner": "rules of thumb, looks ahead",
    "search": "imagines games, some milliseconds a move",
    "champion": "the strongest within about 5 ms a move",
    "grandmaster": "stronger still, about 100 ms a move",
}


def agents_of(game: str) -> dict[str, str]:
    """Return agents that play a game, the usual one first, with what to expect of each."""
    from atlantis_agents.catalogue import names_for, usual_opponent

    names = names_for(game)
    ordered = [usual_opponent(game), *(name for name in NOTES if name in names), *names]
    return {name: NOTES.get(name, "") for name in dict.fromkeys(ordered)}


SIMULATIONS = 24  # of every move, where a game is looked through at its end: a minute or two
MOST_GAMES, LANES = 200, 20_000  # for luck and skill, from a decision and of a whole game: some seconds


def costly_decisions(
    end: Position, start: Position | None, seats: Sequence[int]
) -> Iterator[tuple[int, int, Evaluation]]:
    """Yield what was luck, and what decisions gave away, by search; of these seats, of all if there are none."""
    from dataclasses import replace

    from atlantis_agents.shipped import ANALYST
    from atlantis_envs.engine.position import Position
    from atlantis_training.evaluation.review import curve, decisions_of, review

    begin = Position(end.game, end.game.root) if start is None else start
    decisions = [each for each in decisions_of(end, begin) if not seats or each.position.seat in seats]
    caption = f"Win share of what was played, by search with {SIMULATIONS} simulations of every move."
    found, luck = [], _luck(end, begin, seats)
    for one in review(decisions, ANALYST, SIMULATIONS):
        found.append(one)
        yield len(found), len(decisions), replace(curve(found, end, caption, 10), luck=luck)


def _luck(end: Position, begin: Position, seats: Sequence[int]) -> tuple[str, ...]:
    """Return sentences about luck and skill in a game that is over, of these seats, of all if there are none."""
    from atlantis_agents.catalogue import find_agent, usual_opponent
    from atlantis_envs.engine.game import game_of
    from atlantis_envs.play.replay_page import events_of
    from atlantis_training.evaluation.review import account, decisions_of, luck_text, strokes_text, swings_text

    count, game = len(decisions_of(end, begin)), game_of(end.game)
    if not count or end.truncated:
        return ()
    name = usual_opponent(game.name)
    found = account(end, begin, find_agent(name, game), max(2, min(MOST_GAMES, LANES // count)))
    events, texts = events_of(end, begin), []
    for one in found.balances:
        if one.seat is None or not seats or one.seat in seats:
            who = "the team" if one.seat is None else "you" if len(seats) == 1 else f"seat {one.seat}"
            viewer = (seats[0] if one.seat is None else one.seat) if seats else None
            texts += [luck_text(one, who), strokes_text(found, one, events, viewer, who)]
    return tuple(text for text in (*texts, swings_text(found), f"Moves are compared with those of the {name}.") if text)


def open_lobby(session: GameSession | None, ask_forced: bool, port: int, opening: bool, save: Path | None) -> None:
    """Serve a game, or the start page, until Ctrl-C, SIGTERM or SIGHUP; save then, whatever ended it."""
    from atlantis_envs.play.lobby import Lobby
    from atlantis_envs.play.page_session import PageSession
    from atlantis_envs.play.server import make_app

    names = [player.name for player in session.seats or ()] if session is not None else []
    page = None if session is None else PageSession(session, names, ask_forced, warm=True)
    lobby = Lobby(page, agents_of, warm=True, review=costly_decisions)
    _serve(lambda at, token: make_app(lobby, at, token), port, opening, partial(_save_at_the_end, lobby, save))


def open_page(html: str, port: int, opening: bool) -> None:
    """Serve a page that needs nothing else until Ctrl-C."""
    from atlantis_envs.play.server import make_page_app

    _serve(lambda at, token: make_page_app(html, at, token), port, opening)


def _serve(
    app: Callable[[int, str], ASGIApp], port: int, opening: bool, at_end: Callable[[], None] = lambda: None
) -> None:
    """Serve what is made for a port and a token, and say where."""
    import webbrowser

    from atlantis_envs.play.server import address, listen, make_server, new_token

    try:
        listening = listen(port)
    except OSError as error:
        fail(f"--port {port}: cannot be listened on ({error.strerror or error}); allowed: a free port, or 0 for any")
    at, token = listening.getsockname()[1], new_token()
    server = make_server(app(at, token))
    with heard_by(server.handle_exit):  # also before it runs, and while the game is saved
        try:
            typer.echo(f"Open {address(at, token)}\nCtrl-C ends it.")
            if opening:
                webbrowser.open(address(at, token))
            with suppress(KeyboardInterrupt):  # which uvicorn raises again where somebody else handles Ctrl-C
                server.run(sockets=[listening])
        finally:
            at_end()
