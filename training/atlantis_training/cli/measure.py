"""``atlantis evaluate``, ``atlantis seats``, ``atlantis levels`` and ``atlantis bench``."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from atlantis_envs.base.values import one_line, repr_short
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
    Tables,
    Workers,
    chosen_game,
    chosen_options,
    chosen_workers,
    counts,
    fail,
    make_directory,
    player_counts,
    require,
    show_report,
    stopped,
)
from atlantis_training.evaluation.limits import GAMES_LIMIT

MOST_REPLAYS = 1000

if TYPE_CHECKING:
    from atlantis_envs.engine.game import Game
    from atlantis_envs.seats.agents import Agent
    from atlantis_training.evaluation.evaluate import Evaluation
    from atlantis_training.evaluation.seats import SeatStudy
    from atlantis_training.evaluation.workers import Workers as ChosenWorkers


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
    out: Tables = None,
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
    from atlantis_training.evaluation.evaluate import evaluate, evaluation_report
    from atlantis_training.evaluation.measure import fill_line_up, rotations, tried_agents
    from atlantis_training.signals import reporting

    if replay_dir is not None and not replays:
        fail("--replay-dir: goes with --replays K")
    built = chosen_game(game, players, option, data)
    line_up = fill_line_up(agents, built.players)
    make_directory(out)
    directory = replay_dir or Path(out or ".") / "replays"
    if replays:
        make_directory(directory)
    with chosen_workers(ray, workers) as hired:
        found = tried_agents(built, line_up)  # not inside the bar: it may compile
        with reporting() as stop:
            with games_bar("evaluate", blocks * len(rotations(line_up))) as advance:
                result = evaluate(built, line_up, blocks, seed, hired, advance, agents=found)
            if result.blocks == 0:
                stopped("no block was finished")
            show_report(evaluation_report(result), out)
    if replays:
        _save(result, found, replays, directory)
    if result.interrupted or stop.asked:
        stopped(f"{result.blocks:,} of {result.requested:,} blocks were finished; the tables show these")


def _save(result: Evaluation, agents: Mapping[str, Agent], count: int, directory: Path) -> None:
    """Write replays of the best and the last games, and say how to see one."""
    from atlantis_training.evaluation.report import shell_word
    from atlantis_training.evaluation.saved_games import save_games, wanted

    try:
        paths = save_games(result, agents, count, directory)
    except OSError as error:
        fail(f"--replay-dir {repr_short(directory)}: cannot be written ({error.strerror or error})")
    asked = len(wanted(result, count))
    if len(paths) < asked:
        typer.echo(
            f"No replay of {asked - len(paths)} of {asked} games, which came out otherwise when played again: an agent "
            f"here is no function of what it sees ({', '.join(map(one_line, dict.fromkeys(result.line_up)))}).",
            err=True,
        )
    if paths:
        typer.echo(
            f"Written: {len(paths)} replays in {repr_short(directory)}. See one: atlantis replay {shell_word(paths[0])}"
        )


def seats_command(
    game: GameName,
    agent: AgentText = "heuristic",
    players: PlayerCounts = None,
    games: Annotated[
        int | None,
        typer.Option(
            "--games",
            "-g",
            min=100,
            max=GAMES_LIMIT,
            help="games of each; default: as --precision needs, the first 2,000 say it",
        ),
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
    require("eval", "scipy", "matplotlib", "rich", "statsmodels")
    from atlantis_training.evaluation.measure import tried_agents
    from atlantis_training.evaluation.seats import check_question, correct, seats_report
    from atlantis_training.signals import reporting

    tables = [chosen_game(game, count, option, data) for count in player_counts(game, players, fewest=2)]
    for built in tables:
        check_question(built, precision)
    make_directory(out)
    found = [tried_agents(built, [agent]) for built in tables]  # what is wrong shows now, not after hours
    studies: list[SeatStudy] = []
    with chosen_workers(ray, workers) as hired, reporting() as stop:
        with suppress(KeyboardInterrupt):
            for built, agents in zip(tables, found, strict=True):
                studies.append(_study(built, agents, games, precision, seed, hired))
                if studies[-1].interrupted or stop.asked:
                    break
        if not studies:
            stopped("no game was finished")
        studies = correct(studies)
        show_report(seats_report(studies), out)
    if len(studies) < len(tables) or studies[-1].interrupted or stop.asked:
        last = studies[-1]
        stopped(f"{last.table.games:,} of {last.requested:,} games at {last.game.players} players were finished")


def _study(
    game: Game, agents: Mapping[str, Agent], games: int | None, precision: float, seed: int, workers: ChosenWorkers
) -> SeatStudy:
    """Play the study; where its size is to be found, its first games say it, and a line says what they say."""
    from atlantis_training.bars import games_bar
    from atlantis_training.evaluation.seats import PILOT_GAMES, Plan, study

    (agent,), players = agents, game.players
    with ExitStack() as bars:
        title = f"{players} players" if games else f"{players} players, the first games"
        advance = bars.enter_context(games_bar(title, games or PILOT_GAMES))

        def planned(plan: Plan, more: int) -> Callable[[int], None]:
            bars.close()
            typer.echo(
                f"{players} players: {plan.needed:,} games give intervals of ± {precision:g}, {plan.to_see:,} show a "
                f"lead of {plan.advantage:g} four times in five; playing {more:,} more.",
                err=True,
            )
            return bars.enter_context(games_bar(f"{players} players", more))

        return study(game, agent, games, precision, seed, workers, advance, planned=planned, agents=agents)


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
    from atlantis_training.evaluation.evaluate import evaluate
    from atlantis_training.evaluation.levels import LEVEL, level_of, levels_report
    from atlantis_training.evaluation.measure import tried_agents
    from atlantis_training.signals import reporting

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
    found = [tried_agents(built, [agent]) for built in tables]  # what is wrong shows now, not after hours
    cells: list[Evaluation] = []
    with chosen_workers(ray, workers) as hired, reporting() as stop:
        with suppress(KeyboardInterrupt), games_bar("levels", games * len(tables)) as advance:
            for built, agents in zip(tables, found, strict=True):
                cell = evaluate(built, (agent,) * built.players, games, seed, hired, advance, agents=agents)
                cells += [cell] if cell.blocks else []
                if cell.interrupted or stop.asked:
                    break
        if not cells:
            stopped("no game was finished")
        show_report(levels_report(cells), out)
    if len(cells) < len(tables) or cells[-1].interrupted or stop.asked:
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
