"""Fit what a network says that a game is worth, a leaf for search, to how games of an agent end.

    python -m benchmarks values atlantis_rising network -n 1 -o level=5 --games 50000 --out runs/values

A search asks for values where a round begins, after moves that the agent would not make. So the first rounds of every
game are played with errors, as many as are drawn for it; the agent plays the rest, and positions where its rounds begin
are kept. The network of ``--start`` learns who won. The same command goes on after Ctrl-C, from the last shard.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.numpy import load_file

import atlantis_envs
from atlantis_agents.features import with_features
from atlantis_agents.networks.policy import RELU, SEAT_SHARES, NetworkAgent, inputs_high, save_policy, share_outputs
from atlantis_agents.networks.tensors import write_tensors
from atlantis_envs.base.files import read_json, write_atomically
from atlantis_envs.engine.batch import Batch
from atlantis_envs.engine.game import Game
from atlantis_envs.errors import OptionError
from atlantis_envs.seats.agents import Agent, make_agent
from atlantis_envs.seats.positions import ask
from atlantis_training.bars import games_bar
from atlantis_training.cli.common import chosen_options
from atlantis_training.selfplay.dataset import mover_shares
from atlantis_training.selfplay.fitting import share_losses

GAMES, HELD_BACK = 500, 10  # games of a shard; every tenth game tests the fit
RATES = (0.02, 0.05, 0.1)  # of errors that are any legal action
TEMPERATURES = (0.5, 1.0, 1.5)  # of the policy, where errors are what it samples
BATCH, DECAY, WARM = 1024, 1e-2, 100
SETTINGS = "settings.json"
ALL, LAST = LAYERS = ("all", "last")


@dataclass(frozen=True)
class Sample:
    """Positions where rounds begin.

    Attributes:
        obs: observations, uint8 (N, F).
        shares: of the win that each seat got, float32 (N, S), the mover's first; or (N, 1) of all.
        games: numbers of their games, int64 (N,).
    """

    obs: NDArray[np.uint8]
    shares: NDArray[np.float32]
    games: NDArray[np.int64]


class Errors:
    """Who errs how in the games of a shard: with any legal action now and then, or as the policy samples."""

    def __init__(self, start: NetworkAgent, seed: int, shard: int, rounds: int) -> None:
        """Draw it for every game."""
        self._start, self._generator = start, np.random.default_rng([seed, shard])
        self.until = self._generator.integers(0, rounds + 1, GAMES)
        self._samples = self._generator.random(GAMES) < 0.5
        self._rates = self._generator.choice(RATES, GAMES)
        self._temperatures = self._generator.choice(TEMPERATURES, GAMES)

    def put_in(self, actions: NDArray[np.int64], batch: Batch, lanes: NDArray[np.int64]) -> None:
        """Replace actions, int64 (N,), of these lanes where their games err."""
        masks = batch.action_masks[lanes]
        luck = self._generator.random(masks.shape)
        errs = (batch.states.round_number[lanes] < self.until[lanes]) & (masks.sum(axis=1) > 1)
        anything = errs & ~self._samples[lanes] & (self._generator.random(len(lanes)) < self._rates[lanes])
        actions[anything] = np.where(masks[anything] != 0, luck[anything], -1.0).argmax(axis=1)
        sampled = errs & self._samples[lanes]
        if sampled.any():
            noise = batch.noise(0, lanes[sampled])
            logits = self._start.masked_logits(batch.observations[lanes[sampled]], masks[sampled], noise)
            scaled = logits / self._temperatures[lanes[sampled], None]
            actions[sampled] = (scaled - np.log(-np.log(luck[sampled]))).argmax(axis=1)


def play_shard(game: Game, agent: Agent, start: NetworkAgent, seed: int, shard: int, rounds: int) -> Sample:
    """Return what the games of a shard show; the result is a function of the arguments alone."""
    batch, lanes, errors = game.batch(GAMES, seed), np.arange(GAMES), Errors(start, seed, shard, rounds)
    batch.reset(games=lanes + GAMES * shard)
    paid, before = np.zeros((GAMES, game.players)), np.full(GAMES, -1)
    kept: list[tuple[NDArray[Any], ...]] = []
    while len(lanes):
        now = batch.states.round_number[lanes].astype(np.int64)
        begun = lanes[(now != before[lanes]) & (now >= errors.until[lanes])]
        before[lanes] = now
        kept.append((batch.observations[begun], batch.seats[begun].astype(np.int64), begun))
        actions = ask(agent, batch, lanes, batch.noise(seed, lanes))
        errors.put_in(actions, batch, lanes)
        rewards, over = batch.step(actions, lanes)
        paid[over] = np.where(batch.truncated[over, None], np.nan, rewards[over])
        lanes = lanes[~over[lanes]]
    obs, seats, whose = (np.concatenate(column) for column in zip(*kept, strict=True))
    return Sample(obs, mover_shares(game, paid, whose, seats), whose + GAMES * shard)


def play(out: Path, shards: int, played: Callable[[int], Sample], advance: Callable[[float], None]) -> Sample:
    """Return all shards; those that are in the directory are read, not played."""
    parts: list[Sample] = []
    for shard in range(shards):
        path = out / f"{shard:05d}.safetensors"
        if not path.exists():
            found = played(shard)
            write_tensors(path, {"obs": found.obs, "shares": found.shares, "games": found.games})
        arrays = load_file(path)
        parts.append(Sample(arrays["obs"], arrays["shares"], arrays["games"]))
        advance(GAMES)
    columns = zip(*((part.obs, part.shares, part.games) for part in parts), strict=True)
    return Sample(*(np.concatenate(column) for column in columns))


def begin(out: Path, settings: dict[str, Any]) -> None:
    """Note what is played, or see that it is what was played there before.

    Raises:
        OptionError: it is something else.
    """
    path = out / SETTINGS
    if not path.exists():
        out.mkdir(parents=True, exist_ok=True)
        write_atomically(path, json.dumps(settings, indent=1) + "\n")
    elif read_json(path) != settings:
        raise OptionError(f"out: {str(out)!r} has games of other settings; allowed: another directory")


# -------------------------------------------------------------------------------------------------------------- fitting


class ValueNetwork(torch.nn.Module):
    """The layers of a policy up to what it says of shares, over bytes."""

    def __init__(self, start: NetworkAgent) -> None:
        """Take the numbers of ``start``."""
        super().__init__()
        scale = 1 / inputs_high(start.game, start.features).astype(np.float32)
        self.scale = torch.from_numpy(scale)
        own = share_outputs(start.game, SEAT_SHARES)
        weight, bias = start.layers[-1]
        layers = [*start.layers[:-1], (weight[-own:], bias[-own:])]
        self.layers = torch.nn.ModuleList(_linear(weight, bias) for weight, bias in layers)

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        """Return what tells shares, float32 (N, S), of rows of bytes, uint8 (N, F)."""
        values = rows.float() * self.scale
        for layer in self.layers[:-1]:
            values = torch.relu(layer(values))
        outputs: torch.Tensor = self.layers[-1](values)
        return outputs


def _linear(weight: NDArray[np.float32], bias: NDArray[np.float32]) -> torch.nn.Linear:
    layer = torch.nn.Linear(weight.shape[1], weight.shape[0])
    layer.weight.data, layer.bias.data = torch.tensor(np.array(weight)), torch.tensor(np.array(bias))
    return layer


def fit(start: NetworkAgent, seen: Sample, layers: str, rate: float, epochs: int, seed: int) -> ValueNetwork:
    """Return the network after these passes over the games that are not held back."""
    torch.set_num_threads(1)
    network, generator = ValueNetwork(start), np.random.default_rng(seed)
    for layer in list(network.layers)[: -1 if layers == LAST else 0]:
        layer.requires_grad_(False)
    learned = [part for part in network.parameters() if part.requires_grad]
    groups = [{"params": [part for part in learned if part.ndim > 1], "weight_decay": DECAY},
              {"params": [part for part in learned if part.ndim == 1], "weight_decay": 0.0}]  # fmt: skip
    optimizer = torch.optim.AdamW(groups, lr=rate)
    rows, shares = torch.from_numpy(seen.obs), torch.from_numpy(seen.shares)
    training = np.flatnonzero(seen.games % HELD_BACK > 0)
    starts, step = range(0, len(training), BATCH), 0
    for _ in range(epochs):
        order = generator.permutation(training)
        for first in starts:
            for group in optimizer.param_groups:
                group["lr"] = rate * min(1.0, step / WARM) * (1 - step / (epochs * len(starts)))
            chosen = np.sort(order[first : first + BATCH])
            loss = share_losses(start.game, network(rows[chosen]), shares[chosen]).mean()
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            step += 1
    return network


def held_back(network: ValueNetwork, game: Game, seen: Sample) -> NDArray[np.float32]:
    """Return the loss at every position of the games that are held back, float32 (N,)."""
    chosen = np.flatnonzero(seen.games % HELD_BACK == 0)
    with torch.no_grad():
        found = [
            share_losses(game, network(torch.from_numpy(seen.obs[part])), torch.from_numpy(seen.shares[part])).numpy()
            for part in np.array_split(chosen, -(-len(chosen) // BATCH))
        ]
    return np.concatenate(found)


def with_values(start: NetworkAgent, network: ValueNetwork, layers: str, out: Path, about: str) -> Path:
    """Write the policy of ``start`` with these values; but with ``all`` it is a leaf alone, and ranks nothing."""
    numbers = [(layer.weight.detach().numpy(), layer.bias.detach().numpy()) for layer in network.layers]
    weight, bias = (np.array(part) for part in start.layers[-1])
    own = len(numbers[-1][1])
    if layers == ALL:
        weight[:-own], bias[:-own] = 0.0, 0.0
    weight[-own:], bias[-own:] = numbers[-1]
    kind: dict[str, Any] = {"activation": start.activation, "features": start.features, "value": SEAT_SHARES}
    return save_policy(out, start.game, [*numbers[:-1], (weight, bias)], about, half=True, **kind)


def chosen_start(text: str, game: Game) -> NetworkAgent:
    """Return the network to begin with.

    Raises:
        OptionError: it is no network of observations that tells shares of seats, or its game counts no rounds.
    """
    start = make_agent(text, game)
    fits = isinstance(start, NetworkAgent) and not start.sees_positions and start.value == SEAT_SHARES
    if not fits or (start.activation != RELU and len(start.layers) > 1) or start.advice:
        allowed = "a network of observations, with ReLU and without advice, that tells shares of seats"
        raise OptionError(f"start: {text!r}; allowed: {allowed}")
    if "round_number" not in (game.definition.state_dtype.names or ()):
        raise OptionError(f"game: {game.name!r}; allowed: one that counts rounds")
    return start


def main(arguments: list[str]) -> None:
    """Play, fit, test, write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks values", description=__doc__)
    parser.add_argument("game", help="its name")
    parser.add_argument("agent", help="who plays")
    parser.add_argument("--out", type=Path, required=True, help="directory of the games and of the policy")
    parser.add_argument("--start", help="network to begin with (default: the agent)")
    parser.add_argument("--layers", choices=LAYERS, default=ALL, help="that learn; with last the policy stays")
    parser.add_argument("-n", "--players", type=int, help="number of players")
    parser.add_argument("-o", "--option", action="append", help="KEY=VALUE of the game")
    parser.add_argument("--games", type=int, default=50_000, help=f"a multiple of {GAMES}")
    parser.add_argument("--rounds", type=int, default=11, help="with errors, at most")
    parser.add_argument("--rate", type=float, default=5e-4)
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(arguments)
    players = {} if given.players is None else {"players": given.players}
    game = atlantis_envs.game(given.game, **players, **chosen_options(given.option))
    if given.games < GAMES or given.games % GAMES:
        raise OptionError(f"games: {given.games}; allowed: a multiple of {GAMES}")
    agent, start = make_agent(given.agent, game), chosen_start(given.start or given.agent, game)
    about = {"game": repr(game), "agent": given.agent, "start": given.start or given.agent, "rounds": given.rounds}
    begin(given.out / "games", {**about, "seed": given.seed})
    played = partial(play_shard, game, agent, start, given.seed, rounds=given.rounds)
    with games_bar("games", given.games) as advance:
        seen = play(given.out / "games", given.games // GAMES, lambda shard: played(shard=shard), advance)
    if start.features:
        seen = Sample(with_features(game, seen.obs, start.features.edition), seen.shares, seen.games)
    network = fit(start, seen, given.layers, given.rate, given.epochs, given.seed)
    earlier, now = held_back(ValueNetwork(start), game, seen), held_back(network, game, seen)
    gain = earlier - now
    policy = with_values(start, network, given.layers, given.out / "policy", f"values of {given.agent}")
    print(
        f"{len(seen.games):,} positions of {given.games:,} games; cross entropy on {len(now):,} held back: before "
        f"{earlier.mean():.4f}, now {now.mean():.4f}, gain {gain.mean():.4f} ± {gain.std() / len(gain) ** 0.5:.4f}"
    )
    print(f"Written: {policy}")
