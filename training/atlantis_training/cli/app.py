"""The command line ``atlantis``, and its small commands: what games there are, policies for other programs, speed."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from atlantis_envs.base.values import repr_short
from atlantis_training.cli.analyse import analyse_command
from atlantis_training.cli.common import (
    DataFile,
    GameName,
    OneLineErrors,
    OptionList,
    PlayerCount,
    chosen_game,
    fail,
    require,
)
from atlantis_training.cli.exploit import exploit_command
from atlantis_training.cli.fairness import compensate_command, luck_command, profile_command
from atlantis_training.cli.measure import evaluate_command, ladder_command, levels_command, seats_command
from atlantis_training.cli.menu import chosen_words
from atlantis_training.cli.plain import describe_text, games_text, rules_text, version_text
from atlantis_training.cli.play import play_command, replay_command
from atlantis_training.cli.serve import serve_command
from atlantis_training.cli.train import expert_command, train_command
from atlantis_training.signals import end_like_ctrl_c

AsJson = Annotated[bool, typer.Option("--json", help="machine-readable")]
# The example at the end of each command's help; the tests run them.
EXAMPLES = {
    "games": "atlantis games",
    "describe": "atlantis describe atlandice --players 2 --option optional_effects=true",
    "rules": "atlantis rules atlandice",
    "play": "atlantis play atlandice --seat human --seat heuristic --seat random --seed 5",
    "serve": "atlantis serve atlandice --seat bot --seat heuristic --games 10",
    "replay": "atlantis replay game.jsonl --at 20",
    "analyse": "atlantis analyse game.jsonl --seat 0 --simulations 16",
    "train": "atlantis train atlandice --out runs/first --seconds 4 --seed 1",
    "expert": "atlantis expert atlandice --out runs/expert --budgets 4 --decisions 300 --rounds 1 --games 30",
    "evaluate": "atlantis evaluate atlandice heuristic random --blocks 20 --seed 1",
    "ladder": "atlantis ladder atlandice heuristic random --players 2 --blocks 20 --out runs/ladder --seed 1",
    "exploit": "atlantis exploit atlandice random --out runs/exploit --minutes 0.05 --games 20 --players 2",
    "export": "atlantis export runs/first policy.onnx",
    "seats": "atlantis seats atlandice random --players 2,3 --games 500 --out runs/seats --seed 1",
    "levels": "atlantis levels atlantis_rising random --levels 1,5 --games 100 --out runs/levels --seed 1",
    "compensate": "atlantis compensate atlantis -n 2 --at random --by start_hand --games 300 --seed 1",
    "luck": "atlantis luck atlandice -n 2 --population random,heuristic --games 100 --out runs/luck --seed 1",
    "profile": "atlantis profile atlandice random -n 2 --games 10 --every 5 --out runs/profile --seed 1",
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


@app.callback(invoke_without_command=True)
def _options(version: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False) -> None:
    if version:
        typer.echo(version_text())
        raise typer.Exit


def games_command(as_json: AsJson = False) -> None:
    """List the games."""
    typer.echo(games_text(as_json))


def describe_command(
    game: GameName,
    players: PlayerCount = None,
    option: OptionList = None,
    data: DataFile = None,
    as_json: AsJson = False,
) -> None:
    """Show options, actions, observation, length and sources of a game."""
    typer.echo(describe_text(chosen_game(game, players, option, data), as_json))


def rules_command(
    game: GameName, path: Annotated[bool, typer.Option("--path", help="only the path of the file")] = False
) -> None:
    """Show the rules of a game, clause by clause."""
    typer.echo(rules_text(game, path))


def export_command(
    policy: Annotated[str, typer.Argument(metavar="POLICY", help="directory of a policy or of a training run")],
    out: Annotated[Path, typer.Argument(metavar="OUT.onnx", help="the file to write; an older one is replaced")],
) -> None:
    """Write a policy as an ONNX file: observations and masks in, masked logits and the best action out.

    A policy trained with features takes them as a further input, which this library computes
    (atlantis_agents.features.features_of). One trained with --afterstates or --learner td takes what the mover would
    see after each legal action (Batch.afterstates) and gives the logit of each; --learner td gives
    values too, but for a team that learned gains of progress, which has no ONNX file.
    """
    require("export", "onnx")
    from atlantis_agents.networks.onnx import network_model, write_onnx
    from atlantis_agents.networks.policy import load_policy, policy_directory

    directory = policy_directory(policy)
    if directory is None:
        fail(f"policy: {repr_short(policy)}; allowed: the directory of a policy or a run")
    if out.is_dir():
        fail(f"OUT.onnx: {repr_short(out)} is a directory; allowed: a file")
    agent = load_policy(directory)
    try:
        write_onnx(agent, out)
    except OSError as error:  # it names a temporary file
        fail(f"OUT.onnx: {repr_short(out)} cannot be written ({error.strerror or error})")
    graph = network_model(agent).graph
    for title, side in (("Inputs", graph.input), ("Outputs", graph.output)):
        typer.echo(f"{title}: " + ", ".join(map(_described, side)))
    if agent.features:
        rows = "afterstates" if agent.sees_positions else "observations"
        edition = agent.features.edition
        typer.echo(f"features are atlantis_agents.features.features_of(game, {rows}, edition={edition}).")
    if agent.sees_positions:
        typer.echo("afterstates are Batch.afterstates(); the one with the highest logit is played.")
    if agent.advice:
        typer.echo(f"advised is what the agent {agent.advice!r} would play: ask it first.")
    typer.echo(f"Written: {repr_short(out)}, a policy for {agent.game.name}")


def _described(value: Any) -> str:
    """Describe a tensor by name, type and shape."""
    from onnx.helper import tensor_dtype_to_np_dtype

    tensor = value.type.tensor_type
    shape = ", ".join(size.dim_param or str(size.dim_value) for size in tensor.shape.dim)
    return f"{value.name} {tensor_dtype_to_np_dtype(tensor.elem_type)} ({shape})"


def bench_command(
    games: Annotated[list[str] | None, typer.Argument(metavar="[GAME]...", help="which games; default: all")] = None,
    peers: Annotated[bool, typer.Option("--peers/--no-peers", help="measure other libraries too")] = True,
) -> None:
    """Measure the speed of the engine (in a checkout of the project)."""
    import atlantis_envs

    root = Path(atlantis_envs.__file__).resolve().parents[1]
    if not (root / "benchmarks" / "__main__.py").exists():
        fail("bench: the benchmarks are part of a checkout of the project, not of an installation")
    for game in games or ():
        chosen_game(game)
    command = [sys.executable, "-m", "benchmarks", *(games or ()), *([] if peers else ["--no-peers"])]
    raise typer.Exit(subprocess.run(command, cwd=root, check=False).returncode)


for _name, _command in (
    ("games", games_command),
    ("describe", describe_command),
    ("rules", rules_command),
    ("play", play_command),
    ("serve", serve_command),
    ("replay", replay_command),
    ("analyse", analyse_command),
    ("train", train_command),
    ("expert", expert_command),
    ("evaluate", evaluate_command),
    ("ladder", ladder_command),
    ("exploit", exploit_command),
    ("export", export_command),
    ("seats", seats_command),
    ("levels", levels_command),
    ("compensate", compensate_command),
    ("luck", luck_command),
    ("profile", profile_command),
    ("bench", bench_command),
):
    app.command(_name, epilog=f"Example: {EXAMPLES[_name]}")(_command)


def main() -> None:
    """Run the command line ``atlantis``."""
    end_like_ctrl_c()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # names of files need not be text
            stream.reconfigure(errors="backslashreplace")
    alone = len(sys.argv) == 1 and sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()
    app(chosen_words(input, typer.echo) if alone else None, prog_name="atlantis")


if __name__ == "__main__":
    main()
