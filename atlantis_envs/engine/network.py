"""A small network beside a game's code, a leaf for search: one hidden layer of rectified units, in a JSON file."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib import resources
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from atlantis_envs.engine.definition import Row
from atlantis_envs.kernels.kernel import kernel

FILE = "value.json"


class Network(NamedTuple):
    """Its numbers, float64.

    Attributes:
        into: (H, F), weights of the hidden units.
        into_bias: (H,).
        out: (H,), weights of the one number that comes out.
        out_bias: (1,).
    """

    into: NDArray[np.float64]
    into_bias: NDArray[np.float64]
    out: NDArray[np.float64]
    out_bias: NDArray[np.float64]


def read_network(package: str, file: str = FILE) -> Network:
    """Return the network in this file in the folder of a game, as ``python -m benchmarks leaf`` wrote it."""
    document = json.loads(resources.files(package).joinpath(file).read_text(encoding="utf-8"))
    named = {name: np.array(values, np.float64) for name, values in document["network"].items()}
    return Network(named["in"], named["in_bias"], named["out"], named["out_bias"])


def make_output(network: Network) -> Callable[..., Any]:
    """Make the kernel ``output(features) -> float64``, what comes out of the network for a row of float64 (F,)."""
    into, into_bias, out, out_bias = network
    units, inputs = into.shape

    @kernel
    def output(features: Row) -> float:
        total = out_bias[0]
        for unit in range(units):
            activation = into_bias[unit]
            for feature in range(inputs):
                activation += into[unit, feature] * features[feature]
            if activation > 0.0:
                total += out[unit] * activation
        return float(total)

    return output
