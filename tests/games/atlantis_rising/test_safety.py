"""A position of Atlantis Rising that is accepted can be played: what cannot be is refused, with its place (section 20).

Starts are written as in section 23 of the rules file, then played on to the node in question and changed by hand.
"""

from __future__ import annotations

import copy
import random
from typing import Any

import pytest
from helpers import atlantis_rising_scenarios
from helpers.atlantis_rising_starts import from_the_gate, from_the_middle, random_options
from helpers.faults import play_out
from helpers.support import TEAMS, moves, play, scaled

import atlantis_envs
from atlantis_envs.engine.position import Position
from atlantis_envs.errors import PositionError
from atlantis_envs.games.atlantis_rising import data
from atlantis_envs.games.atlantis_rising import state as s

GAME = atlantis_envs.game("atlantis_rising")
Document = dict[str, Any]


def begun(phase: str, start: str, way: str) -> Document:
    """A start of section 23, played on."""
    document = atlantis_rising_scenarios.start_position(phase, atlantis_rising_scenarios._start_items(start))
    position = GAME.from_json(document)
    for text in way.split(" > ") if way else []:
        position.apply(text)
    return position.to_json()


def in_setup(way: int, **options: Any) -> Document:
    """So many events after the root."""
    game = atlantis_envs.game("atlantis_rising", **options)
    return play(game.initial_position(), way, random.Random(1)).to_json()


def changed(document: Document, changes: dict[str, Any]) -> Document:
    """A copy with the values at these places replaced."""
    document = copy.deepcopy(document)
    for path, value in changes.items():
        *way, last = path.split("/")
        target: Any = document
        for step in way:
            target = target[int(step) if step.isdigit() else step]
        target[int(last) if last.isdigit() else last] = value
    return document


def places_refused(document: Document) -> list[str]:
    """The JSON paths an error names."""
    before = copy.deepcopy(document)
    with pytest.raises(PositionError) as caught:
        GAME.from_json(document)
    assert document == before
    return [place for place, _ in caught.value.faults]


def play_soundly(document: Document, games: int = 2) -> None:
    """Accepted, and to the end every node is sound, observed within its limits, and read back as it was written."""
    for number in range(games):
        dice = random.Random(number)
        position = GAME.from_json(document)
        high = position.game.observation_high
        for _ in range(60):
            for seat in range(position.game.players):
                assert (position.observation(seat) <= high).all()
            assert GAME.from_json(position.to_json()) == position
            play(position, 1, dice)
        play_out(position, dice)


NONE_LEFT = {"misfortunes/deck": {}, "misfortunes/top": [], "misfortunes/discard": {}}
LIBRARY = ("act", "F0@libraries 1; art0 index of ages", "resolve > at libraries 1")
DRAWN = ["augury", "mystic font", "ebbing tide"]
HOLOGRAM = {"leader": 1, "hologram": 1, "follower": 4, "volunteer": 0, "automaton": 0}
SHARE = ("deploy", "E0=2; E1=3; fl hills=2", "barrier forests")
CITY = ("act", "F0,F1@cities 6; E0=9; E1=4", "resolve > at cities 6 > die 1 > die 2")
BUILD = ("act", "F0,F1@gate 1; crystal0=2; crystal1=2", "resolve > at gate 1 > build solar matrix")
DISPLACE = ("draw", "hand2 swift evacuation; F0@hills 1", "misfortune hills")
REPEAT = "resolve > at centre > pass > pass > pass > play cryptographic expertise"
WILD = ("act", "F0@hills 6; E0=4", "resolve > at hills 6 > die 3")
CENTRE = ("act", "F0@centre", "")
DRAIN = ("deploy", "E0=2; E1=3; fl hills=2", "drain hills")
DISCOUNT = (
    "act",
    "seat 0 artificer; L0,F1@gate 1; crystal0=2; crystal1=2",
    "resolve > at gate 1 > build solar matrix",
)
RICH = "; ".join(f"gold{seat}=9; E{seat}=9" for seat in range(4))
CORE = (
    "act",
    f"9 built; L0,F0,L1,L2,L3@gate 1; crystal0=9; crystal1=9; atlantium0=9; {RICH}",
    "resolve > at gate 1 > build power core",
)
LOOK = ("act", "hand0 augury", "play augury > look hills > look hills > look hills")
ENIGMA = "resolve > at centre > pass > pass > pass > play enigma of fervour"
WARD = ("draw", "hand0 warding rite; F0@centre", "misfortune calm seas > play warding rite")

