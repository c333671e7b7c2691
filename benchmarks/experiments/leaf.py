"""Fit the value of a game (value.py and value.json beside it), a leaf for search, to how games of an agent end."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

import atlantis_envs
from atlantis_agents.random import RandomAgent
from atlantis_envs.engine.batch import Batch
from atlantis_envs.engine.game import Game
from atlantis_envs.engine.network import FILE
from atlantis_envs.engine.records import plain
from atlantis_envs.games.atlantis import value as of_atlantis
from atlantis_envs.games.atlantis_rising import value as of_rising
from atlantis_envs.kernels.kernel import entry
from atlantis_envs.seats.agents import make_agent
from atlantis_envs.seats.positions import ask

BATCH, RATE, DECAY = 2048, 3e-3, 1e-4
HELD_BACK = 10  # every tenth game tests the fit
LANES = 512
HIDDEN = 24  # units
Floats = NDArray[np.float64]
Net = dict[str, Floats]
# Features (N, F) and whether the game was won (N,); where seats compete (N, S, F) and the share of each (N, S).
Rows = tuple[Floats, Floats]
Numbers = NDArray[np.int64]
Sample = tuple[Floats, Floats, Numbers]  # features, what came of it, number of the game
Cell = tuple[int | str, ...]


@dataclass(frozen=True)
class Recipe:
    """What is fitted to in one game.

    Attributes:
        game: its name.
        value: module with ``features`` and NUM_FEATURES.
        options: what a cell fixes, the number of players first.
        cells: their values -> how many games of the heuristic.
        mark: number of the stretch of play that every lane is in; features are taken where it changes.
        epsilon: the chance of any legal action at all, in the first stretches, as many as are drawn for every game ...
        last_epsilon: ... from 0 to this: so that the network sees what the heuristic would not do.
        by_seat: features are those of a seat, and the seats compete.
        epochs: how often the network sees everything.
        file: where the network is written, beside the module.
    """

    game: str
    value: ModuleType
    options: tuple[str, ...]
    cells: dict[Cell, int]
    mark: Callable[[Batch], NDArray[Any]]
    epsilon: float
    last_epsilon: int
    by_seat: bool
    epochs: int
    file: str = FILE


OF_TEAMS = Recipe(
    game="atlantis_rising",
    value=of_rising,
    options=("players", "level"),
    # Seven players hardly ever win at level 5: what winning takes is seen at the easier levels.
    cells={
        **{(7, level): 3000 for level in (1, 2, 3, 4, 5)},
        **{(6, level): 1500 for level in (1, 2, 3, 4, 5)},
        **{(players, level): 1000 for players in (2, 3, 4, 5) for level in (1, 2, 3, 4)},
        **{(players, 5): 2000 for players in (2, 3, 4, 5)},
    },
    mark=lambda batch: batch.states.round_number,
    epsilon=0.15,
    last_epsilon=16,
    by_seat=False,
    epochs=25,
)
RECIPES = {
    "atlantis_rising": OF_TEAMS,
    "atlantis_rising_alone": replace(
        OF_TEAMS,
        options=("players", "level", "solo_prices"),
        # One player alone seldom wins at the printed prices, so it takes many games.
        cells={
            **{(1, level, "printed"): 48_000 for level in (1, 2, 3, 4, 5)},
            **{(1, level, "reduced"): 36_000 for level in (1, 2, 3, 4, 5)},
        },
        file=of_rising.ALONE,
    ),
    "atlantis": Recipe(
        game="atlantis",
        value=of_atlantis,
        options=("players",),
        cells={(3,): 60_000, (2,): 20_000, (4,): 20_000},
        mark=lambda batch: batch.states.seat,
        epsilon=0.1,
        last_epsilon=36,
        by_seat=True,
        epochs=12,
    ),
}


@cache
def make_features_loop(value: ModuleType, by_seat: bool) -> Callable[..., Any]:
    """Make the loop that writes a row of features for every lane, or one for every lane and seat."""
    features = value.features
    if by_seat:

        @entry
        def features_loop(rules, states, lanes, out):  # type: ignore[no-untyped-def]
            for row in range(len(lanes)):
                for seat in range(out.shape[1]):
                    features(rules[0], states[lanes[row]], seat, out[row, seat])

        return features_loop

    @entry
    def team_loop(rules, states, lanes, out):  # type: ignore[no-untyped-def]
        for row in range(len(lanes)):
            features(rules[0], states[lanes[row]], out[row])

    return team_loop


def rows_of(recipe: Recipe, batch: Batch, lanes: Numbers) -> Floats:
    """Return features of these lanes, (N, F) or (N, S, F)."""
    seats = (batch.game.players,) if recipe.by_seat else ()
    rows = np.zeros((len(lanes), *seats, recipe.value.NUM_FEATURES))
    make_features_loop(recipe.value, recipe.by_seat)(batch.game.plain_rules, plain(batch.states), lanes, rows)
    return rows


def outcome(recipe: Recipe, returns: NDArray[np.float32]) -> Floats:
    """Return whether a game with these returns was won, or the share of each seat (8.7 of Atlantis)."""
    if not recipe.by_seat:
        return np.asarray(float(returns[0] > 0))
    players = len(returns)
    return np.asarray((1 + (players - 1) * returns.astype(np.float64)) / players)


def sample(recipe: Recipe, game: Game, games: int, seed: int, name: str = "heuristic") -> Sample:
    """Return features where stretches begin in which only the agent plays, what came of it, and whose games they are.

    Without straying, what the agent does in good positions would look like what makes them good.
    """
    agent, astray, generator = make_agent(name, game), RandomAgent(game), np.random.default_rng(seed)
    until = generator.integers(0, recipe.last_epsilon + 1, games)
    lanes = np.arange(min(LANES, games))
    batch = game.batch(len(lanes), seed)
    marks, stretch = np.full(len(lanes), -1), np.zeros(len(lanes), np.int64)
    seen, numbers, ends = [], [], {}
    while len(lanes):
        now = recipe.mark(batch)[lanes].astype(np.int64)
        fresh = lanes[now != marks[lanes]]
        marks[lanes] = now
        stretch[fresh] += 1
        fresh = fresh[stretch[fresh] >= until[batch.games[fresh]]]
        if len(fresh):
            seen.append(rows_of(recipe, batch, fresh))
            numbers.append(batch.games[fresh])
        playing = batch.games[lanes]
        noise = batch.noise(seed, lanes)
        strays = (generator.random(len(lanes)) < recipe.epsilon) & (stretch[lanes] < until[playing])
        actions = astray.act(batch.observations[lanes], batch.action_masks[lanes], noise)
        actions[~strays] = ask(agent, batch, lanes[~strays], noise[~strays])
        rewards, over = batch.step(actions, lanes)
        for number, lane in zip(playing[over[lanes]], lanes[over[lanes]], strict=True):
            ends[int(number)] = outcome(recipe, rewards[lane])
            marks[lane], stretch[lane] = -1, 0
        lanes = lanes[batch.games[lanes] < games]
    whose = np.concatenate(numbers)
    return np.concatenate(seen), np.array([ends[int(number)] for number in whose]), whose


def chosen_cells(recipe: Recipe, scale: float, others: list[str]) -> dict[Cell, tuple[int, str]]:
    """Return how many games of which agent are played in each cell."""
    cells = {cell: (max(20, int(games * scale)), "heuristic") for cell, games in recipe.cells.items()}
    size = len(recipe.options)
    for text in others:
        *values, games, agent = text.split(":", size + 1)
        cells[tuple(int(value) if value.isdigit() else value for value in values)] = int(games), agent
    return cells


# -------------------------------------------------------------------------------------------------------------- fitting


def fit(parts: list[Rows], hidden: int, epochs: int, seed: int) -> Net:
    """Return the network, by Adam on the cross entropy: of winning, or of which seat wins."""
    generator = np.random.default_rng(seed)
    size = parts[0][0].shape[-1]
    net = {
        "in": generator.normal(0, np.sqrt(2 / size), (hidden, size)),
        "in_bias": np.zeros(hidden),
        "out": generator.normal(0, np.sqrt(1 / hidden), hidden),
        "out_bias": np.zeros(1),
    }
    first = {name: np.zeros_like(array) for name, array in net.items()}
    second = {name: np.zeros_like(array) for name, array in net.items()}
    step = 0
    for epoch in range(epochs):
        rate = RATE * (1 - epoch / epochs)
        for inputs, wanted in _batches(parts, generator):
            step += 1
            for name, slope in _slopes(net, inputs, wanted).items():
                slope = slope + DECAY * net[name]
                first[name] = 0.9 * first[name] + 0.1 * slope
                second[name] = 0.999 * second[name] + 0.001 * slope**2
                fair = np.sqrt(second[name] / (1 - 0.999**step)) + 1e-8
                net[name] = net[name] - rate * first[name] / (1 - 0.9**step) / fair
    return net


def _batches(parts: list[Rows], generator: np.random.Generator) -> Iterator[Rows]:
    """Yield everything once, in batches of one kind each."""
    rows = [
        (part, order[start : start + BATCH])
        for part, (inputs, _) in enumerate(parts)
        for order in (generator.permutation(len(inputs)),)
        for start in range(0, len(order), BATCH)
    ]
    if len(parts) > 1:
        rows = [rows[place] for place in generator.permutation(len(rows))]
    for part, chosen in rows:
        inputs, wanted = parts[part]
        yield inputs[chosen], wanted[chosen]


def _slopes(net: Net, inputs: Floats, wanted: Floats) -> Net:
    flat = inputs.reshape(-1, inputs.shape[-1])
    hidden = np.maximum(0.0, flat @ net["in"].T + net["in_bias"])
    said = _shares((hidden @ net["out"] + net["out_bias"]).reshape(wanted.shape))
    error = ((said - wanted) / len(inputs)).ravel()
    back = np.outer(error, net["out"]) * (hidden > 0)
    return {
        "in": back.T @ flat,
        "in_bias": back.sum(0),
        "out": hidden.T @ error,
        "out_bias": error.sum(keepdims=True),
    }


def _shares(total: Floats) -> Floats:
    if total.ndim == 1:
        return np.asarray(1 / (1 + np.exp(-total)))
    odds = np.exp(total - total.max(1, keepdims=True))
    return np.asarray(odds / odds.sum(1, keepdims=True))


def predict(net: Net, inputs: Floats) -> Floats:
    """Return chances of winning, (N,) or (N, S)."""
    return _shares(np.maximum(0.0, inputs @ net["in"].T + net["in_bias"]) @ net["out"] + net["out_bias"])


def loss(said: Floats, wanted: Floats) -> float:
    """Return the mean cross entropy, nats."""
    said = np.clip(said, 1e-9, 1 - 1e-9)
    if said.ndim == 2:
        return float(-np.mean((wanted * np.log(said)).sum(1)))
    return float(-np.mean(wanted * np.log(said) + (1 - wanted) * np.log(1 - said)))


def main(arguments: list[str]) -> None:
    """Play, fit, test, write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks leaf", description=__doc__)
    parser.add_argument("game", nargs="?", choices=sorted(RECIPES), default="atlantis_rising")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--scale", type=float, default=1.0, help="times the usual number of games")
    parser.add_argument("--out", type=Path, help="(default: beside the game's value.py)")
    parser.add_argument(
        "--by", action="append", default=[], metavar="PLAYERS[:LEVEL[:PRICES]]:GAMES:AGENT",
        help="these games are another agent's than the heuristic's, for example 7:5:4000:search:32 in Atlantis Rising, "
        "3:8000:search:32 in Atlantis; may be repeated",
    )  # fmt: skip
    given = parser.parse_args(arguments)
    recipe = RECIPES[given.game]
    parts: dict[str, Sample] = {}
    for cell, (games, agent) in chosen_cells(recipe, given.scale, given.by).items():
        title = ", ".join(f"{name} {value}" for name, value in zip(recipe.options, cell, strict=True))
        game = atlantis_envs.game(recipe.game, **dict(zip(recipe.options, cell, strict=True)))
        parts[title] = sample(recipe, game, games, given.seed, agent)
        print(f"{title}: {len(parts[title][0]):,} rows of {games:,} games of {agent}", flush=True)
    learn = [(rows[whose % HELD_BACK > 0], ends[whose % HELD_BACK > 0]) for rows, ends, whose in parts.values()]
    if not recipe.by_seat:
        learn = [(np.concatenate([rows for rows, _ in learn]), np.concatenate([ends for _, ends in learn]))]
    net = fit(learn, HIDDEN, recipe.epochs, given.seed)
    for title, (rows, ends, whose) in parts.items():
        held = whose % HELD_BACK == 0
        entropy, base = loss(predict(net, rows[held]), ends[held]), loss(0 * ends[held] + ends.mean(0), ends[held])
        print(f"{title}: cross entropy {entropy:.3f} (shares alone {base:.3f}), won {np.round(ends.mean(0), 3)}")
    others = "".join(f" --by {text}" for text in given.by)
    document = {
        "about": f"python -m benchmarks leaf {given.game} --seed {given.seed} --scale {given.scale:g}{others}",
        "network": {name: np.round(array, 4).tolist() for name, array in net.items()},
    }
    out = given.out or Path(str(recipe.value.__file__)).with_name(recipe.file)
    out.write_text(json.dumps(document) + "\n", encoding="utf-8")
    print(f"Written: {out.name}")
