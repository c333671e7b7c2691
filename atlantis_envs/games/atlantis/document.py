"""The position of Atlantis as JSON (section 16): written in full, read strictly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from atlantis_envs.base.values import Reader, repr_short
from atlantis_envs.engine.definition import Record
from atlantis_envs.engine.records import records
from atlantis_envs.errors import PositionError
from atlantis_envs.games.atlantis import data
from atlantis_envs.games.atlantis.options import ANY_NUMBER, AtlantisOptions, read_options
from atlantis_envs.games.atlantis.rules.path import survey
from atlantis_envs.games.atlantis.state import ITEMS, NONE, NOWHERE, PHASES, STATE, THEN, Phase
from atlantis_envs.games.atlantis.view import COVERED, TURNED, VALUES, contents
from atlantis_envs.kernels.kernel import entry

KEYS = (
    "game", "options", "players", "phase", "first", "seat", "path", "bag", "bridges", "pile", "discard", "box", "seats",
    "turn", "idle", "scores",
)  # fmt: skip
SEAT_KEYS = ("pawns", "hand", "tiles", "bridge", "known")
TURN_KEYS = ("sold", "bridged", "bought", "pawn", "x", "due", "last", "space", "draws", "then")
MOST = 30_000  # of a score, our limit


@entry
def survey_one(states: Any) -> None:
    """Work out the gaps of the only state from its path and its bridges."""
    survey(states[0])


def to_json(options: AtlantisOptions, state: Record) -> dict[str, Any]:
    """Return the position as a document of plain values, keys in the order of 16.1."""
    head = {"game": "atlantis", "options": options.to_json(), "players": options.players}
    return {**head, **contents(options.players, state)}


def from_json(document: Any) -> tuple[AtlantisOptions, Any]:
    """Return options and an array of one state, its fields in range; whether they fit together is for ``check`` to say.

    Raises:
        PositionError: every fault with its JSON path.
    """
    reader = Reader()
    given = reader.mapping("", document, KEYS, required=KEYS)
    reader.choice("game", given.get("game", "atlantis"), ("atlantis",))
    low, high = data.MIN_PLAYERS, data.MAX_PLAYERS
    players = reader.integer("players", given.get("players", low), low, high)
    options = read_options(reader, "options", given.get("options", {}), players)
    if reader.faults:  # without its options and keys a position has no meaning
        raise PositionError(reader.faults)
    states = records(1, STATE)
    _read_state(reader, options, given, states[0])
    _read_bridges(reader, given["bridges"], states)
    if reader.faults:
        raise PositionError(reader.faults)
    return options, states


def _read_state(reader: Reader, options: AtlantisOptions, given: Mapping[str, Any], state: Record) -> None:
    state.phase = PHASES.index(reader.choice("phase", given["phase"], PHASES))
    state.first = _seat_or_none(reader, "first", given["first"], options)
    state.seat = _seat_or_none(reader, "seat", given["seat"], options)
    state.idle = reader.integer("idle", given["idle"], 0, options.players)
    _read_turn(reader, given["turn"], state)
    _read_path(reader, given["path"], state)
    bags = reader.mapping("bag", given["bag"], data.SIDES, required=data.SIDES)
    for index, side in enumerate(data.SIDES):
        _read_counts(reader, f"bag.{side}", bags.get(side, {}), data.TILES, data.TILES_PER_SIDE, state.bag[index])
    for heap in ("pile", "discard", "box"):
        _read_counts(reader, heap, given[heap], data.OBJECTS, data.CARDS_PER_OBJECT, state[heap])
    _read_seats(reader, options, given["seats"], state)
    _read_scores(reader, options, given["scores"], state)


def _seat_or_none(reader: Reader, path: str, value: Any, options: AtlantisOptions) -> int:
    return NONE if value is None else reader.integer(path, value, 0, options.players - 1)


def _read_counts(reader: Reader, path: str, value: Any, names: Sequence[str], most: int, row: Any) -> None:
    """Read a multiset: name -> count, counts of 0 left out."""
    given = reader.mapping(path, value, names)
    for index, name in enumerate(names):
        row[index] = reader.integer(f"{path}.{name}", given[name], 1, most) if name in given else 0


def _read_path(reader: Reader, value: Any, state: Record) -> None:
    kinds, values, covered, boards = state.kind, state.worth, state.covered, state.boards
    turned_up = int(state.space) if state.phase == Phase.UNCOVER else NONE
    for space, text in enumerate(reader.sequence("path", value, data.NUM_SPACES, data.NUM_SPACES)):
        turned = space == turned_up
        if text is None and not turned:
            continue
        if turned:
            if text != TURNED:
                reader.fault(f"path[{space}]", f"{repr_short(text)}; allowed: {TURNED!r}, since it is being turned up")
            continue
        name = text.removesuffix(COVERED) if isinstance(text, str) else ""
        if name not in data.TILES:
            reader.fault(
                f"path[{space}]", f"{repr_short(text)}; allowed: null, or a tile such as 'ring 4' or 'ring 4+'"
            )
            continue
        thing, worth = divmod(data.TILES.index(name), data.NUM_VALUES)
        kinds[space] = thing + 1
        values[space] = worth + 1
        covered[space] = text != name
        boards[thing] |= 1 << space


def _read_seats(reader: Reader, options: AtlantisOptions, value: Any, state: Record) -> None:
    for index, seat in enumerate(reader.sequence("seats", value, options.players, options.players)):
        path = f"seats[{index}]"
        given = reader.mapping(path, seat, SEAT_KEYS, required=SEAT_KEYS)
        if len(given) < len(SEAT_KEYS):
            continue
        pawns = reader.sequence(f"{path}.pawns", given["pawns"], data.NUM_PAWNS, data.NUM_PAWNS)
        for pawn, place in enumerate(pawns):
            state.pawns[index, pawn] = reader.integer(f"{path}.pawns[{pawn}]", place, data.ATLANTIS, data.MAINLAND)
        for heap in ("hand", "known"):
            _read_counts(reader, f"{path}.{heap}", given[heap], data.OBJECTS, data.CARDS_PER_OBJECT, state[heap][index])
        _read_counts(reader, f"{path}.tiles", given["tiles"], VALUES, 2 * data.TILES_PER_SIDE, state.tiles[index])
        state.bridge[index] = reader.boolean(f"{path}.bridge", given["bridge"])


def _read_turn(reader: Reader, value: Any, state: Record) -> None:
    state.pawn, state.x, state.last, state.space, state.then = NONE, NOWHERE, NONE, NONE, NONE
    given = reader.mapping("turn", value, TURN_KEYS, required=TURN_KEYS)
    if len(given) < len(TURN_KEYS):
        return
    state.sold = reader.integer("turn.sold", given["sold"], 0, ANY_NUMBER)
    state.bridged = reader.boolean("turn.bridged", given["bridged"])
    _read_counts(reader, "turn.bought", given["bought"], data.OBJECTS, data.CARDS_PER_OBJECT, state.bought)
    if given["pawn"] is not None:
        state.pawn = reader.integer("turn.pawn", given["pawn"], 0, data.NUM_PAWNS - 1)
    if given["x"] is not None:
        state.x = reader.integer("turn.x", given["x"], data.ATLANTIS, data.MAINLAND)
    state.due = reader.integer("turn.due", given["due"], 0, data.MAX_TOLL)
    if given["last"] is not None:
        state.last = ITEMS.index(reader.choice("turn.last", given["last"], ITEMS))
    if given["space"] is not None:
        state.space = reader.integer("turn.space", given["space"], 0, data.NUM_SPACES - 1)
    state.draws = reader.integer("turn.draws", given["draws"], 0, data.MAX_START_HAND)
    if given["then"] is not None:
        state.then = THEN.index(reader.choice("turn.then", given["then"], THEN))


def _read_bridges(reader: Reader, value: Any, states: Any) -> None:
    """Read the bridges, then work out the gaps from them and the path."""
    state = states[0]
    items = reader.sequence("bridges", value, 0, data.NUM_SPACES)
    spaces = [reader.integer(f"bridges[{index}]", item, 0, data.NUM_SPACES - 1) for index, item in enumerate(items)]
    if spaces != sorted(set(spaces)):
        reader.fault("bridges", f"{repr_short(spaces)}; allowed: distinct spaces, ascending")
    for space in spaces:
        state.bridges = int(state.bridges) | 1 << space
    if state.phase not in (Phase.LAY, Phase.UNCOVER):
        survey_one(states)
        out = [space for space in spaces if not int(state.bridges) >> space & 1]
        if out and not reader.faults:
            reader.fault("bridges", f"{out} are not between the lowest and the highest tile")


def _read_scores(reader: Reader, options: AtlantisOptions, value: Any, state: Record) -> None:
    if state.phase != Phase.OVER:
        if value is not None:
            reader.fault("scores", f"{repr_short(value)}; allowed: null, before the game is over")
        return
    for seat, score in enumerate(reader.sequence("scores", value, options.players, options.players)):
        state.final[seat] = reader.integer(f"scores[{seat}]", score, -MOST, MOST)
