"""How much is simulated in a second on one core, beside OpenSpiel's C++ MCTS on backgammon, by turns in the same run.

A simulation is one game: down the tree or from the root's action, and its rollout. A decision is one choice of
an action in it, in the tree or in the rollout; chance is not counted. OpenSpiel says how many simulations it made, not
how long they were: they are taken to be as long as games of random moves from the same position. CPU time, medians.

Further rows have a network as the leaf: two layers of 256 over features, of any numbers, unless --policy names one. And
they say how often it is asked in a second.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import atlantis_envs
from atlantis_agents.features import find_features
from atlantis_agents.networks.policy import PolicyAgent, network_sizes, save_policy
from atlantis_agents.search.agent import SearchAgent
from atlantis_agents.search.policy import make_policy_kernels, make_search_policy
from atlantis_envs.engine.game import Game
from atlantis_envs.engine.records import plain
from atlantis_envs.kernels.kernel import entry
from atlantis_envs.registry import definition
from atlantis_envs.seats.agents import Positions, make_agent
from atlantis_envs.seats.positions import ask, determinize
from benchmarks.measure import pinned, short

RUNS, SECONDS, SIMULATIONS, SAMPLE = 5, 1.0, 1000, 100
EVERYWHERE = ("search:{n},rollout=random,horizon=end", "search:{n},rollout=random,horizon=end,tree=puct", "search:{n}")
ON_VALUES = (
    "search:{n},leaf={policy},horizon=0",
    "search:{n},leaf={policy},horizon=8",
    "search:{n},leaf={policy},guide={policy},root=gumbel,horizon=8",
    "search:{n},leaf={policy},guide={policy},tree=puct,horizon=0",
    "search:{n},rollout={policy}",
)
HIDDEN, PLIES, LANES = (256, 256), 40, 64
NO_PEER = "OpenSpiel is not installed (pip install open_spiel): nothing to compare with."

Imagine = Callable[[], tuple[int, float]]  # (simulations, decisions)


@dataclass
class Engine:
    """One line of the table."""

    name: str
    imagine: Imagine
    simulations: list[float]
    decisions: list[float]

    def run(self, seconds: float) -> None:
        """Search for so long."""
        started, count, length = time.process_time(), 0, 0.0
        while time.process_time() - started < seconds:
            more, longer = self.imagine()
            count, length = count + more, length + longer
        spent = time.process_time() - started
        self.simulations.append(count / spent)
        self.decisions.append(length / spent)


def shown(game: Game, lanes: int = 1, plies: int = 0) -> Positions:
    """Return positions of games of the heuristic."""
    batch, agent = game.batch(lanes, 0), make_agent("heuristic", game)
    for _ in range(plies):
        batch.step(ask(agent, batch, np.arange(lanes), batch.noise(0)))
    return determinize(game, batch.states, batch.seats, batch.observations, batch.action_masks, batch.noise(0))


def any_network(game: Game, directory: Path) -> str:
    """Write a network of any numbers that knows values of afterstates, as TD learns them; return its directory."""
    generator, features = np.random.default_rng(0), find_features(game.name)
    kind = {"inputs": "afterstates", "features": features, "value": "win share"}
    sizes = network_sizes(game, HIDDEN, "", **kind)  # type: ignore[arg-type]
    layers = [
        ((generator.normal(size=(high, low)) / low**0.5).astype(np.float32), np.zeros(high, np.float32))
        for low, high in pairwise(sizes)
    ]
    return str(save_policy(directory, game, layers, activation="relu", **kind))  # type: ignore[arg-type]


def calls(name: str, policy: str) -> Engine:
    """Return a network that kernels ask about what follows from positions of games, over and over."""
    game = atlantis_envs.game(name)
    agent = make_agent(policy, game)
    assert isinstance(agent, PolicyAgent)
    kernels, positions = make_policy_kernels(game.definition, agent.features, agent.features), shown(game, LANES, PLIES)
    count = int(positions.masks.sum()) if agent.sees_positions else len(positions)
    scores, own = np.zeros(game.num_actions), make_search_policy(agent, ranks=True)

    @entry
    def rank_loop(rules, states, seats, masks, policy, scores):  # type: ignore[no-untyped-def]
        for row in range(len(seats)):
            kernels.reset(rules[0], states[row], seats[row], policy)
            kernels.rank(rules[0], states[row], seats[row], masks[row], policy, scores)

    where = plain(positions.states), positions.seats, positions.masks

    def imagine() -> tuple[int, float]:
        rank_loop(game.plain_rules, *where, own, scores)
        return count + len(positions), float(count + len(positions))

    imagine()  # compiled
    return Engine(f"{name}, the network alone, calls", imagine, [], [])


def ours(name: str, text: str, policy: str = "") -> Engine:
    """Return a search of the first decision of a game, over and over."""
    game = atlantis_envs.game(name)
    positions = shown(game)
    argument = text.format(n=SIMULATIONS, policy=policy).partition(":")[2]
    agent = SearchAgent.from_argument(game, argument, seed=0)

    def imagine() -> tuple[int, float]:
        found = agent.study(positions)
        count = int(found.counts.sum())
        return count, float(found.decisions.sum()) + count

    imagine()  # compiled
    return Engine(f"{name}, {text.format(n=SIMULATIONS, policy='NET')}", imagine, [], [])


def open_spiel_mcts() -> Engine:
    """Return OpenSpiel's MCTS, UCT with one random rollout per simulation, at the first decision of backgammon."""
    import pyspiel

    game, generator = pyspiel.load_game("backgammon"), np.random.default_rng(0)

    def play(state: pyspiel.State, over: Callable[[pyspiel.State], bool]) -> int:
        decisions = 0
        while not over(state):
            if state.is_chance_node():
                outcomes, weights = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(int(generator.choice(outcomes, p=weights)))
            else:
                state.apply_action(int(generator.choice(state.legal_actions())))
                decisions += 1
        return decisions

    root = game.new_initial_state()
    play(root, lambda state: not state.is_chance_node())
    length = statistics.mean(play(root.clone(), lambda state: state.is_terminal()) for _ in range(SAMPLE))
    evaluator = pyspiel.RandomRolloutEvaluator(1, 0)
    bot = pyspiel.MCTSBot(game, evaluator, 1.0, SIMULATIONS, 1000, False, 0, False)

    def imagine() -> tuple[int, float]:
        found = bot.mcts_search(root)
        return int(found.explore_count), int(found.explore_count) * length

    return Engine("OpenSpiel MCTS in C++, backgammon, random rollouts", imagine, [], [])


