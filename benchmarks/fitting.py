"""A network of one hidden layer, fitted to how games ended, with NumPy alone."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

BATCH, RATE, DECAY = 2048, 3e-3, 1e-4
HELD_BACK = 10  # every tenth game tests the fit

Floats = NDArray[np.float64]
Net = dict[str, Floats]
# Features (N, F) and whether the game was won (N,); where seats compete (N, S, F) and the share of each (N, S).
Lessons = tuple[Floats, Floats]


def fit(lessons: list[Lessons], hidden: int, epochs: int, seed: int) -> Net:
    """The network, by Adam on the cross entropy: of winning, or of which seat wins."""
    generator = np.random.default_rng(seed)
    size = lessons[0][0].shape[-1]
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
        for inputs, wanted in _batches(lessons, generator):
            step += 1
            for name, slope in _slopes(net, inputs, wanted).items():
                slope = slope + DECAY * net[name]
                first[name] = 0.9 * first[name] + 0.1 * slope
                second[name] = 0.999 * second[name] + 0.001 * slope**2
                fair = np.sqrt(second[name] / (1 - 0.999**step)) + 1e-8
                net[name] = net[name] - rate * first[name] / (1 - 0.9**step) / fair
    return net


def _batches(lessons: list[Lessons], generator: np.random.Generator) -> Iterator[Lessons]:
    """Everything once, in batches of one kind each."""
    rows = [
        (part, order[start : start + BATCH])
        for part, (inputs, _) in enumerate(lessons)
        for order in (generator.permutation(len(inputs)),)
        for start in range(0, len(order), BATCH)
    ]
    if len(lessons) > 1:
        rows = [rows[place] for place in generator.permutation(len(rows))]
    for part, chosen in rows:
        yield lessons[part][0][chosen], lessons[part][1][chosen]


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
    """Chances of winning, (N,) or (N, S)."""
    return _shares(np.maximum(0.0, inputs @ net["in"].T + net["in_bias"]) @ net["out"] + net["out_bias"])


def loss(said: Floats, wanted: Floats) -> float:
    """Mean cross entropy, nats."""
    said = np.clip(said, 1e-9, 1 - 1e-9)
    if said.ndim == 2:
        return float(-np.mean((wanted * np.log(said)).sum(1)))
    return float(-np.mean(wanted * np.log(said) + (1 - wanted) * np.log(1 - said)))
