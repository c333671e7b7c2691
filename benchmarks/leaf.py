"""Fit the value of Atlantis Rising (atlantis_envs/games/atlantis_rising/value.py) to how games of an agent end."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import atlantis_envs
from atlantis_agents.random import RandomAgent
from atlantis_envs.engine.game import Game
from atlantis_envs.engine.kernel import entry
from atlantis_envs.engine.records import plain
from atlantis_envs.games.atlantis_rising import value
from atlantis_envs.games.atlantis_rising.value import FILE, NUM_FEATURES, NUM_HIDDEN, features
from atlantis_envs.seats.agents import make_agent
from atlantis_envs.seats.positions import ask

# (players, level): games. Where games are long and won or lost anyhow, fewer say as much.
CELLS = {
    **{(1, level): games for level, games in ((5, 12_000), (3, 2000), (1, 1000))},
    **{(players, 5): 400 for players in (2, 3, 4, 5)},
    (5, 3): 100, (6, 5): 500, (6, 3): 150, (7, 5): 700, (7, 3): 300,
}  # fmt: skip
STRAY = 0.15  # the chance of any legal action at all, before a round that is drawn for every game
LAST_STRAY = 16  # ... from 0 to this: so that the network sees what the heuristic would not do
BATCH, EPOCHS, RATE, DECAY = 2048, 40, 3e-3, 1e-4
HELD_BACK = 10  # every tenth game tests the fit

Sample = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]


@entry
def features_loop(rules, states, lanes, out):  # type: ignore[no-untyped-def]
    """A row of features for every lane."""
    for row in range(len(lanes)):
        features(rules[0], states[lanes[row]], out[row])


def sample(game: Game, games: int, seed: int, name: str = "heuristic") -> Sample:
    """Features at the beginnings of rounds from which on only the agent played; whether it won; number of the game.

    Without straying, what the agent does in good positions would look like what makes them good.
    """
    agent, astray, generator = make_agent(name, game), RandomAgent(game), np.random.default_rng(seed)
    until = generator.integers(0, LAST_STRAY + 1, games)
    lanes = np.arange(min(512, games))
    batch = game.batch(len(lanes), seed)
    rounds = np.full(len(lanes), -1)
    seen, numbers, won = [], [], {}
    while len(lanes):
        now = batch.states.round_number[lanes]
        fresh = lanes[now != rounds[lanes]]
        fresh = fresh[batch.states.round_number[fresh] >= until[batch.games[fresh]]]
        rounds[lanes] = now
        if len(fresh):
            rows = np.zeros((len(fresh), NUM_FEATURES))
            features_loop(game.plain_rules, plain(batch.states), fresh, rows)
            seen.append(rows)
            numbers.append(batch.games[fresh])
        playing = batch.games[lanes]
        noise = batch.noise(seed, lanes)
        strays = (generator.random(len(lanes)) < STRAY) & (now < until[playing])
        actions = astray.act(batch.observations[lanes], batch.action_masks[lanes], noise)
        actions[~strays] = ask(agent, batch, lanes[~strays], noise[~strays])
        rewards, over = batch.step(actions, lanes)
        for number, lane in zip(playing[over[lanes]], lanes[over[lanes]], strict=True):
            won[int(number)] = float(rewards[lane, 0] > 0)
            rounds[lane] = -1
        lanes = lanes[batch.games[lanes] < games]
    whose = np.concatenate(numbers)
    return np.concatenate(seen), np.array([won[int(number)] for number in whose]), whose


def fit(inputs: NDArray[np.float64], wanted: NDArray[np.float64], seed: int) -> dict[str, NDArray[np.float64]]:
    """A network of one hidden layer, by Adam on the cross entropy."""
    generator = np.random.default_rng(seed)
    net = {
        "in": generator.normal(0, np.sqrt(2 / NUM_FEATURES), (NUM_HIDDEN, NUM_FEATURES)),
        "in_bias": np.zeros(NUM_HIDDEN),
        "out": generator.normal(0, np.sqrt(1 / NUM_HIDDEN), NUM_HIDDEN),
        "out_bias": np.zeros(1),
    }
    first = {name: np.zeros_like(array) for name, array in net.items()}
    second = {name: np.zeros_like(array) for name, array in net.items()}
    step = 0
    for epoch in range(EPOCHS):
        rate = RATE * (1 - epoch / EPOCHS)
        order = generator.permutation(len(inputs))
        for start in range(0, len(order), BATCH):
            rows = order[start : start + BATCH]
            step += 1
            for name, slope in _slopes(net, inputs[rows], wanted[rows]).items():
                slope = slope + DECAY * net[name]
                first[name] = 0.9 * first[name] + 0.1 * slope
                second[name] = 0.999 * second[name] + 0.001 * slope**2
                fair = np.sqrt(second[name] / (1 - 0.999**step)) + 1e-8
                net[name] = net[name] - rate * first[name] / (1 - 0.9**step) / fair
    return net


def _slopes(
    net: dict[str, NDArray[np.float64]], inputs: NDArray[np.float64], wanted: NDArray[np.float64]
) -> dict[str, NDArray[np.float64]]:
    hidden = np.maximum(0.0, inputs @ net["in"].T + net["in_bias"])
    error = (_sure(hidden @ net["out"] + net["out_bias"]) - wanted) / len(inputs)
    back = np.outer(error, net["out"]) * (hidden > 0)
    return {
        "in": back.T @ inputs,
        "in_bias": back.sum(0),
        "out": hidden.T @ error,
        "out_bias": error.sum(keepdims=True),
    }


def _sure(total: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(1 / (1 + np.exp(-total)))


def predict(net: dict[str, NDArray[np.float64]], inputs: NDArray[np.float64]) -> NDArray[np.float64]:
    """Chances of winning."""
    return _sure(np.maximum(0.0, inputs @ net["in"].T + net["in_bias"]) @ net["out"] + net["out_bias"])


def loss(said: NDArray[np.float64], wanted: NDArray[np.float64]) -> float:
    """Mean cross entropy, nats."""
    said = np.clip(said, 1e-9, 1 - 1e-9)
    return float(-np.mean(wanted * np.log(said) + (1 - wanted) * np.log(1 - said)))


def main(arguments: list[str]) -> None:
    """Play, fit, test, write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks leaf", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--scale", type=float, default=1.0, help="times the usual number of games")
    parser.add_argument("--out", type=Path, default=Path(value.__file__).with_name(FILE))
    parser.add_argument(
        "--by", action="append", default=[], metavar="PLAYERS:LEVEL:GAMES:AGENT",
        help="these games are another agent's than the heuristic's, for example 1:5:4000:search:32; may be repeated",
    )  # fmt: skip
    given = parser.parse_args(arguments)
    cells = {cell: (max(20, int(games * given.scale)), "heuristic") for cell, games in CELLS.items()}
    for text in given.by:
        players, level, games, agent = text.split(":", 3)
        cells[int(players), int(level)] = int(games), agent
    parts: dict[tuple[int, int], Sample] = {}
    for (players, level), (games, agent) in cells.items():
        game = atlantis_envs.game("atlantis_rising", players=players, level=level)
        parts[players, level] = sample(game, games, given.seed, agent)
        print(f"{players} players, level {level}: {len(parts[players, level][0])} rounds", flush=True)
    learn = [(rows[whose % HELD_BACK > 0], won[whose % HELD_BACK > 0]) for rows, won, whose in parts.values()]
    net = fit(np.concatenate([rows for rows, _ in learn]), np.concatenate([won for _, won in learn]), given.seed)
    for (players, level), (rows, won, whose) in parts.items():
        held = whose % HELD_BACK == 0
        told, base = loss(predict(net, rows[held]), won[held]), loss(np.full(held.sum(), won.mean()), won[held])
        print(
            f"{players} players, level {level}: cross entropy {told:.3f} (share alone {base:.3f}), won {won.mean():.3f}"
        )
    others = "".join(f" --by {text}" for text in given.by)
    document = {
        "about": f"python -m benchmarks leaf --seed {given.seed} --scale {given.scale:g}{others}",
        "network": {name: np.round(array, 4).tolist() for name, array in net.items()},
    }
    given.out.write_text(json.dumps(document) + "\n", encoding="utf-8")
    print(f"Written: {given.out.name}")
