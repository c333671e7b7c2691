"""How search is to play a game unless somebody says otherwise: a part of the game's declaration."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SearchDefaults:
    """Settings of the agent ``search``, as far as the game has an opinion; docs/search.md says what they mean.

    Attributes:
        simulations: games imagined for one decision.
        rollout: who plays them on: "heuristic", "planner", "mixed" or "random"; "": the heuristic if there is one, else
            at random.
        horizon: where they are cut: "end", "round" (where the game's ``phase`` changes) or a number of decisions.
        least: with "round", decisions before which nothing is cut.
        leaf: what a game that was cut is worth: "value" (the game's own), "heuristic" (that of its rules of thumb) or
            "score" (a softmax of what lies on the table).
        temperature: points of score that make e times the chance of winning, for the leaf "score" and for ``margin``.
        margin: the part, 0..1, that the final scores have in what a game to its end is worth, beside won or lost.
        prior: win share that the heuristic's favourite is given in advance; the others get less, by their ranks.
        gate: standard errors by which another action must beat the heuristic's choice; 0: none, the best is played.
        gates: (number of players, gate) where it is another one.
        considered: simulations per action that is looked at; the heuristic's favourites are, the others are not.
    """

    simulations: int = 64
    rollout: str = ""
    horizon: int | str = "end"
    least: int = 0
    leaf: str = "score"
    temperature: float = 1.0
    margin: float = 0.0
    prior: float = 0.0
    gate: float = 0.0
    gates: tuple[tuple[int, float], ...] = ()
    considered: float = 4.0


VALUE_ROOM = 128  # places of the row that a ``value`` kernel gets; beyond those of the seats it may write what it likes
USUAL_SEARCH = SearchDefaults()
