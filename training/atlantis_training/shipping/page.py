"""All cards as one page of Markdown, docs/agents.md."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from atlantis_agents.shipped import CARD, CHAMPION_CARD, HERE, champions
from atlantis_envs.base.files import read_json
from atlantis_envs.registry import definition
from atlantis_training.evaluation.report import Table, markdown, seats_text

TOP = """# The agents that come with the library

`network` is a trained policy by itself, `champion` the strongest agent found that answers within about 5 ms of CPU time
on a free core; of equals the faster. Both names stand wherever an agent may be named, in Python and in every command,
and neither needs torch:

    atlantis play atlandice --seat human --seat champion
    atlantis evaluate atlandice network heuristic

This page is made from the cards beside the policies by `python -m atlantis_training.shipping page`. Shares are of wins
(in a cooperative game: games won, the agent in every seat), intervals 95 % Wilson's; the last column is CPU time of one
decision, asked one at a time, where it was measured, which was busy with other work. Commands of training leave `--out`
out: it says where the run goes, and `--start` names the run of the command before.
"""
TRAINED_RULES = "trained_rules"  # of a card: the version of the rules, where the policy learned by earlier ones
COLUMNS = ("players", "options", "agent", "against", "games", "share", "interval", "by seat", "ms")


def all_cards(within: Path = HERE) -> list[dict[str, Any]]:
    """Return every card there is, network before champion."""
    paths = [path for name in (CARD, CHAMPION_CARD) for path in sorted(within.glob(f"*/{name}"))]
    return [read_json(path) for path in paths]


def page(within: Path = HERE) -> str:
    """Return the page: what champion stands for, then a section for each game."""
    cards = all_cards(within)
    stands_for = [
        (definition(game).title, players, f"`{text}`")
        for game, texts in champions(within).items()
        for players, text in texts.items()
    ]
    lines = [TOP, "## What `champion` stands for", "", str(Table(("game", "players", "agent"), stands_for))]
    for game in dict.fromkeys(card["game"] for card in cards):
        lines += ["", f"## {definition(game).title}"]
        for card in cards:
            if card["game"] == game:
                lines += ["", *_card_lines(card)]
    return "\n".join(lines) + "\n"


def _card_lines(card: dict[str, Any]) -> list[str]:
    """Return one card: how it was made, and its table."""
    seats = "any number of players" if card["players"] is None else seats_text(card["players"])
    lines = [f"**`{card['agent']}`, {seats}.** {_made(card)}{_rules(card)}", ""]
    return [*lines, str(Table(COLUMNS, [_row(cell) for cell in card["cells"]]))]


def _made(card: dict[str, Any]) -> str:
    if "plays" in card:
        return f"Stands for `{card['plays']}`."
    sizes = ", ".join(map(str, card["hidden"])) or "no"
    commands = "; then ".join(f"`{command}`" for command in card["commands"])
    sees = card["inputs"] + (" and features" if card.get("features") else "")
    return (
        f"Sees {sees}; hidden layers {sizes}, {card['weights']:,} numbers of {card['stored']}, "
        f"{card['bytes']:,} bytes; "
        f"{card['minutes']:g} minutes, {card['steps']:,} decisions of its own, seed {card['seed']}: {commands}."
    )


def _rules(card: dict[str, Any]) -> str:
    """Tell by which rules it was trained and measured, where they are not the present ones."""
    present = definition(card["game"]).versions.rules
    trained, measured = card.get(TRAINED_RULES, present), card["versions"]["rules"]
    message = f" Trained with rules {trained}." if trained != present else ""
    if measured != present:
        message += f" Measured with rules {measured}; the game now has rules {present}."
    return message


def _row(cell: dict[str, Any]) -> tuple[Any, ...]:
    options = ", ".join(f"{key} {value}" for key, value in cell["options"].items())
    seats = " ".join(f"{seat['value']:.3f}" for seat in cell["seats"])
    share = (f"{cell['value']:.3f}", f"{cell['low']:.3f}..{cell['high']:.3f}")
    names = (markdown(cell["agent"]), markdown(cell["against"]) or "-")
    return (cell["players"], options, *names, f"{cell['games']:,}", *share, seats, f"{cell['milliseconds']:.2g}")
