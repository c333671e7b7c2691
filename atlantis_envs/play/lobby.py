"""What one address serves before, between and after games: who may sit where, a game that gets ready, files.

A game is set up in the background, so that the page says how far what it needs has been compiled. Nothing here knows a
browser; ``server`` carries the documents.
"""

from __future__ import annotations

import json
import secrets
import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from atlantis_envs.base.values import repr_short
from atlantis_envs.drawing.svg import css_name, page_colours, to_svg
from atlantis_envs.drawing.theme import COMMON, THEMES, palette
from atlantis_envs.engine.game import Game, game_of, make_game
from atlantis_envs.engine.options import Between, GameOptions
from atlantis_envs.engine.position import Position
from atlantis_envs.errors import AtlantisError, OptionError
from atlantis_envs.kernels.kernel import compiling_status
from atlantis_envs.play.game_session import GameSession
from atlantis_envs.play.graph import Evaluation, Mistake
from atlantis_envs.play.hints import Background
from atlantis_envs.play.page_session import PageSession, RefusedError, StaleError
from atlantis_envs.play.replay import Player, Recorded, players_of, read_recorded
from atlantis_envs.play.replay_page import part, replay_html
from atlantis_envs.registry import definition, game_names
from atlantis_envs.seats.agents import make_agent

MOST_SEED = 2**63 - 1
MOST_VALUES = 9  # of an option on the start page
MOST_MISTAKES = 3  # that are told at the end of a game
AgentsOf = Callable[[str], Mapping[str, str]]  # name of a game -> texts of agents, the usual one first, with a note
# (end, start, seats; none: all) -> decisions looked at so far, of how many, and what was found, again and again.
Review = Callable[[Position, Position | None, Sequence[int]], Iterator[tuple[int, int, Evaluation]]]


@dataclass(eq=False)
class Reviewing:
    """A game that is looked through.

    Attributes:
        offered: whether that can be asked for.
        page: which game.
        ply: when it was; a game that was taken back and gone on with is another one.
        work: what does it.
        done: decisions looked at.
        wanted: of how many.
        evaluation: what was found so far.
    """

    offered: bool
    page: PageSession | None = None
    ply: int = -1
    work: Background | None = None
    done: int = 0
    wanted: int = 0
    evaluation: Evaluation | None = None


