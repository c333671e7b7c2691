"""The 231 actions and the chance outcomes of Atlantis Rising, numbered as in sections 13 and 14."""

from __future__ import annotations

from atlantis_envs.engine.layout import Texts
from atlantis_envs.games.atlantis_rising import data
from atlantis_envs.games.atlantis_rising.data import Component
from atlantis_envs.kernels.vocabulary import Vocabulary

SEATS = tuple(range(data.MAX_PLAYERS))
RAW = data.GOODS[: data.NUM_RAW]

ACTIONS = Texts(
    ("words", ["ready", "yield", "pass", "decline", "resolve", "pay", "knuckle", "peek"]),
    ("reroll", ["reroll first", "reroll second", "reroll both"]),
    ("place", [f"place {kind}" for kind in data.KINDS]),
    ("lift", [f"lift {kind}" for kind in data.KINDS]),
    ("play", [f"play {card}" for card in data.BASIC_CARDS]),
    ("at", [f"at {location}" for location in data.LOCATIONS]),
    ("barrier", [f"barrier {name}" for name in data.PENINSULAS]),
    ("drain", [f"drain {name}" for name in data.PENINSULAS]),
    ("flood", [f"flood {name}" for name in data.PENINSULAS]),
    ("chart", [f"chart {name}" for name in data.PENINSULAS[: data.NUM_WILD]]),
    ("build", [f"build {component}" for component in data.COMPONENTS]),
    ("discount", [f"discount {name}" for name in data.PRICE_TYPES]),
    ("contribute", [f"contribute {amount}" for amount in range(data.LAST_CONTRIBUTION + 1)]),
    ("seat", [f"seat {seat}" for seat in SEATS]),
    ("keep", [f"keep {card}" for card in data.CARDS]),
    ("discard", [f"discard {card}" for card in data.CARDS]),
    ("remove", [f"remove {kind}" for kind in data.MISFORTUNES]),
    ("councilor", [f"councilor {name}" for name in data.COUNCILORS]),
    ("give", [f"give {name}" for name in RAW]),
    ("take", [f"take {name}" for name in RAW]),
)
# The first id of every kind of action; those without a kind have names of their own: Act.READY, Act.REROLL_BOTH.
Act = ACTIONS.first_ids(
    "Act", **{text.replace(" ", "_").upper(): number for number, text in enumerate(ACTIONS.texts[: ACTIONS["place"]])}
)

OUTCOMES = Texts(
    ("first", [f"first {seat}" for seat in SEATS]),
    ("artifact", [f"artifact {name}" for name in data.ARTIFACTS]),
    ("component", [f"component {name}" for name in data.COMPONENTS[: Component.POWER_CORE]]),
    ("artificer", [f"artificer {seat}" for seat in SEATS]),
    ("councilor", [f"councilor {name}" for name in data.COUNCILORS]),
    ("board", [f"board {name}" for name in data.COUNCILORS]),
    ("misfortune", [f"misfortune {kind}" for kind in data.MISFORTUNES]),
    ("look", [f"look {kind}" for kind in data.MISFORTUNES]),
    ("die", [f"die {face}" for face in range(1, data.DICE_FACES + 1)]),
    ("library", [f"library {card}" for card in data.CARDS]),
)
Outcome = OUTCOMES.first_ids("Outcome")

# Chance streams: what one seat rolls or draws never shifts another seat's dice or cards, nor the misfortunes.
STREAMS = (
    "first player",
    "artifact",
    "component",
    "artificer",
    "councilor",
    "scholar",
    "board",
    "misfortune",
    "look",
    *(f"die, seat {seat}" for seat in SEATS),
    *(f"library, seat {seat}" for seat in SEATS),
)


class Stream(Vocabulary):
    """The number of every stream, or of its first."""

    FIRST = 0
    ARTIFACT = 1
    COMPONENT = 2
    ARTIFICER = 3
    COUNCILOR = 4
    SCHOLAR = 5
    BOARD = 6
    MISFORTUNE = 7
    LOOK = 8
    DIE = 9
    LIBRARY = DIE + data.MAX_PLAYERS
