"""The vocabulary of Atlantis Rising (1.6 and section 2 of docs/rules/atlantis_rising.md); no logic.

Ids are the canonical orders of the rules file. Numbers that a printed copy would show stand in ``data.json`` beside
this file and reach the kernels through the rules record; see tables.py.
"""

from __future__ import annotations

from atlantis_envs.engine.contract import Provenance

MIN_PLAYERS, MAX_PLAYERS = 1, 7

# Peninsulas (1.6); the first three are wild and give the resource of the same number.
PENINSULAS = ("mountains", "hills", "forests", "cities", "libraries", "forges")
MOUNTAINS, HILLS, FORESTS, CITIES, LIBRARIES, FORGES = range(6)
NUM_PENINSULAS = 6
NUM_WILD = 3
TILES_PER_PENINSULA = 6

# What a seat owns (1.6). Energy is no resource, but it lies beside them.
GOODS = ("ore", "gold", "crystal", "atlantium", "energy")
ORE, GOLD, CRYSTAL, ATLANTIUM, ENERGY = range(5)
NUM_GOODS = 5
NUM_RAW = 3  # ore, gold, crystal
PRICE_TYPES = ("gold", "crystal", "atlantium", "energy")  # price type t is goods t + 1
NUM_PRICE_TYPES = 4

KINDS = ("leader", "hologram", "follower", "volunteer", "automaton")
LEADER, HOLOGRAM, FOLLOWER, VOLUNTEER, AUTOMATON = range(5)
NUM_KINDS = 5

# Components (2.4); those with a space are locations in this order.
COMPONENTS = (
    "solar matrix", "spirit seal", "aegis emitter", "tidal regulator", "summoning conduit",
    "mystic siphon", "matter converter", "foundry crucible", "memory crystal", "muster array",
    "numinous beacon", "entropy drive", "amplification chamber", "stasis anchor", "prism lens",
    "soul terraformer", "tectonic engine", "chronal lattice", "celestial orrery", "resonance vault",
    "power core",
)  # fmt: skip
SOLAR_MATRIX, SPIRIT_SEAL, AEGIS_EMITTER, TIDAL_REGULATOR, SUMMONING_CONDUIT = range(5)
MYSTIC_SIPHON, MATTER_CONVERTER, FOUNDRY_CRUCIBLE, MEMORY_CRYSTAL, MUSTER_ARRAY = range(5, 10)
NUMINOUS_BEACON, ENTROPY_DRIVE, AMPLIFICATION_CHAMBER, STASIS_ANCHOR, PRISM_LENS = range(10, 15)
SOUL_TERRAFORMER, TECTONIC_ENGINE, CHRONAL_LATTICE, CELESTIAL_ORRERY, RESONANCE_VAULT = range(15, 20)
POWER_CORE = 20
NUM_COMPONENTS = 21
BLUEPRINT_SIZE = 10
LETTERS = "ABCD"
SPACES = {
    SPIRIT_SEAL: 2, SUMMONING_CONDUIT: 1, MYSTIC_SIPHON: 1, MATTER_CONVERTER: 2, FOUNDRY_CRUCIBLE: 1,
    NUMINOUS_BEACON: 1, AMPLIFICATION_CHAMBER: 1, STASIS_ANCHOR: 1, PRISM_LENS: 2, SOUL_TERRAFORMER: 2,
    TECTONIC_ENGINE: 2, CHRONAL_LATTICE: 2, CELESTIAL_ORRERY: 2, RESONANCE_VAULT: 2,
}  # fmt: skip
DOUBLE_COMPONENTS = (SOUL_TERRAFORMER, TECTONIC_ENGINE, CHRONAL_LATTICE, CELESTIAL_ORRERY, RESONANCE_VAULT)

# Locations (1.6): 36 tiles, centre, gates, component spaces.
NUM_TILES = 36
CENTRE = 36
GATE = 37
NUM_GATES = 3
SPACE = GATE + NUM_GATES
SPACE_COMPONENTS = tuple(SPACES)
NUM_LOCATIONS = SPACE + len(SPACES)
LOCATIONS = (
    *(f"{name} {position}" for name in PENINSULAS for position in range(1, TILES_PER_PENINSULA + 1)),
    "centre",
    *(f"gate {number}" for number in range(1, NUM_GATES + 1)),
    *(COMPONENTS[component] for component in SPACE_COMPONENTS),
)
AT_SPIRIT_SEAL = SPACE
CITIES_START = CITIES * TILES_PER_PENINSULA
CITIES_STOP = CITIES_START + TILES_PER_PENINSULA
UNLIMITED = 1000  # capacity of the centre and the gates

