"""Atlantis Rising again, slowly, from the rules file alone: the yardstick that the fast game is held against.

Nothing here is clever. A position is plain dicts and lists, everything that can be recomputed is recomputed, and what
goes on is exactly the list of frames of section 20. Each frame has up to three functions: `ask` says who may do what,
`take` does what was chosen, and `go` goes on where `ask` has nothing to ask. Without frames the phase decides. The
rules are in `atlantis_rising_parts`; clause numbers refer to docs/rules/atlantis_rising.md. Input is trusted; only
moves and options are checked.
"""

from __future__ import annotations

import copy
from typing import Any

from .atlantis_rising_parts import tables
from .atlantis_rising_parts.rounds import Rounds
from .atlantis_rising_parts.table import Menu

ACTIONS = tables.ACTIONS


class OraclePosition(Rounds):
    """A position of section 20 that knows what may happen next and what it leads to."""

    _menu: Menu | None = None  # what is asked now, looked up once per position; None when the game is over

    @classmethod
    def initial(cls, options: dict[str, Any]) -> OraclePosition:
        """The first node of a game; players and level are among the options (3, 17)."""
        rest = {name: value for name, value in options.items() if name not in ("players", "level")}
        self = cls(options["players"], options.get("level", 1), copy.deepcopy(rest))
        self._run()
        return self

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> OraclePosition:
        """The position that section 20 describes."""
        self = cls(data["players"], data["level"], copy.deepcopy(data["options"]))
        self._read(data)
        self._menu = self._open_menu()
        return self

    @property
    def node(self) -> str:
        """Who comes next: a seat ("decision"), a card or die ("chance"), or nobody ("over")."""
        if self._menu is None:
            return "over"
        return "chance" if self._menu[0] is None else "decision"

    @property
    def seat(self) -> int | None:
        """The seat that decides, None where none does (13)."""
        return self._menu[0] if self._menu else None

    def legal_actions(self) -> list[str]:
        """What the seat may do, in the order of the ids (13.2)."""
        return sorted(self._menu[1], key=ACTIONS.index) if self._menu and self.node == "decision" else []

    def chance_outcomes(self) -> dict[str, int]:
        """The outcomes of a chance node with their weights (14)."""
        return dict(self._menu[1]) if self._menu and self.node == "chance" else {}

    def apply(self, text: str) -> None:
        """Take an offered action or outcome and go on to the next node."""
        if self._menu is None or text not in self._menu[1]:
            raise ValueError(f"{text!r} is not offered")
        if self.pending:
            frame = self.pending[-1]
            getattr(self, f"take_{frame['do']}")(frame, text)
        else:
            getattr(self, f"take_{self._base()}")(text)
        self._run()

    def clone(self) -> OraclePosition:
        """An independent copy."""
        return copy.deepcopy(self)

    def scores(self) -> list[int]:
        """Components built, the same for all: the game is cooperative."""
        return [len(self.built)] * self.n

    def returns(self) -> list[float]:
        """+1 or -1 for all, 0 where the game was cut off (16.3)."""
        if self.result is None:
            raise ValueError("the game is not over")
        if self.truncated:
            return [0.0] * self.n
        return [1.0 if self.result["win"] else -1.0] * self.n

    @property
    def truncated(self) -> bool:
        """Cut off: over, and neither won nor lost (16.4)."""
        return self.result is not None and self.result["reason"] == "truncated"

    # ---- what comes next

    def _base(self) -> str:
        """The node of a phase without frames (20)."""
        if self.phase == "misfortune":
            return "window" if self.window else "draw" if self.draws else "late"
        if self.phase == "actions":
            return "overflow" if self.over_limit() is not None else "call" if self.call else "act"
        if self.phase == "deploy" and self.call:
            return "call"
        return {"setup": "after_setup"}.get(self.phase, self.phase)

    def _open_menu(self) -> Menu | None:
        """What is asked now, None where the program has to go on, or where it is over."""
        if self.result is not None:
            return None
        if self.pending:
            frame = self.pending[-1]
            ask = getattr(self, f"ask_{frame['do']}", None)
            menu: Menu | None = ask(frame) if ask else None
        elif self._base() == "late":
            menu = self.ask_late() if self.held else None
        else:
            ask = getattr(self, f"ask_{self._base()}", None)
            menu = ask() if ask else None
        return menu

    def _run(self) -> None:
        """Everything until the next node or the end."""
        while True:
            self._menu = self._open_menu()
            if self._menu is not None or self.result is not None:
                return
            if self.pending:
                frame = self.pending[-1]
                getattr(self, f"go_{frame['do']}")(frame)
            else:
                getattr(self, f"go_{self._base()}")()
