"""What `goldens` hashes of each game: documents, games and starts for the rules, and a stretch of seeded play.

Documents come from the slow games of `oracles` and from the rules files, and choices from `support.pick`: no code of
the library has a say in which positions are looked at. All lists here are as they were when the hashes were made;
lengthening one, or changing the start of a scenario, changes them.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import parity
from oracles.atlandice import OraclePosition as SlowAtlandice
from oracles.atlantis import OraclePosition as SlowAtlantis
from oracles.atlantis_rising import OraclePosition as SlowRising
from soak import VARIANTS

import atlantis_envs
from atlantis_envs.engine.game import Game
from helpers import atlandice_scenarios, atlantis_rising_scenarios, atlantis_scenarios
from helpers.support import Walk, pick, word

Document = dict[str, Any]
Options = dict[str, Any]

IDLE = ("ready", "pass", "yield", "decline", "contribute 0")
WHOLE = 10**6  # nodes, more than any game has
STREAM = 4_000  # nodes of seeded play of Atlandice
STOPS, STRIDE = 12, 125  # of a walk: how often it is looked at, nodes in between
SCENARIOS = {"atlandice": 120, "atlantis": 120, "atlantis_rising": 206}  # later ones are welcome and change no hash

ATLANTIS: tuple[Options, ...] = (
    {},
    {"preset": "brettspielwelt"},
    {
        "first_player": "random",
        "tile_set": "uniform",
        "sells_per_turn": "any",
        "bought_cards_pay": True,
        "sell_ones": False,
    },
    {
        "start_hand": [9, 3, 0, 26],
        "paid_cards": "discard",
        "bridge_after_move": False,
        "pass_bonus": True,
        "reshuffle": "when wanted",
        "overpay": "irredundant",
    },
    {
        "tile_set": {"A": {"ring 1": 20, "crown 7": 22}, "B": {"flag 3": 42}},
        "settlement": "subtract",
        "settlement_pawns": "all",
    },
)
RISING: tuple[Options, ...] = (
    {"level": 1},
    {"level": 2, "councilors": "draft", "hands_open": False, "divers": "flooded tile"},
    {"level": 3, "first_player": "random", "lift_budget": 1, "yield_budget": 0},
    {"level": 4, "force_artificer": True, "round_limit": 4, "decline_budget": 0},
    {"level": 5, "solo_energy": "every round", "solo_prices": "reduced", "automaton_dice": "per die"},
    {"level": 2, "casting_vote": True, "must_act": True, "truncation": 2},
)


class Slow(Protocol):
    """What is asked of a slow game."""

    @property
    def node(self) -> str: ...
    def legal_actions(self) -> list[str]: ...
    def chance_outcomes(self) -> dict[str, int]: ...
    def apply(self, text: str, /) -> object: ...
    def to_json(self) -> Document: ...


@dataclass(frozen=True)
class Source:
    """What is hashed of one game.

    Attributes:
        documents: positions that are observed, and at whose chance nodes is drawn.
        games: each played once from its root to its end.
        starts: positions from which some nodes are played.
        stretch: how many nodes.
        written: the position itself is part of the rules every so many nodes; what may happen always is.
        choose: what is played.
        stream: seeded play.
    """

    documents: Callable[[], Iterator[Document]]
    games: Callable[[], list[Game]]
    starts: Callable[[], Iterator[Document]]
    stretch: int
    written: int
    choose: Callable[..., str]
    stream: Callable[[], Iterator[bytes]]


def seen(slow: Slow, address: str, nodes: int, one_in: int) -> Iterator[Document]:
    """The first, the last if it is the end, and some more of so many nodes of play."""
    for ply in range(nodes):
        offered = sorted(slow.legal_actions() or slow.chance_outcomes())
        if ply == 0 or not offered or word("seen", address, ply) % one_in == 0:
            yield slow.to_json()
        if not offered:
            break
        slow.apply(lively(offered, address, ply))


def lively(offered: list[str], *address: object) -> str:
    """One of the offers; two times out of three one that does something, if there is one."""
    busy = [text for text in offered if text not in IDLE and not text.startswith("lift")]
    return str(pick(busy if busy and word("lively", *address) % 3 else offered, *address))


def walks(games: list[Game]) -> Iterator[bytes]:
    """Compiled random play of every game, and what is known where it stops."""
    for game in games:
        walk = Walk(game, parity.SEED)
        for stop in range(STOPS):
            if walk.advance(STRIDE):
                raise AssertionError(f"{game}: a walk is broken")
            yield walk.trail()
            yield parity.facts(walk.position(), stop)


# ---- Atlandice


def atlandice_documents() -> Iterator[Document]:
    """Every start of a scenario and every position of the slow game's play from it."""
    for scenario in atlandice_scenarios.load()[: SCENARIOS["atlandice"]]:
        slow = (
            SlowAtlandice.initial(atlandice_scenarios.options_of(scenario))
            if "root" in scenario.start
            else SlowAtlandice.from_json(atlandice_scenarios.start_position(scenario))
        )
        yield slow.to_json()
        for text in scenario.play:
            if not text.startswith("["):
                slow.apply(text)
                yield slow.to_json()


