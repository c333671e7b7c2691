"""TD(lambda) on afterstates by self-play: what a position is worth after the own choice and before chance.

One network plays every seat, or one seat against an agent that does not learn. For each decision with a choice it looks
at what the mover would see after every legal action (``Batch.afterstates``), so no chance has to be averaged out
(Tesauro 1994). It takes the best of them, nearly always. An afterstate learns the lambda-return of its seat: the value
of the seat's next choice, and so on up to the result of the game. There is no teacher, and no knowledge beyond the
rules.

A team whose progress counts learns what is gained after an afterstate instead, discounted. A game of a team has a
thousand choices: beside the whole result, what one of them brings is less than the network errs. What an action itself
gains is not in its afterstate, which looks the same long afterwards; it is added where actions are compared.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray
from stable_baselines3.common.utils import update_learning_rate

from atlantis_agents.features import with_features
from atlantis_agents.networks.policy import AFTERSTATES, RELU, Layers, NetworkAgent, inputs_high
from atlantis_envs.kernels.kernel import entry
from atlantis_envs.seats.agents import make_agent
from atlantis_envs.seats.batch import SeatBatch
from atlantis_envs.seats.step import ROTATE
from atlantis_training.evaluation.statistics import shares_of_wins
from atlantis_training.selfplay.described import features_for
from atlantis_training.selfplay.network import Trunk, fast_bfloat16, network_layers, take_layers
from atlantis_training.selfplay.pool import make_game
from atlantis_training.selfplay.ppo import padded
from atlantis_training.selfplay.settings import TDSettings

if TYPE_CHECKING:
    from atlantis_envs.engine.batch import Afterstates, Batch
    from atlantis_envs.engine.game import Game

MEASURED_ROWS = 20_000  # that random play shows before the inputs are normalised
WINDOW = 2000  # games behind the recent share of wins
NONE = -1  # no earlier afterstate of this seat in this game
CHUNK = 16_384  # rows that pass the network at once
PLIES = 64  # of every game in a round,
ROUND_SECONDS = 30.0  # which ends after this time in a run with a limit of time: an agent to beat may think long
GAIN_SCALE = 40.0  # how much more the value of a gain is: one choice brings thousandths of all progress


@entry
def assign_targets(ends, outcomes, lam, memory, head):  # type: ignore[no-untyped-def]
    """Give every afterstate of finished chains its lambda-return, from the last one back to the first.

    ``ends`` holds the last serial number of each chain. What has been overwritten meanwhile ends its chain.
    """
    previous, values, explored, _, targets, ready = memory
    capacity = len(previous)
    for index in range(len(ends)):
        serial, target = ends[index], outcomes[index]
        while serial >= 0 and serial >= head - capacity:
            slot = serial % capacity
            targets[slot], ready[slot] = target, True
            value = values[slot]
            target = value if explored[slot] else (1 - lam) * value + lam * target
            serial = previous[slot]


@entry
def assign_gains(ends, finals, discounts, memory, head):  # type: ignore[no-untyped-def]
    """Give every afterstate of finished chains the discounted progress that is gained after it, as a value.

    ``finals`` holds the progress at the end of each game and what a win is worth beside it; ``discounts`` that of a
    choice, and lambda.
    """
    previous, values, explored, progress, targets, ready = memory
    discount, lam = discounts
    capacity = len(previous)
    for index in range(len(ends)):
        serial, after, later = ends[index], finals[index, 0], finals[index, 1]
        while serial >= 0 and serial >= head - capacity:
            slot = serial % capacity
            gain = discount * (after - progress[slot] + later)  # the next choice's own gain too, or waiting were free
            targets[slot], ready[slot] = GAIN_SCALE * gain, True
            value = values[slot] / GAIN_SCALE
            later = value if explored[slot] else (1 - lam) * value + lam * gain
            after = progress[slot]
            serial = previous[slot]


@dataclass
class Chosen:
    """What is played where there is a choice.

    Attributes:
        actions: int64 (N,).
        rows: uint8 (N, F), the afterstates that they lead to.
        values: float32 (N,), what these are worth; where the choice was random, what the best ones are worth, with the
            progress by which they differ from these.
        explored: bool (N,), where it was.
        progress: float32 (N,), how far the team has come there; 0 where nobody asks.
    """

    actions: NDArray[np.int64]
    rows: NDArray[np.uint8]
    values: NDArray[np.float32]
    explored: NDArray[np.bool_]
    progress: NDArray[np.float32] | float = 0.0


class Replay:
    """The last afterstates that were chosen, a ring; each may be learned from once its game has ended.

    Args:
        capacity: afterstates that are kept.
        width: bytes of one.
        chains: how many sequences of afterstates grow at the same time: one for each seat of each game.

    Attributes:
        rows: uint8 (capacity, width).
        previous: int64 (capacity,), serial number of the afterstate before in the same chain, or NONE.
        values: float32 (capacity,), what the best afterstate of that decision was worth, or the chosen one.
        explored: bool (capacity,), where the choice was a random one: what follows says nothing of what was before.
        progress: float32 (capacity,), how far the team has come there.
        targets: float32 (capacity,), valid where ``ready``.
        ready: bool (capacity,).
        latest: int64 (chains,), serial number of the last afterstate of each chain, or NONE.
        head: the next serial number.
    """

    ARRAYS = ("rows", "previous", "values", "explored", "progress", "targets", "ready", "latest")

    def __init__(self, capacity: int, width: int, chains: int) -> None:
        """Make room."""
        self.rows = np.zeros((capacity, width), np.uint8)
        self.previous = np.full(capacity, NONE, np.int64)
        self.values = np.zeros(capacity, np.float32)
        self.explored = np.zeros(capacity, np.bool_)
        self.progress = np.zeros(capacity, np.float32)
        self.targets = np.zeros(capacity, np.float32)
        self.ready = np.zeros(capacity, np.bool_)
        self.latest = np.full(chains, NONE, np.int64)
        self.head = 0

    def add(self, chains: NDArray[np.int64], chosen: Chosen) -> None:
        """Append what was chosen to these chains, which are distinct."""
        serials = self.head + np.arange(len(chains))
        slots = serials % len(self.previous)
        self.rows[slots], self.previous[slots], self.ready[slots] = chosen.rows, self.latest[chains], False
        self.values[slots], self.explored[slots] = chosen.values, chosen.explored
        self.progress[slots] = chosen.progress
        self.latest[chains] = serials
        self.head += len(chains)

    def finish(self, chains: NDArray[np.int64], outcomes: NDArray[np.float32], lam: float) -> None:
        """End these chains with these outcomes, which gives targets to all of their afterstates."""
        ends, begun, memory = self._end(chains)
        assign: Any = assign_targets
        assign(ends, outcomes[begun], np.float32(lam), memory, self.head)

    def finish_gains(self, chains: NDArray[np.int64], finals: NDArray[np.float32], discount: float, lam: float) -> None:
        """End these chains, whose afterstates learn what was gained after them.

        Args:
            chains: int64 (C,).
            finals: float32 (C, 2), the progress at the end, and what a win is worth beside it.
            discount: of a choice.
            lam: share of later values.
        """
        ends, begun, memory = self._end(chains)
        assign: Any = assign_gains
        assign(ends, finals[begun], (np.float32(discount), np.float32(lam)), memory, self.head)

    def _end(self, chains: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.bool_], tuple[NDArray[Any], ...]]:
        """End these chains; return their last serial numbers, which of them had begun, and what targets come from."""
        ends = self.latest[chains]
        begun = ends != NONE
        self.latest[chains] = NONE
        memory = (self.previous, self.values, self.explored, self.progress, self.targets, self.ready)
        return ends[begun], begun, memory

    def sample(self, generator: np.random.Generator, count: int) -> NDArray[np.int64]:
        """Return ``count`` slots that are ready, with repetition; none if there are fewer than that."""
        filled = min(self.head, len(self.ready))
        found: list[NDArray[np.int64]] = []
        while filled and sum(map(len, found)) < count:
            slots = generator.integers(0, filled, 2 * count)
            slots = slots[self.ready[slots]]
            if not found and len(slots) < count // 8:  # hardly any game has ended
                return np.zeros(0, np.int64)
            found.append(slots)
        return np.concatenate(found)[:count] if found else np.zeros(0, np.int64)


class ValueNetwork(torch.nn.Module):
    """The logit of winning out of an afterstate, or what is gained after it.

    Layers with ReLU over inputs of mean 0 and deviation 1.
    """

    def __init__(self, high: NDArray[np.uint8], hidden: tuple[int, ...], exact: bool = False) -> None:
        """Build the layers.

        Args:
            high: uint8 (F,), the largest byte of each input.
            hidden: sizes of the hidden layers.
            exact: compute the output as float32; a bfloat16 is too coarse for gains, which are not squeezed into 0..1.
        """
        super().__init__()
        self.exact = exact
        from gymnasium import spaces

        self.trunk = Trunk(spaces.Box(0, 1, (len(high),), np.float32), high, hidden)
        self.head = torch.nn.Linear(self.trunk.features_dim, 1)
        torch.nn.init.orthogonal_(self.head.weight, 0.1)
        self.head.bias.data.zero_()

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        """Return logits or gains float32 (N,) of inputs as bytes, uint8 (N, F)."""
        seen = self.trunk.of_bytes(rows)
        if self.exact:
            with torch.autocast("cpu", enabled=False):
                gains: torch.Tensor = self.head(seen.float()).flatten()
            return gains
        logits: torch.Tensor = self.head(seen).float().flatten()
        return logits


@dataclass
class Group:
    """Games of one number of players, side by side.

    Attributes:
        game: what is played.
        batch: the games.
        seat: where the learner has one seat against others; None: it plays all seats.
        chains: for how many seats of a game it learns; 1 for a team.
        first_chain: of the first game.
    """

    game: Game
    batch: Batch
    seat: SeatBatch | None
    chains: int
    first_chain: int

    def of(self, lanes: NDArray[np.int64], seats: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the chains of these seats in these lanes."""
        return self.first_chain + (lanes if self.chains == 1 else lanes * self.chains + seats)


