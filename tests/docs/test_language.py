"""How the code speaks, room by room: docstrings begin with a verb, names are the field's, argument lists are short.

A room is a folder or a file. One that is rewritten joins ``ROOMS`` and stays there.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.support import ROOT

ROOMS = (
    "atlantis_envs/__init__.py",
    "atlantis_envs/authoring.py",
    "atlantis_envs/errors.py",
    "atlantis_envs/registry.py",
    "atlantis_envs/warm.py",
    "atlantis_envs/base",
    "atlantis_envs/kernels",
    "atlantis_envs/engine",
    "atlantis_envs/seats",
    "atlantis_envs/adapters",
    "agents/atlantis_agents",
    "atlantis_envs/drawing",
    "atlantis_envs/games",
    "atlantis_envs/play",
    "training/atlantis_training/bars.py",
    "training/atlantis_training/cli",
    "training/atlantis_training/demo",
    "training/atlantis_training/evaluation",
    "training/atlantis_training/examples",
    "training/atlantis_training/selfplay",
    "training/atlantis_training/shipping",
    "training/atlantis_training/signals.py",
    "benchmarks",
)
VERBS = set(
    re.findall(
        r"\w+",
        """
    Add Allocate Append Ask Batch Become Begin Bind Bring Build Call Check Choose Clear Collect Compare Compile Compute
    Convert Copy Count Create Deliver Describe Do Draw End Estimate Evaluate Explain Fill Find Forget Give Go Guard Hash
    Hold Keep Leave Let List Load Make Mark Move Note Number Open Optimise Parse Pass Pay Pickle Place Play Put Raise
    Read Record Refresh Refuse Register Remember Remove Render Replace Report Reset Return Run Save Say Scale Score
    Search Seat See Set Share Show Simulate Sort Start Step Stop Store Sum Take Test Try Update Use Wait Walk Write
    Yield Normalise Request Listen Wrap
    Tell Prepare Carry Fit Print Name Turn Send Measure Lay Roll Offer Look Recruit Deal Learn Serve Discard
    Redraw Flood Work Join Hand Win Train Break Answer Get Analyse Sit Exchange Refill Visit Declare Stack Push
    Succeed Enter Map Weigh Rebuild Connect Gather Exit Kill Flush Watch Rate Shorten Change Plan
    """,
    )
)
# Private words, and the standard terms that are said instead. Names of functions, arguments, fields and variables.
FORBIDDEN = {
    "told": "message, text, result",
    "told_as": "text",
    "witness": "observe_rows",
    "settle": "play_chance_rows",
    "law": "belief, determinization",
    "lawful": "possible",
    "no_law": "no_resample",
    "check_law": "check_resample",
    "resampled": "resample_nodes",
    "known_to": "determinize",
    "known_once": "determinize_position",
    "glance": "fast_decide",
    "think": "decide_rest",
    "knobs": "params",
    "favourite": "prior",
    "favour": "prior",
    "opinion": "prior",
    "excitement": "activation",
    "game_number": "game_index",
    "lane_numbers": "lane_indices",
    "crew": "worker pool",
    "worlds": "samples",
    "stray": "epsilon",
    "lessons": "demonstrations",
}
MOST_ARGUMENTS = 12
# Loops over lanes get their arrays one by one: a call with tuples of arrays takes longer than the step of a few lanes.
# Keywords of a Gymnasium environment and flags of a command are declared as arguments, since their signatures are read.
LONG_LISTS = {
    "atlantis_envs/engine/loops.py": {"fuzz_loop", "step_loop"},
    "atlantis_envs/seats/compiled.py": {"advance_loop"},
    "atlantis_envs/adapters/gymnasium_env.py": {"__init__"},
    "training/atlantis_training/cli/exploit.py": {"exploit_command"},
    "training/atlantis_training/cli/fairness.py": {"compensate_command", "luck_command", "profile_command"},
    "training/atlantis_training/cli/measure.py": {"evaluate_command", "levels_command", "seats_command"},
    "training/atlantis_training/cli/play.py": {"play_command"},
}


def files_of(rooms: tuple[str, ...]) -> Iterator[Path]:
    for room in rooms:
        path = ROOT / room
        yield from [path] if path.is_file() else sorted(path.rglob("*.py"))


def functions(source: str) -> Iterator[ast.FunctionDef]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef):
            yield node


def without_verb(source: str) -> list[str]:
    """Names of functions whose docstring begins with something else than a verb."""
    found = []
    for node in functions(source):
        said = ast.get_docstring(node)
        first = re.match(r"\w*", said or "")
        if said is not None and (first is None or first.group() not in VERBS):
            found.append(f"{node.name}: {said.splitlines()[0]}")
    return found


def private_words(source: str) -> set[str]:
    """Forbidden names that are given here."""
    tree = ast.parse(source)
    given = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    given |= {node.name for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    given |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    given |= {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    return {name for name in given if name.strip("_") in FORBIDDEN}


def long_lists(source: str, most: int = MOST_ARGUMENTS) -> set[str]:
    """Names of functions with more arguments than that."""
    lists = {node.name: node.args for node in functions(source)}
    counts = {name: len(a.posonlyargs) + len(a.args) + len(a.kwonlyargs) for name, a in lists.items()}
    return {name for name, count in counts.items() if count > most}


def test_all_three_are_seen() -> None:
    assert without_verb('def f():\n    """The sum."""\n\ndef g():\n    """Return the sum."""\n') == ["f: The sum."]
    assert private_words("def told(a, knobs):\n    self.law = b\n") == {"told", "knobs", "law"}
    assert long_lists("def f(a, b, *, c): ...\ndef g(a, b): ...\n", most=2) == {"f"}


@pytest.mark.parametrize("room", ROOMS)
def test_docstrings_of_functions_begin_with_a_verb(room: str) -> None:
    files = list(files_of((room,)))
    found = [f"{path.relative_to(ROOT)}: {fault}" for path in files for fault in without_verb(path.read_text("utf-8"))]
    assert files and found == []


@pytest.mark.parametrize("room", ROOMS)
def test_no_private_words(room: str) -> None:
    found = {str(path.relative_to(ROOT)): private_words(path.read_text("utf-8")) for path in files_of((room,))}
    assert {path: words for path, words in found.items() if words} == {}


def test_argument_lists_are_short() -> None:
    folders = ("atlantis_envs", "agents", "training", "benchmarks")
    found = {str(path.relative_to(ROOT)): long_lists(path.read_text("utf-8")) for path in files_of(folders)}
    assert {path: names for path, names in found.items() if names} == LONG_LISTS


# -------------------------------------------------------------------------------------------------------- prose

# Private phrases of pages and docstrings, and what is said instead. Old names in the changelog are history.
FORBIDDEN_PROSE = {
    r"orders? of play": "turn order",
    r"imagined": "simulated",
    r"worlds": "samples, positions",
    r"laws?": "resample, probabilities",
    r"opinions?": "prior, verdict, scores",
    r"favourites?": "first choice, prior choice",
    r"lessons?": "dataset, demonstrations",
    r"crews?": "worker pool",
    r"knobs?": "settings, params",
    r"glances?": "fast_decide",
    r"strays?": "plays at random, epsilon",
    r"soaks?": "long random runs",
    r"the lab": "evaluation",
}
PROSE = re.compile(rf"\b({'|'.join(FORBIDDEN_PROSE)})\b", re.IGNORECASE)
QUOTED = re.compile(r"```.*?```|``.*?``|`[^`]*`", re.DOTALL)  # code is judged by its names
RULES = {f"docs/rules/{name}.md" for name in ("atlandice", "atlantis", "atlantis_rising")}  # in the rulebooks' words
WRITTEN = {str(path.relative_to(ROOT)) for path in (ROOT / "docs").rglob("*.md")}
PAGES = ("README.md", "CONTRIBUTING.md", *sorted(WRITTEN - RULES))


def private_prose(text: str) -> set[str]:
    """Forbidden phrases of a text, those in code aside."""
    return {found.lower() for found in PROSE.findall(QUOTED.sub("", text))}


def test_private_prose_is_seen() -> None:
    assert private_prose("The order\nof play. `law` An imagined game.") == {"imagined"}
    assert private_prose("By order of play.") == {"order of play"} and private_prose("a lawful workshop") == set()


@pytest.mark.parametrize("page", PAGES)
def test_pages_use_the_words_of_the_field(page: str) -> None:
    assert private_prose((ROOT / page).read_text("utf-8")) == set()


@pytest.mark.parametrize("folder", ["atlantis_envs", "agents", "training", "benchmarks"])
def test_docstrings_and_messages_use_the_words_of_the_field(folder: str) -> None:
    found = {}
    for path in files_of((folder,)):
        texts = [
            node.value
            for node in ast.walk(ast.parse(path.read_text("utf-8")))
            if isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and " " in node.value
            and not node.value.startswith("atlantis-envs ")  # the format of a file
        ]
        if words := private_prose("\n".join(texts)):
            found[str(path.relative_to(ROOT))] = words
    assert found == {}
