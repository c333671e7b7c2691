"""A trained policy that needs only NumPy: weights in safetensors beside a JSON manifest that says what they fit.

A policy directory holds ``manifest.json`` and ``weights.safetensors``. Nothing in it is unpickled or evaluated; the
manifest's SHA-256 is checked before the weights are used.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

import atlantis_envs
from atlantis_agents.features import Features, feature_editions, with_features
from atlantis_agents.heuristic import HeuristicAgent, PlannerAgent
from atlantis_agents.networks.tensors import (
    MAX_LAYERS,
    MAX_MANIFEST_BYTES,
    MAX_WEIGHT_BYTES,
    MAX_WIDTH,
    TENSOR_BYTES,
    TensorFileError,
    read_tensors,
    tensor_bytes,
)
from atlantis_agents.rows import BYTE, MARK, WORD, Bytes, Ids, Masks, Words, check_some_legal, checked_rows
from atlantis_agents.shipped import is_network, network_directory
from atlantis_envs.base.arguments import choice
from atlantis_envs.base.files import exists, read_json, write_together
from atlantis_envs.base.values import Reader, repr_short
from atlantis_envs.engine.batch import Afterstates, afterstates
from atlantis_envs.engine.game import make_game
from atlantis_envs.engine.records import plain
from atlantis_envs.errors import OptionError, fault_text

if TYPE_CHECKING:
    from atlantis_envs.engine.game import Game
    from atlantis_envs.engine.setup import Setup
    from atlantis_envs.seats.agents import Positions

FORMAT = "atlantis-envs policy 1"
MANIFEST = "manifest.json"
WEIGHTS = "weights.safetensors"
POLICY_DIRECTORY = "policy"  # in the directory of a run
KEYS = ("format", "game", "players", "options", "versions", "observation", "actions", "hidden", "sha256", "about")
OPTIONAL_KEYS = ("advice", "activation", "inputs")
FEATURES = "features"  # optional too: the fingerprint of those that the network sees beside the observation, or ""
VALUE = "value"  # optional too: what a network knows beside the order of actions, or ""
WIN_SHARE = "win share"  # of afterstates: the sigmoid of its output is the mover's expected share of the win
POTENTIAL = "potential"  # optional too: of afterstates, what a unit of the game's potential adds to the output, or 0
SEAT_SHARES = "seat shares"  # further outputs: the shares of all seats, the mover's first (share_outputs)
VALUES = ("", WIN_SHARE, SEAT_SHARES)
OBSERVATIONS, AFTERSTATES = "observations", "afterstates"
INPUTS = (OBSERVATIONS, AFTERSTATES)
TANH, RELU = "tanh", "relu"
ACTIVATIONS = (TANH, RELU)
ADVISERS = {"heuristic": HeuristicAgent, "planner": PlannerAgent}
STORED = (np.float32, np.float16)  # types of the numbers in a file; a network computes in the first
ILLEGAL = np.float32(-1e9)
SHARPNESS = np.float32(20)  # a network of win shares samples by its logits times this: about how the TD learner plays
GAIN_SHARPNESS = np.float32(250)  # and one of gains by what it expects times this
MOST_POTENTIAL = 1e6
TO_UNIT = 2.0**-64
MAX_WORD = 2**64 - 1

Layers = Sequence[tuple[NDArray[np.float32], NDArray[np.float32]]]


def policy_directory(text: str, game: Game | None = None) -> Path | None:
    """Return the directory of the policy that a text names, itself or as that of its run; None for anything else.

    ``network``, ``critic`` and their editions are names of one as well, where the game is known.
    """
    if is_network(text) and game is not None:
        return network_directory(game, text)
    for directory in (Path(text), Path(text) / POLICY_DIRECTORY):
        if exists(directory / MANIFEST):
            return directory
    return None


def save_policy(
    path: str | Path,
    game: Game,
    layers: Layers,
    about: str = "",
    advice: str = "",
    activation: str = TANH,
    inputs: str = OBSERVATIONS,
    half: bool = False,
    features: Features | None = None,
    value: str = "",
    potential: float = 0.0,
) -> Path:
    """Write a policy directory: a multi-layer perceptron, logits at the end.

    Args:
        path: directory, created if needed.
        game: the game it was trained on.
        layers: (weight float32 (outputs, inputs), bias float32 (outputs,)) from what the network sees, bytes divided
            by ``inputs_high``, to the action logits.
        about: how it was made; free text.
        advice: an agent's name (ADVISERS), for a network with one further input per action, 1 for what it would do;
            else "".
        activation: between layers: "tanh" or "relu".
        inputs: "observations"; or "afterstates" for a network with one output, the logit of the action that leads there
            (engine.afterstates).
        half: store weights as float16, in half the room; biases, which may be large beside what they are added to, stay
            float32.
        features: those of the game that the network sees behind the observation (atlantis_agents.features); None: it
            sees none.
        value: "win share" if the sigmoid of the output is the share of the win that the mover expects, with inputs
            "afterstates"; "seat shares" if there are further outputs for the shares of all seats; else "".
        potential: above 0, with inputs "afterstates" and no value: the output is what is gained after the afterstate,
            and this times the potential of the afterstate is added before actions are compared.

    Raises:
        OptionError: a value or a potential of another kind of network, layers that are too many, too large or of other
            shapes than can be read back; nothing is written.
        OSError: a file cannot be written; it is named, and what was there is as it was.
    """
    directory = Path(path)
    hidden = [int(weight.shape[0]) for weight, _ in layers[:-1]]
    check_network(game, hidden, advice, inputs, features, value)
    check_value(value, inputs)
    check_potential(game, potential, value, inputs)
    found = [(np.shape(weight), np.shape(bias)) for weight, bias in layers]
    sizes = network_sizes(game, hidden, advice, inputs, features, value)
    wanted = [((wide, narrow), (wide,)) for narrow, wide in pairwise(sizes)]
    if found != wanted:
        raise OptionError(f"layers: shapes {found}; allowed: {wanted}")
    tensors = {}
    for number, (weight, bias) in enumerate(layers):
        tensors[f"{number}.weight"] = _stored(weight, half)
        tensors[f"{number}.bias"] = np.ascontiguousarray(bias, np.float32)
    weights = tensor_bytes(directory / WEIGHTS, tensors, MAX_WEIGHT_BYTES)
    manifest = {
        "format": FORMAT,
        "game": game.name,
        "players": game.players,
        "options": game.options.to_json(),
        "versions": asdict(game.definition.versions),
        "observation": game.definition.observation.fingerprint(),
        "actions": game.num_actions,
        "hidden": hidden,
        "sha256": hashlib.sha256(weights).hexdigest(),
        "about": about,
        "advice": advice,
        "activation": activation,
        "inputs": inputs,
        FEATURES: features.fingerprint() if features else "",
        VALUE: value,
    }
    if potential:  # left out where there is none: older versions refuse what they do not know
        manifest[POTENTIAL] = float(potential)
    text = json.dumps(manifest, indent=1) + "\n"
    if len(text) > MAX_MANIFEST_BYTES:
        raise OptionError(f"options, about: {len(text)} bytes of manifest; allowed: at most {MAX_MANIFEST_BYTES}")
    directory.mkdir(parents=True, exist_ok=True)
    write_together({directory / WEIGHTS: weights, directory / MANIFEST: text})
    return directory


def _stored(weight: NDArray[np.float32], half: bool) -> NDArray[Any]:
    """Return a weight in the type in which it is stored.

    Raises:
        OptionError: a number that float16 does not hold.
    """
    with np.errstate(over="ignore"):
        stored = np.ascontiguousarray(weight, np.float16 if half else np.float32)
    if half and not np.isfinite(stored).all():
        raise OptionError(f"half: a weight of {np.abs(weight).max():g}; allowed: at most {np.finfo(np.float16).max:g}")
    return stored


def inputs_high(game: Game, features: Features | None = None, advised: bool = False) -> NDArray[np.uint8]:
    """Return the largest byte of every input, uint8: of the observation, its features, then 1 per action advised."""
    described = [features.layout.high()] if features else []
    return np.concatenate([game.observation_high, *described, np.ones(game.num_actions if advised else 0, np.uint8)])


def share_outputs(game: Setup, value: str) -> int:
    """Return how many outputs tell shares of seats beside the logits: 0, one where all win together, or one a seat.

    The softmax over those of the seats at the table is what each expects, the mover first, then in turn order; the
    sigmoid of the only one is what all expect together.
    """
    if value != SEAT_SHARES:
        return 0
    return 1 if game.cooperative else game.definition.max_players


def network_sizes(
    game: Game,
    hidden: Sequence[int],
    advice: str = "",
    inputs: str = OBSERVATIONS,
    features: Features | None = None,
    value: str = "",
) -> list[int]:
    """Return inputs, hidden layers and outputs of a network that plays this game."""
    outputs = (1 if inputs == AFTERSTATES else game.num_actions) + share_outputs(game, value)
    return [len(inputs_high(game, features, bool(advice))), *hidden, outputs]


def check_network(
    game: Game,
    hidden: Sequence[int],
    advice: str = "",
    inputs: str = OBSERVATIONS,
    features: Features | None = None,
    value: str = "",
) -> None:
    """Refuse a network whose policy directory could not be read back.

    Raises:
        OptionError: naming ``advice`` or ``hidden`` and what is allowed.
    """
    if advice and inputs == AFTERSTATES:
        raise OptionError("advice: with afterstates; allowed: one of them")
    if len(hidden) > MAX_LAYERS:
        raise OptionError(f"hidden: {len(hidden)} layers; allowed: at most {MAX_LAYERS}")
    if not all(1 <= size <= MAX_WIDTH for size in hidden):
        raise OptionError(f"hidden: {repr_short(list(hidden))}; allowed: each 1..{MAX_WIDTH}")
    size = policy_bytes(network_sizes(game, hidden, advice, inputs, features, value))
    if size > MAX_WEIGHT_BYTES:
        raise OptionError(
            f"hidden: {repr_short(list(hidden))} makes a policy of {size:,} bytes; "
            f"allowed: at most {MAX_WEIGHT_BYTES:,}"
        )


def check_value(value: str, inputs: str) -> None:
    """Refuse a value that a network of these inputs has not.

    Raises:
        OptionError: naming what is allowed.
    """
    if choice(VALUE, value, VALUES) == WIN_SHARE and inputs != AFTERSTATES:
        allowed = f"'', {SEAT_SHARES!r}, or inputs {AFTERSTATES!r}"
        raise OptionError(f"value: {repr_short(value)} with inputs {inputs!r}; allowed: {allowed}")


def check_potential(game: Game, potential: float, value: str, inputs: str) -> None:
    """Refuse a weight of the potential that a network of these inputs has no use for.

    Raises:
        OptionError: naming what is allowed.
    """
    if not _is_weight(potential):
        raise OptionError(f"{POTENTIAL}: {repr_short(potential)}; allowed: 0..{MOST_POTENTIAL:g}")
    if potential and (inputs != AFTERSTATES or value or game.definition.potential is None):
        allowed = f"0, or inputs {AFTERSTATES!r} without a value, of a game that declares a potential"
        raise OptionError(f"{POTENTIAL}: {potential:g}; allowed: {allowed}")


def _is_weight(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= MOST_POTENTIAL


def policy_bytes(sizes: Sequence[int]) -> int:
    """Return the most that the weights of layers of these sizes take in a file."""
    numbers = sum((inputs + 1) * outputs for inputs, outputs in pairwise(sizes))
    return 4 * numbers + 2 * len(sizes) * TENSOR_BYTES


class NetworkAgent:
    """Plays a multi-layer perceptron held in memory; NumPy only.

    ``greedy`` plays the most likely legal action, otherwise it samples from the policy; ``seed`` is that of the agent's
    own generator, used where ``act`` gets no noise; the other arguments are those of save_policy. An agent of
    afterstates is asked at positions (seats.positions).
    """

    def __init__(
        self,
        game: Game,
        layers: Layers,
        greedy: bool = True,
        seed: int | None = None,
        advice: str = "",
        activation: str = TANH,
        inputs: str = OBSERVATIONS,
        features: Features | None = None,
        value: str = "",
        potential: float = 0.0,
    ) -> None:
        """Remember the layers."""
        self.game = game
        check_value(value, inputs)
        check_potential(game, potential, value, inputs)
        self.potential = potential
        self.value = value
        self.sees_positions = choice("inputs", inputs, INPUTS) == AFTERSTATES
        self.activation = choice("activation", activation, ACTIVATIONS)
        self.advice = advice
        self._adviser = ADVISERS[advice](game) if advice else None
        self.layers = tuple(layers)
        self.greedy = greedy
        self.features = features
        self._generator = np.random.default_rng(seed)
        self._scale = np.float32(1) / inputs_high(game, features).astype(np.float32)

    @property
    def policy_layers(self) -> Layers:
        """Return the layers that name actions, without shares of seats; shares of the win are sharpened to a policy."""
        weight, bias = self.layers[-1]
        if self.value == WIN_SHARE:
            return (*self.layers[:-1], (SHARPNESS * weight, SHARPNESS * bias))
        own = len(bias) - share_outputs(self.game, self.value)
        return (*self.layers[:-1], (weight[:own], bias[:own]))

    def logits(self, observations: NDArray[np.uint8], advised: NDArray[np.int64] | None = None) -> NDArray[np.float32]:
        """Return logits before masking, float32 (N, A); ``advised``: what the adviser would do, if there is one."""
        return self.outputs(observations, advised)[:, : 1 if self.sees_positions else self.game.num_actions]

    def outputs(self, observations: NDArray[np.uint8], advised: NDArray[np.int64] | None = None) -> NDArray[np.float32]:
        """Return logits, float32 (N, A), or (N, 1) of afterstates, and behind them what tells the shares of seats."""
        seen = observations
        if self.features:
            seen = with_features(self.game, observations, self.features.edition)
        values: NDArray[np.float32] = seen * self._scale
        if advised is not None:
            values = np.concatenate([values, one_hot(advised, self.game.num_actions)], axis=1)
        for weight, bias in self.layers[:-1]:
            values = values @ weight.T
            values += bias
            if self.activation == RELU:
                np.maximum(values, 0, out=values)
            else:
                np.tanh(values, out=values)
        weight, bias = self.layers[-1]
        return np.asarray(values @ weight.T + bias, np.float32)

    def act(self, observations: Bytes, masks: Masks, noise: Words | None = None) -> Ids:
        """Return one legal action per row; see Agent.

        Raises:
            OptionError: a policy of afterstates, which sees positions.
            ValueError: an array of another shape or dtype, or a row without a legal action; names what is allowed.
        """
        if noise is not None:
            noise = checked_rows("noise", noise, WORD, None, len(masks))
        noise = self._words(masks, noise)
        return self._chosen(self.masked_logits(observations, masks, noise), masks, noise)

    def masked_logits(self, observations: Bytes, masks: Masks, noise: Words) -> NDArray[np.float32]:
        """Return the logits of the legal actions, float32 (N, A); -1e9 where not legal. Arguments as for ``act``.

        Raises:
            OptionError: a policy of afterstates, which sees positions.
            ValueError: an array of another shape or dtype, or a row without a legal action; names what is allowed.
        """
        if self.sees_positions:
            raise OptionError("agent: a policy of afterstates sees positions; allowed: seats.positions.ask")
        observations = checked_rows("observations", observations, BYTE, self.game.observation_size)
        masks = checked_rows("masks", masks, MARK, self.game.num_actions, len(observations))
        check_some_legal(masks)
        return self._masked(observations, masks, noise)

    def act_positions(self, positions: Positions, noise: NDArray[np.uint64] | None = None) -> NDArray[np.int64]:
        """Return one legal action per position; see PositionAgent."""
        noise = self._words(positions.masks, noise)
        return self._chosen(self.position_logits(positions, noise), positions.masks, noise)

    def position_logits(self, positions: Positions, noise: NDArray[np.uint64]) -> NDArray[np.float32]:
        """Return the logits of the legal actions at N positions, float32 (N, A); -1e9 where not legal.

        Args:
            positions: N of them.
            noise: uint64 (N,), the only randomness of an adviser.
        """
        if self.sees_positions:
            return self._after(positions)
        return self._masked(positions.observations, positions.masks, noise)

    def action_values(self, positions: Positions) -> NDArray[np.float64]:
        """Return the mover's expected share of the win after each legal action, float64 (N, A); NaN where not legal.

        Args:
            positions: N of them.

        Raises:
            OptionError: the policy knows no values of afterstates.
        """
        if not self.value or not self.sees_positions:
            raise OptionError(f"policy: its value is {self.value!r}; allowed: {WIN_SHARE!r}")
        after, outputs = self._outputs_after(positions)
        values = np.full(positions.masks.shape, np.nan)
        values[after.rows, after.actions] = self._shares(outputs, positions.game)[:, 0]
        return values

    def position_values(self, positions: Positions) -> NDArray[np.float64]:
        """Return what share of the win each seat may expect at N positions, float64 (N, P).

        A policy of afterstates looks at that of the action it would play. One that knows the mover's share alone looks
        at the position through the eyes of the others, and makes their shares one with it.

        Raises:
            OptionError: the policy knows no values.
        """
        if not self.value:
            raise OptionError(f"policy: its value is {self.value!r}; allowed: one that knows values")
        game, count = positions.game, len(positions)
        if not self.sees_positions:
            return _by_seat(self._shares(self.outputs(positions.observations), game), positions)
        after, outputs = self._outputs_after(positions)
        logits = np.full(positions.masks.shape, -np.inf)
        logits[after.rows, after.actions] = outputs[:, 0]
        row = np.zeros(positions.masks.shape, np.int64)
        row[after.rows, after.actions] = np.arange(len(after.rows))
        shares = self._shares(outputs[row[np.arange(count), logits.argmax(axis=1)]], game)
        if self.value == SEAT_SHARES or game.cooperative:
            return _by_seat(shares, positions)
        found = np.zeros((count, game.players))
        found[:, 0] = shares[:, 0]
        for ahead in range(1, game.players):
            seen = np.zeros((count, game.observation_size), np.uint8)
            seats = ((positions.seats + ahead) % game.players).astype(np.int8)
            game.loops.observe_rows(game.plain_rules, plain(positions.states), seats, np.arange(count), seen)
            found[:, ahead] = self._shares(self.outputs(seen), game)[:, 0]
        found[:, 1:] *= (1 - found[:, :1]) / found[:, 1:].sum(axis=1, keepdims=True)
        return _by_seat(found, positions)

    def _shares(self, outputs: NDArray[np.float32], game: Setup) -> NDArray[np.float64]:
        """Return expected shares, float64 (N, P), the mover's first; (N, 1) where only that is known, or all share."""
        if self.value == WIN_SHARE or game.cooperative:
            logits = outputs[:, -1:].astype(np.float64)
            return np.asarray(1.0 / (1.0 + np.exp(-logits.clip(-500, 500))))
        first = outputs.shape[1] - game.definition.max_players
        logits = outputs[:, first : first + game.players].astype(np.float64)
        odds = np.exp(logits - logits.max(axis=1, keepdims=True))
        return np.asarray(odds / odds.sum(axis=1, keepdims=True))

    def _masked(self, observations: Bytes, masks: Masks, noise: Words) -> NDArray[np.float32]:
        advised = self._adviser.act(observations, masks, noise) if self._adviser else None
        return np.where(masks != 0, self.logits(observations, advised), ILLEGAL)

    def _after(self, positions: Positions) -> NDArray[np.float32]:
        """Return logits of a policy of afterstates."""
        after, outputs = self._outputs_after(positions)
        logits = np.full(positions.masks.shape, ILLEGAL)
        logits[after.rows, after.actions] = self._scores(after, outputs[:, 0])
        return logits

    def _scores(self, after: Afterstates, outputs: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return by what afterstates are compared: as log odds, float32 (K,)."""
        if not self.potential:
            return outputs
        return np.asarray(GAIN_SHARPNESS * (outputs + self.potential * after.potentials), np.float32)

    def _outputs_after(self, positions: Positions) -> tuple[Afterstates, NDArray[np.float32]]:
        """Return afterstates and what comes out of them, by the rules of the game that is played.

        Raises:
            OptionError: positions of a game of another name.
        """
        game = positions.game
        if game.name != self.game.name:
            raise OptionError(f"positions: of {game.name!r}; allowed: of {self.game.name!r}, which the policy plays")
        after = afterstates(game, positions.states, positions.seats, positions.masks)
        return after, self.outputs(after.observations)

    def _words(self, masks: NDArray[np.int8], noise: NDArray[np.uint64] | None) -> NDArray[np.uint64]:
        """Return the random words that were given, or the agent's own."""
        return self._generator.integers(0, MAX_WORD, len(masks), np.uint64, endpoint=True) if noise is None else noise

    def _chosen(
        self, logits: NDArray[np.float32], masks: NDArray[np.int8], noise: NDArray[np.uint64]
    ) -> NDArray[np.int64]:
        if self.greedy:
            return np.asarray(logits.argmax(axis=1), np.int64)
        if self.value == WIN_SHARE:
            logits = SHARPNESS * logits
        odds = np.exp(logits - logits.max(axis=1, keepdims=True)) * (masks != 0)
        ladder = np.cumsum(odds, axis=1, dtype=np.float64)
        choice = (ladder <= (noise * TO_UNIT * ladder[:, -1])[:, None]).sum(axis=1)
        last = masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)  # where rounding passes the end of the ladder
        return np.asarray(np.minimum(choice, last), np.int64)