def atlandice_games() -> list[Game]:
    """Every number of players with every variant."""
    every = itertools.product((2, 3, 4), VARIANTS)
    return [atlantis_envs.game("atlandice", players=players, **options) for players, options in every]


# ---- Atlantis


def atlantis_games() -> list[Game]:
    """Every number of players with every variant."""
    every = itertools.product((2, 3, 4), ATLANTIS)
    return [atlantis_envs.game("atlantis", players=players, **options) for players, options in every]


def atlantis_tables() -> Iterator[tuple[str, SlowAtlantis]]:
    """An address and the root of every number of players with every variant."""
    for players, (number, options) in itertools.product((2, 3, 4), enumerate(ATLANTIS)):
        yield f"{players} {number}", SlowAtlantis.initial(players, options)


def atlantis_starts() -> Iterator[Document]:
    """The scenarios that do not begin at the root, and turns among much water."""
    for scenario in atlantis_scenarios.load()[: SCENARIOS["atlantis"]]:
        if "NEW" not in scenario.start:
            yield atlantis_scenarios.start_position(scenario)
    for address, slow in atlantis_tables():
        while slow.phase != "turn":
            slow.apply(pick(sorted(slow.chance_outcomes()), address, sum(slow.pile.values()), slow.space))
        for number in range(3):
            yield sunk(slow.to_json(), f"{address} {number}")


def sunk(document: Document, address: str) -> Document:
    """Half of the path under water, and pawns anywhere on the rest of it."""
    path = [tile if word("sunk", address, space) % 2 else None for space, tile in enumerate(document["path"])]
    free = [space for space, tile in enumerate(path) if tile]
    for number, seat in enumerate(document["seats"]):
        for pawn in range(2):
            seat["pawns"][pawn] = free.pop(word(address, number, pawn) % len(free))
        seat["tiles"] = {str(value): 1 + word(address, number, value) % 2 for value in range(2, 6)}
    bag = {}
    for side, part in (("A", slice(0, 26)), ("B", slice(26, 53))):
        hidden = [tile for tile, count in document["bag"][side].items() for _ in range(count)]
        bag[side] = dict(Counter(hidden[: sum("+" in (tile or "") for tile in path[part])]))
    return {**document, "path": path, "bag": bag}


def atlantis_documents() -> Iterator[Document]:
    """Some of the game of every table, and some of the play from every start."""
    for address, slow in atlantis_tables():
        yield from seen(slow, f"game {address}", WHOLE, one_in=8)
    for number, document in enumerate(atlantis_starts()):
        yield from seen(SlowAtlantis.from_json(document), f"start {number}", 24, one_in=4)


# ---- Atlantis Rising


