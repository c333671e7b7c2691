"""A bot that needs nothing but Python: it answers questions, a line of JSON each. See docs/guide/bots.md.

Try it: ``atlantis play atlandice --players 2 --seat heuristic --seat "exec:python bot.py"``.
"""

from __future__ import annotations

import json
import sys
from typing import Any


def choose(question: dict[str, Any]) -> str:
    """Return one of the legal actions: a random one, but no pass while there is something else to do."""
    active = [text for text in question["legal"] if not text.startswith(("pass", "end", "stop"))]
    choices = active or question["legal"]
    return str(choices[question["random"] % len(choices)])


def main() -> None:
    """Answer questions until the input ends."""
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            answer = {"type": "hello", "name": "example", "position": "view"}
        elif message["type"] == "decide":
            answer = {"id": message["id"], "action": choose(message)}
        else:  # a game is over
            continue
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