def _by_seat(shares: NDArray[np.float64], positions: Positions) -> NDArray[np.float64]:
    """Return shares by seat, float64 (N, P), of those by turn, the mover's first, or of one that all share."""
    players = positions.game.players
    turns = (np.arange(players) - positions.seats[:, None]) % players
    return np.take_along_axis(np.broadcast_to(shares, (len(positions), players)), turns, axis=1)


class PolicyAgent(NetworkAgent):
    """Plays a policy that was saved in a directory.

    >>> from atlantis_agents.networks.policy import PolicyAgent
    >>> from atlantis_agents.shipped import network_directory
    >>> game = atlantis_envs.game("atlantis_rising", players=2)
    >>> batch = game.batch(4, seed=0)
    >>> agent = PolicyAgent(game, network_directory(game))
    >>> agent.act(batch.observations, batch.action_masks).shape
    (4,)

    The observation and the actions of ``game`` must be those the policy was trained with. Other player counts and
    options are allowed: the observation has room for all of them.

    Args:
        game: the game it plays.
        path: the directory of the policy; in a run it is ``policy``.
        greedy: play the most likely legal action; False: sample from the policy.
        seed: 0..2**64-1, of its own generator, for calls without noise; None: fresh entropy.

    Attributes:
        path: the directory of the policy.
        manifest: what the directory says of the policy.

    Raises:
        OptionError: the directory is missing or damaged, or fits another game or version; one line says why.
    """

    def __init__(self, game: Game, path: str | Path, greedy: bool = True, seed: int | None = None) -> None:
        """Read and check the files."""
        self.path = _directory(path)
        self.manifest = _read_manifest(self.path)
        _check_fit(self.path, self.manifest, game)
        layers = _layers(self.path, self.manifest, game)
        kind = {key: self.manifest[key] for key in (*OPTIONAL_KEYS, VALUE, POTENTIAL)}
        super().__init__(game, layers, greedy, seed, **kind, features=_features(self.manifest, game))


