"""``python -m atlantis_training.shipping``: pack a run as one of the agents of the library; measure champions."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from atlantis_agents.networks.policy import load_policy, policy_directory
from atlantis_agents.shipped import CRITIC, FOLDERS, HERE, NAMED, NETWORK, card_name
from atlantis_envs.base.arguments import MAX_SEED
from atlantis_envs.base.values import decimal_number, repr_short, whole_number
from atlantis_envs.errors import AtlantisError, OptionError
from atlantis_envs.registry import definition
from atlantis_training import GAMES_LIMIT
from atlantis_training.shipping.cards import (
    RESPONSE,
    STRANGER,
    MeasureSettings,
    add_cells,
    cells_of,
    page,
    ship_named,
    ship_policy,
    store_beside,
)
from atlantis_training.shipping.origin import Origin, origin_of
from atlantis_training.signals import end_like_ctrl_c

GAMES, SEED = 2000, 12  # training uses other seeds: never measured on the games it learned from


def main() -> None:
    """Parse the command line and do what it says."""
    end_like_ctrl_c()
    parser = _parser()
    given = parser.parse_args()
    try:
        given.work(given)
    except KeyboardInterrupt:
        parser.exit(130, "Interrupted: the games played are kept, and the same command goes on; no card was changed.\n")
    except (AtlantisError, OSError, MemoryError) as error:
        parser.exit(2, f"Error: {error}\n")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m atlantis_training.shipping", description=__doc__)
    parts = parser.add_subparsers(required=True, metavar="WHAT")
    network = parts.add_parser(NETWORK, help="measure the policy of a run in every seat, pack it and write its card")
    network.add_argument(
        "run", type=Path, metavar="RUN", help="a run of atlantis train or expert, or the directory of a policy"
    )
    network.add_argument("--every-count", action="store_true", help="it is for every number of players of its game")
    network.add_argument("--critic", action="store_true", help="it becomes the agent critic instead of network")
    network.add_argument("--float16", action="store_true", help="store weights as float16, in half the room")
    network.add_argument(
        "--made-by", action="append", default=[], metavar="COMMAND", help="that came before the run; may be repeated"
    )
    network.add_argument("--minutes", type=_real, default=0.0, help="that these commands took")
    network.add_argument("--seed-of-policy", type=_whole(0), default=0, help="where RUN is the directory of a policy")
    network.set_defaults(work=_network)
    measured = [network]
    for name in NAMED:
        named = parts.add_parser(name, help=f"measure what {name} stands for and write its card")
        named.add_argument("game", metavar="GAME")
        named.add_argument(
            "--plays", default="", metavar="AGENT", help="measure this instead of what champions.json says"
        )
        named.set_defaults(work=_named, agent=name)
        measured.append(named)
    more = parts.add_parser("more", help="measure more tables of an agent that comes with the library, for its card")
    more.add_argument("agent", choices=(*FOLDERS, *NAMED))
    more.add_argument("game", metavar="GAME")
    more.set_defaults(work=_more)
    measured.append(more)
    for part in measured:
        part.add_argument("--players", type=_whole(0), action="append", default=[], help="seats; may be repeated")
        part.add_argument("--level", type=_whole(0), action="append", default=[], help="of a team; may be repeated")
        part.add_argument("--against", action="append", default=[], metavar="AGENT", help="may be repeated")
        for kind in (STRANGER, RESPONSE):
            flag = f"--{kind.partition(' ')[2] or kind}"
            part.add_argument(
                flag, dest=kind, type=Path, action="append", default=[], metavar="RUN", help=f"{kind}; may be repeated"
            )
        part.add_argument(
            "--games", type=_whole(1, GAMES_LIMIT), default=GAMES, help=f"of each table (default: {GAMES})"
        )
        part.add_argument("--seed", type=_whole(0, MAX_SEED), default=SEED, help=f"of these games (default: {SEED})")
        part.add_argument("--workers", type=_whole(1), default=None, help="processes (default: one per core)")
        part.add_argument("--out", type=Path, default=HERE, help="default: among the agents of this installation")
    table = parts.add_parser("page", help="print all cards as one page")
    table.set_defaults(work=lambda _: print(page(), end=""))
    return parser


def _whole(low: int, high: int | None = None) -> Callable[[str], int]:
    """Make what reads a whole number of a flag."""
    allowed = f"{low} or more" if high is None else f"{low}..{high}"

    def read(text: str) -> int:
        number = whole_number(text)
        if number is None or number < low or (high is not None and number > high):
            raise argparse.ArgumentTypeError(f"{repr_short(text)}; allowed: {allowed}")
        return number

    return read


def _real(text: str) -> float:
    """Read a number of a flag that is 0 or more."""
    number = decimal_number(text, exponent=True)
    if number is None or number < 0:
        raise argparse.ArgumentTypeError(f"{repr_short(text)}; allowed: a number of 0 or more")
    return number


def _network(given: argparse.Namespace) -> None:
    policy = policy_directory(str(given.run))
    if policy is None:
        raise OptionError(f"run: {repr_short(given.run)}; allowed: the directory of a run or of a policy")
    manifest = load_policy(policy).manifest
    game, trained = str(manifest["game"]), int(manifest["players"])
    before = tuple(given.made_by)
    if policy == given.run:
        if not before or not given.minutes:
            raise OptionError("made-by, minutes: missing; allowed: both, for a policy without its run")
        origin = Origin(before, given.seed_of_policy, given.minutes, 0)
    else:
        origin = origin_of(given.run, before, given.minutes)
    about = definition(game)
    counts = given.players or ([*range(about.min_players, about.max_players + 1)] if given.every_count else [trained])
    agent = CRITIC if given.critic else NETWORK
    players = None if given.every_count else counts[0] if len(counts) == 1 else trained
    target = given.out / (game if players is None else f"{game}-{players}")
    cells = list(cells_of(game, counts, given.level, given.against, _runs(given)))
    how = MeasureSettings(given.games, given.seed, given.workers, store_beside(target))
    _tell(ship_policy(policy, target, players, cells, how, origin, given.float16, agent), target)


def _named(given: argparse.Namespace) -> None:
    about = definition(given.game)
    for count in given.players or [about.default_players]:
        target = given.out / f"{given.game}-{count}"
        how = MeasureSettings(given.games, given.seed, given.workers, store_beside(target))
        cells = list(cells_of(given.game, [count], given.level, given.against, _runs(given)))
        _tell(ship_named(given.agent, given.game, target, count, cells, how, given.plays), target)


def _more(given: argparse.Namespace) -> None:
    for count in given.players or [definition(given.game).default_players]:
        target = given.out / f"{given.game}-{count}"
        if (
            not (target / card_name(given.agent)).exists()
            and (given.out / given.game / card_name(given.agent)).exists()
        ):
            target = given.out / given.game  # of all numbers of players that have none of their own
        how = MeasureSettings(given.games, given.seed, given.workers, store_beside(target))
        cells = list(cells_of(given.game, [count], given.level, given.against, _runs(given)))
        if any(cell.kind for cell in cells) and not given.against:
            cells = [cell for cell in cells if cell.kind]  # what the card has already stays as it is
        _tell(add_cells(given.agent, target, cells, how), target)


def _runs(given: argparse.Namespace) -> dict[str, list[Path]]:
    """Return the runs whose policies are opponents."""
    return {kind: vars(given)[kind] for kind in (STRANGER, RESPONSE)}


def _tell(card: dict[str, object], target: Path) -> None:
    cells = card["cells"]
    assert isinstance(cells, list)
    for cell in cells:
        against = f" against {cell['against']}" if cell["against"] else ""
        print(f"{cell['agent']}, {cell['players']} players{against}: {cell['value']} [{cell['low']}, {cell['high']}]")
    print(f"Written: {repr_short(target)}")


if __name__ == "__main__":
    main()
