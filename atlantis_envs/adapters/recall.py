"""What seats have seen and done: information states with perfect recall, for any game.

An information state is a seat's observation after every move since the start, chance and other seats' moves included,
and its own actions. So nothing is in it that an observation does not show, and nothing is forgotten.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Any, NamedTuple

from atlantis_envs.engine.position import Position

DIGEST_BITS = 128


class Memory(NamedTuple):
    """What every seat has seen and done up to a position. Never changed, so clones of a state share it.

    Attributes:
        position: up to where.
        moves: played until then.
        digests: 16 bytes for each seat.
        own: each seat's actions.
    """

    position: Position
    moves: int
    digests: tuple[bytes, ...]
    own: tuple[tuple[str, ...], ...]

    def continued(self, position: Position) -> Memory:
        """Return the same up to a later position of the game."""
        memory = self
        for move in position.log[self.moves :]:
            after = memory.position.clone()
            after.apply(move)
            memory = memory.joined(memory.position.seat, move, after)
        return memory

    def joined(self, seat: int | None, move: str, after: Position) -> Memory:
        """Return the same after one more move: whose it was (None: chance), and where it led, a position to be kept."""
        digests, own = list(self.digests), list(self.own)
        if seat is not None:
            own[seat] = (*own[seat], move)
            digests[seat] = _digest(digests[seat], b"did" + move.encode())
        seen = (_digest(before, after.observation(viewer).tobytes()) for viewer, before in enumerate(digests))
        return Memory(after, self.moves + 1, tuple(seen), tuple(own))

    def information_state(self, seat: int) -> str:
        """Return the information state of a seat as a text: equal texts, equal pasts to the seat."""
        did = ", ".join(self.own[seat])
        return f"seat {seat}, after {self.moves} moves, seen {self.digests[seat].hex()}, did: {did}"

    def __deepcopy__(self, memo: Any) -> Memory:
        """Return itself."""
        return self


def begun(root: Position) -> Memory:
    """Return the memory of the start."""
    digests = (_digest(b"", root.observation(seat).tobytes()) for seat in range(root.game.players))
    return Memory(root, 0, tuple(digests), ((),) * root.game.players)


def _digest(before: bytes, seen: bytes) -> bytes:
    return blake2b(seen, digest_size=DIGEST_BITS // 8, key=before).digest()
