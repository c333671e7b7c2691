"""``atlantis compensate``, ``luck`` and ``profile``: what makes seats fair, what decides games, what games are like."""

from __future__ import annotations

from typing import Annotated

import typer

from atlantis_training import GAMES_LIMIT
from atlantis_training.cli.common import (
    GOES_ON,
    AgentText,
    DataFile,
    GameName,
    Minutes,
    OptionList,
    PlayerCount,
    Ray,
    Results,
    Resume,
    Seed,
    Workers,
    check_out,
    chosen_game,
    chosen_workers,
    require,
    show_report,
    stopped,
)


def compensate_command(
    game: GameName,
    at: Annotated[str, typer.Option("--at", metavar="AGENT,AGENT", help="agents for whom it is to be fair")],
    by: Annotated[str, typer.Option("--by", help="start_hand, points, ties or order")],
    margin: Annotated[float, typer.Option("--margin", help="distance from an equal share that counts as fair")] = 0.02,
    games: Annotated[
        int, typer.Option("--games", "-g", min=100, max=GAMES_LIMIT, help="most fresh games of each layout and agent")
    ] = 32_000,
    players: PlayerCount = None,
    minutes: Minutes = None,
    seed: Seed = 0,
    workers: Workers = None,
    ray: Ray = None,
    out: Results = None,
    resume: Resume = False,
    option: OptionList = None,
    data: DataFile = None,
) -> None:
    """Find start hands, points or broken ties that make the seats fair, for several agents at once."""
    require("eval", "scipy", "matplotlib", "rich")
    from atlantis_training.bars import games_bar
    from atlantis_training.evaluation.compensate import (
        Unfinished,
        check_question,
        compensate,
        open_games,
    )
    from atlantis_training.evaluation.measure import tried_agents
    from atlantis_training.signals import reporting

    built, agents = chosen_game(game, players, option, data), [text.strip() for text in at.split(",")]
    check_question(built, agents, margin)
    tried_agents(built, agents)  # what is wrong shows now
    check_out(out, resume)
    store = None if out is None else open_games(out / "compensation.jsonl", built, agents, seed, resume)
    rest = GOES_ON if store else ""
    with chosen_workers(ray, workers) as hired, reporting() as stop:
        try:
            found = compensate(
                built, agents, by, margin, seed, hired, minutes=minutes, games=games, store=store, bar=games_bar
            )
        except (Unfinished, KeyboardInterrupt):
            stopped(f"no layout has played its fresh games{rest}")
        show_report(found.report(), out)
    if found.interrupted or stop.asked:
        stopped(f"the table shows what was known by then{rest}")


def luck_command(
    game: GameName,
    population: Annotated[
        str, typer.Option("--population", metavar="AGENT,AGENT,...", help="who plays; all line-ups of them are played")
    ],
    games: Annotated[int, typer.Option("--games", "-g", min=40, max=GAMES_LIMIT, help="games of each line-up")] = 1000,
    streams: Annotated[
        bool, typer.Option("--streams", help="split luck by chance stream; takes about ten times as long")
    ] = False,
    players: PlayerCount = None,
    minutes: Minutes = None,
    seed: Seed = 0,
    workers: Workers = None,
    ray: Ray = None,
    out: Results = None,
    resume: Resume = False,
    option: OptionList = None,
    data: DataFile = None,
) -> None:
    """Measure how much of a result is skill, seat and luck, and how many games tell who is better."""
    require("eval", "rich", "matplotlib")
    from atlantis_training.bars import games_bar
    from atlantis_training.evaluation.luck import line_ups_of, luck, open_games, variants_of
    from atlantis_training.evaluation.measure import tried_agents
    from atlantis_training.signals import reporting

    built = chosen_game(game, players, option, data)
    agents, line_ups = line_ups_of(built, [text.strip() for text in population.split(",")])
    tried_agents(built, agents)  # not inside the bar: it may compile
    check_out(out, resume)
    store = None if out is None else open_games(out / "luck.jsonl", built, agents, seed, resume, streams)
    rest = GOES_ON if store else ""
    with chosen_workers(ray, workers) as hired, reporting() as stop:
        try:
            with games_bar("luck", games * len(line_ups) * len(variants_of(built, streams))) as advance:
                found = luck(built, agents, games, seed, hired, advance, streams=streams, minutes=minutes, store=store)
        except KeyboardInterrupt:
            stopped(f"too few games were finished{rest}")
        show_report(found.report(), out)
    if found.measured.interrupted or stop.asked:
        stopped(
            f"{found.measured.games:,} of {games:,} games of each line-up were finished; the table shows these{rest}"
        )


def profile_command(
    game: GameName,
    agent: AgentText,
    games: Annotated[int, typer.Option("--games", "-g", min=10, max=GAMES_LIMIT, help="how many")] = 200,
    playouts: Annotated[
        int, typer.Option("--playouts", min=2, max=1000, help="copies of a decision that are played on, twice; even")
    ] = 16,
    every: Annotated[int, typer.Option("--every", min=1, max=1000, help="look at one of so many decisions")] = 1,
    value: Annotated[
        str | None,
        typer.Option("--value", metavar="AGENT", help="whose values are checked; default: the agent's, or search:16's"),
    ] = None,
    players: PlayerCount = None,
    minutes: Minutes = None,
    seed: Seed = 0,
    workers: Workers = None,
    ray: Ray = None,
    out: Results = None,
    resume: Resume = False,
    option: OptionList = None,
    data: DataFile = None,
) -> None:
    """Measure what a game is like: choices, length, changes of lead, comebacks, and how much decisions matter."""
    require("eval", "rich", "matplotlib")
    from atlantis_training.bars import games_bar
    from atlantis_training.evaluation.profile import open_games, profile, question_of
    from atlantis_training.signals import reporting

    built = chosen_game(game, players, option, data)
    question = question_of(built, agent, playouts, every, seed, value)  # not inside the bar: it may compile
    check_out(out, resume)
    store = None if out is None else open_games(out / "profile.jsonl", question, resume)
    rest = GOES_ON if store else ""
    with chosen_workers(ray, workers) as hired, reporting() as stop:
        try:
            with games_bar("profile", games) as advance:
                found = profile(
                    built, agent, games, seed, hired, advance, playouts=playouts, every=every, value=value,
                    minutes=minutes, store=store,
                )  # fmt: skip
        except KeyboardInterrupt:
            stopped(f"too few games were finished{rest}")
        show_report(found.report(), out)
    if found.measured.games < games or stop.asked:
        stopped(f"{found.measured.games:,} of {games:,} games were finished; the table shows these{rest}")
