"""``atlantis`` alone in a terminal: what a person may want, as a question or two, and the command that it comes to."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path

Ask = Callable[[str], str]  # prompt -> line; raises EOFError when there are no more
Tell = Callable[[str], None]

WISHES = (
    ("play", "play a game"),
    ("watch", "watch agents play"),
    ("analyse", "analyse a game that was saved"),
    ("train", "train an agent"),
    ("help", "see all commands"),
)


def chosen_words(ask: Ask, tell: Tell) -> list[str]:
    """Return the words of the command that a person chooses; those of the help where they leave."""
    try:
        tell("What would you like to do? Enter takes 1.")
        wish = WISHES[_choice([text for _, text in WISHES], ask, tell)][0]
        words = {"play": _play, "watch": _watch, "analyse": _analyse, "train": _train}.get(wish, _help)(ask, tell)
    except EOFError:
        return ["--help"]
    tell(f"The same again: {shlex.join(['atlantis', *words])}")
    return words


def _choice(texts: Sequence[str], ask: Ask, tell: Tell) -> int:
    """Return the index of what is chosen by its number."""
    for number, text in enumerate(texts, 1):
        tell(f"  {number}  {text}")
    while True:
        line = ask("> ").strip() or "1"
        if line.isascii() and line.isdecimal() and len(line) < 3 and 1 <= int(line) <= len(texts):
            return int(line) - 1
        tell(f"There are 1 to {len(texts)}.")


def _in_browser() -> bool:
    return all(find_spec(name) is not None for name in ("starlette", "uvicorn"))


def _game(ask: Ask, tell: Tell) -> str:
    from atlantis_envs.registry import definition, game_names

    names = game_names()
    tell("Which game?")
    return names[_choice([definition(name).title for name in names], ask, tell)]


def _play(ask: Ask, tell: Tell) -> list[str]:
    return ["play"] if _in_browser() else ["play", _game(ask, tell)]


def _watch(ask: Ask, tell: Tell) -> list[str]:
    return ["play", _game(ask, tell), "--seat", "heuristic", *(["--browser"] if _in_browser() else [])]


def _analyse(ask: Ask, tell: Tell) -> list[str]:
    files = [str(path) for path in sorted(Path().glob("*.jsonl"))][:9]
    if files:
        tell("Which file?")
        file = files[_choice(files, ask, tell)]
    else:
        tell("No saved game lies here: `s` saves one while you play, `Save replay` in the browser.")
        file = ask("file> ").strip() or "game.jsonl"
    return ["analyse", file, "--html", Path(file).with_suffix(".html").name]


def _train(ask: Ask, tell: Tell) -> list[str]:
    game = _game(ask, tell)
    return ["train", game, "--out", f"runs/{game}", "--seconds", "600"]


def _help(ask: Ask, tell: Tell) -> list[str]:
    return ["--help"]
