"""A ladder as Markdown, as JSON and as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from atlantis_envs import __version__
from atlantis_training.lab.ladder.play import Played
from atlantis_training.lab.ladder.table import LadderTable
from atlantis_training.lab.pages import PLACES, markdown, pictured, provenance, truncated_lines, write_page
from atlantis_training.lab.pictures import figure, look, whiskers
from atlantis_training.lab.ratings import Ratings
from atlantis_training.lab.sequential import OPEN
from atlantis_training.lab.statistics import Z95, Share

NAME = "ladder"
LABEL = 18  # characters of an agent's name in the picture: the end of a path says more than its beginning


def write_ladder(played: Played, table: LadderTable, out: Path) -> list[Path]:
    """Write ``ladder.md``, ``ladder.json``, ``ladder.png`` and ``ladder.svg``; returns their paths."""
    page = ladder_markdown(played, table, f"{NAME}.png")
    return write_page(out, NAME, page, ladder_json(played, table), partial(draw_ladder, played, table))


# ----------------------------------------------------------------------------------------------------------------- JSON


def ladder_json(played: Played, table: LadderTable) -> dict[str, Any]:
    """The ladder as plain values, the same whatever the number of processes."""
    ladder = played.ladder
    verdict = played.verdict
    return {
        "format": "atlantis-envs ladder 1",
        **provenance(ladder.game, ladder.agents, ladder.seed),
        "cooperative": ladder.cooperative,
        "blocks_asked": played.requested,
        "blocks": played.blocks,
        "games": played.blocks * ladder.games_a_block,
        **asdict(table),
        "better": None if verdict is None else {"agents": list(played.better or ()), **asdict(verdict)},
    }


# ------------------------------------------------------------------------------------------------------------- Markdown


def ladder_markdown(played: Played, table: LadderTable, picture: str | None = None) -> str:
    """Write the ladder as a page of tables."""
    ladder, game, count = played.ladder, played.ladder.game, played.blocks
    versions = ", ".join(f"{name} {value}" for name, value in asdict(game.definition.versions).items())
    asked = f" of {played.requested:,}" + (", interrupted" if played.interrupted else "")
    games = count * ladder.games_a_block
    lines = [
        f"# {game.definition.title}, {game.players} player{'s' * (game.players > 1)}: ladder",
        "",
        f"{count:,} blocks{asked if count < played.requested else ''} of {ladder.games_a_block} games with the same "
        f"luck: {games:,} games; seed {ladder.seed}; atlantis-envs {__version__} ({versions}). Intervals are 95 %, by "
        "a bootstrap over blocks.",
        "",
        *truncated_lines(table.unwon, games),
        *([f"![pay-offs and ratings]({picture})", ""] if picture else []),
        *_verdict_lines(played),
        *(_team_lines(played, table) if ladder.cooperative else _payoff_lines(played, table)),
        *_rating_lines(ladder.agents, table.ratings),
    ]
    return "\n".join([*lines, ""])


def _verdict_lines(played: Played) -> list[str]:
    verdict = played.verdict
    if verdict is None or played.better is None:
        return []
    one, other = map(markdown, played.better)
    found = f"not known after {verdict.block:,} blocks"
    if verdict.answer != OPEN:
        found = f"{other} is {verdict.answer} than {one}, known after {verdict.block:,} blocks"
    return [
        f"Is {other} better than {one}? {found[0].upper()}{found[1:]}. Lead {verdict.mean:+.3f} a block, "
        f"{1 - verdict.level:.0%} confidence sequence [{verdict.low:+.3f}, {verdict.high:+.3f}], valid whenever one "
        "stops; the intervals below are not, once a test has stopped.",
        "",
    ]


def _payoff_lines(played: Played, table: LadderTable) -> list[str]:
    agents = [markdown(agent) for agent in played.ladder.agents]
    lines = [
        f"Share of wins of one agent (row) among opponents of one kind (column), over all its seats; an equal share is "
        f"{1 / played.ladder.game.players:.3f}. Shared victories ({table.ties:.1%} of the games) are split.",
        "",
        f"| agent | {' | '.join(agents)} | mean |",
        "|---" * (len(agents) + 2) + "|",
    ]
    for place, (agent, row, mean) in enumerate(zip(agents, table.payoffs, table.means, strict=True)):
        cells = [f"{share.value:.3f}" if other == place else str(share) for other, share in enumerate(row)]
        lines.append(f"| {agent} | {' | '.join(cells)} | {mean} |")
    return lines


def _team_lines(played: Played, table: LadderTable) -> list[str]:
    rows = zip(played.ladder.agents, table.payoffs, strict=True)
    return ["| team of | games won |", "|---|---|", *(f"| {markdown(agent)} | {row[0]} |" for agent, row in rows)]


def _rating_lines(agents: Sequence[str], ratings: Ratings | None) -> list[str]:
    if ratings is None:
        return []
    names = [markdown(agent) for agent in agents]
    lines = ["", f"Ratings in Elo points ± standard error; {names[0]} is 0.", "", "| agent | rating |", "|---|---|"]
    lines += [f"| {name} | {estimate} |" for name, estimate in zip(names, ratings.agents, strict=True)]
    if ratings.places:
        lines += [
            "",
            "What the order of play is worth, in the same points: "
            + ", ".join(f"{place} {estimate}" for place, estimate in zip(PLACES, ratings.places, strict=False))
            + f". Largest difference between model and games, in a share of wins at one table: {ratings.misfit:.3f}.",
        ]
    return lines


# -------------------------------------------------------------------------------------------------------------- picture


def draw_ladder(played: Played, table: LadderTable, paths: Sequence[Path]) -> None:
    """Pay-offs as a map, or games won by teams; beside it the ratings with 95 % intervals."""
    names = [pictured(agent if len(agent) <= LABEL else f"…{agent[1 - LABEL :]}") for agent in played.ladder.agents]
    height = 1.6 + 0.32 * len(names)
    with figure(*paths, size=(6.8, height), panels=2) as (_, (left, right)):
        (_draw_teams if played.ladder.cooperative else _draw_payoffs)(left, names, table)
        for axis in (left, right):
            axis.set_yticks(range(len(names)), names)
            axis.set_ylim(len(names) - 0.5, -0.5)
        right.grid(axis="x")
        right.axvline(0, color="0.4", linewidth=0.8, zorder=0)
        right.set(xlabel=f"rating in Elo points ({names[0]} is 0)")
        if table.ratings:
            values = [estimate.value for estimate in table.ratings.agents]
            errors = [Z95 * estimate.error for estimate in table.ratings.agents]
            right.errorbar(values, range(len(names)), xerr=errors, linestyle="none", **look(0))


def _draw_payoffs(axis: Any, names: Sequence[str], table: LadderTable) -> None:
    values = [[share.value for share in row] for row in table.payoffs]
    axis.imshow(values, vmin=0, vmax=1, cmap="cividis", aspect="auto")
    for row, column in ((row, column) for row in range(len(names)) for column in range(len(names))):
        value = values[row][column]
        ink = "black" if value > 0.5 else "white"
        axis.text(column, row, f"{value:.2f}", ha="center", va="center", fontsize=7, color=ink)
    axis.grid(visible=False)
    axis.set_xticks(range(len(names)), names, rotation=30, ha="right")
    axis.set(xlabel="against", title="share of wins")


def _draw_teams(axis: Any, names: Sequence[str], table: LadderTable) -> None:
    shares: list[Share] = [row[0] for row in table.payoffs]
    values = [share.value for share in shares]
    axis.errorbar(values, range(len(names)), xerr=whiskers(shares), linestyle="none", **look(0))
    axis.grid(axis="x")
    axis.set(xlabel="games won", xlim=(-0.03, 1.03))
