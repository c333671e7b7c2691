"""A saved policy as an ONNX file, for whatever is to play it without this library.

The model takes what ``Batch`` shows, bytes and all, and does everything itself: scaling, the network, the mask.

| name | is | |
|---|---|---|
| ``observations`` | input | uint8 (N, F), as the environments give them |
| ``action_masks`` | input | int8 (N, A), 1 = legal |
| ``features`` | input, of policies trained with features | uint8 (N, D), ``features_of(game, observations)`` |
| ``advised`` | input, of advised policies only | int64 (N,), the action its adviser would play |
| ``logits`` | output | float32 (N, A), -1e9 where not legal |
| ``actions`` | output | int64 (N,), the most likely legal action |

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

from atlantis_agents.features import find_features
from atlantis_agents.networks.policy import AFTERSTATES, FEATURES, ILLEGAL, RELU, NetworkAgent, PolicyAgent, inputs_high
from atlantis_envs import __version__
from atlantis_envs.base.files import write_atomically
from atlantis_envs.base.values import repr_short
from atlantis_envs.errors import OptionError

OPSET, IR_VERSION = 17, 8  # of 2022: read by every runtime in use
METADATA = ("game", "players", "options", "versions", "observation", "sha256", "advice", "about", FEATURES)


def write_onnx(agent: PolicyAgent, path: str | Path) -> Path:
    """Write a policy as an ONNX file; it is complete or not there.

    Args:
        agent: the policy.
        path: the file; an older one is replaced.

    Raises:
        OSError: it cannot be written.
        OptionError: the policy sees afterstates, as many rows as there are legal actions.
    """
    if agent.manifest["inputs"] == AFTERSTATES:
        raise OptionError(
            f"policy: {repr_short(agent.path)}: sees afterstates; allowed: one trained without --afterstates"
        )
    model = network_model(agent)
    metadata = {key: value if isinstance(value := agent.manifest[key], str) else json.dumps(value) for key in METADATA}
    helper.set_model_props(model, metadata)
    onnx.checker.check_model(model, full_check=True)
    write_atomically(Path(path), model.SerializeToString())
    return Path(path)


def network_model(agent: NetworkAgent) -> onnx.ModelProto:
    """Build the network of an agent as a model; see the top of this file."""
    game, weights, nodes = agent.game, dict[str, np.ndarray[Any, Any]](), []

    def node(kind: str, inputs: list[str], output: str, **settings: Any) -> str:
        nodes.append(helper.make_node(kind, inputs, [output], **settings))
        return output

    weights["scale"] = np.float32(1) / inputs_high(game, agent.features).astype(np.float32)
    weights["illegal"] = np.array(ILLEGAL, np.float32)
    weights["zero"] = np.array(0, np.int8)
    seen = "observations"
    if agent.features:
        seen = node("Concat", ["observations", "features"], "described", axis=1)
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
    forbidden = node("Equal", ["action_masks", "zero"], "forbidden")
    logits = node("Where", [forbidden, "illegal", values], "logits")
    node("ArgMax", [logits], "actions", axis=1, keepdims=0)
    return _model(agent, nodes, weights)


def _model(agent: NetworkAgent, nodes: list[Any], weights: dict[str, np.ndarray[Any, Any]]) -> onnx.ModelProto:
    game = agent.game
    taken = [
        ("observations", TensorProto.UINT8, [game.observation_size]),
        ("action_masks", TensorProto.INT8, [game.num_actions]),
    ]
    if agent.features:
        taken.append(("features", TensorProto.UINT8, [find_features(game.name).layout.size]))
    if agent.advice:
        taken.append(("advised", TensorProto.INT64, []))
    given = [("logits", TensorProto.FLOAT, [game.num_actions]), ("actions", TensorProto.INT64, [])]
    inputs, outputs = (
        [helper.make_tensor_value_info(name, kind, ["N", *shape]) for name, kind, shape in side]
        for side in (taken, given)
    )
    stored = [numpy_helper.from_array(np.asarray(array, order="C"), name) for name, array in weights.items()]
    graph = helper.make_graph(nodes, f"{game.name} policy", inputs, outputs, stored)
    return helper.make_model(
        graph,
        opset_imports=[helper.make_opsetid("", OPSET)],
        ir_version=IR_VERSION,
        producer_name="atlantis-envs",
        producer_version=__version__,
    )
