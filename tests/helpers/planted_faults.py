"""Small faults that somebody could make, at least four in each part of the project, for `planted` to plant.

A fault is found by what it changes, not by where: ``snippet`` stands once in the definition called ``symbol``, in
whatever file that is; ``near`` is a part of the path, and decides only where several files have such a place.
"""

from __future__ import annotations

from dataclasses import dataclass

ATLANDICE, ATLANTIS, RISING, ENGINE = "games/atlandice", "games/atlantis/", "games/atlantis_rising", "engine/"
TRAINING = "atlantis_training"

SCENARIOS, LOCKSTEP = "tests/games/test_scenarios.py", "tests/games/test_lockstep.py"
RISING_ROUNDS = "tests/games/atlantis_rising/test_rounds.py"
TRUNCATION = "tests/engine/test_truncation.py"
AEC, GYM, GYM_MODES, SEATS = (
    "tests/adapters/test_aec.py",
    "tests/adapters/test_gym.py",
    "tests/adapters/test_gym_modes.py",
    "tests/seats/test_seats.py",
)
HANDED_OUT = "tests/engine/test_handed_out.py"
EVALUATE, TRAIN, SELFPLAY = (
    "tests/evaluation/test_evaluate.py",
    "tests/selfplay/test_training.py",
    "tests/selfplay/test_selfplay.py",
)
RESUMED = "tests/selfplay/test_checkpoint.py::test_a_resumed_run_is_bit_for_bit_an_undisturbed_one"


@dataclass(frozen=True)
class Fault:
    """One fault.

    Attributes:
        number: 1, 2, ...
        group: the part of the project it is in.
        near: a part of the path of its file.
        symbol: the function or method it is in, as ``name``, ``Class.name`` or ``outer.name``.
        snippet: what is replaced; occurs once there.
        replacement: by what.
        why: the mistake, in words.
        tests: arguments of pytest: the tests nearest to it, run first.
        explained: why no test has to find it; empty where one has to.
    """

    number: int
    group: str
    near: str
    symbol: str
    snippet: str
    replacement: str
    why: str
    tests: tuple[str, ...]
    explained: str = ""


RULES = (
    Fault(
        104,
        "rules",
        RISING,
        "discard_played",
        "if card != Basic.ARCHIVE_RECOVERY:",
        "if card >= 0:",
        "12.4: a played archive recovery goes to the discard and comes back, so that a round need not end",
        (RISING_ROUNDS, SCENARIOS),
    ),
    Fault(
        105,
        "rules",
        RISING,
        "actors",
        "FOLLOWER_READY_MASK if location == data.AT_SPIRIT_SEAL else READY_MASK",
        "READY_MASK",
        "7.3: a leader activates the spirit seal",
        (SCENARIOS,),
    ),
    Fault(
        106,
        "rules",
        RISING,
        "leaves_automaton_a_place",
        "if int(state.crowd[location]) + 1 < room:",
        "if int(state.crowd[location]) + 1 < room and location < data.NUM_TILES:",
        "5.3: with one player the last follower may not go to a component where the automaton could join it",
        (SCENARIOS, LOCKSTEP),
    ),
    Fault(
        107,
        "rules",
        ENGINE,
        "Position.clone",
        "self._raw[:], self._history, self._chance, self._plies)",
        "self._raw[:], self._history, self._chance)",
        "a copy of a position begins to count its decisions anew, so a game that is cloned is never cut off",
        (TRUNCATION,),
    ),
    Fault(
        1,
        "rules",
        ATLANDICE,
        "tile_winner",
        "seat = (int(state.first) + step) % players",
        "seat = (int(state.first) + step + 1) % players",
        "7.4: the search for the winner among the tied begins one seat late",
        (SCENARIOS, LOCKSTEP),
    ),
    Fault(
        2,
        "rules",
        ATLANTIS,
        "land",
        "    state.last = NONE\n    state.idle = 0\n",
        "    state.last = NONE\n",
        "8.2: a move no longer ends the row of idle turns",
        (SCENARIOS, LOCKSTEP),
    ),
    Fault(
        3,
        "rules",
        RISING,
        "start_round",
        "        state.used[seat] = 0\n",
        "",
        "2.7: artifacts used once a round are not made ready again",
        (SCENARIOS, LOCKSTEP),
    ),
    Fault(
        4,
        "rules",
        RISING,
        "leave_order",
        "board.set_none(state, top, Column.GIVES, FRAME_WIDTH)",
        "board.set_none(state, top, Column.GIVES + place, FRAME_WIDTH)",
        "9.5: when a seat declines, those before it are not asked again",
        (SCENARIOS, LOCKSTEP),
    ),
)

