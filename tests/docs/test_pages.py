"""The pages of the documentation: snippets run, commands parse, links lead somewhere, and names exist."""

from __future__ import annotations

import doctest
import importlib
import inspect
import re
import shlex
import warnings
from pathlib import Path
from typing import Any

import pytest
from helpers.support import ROOT

import atlantis_envs
from atlantis_envs import authoring, errors
from atlantis_envs.registry import environment_name

DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.rglob("*.md"))]
TEXTS = {str(path.relative_to(ROOT)): path.read_text("utf-8") for path in PAGES}
# Their snippets need another library, a trained run or a package: tests of their own run them.
ELSEWHERE = ("cluster", "learners", "masks", "search", "theory", "training", "your-own-game")
OWN_TESTS = {f"docs/guide/{name}.md" for name in ELSEWHERE}
SNIPPETS = {
    page: codes
    for page, text in TEXTS.items()
    if page not in OWN_TESTS and (codes := re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE))
}
FEWER = {"learn(40_000)": "learn(1)", "learn(8_192)": "learn(1)", "verbose=1": "verbose=0"}


@pytest.mark.parametrize("page", SNIPPETS)
def test_snippets_run(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One after the other, in one process, as a reader would type them."""
    if "sb3_vecenv" in TEXTS[page]:
        pytest.importorskip("sb3_contrib")
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "page"}
    for code in SNIPPETS[page]:
        for printed, fewer in FEWER.items():
            code = code.replace(printed, fewer)
        with warnings.catch_warnings():
            warnings.filterwarnings("error", module="page|atlantis")  # what a reader, or we, call that will go
            exec(compile(code, page, "exec"), names)


def commands(text: str) -> list[tuple[str, bool]]:
    """Every command line of ours on a page, and whether it is whole: one within a sentence may leave out a game."""
    joined = text.replace("\\\n", " ")
    whole = re.findall(r"^(?:    |)(atlantis [a-z]+ .*)$", joined, re.MULTILINE)
    within = re.findall(r"`(atlantis [a-z]+ [^`\n]*(?:\n[^`\n]*)?)`", joined)
    found = [(line, True) for line in whole] + [(line, False) for line in within]
    found = [(line.partition("  #")[0].replace("\n", " "), all_) for line, all_ in found]
    return [(line, all_) for line, all_ in found if not re.search(r"\.\.\.|\[|--help", line)]


COMMANDS = sorted({command for text in TEXTS.values() for command in commands(text)})


def test_command_lines_parse() -> None:
    """Their commands and flags exist, and take what is given."""
    typer = pytest.importorskip("typer")
    from atlantis_training.cli.app import app

    group: Any = typer.main.get_command(app)
    assert len(COMMANDS) > 60
    faults = []
    for command, whole in COMMANDS:
        name, *words = shlex.split(re.sub(r" [A-Z](?= |$)", " 3", command))[1:]  # a letter stands for a number
        try:
            group.commands[name].make_context(name, words)
        except Exception as error:
            if whole or type(error).__name__ not in ("MissingParameter", "BadOptionUsage"):
                faults.append(f"{command}: {error!r}")
    assert faults == []


LINK = re.compile(r"\]\(([^)\s]+)\)")


def anchors(text: str) -> set[str]:
    """The anchors of a page's headings, as the site and code hosts make them."""
    heads = re.findall(r"^#+ (.+)$", re.sub(r"```.*?```", "", text, flags=re.DOTALL), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).strip().replace(" ", "-") for head in heads}


@pytest.mark.parametrize("page", TEXTS)
def test_links_lead_somewhere(page: str) -> None:
    faults = []
    for link in LINK.findall(re.sub(r"```.*?```|`[^`]*`", "", TEXTS[page], flags=re.DOTALL)):
        path, _, anchor = link.partition("#")
        if "://" in link or link.startswith("mailto:"):
            continue
        target = ROOT / page if not path else ((ROOT / page).parent / path).resolve()
        known = anchors(target.read_text("utf-8")) if target.suffix == ".md" and target.is_file() else set()
        if not target.exists() or (anchor and anchor not in known):
            faults.append(link)
    assert faults == []


