"""Small games written out whole: the tree is that of Position, information sets forget nothing, solvers agree on it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import pytest
from helpers.support import ROOT

import atlantis_envs
from atlantis_agents.random import RandomAgent
from atlantis_envs.adapters.efg import Written, written
from atlantis_envs.adapters.recall import Memory, begun
from atlantis_envs.engine.game import Game
from atlantis_envs.errors import OptionError
from benchmarks.experiments import exploitability

needs_spiel = pytest.mark.skipif(find_spec("pyspiel") is None, reason="OpenSpiel is not installed: extra openspiel")
NAMES = ["three tiles", "an under tile", "two pawns"]
Past = tuple[tuple[str, str], ...]  # information states of a seat and what it did there


def small(name: str) -> Game:
    return atlantis_envs.game("atlantis", **exploitability.SMALL[name])


def moves_of(tree: Written, memory: Memory) -> list[str]:
    """What may happen at a node, in the order of the file."""
    position = memory.position
    if position.seat is None:
        return list(position.chance_outcomes())
    return [position.game.actions[action] for action in tree.sets[memory.information_state(position.seat)].actions]


def histories(game: Game, tree: Written) -> Iterator[tuple[Memory, tuple[Past, ...]]]:
    """Every node of the tree, with what each seat has decided on the way, in the order of the file."""
    ahead: list[tuple[Memory, tuple[Past, ...]]] = [(begun(game.initial_position()), ((),) * game.players)]
    while ahead:
        memory, pasts = ahead.pop()
        yield memory, pasts
        position = memory.position
        for move in reversed(moves_of(tree, memory)):
            after = position.clone()
            after.apply(move)
            own = list(pasts)
            if position.seat is not None:
                own[position.seat] = (*own[position.seat], (memory.information_state(position.seat), move))
            ahead.append((memory.continued(after), tuple(own)))


@pytest.mark.parametrize("name", NAMES)
def test_information_sets_forget_nothing_and_show_the_same(name: str) -> None:
    """Perfect recall: all nodes of a set have the same past of their seat, and look the same to it."""
    game = small(name)
    tree = written(game)
    pasts: dict[str, Past] = {}
    nodes = 0
    for memory, own in histories(game, tree):
        nodes += 1
        position, seat = memory.position, memory.position.seat
        if seat is not None:
            told = memory.information_state(seat)
            one = tree.sets[told]
            assert pasts.setdefault(told, own[seat]) == own[seat]
            assert one.seat == seat and sorted(one.actions) == position.legal_action_ids()
            assert (one.observation == position.observation(seat)).all()
    assert nodes == tree.nodes and set(pasts) == set(tree.sets)
    assert max(one.nodes for one in tree.sets.values()) > 1  # something is hidden
    numbered = [(one.seat, one.number) for one in tree.sets.values()]
    assert len(set(numbered)) == len(numbered)


def test_the_file_says_what_the_game_says() -> None:
    game = small("two tiles")
    tree = written(game)
    lines, known = tree.text.splitlines(), list[str]()
    assert lines[0] == 'EFG 2 R "Atlantis" { "seat 0" "seat 1" }'
    assert lines[1] == 'c "" 1 "" { "top ring 1" 1/2 "top crown 2" 1/2 } 0'
    kinds = [line[0] for line in lines[1:]]
    assert (kinds.count("c"), kinds.count("p"), kinds.count("t")) == (tree.chance, tree.decisions, tree.terminal)
    for line, (memory, _) in zip(lines[1:], histories(game, tree), strict=True):
        position = memory.position
        texts = re.findall(r'"([^"]*)"', line)[2:]
        assert texts == moves_of(tree, memory)
        if line[0] == "p":
            known += [text for text in texts if text not in known]
            assert [known.index(text) for text in texts] == sorted(known.index(text) for text in texts)
        if position.node == "over":
            assert [float(share) for share in line[line.index("{") + 1 : -1].split()] == position.returns()


def test_a_game_that_is_too_large_is_refused() -> None:
    with pytest.raises(OptionError, match="more than 500 nodes; allowed: games that are reduced further"):
        written(small("three tiles"), most=500)
    with pytest.raises(OptionError, match="more than 200 nodes"):
        written(atlantis_envs.game("atlandice"), most=200)


def test_an_agent_becomes_a_policy_with_its_ties() -> None:
    game = small("three tiles")
    tree = written(game)
    policy = exploitability.policy_of(RandomAgent(game), tree, game)
    assert len(policy) == len(tree.sets)
    for one in tree.sets.values():
        chances = [chance for _, chance in policy[exploitability.named(one)]]
        assert len(chances) == len(one.actions) and sum(chances) == pytest.approx(1)


# ---- with OpenSpiel


def for_the_adapter(tree: Written, policy: exploitability.Policy, played: Any) -> Any:
    """The policy as one for the adapter's own game, where sets have the texts of their information states."""
    from open_spiel.python import policy as policies

    own = {number: action for action, number in tree.numbers.items()}

    class Table(policies.Policy):  # type: ignore[misc, name-defined]
        def action_probabilities(self, state: Any, player_id: int | None = None) -> dict[int, float]:
            one = tree.sets[state.information_state_string()]
            return {own[action]: chance for action, chance in policy[exploitability.named(one)]}

    return Table(played, [0, 1])


