"""Cards: how an agent that comes with the library was made and how strong it is, as JSON."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import atlantis_envs
from atlantis_agents.catalogue import HEURISTIC, PLANNER, RANDOM, names_for
from atlantis_agents.networks.policy import MANIFEST, WEIGHTS, PolicyAgent, load_policy, save_policy
from atlantis_agents.networks.tensors import MAX_WEIGHT_BYTES
from atlantis_agents.shipped import CARD, CHAMPION, CHAMPION_CARD, NETWORK, POLICY, champion_text
from atlantis_envs import __version__
from atlantis_envs.base.files import read_file, read_json, write_atomically, write_together
from atlantis_envs.engine.game import Game
from atlantis_envs.errors import OptionError
from atlantis_envs.registry import definition
from atlantis_training.evaluation.measure import is_team
from atlantis_training.shipping.origin import Origin
from atlantis_training.shipping.strength import Cell, MeasureSettings, cell_json

FORMAT = "atlantis-envs card 1"
MOST_BYTES = 2_000_000  # of a policy that comes with the library
ALONE = (RANDOM, HEURISTIC, PLANNER)  # whom an agent meets in a game in which seats compete


def cells_of(
    name: str, players: Sequence[int], levels: Sequence[int] = (), against: Sequence[str] = ()
) -> Iterator[Cell]:
    """Yield the tables that a card of a game tells of.

    Args:
        name: of the game.
        players: numbers of seats.
        levels: of a cooperative game; none: its usual one.
        against: opponents; none: random player, heuristic and planner, as far as the game has them. In a cooperative
            game there are none: the agent sits in every seat.
    """
    for count in players:
        for level in levels or (None,):
            options: dict[str, Any] = {} if level is None else {"level": level}
            game = atlantis_envs.game(name, players=count, **options)
            if is_team(game):
                yield Cell(game, options, "")
            else:
                for other in against or [one for one in ALONE if one in names_for(name)]:
                    yield Cell(game, options, other)


def ship_policy(
    policy: Path,
    target: Path,
    players: int | None,
    cells: Sequence[Cell],
    how: MeasureSettings,
    origin: Origin,
    half: bool,
) -> dict[str, Any]:
    """Measure a policy as it will be stored, then put it and its card into ``target``; the card.

    In a cooperative game the heuristic is measured at the same tables, to compare with.

    Args:
        policy: its directory.
        target: a directory of atlantis_agents/shipped.
        players: the number of seats it is for; None: all.
        cells: the tables.
        how: they are measured.
        origin: how it was made.
        half: store weights as float16.

    Raises:
        OptionError: it is too large to come with the library, or damaged.
    """
    trained = load_policy(policy)
    with tempfile.TemporaryDirectory() as folder:
        stored = Path(folder) / POLICY
        size = _store(trained, stored, half)
        mark = read_json(stored / MANIFEST)["sha256"]
        rows = [cell_json(cell, NETWORK, str(stored), how, mark) for cell in cells]
        rows += [cell_json(cell, HEURISTIC, HEURISTIC, how) for cell in cells if not cell.against]
        card = {
            **_head(NETWORK, trained.game.name, players),
            **asdict(origin),
            **_network(trained, half),
            "bytes": size,
            "sha256": mark,
            "cells": rows,
        }
        (target / POLICY).mkdir(parents=True, exist_ok=True)
        write_together(
            {target / POLICY / name: read_file(stored / name, MAX_WEIGHT_BYTES) for name in (WEIGHTS, MANIFEST)}
        )
    _write(target / CARD, card)
    how.store.drop()
    return card


def ship_champion(
    name: str, target: Path, players: int, cells: Sequence[Cell], how: MeasureSettings, text: str = ""
) -> dict[str, Any]:
    """Measure what ``champion`` stands for and put its card into ``target``; the card.

    Args:
        name: of the game.
        target: a directory of atlantis_agents/shipped.
        players: number of seats.
        cells: the tables.
        how: they are measured.
        text: another agent to measure as the champion; "": what champions.json names.
    """
    stands_for = text or champion_text(atlantis_envs.game(name, players=players))
    rows = [cell_json(cell, CHAMPION, stands_for, how) for cell in cells]
    rows += [cell_json(cell, HEURISTIC, HEURISTIC, how) for cell in cells if not cell.against]
    card = {**_head(CHAMPION, name, players), "plays": stands_for, "cells": rows}
    target.mkdir(parents=True, exist_ok=True)
    _write(target / CHAMPION_CARD, card)
    how.store.drop()
    return card


def _head(agent: str, game: str, players: int | None) -> dict[str, Any]:
    """Return what every card begins with."""
    return {
        "format": FORMAT,
        "agent": agent,
        "game": game,
        "players": players,
        "library": __version__,
        "versions": asdict(definition(game).versions),
    }


def _network(agent: PolicyAgent, half: bool) -> dict[str, Any]:
    return {
        "hidden": [int(weight.shape[0]) for weight, _ in agent.layers[:-1]],
        "inputs": agent.manifest["inputs"],
        "features": agent.features,
        "activation": agent.activation,
        "advice": agent.advice,
        "weights": int(sum(weight.size + bias.size for weight, bias in agent.layers)),
        "stored": "float16" if half else "float32",
    }


def _store(agent: PolicyAgent, path: Path, half: bool) -> int:
    """Write a policy again, without what its run has written about it; the bytes it takes."""
    kind = {"advice": agent.advice, "activation": agent.activation, "inputs": agent.manifest["inputs"]}
    kind |= {"features": agent.features, "half": half}
    game = _game_of(agent)
    save_policy(path, game, agent.layers, about="comes with the library; see its card", **kind)
    size = sum((path / name).stat().st_size for name in (MANIFEST, WEIGHTS))
    if size > MOST_BYTES:
        shutil.rmtree(path)
        raise OptionError(f"policy: {size:,} bytes; allowed: at most {MOST_BYTES:,}, or half of it with --float16")
    return size


def _game_of(agent: PolicyAgent) -> Game:
    """Return the game it was trained on, with its players and options."""
    options = {key: value for key, value in agent.manifest["options"].items() if key not in ("name", "players")}
    return atlantis_envs.game(agent.game.name, players=agent.manifest["players"], **options)


def _write(path: Path, card: dict[str, Any]) -> None:
    write_atomically(path, json.dumps(card, indent=1) + "\n")
