"""Random play that looks for every effect of Atlantis Rising, and a table of how often each was found.

``python tests/reach_play.py`` (or ``tests/soak.py --reach``) writes docs/results/atlantis-rising-reach.md. Uniform
random play from the beginning builds next to nothing and ends after a few rounds, so most components are out of its
reach. So there is a second kind of play: hand-made positions of late rounds, dealt so that what was seen least
is there, and an eager player that often does what it has done least.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from helpers.atlantis_rising_starts import IDLE, later, random_blueprint, spaces
from helpers.reach import OWNED, Step, effects, origin, seen
from helpers.support import ROOT, play

import atlantis_envs
from atlantis_envs.engine.definition import OVER
from atlantis_envs.engine.game import Game
from atlantis_envs.engine.position import Position
from atlantis_envs.engine.records import plain
from atlantis_envs.games.atlantis_rising import data
from atlantis_envs.games.atlantis_rising import state as s
from atlantis_envs.games.atlantis_rising.actions import Act

FILE = ROOT / "docs" / "results" / "atlantis-rising-reach.md"
WANTED = 1_000
LEVELS = range(1, 6)
PLAYERS = range(1, 8)
LATE_NODES = 60  # played from every late position ...
TIMES = 6  # ... so often
READY_SHARE = 0.5  # how often the eager player is ready although it could do more
LATECOMERS = ("astrologer", "emissary", "navigator", "aquanaut")
MOST_ARTIFACTS = 3  # of a seat in a late position: below the limit of cards


class Observer:
    """Plays and counts; every node is checked.

    Attributes:
        counts: how often each (group, effect) was seen.
        nodes: nodes played.
        games: games that came to their end.
    """

    def __init__(self, seed: int, eager: bool = False) -> None:
        self.dice = random.Random(seed)
        self.eager = eager
        self.counts: Counter[tuple[str, str]] = Counter()
        self.chosen: Counter[str] = Counter()
        self.nodes = self.games = 0

    def play(self, position: Position, nodes: int) -> None:
        """So many nodes from a position, or to the end of the game."""
        game, dtype = position.game, position.game.definition.state_dtype
        states = np.zeros(1, dtype)  # a plain dtype: fields of a record array cost ten times as much to read
        before, now = np.zeros(1, dtype), plain(states.view(np.recarray))
        old_bytes, new_bytes = before.view(np.uint8), states.view(np.uint8)
        new_bytes[:] = plain(position.state).view(np.uint8)
        rules = plain(game.rules).view(game.definition.rules_dtype)[0]
        own = game.plain_rules, now
        work = np.zeros(game.num_actions, np.int8), np.zeros(len(game.outcomes), np.int64)
        belongs = ("", "")
        for _ in range(nodes):
            seat = int(game.loops.node(*own))
            if seat == OVER:
                self.games += 1
                return
            move, text = self._choose(game, own, seat, *work)
            old_bytes[:] = new_bytes
            game.loops.apply(*own, move)
            assert game.loops.check(*own) == 0
            step = Step(text, int(before["node"][0]), seat, belongs, before[0], states[0], rules)
            step.origin = belongs = origin(step)
            self.counts.update(seen(step))
            if belongs[0] and OWNED[belongs[0]][belongs[1]](step):
                self.counts[belongs] += 1
                belongs = ("", belongs[1])  # counts once
            self.nodes += 1

    def _choose(self, game: Game, own: tuple[Any, Any], seat: int, mask: Any, weights: Any) -> tuple[int, str]:
        if seat >= 0:
            game.loops.legal(*own, mask)
            offered = np.flatnonzero(mask).tolist()
            move = self._prefer(offered, game.actions) if self.eager else self.dice.choice(offered)
            return move, game.actions[move]
        _, first, stop = game.loops.chance(*own, weights)
        move = self.dice.choices(range(first, stop), weights[first:stop].tolist())[0]
        return move, game.outcomes[move]

    def _prefer(self, offered: list[int], actions: tuple[str, ...]) -> int:
        """Gates and what was done least, else mostly something that does something."""
        if offered[0] == Act.READY and self.dice.random() < READY_SHARE:
            return Act.READY
        busy = [move for move in offered if actions[move] not in IDLE and not actions[move].startswith("lift")]
        if offered[0] == Act.PASS and Act.RESOLVE in offered and self.dice.random() < 0.5:
            return Act.RESOLVE
        gates = [move for move in busy if actions[move].startswith("at gate")]
        way = self.dice.random()
        if way < 0.3 and gates:
            move = self.dice.choice(gates)
        elif way < 0.6 and busy:
            move = min(busy, key=lambda move: self.chosen[actions[move]])
        else:
            move = self.dice.choice(busy if way < 0.9 and busy else offered)
        self.chosen[actions[move]] += 1
        return move

    def least_seen(self, group: str, names: Any, count: int) -> list[str]:
        """So many of the names: half of the time those seen least in their group."""
        if self.dice.random() < 0.5:
            return self.dice.sample(list(names), count)
        return sorted(names, key=lambda name: (self.counts[group, name], self.dice.random()))[:count]


# ---- where to begin


def late_document(players: int, observer: Observer) -> dict[str, Any]:
    """A first deployment to which later rounds have been added by hand."""
    dice = observer.dice
    level = dice.choice([1, 2, 3, 4, 5, 5])
    councilors = observer.least_seen("councilor", data.COUNCILORS, min(players, 2))
    rest = [name for name in data.COUNCILORS if name not in councilors]
    councilors += dice.sample(rest, players - len(councilors))
    dice.shuffle(councilors)
    blueprint = random_blueprint(level, dice) if level == 1 else letters(level, observer)
    own = {"level": level, "councilors": councilors, "blueprint": blueprint, "hands_open": dice.random() < 0.5}
    position = atlantis_envs.game("atlantis_rising", players=players, **own).initial_position()
    while position.state.phase[0] != s.Phase.DEPLOY:
        play(position, 1, dice)
    return later(position.to_json(), dice)


def letters(level: int, observer: Observer) -> list[str]:
    """Nine components with the letters of the level (2.10)."""
    counts = {name[0]: 0 for name in "ABCD"}
    for name in random_blueprint(level, observer.dice):
        counts["ABCD"[data.COMPONENTS.index(name) // 5]] += 1
    return [
        name
        for number, count in enumerate(counts.values())
        for name in observer.least_seen("component built", data.COMPONENTS[5 * number : 5 * number + 5], count)
    ]


def late_position(players: int, observer: Observer) -> Position:
    """A position of a late round: pieces everywhere, artifacts in play, and the phase is deployment or actions."""
    dice = observer.dice
    document = late_document(players, observer)
    acting = dice.random() < 0.6
    last = acting and dice.random() < 0.3 and len(document["built"]) == data.BLUEPRINT_SIZE - 1
    free = spaces(document)
    placed: Counter[tuple[int, int, int]] = Counter()
    for number, seat in enumerate(document["seats"]):
        hand_out(document, seat, observer)
        for good in data.GOODS:
            seat[good] += dice.randint(0, 9 if last else 4)
        for kind in ("leader", "hologram", "follower", "volunteer", "automaton"):
            if kind == "leader" and not acting and seat["councilor"] in LATECOMERS:
                continue  # placed by the player
            for _ in range(seat["home"][kind]):
                at = "gate 1" if last and kind == "leader" else where(kind, free, placed, seat, number, observer)
                free[at] = free.get(at, 99) - 1
                placed[data.LOCATIONS.index(at), number, data.KINDS.index(kind)] += 1
            seat["home"][kind] = 0
    document["placed"] = [
        {"at": data.LOCATIONS[at], "seat": seat, "kind": data.KINDS[kind], "ready": count, "done": 0}
        for (at, seat, kind), count in sorted(placed.items())
    ]
    if not acting:
        shorten(document)
    document["phase"] = "actions" if acting else "deploy"
    return atlantis_envs.game("atlantis_rising").from_json(document)


def shorten(document: dict[str, Any]) -> None:
    """A misfortune deck in which the special ones are as frequent as the others; a swift evacuation in a hand."""
    deck, discard, library = document["misfortunes"]["deck"], document["misfortunes"]["discard"], document["library"]
    for kind in deck:
        if deck[kind] > 2:
            discard[kind] = deck[kind] - 2
            deck[kind] = 2
    if library["deck"].get("swift evacuation"):
        library["deck"]["swift evacuation"] -= 1
        hand = document["seats"][-1]["hand"]
        hand["swift evacuation"] = hand.get("swift evacuation", 0) + 1


def where(
    kind: str, free: dict[str, int], placed: Counter[Any], seat: dict[str, Any], number: int, observer: Observer
) -> str:
    """A place with room; the automaton needs company (5.3), some councilors and artifacts a place of their own."""
    dice = observer.dice
    if kind == "automaton":
        company = [data.LOCATIONS[at] for at, owner, _ in placed if owner == number]
        return next(at for at in [*company, "centre"] if free.get(at, 99) > 0)
    tiles = [at for at in free if at[-1].isdigit() and free[at] > 0]
    wild = [at for at in tiles if at.startswith(data.PENINSULAS[: data.NUM_WILD])]
    first = [at for at in tiles if f"{at[:-1]}{int(at[-1]) - 1}" not in free]
    cities = [at for at in tiles if at.startswith("cities")]
    own = {"explorer": wild, "champion": first}.get(seat["councilor"], ["gate 1", "gate 2"])
    if kind == "leader" and own and dice.random() < 0.7:
        return dice.choice(own)
    if "mask of voices" in seat["artifacts"] and cities and dice.random() < 0.5:
        return cities[0]
    built = [at for at in free if at in data.COMPONENTS and free[at] > 0]
    if built and kind == "follower" and dice.random() < 0.3:
        return observer.least_seen("component at work", built, 1)[0]
    at = dice.choice(list(free))
    return "centre" if free[at] == 0 or (at == "spirit seal" and kind != "follower") else at


def hand_out(document: dict[str, Any], seat: dict[str, Any], observer: Observer) -> None:
    """Artifacts of deck and box into play, as many as the library has (3c)."""
    deck, unused = document["library"]["deck"], document["unused_artifacts"]
    while len(seat["artifacts"]) < MOST_ARTIFACTS:
        in_deck = [name for name in deck if name in data.ARTIFACTS]
        if not in_deck or observer.dice.random() < 0.2:
            break
        [name] = observer.least_seen("artifact", [*in_deck, *unused], 1)
        seat["artifacts"].append(name)
        if name in unused:  # it changes places with one of the deck
            unused[unused.index(name)] = in_deck[0]
            unused.sort(key=data.ARTIFACTS.index)
            del deck[in_deck[0]]
        else:
            del deck[name]
    seat["artifacts"].sort(key=data.ARTIFACTS.index)


# ---- columns


def random_games(nodes: int, seed: int = 0) -> Observer:
    """Uniform play from the beginning, every number of players at every level in turn."""
    observer, number = Observer(seed), 0
    while observer.nodes < nodes:
        players, level = 1 + number % len(PLAYERS), 1 + number // len(PLAYERS) % len(LEVELS)
        observer.play(atlantis_envs.game("atlantis_rising", players=players, level=level).initial_position(), 10**9)
        number += 1
    return observer


def late_rounds(nodes: int, seed: int = 0) -> Observer:
    """Eager play of the first ``LATE_NODES`` nodes after hand-made positions of late rounds."""
    observer, number = Observer(seed, eager=True), 0
    while observer.nodes < nodes:
        position = late_position(1 + number % len(PLAYERS), observer)
        for _ in range(TIMES):
            observer.play(position, LATE_NODES)
        number += 1
    return observer


# ---- the table

HEAD = """# How often play reaches each effect of Atlantis Rising