def load_policy(path: str | Path, greedy: bool = True, seed: int | None = None) -> PolicyAgent:
    """Read a saved policy for the game it was trained on, with the players and options of its training.

    >>> from atlantis_agents.networks.policy import load_policy
    >>> from atlantis_agents.shipped import network_directory
    >>> directory = network_directory(atlantis_envs.game("atlandice", players=2))
    >>> load_policy(directory).game.name
    'atlandice'

    Args:
        path: the directory of the policy; in a run it is ``policy``.
        greedy: play the most likely legal action; False: sample from the policy.
        seed: 0..2**64-1, of the agent's own generator, for calls without noise; None: fresh entropy.

    Raises:
        OptionError: the directory is missing or damaged, or of another version; one line says why.
    """
    directory = _directory(path)
    return PolicyAgent(_trained_on(directory, _read_manifest(directory)), path, greedy, seed)


def _trained_on(path: Path, manifest: dict[str, Any]) -> Game:
    name, known = manifest["game"], atlantis_envs.game_names()
    if name not in known:
        raise OptionError(
            f"policy: {repr_short(path)}: game is {repr_short(name)}; this library has {', '.join(map(repr, known))}"
        )
    game = atlantis_envs.game(name)
    _check_fit(path, manifest, game)  # options of another version may be others
    options = manifest["options"]
    if not isinstance(options, dict):
        raise OptionError(f"policy: {repr_short(path)}: options: {repr_short(options)}; allowed: an object")
    chosen = {key: value for key, value in options.items() if key != "players"}  # not every game counts them as one
    try:
        return make_game(game.definition, manifest["players"], None, chosen)  # no `data`: a file names no files
    except OptionError as error:
        raise OptionError(f"policy: {repr_short(path)}: {error}") from None


