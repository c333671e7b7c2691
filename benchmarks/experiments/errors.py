"""Which errors lose Atlantis Rising: a heuristic team at level 1 that errs, but only where the move has a certain kind.

    python -m benchmarks errors 1 --games 600

Of the decisions with a choice one in ten is made at random; an error counts where the move is another one than the
heuristic's. A row names the kinds of moves that may go wrong, by the first words of the action lost and the one played.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import numpy as np

import atlantis_envs
from atlantis_agents.weakened import TO_UNIT, derived_words
from atlantis_envs.engine.game import Game
from atlantis_envs.seats.agents import make_agent

EPSILON = 0.1
SEED = 73
Allowed = Callable[[str, str], bool]  # of the heuristic's kind of move and the one that is played instead
ROWS: dict[str, Allowed] = {
    "none": lambda was, now: False,
    "where pieces go": lambda was, now: was in {"place", "at"},
    "a pass instead of an action": lambda was, now: (was, now) == ("resolve", "pass"),
    "cards": lambda was, now: was in {"play", "keep", "discard", "take", "give"},
    "the sea": lambda was, now: was in {"flood", "barrier", "drain", "remove"},
    "all but a pass instead of an action": lambda was, now: (was, now) != ("resolve", "pass"),
    "all": lambda was, now: True,
}


def play(game: Game, games: int, allowed: Allowed) -> tuple[float, float, float]:
    """Return errors a game, components built a game, and the share of games won."""
    heuristic, kinds = make_agent("heuristic", game), [str(action).split()[0] for action in game.actions]
    batch, lanes = game.batch(games, SEED), np.arange(games)
    errors, built, won = 0, 0, 0
    while len(lanes):
        masks, noise = batch.action_masks[lanes] != 0, batch.noise(SEED, lanes)
        actions = np.array(heuristic.act(batch.observations[lanes], batch.action_masks[lanes], noise))
        errs = (derived_words(noise, 0) * TO_UNIT < EPSILON) & (masks.sum(axis=1) > 1)
        picks = derived_words(noise, 1)
        for row in np.flatnonzero(errs):
            legal = np.flatnonzero(masks[row])
            instead = int(legal[int(picks[row] % np.uint64(len(legal)))])
            if instead != actions[row] and allowed(kinds[actions[row]], kinds[instead]):
                actions[row], errors = instead, errors + 1
        rewards, over = batch.step(actions, lanes)
        done = lanes[over[lanes]]
        built += int(batch.final_scores[done][:, 0].sum())
        won += int((rewards[done][:, 0] > 0).sum())
        lanes = lanes[~over[lanes]]
    return errors / games, built / games, won / games


def main(arguments: list[str]) -> None:
    """Print a row for each kind of error."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks errors", description=__doc__)
    parser.add_argument("players", type=int, help="seats of the team")
    parser.add_argument("--games", type=int, default=600, help="of each row")
    given = parser.parse_args(arguments)
    game = atlantis_envs.game("atlantis_rising", players=given.players, level=1)
    print("| errors | a game | components built | games won |\n|---|---|---|---|")
    for title, allowed in ROWS.items():
        errors, built, won = play(game, given.games, allowed)
        print(f"| {title} | {errors:.1f} | {built:.1f} | {won:.3f} |", flush=True)
