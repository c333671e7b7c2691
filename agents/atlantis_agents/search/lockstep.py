"""The kernels around a policy that plays imagined games on: many games at once, a move in each of them per call."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

from atlantis_agents.heuristics import Heuristic
from atlantis_agents.search.halving import begin_halving, end_pass, end_round
from atlantis_agents.search.opinion import make_begin_decision
from atlantis_agents.search.rollout import make_end, make_is_cut, make_lay_out, make_leaf, make_phase
from atlantis_envs.engine.chancing import make_chances
from atlantis_envs.engine.definition import OVER, Definition
from atlantis_envs.engine.kernel import entry
from atlantis_envs.engine.philox import noise_word


class Guided(NamedTuple):
    """The entries of one game.

    Attributes:
        begin: order the actions of a decision, and say how they are to be halved.
        move: play one action in every game that goes on, the first one on a table laid out for it, and say for each
            what its mover sees, or what it was worth.
        record: write down what all games of some passes were worth.
    """

    begin: Callable[..., Any]
    move: Callable[..., Any]
    record: Callable[..., Any]


@cache
def make_guided(definition: Definition, heuristic: Heuristic | None) -> Guided:
    """Build (not yet compile) the entries of a game."""
    node, legal, apply, observe = definition.node, definition.legal, definition.apply, definition.observe
    play_chance, lay_out, phase = make_chances(definition).play, make_lay_out(definition), make_phase(definition)
    begin_decision, is_cut = make_begin_decision(definition, heuristic), make_is_cut(definition)
    leaf, end = make_leaf(definition, heuristic), make_end(definition)

    @entry
    def begin_loop(
        rules, states, lane, seat, key, all_orders, knobs,
        studies, order, counts, sums, squares, gains, gain_squares, scores, bonus, root_mask, observation, work,
    ):  # fmt: skip
        study, orders = studies[0], all_orders[0]
        if study.begun != 0:
            return
        begin_decision(
            rules[0], states[lane], seat, key, orders.prior, knobs, study, order, counts, sums, squares, gains,
            gain_squares, scores, bonus, root_mask, observation, work,
        )  # fmt: skip
        begin_halving(study, orders)
        if study.legal < 2 and orders.even == 0:
            study.finished = 1

    @entry
    def move_loop(
        rules, states, lane, seat, players, key, all_orders, knobs, numbers, actions, playing, decisions, worth, words,
        tables, counters, seen, masks, weights, pay, points, rng, work, shares,
    ):  # fmt: skip
        orders = all_orders[0]
        left = 0
        for row in range(len(numbers)):
            if playing[row] == 0:
                continue
            number = int(numbers[row])
            if decisions[row] < 0:
                lay_out(rules[0], states[lane], seat, key, number, tables[row : row + 1], counters[row], rng)
            place = tables[row]
            before = phase(rules[0], place)
            apply(rules[0], place, int(actions[row]))
            play_chance(rules[0], place, counters[row], weights, key, number)
            decisions[row] += 1
            mover = node(rules[0], place)
            if mover == OVER:
                end(rules[0], place, players, orders, pay, points, shares)
            elif is_cut(rules[0], place, before, decisions[row], orders):
                leaf(rules[0], place, seat, players, orders, knobs, work, seen[row], pay, points, shares)
            else:
                legal(rules[0], place, masks[row])
                observe(rules[0], place, mover, seen[row])
                words[row] = noise_word(key, number, int(decisions[row]))
                left += 1
                continue
            playing[row] = 0
            worth[row] = shares[seat]
        return left

    @entry
    def record_loop(
        studies, all_orders, worth, decisions, order, counts, sums, squares, latest, gains, gain_squares, bonus
    ):
        study, orders = studies[0], all_orders[0]
        for row in range(len(worth)):
            action = int(order[study.at])
            counts[action] += 1
            sums[action] += worth[row]
            squares[action] += worth[row] * worth[row]
            latest[action] = worth[row]
            study.simulations += 1
            study.decisions += decisions[row]
            study.at += 1
            if study.at == study.alive:
                end_pass(study, order, latest, gains, gain_squares)
                if study.hurry != 0 or study.passes == study.quota:
                    end_round(study, orders, order, counts, sums, bonus, gains, gain_squares)

    return Guided(begin_loop, move_loop, record_loop)
