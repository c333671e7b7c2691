"""A saved policy as an ONNX file, for whatever is to play it without this library.

The model takes what ``Batch`` shows, bytes and all, and does everything itself: scaling, the network, the mask.

| name | is | |
|---|---|---|
| ``observations`` | input | uint8 (N, F), as the environments give them |
| ``action_masks`` | input | int8 (N, A), 1 = legal |
| ``features`` | input, of policies trained with features | uint8 (N, D), ``features_of(game, observations, edition)`` |
| ``advised`` | input, of advised policies only | int64 (N,), the action its adviser would play |
| ``logits`` | output | float32 (N, A), -1e9 where not legal |
| ``actions`` | output | int64 (N,), the most likely legal action |

A policy of afterstates takes, in the place of observations and masks, what the mover would see after each of its legal
actions (``Batch.afterstates``), as many rows as there are such actions. It plays the one with the highest logit.

| name | is | |
|---|---|---|
| ``afterstates`` | input | uint8 (N, F) |
| ``features`` | input, of policies trained with features | uint8 (N, D), ``features_of(game, afterstates, edition)`` |
| ``logits`` | output | float32 (N,) |
| ``values`` | output, of policies that know values | float32 (N,), the share of the win that the mover expects |

A policy that knows the shares of all seats gives them as ``values``, float32 (N, P), for the number of players that it
was trained with, the mover's first, then in turn order; float32 (N, 1) where all win together.

Features are made by compiled rules of thumb (``atlantis_agents.features``), which are no graph: whoever plays such a
policy computes them with this library.

What it was made for is in the model's metadata: game, options, versions,
fingerprints of the observation and of the features.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from atlantis_agents.networks.policy import (
    FEATURES,
    ILLEGAL,
    RELU,
    SEAT_SHARES,
    VALUE,
    WIN_SHARE,
    NetworkAgent,
    PolicyAgent,
    inputs_high,
)
from atlantis_envs import __version__
from atlantis_envs.base.files import write_atomically
from atlantis_envs.errors import OptionError

OPSET, IR_VERSION = 17, 8  # of 2022: read by every runtime in use
METADATA = (
    "game", "players", "options", "versions", "observation", "sha256", "advice", "about", "inputs", FEATURES, VALUE
)  # fmt: skip


def write_onnx(agent: PolicyAgent, path: str | Path) -> Path:
    """Write a policy as an ONNX file; it is complete or not there.

    Args:
        agent: the policy.
        path: the file; an older one is replaced.

    Raises:
        OptionError: as of network_model.
        OSError: it cannot be written.
    """
    model = network_model(agent)
    metadata = {key: value if isinstance(value := agent.manifest[key], str) else json.dumps(value) for key in METADATA}
    helper.set_model_props(model, metadata)
    onnx.checker.check_model(model, full_check=True)
    write_atomically(Path(path), model.SerializeToString())
    return Path(path)


def network_model(agent: NetworkAgent) -> onnx.ModelProto:
    """Build the network of an agent as a model; see the top of this file.

    Raises:
        OptionError: the agent adds the game's potential to what its network says.
    """
    if agent.potential:
        raise OptionError("policy: its actions are compared by the game's potential too; allowed: a network alone")
    game, weights, nodes = agent.game, dict[str, np.ndarray[Any, Any]](), []

    def node(kind: str, inputs: list[str], output: str, **settings: Any) -> str:
        nodes.append(helper.make_node(kind, inputs, [output], **settings))
        return output

    weights["scale"] = np.float32(1) / inputs_high(game, agent.features).astype(np.float32)
    seen = "afterstates" if agent.sees_positions else "observations"
    if agent.features:
        seen = node("Concat", [seen, "features"], "described", axis=1)
    values = node("Mul", [node("Cast", [seen], "seen", to=TensorProto.FLOAT), "scale"], "scaled")
    if agent.advice:
        weights |= {"width": np.array(game.num_actions, np.int64), "off_on": np.array([0, 1], np.float32)}
        advice = node("OneHot", ["advised", "width", "off_on"], "one_hot", axis=1)
        values = node("Concat", [values, advice], "seen_and_advised", axis=1)
    last = len(agent.layers) - 1
    for number, (weight, bias) in enumerate(agent.layers):
        weights |= {f"{number}.weight": weight, f"{number}.bias": bias}
        values = node("Gemm", [values, f"{number}.weight", f"{number}.bias"], f"{number}.sum", transB=1)
        if number < last:
            values = node("Relu" if agent.activation == RELU else "Tanh", [values], f"{number}.out")
    if agent.value == SEAT_SHARES:
        parts = {"first": 0, "shares": values_at(agent), "last": values_at(agent) + value_width(agent)}
        weights |= {name: np.array([index], np.int64) for name, index in {**parts, "axis": 1}.items()}
        shares = node("Slice", [values, "shares", "last", "axis"], "told")
        values = node("Slice", [values, "first", "shares", "axis"], "scores")
        node("Sigmoid", [shares], "values") if game.cooperative else node("Softmax", [shares], "values", axis=1)
    if agent.sees_positions:
        weights["column"] = np.array([1], np.int64)
        logits = node("Squeeze", [values, "column"], "logits")
        if agent.value == WIN_SHARE:
            node("Sigmoid", [logits], "values")
    else:
        weights |= {"illegal": np.array(ILLEGAL, np.float32), "zero": np.array(0, np.int8)}
        logits = node("Where", [node("Equal", ["action_masks", "zero"], "forbidden"), "illegal", values], "logits")
        node("ArgMax", [logits], "actions", axis=1, keepdims=0)
    return _model(agent, nodes, weights)


def values_at(agent: NetworkAgent) -> int:
    """Return the first output of a network that tells shares."""
    return 1 if agent.sees_positions else agent.game.num_actions


def value_width(agent: NetworkAgent) -> int:
    """Return how many shares a model tells: one where all win together, else one for every seat at its table."""
    return 1 if agent.game.cooperative else agent.game.players


Sides = list[tuple[str, int, list[int]]]


def _sides(agent: NetworkAgent) -> tuple[Sides, Sides]:
    """Return name, type and shape of a row of each input and each output."""
    game = agent.game
    if agent.sees_positions:
        taken: Sides = [("afterstates", TensorProto.UINT8, [game.observation_size])]
        given: Sides = [("logits", TensorProto.FLOAT, [])]
    else:
        taken = [("observations", TensorProto.UINT8, [game.observation_size])]
        taken.append(("action_masks", TensorProto.INT8, [game.num_actions]))
        given = [("logits", TensorProto.FLOAT, [game.num_actions]), ("actions", TensorProto.INT64, [])]
    if agent.value:
        shape = [value_width(agent)] if agent.value == SEAT_SHARES else []
        given.append(("values", TensorProto.FLOAT, shape))
    if agent.features:
        taken.append(("features", TensorProto.UINT8, [agent.features.layout.size]))
    if agent.advice:
        taken.append(("advised", TensorProto.INT64, []))
    return taken, given


def _model(agent: NetworkAgent, nodes: list[Any], weights: dict[str, np.ndarray[Any, Any]]) -> onnx.ModelProto:
    inputs, outputs = (
        [helper.make_tensor_value_info(name, kind, ["N", *shape]) for name, kind, shape in side]
        for side in _sides(agent)
    )
    stored = [numpy_helper.from_array(np.asarray(array, order="C"), name) for name, array in weights.items()]
    graph = helper.make_graph(nodes, f"{agent.game.name} policy", inputs, outputs, stored)
    return helper.make_model(
        graph,
        opset_imports=[helper.make_opsetid("", OPSET)],
        ir_version=IR_VERSION,
        producer_name="atlantis-envs",
        producer_version=__version__,
    )
