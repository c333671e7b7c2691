"""What the heuristics of all games choose and think, as hashes: ``opinions.json`` holds them, `test_opinions` compares.

A heuristic may become faster; it may not change its mind without saying so. ``python tests/opinions.py`` prints what
differs; with ``--write`` it renews the hashes of games whose number in ``EDITION`` was raised, and refuses to renew a
hash whose number stayed the same. ``--bytes`` prints hashes of every bit, to lay beside those of another version of
the source on the same machine; the file's are rounded, since ``exp`` and ``pow`` differ between C libraries.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Iterator
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from helpers.golden_games import SOURCES, rising_games
from helpers.support import noise_actions
from numpy.typing import NDArray

import atlantis_envs
from atlantis_agents.heuristic import find_heuristic
from atlantis_agents.heuristics import Heuristic
from atlantis_envs.engine.batch import Batch
from atlantis_envs.engine.game import Game
from atlantis_envs.engine.records import records
from atlantis_envs.kernels.kernel import entry

FILE = Path(__file__).with_name("opinions.json")
GAMES = atlantis_envs.game_names()
EDITION = {"atlandice": 1, "atlantis": 1, "atlantis_rising": 3}  # raise it when a heuristic is meant to play otherwise
SEED = 11
OWN = 2  # every so many steps the heuristic plays its own choice, else a random action
DIGITS = 6  # of a score, where it is not compared bit by bit
LANES, STEPS, FURTHER = 32, 240, 24  # of a batch; steps; steps from every document
FEW_LANES, FEW_STEPS, FEW_STARTS = 1, 6, 8  # the same where nothing is compiled

Part = tuple[NDArray[np.int64], NDArray[np.float64]]


@cache
def make_loop(heuristic: Heuristic) -> Any:
    """Every opinion of a heuristic, row by row: the choice, the choice with its scores, and what the table is worth."""
    decide, score_actions, value = heuristic.decide, heuristic.score_actions, heuristic.value

    @entry
    def opinion_loop(weights, work, observations, masks, noise, ids, scores, shares):  # type: ignore[no-untyped-def]
        for row in range(len(noise)):
            ids[0, row] = decide(weights[0], work, observations[row], masks[row], noise[row])
            ids[1, row] = score_actions(weights[0], work, observations[row], masks[row], noise[row], scores[row])
            if value is not None:
                value(weights[0], work, observations[row], shares[row])

    return opinion_loop


def opinions(heuristic: Heuristic, weights: Any, batch: Batch, noise: NDArray[np.uint64]) -> Part:
    """Choices, int64 (2, N), and all scores and win shares in one row, float64."""
    work = records(heuristic.scratch_records, heuristic.scratch_dtype)
    masks = batch.action_masks
    ids = np.full((2, len(masks)), -1, np.int64)
    scores, shares = np.zeros(masks.shape), np.zeros((len(masks), 8))
    make_loop(heuristic)(weights, work, batch.observations, masks, noise, ids, scores, shares)
    return ids, np.concatenate([scores.ravel(), shares.ravel()])


def followed(batch: Batch, heuristic: Heuristic, steps: int) -> Iterator[Part]:
    """Opinions of the heuristic and of its slower self over so many steps, by turns its own and random ones."""
    for step in range(steps):
        noise = batch.noise(SEED)
        said = opinions(heuristic, heuristic.weights_for(batch.game.players), batch, noise)
        yield said
        if heuristic.deep is not None:
            yield opinions(heuristic, heuristic.deep, batch, noise)
        own = step % OWN == 0
        batch.step(said[0][0] if own else noise_actions(batch.action_masks, noise))


def games(name: str) -> list[Game]:
    """Every number of players under options of every kind."""
    return rising_games(0, 1, 2, 3, 4) if name == "atlantis_rising" else SOURCES[name].games()


def starts(name: str) -> Iterator[Batch]:
    """Late and rare positions, each as a batch of one lane."""
    source, game = SOURCES[name], atlantis_envs.game(name)
    documents = source.documents() if name == "atlandice" else source.starts()
    for number, document in enumerate(documents):
        position = game.from_json(document)
        if position.node not in {"over", "chance"}:
            yield Batch.from_positions([position], seed=number)


def parts(name: str, sample: bool) -> Iterator[Part]:
    """Everything that is hashed of a game; of a sample a small part, but of every number of players."""
    heuristic = find_heuristic(name)
    for game in games(name):
        lanes, steps = (FEW_LANES, FEW_STEPS) if sample else (LANES, STEPS)
        yield from followed(game.batch(lanes, seed=SEED), heuristic, steps)
    for batch in islice(starts(name), FEW_STARTS if sample else None):
        yield from followed(batch, heuristic, FEW_STEPS if sample else FURTHER)


def digests(name: str, sample: bool, exact: bool) -> dict[str, str]:
    """One hash over all choices and one over all scores."""
    choices, scores = hashlib.sha256(), hashlib.sha256()
    for ids, thoughts in parts(name, sample):
        choices.update(ids.tobytes())
        scores.update((thoughts if exact else np.round(thoughts, DIGITS) + 0.0).tobytes())
    return {"choices": choices.hexdigest()[:32], "scores": scores.hexdigest()[:32]}


def computed(name: str) -> dict[str, Any]:
    """The entry of a game as the code stands."""
    return {"edition": EDITION[name], **digests(name, sample=False, exact=False)}


def stored() -> dict[str, Any]:
    """The hashes of the file; none if there is no file."""
    entries: dict[str, Any] = json.loads(FILE.read_text("utf-8")) if FILE.exists() else {}
    return entries


def complaint(name: str, old: dict[str, Any] | None, new: dict[str, Any]) -> tuple[str, bool]:
    """What differs, "" if nothing does; and whether it may be renewed."""
    if old is None or old["edition"] != new["edition"]:
        return f"{name}: edition {old and old['edition']} -> {new['edition']}: renew opinions.json", True
    differing = [kind for kind in ("choices", "scores") if old[kind] != new[kind]]
    if differing:
        return f"{name}: other {' and '.join(differing)}, edition is still {new['edition']}", False
    return "", True


def main() -> int:
    """Compare, renew what may be renewed, or print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("games", nargs="*", default=list(GAMES))
    parser.add_argument("--write", action="store_true", help="renew the hashes whose edition was raised")
    parser.add_argument("--bytes", action="store_true", help="print hashes of every bit")
    parser.add_argument("--sample", action="store_true", help="print hashes of every bit of a small part")
    arguments = parser.parse_args()
    if arguments.bytes or arguments.sample:
        print(json.dumps({name: digests(name, arguments.sample, exact=True) for name in arguments.games}))
        return 0
    entries, failed = stored(), False
    for name in arguments.games:
        new = computed(name)
        text, renewable = complaint(name, entries.get(name), new)
        if text:
            print(text)
        failed = failed or bool(text and not (renewable and arguments.write))
        if renewable:
            entries[name] = new
    if arguments.write and not failed:
        FILE.write_text(json.dumps(entries, indent=2) + "\n", "utf-8")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
