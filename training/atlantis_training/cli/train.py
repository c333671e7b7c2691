"""``atlantis train``: settings in, the directory of a run out."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from atlantis_envs.base.values import repr_short, visible
from atlantis_training.cli.common import (
    INTERRUPTED,
    DataFile,
    OptionList,
    PlayerCount,
    Ray,
    chosen_options,
    chosen_workers,
    fail,
    require,
)
from atlantis_training.cli.flags import given_settings, tables_of, with_settings
from atlantis_training.selfplay.settings import ALL_SEATS, TD, SelfPlaySettings, TDSettings, read_toml, settings_from

if TYPE_CHECKING:
    from atlantis_envs.engine.game import Game
    from atlantis_training.selfplay.report import Outcome
    from atlantis_training.selfplay.run import Run


@with_settings(SelfPlaySettings, TDSettings)
def train_command(
    game: Annotated[
        str | None, typer.Argument(metavar="GAME", help="what to learn; --settings or --resume may say it instead")
    ] = None,
    *,
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="directory of the run")],
    resume: Annotated[bool, typer.Option("--resume", help="go on with the run in --out")] = False,
    settings: Annotated[
        Path | None, typer.Option("--settings", metavar="FILE", help="TOML file with settings; flags win over it")
    ] = None,
    players: PlayerCount = None,
    option: OptionList = None,
    data: DataFile = None,
    ray: Ray = None,
    **given: Any,
) -> int:
    """Train an agent by self-play, or go on with a run that was stopped or killed.

    --learner ppo learns a policy, by default after it has imitated the heuristic. --learner td learns what positions
    are worth from the rules alone. Each has flags of its own. Where a flag names two defaults, td has the second.

    The agent is the directory `policy` in --out. Ctrl-C finishes the round in hand and keeps what was learned; a second
    one stops at once, at the last checkpoint. --seconds counts the time of all calls together. With --ray the workers
    of a cluster play the parts of every round (--collectors; by default one for each of its CPUs) and this process
    learns; a run may go on with or without it.
    """
    require("train", "torch", "stable_baselines3", "sb3_contrib", "tensorboard", "rich")
    named = {name: value for name, value in (("game", game), ("players", players)) if value is not None}
    values: dict[str, Any] = {
        **(read_toml(settings) if settings else {}),
        **given_settings(given, SelfPlaySettings, TDSettings),
        **named,
    }
    if option:
        values["options"] = {**values.get("options", {}), **chosen_options(option)}
    if data:
        values["data"] = tables_of(data)
    try:
        with chosen_workers(ray, None) as cluster:
            return _train(out, values, resume, cluster, data)
    except KeyboardInterrupt:  # later ones are the run's own business
        typer.echo("Interrupted before the first round.", err=True)
        return INTERRUPTED


def _train(out: Path, values: dict[str, Any], resume: bool, cluster: Any, data: Path | None) -> int:
    from atlantis_training.bars import phase_bars
    from atlantis_training.selfplay.run import FEWEST_FAR, Run
    from atlantis_training.selfplay.td_run import TDRun, learner_of

    if not resume and "game" not in values:
        fail("GAME: missing; allowed: a name, --settings with a file that has one, or --resume")
    if (learner_of(out) if resume else values.get("learner")) == TD:
        run: Run = TDRun.resume(out, cluster, **values) if resume else TDRun.begin(out, settings_from(values), cluster)
    elif resume:
        run = Run.resume(out, cluster, **values)
    else:
        parts = {"collectors": max(FEWEST_FAR, cluster.count)} if cluster else {}
        run = Run.begin(out, settings_from({**parts, **values}), cluster)
    for warning in run.warnings:
        typer.echo(f"Warning: passed over: {visible(warning)}", err=True)
    with phase_bars() as show:
        outcome = run.go(lambda report: show(report.phase, report.done, report.text))
    if outcome.nothing_left:
        typer.echo(f"{outcome.nothing_left}. Policy: {repr_short(outcome.policy)}.")
        return 0
    _draw(run)
    _tell(run, outcome, data)
    return INTERRUPTED if outcome.interrupted else 0


def _draw(run: Run) -> None:
    """Draw the learning curve as a picture, where there is something to draw it with."""
    from atlantis_envs.engine.definition import IDENTICAL

    if importlib.util.find_spec("matplotlib") and any(row["steps"] for row in run.curve):
        from atlantis_training.selfplay.report import draw_curve

        together = run.game.definition.utility == IDENTICAL
        draw_curve(run.curve, run.out / "curve.png", None if together else 1 / run.game.players)


def _tell(run: Run, outcome: Outcome, data: Path | None) -> None:
    networks = f", {outcome.networks:.1%} by networks among them" if outcome.networks else ""
    spent = f"; games and opponents took {outcome.environment:.1%} of the time of playing{networks}"
    text = f"{outcome.steps:,} steps, {outcome.rate:,.0f} a second"
    typer.echo(f"{text}{spent if outcome.environment else ''}.")
    typer.echo(
        f"Policy: {repr_short(outcome.policy)}. Measure it: {measuring(run.settings, run.game, outcome.policy, data)}"
    )
    if outcome.interrupted:
        from atlantis_training.evaluation.report import shell_word

        typer.echo(f"Interrupted. To go on: atlantis train --out {shell_word(run.out)} --resume", err=True)


def measuring(settings: Any, game: Game, policy: Path, data: Path | None) -> str:
    """Return the command that measures a policy in the game it was trained for.

    Args:
        settings: of the run.
        game: that of the settings.
        policy: its directory.
        data: the file that the tables came from; None: not known, they are in the settings.
    """
    from atlantis_agents.catalogue import usual_opponent
    from atlantis_training.evaluation.measure import is_team
    from atlantis_training.evaluation.report import option_flags, shell_word

    parts = ["atlantis evaluate", game.name, shell_word(policy)]
    team = is_team(game) if settings.learner == TD else settings.learner_seat == ALL_SEATS
    if not team and game.players > 1:  # else the policy alone fills the table
        parts.append(usual_opponent(game.name))
    if game.players != game.definition.default_players:
        parts.append(f"--players {game.players}")
    parts += option_flags(settings.options)
    if settings.data:
        parts.append(f"--data {shell_word(data) if data else 'FILE'}")
    return " ".join(parts)
