"""``atlantis expert``: expert iteration, from a search to a policy."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from atlantis_envs.base.values import one_line, repr_short
from atlantis_training.cli.common import (
    INTERRUPTED,
    OptionList,
    PlayerCount,
    Ray,
    Workers,
    chosen_options,
    chosen_workers,
    fail,
    require,
)
from atlantis_training.cli.flags import given_settings, with_settings
from atlantis_training.selfplay.settings import ExpertSettings, run_of

if TYPE_CHECKING:
    from atlantis_training.selfplay.expert import Iteration

RESUMED = "fixed when it began; allowed with --resume: --workers, --ray, before round 2 --guided"
OF_GAME = ("game", "players", "options")


@with_settings(ExpertSettings)
def expert_command(
    game: Annotated[str | None, typer.Argument(metavar="GAME", help="what to learn; --resume knows it")] = None,
    *,
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="directory of the iteration")],
    resume: Annotated[bool, typer.Option("--resume", help="go on with the one in --out")] = False,
    players: PlayerCount = None,
    workers: Workers = None,
    ray: Ray = None,
    option: OptionList = None,
    **given: Any,
) -> int:
    """Learn by expert iteration: a search plays, a network imitates it, the network guides the search, and again.

    The policy of the newest round is the directory `policy` in --out; `atlantis train GAME --start RUN` goes on
    from the newest run by playing. Ctrl-C keeps what was done.
    """
    require("train", "torch", "stable_baselines3", "sb3_contrib", "tensorboard", "rich")
    named = {name: value for name, value in (("game", game), ("players", players)) if value is not None}
    values: dict[str, Any] = {**given_settings(given, ExpertSettings), **named}
    if option:
        values["options"] = chosen_options(option)
    iteration = _iteration(out, values, resume)
    try:
        return _go(iteration, ray, workers)
    except KeyboardInterrupt:
        _to_go_on(iteration)
        return INTERRUPTED


def _iteration(out: Path, values: dict[str, Any], resume: bool) -> Iteration:
    from atlantis_training.selfplay.expert import Iteration, saved_settings

    if resume:
        fixed = {name: value for name, value in values.items() if name != "guided"}
        changed = _changed(saved_settings(out), fixed, out)
        if changed:
            fail(f"{', '.join(changed)}: {RESUMED}")
        return Iteration.resume(out, values.get("guided"))
    if "game" not in values:
        fail("GAME: missing; allowed: a name, or --resume")
    return Iteration.begin(out, ExpertSettings(**values))


def _changed(began: ExpertSettings, values: Mapping[str, Any], out: Path) -> list[str]:
    """Return names of settings that are not as they were; the usual number of players may be named or not."""
    from atlantis_training.selfplay.pool import make_game

    changed = [name for name, value in values.items() if getattr(began, name) != value]
    other = replace(began, **{name: values[name] for name in OF_GAME if name in changed})
    if other != began and make_game(other.run(1, out)) == make_game(began.run(1, out)):
        return [name for name in changed if name not in OF_GAME]
    return changed


def _go(iteration: Iteration, ray: str | None, workers: int | None) -> int:
    from atlantis_training.bars import phase_bars

    with chosen_workers(ray, workers) as hired, phase_bars() as show:
        done = iteration.go(show, (os.cpu_count() or 1) if hired is None else hired)
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
    """Return the command that trains on from the newest network."""
    from atlantis_training.evaluation.report import option_flags, shell_word

    settings = iteration.settings
    hidden = ",".join(map(str, settings.hidden))
    sees = (" --afterstates" if settings.afterstates else "") + (" --features" if settings.features else "")
    run = shell_word(run_of(iteration.out, settings.rounds))
    options = "".join(f" {flag}" for flag in option_flags(settings.options))
    plays = f"{settings.game} --players {iteration.game.players}{options}"
    return f"atlantis train {plays} --start {run} --hidden {hidden}{sees} --imitate 0 --out DIR"


def _to_go_on(iteration: Iteration) -> None:
    from atlantis_training.evaluation.report import shell_word

    typer.echo(f"Interrupted. To go on: atlantis expert --out {shell_word(iteration.out)} --resume", err=True)
