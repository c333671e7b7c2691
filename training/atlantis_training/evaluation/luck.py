"""What decides a game: own skill, the others' skill, the seat, luck; and how many games tell who is better.

Agents of a population take all seats in every combination, on common game numbers. The result of a player, its win
share, is then a function of four independent inputs: its own agent, the agents of the others, its place in turn order
and the game number. Sobol indices of these come from the pick-freeze estimator (Saltelli et al. 2010) and that of
Jansen (1999), over all pairs of games instead of a random choice of pairs; intervals come from a jackknife over blocks
of game numbers. The luck of a game number is split by chance stream if the games are played again with other luck in
one stream, and with other luck in all streams but one.
"""

from __future__ import annotations

import itertools
import math
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from atlantis_envs.base.values import repr_short
from atlantis_envs.engine.game import Game
from atlantis_envs.errors import OptionError
from atlantis_training.evaluation import report
from atlantis_training.evaluation.measure import (
    Cell,
    LineUp,
    Measured,
    Progress,
    identity,
    measure_cells,
    open_store,
)
from atlantis_training.evaluation.statistics import Z95, Mean
from atlantis_training.evaluation.store import Store
from atlantis_training.evaluation.workers import Workers

MOST_LINE_UPS = 1024
STRETCH, TASKS = 512, 16  # games that all line-ups play before further ones, in so many tasks: few at once are slow
BLOCKS = 20  # of game numbers, for the jackknife
T_BLOCKS = 2.093  # Student, 19 degrees of freedom, 95 % in the middle
SURE = 0.95
EXACT = 100  # games, up to which who is ahead is worked out; beyond them sums are normal
STEP = math.log(3)  # of log odds: the better one wins 75 %
MOVED = 2**30  # chance events that count as drawn where a stream has other luck: more than any game has
NOISE = "noise of agents"
PLACE, OWN, OTHERS, NUMBER = range(4)  # axes of values, and the inputs
INPUTS = {"own skill": OWN, "skill of the others": OTHERS, "seat": PLACE, "game number": NUMBER}
SHARES = {
    "own skill": "who you are, whoever the others are",
    "skill of the others": "who they are, whoever you are",
    "own skill with that of the others": "who you are against just these",
    "seat": "your place in turn order",
    "luck of the game number": "what chance gives a place in this game, whoever plays",
    "choices and later luck": "what chance does to the choices of just these players",
}

Values = NDArray[np.float64]  # (P, K, K ** (P - 1), G): win shares by place, own agent, agents of the others, number


@dataclass(frozen=True)
class Pair:
    """Two agents at the same tables, the others drawn from the population.

    Attributes:
        better: the one that wins more.
        worse: the other one.
        share: of games in which the better one's win share is higher; equal ones count half.
        lead: mean difference of their win shares.
        error: its standard error, over game numbers.
        games: after how many the better one is ahead with 95 %; None: they are not told apart.
    """

    better: str
    worse: str
    share: float
    lead: float
    error: float
    games: int | None


