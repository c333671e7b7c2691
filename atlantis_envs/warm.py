"""``python -m atlantis_envs.warm [GAME ...]``: compile all kernels now, so that later processes only load them.

All games unless some are named, with all that the installed agents need. A platform wheel carries what this makes.
"""

from __future__ import annotations

import os
import platform
import sys
from contextlib import suppress
from importlib.metadata import entry_points
from itertools import combinations_with_replacement
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from atlantis_envs.engine.definition import NOWHERE
from atlantis_envs.engine.single import Single
from atlantis_envs.errors import OptionError
from atlantis_envs.kernels.cache import cache_directory, read_entry
from atlantis_envs.kernels.kernel import compiling, target
from atlantis_envs.kernels.prebuilt import ANY_PROCESSOR, BASELINES, Manifest, write_prebuilt
from atlantis_envs.registry import game, game_names
from atlantis_envs.seats.agents import Agent, Capabilities, make_agent
from atlantis_envs.seats.batch import SeatBatch
from atlantis_envs.seats.positions import ask

if TYPE_CHECKING:
    from atlantis_envs.engine.batch import Batch
    from atlantis_envs.engine.game import Game

AGENTS = "atlantis_envs.agents"
SHIPPED = "network"  # comes with some games and is no entry point of its own


def warm(game: Game) -> None:
    """Compile, or load, what batches, positions, environments and the installed agents need."""
    agents = _installed(game)
    every = [getattr(game.loops, name) for name in game.calls.names]
    every += [entry for agent in agents for entry in Capabilities(agent).entries]
    with compiling(f"{game.definition.title}, all kernels", every):
        batch = game.batch(2)
        _batch(batch)
        _position(game)
        single = Single(game)
        single.start(0, 0)
        single.step(int(single.mask.argmax()))
        single.observe(0)
        _agents(game, agents, batch)


def _batch(batch: Batch) -> None:
    """Do everything a batch does beside stepping."""
    lanes = np.arange(1)
    batch.noise(0), batch.clone(), batch.potentials(batch.seats), batch.observe_final(batch.seats, lanes)
    batch.from_arrays(batch.to_arrays(), 0)
    batch.load([batch.position(lane) for lane in range(batch.num_games)])
    batch.afterstates()


def _position(game: Game) -> None:
    """Play a game in which every question is asked at every node."""
    position = game.initial_position()
    while position.node != "over":
        if position.node == "chance":
            position.apply(position.sample_chance(0))
        else:
            position.observation(0)
            if game.definition.resample_nodes != NOWHERE:
                position.resample(position.seat or 0, 0)
            position.apply(position.legal_actions()[0])
    position.scores(), position.returns(), position.truncated
    game.from_json(position.to_json())


def _installed(game: Game) -> list[Agent]:
    """Return the installed agents that play the game."""
    agents = []
    for name in sorted({SHIPPED, *(point.name for point in entry_points(group=AGENTS))}):
        with suppress(OptionError):  # it does not play this game
            agents.append(make_agent(name, game))
    return agents


def _agents(game: Game, agents: list[Agent], batch: Batch) -> None:
    """Compile what every agent needs, and the loops of those that are kernels, alone and in pairs."""
    compiled = []
    for agent in agents:
        capable = Capabilities(agent)
        if capable.prepare is None:
            ask(agent, batch, np.arange(1), np.zeros(1, np.uint64))
        else:
            capable.prepare()
        if capable.compiled is not None:
            compiled.append(agent)
    SeatBatch(game, 2, opponents="random", skip_forced=True)
    for pair in combinations_with_replacement(compiled, 2):
        SeatBatch(game, 2, 0, _round_the_table(game, pair))


def _round_the_table(game: Game, pair: tuple[Agent, ...]) -> list[Agent]:
    return [pair[number % 2] for number in range(game.players - 1)]


def main(names: list[str]) -> None:
    """Compile, or load, for these games; for all if there are none."""
    for name in names or game_names():
        built = game(name)
        warm(built)
        print(f"{built.definition.title}: compiled, in {cache_directory()}", flush=True)


# ------------------------------------------------------------------------------------------------------ wheels


def compile_for_wheels() -> dict[str, str]:
    """Return the environment variables with which a process compiles for wheels on this kind of machine."""
    processor, features = BASELINES.get(platform.machine(), ANY_PROCESSOR)
    return {"NUMBA_CPU_NAME": processor, "NUMBA_CPU_FEATURES": features}


def pack(directory: Path) -> int:
    """Write every entry of the cache into a directory that is made, with its manifest; how many there are.

    Raises:
        ValueError: this process does not compile for wheels, or the cache is empty.
    """
    wanted = compile_for_wheels()
    if any(os.environ.get(name) != value for name, value in wanted.items()):
        raise ValueError(f"environment: {' '.join(wanted)}; allowed: as compile_for_wheels() gives them")
    found = {path.name.removesuffix(".nbc"): read_entry(path) for path in sorted(cache_directory().glob("*.nbc"))}
    entries = {name: content for name, content in found.items() if content is not None}
    if not entries:
        raise ValueError(f"{cache_directory()}: no kernels; allowed: a cache that python -m atlantis_envs.warm filled")
    environment, machine = target()
    write_prebuilt(directory, Manifest(environment, *machine), entries)
    return len(entries)


if __name__ == "__main__":
    main(sys.argv[1:])
