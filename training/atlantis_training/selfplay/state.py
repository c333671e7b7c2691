"""What a run is made of, as arrays and JSON values, and back.

Everything that the next step depends on is here: network, optimiser, counters, the generators of torch, NumPy and
Python, the opponents with their statistics and weights, and the games. A run restored on the same machine with one
torch thread goes on bit for bit as if it had never stopped.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from atlantis_agents.networks.limits import MAX_ENTRIES
from atlantis_agents.networks.policy import NetworkAgent
from atlantis_agents.networks.tensors import Arrays
from atlantis_envs.base.values import Reader
from atlantis_envs.errors import told
from atlantis_envs.seats.agents import Agent
from atlantis_training.selfplay.checkpoint import CheckpointError
from atlantis_training.selfplay.learner import Learner, SelfPlayVecEnv
from atlantis_training.selfplay.network import policy_layers
from atlantis_training.selfplay.pool import SNAPSHOT, Entry, Pool

COUNTERS = ("num_timesteps", "_n_updates", "_episode_num")
OWN_COUNTERS = ("imitated", "imitation_rounds", "imitation_ms", "rounds")
LESSON_COUNTERS = ("lesson_rows", "lesson_rounds")  # younger than the format: 0 where they are missing
ADAM = ("step", "exp_avg", "exp_avg_sq")
MAX_COUNT = 2**62
ENTRY_KEYS = ("number", "kind", "name", "share", "games", "active")
STATE_KEYS = ("counters", "next_number", "pool", "python", "numpy", "extra")


def collect(learner: Learner, environment: SelfPlayVecEnv, pool: Pool, extra: Any) -> tuple[Arrays, dict[str, Any]]:
    """Collect everything the next step depends on; ``extra`` is what the caller wants to keep beside it."""
    model = learner.model
    arrays: Arrays = {f"policy.{name}": _numpy(tensor) for name, tensor in policy_parts(model.policy)}
    for number, memory in model.policy.optimizer.state_dict()["state"].items():
        arrays |= {f"optimizer.{number}.{name}": _numpy(memory[name]) for name in ADAM}
    arrays |= {f"tables.{name}": _plain(array) for name, array in environment.core.to_arrays().items()}
    arrays["observations"] = np.asarray(model._last_obs)
    arrays["starts"] = np.asarray(model._last_episode_starts)
    arrays["potential"] = environment.potential
    arrays["won"] = environment.won
    for entry in pool.entries.values():
        if isinstance(entry.agent, NetworkAgent) and entry.kind == SNAPSHOT:
            for index, (weight, bias) in enumerate(entry.agent.layers):
                arrays |= {f"pool.{entry.number}.{index}.weight": weight, f"pool.{entry.number}.{index}.bias": bias}
    arrays["torch"] = _numpy(torch.get_rng_state())
    numpy_state: Any = np.random.get_state()  # noqa: NPY002  the global generator is what the learner draws from
    arrays["numpy"] = numpy_state[1]
    python_state = random.getstate()
    arrays["python"] = np.array(python_state[1], np.uint64)
    counters = {name: int(getattr(model, name)) for name in COUNTERS}
    state = {
        "counters": counters | {name: getattr(learner, name) for name in (*OWN_COUNTERS, *LESSON_COUNTERS)},
        "next_number": pool.next_number,
        "pool": [entry.to_json() for entry in pool.entries.values()],
        "python": python_state[2],
        "numpy": [int(numpy_state[2]), int(numpy_state[3]), float(numpy_state[4])],
        "extra": extra,
    }
    return arrays, state


def policy_parts(policy: Any) -> list[tuple[str, torch.Tensor]]:
    """Parameters and buffers by name; the library lists the trunk three times, once is enough."""
    again = ("pi_features_extractor.", "vf_features_extractor.")
    return [(name, tensor) for name, tensor in policy.state_dict().items() if not name.startswith(again)]


def restore(learner: Learner, environment: SelfPlayVecEnv, pool: Pool, arrays: Arrays, state: Any) -> Any:
    """Go on from ``collect``; return what was ``extra`` there.

    Raises:
        CheckpointError: in one line, what does not fit. The learner must not be used then.
    """
    document = _State(arrays, state)
    try:
        _restore_pool(pool, learner, document)
        environment.core.from_arrays(document.part("tables."))
        _restore_model(learner, document)
        observations = environment.seen()
        if not np.array_equal(observations, document.array("observations", observations)):
            raise ValueError("observations do not fit the positions")
        learner.model._last_obs = observations
        learner.model._last_episode_starts = document.array("starts", np.zeros(environment.num_envs, np.bool_))
        environment.potential[:] = document.array("potential", environment.potential, finite=True)
        environment.remember(document.arrays["won"].astype(np.float64).ravel())
        _restore_generators(document)
    except CheckpointError:
        raise
    except (ValueError, KeyError, TypeError, IndexError, OverflowError, RuntimeError) as error:
        first = (str(error).splitlines() or [""])[0]
        raise CheckpointError(f"checkpoint: {type(error).__name__}: {first}") from None
    return document.values["extra"]


class _State:
    """Arrays and values of a checkpoint, taken out with a check."""

    def __init__(self, arrays: Arrays, state: Any) -> None:
        self.arrays = arrays
        reader = Reader()
        self.values = dict(reader.mapping("state", state, STATE_KEYS, required=STATE_KEYS))
        if not reader.faults:
            counters = (*COUNTERS, *OWN_COUNTERS)
            known = (*counters, *LESSON_COUNTERS)
            found = dict.fromkeys(LESSON_COUNTERS, 0) | dict(
                reader.mapping("state.counters", self.values["counters"], known, required=counters)
            )
            self.values["counters"] = found
            for name, value in found.items():
                reader.integer(f"state.counters.{name}", value, 0, MAX_COUNT)
            reader.integer("state.next_number", self.values["next_number"], 0, 2**31 - 1)
        if reader.faults:
            raise CheckpointError("checkpoint: " + told(reader.faults))

    def part(self, prefix: str) -> Arrays:
        return {name.removeprefix(prefix): array for name, array in self.arrays.items() if name.startswith(prefix)}

    def array(self, name: str, like: NDArray[Any], finite: bool = False) -> NDArray[Any]:
        """An array of the shape and type of another."""
        found = self.arrays.get(name)
        if found is None or found.shape != like.shape or found.dtype != like.dtype:
            has = None if found is None else f"{found.dtype} {found.shape}"
            raise CheckpointError(f"checkpoint: {name} is {has}; allowed: {like.dtype} {like.shape}")
        if finite and not np.isfinite(found).all():
            raise CheckpointError(f"checkpoint: {name} is not finite")
        return found.copy()


def _restore_pool(pool: Pool, learner: Learner, document: _State) -> None:
    reader = Reader()
    fixed = {(entry.kind, entry.name): entry for entry in pool.entries.values()}  # the kernels and the saved policies
    entries: dict[int, Entry] = {}
    for index, item in enumerate(reader.sequence("pool", document.values["pool"], 1, MAX_ENTRIES)):
        fields = reader.mapping(f"pool[{index}]", item, ENTRY_KEYS, required=ENTRY_KEYS)
        if reader.faults:
            break
        number = reader.integer(f"pool[{index}].number", fields["number"], 0, document.values["next_number"])
        games = reader.integer(f"pool[{index}].games", fields["games"], 0, MAX_COUNT)
        share = fields["share"]
        if not isinstance(share, float) or not 0 <= share <= 1:
            reader.fault(f"pool[{index}].share", "allowed: 0.0..1.0")
            break
        kind, name = str(fields["kind"]), str(fields["name"])
        if kind == SNAPSHOT:
            agent: Agent = _snapshot(learner, document, number)
        elif (kind, name) in fixed:
            agent = fixed[kind, name].agent
        else:
            reader.fault(f"pool[{index}]", f"{kind} {name!r} is not in the settings")
            break
        entries[number] = Entry(number, kind, name, agent, share, games, fields["active"] is True)
    if reader.faults:
        raise CheckpointError("checkpoint: " + told(reader.faults))
    pool.entries, pool.next_number = entries, document.values["next_number"]


def _snapshot(learner: Learner, document: _State, number: int) -> NetworkAgent:
    """An earlier version of the learner, whose layers are shaped like the learner's own."""
    layers = [
        (
            document.array(f"pool.{number}.{index}.weight", weight, finite=True),
            document.array(f"pool.{number}.{index}.bias", bias, finite=True),
        )
        for index, (weight, bias) in enumerate(policy_layers(learner.model))
    ]
    return learner.agent(layers)


