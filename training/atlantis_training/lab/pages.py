"""What pages of results have in common: Markdown, JSON and pictures, and where their figures come from."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from atlantis_agents.catalogue import SEARCH, agent_names, policy_directory
from atlantis_agents.networks.policy import MANIFEST
from atlantis_agents.search.settings import parse_argument
from atlantis_agents.shipped import CHAMPION, NETWORK, champion_text
from atlantis_envs import __version__
from atlantis_envs.base.files import read_json, write_atomically
from atlantis_envs.base.values import one_line, visible
from atlantis_envs.engine.game import Game

HTML = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "@": "&#64;"}
MARKS = frozenset("\\`*[]|~$!")
BLOCK = re.compile(r"^[#+=-]|(?<![^\W_])_|_(?![^\W_])|(?<=^\d)[.)]")  # of a list, a title; emphasis, not a_name
LINKS = re.compile(r"(?i)\bwww\.|:(?=//)")  # what some readers make links of
PLACES = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh")  # in the order of play


def write_page(
    out: Path, name: str, page: str, document: dict[str, Any], draw: Callable[[Sequence[Path]], None] | None = None
) -> list[Path]:
    """Write ``name.md`` and ``name.json``, and where ``draw`` draws them ``name.png`` and ``name.svg``.

    Returns:
        The paths of what was written.

    Raises:
        ValueError: a number that is not finite, which JSON has no word for; nothing is written.
    """
    plain = json.dumps(document, indent=1, allow_nan=False) + "\n"
    out.mkdir(parents=True, exist_ok=True)
    text, data, *pictures = [out / f"{name}.{ending}" for ending in ("md", "json", "png", "svg")]
    write_atomically(text, page)
    write_atomically(data, plain)
    if draw is None:
        return [text, data]
    draw(pictures)
    return [text, data, *pictures]


def markdown(name: str) -> str:
    """Return a name from outside as text of a Markdown page: a letter of it is neither Markdown nor HTML."""
    text = one_line(name)
    text = "".join(HTML.get(letter, f"\\{letter}" if letter in MARKS else letter) for letter in text)
    return LINKS.sub(lambda found: f"{found[0][:-1]}&#{ord(found[0][-1])};", BLOCK.sub(r"\\\g<0>", text))


def pictured(name: str) -> str:
    """Return a name from outside as a label of a picture, where a dollar sign would begin a formula."""
    return one_line(name).replace("$", r"\$")


def shell_word(text: object) -> str:
    """Return a word of a command to be copied: quoted as shells take it, and on one visible line."""
    word = str(text)
    if visible(word) == word:
        return shlex.quote(word)
    plain = (letter if visible(letter) == letter and letter not in "\\'" else _bytes(letter) for letter in word)
    return f"$'{''.join(plain)}'"


def _bytes(letter: str) -> str:
    raw = letter.encode("utf-8", "surrogateescape" if "\udc80" <= letter <= "\udcff" else "surrogatepass")
    return "".join(f"\\x{byte:02x}" for byte in raw)


def truncated_lines(truncated: int, games: int) -> list[str]:
    """Report the games that a safety bound cut off; nothing if there are none."""
    message = f"{truncated:,} of {games:,} games were cut off by a safety bound: neither won nor lost."
    return [message, ""] if truncated else []


def provenance(game: Game, agents: Sequence[str], seed: int) -> dict[str, Any]:
    """Game, options, versions, seed and agents as plain values."""
    return {
        "game": game.name,
        "players": game.players,
        "options": game.options.to_json(),
        "versions": asdict(game.definition.versions),
        "library": __version__,
        "numpy": np.__version__,
        "seed": seed,
        "agents": [agent_json(agent, game) for agent in dict.fromkeys(agents)],
    }


def agent_json(agent: str, game: Game) -> dict[str, Any]:
    """An agent's text, what it stands for if that is another one, and what the weights are if it has or uses any."""
    plays = champion_text(game) if agent == CHAMPION else agent
    sums = policy_sums(plays, game)
    own = {"sha256": sums.pop(plays)} if plays in sums else {}
    return {"agent": agent} | ({"plays": plays} if plays != agent else {}) | own | ({"policies": sums} if sums else {})


def policy_sums(agent: str, game: Game) -> dict[str, str]:
    """SHA-256 of the weights of every policy that an agent's text names: itself, or those that a search asks.

    Returns:
        By the text that names the policy: ``network``, or a directory.

    Raises:
        OptionError: the text is that of a search and cannot be read.
    """
    plays = champion_text(game) if agent == CHAMPION else agent
    name, _, argument = plays.partition(":")
    texts = [plays]
    if name == SEARCH:
        given = parse_argument(argument) if argument else {}
        texts = [str(given[setting]) for setting in ("guide", "rollout", "own") if setting in given]
    found = {text: policy_directory(text, game) for text in texts if text == NETWORK or text not in agent_names()}
    return {text: str(read_json(path / MANIFEST)["sha256"]) for text, path in found.items() if path is not None}


def sums_of_own(agents: Iterable[str], game: Game) -> dict[str, str]:
    """The same of several agents, without ``network``: those that only a checksum tells apart from what was there.

    What comes with the library is told apart by the fingerprint of the code (lab/code.py).

    Raises:
        OptionError: see policy_sums.
    """
    sums = {text: total for agent in agents for text, total in policy_sums(agent, game).items()}
    return {text: total for text, total in sums.items() if text != NETWORK}


def option_flags(options: Mapping[str, Any]) -> list[str]:
    """Options of a game as the flags that set them, for a shell."""
    return [f"--option {shell_word(f'{key}={json.dumps(value)}')}" for key, value in options.items()]
