"""``atlantis train`` and ``atlantis expert``: settings in, the directory of a run out."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from atlantis_envs.base.values import one_line, repr_short, visible
from atlantis_training.cli.common import (
    INTERRUPTED,
    DataFile,
    OptionList,
    PlayerCount,
    Ray,
    Workers,
    chosen_options,
    chosen_workers,
    fail,
    require,
)
from atlantis_training.cli.flags import given_settings, tables_of, with_settings
from atlantis_training.selfplay.settings import (
    ALL_SEATS,
    OF_GAME,
    TD,
    ExpertSettings,
    SelfPlaySettings,
    TDSettings,
    policy_of,
    read_toml,
    settings_from,
)

if TYPE_CHECKING:
    from atlantis_envs.engine.game import Game
    from atlantis_training.selfplay.expert import Iteration
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
    if importlib.util.find_spec("matplotlib") and any(row["steps"] for row in run.curve):
        from atlantis_training.selfplay.report import draw_curve

        together = run.game.cooperative
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
    from atlantis_training.evaluation.report import option_flags, shell_word

    parts = ["atlantis evaluate", game.name, shell_word(policy)]
    team = game.cooperative if settings.learner == TD else settings.learner_seat == ALL_SEATS
    if not team and game.players > 1:  # else the policy alone fills the table
        parts.append(usual_opponent(game.name))
    if game.players != game.definition.default_players:
        parts.append(f"--players {game.players}")
    parts += option_flags(settings.options)
    if settings.data:
        parts.append(f"--data {shell_word(data) if data else 'FILE'}")
    return " ".join(parts)


# ------------------------------------------------------------------------------------------------------ atlantis expert


RESUMED = "fixed when it began; allowed with --resume: --workers, --ray, --device, before round 2 --guided"


@with_settings(ExpertSettings)
def expert_command(
    game: Annotated[str | None, typer.Argument(metavar="GAME", help="what to learn; --resume knows it")] = None,
    *,
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="directory of the iteration")],
    resume: Annotated[bool, typer.Option("--resume", help="go on with the one in --out")] = False,
    players: PlayerCount = None,
    workers: Workers = None,
    ray: Ray = None,
    device: Annotated[str, typer.Option("--device", help="what fits the network: cpu or cuda")] = "cpu",
    option: OptionList = None,
    **given: Any,
) -> int:
    """Learn by expert iteration: a search plays, a network learns from it, the network guides the search, and again.

    The network learns what the search plays and what share of the win every seat gets. The policy of the newest round
    is the directory `policy` in --out; `atlantis train GAME --start DIR` goes on from it by playing. Ctrl-C keeps what
    was done.
    """
    require("train", "torch", "stable_baselines3", "sb3_contrib", "tensorboard", "rich")
    named = {name: value for name, value in (("game", game), ("players", players)) if value is not None}
    values: dict[str, Any] = {**given_settings(given, ExpertSettings), **named}
    if option:
        values["options"] = chosen_options(option)
    from atlantis_training.selfplay.fitting import check_device

    check_device(device)  # refused now: no directory is made yet
    iteration = _iteration(out, values, resume)
    try:
        return _go(iteration, ray, workers, device)
    except KeyboardInterrupt:
        _to_go_on(iteration)
        return INTERRUPTED


def _iteration(out: Path, values: dict[str, Any], resume: bool) -> Iteration:
    from atlantis_training.selfplay.expert import Iteration, saved_settings

    if resume:
        fixed = {name: value for name, value in values.items() if name != "guided"}
        changed = _changed(saved_settings(out), fixed)
        if changed:
            fail(f"{', '.join(changed)}: {RESUMED}")
        return Iteration.resume(out, values.get("guided"))
    if "game" not in values:
        fail("GAME: missing; allowed: a name, or --resume")
    return Iteration.begin(out, ExpertSettings(**values))


def _changed(began: ExpertSettings, values: Mapping[str, Any]) -> list[str]:
    """Return names of settings that are not as they were; the usual number of players may be named or not."""
    from atlantis_training.selfplay.pool import make_game

    values = {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}
    changed = [name for name, value in values.items() if getattr(began, name) != value]
    other = replace(began, **{name: values[name] for name in OF_GAME if name in changed})
    if other != began and make_game(other.run()) == make_game(began.run()):
        return [name for name in changed if name not in OF_GAME]
    return changed


def _go(iteration: Iteration, ray: str | None, workers: int | None, device: str) -> int:
    from atlantis_training.bars import phase_bars

    with chosen_workers(ray, workers) as hired, phase_bars() as show:
        done = iteration.go(show, (os.cpu_count() or 1) if hired is None else hired, device)
    for row in iteration.results():
        share = f", {row['share']:.3f} [{row['low']:.3f}, {row['high']:.3f}]" if "share" in row else ""
        against = f" against {one_line(row['against'])}" if row.get("against") else ""
        agreement = f", agrees {row['agreement']:.1%}" if row["agreement"] is not None else ""
        teacher = one_line(row["teacher"])
        typer.echo(f"round {row['round']}: {row['decisions']:,} decisions of {teacher}{agreement}{share}{against}")
    if not done:
        _to_go_on(iteration)
        return INTERRUPTED
    typer.echo(f"Policy: {repr_short(iteration.out / 'policy')}. To go on by playing: {_by_playing(iteration)}")
    return 0


def _by_playing(iteration: Iteration) -> str:
    """Return the command that trains on from the newest policy."""
    from atlantis_training.evaluation.report import option_flags, shell_word

    settings = iteration.settings
    hidden = ",".join(map(str, settings.hidden))
    sees = (" --afterstates" if settings.afterstates else "") + (" --features" if settings.features else "")
    policy = shell_word(policy_of(iteration.out, settings.rounds))
    options = "".join(f" {flag}" for flag in option_flags(settings.options))
    plays = f"{settings.game} --players {iteration.game.players}{options}"
    return f"atlantis train {plays} --start {policy} --hidden {hidden}{sees} --imitate 0 --out DIR"


def _to_go_on(iteration: Iteration) -> None:
    from atlantis_training.evaluation.report import shell_word

    typer.echo(f"Interrupted. To go on: atlantis expert --out {shell_word(iteration.out)} --resume", err=True)
