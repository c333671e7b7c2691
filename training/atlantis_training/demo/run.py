"""``python -m atlantis_training.demo``: train an agent, measure it, see who profits from going first, report."""

from __future__ import annotations

import argparse
import platform
import shutil
import time
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

import atlantis_envs
from atlantis_agents.features import feature_names
from atlantis_agents.heuristic import find_heuristic
from atlantis_agents.networks.policy import PolicyAgent
from atlantis_envs.base.values import decimal_number, repr_short, visible, whole_number
from atlantis_envs.engine.game import Game
from atlantis_envs.errors import AtlantisError, OptionError
from atlantis_training import GAMES_LIMIT
from atlantis_training.bars import TimeLeft
from atlantis_training.demo.page import FEWEST_GAMES, USUAL, DemoResult, Games, measure, write_report
from atlantis_training.selfplay.checkpoint import generations, locked, newest_generation
from atlantis_training.selfplay.pool import make_game
from atlantis_training.selfplay.report import Outcome, Report
from atlantis_training.selfplay.run import CHECKPOINTS, SETTINGS, Run
from atlantis_training.selfplay.settings import ALL_SEATS, SelfPlaySettings, read_toml, settings_from
from atlantis_training.signals import end_like_ctrl_c, reporting

MOST_SECONDS = 86_400.0


def _seconds(text: str) -> float:
    seconds = decimal_number(text, exponent=True)
    if seconds is None or not 0 < seconds <= MOST_SECONDS:
        raise argparse.ArgumentTypeError(f"{repr_short(text)}; allowed: more than 0, at most {MOST_SECONDS:g}")
    return seconds


def _games(text: str) -> int:
    games = whole_number(text)
    if games is None or not FEWEST_GAMES <= games <= GAMES_LIMIT:
        raise argparse.ArgumentTypeError(f"{repr_short(text)}; allowed: {FEWEST_GAMES} or more, at most {GAMES_LIMIT}")
    return games


def _players(text: str) -> int:
    players = whole_number(text)
    if players is None:
        raise argparse.ArgumentTypeError(f"{repr_short(text)}; allowed: a whole number")
    return players


def main() -> None:
    """Parse the command line and run the demo."""
    end_like_ctrl_c()
    parser = argparse.ArgumentParser(prog="python -m atlantis_training.demo", description=__doc__)
    parser.add_argument("--game", default="atlandice", choices=atlantis_envs.game_names())
    parser.add_argument("--players", type=_players, default=None, help="seats (default: the game's usual number)")
    parser.add_argument("--seconds", type=_seconds, default=120.0, help="time to train (default: 120)")
    parser.add_argument("--out", type=Path, default=Path("demo"), help="directory for report and policy")
    parser.add_argument("--games", type=_games, default=None, help="games of each measurement, few for a quick try")
    arguments = parser.parse_args()
    games = USUAL if arguments.games is None else Games(arguments.games, arguments.games)
    try:
        game = atlantis_envs.game(arguments.game, players=arguments.players)
        report, interrupted = run(game, demo_settings(game, arguments.seconds), arguments.out, Console(), games)
    except KeyboardInterrupt:  # before it trains; while it does, training ends, and later what was measured is reported
        parser.exit(130, "Interrupted.\n")
    except (AtlantisError, OSError, MemoryError) as error:
        parser.exit(2, f"Error: {visible(' '.join(str(error).split()))}\n")
    print(f"\nReport: {repr_short(report.resolve())}")
    if interrupted:
        parser.exit(130, "Interrupted: the report has what was measured until then.\n")


def run(
    game: Game,
    settings: SelfPlaySettings,
    out: Path,
    console: Console,
    games: Games = USUAL,
) -> tuple[Path, bool]:
    """Train, evaluate, report; a progress bar each. An earlier demo in ``out`` is replaced.

    Returns:
        The path of the report, and whether a signal ended the measurements.

    Raises:
        OptionError: ``out`` is in use, or holds a run that is more than a demo.
    """
    started = time.perf_counter()
    make_way(out)
    training = Run.begin(out, settings)  # compiles now, with its own line, not inside a progress bar
    with _bars(console) as bars:
        outcome = _train(training, bars)
    with reporting() as stop:
        with _bars(console) as bars:
            measured = measure(game, PolicyAgent(game, outcome.policy), games, bars)
        machine = f"{platform.machine()}, Python {platform.python_version()}"
        found = (training.learner.imitated, training.curve, measured)
        result = DemoResult(game, settings, outcome, *found, time.perf_counter() - started, machine)
        return write_report(result, out), stop.asked


def _bars(console: Console) -> Progress:
    columns = (TextColumn("{task.description:<46}", markup=False), BarColumn(), TaskProgressColumn())
    return Progress(*columns, TimeElapsedColumn(), TextColumn("left"), TimeLeft(), console=console)


def _train(training: Run, bars: Progress) -> Outcome:
    task = bars.add_task("train", total=1.0)

    def advance(report: Report) -> None:
        bars.update(task, completed=training.spent, description=f"{report.phase}: {report.brief}")

    outcome = training.go(advance)
    bars.update(task, completed=1.0)
    return outcome


# -------------------------------------------------------------------------------------------------- what it trains with


ROUNDS_PER_POINT = 4  # of the learning curve


def demo_settings(game: Game, seconds: float) -> SelfPlaySettings:
    """Return the defaults of ``atlantis train`` for a run that time alone ends, with the best the game has."""
    settings: dict[str, Any] = {
        "players": game.players,
        "seconds": seconds,
        "steps": 10**12,
        "checkpoint_every": ROUNDS_PER_POINT,
        "features": game.name in feature_names(),
        "teacher": "heuristic" if find_heuristic(game.name).deep is None else "planner",
    }
    if game.cooperative:
        settings["learner_seat"] = ALL_SEATS  # one policy is the team: there is nobody to play against
    return SelfPlaySettings(game=game.name, **settings)


# ------------------------------------------------ an earlier demo in its directory gives way, work of the user does not


def make_way(out: Path) -> None:
    """Remove the run of an earlier demo, if there is one.

    Raises:
        OptionError: another process is at work there, or the run is none of the demo, or was gone on with.
    """
    with locked(out):
        if not generations(out / CHECKPOINTS):
            return
        if not _untouched(out):
            allowed = "another directory (--out), or removing it"
            raise OptionError(f"out: {repr_short(out)} holds a run that is more than a demo; allowed: {allowed}")
        shutil.rmtree(out / CHECKPOINTS)


def _untouched(out: Path) -> bool:
    """Return whether a run is what the demo began, with the time it was given then."""
    try:
        _, manifest, _, _ = newest_generation(out / CHECKPOINTS)
        saved = settings_from(manifest["state"]["extra"]["settings"])
        began = settings_from(read_toml(out / SETTINGS))
        return bool(saved == began == demo_settings(make_game(saved), saved.seconds))
    except (AtlantisError, KeyError, TypeError):  # damaged, or of another version: not to be judged
        return False
