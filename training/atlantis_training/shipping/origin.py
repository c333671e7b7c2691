"""How a policy was made: what the directory of its run says about it."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from atlantis_agents.networks.policy import POLICY_DIRECTORY
from atlantis_envs.base.values import repr_short
from atlantis_envs.engine.game import Game
from atlantis_envs.errors import OptionError
from atlantis_training.selfplay.checkpoint import CheckpointError, newest_generation
from atlantis_training.selfplay.expert import FILE as EXPERT
from atlantis_training.selfplay.expert import results_of, saved_settings, seconds_of
from atlantis_training.selfplay.pool import make_game
from atlantis_training.selfplay.run import CHECKPOINTS, MAY_CHANGE, SETTINGS
from atlantis_training.selfplay.settings import (
    PPO,
    TABLES,
    ExpertSettings,
    SelfPlaySettings,
    TDSettings,
    read_toml,
    settings_from,
)


@dataclass(frozen=True)
class Origin:
    """How a policy was made.

    Attributes:
        commands: that made it, in order.
        seed: of the last one.
        minutes: wall-clock time of all of them.
        steps: decisions of its own that it learned from.
    """

    commands: tuple[str, ...]
    seed: int
    minutes: float
    steps: int


def origin_of(run: Path, before: tuple[str, ...] = (), minutes_before: float = 0.0) -> Origin:
    """Return what the directory of a run of ``atlantis train`` or ``expert`` says; of those it began with too.

    Args:
        run: the directory.
        before: commands that came before it, for instance of the policy it started from.
        minutes_before: what these took.

    Raises:
        OptionError: it is no such directory.
    """
    if (run / EXPERT).exists():
        earlier = _before(Path(saved_settings(run).start))
        if earlier is not None:
            before, minutes_before = (*before, *earlier.commands), minutes_before + earlier.minutes
        for dataset in saved_settings(run).dataset:
            recorded = _before(Path(dataset))
            new = [] if recorded is None else [one for one in recorded.commands if one not in before]
            if recorded is not None and new:
                before, minutes_before = (*before, *new), minutes_before + recorded.minutes
        return _origin_of_expert(run, before, minutes_before)
    try:
        settings = settings_from(read_toml(run / SETTINGS))
        _, manifest, _, _ = newest_generation(run / CHECKPOINTS)
        extra, counters = manifest["state"]["extra"], manifest["state"]["counters"]
        later = settings_from(extra["settings"])
        seconds, steps = float(extra["seconds"]), int(counters["num_timesteps"])
    except (OptionError, CheckpointError, KeyError, TypeError, ValueError) as error:
        raise OptionError(
            f"run: {repr_short(run)}: {error}; allowed: that of a run of atlantis train or expert"
        ) from None
    start = getattr(settings, "start", "")
    earlier = _before(Path(start))
    if earlier is not None:
        before, minutes_before = (*before, *earlier.commands), minutes_before + earlier.minutes
        steps += earlier.steps
    minutes = round(minutes_before + seconds / 60, 1)
    commands = (*before, train_command(settings), *_resumed(settings, later))
    return Origin(commands, settings.seed, minutes, steps)


def check_response_of(run: Path, game: Game) -> None:
    """Refuse a run that is no best response in this game, with as many seats.

    Raises:
        OptionError: naming the run.
    """
    try:
        settings = settings_from(read_toml(run / SETTINGS))
        played = make_game(settings)
    except OptionError as error:
        raise OptionError(f"run: {repr_short(run)}: {error}; allowed: that of atlantis exploit") from None
    if not getattr(settings, "against", ""):
        raise OptionError(f"run: {repr_short(run)}: it learned against nobody; allowed: that of atlantis exploit")
    if (played.name, played.players) != (game.name, game.players):
        raise OptionError(f"run: {repr_short(run)}: of {played!r}; allowed: one of {game!r}")


def _resumed(first: SelfPlaySettings, last: SelfPlaySettings) -> list[str]:
    """Return the command that went on with other limits, the last of them if there were several."""
    changed = [name for name in MAY_CHANGE if getattr(first, name) != getattr(last, name)]
    flags = [flag for name in changed for flag in _flags(name, getattr(last, name))]
    return [" ".join(["atlantis train --out RUN --resume", *flags])] if flags else []


def _before(start: Path) -> Origin | None:
    """Return how the run was made that another one began with or learned from, as far as its directory is there.

    Args:
        start: the run, its policy, or the policy or the dataset of a round.
    """
    for around in (start, start.parent, start.parent.parent):
        if around != Path() and ((around / EXPERT).exists() or (around / SETTINGS).exists()):
            return origin_of(around)
    return None


def _origin_of_expert(out: Path, before: tuple[str, ...], minutes_before: float) -> Origin:
    usual, settings = ExpertSettings(game=""), saved_settings(out)
    done = len(results_of(out))  # it may have been stopped before its last round
    settings = replace(settings, rounds=done or settings.rounds)
    parts = [f"atlantis expert {settings.game}"]
    for item in fields(ExpertSettings):
        value = getattr(settings, item.name)
        if item.name not in ("game", "options") and value != getattr(usual, item.name):
            parts += _flags(item.name, value)
    parts += _options(settings.options)
    return Origin((*before, " ".join(parts)), settings.seed, round(minutes_before + seconds_of(out) / 60, 1), 0)


def train_command(settings: SelfPlaySettings | TDSettings) -> str:
    """Return the command line of a run with these settings; absolute paths are cut to their last name."""
    usual, parts = type(settings)(), [f"atlantis train {settings.game}"]
    if settings.learner != PPO:
        parts.append(f"--learner {settings.learner}")
    for name in (item.name for item in fields(settings)):
        value = getattr(settings, name)
        if name in ("game", *TABLES) or value == getattr(usual, name):
            continue
        parts += _flags(name, value)
    parts += _options(settings.options)
    if settings.data:
        parts.append("--data tables.json")
    return " ".join(parts)


def _options(options: Mapping[str, Any]) -> list[str]:
    return [f"--option {shlex.quote(f'{key}={json.dumps(value)}')}" for key, value in options.items()]


def _flags(name: str, value: Any) -> list[str]:
    flag = f"--{name.replace('_', '-')}"
    if isinstance(value, bool):
        return [flag if value else flag.replace("--", "--no-", 1)]
    if isinstance(value, tuple) and value and isinstance(value[0], str):
        return [f"{flag} {shlex.quote(_short(text))}" for text in value]
    if isinstance(value, tuple):
        return [f"{flag} {','.join(map(str, value))}"]
    return [f"{flag} {shlex.quote(_short(str(value)))}"]


def _short(text: str) -> str:
    """Shorten paths from the root, which tell about a machine, to the run on; in the settings of a search too."""
    path = Path(text)
    if not path.is_absolute():
        return re.sub(r"(?<==)/[^,]*", lambda found: _short(found[0]), text)
    parts = 3 if path.parent.name.startswith("round-") else 2 if path.name == POLICY_DIRECTORY else 1
    return "/".join(path.parts[-parts:])
