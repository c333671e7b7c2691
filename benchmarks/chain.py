"""The whole chain from the compiled loop to training: time per decision, and what each layer adds to the one below it.

All layers of a game and all other libraries take their turns in one run, on one core, random players everywhere;
processor time, medians. A decision is one choice of an action by any seat: those of opponents count where a layer plays
them.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
import warnings
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import gymnasium
import numpy as np

import atlantis_envs
from atlantis_envs.adapters.functional import FunctionalBatch
from atlantis_envs.adapters.sb3_vecenv import SeatVecEnv
from atlantis_envs.engine.game import Game
from atlantis_envs.engine.single import Single
from atlantis_envs.registry import definition, environment_name, gymnasium_id
from atlantis_envs.seats.agents import make_agent
from atlantis_envs.seats.batch import SeatBatch
from benchmarks import peers, search
from benchmarks.foreign import nanoseconds
from benchmarks.measure import Process, ProcessError, aec_loop, pinned

LANES, TURNS, SECONDS = 1024, 7, 0.3
SEARCH = "search:{n},rollout=random,horizon=end"


@dataclass
class Layer:
    """One row: its name, that of the layer it stands on, and a turn: nanoseconds a decision over so many seconds."""

    name: str
    below: str
    turn: Callable[[float], float]
    nanoseconds: list[float] = field(default_factory=list)

    @property
    def median(self) -> float:
        """Return nanoseconds a decision."""
        return statistics.median(self.nanoseconds)


class Stepping:
    """The loop alone, ``Batch.step``, and with noise and choice: one batch each, clocks around the calls."""

    def __init__(self, game: Game, part: int) -> None:
        """Take part 0, 1 or 2 of these."""
        self.batch, self.agent, self.part = game.batch(LANES, seed=1), make_agent("random", game), part
        self.spent = 0.0

    def step(self) -> None:
        """Play one step of all lanes; ``spent`` grows by the processor time of this part."""
        began = time.process_time()
        batch = self.batch
        actions = self.agent.act(batch.observations, batch.action_masks, batch.noise(2))
        chosen = time.process_time()
        batch.step(actions)
        self.spent += time.process_time() - (began if self.part else chosen)


def alone(game: Game, part: int) -> Callable[[], float]:
    """Work of ``Batch.step`` (part 0) or of the whole decision (1), scaled so that only its own time counts."""
    stepping = Stepping(game, part)

    def work() -> float:
        stepping.spent, began = 0.0, time.process_time()
        for _ in range(20):
            stepping.step()
        return 20 * LANES * (time.process_time() - began) / stepping.spent

    return work


def functional(game: Game) -> Callable[[], float]:
    """Work of ``FunctionalBatch``, new games for those that end included; scaled like ``Batch.step`` without choice."""
    env, agent, words = FunctionalBatch(game), make_agent("random", game), np.random.default_rng(0)
    state, keys = env.init(np.arange(LANES)), iter(range(LANES, 2**62))

    def work() -> float:
        nonlocal state
        spent, began = 0.0, time.process_time()
        for _ in range(20):
            masks = state.legal_action_mask.view(np.int8)
            actions = agent.act(state.observation, masks, words.integers(0, 2**64, LANES, dtype=np.uint64))
            chosen = time.process_time()
            state = env.step(state, actions)
            if state.over.any():
                state = env.renewed(state, [next(keys) for _ in range(int(state.over.sum()))])
            spent += time.process_time() - chosen
        return 20 * LANES * (time.process_time() - began) / spent

    return work


def kernel(game: Game) -> Callable[[], float]:
    """Work of the compiled loop in which random players play on by themselves."""
    seats = SeatBatch(game, LANES, 0, "random")
    seats.reset(seed=1)
    assert seats.advance is not None
    advance, batch, everybody = seats.advance, seats.batch, np.zeros((LANES, game.players), np.int8)
    lanes = np.arange(LANES)

    def work() -> float:
        before = int(advance.decisions.sum())
        advance.play(everybody, lanes)  # each lane to the end of its game
        assert batch.over.all()
        return float(advance.decisions.sum() - before)

    return work


def single(game: Game) -> Callable[[], float]:
    """Work of one game as environments step it, the choice included."""
    one, words = Single(game), np.random.default_rng(0).random(2000)
    one.start(1, 0)

    def work() -> float:
        for word in words:
            if one.seat < 0:
                one.start(1, one.game_index + 1)
            legal = one.mask.nonzero()[0]
            one.step(int(legal[int(word * len(legal))]))
        return len(words)

    return work


def seats_of(game: Game) -> tuple[Callable[[], float], Callable[[], float]]:
    """Work of SeatBatch, and how many decisions of all seats one of the learner's has come with."""
    seats, agent = SeatBatch(game, LANES, "random", "random"), make_agent("random", game)
    seats.reset(seed=1)
    assert seats.advance is not None
    advance, counted = seats.advance, [0, 0]

    def work() -> float:
        before = int(advance.decisions.sum())
        batch = seats.batch
        seats.step(agent.act(batch.observations, batch.action_masks, batch.noise(2)))
        done = LANES + int(advance.decisions.sum()) - before
        counted[0], counted[1] = counted[0] + done, counted[1] + LANES
        return done

    return work, lambda: counted[0] / counted[1]


