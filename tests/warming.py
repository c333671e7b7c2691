"""``python tests/warming.py ARGS``: compile what tests need before they start, so that no two workers compile the same.

ARGS are pytest's. Where they name files or folders, only the games that these mention are compiled, they or the helpers
that they import.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

TESTS = Path(__file__).resolve().parent
GAMES = ("atlantis_rising", "atlandice", "atlantis")  # the largest first
EVERY_GAME = re.compile(r"\bgame_names\b")
SHARED_FIXTURE = re.compile(r"^def test_\w+\([^)]*\bgame: Game\b", re.MULTILINE)  # tests/conftest.py: an Atlandice
IMPORT = re.compile(r"^(?:from ([\w.]+) )?import (.*)$", re.MULTILINE)


def games_of(arguments: Iterable[str]) -> list[str]:
    """Return the games that the named tests mention, the largest first; all of them where no tests are named."""
    named = [path for one in arguments if (path := Path(one.partition("::")[0])).exists()]
    files = [file for path in named for file in (sorted(path.rglob("*.py")) if path.is_dir() else [path])]
    texts = _with_helpers(files)
    if not texts or any(EVERY_GAME.search(text) for text in texts):
        return list(GAMES)
    return [game for game in GAMES if any(_mentions(game, text) for text in texts)]


def _mentions(game: str, text: str) -> bool:
    """Whether a game is named: in quotes, as a module, or as the first part of one, such as atlandice_random."""
    named = re.search(rf"[\"'.]{game}\b|\b{game}_(?!rising|envs|agents|training)\w", text)
    return bool(named) or (game == "atlandice" and bool(SHARED_FIXTURE.search(text)))


def _with_helpers(files: list[Path]) -> list[str]:
    """The texts of files, and of the helpers that they import."""
    texts: dict[Path, str] = {}
    while files:
        file = files.pop()
        if file not in texts:
            texts[file] = file.read_text(encoding="utf-8")
            for module, names in IMPORT.findall(texts[file]):
                modules = [module, *(f"{module}.{name}" for name in names.replace(",", " ").split())]
                places = [TESTS / f"{one.strip('.').replace('.', '/')}.py" for one in modules]
                files += [place for place in places if place.is_file()]
    return list(texts.values())


def main(arguments: list[str]) -> int:
    """Compile, the largest game in a process of its own; return 0 where that went well."""
    games = games_of(arguments)
    warm = [sys.executable, "-m", "atlantis_envs.warm"]
    started = [subprocess.Popen([*warm, *some]) for some in (games[:1], games[1:]) if some]
    return max([abs(one.wait()) for one in started], default=0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
