"""``atlantis evaluate``, ``atlantis seats``, ``atlantis levels`` and ``atlantis bench``."""

from __future__ import annotations

import subprocess
import sys
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from atlantis_envs.base.values import one_line, shown
from atlantis_training.cli.common import (
    AgentText,
    DataFile,
    GameName,
    OptionList,
    PlayerCount,
    PlayerCounts,
    Ray,
    Results,
    Seed,
    Workers,
    chosen_game,
    chosen_options,
    counts,
    fail,
    hands,
    make_directory,
    player_counts,
    require,
    show_page,
    stopped,
)
from atlantis_training.lab.limits import GAMES_LIMIT

MOST_REPLAYS = 1000

if TYPE_CHECKING:
    from atlantis_training.lab.evaluation import Evaluation
    from atlantis_training.lab.order import SeatStudy
    from atlantis_training.lab.workers import Players
    from atlantis_training.lab.workers import Workers as Workforce


def evaluate_command(
    game: GameName,
    agents: Annotated[
        list[str],
        typer.Argument(
            metavar="AGENT...", help="names, or directories of policies or runs; the last takes the seats that are left"
        ),
    ],
    blocks: Annotated[
        int, typer.Option("--blocks", "-b", min=1, max=GAMES_LIMIT, help="games of each rotation of the seats")
    ] = 1000,
    players: PlayerCount = None,
    seed: Seed = 0,
    workers: Workers = None,
    ray: Ray = None,
    out: Results = None,
    replays: Annotated[
        int, typer.Option("--replays", min=0, max=MOST_REPLAYS, metavar="K", help="keep K games, the best and the last")
    ] = 0,
    replay_dir: Annotated[
        Path | None, typer.Option("--replay-dir", metavar="DIR", help="keep them there [default: replays, in --out]")
    ] = None,
    option: OptionList = None,
    data: DataFile = None,
) -> None:
    """Measure agents at one table, in all rotations of the seats with the same luck."""
    require("eval", "scipy", "rich")
    from atlantis_training.bars import games_bar
    from atlantis_training.lab.evaluation import evaluate, fill_line_up
    from atlantis_training.lab.evaluation_page import evaluation_markdown, write_evaluation
    from atlantis_training.lab.workers import Players, rotations

    if replay_dir is not None and not replays:
        fail("--replay-dir: goes with --replays K")
    built = chosen_game(game, players, option, data)
    line_up = fill_line_up(agents, built.players)
    make_directory(out)
    kept = replay_dir or Path(out or ".") / "replays"
    if replays:
        make_directory(kept)
    with hands(ray, workers) as crew:
        playing = Players(built, line_up)  # not inside the bar: it may compile
        with games_bar("evaluate", blocks * len(rotations(line_up))) as advance:
            result = evaluate(playing, blocks, seed, crew, advance)
    if result.blocks == 0:
        stopped("no block was finished")
    show_page(evaluation_markdown(result), partial(write_evaluation, result), out)
    if replays:
        _keep(playing, result, replays, kept)
    if result.interrupted:
        stopped(f"{result.blocks:,} of {result.requested:,} blocks were finished; the tables show these")


def _keep(players: Players, result: Evaluation, count: int, directory: Path) -> None:
    """Write replays of the best and the last games, and say how to see one."""
    from atlantis_training.lab.kept import keep_replays, wanted
    from atlantis_training.lab.pages import shell_word

    try:
        paths = keep_replays(players, result, count, directory)
    except OSError as error:
        fail(f"--replay-dir {shown(directory)}: cannot be written ({error.strerror or error})")
    asked = len(wanted(result, count))
    if len(paths) < asked:
        typer.echo(
            f"No replay of {asked - len(paths)} of {asked} games, which came out otherwise when played again: an agent "
            f"here is no function of what it sees ({', '.join(map(one_line, dict.fromkeys(result.line_up)))}).",
            err=True,
        )
    if paths:
        typer.echo(
            f"Written: {len(paths)} replays in {shown(directory)}. See one: atlantis replay {shell_word(paths[0])}"
        )


