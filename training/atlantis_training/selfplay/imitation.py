"""How far a policy is from its teacher."""

from __future__ import annotations

import torch

from atlantis_training.selfplay.lessons import Watched


def odds_of(watched: Watched, temperature: float) -> torch.Tensor | None:
    """What a teacher's scores are imitated as, float32 (N, A); None: its choices are imitated.

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
    """Mean cross entropy to the teacher's odds, or to its choice, with label smoothing over the legal actions.

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