def one_hot(ids: NDArray[np.int64], width: int) -> NDArray[np.float32]:
    """Return float32 (N, width): 1 at each row's id, else 0."""
    rows = np.zeros((len(ids), width), np.float32)
    rows[np.arange(len(ids)), ids] = 1
    return rows


def _directory(path: str | Path) -> Path:
    if not isinstance(path, (str, Path)):
        raise OptionError(f"policy: {repr_short(path)}; allowed: the directory of a policy")
    return Path(path)


def _read_manifest(path: Path) -> dict[str, Any]:
    try:
        document = read_json(path / MANIFEST)
    except ValueError as error:
        raise OptionError(f"policy: {error}") from None
    reader = Reader()
    manifest = {
        "advice": "",
        "activation": TANH,
        "inputs": OBSERVATIONS,
        FEATURES: "",
        VALUE: "",
        POTENTIAL: 0.0,
    } | dict(reader.mapping("", document, (*KEYS, *OPTIONAL_KEYS, FEATURES, VALUE, POTENTIAL), required=KEYS))
    reader.choice("advice", manifest["advice"], ("", *ADVISERS))
    reader.choice("activation", manifest["activation"], ACTIVATIONS)
    reader.choice("inputs", manifest["inputs"], INPUTS)
    reader.choice(VALUE, manifest[VALUE], VALUES)
    if not _is_weight(manifest[POTENTIAL]):
        reader.fault(POTENTIAL, f"{repr_short(manifest[POTENTIAL])}; allowed: 0..{MOST_POTENTIAL:g}")
    if reader.faults:
        raise OptionError(f"policy: {repr_short(path / MANIFEST)}: " + fault_text(reader.faults))
    return manifest


