"""A small game written out whole, as an extensive game in Gambit's format (.efg).

Gambit and OpenSpiel (``pyspiel.load_efg_game``) read it, and their solvers then work on the tree itself, without a call
of ours. Chance is explicit, and what a player knows at a decision is its information state with perfect recall, as in
the OpenSpiel adapter. Only reduced games are small enough (section 18 of docs/rules/atlantis.md): docs/guide/theory.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from atlantis_envs.adapters.recall import Memory, begun
from atlantis_envs.engine.game import Game
from atlantis_envs.engine.position import Position
from atlantis_envs.errors import OptionError


class InformationSet(NamedTuple):
    """The decisions that a seat cannot tell apart.

    Attributes:
        seat: who decides.
        number: of the set in the file, from 1 for each seat.
        observation: what the seat sees there, uint8 (F,).
        actions: ids of the legal actions, in the order of the file.
        nodes: how many nodes of the tree are in the set.
    """

    seat: int
    number: int
    observation: NDArray[np.uint8]
    actions: tuple[int, ...]
    nodes: int


@dataclass
class Written:
    """A game as a tree; made by ``written``.

    >>> from atlantis_envs.adapters.efg import written
    >>> tiny = {"path": [1, 1], "tile_set": {"A": {"ring 1": 1, "crown 2": 1}, "B": {}}}
    >>> tiny |= {"cards": {"ring": 2, "crown": 2}, "start_hand": [1, 1]}
    >>> tiny |= {"pawns": 1, "bridges": False}
    >>> tree = written(atlantis_envs.game("atlantis", players=2, **tiny))
    >>> tree.nodes == tree.chance + tree.decisions + tree.terminal
    True

    Attributes:
        text: the file, in Gambit's format (.efg).
        sets: the text of an information state -> its set.
        chance: nodes of chance.
        terminal: ends of the game.
        counts: of the sets of each seat.
        numbers: action id -> its number in OpenSpiel, which counts texts of actions as they come in the file, and takes
            the actions of a node to stand in the order of these numbers: so they are written.
    """

    text: str = ""
    sets: dict[str, InformationSet] = field(default_factory=dict)
    chance: int = 0
    terminal: int = 0
    counts: list[int] = field(default_factory=list)
    numbers: dict[int, int] = field(default_factory=dict)

    @property
    def decisions(self) -> int:
        """Return nodes at which somebody decides."""
        return sum(one.nodes for one in self.sets.values())

    @property
    def nodes(self) -> int:
        """Return all nodes."""
        return self.chance + self.terminal + self.decisions


def written(game: Game, most: int = 1_000_000) -> Written:
    """Return the whole tree of a small game, depth first.

    >>> from atlantis_envs.adapters.efg import written
    >>> tiny = {"path": [1, 1], "tile_set": {"A": {"ring 1": 1, "crown 2": 1}, "B": {}}}
    >>> tiny |= {"cards": {"ring": 2, "crown": 2}, "start_hand": [1, 1]}
    >>> tiny |= {"pawns": 1, "bridges": False}
    >>> tree = written(atlantis_envs.game("atlantis", players=2, **tiny))
    >>> tree.nodes, len(tree.sets)
    (157, 48)

    Args:
        game: the game, reduced by its options; docs/guide/theory.md has some.
        most: the largest number of nodes.

    Raises:
        OptionError: the tree is larger.
    """
    tree = Written(counts=[0] * game.players)
    names = " ".join(f'"seat {seat}"' for seat in range(game.players))
    lines = [f'EFG 2 R "{game.definition.title}" {{ {names} }}']
    root = game.initial_position()
    ahead = [begun(root)]
    while ahead:
        memory = ahead.pop()
        position = memory.position
        if len(lines) > most:
            allowed = "allowed: games that are reduced further, or a larger limit"
            raise OptionError(f"game: more than {most:,} nodes; {allowed}")
        seat, moves = position.seat, _line(tree, lines, memory)
        texts = game.outcomes if seat is None else game.actions
        for move in reversed(moves):
            after = position.clone()
            after.apply(move)
            ahead.append(memory.joined(seat, texts[move], after))
    tree.text = "\n".join(lines) + "\n"
    return tree


def _line(tree: Written, lines: list[str], memory: Memory) -> Sequence[int]:
    """Write one node; the moves from it."""
    position = memory.position
    seat = position.seat
    if seat is not None:
        return _decision(tree, lines, position, memory.information_state(seat), seat)
    weights = position.chance_outcome_ids()
    if weights:
        tree.chance += 1
        total = sum(weights.values())
        texts = (f'"{position.game.outcomes[move]}" {weight}/{total}' for move, weight in weights.items())
        lines.append(f'c "" {tree.chance} "" {{ {" ".join(texts)} }} 0')
        return tuple(weights)
    tree.terminal += 1
    shares = " ".join(f"{share:.12g}" for share in position.returns())
    lines.append(f't "" {tree.terminal} "" {{ {shares} }}')
    return ()


def _decision(tree: Written, lines: list[str], position: Position, state: str, seat: int) -> Sequence[int]:
    legal = position.legal_action_ids()
    actions = tuple(sorted(legal, key=lambda action: tree.numbers.setdefault(action, len(tree.numbers))))
    one = tree.sets.get(state)
    if one is None:
        tree.counts[seat] += 1
        one = InformationSet(seat, tree.counts[seat], position.observation(seat), actions, 0)
    tree.sets[state] = one._replace(nodes=one.nodes + 1)
    texts = " ".join(f'"{position.game.actions[move]}"' for move in actions)
    lines.append(f'p "" {seat + 1} {one.number} "" {{ {texts} }} 0')
    return actions