REFUSED: list[tuple[tuple[str, str, str], dict[str, Any], str]] = [
    # cards that do not add up
    (("draw", "F0@centre", ""), {**NONE_LEFT, "misfortunes/deck": {"maelstrom": 1}}, "misfortunes"),
    (("draw", "F0@centre", ""), NONE_LEFT, "misfortunes"),
    (("act", "hand0 augury", "play augury > look hills > look hills > look hills"), NONE_LEFT, "misfortunes"),
    (("act", "F0@centre", ""), {"misfortunes/deck/hills": 5}, "misfortunes"),
    (("act", "F0@centre", ""), {"library/deck": {}}, "library"),
    (("act", "F0@centre", ""), {"library/deck/augury": 1}, "library"),
    (("act", "F0@centre", ""), {"library/deck/archive recovery": 3}, "phase"),
    (("act", "F0@centre", ""), {"library/discard": {"archive recovery": 1}}, "library"),
    (("act", "F0@centre", ""), {"unused_artifacts": []}, "unused_artifacts"),
    (("act", "F0@centre", ""), {"seats/0/artifacts": ["miner idol"]}, "unused_artifacts"),
    (("act", "seat 0 priest; F0@centre", ""), {"seats/0/scholar_artifact": "miner idol"}, "unused_artifacts"),
    # pieces
    (("act", "F0@centre", ""), {"seats/0/reserve": 31}, "seats[0].reserve"),
    (("act", "F0@centre", ""), {"seats/0/home/follower": 31}, "seats[0].home.follower"),
    (("act", "F0@centre", ""), {"seats/0/home/volunteer": 31}, "seats[0].home.volunteer"),
    (("act", "F0@centre", ""), {"seats/0/home/automaton": 1}, "seats[0].home.automaton"),
    (("act", "F0@centre", ""), {"placed/0/ready": 31}, "placed"),
    (("act", "F0@centre", ""), {"placed/0/ready": 5}, "placed"),
    (("act", "F0@centre", ""), {"seats/0/home/follower": 4}, "placed"),
    (("act", "F0@centre", ""), {"seats/3/home/volunteer": 1}, "volunteers"),
    (("act", "F0@centre", ""), {"seats/3/spent_volunteers": 1}, "volunteers"),
    (("act", "F0@centre", ""), {"phase": "wrath"}, "placed"),
    (("act", "built spirit seal; L0@spirit seal", ""), {"placed/0/ready": 0, "placed/0/done": 1}, "placed"),
    (("act", "built spirit seal; V0@spirit seal", ""), {"placed/0/ready": 0, "placed/0/done": 1}, "placed"),
    (("act", "n=1; home A", ""), {"phase": "deploy"}, "placed"),
    (("act", "n=2; F0@centre", ""), {"seats/1/home": HOLOGRAM, "seats/1/reserve": 3}, "hologram"),
    (("act", "n=2; F0@centre", ""), {"hologram/artifact": "miner idol"}, "hologram"),
    (("act", "n=2; H0@centre", ""), {"placed/0/seat": 1}, "hologram"),
    (("act", "n=2; H0@centre", ""), {"hologram/councilor": None}, "councilors"),
    (("act", "n=2; F0@centre", ""), {"councilors/stack": [], "councilors/discard": []}, "councilors"),
    (("deploy", "home F0", ""), {"seats/0/lifts": 9}, "seats[0].lifts"),
    (("deploy", "home F0", ""), {"seats/0/yields": 9}, "seats[0].yields"),
    # rounds
    (("draw", "n=7; F0@centre", ""), {"draws": [0] * 12}, "draws"),
    (("draw", "F0@centre", ""), {"draws": [0, 2, 1, 3]}, "draws"),
    (("draw", "F0@centre", ""), {"draws": [0, 0, 1, 1, 2, 3]}, "draws"),
    (("deploy", "home F0", ""), {"draws": [0]}, "draws"),
    (("act", "F0@centre", ""), {"effects/earthquake": 31}, "effects.earthquake"),
    (("act", "F0@centre", ""), {"effects/extra_floods": 31}, "effects.extra_floods"),
    (("act", "F0@centre", ""), {"seats/0/gold": 1_000_001}, "seats[0].gold"),
    (("act", "F0@centre", ""), {"built_this_round": 1}, "phase"),
    # built
    (("act", "8 built; F0@centre", ""), {"built/0": "power core", "blueprint": ["solar matrix"]}, "phase"),
    (("act", "built solar matrix; F0@centre", ""), {"built/0": "prism lens"}, "blueprint"),
    (("act", "F0@centre", ""), {"blueprint/0": "prism lens"}, "blueprint"),
    # frames: a library action
    (LIBRARY, {"pending/1/drawn": DRAWN}, "library"),
    (LIBRARY, {"pending/1/drawn": DRAWN, **{f"library/deck/{card}": 1 for card in DRAWN}}, "pending"),
    (LIBRARY, {"pending/1/draw": 0}, "pending"),
    (LIBRARY, {"pending/1/keep": 0}, "pending"),
    (LIBRARY, {"pending/1/stage": "more"}, "pending"),
    (LIBRARY, {"pending/1/seat": 1}, "pending"),
    (LIBRARY, {"pending/1/symbol": "keep 1, bottom 1"}, "pending"),
    # a payment
    (SHARE, {"pending/1/rest": 5}, "pending"),
    (SHARE, {"pending/1/rest": 0}, "pending"),
    (SHARE, {"pending/1/order": [0]}, "pending"),
    (SHARE, {"pending/1/order": [0, 2, 1, 3]}, "pending"),
    (SHARE, {"pending/1/gives": [2]}, "pending"),
    (SHARE, {"pending/1/gives": [0, 0, 0, 0]}, "pending"),
    (SHARE, {"pending/1/type": "gold"}, "pending"),
    (SHARE, {"pending/1/for": "drain"}, "pending"),
    (SHARE, {"barriers": ["forests"]}, "pending"),
    (SHARE, {"flooded/forests": 6}, "pending"),
    (SHARE, {"seats/1/energy": 1}, "pending"),
    (SHARE, {"seats/0/barred": True}, "pending"),
    (SHARE, {"pending/0": {"do": "card", "seat": 0, "card": "augury", "target": None}}, "library"),
    # cities
    (CITY, {"pending/2/rest": 8}, "pending"),
    (CITY, {"pending/2/order": [0, 1, 2]}, "pending"),
    (CITY, {"pending/1/dice": [1, 1]}, "pending"),
    (CITY, {"pending/1/dice": [6, 6]}, "pending"),
    (CITY, {"pending/1/stage": "recruit"}, "pending"),
    (CITY, {"pending/1/priest": True}, "pending"),
    (CITY, {"seats/0/energy": 3, "seats/1/energy": 3}, "pending"),
    # a build
    (BUILD, {"pending/1/price/crystal": 1}, "pending"),
    (BUILD, {"pending/1/price": None}, "pending"),
    (BUILD, {"pending/1/component": "power core"}, "pending"),
    (BUILD, {"pending/1/at": "gate 2"}, "pending"),
    (BUILD, {"pending/1/at": "gate 3"}, "pending"),
    (BUILD, {"pending/1/paid/0": {"gold": 1}}, "pending"),
    (BUILD, {"pending/1/paid/3": {"crystal": 1}}, "pending"),
    (BUILD, {"pending": [{"do": "turn"}]}, "pending"),
    (BUILD, {"seats/0/crystal": 0, "seats/1/crystal": 1}, "pending"),
    # dice in the wild
    (WILD, {"pending/1/target": 7}, "pending"),
    (WILD, {"pending/1/bonus": 1}, "pending"),
    (WILD, {"pending/1/value": 7}, "pending"),
    (WILD, {"pending/1/priest": True}, "pending"),
    (WILD, {"pending/1/stage": "priest"}, "pending"),
    (WILD, {"pending/1/at": "forests 5"}, "pending"),
    # people in the water
    (DISPLACE, {"pending/1/ask": [1]}, "pending"),
    (DISPLACE, {"pending/1/ask": [2, 2]}, "pending"),
    (DISPLACE, {"pending/1/tiles": ["hills 2"]}, "pending"),
    (DISPLACE, {"pending/1/tiles": ["hills 1", "hills 1"]}, "pending"),
    (DISPLACE, {"pending/1/tiles": []}, "pending"),
    (DISPLACE, {"pending/0/left": 2, "pending/0/card": "calm seas"}, "misfortunes"),
    (DISPLACE, {"pending/0/not": "forges"}, "pending"),
    (DISPLACE, {"window": True}, "pending"),
    # cards and components that ask something
    (("act", "L0@centre; hand0 cryptographic expertise; E0=1", ""), {"pending": [{"do": "turn"}]}, "pending"),
    (
        ("act", "L0@centre; hand0 cryptographic expertise", REPEAT),
        {"placed/0/ready": 1, "placed/0/done": 0},
        "pending",
    ),
    (("act", "hand0 mystic font", "play mystic font"), {"pending/1/target": 1}, "pending"),
    (("act", "hand0 mystic font", "play mystic font"), {"pending/1/seat": 1}, "pending"),
    (("act", "hand0 augury", "play augury"), {"pending/2/depth": 4}, "pending"),
    (("act", "hand0 augury", "play augury"), {"pending/2/left": 2}, "pending"),
    (("act", "hand0 augury", "play augury"), {"pending/2/open": False}, "pending"),
    (("act", "hand0 transmutation; gold0=1", "play transmutation"), {"pending/2/left": 3}, "pending"),
    (("act", "hand0 transmutation; gold0=1", "play transmutation"), {"pending/2/given": "ore"}, "pending"),
    (("act", "hand0 transmutation; gold0=1", "play transmutation"), {"seats/0/gold": 0}, "pending"),
    (("act", "hand0 warding rite", "play warding rite"), {"pending/2/left": 2}, "pending"),
    (("act", "hand0 ebbing tide; fl hills=1", "play ebbing tide"), {"flooded/hills": 0}, "pending"),
    (("act", "built muster array; F0@centre", ""), {"pending": [{"do": "muster", "seat": 0, "left": 2}]}, "pending"),
    (("deploy", "home F0", "place follower"), {"seats/0/home/follower": 0}, "pending"),
    (("deploy", "home F0", "place follower"), {"pending/1/seat": 1, "seats/1/home/follower": 1}, "pending"),
    (("deploy", "F0@hills 1", "lift follower"), {"seats/0/lifts": 0}, "pending"),
    (("act", "F0@centre", "resolve"), {"effects/closed": ["centre"]}, "pending"),
    # an end that is none, a beginning that is none, and what belongs to another phase
    (CENTRE, {"phase": "over", "result": {"win": False, "reason": "sunk"}}, "phase"),
    (CENTRE, {"phase": "over"}, "phase"),
    (CENTRE, {"result": {"win": False, "reason": "sunk"}}, "phase"),
    (
        CENTRE,
        {
            "phase": "over",
            "result": {"win": True, "reason": "core"},
            "built": ["power core"],
            "blueprint": ["solar matrix"],
        },
        "blueprint",
    ),
    (CENTRE, {"round": 0}, "phase"),
    (CENTRE, {"window": True}, "phase"),
    (CENTRE, {"floods": 3}, "phase"),
    (CENTRE, {"held": {"seat": 0, "kind": "leader", "companion": None}}, "phase"),
    (("draw", "F0@centre", ""), {"passes": 1}, "phase"),
    (("draw", "F0@centre", ""), {"turn": 1}, "phase"),
    (CENTRE, {"flooded/hills": 6, "barriers": ["hills"]}, "barriers"),
    # who stands or is where
    (CENTRE, {"placed/0/at": "gate 3"}, "placed"),
    (CENTRE, {"placed/0/at": "prism lens"}, "placed"),
    (CENTRE, {"placed/0/kind": "automaton"}, "placed"),
    (("act", "n=1; F0@centre; A@centre", ""), {"seats/0/home/automaton": 1}, "placed"),
    (CENTRE, {"seats/0/hand": {"augury": 2}}, "seats"),
    (CENTRE, {"seats/0/councilor": None}, "councilors"),
    (CENTRE, {"councilors": {"stack": ["priest"], "discard": []}}, "councilors"),
    (CENTRE, {"hologram": {"councilor": "priest", "artifact": None}}, "hologram"),
    (("act", "n=2; F0@centre", ""), {"councilors/stack": ["priest"]}, "councilors"),
    # payments and builds once more
    (DRAIN, {"flooded/hills": 0}, "pending"),
    (DRAIN, {"pending/1/rest": 1}, "pending"),
    (DRAIN, {"pending/1/for": "cities"}, "pending"),
    (BUILD, {"seats/0/barred": True}, "pending"),
    (BUILD, {"seats/3/crystal": 1, "pending/1/paid/3": {"crystal": 1}}, "pending"),
    (DISCOUNT, {"pending/1/component": "prism lens"}, "pending"),
    (DISCOUNT, {"pending/1/price/crystal": 1}, "pending"),
    (DISCOUNT, {"seats/0/crystal": 0, "seats/1/crystal": 0}, "pending"),
    (("act", BUILD[1], "resolve > at gate 1"), {"seats/0/crystal": 0, "seats/1/crystal": 0}, "pending"),
    (CORE, {"placed/0/at": "centre"}, "pending"),
    # cards, misfortunes and dice once more
    (LOOK, {"pending/2/open": True}, "pending"),
    (LOOK, {"pending/2/left": 0}, "pending"),
    (("act", "hand0 warding rite", "play warding rite"), {"pending/2/may": True}, "pending"),
    (WARD, {"passes": 1}, "pending"),
    (WARD, {"pending": [{"do": "turn"}]}, "library"),
    (
        ("act", "hand0 augury", "play augury"),
        {"pending/1/card": "warding rite", "library/deck/augury": 2, "library/deck/warding rite": 1},
        "pending",
    ),
    (
        ("act", "hand0 mystic font", "play mystic font"),
        {"pending/1/card": "call for aid", "library/deck/mystic font": 2, "library/deck/call for aid": 1},
        "pending",
    ),
    (("act", "L0@centre; hand0 enigma of fervour", ENIGMA), {"placed/0/ready": 1, "placed/0/done": 0}, "pending"),
    (("deploy", "F0@hills 1", "lift follower"), {"pending/1/kind": "volunteer"}, "pending"),
    (("draw", "F0@centre", "misfortune controlled flooding"), {"pending/0/left": 0}, "pending"),
    (("draw", "F0@centre", "misfortune controlled flooding"), {"pending/0/left": 2}, "pending"),
    (DISPLACE, {"pending/1/tiles": ["hills 1", "forests 1"]}, "pending"),
    (DISPLACE, {"flooded/hills": 0}, "pending"),
    (WILD, {"pending/1/value": None}, "pending"),
    (WILD, {"pending/1/stage": "roll"}, "pending"),
    (LIBRARY, {"pending/1/drawn": ["augury"]}, "library"),
    (LIBRARY, {"pending/1/stage": "keep"}, "pending"),
]