def potential_weight(game: Game, settings: TDSettings) -> float:
    """Return what a unit of the game's potential adds to the value of an afterstate: 0 but for a team's progress."""
    return GAIN_SCALE * settings.progress_weight / 2 if game.cooperative else 0.0


class TDLearner:
    """Plays against itself and learns what afterstates are worth.

    Args:
        game: what is learned.
        settings: of the run.
        first: layers to begin with, as soon as the inputs are normalised; None: random ones.

    Attributes:
        groups: the games, ``num_envs`` of them, by number of players.
        team: whether all seats win together; gains: whether its values are gains of progress.
        network: the value.
        replay: what it learns from.
        steps: decisions with a choice, so far; updates: steps of gradient.
        games: ended so far.
        recent: of the last games, the share of the win; empty where it plays against itself.
        reached: the potentials at the end of the last games of a team whose progress counts.
        owed: afterstates that are still to be learned from.
        discount: of what is gained a choice later; it rises to 1 during a run.
    """

    def __init__(self, game: Game, settings: TDSettings, first: Layers | None = None) -> None:
        """Begin the games and the network."""
        self.game, self.settings, self.first = game, settings, first
        self.team = game.cooperative
        self.gains = self.team and settings.progress_weight > 0
        self.groups = self._groups()
        self.described = features_for(settings, game)
        high = inputs_high(game, self.described)
        torch.manual_seed(settings.seed)
        self.network = ValueNetwork(high, settings.hidden, self.gains)
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=settings.learning_rate, fused=True)
        last = self.groups[-1]
        self.replay = Replay(settings.replay, len(high), last.first_chain + len(last.batch) * last.chains)
        self.generator = np.random.default_rng([settings.seed, 0x7D])
        self.steps = self.updates = self.games = 0
        self.recent: list[float] = []
        self.reached: list[float] = []
        self.owed, self.discount = 0.0, settings.discount
        self._fast = fast_bfloat16()

    def _groups(self) -> tuple[Group, ...]:
        """Begin games of every number of players that is learned."""
        settings, found, first_chain = self.settings, list[Group](), 0
        counts = dict.fromkeys(count or self.game.players for count in settings.player_counts)
        for count in counts:
            game = self.game if count == self.game.players else make_game(replace(settings, players=count))
            lanes = max(1, settings.num_envs // len(counts))
            seat = self._seat_against(game, lanes) if settings.against else None
            batch = seat.batch if seat else game.batch(lanes, settings.seed)
            chains = 1 if self.team or seat else game.players
            found.append(Group(game, batch, seat, chains, first_chain))
            first_chain += lanes * chains
        return tuple(found)

    def _seat_against(self, game: Game, lanes: int) -> SeatBatch:
        """Sit down in one seat, which rotates from game to game, where all others are the same agent's."""
        seat = SeatBatch(game, lanes, ROTATE, make_agent(self.settings.against, game), skip_forced=True)
        seat.reset(self.settings.seed)
        return seat

    @property
    def measured(self) -> bool:
        """Return whether the inputs are normalised; before that, play is random."""
        return bool(self.network.trunk.measured)

    def layers(self) -> list[tuple[NDArray[np.float32], NDArray[np.float32]]]:
        """Return the network as a policy of afterstates takes it; copies."""
        return network_layers(self.network.trunk, [self.network.head])

    def agent(self, layers: Layers | None = None) -> NetworkAgent:
        """Return the present network, or one of these layers, as a greedy player."""
        kind: dict[str, Any] = {"activation": RELU, "inputs": AFTERSTATES, "features": self.described}
        return NetworkAgent(self.game, layers or self.layers(), True, potential=self.potential, **kind)

    @property
    def potential(self) -> float:
        """Return what a unit of the game's potential adds to the value of an afterstate."""
        return potential_weight(self.game, self.settings)

    # ---------------------------------------------------------------------------------------------------- playing

    def round(self, progress: float) -> dict[str, float]:
        """Play on in all games and learn; return figures for the log.

        Args:
            progress: share of the run that is done, 0..1: rates follow it.
        """
        settings = self.settings
        rate = settings.learning_rate + (settings.learning_rate_end - settings.learning_rate) * progress
        update_learning_rate(self.optimizer, rate)
        self.discount = 1 - (1 - settings.discount) * (1 - progress) ** 2
        losses: list[float] = []
        seconds = {"play": 0.0, "learn": 0.0}
        for _ in range(PLIES):
            if settings.seconds and sum(seconds.values()) >= ROUND_SECONDS:
                break
            started = time.perf_counter()
            new = self.play_ply()
            played = time.perf_counter()
            losses += self._learn(new)
            seconds["play"] += played - started
            seconds["learn"] += time.perf_counter() - played
        loss = float(np.mean(losses)) if losses else float("nan")
        return {
            "loss": loss,
            "learning_rate": rate,
            "collect_seconds": seconds["play"],
            "learn_seconds": seconds["learn"],
        }

    def play_ply(self) -> int:
        """Play one decision in every game; return how many of them had a choice."""
        played = 0
        for group in self.groups:
            played += self._play(group) if group.seat is None else self._play_against(group, group.seat)
        self.steps += played
        return played

    def _play(self, group: Group) -> int:
        """Play one decision in every game of a group, whoever is to decide."""
        batch = group.batch
        masks, seats = batch.action_masks, batch.seats.astype(np.int64)
        actions = masks.argmax(axis=1)  # of those who have no choice, the only one
        lanes = np.flatnonzero(masks.sum(axis=1, dtype=np.int32) > 1)
        if len(lanes):
            chosen = self._choose(group, lanes)
            actions[lanes] = chosen.actions
            self.replay.add(group.of(lanes, seats[lanes]), chosen)
        rewards, over = batch.step(actions)
        if over.any():
            self._finish(group, np.flatnonzero(over), rewards)
        return len(lanes)

    def _play_against(self, group: Group, seat: SeatBatch) -> int:
        """Play one choice of the learner in every game of a group, and what others answer."""
        if not self.measured:
            self._measure_alone(group.game)
        lanes = np.arange(len(group.batch))
        chosen = self._choose(group, lanes)
        self.replay.add(group.of(lanes, lanes), chosen)
        played = seat.step(chosen.actions)
        ended = np.flatnonzero(played.over)
        players = group.game.players
        shares = np.where(played.truncated, 0.0, (1 + (players - 1) * played.rewards) / players)[ended]
        self.replay.finish(group.of(ended, ended), shares.astype(np.float32), self.settings.td_lambda)
        self.recent = [*self.recent, *shares.tolist()][-WINDOW:]
        self.games += len(ended)
        return len(lanes)

    def _choose(self, group: Group, lanes: NDArray[np.int64]) -> Chosen:
        """Choose where there is a choice: by value, with a little noise, and now and then at random."""
        settings = self.settings
        after, rows, starts = self._afterstates(group.batch, lanes)
        counts = np.diff(starts, append=len(rows))
        odds = self.generator.random((2, len(lanes)))
        if not self.measured:
            seen = self.replay.rows[: self.replay.head]
            if len(seen) + len(rows) >= min(MEASURED_ROWS, settings.replay):
                self._measure(np.concatenate([seen, rows]))
            picks = starts + (odds[1] * counts).astype(np.int64)
            nothing_known = np.full(len(lanes), 0.0 if self.gains else 0.5, np.float32)
            reached = self._progress_of(after.potentials)[picks] if self.gains else 0.0
            return Chosen(after.actions[picks], rows[picks], nothing_known, np.ones(len(lanes), np.bool_), reached)
        progress = self._progress_of(after.potentials) if self.gains else np.zeros(len(rows), np.float32)
        values = self.values(rows) + np.float32(GAIN_SCALE) * progress
        best = np.maximum.reduceat(values, starts)
        weights = np.exp((values - best.repeat(counts)) / settings.temperature).astype(np.float64)
        ladder = np.cumsum(weights)
        before = ladder[starts] - weights[starts]
        total = np.add.reduceat(weights, starts)
        picks = np.searchsorted(ladder, before + odds[1] * total, side="right")
        explored = odds[0] < settings.epsilon
        picks[explored] = (starts + (odds[1] * counts).astype(np.int64))[explored]
        picks = np.clip(picks, starts, starts + counts - 1)
        expected = np.where(explored, best, values[picks]) - np.float32(GAIN_SCALE) * progress[picks]
        return Chosen(after.actions[picks], rows[picks], expected, explored, progress[picks])

    def _afterstates(
        self, batch: Batch, lanes: NDArray[np.int64]
    ) -> tuple[Afterstates, NDArray[np.uint8], NDArray[np.int64]]:
        """Return what each legal action of these lanes leads to, as the network sees it, and where each lane begins."""
        after = batch.afterstates(lanes)
        rows = after.observations
        if self.described is not None:
            rows = with_features(batch.game, rows, self.described.edition)
        return after, rows, np.flatnonzero(np.diff(after.rows, prepend=-1))

    def _measure_alone(self, game: Game) -> None:
        """Normalise the inputs by random games with itself: the agent to beat may be slow, and its time is dear."""
        batch, seen = game.batch(self.settings.num_envs, self.settings.seed), list[NDArray[np.uint8]]()
        while sum(map(len, seen)) < MEASURED_ROWS:
            masks = batch.action_masks
            actions = masks.argmax(axis=1)
            lanes = np.flatnonzero(masks.sum(axis=1, dtype=np.int32) > 1)
            if len(lanes):
                after, rows, starts = self._afterstates(batch, lanes)
                counts = np.diff(starts, append=len(rows))
                picks = starts + (self.generator.random(len(lanes)) * counts).astype(np.int64)
                actions[lanes] = after.actions[picks]
                seen.append(rows[picks])
            batch.step(actions)
        self._measure(np.concatenate(seen))

    def _measure(self, seen: NDArray[np.uint8]) -> None:
        """Normalise the inputs, and take over the layers of the policy to begin with."""
        self.network.trunk.measure(seen)
        if self.first is not None:
            take_layers(self.network.trunk, self.network.head, self.first)

    def values(self, rows: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Return the chance to win, or what will be gained, float32 (N,), of afterstates and features, uint8 (N, F)."""
        parts = []
        with torch.inference_mode(), torch.autocast("cpu", torch.bfloat16, enabled=self._fast):
            for start in range(0, len(rows), CHUNK):
                part = torch.from_numpy(rows[start : start + CHUNK])
                logits = self.network(padded(part) if self._fast else part)[: len(part)]
                parts.append((logits if self.gains else torch.sigmoid(logits)).numpy())
        return np.concatenate(parts)

    def _finish(self, group: Group, lanes: NDArray[np.int64], rewards: NDArray[np.float32]) -> None:
        """Give the afterstates of finished games their targets."""
        settings, outcomes = self.settings, self._outcomes(group, lanes, rewards).astype(np.float32)
        chains = group.of(lanes[:, None], np.arange(group.chains)[None, :]).ravel()
        if self.gains:
            weight = np.float32(settings.progress_weight)
            ends = group.batch.potentials(np.zeros(len(group.batch), np.int8), final=True)
            self.reached = [*self.reached, *ends[lanes].tolist()][-WINDOW:]
            reached = self._progress_of(ends[lanes])
            finals = np.stack([reached, (1 - weight) * outcomes[:, 0]], axis=1)
            self.replay.finish_gains(chains, finals, self.discount, settings.td_lambda)
        else:
            self.replay.finish(chains, outcomes.ravel(), settings.td_lambda)
        self.games += len(lanes)

    def _outcomes(self, group: Group, lanes: NDArray[np.int64], rewards: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return what finished games were worth, float64 (L, chains): the share of the win; 0 where one was cut off."""
        returns, cut = rewards[lanes].astype(np.float64), group.batch.truncated[lanes]
        if not self.team:
            return np.where(cut[:, None], 0.0, shares_of_wins(returns))
        won = np.where(cut, 0.0, returns[:, 0] > 0)
        self.recent = [*self.recent, *won.tolist()][-WINDOW:]
        return won[:, None]

    def _progress_of(self, potentials: NDArray[np.float64]) -> NDArray[np.float32]:
        """Return how far teams of these potentials have come, weighted, float32 (N,)."""
        return np.asarray(self.settings.progress_weight * (1 + potentials) / 2, np.float32)

    # --------------------------------------------------------------------------------------------------- learning

    def _learn(self, new: int) -> list[float]:
        """Take the steps of gradient that ``new`` afterstates are worth; return their losses."""
        settings = self.settings
        losses: list[float] = []
        if not self.measured:
            return losses
        self.owed += new * settings.replay_passes
        while self.owed >= settings.batch_size:
            slots = self.replay.sample(self.generator, settings.batch_size)
            if not len(slots):
                self.owed = 0.0
                break
            self.owed -= settings.batch_size
            losses.append(self._update(slots))
        return losses

    def _update(self, slots: NDArray[np.int64]) -> float:
        rows, targets = torch.from_numpy(self.replay.rows[slots]), torch.from_numpy(self.replay.targets[slots])
        with torch.autocast("cpu", torch.bfloat16, enabled=self._fast):
            logits = self.network(rows)
        if self.gains:
            loss = torch.nn.functional.mse_loss(logits, targets)
        else:
            loss = torch.nn.functional.binary_cross_entropy_with_logits(logits, targets)
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        self.optimizer.step()
        self.updates += 1
        return float(loss.detach())
