"""Changed documents: each is refused, or it can be played to its end. ``python tests/fuzz.py atlantis --accepted 1e5``.

Documents from the middle of random and of heuristic games are changed in 1 to 3 places (`mutants`) and loaded. What is
accepted is played to its end at random, everything checked at every node (`helpers.trial`), between canaries; written
and read, copied and resampled on the way. Work is done by a process of its own, so that a crash and a loop without end
are reported like any other hit. ``--mode bounds`` compiles with bounds checks, ``--mode plain`` does not compile,
``--mode both`` compares what compiled and uncompiled kernels do, and ``--mode slow`` is bounds, then plain with the
mutants that bounds accepted: ``python tests/fuzz.py all --mode slow --accepted 2e4``. Uncompiled play takes up to 10
ms a
node, so there a position is played on for ``--nodes`` nodes, 4 by default: its check and the kernels at work in it meet
what was changed, and the rest of the game is left to the compiled modes. A hit is named by seed and number: ``--only
NUMBER``
plays it again, ``--save FOLDER`` writes the documents of hits, ``--play FILE`` plays a document.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import mmap
import os
import random
import struct
import subprocess
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from helpers.mutants import Document, Mutator, collected, limits
from helpers.support import ROOT, TESTS, word
from helpers.trial import TOO_LONG, make_play_out, words_of

import atlantis_envs
from atlantis_envs.engine.game import Game
from atlantis_envs.engine.position import Position
from atlantis_envs.engine.records import plain, records
from atlantis_envs.errors import PositionError

PATTERN = 0xA5  # what lies around everything a kernel may write
CALL = 20_000  # nodes per compiled call
PATIENCE = {"compiled": 60.0, "bounds": 120.0, "plain": 600.0}  # seconds a single mutant may take
SEVERAL = {"both": ("compiled", "plain"), "slow": ("bounds", "plain")}
MODES = {"compiled": {}, "bounds": {"NUMBA_BOUNDSCHECK": "1"}, "plain": {"NUMBA_DISABLE_JIT": "1"}}
MAX_HITS = 12
PLAIN_NODES = 4  # nodes that a position is played on for, uncompiled
PLAYERS = {"atlandice": (2, 3, 4), "atlantis": (2, 3, 4), "atlantis_rising": (1, 2, 3, 4, 5, 6, 7)}


# ------------------------------------------------------------------------------------------------- what is fuzzed


def options_of(name: str, players: int, number: int) -> dict[str, Any]:
    """Options number so and so for a number of players; 0 are the defaults."""
    dice = random.Random(f"{name} {players} {number}")
    if name == "atlantis_rising":
        from helpers.atlantis_rising_starts import random_options as rising

        return {"level": 1 + players % 5} if number == 0 else rising(players, dice)
    if number == 0:
        return {}
    if name == "atlantis":
        from helpers.atlantis_random import random_options as atlantis

        return atlantis(dice, players)
    from helpers.atlandice_random import random_options as atlandice

    return {key: value for key, value in atlandice(players, dice).items() if key != "players"}


Pool = tuple[list[Document], list[tuple[list[Any], int, int]]]


def pool(name: str, players: tuple[int, ...], variants: int, count: int, seed: int) -> Pool:
    """So many documents of every number of players and set of options, half as many starts of scenarios, and limits."""
    found: list[Document] = []
    for number in range(variants):
        for seats in players:
            game = atlantis_envs.game(name, **{"players": seats, **options_of(name, seats, number)})
            found += collected(game, count, word(seed, seats, number))
    made_up = by_hand(name, players)
    found = json.loads(json.dumps([*found, *made_up[:: max(1, 2 * len(made_up) // len(found))]]))
    return found, limits(atlantis_envs.game(name), found)


def by_hand(name: str, players: tuple[int, ...]) -> list[Document]:
    """Positions that the rules files write down, and some close to them."""
    from helpers import golden_games

    game, found = atlantis_envs.game(name), []
    for document in golden_games.SOURCES[name].starts() if name != "atlandice" else golden_games.atlandice_documents():
        try:
            position = game.from_json(document)
        except PositionError:
            continue
        if position.game.players in players:
            found.append(position.to_json())
    return found


# --------------------------------------------------------------------------------------------------- one mutant


class Between:
    """Arrays whose middle rows are handed out, and whose outer rows nobody may write."""

    def __init__(self, *arrays: Any) -> None:
        self.arrays = arrays
        for array in arrays:
            array.view(np.uint8).reshape(3, -1)[[0, 2]] = PATTERN

    def touched(self) -> bool:
        return any((array.view(np.uint8).reshape(3, -1)[[0, 2]] != PATTERN).any() for array in self.arrays)


class Trial:
    """Plays positions of one number of players to their end."""

    def __init__(self, game: Game, most: int = 0) -> None:
        self.definition = declared = game.definition
        self.most = most or sys.maxsize  # nodes to play
        self.states = plain(records(3, declared.state_dtype))
        self.weights = np.zeros((3, len(game.outcomes)), np.int64)
        self.mask = np.zeros((3, len(game.actions)), np.int8)
        self.observation = np.zeros((3, game.observation_size), np.uint8)
        self.pay = np.zeros((3, declared.max_players), np.float64)
        self.points = np.zeros((3, declared.max_players), np.int64)
        self.high = game.observation_high.copy()
        self.loop = make_play_out(declared)

    def __call__(self, position: Position, number: int) -> tuple[str, int, str]:
        """Play to the end, or for so many nodes: (fault, nodes, a hash of the last position)."""
        game, dice = position.game, random.Random(number)
        bound = self.definition.bound(game.options)
        around = Between(self.states, self.weights, self.mask, self.observation, self.pay, self.points)
        self.states[1:2] = position.state
        self.weights[1], self.mask[1], self.observation[1], self.pay[1], self.points[1] = 0, 0, 0, 0, 0
        looks = [dice.randrange(1, min(200, self.most))]  # nodes where it is written, read, copied
        done, over, fault = 0, False, ""
        while not over and not fault and done < self.most:
            steps = looks.pop(0) - done if looks else min(CALL, self.most - done)
            own = (self.weights[1], self.mask[1], self.observation[1], self.high, self.pay[1], self.points[1])
            key = np.uint64(0)
            places = (1, len(self.definition.streams), *own, game.players, key, number, done, max(1, steps))
            found, nodes, over = self.loop(game.plain_rules, self.states, *places)
            done += int(nodes)
            fault = words_of(self.definition, int(found))
            if around.touched():
                fault = f"{fault}; written outside its arrays"
            elif done > bound:
                fault = words_of(self.definition, TOO_LONG)
            elif not fault and done < 200:
                fault = self.look(Position(game, self.states[1:2]), number + done)
        return fault and f"{fault} (node {done})", done, hashlib.sha256(self.states[1].tobytes()).hexdigest()[:16]

    def look(self, position: Position, seed: int) -> str:
        """Do what callers do with a position: write, read, copy, resample; "" or what went wrong."""
        again = position.game.from_json(json.loads(json.dumps(position.to_json())))
        if again.key() != position.key():
            return "to_json and from_json give another position"
        if position.clone().key() != position.key():
            return "a copy is another position"
        for seat in range(position.game.players):
            try:
                drawn = position.resample(seat, seed)
            except ValueError as error:
                if "nothing can be drawn" not in str(error):
                    return f"resample: {error}"
                continue
            if drawn.check() != 0:
                return f"resampled for seat {seat}: {drawn.faults()}"
            if not np.array_equal(drawn.observation(seat), position.observation(seat)):
                return f"seat {seat} sees its own resampling"
        return ""


def attempt(
    game: Game, trials: dict[str, Trial], document: Document, number: int, most: int = 0
) -> tuple[str, Position | None, str]:
    """Load and play a document: (fault or "", position if accepted, hash of the end)."""
    try:
        position = game.from_json(document)
    except PositionError as error:
        return "" if error.faults else "refused without a reason", None, ""
    except Exception as error:
        return f"from_json: {type(error).__name__}: {error}", None, ""
    if position.game.name not in trials:
        trials[position.game.name] = Trial(position.game, most)
    try:
        start = position.game.from_json(json.loads(json.dumps(position.to_json())))
        if start.key() != position.key():
            return "to_json and from_json give another position", position, ""
        fault, nodes, ended = trials[position.game.name](position, number)
    except PositionError as error:
        return f"what play reached is refused: {error}", position, ""
    except Exception as error:
        return f"{type(error).__name__}: {error}", position, ""
    return fault, position, f"{nodes} {ended}"


# --------------------------------------------------------------------------------------------------- the worker


class Worker:
    """Goes through the mutants first, first + stride, ...; says on stdout what it finds, in lines of JSON."""

    def __init__(self, name: str, known: Pool, seed: int, board: Board, most: int = 0) -> None:
        self.game = atlantis_envs.game(name)
        self.documents = known[0]
        self.mutator = Mutator(*known)
        self.seed = seed
        self.board = board
        self.most = most
        self.trials: dict[str, Trial] = {}
        self.bases: dict[int, Position] = {}

    def base(self, number: int) -> Position:
        if number not in self.bases:
            self.bases[number] = self.game.from_json(self.documents[number])
        return self.bases[number]

    def run(self, numbers: Iterable[int], accepted: int, tell: bool) -> None:
        number, tried, count, parent = -1, 0, 0, os.getppid()
        for number in numbers:
            if count >= accepted or os.getppid() != parent:  # ends with the process that watches it
                break
            self.board.write(number, count)
            place = word(self.seed, number) % len(self.documents)
            document, _ = self.mutator.mutant(self.seed, number, place)
            base = self.base(place)
            fault, position, ended = attempt(base.game, self.trials, document, number, self.most)
            if fault:
                print(json.dumps({"hit": number, "fault": fault}), flush=True)
            elif position is not None and position.key() != base.key():
                count += 1
                if tell:
                    print(json.dumps({"played": number, "ended": ended}), flush=True)
            tried += 1
        self.board.write(number, count)
        print(json.dumps({"tried": tried, "accepted": count}), flush=True)


class Board:
    """A page shared with the watching process: the mutant in work and how many were accepted."""

    def __init__(self, path: Path) -> None:
        with path.open("r+b") as file:
            self._page = mmap.mmap(file.fileno(), 16)

    def write(self, number: int, accepted: int) -> None:
        self._page[:16] = struct.pack("<qq", number, accepted)

    def read(self) -> tuple[int, int]:
        number, accepted = struct.unpack("<qq", self._page[:16])
        return int(number), int(accepted)


def work(arguments: argparse.Namespace) -> int:
    """Run as the worker's process."""
    warnings.simplefilter("error")
    folder = Path(arguments.worker)
    known = json.loads((folder / "pool.json").read_text())
    worker = Worker(arguments.game, known, arguments.seed, Board(folder / arguments.board), arguments.nodes)
    numbers: Iterable[int] = range(arguments.first, int(arguments.stop), arguments.stride)
    if arguments.numbers:
        chosen = json.loads((folder / arguments.numbers).read_text())
        numbers = [number for number in chosen if number in numbers]
    worker.run(numbers, int(arguments.accepted), arguments.tell)
    return 0


