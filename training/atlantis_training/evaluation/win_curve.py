"""How a recorded game stood on its way: win shares of games that agents play on from its positions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from atlantis_envs.engine.batch import Batch
from atlantis_envs.engine.definition import IDENTICAL
from atlantis_envs.engine.position import Position
from atlantis_envs.play.graph import Evaluation
from atlantis_envs.seats.agents import Agent
from atlantis_training.evaluation.statistics import shares_of_wins, wilson

POINTS = 40  # at most, of one game


def win_curve(
    end: Position, start: Position | None, agent: Agent, name: str, games: int, seed: int = 0, points: int = POINTS
) -> Evaluation:
    """Return win shares at up to ``points`` decisions of a game, evenly spread over them.

    Args:
        end: where the game stands, with its log.
        start: where its log began; None: the beginning.
        agent: plays every seat on from there.
        name: of the agent, for the caption.
        games: played on from every point.
        seed: of their chance.
        points: how many decisions are looked at.
    """
    places, positions = _decisions(end, start)
    chosen = [len(places) * number // min(points, len(places)) for number in range(min(points, len(places)))]
    together = end.game.definition.utility == IDENTICAL
    wins = _played_on([positions[number] for number in chosen], agent, games, seed, together)
    means = wins.mean(axis=1)
    who = "the team" if together else "each seat"
    caption = (
        f"Win share of {who}, of {games} games that {name} plays on from there in every seat, seed {seed}, knowing "
        "what each seat knows; the band is the 95 % interval."
    )
    margins = [[_margin(float(share), games) for share in each] for each in means]
    return Evaluation(
        tuple(places[number] for number in chosen),
        tuple(tuple(float(share) for share in each) for each in means),
        tuple(map(tuple, margins)),
        caption,
        together,
    )


def _decisions(end: Position, start: Position | None) -> tuple[list[int], list[Position]]:
    """Return how many events went before each decision, and where it was taken."""
    position = Position(end.game, end.game.root) if start is None else start.clone()
    places, positions = [], []
    for number, text in enumerate(end.log):
        if position.seat is not None:
            places.append(number)
            positions.append(position.clone())
        position.apply(text)
    return places, positions


def _played_on(
    positions: Sequence[Position], agent: Agent, games: int, seed: int, together: bool
) -> NDArray[np.float64]:
    """Return win shares of games played on, float64 (len(positions), games, seats; 1 for all ``together``)."""
    if not positions:
        return np.zeros((0, games, 1))
    game = positions[0].game
    lanes = [position for position in positions for _ in range(games)]
    batch = Batch(game, len(lanes), seed).load(lanes)
    wins = np.zeros((len(lanes), 1 if together else game.players))
    live = np.arange(len(lanes))
    while len(live):
        actions = agent.act(batch.observations[live], batch.action_masks[live], batch.noise(seed, live))
        rewards, over = batch.step(actions, live)
        ended = live[over[live]]
        won = rewards[ended, :1] > 0 if together else shares_of_wins(rewards[ended].astype(np.float64))
        wins[ended] = np.where(batch.truncated[ended, None], 0.0, won)  # nobody wins a game that was cut off
        live = live[~over[live]]
    return wins.reshape(len(positions), games, -1)


def _margin(share: float, games: int) -> float:
    """Return half of the interval."""
    low, high = wilson(share, games)
    return (high - low) / 2
