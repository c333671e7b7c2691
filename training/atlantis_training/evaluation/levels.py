"""How hard a cooperative game is: games won by skill, number of players, level, and options that are varied.

All agents and variants play the same game numbers, so two of them are compared on games with the same luck.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from atlantis_agents.catalogue import HEURISTIC
from atlantis_envs.engine.game import Game
from atlantis_envs.errors import OptionError
from atlantis_envs.seats.agents import Agent
from atlantis_training.evaluation import report, statistics
from atlantis_training.evaluation.evaluate import evaluation_json, tabulate
from atlantis_training.evaluation.measure import (
    Bar,
    Cell,
    Measured,
    identity,
    measure_cells,
    open_store,
    silent_bar,
    tried_agents,
)
from atlantis_training.evaluation.workers import Workers

LEVEL = "level"
GAMES = 2000
RESAMPLES = 1000
LOOK_EVERY = 25  # decisions between two looks at what is under water
SUNK = 6  # tiles of a peninsula


def level_of(game: Game) -> int:
    """Return the level a game is played at.

    Raises:
        OptionError: it has none, or its seats compete.
    """
    level = game.options.to_json().get(LEVEL)
    if level is None or not game.cooperative:
        raise OptionError(f"game: {game.name!r} is no cooperative game with levels; allowed: 'atlantis_rising'")
    return int(level)


@dataclass(frozen=True)
class Losses:
    """How games were lost that were played again.

    Attributes:
        games: how many.
        rounds: median of the round in which they were lost.
        built: mean number of components that the gate had.
        first: of each peninsula, how often it was the first one to be under water.
    """

    games: int
    rounds: float
    built: float
    first: dict[str, int]


@dataclass(frozen=True)
class LevelCell:
    """One team at one number of players and level.

    Attributes:
        variant: which options are varied; "" for none.
        agent: who sits in every seat.
        measured: its games.
        losses: of some lost games; None where none were looked at.
    """

    variant: str
    agent: str
    measured: Measured = field(repr=False)
    losses: Losses | None = None

    @property
    def game(self) -> Game:
        """Return the game."""
        return self.measured.game

    @property
    def where(self) -> tuple[int, int]:
        """Return the number of players and the level."""
        return self.game.players, level_of(self.game)

    @property
    def won(self) -> NDArray[np.float64]:
        """Return 1 for every game won, float64 (G,)."""
        return self.measured.results[0].won[:, 0]

    @property
    def share(self) -> statistics.Share:
        """Return the share of games won, with its Wilson interval."""
        return statistics.win_share(self.won)


@dataclass(frozen=True)
class Comparison:
    """A variant beside the game as it is, on the same games.

    Attributes:
        cell: of the variant.
        lost: games that only the game as it is was won in.
        gained: games that only the variant was won in.
        p: of "the variant is as hard", by McNemar's exact test.
        corrected: the same after Holm's correction over all comparisons.
    """

    cell: LevelCell
    lost: int
    gained: int
    p: float
    corrected: float


@dataclass(frozen=True)
class Tolerance:
    """How often a team may err and still win half of its games.

    Attributes:
        variant: which options are varied.
        agent: the team that errs.
        where: number of players and level.
        value: chance of a random move at which half is won; 0 where less is won without any, inf where more is won at
            the largest that was tried.
        low: lower end of its 95 % interval, by a bootstrap over games.
        high: upper end.
    """

    variant: str
    agent: str
    where: tuple[int, int]
    value: float
    low: float
    high: float

    def __str__(self) -> str:
        """Return it as "0.083 [0.079, 0.088]"."""
        shown = ["never" if one == math.inf else f"{one:.3f}" for one in (self.value, self.low, self.high)]
        return f"{shown[0]} [{shown[1]}, {shown[2]}]"


@dataclass(frozen=True)
class Levels:
    """How hard a game is.

    Attributes:
        cells: by variant, agent, number of players and level.
        comparisons: of variants with the game as it is.
        tolerances: to errors, where they were tried.
        seed: of chance and agents.
        requested: games requested of each cell.
    """

    cells: tuple[LevelCell, ...]
    comparisons: tuple[Comparison, ...]
    tolerances: tuple[Tolerance, ...]
    seed: int
    requested: int

    @property
    def interrupted(self) -> bool:
        """Return whether it ended before all games were played."""
        return any(cell.measured.interrupted for cell in self.cells)

    def report(self) -> report.Report:
        """Return a report: a table for every variant and agent, then what was compared."""
        first, cells = self.cells[0], self.cells
        fewest = min(cell.measured.games for cell in cells)
        games, cut = (
            sum(cell.measured.games for cell in cells),
            sum(int(cell.measured.results[0].truncated.sum()) for cell in cells),
        )
        groups = list(dict.fromkeys((cell.variant, cell.agent) for cell in cells))
        parts: list[str | report.Table | report.Figure] = [
            f"# {first.game.definition.title}: games won by number of players and level",
            f"The same agent in every seat, {fewest:,} games a cell, seed {self.seed}; 95 % Wilson intervals.",
            report.cautions(cut, games),
            report.Figure("games won by level", partial(draw_levels, self)),
        ]
        for variant, agent in groups:
            name = report.markdown(agent) + (f", {report.markdown(variant)}" if variant else "")
            some = [cell for cell in cells if (cell.variant, cell.agent) == (variant, agent)]
            parts += [name if len(groups) == 1 else f"## {name}", _won_table(some), *_loss_parts(some)]
        parts += [*_comparison_parts(self), *_tolerance_parts(self)]
        return report.Report("levels", parts, partial(levels_json, self))

    def _repr_markdown_(self) -> str:
        return self.report()._repr_markdown_()


def erring(agent: str, chance: float) -> str:
    """Return the text of an agent that errs with a chance."""
    return f"eps:{chance:g}:{agent}" if chance else agent


def levels(
    tables: Sequence[Game] | Mapping[str, Sequence[Game]],
    agents: Sequence[str] = (HEURISTIC,),
    *,
    games: int = GAMES,
    errors: Sequence[float] = (),
    causes: int = 0,
    seed: int = 0,
    workers: Workers = 1,
    out: Path | None = None,
    resume: bool = False,
    bar: Bar = silent_bar,
) -> Levels:
    """Let a team of each agent play every table.

    Args:
        tables: games with their numbers of players and levels; or these by variant, "" for the game as it is, each
            variant with the same tables in the same order.
        agents: texts.
        games: games of each cell.
        errors: chances of a random move, for teams that err; none for no such teams.
        causes: so many lost games of each cell are played again, to see how they were lost.
        seed: of chance and agents.
        workers: processes, or a cluster; the result does not depend on it. None: a sensible number.
        out: directory that keeps games as they are played; None: none. It is there already.
        resume: go on with the games that are kept.
        bar: shows progress.

    Raises:
        OptionError: a game has no levels; an agent, or a chance that does not fit.
        KeyboardInterrupt: before any cell had a game to show.
    """
    by_variant = tables if isinstance(tables, Mapping) else {"": tables}
    chances = tuple(sorted({0.0, *errors}))
    teams = [erring(agent, chance) for agent in agents for chance in chances]
    wanted = [(variant, text, game) for variant, row in by_variant.items() for text in teams for game in row]
    for _, _, game in wanted:
        level_of(game)
    found: dict[int, Mapping[str, Agent]] = {
        id(game): tried_agents(game, teams) for row in by_variant.values() for game in row
    }
    cells = [Cell(game, ((text,) * game.players,), range(games)) for _, text, game in wanted]
    what = [identity(cell.game, cell.line_ups[0], seed) for cell in cells]
    store = None if out is None else open_store(out / "levels.jsonl", what, resume)
    with bar("levels", games * len(cells), "games") as advance:
        measured = measure_cells(
            cells, seed, workers, lambda _, count: advance(count),
            agents=[found[id(game)] for _, _, game in wanted], store=store,
        )  # fmt: skip
    played = [
        LevelCell(variant, text, one, _losses(one, found[id(game)][text], causes) if causes else None)
        for (variant, text, game), one in zip(wanted, measured, strict=True)
        if one.games
    ]
    if not played:
        raise KeyboardInterrupt
    compared = tuple(_comparisons(played))
    lasting = tuple(_tolerances(played, agents, chances)) if errors else ()
    return Levels(tuple(played), compared, lasting, seed, games)


def _common(cells: Sequence[LevelCell]) -> NDArray[np.float64]:
    """Return 1 for every game won, float64 (cells, G), of the games that all of them have finished."""
    numbers = cells[0].measured.results[0].numbers
    for cell in cells[1:]:
        numbers = np.intersect1d(numbers, cell.measured.results[0].numbers, assume_unique=True)
    return np.stack([cell.won[np.isin(cell.measured.results[0].numbers, numbers)] for cell in cells])


def _comparisons(cells: Sequence[LevelCell]) -> Iterator[Comparison]:
    from scipy.stats import binomtest

    plain = {(cell.agent, cell.where): cell for cell in cells if not cell.variant}
    found = []
    for cell in cells:
        base = plain.get((cell.agent, cell.where)) if cell.variant else None
        if base is not None:
            one, other = _common([base, cell])
            lost, gained = int((one > other).sum()), int((other > one).sum())
            p = float(binomtest(gained, lost + gained).pvalue) if lost + gained else 1.0
            found.append((cell, lost, gained, p))
    corrected = statistics.holm([p for *_, p in found]) if found else []
    yield from (Comparison(*row, value) for row, value in zip(found, corrected, strict=True))


def half_won(shares: NDArray[np.float64], chances: Sequence[float]) -> float:
    """Return the chance at which a falling line through shares, (C,), crosses one half; 0 or inf beyond its ends."""
    falling = np.minimum.accumulate(shares)
    below = np.flatnonzero(falling < 0.5)
    if not len(below):
        return math.inf
    last = int(below[0])
    if not last:
        return 0.0
    high, low = falling[last - 1], falling[last]
    return float(chances[last - 1] + (high - 0.5) / (high - low) * (chances[last] - chances[last - 1]))


def _tolerances(cells: Sequence[LevelCell], agents: Sequence[str], chances: Sequence[float]) -> Iterator[Tolerance]:
    known = {(cell.variant, cell.agent, cell.where): cell for cell in cells}
    for variant, where in dict.fromkeys((cell.variant, cell.where) for cell in cells):
        for agent in agents:
            row = [known.get((variant, erring(agent, chance), where)) for chance in chances]
            played = [cell for cell in row if cell is not None]
            if len(played) < len(row):
                continue
            won, generator = _common(played), np.random.default_rng(played[0].measured.seed)
            games = won.shape[1]
            weights = generator.multinomial(games, np.full(games, 1 / games), RESAMPLES) / games
            drawn = [half_won(shares, chances) for shares in weights @ won.T]
            low, high = np.quantile(drawn, (0.025, 0.975), method="nearest")
            yield Tolerance(variant, agent, where, half_won(won.mean(axis=1), chances), float(low), float(high))


def _losses(measured: Measured, agent: Agent, most: int) -> Losses | None:
    """Play the first lost games again, up to ``most``, and see how they ended."""
    results = measured.results[0]
    numbers = results.numbers[(results.returns[:, 0] < 0) & ~results.truncated][:most]
    ends = [_lost_game(measured.game, agent, measured.seed, int(number)) for number in numbers]
    if not ends:
        return None
    first = Counter(name for _, _, name in ends)
    rounds, built = np.median([end[0] for end in ends]), np.mean([end[1] for end in ends])
    return Losses(len(ends), float(rounds), float(built), dict(first.most_common()))


def _lost_game(game: Game, agent: Agent, seed: int, number: int) -> tuple[int, int, str]:
    """Return the last round, how many components were built, and the first peninsula that was under water."""
    from atlantis_envs.play.game_session import GameSession

    session, steps, first = GameSession(game, [agent] * game.players, seed, game_index=number), 0, ""
    while session.position.node != "over":
        session.advance()
        steps += 1
        if not first and steps % LOOK_EVERY == 0:
            first = _under_water(session.position.to_json())
    end = session.position.to_json()
    return int(end["round"]), len(end["built"]), first or _under_water(end)


def _under_water(document: Mapping[str, Any]) -> str:
    flooded: Mapping[str, int] = document["flooded"]
    return next((name for name, tiles in flooded.items() if tiles >= SUNK), "")


# -------------------------------------------------------------------------------------------------------------- report


def _won_table(cells: Sequence[LevelCell]) -> report.Table:
    steps = sorted({cell.where[1] for cell in cells})
    shares = {cell.where: cell.share for cell in cells}
    shown = {where: f"{one.value:.4f} [{one.low:.4f}, {one.high:.4f}]" for where, one in shares.items()}
    players = sorted({cell.where[0] for cell in cells})
    rows = [(count, *(shown.get((count, step), "") for step in steps)) for count in players]
    return report.Table(("players", *(f"level {step}" for step in steps)), rows)


def _loss_parts(cells: Sequence[LevelCell]) -> Iterator[str | report.Table]:
    lost = [(cell, cell.losses) for cell in cells if cell.losses]
    if lost:
        yield "How games were lost that were played again:"
        yield report.Table(
            ("players", "level", "games", "round, median", "components built, mean", "first peninsula under water"),
            [(*cell.where, one.games, f"{one.rounds:g}", f"{one.built:.1f}",
              ", ".join(f"{name} {count / one.games:.0%}" for name, count in one.first.items())) for cell, one in lost],
        )  # fmt: skip


def _comparison_parts(found: Levels) -> Iterator[str | report.Table]:
    if not found.comparisons:
        return
    yield "## Variants"
    yield (
        f"On the same games; McNemar's exact test, {len(found.comparisons)} tests, Holm's correction over all of them."
    )
    plain = {(cell.agent, cell.where): cell.share.value for cell in found.cells if not cell.variant}
    columns = (
        "variant",
        "agent",
        "players",
        "level",
        "won without",
        "won",
        "only without",
        "only with",
        "p",
        "p (Holm)",
    )
    yield report.Table(columns, [
        (report.markdown(one.cell.variant), report.markdown(one.cell.agent), *one.cell.where,
         f"{plain[one.cell.agent, one.cell.where]:.4f}", f"{one.cell.share.value:.4f}", one.lost, one.gained,
         report.p_text(one.p), report.p_text(one.corrected)) for one in found.comparisons
    ])  # fmt: skip


def _tolerance_parts(found: Levels) -> Iterator[str | report.Table]:
    if found.tolerances:
        yield "## Tolerance to errors"
        yield "The chance of a random move at which half of the games are won; 95 % bootstrap over games:"
        rows = [(report.markdown(one.variant), report.markdown(one.agent), *one.where, one) for one in found.tolerances]
        yield report.Table(("variant", "agent", "players", "level", "chance"), rows)


def levels_json(found: Levels) -> dict[str, Any]:
    """Return the cells as plain values."""
    return {
        "format": "atlantis-envs levels 2",
        "cells": [
            {
                LEVEL: cell.where[1],
                "variant": cell.variant,
                "losses": None if cell.losses is None else asdict(cell.losses),
                **evaluation_json(tabulate(cell.measured)),
            }
            for cell in found.cells
        ],
        "comparisons": [
            {"variant": one.cell.variant, "agent": one.cell.agent, "players": one.cell.where[0],
             LEVEL: one.cell.where[1], "lost": one.lost, "gained": one.gained, "p": one.p, "p_holm": one.corrected}
            for one in found.comparisons
        ],
        "tolerances": [
            {"variant": one.variant, "agent": one.agent, "players": one.where[0], LEVEL: one.where[1],
             **{key: None if value == math.inf else value for key, value in
                (("chance", one.value), ("low", one.low), ("high", one.high))}} for one in found.tolerances
        ],
    }  # fmt: skip


def draw_levels(found: Levels, paths: Sequence[Path]) -> None:
    """Draw games won by level, a panel for each agent, a line for each number of seats, dashed ones for variants."""
    agents = list(dict.fromkeys(cell.agent for cell in found.cells))
    counts = sorted({cell.where[0] for cell in found.cells})
    variants = list(dict.fromkeys(cell.variant for cell in found.cells))
    with report.figure(*paths, size=(1.9 + 2.5 * len(agents), 2.9), panels=len(agents)) as (whole, axes):
        for axis, agent in zip(axes, agents, strict=True):
            for number, players in enumerate(counts):
                for dash, variant in enumerate(variants):
                    some = [one for one in found.cells if (one.agent, one.variant) == (agent, variant)]
                    row = sorted((one.where[1], one.share) for one in some if one.where[0] == players)
                    if row:
                        steps, shares = zip(*row, strict=True)
                        name = f"{players} {report.pictured(variant)}" if variant else str(players)
                        axis.errorbar(
                            steps, [share.value for share in shares], yerr=report.whiskers(shares),
                            label=name if axis is axes[0] else None,
                            linestyle=("-", "--", ":", "-.")[dash % 4], **report.look(number),
                        )  # fmt: skip
            axis.set(xlabel="level", ylim=(-0.02, 1.02))
            axis.set_xticks(sorted({cell.where[1] for cell in found.cells}))
            if len(agents) > 1:
                axis.set_title(report.pictured(agent))
        axes[0].set(ylabel="games won")
        whole.legend(loc="outside right center", title="players")
