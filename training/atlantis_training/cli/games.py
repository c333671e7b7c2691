"""``atlantis games`` and ``atlantis describe``: what there is."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Annotated, Any

import typer

from atlantis_envs.base.values import visible
from atlantis_training.cli.common import DataFile, GameName, OptionList, PlayerCount, chosen_game, seats_text

AsJson = Annotated[bool, typer.Option("--json", help="machine-readable")]
MOST_VALUE = 70


def games_command(as_json: AsJson = False) -> None:
    """List the games."""
    import atlantis_envs
    from atlantis_agents.catalogue import names_for
    from atlantis_envs.registry import definition

    rows: list[dict[str, Any]] = []
    for name in atlantis_envs.game_names():
        declared = definition(name)
        players = f"{declared.min_players}-{declared.max_players}"
        rows.append({
            "game": name, "title": declared.title, "players": players, "usual": declared.default_players,
            "actions": len(declared.actions), "observation": declared.observation.size, "utility": declared.utility,
            "agents": list(names_for(name)),
        })  # fmt: skip
    if as_json:
        typer.echo(json.dumps(rows, indent=1))
        return
    typer.echo(f"{'game':<17}{'title':<17}{'players':<9}{'actions':<9}{'observation':<13}{'utility':<10}agents")
    for row in rows:
        typer.echo(
            f"{row['game']:<17}{row['title']:<17}{row['players']:<9}{row['actions']:<9}"
            f"{row['observation']!s:<13}{row['utility']:<10}{', '.join(row['agents'])}"
        )


def describe_command(
    game: GameName,
    players: PlayerCount = None,
    option: OptionList = None,
    data: DataFile = None,
    as_json: AsJson = False,
) -> None:
    """Options, actions, observation, length and sources of a game."""
    from atlantis_envs.engine.options import explained

    about = chosen_game(game, players, option, data)
    description = about.describe()
    if as_json:
        typer.echo(json.dumps(description.to_json(), indent=1))
        return
    low, high = description.player_range
    versions = ", ".join(f"{key} {value}" for key, value in description.to_json()["versions"].items())
    typer.echo(f"{description.title}, {seats_text(description.players)} ({low}-{high} possible), {description.utility}")
    typer.echo(f"versions: {versions}")
    typer.echo(f"at most {description.node_bound:,} nodes a game: {description.bound_reason}")
    meanings = explained(about.options)
    told = {key: f": {meanings[key]}" if key in meanings else "" for key in description.options}
    _section("options, as now", [(key, _short(value) + told[key]) for key, value in description.options.items()])
    _section(f"actions, {description.num_actions}", _spans(about.definition.actions))
    _section(f"chance outcomes, {description.num_outcomes}", _spans(about.definition.outcomes))
    pieces = [
        (f"{start}-{start + size - 1}", f"{name}, 0..{high}: {text}")
        for name, start, size, high, text in description.observation
    ]
    _section(f"observation, {description.observation_size} bytes", pieces)
    sources = [(entry.tag, f"{entry.datum} ({entry.source})") for entry in description.provenance]
    _section("where the data come from", sources)


def _section(title: str, rows: list[tuple[str, str]]) -> None:
    typer.echo(f"\n{title}")
    width = max((len(left) for left, _ in rows), default=0)
    for left, right in rows:
        typer.echo(f"  {left:<{width}}  {right}")


def _short(value: Any) -> str:
    text = visible(json.dumps(value))
    return text if len(text) <= MOST_VALUE else f"{text[: MOST_VALUE - 3]}..."


def _spans(texts: Any) -> list[tuple[str, str]]:
    """Ids and texts of each span: 0-5 and visit jeweler ... visit market."""
    starts = [*texts.starts.values(), len(texts)]
    rows = []
    for first, stop in pairwise(starts):
        names = texts.texts[first] if stop - first == 1 else f"{texts.texts[first]} ... {texts.texts[stop - 1]}"
        rows.append((f"{first}" if stop - first == 1 else f"{first}-{stop - 1}", names))
    return rows