MASKS = (
    Fault(
        5,
        "masks",
        ATLANDICE,
        "mark_visits",
        "board.ordinal(rules, state) < GIVING_ORDINAL_LIMIT",
        "board.ordinal(rules, state) <= GIVING_ORDINAL_LIMIT",
        "9.2: the third die may be kept although none has been given",
        (SCENARIOS, LOCKSTEP),
    ),
    Fault(
        6,
        "masks",
        ATLANTIS,
        "mark_turn",
        "int(state.sold) < int(rules.sales)",
        "int(state.sold) <= int(rules.sales)",
        "4.3: one sale too many",
        (SCENARIOS, LOCKSTEP),
    ),
    Fault(
        7,
        "masks",
        RISING,
        "mark_deployment",
        "ready = others <= held_back",
        "ready = others == 0",
        "5.7: a seat with an astrologer may not hold a companion back",
        (SCENARIOS, LOCKSTEP),
    ),
    Fault(
        8,
        "masks",
        RISING,
        "mark_rare",
        "free = state.barriers[peninsula] == 0 and state.flooded[peninsula] < data.TILES_PER_PENINSULA",
        "free = state.barriers[peninsula] == 0",
        "9.2: a barrier that an effect gives may go to a peninsula that is all water",
        (SCENARIOS, LOCKSTEP),
    ),
)

CHANCE = (
    Fault(
        9,
        "chance",
        ATLANDICE,
        "chance",
        "return Stream.ROLL + board.visitor(rules, state), Outcome.ROLL",
        "return Stream.ROLL, Outcome.ROLL",
        "11: the rolls of all seats come from one stream, so one seat's choices change another's luck",
        ("tests/engine/test_parity.py::test_behaviour_changes_only_with_its_version", "tests/engine/test_parity.py"),
    ),
    Fault(
        10,
        "chance",
        ATLANTIS,
        "chance",
        "weights[Outcome.CARD + thing] = state.pile[thing]",
        "weights[Outcome.CARD + thing] = state.pile[thing] > 0",
        "10.3: every object is as likely as every other, however many cards are left",
        (SCENARIOS, LOCKSTEP),
    ),
    Fault(
        11,
        "chance",
        RISING,
        "chance",
        "weights[Outcome.LIBRARY + int(state.library_bottom[0])] = 1",
        "weights[Outcome.LIBRARY + int(state.library_bottom[int(state.num_bottom) - 1])] = 1",
        "12.8: the cards at the bottom come in reverse",
        (SCENARIOS, LOCKSTEP),
    ),
    Fault(
        12,
        "chance",
        RISING,
        "setup_chance",
        "weights[Outcome.ARTIFACT + int(state.frames[top, Column.SEEN])] = 0",
        "weights[Outcome.ARTIFACT + int(state.frames[top, Column.SEEN])] = 1",
        "11.7: the scholar may be shown the same artifact twice",
        (SCENARIOS, LOCKSTEP),
    ),
)

