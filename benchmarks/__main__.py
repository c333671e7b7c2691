"""Print every speed figure of the README, beside two other libraries measured in the same run."""

from __future__ import annotations

import argparse
import os
import platform
import sys
from importlib import import_module

import atlantis_envs
from atlantis_agents.heuristic import heuristic_names
from atlantis_envs.registry import definition
from benchmarks import measure, peers
from benchmarks.measure import Rate, short

SMALL, LARGE = 1024, 16_384
# Further measurements: module, function, and what it shows.
OTHERS = {
    "chain": ("chain", "main", "time per decision of every layer"),
    "search": ("search", "main", "what is simulated in a second"),
    "strength": ("strength", "main", "what agents win and cost"),
    "training": ("training", "main", "where the time of self-play training goes"),
    "journeys": ("journeys", "main", "what a call passes"),
    "paired": ("paired", "main", "heuristics of two versions of the source by turns"),
    "faces": ("paired", "faces_main", "a step of every face in two versions of the source"),
    "values": ("experiments.values", "main", "a value network that a search asks, fitted to games of an agent"),
    "allocation": ("experiments.allocation", "main", "what ways to share out simulations gain"),
    "ablations": ("experiments.ablations", "main", "what each step of learning brings"),
    "errors": ("experiments.errors", "main", "which errors lose Atlantis Rising"),
    "calibration": ("experiments.calibration", "main", "which value of positions tells the truth"),
    "cluster": ("experiments.cluster", "main", "what a second worker of a Ray cluster adds"),
    "compile": ("experiments.compiling", "main", "what an edit of the rules costs"),
    "conventions": ("experiments.conventions", "main", "PettingZoo's own test suite"),
    "exploitability": ("experiments.exploitability", "main", "best responses in games small enough for them"),
    "leaf": ("experiments.leaf", "main", "fit the value of a game to how games of an agent end"),
    "learner": ("experiments.learner", "main", "our learner beside that of sb3-contrib"),
    "weights": ("experiments.weights", "main", "fit the heuristic of Atlantis Rising"),
}


def main() -> None:
    """Measure and print."""
    if sys.argv[1:2] and sys.argv[1] in OTHERS:
        module, function, _ = OTHERS[sys.argv[1]]
        sys.exit(getattr(import_module(f"benchmarks.{module}"), function)(sys.argv[2:]))
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("games", nargs="*", default=list(atlantis_envs.game_names()), help="which games (default: all)")
    parser.add_argument("--no-peers", action="store_true", help="leave out the other libraries")
    others = "; ".join(f"python -m benchmarks {name}: {about}" for name, (_, _, about) in OTHERS.items())
    parser.epilog = f"{others}; each has its own --help"
    arguments = parser.parse_args()
    print(f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    print("Medians of 5 runs of 1 s (slowest-fastest); machines are noisy, trust the ratios.\n")
    for name in arguments.games:
        measure_game(name)
    print(f"import atlantis_envs: {measure.import_seconds():.2f} s\n")
    if not arguments.no_peers:
        compare(arguments.games)


def measure_game(name: str) -> None:
    """Measure and print all figures of one game."""
    game = definition(name)
    print(f"{game.title}")
    for players in range(game.min_players, game.max_players + 1):
        decisions, games = measure.stepping(name, players, SMALL)
        row(f"batch {SMALL}, 1 core, {players} players, random", decisions, f"{short(games.median)} games/s")
    one, _ = measure.stepping(name, game.default_players, LARGE, threads=1)
    two, _ = measure.stepping(name, game.default_players, LARGE, threads=2)
    row(f"batch {LARGE}, 1 thread", one)
    row(f"batch {LARGE}, 2 threads", two, f"x {two.median / one.median:.2f}")
    alone = [measure.step_milliseconds(name, game.default_players, LARGE, threads) for threads in (1, 2)]
    print(f"  step alone, batch {LARGE}: {alone[0]:.2f} ms, 2 threads {alone[1]:.2f} ms, x {alone[0] / alone[1]:.2f}")
    if name not in heuristic_names():
        print("  no heuristic agent")
    else:
        heuristic_row(name)
    row("PettingZoo raw_env()", measure.aec(name, game.default_players, wrapped=False))
    row("PettingZoo env()", measure.aec(name, game.default_players, wrapped=True))
    print(
        f"  clone in bulk: {measure.bulk_clone_nanoseconds(name):.0f} ns; "
        f"Position.clone: {measure.position_clone_nanoseconds(name):.0f} ns"
    )
    cold, warm = measure.first_step_seconds(name)
    print(f"  first step from a fresh process: {cold:.1f} s cold (compiling), {warm:.2f} s warm\n")


def heuristic_row(name: str) -> None:
    """Print how many games heuristic agents play."""
    decisions, games = measure.stepping(name, definition(name).default_players, SMALL, agent="heuristic")
    row(f"heuristic agents, batch {SMALL}, 1 core", decisions, f"{short(games.median)} games/s")


def row(label: str, value: Rate, note: str = "") -> None:
    """Print one line of the table."""
    print(f"  {label:<48} {value!s:>28} decisions/s  {note}")


def compare(names: list[str]) -> None:
    """Print ratios to other libraries; the games differ, so these say what a user waits for, not who codes better."""
    print("Beside other libraries, same loop, same run, one core (the games differ)")
    backgammon, label = peers.open_spiel_backgammon()
    row(label, backgammon)
    print(f"  OpenSpiel backgammon, State.clone: {peers.open_spiel_clone_nanoseconds():.0f} ns")
    raw, raw_label = peers.pettingzoo_connect_four(wrapped=False)
    row(raw_label, raw)
    wrapped, wrapped_label = peers.pettingzoo_connect_four(wrapped=True)
    row(wrapped_label, wrapped)
    print("\n  | game | batch 1,024 / OpenSpiel backgammon | raw_env / connect four | env / connect four |")
    print("  |---|---|---|---|")
    for name in names:
        players = definition(name).default_players
        batch, _ = measure.stepping(name, players, SMALL)
        own_raw, own_env = measure.aec(name, players, wrapped=False), measure.aec(name, players, wrapped=True)
        ratios = (batch.median / backgammon.median, own_raw.median / raw.median, own_env.median / wrapped.median)
        print(f"  | {name} | " + " | ".join(f"x {ratio:.3g}" for ratio in ratios) + " |")


if __name__ == "__main__":
    main()