# What an action at a location does (7.6 - 7.11). Tiles share the code of their peninsula's kind.
DO_WILD, DO_CITY, DO_LIBRARY, DO_FORGE, DO_CENTRE, DO_GATE = range(6)
DO_SEAL, DO_CONDUIT, DO_SIPHON, DO_CONVERTER, DO_CRUCIBLE, DO_BEACON, DO_AMPLIFY = range(6, 13)
DO_ANCHOR, DO_PRISM, DO_TERRAFORMER, DO_TECTONIC, DO_LATTICE, DO_ORRERY, DO_VAULT = range(13, 20)

COUNCILORS = (
    "artificer", "explorer", "priest", "emissary", "navigator", "aquanaut", "scholar", "champion", "astrologer",
    "orator",
)  # fmt: skip
ARTIFICER, EXPLORER, PRIEST, EMISSARY, NAVIGATOR, AQUANAUT, SCHOLAR, CHAMPION, ASTROLOGER, ORATOR = range(10)
NUM_COUNCILORS = 10
BY_HOLOGRAM = MAX_PLAYERS  # who plays a board, where it is no seat

# Library cards (2.6), then artifacts (2.7).
BASIC_CARDS = (
    "cryptographic expertise", "enigma of fervour", "ancient atlas", "transmutation", "call for aid", "warding rite",
    "ebbing tide", "mystic font", "augury", "swift evacuation", "archive recovery",
)  # fmt: skip
EXPERTISE, ENIGMA, ATLAS, TRANSMUTATION, CALL_FOR_AID, WARDING_RITE = range(6)
EBBING_TIDE, MYSTIC_FONT, AUGURY, SWIFT_EVACUATION, ARCHIVE_RECOVERY = range(6, 11)
NUM_BASIC = 11
ARTIFACTS = (
    "miner idol", "golden sieve", "singing shard", "mask of voices", "fate knuckle", "tidewatch glass",
    "everburning bellows", "mystic conduit", "keystone of wards", "bottomless satchel", "index of ages",
)  # fmt: skip
MINER_IDOL, GOLDEN_SIEVE, SINGING_SHARD, MASK_OF_VOICES, FATE_KNUCKLE, TIDEWATCH_GLASS = range(6)
EVERBURNING_BELLOWS, MYSTIC_CONDUIT, KEYSTONE_OF_WARDS, BOTTOMLESS_SATCHEL, INDEX_OF_AGES = range(6, 11)
NUM_ARTIFACTS = 11
CARDS = (*BASIC_CARDS, *ARTIFACTS)
NUM_CARDS = 22
USES = ("fate knuckle", "tidewatch glass", "everburning bellows")  # once a round; bit of ``used``
USED_KNUCKLE, USED_GLASS, USED_BELLOWS = 1, 2, 4

# Windows in which a basic card may be played (2.6, 12.1), as bits.
IN_DEPLOYMENT, IN_WINDOW, IN_ACTIONS = 1, 2, 4
ANY_TIME = IN_DEPLOYMENT | IN_WINDOW | IN_ACTIONS
WINDOWS = (
    IN_ACTIONS, IN_ACTIONS, ANY_TIME, ANY_TIME, IN_DEPLOYMENT | IN_ACTIONS, ANY_TIME, ANY_TIME, ANY_TIME, ANY_TIME, 0,
    ANY_TIME,
)  # fmt: skip