def _check_fit(path: Path, manifest: dict[str, Any], game: Game) -> None:
    """Refuse a policy made for something else, naming what it was made for and what is here."""
    definition = game.definition
    wanted: dict[str, Any] = {
        "format": FORMAT,
        "game": game.name,
        "versions": asdict(definition.versions),
        "observation": definition.observation.fingerprint(),
        "actions": game.num_actions,
    }
    for key, value in wanted.items():
        found = manifest[key]
        if key == "versions" and isinstance(found, dict) and set(found) == set(value):
            # Another stream of chance is the same game to a player.
            other = [name for name in value if name != "chance" and found[name] != value[name]]
            found, value = ({name: version[name] for name in other} for version in (found, value))
        if found != value:
            raise OptionError(
                f"policy: {repr_short(path)}: {key} is {repr_short(found)}; this library has {repr_short(value)}"
            )
    if manifest[FEATURES] and _features(manifest, game) is None:
        known = ", ".join(repr(features.fingerprint()) for features in feature_editions(game.name))
        found = repr_short(manifest[FEATURES])
        raise OptionError(f"policy: {repr_short(path)}: {FEATURES} is {found}; this library has {known}")


def _features(manifest: dict[str, Any], game: Game) -> Features | None:
    """Return the features that a policy sees; None if it sees none, or others than are known."""
    if not manifest[FEATURES]:
        return None
    known = {features.fingerprint(): features for features in feature_editions(game.name)}
    found = manifest[FEATURES]
    return known.get(found) if isinstance(found, str) else None