@pytest.mark.parametrize(("start", "changes", "place"), REFUSED, ids=lambda part: str(part)[:60])
def test_20_what_cannot_be_played_is_refused_with_its_place(
    start: tuple[str, str, str], changes: dict[str, Any], place: str
) -> None:
    document = begun(*start)
    assert GAME.from_json(document).faults() == []
    assert place in places_refused(changed(document, changes))


FIVE = {"first_player": 2, "level": 4, "councilors": "random", "force_artificer": True}
SETUPS: list[tuple[int, dict[str, Any], dict[str, Any], str]] = [
    (1, {}, {"unused_artifacts": ["miner idol"]}, "unused_artifacts"),
    (1, {}, {"library/deck": {}}, "library"),
    (1, {}, {"library/deck/archive recovery": 1}, "library"),
    (1, {}, {"library/discard": {"augury": 1}, "library/deck/augury": 1}, "phase"),
    (1, {}, {"draws": [0]}, "draws"),
    (1, {}, {"built": ["solar matrix"]}, "built[0]"),
    (1, FIVE, {"built": ["solar matrix"]}, "built"),
    (1, FIVE, {"blueprint": ["solar matrix", "power core"]}, "phase"),
    (1, FIVE, {"first": 0, "turn": 0}, "phase"),
    (1, FIVE, {"pending/0/step": "councilor"}, "phase"),
    (1, FIVE, {"pending/0/step": "first"}, "phase"),
    (1, FIVE, {"flooded/hills": 1}, "phase"),
    (1, FIVE, {"seats/0/energy": 9}, "phase"),
    (1, FIVE, {"pending": []}, "phase"),
    (5, FIVE, {"blueprint": ["soul terraformer", "power core"]}, "blueprint"),
    (14, FIVE, {"pending/0/step": "artificer"}, "phase"),
    (14, FIVE, {"pending/0/step": "draft"}, "phase"),
]