OBSERVATION = (
    Fault(
        13,
        "observation",
        ATLANDICE,
        "observe_participants",
        "out[At.GIVEN + slot] = state.given[other]",
        "out[At.GIVEN + other] = state.given[other]",
        "who has given a die stands by seat, not counted from the own one",
        ("tests/engine/test_public_api.py::test_observations_are_egocentric", LOCKSTEP),
    ),
    Fault(
        14,
        "observation",
        ATLANTIS,
        "observe_turn",
        "    if state.seat == seat:\n",
        "    if state.seat != NONE:\n",
        "11.1: everybody sees which cards a seat has bought",
        ("tests/games/atlantis/test_knowledge.py", AEC),
    ),
    Fault(
        15,
        "observation",
        RISING,
        "observe_frame",
        "last = Column.DRAWN\n",
        "last = Column.DRAWN + 1\n",
        "15.2: with closed hands the first card another seat draws in the library is shown",
        ("tests/games/atlantis_rising/test_play.py", GYM),
    ),
    Fault(
        16,
        "observation",
        RISING,
        "observe_unseen",
        "for number in range(int(state.num_bottom)):",
        "for number in range(int(state.num_bottom) - 1):",
        "15.2: the last card at the bottom is missing among the unseen",
        ("tests/games/atlantis_rising/test_play.py", GYM),
    ),
)

JSON = (
    Fault(
        17,
        "JSON",
        ATLANDICE,
        "_read_context",
        'state.chain = reader.integer("context.chain"',
        'reader.integer("context.chain"',
        "17.1: the number of chained visits is read and forgotten",
        ("tests/engine/test_roundtrip.py", SCENARIOS),
    ),
    Fault(
        18,
        "JSON",
        ATLANTIS,
        "_read_turn",
        'state.sold = reader.integer("turn.sold"',
        'reader.integer("turn.sold"',
        "16.2: the number of sales is read and forgotten",
        (SCENARIOS, "tests/games/atlantis/test_positions.py"),
    ),
    Fault(
        19,
        "JSON",
        RISING,
        "_read_round",
        'state.extra_floods = reader.integer("effects.extra_floods"',
        'reader.integer("effects.extra_floods"',
        "20: the extra floods of the round are read and forgotten",
        (SCENARIOS, "tests/engine/test_roundtrip.py"),
    ),
    Fault(
        20,
        "JSON",
        RISING,
        "_read_placed",
        "if kind <= Kind.HOLOGRAM and board != NONE:",
        "if kind == Kind.LEADER and board != NONE:",
        "11: where the hologram stands is not derived from the placed pieces",
        (SCENARIOS, "tests/engine/test_roundtrip.py"),
    ),
)

BATCH = (
    Fault(
        21,
        "batch",
        ENGINE,
        "begin",
        "        turns[PLY, lane] = 0\n",
        "",
        "the count of decisions goes on from one game of a lane to the next",
        ("tests/engine/test_parity.py::test_a_game_is_the_same_in_a_batch_of_any_size", "tests/engine/test_parity.py"),
    ),
    Fault(
        22,
        "batch",
        ENGINE,
        "Batch._action_ids",
        "ids = ids[lanes]\n",
        "ids = ids[: len(lanes)]\n",
        "given one action for every lane, those that move play the first lanes' actions",
        ("tests/engine/test_parity.py", "tests/engine/test_public_api.py"),
    ),
    Fault(
        23,
        "batch",
        ENGINE,
        "Seeds.next_games",
        "return games + self.stride",
        "return games + 1",
        "after a game that was given up a lane plays the game of its neighbour",
        (SEATS, GYM),
    ),
    Fault(
        24,
        "batch",
        ENGINE,
        "step_loop",
        "observe(rules[0], state, mover, final_observations[lane])",
        "observe(rules[0], state, 0, final_observations[lane])",
        "the end of a game is shown with the eyes of seat 0",
        (AEC, "tests/engine/test_parity.py"),
    ),
)

AEC_FACE = (
    Fault(
        25,
        "AEC",
        ENGINE,
        "BoardGameEnv._finish",
        "self.terminations[agent] = not truncated\n            self.truncations[agent] = truncated",
        "self.terminations[agent] = truncated\n            self.truncations[agent] = not truncated",
        "the end is called a truncation",
        (AEC,),
    ),
    Fault(
        26,
        "AEC",
        ENGINE,
        "BoardGameEnv.reset",
        "single.start(single.seed, single.game_index + 1)",
        "single.start(single.seed, single.game_index)",
        "a reset without seed plays the same game again",
        (AEC,),
    ),
    Fault(
        27,
        "AEC",
        ENGINE,
        "BoardGameEnv.observe",
        'return {"observation": self._single.observation.copy(),',
        'return {"observation": self._single.observation,',
        "an observation that was handed out changes with the next step",
        (AEC,),
    ),
    Fault(
        28,
        "AEC",
        ENGINE,
        "BoardGameEnv.step",
        '                self.infos[agent] = {"action_mask": self._no_mask.copy()}\n',
        "",
        "a seat keeps its mask when it is no longer to move",
        (AEC,),
    ),
)

