"""Which value of positions tells the truth: Brier scores and a reliability plot.

    python -m benchmarks calibration atlandice search:leaf=runs/td/policy -n 3 --games 400 --out runs/calibration

The first value is that of the search as the game declares it; the others are named: policies that know values, or
searches, whose leaf is asked.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import atlantis_envs
from atlantis_envs.errors import OptionError
from atlantis_envs.seats.agents import make_agent
from atlantis_training.evaluation.calibration import Valuer, calibration_report, listen

DECLARED = "search"


def main(arguments: list[str]) -> None:
    """Play, ask and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks calibration", description=__doc__)
    parser.add_argument("game", help="its name")
    parser.add_argument("values", nargs="*", help="policies that know values, or searches")
    parser.add_argument("-n", "--players", type=int, help="number of players")
    parser.add_argument("--by", default="search:16", help="who plays the games, in every seat")
    parser.add_argument("--games", type=int, default=400, help="how many")
    parser.add_argument("--seed", type=int, default=12, help="of all luck")
    parser.add_argument("--out", type=Path, help="directory for page, numbers and plot")
    given = parser.parse_args(arguments)
    game = atlantis_envs.game(given.game, **({} if given.players is None else {"players": given.players}))
    valuers: dict[str, Valuer] = {}
    for text in (DECLARED, *given.values):
        agent: Any = make_agent(text, game)
        if not hasattr(agent, "position_values"):
            raise OptionError(f"values: {text!r}; allowed: policies that know values, or searches")
        valuers[text] = agent
    said = listen(game, make_agent(given.by, game), valuers, given.games, given.seed)
    found = calibration_report(game, given.by, said, given.seed)
    print(found.markdown())
    if given.out:
        found.write(given.out)
