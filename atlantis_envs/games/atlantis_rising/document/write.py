"""The position of Atlantis Rising as JSON, written in full (section 20); read.py reads it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from atlantis_envs.engine.definition import Record
from atlantis_envs.games.atlantis_rising import data
from atlantis_envs.games.atlantis_rising import state as s
from atlantis_envs.games.atlantis_rising.document.frames import frame_to_json
from atlantis_envs.games.atlantis_rising.options import AtlantisRisingOptions
from atlantis_envs.games.atlantis_rising.state import Result

SEAT_NUMBERS = {"spent_volunteers": "spent", "reserve": "reserve", "removed": "removed"}


def to_json(options: AtlantisRisingOptions, state: Record) -> dict[str, Any]:
    """The position as a document of plain values, keys in the order of section 20."""
    players = options.players
    few = players <= 2
    board, artifact = int(state.hologram), int(state.hologram_artifact)
    hologram = {"councilor": _name(data.COUNCILORS, board), "artifact": _name(data.ARTIFACTS, artifact)}
    stack, discard = _bits(data.COUNCILORS, state.stack_boards), _bits(data.COUNCILORS, state.discarded_boards)
    boards = {"stack": stack, "discard": discard}
    return {
        "game": "atlantis_rising",
        "players": players,
        "level": options.level,
        "options": options.differing(),
        "phase": s.PHASES[state.phase],
        "round": int(state.round_number),
        "first": int(state.first),
        "turn": int(state.turn),
        "passes": int(state.passes),
        "flooded": {name: int(count) for name, count in zip(data.PENINSULAS, state.flooded, strict=True)},
        "barriers": [name for name, there in zip(data.PENINSULAS, state.barriers, strict=True) if there],
        "wrath": int(state.wrath),
        "track_energy_taken": int(state.track_energy_taken),
        "blueprint": [name for name, there in zip(data.COMPONENTS, state.blueprint, strict=True) if there],
        "built": [data.COMPONENTS[component] for component in state.built if component != s.NONE],
        "built_this_round": int(state.built_this_round),
        "seats": [_seat(options, state, seat) for seat in range(players)],
        "placed": _placed(players, state),
        "volunteers": int(state.volunteers),
        "library": {
            "deck": _multiset(data.CARDS, state.library_deck),
            "bottom": [data.CARDS[card] for card in state.library_bottom if card != s.NONE],
            "discard": _multiset(data.CARDS, state.library_discard),
        },
        "unused_artifacts": _bits(data.ARTIFACTS, state.unused_artifacts),
        "misfortunes": {
            "deck": _multiset(data.MISFORTUNES, state.misfortune_deck),
            "top": [data.MISFORTUNES[kind] for kind in state.misfortune_top if kind != s.NONE],
            "discard": _multiset(data.MISFORTUNES, state.misfortune_discard),
        },
        "councilors": boards if few else None,
        "hologram": hologram if few else None,
        "effects": {
            "earthquake": int(state.earthquake),
            "atlas": {data.PENINSULAS[number]: int(state.atlas[number]) for number in range(data.NUM_WILD)},
            "closed": _bits(data.CLOSABLE, state.closed),
            "build_limit": 1 if state.build_limit else None,
            "extra_floods": int(state.extra_floods),
        },
        "draws": [int(seat) for seat in state.draws if seat != s.NONE],
        "window": bool(state.window_open),
        **({"call": bool(state.call)} if options.casting_vote else {}),
        "held": None
        if state.held_seat == s.NONE
        else {
            "seat": int(state.held_seat),
            "kind": data.KINDS[state.held_kind],
            "companion": _name(data.KINDS, int(state.held_companion)),
        },
        "floods": int(state.floods),
        "pending": [frame_to_json(players, state, state.frames[number]) for number in range(state.num_frames)],
        "result": {"win": bool(state.result == Result.CORE), "reason": s.REASONS[state.result - 1]}
        if state.result
        else None,
    }


def _name(names: Sequence[str], number: int) -> str | None:
    return None if number == s.NONE else names[number]


def _multiset(names: Sequence[str], counts: Any) -> dict[str, int]:
    return {name: int(count) for name, count in zip(names, counts, strict=True) if count}


def _bits(names: Sequence[str], bits: Any) -> list[str]:
    return [name for number, name in enumerate(names) if int(bits) >> number & 1]


def _seat(options: AtlantisRisingOptions, state: Record, seat: int) -> dict[str, Any]:
    document = {
        "councilor": _name(data.COUNCILORS, int(state.councilor[seat])),
        **{name: int(count) for name, count in zip(data.GOODS, state.goods[seat], strict=True)},
        "hand": _multiset(data.BASIC_CARDS, state.hand[seat]),
        "artifacts": _bits(data.ARTIFACTS, state.artifacts[seat]),
        "scholar_artifact": _name(data.ARTIFACTS, int(state.scholar_artifact[seat])),
        "home": {kind: int(count) for kind, count in zip(data.KINDS, state.home[seat], strict=True)},
        **{key: int(state[field][seat]) for key, field in SEAT_NUMBERS.items()},
        "lifts": int(state.lifts[seat]),
        "yields": int(state.yields[seat]),
        "declines": int(state.declines[seat]),
        "barred": bool(state.barred[seat]),
        "used": _bits(data.USES, state.used[seat]),
    }
    if not options.hands_open:
        document["shown"] = _multiset(data.BASIC_CARDS, state.public_hand[seat])
    return document


def _placed(players: int, state: Record) -> list[dict[str, Any]]:
    entries = []
    for location, name in enumerate(data.LOCATIONS):
        if state.crowd[location]:
            for seat in range(players):
                packed = int(state.pieces[location, seat])
                for kind in range(data.NUM_KINDS):
                    ready = packed >> s.READY_SHIFT[kind] & s.COUNT_MASK[kind]
                    done = 0 if kind == data.Kind.AUTOMATON else packed >> s.DONE_SHIFT[kind] & s.COUNT_MASK[kind]
                    if ready or done:
                        entries.append(
                            {"at": name, "seat": seat, "kind": data.KINDS[kind], "ready": ready, "done": done}
                        )
    return entries
