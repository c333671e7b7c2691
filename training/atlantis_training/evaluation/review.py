"""A recorded game looked through: at every decision, what was played against what would have been best; its win shares.

Each decision is judged from what its seat knew then: what it could not know is redrawn for every simulated game.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from atlantis_envs.engine.batch import Batch
from atlantis_envs.engine.position import Position
from atlantis_envs.play.game_session import Event, visible_text
from atlantis_envs.play.graph import Evaluation, Mistake
from atlantis_envs.seats.agents import Agent
from atlantis_envs.seats.analysis import TWO_SIDED, Judged, Loss, analyse, determinize_position, repeated
from atlantis_envs.seats.positions import ask, determinize
from atlantis_training.evaluation import report
from atlantis_training.evaluation.statistics import shares_of_wins, wilson


@dataclass(frozen=True)
class Decision:
    """A decision with an alternative.

    Attributes:
        event: how many events went before it.
        position: where it was taken.
        played: the text of what was played.
    """

    event: int
    position: Position
    played: str


@dataclass(frozen=True)
class Reviewed:
    """A decision that has been looked at.

    Attributes:
        event: how many events went before it.
        seat: who decided.
        played: what was found out about what was played.
        best: what was found out about the best action.
        loss: what was given away.
    """

    event: int
    seat: int
    played: Judged
    best: Judged
    loss: Loss

    @property
    def number(self) -> int:
        """Return which event it is, 1 the first: as pages and commands count."""
        return self.event + 1


@dataclass(frozen=True)
class Total:
    """What one seat gave away in all.

    Attributes:
        seat: whose.
        decisions: how many were looked at.
        mistakes: how many of them were worse than the best action beyond noise.
        lost: win share given away, summed over its decisions.
        margin: half of its 95 % interval.
    """

    seat: int
    decisions: int
    mistakes: int
    lost: float
    margin: float


def decisions_of(end: Position, start: Position, seat: int | None = None) -> list[Decision]:
    """Return decisions of a seat, of all if None, that had an alternative."""
    position, found = start.clone(), []
    for event, text in enumerate(end.log):
        mover = position.seat
        if mover is not None and seat in (None, mover) and len(position.legal_actions()) > 1:
            found.append(Decision(event, position.clone(), text))
        position.apply(text)
    return found


def review(
    decisions: Sequence[Decision], agent: str | Agent, simulations: int | None = None, seed: int = 0
) -> Iterator[Reviewed]:
    """Look at decisions one after the other.

    Args:
        decisions: see ``decisions_of``.
        agent: see ``analyse``.
        simulations: of every action; see ``analyse``.
        seed: decision number k of the list has the luck of seed + k, so that decisions err independently.
    """
    for number, decision in enumerate(decisions):
        found = analyse(decision.position, agent, simulations, seed + number)
        played, loss = found.of(decision.played), found.loss(decision.played)
        yield Reviewed(decision.event, found.seat, played, found.best, loss)


def mistakes_of(reviewed: Sequence[Reviewed]) -> list[Reviewed]:
    """Return those worse than the best action beyond noise, the largest first."""
    return sorted((one for one in reviewed if one.loss.sure), key=lambda one: (-one.loss.share, one.event))


def totals_of(reviewed: Sequence[Reviewed]) -> list[Total]:
    """Return what each seat gave away, by seat."""
    totals = []
    for seat in sorted({one.seat for one in reviewed}):
        own = [one.loss for one in reviewed if one.seat == seat]
        margin = TWO_SIDED * math.sqrt(sum(loss.error**2 for loss in own))
        mistakes = sum(loss.sure for loss in own)
        totals.append(Total(seat, len(own), mistakes, sum(loss.share for loss in own), margin))
    return totals


def mistake_text(one: Reviewed) -> str:
    """Tell a mistake in words."""
    return (
        f"gave away {percent(one.loss.share, TWO_SIDED * one.loss.error)}: {one.played.text} {_share(one.played)}, "
        f"{one.best.text} {_share(one.best)}"
    )


def percent(share: float, margin: float) -> str:
    """Return a share as 12 % ± 4."""
    return f"{share * 100:.0f} % ± {margin * 100:.0f}"


def _share(judged: Judged) -> str:
    return percent(judged.share, _margin(judged))


def _margin(judged: Judged) -> float:
    return max(judged.high - judged.share, judged.share - judged.low)


def curve(reviewed: Sequence[Reviewed], position: Position, caption: str, most: int) -> Evaluation:
    """Return the win share of what was played, at every decision for its seat, and the ``most`` largest mistakes.

    Args:
        reviewed: in the order of the game.
        position: any of the game.
        caption: how the shares were taken.
        most: mistakes to be marked, numbered as ``mistakes_of`` lists them.
    """
    together = position.game.cooperative
    seats = 1 if together else position.game.players
    nothing = math.nan

    def row(one: Reviewed, value: float) -> tuple[float, ...]:
        return tuple(value if together or one.seat == seat else nothing for seat in range(seats))

    marked = tuple(
        Mistake(
            one.event,
            one.seat,
            str(number),
            one.played.share,
            one.best.share,
            mistake_text(one),
            (one.played.text, one.best.text),
        )
        for number, one in enumerate(mistakes_of(reviewed)[:most], 1)
    )
    return Evaluation(
        tuple(one.number for one in reviewed),  # the share of what was played is that after it
        tuple(row(one, one.played.share) for one in reviewed),
        tuple(row(one, _margin(one.played)) for one in reviewed),
        caption,
        together,
        marked,
    )


GAP = 0.055  # of the axis, between two names at the ends of lines


def draw_curve(evaluation: Evaluation, last: int, names: Sequence[str], title: str, paths: Sequence[Path]) -> None:
    """Draw win shares with their 95 % bands and mistakes as arrows, fit for a paper; every line is named at its end.

    Args:
        evaluation: the shares.
        last: how many events the game has.
        names: of the seats.
        title: of the figure.
        paths: PNG, SVG and PDF files.
    """
    called = ["team"] if evaluation.together else [f"{report.pictured(name)} ({n})" for n, name in enumerate(names)]
    with report.figure(*paths, size=(6.8, 3.2)) as (_, (axis,)):
        ends = []
        for seat, name in enumerate(called):
            taken = [n for n, shares in enumerate(evaluation.shares) if not math.isnan(shares[seat])]
            if not taken:
                continue
            events = [evaluation.events[n] for n in taken]
            shares = np.array([evaluation.shares[n][seat] for n in taken])
            margins = np.array([evaluation.margins[n][seat] for n in taken])
            colour = report.SERIES[seat % len(report.SERIES)][0]
            axis.fill_between(events, shares - margins, shares + margins, color=colour, alpha=0.2, linewidth=0)
            axis.plot(events, shares, color=colour, linewidth=1.2)
            ends.append((float(shares[-1]), events[-1], name, colour))
        _name_lines(axis, ends, last)
        for mistake in evaluation.mistakes:
            across = {"xy": (mistake.number, mistake.best), "xytext": (mistake.number, mistake.played)}
            axis.annotate("", **across, arrowprops={"arrowstyle": "->", "linewidth": 0.8})
            spot = {"xytext": (0, 2), "textcoords": "offset points", "ha": "center", "fontsize": 7}
            axis.annotate(mistake.name, (mistake.number, mistake.best), **spot)
        axis.set(xlabel="event", ylabel="win share", title=title, xlim=(0, last), ylim=(-0.02, 1.02))


def _name_lines(axis: Any, ends: Sequence[tuple[float, int, str, str]], last: int) -> None:
    """Write the name of each line at its right, those that end close to each other one above the other."""
    height = -1.0
    for share, event, name, colour in sorted(ends):
        height = max(share, height + GAP)
        line = {"arrowprops": {"arrowstyle": "-", "color": colour, "linewidth": 0.6}, "annotation_clip": False}
        axis.annotate(name, (event, share), (last * 1.02, height), color=colour, va="center", fontsize=8, **line)


# ------------------------------------------------------------------------------------------ how a game stood on its way


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
    together = end.game.cooperative
    wins = _played_on([positions[number] for number in chosen], agent, games, seed)
    means = wins.mean(axis=1)
    who = "the team" if together else "each seat"
    caption = (
        f"Win share of {who}, of {games} games that {name} plays on from there in every seat, seed {seed}, knowing "
        "what each seat knows; the band is the 95 % interval."
    )
    ends = [[wilson(float(share), games) for share in each] for each in means]
    return Evaluation(
        tuple(places[number] for number in chosen),
        tuple(tuple(float(share) for share in each) for each in means),
        tuple(tuple((high - low) / 2 for low, high in each) for each in ends),
        caption,
        together,
    )


def value_curve(
    end: Position, start: Position | None, valuer: Any, name: str, samples: int, seed: int = 0, points: int = POINTS
) -> Evaluation:
    """Return the same as ``win_curve``, as an agent values positions (``position_values``): nothing is played on.

    Args:
        end: where the game stands, with its log.
        start: where its log began; None: the beginning.
        valuer: says what share of the win each seat may expect.
        name: of it, for the caption.
        samples: how often what the seat to decide cannot know is redrawn, at every point.
        seed: of that.
        points: how many decisions are looked at.
    """
    places, positions = _decisions(end, start)
    chosen = [len(places) * number // min(points, len(places)) for number in range(min(points, len(places)))]
    together = end.game.cooperative
    words = np.random.default_rng(seed).integers(0, 2**64, samples, np.uint64)
    means, bands = [], []
    for number in chosen:
        mover = positions[number].seat
        assert mover is not None, "somebody decides there"
        known = repeated(determinize_position(positions[number], mover, words[0]), samples)
        drawn = determinize(known.game, known.states, known.seats, known.observations, known.masks, words)
        values = valuer.position_values(drawn)[:, : 1 if together else end.game.players]
        means.append(tuple(map(float, values.mean(axis=0))))
        bands.append(tuple(float(TWO_SIDED * error) for error in values.std(axis=0) / math.sqrt(samples)))
    who = "the team" if together else "each seat"
    caption = (
        f"Win share of {who}, as {name} values the position, knowing what the seat to decide knows; the band is what "
        f"{samples} draws of hidden cards leave open."
    )
    return Evaluation(tuple(places[number] for number in chosen), tuple(means), tuple(bands), caption, together)


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


def _played_on(positions: Sequence[Position], agent: Agent, games: int, seed: int) -> NDArray[np.float64]:
    """Return win shares of games played on, float64 (len(positions), games, seats; 1 for all ``together``)."""
    if not positions:
        return np.zeros((0, games, 1))
    batch = copies_of(positions, games, seed)
    wins, _ = play_on(batch, agent, seed, np.arange(len(batch)), _choices(batch, agent, seed))
    return wins.reshape(len(positions), games, -1)


def copies_of(positions: Sequence[Position], games: int, seed: int) -> Batch:
    """Return a batch with so many lanes of each position, side by side; chance goes on as the seed says."""
    lanes = [position for position in positions for _ in range(games)]
    return Batch(positions[0].game, len(lanes), seed).load(lanes)


def _choices(batch: Batch, agent: Agent, seed: int) -> NDArray[np.int64]:
    lanes = np.arange(len(batch))
    return ask(agent, batch, lanes, batch.noise(seed, lanes))


def play_on(
    batch: Batch, agent: Agent, seed: int, lanes: NDArray[np.int64], actions: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Let an agent go on in every seat after these actions, to the end.

    Returns:
        Win shares, float64 (len(lanes), P; 1 where all win together), and final scores, int64 (len(lanes), P).
    """
    together = batch.game.cooperative
    wins = np.zeros((len(batch), 1 if together else batch.game.players))
    scores = np.zeros((len(batch), batch.game.players), np.int64)
    live = lanes
    while len(live):
        rewards, over = batch.step(actions, live)
        ended = live[over[live]]
        won = rewards[ended, :1] > 0 if together else shares_of_wins(rewards[ended].astype(np.float64))
        wins[ended] = np.where(batch.truncated[ended, None], 0.0, won)  # nobody wins a game that was cut off
        scores[ended] = batch.final_scores[ended]
        live = live[~over[live]]
        actions = ask(agent, batch, live, batch.noise(seed, live)) if len(live) else actions
    return wins[lanes], scores[lanes]