def rising_tables(*shifts: int) -> Iterator[Options]:
    """Every number of players, each with as many of the variants as there are shifts."""
    for players, shift in itertools.product(range(1, 8), shifts):
        yield {"players": players, **RISING[(players - 1 + shift) % len(RISING)]}


def rising_games(*shifts: int) -> list[Game]:
    """The games of these tables."""
    return [atlantis_envs.game("atlantis_rising", **options) for options in rising_tables(*shifts)]


def rising_starts() -> Iterator[Document]:
    """The first case of every row of scenarios that does not begin at the root, and later rounds."""
    rows = itertools.groupby(atlantis_rising_scenarios.load(), key=lambda case: case.row)
    for _, cases in itertools.islice(rows, SCENARIOS["atlantis_rising"]):
        case = next(cases)
        if case.phase != "root":
            yield atlantis_rising_scenarios.start_position(case.phase, case.start)
    for number, options in enumerate(rising_tables(0, 2, 4)):
        slow = SlowRising.initial({**options, "round_limit": 30, "truncation": 30})
        for ply in itertools.count():
            if slow.phase == "deploy":
                break
            slow.apply(pick(sorted(slow.legal_actions() or slow.chance_outcomes()), "later", number, ply))
        yield later(slow.to_json(), f"later {number}")


def later(document: Document, address: str) -> Document:
    """A first deployment with components built, tiles flooded, goods and cards handed out."""
    nine = document["blueprint"][:-1]
    built = nine[: pick([2, 5, 8, 9], address)]
    document |= {"built": built, "blueprint": document["blueprint"][len(built) :]}
    document |= {"round": 2 + word(address, "round") % 8, "wrath": word(address, "wrath") % 6}
    document["flooded"] = {name: word(address, name) % 4 for name in document["flooded"]}
    for number, seat in enumerate(document["seats"]):
        seat |= {good: word(address, number, good) % 8 for good in atlantis_rising_scenarios.GOODS}
    deal(document, address)
    return document


def deal(document: Document, address: str) -> None:
    """A quarter of the deck, one of each kind, goes to the seats."""
    deck = document["library"]["deck"]
    for card in [card for card in deck if word(address, "card", card) % 4 == 0]:
        seat = document["seats"][word(address, "to", card) % document["players"]]
        deck[card] -= 1
        if card in atlantis_rising_scenarios.ARTIFACTS:
            seat["artifacts"] = sorted([*seat["artifacts"], card], key=atlantis_rising_scenarios.ARTIFACTS.index)
        else:
            seat["hand"][card] = seat["hand"].get(card, 0) + 1
    document["library"]["deck"] = {card: count for card, count in deck.items() if count}


def rising_documents() -> Iterator[Document]:
    """Some setups, some of a game of every number of players, and some of the play from every start."""
    for number, options in enumerate(rising_tables(0, 2)):
        yield from seen(SlowRising.initial(options), f"setup {number}", 40, one_in=4)
    for options in rising_tables(1):
        yield from seen(SlowRising.initial(options), f"game {options['players']}", WHOLE, one_in=24)
    for number, document in enumerate(rising_starts()):
        yield from seen(SlowRising.from_json(document), f"start {number}", 40, one_in=14)


# ---- all


SOURCES = {
    "atlandice": Source(
        documents=atlandice_documents,
        games=atlandice_games,
        starts=lambda: iter(()),
        stretch=0,
        written=1,
        choose=pick,
        stream=lambda: itertools.islice(parity.nodes(), STREAM),
    ),
    "atlantis": Source(
        documents=atlantis_documents,
        games=atlantis_games,
        starts=atlantis_starts,
        stretch=12,
        written=4,
        choose=pick,
        stream=lambda: walks(atlantis_games()),
    ),
    "atlantis_rising": Source(
        documents=rising_documents,
        games=lambda: rising_games(0),
        starts=rising_starts,
        stretch=40,
        written=6,
        choose=lively,
        stream=lambda: walks(rising_games(0, 1, 2, 3, 4)),
    ),
}
