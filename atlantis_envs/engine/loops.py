"""The loops over lanes, written once and compiled per game.

``make_loops`` closes over a game's kernels; the digest of the result covers them, so the disk cache serves every later
process. A *lane* is one game of a batch: row i of every array.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np

from atlantis_envs.engine.chance import LOW_32, make_chances, noise_word, noise_words
from atlantis_envs.engine.definition import CHANCE, MOST_PLIES, OVER, Definition
from atlantis_envs.engine.lanes import GAME, PLY, SEAT, Lanes
from atlantis_envs.kernels.copying import move
from atlantis_envs.kernels.kernel import direct, entry, kernel

FINE = -1  # what admit returns when no row is at fault
ILLEGAL = -3  # what single_step returns, where a seat, CHANCE or OVER would stand, for an action that is not legal


@cache
def make_loops(definition: Definition) -> Any:
    """Build (not yet compile) the entry points of a game: ``step_loop`` is the attribute ``step``, and so on.

    They take arrays as in Batch; ``rules``, ``root`` and ``states`` of single positions are arrays of one record.
    """
    reset, node, legal, chance = definition.reset, definition.node, definition.legal, definition.chance
    apply, observe, scores, returns = definition.apply, definition.observe, definition.scores, definition.returns
    check, resample, potential = definition.check, definition.resample, definition.potential
    is_truncated = definition.truncated
    if is_truncated is None:

        @kernel
        def is_truncated(rules, state):
            """Say that no game that is over was cut off; for others nobody asks, so every game has its own kernel."""
            return node(rules, state) != OVER

    most = MOST_PLIES
    width = len(definition.actions.texts)  # a constant, so that a row of masks is copied without a call
    chances = make_chances(definition)
    draw_outcome, play_chance = chances.draw, chances.play

    @kernel
    def show(rules, state, lane, turns, masks, plies, seats, observations, shown_masks):
        """Write what the seat to decide sees and may do; nothing of interest when the game is over.

        Masks are written twice: a step believes ``masks``, callers are shown the copy. It is made last, since a
        processor waits when it is to read many bytes at once that it has just written one by one.
        """
        seat = node(rules, state)
        turns[SEAT, lane] = seat
        legal(rules, state, masks[lane])
        plies[lane] = turns[PLY, lane]
        seats[lane] = seat
        observe(rules, state, seat if seat >= 0 else 0, observations[lane])
        move(shown_masks, width * lane, masks, width * lane, width)

    @kernel
    def begin(rules, root, lane, states, counters, turns, weights, key):
        """Start a lane's game and play it from its root to the first decision."""
        states[lane] = root[0]
        counters[lane, :] = 0
        turns[PLY, lane] = 0
        play_chance(rules, states[lane], counters[lane], weights, key, turns[GAME, lane])

    # ------------------------------------------------------------------------ single positions (arrays of one record)

    @entry
    def root_loop(rules, states):
        reset(rules[0], states[0])

    @entry
    def node_loop(rules, states):
        return node(rules[0], states[0])

    @entry
    def legal_loop(rules, states, mask):
        legal(rules[0], states[0], mask)

    @entry
    def chance_loop(rules, states, weights):
        return chance(rules[0], states[0], weights)

    @entry
    def apply_loop(rules, states, index):
        apply(rules[0], states[0], index)

    @entry
    def observe_loop(rules, states, seat, out):
        observe(rules[0], states[0], seat, out)

    @entry
    def scores_loop(rules, states, out):
        scores(rules[0], states[0], out)

    @entry
    def returns_loop(rules, states, out):
        returns(rules[0], states[0], out)

    @entry
    def truncated_loop(rules, states):
        return is_truncated(rules[0], states[0])

    @entry
    def check_loop(rules, states):
        return check(rules[0], states[0])

    @entry
    def resample_loop(rules, states, seat, rng):
        return resample(rules[0], states[0], seat, rng)

    @entry
    def sample_loop(rules, states, counters, weights, key, game):
        """Return the outcome the next chance node takes, without playing it."""
        return draw_outcome(rules[0], states[0], counters, weights, key, game)

    # --------------------------------------------------------------------------------------------------- batches

    @entry
    def play_chance_rows_loop(rules, states, counters, games, weights, keys, lanes, start, stop):
        """Play pending chance in lanes[start:stop]."""
        for index in range(start, stop):
            lane = lanes[index]
            play_chance(rules[0], states[lane], counters[lane], weights, keys[lane], games[lane])

    @entry
    def start_loop(rules, root, states, counters, turns, weights, keys, lanes, start, stop):
        """Begin a new game in lanes[start:stop]."""
        for index in range(start, stop):
            lane = lanes[index]
            begin(rules[0], root, lane, states, counters, turns, weights, keys[lane])

    @entry
    def view_loop(
        rules, states, turns, masks, games, plies, seats, observations, shown_masks, lanes, start, stop
    ):  # fmt: skip
        """Refresh seats, observations and masks of lanes[start:stop], and what is shown of them."""
        for index in range(start, stop):
            lane = lanes[index]
            games[lane] = turns[GAME, lane]
            show(rules[0], states[lane], lane, turns, masks, plies, seats, observations, shown_masks)

    @entry
    def admit_loop(masks, actions, lanes, rewards, over):
        """Return the first row whose action is out of range or not legal; else clear the last step's results: FINE.

        Both in one call, since a call takes longer than the work for a few lanes.
        """
        for index in range(len(lanes)):
            action = actions[index]
            if action < 0 or action >= masks.shape[1] or masks[lanes[index], action] == 0:
                return index
        rewards[:] = 0
        over[:] = False
        return FINE

    @entry
    def step_loop(
        rules, root, states, counters, turns, masks, games, plies, seats, observations, shown_masks, rewards, over,
        truncated, final_states, final_observations, final_scores, weights, pay, points, keys, stride, actions, lanes,
        start, stop,
    ):  # fmt: skip
        """Play one legal action in each of lanes[start:stop]; finished games pay and the lane starts its next one."""
        for index in range(start, stop):
            lane = lanes[index]
            state = states[lane]
            mover = int(turns[SEAT, lane])
            apply(rules[0], state, int(actions[index]))
            turns[PLY, lane] += 1
            play_chance(rules[0], state, counters[lane], weights, keys[lane], turns[GAME, lane])
            ended = node(rules[0], state) == OVER
            if ended or turns[PLY, lane] >= most:
                over[lane] = True
                truncated[lane] = not ended or is_truncated(rules[0], state)
                pay[:] = 0.0
                if ended:
                    returns(rules[0], state, pay)
                scores(rules[0], state, points)
                for seat in range(rewards.shape[1]):
                    rewards[lane, seat] = pay[seat]
                    final_scores[lane, seat] = points[seat]
                observe(rules[0], state, mover, final_observations[lane])
                final_states[lane] = state
                turns[GAME, lane] += stride
                games[lane] = turns[GAME, lane]
                begin(rules[0], root, lane, states, counters, turns, weights, keys[lane])
            show(rules[0], states[lane], lane, turns, masks, plies, seats, observations, shown_masks)

    @entry
    def noise_loop(keys, games, plies, out):
        """Write a random word per row for an agent's own choices, a function of (key, game, ply) alone."""
        noise_words(keys, games, plies, out)

    @entry
    def observe_rows_loop(rules, states, seats, lanes, out):
        """Write, row by row, what ``seats[lane]`` sees of the state of that lane."""
        for index in range(len(lanes)):
            lane = lanes[index]
            observe(rules[0], states[lane], int(seats[lane]), out[index])

    if potential is not None:

        @entry
        def potential_loop(rules, states, seats, players, points, out):
            """Write how far everybody together has come, in every lane."""
            for lane in range(len(out)):
                out[lane] = potential(rules[0], states[lane])

    else:

        @entry
        def potential_loop(rules, states, seats, players, points, out):
            """Write how far the score of ``seats[lane]`` lies above the best other one, in every lane."""
            for lane in range(len(out)):
                scores(rules[0], states[lane], points)
                own = int(seats[lane])
                best = points[1] if own == 0 else points[0]
                for seat in range(players):
                    if seat != own and points[seat] > best:
                        best = points[seat]
                out[lane] = points[own] - best

    @entry
    def fuzz_loop(rules, root, states, counters, games, plies, weights, mask, key, steps, used, drawn, limit):
        """Play uniformly at random in lane 0, with ``check`` after every node.

        ``used`` and ``drawn`` count actions and outcomes. Returns (bits, nodes, finished games, longest game in nodes):
        bits of ``check``, or NO_LEGAL / NOTHING_HAPPENS / TOO_LONG, at the first fault, else 0.
        """
        finished = 0
        length = 0
        longest = 0
        for done in range(steps):
            state = states[0]
            seat = node(rules[0], state)
            flags = check(rules[0], state)
            if flags != 0:
                return flags, done, finished, longest
            if seat == OVER or length > limit:
                longest = max(longest, length)
                if length > limit:
                    return TOO_LONG, done, finished, longest
                finished += 1
                length = 0
                states[0] = root[0]
                counters[0, :] = 0
                games[0] += 1
                plies[0] = 0
                continue
            length += 1
            if seat == CHANCE:
                outcome = draw_outcome(rules[0], state, counters[0], weights, key, games[0])
                if weights[outcome] <= 0:
                    return NOTHING_HAPPENS, done, finished, longest
                drawn[outcome] += 1
                apply(rules[0], state, outcome)
                continue
            legal(rules[0], state, mask)
            options = 0
            for action in range(len(mask)):
                options += int(mask[action])
            if options == 0:
                return NO_LEGAL, done, finished, longest
            word = noise_word(key, games[0], plies[0]) & LOW_32
            choice = np.int64((word * np.uint64(options)) >> np.uint64(32))
            plies[0] += 1
            for action in range(len(mask)):
                if mask[action] != 0:
                    if choice == 0:
                        used[action] += 1
                        apply(rules[0], state, action)
                        break
                    choice -= 1
        return 0, steps, finished, longest

    # ------------------------------------------------------- one game at a time: as a lane, with few arguments

    @kernel
    def look(rules, state, observation, mask):
        """Show the position to the seat to decide; that seat, or OVER."""
        seat = node(rules, state)
        legal(rules, state, mask)
        observe(rules, state, seat if seat >= 0 else 0, observation)
        return seat

    @entry
    def single_start_loop(rules, root, states, counters, weights, observation, mask, key, game):
        """Begin a game; the first seat to decide."""
        states[0] = root[0]
        counters[:] = 0
        play_chance(rules[0], states[0], counters, weights, key, game)
        return look(rules[0], states[0], observation, mask)

    @entry
    def single_step_loop(rules, states, counters, weights, observation, mask, key, game, action):
        """Play one action; the next seat to decide, OVER, or ILLEGAL and nothing has changed."""
        if action < 0 or action >= len(mask) or mask[action] == 0:
            return ILLEGAL
        apply(rules[0], states[0], action)
        play_chance(rules[0], states[0], counters, weights, key, game)
        return look(rules[0], states[0], observation, mask)

    built = {name.removesuffix("_loop"): made for name, made in locals().items() if name.endswith("_loop")}
    return SimpleNamespace(**built)


