"""What an agent may offer beside ``act`` is looked for in one place, and an agent with ``act`` alone is enough."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np
import pytest
from helpers.support import ROOT
from numpy.typing import NDArray

import atlantis_envs
from atlantis_envs.seats.agents import Agent, Capabilities, Compiled, make_agent
from atlantis_envs.seats.positions import ask_at

OFFERS = {"compiled", "act_positions", "sees_positions", "try_all", "prepare", "entries", "budget"}
ONLY_PLACE = "atlantis_envs/seats/agents.py"


class First:
    """Plays the first legal action; ``act`` is all that it has."""

    def act(
        self, observations: NDArray[np.uint8], masks: NDArray[np.int8], noise: NDArray[np.uint64] | None = None
    ) -> NDArray[np.int64]:
        return masks.argmax(axis=1)


def look_ups(source: str) -> list[int]:
    """Lines that look for a capability by its name."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("getattr", "hasattr"):
            name = node.args[1]
            if isinstance(name, ast.Constant) and name.value in OFFERS:
                found.append(node.lineno)
    return found


def test_capabilities_are_looked_for_in_one_place() -> None:
    assert look_ups('if hasattr(agent, "compiled"):\n    getattr(agent, "entries", [])\n') == [1, 2]
    folders = ("atlantis_envs", "agents", "training", "benchmarks")
    files = [path for folder in folders for path in (ROOT / folder).rglob("*.py")]
    found = {str(path.relative_to(ROOT)) for path in files if look_ups(path.read_text(encoding="utf-8"))}
    assert len(files) > 200 and found <= {ONLY_PLACE}


def test_an_agent_with_act_alone_offers_nothing_and_plays_everywhere() -> None:
    agent, game = First(), atlantis_envs.game("atlandice")
    own = Capabilities(agent)
    assert isinstance(agent, Agent) and make_agent(agent, game) is agent
    assert (own.compiled, own.act_positions, own.analyst, own.entries, own.prepare) == (None, None, None, [], None)
    batch = atlantis_envs.SeatBatch(game, 4, opponents=agent)
    batch.reset(seed=1)
    assert batch.step(batch.masks.argmax(axis=1)).masks.any(axis=1).all()
    position = game.batch(1, seed=1).position(0)
    assert position.legal_action_ids()[0] == ask_at(agent, position)
    assert atlantis_envs.analyse(position, agent, simulations=2).simulations == 2


@pytest.mark.parametrize(
    ("text", "compiled", "positions", "analyst"),
    [
        ("random", True, False, False),
        ("heuristic", True, False, False),
        ("search:2", False, True, True),
        ("network@1", False, False, False),
        ("network", False, True, False),
    ],
)
def test_the_agents_of_the_library_say_what_they_offer(
    text: str, compiled: bool, positions: bool, analyst: bool
) -> None:
    own = Capabilities(make_agent(text, atlantis_envs.game("atlandice", players=2)))
    found = own.compiled is not None, own.act_positions is not None, own.analyst is not None
    assert found == (compiled, positions, analyst)


@pytest.mark.parametrize("sees", [None, True, False])
def test_an_agent_that_has_act_positions_may_still_want_observations(sees: bool | None) -> None:
    asked: list[str] = []

    class Both(First):
        def act(self, *arguments: Any) -> NDArray[np.int64]:
            asked.append("act")
            return super().act(*arguments)

        def act_positions(self, positions: Any, noise: Any = None) -> NDArray[np.int64]:
            asked.append("act_positions")
            return np.asarray(positions.masks.argmax(axis=1))

    agent = Both()
    if sees is not None:
        agent.sees_positions = sees  # type: ignore[attr-defined]
    ask_at(agent, atlantis_envs.game("atlandice").batch(1, seed=1).position(0))
    assert asked == ["act" if sees is False else "act_positions"]


def test_a_compiled_form_of_another_kind_is_none() -> None:
    class Claims(First):
        compiled = "yes"

    assert Capabilities(Claims()).compiled is None
    nothing = np.zeros(1)
    form = Compiled(lambda *_: 0, nothing, nothing)
    assert form.plays_like(Compiled(form.decide, nothing, np.ones(1)))
    assert not form.plays_like(Compiled(form.decide, np.ones(1), nothing))
