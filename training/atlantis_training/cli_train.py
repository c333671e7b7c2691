"""``atlantis train``: flags in, a policy directory out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from atlantis_training.cli_common import DataFile, GameName, OptionList, Players, Seed, chosen_game, prepare, require


def train_command(
    game: GameName,
    opponent: Annotated[
        list[str] | None, typer.Option("--opponent", help="an agent's name; may be repeated [default: heuristic]")
    ] = None,
    seconds: Annotated[float, typer.Option("--seconds", min=0.1, help="time to learn for")] = 120.0,
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="where the policy is written")] = Path(
        "runs/policy"
    ),
    players: Players = None,
    seed: Seed = 0,
    option: OptionList = None,
    data: DataFile = None,
) -> None:
    """Train a policy with MaskablePPO in one seat; Ctrl-C keeps what was learned."""
    require("train", "torch", "stable_baselines3", "sb3_contrib", "rich")
    from rich.console import Console
    from rich.progress import Progress

    from atlantis_training.train import TrainSettings, export_policy, train

    made = chosen_game(game, players, option, data)
    settings = TrainSettings(opponents=tuple(opponent or ("heuristic",)), seconds=seconds, seed=seed)
    prepare(made, settings.opponents, out)
    with Progress(console=Console(stderr=True)) as bars:
        task = bars.add_task("train", total=1.0)

        def advance(gone: float, steps: int, share: float) -> None:
            bars.update(task, completed=gone, description=f"train: {steps:,} steps, wins {share:.0%}")

        model, log = train(made, settings, advance)
    about = f"MaskablePPO, {log.steps} steps against {', '.join(map(str, settings.opponents))}, seed {seed}"
    path = export_policy(model, made, out, about)
    share = f", win share of the last games {log.curve[-1][1]:.3f}" if log.curve else ""
    typer.echo(f"{log.steps:,} steps in {log.seconds:.0f} s{share}{', interrupted' if log.interrupted else ''}.")
    typer.echo(f"Policy: {path}. Measure it: atlantis evaluate {made.name} {path} heuristic")