GYM_FACE = (
    Fault(
        29,
        "gym",
        ENGINE,
        "SeatEnv.step",
        "seen = handed_out(result.final_observations[0], self._scale)",
        "seen = handed_out(result.observations[0], self._scale)",
        "the last observation of a game is the first of the next one",
        (GYM,),
    ),
    Fault(
        30,
        "gym",
        ENGINE,
        "SeatBatch._pay",
        "result.rewards[lanes] = result.final_returns[lanes, seats]",
        "result.rewards[lanes] = result.final_returns[lanes, self.batch.seats[lanes]]",
        "the learner is paid what the seat that opens the next game earned",
        (SEATS, GYM),
    ),
    Fault(
        31,
        "gym",
        ENGINE,
        "SeatVectorEnv.step",
        "return self._observations(), result.rewards, terminated, result.truncated, infos",
        "return self._observations(), result.rewards, result.truncated, terminated, infos",
        "where an end is shown, terminated and truncated are swapped",
        (GYM_MODES,),
    ),
    Fault(
        32,
        "gym",
        ENGINE,
        "SeatBatch._take_ends",
        "batch._observe_rows(batch._lanes.final_states, self.seats, news)",
        "batch._observe_rows(batch._lanes.final_states, batch.seats, news)",
        "the end is shown as the seat that opens the next game sees it",
        (SEATS, GYM),
    ),
)

VECENV = (
    Fault(
        33,
        "VecEnv",
        TRAINING,
        "SeatVecEnv.step_wait",
        "last = self.scaled(played.final_observations[ended])",
        "last = self.scaled(played.observations[ended])",
        "terminal_observation is the first of the next game",
        (TRAIN,),
    ),
    Fault(
        34,
        "VecEnv",
        TRAINING,
        "SeatBatch.step",
        "self.shaping.pay(self.batch, self._seats, result)",
        "self.shaping.pay(self.batch, self._seats, result._replace(over=result.over & False))",
        "the potential of the next game counts for the one that ended",
        (TRAIN, "tests/seats/test_cooperative.py"),
    ),
    Fault(
        35,
        "VecEnv",
        TRAINING,
        "FixedSeating.seat",
        "(np.arange(players) - seats[:, None] - 1) % players",
        "(seats[:, None] - np.arange(players) - 1) % players",
        "opponents are seated the wrong way round the table",
        (TRAIN, SELFPLAY),
    ),
    Fault(
        36,
        "VecEnv",
        TRAINING,
        "SeatVecEnv.step_wait",
        '"TimeLimit.truncated": cut_off,',
        '"TimeLimit.truncated": not cut_off,',
        "the end of a game is called a truncation, so a learner adds the value of a position that has none",
        (TRAIN,),
    ),
)

EVALUATION = (
    Fault(
        37,
        "evaluation",
        TRAINING,
        "play_games",
        "results.plies[done] = plies[ended] + 1",
        "results.plies[done] = plies[ended]",
        "the last decision of a game is not counted",
        (EVALUATE,),
    ),
    Fault(
        38,
        "evaluation",
        TRAINING,
        "Results.by_order",
        "seats = (self.starters[:, None] + np.arange(values.shape[1])) % values.shape[1]",
        "seats = (np.arange(values.shape[1]) - self.starters[:, None]) % values.shape[1]",
        "turn order is turned the wrong way",
        (EVALUATE,),
    ),
    Fault(
        39,
        "evaluation",
        TRAINING,
        "Results.ties",
        "(self.win_shares.max(axis=1) < 1)",
        "(self.win_shares.max(axis=1) == 0.5)",
        "a tie of three is not counted as a tie",
        (EVALUATE,),
    ),
    Fault(
        40,
        "evaluation",
        TRAINING,
        "play_games",
        "batch.noise(noise_seed, asked)",
        "batch.noise(noise_seed)[: len(asked)]",
        "agents get the random words of other lanes, so results depend on how games are batched",
        (TRAIN, EVALUATE),
    ),
)

