"""The stack of frames (the ``pending`` of section 20) and how a node is set."""

from __future__ import annotations

from atlantis_envs.engine.definition import Record
from atlantis_envs.games.atlantis_rising.state import FRAME_WIDTH, NONE, Column, Node, Phase
from atlantis_envs.kernels.kernel import kernel

WAITING = True  # what a running frame returns: a node is set
RUNNING = False  # ... or the program goes on


@kernel
def push(state: Record, do: int, seat: int) -> int:
    """Put a frame on top; return its row, whose other columns are 0."""
    top = int(state.num_frames)
    state.num_frames = top + 1
    state.frames[top, Column.DO] = do
    state.frames[top, Column.SEAT] = seat
    return top


@kernel
def pop(state: Record) -> None:
    """Take the top frame away."""
    top = int(state.num_frames) - 1
    state.num_frames = top
    for column in range(FRAME_WIDTH):
        state.frames[top, column] = 0


@kernel
def set_none(state: Record, top: int, start: int, stop: int) -> None:
    """Set columns that hold nothing yet to NONE."""
    for column in range(start, stop):
        state.frames[top, column] = NONE


@kernel
def wait(state: Record, node: int, actor: int) -> bool:
    """Stop at a node: a decision of ``actor``, or chance (NONE)."""
    state.node = node
    state.actor = actor
    return WAITING


@kernel
def finish_game(state: Record, result: int) -> None:
    """End the game; everything else stays as it is at this moment (16, 20)."""
    state.result = result
    state.phase = Phase.OVER
    state.node = Node.OVER
    state.actor = NONE
    for _ in range(int(state.num_frames)):
        pop(state)
