"""Sequential halving (Karnin, Koren & Somekh 2013): equal numbers of simulations, then the better half goes on.

Statistics are kept from round to round, as in the search of Danihelka et al. (2022). All actions in question have been
simulated equally often after every pass, with the same numbers of simulations, so their results can be paired.
"""

from __future__ import annotations

import math

from atlantis_agents.search.memory import ENDS_ALL
from atlantis_envs.engine.kernel import kernel


@kernel
def order_actions(favourite, order, scores, bonus, mask, prior):
    """The legal actions, the favourite first, then by falling score; a bonus by ranks; how many there are."""
    count = 0
    for action in range(len(mask)):
        if mask[action] != 0:
            place = count
            while place > 0 and (
                action == favourite or (scores[action] > scores[order[place - 1]] and order[place - 1] != favourite)
            ):
                order[place] = order[place - 1]
                place -= 1
            order[place] = action
            count += 1
    better = 0
    for place in range(count):
        if place > 0 and scores[order[place]] < scores[order[place - 1]]:
            better = place
        bonus[order[place]] = prior / (1.0 + better)
    return count


@kernel
def begin_round(study, simulations):
    """How often the actions in question are to be simulated before the worse half leaves."""
    study.at = 0
    study.passes = 0
    study.hurry = 0
    study.quota = max(1, simulations // max(1, int(study.rounds) * int(study.alive))) if simulations > 0 else 0


@kernel
def begin_halving(study, orders):
    """Who is in question at first, and how many rounds there will be."""
    study.alive = min(int(study.legal), int(orders.considered))
    study.rounds = 0
    left = int(study.alive)
    while left > 1:
        left = (left + 1) // 2
        study.rounds += 1
    if orders.even != 0:
        study.alive = study.legal
        study.rounds = 1
    begin_round(study, int(orders.simulations))


@kernel
def worth(action, counts, sums, bonus):
    """The mean win share, with what was given in advance."""
    return sums[action] / max(1, counts[action]) + bonus[action]


@kernel
def end_pass(study, order, latest, gains, gain_squares):
    """All in question have been simulated once more with the same luck: compare them with the favourite."""
    study.at = 0
    study.passes += 1
    standard = latest[study.favourite]
    for place in range(int(study.alive)):
        action = order[place]
        gain = latest[action] - standard
        gains[action] += gain
        gain_squares[action] += gain * gain


@kernel
def sort_alive(study, order, counts, sums, bonus):
    """The actions in question by falling worth."""
    for last in range(1, int(study.alive)):
        action = order[last]
        own = worth(action, counts, sums, bonus)
        place = last
        while place > 0 and own > worth(order[place - 1], counts, sums, bonus):
            order[place] = order[place - 1]
            place -= 1
        order[place] = action


@kernel
def keep_favourite(study, order, left):
    """The favourite is what others are measured by: it stays, in the last place, if it would have to leave."""
    for place in range(left, int(study.alive)):
        if order[place] == study.favourite:
            for behind in range(place, left - 1, -1):
                order[behind] = order[behind - 1]
            order[left - 1] = study.favourite
            return


@kernel
def is_sure(study, action, gate, gains, gain_squares, counts):
    """The action beats the favourite by more than ``gate`` standard errors of the paired difference."""
    number = counts[action]
    if number < 2:
        return False
    mean = gains[action] / number
    variance = max(0.0, (gain_squares[action] - number * mean * mean) / (number - 1))
    return mean > gate * math.sqrt(variance / number)


@kernel
def end_round(study, orders, order, counts, sums, bonus, gains, gain_squares):
    """The worse half leaves; with one left, after the only round, or out of time, the choice is made."""
    sort_alive(study, order, counts, sums, bonus)
    if orders.even == 0 and study.alive > 2 and study.hurry != ENDS_ALL:
        left = (int(study.alive) + 1) // 2
        if orders.gate > 0.0:
            keep_favourite(study, order, left)
        study.alive = left
        begin_round(study, int(orders.simulations))
        return
    study.finished = 1
    study.choice = order[0]
    if orders.gate > 0.0 and not is_sure(study, int(order[0]), orders.gate, gains, gain_squares, counts):
        study.choice = study.favourite
