"""Demonstrations of a teacher, to be imitated: the games they are from, and how far a policy is from them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from atlantis_envs.seats.agents import Agent
from atlantis_envs.seats.positions import ask

if TYPE_CHECKING:
    from atlantis_envs.engine.batch import Batch
    from atlantis_envs.engine.game import Game

FEWEST = 2  # legal actions of a decision that is kept: there is nothing to learn where nothing is to choose
# What is played in these lanes of a batch instead of the actions that the teacher says; it may change them in place.
Instead = Callable[["Batch", NDArray[np.int64], NDArray[np.int64]], NDArray[np.int64]]


class Demonstrations(NamedTuple):
    """Choices of a teacher.

    Attributes:
        obs: observations, uint8 (N, F).
        masks: what was legal, bool (N, A).
        actions: what it played, int64 (N,).
        returns: what its game paid to that seat, float32 (N,).
        afterstates: those of all choices, uint8 (K, F), for a network that scores them.
        scores: what the teacher thinks of every action, float32 (N, A), -inf where not legal; None if nobody asked.
    """

    obs: NDArray[np.uint8]
    masks: NDArray[np.bool_]
    actions: NDArray[np.int64]
    returns: NDArray[np.float32]
    afterstates: NDArray[np.uint8] | None
    scores: NDArray[np.float32] | None = None


def demonstrate(
    game: Game,
    teacher: Agent,
    games: NDArray[np.int64],
    seed: int,
    instead: Instead | None = None,
    afterstates: bool = False,
    scored: bool = False,
) -> Demonstrations:
    """Return what a teacher plays, or would play, at every choice of some games.

    Args:
        game: what is played.
        teacher: who plays it against itself.
        games: their numbers, int64 (N,).
        seed: of the games and of the noise of whoever plays.
        instead: what is played where there is a choice; None: what the teacher says.
        afterstates: record those too.
        scored: with what the teacher thinks of every action; it is one of the heuristic's kind then.
    """
    batch, lanes = game.batch(len(games), seed), np.arange(len(games))
    batch.reset(games=games)
    paid = np.zeros((len(games), game.players), np.float32)
    kept: list[tuple[NDArray[Any], ...]] = []
    led_to: list[NDArray[np.uint8]] = []
    while len(lanes):
        masks = batch.action_masks[lanes]
        actions, choice = masks.argmax(axis=1), masks.sum(axis=1) >= FEWEST
        some = lanes[choice]
        if len(some):
            wanted = ask(teacher, batch, some, batch.noise(seed, some))
            kept.append(
                (batch.observations[some], masks[choice] != 0, wanted, some, batch.seats[some].astype(np.int64))
            )
            led_to += [batch.afterstates(some).observations] if afterstates else []
            actions[choice] = wanted if instead is None else instead(batch, some, wanted.copy())
        rewards, over = batch.step(actions, lanes)
        paid[over] = rewards[over]
        lanes = lanes[~over[lanes]]
    obs, legal, chosen, whose, seats = (np.concatenate(column) for column in zip(*kept, strict=True))
    adviser: Any = teacher
    scores = adviser.scores(obs, legal.astype(np.int8)).astype(np.float32) if scored else None
    after = np.concatenate(led_to) if afterstates else None
    return Demonstrations(obs, legal, chosen, paid[whose, seats], after, scores)


def odds_of(watched: Demonstrations, temperature: float) -> torch.Tensor | None:
    """Return what a teacher's scores are imitated as, float32 (N, A); None: its choices are imitated.

    Scores say what a mistake costs and which actions are as good; choices do not (distillation; Hinton, Vinyals & Dean
    2015). Where all are equal they say nothing, as the choice was made without them, and it is imitated.
    """
    if not temperature or watched.scores is None:
        return None
    scores = torch.from_numpy(watched.scores)
    odds = torch.softmax(scores / temperature, dim=1)
    silent = scores.masked_fill(scores.isinf(), torch.inf).amin(dim=1) == scores.amax(dim=1)
    chosen = torch.from_numpy(watched.actions)[silent]
    odds[silent] = torch.nn.functional.one_hot(chosen, odds.shape[1]).float()
    return odds


def distance(
    logs: torch.Tensor, wanted: torch.Tensor, legal: torch.Tensor, odds: torch.Tensor | None, doubt: float
) -> torch.Tensor:
    """Return the mean cross entropy to the teacher's odds, or to its choice, with label smoothing over legal actions.

    Args:
        logs: log odds of the policy, float32 (N, A).
        wanted: the teacher's choice, int64 (N,).
        legal: bool (N, A).
        odds: of the teacher, float32 (N, A), or None.
        doubt: 0..1, share of the target that is spread over all legal actions.
    """
    if odds is None:
        loss = torch.nn.functional.nll_loss(logs, wanted)
    else:
        loss = -(odds * logs.masked_fill(~legal, 0.0)).sum(dim=1).mean()
    if not doubt:
        return loss
    return (1 - doubt) * loss - doubt * (logs.masked_fill(~legal, 0.0).sum(dim=1) / legal.sum(dim=1)).mean()
