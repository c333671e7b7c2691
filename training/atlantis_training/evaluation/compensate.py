"""What makes seats fair: start hands, points, broken ties or turn order, for agents of several skills at once.

The same agent sits in every seat. Options race on common game numbers, the worse half is dropped again and again
(successive halving, Karnin, Koren and Somekh 2013); what counts is the largest distance of a place's win share from an
equal one, over all places and agents. The best options and lotteries between two of them then play fresh games, and a
claim is made by two one-sided tests a place (Schuirmann 1987).
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from atlantis_envs import registry
from atlantis_envs.base.values import repr_short
from atlantis_envs.engine.game import Game
from atlantis_envs.engine.options import in_force
from atlantis_envs.errors import OptionError
from atlantis_training.evaluation import report
from atlantis_training.evaluation.measure import LineUp, Results, identity, measure, part_of, tried_agents
from atlantis_training.evaluation.statistics import LEVEL, Z95, shares_of_wins
from atlantis_training.evaluation.store import Store
from atlantis_training.evaluation.workers import Workers

WAYS = ("start_hand", "points", "ties", "order")
MARGIN = 0.02
FIRST_RUNG = 250  # games of every option and agent, before the first half is dropped
FINALISTS = 4
SURVIVORS = 2
LOOKS = (1000, 2000, 4000, 8000, 16_000)  # fresh games at which a claim may be made
TENTHS = 20  # a lottery is thrown with a die of so many sides
MOST_POINTS = 12  # of a handicap that is tried
SHORTLIST = 8  # handicaps that are played, of those that other people's games speak for
FAIR, NOT, OPEN = "fair", "not", "open"

Shares = NDArray[np.float64]  # (G, P), win shares by turn order
Play = Callable[["Choice", str, range], Shares]
Bar = Callable[[str, int], AbstractContextManager[Callable[[int], None]]]


class Unfinished(Exception):
    """Time is over, or somebody stopped it; what was played is kept by the store."""


@dataclass(frozen=True)
class Choice:
    """A way to lay out the seats.

    Attributes:
        name: in words.
        options: of the game, over the usual ones.
        drawn: who begins is drawn by lot among the seats, so places are those of the seats.
    """

    name: str
    options: Mapping[str, Any] = field(hash=False)
    drawn: bool = False


@dataclass(frozen=True)
class Lottery:
    """One choice, or one of two by lot.

    Attributes:
        first: a choice.
        second: another one; the same where nothing is drawn.
        weight: chance of the first one.
    """

    first: Choice
    second: Choice
    weight: float = 1.0

    @property
    def choices(self) -> tuple[Choice, ...]:
        """Return the choices that may be drawn."""
        return (self.first,) if self.weight == 1 else (self.first, self.second)

    @property
    def name(self) -> str:
        """Return it in words."""
        if self.weight == 1:
            return self.first.name
        sides = round(self.weight * TENTHS)
        return f"{self.first.name} ({sides} of {TENTHS}) or {self.second.name} ({TENTHS - sides} of {TENTHS})"

    def shares(self, played: Callable[[Choice], Shares]) -> Shares:
        """Return for every game number what the lottery is worth: both choices play it, so no draw adds noise."""
        found = [played(choice) for choice in self.choices]
        count = min(len(shares) for shares in found)
        weights = (self.weight, 1 - self.weight)
        return np.asarray(sum(weight * shares[:count] for weight, shares in zip(weights, found, strict=False)))


@dataclass(frozen=True)
class Cell:
    """One agent under one lottery, on fresh games.

    Attributes:
        agent: in every seat.
        games: of each choice.
        shares: by place.
        errors: their standard errors.
        fair: every place is shown to be within the margin.
        unfair: some place is shown to be outside.
        needed: games until it can be told, at a guess; 0 if it is told, None if no number would do.
    """

    agent: str
    games: int
    shares: tuple[float, ...]
    errors: tuple[float, ...]
    fair: bool
    unfair: bool
    needed: int | None


@dataclass(frozen=True)
class Finding:
    """What came out for one lottery.

    Attributes:
        lottery: which.
        answer: "fair", "not" or "open".
        cells: by agent.
        path: by agent, the shares by place after every look; (looks, P).
    """

    lottery: Lottery
    answer: str
    cells: tuple[Cell, ...]
    path: Mapping[str, Shares] = field(repr=False, hash=False)

    @property
    def worst(self) -> float:
        """Return the largest distance of a share from an equal one."""
        return max(abs(share - 1 / len(cell.shares)) for cell in self.cells for share in cell.shares)


@dataclass(frozen=True)
class Compensation:
    """What makes a game fair.

    Attributes:
        game: as it is.
        agents: by text.
        way: what was changed.
        margin: largest distance from an equal share that counts as fair.
        seed: of chance and agents.
        race: every choice: its name, games of each agent, and its worst distance when it was dropped.
        findings: of the survivors, the best first.
        before: shares by place of the game as it is, by agent.
        post_hoc: for points and ties, shares by agent if games that knew of no handicap are counted again with it.
        interrupted: it ended before every claim that could be made was made.
    """

    game: Game
    agents: tuple[str, ...]
    way: str
    margin: float
    seed: int
    race: tuple[tuple[str, int, float], ...]
    findings: tuple[Finding, ...]
    before: Mapping[str, tuple[float, ...]]
    post_hoc: Mapping[str, Mapping[str, tuple[float, ...]]]
    interrupted: bool

    @property
    def best(self) -> Finding:
        """Return the finding that counts: a fair one, else the best one that is open."""
        return self.findings[0]

    def _repr_markdown_(self) -> str:
        return compensation_report(self).markdown()


# ------------------------------------------------------------------------------------------------------------- choices


def find_choices(game: Game, way: str, counts: Callable[[], Mapping[str, Results]]) -> list[Choice]:
    """Return what is tried; the first one is the game as it is.

    Args:
        game: as it is.
        way: one of WAYS.
        counts: games of the game as it is by agent, which say which of many handicaps are worth playing.

    Raises:
        OptionError: no such way, or the game does not have the option.
    """
    players, plain = game.players, Choice("as it is", {})
    known = in_force(game.options)
    wanted = {"start_hand": "start_hand", "points": "handicap", "ties": "handicap", "order": None}
    if way not in wanted:
        raise OptionError(f"by: {repr_short(way)}; allowed: {', '.join(WAYS)}")
    option = wanted[way]
    if option is not None and option not in known:
        raise OptionError(f"by: {way!r} needs the option {option}, which {game.definition.title} does not have")
    if way == "order":
        return [plain, Choice("who begins is drawn", {}, drawn=True)]
    if way == "start_hand":
        steps = 4 if players < 4 else 3
        grid = [
            tuple(int(cards) for cards in np.cumsum((first, *more)))
            for first in (3, 4, 5)[players - 2 :]
            for more in itertools.product(range(steps), repeat=players - 1)
        ]
        usual = tuple(known["start_hand"][:players])
        return [plain] + [Choice(f"hands {_listed(hand)}", {"start_hand": hand}) for hand in grid if hand != usual]
    if way == "ties":
        halves = [half for half in itertools.product((0.0, 0.5), repeat=players) if 0 < sum(half) < players / 2]
        return [plain] + [Choice(f"ties won by {_places(half)}", {"handicap": half}) for half in halves]
    return [plain] + [Choice(f"points {_listed(given)}", {"handicap": given}) for given in _shortlist(game, counts())]


def _shortlist(game: Game, counts: Mapping[str, Results]) -> list[tuple[float, ...]]:
    """Return the handicaps that would have been the best in games that knew of none."""
    step = 0.5 if game.players < 4 else 1.0
    values = np.arange(0, MOST_POINTS + step, step)
    grid = [given for given in itertools.product(values.tolist(), repeat=game.players) if min(given) == 0 < max(given)]
    worst = [max(_worst(recounted(results, given)) for results in counts.values()) for given in grid]
    return [grid[index] for index in np.argsort(worst, kind="stable")[:SHORTLIST]]


def recounted(results: Results, handicap: Sequence[float]) -> Shares:
    """Return win shares by turn order as if seats had begun with these points, which play did not know."""
    halves = 2 * results.by_order(results.scores) + np.array([round(2 * points) for points in handicap])
    return np.where(results.truncated[:, None], 0.0, shares_of_wins(halves.astype(np.float64)))


def _listed(given: Sequence[float]) -> str:
    return ", ".join(f"{points:g}" for points in given)


def _places(half: Sequence[float]) -> str:
    return " and ".join(report.PLACES[place] for place, points in enumerate(half) if points)


def _apart(one: Choice, other: Choice) -> float:
    """Return how many cards or points lie between two choices."""
    keys = set(one.options) | set(other.options)
    rows = [[choice.options.get(key) for choice in (one, other)] for key in keys]
    pairs = [(a or (0.0,) * len(b or ()), b or (0.0,) * len(a or ())) for a, b in rows]
    return sum(abs(float(x) - float(y)) for a, b in pairs for x, y in zip(a, b, strict=True)) + (
        one.drawn != other.drawn
    )


# ------------------------------------------------------------------------------------------------------------ the race


def _worst(shares: Shares) -> float:
    """Return the largest distance of a mean from an equal share."""
    return float(np.abs(shares.mean(axis=0) - 1 / shares.shape[1]).max())


def race(choices: Sequence[Choice], agents: Sequence[str], play: Play) -> tuple[dict[Choice, float], int]:
    """Let choices race: common numbers, twice as many for the better half; the first choice is always in it.

    Returns:
        The worst distance of every choice when it was dropped, the last ones last; game numbers that were used.
    """
    left, games, played = list(choices), FIRST_RUNG, 0
    seen: dict[tuple[Choice, str], Shares] = {}
    worst: dict[Choice, float] = {}
    while True:
        for choice, agent in itertools.product(left, agents):
            more = play(choice, agent, range(played, games))
            seen[choice, agent] = np.concatenate([seen[choice, agent], more]) if played else more
        found = {choice: max(_worst(seen[choice, agent]) for agent in agents) for choice in left}
        ranked = sorted(left, key=lambda choice: found[choice])
        keep = set(ranked[: max(FINALISTS, math.ceil(len(left) / 2))]) | {choices[0]}
        for choice in ranked[::-1]:
            worst.pop(choice, None)
            worst[choice] = found[choice]
        if len(ranked) <= FINALISTS + 1 and games >= 4 * FIRST_RUNG:
            return worst, games
        left, played, games = [choice for choice in left if choice in keep], games, 2 * games


def lotteries(choices: Sequence[Choice], agents: Sequence[str], seen: Callable[[Choice, str], Shares]) -> list[Lottery]:
    """Return the best choices and lotteries between neighbours among them, by their worst distance."""
    weights = [1.0, *(sides / TENTHS for sides in range(1, TENTHS))]
    tried = [Lottery(choice, choice) for choice in choices]
    for one, other in itertools.combinations(choices, 2):
        if _apart(one, other) <= min(_apart(one, third) for third in choices if third != one) + 1:
            tried += [Lottery(one, other, weight) for weight in weights[1:]]
    scored = [
        (max(_worst(each.shares(lambda choice, who=agent: seen(choice, who))) for agent in agents), each)  # type: ignore[misc]
        for each in tried
    ]
    scored.sort(key=lambda pair: pair[0])
    pure = next(each for _, each in scored if each.weight == 1)
    best = scored[0][1]
    return [pure] if best == pure else [best, pure]


# --------------------------------------------------------------------------------------------------------- the verdict


def judged(agent: str, shares: Shares, margin: float, level: float) -> Cell:
    """Return what fresh games of one agent say: two one-sided tests a place.

    "Fair" needs every place inside, so no level is shared out among places (an intersection of alternatives, Berger
    1982); "unfair" needs one place outside, so there it is.
    """
    count, places = shares.shape
    means = shares.mean(axis=0)
    errors = shares.std(axis=0, ddof=1) / math.sqrt(count)
    off = np.abs(means - 1 / places)
    bound = NormalDist().inv_cdf(1 - level)
    strict = NormalDist().inv_cdf(1 - level / places / 2)
    fair = bool((off + bound * errors < margin).all())
    unfair = bool((off - strict * errors > margin).any())
    needed: int | None = 0
    if not fair and not unfair:
        room = margin - float(off.max())
        spread = float(errors.max()) * math.sqrt(count)
        needed = None if room <= 0 else max(1, math.ceil((bound * spread / room) ** 2) - count)
    return Cell(agent, count, tuple(means.tolist()), tuple(errors.tolist()), fair, unfair, needed)


def verdict(
    survivors: Sequence[Lottery], agents: Sequence[str], play: Play, margin: float, first: int, looks: Sequence[int]
) -> tuple[list[Finding], bool]:
    """Let survivors play fresh games until one is shown to be fair, or all to be not, or games are over.

    The level of 0.05 is shared out equally among survivors and looks, so "fair" is wrong in at most 0.05 of unfair
    games, whatever is looked at. Where ``play`` raises Unfinished, what was found by then is returned, and True.
    """
    level = LEVEL / len(survivors) / len(looks)
    seen: dict[tuple[Choice, str], Shares] = {}
    paths: dict[tuple[Lottery, str], list[Shares]] = {}
    findings: list[Finding] = []
    done = 0
    for look in looks:
        fresh: dict[tuple[Choice, str], Shares] = {}
        try:
            for choice in dict.fromkeys(choice for each in survivors for choice in each.choices):
                for agent in agents:
                    fresh[choice, agent] = play(choice, agent, range(first + done, first + look))
        except Unfinished:
            return findings, True
        for key, more in fresh.items():
            seen[key] = np.concatenate([seen[key], more]) if done else more
        done, findings = look, []
        for each in survivors:
            cells = []
            for agent in agents:
                shares = each.shares(lambda choice, who=agent: seen[choice, who])  # type: ignore[misc]
                cells.append(judged(agent, shares, margin, level))
                paths.setdefault((each, agent), []).append(np.array(cells[-1].shares))
            answer = NOT if any(cell.unfair for cell in cells) else FAIR if all(cell.fair for cell in cells) else OPEN
            path = {agent: np.array(paths[each, agent]) for agent in agents}
            findings.append(Finding(each, answer, tuple(cells), path))
        findings.sort(key=lambda finding: ((FAIR, OPEN, NOT).index(finding.answer), finding.worst))
        if findings[0].answer == FAIR or all(finding.answer == NOT for finding in findings):
            break
    return findings, False


# ---------------------------------------------------------------------------------------------------------- compensate


def compensate(
    game: Game,
    at: Sequence[str],
    by: str,
    margin: float = MARGIN,
    seed: int = 0,
    workers: Workers = 1,
    *,
    minutes: float | None = None,
    games: int = LOOKS[-1],
    store: Store | None = None,
    bar: Bar = lambda *_: nullcontext(lambda _: None),
) -> Compensation:
    """Find out what makes a game fair, and whether it is.

    Args:
        game: as it is.
        at: agents; each of them sits in all seats of its games.
        by: what may be changed: "start_hand", "points" (a handicap that play knows of), "ties" (who wins them), or
            "order" (who begins is drawn).
        margin: largest distance of a win share from an equal one that counts as fair.
        seed: of chance and agents.
        workers: processes, or a cluster; the result does not depend on it. None: a sensible number.
        minutes: when to stop; None: when everything is told.
        games: most fresh games of every survivor and agent.
        store: keeps finished games.
        bar: (title, games) -> a context that yields what is called with the number of games finished.

    Raises:
        OptionError: an agent, the way or the margin is none; the game has no seats that could be compared.
        Unfinished: it was stopped before a survivor had played.
    """
    check_question(game, at, margin)
    ends = math.inf if minutes is None else time.monotonic() + 60 * minutes
    texts = tuple(dict.fromkeys(at))
    table = _Table(game, seed, workers, store, bar, ends)
    start = range(FIRST_RUNG * 4)
    choices = find_choices(
        game, by, lambda: {agent: table.results(Choice("as it is", {}), agent, start) for agent in texts}
    )
    worst, used = race(choices, texts, table.play)
    finalists = [choice for choice in list(worst)[-FINALISTS - 1 :]]
    survivors = lotteries(finalists, texts, lambda choice, agent: table.play(choice, agent, range(used)))
    looks = [look for look in LOOKS if look <= games] or [games]
    findings, interrupted = verdict(survivors, texts, table.play, margin, used, looks)
    if not findings:
        raise Unfinished
    plain = {agent: table.results(choices[0], agent, range(used)) for agent in texts}
    before = {agent: _means(results.by_order(results.win_shares)) for agent, results in plain.items()}
    post_hoc = {
        finding.lottery.name: {
            agent: _means(
                finding.lottery.shares(lambda choice, given=results: recounted(given, _handicap(choice, game.players)))  # type: ignore[misc]
            )
            for agent, results in plain.items()
        }
        for finding in findings
        if by in ("points", "ties")
    }
    ranking = tuple((choice.name, min(used, table.sizes[choice]), worst[choice]) for choice in list(worst)[::-1])
    return Compensation(game, texts, by, margin, seed, ranking, tuple(findings), before, post_hoc, interrupted)


def check_question(game: Game, agents: Sequence[str], margin: float) -> None:
    """Refuse a question that has no answer.

    Raises:
        OptionError: see compensate.
    """
    if game.cooperative or game.players < 2:
        raise OptionError(f"game: {game!r} has one result for all seats; allowed: games with opponents")
    if not agents:
        raise OptionError("at: no agent; allowed: one or more")
    if not 0 < margin < 1 / game.players:
        raise OptionError(f"margin: {repr_short(margin)}; allowed: more than 0, less than an equal share")


def _means(shares: Shares) -> tuple[float, ...]:
    return tuple(shares.mean(axis=0).tolist())


def _handicap(choice: Choice, players: int) -> Sequence[float]:
    return tuple(choice.options.get("handicap", (0.0,) * players))


def open_games(path: Path, game: Game, agents: Sequence[str], seed: int, resume: bool) -> Store:
    """Return the store of a run, whose options are found on the way: it is of the same game, seed and code.

    Raises:
        OptionError: there is nothing to go on with, or it is of other games.
    """
    if not resume:
        path.unlink(missing_ok=True)
    elif not path.is_file():
        raise OptionError(f"resume: {repr_short(path)}: there is no such file; allowed: without --resume")
    store, now = Store(path), identity(game, (agents[0],) * game.players, seed)
    for what in store.whats():
        for key in set(now) - {"options", "line_up", "agents"}:
            if what.get(key) != now[key]:
                was = repr_short(what.get(key))
                raise OptionError(f"resume: {repr_short(path)} was played with {key} {was}; allowed: {now[key]!r}")
    if not store.parts:
        store.add(now, part_of(Results.empty(range(0), 1)))
    return store


class _Table:
    """Plays games of choices, each number once, and keeps them in memory."""

    def __init__(self, game: Game, seed: int, workers: Workers, store: Store | None, bar: Bar, ends: float) -> None:
        self.game, self.seed, self.workers, self.store, self.bar, self.ends = game, seed, workers, store, bar, ends
        self.found: dict[tuple[tuple[tuple[str, Any], ...], str], Results] = {}
        self.sizes: dict[Choice, int] = {}

    def results(self, choice: Choice, agent: str, numbers: range) -> Results:
        """Return the games with these numbers, from 0 or following what was played."""
        key = (tuple(choice.options.items()), agent)
        have = self.found.get(key, Results.empty(range(0), self.game.players))
        missing = np.setdiff1d(np.array(numbers), have.numbers)
        if len(missing):
            have = self.found[key] = Results.join([have, self._play(choice, agent, range(missing[0], missing[-1] + 1))])
        order = np.searchsorted(have.numbers, np.array(numbers))
        self.sizes[choice] = max(self.sizes.get(choice, 0), len(have.numbers))
        return have.some(order)

    def play(self, choice: Choice, agent: str, numbers: range) -> Shares:
        """Return win shares by place."""
        results = self.results(choice, agent, numbers)
        shares = results.by_order(results.win_shares)
        if not choice.drawn:
            return shares
        begins = np.random.default_rng(self.seed).integers(0, self.game.players, numbers.stop)[numbers.start :]
        return np.take_along_axis(shares, (np.arange(self.game.players) + begins[:, None]) % self.game.players, axis=1)

    def _play(self, choice: Choice, agent: str, numbers: range) -> Results:
        game = with_options(self.game, choice.options)
        line_up: LineUp = (agent,) * game.players
        if time.monotonic() > self.ends:
            raise Unfinished
        agents = tried_agents(game, [agent])
        with self.bar(f"{choice.name}, {agent}", len(numbers)) as advance:
            played = measure(
                game, [line_up], numbers, self.seed, self.workers, advance, agents=agents, store=self.store,
                enough=lambda _: time.monotonic() > self.ends,
            )  # fmt: skip
        if played.interrupted:
            raise Unfinished
        return played.results[0]


def with_options(game: Game, options: Mapping[str, Any]) -> Game:
    """Return a game with other options than those of a game."""
    own = {key: value for key, value in game.options.to_json().items() if key != "players"}
    return registry.game(game.name, game.players, **{**own, **options})


# -------------------------------------------------------------------------------------------------------------- report


def answer_text(found: Compensation, finding: Finding) -> str:
    """Say in a sentence what came out for one lottery."""
    who = " and ".join(report.markdown(agent) for agent in found.agents)
    if finding.answer == FAIR:
        return f"{finding.lottery.name}: fair within {found.margin:g} for {who}."
    if finding.answer == NOT:
        unfair = " and ".join(report.markdown(cell.agent) for cell in finding.cells if cell.unfair)
        return f"{finding.lottery.name}: not fair within {found.margin:g} for {unfair}."
    more = [cell.needed for cell in finding.cells if cell.needed != 0]
    if None in more:
        return f"{finding.lottery.name}: open; at these shares no number of games would show it to be fair."
    return f"{finding.lottery.name}: open: about {max(filter(None, more)):,} more games would tell."


def compensation_report(found: Compensation) -> report.Report:
    """Return the report."""
    title, places = found.game.definition.title, report.PLACES[: found.game.players]
    rows = []
    for agent, shares in found.before.items():
        rows.append(("as it is", report.markdown(agent), *(f"{share:.3f}" for share in shares), ""))
    for finding in found.findings:
        for cell in finding.cells:
            shown = [f"{share:.3f} ± {Z95 * error:.3f}" for share, error in zip(cell.shares, cell.errors, strict=True)]
            rows.append((finding.lottery.name, report.markdown(cell.agent), *shown, f"{cell.games:,}"))
        for agent, shares in found.post_hoc.get(finding.lottery.name, {}).items():
            shown = [f"{share:.3f}" for share in shares]
            rows.append((f"{finding.lottery.name}, post hoc", report.markdown(agent), *shown, ""))
    tried = [(name, f"{games:,}", f"{worst:.3f}") for name, games, worst in found.race]
    hoc = "Post hoc: games in which play did not know of the points, counted again with them." if found.post_hoc else ""
    return report.Report(
        "compensation",
        (
            f"# {title}, {found.game.players} players: what makes the seats fair, by {found.way.replace('_', ' ')}",
            f"The same agent in every seat; seed {found.seed}. A win share by turn order is fair if it is within "
            f"{found.margin:g} of {1 / found.game.players:.3f}; shared victories are split. Claims rest on fresh games "
            "and are wrong in at most 5 % of unfair games; ± is 95 %.",
            "\n".join(f"- {answer_text(found, finding)}" for finding in found.findings),
            report.Table(("layout", "agent", *places, "games of each"), rows),
            hoc,
            report.Figure("win share by turn order along the way", partial(draw_compensation, found)),
            "## What was tried",
            "The largest distance from an equal share, over places and agents, when an option was dropped.",
            report.Table(("layout", "games", "distance"), tried),
        ),
        partial(compensation_json, found),
    )


def compensation_json(found: Compensation) -> dict[str, Any]:
    """Return it as plain values, the same whatever the number of processes."""
    return {
        "format": "atlantis-envs compensation 1",
        **report.provenance(found.game, found.agents, found.seed),
        "by": found.way,
        "margin": found.margin,
        "before": {agent: list(shares) for agent, shares in found.before.items()},
        "findings": [
            {
                "layout": finding.lottery.name,
                "weights": [finding.lottery.weight, 1 - finding.lottery.weight][: len(finding.lottery.choices)],
                "options": [
                    {key: list(value) for key, value in choice.options.items()} for choice in finding.lottery.choices
                ],
                "answer": finding.answer,
                "cells": [asdict(cell) for cell in finding.cells],
            }
            for finding in found.findings
        ],
        "post_hoc": {name: {agent: list(row) for agent, row in by.items()} for name, by in found.post_hoc.items()},
        "race": [dict(zip(("layout", "games", "distance"), row, strict=True)) for row in found.race],
    }


def draw_compensation(found: Compensation, paths: Sequence[Path]) -> None:
    """Draw the shares of the best layout after every look, a panel an agent, a line a place."""
    finding, equal = found.best, 1 / found.game.players
    with report.figure(*paths, size=(3.4 * len(finding.cells), 2.7), panels=len(finding.cells)) as (whole, panels):
        for axis, cell in zip(panels, finding.cells, strict=True):
            path = finding.path[cell.agent]
            games = [look for look in (*LOOKS, cell.games) if look <= cell.games][: len(path)]
            for place, name in enumerate(report.PLACES[: found.game.players]):
                spread = Z95 * cell.errors[place] * np.sqrt(cell.games / np.array(games))
                axis.errorbar(games, path[:, place], yerr=spread, **report.look(place))
                axis.annotate(name, (games[-1], path[-1, place]), (5, 0), textcoords="offset points", va="center")
            axis.axhspan(equal - found.margin, equal + found.margin, color="0.92", zorder=0)
            axis.set_xscale("log")
            axis.set_xticks(games, [f"{count:,}" for count in games])
            axis.set(xlabel="fresh games", title=report.pictured(cell.agent), xlim=(games[0] / 1.3, games[-1] * 1.9))
        panels[0].set(ylabel="win share")
        whole.suptitle(report.pictured(finding.lottery.name), fontsize=8)
