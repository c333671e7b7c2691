"""The vocabulary of Atlantis Rising (1.6 and section 2 of docs/rules/atlantis_rising.md); no logic.

Ids are the canonical orders of the rules file. Numbers that a printed copy would show stand in ``data.json`` beside
this file and reach the kernels through the rules record; see options.py.
"""

from __future__ import annotations

from atlantis_envs.engine.definition import Provenance
from atlantis_envs.kernels.vocabulary import Vocabulary

MIN_PLAYERS, MAX_PLAYERS = 1, 7


class Peninsula(Vocabulary):
    """The first three are wild and give the resource of the same number (1.6)."""

    MOUNTAINS = 0
    HILLS = 1
    FORESTS = 2
    CITIES = 3
    LIBRARIES = 4
    FORGES = 5


PENINSULAS = Peninsula.texts()
NUM_PENINSULAS = 6
NUM_WILD = 3
TILES_PER_PENINSULA = 6


class Good(Vocabulary):
    """What a seat owns (1.6); energy is no resource, but it lies beside them."""

    ORE = 0
    GOLD = 1
    CRYSTAL = 2
    ATLANTIUM = 3
    ENERGY = 4


GOODS = Good.texts()
NUM_GOODS = 5
NUM_RAW = 3  # ore, gold, crystal
PRICE_TYPES = GOODS[Good.GOLD :]  # price type t is goods t + 1
NUM_PRICE_TYPES = 4


class Kind(Vocabulary):
    """The pieces of a seat (1.6)."""

    LEADER = 0
    HOLOGRAM = 1
    FOLLOWER = 2
    VOLUNTEER = 3
    AUTOMATON = 4


KINDS = Kind.texts()
NUM_KINDS = 5


class Component(Vocabulary):
    """The components (2.4); those with a space are locations in this order."""

    SOLAR_MATRIX = 0
    SPIRIT_SEAL = 1
    AEGIS_EMITTER = 2
    TIDAL_REGULATOR = 3
    SUMMONING_CONDUIT = 4
    MYSTIC_SIPHON = 5
    MATTER_CONVERTER = 6
    FOUNDRY_CRUCIBLE = 7
    MEMORY_CRYSTAL = 8
    MUSTER_ARRAY = 9
    NUMINOUS_BEACON = 10
    ENTROPY_DRIVE = 11
    AMPLIFICATION_CHAMBER = 12
    STASIS_ANCHOR = 13
    PRISM_LENS = 14
    SOUL_TERRAFORMER = 15
    TECTONIC_ENGINE = 16
    CHRONAL_LATTICE = 17
    CELESTIAL_ORRERY = 18
    RESONANCE_VAULT = 19
    POWER_CORE = 20


COMPONENTS = Component.texts()
NUM_COMPONENTS = 21
BLUEPRINT_SIZE = 10
LETTERS = "ABCD"
SPACES = {
    Component.SPIRIT_SEAL: 2,
    Component.SUMMONING_CONDUIT: 1,
    Component.MYSTIC_SIPHON: 1,
    Component.MATTER_CONVERTER: 2,
    Component.FOUNDRY_CRUCIBLE: 1,
    Component.NUMINOUS_BEACON: 1,
    Component.AMPLIFICATION_CHAMBER: 1,
    Component.STASIS_ANCHOR: 1,
    Component.PRISM_LENS: 2,
    Component.SOUL_TERRAFORMER: 2,
    Component.TECTONIC_ENGINE: 2,
    Component.CHRONAL_LATTICE: 2,
    Component.CELESTIAL_ORRERY: 2,
    Component.RESONANCE_VAULT: 2,
}
DOUBLE_COMPONENTS = (
    Component.SOUL_TERRAFORMER,
    Component.TECTONIC_ENGINE,
    Component.CHRONAL_LATTICE,
    Component.CELESTIAL_ORRERY,
    Component.RESONANCE_VAULT,
)

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
CITIES_START = Peninsula.CITIES * TILES_PER_PENINSULA
CITIES_STOP = CITIES_START + TILES_PER_PENINSULA
UNLIMITED = 1000  # capacity of the centre and the gates


class Do(Vocabulary):
    """What an action at a location does (7.6 - 7.11); tiles share the code of their peninsula's kind."""

    WILD = 0
    CITY = 1
    LIBRARY = 2
    FORGE = 3
    CENTRE = 4
    GATE = 5
    SEAL = 6
    CONDUIT = 7
    SIPHON = 8
    CONVERTER = 9
    CRUCIBLE = 10
    BEACON = 11
    AMPLIFY = 12
    ANCHOR = 13
    PRISM = 14
    TERRAFORMER = 15
    TECTONIC = 16
    LATTICE = 17
    ORRERY = 18
    VAULT = 19


