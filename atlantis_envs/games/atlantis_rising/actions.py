"""The 231 actions and the chance outcomes of Atlantis Rising, numbered as in sections 13 and 14."""

from __future__ import annotations

from atlantis_envs.engine.layout import Texts
from atlantis_envs.games.atlantis_rising import data
from atlantis_envs.games.atlantis_rising.data import (
    ARTIFACTS,
    BASIC_CARDS,
    CARDS,
    COMPONENTS,
    COUNCILORS,
    GOODS,
    KINDS,
    LOCATIONS,
    MISFORTUNES,
    PENINSULAS,
    PRICE_TYPES,
)

SEATS = tuple(range(data.MAX_PLAYERS))
RAW = GOODS[: data.NUM_RAW]

ACTIONS = Texts(
    ("words", ["ready", "yield", "pass", "decline", "resolve", "pay", "knuckle", "peek"]),
    ("reroll", ["reroll first", "reroll second", "reroll both"]),
    ("place", [f"place {kind}" for kind in KINDS]),
    ("lift", [f"lift {kind}" for kind in KINDS]),
    ("play", [f"play {card}" for card in BASIC_CARDS]),
    ("at", [f"at {location}" for location in LOCATIONS]),
    ("barrier", [f"barrier {name}" for name in PENINSULAS]),
    ("drain", [f"drain {name}" for name in PENINSULAS]),
    ("flood", [f"flood {name}" for name in PENINSULAS]),
    ("chart", [f"chart {name}" for name in PENINSULAS[: data.NUM_WILD]]),
    ("build", [f"build {component}" for component in COMPONENTS]),
    ("discount", [f"discount {name}" for name in PRICE_TYPES]),
    ("contribute", [f"contribute {amount}" for amount in range(data.LAST_CONTRIBUTION + 1)]),
    ("seat", [f"seat {seat}" for seat in SEATS]),
    ("keep", [f"keep {card}" for card in CARDS]),
    ("discard", [f"discard {card}" for card in CARDS]),
    ("remove", [f"remove {kind}" for kind in MISFORTUNES]),
    ("councilor", [f"councilor {name}" for name in COUNCILORS]),
    ("give", [f"give {name}" for name in RAW]),
    ("take", [f"take {name}" for name in RAW]),
)
READY, YIELD, PASS, DECLINE, RESOLVE, PAY, KNUCKLE, PEEK = range(ACTIONS["words"], ACTIONS["reroll"])
REROLL_FIRST, REROLL_SECOND, REROLL_BOTH = range(ACTIONS["reroll"], ACTIONS["place"])
PLACE = ACTIONS["place"]
LIFT = ACTIONS["lift"]
PLAY = ACTIONS["play"]
AT = ACTIONS["at"]
BARRIER = ACTIONS["barrier"]
DRAIN = ACTIONS["drain"]
FLOOD = ACTIONS["flood"]
CHART = ACTIONS["chart"]
BUILD = ACTIONS["build"]
DISCOUNT = ACTIONS["discount"]
CONTRIBUTE = ACTIONS["contribute"]
NAME_SEAT = ACTIONS["seat"]
KEEP = ACTIONS["keep"]
DISCARD = ACTIONS["discard"]
REMOVE = ACTIONS["remove"]
CHOOSE_COUNCILOR = ACTIONS["councilor"]
GIVE = ACTIONS["give"]
TAKE = ACTIONS["take"]

OUTCOMES = Texts(
    ("first", [f"first {seat}" for seat in SEATS]),
    ("artifact", [f"artifact {name}" for name in ARTIFACTS]),
    ("component", [f"component {name}" for name in COMPONENTS[: data.POWER_CORE]]),
    ("artificer", [f"artificer {seat}" for seat in SEATS]),
    ("councilor", [f"councilor {name}" for name in COUNCILORS]),
    ("board", [f"board {name}" for name in COUNCILORS]),
    ("misfortune", [f"misfortune {kind}" for kind in MISFORTUNES]),
    ("look", [f"look {kind}" for kind in MISFORTUNES]),
    ("die", [f"die {face}" for face in range(1, data.DICE_FACES + 1)]),
    ("library", [f"library {card}" for card in CARDS]),
)
DRAW_FIRST = OUTCOMES["first"]
DRAW_ARTIFACT = OUTCOMES["artifact"]
DRAW_COMPONENT = OUTCOMES["component"]
DRAW_ARTIFICER = OUTCOMES["artificer"]
DRAW_COUNCILOR = OUTCOMES["councilor"]
DRAW_BOARD = OUTCOMES["board"]
DRAW_MISFORTUNE = OUTCOMES["misfortune"]
DRAW_LOOK = OUTCOMES["look"]
DRAW_DIE = OUTCOMES["die"]
DRAW_LIBRARY = OUTCOMES["library"]

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
STREAM_FIRST, STREAM_ARTIFACT, STREAM_COMPONENT, STREAM_ARTIFICER, STREAM_COUNCILOR = range(5)
STREAM_SCHOLAR, STREAM_BOARD, STREAM_MISFORTUNE, STREAM_LOOK, STREAM_DIE = range(5, 10)
STREAM_LIBRARY = STREAM_DIE + data.MAX_PLAYERS
