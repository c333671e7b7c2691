"""Flat search of one decision by sequential halving (Karnin, Koren & Somekh 2013): the better half goes on.

All actions in question get equal numbers of simulations, stage by stage. Statistics are kept from stage to stage, as in
the search of Danihelka et al. (2022). All actions in question have been simulated equally often after every pass, with
the same sample numbers, so their results can be paired. The loop is called again and again until it is finished, so
that somebody may interrupt.

With a Gumbel root (Danihelka et al. 2022) actions are compared by log odds, noise and win shares together.

A race (Maron & Moore 1994) goes on with those alone that are ahead of the prior choice, after every pass, and is over
where none is. What that saves pays for more actions and more passes where the prior choice is in doubt.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from atlantis_agents.heuristics import Heuristic
from atlantis_agents.search.memory import ENDS_ALL, Prior, Spread
from atlantis_agents.search.policy import PolicyKernels, sigmoid
from atlantis_agents.search.rollout import make_simulate
from atlantis_envs.engine.chance import noise_word
from atlantis_envs.engine.definition import Definition
from atlantis_envs.kernels.kernel import entry, kernel

FIRST_VISITS = 50.0  # added to those of an action where a win share is weighed against log odds (mctx: maxvisit_init)
SHARE_ODDS = 50.0  # log odds that a whole win share makes where a policy knows nothing but shares
GUMBEL_PLY = 2**31 + 5  # whose random words are noise of a root; no game has so many plies
UNUSED_BITS, TO_UNIT = np.uint64(11), 2.0**-53

# ------------------------------------------------------------------------------------------------------------ the prior


@cache
def make_prior(heuristic: Heuristic | None) -> Callable[..., Any]:
    """Make the kernel ``(memory, mask, noise, scores) -> choice`` of what is in ``memory.observation``."""
    if heuristic is None:

        @kernel
        def first_legal(memory, mask, noise, scores):
            """Choose the first legal action, where nobody ranks them."""
            first = -1
            for action in range(len(mask) - 1, -1, -1):
                scores[action] = 0.0
                if mask[action] != 0:
                    first = action
            return first

        return first_legal
    score_actions = heuristic.score_actions

    @kernel
    def ranked_first(memory, mask, noise, scores):
        return score_actions(memory.params[0], memory.scratch, memory.observation, mask, noise, scores)

    return ranked_first


@kernel
def order_actions(prior_choice, order, scores, bonus, mask, prior, tied):
    """Write the legal actions, the prior choice first, then by falling score; a bonus by ranks; return their count.

    With ``tied`` equal scores are of one rank.
    """
    count = 0
    for action in range(len(mask)):
        if mask[action] != 0:
            index = count
            while index > 0 and (
                action == prior_choice
                or (scores[action] > scores[order[index - 1]] and order[index - 1] != prior_choice)
            ):
                order[index] = order[index - 1]
                index -= 1
            order[index] = action
            count += 1
    better = 0
    for index in range(count):
        if index > 0 and not (tied and scores[order[index]] == scores[order[index - 1]]):
            better = index
        bonus[order[index]] = prior / (1.0 + better)
    return count


@kernel
def write_log_prior(kind, order, scores, count, log_prior):
    """Write the log odds of the actions in ``order``, which add up to 1, as their scores tell them."""
    better, most, total = 0, -math.inf, 0.0
    for index in range(count):
        action = int(order[index])
        if index > 0 and scores[action] != scores[order[index - 1]]:
            better = index
        if kind == Prior.RANKS:
            log_prior[action] = -math.log(1.0 + better)
        elif kind == Prior.VALUES:
            log_prior[action] = SHARE_ODDS * sigmoid(scores[action])
        else:
            log_prior[action] = scores[action]
        most = max(most, log_prior[action])
    for index in range(count):
        total += math.exp(log_prior[order[index]] - most)
    for index in range(count):
        log_prior[order[index]] -= most + math.log(total)


@kernel
def sort_by(values, order, count):
    """Sort the first actions in ``order`` by falling value, equals as they were."""
    for last in range(1, count):
        action = order[last]
        index = last
        while index > 0 and values[action] > values[order[index - 1]]:
            order[index] = order[index - 1]
            index -= 1
        order[index] = action


@kernel
def add_gumbel(memory, key):
    """Sort the actions by log odds and noise: the first ones are a draw without repetition."""
    search, noise = memory.search[0], memory.config[0].noise
    for index in range(int(search.legal)):
        action = int(memory.order[index])
        memory.bonus[action] = memory.log_prior[action]
        if noise > 0.0:
            chance = (np.float64(noise_word(key, action, GUMBEL_PLY) >> UNUSED_BITS) + 0.5) * TO_UNIT
            memory.bonus[action] -= noise * math.log(-math.log(chance))
    sort_by(memory.bonus, memory.order, int(search.legal))
    search.prior_choice = memory.order[0]


@kernel
def begin_order(memory, key, prior_choice, prior):
    """Sort the legal actions by their scores, the prior choice first, and begin to halve them."""
    search, config = memory.search[0], memory.config[0]
    tied = config.prior_kind == Prior.RANKS
    search.legal = order_actions(prior_choice, memory.order, memory.scores, memory.bonus, memory.root_mask, prior, tied)
    search.prior_choice = prior_choice
    if config.gumbel != 0 or not tied:
        write_log_prior(int(config.prior_kind), memory.order, memory.scores, int(search.legal), memory.log_prior)
    if config.gumbel != 0:
        add_gumbel(memory, key)
    search.choice = search.prior_choice
    begin_halving(memory)


@kernel
def best_score(mask, scores):
    """Return the legal action with the highest score, the first among equals."""
    best = -1
    for action in range(len(mask)):
        if mask[action] != 0 and (best < 0 or scores[action] > scores[best]):
            best = action
    return best


@cache
def make_clear(definition: Definition) -> Callable[..., Any]:
    """Make the kernel that clears a search's numbers and says what is legal (not yet compiled)."""
    legal = definition.legal

    @kernel
    def clear(rules, root, memory):
        search = memory.search[0]
        for action in range(len(memory.counts)):
            memory.counts[action] = 0
            memory.sums[action] = 0.0
            memory.squares[action] = 0.0
            memory.gains[action] = 0.0
            memory.gain_squares[action] = 0.0
        legal(rules, root, memory.root_mask)
        search.finished = 0
        search.simulations = 0
        search.decisions = 0
        search.begun = 1

    return clear