# ------------------------------------------------------------------------------------------------------ luck and skill


EXPECTED = 0.05  # of a win share: a change that needs no reason
STARTS = 1000  # games from the beginning and from an end that is none
AGAIN = 20  # times as many games on both sides of a stroke of luck that is named, up to STARTS
STROKES = 3  # at most of a seat are named
VAGUE = 0.25  # half of an interval of a share that is not worth a sentence
TEXTS = 3  # of chance events in a row that are named


@dataclass(frozen=True)
class Balance:
    """How the win share of a seat went from the beginning to the end: change = luck + own + others.

    Attributes:
        seat: whose; of a team, None.
        begin: its win share at the beginning, if the agent plays on in every seat.
        end: at the end.
        own: what its own decisions gained over those of the agent, in the same places with the same luck.
        others: what the decisions of the others gained it.
        luck: what chance brought.
        own_margin: half of the 95 % interval of ``own``.
        others_margin: of ``others``.
        luck_margin: of ``luck``.
    """

    seat: int | None
    begin: float
    end: float
    own: float
    others: float
    luck: float
    own_margin: float
    others_margin: float
    luck_margin: float


@dataclass(frozen=True)
class Stroke:
    """A stroke of luck: what chance events in a row changed, nobody deciding between them.

    Attributes:
        events: how many events went before each of them.
        change: of the win share of every seat; of a team, one number.
        margin: half of its 95 % intervals.
    """

    events: range
    change: tuple[float, ...]
    margin: tuple[float, ...]


