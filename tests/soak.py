"""Random play with every node checked, and what it reaches. Also a program: ``python tests/soak.py --steps 1e8``.

``--game atlantis_rising`` soaks that game at every level; ``--reach`` counts its effects instead (`reach_play`).
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from helpers.support import Walk
from helpers.trial import words_of
from numpy.typing import NDArray

import atlantis_envs
from atlantis_envs.engine.game import Game

CALL = 200_000  # nodes per compiled call, so that Ctrl-C is seen

# Options of Atlandice that open actions of their own, and tracks of the shortest and of a long kind.
LONG = ("start", *("donation", "total", "gem", "none") * 15, "end")
VARIANTS: tuple[dict[str, Any], ...] = (
    {},
    {"optional_effects": True, "clock": "B24"},
    {"orphan_dice": "stay", "min_to_rank": 0, "clock": LONG, "bare_districts": "spared"},
    {"machinery_block": "round", "l3_counts": "beneficiary", "same_type_exchange": False, "clock": "C16"},
    {"neutral_ranked": [], "chain_cap": 1, "clock": ("start", "end"), "needles": {"market": 3, "M3": 1}},
)
SOAKED: dict[str, tuple[dict[str, Any], ...]] = {
    "atlandice": VARIANTS,
    "atlantis": ({"preset": "amigo"}, {"preset": "brettspielwelt"}, {"reshuffle": "when wanted", "sell_ones": False}),
    "atlantis_rising": (
        *({"level": level} for level in range(1, 6)),
        {"level": 2, "casting_vote": True, "must_act": True, "decline_budget": 5, "truncation": 4},
        {"level": 5, "divers": "flooded tile", "automaton_dice": "per die", "decline_budget": 0, "hands_open": False},
    ),
}


@dataclass
class Report:
    """What a soak found.

    Attributes:
        fault: 0, or what was broken first, in words.
        nodes: nodes passed.
        games: whole games among them.
        longest: nodes of the longest game.
        bound: nodes no game may exceed.
        used: how often each action was played.
        drawn: how often each outcome happened.
    """

    fault: str
    nodes: int
    games: int
    longest: int
    bound: int
    used: NDArray[np.int64] = field(repr=False)
    drawn: NDArray[np.int64] = field(repr=False)


def soak(game: Game, nodes: int, seed: int) -> Report:
    """Uniform random play over so many nodes, or until something is broken."""
    walk = Walk(game, seed)
    fault = passed = 0
    while passed < nodes and not fault:
        part = min(CALL, nodes - passed)
        fault = walk.advance(part)
        passed += part
    found = (passed, walk.finished, walk.longest, walk.bound, walk.used, walk.drawn)
    return Report(words_of(game.definition, fault), *found)


def unreachable(game: Game) -> set[str]:
    """Action and outcome texts that the options of an Atlandice exclude (10.1, 11)."""
    excluded = set()
    for text in (*game.actions, *game.outcomes):
        neutral = text.endswith("for neutral") and game.players != 2
        declining = text in ("use effect", "decline effect", "decline bonus") and not game.options.optional_effects
        paying = text.startswith(("pay", "stop")) and "donation" not in game.options.spaces
        seat = text.startswith("first player") and int(text[-1]) >= game.players
        if neutral or declining or paying or seat:
            excluded.add(text)
    return excluded


def main() -> int:
    """Soak every number of players and variant of the options; print what was reached."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=float, default=1e7, help="nodes per number of players and variant")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--game", choices=sorted(SOAKED), default="atlandice")
    parser.add_argument("--reach", action="store_true", help="count the effects of Atlantis Rising, write the table")
    arguments = parser.parse_args()
    if arguments.reach:
        import reach_play

        return reach_play.main(["--seed", str(arguments.seed)])
    failures = 0
    declared = atlantis_envs.game(arguments.game).definition
    for players in range(declared.min_players, declared.max_players + 1):
        for options in SOAKED[arguments.game]:
            game = atlantis_envs.game(arguments.game, players=players, **options)
            start = time.perf_counter()
            report = soak(game, int(arguments.steps), arguments.seed)
            seconds = time.perf_counter() - start
            counts = dict(zip((*game.actions, *game.outcomes), [*report.used, *report.drawn], strict=True))
            closed = unreachable(game) if game.name == "atlandice" else set()
            rarest = sorted((int(n), text) for text, n in counts.items() if text not in closed)[:3]
            failures += bool(report.fault)
            title = f"{players} players, {', '.join(f'{key}={value}' for key, value in options.items()) or 'defaults'}"
            print(title, report, f"{report.nodes / seconds / 1e6:.1f} million nodes/s", f"rarest {rarest}", sep="\n  ")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
