"""Random options of Atlantis Rising, made from section 17 of its rules file alone."""

from __future__ import annotations

import random
from typing import Any

from oracles.atlantis_rising_parts import tables as t


def random_options(players: int, level: int, dice: random.Random) -> dict[str, Any]:
    """Options of section 17, each left out or drawn from its values."""
    blueprint: list[str] = list(t.level_row(level)["fixed"] or [])
    for letter, number in t.level_row(level)["components"].items() if not blueprint else []:
        blueprint += dice.sample([name for name, row in t.COMPONENTS.items() if row["letter"] == letter], number)
    choices: dict[str, list[Any]] = {
        "first_player": ["random", dice.randrange(players)],
        "councilors": ["draft", "draft", dice.sample(t.COUNCILORS, players)],
        "blueprint": [blueprint],
        "force_artificer": [True, False],
        "hands_open": [True, False],
        "lift_budget": [0, 1, 5],
        "yield_budget": [0, 1, 5],
        "decline_budget": [0, 1, 5],
        "casting_vote": [True, False],
        "must_act": [True, False],
        "round_limit": [1, 2, None],
        "truncation": [1, 2, 3],
        "solo_energy": ["track", "every round"],
        "solo_prices": ["reduced", "printed"] if players == 1 else ["printed"],
        "automaton_dice": ["once", "per die"],
        "divers": ["any tile", "flooded tile"],
    }
    drawn = {name: dice.choice(values) for name, values in choices.items() if dice.random() < 0.4}
    return {"players": players, "level": level, "round_limit": 3, **drawn}