@dataclass(frozen=True)
class Luck:
    """What decides a game.

    Attributes:
        measured: the games, of every line-up.
        population: the agents.
        shares: of the variance of a result, by SHARES; they add up to 1.
        first: first-order Sobol index of each input.
        total: its total index: also what it does together with others.
        streams: first-order and total index of each kind of chance stream; empty: they were not asked for.
        luck: share of the variance that all of them explain.
        pairs: of agents, the strongest first.
        ladder: steps of 75 % from the weakest to the strongest agent; None: some neighbours are not told apart.
    """

    measured: Measured
    population: tuple[str, ...]
    shares: Mapping[str, Mean]
    first: Mapping[str, Mean]
    total: Mapping[str, Mean]
    streams: Mapping[str, tuple[Mean, Mean]]
    luck: Mean | None
    pairs: tuple[Pair, ...]
    ladder: float | None

    def report(self) -> report.Report:
        """Return the report."""
        measured, game = self.measured, self.measured.game
        shown = [report.markdown(agent) for agent in self.population]
        pairs = [
            (
                report.markdown(pair.better),
                report.markdown(pair.worse),
                f"{pair.share:.3f}",
                f"{pair.lead:.3f} ± {Z95 * pair.error:.3f}",
                "not told apart" if pair.games is None else f"{pair.games:,}",
            )
            for pair in self.pairs
        ]
        skill = sum(self.shares[name].value for name in list(SHARES)[:3])
        ladder = "" if self.ladder is None else (
            f"From the weakest to the strongest agent it is {self.ladder:.1f} steps, in each of which the better one "
            "of two wins 75 %."
        )  # fmt: skip
        return report.Report(
            "luck",
            (
                f"# {game.definition.title}, {game.players} players: luck and skill",
                f"Population: {', '.join(shown)}, all equally frequent, in all {len(measured.line_ups)} line-ups; "
                f"{measured.games:,} games of each, seed {measured.seed}. A result is a win share; ± is 95 %.",
                f"Who plays decides {skill:.0%} of the variance of a result, the seat {self.shares['seat'].value:.1%}.",
                report.Table(
                    ("what decides", "share of variance", "that is"),
                    [(name, _text(share), SHARES[name]) for name, share in self.shares.items()],
                ),
                "A game number fixes the luck of the game and the noise of agents together.",
                report.Figure("shares of the variance of a result", partial(draw_luck, self)),
                *_streams_parts(self),
                "## Sobol indices",
                "The first-order index is what an input does alone, the total index also what it does together with "
                "others. Alone a game number decides nothing: the win shares of a game add up to 1.",
                report.Table(
                    ("input", "first order", "total"),
                    [(name, _text(self.first[name]), _text(self.total[name])) for name in INPUTS],
                ),
                "## Games until the better one is ahead",
                "Two agents at the same table. After so many games the better one has won more with 95 %.",
                report.Table(("better", "worse", "ahead in", "lead a game", "games"), pairs),
                ladder,
                report.cautions(sum(int(each.truncated.sum()) for each in measured.results),
                                measured.games * len(measured.line_ups)),
            ),
            partial(luck_json, self),
        )  # fmt: skip

    def _repr_markdown_(self) -> str:
        return self.report().markdown()


# ------------------------------------------------------------------------------------------------------------- indices


def closed(values: Values, inputs: Sequence[int]) -> float:
    """Return the variance that these inputs explain together: the covariance of two games that share only them."""
    rest = tuple(axis for axis in (PLACE, OWN, OTHERS) if axis not in inputs)
    frozen = values.mean(axis=rest)
    return (float((frozen**2).mean()) if NUMBER in inputs else _product(frozen)) - _product(values.mean(axis=(0, 1, 2)))


def _product(one: NDArray[np.float64], two: NDArray[np.float64] | None = None) -> float:
    """Return the mean product of two different game numbers (last axis)."""
    games, other = one.shape[-1], one if two is None else two
    sums = one.sum(axis=-1) * other.sum(axis=-1) - (one * other).sum(axis=-1)
    return float((sums / (games * (games - 1))).mean())


def indices(values: Values) -> NDArray[np.float64]:
    """Return shares of variance by SHARES, then first-order and then total indices by INPUTS; float64 (14,)."""
    everything = tuple(range(4))
    first = {axis: closed(values, (axis,)) for axis in everything}
    skill, luck, whole = closed(values, (OWN, OTHERS)), closed(values, (PLACE, NUMBER)), closed(values, everything)
    shares = [
        first[OWN], first[OTHERS], skill - first[OWN] - first[OTHERS], first[PLACE], luck - first[PLACE],
        whole - skill - luck,
    ]  # fmt: skip
    total = [whole - closed(values, [each for each in everything if each != axis]) for axis in INPUTS.values()]
    return np.array([*shares, *(first[axis] for axis in INPUTS.values()), *total]) / whole