Every misfortune, library card, artifact, councilor and component of [the rules](../rules/atlantis_rising.md), counted
by `python tests/reach_play.py`. An effect counts where its own change is seen between two positions, once per card,
action or roll: a barrier more, a tile less under water, a piece that stays on a tile that sinks. What adds one
point to a roll counts only where that point made the success. Every node on the way is checked (`check`).

- *random games*: uniform random play from the beginning, 1 to 7 players at levels 1 to 5 in turn.
- *late rounds*: {late} nodes after each hand-made position of a late round, {times} times each. The positions are dealt
  from what was seen least, and an eager player often does what it has done least. Random games hardly build, so for
  components, artifacts and most councilors this column is what counts.

"""


def report(random_nodes: int, late_nodes: int, seed: int = 0) -> tuple[str, int]:
    """The document, and the smallest count in it."""
    first, second = random_games(random_nodes, seed), late_rounds(late_nodes, seed)
    lines = ["| group | effect | random games | late rounds | together |", "| --- | --- | ---: | ---: | ---: |"]
    least = min(first.counts[key] + second.counts[key] for key in effects())
    for key in effects():
        one, two = first.counts[key], second.counts[key]
        lines.append(f"| {key[0]} | {key[1]} | {one:,} | {two:,} | {one + two:,} |")
    told = (
        f"{first.nodes:,} nodes of {first.games:,} random games and {second.nodes:,} nodes of late rounds, seed {seed}."
    )
    head = HEAD.format(late=LATE_NODES, times=TIMES)
    return f"{head}{told} The smallest count is {least:,}.\n\n" + "\n".join(lines) + "\n", least


def main(arguments: list[str] | None = None) -> int:
    """Write the document; 1 if something was seen less than ``WANTED`` times."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--random-nodes", type=float, default=1.8e6)
    parser.add_argument("--late-nodes", type=float, default=4.4e6)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=FILE)
    said = parser.parse_args(arguments)
    text, least = report(int(said.random_nodes), int(said.late_nodes), said.seed)
    said.out.write_text(text, encoding="utf-8")
    print(text)
    return int(least < WANTED)


if __name__ == "__main__":
    sys.exit(main())
