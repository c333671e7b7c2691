"""``python -m atlantis_training.demo``: train an agent, measure it, see who profits from going first, report."""

from __future__ import annotations

import argparse
import platform
import shutil
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

import atlantis_envs
from atlantis_agents.features import feature_names
from atlantis_agents.heuristic import find_heuristic
from atlantis_agents.networks.policy import PolicyAgent
from atlantis_envs.engine.game import Game
from atlantis_envs.errors import AtlantisError
from atlantis_envs.seats.agents import make_agent
from atlantis_training.bars import timed_bars
from atlantis_training.demo.page import write_report
from atlantis_training.demo.result import DemoResult
from atlantis_training.lab.limits import GAMES_LIMIT
from atlantis_training.lab.matches import evaluate_by_seat
from atlantis_training.lab.order import order_table
from atlantis_training.selfplay.report import Outcome, Report
from atlantis_training.selfplay.run import CHECKPOINTS, Run
from atlantis_training.selfplay.settings import SelfPlaySettings
from atlantis_training.signals import end_like_ctrl_c

ORDER_GAMES = 100_000
GAMES_PER_SEAT = 4_000
FEWEST_GAMES = 2  # that have a spread
MOST_SECONDS = 86_400.0
ROUNDS_PER_POINT = 4  # of the learning curve
EVALUATION_SEED = 1  # training uses seed 0: never measured on the games it learned from


@dataclass(frozen=True)
class Games:
    """How many games are played to measure."""

    per_seat: int = GAMES_PER_SEAT
    order: int = ORDER_GAMES


def _seconds(text: str) -> float:
    seconds = float(text)
    if not 0 < seconds <= MOST_SECONDS:
        raise argparse.ArgumentTypeError(f"{text}; allowed: more than 0, at most {MOST_SECONDS:g}")
    return seconds


def _games(text: str) -> int:
    games = int(text)
    if not FEWEST_GAMES <= games <= GAMES_LIMIT:
        raise argparse.ArgumentTypeError(f"{text}; allowed: {FEWEST_GAMES} or more, at most {GAMES_LIMIT}")
    return games


def main() -> None:
    """Parse the command line and run the demo."""
    end_like_ctrl_c()
    parser = argparse.ArgumentParser(prog="python -m atlantis_training.demo", description=__doc__)
    parser.add_argument("--game", default="atlandice", choices=atlantis_envs.game_names())
    parser.add_argument("--players", type=int, default=None, help="number of seats (default: the game's usual one)")
    parser.add_argument("--seconds", type=_seconds, default=120.0, help="time to train (default: 120)")
    parser.add_argument("--out", type=Path, default=Path("demo"), help="directory for report and policy")
    parser.add_argument("--games", type=_games, default=None, help="games of each measurement, few for a quick try")
    arguments = parser.parse_args()
    try:
        game = atlantis_envs.game(arguments.game, players=arguments.players)
    except AtlantisError as error:
        parser.exit(2, f"Error: {error}\n")
    games = Games() if arguments.games is None else Games(arguments.games, arguments.games)
    try:
        result = run(game, demo_settings(game, arguments.seconds), arguments.out, Console(), games)
        report = write_report(result, arguments.out)
    except KeyboardInterrupt:  # while it trains, training ends; at any other time all does
        parser.exit(130, "Interrupted.\n")
    except (OSError, MemoryError) as error:
        parser.exit(2, f"Error: {error}\n")
    print(f"\nReport: {report.resolve()}".encode(errors="backslashreplace").decode())


def demo_settings(game: Game, seconds: float) -> SelfPlaySettings:
    """The defaults of ``atlantis train`` for a run that time alone ends, with the best the game has to offer."""
    settings: dict[str, Any] = {
        "players": game.players,
        "seconds": seconds,
        "steps": 10**12,
        "checkpoint_every": ROUNDS_PER_POINT,
        "features": game.name in feature_names(),
        "teacher": "heuristic" if find_heuristic(game.name).deep is None else "planner",
    }
    return SelfPlaySettings(game=game.name, **settings)


def run(
    game: Game,
    settings: SelfPlaySettings,
    out: Path,
    console: Console,
    games: Games = Games(),
) -> DemoResult:
    """Train, evaluate, tabulate; a progress bar each. An earlier demo in ``out`` is replaced."""
    started = time.perf_counter()
    shutil.rmtree(out / CHECKPOINTS, ignore_errors=True)
    training = Run.begin(out, settings)  # compiles now, with its own line, not inside a progress bar
    columns = (TextColumn("{task.description:<46}"), BarColumn(), TaskProgressColumn())
    with timed_bars(console, *columns) as bars:
        outcome = _train(training, bars)
        agent = PolicyAgent(game, outcome.policy)
        against = {}
        for name in ("random", "heuristic"):
            task = bars.add_task(f"evaluate against {name}", total=games.per_seat * game.players)
            opponent = make_agent(name, game, seed=EVALUATION_SEED)
            advance = partial(bars.advance, task)
            against[name] = evaluate_by_seat(game, agent, opponent, games.per_seat, EVALUATION_SEED, advance)
        task = bars.add_task("who profits from going first", total=games.order)
        rules_of_thumb = make_agent("heuristic", game, seed=0)
        order = order_table(game, rules_of_thumb, games.order, EVALUATION_SEED, partial(bars.advance, task))
    machine = f"{platform.machine()}, Python {platform.python_version()}"
    found = (training.learner.imitated, training.curve, against, order)
    return DemoResult(game, settings, outcome, *found, time.perf_counter() - started, machine)


def _train(training: Run, bars: Progress) -> Outcome:
    task = bars.add_task("train", total=1.0)

    def advance(report: Report) -> None:
        bars.update(task, completed=training.spent, description=f"{report.phase}: {report.brief}")

    outcome = training.go(advance)
    bars.update(task, completed=1.0)
    return outcome