def _restore_model(learner: Learner, document: _State) -> None:
    model, policy = learner.model, learner.model.policy
    weights = {
        name: torch.from_numpy(document.array(f"policy.{name}", _numpy(tensor), finite=True))
        for name, tensor in policy_parts(policy)
    }
    policy.load_state_dict(weights, strict=False)  # all of them are there: what is left out is the trunk again
    memory: dict[int, dict[str, torch.Tensor]] = {}
    for number, parameter in enumerate(policy.parameters()):
        if f"optimizer.{number}.step" in document.arrays:
            like = _numpy(parameter)
            shapes = {"step": np.zeros((), np.float32), "exp_avg": like, "exp_avg_sq": like}
            memory[number] = {
                name: torch.from_numpy(document.array(f"optimizer.{number}.{name}", shapes[name], finite=True))
                for name in ADAM
            }
    own = policy.optimizer.state_dict()
    policy.optimizer.load_state_dict({"state": memory, "param_groups": own["param_groups"]})
    counters = document.values["counters"]
    for name in COUNTERS:
        setattr(model, name, counters[name])
    for name in (*OWN_COUNTERS, *LESSON_COUNTERS):
        setattr(learner, name, counters[name])


def _restore_generators(document: _State) -> None:
    reader = Reader()
    position, has_gauss, gauss = reader.sequence("state.numpy", document.values["numpy"], 3, 3) or (0, 0, 0)
    reader.integer("state.numpy[0]", position, 0, 624)
    reader.integer("state.numpy[1]", has_gauss, 0, 1)
    if reader.faults:
        raise CheckpointError("checkpoint: " + told(reader.faults))
    words: Callable[[int, type], NDArray[Any]] = np.zeros
    np.random.set_state(  # noqa: NPY002
        ("MT19937", document.array("numpy", words(624, np.uint32)), int(position), int(has_gauss), float(gauss))
    )
    python = document.array("python", words(625, np.uint64))
    random.setstate((3, tuple(int(word) for word in python), document.values["python"]))
    torch.set_rng_state(torch.from_numpy(document.array("torch", _numpy(torch.get_rng_state()))))


def _numpy(tensor: torch.Tensor) -> NDArray[Any]:
    array: NDArray[Any] = tensor.detach().cpu().numpy()
    return array


def _plain(array: NDArray[Any]) -> NDArray[Any]:
    return np.ascontiguousarray(array)
