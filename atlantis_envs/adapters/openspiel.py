"""The games as OpenSpiel games in Python, with explicit chance.

Importing this module registers every game under its own name, so ``pyspiel.load_game("atlantis(players=3)")`` works
from then on; ``load`` takes options as ``atlantis_envs.game`` does. Actions and outcomes have the ids that ``Position``
gives them, and ``state.position`` is the Position.

An information state is what a seat has seen and done: its observation after every move since the start, chance and
other seats' moves included, and its own actions. So recall is perfect by construction and nothing leaks that an
observation does not show. As a text it lists the own actions and a digest of 128 bits of all observations; as a tensor
it is the present observation followed by the bits of the digest of both.

OpenSpiel 2 has structs: ``state.to_json()`` is the document of the position, ``to_observation_struct(seat)`` what that
seat may know, ``action_to_struct`` the text of an action, and ``new_initial_state(document)`` begins there. Older
versions do without.

OpenSpiel knows no truncation. A game that a safety bound cuts off (in every game the 1,000,000th decision, in Atlantis
Rising also the option ``truncation``) looks like any other that is over: ``is_terminal()`` is true and nothing is
legal. Its returns are 0 for every seat, as those of a draw, and ``state.position.truncated`` tells the two apart. No
parameter moves the bound of decisions.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any
from urllib.parse import quote, unquote

import numpy as np

from atlantis_envs.adapters.observations import unit_scale
from atlantis_envs.adapters.recall import DIGEST_BITS, Memory, begun
from atlantis_envs.base.values import repr_short
from atlantis_envs.engine.definition import CHANCE, IDENTICAL, OVER
from atlantis_envs.engine.position import Position
from atlantis_envs.errors import OptionError, missing_package
from atlantis_envs.registry import definition, game, game_names

try:
    import pyspiel
except ImportError:
    raise missing_package("open_spiel (module pyspiel)", "openspiel") from None

PLAYERS, OPTIONS = "players", "options"


def load(name: str, players: int | None = None, **options: Any) -> Any:
    """Return the OpenSpiel game of a name, number of seats and options, as ``atlantis_envs.game`` takes them.

    Raises:
        OptionError: no such game, or a value that is not allowed.
        UnknownOptionError: an unknown option.
    """
    game(name, players, **options)  # says what is wrong, where something is
    return pyspiel.load_game(name, {PLAYERS: players or 0, OPTIONS: _packed(options)})


def _packed(options: Mapping[str, Any]) -> str:
    """Return options as one text without the signs that OpenSpiel would cut at: ``level:2&hands_open:false``."""
    written = {key: json.dumps(value, separators=(",", ":")) for key, value in options.items()}
    return "&".join(f"{key}:{quote(text, safe='')}" for key, text in written.items())


def _unpacked(text: str) -> dict[str, Any]:
    """Return options out of their text.

    Raises:
        OptionError: it is not such a text.
    """
    try:
        pairs = [part.split(":") for part in text.split("&") if part]
        return {key: json.loads(unquote(value)) for key, value in pairs}
    except ValueError:
        allowed = "allowed: key:value pairs joined by &, values in JSON and quoted as in an URL"
        raise OptionError(f"{OPTIONS}: {repr_short(text)}; {allowed}") from None


class SpielGame(pyspiel.Game):
    """A game as OpenSpiel sees it.

    Attributes:
        game: the Game.
    """

    def __init__(self, name: str, params: Mapping[str, Any] | None = None) -> None:
        """Set up from OpenSpiel's parameters: ``players`` (0: the usual number) and ``options``, see ``load``.

        Raises:
            OptionError: a value that is not allowed.
        """
        given = dict(params or {})
        options = given.get(OPTIONS, "")
        self.game = game(name, given.get(PLAYERS) or None, None, **_unpacked(options))
        bound = self.game.describe().node_bound
        shared = self.game.cooperative
        info = pyspiel.GameInfo(
            num_distinct_actions=self.game.num_actions,
            max_chance_outcomes=len(self.game.outcomes),
            num_players=self.game.players,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=None if shared else 0.0,
            max_game_length=bound,
        )
        super().__init__(_game_type(name), info, given)

    def new_initial_state(self, state: Any = None) -> SpielState:
        """Return the position before any chance, or that of a document: a StateStruct, or what its ``to_dict`` gives.

        Raises:
            PositionError: it is no position.
            OptionError: it is one of another game or other options.
        """
        if state is None:
            return SpielState(self)
        document = state.to_dict() if hasattr(state, "to_dict") else state
        start = self.game.from_json(document)
        if start.game != self.game:
            raise OptionError(f"state: a position of {start.game!r}; allowed: of {self.game!r}")
        return SpielState(self, start)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> SpielObserver:
        """Return what turns states into tensors and texts for a seat.

        Raises:
            ValueError: parameters, or an observer that sees less or more than a seat does.
        """
        wanted = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        if params:
            raise ValueError(f"params: {repr_short(params)}; allowed: none")
        if not wanted.public_info or wanted.private_info != pyspiel.PrivateInfoType.SINGLE_PLAYER:
            raise ValueError(f"iig_obs_type: {wanted}; allowed: public information and that of a single player")
        return SpielObserver(self, wanted.perfect_recall)


class SpielState(pyspiel.State):
    """A position as OpenSpiel sees it.

    Attributes:
        position: the Position; look at it, and move by ``apply_action``.
    """

    def __init__(self, spiel: SpielGame, start: Position | None = None) -> None:
        """Start; OpenSpiel's clones come this way too and get their attributes afterwards."""
        super().__init__(spiel)
        self.position = spiel.game.initial_position() if start is None else start.clone()
        self._start = start
        self._memory: Memory | None = None

    def current_player(self) -> int:
        """Return the seat to decide, or OpenSpiel's number for chance or the end."""
        node = self.position._node()
        if node >= 0:
            return node
        return int(pyspiel.PlayerId.CHANCE if node == CHANCE else pyspiel.PlayerId.TERMINAL)

    def _legal_actions(self, player: int) -> list[int]:
        return self.position.legal_action_ids()

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return outcome ids with their probabilities."""
        weights = self.position.chance_outcome_ids()
        total = sum(weights.values())
        return [(index, weight / total) for index, weight in weights.items()]

    def _apply_action(self, action: int) -> None:
        self.position.apply(action)

    def _action_to_string(self, player: int, action: int) -> str:
        chance = player == pyspiel.PlayerId.CHANCE
        return str((self.position.game.outcomes if chance else self.position.game.actions)[action])

    def is_terminal(self) -> bool:
        """Return whether the game is over."""
        return self.position._node() == OVER

    def returns(self) -> list[float]:
        """Return the return of each seat; zeros before the end, and at the end of a game that was cut off."""
        return self.position.returns() if self.is_terminal() else [0.0] * self.position.game.players

    def memory(self) -> Memory:
        """Return what the seats have seen and done so far; worked out when asked for, continued from the last time."""
        setup = self.position.game
        start = Position(setup, setup.root) if self._start is None else self._start
        before = begun(start) if self._memory is None else self._memory
        self._memory = memory = before.continued(self.position)
        return memory

    def __str__(self) -> str:
        """Return everything played, decisions and chance."""
        return ", ".join(self.position.log) or "start"

    # What OpenSpiel 2 makes its structs of.

    def _to_struct(self) -> dict[str, Any]:
        return self.position.to_json()

    def _to_observation_struct(self, player: int) -> dict[str, Any]:
        return self.position.game.definition.look().view(self.position, player)

    def _action_to_struct(self, player: int, action: int) -> dict[str, Any]:
        return {"action": self._action_to_string(player, action)}

    def _struct_to_actions(self, struct: Mapping[str, Any]) -> list[int]:
        about = self.position.game.definition
        texts = about.outcomes if self.position._node() == CHANCE else about.actions
        index = texts.ids.get(str(struct.get("action")), -1)
        if set(struct) != {"action"} or index < 0:
            raise ValueError(f"action struct: {repr_short(dict(struct))}; allowed: {{'action': text}}")
        return [index]


class SpielObserver:
    """A seat's observation, and with perfect recall its information state, in the shape of OpenSpiel's observers.

    Attributes:
        tensor: float32: one-hot seat (P), observation in 0..1 (F), and with perfect recall the digest's bits (128).
        dict: the same in pieces: "player", "observation", "digest".
    """

    def __init__(self, spiel: SpielGame, recall: bool) -> None:
        """Make room."""
        played = spiel.game
        sizes = {"player": played.players, "observation": played.observation_size}
        if recall:
            sizes["digest"] = DIGEST_BITS
        self.tensor = np.zeros(sum(sizes.values()), np.float32)
        stops = np.cumsum(list(sizes.values()))
        self.dict = dict(zip(sizes, np.split(self.tensor, stops[:-1]), strict=True))
        self._scale = unit_scale(played)
        self._pieces = tuple(played.definition.observation)
        self._recall = recall

    def set_from(self, state: SpielState, player: int) -> None:
        """Fill ``tensor`` with what ``player`` knows."""
        self.tensor.fill(0)
        self.dict["player"][player] = 1
        self.dict["observation"][:] = state.position.observation(player) * self._scale
        if self._recall:
            digest = np.frombuffer(state.memory().digests[player], np.uint8)
            self.dict["digest"][:] = np.unpackbits(digest)

    def string_from(self, state: SpielState, player: int) -> str:
        """Return what ``player`` knows as a text."""
        if self._recall:
            return state.memory().information_state(player)
        seen = state.position.observation(player)
        pieces = ((piece.name, seen[piece.start : piece.stop]) for piece in self._pieces)
        texts = (f"{name} {' '.join(map(str, values))}" for name, values in pieces if values.any())
        return f"seat {player}; {'; '.join(texts)}"


@cache
def _game_type(name: str) -> Any:
    declared = definition(name)
    utility = pyspiel.GameType.Utility
    return pyspiel.GameType(
        short_name=name,
        long_name=declared.title,
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        # Said of all: options decide what is hidden, and an open game is one in which nothing happens to be.
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility=utility.IDENTICAL if declared.utility == IDENTICAL else utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=declared.max_players,
        min_num_players=declared.min_players,
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={PLAYERS: 0, OPTIONS: ""},
    )


def register() -> None:
    """Make every game known to OpenSpiel, once, however often this is called."""
    known = set(pyspiel.registered_names())
    for name in game_names():
        if name not in known:
            pyspiel.register_game(_game_type(name), _maker(name))


def _maker(name: str) -> type[SpielGame]:
    """Return a class of its own for a game: OpenSpiel calls it with the parameters alone."""

    class Named(SpielGame):
        def __init__(self, params: Mapping[str, Any] | None = None) -> None:
            super().__init__(name, params)

    Named.__name__ = Named.__qualname__ = f"{SpielGame.__name__}_{name}"
    return Named


register()