# ---------------------------------------------------------------------------------------------------- the watch


class Watch:
    """One worker process after another over the same numbers; restarted behind the mutant that killed it."""

    def __init__(
        self, folder: Path, index: int, arguments: argparse.Namespace, mode: str, accepted: int, numbers: str
    ) -> None:
        self.folder, self.index, self.arguments, self.mode = folder, index, arguments, mode
        self.numbers = numbers
        self.board_name = f"board-{mode}-{index}"
        (folder / self.board_name).write_bytes(struct.pack("<qq", -1, 0))
        self.board = Board(folder / self.board_name)
        self.wanted, self.before = accepted, 0
        self.hits: list[tuple[int, str]] = []
        self.played: dict[int, str] = {}
        self.tried = 0
        self.begin(arguments.first + index)

    def begin(self, first: int) -> None:
        self.first = first
        self.board.write(-1, 0)
        given = self.arguments
        numbers = [
            "--first",
            first,
            "--stride",
            given.jobs,
            "--stop",
            given.stop,
            "--accepted",
            str(self.wanted - self.before),
        ]
        command = [sys.executable, Path(__file__), given.game, "--worker", self.folder, "--board", self.board_name]
        command += ["--seed", given.seed, *numbers, *(["--tell"] if given.tell else [])]
        command += ["--nodes", nodes_of(given, self.mode), *(["--numbers", self.numbers] if self.numbers else [])]
        variables = {key: value for key, value in os.environ.items() if not key.startswith("NUMBA_")}
        variables["PYTHONPATH"] = os.pathsep.join([str(TESTS), str(ROOT), variables.get("PYTHONPATH", "")])
        self.output = (self.folder / f"output-{self.mode}-{self.index}").open("w+")
        self.process = subprocess.Popen(
            [str(part) for part in command], stdout=self.output, env=variables | MODES[self.mode], cwd=ROOT
        )
        self.moved, self.number = time.monotonic(), -1

    @property
    def accepted(self) -> int:
        return self.before + self.board.read()[1]

    def poll(self) -> bool:
        """Look at the worker; False once it has done its work."""
        code = self.process.poll()
        number, _ = self.board.read()
        if code is None:
            if number != self.number:
                self.moved, self.number = time.monotonic(), number
            patience = PATIENCE[self.mode] * (10 if number == -1 else 1)
            if time.monotonic() - self.moved < patience:
                return True
            self.process.kill()
            self.process.wait()
            return self.lost(number, f"no end within {patience:.0f} s")
        return self.lost(number, f"the process ended with code {code}") if code else self.collect() is None

    def lost(self, number: int, fault: str) -> bool:
        self.before += self.board.read()[1]
        self.collect()
        self.hits.append((number, fault))
        if number < 0 or len(self.hits) >= MAX_HITS:
            return False
        self.begin(number + self.arguments.jobs)
        return True

    def collect(self) -> int:
        """Read what the process said."""
        self.output.seek(0)
        for line in self.output:
            told = json.loads(line)
            if "hit" in told:
                self.hits.append((told["hit"], told["fault"]))
            elif "played" in told:
                self.played[told["played"]] = told["ended"]
            else:
                self.tried += told["tried"]
        self.output.close()
        return 0


