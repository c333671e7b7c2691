"""How strong the agent of the demo is: against others, or as a team where a game is won together."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from rich.progress import Progress

from atlantis_envs.engine.game import Game
from atlantis_envs.seats.agents import Agent, make_agent
from atlantis_training.evaluation.evaluate import SeatTable, evaluate_by_seat, evaluate_team
from atlantis_training.evaluation.measure import is_team
from atlantis_training.evaluation.measure import measure as play
from atlantis_training.evaluation.seats import OrderTable, tabulate
from atlantis_training.evaluation.statistics import Share

ORDER_GAMES = 100_000
GAMES_PER_SEAT = 4_000
EVALUATION_SEED = 1  # training uses seed 0: never measured on the games it learned from
TEAM = "the agent"
FEWEST_GAMES = 2  # that have a spread


@dataclass(frozen=True)
class Duels:
    """How the agent does against others, and what the order of play is worth.

    Attributes:
        against: by name of the opponents.
        order: of equal heuristics; None: it was interrupted before there were two games.
        interrupted: whether some games were not played.
    """

    against: dict[str, SeatTable]
    order: OrderTable | None
    interrupted: bool = False


@dataclass(frozen=True)
class Teams:
    """How teams of one agent in every seat do in a cooperative game.

    Attributes:
        won: games won, by what sits in every seat; the learned agent first.
        interrupted: whether some games were not played.
    """

    won: dict[str, Share]
    interrupted: bool = False


Measured = Duels | Teams


@dataclass(frozen=True)
class Games:
    """How many games are played to measure.

    Attributes:
        per_seat: of the agent in each seat, against each kind of opponents; of each team in a cooperative game.
        order: of equal heuristics.
    """

    per_seat: int = GAMES_PER_SEAT
    order: int = ORDER_GAMES


USUAL = Games()


def measure(game: Game, agent: Agent, games: Games, bars: Progress) -> Measured:
    """Measure what the agent is worth, a progress bar for each part; a part without a finished game is left out."""
    return (_teams if is_team(game) else _duels)(game, agent, games, bars)


def _duels(game: Game, agent: Agent, games: Games, bars: Progress) -> Duels:
    against: dict[str, SeatTable] = {}
    for name in ("random", "heuristic"):
        task = bars.add_task(f"evaluate against {name}", total=games.per_seat * game.players)
        opponent = make_agent(name, game, seed=EVALUATION_SEED)
        advance = partial(bars.advance, task)
        table = evaluate_by_seat(game, agent, opponent, games.per_seat, EVALUATION_SEED, advance)
        against |= {name: table} if table.overall.games else {}
    task = bars.add_task("who profits from going first", total=games.order)
    line_up = ("heuristic",) * game.players
    equals = play(game, [line_up], games.order, EVALUATION_SEED, 1, partial(bars.advance, task))
    order = tabulate(equals.results[0]) if equals.games >= FEWEST_GAMES else None
    return Duels(against, order, equals.interrupted)


def _teams(game: Game, agent: Agent, games: Games, bars: Progress) -> Teams:
    teams = {TEAM: agent} | {name: make_agent(name, game, seed=EVALUATION_SEED) for name in ("heuristic", "random")}
    won: dict[str, Share] = {}
    played = 0
    for name, member in teams.items():
        task = bars.add_task(f"evaluate a team of {name}", total=games.per_seat)
        share = evaluate_team(game, member, games.per_seat, EVALUATION_SEED, partial(bars.advance, task))
        played += share.games
        won |= {name: share} if share.games else {}
    return Teams(won, played < games.per_seat * len(teams))
