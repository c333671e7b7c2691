"""What the page of Atlantis Rising counts as reconstructed is what its data file flags."""

from __future__ import annotations

import json
import re
from typing import Any

from helpers.support import ROOT

import atlantis_envs

DATA = json.loads((ROOT / "atlantis_envs/games/atlantis_rising/data.json").read_text(encoding="utf-8"))
PAGE = " ".join((ROOT / "docs" / "games" / "atlantis_rising.md").read_text(encoding="utf-8").split())
FLAG = "reconstructed"


def flagged(entries: list[dict[str, Any]], *parts: str) -> tuple[int, int]:
    """How many of the entries are reconstructed in one of these parts, and how many there are."""
    return sum(any(entry["source"].get(part) == FLAG for part in parts) for entry in entries), len(entries)


def counted() -> dict[str, tuple[int, int]]:
    """What the page counts, from the flags."""
    tiles = [tile for tile in DATA["tiles"] if tile["peninsula"]]
    specials = [card for card in DATA["misfortunes"] if card["kind"] == "special"]
    return {
        "island tiles": flagged(tiles, "spaces", "target", "symbol", "rate"),
        "prices": flagged(DATA["components"], "price"),
        "effects of components": flagged(DATA["components"], "effect"),
        "artifacts": flagged(DATA["artifacts"], "effect"),
        "library cards": flagged(DATA["library"], "effect"),
        "special misfortunes": flagged(specials, "effect"),
        "levels": flagged(DATA["levels"], "components", "calm_seas", "controlled_flooding"),
    }


def test_the_counts_are_those_of_the_flags() -> None:
    for what, (number, total) in counted().items():
        assert re.search(rf"\b{number} of {total} {what}\b", PAGE), (what, number, total)


def test_the_declaration_names_the_same_tables() -> None:
    """describe() and the page speak of the same parts; no count stands in the page without a flag behind it."""
    told = re.findall(r"\b(\d+) of (\d+) ", PAGE.split("Reconstructed are the")[1].split(" ## ")[0])
    assert {(int(number), int(total)) for number, total in told} == set(counted().values())
    notes = atlantis_envs.game("atlantis_rising").describe().provenance
    named = {note.replaceable for note in notes if note.tag == FLAG}
    assert {"tiles", "components", "library", "artifacts", "misfortunes", "levels"} <= named