def stream_indices(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the share of variance of luck as a whole, then first-order and then total indices by stream.

    Args:
        values: float64 (1 + 2 S, ...): of the games as they are; with other luck in one of S streams each; with other
            luck in all but one each.
    """
    plain, (replaced, kept) = values[0], np.split(values[1:], 2)
    whole = closed(plain, range(4))
    luck = whole - closed(plain, (PLACE, OWN, OTHERS))
    first = [float((plain * other).mean()) - _product(plain, other) for other in kept]
    total = [float(((plain - other) ** 2).mean()) / 2 for other in replaced]
    return np.array([luck, *first, *total]) / whole


def with_intervals(
    values: NDArray[np.float64], estimate: Callable[[NDArray[np.float64]], NDArray[np.float64]] = indices
) -> list[Mean]:
    """Return indices with 95 % intervals, by leaving out a block of game numbers, the last axis, at a time."""
    blocks = np.array_split(np.arange(values.shape[-1]), BLOCKS)
    left = np.array([estimate(np.delete(values, block, axis=-1)) for block in blocks])
    spread = T_BLOCKS * np.sqrt((BLOCKS - 1) / BLOCKS * ((left - left.mean(axis=0)) ** 2).sum(axis=0))
    return [
        Mean(float(mean), float(mean - half), float(mean + half))
        for mean, half in zip(estimate(values), spread, strict=True)
    ]


def by_order(measured: Measured, agents: int) -> NDArray[np.float64]:
    """Return win shares by the agents of all places, in turn order, game number and place; float64 (K, ..., G, P)."""
    players, starters = measured.game.players, measured.results[0].starters
    found = np.stack([results.win_shares for results in measured.results])
    found = found.reshape(*[agents] * players, *found.shape[1:])
    ordered = np.empty_like(found)
    for starter in range(players):
        seats, games = [(starter + place) % players for place in range(players)], starters == starter
        own = found.transpose(*seats, players, players + 1)
        ordered[..., games, :] = own[..., games, :][..., seats]
    return ordered


def values_of(ordered: NDArray[np.float64]) -> Values:
    """Return the same as each player sees it: its own agent, and those of the others from the next seat on."""
    players, agents, games = ordered.shape[-1], ordered.shape[0], ordered.shape[-2]
    seen = [
        ordered[..., place].transpose(*((place + step) % players for step in range(players)), players)
        for place in range(players)
    ]
    return np.stack(seen).reshape(players, agents, agents ** (players - 1), games)


def pairs_of(ordered: NDArray[np.float64], population: Sequence[str]) -> list[Pair]:
    """Return every pair of agents, the strongest agents first."""
    own = values_of(ordered).mean(axis=(PLACE, OTHERS, NUMBER))
    ranked = sorted(range(len(population)), key=lambda agent: -own[agent])
    return [_pair(ordered, population, *two) for two in itertools.combinations(ranked, 2)]


def _pair(ordered: NDArray[np.float64], population: Sequence[str], one: int, other: int) -> Pair:
    players, games = ordered.shape[-1], ordered.shape[-2]
    leads = []
    for seat, against in itertools.permutations(range(players), 2):
        table = np.moveaxis(ordered, (seat, against), (0, 1))[one, other]
        leads.append((table[..., seat] - table[..., against]).reshape(-1, games))
    lead = np.concatenate(leads)
    mean, error = float(lead.mean()), float(lead.mean(axis=0).std(ddof=1)) / math.sqrt(games)
    if mean < 0:
        lead, mean, one, other = -lead, -mean, other, one
    needed = games_to_lead(lead, players) if mean > Z95 * error else None
    share = float((lead > 0).mean() + (lead == 0).mean() / 2)
    return Pair(population[one], population[other], share, mean, error, needed)


def games_to_lead(lead: NDArray[np.float64], players: int) -> int:
    """Return after how many games the sum of leads, whose mean is positive, is above 0 with 95 %."""
    grid = math.lcm(*range(1, players + 1))  # shared victories are fractions of it
    chances = np.bincount(np.rint(lead * grid).astype(np.int64).ravel() + grid, minlength=2 * grid + 1) / lead.size
    total = np.ones(1)
    for games in range(1, EXACT + 1):
        total = np.convolve(total, chances)
        if total[games * grid + 1 :].sum() >= SURE:
            return games
    return max(EXACT, math.ceil((NormalDist().inv_cdf(SURE) * float(lead.std()) / float(lead.mean())) ** 2))


def ladder_length(pairs: Sequence[Pair], agents: int) -> float | None:
    """Return how many steps of 75 % lie between the weakest and the strongest agent; None: it cannot be told."""
    starts = np.cumsum([0, *range(agents - 1, 1, -1)])  # of the pairs of an agent: the first is that with the next one
    steps = [pairs[start] for start in starts]
    if any(pair.games is None or not 0.5 <= pair.share < 1 for pair in steps):
        return None
    return sum(math.log(pair.share / (1 - pair.share)) for pair in steps) / STEP


# ---------------------------------------------------------------------------------------------------------------- luck


def line_ups_of(game: Game, population: Sequence[str]) -> tuple[tuple[str, ...], list[LineUp]]:
    """Return the agents, each once, and all line-ups of them.

    Raises:
        OptionError: the game has one result for all seats; there are too few or too many agents.
    """
    if game.cooperative or game.players < 2:
        raise OptionError(f"game: {game!r} has one result for all seats; allowed: games with opponents")
    agents = tuple(dict.fromkeys(population))
    if len(agents) < 2:
        raise OptionError(f"population: {repr_short(list(agents))}; allowed: two different agents or more")
    if len(agents) ** game.players > MOST_LINE_UPS:
        most = int(MOST_LINE_UPS ** (1 / game.players) + 1e-9)
        raise OptionError(f"population: {len(agents)} agents; allowed: at most {most} at {game.players} seats")
    return agents, list(itertools.product(agents, repeat=game.players))


def stream_kinds(game: Game) -> dict[str, tuple[int, ...]]:
    """Return the chance streams of a game by kind: those of all seats or places are one; the last is agents' noise."""
    heads = [name.partition(",")[0] for name in game.definition.streams]
    words = Counter(head.split()[0] for head in dict.fromkeys(heads))
    found: dict[str, tuple[int, ...]] = {}
    for number, head in enumerate(heads):
        kind = head if words[head.split()[0]] == 1 else head.split()[0]
        found[kind] = (*found.get(kind, ()), number)
    return {**found, NOISE: (len(heads),)}


def variants_of(game: Game, streams: bool) -> list[tuple[int, ...]]:
    """Return what is moved (measure.Cell) in the games of every line-up: nothing, or see stream_indices."""
    if not streams:
        return [()]
    count, kinds = len(game.definition.streams) + 1, stream_kinds(game).values()
    replaced = [tuple(MOVED * (number in kind) for number in range(count)) for kind in kinds]
    return [(), *replaced, *(tuple(MOVED - moved for moved in variant) for variant in replaced)]


def open_games(
    path: Path, game: Game, population: Sequence[str], seed: int, resume: bool, streams: bool = False
) -> Store:
    """Return the store of a run; see measure.open_store."""
    _, line_ups = line_ups_of(game, population)
    variants = variants_of(game, streams)
    return open_store(
        path, [identity(game, each, seed, None, moved) for moved in variants for each in line_ups], resume
    )


def luck(
    game: Game,
    population: Sequence[str],
    games: int = 1000,
    seed: int = 0,
    workers: Workers = 1,
    progress: Progress | None = None,
    *,
    streams: bool = False,
    minutes: float | None = None,
    store: Store | None = None,
) -> Luck:
    """Find out what decides a game among the agents of a population, all equally frequent.

    Args:
        game: one with opponents.
        population: agents; all line-ups of them are played.
        games: of every line-up.
        seed: of chance and agents.
        workers: processes, or a cluster; the result does not depend on it. None: a sensible number.
        progress: called with the number of games finished since the last call.
        streams: split luck by chance stream too; every game is played once for each of ``variants_of``.
        minutes: when to stop; None: when all games are played.
        store: keeps finished games.

    Raises:
        OptionError: see line_ups_of; an agent does not fit the game; too few games for intervals.
        KeyboardInterrupt: it was stopped before there were enough.
    """
    agents, line_ups = line_ups_of(game, population)
    if games < 2 * BLOCKS:
        raise OptionError(f"games: {repr_short(games)}; allowed: {2 * BLOCKS} or more")
    ends = math.inf if minutes is None else time.monotonic() + 60 * minutes
    cells = [
        Cell(game, tuple(line_ups), range(games), -(-len(line_ups) // TASKS), STRETCH, moved)
        for moved in variants_of(game, streams)
    ]
    played = measure_cells(
        cells, seed, workers, (lambda _, count: progress(count)) if progress else None, store=store,
        enough=lambda _: time.monotonic() > ends,
    )  # fmt: skip
    finished = min(one.whole().games for one in played)
    if finished < 2 * BLOCKS:
        raise KeyboardInterrupt
    measured = played[0].whole().first(finished)
    ordered = by_order(measured, len(agents))
    found = with_intervals(values_of(ordered))
    by_stream, whole = {}, None
    if streams:
        whole, *split = with_intervals(
            np.stack([values_of(by_order(one.whole().first(finished), len(agents))) for one in played]), stream_indices
        )
        kinds = stream_kinds(game)
        by_stream = dict(zip(kinds, zip(split[: len(kinds)], split[len(kinds) :], strict=True), strict=True))
    shares, first, total = (
        dict(zip(names, found[start:], strict=False)) for names, start in ((SHARES, 0), (INPUTS, 6), (INPUTS, 10))
    )
    pairs = tuple(pairs_of(ordered, agents))
    return Luck(measured, agents, shares, first, total, by_stream, whole, pairs, ladder_length(pairs, len(agents)))


# -------------------------------------------------------------------------------------------------------------- report


def _text(share: Mean) -> str:
    return f"{share.value:.3f} ± {(share.high - share.low) / 2:.3f}"


def _streams_parts(found: Luck) -> list[str | report.Table]:
    """Return the section on chance streams, if they were asked for."""
    if found.luck is None:
        return []
    return [
        "## Luck by chance stream",
        f"Luck of all kinds is {_text(found.luck)} of the variance of a result: what a game number changes for the "
        "same players in the same places. Alone: what a stream explains whatever the others bring. With others: what "
        "stays open as long as this stream is not known. The two differ by what streams do together.",
        report.Table(
            ("chance stream", "alone", "with others"),
            [(name, _text(one), _text(other)) for name, (one, other) in found.streams.items()],
        ),
    ]


def draw_luck(found: Luck, paths: Sequence[Path]) -> None:
    """Draw what decides, a bar each; and indices, alone and with others, of the inputs or of the chance streams."""
    pairs = found.streams or {name: (found.first[name], found.total[name]) for name in INPUTS}
    with report.figure(*paths, size=(8.6, 2.9), panels=2) as (_, (left, right)):
        bars = list(found.shares.values())
        left.barh(range(len(bars)), [one.value for one in bars], xerr=report.whiskers(bars), color=report.COLOUR,
                  height=0.6, error_kw={"capsize": 2.5, "linewidth": 1, "ecolor": "0.3"})  # fmt: skip
        left.set_yticks(range(len(bars)), list(found.shares))
        for number, label in enumerate(("alone", "with others")):
            means = [pair[number] for pair in pairs.values()]
            where = [row + 0.24 * (number - 0.5) for row in range(len(means))]
            marks = {**report.look(number), "linestyle": "none"}
            right.errorbar([one.value for one in means], where, xerr=report.whiskers(means), label=label, **marks)
        right.set_yticks(range(len(pairs)), [report.pictured(name) for name in pairs])
        right.legend()
        for axis, count in ((left, len(bars)), (right, len(pairs))):
            axis.set(xlabel="share of the variance of a result", ylim=(count - 0.4, -0.6))
            axis.axvline(0, color="0.4", linewidth=0.8, zorder=0)
            axis.grid(visible=True, axis="x")
            axis.grid(visible=False, axis="y")


def luck_json(found: Luck) -> dict[str, Any]:
    """Return it as plain values, the same whatever the number of processes."""
    measured = found.measured
    return {
        "format": "atlantis-envs luck 2",
        **report.provenance(measured.game, found.population, measured.seed),
        "population": list(found.population),
        "games": measured.games,
        "line_ups": len(measured.line_ups),
        **{
            key: {name: asdict(share) for name, share in shares.items()}
            for key, shares in (("shares", found.shares), ("first_order", found.first), ("total", found.total))
        },
        "luck": None if found.luck is None else asdict(found.luck),
        "streams": {
            name: {"first_order": asdict(one), "total": asdict(other)} for name, (one, other) in found.streams.items()
        },
        "pairs": [asdict(pair) for pair in found.pairs],
        "ladder_steps": found.ladder,
    }
