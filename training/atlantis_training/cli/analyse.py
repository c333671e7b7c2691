"""``atlantis analyse``."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from atlantis_envs.base.values import one_line, repr_short
from atlantis_training.cli.common import Seed, fail, require, stopped
from atlantis_training.cli.play import recorded_of_file

if TYPE_CHECKING:
    from atlantis_envs.engine.game import Game
    from atlantis_envs.engine.position import Position
    from atlantis_envs.play.replay import Recorded
    from atlantis_training.evaluation.review import Decision, Reviewed

TIMES, LANES = 8, 60_000  # games from a decision, for luck and skill: as many simulations, and at most of a record
MOST = 10  # mistakes that are listed and marked


def analyse_command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="a replay file")],
    agent: Annotated[
        str,
        typer.Option("--agent", "-a", metavar="WHO", help="who imagines how games go on: search:256, heuristic, ..."),
    ] = "analyst",
    seat: Annotated[int | None, typer.Option("--seat", min=0, help="only this seat's decisions [default: all]")] = None,
    simulations: Annotated[
        int | None,
        typer.Option("--simulations", min=1, help="of every move [default: as many as the agent makes for a decision]"),
    ] = None,
    seed: Seed = 0,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="OUT", help="write the game as a page, curve and mistakes in it")
    ] = None,
    png: Annotated[
        Path | None, typer.Option("--png", metavar="OUT", help="write the curve as a picture; as SVG and PDF beside it")
    ] = None,
) -> None:
    """Look through a recorded game: the largest mistakes, and the win share on the way.

    Every decision is judged from what its seat could know. Ctrl-C keeps what is done.
    """
    require("eval", "rich")
    from atlantis_agents.catalogue import find_agent
    from atlantis_agents.shipped import ANALYST, analyst_text
    from atlantis_envs.engine.game import game_of
    from atlantis_envs.seats.analysis import MOST as MOST_SIMULATIONS
    from atlantis_training.evaluation.review import decisions_of
    from atlantis_training.signals import reporting

    recorded = recorded_of_file(file)
    start, end = recorded.start, recorded.end
    game = game_of(start.game)
    agent = analyst_text(game) if agent == ANALYST else agent
    if seat is not None and seat >= game.players:
        fail(f"--seat {seat}: the game has {game.players} seats; allowed: 0..{game.players - 1}")
    if simulations is not None and simulations > MOST_SIMULATIONS:
        fail(f"--simulations {simulations}; allowed: 1..{MOST_SIMULATIONS}")
    if png is not None:
        require("eval", "matplotlib")
    for flag, out in (("--html", html), ("--png", png)):
        if out is not None and not os.access(out.parent, os.W_OK | os.X_OK):  # said now, not after minutes
            fail(f"{flag} {repr_short(out)}: cannot be written; allowed: a file in a directory of yours")
    find_agent(agent, game)  # what is wrong shows now
    decisions = decisions_of(end, start, seat)
    if not decisions:
        fail(
            f"{repr_short(file)}: "
            f"no decision with an alternative{'' if seat is None else f' of seat {seat}'}; nothing to analyse"
        )
    _check_simulations(decisions[0].position, agent, simulations)
    with reporting() as stop:
        reviewed = _look(decisions, agent, simulations, seed)
        if not reviewed:
            stopped("no decision was analysed")
        _tell(reviewed, game, agent, len(decisions))
        luck = [] if stop.asked else _luck(recorded, game, reviewed, seat, seed)
        for line in luck:
            typer.echo(line)
        _write(reviewed, recorded, _caption(reviewed, agent, seed), luck, seat, html, png)
    if stop.asked:
        stopped(f"{len(reviewed)} of {len(decisions)} decisions were analysed; the above shows these")


def _check_simulations(position: Position, agent: str, simulations: int | None) -> None:
    """Refuse so few that nothing could be said about what a move gave away; one step of an analysis tells how many."""
    from atlantis_envs.seats.analysis import MOST as MOST_SIMULATIONS
    from atlantis_envs.seats.analysis import analysing

    found = next(analysing(position, agent, simulations))
    if found.wanted < found.least:
        fail(f"--simulations {found.wanted}; allowed with {one_line(agent)}: {found.least}..{MOST_SIMULATIONS}")


def _look(decisions: Sequence[Decision], agent: str, simulations: int | None, seed: int) -> list[Reviewed]:
    """Look at as many decisions as there is time for until somebody interrupts."""
    from atlantis_training.bars import games_bar
    from atlantis_training.evaluation.review import review
    from atlantis_training.signals import Stop

    reviewed: list[Reviewed] = []
    with Stop().heard() as stop:
        try:
            with games_bar("analyse", len(decisions), "decisions") as advance, stop.breaking():
                for one in review(decisions, agent, simulations, seed):
                    reviewed.append(one)
                    advance(1)
        except KeyboardInterrupt:
            stop.ask()
    return reviewed


def _caption(reviewed: Sequence[Reviewed], agent: str, seed: int) -> str:
    fewest = min(one.played.simulations for one in reviewed)
    return (
        "Win share of what was played, at every decision with an alternative, for the seat that took it and from what "
        f"it knew; {one_line(agent)}, {fewest} simulations of every move, seed {seed}. The band is the 95 % interval. "
        "Arrows: the largest mistakes, up to what would have been best."
    )


def _tell(reviewed: Sequence[Reviewed], game: Game, agent: str, wanted: int) -> None:
    from atlantis_training.evaluation.report import seats_text
    from atlantis_training.evaluation.review import mistake_text, mistakes_of, percent, totals_of

    mistakes = mistakes_of(reviewed)
    typer.echo(
        f"{game.definition.title}, {seats_text(game.players)}: {len(reviewed)} of {wanted} decisions with an "
        f"alternative; {one_line(agent)}, {reviewed[0].played.simulations} simulations of every move."
    )
    if not mistakes:
        typer.echo("No move was worse than the best one beyond noise.")
    for number, one in enumerate(mistakes[:MOST], 1):
        typer.echo(f"{number:>3}. event {one.number}, seat {one.seat} {mistake_text(one)}")
    if len(mistakes) > MOST:
        typer.echo(f"     and {len(mistakes) - MOST} more beyond noise")
    for total in totals_of(reviewed):
        typer.echo(
            f"seat {total.seat}: {total.decisions} decisions, {total.mistakes} worse than the best beyond noise, "
            f"{percent(total.lost, total.margin)} given away in all"
        )


def _luck(recorded: Recorded, game: Game, reviewed: Sequence[Reviewed], seat: int | None, seed: int) -> list[str]:
    """Return what is luck and what is skill, in sentences."""
    from atlantis_agents.catalogue import find_agent, usual_opponent
    from atlantis_envs.play.replay_page import events_of
    from atlantis_training.evaluation.review import account, balance_text, decisions_of, strokes_text, swings_text

    name, end, start = usual_opponent(game.name), recorded.end, recorded.start
    games = max(2, min(TIMES * reviewed[0].played.simulations, LANES // len(decisions_of(end, start))))
    found, events = account(end, start, find_agent(name, game), games, seed), events_of(end, start)
    lines = [
        f"Chances of winning, in percent: luck is what chance changed; decisions are compared with what {name} would "
        f"have played, in {games} games from each."
    ]
    for one in found.balances:
        if None in (seat, one.seat) or one.seat == seat:
            who = "the team" if one.seat is None else f"seat {one.seat}"
            lines += [balance_text(one, end.node == "over"), strokes_text(found, one, events, seat, who)]
    return [line for line in (*lines, swings_text(found)) if line]


def _write(
    reviewed: Sequence[Reviewed],
    recorded: Recorded,
    caption: str,
    luck: Sequence[str],
    seat: int | None,
    html: Path | None,
    png: Path | None,
) -> None:
    from atlantis_envs.base.files import write_atomically
    from atlantis_envs.play.replay_page import replay_html
    from atlantis_training.evaluation.review import curve, draw_curve

    start, end = recorded.start, recorded.end
    evaluation = replace(curve(reviewed, end, caption, MOST), luck=tuple(luck))
    names = recorded.names or [f"seat {number}" for number in range(end.game.players)]

    def draw(out: Path) -> list[Path]:
        paths = [out, *(out.with_suffix(ending) for ending in (".svg", ".pdf"))]
        draw_curve(evaluation, len(end.log), names, end.game.definition.title, paths)
        return paths

    def page(out: Path) -> list[Path]:
        write_atomically(out, replay_html(end, start, seat, recorded.names, evaluation))
        return [out]

    for flag, target, write in (("--html", html, page), ("--png", png, draw)):
        if target is None:
            continue
        try:
            written = write(target)
        except (OSError, ValueError) as error:
            fail(f"{flag} {repr_short(target)}: cannot be written ({getattr(error, 'strerror', None) or error})")
        for path in written:
            typer.echo(f"Written: {repr_short(path)}")
