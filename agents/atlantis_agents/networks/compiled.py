"""A policy's network for kernels: its numbers in a row, and room to compute in.

What the first layer makes of the last row of bytes is remembered, and the next one costs only where it differs. What
ReLU keeps back costs nothing, and of the last layer only the outputs that somebody asks for are computed. Sums are in
another order than NumPy's, so the last digits may be others. One row is kept apart to go back to (``keep``,
``go_back``), so that what is computed is a function of it and of what came since.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from atlantis_agents.networks.policy import RELU, NetworkAgent, inputs_high
from atlantis_envs.engine.definition import Row
from atlantis_envs.kernels.kernel import kernel


class CompiledNetwork(NamedTuple):
    """Layers of a policy without adviser, and room for one thread.

    Weights stand by inputs, but those of the last of several layers by outputs. Those of the first are for bytes.
    """

    sizes: NDArray[np.int64]  # (L + 1,), of the inputs and of every layer
    weights: NDArray[np.float32]  # (W,), layer after layer
    biases: NDArray[np.float32]  # (B,), layer after layer
    relu: NDArray[np.int64]  # (1,), 1: between layers; else tanh
    known: NDArray[np.uint8]  # (inputs,), the last row
    base: NDArray[np.float32]  # (outputs of the first layer,), what it gives
    kept: NDArray[np.uint8]  # (inputs,), the row to go back to
    kept_base: NDArray[np.float32]  # (outputs of the first layer,), what it gives
    here: NDArray[np.float32]  # (widest,), what goes into a layer after the first, without zeros
    units: NDArray[np.int64]  # (widest,), which units those are
    active: NDArray[np.int64]  # (1,), how many
    there: NDArray[np.float32]  # (widest,), what comes out of a layer before the last


def for_kernels(agent: NetworkAgent) -> CompiledNetwork:
    """Make the network of an agent, with room of its own."""
    scale = np.float32(1) / inputs_high(agent.game, agent.features).astype(np.float32)
    weights = [weight * scale if number == 0 else weight for number, (weight, _) in enumerate(agent.layers)]
    sizes = [weights[0].shape[1], *(len(weight) for weight in weights)]
    by_inputs = max(1, len(weights) - 1)
    rows = [*(weight.T for weight in weights[:by_inputs]), *weights[by_inputs:]]
    return CompiledNetwork(
        sizes=np.array(sizes, np.int64),
        weights=np.concatenate([np.ascontiguousarray(row, np.float32).ravel() for row in rows]),
        biases=np.concatenate([bias.astype(np.float32) for _, bias in agent.layers]),
        relu=np.array([agent.activation == RELU], np.int64),
        known=np.zeros(sizes[0], np.uint8),
        base=np.zeros(sizes[1], np.float32),
        kept=np.zeros(sizes[0], np.uint8),
        kept_base=np.zeros(sizes[1], np.float32),
        here=np.zeros(max(sizes[1:]), np.float32),
        units=np.zeros(max(sizes[1:]), np.int64),
        active=np.zeros(1, np.int64),
        there=np.zeros(max(sizes[1:]), np.float32),
    )


@kernel
def add_input(out: NDArray[np.float32], net: CompiledNetwork, value: np.float32, start: int, wide: int) -> None:
    """Add what one input gives to every output."""
    weights = net.weights[start : start + wide]  # a loop from 0 on over a row is one that the compiler makes wide
    for unit in range(wide):
        out[unit] += value * weights[unit]


@kernel
def forget(net: CompiledNetwork) -> None:
    """Make a row of zeros the last one."""
    for index in range(len(net.known)):
        net.known[index] = 0
    for unit in range(len(net.base)):
        net.base[unit] = net.biases[unit]


@kernel
def keep(net: CompiledNetwork) -> None:
    """Keep the last row to go back to."""
    for index in range(len(net.known)):
        net.kept[index] = net.known[index]
    for unit in range(len(net.base)):
        net.kept_base[unit] = net.base[unit]


@kernel
def go_back(net: CompiledNetwork) -> None:
    """Make the row that was kept the last one."""
    for index in range(len(net.known)):
        net.known[index] = net.kept[index]
    for unit in range(len(net.base)):
        net.base[unit] = net.kept_base[unit]


@kernel
def add_changes(net: CompiledNetwork, row: Row, first: int) -> None:
    """Add what bytes give that are other than the last ones, from the input ``first`` on."""
    wide = len(net.base)
    for index in range(len(row)):
        if row[index] != net.known[first + index]:
            change = np.float32(row[index]) - np.float32(net.known[first + index])
            net.known[first + index] = row[index]
            add_input(net.base, net, change, (first + index) * wide, wide)


@kernel
def enter(net: CompiledNetwork, observation: Row, features: Row) -> None:
    """Compute the first layer, for a row of bytes in two parts."""
    add_changes(net, observation, 0)
    add_changes(net, features, len(observation))


@kernel
def add_four(out: NDArray[np.float32], net: CompiledNetwork, first: int, start: int, wide: int) -> None:
    """Add what four inputs give, from ``net.here[first]`` on: one after the other, but every output is read once."""
    one, two, three, four = net.here[first], net.here[first + 1], net.here[first + 2], net.here[first + 3]
    at = start + int(net.units[first]) * wide
    ones = net.weights[at : at + wide]
    at = start + int(net.units[first + 1]) * wide
    twos = net.weights[at : at + wide]
    at = start + int(net.units[first + 2]) * wide
    threes = net.weights[at : at + wide]
    at = start + int(net.units[first + 3]) * wide
    fours = net.weights[at : at + wide]
    for unit in range(wide):
        out[unit] = (((out[unit] + one * ones[unit]) + two * twos[unit]) + three * threes[unit]) + four * fours[unit]


@kernel
def activate(net: CompiledNetwork, values: NDArray[np.float32], wide: int) -> None:
    """Make what came out of a layer ready to go into the next, without zeros."""
    count = 0
    for unit in range(wide):
        value = values[unit]
        value = max(value, np.float32(0.0)) if net.relu[0] != 0 else np.float32(math.tanh(value))
        if value != 0.0:
            net.here[count], net.units[count] = value, unit
            count += 1
    net.active[0] = count


@kernel
def finish(net: CompiledNetwork) -> None:
    """Compute the layers between the first and the last, after which ``output`` tells every output."""
    wide = len(net.base)
    start, bias, values = int(net.sizes[0]) * wide, wide, net.base
    for layer in range(2, len(net.sizes) - 1):
        activate(net, values, wide)
        inputs, wide = wide, int(net.sizes[layer])
        for unit in range(wide):
            net.there[unit] = net.biases[bias + unit]
        count = int(net.active[0])
        for first in range(0, count - 3, 4):
            add_four(net.there, net, first, start, wide)
        for index in range(count - count % 4, count):
            add_input(net.there, net, net.here[index], start + int(net.units[index]) * wide, wide)
        start += inputs * wide
        bias += wide
        values = net.there
    activate(net, values, wide)


@kernel
def output(net: CompiledNetwork, index: int) -> Any:
    """Compute one output of the network, a float32, after ``finish``."""
    layers = len(net.sizes) - 1
    if layers == 1:
        return net.base[index]
    inputs, outputs = int(net.sizes[layers - 1]), int(net.sizes[layers])
    start = len(net.weights) - (outputs - index) * inputs
    weights = net.weights[start : start + inputs]
    total = net.biases[len(net.biases) - outputs + index]
    for number in range(int(net.active[0])):
        total += net.here[number] * weights[net.units[number]]
    return total