class Lobby:
    """The start page, and one game after the other.

    Args:
        page: the game to begin with; None: the start page.
        agents_of: which agents are offered for a game.
        warm: get hints ready in the background.
        review: looks through a game that is over; None: that is not offered.

    Attributes:
        page: the game in play, or the last one; None before there is any.
    """

    def __init__(
        self,
        page: PageSession | None = None,
        agents_of: AgentsOf = lambda game: {},
        warm: bool = False,
        review: Review | None = None,
    ) -> None:
        """Open; nothing is compiled."""
        self.page = page
        self._agents_of, self._warm = agents_of, warm
        self._preparing: Background | None = None
        self._lock = threading.Lock()
        self._record: Recorded | None = None
        self._review, self._reviewing = review, Reviewing(review is not None)

    @property
    def table(self) -> PageSession:
        """Return the game in play.

        Raises:
            StaleError: there is none.
        """
        if self.page is None:
            raise StaleError("no game is in play; allowed: to start one")
        return self.page

    # --------------------------------------------------------------------------------------------------------- choosing

    def offers(self) -> list[dict[str, Any]]:
        """Return what can be played: every game with its picture, numbers of players, agents and options."""
        return [self._offer(name) for name in game_names()]

    def _offer(self, name: str) -> dict[str, Any]:
        about = definition(name)
        agents = [{"text": text, "note": note} for text, note in self._agents_of(name).items()]
        document: dict[str, Any] = {
            "game": name,
            "title": about.title,
            "agents": agents,
            "goal": " ".join(about.look().goal()).partition(". ")[0],
        }
        document |= {"players": [about.min_players, about.max_players], "usual": about.default_players}
        return {**document, "options": options_of(name), "picture": picture_of(name)}

    def begin(
        self, game: str, players: Sequence[Any], options: Mapping[str, Any], seed: int | None, go_on: bool
    ) -> dict[str, Any]:
        """Get a game ready.

        Args:
            game: its name.
            players: by seat {"name", "agent"}, the agent null for a person.
            options: of the game, by name.
            seed: of chance and agents; None: any.
            go_on: with the file that was opened.

        Raises:
            RefusedError: naming what is wrong.
        """
        if go_on and self._record is None:
            raise RefusedError("go_on: no file has been opened")
        if seed is not None and not 0 <= seed <= MOST_SEED:
            raise RefusedError(f"seed: {seed}; allowed: null, or 0..{MOST_SEED}")
        if game not in game_names():
            raise RefusedError(f"game: {repr_short(game)}; allowed: {', '.join(game_names())}")
        seated = _seated(players, self._agents_of(game))
        try:
            if go_on and self._record is not None:
                start, log = self._record.start, self._record.end.log
                built = game_of(start.game)
            else:
                start, log = None, []
                built = make_game(definition(game), len(seated), None, _checked(game, options))
            if len(seated) != built.players:
                raise OptionError(f"players: {len(seated)} seats; allowed: {built.players}")
            at_root = start is None or start == built.initial_position()
            return self.prepare(built, seated, seed, start=None if at_root else start, log=log)
        except AtlantisError as error:
            raise RefusedError(str(error)) from None

    def again(self, turned: bool) -> dict[str, Any]:
        """Get another game of the same people and agents ready, ``turned``: everybody one seat on.

        Raises:
            RefusedError: the game is not over, or it is not known who sits where.
        """
        session = self.table.session
        if session.position.node != "over" or session.seats is None:
            raise RefusedError("again: allowed at the end of a game")
        seats = session.seats
        seats = [*seats[-1:], *seats[:-1]] if turned else list(seats)
        return self.prepare(session.game, seats, None, self.table.ask_forced, session.hints or None)

    def prepare(
        self,
        game: Game,
        players: Sequence[Player],
        seed: int | None = None,
        ask_forced: bool = False,
        hints: bool | None = None,
        start: Position | None = None,
        log: Sequence[str] = (),
    ) -> dict[str, Any]:
        """Set up a game in the background; see ``GameSession``. It takes the place of the one in play when it is ready.

        Raises:
            RefusedError: another one is getting ready.
        """
        with self._lock:
            if self._preparing is not None and not self._preparing.ready:
                raise RefusedError("a game is getting ready; allowed: to wait for it")
            random_seed = secrets.randbits(32) if seed is None else seed
            set_up = partial(self._set_up, game, tuple(players), random_seed, ask_forced, hints, start, tuple(log))
            self._preparing = Background(set_up, silent=False)
            return self.progress()

    def _set_up(
        self,
        game: Game,
        players: tuple[Player, ...],
        seed: int,
        ask_forced: bool,
        hints: bool | None,
        start: Position | None,
        log: tuple[str, ...],
    ) -> None:
        agents = [None if player.agent is None else make_agent(player.agent, game) for player in players]
        session = GameSession(game, agents, seed, start, hints, seats=players)
        session.replay(log)
        page = PageSession(session, [player.name for player in players], ask_forced, self._warm)
        page.go(page.ply)  # what play needs is compiled now
        self.page = page

    def progress(self) -> dict[str, Any]:
        """Return how a game that gets ready stands: "none", "busy", "ready" or "failed", and what there is to say."""
        preparing = self._preparing
        if preparing is None:
            return {"stage": "none", "text": ""}
        if not preparing.ready:
            return {"stage": "busy", "text": compiling_status()}
        return {"stage": "failed" if preparing.reason else "ready", "text": preparing.reason}

    # ------------------------------------------------------------------------------------------------- after the game

    def review(self) -> dict[str, Any]:
        """Look through the game that is over, in the background; see ``reviewed``.

        Raises:
            RefusedError: it is not over, or nobody looks through games here.
        """
        session = self.table.session
        if self._review is None or session.position.node != "over":
            raise RefusedError("review: allowed at the end of a game")
        with self._lock:
            if not self._current:
                self._reviewing = Reviewing(True, self.page, self.table.ply)
                found = self._review(session.position.clone(), session.start, session.people)
                self._reviewing.work = Background(partial(self._keep, self._reviewing, found), silent=False)
        return self.reviewed()

    def _keep(self, reviewing: Reviewing, found: Iterator[tuple[int, int, Evaluation]]) -> None:
        for done, wanted, evaluation in found:
            reviewing.done, reviewing.wanted, reviewing.evaluation = done, wanted, evaluation
            if reviewing is not self._reviewing or not self._current:  # the game has gone on, or the next one begun
                return

    @property
    def _current(self) -> bool:
        """Return whether it is the game in play, as it is now, that was looked through."""
        return self.page is not None and (self._reviewing.page, self._reviewing.ply) == (self.page, self.page.ply)

    def reviewed(self) -> dict[str, Any]:
        """Return how far the game in play has been looked through, what cost most, and what was luck."""
        reviewing = self._reviewing
        if not self._current or reviewing.work is None:
            return {"stage": "none" if reviewing.offered else "never", "done": 0, "wanted": 0, "worst": [], "luck": []}
        found = () if reviewing.evaluation is None else reviewing.evaluation.mistakes[:MOST_MISTAKES]
        worst = [{"event": one.event, "seat": one.seat, "text": _advice(one)} for one in found]
        stage = "busy" if not reviewing.work.ready else "failed" if reviewing.work.reason else "ready"
        luck = [] if reviewing.evaluation is None else list(reviewing.evaluation.luck)
        return {"stage": stage, "done": reviewing.done, "wanted": reviewing.wanted, "worst": worst, "luck": luck}

    def look_through(self) -> str:
        """Return the game in play as a page to walk through, with what was found if it was looked through."""
        found = self._reviewing.evaluation if self._current else None
        return self.table.look_through(found)

    # ------------------------------------------------------------------------------------------------------------ files

    def open(self, text: str) -> dict[str, Any]:
        """Read a replay; return what it is of, who played, and whether it can be gone on with.

        Raises:
            RefusedError: naming the line and what is wrong with it.
        """
        try:
            record = read_recorded(text.splitlines())
        except AtlantisError as error:
            raise RefusedError(str(error)) from None
        self._record, game = record, record.end.game
        players = record.players or players_of([None] * game.players, [f"seat {seat}" for seat in range(game.players)])
        return {
            "game": game.name,
            "title": game.definition.title,
            "events": len(record.end.log),
            "over": record.end.node == "over",
            "players": [player._asdict() for player in players],
        }

    def opened_page(self) -> str:
        """Return the file that was opened as a page to look through.

        Raises:
            StaleError: none was.
        """
        if self._record is None:
            raise StaleError("no file has been opened")
        return replay_html(self._record.end, self._record.start, names=self._record.names)