def vector(game: Game, each: Callable[[], float]) -> Callable[[], float]:
    """Work of the Gymnasium vector environment."""
    env: Any = gymnasium.make_vec(
        f"atlantis_envs:{gymnasium_id(game.name)}",
        num_envs=LANES,
        vectorization_mode="vector_entry_point",
        opponents="random",
    )
    agent, words = make_agent("random", game), np.random.default_rng(0)
    seen, masks = env.reset(seed=1)[0], env.reset(seed=1)[1]["action_mask"]
    rows = np.zeros((LANES, game.observation_size), np.uint8)

    def work() -> float:
        nonlocal seen, masks
        noise = words.integers(0, 2**64, LANES, dtype=np.uint64)
        seen, _, _, _, info = env.step(agent.act(rows, masks, noise))
        masks = info["action_mask"]
        return LANES * each()

    return work


def vecenv(game: Game, each: Callable[[], float]) -> Callable[[], float]:
    """Work of the VecEnv of stable-baselines3, masks asked for."""
    env, agent, words = (
        SeatVecEnv(game, LANES, opponents="random"),
        make_agent("random", game),
        np.random.default_rng(0),
    )
    env.reset()
    rows = np.zeros((LANES, game.observation_size), np.uint8)

    def work() -> float:
        masks = np.asarray(np.stack(env.env_method("action_masks")), np.int8)
        env.step(agent.act(rows, masks, words.integers(0, 2**64, LANES, dtype=np.uint64)))
        return LANES * each()

    return work


def layers(name: str, searched: bool) -> list[Layer]:
    """Return all that are measured by turns."""
    game = atlantis_envs.game(name)
    seats, each = seats_of(game)
    module = getattr(atlantis_envs, environment_name(name))
    chain: list[tuple[str, str, Callable[[], float]]] = [
        ("compiled loop, players in it", "", kernel(game)),
        ("`Batch.step`", "", alone(game, 0)),
        ("`FunctionalBatch`, games renewed", "`Batch.step`", functional(game)),
        ("batch: noise, choice, step", "`Batch.step`", alone(game, 1)),
        ("one game (`Single`), choice in Python", "", single(game)),
        ("PettingZoo `raw_env()`", "one game (`Single`), choice in Python", aec_loop(module.raw_env())),
        ("PettingZoo `env()`", "PettingZoo `raw_env()`", aec_loop(module.env())),
        ("`SeatBatch`, opponents compiled", "batch: noise, choice, step", seats),
        ("Gymnasium vector", "`SeatBatch`, opponents compiled", vector(game, each)),
        ("stable-baselines3 `VecEnv`", "`SeatBatch`, opponents compiled", vecenv(game, each)),
    ]
    if searched:
        imagine = search.ours(name, SEARCH).imagine
        chain.append(("search: a simulated decision", "compiled loop, players in it", lambda: imagine()[1]))
    return [Layer(name, below, partial(nanoseconds, work)) for name, below, work in chain]


def training_row(name: str, below: Layer) -> str:
    """Return self-play with the default settings: a round's time over the decisions of all seats."""
    from atlantis_training.selfplay.settings import settings_from
    from benchmarks.training import measure

    shares = measure(settings_from({"game": name, "share_snapshots": 0.5}), 2)
    spent = 1e9 * shares.total / shares.plies
    return cells(name, "training (self-play, default settings)", spent, below)


