"""Games as text: a replay lists every decision and every chance outcome, so it depends on no generator.

A file of JSON lines: the header (format, game, options, versions, start), one line per node, the end. Reading one back
plays it, so a damaged or dishonest file is found at its first wrong line. Nothing in it is evaluated.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

from atlantis_envs.base.files import parse_json, read_file, write_atomically
from atlantis_envs.base.values import Reader, one_line, repr_short
from atlantis_envs.engine.game import make_game
from atlantis_envs.engine.position import Position
from atlantis_envs.errors import AtlantisError, ReplayError, fault_text
from atlantis_envs.registry import definition, game_names

FORMAT = "atlantis-envs replay 1"
HEADER_KEYS = ("format", "game", "options", "versions", "start")
NAMED_KEYS = (*HEADER_KEYS, "seats")
SEAT_KEYS = ("name", "agent")
MOST_NAME = 40  # characters
CHANCE_KEYS = ("chance",)
DECISION_KEYS = ("seat", "action")
END_KEYS = ("end", "returns")


class Player(NamedTuple):
    """Who sat in a seat.

    Attributes:
        name: what to call them.
        agent: the text that names the agent; None: a person.
    """

    name: str
    agent: str | None = None


class Recorded(NamedTuple):
    """What a replay holds.

    Attributes:
        start: where it begins.
        end: where it leads to, with everything that happened in its log.
        players: who sat where; None where the file does not say.
    """

    start: Position
    end: Position
    players: tuple[Player, ...] | None = None

    @property
    def names(self) -> list[str] | None:
        """Return the names of the seats, where the file has them."""
        return None if self.players is None else [player.name for player in self.players]


def players_of(line_up: Sequence[str | None], names: Sequence[str | None] = ()) -> list[Player]:
    """Return who sits where, each with a name.

    Args:
        line_up: by seat the text that names an agent; None: a person.
        names: by seat; "" or None, and seats that are left: the last part of the agent's text, "you" for the only
            person, "person" for one of several.
    """
    person = "you" if list(line_up).count(None) == 1 else "person"
    usual = [person if text is None else text.rstrip("/").rsplit("/", 1)[-1] for text in line_up]
    given = [*names, *[None] * (len(usual) - len(names))]
    called = [one_line(name or other)[:MOST_NAME] for name, other in zip(given, usual, strict=True)]
    return [Player(name, text) for name, text in zip(called, line_up, strict=True)]


def replay_lines(
    position: Position, start: Position | None = None, players: Sequence[Player] | None = None
) -> Iterator[str]:
    """Yield the lines of a position's log.

    Args:
        position: where the game stands; its log is written.
        start: where its log began; None means the root.
        players: who sits where; None: the file does not say.
    """
    game = position.game
    header = {
        "format": FORMAT,
        "game": game.name,
        "options": {"players": game.players, **game.options.to_json()},  # not every game counts them as an option
        "versions": asdict(game.definition.versions),
        "start": None if start is None else start.to_json(),
        **({} if players is None else {"seats": [player._asdict() for player in players]}),
    }
    yield json.dumps(header)
    current = Position(game, game.root) if start is None else start.clone()
    for text in position.log:
        seat = current.seat
        yield json.dumps({"chance": text} if seat is None else {"seat": seat, "action": text})
        current.apply(text)
    if current.node == "over":
        yield json.dumps({"end": current.scores(), "returns": current.returns()})


def save_replay(
    path: str | Path, position: Position, start: Position | None = None, players: Sequence[Player] | None = None
) -> None:
    """Write a replay, atomically: the file is complete or was never there."""
    write_atomically(Path(path), "".join(line + "\n" for line in replay_lines(position, start, players)))


def load_replay(path: str | Path) -> Position:
    """Return the position a replay file leads to, its log filled; every line is checked against the rules.

    Raises:
        ReplayError: naming the line and what is wrong with it.
    """
    return load_recorded(path).end


def load_recorded(path: str | Path) -> Recorded:
    """Return where a replay file begins and where it leads to; see load_replay."""
    try:
        lines = read_file(path).decode("utf-8").splitlines()
    except UnicodeDecodeError:
        raise ReplayError(f"{repr_short(Path(path))}: not UTF-8 text") from None
    except ValueError as error:
        raise ReplayError(str(error)) from None
    return read_recorded(lines)


def read_replay(lines: Iterable[str]) -> Position:
    """Return the position that lines of a replay lead to; see load_replay."""
    return read_recorded(lines).end


def read_recorded(lines: Iterable[str]) -> Recorded:
    """Return where lines of a replay begin and where they lead to; see load_replay."""
    numbered = enumerate(lines, start=1)
    first = next(numbered, None)
    if first is None:
        raise ReplayError("line 1: missing; allowed: a replay header")
    header = _document(1, first[1], (HEADER_KEYS, NAMED_KEYS))
    position = _start(header)
    players = _players(header["seats"], position.game.players) if "seats" in header else None
    start = position.clone()
    ended = False
    for line_number, line in numbered:
        if ended:
            raise ReplayError(f"line {line_number}: after the end")
        ended = _play(position, line_number, _document(line_number, line, (CHANCE_KEYS, DECISION_KEYS, END_KEYS)))
    if position.node == "over" and not ended:
        raise ReplayError("the last line is missing; allowed: end and returns")
    return Recorded(start, position, players)


def _document(line_number: int, line: str, shapes: tuple[tuple[str, ...], ...]) -> dict[str, Any]:
    try:
        document = parse_json(line)
    except ValueError as error:
        raise ReplayError(f"line {line_number}: {one_line(error)}") from None
    if not isinstance(document, dict) or not any(set(document) == set(keys) for keys in shapes):
        allowed = " or ".join("{" + ", ".join(keys) + "}" for keys in shapes)
        raise ReplayError(f"line {line_number}: {repr_short(document)}; allowed: an object with keys {allowed}")
    return document


def _start(header: dict[str, Any]) -> Position:
    reader = Reader()
    reader.choice("format", header["format"], (FORMAT,))
    name = reader.choice("game", header["game"], game_names())
    options = header["options"]
    if not isinstance(options, dict) or not all(isinstance(key, str) for key in options):
        reader.fault("options", f"{repr_short(options)}; allowed: an object")
    if reader.faults:
        raise ReplayError("line 1: " + fault_text(reader.faults))
    try:
        others = {key: value for key, value in options.items() if key != "players"}
        game = make_game(definition(name), options.get("players"), None, others)  # never `data`: a file names no files
        versions = asdict(game.definition.versions)
        recorded = header["versions"]
        if not isinstance(recorded, dict) or recorded.get("rules") != versions["rules"]:
            raise ReplayError(f"line 1: versions: {repr_short(recorded)}; allowed here: rules {versions['rules']}")
        position = game.initial_position() if header["start"] is None else game.from_json(header["start"])
        if position.game != game:
            raise ReplayError("line 1: start: its options are not those of the header")
        return position
    except ReplayError:
        raise
    except (AtlantisError, TypeError) as error:
        raise ReplayError(f"line 1: {error}") from None


def _players(seats: Any, count: int) -> tuple[Player, ...]:
    """Return who sat where, by a header."""
    if not isinstance(seats, list) or len(seats) != count or not all(map(_is_player, seats)):
        allowed = f"{count} objects with a name of 1 to {MOST_NAME} characters and an agent, which is a text or null"
        raise ReplayError(f"line 1: seats: {repr_short(seats)}; allowed: {allowed}")
    return tuple(Player(one_line(seat["name"]), seat["agent"]) for seat in seats)


def _is_player(seat: Any) -> bool:
    if not isinstance(seat, dict) or set(seat) != set(SEAT_KEYS) or not isinstance(seat["name"], str):
        return False
    return 0 < len(seat["name"]) <= MOST_NAME and isinstance(seat["agent"], (str, type(None)))


def _play(position: Position, line_number: int, document: dict[str, Any]) -> bool:
    """Play one line; return whether it was the end."""
    if "end" in document:
        if position.node != "over":
            raise ReplayError(f"line {line_number}: end, but the node is {position.node!r}")
        if json.dumps([document["end"], document["returns"]]) != json.dumps([position.scores(), position.returns()]):
            raise ReplayError(
                f"line {line_number}: {repr_short(document)}; the game gives {position.scores()}, {position.returns()}"
            )
        return True
    if "chance" in document and position.node != "chance":
        raise ReplayError(f"line {line_number}: chance, but the node is {position.node!r}")
    if "action" in document and position.node != "decision":
        raise ReplayError(f"line {line_number}: action, but the node is {position.node!r}")
    if "action" in document and (type(document["seat"]) is not int or document["seat"] != position.seat):
        raise ReplayError(f"line {line_number}: seat {repr_short(document['seat'])}; allowed: {position.seat}")
    text = document.get("chance", document.get("action"))
    if not isinstance(text, str):
        raise ReplayError(f"line {line_number}: {repr_short(text)}; allowed: a text")
    try:
        position.apply(text)
    except AtlantisError as error:
        raise ReplayError(f"line {line_number}: {error}") from None
    return False
