"""What makes seats fair: start hands, points, broken ties or turn order, for agents of several skills at once.

The same agent sits in every seat. Options race on common game numbers, the worse half is dropped again and again
(successive halving, Karnin, Koren and Somekh 2013); what counts is the largest distance of a place's win share from an
equal one, over all places and agents. An option stays for what it is worth in a lottery too. The best option and the
best lottery between two then play fresh games, and a claim is made by two one-sided tests a place (Schuirmann 1987).
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from atlantis_envs.base.values import repr_short
from atlantis_envs.engine.game import Game, make_game
from atlantis_envs.engine.options import in_force
from atlantis_envs.errors import OptionError
from atlantis_envs.seats.agents import Agent
from atlantis_training.evaluation import report
from atlantis_training.evaluation.measure import (
    Bar,
    Cell,
    Results,
    identity,
    measure_cells,
    part_of,
    silent_bar,
    tried_agents,
)
from atlantis_training.evaluation.statistics import LEVEL, Z95, shares_of_wins
from atlantis_training.evaluation.store import Store
from atlantis_training.evaluation.workers import Workers

WAYS = ("start_hand", "points", "ties", "order")
MARGIN = 0.02
FIRST_RUNG, LAST_RUNG = 500, 8000  # games of every option and agent, before the first half is dropped; at the end
FINALISTS = 4
FIRST_LOOK = 1000  # fresh games at which a claim may be made, then twice as many, and so on
LOOKS = 10  # the level is shared among so many, up to 512,000 games, so that a run may go on as far without a new claim
GAMES = 32_000
SIDES = 20  # of the die that a lottery is thrown with
MOST_POINTS = 12  # of a handicap that is tried
SHORTLIST = 8  # handicaps that are played, of those that other people's games speak for
FAIR, NOT, OPEN = "fair", "not", "open"

Shares = NDArray[np.float64]  # (G, P), win shares by turn order
Played = Mapping[tuple["Choice", str], Shares]  # by choice and agent
Play = Callable[[Sequence["Choice"], range], Played]  # games of all agents with these numbers


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


AS_IS = Choice("as it is", {})


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
        sides = round(self.weight * SIDES)
        return f"{self.first.name} ({sides} of {SIDES}) or {self.second.name} ({SIDES - sides} of {SIDES})"

    def shares(self, played: Callable[[Choice], Shares]) -> Shares:
        """Return for every game number what the lottery is worth: both choices play it, so no draw adds noise."""
        found = [played(choice) for choice in self.choices]
        count = min(len(shares) for shares in found)
        weights = (self.weight, 1 - self.weight)
        return np.asarray(sum(weight * shares[:count] for weight, shares in zip(weights, found, strict=False)))


@dataclass(frozen=True)
class Tried:
    """A choice in the race.

    Attributes:
        name: of the choice.
        games: of each agent, when it was dropped or the race was over.
        shares: by agent, by place.
        errors: their standard errors.
    """

    name: str
    games: int
    shares: Mapping[str, tuple[float, ...]]
    errors: Mapping[str, tuple[float, ...]]

    def distance(self, agent: str) -> tuple[float, float]:
        """Return the largest distance of a share of an agent from an equal one, and the error of that share."""
        pairs = zip(self.shares[agent], self.errors[agent], strict=True)
        return max((abs(share - 1 / len(self.shares[agent])), error) for share, error in pairs)

    @property
    def worst(self) -> float:
        """Return the largest distance of a share, over places and agents."""
        return max(self.distance(agent)[0] for agent in self.shares)


@dataclass(frozen=True)
class Verdict:
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
        looks: numbers of games after which it was looked at.
        path: by agent, the shares by place after every look; (looks, P).
    """

    lottery: Lottery
    answer: str
    cells: tuple[Verdict, ...]
    looks: tuple[int, ...]
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
        race: every choice, the best one first.
        findings: of the survivors, the best first.
        before: the game as it is, in the race.
        post_hoc: for points and ties, by layout: these games, which knew of no handicap, counted again with it.
        interrupted: it ended before every claim that could be made was made.
    """

    game: Game
    agents: tuple[str, ...]
    way: str
    margin: float
    seed: int
    race: tuple[Tried, ...]
    findings: tuple[Finding, ...]
    before: Tried
    post_hoc: Mapping[str, Tried]
    interrupted: bool

    @property
    def best(self) -> Finding:
        """Return the finding that counts: a fair one, else the best one that is open."""
        return self.findings[0]

    def report(self) -> report.Report:
        """Return the report."""
        title, places = self.game.definition.title, report.PLACES[: self.game.players]
        rows = [_row(f"{AS_IS.name}, in the race", agent, self.before) for agent in self.agents]
        for finding in self.findings:
            name = finding.lottery.name
            rows += [_row(name, cell.agent, cell) for cell in finding.cells]
            if name in self.post_hoc:
                rows += [_row(f"{name}, post hoc", agent, self.post_hoc[name]) for agent in self.agents]
        tried = [
            (each.name, f"{each.games:,}", *(f"{each.distance(agent)[0]:.3f}" for agent in self.agents))
            for each in self.race
        ]
        hoc = "Post hoc: games in which play did not know of the points, counted again with them."
        return report.Report(
            "compensation",
            (
                f"# {title}, {self.game.players} players: what makes the seats fair, by {self.way.replace('_', ' ')}",
                f"The same agent in every seat; seed {self.seed}. A win share by turn order is fair if it is within "
                f"{self.margin:g} of {1 / self.game.players:.3f}; shared victories are split. Claims rest on fresh "
                "games and are wrong in at most 5 % of unfair games; ± is 95 %.",
                "\n".join(f"- {answer_text(self, finding)}" for finding in self.findings),
                report.Table(("layout", "agent", *places, "games of each"), rows),
                hoc if self.post_hoc else "",
                report.Figure(
                    "distance from equal shares of every layout in the race, and win shares of the best one on fresh "
                    "games",
                    partial(draw_compensation, self),
                ),
                "## What was tried",
                "The largest distance of a place from an equal share when a layout was dropped, or at the end of the "
                "race.",
                report.Table(("layout", "games", *map(report.markdown, self.agents)), tried),
            ),
            partial(compensation_json, self),
        )

    def _repr_markdown_(self) -> str:
        return self.report().markdown()


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
    players, plain = game.players, AS_IS
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


# ------------------------------------------------------------------------------------------------------------ the race


def _worst(shares: Shares) -> float:
    """Return the largest distance of a mean from an equal share."""
    return float(np.abs(shares.mean(axis=0) - 1 / shares.shape[1]).max())


def tried(name: str, shares: Mapping[str, Shares]) -> Tried:
    """Return what games say of a layout; win shares by agent, (G, P)."""
    means = {agent: _means(found) for agent, found in shares.items()}
    errors = {agent: tuple((found.std(axis=0) / math.sqrt(len(found))).tolist()) for agent, found in shares.items()}
    return Tried(name, len(next(iter(shares.values()))), means, errors)


def race(choices: Sequence[Choice], agents: Sequence[str], play: Play) -> tuple[list[Tried], list[Lottery]]:
    """Let choices race: common numbers, twice as many for the better half; the first choice is always in it.

    Half of those that stay are the best ones, half those of the best lotteries: two that lie to both sides of an equal
    share are worth more than they are alone.

    Returns:
        Every choice, the best one first; the best lottery, and the best choice.
    """
    left, played, games = list(choices), 0, FIRST_RUNG
    seen: dict[tuple[Choice, str], Shares] = {}
    found: dict[Choice, Tried] = {}
    while True:
        for key, more in play(left, range(played, games)).items():
            seen[key] = np.concatenate([seen[key], more]) if played else more
        for choice in left:
            found[choice] = tried(choice.name, {agent: seen[choice, agent] for agent in agents})
        ranked = lotteries({choice: found[choice] for choice in left})
        if games >= LAST_RUNG:
            pure = next(each for each in ranked if each.weight == 1)
            order = sorted(found.values(), key=lambda each: (-each.games, each.worst))
            return order, list(dict.fromkeys([ranked[0], pure]))
        size = max(FINALISTS, math.ceil(len(left) / 2))
        keep = {each.first: None for each in [one for one in ranked if one.weight == 1][: -(-size // 2)]}
        drawn = dict.fromkeys(choice for each in ranked for choice in each.choices if choice not in keep)
        keep |= dict.fromkeys([choices[0], *list(drawn)[: size - len(keep)]])
        left, played, games = [choice for choice in left if choice in keep], games, 2 * games


def lotteries(found: Mapping[Choice, Tried]) -> list[Lottery]:
    """Return choices, and lotteries between any two of them, by their largest distance from an equal share."""
    means = {choice: np.array(list(each.shares.values())) for choice, each in found.items()}
    scored = [(each.worst, Lottery(choice, choice)) for choice, each in found.items()]
    weights = np.arange(1, SIDES) / SIDES
    for one, other in itertools.combinations(found, 2):
        mixed = weights[:, None, None] * means[one] + (1 - weights)[:, None, None] * means[other]
        worst = np.abs(mixed - 1 / mixed.shape[2]).max(axis=(1, 2))
        scored += [(float(far), Lottery(one, other, float(weight))) for far, weight in zip(worst, weights, strict=True)]
    return [each for _, each in sorted(scored, key=lambda pair: pair[0])]


# --------------------------------------------------------------------------------------------------------- the verdict


def judged(agent: str, shares: Shares, margin: float, level: float) -> Verdict:
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
    return Verdict(agent, count, tuple(means.tolist()), tuple(errors.tolist()), fair, unfair, needed)


def verdict(
    survivors: Sequence[Lottery], agents: Sequence[str], play: Play, margin: float, first: int, looks: Sequence[int]
) -> tuple[list[Finding], bool]:
    """Let survivors play fresh games until one is shown to be fair, or all to be not, or games are over.

    The level of 0.05 is shared out equally among survivors and LOOKS looks, so "fair" is wrong in at most 0.05 of
    unfair games, whatever is looked at, also by whoever goes on with more games where the answer was open. Where
    ``play`` raises Unfinished, what was found by then is returned, and True.
    """
    level = LEVEL / len(survivors) / max(LOOKS, len(looks))
    seen: dict[tuple[Choice, str], Shares] = {}
    paths: dict[tuple[Lottery, str], list[Shares]] = {}
    findings: list[Finding] = []
    drawn = list(dict.fromkeys(choice for each in survivors for choice in each.choices))
    done = 0
    for number, look in enumerate(looks, 1):
        try:
            fresh = play(drawn, range(first + done, first + look))
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
            findings.append(Finding(each, answer, tuple(cells), tuple(looks[:number]), path))
        findings.sort(key=lambda finding: ((FAIR, OPEN, NOT).index(finding.answer), finding.worst))
        if findings[0].answer == FAIR or all(finding.answer == NOT for finding in findings):
            break
    return findings, False


def looks_at(games: int) -> list[int]:
    """Return the numbers of fresh games after which to look."""
    doubled = itertools.takewhile(lambda look: look < games, (FIRST_LOOK * 2**power for power in itertools.count()))
    return [*doubled, games]


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
    games: int = GAMES,
    store: Store | None = None,
    bar: Bar = silent_bar,
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
        bar: shows progress of the race and of fresh games.

    Raises:
        OptionError: an agent, the way or the margin is none; the game has no seats that could be compared.
        Unfinished: it was stopped before a survivor had played.
    """
    check_question(game, at, margin)
    ends = math.inf if minutes is None else time.monotonic() + 60 * minutes
    texts = tuple(dict.fromkeys(at))
    table = _Table(game, texts, seed, workers, store, bar, ends)
    choices = find_choices(game, by, lambda: table.results(AS_IS, range(FIRST_RUNG * 4)))
    order, survivors = race(choices, texts, table.play)
    findings, interrupted = verdict(survivors, texts, table.play, margin, LAST_RUNG, looks_at(games))
    if not findings:
        raise Unfinished
    before = next(each for each in order if each.name == AS_IS.name)
    plain = table.results(AS_IS, range(before.games))
    given = [finding.lottery for finding in findings] if by in ("points", "ties") else []
    post_hoc = {each.name: tried(each.name, dict(_recounted(each, plain, game.players))) for each in given}
    return Compensation(game, texts, by, margin, seed, tuple(order), tuple(findings), before, post_hoc, interrupted)


