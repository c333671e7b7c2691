"""What sections 16 and 17 of the rules file of Atlandice say of every position, checked on its document."""

from __future__ import annotations

from typing import Any

from oracles.atlandice import DISTRICTS, HOME, SECTORS, TYPES, OraclePosition

INSIDE_A_VISIT = {
    *("take", "bonus", "effect", "extra", "raid", "raid_take", "swap_out", "swap_with", "swap_in"),
    *("move_type", "move_to", "die_from", "die_to", "submarine", "roll", "reroll"),
}


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
    """`bare` is some live empty Districts in a stock check; if they are spared, all outside a visit (17.4)."""
    empty = [x for x in DISTRICTS if x not in dead and not data["sectors"][x]["resources"]]
    spared = data["options"]["bare_districts"] == "spared"
    if data["node"] == "reveal" or (spared and data["node"] in INSIDE_A_VISIT):
        assert set(data["bare"]) <= set(empty)
    elif not spared:
        assert data["bare"] == []
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
