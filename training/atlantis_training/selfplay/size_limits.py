"""Whether what a run will write can be read back, to its last checkpoint: checked before it begins.

Everything is counted at its largest: all snapshots at once, those too that only wait for their last game to end, and
the learning curve with as many rows as it may ever have. When it would have more, every second one is left out.
"""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from atlantis_agents.catalogue import HEURISTIC, RANDOM
from atlantis_agents.networks.policy import network_sizes, policy_bytes
from atlantis_agents.networks.tensors import MAX_ARRAY_BYTES, MAX_ENTRIES, MAX_MANIFEST_BYTES, TENSOR_BYTES, Arrays
from atlantis_envs.adapters.sb3_vecenv import REMEMBERED_GAMES
from atlantis_envs.errors import OptionError
from atlantis_training.selfplay.checkpoint import manifest_text
from atlantis_training.selfplay.described import features_for
from atlantis_training.selfplay.pool import SNAPSHOT, Entry
from atlantis_training.selfplay.settings import MOST_COUNT, SelfPlaySettings

if TYPE_CHECKING:
    from atlantis_envs.engine.game import Game

COPIES = 3  # of each weight: its own, and two that Adam remembers
GENERATORS = 64 * 1024  # the state of those of torch, NumPy and Python, and what little else there is
LEAST_ROUND = 0.001  # seconds: no round is so short
IMITATED = 256  # decisions in a round of imitation, at the very least: one in each of its games
FEWEST_ROWS, MOST_ROWS = 100, 10_000  # of the learning curve
FIGURES = 4096  # characters of counters and generators in the manifest
DEPTH = 6  # levels at which a row of the curve lies in it


def check_size_limits(game: Game, settings: SelfPlaySettings, tables: Arrays) -> int:
    """Refuse settings whose checkpoints could not be read back.

    Args:
        game: what is learned.
        settings: of the run.
        tables: what the games take in a checkpoint; they never grow.

    Returns:
        The number of rows that the learning curve may have; see thinned.

    Raises:
        OptionError: naming the setting and what is allowed.
    """
    _check_arrays(game, settings, sum(array.nbytes + TENSOR_BYTES for array in tables.values()))
    return _rows_in_manifest(game, settings)


def thinned(curve: list[Any], most: int) -> list[Any]:
    """Return the curve itself, or every second row of it, the last one included, as soon as it has more than
    ``most``.
    """
    return curve if len(curve) <= most else curve[(len(curve) - 1) % 2 :: 2]


def _check_arrays(game: Game, settings: SelfPlaySettings, tables: int) -> None:
    advice = settings.teacher if settings.advice else ""
    sizes = network_sizes(game, settings.hidden, advice, features=features_for(settings, game))
    one = policy_bytes(sizes)
    statistics = 2 * 4 * sizes[0] + 3 * TENSOR_BYTES  # of the inputs
    # A policy that may be written leaves room for its copies: MAX_WEIGHT_BYTES is a quarter of MAX_ARRAY_BYTES.
    own = COPIES * (one + policy_bytes([sizes[-2], 1])) + statistics  # the value is one output on the same trunk
    games = tables + 8 * (settings.num_envs + REMEMBERED_GAMES) + GENERATORS
    most, leaving = _snapshots(game, settings)
    limit = f"a checkpoint of up to {{:,}} bytes; allowed: at most {MAX_ARRAY_BYTES:,}"
    if own + games > MAX_ARRAY_BYTES:
        raise OptionError(f"num_envs: {settings.num_envs} beside these layers makes {limit.format(own + games)}")
    if own + games + (most + leaving) * one > MAX_ARRAY_BYTES:
        room = (MAX_ARRAY_BYTES - own - games) // one - leaving
        makes = (
            f"{settings.max_snapshots} beside these layers makes {limit.format(own + games + (most + leaving) * one)}"
        )
        rather = f", so at most {room} snapshots" if room > 0 else ", so smaller layers (hidden), or rarer snapshots"
        raise OptionError(f"max_snapshots: {makes}{rather}")


def _rounds(settings: SelfPlaySettings) -> int:
    """Return the most rounds that there can be."""
    playing = -(-settings.steps // (settings.num_envs * settings.num_steps))
    rounds = playing + settings.imitate // IMITATED + 1
    return min(rounds, math.ceil(settings.seconds / LEAST_ROUND)) if settings.seconds else rounds


def _snapshots(game: Game, settings: SelfPlaySettings) -> tuple[int, int]:
    """Return the most snapshots that are played against, and that only wait for their last game to end."""
    if not settings.keeps_snapshots:
        return 0, 0
    ever = _rounds(settings) // settings.snapshot_every
    most = min(settings.max_snapshots, ever)
    longest = game.definition.bound(game.options)  # a step is one decision in every game
    tables = settings.num_envs * (game.players - 1 if settings.mixed else 1)
    leaving = min(ever - most, tables, longest // (settings.num_steps * settings.snapshot_every) + 1)
    return most, leaving


def _rows_in_manifest(game: Game, settings: SelfPlaySettings) -> int:
    most = sum(_snapshots(game, settings))
    names = [SNAPSHOT, HEURISTIC, RANDOM, *settings.policies]
    if most + len(names) > MAX_ENTRIES:
        raise OptionError(f"snapshot_every: up to {most:,} snapshots at a time; allowed: {MAX_ENTRIES - len(names):,}")
    nobody: Any = None  # agents are not written
    entries = [Entry(MOST_COUNT, SNAPSHOT, f"{SNAPSHOT} {MOST_COUNT}", nobody, 1 / 3, MOST_COUNT)] * most
    entries += [Entry(MOST_COUNT, HEURISTIC, name, nobody, 1 / 3, MOST_COUNT) for name in names]
    extra = {"settings": settings.to_json(), "seconds": 1 / 3, "curve": []}
    state = {"pool": [entry.to_json() for entry in entries], "extra": extra}
    row = {"steps": MOST_COUNT, "seconds": MOST_COUNT + 0.1, "share": 1 / 3, "against": dict.fromkeys(names, 0.1234)}
    text = json.dumps(row, indent=1)
    each = len(text) + DEPTH * (text.count("\n") + 1)
    taken = len(manifest_text(game, "0" * 64, state)) + FIGURES
    if taken + FEWEST_ROWS * each > MAX_MANIFEST_BYTES:
        limit = f"make a manifest of {taken + FEWEST_ROWS * each:,} bytes; allowed: at most {MAX_MANIFEST_BYTES:,}"
        raise OptionError(f"options, data, policies, max_snapshots: {limit}")
    return min(MOST_ROWS, (MAX_MANIFEST_BYTES - taken) // each)
