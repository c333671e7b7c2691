"""The slow Atlandice keeps every scenario of its rules file; its random games obey sections 16 and 17."""

from __future__ import annotations

import json
import random
import re
from typing import Any

import atlandice_scenarios
import pytest
from oracles.atlandice import ACTIONS, DISTRICTS, HOME, LINKED, MARKET, SECTORS, TILES, TYPES, OraclePosition
from scenarios import Scenario

SCENARIOS = atlandice_scenarios.load()
ALL_SCENARIOS = SCENARIOS + atlandice_scenarios.load_further()
INSIDE_A_VISIT = {
    *("take", "bonus", "effect", "extra", "raid", "raid_take", "swap_out", "swap_with", "swap_in"),
    *("move_type", "move_to", "die_from", "die_to", "submarine", "roll", "reroll"),
}


# ---- scenarios (section 18)


def test_the_rules_file_has_120_scenarios() -> None:
    assert [scenario.id for scenario in SCENARIOS] == [f"T{number:03}" for number in range(1, 121)]


@pytest.mark.parametrize("scenario", ALL_SCENARIOS, ids=lambda scenario: scenario.id)
def test_scenario(scenario: Scenario) -> None:
    atlandice_scenarios.run(scenario, OraclePosition.from_json, OraclePosition.initial)


@pytest.mark.parametrize("scenario", ALL_SCENARIOS, ids=lambda scenario: scenario.id)
def test_scenario_start_is_valid(scenario: Scenario) -> None:
    if "root" not in scenario.start:
        position = OraclePosition.from_json(atlandice_scenarios.start_position(scenario))
        check_position(position.to_json())


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("hand 3", "hand 4"),
        ("node donate", "node visit"),
        ("actor 0", "actor 1"),
        ("F{W4}", "F{W5}"),
        ("s0{W2,G1}", "s0{W2}"),
        ("dice F0 M1", "dice F0 M2"),
        ("take gem", "take book"),
        ("roll 6", "[chance roll 6]"),
    ],
)
def test_a_scenario_that_is_wrong_fails(old: str, new: str) -> None:
    """The runner sees a difference in any part of the first scenario."""
    right = SCENARIOS[0]
    play, end = (tuple(new if item == old else item for item in part) for part in (right.play, right.end))
    assert (play, end) != (right.play, right.end)
    scenario = Scenario(right.id, right.title, right.heading, right.start, play, end)
    with pytest.raises(AssertionError, match="T001"):
        atlandice_scenarios.run(scenario, OraclePosition.from_json, OraclePosition.initial)


