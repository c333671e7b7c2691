"""Whether the teacher of later rounds can be made at all: tried before the first round, which may take hours.

The policy that it names is not there yet, so a policy of zeros stands in for it, in a directory that is removed again.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from atlantis_agents.networks.policy import AFTERSTATES, OBSERVATIONS, RELU, network_sizes, save_policy
from atlantis_envs.base.values import repr_short
from atlantis_envs.engine.game import Game
from atlantis_envs.errors import OptionError
from atlantis_envs.seats.agents import make_agent
from atlantis_training.expert.settings import POLICY, ExpertSettings, policy_of


def check_guided(settings: ExpertSettings, out: Path, game: Game) -> None:
    """Refuse a teacher of later rounds that could not be made.

    Args:
        settings: of the iteration; one of a single round has no such teacher.
        out: its directory, which becomes a part of the teacher's text.
        game: that of the settings.

    Raises:
        OptionError: naming ``guided``, or ``out`` where the text is right and only the path breaks it.
    """
    if settings.rounds < 2:
        return
    with TemporaryDirectory() as folder:
        plain, alike = Path(folder) / "p", Path(folder) / _below(policy_of(out, 1))
        for policy in (plain, alike):
            _stand_in(policy, settings, game)
        try:
            make_agent(settings.guided.replace(POLICY, str(plain)), game)
        except OptionError as error:
            why = str(error).replace(str(plain), POLICY)
            raise OptionError(f"guided: {repr_short(settings.guided)}: {why}") from None
        try:
            make_agent(settings.guided.replace(POLICY, str(alike)), game)
        except OptionError:
            allowed = "a directory without commas, or --guided POLICY"
            raise OptionError(
                f"out: {repr_short(out)} cannot stand for POLICY in {repr_short(settings.guided)}; allowed: {allowed}"
            ) from None


def _below(path: Path) -> Path:
    """The path with all its names, to be put below another one."""
    return Path(*(part for part in path.parts if part not in (path.anchor, "..")))


def _stand_in(directory: Path, settings: ExpertSettings, game: Game) -> None:
    """A policy with inputs and outputs as those of the iteration, and nothing between."""
    inputs = AFTERSTATES if settings.afterstates else OBSERVATIONS
    sizes = network_sizes(game, (), "", inputs, settings.features)
    layers = [(np.zeros((high, low), np.float32), np.zeros(high, np.float32)) for low, high in pairwise(sizes)]
    save_policy(directory, game, layers, activation=RELU, inputs=inputs, features=settings.features)
