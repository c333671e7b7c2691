"""docs/reference/options.md, out of the declarations: ``python tests/options_page.py`` writes it, a test compares."""

from __future__ import annotations

import json
import sys
from importlib import import_module
from typing import Any

from helpers.support import ROOT

import atlantis_envs
from atlantis_envs.engine.options import GameOptions

PAGE = ROOT / "docs" / "reference" / "options.md"
MOST_DEFAULT = 60
HEAD = """# Options

Every option of every game, as the code declares it; the rules files say what each one does and why it exists. An
option is a keyword of `atlantis_envs.game`, of the environments and of `SeatEnv`, and `--option KEY=VALUE` on the
command line. Values are those of JSON here: `true` is `True` in Python.
"""


def declaration(name: str) -> type[GameOptions]:
    """The dataclass of a game's options."""
    made = type(atlantis_envs.game(name).options)
    assert issubclass(made, GameOptions)
    return made


def table(name: str) -> str:
    """The options of a game, a row each."""
    game = atlantis_envs.game(name)
    defaults: dict[str, Any] = {"players": game.players, **game.options.to_json()}
    rows = ["| option | default | allowed | meaning | clause |", "| --- | --- | --- | --- | --- |"]
    for field, declared in declaration(name).declared().items():
        key = declared.key or field
        default = json.dumps(defaults.get(key, declared.default))
        short = default if len(default) <= MOST_DEFAULT else "as in the clause"
        rows.append(f"| `{key}` | {short} | {declared.allowed_text} | {declared.about} | {declared.clause} |")
    return "\n".join(rows)


def presets(name: str) -> str:
    """What an option says that stands for others, if there is one."""
    known = getattr(import_module(f"atlantis_envs.games.{name}.options"), "PRESETS", {})
    told = [
        f"`preset` {json.dumps(preset)}: {', '.join(f'`{key}` {json.dumps(value)}' for key, value in values.items())}."
        if values
        else f"`preset` {json.dumps(preset)}: every default."
        for preset, values in known.items()
    ]
    return " ".join([*told, "An option given by itself overrides it."]) + "\n" if told else ""


def page() -> str:
    """The whole page."""
    parts = [HEAD]
    for name in atlantis_envs.game_names():
        title = atlantis_envs.game(name).definition.title
        parts += [f"## {title}\n\n[Rules](../rules/{name}.md)\n\n{table(name)}\n", *filter(None, [presets(name)])]
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    sys.stdout.write(f"{PAGE.relative_to(ROOT)} written\n")