STATISTICS = (
    Fault(
        41,
        "statistics",
        TRAINING,
        "wilson",
        "math.sqrt(share * (1 - share) / games + z * z",
        "math.sqrt(share * (1 - share) / games - z * z",
        "a wrong sign under the root: the interval is too narrow",
        (TRAIN,),
    ),
    Fault(
        42,
        "statistics",
        TRAINING,
        "block_means",
        "np.percentile(drawn, (2.5, 97.5), axis=0)",
        "np.percentile(drawn, (5, 95), axis=0)",
        "a 90 % interval is called one of 95 %",
        (EVALUATE,),
    ),
    Fault(
        43,
        "statistics",
        TRAINING,
        "exact_equality_p_value",
        "own = shares[np.count_nonzero(shares, axis=1) < columns].sum(axis=0)",
        "own = shares.sum(axis=0)",
        "games that everybody wins count for what was seen but not for what could have been",
        (EVALUATE,),
    ),
    Fault(
        44,
        "statistics",
        TRAINING,
        "_means",
        "Z95 * values.std(axis=0, ddof=1) / np.sqrt(len(values))",
        "values.std(axis=0, ddof=1) / np.sqrt(len(values))",
        "the standard error is given as the half-width of the 95 % interval",
        (EVALUATE,),
    ),
)

CHECKPOINTS = (
    Fault(
        45,
        "checkpoints",
        TRAINING,
        "_restore_generators",
        'torch.set_rng_state(torch.from_numpy(document.array("torch", _numpy(torch.get_rng_state()))))',
        'document.array("torch", _numpy(torch.get_rng_state()))',
        "the generator of torch is saved and checked but not put back",
        (RESUMED,),
    ),
    Fault(
        46,
        "checkpoints",
        TRAINING,
        "_restore_model",
        'load_state_dict({"state": memory,',
        'load_state_dict({"state": own["state"],',
        "what the optimiser remembers is read but not put back",
        (RESUMED,),
    ),
    Fault(
        47,
        "checkpoints",
        TRAINING,
        "time_and_curve",
        "0.0), curve",
        "0.0), [*curve, *curve[-1:]]",
        "the last row of the learning curve stands twice after going on",
        (RESUMED,),
    ),
    Fault(
        48,
        "checkpoints",
        TRAINING,
        "_restore_pool",
        'pool.entries, pool.next_number = entries, document.values["next_number"]',
        "pool.entries, pool.next_number = entries, len(entries)",
        "after going on, a new opponent gets the number of one that is still there",
        (RESUMED,),
    ),
)

TRUST = (
    Fault(
        49,
        "trust",
        ENGINE,
        "Lanes.__init__",
        "self.shown_masks = np.zeros((count, actions), np.int8)",
        "self.shown_masks = self.masks",
        "the masks that callers are shown are those that a step believes",
        (HANDED_OUT,),
    ),
    Fault(
        50,
        "trust",
        ENGINE,
        "read_only",
        "seen = np.asarray(window) if array.nbytes else",
        "seen = array.view().reshape(-1).view(np.uint8) if array.nbytes else",
        "a view of the states can be written to",
        (HANDED_OUT,),
    ),
    Fault(
        51,
        "trust",
        ENGINE,
        "Batch.noise",
        "rows = (own.games, own.plies)",
        "rows = (own.shown_games, own.shown_plies)",
        "random words are those of the game numbers that callers were shown",
        (HANDED_OUT,),
    ),
    Fault(
        52,
        "trust",
        ENGINE,
        "SeatBatch.seats",
        "return self._seats.astype(np.int8)",
        "return self._seats",
        "whoever writes into the learner's seats moves the learner",
        (HANDED_OUT,),
    ),
)