@pytest.mark.parametrize(("way", "options", "changes", "place"), SETUPS, ids=lambda part: str(part)[:60])
def test_3_a_game_in_setup_has_only_what_setup_deals(
    way: int, options: dict[str, Any], changes: dict[str, Any], place: str
) -> None:
    document = in_setup(way, **options)
    assert document["phase"] == "setup"
    assert place in places_refused(changed(document, changes))


def test_11_7_a_scholar_draws_two_different_artifacts_with_the_symbol() -> None:
    councilors = ["scholar", "priest", "orator"]
    document = in_setup(5, players=3, councilors=councilors)
    assert document["pending"][0]["do"] == "scholar" and len(document["pending"][0]["seen"]) == 1
    [seen] = document["pending"][0]["seen"]
    for wrong in ([seen, seen], ["mystic conduit"], ["bottomless satchel", seen]):
        assert "pending" in places_refused(changed(document, {"pending/0/seen": wrong}))
    assert "unused_artifacts" in places_refused(changed(document, {"unused_artifacts": [seen]}))
    assert "phase" in places_refused(changed(document, {"pending/0/seat": 1}))
    few = [name for name in document["unused_artifacts"] if name not in data.ARTIFACTS[:6]]
    assert "unused_artifacts" in places_refused(changed(document, {"unused_artifacts": [seen, *few]}))


