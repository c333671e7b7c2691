"""How many functions and files a call passes: ``python -m benchmarks journeys``.

Somebody who wants to know what a call does follows it from function to function. Each of these calls is made twice:
once so that everything is imported and compiled, and once while every function of ours that is entered is noted. A stop
is one such function, however often it is called. What Python calls of a kernel is one too; what that calls runs as
machine code and is none, and neither are foreign libraries.

With ``--lines`` it counts the tracked lines of Python instead, tests aside, room by room; with ``--since REV`` those of
another state of the repository too. A file belongs to the first room that names it; rooms name files of long ago too,
so that like is compared with like.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import numpy as np

import atlantis_agents
import atlantis_envs
import atlantis_training

ROOTS = tuple(
    os.path.join(os.path.dirname(str(package.__file__)), "")
    for package in (atlantis_envs, atlantis_agents, atlantis_training)
)
WARM_CLICKS = 13  # until every kernel is loaded, and a click is next that the opponents answer
EVALUATE = ["evaluate", "atlandice", "heuristic", "random", "--blocks", "2", "--seed", "1", "--workers", "1"]

# Of each room a pattern that its files begin with; the first that fits counts.
ROOMS = {
    "search": r"agents/.*/(search/|leaf)|.*/(searching|chancing|value)\.py|.*/seats/(positions|analysis|trials)"
    r"|.*/cli/analyse|benchmarks/(strength|(experiments/)?leaf|imagining|search)",
    "drawing, play": r"atlantis_envs/(drawing|play)/|.*/games/[a-z_]*/show/|.*/cli/play"
    r"|training/.*/(boards/|play_|cli_play|(lab|evaluation)/(course|win_curve))|atlantis_envs/engine/(replay|text)\.py",
    "checks of documents": r"atlantis_envs/games/.*/check[a-z_]*\.py",
    "guards": r".*/(alone|threads|cache|cache_files|crew|worker_pool|signals|size_limits|room|lock"
    r"|checkpoint_lock)\.py",
    "games": r"atlantis_envs/games/|atlantis_envs/[a-z_]*_v[0-9]",
    "heuristics": r"agents/atlantis_agents/heuristics?[/.]",
    "engine, seats, adapters": r"atlantis_envs/|training/.*/(selfplay_tables|vecenv|kernel_players)\.py",
    "agents": r"agents/",
    "training": r"training/",
    "benchmarks, building": r"benchmarks/|hatch_build|docs/",
}
NEW_ROOMS = ("search", "drawing, play", "guards")  # nearly all of them came after the house was laid out


@dataclass(frozen=True)
class Journey:
    """What one call passes.

    Attributes:
        stops: the functions of ours in the order in which they are first entered, as ``file: function``.
    """

    stops: tuple[str, ...]

    @property
    def files(self) -> tuple[str, ...]:
        """Return their files, in the same order."""
        return tuple(dict.fromkeys(stop.split(": ")[0] for stop in self.stops))


def follow(call: Callable[[], object]) -> Journey:
    """Make a call twice and note, the second time, where it passes."""
    call()
    seen: dict[CodeType, None] = {}

    def enter(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(ROOTS):
            seen.setdefault(frame.f_code)

    before = sys.getprofile()
    sys.setprofile(enter)
    try:
        call()
    finally:
        sys.setprofile(before)
    names = (f"{_inside(code.co_filename)}: {code.co_qualname}" for code in seen if not code.co_name.startswith("<"))
    return Journey(tuple(dict.fromkeys(names)))


def _inside(path: str) -> str:
    root = next(root for root in ROOTS if path.startswith(root))
    return Path(path).relative_to(Path(root).parent).as_posix()


def lines_by_room(revision: str | None = None) -> dict[str, int]:
    """Count lines of Python of each room, tests aside: of the working tree, or of a revision."""
    call = ["git", "-C", str(Path(__file__).parent), "grep", "--full-name", "-c", "", *([revision] if revision else [])]
    counted = subprocess.run([*call, "--", ":/*.py", ":!/tests"], capture_output=True, text=True, check=True).stdout
    lines = dict.fromkeys(ROOMS, 0)
    for line in counted.splitlines():
        path, count = line.removeprefix(f"{revision}:").rsplit(":", 1)
        room = next((room for room, names in ROOMS.items() if re.match(names, path)), None)
        if room is not None:
            lines[room] += int(count)
    return lines


def print_rooms(revision: str | None) -> None:
    """Print lines by room, now and at a revision, all rooms and without the new ones."""
    columns = [lines_by_room(), *([lines_by_room(revision)] if revision else [])]
    print(f"| lines of Python | now |{f' {revision} |' if revision else ''}\n|---|{'---|' * len(columns)}")
    for room in ROOMS:
        print(f"| {room} | {' | '.join(f'{lines[room]:,}' for lines in columns)} |")
    for title, left_out in (("all", ()), (f"without {', '.join(NEW_ROOMS)}", NEW_ROOMS)):
        sums = (sum(count for room, count in lines.items() if room not in left_out) for lines in columns)
        print(f"| **{title}** | {' | '.join(f'{total:,}' for total in sums)} |")


def evaluation() -> object:
    """Run ``atlantis evaluate`` of a few games in one process."""
    from atlantis_training.cli.app import app

    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        return app(EVALUATE, prog_name="atlantis", standalone_mode=False)


def aec_step() -> Callable[[], object]:
    """Return one step of the PettingZoo environment, its observation and mask included."""
    from atlantis_envs import atlandice_v1

    env = atlandice_v1.env(players=3)
    env.reset(seed=1)
    return lambda: env.step(int(env.last()[0]["action_mask"].argmax()))


def vec_env_step() -> Callable[[], object]:
    """Return one step of the stable-baselines3 environment against random opponents."""
    from atlantis_envs.adapters.sb3_vecenv import SeatVecEnv

    env = SeatVecEnv(atlantis_envs.game("atlandice", players=3), num_envs=4)
    env.seed(1)
    env.reset()
    return lambda: env.step(np.array([int(mask.argmax()) for mask in env.action_masks()]))


def training_round() -> Callable[[], object]:
    """Return a round of ``atlantis train``, after its first one: collected, learned from and reported."""
    from atlantis_training.selfplay.run import Run
    from atlantis_training.selfplay.settings import SelfPlaySettings

    small: dict[str, Any] = {
        "num_envs": 8,
        "num_steps": 4,
        "batch_size": 32,
        "hidden": (16,),
        "checkpoint_every": 10**6,
    }
    with tempfile.TemporaryDirectory() as directory:  # after it began, the run writes nothing
        run = Run.begin(Path(directory) / "run", SelfPlaySettings(players=3, imitate=0, **small))
    return run._round


def search_decision() -> Callable[[], object]:
    """Return a decision of the agent ``search`` in a batch, after its first one; what is hidden is redrawn."""
    from atlantis_envs.seats.agents import make_agent
    from atlantis_envs.seats.positions import ask

    game = atlantis_envs.game("atlandice", players=3)
    agent, batch, lanes = make_agent("search:16", game), game.batch(1, seed=1), np.arange(1)
    return lambda: ask(agent, batch, lanes, batch.noise(1))


def click() -> Callable[[], object]:
    """Return a posted move of a player, until the document is made that the page gets; its opponents answer too."""
    from atlantis_envs.play.game_session import GameSession
    from atlantis_envs.play.page_session import PageSession
    from atlantis_envs.seats.agents import make_agent

    game = atlantis_envs.game("atlandice", players=3)
    session = GameSession(game, [None, *(make_agent("random", game) for _ in range(2))], seed=1)
    page_session = PageSession(session, ["you", "random", "random"])

    def post() -> object:
        while not session.waits():
            page_session.go(page_session.ply)
        return page_session.move(page_session.ply, session.position.legal_actions()[0])

    for _ in range(WARM_CLICKS):
        post()
    return post


def main(arguments: list[str] | None = None) -> int:
    """Print the table; with ``--stops`` every stop too."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks journeys", description=__doc__)
    parser.add_argument("--stops", action="store_true", help="name every stop")
    parser.add_argument("--lines", action="store_true", help="count lines by room instead")
    parser.add_argument("--since", metavar="REV", help="with --lines: count those of this revision too")
    chosen = parser.parse_args(arguments)
    if chosen.lines:
        print_rooms(chosen.since)
        return 0
    journeys = {
        "atlantis evaluate": follow(evaluation),
        "one step of the PettingZoo environment": follow(aec_step()),
        "one step of the stable-baselines3 VecEnv": follow(vec_env_step()),
        "training round": follow(training_round()),
        "search decision, after the first": follow(search_decision()),
        "a click: a move posted to the page": follow(click()),
    }
    print("| call | stops | files |\n|---|---|---|")
    for name, journey in journeys.items():
        print(f"| {name} | {len(journey.stops)} | {len(journey.files)} |")
    for name, journey in journeys.items() if chosen.stops else ():
        print(f"\n{name}")
        for stop in journey.stops:
            print(f"  {stop}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
