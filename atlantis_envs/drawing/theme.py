"""Colours: what a role looks like in the light and in the dark. Games add roles of their own."""

from __future__ import annotations

from collections.abc import Mapping

THEMES = ("light", "dark")
Roles = Mapping[str, tuple[str, str]]  # role -> colour in the light, colour in the dark

# Seats have the colours of Okabe and Ito, which people with any kind of colour vision can tell apart; the number on a
# seat's badge says the same.
COMMON: Roles = {
    "sea": ("#CDE5F1", "#143444"),
    "deep": ("#8FBEDB", "#0E4A66"),  # water that has come over something
    "wave": ("#4D8FB5", "#5FA8CC"),
    "panel": ("#FFFFFF", "#1A2730"),
    "panel.edge": ("#A9C2CF", "#40606F"),
    "quiet": ("#E8F0F4", "#22343F"),  # a panel for what is done with
    "ink": ("#14222B", "#F2F6F8"),
    "mute": ("#3D4D57", "#BFCDD5"),
    "accent": ("#6A00D4", "#C9A2FF"),  # you can act here
    "halo": ("#FFFFFF", "#0B161C"),
    "changed": ("#B3261E", "#FF9D8A"),  # what is new since the last look
    "die": ("#FFFFFF", "#F2F6F8"),
    "die.edge": ("#14222B", "#0B161C"),
    "die.pip": ("#14222B", "#14222B"),
    "seat.edge": ("#14222B", "#0B161C"),
    "seat0": ("#D55E00", "#D55E00"),
    "seat1": ("#0072B2", "#0072B2"),
    "seat2": ("#F0E442", "#F0E442"),
    "seat3": ("#009E73", "#009E73"),
    "seat4": ("#E69F00", "#E69F00"),
    "seat5": ("#CC79A7", "#CC79A7"),
    "seat6": ("#56B4E9", "#56B4E9"),
    "on.seat0": ("#000000", "#000000"),
    "on.seat1": ("#FFFFFF", "#FFFFFF"),
    "on.seat2": ("#000000", "#000000"),
    "on.seat3": ("#000000", "#000000"),
    "on.seat4": ("#000000", "#000000"),
    "on.seat5": ("#000000", "#000000"),
    "on.seat6": ("#000000", "#000000"),
}


def palette(roles: Roles, theme: str) -> dict[str, str]:
    """Return role -> colour, of all games and of one.

    Raises:
        ValueError: no such theme.
    """
    if theme not in THEMES:
        raise ValueError(f"theme: {theme!r}; allowed: {', '.join(THEMES)}")
    return {role: colours[THEMES.index(theme)] for role, colours in {**COMMON, **roles}.items()}