DIRECTIVE = re.compile(r"^\.\. auto(\w+):: (\S+)$", re.MULTILINE)
LISTED = {name: kind for text in TEXTS.values() for kind, name in DIRECTIVE.findall(text)}
ERRORS = [name for name, value in vars(errors).items() if isinstance(value, type) and issubclass(value, Exception)]
LISTED |= {f"{name}.{error}": "exception" for name, kind in LISTED.items() if kind == "module" for error in ERRORS}


def found(name: str) -> Any:
    """What a dotted name stands for."""
    parts = name.split(".")
    for split in range(len(parts), 0, -1):
        try:
            value: Any = importlib.import_module(".".join(parts[:split]))
        except ModuleNotFoundError:
            continue
        for part in parts[split:]:
            value = getattr(value, part)
        return value
    raise AttributeError(name)


def public() -> set[str]:
    """Every name that the library promises to keep."""
    names = {f"atlantis_envs.{name}" for name in atlantis_envs.__all__ if not name.startswith("_")}
    names |= {f"atlantis_envs.errors.{name}" for name in ERRORS}
    names |= {f"atlantis_envs.authoring.{name}" for name in authoring.__all__ if name not in ERRORS}
    makers = ("game", "env", "raw_env", "parallel_env")
    return names | {
        f"atlantis_envs.{environment_name(game)}.{maker}" for game in atlantis_envs.game_names() for maker in makers
    }


def test_the_api_pages_hold_every_public_name_and_say_what_it_is() -> None:
    assert public() - set(LISTED) == set()
    for name, kind in LISTED.items():
        value = found(name)
        assert kind == "data" or (value.__doc__ and value.__doc__.strip()), name


def test_versions_of_a_citation_are_those_of_the_game() -> None:
    v = atlantis_envs.game("atlandice").definition.versions
    now = f"rules {v.rules}, observation {v.observation}, actions {v.actions}, chance {v.chance}"
    text = " ".join(TEXTS["docs/guide/researchers.md"].replace("\n> ", " ").split())
    assert set(re.findall(r"rules \d+, observation \d+, actions \d+, chance \d+", text)) == {now}


EXAMPLES = [name for name, kind in LISTED.items() if kind != "data" and ">>> " in (inspect.getdoc(found(name)) or "")]


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_of_docstrings_run(name: str) -> None:
    value = found(name)
    names = {"atlantis_envs": atlantis_envs, value.__name__: value}
    (test,) = doctest.DocTestFinder(recurse=False).find(value, name, globs=names)
    assert doctest.DocTestRunner(verbose=False).run(test).failed == 0


# Their page says how they are used.
WITHOUT_EXAMPLE = {
    "atlantis_envs.authoring.Options": "a protocol: GameOptions has one",
    "atlantis_envs.authoring.sample_below": "a kernel: called by kernels alone",
    "atlantis_envs.authoring.sample_kind": "a kernel: called by kernels alone",
    "atlantis_envs.seats.agents.Analyst": "a protocol: SearchAgent has one",
    "atlantis_envs.seats.agents.PositionAgent": "a protocol: SearchAgent has one",
}


def test_every_function_and_class_of_the_api_pages_has_an_example() -> None:
    named = {name for name, kind in LISTED.items() if kind in ("class", "function")}
    assert named - set(EXAMPLES) == set(WITHOUT_EXAMPLE)


@pytest.mark.parametrize("page", [page for page in TEXTS if not page.startswith(("docs/results", "docs/rules"))])
def test_dotted_names_exist(page: str) -> None:
    """`atlantis_envs.x.y` in text; files and entry-point groups are no names."""
    if page == "docs/changelog.md":
        pytest.skip("history")
    quoted = re.findall(r"`(atlantis_(?:envs|agents|training)(?:\.\w+)+)[`(]", TEXTS[page])
    groups = {"atlantis_envs.agents", "atlantis_envs.games", "atlantis_envs.catalogue"}
    missing = []
    for name in sorted(set(quoted) - groups):
        try:
            found(name)
        except (AttributeError, ImportError):
            missing.append(name)
    assert missing == []
