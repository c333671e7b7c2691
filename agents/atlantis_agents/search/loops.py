"""The compiled search of one decision: asked again and again until it is finished, so that somebody may interrupt."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from atlantis_agents.heuristics import Heuristic
from atlantis_agents.search.halving import begin_halving, end_pass, end_round
from atlantis_agents.search.opinion import make_begin_decision
from atlantis_agents.search.own import Playing
from atlantis_agents.search.rollout import make_simulate
from atlantis_envs.engine.definition import Definition
from atlantis_envs.engine.kernel import entry


@cache
def make_think(
    definition: Definition, heuristic: Heuristic | None, playing: Playing | None = None
) -> Callable[..., Any]:
    """Build (not yet compile) the loop that searches one decision for a while.

    One entry for all settings, which are data: a game's loop compiles once, and once more where a policy plays the
    own seat.
    """
    begin_decision = make_begin_decision(definition, heuristic)
    simulate = make_simulate(definition, heuristic, None if playing is None else playing.choose)
    settle = None if playing is None else playing.settle

    @entry
    def think_loop(
        rules, states, lane, seat, players, key, allowance, all_orders, knobs,
        studies, order, counts, sums, squares, latest, gains, gain_squares, scores, bonus, root_mask,
        table, counters, weights, observation, mask, pay, points, rng, work, shares, own,
    ):  # fmt: skip
        """Search the decision of ``seat`` in ``states[lane]`` until about ``allowance`` decisions were imagined."""
        study, orders, state = studies[0], all_orders[0], states[lane]
        if settle is not None:  # settled when compiling
            settle(rules[0], state, seat, own)
        if study.begun == 0:
            begin_decision(
                rules[0], state, seat, key, orders.prior, knobs, study, order, counts, sums, squares, gains,
                gain_squares, scores, bonus, root_mask, observation, work,
            )  # fmt: skip
            begin_halving(study, orders)
            if study.legal < 2 and orders.even == 0:
                study.finished = 1
        taken = 0
        while study.finished == 0 and taken < allowance:
            action = int(order[study.at])
            decisions = simulate(
                rules[0], state, seat, players, action, key, int(counts[action]), orders, knobs,
                table, counters, weights, observation, mask, pay, points, rng, work, shares, own,
            )  # fmt: skip
            share = shares[seat]
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
