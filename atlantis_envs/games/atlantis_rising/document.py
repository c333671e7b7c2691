"""The position of Atlantis Rising as JSON (section 20): written in full, read strictly, each fault with its place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from atlantis_envs.base.values import Reader, repr_short
from atlantis_envs.engine.definition import Record
from atlantis_envs.engine.records import records
from atlantis_envs.errors import PositionError
from atlantis_envs.games.atlantis_rising import data
from atlantis_envs.games.atlantis_rising.actions import ACTIONS, OUTCOMES
from atlantis_envs.games.atlantis_rising.check import check_position
from atlantis_envs.games.atlantis_rising.data import Kind
from atlantis_envs.games.atlantis_rising.options import RULES, AtlantisRisingOptions, read_options
from atlantis_envs.games.atlantis_rising.rules import play
from atlantis_envs.games.atlantis_rising.state import (
    COUNT_MASK,
    DONE_SHIFT,
    FRAME_DEPTH,
    MAX_BOTTOM,
    NONE,
    PHASES,
    READY_SHIFT,
    REASONS,
    STATE,
    Node,
    Phase,
    Result,
)
from atlantis_envs.games.atlantis_rising.view import SEAT_NUMBERS, contents, read_frame
from atlantis_envs.kernels.kernel import entry


def to_json(options: AtlantisRisingOptions, state: Record) -> dict[str, Any]:
    """Return the position as a document of plain values, keys in the order of section 20."""
    head = {"game": "atlantis_rising", "players": options.players, "level": options.level}
    return {**head, "options": options.differing(), **contents(options, state)}


KEYS = (
    "game", "players", "level", "options", "phase", "round", "first", "turn", "passes", "flooded", "barriers", "wrath",
    "track_energy_taken", "blueprint", "built", "built_this_round", "seats", "placed", "volunteers", "library",
    "unused_artifacts", "misfortunes", "councilors", "hologram", "effects", "draws", "window", "held", "floods",
    "pending", "result",
)  # fmt: skip
SEAT_KEYS = (
    "councilor", *data.GOODS, "hand", "artifacts", "scholar_artifact", "home", "spent_volunteers", "reserve", "removed",
    "lifts", "yields", "declines", "barred", "used",
)  # fmt: skip
PLACED_KEYS = ("at", "seat", "kind", "ready", "done")
EFFECT_KEYS = ("earthquake", "atlas", "closed", "build_limit", "extra_floods")
MOST = 1_000_000  # of rounds, our limit
MOST_SMALL = 60  # of cards in one place, and of floods
MOST_READ_DRAWS = 11  # 19: seven, and two more for each of the two maelstroms one phase can bring


@entry
def run_to_node(rules: Any, states: Any, mask: Any, weights: Any) -> bool:
    """Let a sound position run on to its node; whether something can happen there, if it is not over."""
    if check_position(rules[0], states[0]) != 0:
        return True  # check says it better
    play.run(rules[0], states[0])
    at = int(states[0].node)
    if at == Node.OVER:
        return True
    if at < Node.C1_FIRST:
        play.legal(rules[0], states[0], mask)
        return bool(mask.any())
    play.chance(rules[0], states[0], weights)
    return bool(weights.any())


def from_json(document: Any) -> tuple[AtlantisRisingOptions, Any]:
    """Return options and an array of one state, its fields in range; whether they fit together is for ``check`` to say.

    Raises:
        PositionError: every fault with its JSON path.
    """
    reader = Reader()
    given = reader.mapping("", document, (*KEYS, "call"), required=KEYS)
    reader.choice("game", given.get("game", "atlantis_rising"), ("atlantis_rising",))
    chosen = given.get("options", {})
    if not isinstance(chosen, Mapping):
        reader.fault("options", f"{repr_short(chosen)}; allowed: an object")
        chosen = {}
    own = {key: value for key, value in chosen.items() if key not in ("players", "level")}
    inner = Reader()
    options = read_options(inner, "options", {"players": given.get("players"), "level": given.get("level", 1), **own})
    reader.faults += [(_outside(path), text) for path, text in inner.faults]
    for key in ("players", "level"):
        if key in chosen:
            reader.fault(f"options.{key}", f"unknown key; {key} stands beside the options")
    if reader.faults:  # without its options and keys a position has no meaning
        raise PositionError(reader.faults)
    if options.casting_vote != ("call" in given):
        reader.fault("call", "allowed: true or false with option casting_vote, and not there without it")
        raise PositionError(reader.faults)
    states = records(1, STATE)
    _read_state(reader, options, given, states[0])
    if reader.faults:
        raise PositionError(reader.faults)
    rules = records(1, RULES)
    options.fill(rules[0])
    if not run_to_node(rules, states, np.zeros(len(ACTIONS), np.int8), np.zeros(len(OUTCOMES), np.int64)):
        raise PositionError([("pending", "nothing can happen at this node")])
    return options, states


def _outside(path: str) -> str:
    """Return the path of a fault in the document, where players and level are keys of the position, not options."""
    return path.removeprefix("options.") if path in ("options.players", "options.level") else path


def _read_state(reader: Reader, options: AtlantisRisingOptions, given: Mapping[str, Any], state: Record) -> None:
    last = options.players - 1
    state.phase = PHASES.index(reader.choice("phase", given["phase"], PHASES))
    state.round_number = reader.integer("round", given["round"], 0, MOST)
    state.first = reader.integer("first", given["first"], 0, last)
    state.turn = reader.integer("turn", given["turn"], 0, last)
    most = 2 * options.players - 1 if options.must_act else options.players
    state.passes = reader.integer("passes", given["passes"], 0, max(options.players, most))
    _read_counts(reader, "flooded", given["flooded"], data.PENINSULAS, state.flooded, data.TILES_PER_PENINSULA, True)
    _read_set(reader, "barriers", given["barriers"], data.PENINSULAS, state.barriers)
    last_space = len(options.tables["wrath"]["track"]["values"]) - 1
    state.wrath = reader.integer("wrath", given["wrath"], 0, last_space)
    state.track_energy_taken = reader.integer("track_energy_taken", given["track_energy_taken"], 0, last_space + 1)
    _read_components(reader, given, state)
    _read_seats(reader, options, given["seats"], state)
    _read_boards(reader, options, given, state)
    _read_placed(reader, options, given["placed"], state)
    most = options.tables["constants"]["volunteers"]["value"]
    state.volunteers = reader.integer("volunteers", given["volunteers"], 0, most)
    _read_decks(reader, given, state)
    _read_round(reader, options, given, state)
    pending = reader.sequence("pending", given["pending"], 0, FRAME_DEPTH)
    for number, frame in enumerate(pending):
        read_frame(reader, f"pending[{number}]", frame, options.players, state, state.frames[number])
    state.num_frames = len(pending)
    _read_result(reader, given["result"], state)


def _read_counts(
    reader: Reader, path: str, value: Any, names: Sequence[str], row: Any, high: int, complete: bool = False
) -> None:
    given = reader.mapping(path, value, names, required=names if complete else ())
    for number, name in enumerate(names):
        row[number] = reader.integer(f"{path}.{name}", given.get(name, 0), 0, high)


def _read_names(reader: Reader, path: str, value: Any, names: Sequence[str], size: int) -> list[int]:
    """Read a list of texts, repetitions allowed."""
    given = reader.sequence(path, value, 0, size)
    return [names.index(reader.choice(f"{path}[{number}]", name, names)) for number, name in enumerate(given)]


def _read_bits(reader: Reader, path: str, value: Any, names: Sequence[str]) -> int:
    """Read a set of texts as bits."""
    numbers = _read_names(reader, path, value, names, len(names))
    if len(set(numbers)) < len(numbers):
        reader.fault(path, f"{repr_short(value)}; allowed: every name once")
    return sum(1 << number for number in set(numbers))


def _read_set(reader: Reader, path: str, value: Any, names: Sequence[str], row: Any) -> None:
    bits = _read_bits(reader, path, value, names)
    for number in range(len(names)):
        row[number] = bits >> number & 1


def _read_name(reader: Reader, path: str, value: Any, names: Sequence[str]) -> int:
    return NONE if value is None else names.index(reader.choice(path, value, names))


def _read_components(reader: Reader, given: Mapping[str, Any], state: Record) -> None:
    _read_set(reader, "blueprint", given["blueprint"], data.COMPONENTS, state.blueprint)
    built = _read_names(reader, "built", given["built"], data.COMPONENTS, data.BLUEPRINT_SIZE)
    state.built[:] = NONE
    for number, component in enumerate(built):
        if state.blueprint[component] or state.is_built[component]:
            reader.fault(f"built[{number}]", f"{data.COMPONENTS[component]!r} occurs twice")
        state.built[number] = component
        state.is_built[component] = 1
    state.num_built = len(built)
    state.built_this_round = reader.integer("built_this_round", given["built_this_round"], 0, data.BLUEPRINT_SIZE)


def _limits(options: AtlantisRisingOptions) -> dict[str, int]:
    """Return the most that one seat can have of each kind of piece and of what is counted besides (2.1, 2.2, 17)."""
    own = options.tables["players"][options.players]
    volunteers = options.tables["constants"]["volunteers"]["value"]
    followers = own["followers"] + own["reserve"]
    return {
        "leader": 1,
        "hologram": int(options.players <= 2),
        "follower": followers,
        "volunteer": volunteers,
        "automaton": int(options.players == 1),
        "spent_volunteers": volunteers,
        "reserve": own["reserve"],
        "removed": followers,
        "lifts": options.lift_budget,
        "yields": options.yield_budget,
        "declines": options.decline_budget,
    }


def _read_seats(reader: Reader, options: AtlantisRisingOptions, value: Any, state: Record) -> None:
    state.councilor[:] = NONE
    state.keeper[:] = NONE
    state.special_at[:] = NONE
    state.scholar_artifact[:] = NONE
    keys = SEAT_KEYS if options.hands_open else (*SEAT_KEYS, "shown")
    limits = _limits(options)
    for seat, item in enumerate(reader.sequence("seats", value, options.players, options.players)):
        path = f"seats[{seat}]"
        before = len(reader.faults)
        own = reader.mapping(path, item, keys, required=keys)
        if len(reader.faults) > before:
            continue
        councilor = _read_name(reader, f"{path}.councilor", own["councilor"], data.COUNCILORS)
        state.councilor[seat] = councilor
        if councilor != NONE:
            if state.keeper[councilor] != NONE:
                reader.fault(f"{path}.councilor", f"{data.COUNCILORS[councilor]!r} belongs to two seats")
            state.keeper[councilor] = seat
        for number, good in enumerate(data.GOODS):
            state.goods[seat, number] = reader.integer(f"{path}.{good}", own[good], 0, data.MOST_GOODS)
        _read_counts(reader, f"{path}.hand", own["hand"], data.BASIC_CARDS, state.hand[seat], 15)
        state.artifacts[seat] = _read_bits(reader, f"{path}.artifacts", own["artifacts"], data.ARTIFACTS)
        state.scholar_artifact[seat] = _read_name(
            reader, f"{path}.scholar_artifact", own["scholar_artifact"], data.ARTIFACTS
        )
        home = reader.mapping(f"{path}.home", own["home"], data.KINDS, required=data.KINDS)
        for kind, name in enumerate(data.KINDS):
            state.home[seat, kind] = reader.integer(f"{path}.home.{name}", home.get(name, 0), 0, limits[name])
        for key, field in SEAT_NUMBERS.items():
            state[field][seat] = reader.integer(f"{path}.{key}", own[key], 0, limits[key])
        for key in ("lifts", "yields", "declines"):
            state[key][seat] = reader.integer(f"{path}.{key}", own[key], 0, limits[key])
        state.barred[seat] = reader.boolean(f"{path}.barred", own["barred"])
        state.used[seat] = _read_bits(reader, f"{path}.used", own["used"], data.USES)
        if not options.hands_open:
            _read_counts(reader, f"{path}.shown", own["shown"], data.BASIC_CARDS, state.public_hand[seat], 15)


def _read_boards(reader: Reader, options: AtlantisRisingOptions, given: Mapping[str, Any], state: Record) -> None:
    state.hologram = state.hologram_artifact = NONE
    if options.players > 2:
        for key in ("councilors", "hologram"):
            if given[key] is not None:
                reader.fault(key, f"{repr_short(given[key])}; allowed with three or more seats: null")
        return
    boards = reader.mapping("councilors", given["councilors"], ("stack", "discard"), required=("stack", "discard"))
    state.stack_boards = _read_bits(reader, "councilors.stack", boards.get("stack", []), data.COUNCILORS)
    state.discarded_boards = _read_bits(reader, "councilors.discard", boards.get("discard", []), data.COUNCILORS)
    keys = ("councilor", "artifact")
    hologram = reader.mapping("hologram", given["hologram"], keys, required=keys)
    board = _read_name(reader, "hologram.councilor", hologram.get("councilor"), data.COUNCILORS)
    state.hologram = board
    state.hologram_artifact = _read_name(reader, "hologram.artifact", hologram.get("artifact"), data.ARTIFACTS)
    if board != NONE:
        if state.keeper[board] != NONE:
            reader.fault("hologram.councilor", f"{data.COUNCILORS[board]!r} belongs to a seat")
        state.keeper[board] = data.BY_HOLOGRAM


def _read_placed(reader: Reader, options: AtlantisRisingOptions, value: Any, state: Record) -> None:
    order: list[tuple[int, int, int]] = []
    for number, item in enumerate(reader.sequence("placed", value, 0, len(data.LOCATIONS) * data.MAX_PLAYERS)):
        path = f"placed[{number}]"
        before = len(reader.faults)
        own = reader.mapping(path, item, PLACED_KEYS, required=PLACED_KEYS)
        if len(reader.faults) > before:
            continue
        location = data.LOCATIONS.index(reader.choice(f"{path}.at", own["at"], data.LOCATIONS))
        seat = reader.integer(f"{path}.seat", own["seat"], 0, options.players - 1)
        kind = data.KINDS.index(reader.choice(f"{path}.kind", own["kind"], data.KINDS))
        ready = reader.integer(f"{path}.ready", own["ready"], 0, COUNT_MASK[kind])
        most_done = 0 if kind == Kind.AUTOMATON else COUNT_MASK[kind] - ready
        done = reader.integer(f"{path}.done", own["done"], 0, most_done)
        if ready + done == 0:
            reader.fault(path, "ready and done are 0; allowed: at least one piece")
        if order and order[-1] >= (location, seat, kind):
            reader.fault(path, "out of order; allowed: by location, seat, kind, each once")
        if seat > 0 and kind == Kind.AUTOMATON:
            reader.fault(f"{path}.kind", "'automaton' exists with one seat only")
        order.append((location, seat, kind))
        packed = (ready << READY_SHIFT[kind]) + (done << DONE_SHIFT[kind])
        state.pieces[location, seat] += packed
        state.crowd[location] = min(127, int(state.crowd[location]) + ready + done)
        state.where[seat] = int(state.where[seat]) | 1 << location
        board = int(state.councilor[seat]) if kind == Kind.LEADER else int(state.hologram)
        if kind <= Kind.HOLOGRAM and board != NONE:
            state.special_at[board] = location


def _read_decks(reader: Reader, given: Mapping[str, Any], state: Record) -> None:
    keys = ("deck", "bottom", "discard")
    library = reader.mapping("library", given["library"], keys, required=keys)
    _read_counts(reader, "library.deck", library.get("deck", {}), data.CARDS, state.library_deck, MOST_SMALL)
    _read_counts(reader, "library.discard", library.get("discard", {}), data.CARDS, state.library_discard, MOST_SMALL)
    state.library_bottom[:] = NONE
    bottom = _read_names(reader, "library.bottom", library.get("bottom", []), data.CARDS, MAX_BOTTOM)
    state.library_bottom[: len(bottom)] = bottom
    state.num_bottom = len(bottom)
    state.unused_artifacts = _read_bits(reader, "unused_artifacts", given["unused_artifacts"], data.ARTIFACTS)
    keys = ("deck", "top", "discard")
    cards = reader.mapping("misfortunes", given["misfortunes"], keys, required=keys)
    for key, row in (("deck", state.misfortune_deck), ("discard", state.misfortune_discard)):
        _read_counts(reader, f"misfortunes.{key}", cards.get(key, {}), data.MISFORTUNES, row, MOST_SMALL)
    state.misfortune_top[:] = NONE
    top = _read_names(reader, "misfortunes.top", cards.get("top", []), data.MISFORTUNES, data.MAX_TOP)
    state.misfortune_top[: len(top)] = top


def _read_round(reader: Reader, options: AtlantisRisingOptions, given: Mapping[str, Any], state: Record) -> None:
    last = options.players - 1
    effects = reader.mapping("effects", given["effects"], EFFECT_KEYS, required=EFFECT_KEYS)
    state.earthquake = reader.integer("effects.earthquake", effects.get("earthquake", 0), 0, data.MOST_EFFECTS)
    wild = data.PENINSULAS[: data.NUM_WILD]
    _read_counts(reader, "effects.atlas", effects.get("atlas", {}), wild, state.atlas, data.MOST_ATLASES, True)
    state.closed = _read_bits(reader, "effects.closed", effects.get("closed", []), data.CLOSABLE)
    state.build_limit = reader.choice("effects.build_limit", effects.get("build_limit"), (None, 1)) == 1
    state.extra_floods = reader.integer("effects.extra_floods", effects.get("extra_floods", 0), 0, data.MOST_EFFECTS)
    state.draws[:] = NONE
    for number, seat in enumerate(reader.sequence("draws", given["draws"], 0, MOST_READ_DRAWS)):
        state.draws[number] = reader.integer(f"draws[{number}]", seat, 0, last)
    state.window_open = reader.boolean("window", given["window"])
    state.call = options.casting_vote and reader.boolean("call", given["call"])
    state.held_seat = state.held_kind = state.held_companion = NONE
    if given["held"] is not None:
        keys = ("seat", "kind", "companion")
        held = reader.mapping("held", given["held"], keys, required=keys)
        state.held_seat = reader.integer("held.seat", held.get("seat", 0), 0, last)
        state.held_kind = data.KINDS.index(reader.choice("held.kind", held.get("kind"), data.KINDS[:2]))
        state.held_companion = _read_name(reader, "held.companion", held.get("companion"), data.KINDS)
    state.floods = reader.integer("floods", given["floods"], 0, MOST_SMALL)


def _read_result(reader: Reader, value: Any, state: Record) -> None:
    if value is None:
        return
    keys = ("win", "reason")
    result = reader.mapping("result", value, keys, required=keys)
    state.result = 1 + REASONS.index(reader.choice("result.reason", result.get("reason"), REASONS))
    win = reader.boolean("result.win", result.get("win"))
    if win != (state.result == Result.CORE):
        reader.fault("result.win", f"{win}; it does not fit the reason")
    if state.phase == Phase.OVER:
        state.node = Node.OVER
        state.actor = NONE
