"""What the pages of the site show out of the code: tables of a game, and the help of every command.

A directive is named in a page with the game it is about::

    ```{game-observation} atlandice
    ```
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import click
import typer
from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

import atlantis_envs
from atlantis_agents.shipped import named_texts
from atlantis_envs.engine.game import Description
from atlantis_envs.registry import environment_name, gymnasium_id
from atlantis_training.cli.app import EXAMPLES, app
from atlantis_training.evaluation.report import Table
from atlantis_training.shipping.cards import all_cards

TAGS = {"book": "printed", "reconstructed": "reconstructed"}
WITHIN = "\u00a0-\u00a0"  # stays on one line
ORDER = ("random", "heuristic", "planner", "network", "champion", "grandmaster")


def span(first: int, last: int) -> str:
    """Return a range of ids as text."""
    return f"{first}" if first == last else f"{first}{WITHIN}{last}"


def facts(game: Description) -> str:
    """Return what a game is in a few rows."""
    low, high = game.player_range
    rows = [
        ("import", f"`from atlantis_envs import {environment_name(game.name)}`"),
        ("Gymnasium id", f"`atlantis_envs:{gymnasium_id(game.name)}`"),
        ("players", f"{low} - {high}, usually {game.players}"),
        ("rewards", game.utility),
        ("actions", f"Discrete({game.num_actions}), with an exact mask"),
        ("observation", f"uint8, {game.observation_size} bytes"),
        ("chance outcomes", f"{game.num_outcomes}"),
        ("longest game", f"{game.node_bound:,} nodes: {game.bound_reason}"),
        ("versions", ", ".join(f"{key} {value}" for key, value in vars_of(game.versions))),
    ]
    return str(Table(("", game.title), rows))


def vars_of(versions: Any) -> list[tuple[str, int]]:
    """Return the four version numbers of a game, by name."""
    return [(name, getattr(versions, name)) for name in ("rules", "observation", "actions", "chance")]


def actions(game: Description) -> str:
    """Return every span of actions."""
    rows = [(span(first, last), f"`{text}`".replace(" ... ", "` ... `")) for first, last, text in game.actions]
    return str(Table(("id", "action"), rows))


def outcomes(game: Description) -> str:
    """Return every span of chance outcomes."""
    rows = [(span(first, last), f"`{text}`".replace(" ... ", "` ... `")) for first, last, text in game.outcomes]
    return str(Table(("id", "outcome"), rows))


def observation(game: Description) -> str:
    """Return every field of the observation, with its bytes and its largest value."""
    rows = [
        (span(start, start + size - 1), f"`{name}`", span(0, most), escape(about))
        for name, start, size, most, about in game.observation
    ]
    return str(Table(("bytes", "field", "range", "meaning"), rows))


def sources(game: Description) -> str:
    """Return where the data come from."""
    rows = [
        (
            escape(each.datum),
            TAGS.get(each.tag, each.tag),
            each.source,
            f"`{each.replaceable}`" if each.replaceable else "",
        )
        for each in game.provenance
    ]
    return str(Table(("datum", "source", "clause", "replaced by option or data"), rows))


def agents(game: Description) -> str:
    """Return what the bundled agents win, from their cards; the newest rules first."""
    cells = []
    for card in all_cards():
        if card["game"] == game.name:
            measured = card["versions"]["rules"]
            note = "" if measured == game.versions.rules else f", measured with rules {measured}"
            cells += [(cell, note) for cell in card["cells"]]
    cells.sort(key=lambda each: (each[0]["players"], place_of(each[0]["agent"]), each[0]["against"]))
    rows = [
        (
            cell["players"],
            f"`{cell['agent']}`",
            f"`{cell['against']}`" if cell["against"] else "-",
            ", ".join(f"{key} {value}" for key, value in cell["options"].items()) + note,
            f"{cell['value']:.3f} [{cell['low']:.3f}, {cell['high']:.3f}]",
            f"{cell['milliseconds']:.2g}",
        )
        for cell, note in cells
    ]
    rows = list({row[:5]: row for row in rows}.values())  # the heuristic stands on two cards
    return str(Table(("players", "agent", "against", "options", "win rate, 95 %", "ms a decision"), rows))


def champion(game: Description) -> str:
    """Return what ``champion`` and ``grandmaster`` stand for, the newest editions."""
    rows = [
        (players, f"`{name}`", f"`{editions[-1]}`")
        for name, games in named_texts().items()
        for players, editions in games.get(game.name, {}).items()
    ]
    return str(Table(("players", "name", "stands for"), rows))


def place_of(agent: str) -> tuple[int, str]:
    """Return where an agent stands in a table: editions beside their name, agents without a place last."""
    name = agent.partition("@")[0]
    return (ORDER.index(name) if name in ORDER else len(ORDER), agent)


def escape(text: str) -> str:
    """Return text for a cell of a table."""
    return text.replace("|", "\\|").replace("*", "\\*").replace("<", "\\<")


def parameter_rows(command: click.Command) -> Iterator[tuple[str, str, str]]:
    """Yield the flags of a command: names, what they take, what they do."""
    context = click.Context(command)
    for parameter in command.params:
        record = parameter.get_help_record(context)
        if record is None:
            yield f"`{parameter.make_metavar(context)}`", "", escape(getattr(parameter, "help", "") or "")
        elif "--help" not in record[0]:
            names, _, kind = record[0].partition("  ")
            flags, _, value = re.match(r"(.*?)( ([A-Z<\[].*))?$", names).groups() if not kind else (names, "", kind)
            yield ", ".join(f"`{flag}`" for flag in flags.split(", ")), f"`{value}`" if value else "", escape(record[1])


def command_line() -> str:
    """Return the help of every command."""
    group: Any = typer.main.get_command(app)
    parts = []
    for name, command in group.commands.items():
        about = inspect.cleandoc(command.help or "").split("\n\nExample")[0]
        parts += [f"## atlantis {name}", "", escape(about), "", "```sh", EXAMPLES[name], "```", ""]
        parts += [str(Table(("flag", "value", "meaning"), list(parameter_rows(command)))), ""]
    return "\n".join(parts)


class Generated(SphinxDirective):
    """Put text that the code makes into a page."""

    optional_arguments = 1
    make: ClassVar[Callable[..., str]]

    def run(self) -> list[nodes.Node]:
        """Return the parsed text."""
        arguments = [atlantis_envs.game(name).describe() for name in self.arguments]
        text = type(self).make(*arguments)
        node = nodes.container()
        node.document = self.state.document
        self.state.nested_parse(StringList(text.splitlines(), source=self.name), self.content_offset, node, 1)
        return node.children


def directive(function: Callable[..., str]) -> type[Generated]:
    """Return the directive that shows what a function returns."""
    return type(function.__name__, (Generated,), {"make": staticmethod(function)})


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directives."""
    for function in (facts, actions, outcomes, observation, sources, agents, champion):
        app.add_directive(f"game-{function.__name__}", directive(function))
    app.add_directive("command-line", directive(command_line))
    return {"parallel_read_safe": True}
