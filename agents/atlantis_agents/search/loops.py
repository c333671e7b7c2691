"""The compiled search of one decision: asked again and again until it is finished, so that somebody may interrupt."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from atlantis_agents.heuristics import Heuristic
from atlantis_agents.search.halving import begin_halving, end_pass, end_round, order_by_score
from atlantis_agents.search.rollout import make_simulate
from atlantis_envs.engine.definition import Definition
from atlantis_envs.engine.kernel import entry, kernel


@cache
def make_think(definition: Definition, heuristic: Heuristic | None) -> Callable[..., Any]:
    """Build (not yet compile) the loop that searches one decision for a while.

    One entry for all settings, which are data: a game's loop compiles once.
    """
    legal, observe = definition.legal, definition.observe
    simulate = make_simulate(definition, heuristic)
    if heuristic is None:

        @kernel
        def favour(knobs, work, observation, mask, noise, scores):
            """Nobody has an opinion: the first legal action stands in."""
            first = -1
            for action in range(len(mask) - 1, -1, -1):
                scores[action] = 0.0
                if mask[action] != 0:
                    first = action
            return first

    else:
        rank = heuristic.rank

        @kernel
        def favour(knobs, work, observation, mask, noise, scores):
            return rank(knobs[0], work, observation, mask, noise, scores)

    @kernel
    def begin(
        rules, state, seat, key, orders, knobs, study, order, counts, sums, squares, gains, gain_squares, scores, bonus,
        root_mask, observation, work,
    ):  # fmt: skip
        """Clear the table, order the actions; nothing to search where only one is legal."""
        for action in range(len(counts)):
            counts[action] = 0
            sums[action] = 0.0
            squares[action] = 0.0
            gains[action] = 0.0
            gain_squares[action] = 0.0
        legal(rules, state, root_mask)
        observe(rules, state, seat, observation)
        study.favourite = favour(knobs, work, observation, root_mask, key, scores)
        study.choice = study.favourite
        study.finished = 0
        study.simulations = 0
        study.decisions = 0
        study.begun = 1
        order_by_score(study, order, scores, bonus, root_mask, orders.prior)
        begin_halving(study, orders)
        if study.legal < 2 and orders.even == 0:
            study.finished = 1

    @entry
    def think_loop(
        rules, states, lane, seat, players, key, allowance, all_orders, knobs,
        studies, order, counts, sums, squares, latest, gains, gain_squares, scores, bonus, root_mask,
        table, counters, weights, observation, mask, pay, points, rng, work,
    ):  # fmt: skip
        """Search the decision of ``seat`` in ``states[lane]`` until about ``allowance`` decisions were imagined."""
        study, orders, state = studies[0], all_orders[0], states[lane]
        if study.begun == 0:
            begin(
                rules[0], state, seat, key, orders, knobs, study, order, counts, sums, squares, gains, gain_squares,
                scores, bonus, root_mask, observation, work,
            )  # fmt: skip
        taken = 0
        while study.finished == 0 and taken < allowance:
            action = int(order[study.at])
            share, decisions = simulate(
                rules[0], state, seat, players, action, key, int(counts[action]), orders, knobs,
                table, counters, weights, observation, mask, pay, points, rng, work,
            )  # fmt: skip
            taken += decisions + 1
            counts[action] += 1
            sums[action] += share
            squares[action] += share * share
            latest[action] = share
            study.simulations += 1
            study.decisions += decisions
            study.at += 1
            if study.at == study.alive:
                end_pass(study, order, latest, gains, gain_squares)
                if study.hurry != 0 or study.passes == study.quota:
                    end_round(study, orders, order, counts, sums, bonus, gains, gain_squares)

    return think_loop