# What a fuzz loop finds broken, beside the bits of ``check``.
NO_LEGAL = 1 << 40
TOO_LONG = 1 << 41
NOTHING_HAPPENS = 1 << 42


# ---------------------------------------------------------------------------------------------------- machine code

# What each way to play needs, compiled together before its first use. An environment plays one game and never needs the
# loops over many, nor a batch those of a position; the rest is for few and is compiled when it is asked for.
OF_BATCHES = ("step", "start", "view", "admit", "noise", "observe_rows")
OF_ONE_GAME = ("single_step", "single_start", "observe", "returns", "truncated")
OF_POSITIONS = ("apply", "node", "legal", "chance", "sample", "observe", "scores", "returns", "truncated")


class Calls:
    """Every entry of ``make_loops`` as machine code, under its name; compiled, or loaded, when it is first asked for.

    An entry looks up the types of what it is called with, and of records that takes longer than most of what is done
    with them. The engine's own arrays always have the same types, so their machine code is called as it stands.

    Arguments have to be those of a batch, of a single game or of a position: nothing looks at their types. Arrays of
    numbers from outside come in through ``integer_array``, which settles theirs.
    """

    def __init__(self, definition: Definition, rules: Any, root: Any, loops: Any) -> None:
        """Compile nothing yet."""
        self._arguments = _arguments(definition, rules, root)
        self._loops = loops

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of all entries that may be asked for."""
        return tuple(self._arguments)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        """Find the machine code of an entry, once."""
        if name not in self.__dict__.get("_arguments", ()):
            raise AttributeError(name)
        call: Callable[..., Any] = direct(getattr(self._loops, name), *self._arguments[name])
        self.__dict__[name] = call
        return call


def _arguments(definition: Definition, rules: Any, root: Any) -> dict[str, tuple[Any, ...]]:
    """Return arguments of the types that each entry is called with."""
    lanes = Lanes(definition, definition.min_players, 1)
    scratch = lanes.scratch
    keys, ids, key = np.zeros(1, np.uint64), np.zeros(1, np.int64), np.uint64(0)
    one = (rules, lanes.of_games[0])
    rows = (ids, 0, 1)  # lanes, from which to which
    of_one = (lanes.counters[0], scratch.weights, lanes.observations[0], lanes.masks[0], key, 0)
    return {
        "node": one,
        "legal": (*one, lanes.masks[0]),
        "chance": (*one, scratch.weights),
        "apply": (*one, 0),
        "observe": (*one, 0, lanes.observations[0]),
        "scores": (*one, scratch.points),
        "returns": (*one, scratch.pay),
        "truncated": one,
        "check": one,
        "resample": (*one, 0, keys),
        "sample": (*one, lanes.counters[0], scratch.weights, key, 0),
        "play_chance_rows": (*one, lanes.counters, ids, scratch.weights, keys, *rows),
        "start": (rules, root, *lanes.of_games, scratch.weights, keys, *rows),
        "view": (*one, *lanes.of_views, *rows),
        "admit": (lanes.masks, ids, ids, lanes.rewards, lanes.over),
        "step": (rules, root, *lanes.of_steps, *scratch, keys, 1, ids, *rows),
        "noise": (keys, ids, ids, keys),
        "observe_rows": (*one, lanes.shown_seats, ids, lanes.observations),
        "potential": (*one, lanes.shown_seats, 1, scratch.points, scratch.pay),
        "single_start": (rules, root, lanes.of_games[0], *of_one),
        "single_step": (*one, *of_one, 0),
    }