@dataclass(frozen=True)
class Account:
    """How a recorded game went between luck and decisions.

    Attributes:
        balances: by seat; one for a team.
        strokes: the largest strokes of luck of each seat, as the game went on.
        swings: share of luck in the ups and downs, by squared changes, over all seats; NaN where nothing moves.
        swings_margin: half of its 95 % interval.
    """

    balances: tuple[Balance, ...]
    strokes: tuple[Stroke, ...]
    swings: float
    swings_margin: float

    def strokes_of(self, balance: Balance) -> list[Stroke]:
        """Return those that changed this seat's share beyond noise, the largest first."""
        seat = balance.seat or 0
        sure = [each for each in self.strokes if abs(each.change[seat]) > each.margin[seat]]
        return sorted(sure, key=lambda each: -abs(each.change[seat]))[:STROKES]


def account(end: Position, start: Position, agent: Agent, games: int, seed: int = 0) -> Account:
    """Share out how a recorded game went between luck and decisions.

    What a decision gained is the value after it less that before it; the rest of the change comes from chance nodes
    (Zare, White and Bowling). Where the agent would have played the same, nothing was gained, without any error.
    Which strokes of luck are the largest is seen on other games than how large they are.

    Args:
        end: where the game stands, with its log.
        start: where its log began.
        agent: plays every seat on; decisions are compared with its own.
        games: played on from every decision, twice.
        seed: of their chance.
    """
    together, decisions = end.game.cooperative, decisions_of(end, start)
    gained = _gains(decisions, agent, games, seed, together)
    runs = _chance_runs(end, start)
    count = max(2, min(2 * games, games * len(decisions) // max(1, 2 * len(runs))))  # no more than for decisions
    moved, noise = _changes(runs, agent, count, seed + 1, start)
    largest = sorted({int(run) for seat in np.abs(moved.mean(axis=0)).T for run in np.argsort(-seat)[:STROKES]})
    again, errors = _changes([runs[run] for run in largest], agent, min(STARTS, AGAIN * games), seed + 3, start)
    strokes = [
        Stroke(runs[run].events, tuple(change.tolist()), tuple((TWO_SIDED * error).tolist()))
        for run, change, error in zip(largest, again.mean(axis=0), errors, strict=True)
    ]
    halves = np.stack([half.mean(axis=1) for half in np.array_split(gained, 2, axis=1)])
    luck, luck_error = _squared(moved, noise)
    skill, skill_error = _squared(halves, gained.std(axis=1, ddof=1) / math.sqrt(games))
    whole = luck + skill
    error = math.hypot(skill * luck_error, luck * skill_error) / whole**2 if whole else math.inf
    return Account(
        tuple(_balances(end, start, agent, seed, decisions, gained)),
        tuple(strokes),
        luck / whole if whole else math.nan,
        TWO_SIDED * error,
    )


def _squared(halves: NDArray[np.float64], errors: NDArray[np.float64]) -> tuple[float, float]:
    """Return the sum of squared changes, as two halves of the games tell it, to which noise adds nothing; its error.

    Args:
        halves: float64 (2, changes, seats).
        errors: of the means of all games, float64 (changes, seats).
    """
    products, noise = halves[0] * halves[1], 2 * errors**2
    spread = np.sqrt(2 * noise * np.maximum(products, 0) + noise**2).sum(axis=1)  # seats move together
    return max(0.0, float(products.sum())), math.sqrt(float((spread**2).sum()))


def _balances(
    end: Position, start: Position, agent: Agent, seed: int, decisions: Sequence[Decision], gained: NDArray[np.float64]
) -> Iterator[Balance]:
    together, games = end.game.cooperative, gained.shape[1]
    means, squares = gained.mean(axis=1), gained.var(axis=1, ddof=1) / games
    before = _played_on([start], agent, STARTS, seed)[0]
    after = _stands(end, agent, STARTS, seed)
    ends = sum(values.var(axis=0) / len(values) for values in (before, after))
    movers = np.array([decision.position.seat for decision in decisions])
    for seat in range(gained.shape[2]):
        own = np.ones(len(movers), bool) if together else movers == seat
        parts = [float(means[rows, seat].sum()) for rows in (own, ~own)]
        errors = [float(squares[rows, seat].sum()) for rows in (own, ~own)]
        begin, final = float(before[:, seat].mean()), float(after[:, seat].mean())
        wide = [TWO_SIDED * math.sqrt(square) for square in (*errors, sum(errors) + float(ends[seat]))]
        luck = final - begin - sum(parts)
        yield Balance(None if together else seat, begin, final, parts[0], parts[1], luck, wide[0], wide[1], wide[2])


@dataclass(frozen=True)
class _Run:
    """Chance events in a row: which, whose move they followed (None at the start of the record), and what came out."""

    events: range
    move: Decision | None
    after: Position


def _chance_runs(end: Position, start: Position) -> list[_Run]:
    """Return chance events in a row, as far as somebody decides after them or the game is over."""
    position, runs, begun = start.clone(), [], 0
    move: Decision | None = None
    for event, text in enumerate(end.log):
        chance = position.node == "chance"
        if not chance:
            move, begun = Decision(event, position.clone(), text), event + 1
        position.apply(text)
        if chance and position.node != "chance":
            runs.append(_Run(range(begun, event + 1), move, position.clone()))
    return runs


def _changes(
    runs: Sequence[_Run], agent: Agent, games: int, seed: int, start: Position
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return what chance changed, of two halves of the games (2, runs, seats), and standard errors of their means."""
    seats = 1 if start.game.cooperative else start.game.players
    before, after = np.zeros((2, len(runs), games, seats))
    moved = [number for number, run in enumerate(runs) if run.move]
    before[moved] = _after_moves([run.move for run in runs if run.move], agent, games, seed)
    live = [number for number, run in enumerate(runs) if run.after.node != "over"]
    after[live] = _played_on([runs[number].after for number in live], agent, games, seed + 1)
    for number, run in enumerate(runs):
        if run.move is None:
            before[number] = _played_on([start], agent, games, seed)[0]
        if run.after.node == "over":
            after[number] = _stands(run.after, agent, games, seed)
    errors = np.sqrt((before.var(axis=1, ddof=1) + after.var(axis=1, ddof=1)) / games)
    return np.stack([half.mean(axis=1) for half in np.array_split(after - before, 2, axis=1)]), errors


def _gains(decisions: Sequence[Decision], agent: Agent, games: int, seed: int, together: bool) -> NDArray[np.float64]:
    """Return what decisions gained over the agent's, float64 (len(decisions), games, seats; 1 for all ``together``)."""
    batch = copies_of([decision.position for decision in decisions], games, seed)
    twin = batch.clone()  # the same luck
    played, chosen = _played_ids(decisions, games), _choices(batch, agent, seed)
    lanes = np.flatnonzero(played != chosen)
    gained = np.zeros((len(batch), 1 if together else batch.game.players))
    gained[lanes] = play_on(batch, agent, seed, lanes, played[lanes])[0]
    gained[lanes] -= play_on(twin, agent, seed, lanes, chosen[lanes])[0]
    return gained.reshape(len(decisions), games, -1)


def _after_moves(decisions: Sequence[Decision], agent: Agent, games: int, seed: int) -> NDArray[np.float64]:
    """Return win shares of games played on after what was played, as ``_played_on``."""
    if not decisions:
        return np.zeros((0, games, 1))
    batch = copies_of([decision.position for decision in decisions], games, seed)
    wins, _ = play_on(batch, agent, seed, np.arange(len(batch)), _played_ids(decisions, games))
    return wins.reshape(len(decisions), games, -1)


def _played_ids(decisions: Sequence[Decision], games: int) -> NDArray[np.int64]:
    """Return the action ids of what was played, each so many times."""
    ids = [one.position.legal_action_ids()[one.position.legal_actions().index(one.played)] for one in decisions]
    return np.repeat(np.array(ids, np.int64), games)


def _stands(end: Position, agent: Agent, games: int, seed: int) -> NDArray[np.float64]:
    """Return win shares at the end of a record, float64 (games, seats): of one game that is over, else played on."""
    if end.node != "over":
        return np.asarray(_played_on([end], agent, games, seed)[0])
    returns = np.array([end.returns()], np.float64)
    won = (returns[:, :1] > 0).astype(np.float64) if end.game.cooperative else shares_of_wins(returns)
    return np.asarray(won * (not end.truncated))


def balance_text(one: Balance, over: bool) -> str:
    """Tell in a sentence how much of a game was luck."""
    who = "the team" if one.seat is None else f"seat {one.seat}"
    parts = [f"luck {_signed(one.luck, one.luck_margin)}", f"own decisions {_signed(one.own, one.own_margin)}"]
    if one.seat is not None:
        parts.append(f"those of others {_signed(one.others, one.others_margin)}")
    way = f"from {one.begin * 100:.0f} % to {one.end * 100:.0f} %{'' if over else ' so far'}"
    return f"{who} went {way}: {', '.join(parts)}"


def luck_text(one: Balance, who: str) -> str:
    """Tell a player how much of a game was luck: what did most of it, and every part.

    Args:
        one: of a game that is over.
        who: "you", or what to call whose chances these are.
    """
    whose, own = ("your", "your own moves") if who == "you" else (f"{who}'s", "own moves")
    parts = [("luck", one.luck, one.luck_margin), (own, one.own, one.own_margin)]
    if one.seat is not None:
        parts.append(("the moves of others", one.others, one.others_margin))
    way = 1 if one.end >= one.begin else -1
    name, most, margin = max(parts, key=lambda part: way * part[1])
    verdict = f"Mostly {name}" if way * most > margin else "Luck and moves cannot be told apart"
    verdict = "It went as expected" if abs(one.end - one.begin) < EXPECTED else verdict
    shares = [f"{name} {_gave(value, margin)}" for name, value, margin in parts]
    chance = f"{whose} chance to win went from {one.begin * 100:.0f} % to {one.end * 100:.0f} %"
    return f"{verdict}. {chance[0].upper()}{chance[1:]}: {', '.join(shares)}."


def strokes_text(found: Account, one: Balance, events: Sequence[Event], viewer: int | None, who: str) -> str:
    """Tell a player the largest strokes of luck; with all other chance they add up to the luck of the seat.

    Args:
        found: the account of the game.
        one: whose luck, out of it.
        events: of the game, all.
        viewer: whose knowledge the text may hold; None: everything.
        who: "you", or what to call whose chances these are.

    Returns:
        A sentence; "" where no stroke of luck is seen beyond noise.
    """
    seat, strokes = one.seat or 0, found.strokes_of(one)
    if not strokes:
        return ""
    named = [
        f"{_events_text(each.events, events, viewer)} {_gave(each.change[seat], each.margin[seat])}" for each in strokes
    ]
    rest = one.luck - sum(each.change[seat] for each in strokes)
    margin = math.hypot(one.luck_margin, *(each.margin[seat] for each in strokes))
    whose = "Your" if who == "you" else f"{who[0].upper()}{who[1:]}'s"
    return f"{whose} luck: {', '.join(named)}, all other chance {_gave(rest, margin)}."


def _events_text(which: range, events: Sequence[Event], viewer: int | None) -> str:
    texts = [visible_text(events[number], viewer) for number in which[:TEXTS]]
    more = f" and {len(which) - TEXTS} more" if len(which) > TEXTS else ""
    place = f"event {which[0] + 1}" if len(which) == 1 else f"events {which[0] + 1} to {which[-1] + 1}"
    return f"{place} ({', '.join(texts)}{more})"


def swings_text(found: Account) -> str:
    """Tell what share of luck is in the ups and downs of a game; "" where too few games tell too little."""
    if not found.swings_margin < VAGUE:
        return ""
    share = percent(found.swings, found.swings_margin)
    return f"Luck made {share} of all ups and downs, by squared changes of the chance to win."


def _gave(share: float, margin: float) -> str:
    return f"{'took' if round(share * 100) < 0 else 'gave'} {abs(share) * 100:.0f} % ± {margin * 100:.0f}"


def _signed(share: float, margin: float) -> str:
    return f"{share * 100:+.0f} ± {margin * 100:.0f}"
