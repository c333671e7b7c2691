"""Everything a game says about a stretch of random play, as one hash: the same in processes of every kind."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Iterable

import atlantis_envs
from atlantis_envs.engine.position import Position
from helpers.atlantis_random import random_options
from helpers.atlantis_rising_starts import from_the_gate, from_the_middle, from_the_root
from helpers.support import moves, scaled


def atlantis() -> str:
    """A hundred nodes or more of each number of players, resampling included."""
    return fingerprint(atlantis_starts(), scaled(120, 260))


def atlantis_rising() -> str:
    """The same of Atlantis Rising, from early and late rounds."""
    return fingerprint(rising_starts(), scaled(60, 400))


def atlantis_starts() -> Iterable[tuple[Position, random.Random]]:
    """Roots of random options."""
    for number, players in enumerate((2, 3, 4)):
        dice = random.Random(number)
        game = atlantis_envs.game("atlantis", players=players, **random_options(dice, players))
        yield game.initial_position(), dice


def rising_starts() -> Iterable[tuple[Position, random.Random]]:
    """Roots and late rounds of random options."""
    for number, players in enumerate((1, 2, 4, 7)):
        dice = random.Random(number)
        yield (from_the_root, from_the_middle, from_the_gate)[number % 3](players, dice)[0], dice


def fingerprint(starts: Iterable[tuple[Position, random.Random]], nodes: int) -> str:
    """So many nodes from each start, or fewer if the game ends."""
    text = hashlib.sha256()
    for position, dice in starts:
        for count in range(nodes):
            offered = moves(position)
            seat = count % position.game.players
            parts = (offered, position.chance_outcomes(), position.scores(), position.faults(), position.to_json())
            text.update(repr(parts).encode() + position.state.tobytes() + position.observation(seat).tobytes())
            if not offered:
                break
            if position.seat is not None:
                text.update(position.resample(position.seat, count).state.tobytes())
            if position.node == "chance":
                text.update(position.sample_chance(count).encode())
            position.apply(dice.choice(offered))
            assert position.game.from_json(json.loads(json.dumps(position.to_json()))) == position
    return text.hexdigest()
