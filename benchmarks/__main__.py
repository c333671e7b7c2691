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
from benchmarks import ours, peers
from benchmarks.measure import Rate, short

SMALL, LARGE = 1024, 16_384
SAME = (
    "training", "learner", "journeys", "leaf", "strength", "paired", "faces", "chain", "exploitability", "conventions",
    "cluster", "ablations",
)  # fmt: skip
OTHERS = {name: name for name in SAME} | {"compile": "compiling", "search": "imagining"}  # each with a main of its own


def main() -> None:
    """Measure and print."""
    if sys.argv[1:2] and sys.argv[1] in OTHERS:
        sys.exit(import_module(f"benchmarks.{OTHERS[sys.argv[1]]}").main(sys.argv[2:]))
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("games", nargs="*", default=list(atlantis_envs.game_names()), help="which games (default: all)")
    parser.add_argument("--no-peers", action="store_true", help="leave out the other libraries")
    parser.epilog = (
        "python -m benchmarks training: where the time of self-play training goes; "
        "python -m benchmarks compile: what an edit of the rules costs; "
        "python -m benchmarks learner: our learner beside that of sb3-contrib; "
        "python -m benchmarks journeys: what a call passes; "
        "python -m benchmarks strength: what agents win and cost; "
        "python -m benchmarks paired: heuristics of two versions of the source by turns; "
        "python -m benchmarks faces: a step of every face in two versions of the source; "
        "python -m benchmarks chain: time per decision of every layer; "
        "python -m benchmarks search: what is imagined in a second; "
        "python -m benchmarks exploitability: best responses in games small enough for them; "
        "python -m benchmarks cluster: what a second worker of a Ray cluster adds; "
        "python -m benchmarks ablations: what each step of learning brings; "
        "python -m benchmarks conventions: PettingZoo's own test suite; each has its own --help"
    )
    arguments = parser.parse_args()
    print(f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    print("Medians of 5 runs of 1 s (slowest-fastest); machines are noisy, trust the ratios.\n")
    for name in arguments.games:
        measure_game(name)
    print(f"import atlantis_envs: {ours.import_seconds():.2f} s\n")
    if not arguments.no_peers:
        compare(arguments.games)


def measure_game(name: str) -> None:
    """Measure and print all figures of one game."""
    game = definition(name)
    print(f"{game.title}")
    for players in range(game.min_players, game.max_players + 1):
        decisions, games = ours.stepping(name, players, SMALL)
        row(f"batch {SMALL}, 1 core, {players} players, random", decisions, f"{short(games.median)} games/s")
    one, _ = ours.stepping(name, game.default_players, LARGE, threads=1)
    two, _ = ours.stepping(name, game.default_players, LARGE, threads=2)
    row(f"batch {LARGE}, 1 thread", one)
    row(f"batch {LARGE}, 2 threads", two, f"x {two.median / one.median:.2f}")
    alone = [ours.step_milliseconds(name, game.default_players, LARGE, threads) for threads in (1, 2)]
    print(f"  step alone, batch {LARGE}: {alone[0]:.2f} ms, 2 threads {alone[1]:.2f} ms, x {alone[0] / alone[1]:.2f}")
    if name not in heuristic_names():
        print("  no heuristic agent")
    else:
        heuristic_row(name)
    row("PettingZoo raw_env()", ours.aec(name, game.default_players, wrapped=False))
    row("PettingZoo env()", ours.aec(name, game.default_players, wrapped=True))
    print(
        f"  clone in bulk: {ours.bulk_clone_nanoseconds(name):.0f} ns; "
        f"Position.clone: {ours.position_clone_nanoseconds(name):.0f} ns"
    )
    cold, warm = ours.first_step_seconds(name)
    print(f"  first step from a fresh process: {cold:.1f} s cold (compiling), {warm:.2f} s warm\n")


def heuristic_row(name: str) -> None:
    """Print how many games heuristic agents play."""
    decisions, games = ours.stepping(name, definition(name).default_players, SMALL, agent="heuristic")
    row(f"heuristic agents, batch {SMALL}, 1 core", decisions, f"{short(games.median)} games/s")


def row(label: str, value: Rate, note: str = "") -> None:
    """Print one line of the table."""
    print(f"  {label:<48} {value!s:>28} decisions/s  {note}")


def compare(names: list[str]) -> None:
    """Ratios to other libraries; the games differ, so these say what a user waits for, not who codes better."""
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
        batch, _ = ours.stepping(name, players, SMALL)
        own_raw, own_env = ours.aec(name, players, wrapped=False), ours.aec(name, players, wrapped=True)
        ratios = (batch.median / backgammon.median, own_raw.median / raw.median, own_env.median / wrapped.median)
        print(f"  | {name} | " + " | ".join(f"x {ratio:.3g}" for ratio in ratios) + " |")


if __name__ == "__main__":
    main()
