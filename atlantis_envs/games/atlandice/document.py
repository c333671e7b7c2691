"""The position of Atlandice as JSON (section 17): written in full, read strictly."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from atlantis_envs.base.values import Reader, repr_short
from atlantis_envs.engine.definition import Record
from atlantis_envs.engine.options import MOST_HANDICAP
from atlantis_envs.engine.records import records
from atlantis_envs.errors import PositionError
from atlantis_envs.games.atlandice import data
from atlantis_envs.games.atlandice.options import AtlandiceOptions, read_tables
from atlantis_envs.games.atlandice.state import NODES, NONE, STATE
from atlantis_envs.games.atlandice.view import CHOICE_KEYS, contents

KEYS = (
    "game", "options", "round", "first", "visit", "node", "actor", "context", "hand", "submarine", "sectors", "bare",
    "participants", "given", "blocked",
)  # fmt: skip
CONTEXT_KEYS = ("sector", "for", "chain", "choice")
MOST = 1_000_000  # of points and rounds at the end of a game, our limit
POINTS_PER_SPACE = 31  # one for an Inventory, or half of the 60 pieces in a Donation (8.4, 8.5)


def to_json(options: AtlandiceOptions, state: Record) -> dict[str, Any]:
    """Return the position as a document of plain values, keys in the order of 17.1."""
    return {"game": "atlandice", "options": options.to_json(), **contents(options, state)}


def from_json(document: Any) -> tuple[AtlandiceOptions, Any]:
    """Return options and an array of one state, its fields in range; whether they fit together is for ``check`` to say.

    Raises:
        PositionError: every fault with its JSON path.
    """
    reader = Reader()
    given = reader.mapping("", document, KEYS, required=KEYS)
    reader.choice("game", given.get("game", "atlandice"), ("atlandice",))
    chosen = given.get("options", {"players": data.MIN_PLAYERS})
    options = AtlandiceOptions.read(reader, "options", chosen, tables=read_tables(reader))
    if reader.faults:  # without its options and keys a position has no meaning
        raise PositionError(reader.faults)
    states = records(1, STATE)
    _read_state(reader, options, given, states[0])
    if reader.faults:
        raise PositionError(reader.faults)
    return options, states


def _read_state(reader: Reader, options: AtlandiceOptions, given: Mapping[str, Any], state: Record) -> None:
    for field in ("here", "beneficiary", "choice_type", "choice_sector"):
        state[field] = NONE
    state.first = _seat(reader, "first", given["first"], options)
    state.visit = reader.integer("visit", given["visit"], 0, options.visits)
    state.node = NODES.index(reader.choice("node", given["node"], NODES))
    state.actor = _seat(reader, "actor", given["actor"], options)
    state.hand = reader.integer("hand", given["hand"], 0, options.last)
    state.round_number = reader.integer("round", given["round"], 0, MOST - (options.last - int(state.hand)))
    state.submarine = data.SECTORS.index(reader.choice("submarine", given["submarine"], data.SECTORS))
    _read_sectors(reader, given["sectors"], state)
    _read_participants(reader, options, given["participants"], state)
    _read_marks(reader, options, given, state)
    _read_context(reader, options, given["context"], state)


def _seat(reader: Reader, path: str, value: Any, options: AtlandiceOptions) -> int:
    return NONE if value is None else reader.integer(path, value, 0, options.players - 1)


def _read_pieces(reader: Reader, path: str, value: Any, row: Any) -> None:
    given = reader.mapping(path, value, data.TYPES)
    for index, name in enumerate(data.TYPES):
        row[index] = reader.integer(f"{path}.{name}", given.get(name, 0), 0, data.MAX_PIECES_OF_TYPE)


def _read_sectors(reader: Reader, value: Any, state: Record) -> None:
    sectors = reader.mapping("sectors", value, data.SECTORS, required=data.SECTORS)
    for index, name in enumerate(data.SECTORS):
        path = f"sectors.{name}"
        keys = ("resources", "dice") if index == data.Sector.MARKET else ("tile", "hidden", "resources", "dice")
        sector = reader.mapping(path, sectors.get(name, {}), keys, required=keys if name in sectors else ())
        _read_pieces(reader, f"{path}.resources", sector.get("resources", {}), state.resources[index])
        state.dice[index] = reader.integer(f"{path}.dice", sector.get("dice", 0), 0, data.MAX_DICE)
        if index != data.Sector.MARKET:
            own = data.TILES[data.TILES_PER_DISTRICT * index : data.TILES_PER_DISTRICT * (index + 1)]
            if sector.get("tile") is not None:
                state.tile[index] = 1 + own.index(reader.choice(f"{path}.tile", sector["tile"], (*own, None)) or own[0])
            state.hidden[index] = _names(reader, f"{path}.hidden", sector.get("hidden", []), own)


def _names(reader: Reader, path: str, value: Any, allowed: tuple[str, ...]) -> int:
    """Return a list of distinct names in order, as a bit mask over ``allowed``."""
    items = reader.sequence(path, value, 0, len(allowed))
    found = [allowed.index(reader.choice(f"{path}[{index}]", item, allowed)) for index, item in enumerate(items)]
    if found != sorted(set(found)):
        reader.fault(path, f"{repr_short(items)}; allowed: distinct names in the order {', '.join(allowed)}")
    return sum(1 << bit for bit in set(found))


def _read_participants(reader: Reader, options: AtlandiceOptions, value: Any, state: Record) -> None:
    state.owner[:] = NONE
    people = reader.sequence("participants", value, options.participants, options.participants)
    for participant, person in enumerate(people):
        path = f"participants[{participant}]"
        keys = ("stock", "points", "tiles")
        given = reader.mapping(path, person, keys, required=keys)
        _read_pieces(reader, f"{path}.stock", given.get("stock", {}), state.stock[participant])
        won = _names(reader, f"{path}.tiles", given.get("tiles", []), data.TILES)
        for tile, name in enumerate(data.TILES):
            if won >> tile & 1 and state.owner[tile] != NONE:
                reader.fault(f"{path}.tiles", f"{name} is owned twice")
            elif won >> tile & 1:
                state.owner[tile] = participant
    most = MOST - _points_ahead(options, state)
    for participant, person in enumerate(people):
        points = person.get("points", 0) if isinstance(person, Mapping) else 0
        state.points[participant] = reader.integer(f"participants[{participant}].points", points, 0, most)


def _points_ahead(options: AtlandiceOptions, state: Record) -> int:
    """Return no fewer points than anybody can still get; it falls by at least what play gives (2.4)."""
    if NODES[state.node] == "over":
        return 0
    tiles = sum(int(hidden).bit_count() for hidden in state.hidden) + int((state.tile != 0).sum())
    donated = (int(state.stock.sum()) + 1) // 2 if NODES[state.node].startswith("donate") else 0
    final = data.FINAL_FIRST_POINTS * data.NUM_TYPES + (MOST_HANDICAP if state.first == NONE else 0)
    return POINTS_PER_SPACE * (options.last - int(state.hand)) + data.FIRST_TIE_POINTS * tiles + donated + final


def _read_marks(reader: Reader, options: AtlandiceOptions, given: Mapping[str, Any], state: Record) -> None:
    bare = _names(reader, "bare", given["bare"], data.DISTRICTS)
    for district in range(data.NUM_DISTRICTS):
        state.bare[district] = bare >> district & 1
    size = options.players if options.players == 2 else 0
    for seat, flag in enumerate(reader.sequence("given", given["given"], size, size)):
        state.given[seat] = reader.boolean(f"given[{seat}]", flag)
    seats = reader.sequence("blocked", given["blocked"], 0, options.players)
    found = [reader.integer(f"blocked[{index}]", seat, 0, options.players - 1) for index, seat in enumerate(seats)]
    if found != sorted(set(found)):
        reader.fault("blocked", f"{repr_short(seats)}; allowed: distinct seats, ascending")
    for seat in found:
        state.blocked[seat] = 1


def _read_context(reader: Reader, options: AtlandiceOptions, value: Any, state: Record) -> None:
    if value is None:
        return
    context = reader.mapping("context", value, CONTEXT_KEYS, required=CONTEXT_KEYS)
    if len(context) < len(CONTEXT_KEYS):
        return
    state.here = data.SECTORS.index(reader.choice("context.sector", context["sector"], data.SECTORS))
    neutral = ("neutral",) if options.players == 2 else ()
    beneficiary = reader.choice("context.for", context["for"], (*range(options.players), *neutral))
    state.beneficiary = options.players if beneficiary == "neutral" else beneficiary
    state.chain = reader.integer("context.chain", context["chain"], 0, options.chain_cap)
    keys = CHOICE_KEYS.get(int(state.node), ())
    choice = reader.mapping("context.choice", context["choice"], keys, required=keys)
    if "type" in choice:
        state.choice_type = data.TYPES.index(reader.choice("context.choice.type", choice["type"], data.TYPES))
    if "district" in choice:
        state.choice_sector = data.SECTORS.index(
            reader.choice("context.choice.district", choice["district"], data.DISTRICTS)
        )
    if "sector" in choice:
        state.choice_sector = data.SECTORS.index(reader.choice("context.choice.sector", choice["sector"], data.SECTORS))
