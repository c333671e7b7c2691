"""Small questions about the table that several rules ask, and the one way a piece is put down."""

from __future__ import annotations

from atlantis_envs.engine.definition import Record
from atlantis_envs.games.atlandice import data
from atlantis_envs.games.atlandice.data import Sector
from atlantis_envs.games.atlandice.state import NONE
from atlantis_envs.kernels.kernel import kernel

NO_TILE = -1


@kernel
def is_live(state: Record, sector: int) -> bool:
    """Tell whether a Sector is live: the market, or a District with a visible tile or tiles still to reveal (1.9)."""
    return sector == Sector.MARKET or state.tile[sector] != 0 or state.hidden[sector] != 0


@kernel
def live_districts(state: Record) -> int:
    """Return how many Districts are live (1.9)."""
    count = 0
    for district in range(data.NUM_DISTRICTS):
        if is_live(state, district):
            count += 1
    return count


@kernel
def pieces_on(state: Record, sector: int) -> int:
    """Return how many pieces of any type lie on a Sector (1.10)."""
    count = 0
    for kind in range(data.NUM_TYPES):
        count += int(state.resources[sector, kind])
    return count


@kernel
def stock_total(state: Record, participant: int) -> int:
    """Return how many pieces a participant owns."""
    count = 0
    for kind in range(data.NUM_TYPES):
        count += int(state.stock[participant, kind])
    return count


@kernel
def put_piece(state: Record, sector: int, kind: int) -> None:
    """Lay a piece on a Sector; a District that was bare no longer is (7.1)."""
    state.resources[sector, kind] += 1
    if sector != Sector.MARKET:
        state.bare[sector] = 0


@kernel
def visible_tile(state: Record, sector: int) -> int:
    """Return the tile whose effect a visit to the Sector has; NO_TILE for the market and exhausted Districts."""
    if sector == Sector.MARKET or state.tile[sector] == 0:
        return NO_TILE
    return data.TILES_PER_DISTRICT * sector + int(state.tile[sector]) - 1


@kernel
def sector_of_face(state: Record, face: int) -> int:
    """Return where a die that shows ``face`` lies (4.3)."""
    if face == data.FACES or not is_live(state, face - 1):
        return Sector.MARKET
    return face - 1


@kernel
def visitor(rules: Record, state: Record) -> int:
    """Return the seat that makes the present visit (5.1)."""
    return (int(state.first) + int(state.visit)) % int(rules.players)


@kernel
def ordinal(rules: Record, state: Record) -> int:
    """Return which of its dice the visitor takes: 1 for its first this round (5.1)."""
    return int(state.visit) // int(rules.players) + 1


@kernel
def first_unrevealed(state: Record) -> int:
    """Return the District a reveal node is about: the first without a visible tile that has tiles left (17.2)."""
    for district in range(data.NUM_DISTRICTS):
        if state.tile[district] == 0 and state.hidden[district] != 0:
            return district
    return NONE