def _recounted(lottery: Lottery, plain: Mapping[str, Results], players: int) -> Iterator[tuple[str, Shares]]:
    """Yield agents with the win shares of their games, counted again as if seats had had the points of a lottery."""
    for agent, results in plain.items():
        yield agent, lottery.shares(lambda choice, given=results: recounted(given, _handicap(choice, players)))  # type: ignore[misc]


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
                raise OptionError(
                    f"resume: {repr_short(path)} was played with {key} {was}; allowed: the same as now, {now[key]!r}"
                )
    if not store.parts:
        store.add(now, part_of(Results.empty(range(0), 1)))
    return store


class _Table:
    """Plays games of choices, each number once, all side by side, and keeps them in memory."""

    def __init__(
        self, game: Game, agents: Sequence[str], seed: int, workers: Workers, store: Store | None, bar: Bar, ends: float
    ) -> None:
        self.game, self.agents, self.seed, self.workers = game, agents, seed, workers
        self.store, self.bar, self.ends = store, bar, ends
        self.games: dict[str, tuple[Game, dict[str, Agent]]] = {}
        self.found: dict[tuple[str, str], Results] = {}

    def results(self, choice: Choice, numbers: range) -> dict[str, Results]:
        """Return by agent the games with these numbers, from 0 or following what was played."""
        self._fill([choice], numbers)
        which = slice(numbers.start, numbers.stop)
        return {agent: self.found[_key(choice), agent].some(which) for agent in self.agents}

    def play(self, choices: Sequence[Choice], numbers: range) -> dict[tuple[Choice, str], Shares]:
        """Return win shares by place."""
        self._fill(choices, numbers)
        return {
            (choice, agent): self._shares(choice, results, numbers)
            for choice in choices
            for agent, results in self.results(choice, numbers).items()
        }

    def _shares(self, choice: Choice, results: Results, numbers: range) -> Shares:
        shares, players = results.by_order(results.win_shares), self.game.players
        if not choice.drawn:
            return shares
        begins = np.random.default_rng(self.seed).integers(0, players, numbers.stop)[numbers.start :]
        return np.take_along_axis(shares, (np.arange(players) + begins[:, None]) % players, axis=1)

    def _fill(self, choices: Sequence[Choice], numbers: range) -> None:
        """Play what is missing."""
        cells: dict[tuple[str, str], Cell] = {}
        for choice, agent in itertools.product(choices, self.agents):
            key = (_key(choice), agent)
            have = self.found.setdefault(key, Results.empty(range(0), self.game.players))
            if len(have.numbers) < numbers.stop:
                missing = range(len(have.numbers), numbers.stop)
                cells[key] = Cell(self._opened(choice)[0], ((agent,) * self.game.players,), missing)
        if not cells:
            return
        if time.monotonic() > self.ends:
            raise Unfinished
        total = sum(len(cell.games) for cell in cells.values())
        with self.bar(f"{len(choices)} layouts, games to {numbers.stop:,}", total, "games") as advance:
            played = measure_cells(
                list(cells.values()), self.seed, self.workers, lambda _, count: advance(count), store=self.store,
                agents=[self.games[key][1] for key, _ in cells], enough=lambda _: time.monotonic() > self.ends,
            )  # fmt: skip
        if any(one.interrupted for one in played):
            raise Unfinished
        for key, one in zip(cells, played, strict=True):
            self.found[key] = Results.join([self.found[key], one.results[0]])

    def _opened(self, choice: Choice) -> tuple[Game, dict[str, Agent]]:
        if _key(choice) not in self.games:
            game = with_options(self.game, choice.options)
            self.games[_key(choice)] = game, tried_agents(game, self.agents)
        return self.games[_key(choice)]