def test_4_4_boards_are_turned_up_only_before_there_is_a_hologram() -> None:
    document = in_setup(5, players=2, councilors=["priest", "orator"])
    assert document["pending"][0]["do"] == "board"
    [first] = document["pending"][0]["seen"]
    for wrong in ([first, first], ["priest"], []):
        assert places_refused(changed(document, {"pending/0/seen": wrong})) == ["councilors"]
    assert "councilors" in places_refused(changed(document, {"hologram/councilor": first}))


PLAYABLE: list[tuple[tuple[str, str, str], dict[str, Any]]] = [
    # the deck is nearly used up, or used up; what is missing lies in the discard
    (("draw", "n=7; misfortune deck -; F0@centre", ""), {}),
    (("act", "n=7; library deck -; F0@libraries 1", ""), {}),
    # as rich as can be, and nothing is lost of what can be read
    (("act", "F0@centre x2; E0=0", ""), {"seats/0/energy": data.MOST_GOODS, "seats/1/energy": data.MOST_GOODS}),
    (("act", "F0@hills 1 ; L0@forges 1", ""), {"seats/0/ore": data.MOST_GOODS, "seats/0/gold": data.MOST_GOODS}),
    # effects at their limit
    (("draw", "F0@hills 1", ""), {"effects/earthquake": 30, "effects/extra_floods": 30}),
    (("act", "F0@hills 1; hand0 ancient atlas", ""), {"effects/atlas/hills": 15, "effects/earthquake": 30}),
    # the longest phase 2
    (("draw", "n=7; F0@centre", ""), {"draws": [0, 0, 0, 0, 1, 2, 3, 4, 5, 6]}),
    # copies of archive recovery that have left the game, and pieces that cannot act where they stand
    (("act", "F0@libraries 1; hand0 archive recovery; discard augury", ""), {"library/deck/archive recovery": 0}),
    (("act", "F0@libraries 1", ""), {"library/deck/archive recovery": 0}),
    (("act", "built spirit seal; L0,V0@spirit seal", ""), {}),
    (("act", "n=1; built spirit seal; F0,A@spirit seal; L0@centre", ""), {}),
    (LIBRARY, {}),
    (SHARE, {}),
    (CITY, {}),
    (BUILD, {}),
    (DISPLACE, {}),
    (WILD, {}),
    (("act", "n=1; L0@centre; F0@centre x3; V0@gate 1; A@centre", ""), {}),
    (("deploy", "n=1; seat 0 astrologer; home L0, A; F0@hills 3", ""), {}),
    (("act", "built soul terraformer; F0,L1@soul terraformer; fl hills=3", "resolve > at soul terraformer"), {}),
]