def _layers(path: Path, manifest: dict[str, Any], game: Game) -> list[tuple[NDArray[np.float32], NDArray[np.float32]]]:
    reader = Reader()
    hidden = [
        reader.integer(f"hidden[{index}]", size, 1, MAX_WIDTH)
        for index, size in enumerate(reader.sequence("hidden", manifest["hidden"], 0, MAX_LAYERS))
    ]
    if reader.faults:
        raise OptionError(f"policy: {repr_short(path / MANIFEST)}: " + fault_text(reader.faults))
    try:
        tensors = read_tensors(path / WEIGHTS, manifest["sha256"], MAX_WEIGHT_BYTES)
    except TensorFileError as error:
        raise OptionError(f"policy: {error}") from None
    kind = manifest["advice"], manifest["inputs"], _features(manifest, game), manifest[VALUE]
    sizes = network_sizes(game, hidden, *kind)
    return [_layer(path, tensors, number, shape) for number, shape in enumerate(zip(sizes[1:], sizes, strict=False))]


def _layer(
    path: Path, tensors: dict[str, NDArray[Any]], number: int, shape: tuple[int, int]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    for name, size in ((f"{number}.weight", shape), (f"{number}.bias", shape[:1])):
        tensor = tensors.get(name)
        if tensor is None or tensor.shape != size or tensor.dtype not in STORED or not np.isfinite(tensor).all():
            found = None if tensor is None else f"{tensor.dtype} {tensor.shape}"
            raise OptionError(
                f"policy: {repr_short(path / WEIGHTS)}: {name} is {found}; allowed: finite float32 or float16 {size}"
            )
    return tensors[f"{number}.weight"].astype(np.float32), tensors[f"{number}.bias"].astype(np.float32)