def _key(choice: Choice) -> str:
    return repr(choice.options)


def with_options(game: Game, options: Mapping[str, Any]) -> Game:
    """Return a game with other options than those of a game, its tables included."""
    own = {key: value for key, value in in_force(game.options).items() if key != "players"}
    return make_game(game.definition, game.players, None, {**own, **options}) if options else game


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


def _row(name: str, agent: str, found: Tried | Verdict) -> tuple[str, ...]:
    """Return the row of an agent under a layout."""
    means, errors = (
        (found.shares[agent], found.errors[agent]) if isinstance(found, Tried) else (found.shares, found.errors)
    )
    shown = [f"{share:.3f} ± {Z95 * error:.3f}" for share, error in zip(means, errors, strict=True)]
    return (name, report.markdown(agent), *shown, f"{found.games:,}")


def compensation_json(found: Compensation) -> dict[str, Any]:
    """Return it as plain values, the same whatever the number of processes."""
    return {
        "format": "atlantis-envs compensation 2",
        **report.provenance(found.game, found.agents, found.seed),
        "by": found.way,
        "margin": found.margin,
        "before": asdict(found.before),
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
        "post_hoc": [asdict(each) for each in found.post_hoc.values()],
        "race": [asdict(each) for each in found.race],
    }


def draw_compensation(found: Compensation, paths: Sequence[Path]) -> None:
    """Draw a bar for every layout in the race; and of the best one the shares after every look, a panel an agent."""
    finding = found.best
    panels, height = 1 + len(finding.cells), max(2.7, 0.9 + 0.17 * len(found.race))
    with report.figure(*paths, size=(2 + 3.2 * panels, height), panels=panels) as (whole, axes):
        _draw_race(axes[0], found)
        for axis, cell in zip(axes[1:], finding.cells, strict=True):
            _draw_path(axis, finding, cell, found.margin)
        axes[1].set(ylabel="win share")
        axes[0].set(title="in the race")
        whole.suptitle(report.pictured(f"on fresh games: {finding.lottery.name}"), fontsize=8)