class Councilor(Vocabulary):
    """The councilors (2.5)."""

    ARTIFICER = 0
    EXPLORER = 1
    PRIEST = 2
    EMISSARY = 3
    NAVIGATOR = 4
    AQUANAUT = 5
    SCHOLAR = 6
    CHAMPION = 7
    ASTROLOGER = 8
    ORATOR = 9


COUNCILORS = Councilor.texts()
NUM_COUNCILORS = 10
BY_HOLOGRAM = MAX_PLAYERS  # who plays a board, where it is no seat


class Basic(Vocabulary):
    """The basic cards of the library (2.6); artifacts follow them (2.7)."""

    CRYPTOGRAPHIC_EXPERTISE = 0
    ENIGMA_OF_FERVOUR = 1
    ANCIENT_ATLAS = 2
    TRANSMUTATION = 3
    CALL_FOR_AID = 4
    WARDING_RITE = 5
    EBBING_TIDE = 6
    MYSTIC_FONT = 7
    AUGURY = 8
    SWIFT_EVACUATION = 9
    ARCHIVE_RECOVERY = 10


BASIC_CARDS = Basic.texts()
NUM_BASIC = 11


class Artifact(Vocabulary):
    """The artifacts (2.7)."""

    MINER_IDOL = 0
    GOLDEN_SIEVE = 1
    SINGING_SHARD = 2
    MASK_OF_VOICES = 3
    FATE_KNUCKLE = 4
    TIDEWATCH_GLASS = 5
    EVERBURNING_BELLOWS = 6
    MYSTIC_CONDUIT = 7
    KEYSTONE_OF_WARDS = 8
    BOTTOMLESS_SATCHEL = 9
    INDEX_OF_AGES = 10


ARTIFACTS = Artifact.texts()
NUM_ARTIFACTS = 11
CARDS = (*BASIC_CARDS, *ARTIFACTS)
NUM_CARDS = 22


class Used(Vocabulary):
    """What is used once a round, as bits of ``used``."""

    FATE_KNUCKLE = 1
    TIDEWATCH_GLASS = 2
    EVERBURNING_BELLOWS = 4


USES = Used.texts()


class Window(Vocabulary):
    """When a basic card may be played (2.6, 12.1), as bits."""

    DEPLOYMENT = 1
    WINDOW = 2
    ACTIONS = 4


ANY_TIME = Window.DEPLOYMENT | Window.WINDOW | Window.ACTIONS
WINDOWS = (
    Window.ACTIONS, Window.ACTIONS, ANY_TIME, ANY_TIME, Window.DEPLOYMENT | Window.ACTIONS, ANY_TIME, ANY_TIME,
    ANY_TIME, ANY_TIME, 0, ANY_TIME,
)  # fmt: skip


class Misfortune(Vocabulary):
    """The kinds of misfortune beyond 0..5, which are the peninsulas (2.8)."""

    CALM_SEAS = 6
    CONTROLLED_FLOODING = 7
    EARTHQUAKE = 8
    PLAGUE = 9
    PANIC = 10
    SEALED_ARCHIVES = 11
    COLD_FURNACES = 12
    MYSTIC_DROUGHT = 13
    UNSTABLE_GATE = 14
    TIDAL_WAVE = 15
    STORM_SURGE = 16
    BROKEN_WARDS = 17
    MYSTIC_LEAK = 18
    MAELSTROM = 19
    DIVINE_FURY = 20


MISFORTUNES = (*PENINSULAS, *Misfortune.texts())
NUM_MISFORTUNES = 21
CLOSABLE = ("cities", "libraries", "forges", "centre")  # 6.9; bit of ``closed``


class Symbol(Vocabulary):
    """The symbols of the libraries (2.3, 7.9)."""

    KEEP_BOTH = 0
    KEEP_BOTTOM = 1
    KEEP_DISCARD = 2


SYMBOLS = ("keep both", "keep 1, bottom 1", "keep 1, discard 1")

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
MOST_GOODS = 1_000_000  # of one kind and seat, our limit: what is gained beyond it is lost
MOST_EFFECTS = 30  # earthquakes and divine furies of one round, our limit
MOST_ATLASES = 15  # ancient atlases on one peninsula, our limit

PROVENANCE = (
    Provenance("number of tiles, components, councilors, cards, barriers, volunteers", "book", "2.1"),
    Provenance("costs in energy, card limit", "book", "2.1"),
    Provenance("followers, reserves, draws and special pieces by number of seats", "book", "2.2"),
    Provenance("gate 3 with five seats or more only", "book", "2.1", "players"),
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
    Provenance("budgets of lifts and yields", "ruling", "17", "constants"),
    Provenance("budget of refused payments", "ruling", "17", "decline_budget"),
    Provenance("truncation after 100 rounds", "ruling", "16.4", "truncation"),
)  # fmt: skip
