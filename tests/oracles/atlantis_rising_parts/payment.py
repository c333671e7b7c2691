"""Barriers, drains and shared payments (section 9)."""

from __future__ import annotations

from . import tables as t
from .placing import Placing
from .table import Frame, Menu, asked


class Payment(Placing):
    """Clauses 9.1 to 9.5, node D16."""

    # ---- opening a barrier or a drain

    def barrier_cost(self, opener: int) -> int:
        """What a barrier costs its opener (9.1)."""
        return t.BARRIER_COST - self.in_play(opener, "keystone of wards")

    def _affordable(self, opener: int, cost: int) -> bool:
        """9.4: by all seats together, by a barred seat alone."""
        paying = [opener] if self.seats[opener]["barred"] else range(self.n)
        return sum(self.seats[seat]["energy"] for seat in paying) >= cost

    def paid_texts(self, opener: int, window: str) -> list[str]:
        """Barriers outside phase 2, and drains (9.1, 9.3, 9.4)."""
        texts = []
        if window != "W" and self._affordable(opener, self.barrier_cost(opener)):
            texts += [f"barrier {p}" for p in self.may_ward()]
        if self._affordable(opener, t.DRAIN_COST):
            texts += [f"drain {p}" for p in self.may_drain()]
        return texts

    def open_purchase(self, purpose: str, peninsula: str, opener: int) -> None:
        """All seats may pay, clockwise from the opener (9.4)."""
        cost = self.barrier_cost(opener) if purpose == "barrier" else t.DRAIN_COST
        self.open_share(purpose, peninsula, "energy", cost, self.clockwise(opener))

    def open_share(self, purpose: str, target: str | None, kind: str, amount: int, order: list[int]) -> None:
        """A payment of one type begins (9.5)."""
        frame = {"do": "share", "for": purpose, "target": target, "type": kind, "rest": amount}
        self.pending.append({**frame, "order": order, "gives": []})

    # ---- what a payer may give

    def _stock(self, frame: Frame, seats: list[int]) -> list[int]:
        """Holdings of the type that is being paid."""
        return [self.seats[seat][frame["type"]] for seat in seats]

    def _amounts(self, frame: Frame) -> list[int]:
        """The possible x of the payer in turn (9.5)."""
        place = len(frame["gives"])
        payer, after = frame["order"][place], frame["order"][place + 1 :]
        limit = min(frame["rest"], self.seats[payer][frame["type"]])
        return [x for x in range(limit + 1) if self._possible(frame, x, after)]

    def _possible(self, frame: Frame, x: int, after: list[int]) -> bool:
        """Whether the seats after the payer can make up what x leaves."""
        left = frame["rest"] - x
        if frame["for"] == "cities":
            givers = sum(amount > 0 for amount in [*frame["gives"], x])
            richest = sorted(self._stock(frame, after), reverse=True)[: max(0, 2 - givers)]
            return givers <= 2 and left <= sum(richest)
        if frame["for"] == "build" and self.pending[-2]["component"] == t.CORE:
            return self._core_goes_on(frame, x, after)
        alone = not frame["gives"] and self.seats[frame["order"][0]]["barred"]
        return left <= (0 if alone else sum(self._stock(frame, after)))

    def _core_goes_on(self, frame: Frame, x: int, after: list[int]) -> bool:
        """After x the rest can still be split so that every seat gives something in all (9.5)."""
        build, kind = self.pending[-2], frame["type"]
        given = {seat: sum(paid.values()) for seat, paid in enumerate(build["paid"])}
        for seat, amount in zip(frame["order"], [*frame["gives"], x], strict=False):
            given[seat] += amount
        later = t.PRICE_TYPES[t.PRICE_TYPES.index(kind) + 1 :]
        due = {kind: frame["rest"] - x} | {other: build["price"][other] for other in later}
        stocks = {other: {seat: self.seats[seat][other] for seat in range(self.n)} for other in later}
        stocks[kind] = {seat: self.seats[seat][kind] for seat in after}
        return can_split(due, stocks, [seat for seat in range(self.n) if not given[seat]])

    def _asks_opener(self, frame: Frame) -> bool:
        """Whether the payer in turn is the opener of a barrier, drain or build, who cannot decline (9.5)."""
        return not frame["gives"] and frame["for"] != "cities"

    # ---- D16

    def ask_share(self, frame: Frame) -> Menu | None:
        """D16, unless the amount is forced (9.5)."""
        if frame["rest"] == 0 or self._forced(frame) is not None:
            return None
        texts = [] if self._asks_opener(frame) else ["decline"]
        return asked(frame["order"][len(frame["gives"])], texts + [f"contribute {x}" for x in self._amounts(frame)])

    def _forced(self, frame: Frame) -> int | None:
        """Amounts without a node: nothing from who has nothing, the only amount of an opener."""
        if not self._stock(frame, [frame["order"][len(frame["gives"])]])[0]:
            return 0
        amounts = self._amounts(frame)
        return amounts[0] if self._asks_opener(frame) and len(amounts) == 1 else None

    def go_share(self, frame: Frame) -> None:
        """A forced amount, or the end of the payment."""
        if frame["rest"] == 0:
            self._agreed(frame)
            return
        forced = self._forced(frame)
        assert forced is not None
        self._give(frame, forced)

    def take_share(self, frame: Frame, text: str) -> None:
        """An amount, or a refusal."""
        if text != "decline":
            self._give(frame, int(text.split()[1]))
        elif frame["for"] == "cities":
            self._leave_cities(frame)
        else:
            self._cancel(frame)

    @staticmethod
    def _give(frame: Frame, amount: int) -> None:
        """An amount is agreed, not yet paid."""
        frame["gives"].append(amount)
        frame["rest"] -= amount

    def _cancel(self, frame: Frame) -> None:
        """The whole payment is void; its opener loses a decline, or is barred if it has none left (9.5)."""
        self.pending.pop()
        if frame["for"] == "build":
            self.pending.pop()
        opener = self.seats[frame["order"][0]]
        if opener["declines"]:
            opener["declines"] -= 1
        else:
            opener["barred"] = True

    def _leave_cities(self, frame: Frame) -> None:
        """The payment starts again without the refusing seat, or fails (9.5)."""
        frame["rest"] += sum(frame["gives"])
        del frame["order"][len(frame["gives"])]
        frame["gives"] = []
        if not self.two_can_pay(frame["order"], frame["rest"]):
            self.pending.pop()
            self.pending.pop()

    def two_can_pay(self, seats: list[int], amount: int) -> bool:
        """The two richest of these seats, or the only one, have that much energy (7.7)."""
        return sum(sorted((self.seats[seat]["energy"] for seat in seats), reverse=True)[:2]) >= amount

    def _agreed(self, frame: Frame) -> None:
        """All of it is promised: it is paid, or noted for the build (9.5)."""
        self.pending.pop()
        for seat, amount in zip(frame["order"], frame["gives"], strict=False):
            if frame["for"] != "build":
                self.seats[seat]["energy"] -= amount
            elif amount:
                self.pending[-1]["paid"][seat][frame["type"]] = amount
        if frame["for"] == "barrier":
            self.barriers.append(frame["target"])
        elif frame["for"] == "drain":
            self.flooded[frame["target"]] -= 1


def can_split(due: dict[str, int], stocks: dict[str, dict[int, int]], needy: list[int]) -> bool:
    """Whether what is due can be paid so that each needy seat gives at least one item (8.4).

    Each needy seat in turn tries every type for its one item; what then is left may come from anybody.
    """
    if needy:
        return any(
            can_split({**due, kind: due[kind] - 1}, _less(stocks, kind, needy[0]), needy[1:])
            for kind in due
            if due[kind] and stocks[kind].get(needy[0], 0)
        )
    return all(due[kind] <= sum(stocks[kind].values()) for kind in due)


def _less(stocks: dict[str, dict[int, int]], kind: str, seat: int) -> dict[str, dict[int, int]]:
    """The same with one item fewer."""
    return {**stocks, kind: {**stocks[kind], seat: stocks[kind][seat] - 1}}
