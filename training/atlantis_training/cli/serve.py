"""``atlantis serve``: games for the program at the other end of standard input and output; see docs/guide/bots.md."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from atlantis_training.cli.common import (
    MOST_SEED,
    DataFile,
    GameName,
    OptionList,
    PlayerCount,
    chosen_game,
    fail,
)

BOT = "bot"
MOST_GAMES, MOST_SECONDS = 10**6, 86_400


def serve_command(
    game: GameName,
    seat: Annotated[
        list[str] | None,
        typer.Option(
            "--seat", "-s", metavar="WHO",
            help="bot, or an agent; once per seat, the last one takes the seats that are left [default: bot, then "
            "heuristic, or random where there is none]",
        ),
    ] = None,
    games: Annotated[int, typer.Option("--games", "-g", min=1, max=MOST_GAMES, help="how many, one after another")] = 1,
    seconds: Annotated[
        float, typer.Option("--seconds", help=f"for an answer of the bot, above 0 and at most {MOST_SECONDS}")
    ] = 10.0,
    players: PlayerCount = None,
    seed: Annotated[int, typer.Option("--seed", min=0, max=MOST_SEED, help="of chance and agents")] = 0,
    option: OptionList = None,
    data: DataFile = None,
) -> None:  # fmt: skip
    """Play with the program that started this one, by JSON lines on standard input and output."""
    from atlantis_agents.catalogue import find_agent, usual_opponent
    from atlantis_agents.external import BotAgent, Peer
    from atlantis_envs.play.game_session import GameSession
    from atlantis_training.evaluation.measure import fill_line_up

    if not 0 < seconds <= MOST_SECONDS:
        fail(f"--seconds {seconds:g}; allowed: above 0 and at most {MOST_SECONDS}")
    built = chosen_game(game, players, option, data)
    line_up = fill_line_up(seat or [BOT, usual_opponent(built.name)][: built.players], built.players)
    if BOT not in line_up:
        fail(f"--seat: nobody is {BOT!r}; allowed: one {BOT!r} or more")
    others = {who: find_agent(who, built) for who in dict.fromkeys(line_up) if who != BOT}
    # Nothing else may be printed where the bot reads.
    writes, reads = os.fdopen(os.dup(sys.stdout.fileno()), "wb"), os.fdopen(os.dup(sys.stdin.fileno()), "rb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    peer = Peer(writes, reads)
    bot = BotAgent(built, lambda: peer, BOT, seconds)
    agents = [bot if who == BOT else others[who] for who in line_up]
    for number in range(games):
        session = GameSession(built, agents, seed, game_index=number)
        while session.step():
            pass
        forfeit = session.forfeit
        returns = session.position.returns() if forfeit is None else forfeit.returns
        over = {"type": "over", "game": number, "scores": session.position.scores(), "returns": returns}
        peer.send(over | {"forfeit": None if forfeit is None else forfeit.text(line_up)})
        if forfeit is not None:  # it cannot be started anew, so nothing it says from now on can be told apart
            break
    peer.finish(seconds)