def test_example_position_of_17_6() -> None:
    """The position printed in the rules file survives, and goes on as its caption says."""
    text = atlandice_scenarios.RULES_FILE.read_text(encoding="utf-8")
    [block] = re.findall(r"^```json\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    position = OraclePosition.from_json(json.loads(block))
    assert position.to_json() == json.loads(block)
    for node, chosen in [("take", "take book"), ("bonus", "take gem"), ("extra", "take book")]:
        assert position.to_json()["node"] == node
        assert position.legal_actions() == (["take book"] if node == "extra" else ["take gem", "take book"])
        position.apply(chosen)


def test_action_table() -> None:
    """Ids of 10.3 where its rows begin and end."""
    texts = [text for text, _, _ in ACTIONS]
    assert len(texts) == len(set(texts)) == 72
    rows = {
        0: "visit jeweler",
        11: "visit market for neutral",
        12: "take gem",
        17: "raid jeweler",
        18: "raid inn",
        20: "raid forge",
        21: "swap out gem",
        26: "swap with library",
        30: "swap in gem",
        35: "move gem",
        40: "move to jeweler",
        45: "die from jeweler",
        51: "die to jeweler",
        57: "submarine to jeweler",
        62: "submarine to market",
        63: "pay gem",
        68: "stop paying",
        69: "use effect",
        70: "decline effect",
        71: "decline bonus",
    }
    assert {number: texts[number] for number in rows} == rows


# ---- random games (sections 16, 17)


def random_options(players: int, dice: random.Random) -> dict[str, Any]:
    """Options of section 14, each left out or drawn from all its values."""
    inner = ["none", "donation", "total", *TYPES]
    track = ["start", *dice.choices(inner, k=dice.randrange(0, 25)), "end"]
    ranked = [where for where in ("district", "inventory", "final") if dice.random() < 0.5]
    choices: dict[str, list[Any]] = {
        "clock": ["A20", "B24", "C16", track, track],
        "needles": [{key: dice.randint(1, 3) for key in dice.sample([*TILES, MARKET], 5)}],
        "optional_effects": [True, False],
        "min_to_rank": [0, 1],
        "orphan_dice": ["market", "stay"],
        "same_type_exchange": [True, False],
        "machinery_block": ["visit", "round"],
        "l3_counts": ["seat", "beneficiary"],
        "neutral_ranked": [ranked],
        "chain_cap": [1, 2, 10],
    }
    drawn = {name: dice.choice(values) for name, values in choices.items() if dice.random() < 0.7}
    return {"players": players, **drawn}


def sparse_table(position: OraclePosition, dice: random.Random) -> OraclePosition:
    """The same root with few pieces, so that Districts empty, go bare and exhaust often (17.3)."""
    data = position.to_json()
    for name, sector in data["sectors"].items():
        drawn = {kind: dice.randint(0, 2) for kind in (TYPES if name == MARKET else [LINKED[name]])}
        sector["resources"] = {kind: number for kind, number in drawn.items() if number}
    data["bare"] = [x for x in DISTRICTS if not data["sectors"][x]["resources"]]
    return OraclePosition.from_json(data)


def node_bound(data: dict[str, Any]) -> int:
    """The most nodes a game can have (16.3)."""
    options = data["options"]
    n: int = options["players"]
    dice, per_type = (9, 12) if n == 4 else (7, 10)
    spaces: list[str] = OraclePosition.initial(options).spaces
    per_visit = 46 + (11 if options["optional_effects"] else 0)
    rounds = (len(spaces) - 1) * (dice + per_visit * (dice - 1))
    return rounds + 11 + spaces.count("donation") * (5 * per_type + n)


def check_position(data: dict[str, Any], in_play: dict[str, int] | None = None) -> None:
    """What 17.2 to 17.4 say of every position; in_play is the number of pieces kept per type (17.3)."""
    sectors = data["sectors"]
    dead = [x for x in DISTRICTS if sectors[x]["tile"] is None and not sectors[x]["hidden"]]
    check_pieces(data, dead, in_play)
    check_dice(data, dead)
    tiles = [tile for x in DISTRICTS for tile in [sectors[x]["tile"], *sectors[x]["hidden"]] if tile]
    tiles += [tile for side in data["participants"] for tile in side["tiles"]]
    assert len(tiles) == len(set(tiles))
    check_bare(data, dead)
    check_actor(data)


def pieces_on_table(data: dict[str, Any]) -> dict[str, int]:
    """The number of pieces of each type, wherever they are."""
    heaps = [sector["resources"] for sector in data["sectors"].values()]
    heaps += [side["stock"] for side in data["participants"]]
    assert all(number > 0 for heap in heaps for number in heap.values())
    return {kind: sum(heap.get(kind, 0) for heap in heaps) for kind in TYPES}


def check_pieces(data: dict[str, Any], dead: list[str], in_play: dict[str, int] | None) -> None:
    """Pieces per type: constant while live, none when not (2.2, 17.3, 17.4)."""
    for kind, number in pieces_on_table(data).items():
        if HOME[kind] in dead:
            assert number == 0
        else:
            assert number <= 12 if in_play is None else number == in_play[kind]
    assert not any(data["sectors"][x]["resources"] for x in dead)


def check_dice(data: dict[str, Any], dead: list[str]) -> None:
    """The number of dice lying, and none beside a dead District unless they stay (17.4)."""
    total = 9 if data["options"]["players"] == 4 else 7
    lying = [data["sectors"][s]["dice"] for s in SECTORS]
    assert min(lying) >= 0
    if data["options"]["orphan_dice"] == "market" or data["node"] == "die":
        assert not any(data["sectors"][x]["dice"] for x in dead)
    if data["round"] == 0:
        assert sum(lying) == 0
    elif data["node"] == "die":
        assert sum(lying) < total
    elif data["node"] in INSIDE_A_VISIT | {"reveal"}:
        assert sum(lying) == total - data["visit"] - 1
    else:
        assert sum(lying) == total - data["visit"]


def check_bare(data: dict[str, Any], dead: list[str]) -> None:
    """`bare` is all live empty Districts, inside a visit and its check some of them (17.4)."""
    empty = [x for x in DISTRICTS if x not in dead and not data["sectors"][x]["resources"]]
    if data["node"] in INSIDE_A_VISIT | {"reveal"}:
        assert set(data["bare"]) <= set(empty)
    else:
        assert data["bare"] == empty


def check_actor(data: dict[str, Any]) -> None:
    """Who decides, and where a context stands (17.1, 17.4)."""
    n, node = data["options"]["players"], data["node"]
    if node in ("donate", "donate_more"):
        owned = sum(data["participants"][data["actor"]]["stock"].values())
        assert owned >= (2 if node == "donate" else 1)
    elif node in ("reveal", "first_player", "die", "roll", "reroll", "over"):
        assert data["actor"] is None
    else:
        assert data["actor"] == (data["first"] + data["visit"]) % n
    assert (data["context"] is not None) == (node in INSIDE_A_VISIT)


def step(position: OraclePosition, dice: random.Random) -> None:
    """One random action or outcome; exactly one kind of thing is offered, and it agrees with the node."""
    legal, outcomes = position.legal_actions(), position.chance_outcomes()
    assert (position.node == "decision") == bool(legal) == (position.seat is not None)
    assert (position.node == "chance") == bool(outcomes)
    position.apply(dice.choice(legal or list(outcomes)))


def check_faces(position: OraclePosition, data: dict[str, Any], dice: random.Random) -> None:
    """JSON and clones are the same position, and a refused move leaves no trace."""
    again, copied = OraclePosition.from_json(json.loads(json.dumps(data))), position.clone()
    assert json.dumps(again.to_json()) == json.dumps(data)
    refused = dice.choice([text for text, _, _ in ACTIONS])
    if refused not in position.legal_actions():
        with pytest.raises(ValueError, match="not offered"):
            position.apply(refused)
    assert position.to_json() == data
    if position.node != "over":
        seed = dice.random()
        step(again, random.Random(seed))
        step(copied, random.Random(seed))
        assert again.to_json() == copied.to_json() != data
        assert position.to_json() == data


@pytest.mark.parametrize("number", range(30))
@pytest.mark.parametrize("sparse", [False, True], ids=["full", "sparse"])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_random_game(players: int, sparse: bool, number: int) -> None:
    dice = random.Random(f"{players} {sparse} {number}")
    position = OraclePosition.initial(random_options(players, dice))
    assert set(pieces_on_table(position.to_json()).values()) == {12 if players == 4 else 10}
    if sparse:
        position = sparse_table(position, dice)
    in_play = pieces_on_table(position.to_json())
    bound = node_bound(position.to_json())
    nodes = 0
    while position.node != "over":
        data = position.to_json()
        check_position(data, in_play)
        if nodes % 7 == 0:
            check_faces(position, data, dice)
        step(position, dice)
        nodes += 1
        assert nodes <= bound
    check_end(position)


def check_end(position: OraclePosition) -> None:
    """The end lies on the last space and pays out nothing in sum (8.2, 13.4)."""
    data = position.to_json()
    check_position(data)
    assert data["hand"] == len(position.spaces) - 1 >= data["round"]
    assert position.legal_actions() == [] and position.chance_outcomes() == {}
    assert sum(position.returns()) == pytest.approx(0)
    best = max(position.scores())
    for gain, score in zip(position.returns(), position.scores(), strict=True):
        assert gain == 0 or (gain > 0) == (score == best)