def _draw_race(axis: Any, found: Compensation) -> None:
    """Draw the distance of every layout, the best one at the top, and on its bar that of each agent."""
    rows = range(len(found.race))
    axis.barh(rows, [each.worst for each in found.race], color="0.88", height=0.7, zorder=0)
    for number, agent in enumerate(found.agents):
        values, errors = zip(*(each.distance(agent) for each in found.race), strict=True)
        moved = [row + 0.2 * (number - (len(found.agents) - 1) / 2) for row in rows]
        marks = {**report.look(number), "linestyle": "none", "markersize": 3, "capsize": 1.5}
        axis.errorbar(values, moved, xerr=[Z95 * error for error in errors], label=report.pictured(agent), **marks)
    axis.axvline(found.margin, color="0.4", linewidth=0.8, linestyle="--")
    axis.set_yticks(rows, [each.name for each in found.race])
    axis.grid(visible=False, axis="y")
    axis.set(xlabel="largest distance from an equal share", ylim=(len(found.race) - 0.4, -0.6), xlim=(0, None))
    axis.legend(loc="upper right")


def _draw_path(axis: Any, finding: Finding, cell: Verdict, margin: float) -> None:
    path, games, equal = finding.path[cell.agent], finding.looks, 1 / len(cell.shares)
    for place, error in enumerate(cell.errors):
        spread = Z95 * error * np.sqrt(cell.games / np.array(games))
        axis.errorbar(games, path[:, place], yerr=spread, **report.look(place))
    axis.axhspan(equal - margin, equal + margin, color="0.92", zorder=0)
    low, high = axis.get_ylim()
    for name, height in zip(report.PLACES, report.apart(path[-1].tolist(), 0.065 * (high - low)), strict=False):
        axis.annotate(name, (games[-1], height), (5, 0), textcoords="offset points", va="center")
    axis.set_ylim(low, high)
    axis.set_xscale("log")
    axis.minorticks_off()
    axis.set_xticks(games, [f"{count / 1000:g}" for count in games])
    axis.set(xlabel="fresh games, thousands", xlim=(games[0] / 1.3, games[-1] * 2.2), title=report.pictured(cell.agent))