@needs_spiel
@pytest.mark.parametrize("name", ["two tiles", "three tiles"])
def test_the_adapter_and_the_file_are_the_same_game_to_openspiel(name: str) -> None:
    """Best responses through Python, node by node, and on the file: the same, for three policies."""
    import pyspiel
    from open_spiel.python import policy as policies
    from open_spiel.python.algorithms import exploitability as theirs

    from atlantis_agents.catalogue import HEURISTIC
    from atlantis_envs.adapters import openspiel
    from atlantis_envs.seats.agents import make_agent

    game = small(name)
    tree, played = written(game), openspiel.load("atlantis", **exploitability.SMALL[name])
    file = pyspiel.load_efg_game(tree.text)
    best = exploitability.solved(file, 100)
    heuristic = exploitability.policy_of(make_agent(HEURISTIC, game), tree, game)
    for table in (best.policy_table(), heuristic):
        assert theirs.nash_conv(played, for_the_adapter(tree, table, played)) == pytest.approx(
            pyspiel.nash_conv(file, pyspiel.TabularPolicy(table)), abs=1e-9
        )
    uniform = policies.UniformRandomPolicy(played)
    assert theirs.nash_conv(played, uniform) == pytest.approx(
        pyspiel.nash_conv(file, pyspiel.UniformRandomPolicy(file)), abs=1e-9
    )


@needs_spiel
def test_a_solved_policy_cannot_be_exploited_and_the_page_says_so() -> None:
    page = (ROOT / "docs" / "guide" / "theory.md").read_text(encoding="utf-8")
    for name in NAMES:
        row = exploitability.measured(name, exploitability.SMALL[name], exploitability.ITERATIONS)
        assert 0 <= row.solved < 1e-3 < row.random and row.solved <= row.heuristic
        assert row.against <= row.solved / 2 + 1e-9
        assert row.text in page


def test_the_example_of_the_page_is_the_game_of_the_table() -> None:
    page = (ROOT / "docs" / "guide" / "theory.md").read_text(encoding="utf-8")
    [code] = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    made: dict[str, Any] = {}
    exec(code, made)
    assert f"| three tiles | {made['tree'].nodes:,} | {len(made['tree'].sets):,} " in page
    assert made["game"] == small("three tiles")


def test_the_page_has_every_game() -> None:
    page = (ROOT / "docs" / "guide" / "theory.md").read_text(encoding="utf-8")
    assert exploitability.HEAD in page
    for name in exploitability.SMALL:
        assert page.count(f"| {name} |") == 1