@pytest.mark.parametrize(("start", "changes"), PLAYABLE, ids=lambda part: str(part)[:60])
def test_20_what_is_accepted_can_be_played(start: tuple[str, str, str], changes: dict[str, Any]) -> None:
    play_soundly(changed(begun(*start), changes), scaled(1, 20))


@pytest.mark.parametrize("players", range(1, 8))
def test_5_2_all_pieces_of_the_game_in_one_place(players: int) -> None:
    """Every follower recruited, every volunteer taken: the largest crowd there can be."""
    document = begun("deploy", f"n={players}; supply 0", "")
    own = GAME.from_json(document).game.options.tables["players"][players]
    followers, volunteers = own["followers"] + own["reserve"], 8 // players
    document["placed"] = []
    for seat, entry in enumerate(document["seats"]):
        counts = {"leader": 1, "follower": followers, "volunteer": volunteers}
        document["placed"] += [
            {"at": "centre", "seat": seat, "kind": kind, "ready": count, "done": 0} for kind, count in counts.items()
        ]
        entry["reserve"] = 0
    crowd = players * (1 + followers + volunteers)
    assert GAME.from_json(document).state.crowd[0, data.CENTRE] == crowd
    play_soundly(document, 1)
    document["placed"][1]["ready"] += 1
    assert "placed" in places_refused(document)