def _advice(mistake: Mistake) -> str:
    """Tell a mistake to a player: what was played, what was better, and their shares of wins."""
    played, better = mistake.moves
    return f"{played} wins {100 * mistake.played:.0f} %; better: {better}, {100 * mistake.best:.0f} %"


def _seated(players: Sequence[Any], agents: Collection[str]) -> list[Player]:
    """Read who sits where. Only agents that are offered sit down: the text of another one may name a program to run.

    Raises:
        RefusedError: a seat is no object with a name and an agent.
    """
    for seat, player in enumerate(players):
        fits = isinstance(player, dict) and set(player) == {"name", "agent"} and isinstance(player["name"], str)
        if not fits or player["agent"] not in (None, *agents):
            allowed = f"a name, and an agent of {', '.join(agents)} or null"
            raise RefusedError(f"players: seat {seat}: {repr_short(player)}; allowed: {allowed}")
    return players_of([player["agent"] for player in players], [player["name"] for player in players])


def _checked(game: str, options: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return options if each is one that the start page offers.

    Raises:
        RefusedError: one is not; ``data`` never is, since a page names no files.
    """
    known = {option["name"]: option["allowed"] for option in options_of(game)}
    for name, value in options.items():
        if name not in known or value not in known[name]:
            raise RefusedError(f"options: {repr_short(name)}: {repr_short(value)}; allowed: {repr_short(known)}")
    return options


def options_of(name: str) -> list[dict[str, Any]]:
    """Return options of a game that have few values, each with what it means, its values and the usual one."""
    usual = make_game(definition(name), None, None, {}).options
    found = []
    for key, declared in usual.declared().items() if isinstance(usual, GameOptions) else ():
        allowed = _values(declared.allowed)
        if key != "players" and allowed:
            about = {"name": key, "about": declared.about, "allowed": allowed}
            found.append({**about, "usual": getattr(usual, key)})
    return found


def _values(allowed: Any) -> list[Any]:
    """Return the values of an option that has few."""
    if allowed is bool:
        return [False, True]
    if isinstance(allowed, Between) and allowed.high - allowed.low < MOST_VALUES:
        return list(range(allowed.low, allowed.high + 1))
    return list(allowed) if isinstance(allowed, tuple) else []


# ------------------------------------------------------------------------------------------------------------- pictures


def picture_of(name: str) -> dict[str, Any]:
    """Return a picture of a game as SVG with its colours by theme; {} where there is none.

    It is drawn of a view that is kept in a file, so nothing is played for it, and nothing compiled.
    """
    views = json.loads(part("cards.json"))
    if name not in views:
        return {}
    look, view = definition(name).look(), views[name]
    seats = [f"seat {seat}" for seat in range(view["players"])]
    roles = [*COMMON, *look.roles]
    colours = {
        theme: {f"--{css_name(role)}": colour for role, colour in palette(look.roles, theme).items()}
        for theme in THEMES
    }
    return {"svg": to_svg(look.draw(view, seats), page_colours(roles)), "colours": colours}