def main(arguments: list[str]) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks search", description=__doc__)
    parser.add_argument("games", nargs="*", default=list(atlantis_envs.game_names()), help="which games (default: all)")
    parser.add_argument("--policy", help="of one game: a policy that knows values, to be the leaf")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="CPU time of a run")
    given = parser.parse_args(arguments)
    for name in given.games:
        definition(name)  # refused here, before anything is compiled
    try:
        peer = open_spiel_mcts()
    except ImportError:
        print(NO_PEER, file=sys.stderr)
        peer = None
    engines = [ours(name, text) for name in given.games for text in EVERYWHERE] + ([peer] if peer else [])
    with TemporaryDirectory() as folder, pinned(1):
        for name in given.games:
            policy = given.policy or any_network(atlantis_envs.game(name), Path(folder) / name)
            engines += [*(ours(name, text, policy) for text in ON_VALUES), calls(name, policy)]
        for _ in range(RUNS):
            for engine in engines:
                engine.run(given.seconds)
    print("| engine | simulations/s | decisions/s | decisions each | simulations, of OpenSpiel's | decisions |")
    print("|---|---|---|---|---|---|")
    for engine in engines:
        simulations, decisions = statistics.median(engine.simulations), statistics.median(engine.decisions)
        beside = "- | -"
        if peer:
            beside = (
                f"x {simulations / statistics.median(peer.simulations):.3g} | "
                f"x {decisions / statistics.median(peer.decisions):.3g}"
            )
        each = f"{decisions / simulations:.1f}"
        print(f"| {engine.name} | {short(simulations)} | {short(decisions)} | {each} | {beside} |")
    return 0