def test_2_3_a_crowd_never_leaves_its_byte_whatever_the_data_say() -> None:
    """Seven seats with as many pieces as tables allow."""
    tables = {
        "players": [{"players": 7, "followers": 7, "reserve": 7}],
        "constants": {"volunteers": {"value": 15}},
    }
    game = atlantis_envs.game("atlantis_rising", players=7, data=tables)
    position = game.initial_position()
    dice = random.Random(1)
    while position.to_json()["phase"] != "deploy":
        play(position, 1, dice)
    document = position.to_json()
    document["volunteers"] = 0
    document["placed"] = []
    for seat, entry in enumerate(document["seats"]):
        entry["home"] = {"leader": 0, "hologram": 0, "follower": 0, "volunteer": 0, "automaton": 0}
        entry["reserve"] = 0
        for kind, count in (("leader", 1), ("follower", 14), ("volunteer", 3 if seat == 0 else 2)):
            document["placed"].append({"at": "centre", "seat": seat, "kind": kind, "ready": count, "done": 0})
    full = game.from_json(document)
    assert full.state.crowd[0, data.CENTRE] == 7 * 15 + 15
    assert (full.observation(3) <= game.observation_high).all()
    play_out(full, dice)


# ---- what play reaches is accepted


@pytest.mark.parametrize("players", TEAMS)
def test_20_every_node_of_random_play_is_accepted_as_it_stands(players: int) -> None:
    """From the root with options of every kind, from the middle and from the gate; frames of every kind among them."""
    frames = set()
    for number in range(scaled(3, 300)):
        dice = random.Random(f"{players} {number}")
        if number % 3 == 0:
            position = atlantis_envs.game("atlantis_rising", **random_options(players, dice)).initial_position()
        else:
            position = (from_the_middle, from_the_gate)[number % 3 - 1](players, dice)[0]
        for _ in range(scaled(50, 90)):
            again = GAME.from_json(position.to_json())
            assert again == position and moves(again) == moves(position)
            top = int(position.state.num_frames[0]) - 1
            frames.add(int(position.state.frames[0, top, s.Column.DO]) if top >= 0 else 0)
            if position.node == "over":
                break
            position.apply(busy(position, dice))
    assert len(frames) > scaled(6, 18)


