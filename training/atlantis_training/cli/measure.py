"""``atlantis evaluate``, ``seats``, ``levels`` and ``ladder``: games that are played to be counted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from atlantis_envs.base.values import decimal_number, one_line, repr_short
from atlantis_training import GAMES_LIMIT
from atlantis_training.cli.common import (
    GOES_ON,
    DataFile,
    GameName,
    OptionList,
    PlayerCount,
    PlayerCounts,
    Ray,
    Results,
    Resume,
    Seed,
    Workers,
    check_out,
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

MOST_REPLAYS = 1000

if TYPE_CHECKING:
    from atlantis_envs.engine.game import Game
    from atlantis_envs.seats.agents import Agent
    from atlantis_training.evaluation.evaluate import Evaluation
    from atlantis_training.evaluation.measure import LineUp
    from atlantis_training.evaluation.store import Store


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
    resume: Resume = False,
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
    require("eval", "scipy", "matplotlib", "rich")
    from atlantis_training.bars import games_bar
    from atlantis_training.evaluation.evaluate import evaluate
    from atlantis_training.evaluation.measure import fill_line_up, rotations, tried_agents
    from atlantis_training.signals import reporting

    if replay_dir is not None and not replays:
        fail("--replay-dir: goes with --replays K")
    built = chosen_game(game, players, option, data)
    line_up = fill_line_up(agents, built.players)
    tables = rotations(line_up)
    check_out(out, resume)
    directory = replay_dir or Path(out or ".") / "replays"
    if replays:
        make_directory(directory)
    with chosen_workers(ray, workers) as hired:
        found = tried_agents(built, line_up)  # not inside the bar: it may compile
        store = None if out is None else _store(out / "evaluation.jsonl", [(built, tables)], seed, resume)
        with reporting() as stop:
            with games_bar("evaluate", blocks * len(tables)) as advance:
                result = evaluate(built, line_up, blocks, seed, hired, advance, agents=found, store=store)
            if result.blocks == 0:
                stopped(f"no block was finished{GOES_ON if store else ''}")
            show_report(result.report(), out)
    if replays:
        _save(result, found, replays, directory)
    if result.interrupted or stop.asked:
        rest = GOES_ON if store and result.interrupted else ""
        stopped(f"{result.blocks:,} of {result.requested:,} blocks were finished; the tables show these{rest}")


def _store(path: Path, played: Iterable[tuple[Game, Iterable[LineUp]]], seed: int, resume: bool) -> Store:
    """Return what keeps the games of these line-ups."""
    from atlantis_training.evaluation.measure import identity, open_store

    return open_store(path, [identity(game, one, seed) for game, line_ups in played for one in line_ups], resume)


def _save(result: Evaluation, agents: Mapping[str, Agent], count: int, directory: Path) -> None:
    """Write replays of the best and the last games, and say how to see one."""
    from atlantis_training.evaluation.evaluate import save_games, wanted
    from atlantis_training.evaluation.report import shell_word

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
    agents: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[AGENT]...",
            help="names, or directories of policies or runs, neighbours in strength side by side  [default: heuristic]",
        ),
    ] = None,
    skills: Annotated[
        bool, typer.Option("--skills", help="agents from random to champion, those that play the game")
    ] = False,
    players: PlayerCounts = None,
    games: Annotated[
        int | None,
        typer.Option(
            "--games", "-g", min=100, max=GAMES_LIMIT, help="games of each agent; default: as --precision needs"
        ),
    ] = None,
    precision: Annotated[
        float, typer.Option("--precision", help="wanted half-width of the 95 % intervals of win shares, 0.0001 or more")
    ] = 0.02,
    minutes: Annotated[
        float | None, typer.Option("--minutes", help="time to be shared out among agents, cheap and dear ones")
    ] = None,
    decide: Annotated[
        bool, typer.Option("--decide", help="end an agent's games as soon as it is known that its places differ")
    ] = False,
    rating_blocks: Annotated[
        int, typer.Option("--rating-blocks", min=0, help="games of every table of neighbours, for ratings; 0: none")
    ] = 100,
    seed: Seed = 0,
    workers: Workers = None,
    ray: Ray = None,
    out: Results = None,
    resume: Resume = False,
    option: OptionList = None,
    data: DataFile = None,
) -> None:
    """Measure who profits from turn order, and whether skill changes it: each agent against itself in every seat."""
    require("eval", "scipy", "matplotlib", "rich", "statsmodels")
    from atlantis_training.bars import games_bar
    from atlantis_training.evaluation.seats import seats
    from atlantis_training.signals import reporting

    if skills and agents:
        fail("--skills: goes without AGENT")
    tables = [chosen_game(game, count, option, data) for count in player_counts(game, players, fewest=2)]
    check_out(out, resume)
    rest = GOES_ON if out else ""
    with chosen_workers(ray, workers) as hired, reporting() as stop:
        try:
            found = seats(
                tables, None if skills else agents or ["heuristic"], games=games, precision=precision, minutes=minutes,
                decide=decide, rating_blocks=rating_blocks, seed=seed, workers=hired, out=out, resume=resume,
                bar=games_bar,
            )  # fmt: skip
        except KeyboardInterrupt:
            stopped(f"no agent has finished two games{rest}")
        show_report(found.report(), out)
    if found.interrupted or stop.asked:
        entries = [entry for table in found.tables for entry in table.agents]
        done, asked = (
            sum(counts) for counts in zip(*((one.table.games, one.requested) for one in entries), strict=True)
        )
        stopped(f"{done:,} of {asked:,} games were finished; the tables show these{rest}")


def levels_command(
    game: GameName,
    agents: Annotated[
        list[str] | None,
        typer.Argument(metavar="[AGENT]...", help="names, or directories of policies or runs  [default: heuristic]"),
    ] = None,
    players: PlayerCounts = None,
    levels: Annotated[str, typer.Option("--levels", "-l", help="1, or 1,2,5")] = "1,2,3,4,5",
    games: Annotated[int, typer.Option("--games", "-g", min=100, max=GAMES_LIMIT, help="games of each cell")] = 2000,
    variants: Annotated[
        str | None,
        typer.Option("--variants", metavar="KEY=VALUE,...", help="options to vary one at a time, on the same games"),
    ] = None,
    eps: Annotated[
        str | None,
        typer.Option("--eps", metavar="0.05,0.1", help="chances of a random move: teams that err so often play too"),
    ] = None,
    causes: Annotated[
        int, typer.Option("--causes", min=0, max=MOST_REPLAYS, metavar="K", help="see how K games a cell were lost")
    ] = 0,
    seed: Seed = 0,
    workers: Workers = None,
    ray: Ray = None,
    out: Results = None,
    resume: Resume = False,
    option: OptionList = None,
    data: DataFile = None,
) -> None:
    """Measure how hard a cooperative game is: games won by players, level and skill, the same agent in every seat."""
    require("eval", "scipy", "matplotlib", "rich", "statsmodels")
    from atlantis_training.bars import games_bar
    from atlantis_training.evaluation.levels import LEVEL, level_of
    from atlantis_training.evaluation.levels import levels as measured_levels
    from atlantis_training.signals import reporting

    varied = variants.split(",") if variants else []
    if LEVEL in chosen_options([*(option or ()), *varied]):
        fail(f"--option {LEVEL}: given twice; allowed: --levels")
    level_of(chosen_game(game, None, option, data))
    steps = [f"{LEVEL}={level}" for level in counts("--levels", levels)]
    several = player_counts(game, players, fewest=1)
    tables = {
        one: [
            chosen_game(game, seats, [*(option or ()), *([one] if one else []), step], data)
            for seats in several
            for step in steps
        ]
        for one in ["", *varied]
    }
    check_out(out, resume)
    rest = GOES_ON if out else ""
    with chosen_workers(ray, workers) as hired, reporting() as stop:
        try:
            found = measured_levels(
                tables, agents or ["heuristic"], games=games, errors=_chances(eps), causes=causes, seed=seed,
                workers=hired, out=out, resume=resume, bar=games_bar,
            )  # fmt: skip
        except KeyboardInterrupt:
            stopped(f"no game was finished{rest}")
        show_report(found.report(), out)
    if found.interrupted or stop.asked:
        done = sum(cell.measured.games for cell in found.cells)
        stopped(f"{done:,} games of {len(found.cells)} cells were finished; the tables show these{rest}")


def _chances(text: str | None) -> list[float]:
    """Read chances with commas between them."""
    found = [decimal_number(part) for part in text.split(",")] if text else []
    chances = [chance for chance in found if chance is not None and 0 < chance <= 1]
    if len(chances) < len(found):
        fail(f"--eps {repr_short(text)}; allowed: numbers above 0, up to 1, with commas")
    return chances


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
    resume: Resume = False,
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
        ladder_store,
        play_ladder,
        two_named,
    )
    from atlantis_training.evaluation.measure import tried_agents
    from atlantis_training.signals import reporting

    ladder = Ladder(chosen_game(game, players, option, data), tuple(agents), seed)
    check_blocks(ladder, blocks)
    pair = None if better is None else two_named(better, agents)
    check_out(out, resume)
    found = tried_agents(ladder.game, ladder.agents)  # what is wrong shows before a file is begun
    store = None if out is None else ladder_store(out, ladder, resume)
    with reporting() as stop:
        with games_bar("ladder", blocks * ladder.games_a_block) as advance:
            played = play_ladder(ladder, blocks, store, workers, advance, pair, found)
        if played.blocks == 0:
            stopped(f"no block was finished{GOES_ON if store else ''}")
        show_report(played.report(), out)
    if played.interrupted or stop.asked:
        rest = GOES_ON if store and played.interrupted else ""
        stopped(f"{played.blocks:,} of {blocks:,} blocks were finished; the tables show these{rest}")