# Misfortunes (2.8): kinds 0..5 are the peninsulas.
MISFORTUNES = (
    *PENINSULAS, "calm seas", "controlled flooding", "earthquake", "plague", "panic", "sealed archives",
    "cold furnaces", "mystic drought", "unstable gate", "tidal wave", "storm surge", "broken wards", "mystic leak",
    "maelstrom", "divine fury",
)  # fmt: skip
CALM_SEAS, CONTROLLED_FLOODING, EARTHQUAKE, PLAGUE, PANIC, SEALED_ARCHIVES, COLD_FURNACES = range(6, 13)
MYSTIC_DROUGHT, UNSTABLE_GATE, TIDAL_WAVE, STORM_SURGE, BROKEN_WARDS, MYSTIC_LEAK, MAELSTROM = range(13, 20)
DIVINE_FURY = 20
NUM_MISFORTUNES = 21
CLOSABLE = ("cities", "libraries", "forges", "centre")  # 6.9; bit of ``closed``

# Libraries symbols (2.3, 7.9).
SYMBOLS = ("keep both", "keep 1, bottom 1", "keep 1, discard 1")
KEEP_BOTH, KEEP_BOTTOM, KEEP_DISCARD = range(3)

# Amounts in the effects (2.4, 2.6, 2.7, 2.9, 11, 12); reconstructed unless the rules file says otherwise.
SEAL_ENERGY = 2
MATRIX_ENERGY = 1
SIPHON_ENERGY = 1
CONDUIT_VOLUNTEERS = 2
CRUCIBLE_ATLANTIUM = 3
CONVERTER_SWAPS = 3
AEGIS_BARRIERS = 2
REGULATOR_DRAINS = 2
MUSTER_RECRUITS = 2
BEACON_DEPTH, BEACON_REMOVES = 3, 1
ORRERY_DEPTH, ORRERY_REMOVES = 4, 2
AMPLIFY_GOODS = 2
TERRAFORMER_DRAINS = 3
VAULT_ENERGY = 2
ATLAS_EASE = 2
TRANSMUTATION_SWAPS = 2
AID_VOLUNTEERS = 2
FONT_ENERGY = 3
AUGURY_DEPTH, AUGURY_REMOVES = 3, 1
KEYSTONE_COST = 3
SATCHEL_LIMIT = 6
INDEX_DRAWS, PLAIN_DRAWS = 3, 2
MAELSTROM_DRAWS = 2
DICE_FACES = 6
MAX_TOP = ORRERY_DEPTH  # misfortunes ever known on top
MAX_SEEN = 3  # library cards drawn by one action
LAST_CONTRIBUTION = 10
MAX_COPIES = 60  # of one card in a deck, our limit

PROVENANCE = (
    Provenance("number of tiles, components, councilors, cards, barriers, volunteers", "book", "2.1"),
    Provenance("costs in energy, card limit", "book", "2.1"),
    Provenance("followers, reserves, draws and special pieces by number of seats", "book", "2.2"),
    Provenance("gate 3 with five seats or more only", "inferred", "2.2", "players"),
    Provenance("spaces, targets, symbols and rates of the island tiles", "reconstructed", "2.3", "tiles"),
    Provenance("name and space of the attested components", "book", "2.4"),
    Provenance("prices of solar matrix and spirit seal", "inferred", "2.4", "components"),
    Provenance("prices, letters and effects of the other components", "reconstructed", "2.4", "components"),
    Provenance("price of the power core", "reconstructed", "2.4", "components"),
    Provenance("councilors named in the rulebook", "book", "2.5"),
    Provenance("names of champion and astrologer, discount of the artificer", "source", "2.5"),
    Provenance("strength of the councilors, orator", "reconstructed", "2.5"),
    Provenance("library: total of 22 basic cards and 11 artifacts", "book", "2.6"),
    Provenance("library: cards and copies", "reconstructed", "2.6", "library"),
    Provenance("artifacts", "reconstructed", "2.7", "artifacts"),
    Provenance("misfortunes: numbers by kind", "book", "2.8"),
    Provenance("misfortunes: twelve of the specials, six of each peninsula", "reconstructed", "2.8", "misfortunes"),
    Provenance("Wrath track: values 0 to 3", "source", "2.9"),
    Provenance("Wrath track: multiplicities and length", "reconstructed", "2.9", "wrath"),
    Provenance("level 1 and energy of all levels", "book", "2.10"),
    Provenance("cards and letters of levels 2 to 5", "reconstructed", "2.10", "levels"),
    Provenance("round limit, budgets of lifts and yields", "ruling", "17", "constants"),
)  # fmt: skip