@cache
def make_begin_decision(
    definition: Definition, heuristic: Heuristic | None, kernels: PolicyKernels | None = None
) -> Callable[..., Any]:
    """Make the kernel that begins a decision: legal actions are ordered by a policy that ranks, else the heuristic."""
    observe, ranked_first, clear = definition.observe, make_prior(heuristic), make_clear(definition)
    rank = None if kernels is None else kernels.rank

    @kernel
    def write_scores(rules, root, seat, key, memory, policy):
        """Write what is thought of the legal actions; return the one that is liked best."""
        if rank is not None:  # settled when compiling
            asked = policy.config[0].ranks != 0
            if asked:
                rank(rules, root, seat, memory.root_mask, policy, memory.scores)
                return best_score(memory.root_mask, memory.scores)
        observe(rules, root, seat, memory.observation)
        return ranked_first(memory, memory.root_mask, key, memory.scores)

    @kernel
    def begin_decision(rules, root, seat, key, prior, memory, policy):
        clear(rules, root, memory)
        begin_order(memory, key, write_scores(rules, root, seat, key, memory, policy), prior)

    return begin_decision


# -------------------------------------------------------------------------------------------------------------- halving


@kernel
def begin_stage(search, simulations):
    """Set how often the actions in question are to be simulated before the worse half leaves."""
    search.next_index = 0
    search.passes = 0
    search.ends = 0
    search.quota = max(1, simulations // max(1, int(search.stages) * int(search.alive))) if simulations > 0 else 0


@kernel
def begin_halving(memory):
    """Set which actions are in question at first, and how many stages there will be."""
    search, config = memory.search[0], memory.config[0]
    search.alive = min(int(search.legal), int(config.considered))
    search.stages = 0
    left = int(search.alive)
    while left > 1:
        left = (left + 1) // 2
        search.stages += 1
    if config.spread == Spread.EVEN:
        search.alive = search.legal
    if config.spread != Spread.HALVING:
        search.stages = 1
    begin_stage(search, 0 if config.spread == Spread.RACE else int(config.simulations))
    if search.legal < 2 and config.spread != Spread.EVEN:
        search.finished = 1


@kernel
def worth(memory, action):
    """Return the mean win share, with what was given in advance.

    With a Gumbel root that is log odds and noise, in the units of shares: they count less the more was simulated.
    """
    config, bonus = memory.config[0], memory.bonus[action]
    if config.gumbel != 0:
        bonus /= (FIRST_VISITS + memory.counts[action]) * config.value_scale
    return memory.sums[action] / max(1, memory.counts[action]) + bonus


@kernel
def end_pass(memory):
    """Compare all in question, simulated once more with the same luck, with the prior choice."""
    search = memory.search[0]
    search.next_index = 0
    search.passes += 1
    standard = memory.latest[search.prior_choice]
    for index in range(int(search.alive)):
        action = memory.order[index]
        gain = memory.latest[action] - standard
        memory.gains[action] += gain
        memory.gain_squares[action] += gain * gain


@kernel
def sort_alive(memory):
    """Sort the actions in question by falling worth."""
    order = memory.order
    for last in range(1, int(memory.search[0].alive)):
        action = order[last]
        value = worth(memory, action)
        index = last
        while index > 0 and value > worth(memory, order[index - 1]):
            order[index] = order[index - 1]
            index -= 1
        order[index] = action


@kernel
def keep_prior_choice(search, order, left):
    """Keep what the others are measured by, in the last place, if it would have to leave."""
    for index in range(left, int(search.alive)):
        if order[index] == search.prior_choice:
            for behind in range(index, left - 1, -1):
                order[behind] = order[behind - 1]
            order[left - 1] = search.prior_choice
            return


@kernel
def is_sure(memory, action):
    """Return whether it beats the prior choice by more than ``gate`` standard errors of the paired difference."""
    count = memory.counts[action]
    if count < 2:
        return False
    mean = memory.gains[action] / count
    variance = max(0.0, (memory.gain_squares[action] - count * mean * mean) / (count - 1))
    return mean > memory.config[0].gate * math.sqrt(variance / count)


@kernel
def choose_best(memory):
    """Choose the action with the highest worth, or the prior choice if it is not surely better; sorts them."""
    search = memory.search[0]
    sort_alive(memory)
    search.finished = 1
    search.choice = memory.order[0]
    if memory.config[0].gate > 0.0 and not is_sure(memory, int(search.choice)):
        search.choice = search.prior_choice


@kernel
def end_stage(memory):
    """Let the worse half leave; with one left, after the only stage, or out of time, choose."""
    search, config = memory.search[0], memory.config[0]
    if config.spread == Spread.EVEN or search.alive <= 2 or search.ends == ENDS_ALL:
        choose_best(memory)
        return
    sort_alive(memory)
    left = (int(search.alive) + 1) // 2
    if config.gate > 0.0:
        keep_prior_choice(search, memory.order, left)
    search.alive = left
    begin_stage(search, int(config.simulations))


@kernel
def leave_race(memory):
    """Let those leave that are not ahead of the prior choice."""
    search, order = memory.search[0], memory.order
    standard = worth(memory, int(search.prior_choice))
    left = 0
    for index in range(int(search.alive)):
        action = order[index]
        if action == search.prior_choice or worth(memory, action) > standard:
            order[index], order[left] = order[left], action
            left += 1
    search.alive = left


@kernel
def end_lap(memory):
    """Choose once nobody else is in the race, out of time, or with too few simulations left for another pass."""
    search, budget = memory.search[0], memory.config[0].simulations
    leave_race(memory)
    spent = budget > 0 and search.simulations + search.alive > budget
    if search.alive < 2 or search.ends == ENDS_ALL or spent:
        choose_best(memory)


@kernel
def add_result(memory, action, share, decisions):
    """Count one simulation of an action."""
    search = memory.search[0]
    memory.counts[action] += 1
    memory.sums[action] += share
    memory.squares[action] += share * share
    search.simulations += 1
    search.decisions += decisions


@kernel
def end_simulation(memory, action, share, decisions):
    """Count one simulation, and end the pass and the stage that end with it."""
    search = memory.search[0]
    add_result(memory, action, share, decisions)
    memory.latest[action] = share
    search.next_index += 1
    if search.next_index == search.alive:
        end_pass(memory)
        if memory.config[0].spread == Spread.RACE:
            end_lap(memory)
        elif search.ends != 0 or search.passes == search.quota:
            end_stage(memory)


# ---------------------------------------------------------------------------------------------------------------- loops


@cache
def make_begin(definition: Definition, heuristic: Heuristic | None) -> Callable[..., Any]:
    """Build (not yet compile) the entry that orders the actions of a decision and simulates nothing yet.

    ``logits``, float32 (A,), rank them; without any the heuristic does.
    """
    begin_decision, clear = make_begin_decision(definition, heuristic), make_clear(definition)

    @entry
    def begin_loop(rules, states, lane, seat, key, memory, logits):
        root, prior = states[lane], memory.config[0].prior
        if memory.search[0].begun != 0:
            return
        if len(logits) == 0:
            begin_decision(rules[0], root, seat, key, prior, memory, ())
            return
        clear(rules[0], root, memory)
        for action in range(len(logits)):
            memory.scores[action] = logits[action]
        begin_order(memory, key, best_score(memory.root_mask, memory.scores), prior)

    return begin_loop


@cache
def make_flat(
    definition: Definition, heuristic: Heuristic | None, kernels: PolicyKernels | None = None
) -> Callable[..., Any]:
    """Build (not yet compile) the loop that searches one decision for a while.

    One entry for all settings, which are data: a game's loop compiles once, and once more where a policy is asked.
    """
    begin_decision = make_begin_decision(definition, heuristic, kernels)
    simulate = make_simulate(definition, heuristic, kernels)
    reset = None if kernels is None else kernels.reset

    @entry
    def flat_loop(rules, states, lane, seat, players, key, allowance, memory, policy):
        """Search the decision of ``seat`` in ``states[lane]`` until about ``allowance`` decisions were simulated."""
        search, root = memory.search[0], states[lane]
        if reset is not None:  # settled when compiling
            reset(rules[0], root, seat, policy)
        if search.begun == 0:
            begin_decision(rules[0], root, seat, key, memory.config[0].prior, memory, policy)
        taken = 0
        while search.finished == 0 and taken < allowance:
            action = int(memory.order[search.next_index])
            sample = int(memory.counts[action])
            decisions = simulate(rules[0], root, seat, players, action, key, sample, memory, policy)
            taken += decisions + 1
            end_simulation(memory, action, memory.shares[seat], decisions)

    return flat_loop