def busy(position: Position, dice: random.Random) -> str:
    """Mostly something that does something."""
    offered = moves(position)
    better = [text for text in offered if text not in ("ready", "pass", "yield", "decline", "lift leader")]
    return dice.choice(better if better and dice.random() < 0.7 else offered)


def concealed(document: Document) -> Document:
    """The same with hands that nobody else knows."""
    return changed(document, {"options/hands_open": False, **{f"seats/{seat}/shown": {} for seat in range(4)}})


def test_15_2_what_a_seat_draws_is_redrawn_for_all_others() -> None:
    document = concealed(begun(*LIBRARY[:2], f"{LIBRARY[2]} > library augury > library mystic font"))
    position = GAME.from_json(document)
    drawn = position.to_json()["pending"][-1]["drawn"]
    assert drawn == ["augury", "mystic font"]
    for seat in range(4):
        twins = [position.resample(seat, seed) for seed in range(9)]
        assert all((twin.observation(seat) == position.observation(seat)).all() for twin in twins)
        found = {tuple(twin.to_json()["pending"][-1]["drawn"]) for twin in twins}
        assert found == {tuple(drawn)} if seat == 0 else len(found) > 3


def test_6_5_whoever_is_asked_for_a_swift_evacuation_is_known_to_have_one() -> None:
    position = GAME.from_json(concealed(begun(*DISPLACE)))
    assert position.seat == 2
    for seed in range(9):
        for seat in (0, 2):
            twin = position.resample(seat, seed)
            assert twin.to_json()["seats"][2]["hand"] == {"swift evacuation": 1} and twin.check() == 0


def test_15_2_where_play_can_come_there_is_always_a_law_to_redraw() -> None:
    """The seat that is asked in a window keeps a reason to be asked, however few deals give it one."""
    document = begun("draw", "hand1 warding rite; hand2 swift evacuation; F0@centre", "misfortune calm seas")
    document["options"]["hands_open"] = False
    for seat in document["seats"]:
        seat["shown"] = {}
    deck, discard = document["library"]["deck"], document["library"]["discard"]
    for card in list(deck):  # public: nothing in the deck helps in a window
        if card in data.BASIC_CARDS and card not in ("swift evacuation", "call for aid", "enigma of fervour"):
            discard[card] = deck.pop(card)
    position = GAME.from_json(document)
    assert (position.seat, position.legal_actions()[0]) == (1, "pass")
    for seed in range(scaled(4_000, 100_000)):
        other = position.resample(0, seed)
        assert other.state.hand[0, 1, data.Basic.WARDING_RITE] == 1, seed
    assert other.faults() == [] and other.legal_actions() == position.legal_actions()


def test_7_2_one_who_may_pass_while_another_has_to_act_counts_no_further_than_play() -> None:
    """With must_act a seat without a duty may pass again and again; the count stays where play can have brought it."""
    game = atlantis_envs.game("atlantis_rising", players=3, must_act=True)
    tried = 0
    for seed in range(12):
        position, dice = game.initial_position(), random.Random(seed)
        for _ in range(400):
            position.apply(dice.choice(position.legal_actions() or list(position.chance_outcomes())))
            if position.node != "decision" or "pass" not in position.legal_actions():
                continue
            for passes in (3, 4, 5):
                try:
                    crowded = game.from_json(position.to_json() | {"passes": passes})
                except PositionError:
                    continue
                if "pass" in crowded.legal_actions():
                    crowded.apply("pass")
                    tried += 1
                    assert crowded.check() == 0, (seed, passes, crowded.faults())
    assert tried > 0