def nodes_of(arguments: argparse.Namespace, mode: str) -> int:
    """For how many nodes a mode plays; 0: to the end, as the comparison of two modes always does."""
    if arguments.nodes is not None:
        return int(arguments.nodes)
    return PLAIN_NODES if mode == "plain" and arguments.mode != "both" else 0


def fuzz(arguments: argparse.Namespace, folder: Path, mode: str, numbers: list[int] | None = None) -> list[Watch]:
    """Let ``--jobs`` processes accept the wanted number of mutants together: of these numbers, or of all."""
    share = -(-int(arguments.accepted) // arguments.jobs)
    kept = "" if numbers is None else f"numbers-{mode}.json"
    if numbers is not None:
        (folder / kept).write_text(json.dumps(numbers))
    watches = [Watch(folder, index, arguments, mode, share, kept) for index in range(arguments.jobs)]
    running, said = list(watches), time.monotonic()
    try:
        while running:
            time.sleep(0.1)
            running = [watch for watch in running if watch.poll()]
            if time.monotonic() - said > 60:
                said = time.monotonic()
                print(f"  {mode}: {sum(watch.accepted for watch in watches):,} accepted so far", flush=True)
    finally:
        for watch in running:
            watch.process.kill()
    return watches


# --------------------------------------------------------------------------------------------------- the command


def report(arguments: argparse.Namespace, known: Pool, hits: list[tuple[int, str]]) -> None:
    """Each hit with what made it; like ones three times at most."""
    mutator = Mutator(*known)
    like: Counter[str] = Counter()
    for number, fault in sorted(set(hits)):
        sort = fault.split("(node")[0][:90]
        like[sort] += 1
        if like[sort] > 3:
            continue
        document, changes = mutator.mutant(arguments.seed, number, word(arguments.seed, number) % len(known[0]))
        print(f"HIT {number}: {fault}")
        for change in changes:
            print(f"    {change}")
        if arguments.save:
            Path(arguments.save).mkdir(parents=True, exist_ok=True)
            path = Path(arguments.save) / f"{arguments.game}-{arguments.seed}-{number}.json"
            path.write_text(json.dumps({"document": document, "fault": fault, "changes": changes}, indent=1))
    for sort, times in like.most_common():
        print(f"  {times:6} x {sort}")


def run(arguments: argparse.Namespace) -> list[tuple[int, str]]:
    """The whole command; the hits."""
    players = tuple(map(int, arguments.players.split(","))) if arguments.players else PLAYERS[arguments.game]
    hits: list[tuple[int, str]] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        known = pool(arguments.game, players, arguments.variants, arguments.documents, arguments.seed)
        (folder / "pool.json").write_text(json.dumps(known))
        print(f"{arguments.game}: {len(known[0])} documents, players {players}", flush=True)
        arguments.tell = arguments.mode in SEVERAL
        played: list[dict[int, str]] = []
        for mode in SEVERAL.get(arguments.mode, (arguments.mode,)):
            start = time.perf_counter()
            before = sorted(played[0]) if arguments.mode == "slow" and played else None
            watches = fuzz(arguments, folder, mode, before)
            hits += [hit for watch in watches for hit in watch.hits]
            accepted, tried = sum(watch.accepted for watch in watches), sum(watch.tried for watch in watches)
            seconds = time.perf_counter() - start
            nodes = nodes_of(arguments, mode)
            how = f"played for {nodes} nodes" if nodes else "played"
            print(f"{mode}: {accepted:,} of {tried:,} mutants accepted and {how}, {seconds:.0f} s", flush=True)
            played.append({number: ended for watch in watches for number, ended in watch.played.items()})
        if arguments.mode == "both":
            other = [number for number in played[0] if played[0][number] != played[1].get(number)]
            hits += [(number, "compiled and uncompiled play differ") for number in other]
        report(arguments, known, hits)
        print(f"{len(set(hits))} hits")
    return hits


def play_one(arguments: argparse.Namespace) -> int:
    """One mutant, or one document, in this process."""
    if arguments.play:
        document = json.loads(Path(arguments.play).read_text())
        document, number = document.get("document", document), 0
    else:
        players = tuple(map(int, arguments.players.split(","))) if arguments.players else PLAYERS[arguments.game]
        known = pool(arguments.game, players, arguments.variants, arguments.documents, arguments.seed)
        number = arguments.only
        base = word(arguments.seed, number) % len(known[0])
        document, changes = Mutator(*known).mutant(arguments.seed, number, base)
        print(json.dumps(document), *changes, sep="\n")
    game = atlantis_envs.game(arguments.game)
    fault, position, ended = attempt(game, {}, document, number)
    print("accepted" if position else "refused", fault or ended or "")
    return 1 if fault else 0


def parse(given: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game", choices=[*sorted(PLAYERS), "all"])
    parser.add_argument("--accepted", type=float, default=1e4, help="mutants to accept and play")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--players", default="", help="such as 2,3; all by default")
    parser.add_argument("--variants", type=int, default=6, help="sets of options per number of players")
    parser.add_argument("--documents", type=int, default=48, help="documents per set of options and number of players")
    parser.add_argument("--mode", choices=[*MODES, *SEVERAL], default="compiled")
    parser.add_argument("--nodes", type=int, help="nodes to play, 0: to the end (default: 4 uncompiled, else 0)")
    parser.add_argument("--jobs", type=int, default=1, help="processes at once")
    parser.add_argument("--first", type=int, default=0, help="number of the first mutant")
    parser.add_argument("--stop", type=float, default=1e9, help="number of mutants never to be reached")
    parser.add_argument("--save", default="", help="folder for the documents of hits")
    parser.add_argument("--only", type=int, help="try the mutant of this number alone")
    parser.add_argument("--play", default="", help="try the document in this file alone")
    parser.add_argument("--worker", default="", help=argparse.SUPPRESS)
    parser.add_argument("--board", default="", help=argparse.SUPPRESS)
    parser.add_argument("--stride", type=int, default=1, help=argparse.SUPPRESS)
    parser.add_argument("--numbers", default="", help=argparse.SUPPRESS)
    parser.add_argument("--tell", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args(given)
    arguments.stop = int(arguments.stop)
    return arguments


def main() -> int:
    """Run the command line."""
    arguments = parse()
    if arguments.worker:
        return work(arguments)
    if arguments.only is not None or arguments.play:
        if arguments.game == "all":
            raise SystemExit("game: 'all'; allowed beside --only and --play: the name of one")
        return play_one(arguments)
    names = sorted(PLAYERS) if arguments.game == "all" else [arguments.game]
    hits = [run(argparse.Namespace(**{**vars(arguments), "game": name})) for name in names]
    return 1 if any(hits) else 0


if __name__ == "__main__":
    sys.exit(main())
