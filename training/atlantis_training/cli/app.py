"""The command line: ``atlantis``."""

from __future__ import annotations

import io
import sys
from typing import Annotated

import typer

import atlantis_training.cli.one_thread  # noqa: F401  before anything that loads NumPy
from atlantis_training.cli.analyse import analyse_command
from atlantis_training.cli.common import OneLineErrors
from atlantis_training.cli.expert import expert_command
from atlantis_training.cli.export import export_command
from atlantis_training.cli.games import describe_command, games_command
from atlantis_training.cli.ladder import ladder_command
from atlantis_training.cli.measure import bench_command, evaluate_command, levels_command, seats_command
from atlantis_training.cli.play import play_command, replay_command
from atlantis_training.cli.tables import version_text
from atlantis_training.cli.train import train_command
from atlantis_training.signals import end_like_ctrl_c

# The example at the end of each command's help; the tests run them.
EXAMPLES = {
    "games": "atlantis games",
    "describe": "atlantis describe atlandice --players 2 --option optional_effects=true",
    "play": "atlantis play atlandice --seat human --seat heuristic --seat random --seed 5",
    "replay": "atlantis replay game.jsonl --at 20",
    "analyse": "atlantis analyse game.jsonl --seat 0 --simulations 16",
    "train": "atlantis train atlandice --out runs/first --seconds 4 --seed 1",
    "expert": "atlantis expert atlandice --out runs/expert --teacher search:4 --decisions 300 --rounds 1 --imitate 300",
    "evaluate": "atlantis evaluate atlandice heuristic random --blocks 20 --seed 1",
    "ladder": "atlantis ladder atlandice heuristic random --players 2 --blocks 20 --out runs/ladder --seed 1",
    "export": "atlantis export runs/first policy.onnx",
    "seats": "atlantis seats atlandice random --players 2,3 --games 500 --out runs/seats --seed 1",
    "levels": "atlantis levels atlantis_rising random --levels 1,5 --games 100 --out runs/levels --seed 1",
    "bench": "atlantis bench atlandice --no-peers",
}

app = typer.Typer(
    cls=OneLineErrors,
    help="Modern board games for reinforcement learning: play them, train agents, measure agents and seats.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _tell_version(wanted: bool) -> None:
    if wanted:
        typer.echo(version_text())
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_tell_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None: ...


for _name, _command in (
    ("games", games_command),
    ("describe", describe_command),
    ("play", play_command),
    ("replay", replay_command),
    ("analyse", analyse_command),
    ("train", train_command),
    ("expert", expert_command),
    ("evaluate", evaluate_command),
    ("ladder", ladder_command),
    ("export", export_command),
    ("seats", seats_command),
    ("levels", levels_command),
    ("bench", bench_command),
):
    app.command(_name, epilog=f"Example: {EXAMPLES[_name]}")(_command)


def main() -> None:
    """Run the command line ``atlantis``."""
    end_like_ctrl_c()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # names of files need not be text
            stream.reconfigure(errors="backslashreplace")
    app(prog_name="atlantis")


if __name__ == "__main__":
    main()
