"""``atlantis compensate``, ``luck`` and ``profile``: what makes seats fair, what decides games, what games are like."""

from __future__ import annotations

from typing import Annotated

import typer

from atlantis_training import GAMES_LIMIT
from atlantis_training.cli.common import (
    DataFile,
    GameName,
    OptionList,
    PlayerCount,
    Ray,
    Results,
    Resume,
    Seed,
    Workers,
    chosen_game,
    chosen_workers,
    fail,
    make_directory,
    require,
    show_report,
    stopped,
)

GOES_ON = "; --resume goes on"
Minutes = Annotated[float | None, typer.Option("--minutes", min=0.01, help="stop then; default: when it is told")]


def compensate_command(
    game: GameName,
    at: Annotated[str, typer.Option("--at", metavar="AGENT,AGENT", help="agents for whom it is to be fair")],
    by: Annotated[str, typer.Option("--by", help="start_hand, points, ties or order")],
    margin: Annotated[float, typer.Option("--margin", help="distance from an equal share that counts as fair")] = 0.02,
    games: Annotated[
        int, typer.Option("--games", "-g", min=100, max=GAMES_LIMIT, help="most fresh games of each layout and agent")
    ] = 16_000,
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
        compensation_report,
        open_games,
    )
    from atlantis_training.evaluation.measure import tried_agents
    from atlantis_training.signals import reporting

    built, agents = chosen_game(game, players, option, data), [text.strip() for text in at.split(",")]
    check_question(built, agents, margin)
    tried_agents(built, agents)  # what is wrong shows now
    if out is not None:
        make_directory(out)
    elif resume:
        fail("--resume: goes with --out DIR")
    store = None if out is None else open_games(out / "compensation.jsonl", built, agents, seed, resume)
    rest = GOES_ON if store else ""
    with chosen_workers(ray, workers) as hired, reporting() as stop:
        try:
            found = compensate(
                built, agents, by, margin, seed, hired, minutes=minutes, games=games, store=store, bar=games_bar
            )
        except (Unfinished, KeyboardInterrupt):
            stopped(f"no layout has played its fresh games{rest}")
        show_report(compensation_report(found), out)
    if found.interrupted or stop.asked:
        stopped(f"the table shows what was known by then{rest}")
