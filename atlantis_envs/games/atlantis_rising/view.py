"""What lies where in Atlantis Rising, as plain values: documents, phrases and pictures are made of it.

While hands are open everybody sees everything (15.1); else what others hold, draw and put under the deck is a number
(15.2).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from atlantis_envs.engine.definition import Record
from atlantis_envs.engine.position import Position
from atlantis_envs.engine.setup import Setup
from atlantis_envs.games.atlantis_rising import data
from atlantis_envs.games.atlantis_rising.data import Kind
from atlantis_envs.games.atlantis_rising.frames import frame_to_json
from atlantis_envs.games.atlantis_rising.options import AtlantisRisingOptions
from atlantis_envs.games.atlantis_rising.state import (
    COUNT_MASK,
    DONE_SHIFT,
    NODES,
    NONE,
    PHASES,
    READY_SHIFT,
    REASONS,
    Result,
)

SEAT_NUMBERS = {"spent_volunteers": "spent", "reserve": "reserve", "removed": "removed"}


def is_open(game: Setup) -> bool:
    """Return whether hands are open (option ``hands_open``)."""
    return cast(AtlantisRisingOptions, game.options).hands_open


def view(position: Position, seat: int | None) -> dict[str, Any]:
    """Return what a seat may know.

    ``place`` says what lies where, in the words of the JSON document; ``legal`` has the texts of what can be done now,
    for those who may know the hand it follows from; ``values`` the target, symbol or rate of every place, ``capacity``
    how many pieces fit there, ``prices`` what components cost.
    """
    options, rules = cast(AtlantisRisingOptions, position.game.options), position.game.rules[0]
    state, node = position.state[0], position.node
    place = contents(options, state)
    if seat is not None and not options.hands_open:
        _hide(place, position, seat)
    return {
        "seat": seat,
        "players": options.players,
        "level": options.level,
        "round_limit": options.round_limit,
        "node": node,
        "name": NODES[state.node],
        "to_decide": position.seat,
        "legal": position.legal_actions() if options.hands_open or seat in (None, position.seat) else [],
        "scores": position.scores(),
        "returns": position.returns() if node == "over" else None,
        "truncated": position.truncated,
        "place": place,
        "values": dict(zip(data.LOCATIONS, rules.tile_value.tolist(), strict=False)),
        "capacity": dict(zip(data.LOCATIONS, rules.capacity.tolist(), strict=False)),
        "prices": {
            name: _counts(data.PRICE_TYPES, row) for name, row in zip(data.COMPONENTS, rules.price, strict=True)
        },
        "wrath": rules.wrath_values[: int(rules.wrath_last) + 1].tolist(),
        "gates": int(rules.gates),
    }


def _hide(place: dict[str, Any], position: Position, seat: int) -> None:
    """Take out what ``seat`` may not know while hands are closed (15.2)."""
    for other, person in enumerate(place["seats"]):
        if other != seat:
            person["hand"] = sum(person["hand"].values())
    unseen = position.game.definition.observation.view(position.observation(seat))["deck"]
    place["library"]["deck"] = _counts(data.CARDS, unseen)
    place["library"]["bottom"] = len(place["library"]["bottom"])
    for frame in place["pending"]:
        if frame["do"] == "library" and frame["seat"] != seat:
            frame["drawn"] = len(frame["drawn"])


def contents(options: AtlantisRisingOptions, state: Record) -> dict[str, Any]:
    """Return what a record holds, hidden cards included, keys in the order of section 20."""
    players = options.players
    boards, hologram, held = None, None, None
    if players <= 2:
        stack, discard = int(state.stack_boards), int(state.discarded_boards)
        boards = {"stack": _bits(data.COUNCILORS, stack), "discard": _bits(data.COUNCILORS, discard)}
        artifact = _name(data.ARTIFACTS, int(state.hologram_artifact))
        hologram = {"councilor": _name(data.COUNCILORS, int(state.hologram)), "artifact": artifact}
    if state.held_seat != NONE:
        kind, companion = data.KINDS[state.held_kind], _name(data.KINDS, int(state.held_companion))
        held = {"seat": int(state.held_seat), "kind": kind, "companion": companion}
    return {
        "phase": PHASES[state.phase],
        "round": int(state.round_number),
        "first": int(state.first),
        "turn": int(state.turn),
        "passes": int(state.passes),
        "flooded": dict(zip(data.PENINSULAS, state.flooded.tolist(), strict=True)),
        "barriers": list(_counts(data.PENINSULAS, state.barriers)),
        "wrath": int(state.wrath),
        "track_energy_taken": int(state.track_energy_taken),
        "blueprint": list(_counts(data.COMPONENTS, state.blueprint)),
        "built": _names(data.COMPONENTS, state.built),
        "built_this_round": int(state.built_this_round),
        "seats": [_seat(options, state, seat) for seat in range(players)],
        "placed": _placed(players, state),
        "volunteers": int(state.volunteers),
        "library": {
            "deck": _counts(data.CARDS, state.library_deck),
            "bottom": _names(data.CARDS, state.library_bottom),
            "discard": _counts(data.CARDS, state.library_discard),
        },
        "unused_artifacts": _bits(data.ARTIFACTS, int(state.unused_artifacts)),
        "misfortunes": {
            "deck": _counts(data.MISFORTUNES, state.misfortune_deck),
            "top": _names(data.MISFORTUNES, state.misfortune_top),
            "discard": _counts(data.MISFORTUNES, state.misfortune_discard),
        },
        "councilors": boards,
        "hologram": hologram,
        "effects": {
            "earthquake": int(state.earthquake),
            "atlas": dict(zip(data.PENINSULAS, state.atlas.tolist(), strict=False)),
            "closed": _bits(data.CLOSABLE, int(state.closed)),
            "build_limit": 1 if state.build_limit else None,
            "extra_floods": int(state.extra_floods),
        },
        "draws": [seat for seat in state.draws.tolist() if seat != NONE],
        "window": bool(state.window_open),
        **({"call": bool(state.call)} if options.casting_vote else {}),
        "held": held,
        "floods": int(state.floods),
        "pending": [frame_to_json(players, state, state.frames[number]) for number in range(state.num_frames)],
        "result": {"win": bool(state.result == Result.CORE), "reason": REASONS[state.result - 1]}
        if state.result
        else None,
    }


def _name(names: Sequence[str], number: int) -> str | None:
    return None if number == NONE else names[number]


def _names(names: Sequence[str], row: Any) -> list[str]:
    return [names[number] for number in row.tolist() if number != NONE]


def _counts(names: Sequence[str], row: Any) -> dict[str, int]:
    return {name: count for name, count in zip(names, row.tolist(), strict=True) if count}


def _bits(names: Sequence[str], bits: int) -> list[str]:
    return [name for number, name in enumerate(names) if bits >> number & 1]


def _seat(options: AtlantisRisingOptions, state: Record, seat: int) -> dict[str, Any]:
    document = {
        "councilor": _name(data.COUNCILORS, int(state.councilor[seat])),
        **dict(zip(data.GOODS, state.goods[seat].tolist(), strict=True)),
        "hand": _counts(data.BASIC_CARDS, state.hand[seat]),
        "artifacts": _bits(data.ARTIFACTS, int(state.artifacts[seat])),
        "scholar_artifact": _name(data.ARTIFACTS, int(state.scholar_artifact[seat])),
        "home": dict(zip(data.KINDS, state.home[seat].tolist(), strict=True)),
        **{key: int(state[field][seat]) for key, field in SEAT_NUMBERS.items()},
        "lifts": int(state.lifts[seat]),
        "yields": int(state.yields[seat]),
        "declines": int(state.declines[seat]),
        "barred": bool(state.barred[seat]),
        "used": _bits(data.USES, int(state.used[seat])),
    }
    if not options.hands_open:
        document["shown"] = _counts(data.BASIC_CARDS, state.public_hand[seat])
    return document


def _placed(players: int, state: Record) -> list[dict[str, Any]]:
    entries = []
    for location, seat in zip(*state.pieces[:, :players].nonzero(), strict=True):
        packed = int(state.pieces[location, seat])
        for kind, name in enumerate(data.KINDS):
            ready = packed >> READY_SHIFT[kind] & COUNT_MASK[kind]
            done = 0 if kind == Kind.AUTOMATON else packed >> DONE_SHIFT[kind] & COUNT_MASK[kind]
            if ready or done:
                at = data.LOCATIONS[location]
                entries.append({"at": at, "seat": int(seat), "kind": name, "ready": ready, "done": done})
    return entries
