"""``atlantis export``: a policy for other programs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from atlantis_envs.base.values import repr_short
from atlantis_training.cli.common import fail, require


def export_command(
    policy: Annotated[str, typer.Argument(metavar="POLICY", help="directory of a policy or of a training run")],
    out: Annotated[Path, typer.Argument(metavar="OUT.onnx", help="the file to write; an older one is replaced")],
) -> None:
    """Write a policy as an ONNX file: observations and masks in, masked logits and the best action out.

    A policy trained with features takes them as a further input, which this library computes
    (atlantis_agents.features.features_of). One trained with --afterstates cannot be exported.
    """
    require("export", "onnx")
    from atlantis_agents.catalogue import policy_directory
    from atlantis_agents.networks.onnx import network_model, write_onnx
    from atlantis_agents.networks.policy import load_policy

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
        typer.echo("features are atlantis_agents.features.features_of(game, observations).")
    if agent.advice:
        typer.echo(f"advised is what the agent {agent.advice!r} would play: ask it first.")
    typer.echo(f"Written: {repr_short(out)}, a policy for {agent.game.name}")


def _described(value: Any) -> str:
    """Describe a tensor by name, type and shape."""
    from onnx.helper import tensor_dtype_to_np_dtype

    tensor = value.type.tensor_type
    shape = ", ".join(size.dim_param or str(size.dim_value) for size in tensor.shape.dim)
    return f"{value.name} {tensor_dtype_to_np_dtype(tensor.elem_type)} ({shape})"