def seats_command(
    game: GameName,
    agent: AgentText = "heuristic",
    players: PlayerCounts = None,
    games: Annotated[
        int | None,
        typer.Option("--games", "-g", min=100, max=GAMES_LIMIT, help="games of each; default: as --precision needs"),
    ] = None,
    precision: Annotated[
        float, typer.Option("--precision", help="wanted half-width of the 95 % intervals of win shares, 0.0001 or more")
    ] = 0.005,
    seed: Seed = 0,
    workers: Workers = None,
    ray: Ray = None,
    out: Results = None,
    option: OptionList = None,
    data: DataFile = None,
) -> None:
    """Who profits from the order of play: the same agent in every seat."""
    require("eval", "scipy", "matplotlib", "rich")
    from atlantis_training.lab.order import check_question, correct
    from atlantis_training.lab.order_page import seats_markdown, write_seats
    from atlantis_training.lab.workers import Players

    tables = [chosen_game(game, count, option, data) for count in player_counts(game, players, fewest=2)]
    for built in tables:
        check_question(built, precision)
    make_directory(out)
    everybody = [Players(one, (agent,) * one.players) for one in tables]  # what is wrong shows now, not after hours
    studies: list[SeatStudy] = []
    try:
        with hands(ray, workers) as crew:
            for playing in everybody:
                studies.append(_study(playing, games, precision, seed, crew))
                if studies[-1].interrupted:
                    break
    except KeyboardInterrupt:
        if not studies:
            stopped("no game was finished")
    early = len(studies) < len(tables) or studies[-1].interrupted
    studies = correct(studies)
    show_page(seats_markdown(studies), partial(write_seats, studies), out)
    if early:
        last = studies[-1]
        stopped(f"{last.table.games:,} of {last.requested:,} games at {last.game.players} players were finished")


def _study(playing: Players, games: int | None, precision: float, seed: int, workers: Workforce) -> SeatStudy:
    """Play a pilot, print its plan, and play the study."""
    from atlantis_training.bars import games_bar
    from atlantis_training.lab.order import FEWEST_GAMES, PILOT_GAMES, make_plan, study

    players = playing.game.players
    with games_bar(f"{players} players, pilot", PILOT_GAMES) as advance:
        plan = make_plan(playing, precision, seed, workers, advance)
    requested = max(FEWEST_GAMES, plan.needed) if games is None else games
    typer.echo(
        f"{players} players: {plan.needed:,} games give intervals of ± {precision:g}, {plan.to_see:,} show a lead "
        f"of {plan.advantage:g} four times in five; playing {requested:,}.",
        err=True,
    )
    with games_bar(f"{players} players", requested) as advance:
        return study(playing, plan, requested, seed, workers, advance)


def levels_command(
    game: GameName,
    agent: AgentText = "heuristic",
    players: PlayerCounts = None,
    levels: Annotated[str, typer.Option("--levels", "-l", help="1, or 1,2,5")] = "1,2,3,4,5",
    games: Annotated[int, typer.Option("--games", "-g", min=100, max=GAMES_LIMIT, help="games of each cell")] = 2000,
    seed: Seed = 0,
    workers: Workers = None,
    ray: Ray = None,
    out: Results = None,
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
    with (
        suppress(KeyboardInterrupt),
        hands(ray, workers) as crew,
        games_bar("levels", games * len(tables)) as advance,
    ):
        for playing in everybody:
            cell = evaluate(playing, games, seed, crew, advance)
            cells += [cell] if cell.blocks else []
            if cell.interrupted:
                break
    if not cells:
        stopped("no game was finished")
    show_page(levels_markdown(cells), partial(write_levels, cells), out)
    if len(cells) < len(tables) or cells[-1].interrupted:
        last = f"the last with {cells[-1].blocks:,} of {games:,} games" if cells[-1].interrupted else "all whole"
        stopped(f"{len(cells)} of {len(tables)} cells, {last}")


def bench_command(
    games: Annotated[list[str] | None, typer.Argument(metavar="[GAME]...", help="which games; default: all")] = None,
    peers: Annotated[bool, typer.Option("--peers/--no-peers", help="measure other libraries too")] = True,
) -> None:
    """Measure the speed of the engine (in a checkout of the project)."""
    import atlantis_envs

    root = Path(atlantis_envs.__file__).resolve().parents[1]
    if not (root / "benchmarks" / "__main__.py").exists():
        fail("bench: the benchmarks are part of a checkout of the project, not of an installation")
    for game in games or ():
        chosen_game(game)
    command = [sys.executable, "-m", "benchmarks", *(games or ()), *([] if peers else ["--no-peers"])]
    raise typer.Exit(subprocess.run(command, cwd=root, check=False).returncode)