OUTSIDE = (
    Fault(
        53,
        "outside",
        "base/values",
        "child",
        "visible(key) if plain else repr_short(key)",
        "str(key)",
        "an unknown key stands in messages as somebody wrote it, escape sequences and all",
        ("tests/engine/test_names_from_outside.py",),
    ),
    Fault(
        54,
        "outside",
        "base/files",
        "read_file",
        'getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)',
        'getattr(os, "O_BINARY", 0)',
        "a file that turns into a pipe before it is opened is waited for, for ever",
        ("tests/engine/test_outside_files.py",),
    ),
    Fault(
        55,
        "outside",
        "base/files",
        "write_together",
        "                written.unlink()\n",
        "                pass\n",
        "a full disk leaves temporary files behind",
        ("tests/engine/test_outside_files.py",),
    ),
    Fault(
        56,
        "outside",
        "play/server",
        "Connection.connection_made",
        "other.transport.abort()",
        "other.transport.resume_reading()",
        "connections that ask nothing keep the player's own from being served",
        ("tests/play/test_connections.py",),
    ),
)

REPORTS_TESTS = "tests/cli/test_reports_after_signals.py"
REPORTS = (
    Fault(
        60,
        "reports",
        "signals",
        "Stop.heard",
        "outer.asked |= self.asked",
        "outer.asked |= self.now",
        "a signal among the last games of a cell does not keep the next one from being played",
        (f"{REPORTS_TESTS}::test_an_inner_stop_tells_the_outer_one_and_begins_as_it_stands",),
    ),
    Fault(
        61,
        "reports",
        "signals",
        "Stop.now",
        "self.requests > 1",
        "self.requests > 0",
        "a signal while the table is made loses it",
        (f"{REPORTS_TESTS}::test_finished_games_are_reported[levels-SIGINT]",),
    ),
    Fault(
        62,
        "reports",
        "cli/analyse",
        "_tell",
        "event {one.number}, seat",
        "event {one.event}, seat",
        "analyse and its page count events differently",
        ("tests/cli/test_analyse.py::test_a_blunder_is_found_and_shown_everywhere",),
    ),
    Fault(
        63,
        "reports",
        "kernels/progress",
        "Progress.finish",
        "time.process_time() - self._started",
        "time.perf_counter() - self._clock",
        "what others do on the machine counts as compilation",
        ("tests/engine/test_progress.py::test_seconds_are_processor_time_of_this_process",),
    ),
)

ORDERS = "tests/engine/test_machines.py"
MACHINES = (
    Fault(
        108,
        "machines",
        ENGINE,
        "Batch._copy_to",
        "other._seeds.keys[:], other._seeds.stride = self._seeds.keys, self._seeds.stride",
        "other._seeds.keys[:] = self._seeds.keys",
        "a clone of a batch with a seed for every lane goes on as if one seed held for all",
        (ORDERS,),
    ),
    Fault(
        109,
        "machines",
        ENGINE,
        "Batch.load",
        "own.counters[:], own.states[:] = begun.counters, begun.states",
        "own.states[:] = begun.states",
        "chance of loaded positions goes on from the games that were there before",
        (ORDERS,),
    ),
    Fault(
        110,
        "machines",
        ENGINE,
        "Batch.abandon",
        "        self._view(chosen)\n",
        "",
        "after a game was given up the next one is shown with its mask",
        (ORDERS,),
    ),
    Fault(
        111,
        "machines",
        ENGINE,
        "Position.clone",
        "twin._take(self.game, self._raw[:], ",
        "twin._take(self.game, self._raw, ",
        "a clone shares the memory of its position",
        (ORDERS,),
    ),
    Fault(
        112,
        "machines",
        ENGINE,
        "Position.apply",
        "                    counters = counters.copy()\n",
        "",
        "copies of a position share the count of what chance has drawn",
        (ORDERS,),
    ),
)

FAULTS = (
    *RULES, *MASKS, *CHANCE, *OBSERVATION, *JSON, *BATCH,
    *AEC_FACE, *GYM_FACE, *VECENV, *EVALUATION, *STATISTICS, *CHECKPOINTS, *TRUST, *OUTSIDE, *REPORTS, *MACHINES,
)  # fmt: skip
GROUPS = tuple(dict.fromkeys(fault.group for fault in FAULTS))
