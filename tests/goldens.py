"""What each version number of a game stands for, as a hash: ``goldens.json`` holds them, `test_parity` compares.

``python tests/goldens.py`` prints what differs; with ``--write`` it renews the hashes of numbers that were raised, and
refuses to renew a hash whose number stayed the same.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import json
import sys
from collections.abc import Iterator
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from helpers.golden_games import SOURCES, WHOLE

import atlantis_envs
from atlantis_envs.engine.game import Game
from atlantis_envs.engine.position import Position

FILE = Path(__file__).with_name("goldens.json")
GAMES = atlantis_envs.game_names()


def digest(parts: Iterator[bytes]) -> str:
    """One hash over all parts."""
    total = hashlib.sha256()
    for part in parts:
        total.update(hashlib.sha256(part).digest())
    return total.hexdigest()[:32]


@cache
def fixed(name: str) -> tuple[Position, ...]:
    """The documents of a game as positions of the library."""
    game = atlantis_envs.game(name)
    return tuple(game.from_json(document) for document in SOURCES[name].documents())


def played(game: Game) -> Iterator[tuple[Position, int]]:
    """The positions from which the rules are played, and how many nodes from each."""
    source = SOURCES[game.name]
    yield from ((variant.initial_position(), WHOLE) for variant in source.games())
    yield from ((game.from_json(document), source.stretch) for document in source.starts())


def rules(game: Game) -> Iterator[bytes]:
    """Legal sets, chance laws, transitions and returns, by their texts: neither ids, observations nor seeds matter."""
    written, choose = SOURCES[game.name].written, SOURCES[game.name].choose
    for number, (position, nodes) in enumerate(played(game)):
        for ply in range(nodes):
            legal, outcomes = sorted(position.legal_actions()), sorted(position.chance_outcomes().items())
            document = "" if ply % written else json.dumps(position.to_json(), sort_keys=True)
            yield f"{position.node} {position.seat} {legal} {outcomes} {document}".encode()
            if position.node == "over":
                yield f"{position.scores()} {[round(share, 9) for share in position.returns()]}".encode()
                break
            position.apply(choose(legal or [text for text, _ in outcomes], number, ply))


def observation(game: Game) -> Iterator[bytes]:
    """Layout, and the observations of fixed documents by every seat."""
    yield repr(game.definition.observation.fingerprint()).encode()
    for position in fixed(game.name):
        for seat in range(position.game.players):
            yield position.observation(seat).tobytes()


def actions(game: Game) -> Iterator[bytes]:
    """The numbering of actions and outcomes."""
    yield json.dumps([game.actions, game.outcomes]).encode()


def chance(game: Game) -> Iterator[bytes]:
    """Which outcome a seed, a game number and a count give, at fixed documents."""
    for position in fixed(game.name):
        if position.node == "chance":
            for seed, number, count in itertools.product((0, 1, 2**64 - 1), (0, 1, 2**40), (0, 1, 1000)):
                counters = np.full(len(game.definition.streams), count, np.uint32)
                position.attach_chance(seed, number, counters)
                yield position.sample_chance().encode()


def stream(game: Game) -> Iterator[bytes]:
    """Seeded play with all of it together: moves when anything does."""
    yield from SOURCES[game.name].stream()


REACHED = ("observation", "chance")  # looked at in documents that were reached by the rules
KINDS = {"rules": rules, "observation": observation, "actions": actions, "chance": chance}


def computed(name: str) -> dict[str, Any]:
    """The entry of a game as the code stands."""
    game = atlantis_envs.game(name)
    versions = asdict(game.definition.versions)
    entry: dict[str, Any] = {
        kind: {"version": versions[kind], "hash": digest(parts(game))} for kind, parts in KINDS.items()
    }
    return {**entry, "stream": {"version": list(versions.values()), "hash": digest(stream(game))}}


def stored() -> dict[str, Any]:
    """The hashes of the file; none if there is no file."""
    entries: dict[str, Any] = json.loads(FILE.read_text("utf-8")) if FILE.exists() else {}
    return entries


def complaints(name: str, old: dict[str, Any], new: dict[str, Any]) -> tuple[list[str], list[str]]:
    """What of a game changed without its version, and what was raised and waits to be renewed.

    Where the version of the rules was raised, the documents may be others, and with them what is seen in them.
    """
    silent, raised = [], []
    others = "rules" in old and "rules" in new and old["rules"]["version"] != new["rules"]["version"]
    for kind, entry in new.items():
        known = old.get(kind, {"version": None, "hash": None})
        if known["version"] != entry["version"]:
            raised.append(f"{name}, {kind}: version {known['version']} -> {entry['version']}: renew goldens.json")
        elif known["hash"] != entry["hash"] and others and kind in REACHED:
            raised.append(f"{name}, {kind}: seen in documents of other rules: renew goldens.json")
        elif known["hash"] != entry["hash"]:
            silent.append(f"{name}, {kind}: behaviour changed, version is still {entry['version']}")
    return silent, raised


def main() -> int:
    """Compare, and renew what may be renewed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true")
    write = parser.parse_args().write
    entries, failed = stored(), False
    for name in GAMES:
        new = computed(name)
        silent, raised = complaints(name, entries.get(name, {}), new)
        for line in (*silent, *raised):
            print(line)
        failed = failed or bool(silent) or bool(raised and not write)
        if not silent:
            entries[name] = new
    if write and not failed:
        FILE.write_text(json.dumps(entries, indent=2) + "\n", "utf-8")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
