"""``atlantis ladder``."""

from __future__ import annotations

from typing import Annotated

import typer

from atlantis_training.cli.common import (
    DataFile,
    GameName,
    OptionList,
    PlayerCount,
    Results,
    Seed,
    Workers,
    chosen_game,
    fail,
    make_directory,
    require,
    show_report,
    stopped,
)
from atlantis_training.evaluation.limits import GAMES_LIMIT


def ladder_command(
    game: GameName,
    agents: Annotated[
        list[str],
        typer.Argument(
            metavar="AGENT AGENT...", help="names, or directories of policies or runs; the first is rated 0"
        ),
    ],
    blocks: Annotated[
        int, typer.Option("--blocks", "-b", min=2, max=GAMES_LIMIT, help="games of every table, all with the same luck")
    ] = 200,
    players: PlayerCount = None,
    seed: Seed = 0,
    workers: Workers = None,
    out: Results = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="go on with what is in --out, perhaps to more blocks")
    ] = False,
    better: Annotated[
        str | None,
        typer.Option("--better", metavar="A:B", help="stop as soon as it is known whether B is better than A"),
    ] = None,
    option: OptionList = None,
    data: DataFile = None,
) -> None:
    """Rate agents: every one as hero in every seat against every other one."""
    require("eval", "scipy", "matplotlib", "rich", "statsmodels")
    from atlantis_training.bars import games_bar
    from atlantis_training.evaluation.ladder import (
        Ladder,
        check_blocks,
        ladder_report,
        ladder_store,
        make_table,
        play_ladder,
        two_named,
    )
    from atlantis_training.evaluation.measure import tried_agents
    from atlantis_training.signals import reporting

    if resume and out is None:
        fail("--resume: goes with --out DIR")
    ladder = Ladder(chosen_game(game, players, option, data), tuple(agents), seed)
    check_blocks(ladder, blocks)
    pair = None if better is None else two_named(better, agents)
    found = tried_agents(ladder.game, ladder.agents)  # what is wrong shows before a file is begun
    make_directory(out)
    store = None if out is None else ladder_store(out, ladder, resume)
    goes_on = "" if out is None else "; --resume goes on"
    with reporting() as stop:
        with games_bar("ladder", blocks * ladder.games_a_block) as advance:
            played = play_ladder(ladder, blocks, store, workers, advance, pair, found)
        if played.blocks == 0:
            stopped(f"no block was finished{goes_on}")
        show_report(ladder_report(played, make_table(ladder, played.outcomes)), out)
    if played.interrupted or stop.asked:
        rest = goes_on if played.interrupted else ""
        stopped(f"{played.blocks:,} of {blocks:,} blocks were finished; the tables show these{rest}")
