"""``atlantis levels``: difficulty curves of a cooperative game."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from atlantis_training.cli.common import (
    AgentText,
    DataFile,
    GameName,
    OptionList,
    Seed,
    Workers,
    chosen_game,
    chosen_options,
    counts,
    fail,
    make_directory,
    player_counts,
    require,
    show_markdown,
    stopped,
)
from atlantis_training.lab.limits import GAMES_LIMIT

if TYPE_CHECKING:
    from atlantis_training.lab.evaluation import Evaluation


def levels_command(
    game: GameName,
    agent: AgentText = "heuristic",
    players: Annotated[
        str | None, typer.Option("--players", "-n", help="4, or 2,3,4, or all; default: the game's usual one")
    ] = None,
    levels: Annotated[str, typer.Option("--levels", "-l", help="1, or 1,2,5")] = "1,2,3,4,5",
    games: Annotated[int, typer.Option("--games", "-g", min=100, max=GAMES_LIMIT, help="games of each cell")] = 2000,
    seed: Seed = 0,
    workers: Workers = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="write levels.md, .json, .png and .svg there")
    ] = None,
    option: OptionList = None,
    data: DataFile = None,
) -> None:
    """How hard a cooperative game is: games won by number of players and level, the same agent in every seat."""
    require("eval", "scipy", "matplotlib", "rich")
    from atlantis_training.bars import games_bar
    from atlantis_training.lab.evaluation import evaluate
    from atlantis_training.lab.levels import LEVEL, level_of, levels_markdown, write_levels
    from atlantis_training.lab.workers import Players

    if LEVEL in chosen_options(option):
        fail(f"--option {LEVEL}: given twice; allowed: --levels")
    level_of(chosen_game(game, None, option, data))
    steps = [f"{LEVEL}={level}" for level in counts("--levels", levels)]
    tables = [
        chosen_game(game, seats, [*(option or ()), step], data)
        for seats in player_counts(game, players, fewest=1)
        for step in steps
    ]
    make_directory(out)
    everybody = [Players(one, (agent,) * one.players) for one in tables]  # what is wrong shows now, not after hours
    cells: list[Evaluation] = []
    with suppress(KeyboardInterrupt), games_bar("levels", games * len(tables)) as advance:
        for playing in everybody:
            cell = evaluate(playing, games, seed, workers, advance)
            cells += [cell] if cell.blocks else []
            if cell.interrupted:
                break
    if not cells:
        stopped("no game was finished")
    show_markdown(levels_markdown(cells))
    for path in write_levels(cells, out) if out is not None else ():
        typer.echo(f"Written: {path}")
    if len(cells) < len(tables) or cells[-1].interrupted:
        last = f"the last with {cells[-1].blocks:,} of {games:,} games" if cells[-1].interrupted else "all whole"
        stopped(f"{len(cells)} of {len(tables)} cells, {last}")