def cells(name: str, layer: str, spent: float, below: Layer | None) -> str:
    """Return one line of the table."""
    added = "" if below is None else f"{(spent - below.median) / spent:.0%} over {below.name}"
    return f"| {name} | {layer} | {spent:,.0f} | {added} |"


def installed() -> list[Layer]:
    """Return the other libraries that are installed beside ours; name those that are not."""
    rows: list[Layer] = []
    absent = []
    for library, works in (
        ("OpenSpiel", {"OpenSpiel backgammon, Python": peers.open_spiel_work}),
        (
            "PettingZoo's classic games",
            {
                f"PettingZoo connect four, {name}": partial(peers.pettingzoo_work, wrapped)
                for name, wrapped in (("raw_env()", False), ("env()", True))
            },
        ),
    ):
        try:
            rows += [Layer(label, "", partial(nanoseconds, work())) for label, work in works.items()]
        except ImportError:
            absent.append(library)
    if absent:
        print(f"Not installed, so not shown: {', '.join(absent)}.", file=sys.stderr)
    return rows


def elsewhere(pythons: dict[str, str | None], stack: ExitStack) -> list[Layer]:
    """Return the libraries in environments of their own, by the interpreters given; print how to get the others."""
    rows = []
    for library, python in pythons.items():
        for label, process in peers.elsewhere(library, python).items() if python else ():
            stack.callback(process.stop)
            rows.append(Layer(label, "", partial(answer, process)))
    if missing := [library for library, python in pythons.items() if not python]:
        print(peers.how_to_get(missing), file=sys.stderr)
    return rows


def answer(process: Process, seconds: float) -> float:
    """Return the turn that another process takes."""
    return process.play(str(seconds))[0]


def take_turns(rows: list[Layer], turns: int, seconds: float) -> None:
    """Measure all rows by turns."""
    for _ in range(turns):
        for row in rows:
            row.nanoseconds.append(row.turn(seconds))


def warmed(rows: list[Layer], seconds: float) -> list[Layer]:
    """Return the same after a turn each that does not count."""
    for row in rows:
        row.turn(seconds)
    return rows


def parser() -> argparse.ArgumentParser:
    """Return what the command understands."""
    made = argparse.ArgumentParser(prog="python -m benchmarks chain", description=__doc__)
    made.add_argument("games", nargs="*", default=list(atlantis_envs.game_names()), help="which games (default: all)")
    made.add_argument("--turns", type=int, default=TURNS, help=f"how often each layer has its turn ({TURNS})")
    made.add_argument("--seconds", type=float, default=SECONDS, help=f"processor time of a turn ({SECONDS})")
    made.add_argument("--no-training", action="store_true", help="leave out the row of training")
    made.add_argument("--no-search", action="store_true", help="leave out the row of search")
    made.add_argument("--no-peers", action="store_true", help="leave out the other libraries")
    for library, (name, _) in peers.ELSEWHERE.items():
        made.add_argument(f"--{library}", metavar="PYTHON", help=f"interpreter of an environment with {name}")
    return made


def main(arguments: list[str] | None = None) -> int:
    """Measure and print."""
    reader = parser()
    given = reader.parse_args(arguments)
    pythons = {library: getattr(given, library) for library in peers.ELSEWHERE}
    if given.no_peers and any(pythons.values()):
        reader.error("--no-peers leaves out what --pgx and --envpool ask for")
    for name in given.games:
        definition(name)  # refused here, before anything is compiled
    warnings.simplefilter("ignore")
    try:
        with pinned(1), ExitStack() as stack:  # processes inherit the core
            others = [] if given.no_peers else warmed(installed() + elsewhere(pythons, stack), given.seconds)
            table(given, others)
    except ProcessError as problem:
        reader.exit(2, f"{reader.prog}: error: {problem}\n")
    return 0


def table(given: argparse.Namespace, others: list[Layer]) -> None:
    """Measure all games, the other libraries among the layers of each, and print."""
    print("| game | layer | ns a decision | of it added |\n|---|---|---|---|")
    for name in given.games:
        chain = warmed(layers(name, not given.no_search), given.seconds)
        take_turns(chain + others, given.turns, given.seconds)
        by_name = {layer.name: layer for layer in chain}
        for layer in chain:
            print(cells(name, layer.name, layer.median, by_name.get(layer.below)), flush=True)
        if not given.no_training:
            print(training_row(name, by_name["stable-baselines3 `VecEnv`"]), flush=True)
    for row in others:
        print(cells("", row.name, row.median, None))
