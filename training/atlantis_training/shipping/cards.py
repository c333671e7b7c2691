"""Cards: how an agent that comes with the library was made and how strong it is, as JSON and as one page."""

from __future__ import annotations

import json
import re
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

import atlantis_envs
from atlantis_agents.catalogue import HEURISTIC, PLANNER, RANDOM, SEARCH, names_for, usual_opponent
from atlantis_agents.networks.policy import MANIFEST, WEIGHTS, PolicyAgent, load_policy, save_policy
from atlantis_agents.networks.tensors import MAX_WEIGHT_BYTES
from atlantis_agents.shipped import (
    CHAMPIONS,
    CRITIC,
    EDITION,
    FOLDERS,
    HERE,
    NAMED,
    NETWORK,
    card_name,
    editions_of,
    named_text,
    named_texts,
)
from atlantis_envs import __version__
from atlantis_envs.base.files import read_file, read_json, write_atomically, write_together
from atlantis_envs.base.values import repr_short
from atlantis_envs.engine.game import Game
from atlantis_envs.errors import OptionError
from atlantis_envs.registry import definition
from atlantis_envs.seats.agents import make_agent
from atlantis_envs.seats.positions import ask
from atlantis_training.bars import games_bar
from atlantis_training.evaluation.calibration import listen
from atlantis_training.evaluation.evaluate import hero_line_ups, hero_shares
from atlantis_training.evaluation.measure import measure
from atlantis_training.evaluation.report import Table, markdown, option_flags, seats_text
from atlantis_training.evaluation.statistics import Share, win_share
from atlantis_training.evaluation.store import Store
from atlantis_training.shipping.origin import Origin, check_response_of, origin_of

FORMAT = "atlantis-envs card 1"
CALIBRATION_GAMES, CALIBRATION_SEED = 400, 13
DECLARED, OWN = "leaf", "own"  # Brier scores: of what the game declares to value games that were cut, of the policy
MOST_BYTES = 2_000_000  # of a policy that comes with the library
STRANGER, RESPONSE = "stranger", "best response"  # learned from itself; learned against the agent
NO_RUNS: Mapping[str, Sequence[Path]] = {}
ALONE = (RANDOM, HEURISTIC, PLANNER)  # whom an agent meets in a game in which seats compete


def cells_of(
    name: str,
    players: Sequence[int],
    levels: Sequence[int] = (),
    against: Sequence[str] = (),
    runs: Mapping[str, Sequence[Path]] = NO_RUNS,
) -> Iterator[Cell]:
    """Yield the tables that a card of a game tells of.

    Args:
        name: of the game.
        players: numbers of seats.
        levels: of a cooperative game; none: its usual one.
        against: opponents; none: random player, heuristic and planner, as far as the game has them. In a cooperative
            game there are none: the agent sits in every seat.
        runs: directories of runs of `atlantis train` whose policies are further opponents, as STRANGER or as RESPONSE.
    """
    for count in players:
        for level in levels or (None,):
            options: dict[str, Any] = {} if level is None else {"level": level}
            game = atlantis_envs.game(name, players=count, **options)
            if game.cooperative:
                yield Cell(game, options, "")
            else:
                for other in against or [one for one in ALONE if one in names_for(name)]:
                    yield Cell(game, options, other)
                for kind, others in runs.items():
                    for run in others:
                        if kind == RESPONSE:
                            check_response_of(run, game)
                        yield Cell(game, options, str(run), kind, origin_of(run).commands)


def ship_policy(
    policy: Path,
    target: Path,
    players: int | None,
    cells: Sequence[Cell],
    how: MeasureSettings,
    origin: Origin,
    half: bool,
    agent: str = NETWORK,
) -> dict[str, Any]:
    """Measure a policy as it will be stored, then put it and its card into ``target``; the card.

    The policy that it replaces is kept as ``network@1``, or with the next free number. In a cooperative game the
    heuristic is measured at the same tables, to compare with.

    Args:
        policy: its directory.
        target: a directory of atlantis_agents/shipped.
        players: the number of seats it is for; None: all.
        cells: the tables.
        how: they are measured.
        origin: how it was made.
        half: store weights as float16.
        agent: what it becomes, ``network`` or ``critic``.

    Raises:
        OptionError: it is too large to come with the library, or damaged.
    """
    trained = load_policy(policy)
    if agent == CRITIC and not trained.value:
        raise OptionError(f"run: {repr_short(policy)}; allowed with --{CRITIC}: a policy that knows values, as of TD")
    with tempfile.TemporaryDirectory() as folder:
        stored = Path(folder) / FOLDERS[agent]
        size = _store(trained, stored, half)
        mark = read_json(stored / MANIFEST)["sha256"]
        rows = [cell_json(cell, agent, str(stored), how, mark) for cell in cells]
        rows += [cell_json(cell, HEURISTIC, HEURISTIC, how) for cell in cells if not cell.against]
        card = {
            **_head(agent, trained.game.name, players),
            **asdict(origin),
            **_network(trained, half),
            "calibration": _calibration(trained),
            "bytes": size,
            "sha256": mark,
            "cells": rows,
        }
        place = target / FOLDERS[agent]
        _keep_edition(place, agent, mark)
        place.mkdir(parents=True, exist_ok=True)
        write_together({place / name: read_file(stored / name, MAX_WEIGHT_BYTES) for name in (WEIGHTS, MANIFEST)})
    _write(target / card_name(agent), card)
    how.store.drop()
    return card


def _keep_edition(present: Path, agent: str, mark: str) -> None:
    """Keep the policy that another one replaces, and let what has been named after it go on with it.

    Where it was that for all numbers of players, it stays where it is, for the others.
    """
    target = present.parent
    name, _, players = target.name.partition("-")
    general = target.parent / name / present.name
    own = present.is_dir()
    found = [place for place in dict.fromkeys((present, general)) if place.is_dir()]
    if not found or (own and read_json(present / MANIFEST)["sha256"] == mark):
        return
    edition = f"{EDITION}{len(editions_of(found))}"
    counts = {players} if players else _counts_without_own(present)
    texts = read_json(target.parent / CHAMPIONS) if (target.parent / CHAMPIONS).exists() else {}
    for games in texts.values():
        for count, editions in games.get(name, {}).items():
            if count in counts:
                editions[:] = [_of_edition(text, agent, edition) for text in editions]
    write_atomically(target.parent / CHAMPIONS, json.dumps(texts, indent=1) + "\n")
    for count, named in product(sorted(counts), NAMED):
        card = target.parent / f"{name}-{count}" / card_name(named)
        if card.exists():
            about = read_json(card)
            _write(card, about | {"plays": _of_edition(about["plays"], agent, edition)})
    if own:
        present.rename(present.with_name(f"{present.name}{edition}"))


def _of_edition(text: str, agent: str, edition: str) -> str:
    """Return what an agent stands for, with an edition wherever a network is named without one."""
    return re.sub(rf"={agent}(?=,|$)", f"={agent}{edition}", text)


def _counts_without_own(present: Path) -> set[str]:
    """Return the numbers of players that have no such policy of their own beside this one, which is for all others."""
    target = present.parent
    about = definition(target.name)
    counts = map(str, range(about.min_players, about.max_players + 1))
    return {count for count in counts if not (target.parent / f"{target.name}-{count}" / present.name).is_dir()}


def ship_named(
    agent: str, name: str, target: Path, players: int, cells: Sequence[Cell], how: MeasureSettings, text: str = ""
) -> dict[str, Any]:
    """Measure what ``champion`` or ``grandmaster`` stands for and put its card into ``target``; the card.

    Args:
        agent: that name.
        name: of the game.
        target: a directory of atlantis_agents/shipped.
        players: number of seats.
        cells: the tables.
        how: they are measured.
        text: another agent to measure in its place; "": what champions.json names.
    """
    stands_for = text or named_text(atlantis_envs.game(name, players=players), agent)
    rows = [cell_json(cell, agent, stands_for, how) for cell in cells]
    rows += [cell_json(cell, HEURISTIC, HEURISTIC, how) for cell in cells if not cell.against]
    card = {**_head(agent, name, players), "plays": stands_for, "cells": rows}
    target.mkdir(parents=True, exist_ok=True)
    _write(target / f"{agent}.json", card)
    how.store.drop()
    return card


def add_cells(agent: str, target: Path, cells: Sequence[Cell], how: MeasureSettings) -> dict[str, Any]:
    """Measure more tables of an agent that comes with the library, and put them into its card; the card.

    Cells of the same number of players, options and opponents are replaced where they stand.

    Raises:
        OptionError: it has no card there.
    """
    path = target / card_name(agent)
    if not path.exists():
        cards = ", ".join(sorted(str(found.relative_to(target.parent)) for found in target.parent.glob("*/*.json")))
        raise OptionError(
            f"card: {repr_short(f'{target.name}/{path.name}')}; allowed: {cards or 'none, ship it first'}"
        )
    card: dict[str, Any] = read_json(path)
    new = [cell_json(cell, agent, agent, how) for cell in cells]
    old = [_place_of(cell) for cell in card["cells"]]
    for cell in new:
        if _place_of(cell) in old:
            card["cells"][old.index(_place_of(cell))] = cell
        else:
            card["cells"].append(cell)
    _write(path, card)
    how.store.drop()
    return {**card, "cells": new}


def _place_of(cell: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(cell[key] for key in ("players", "options", "agent", "against")), cell.get("made_by")


def _head(agent: str, game: str, players: int | None) -> dict[str, Any]:
    """Return what every card begins with."""
    return {
        "format": FORMAT,
        "agent": agent,
        "game": game,
        "players": players,
        "library": __version__,
        "versions": asdict(definition(game).versions),
    }


def _network(agent: PolicyAgent, half: bool) -> dict[str, Any]:
    return {
        "hidden": [int(weight.shape[0]) for weight, _ in agent.layers[:-1]],
        "inputs": agent.manifest["inputs"],
        "features": agent.features.edition if agent.features else 0,
        "activation": agent.activation,
        "advice": agent.advice,
        "weights": int(sum(weight.size + bias.size for weight, bias in agent.layers)),
        "stored": "float16" if half else "float32",
    }


def _calibration(agent: PolicyAgent) -> dict[str, float] | None:
    """Return Brier scores of a policy that knows values and of the declared leaf, and by how much its own is lower."""
    if not agent.value:
        return None
    game = agent.game
    valuers: dict[str, Any] = {DECLARED: make_agent(SEARCH, game), OWN: agent}
    said = listen(game, make_agent(usual_opponent(game.name), game), valuers, CALIBRATION_GAMES, CALIBRATION_SEED)
    gain = said.gain(OWN, DECLARED)
    scores = {name: round(said.brier(name).value, 5) for name in valuers}
    return {**scores, "low": round(gain.low, 5), "high": round(gain.high, 5), "games": gain.games}


def _store(agent: PolicyAgent, path: Path, half: bool) -> int:
    """Write a policy again, without what its run has written about it; the bytes it takes."""
    kind = {"advice": agent.advice, "activation": agent.activation, "inputs": agent.manifest["inputs"]}
    kind |= {"features": agent.features, "half": half, "value": agent.value, "potential": agent.potential}
    game = _game_of(agent)
    save_policy(path, game, agent.layers, about="comes with the library; see its card", **kind)
    size = sum((path / name).stat().st_size for name in (MANIFEST, WEIGHTS))
    if size > MOST_BYTES:
        shutil.rmtree(path)
        raise OptionError(f"policy: {size:,} bytes; allowed: at most {MOST_BYTES:,}, or half of it with --float16")
    return size


def _game_of(agent: PolicyAgent) -> Game:
    """Return the game it was trained on, with its players and options."""
    options = {key: value for key, value in agent.manifest["options"].items() if key not in ("name", "players")}
    return atlantis_envs.game(agent.game.name, players=agent.manifest["players"], **options)


def _write(path: Path, card: dict[str, Any]) -> None:
    write_atomically(path, json.dumps(card, indent=1) + "\n")


# --------------------------------------------------------------------------------- how strong an agent is, cell by cell


TIMED = 200  # decisions with a choice whose time is taken
WARM = 20  # ... after so many of them


@dataclass(frozen=True)
class Cell:
    """One table to measure.

    Attributes:
        game: with its number of players and options.
        options: those that are not the usual ones.
        against: who sits in the other seats; empty where all seats are the agent's, in cooperative games.
        kind: STRANGER or RESPONSE, where that is a policy that does not come with the library; else "". A response
            has one seat, the agent all others.
        made_by: the commands that made such a policy.
    """

    game: Game
    options: dict[str, Any]
    against: str
    kind: str = ""
    made_by: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """Return what a card calls the opponents."""
        return self.kind or self.against


@dataclass(frozen=True)
class MeasureSettings:
    """How a table is measured.

    Attributes:
        games: of each cell, at least so many: all seats get the same number.
        seed: of chance and agents.
        workers: processes; None: a sensible number.
        store: keeps what was played, which is not played again.
    """

    games: int
    seed: int
    workers: int | None
    store: Store


def store_beside(target: Path) -> Store:
    """Return what was played for the agent of a directory, which need not be there: in a file beside it.

    Raises:
        OptionError: the file is none of ours, or damaged.
    """
    return Store(target.with_name(f"{target.name}.measured.jsonl"))


def cell_json(cell: Cell, name: str, text: str, how: MeasureSettings, mark: str = "") -> dict[str, Any]:
    """Play a cell.

    Args:
        cell: the table.
        name: what the card calls the agent.
        text: what names it here.
        how: see MeasureSettings.
        mark: what tells the agent apart where its text does not, a checksum.

    Returns:
        Players, options, share of wins with its interval, the same by seat, CPU milliseconds of a decision, and the
        command that plays the same games once the agent has its name.

    Raises:
        KeyboardInterrupt: also where processes were killed; every task that was finished is kept.
    """
    game, together = cell.game, not cell.against
    pair = (cell.against, text) if cell.kind == RESPONSE else (text, cell.against)
    tables = ((text,) * game.players,) if together else hero_line_ups(*pair, game.players)
    blocks = -(-how.games // len(tables))
    title = f"{name}, {seats_text(game.players)}" + (f", against {cell.label}" if cell.against else "")
    with games_bar(title, total=blocks * len(tables)) as advance:
        measured = measure(
            game, tables, blocks, how.seed, how.workers, advance,
            store=how.store, aliases={text: mark} if mark else None,
        )  # fmt: skip
    if measured.interrupted:
        raise KeyboardInterrupt
    columns = hero_shares(measured)
    if cell.kind == RESPONSE:
        columns = (1 - columns) / (game.players - 1)
    made_by = {"made_by": list(cell.made_by)} if cell.kind else {}
    return {
        "players": game.players,
        "options": cell.options,
        "agent": name,
        "against": cell.label,
        **made_by,
        "fair": None if together else 1 / game.players,
        **_plain(win_share(columns.ravel())),
        "seats": [] if together else [_plain(win_share(column)) for column in columns],
        "milliseconds": round(decision_milliseconds(game, text), 3),
        "command": _command(cell, name, blocks, how.seed),
    }


def _plain(share: Share) -> dict[str, Any]:
    return {key: round(value, 4) if isinstance(value, float) else value for key, value in asdict(share).items()}


def _command(cell: Cell, name: str, blocks: int, seed: int) -> str:
    flags = (f"--players {cell.game.players}", *option_flags(cell.options))
    others = cell.kind.replace(" ", "_").upper() or cell.against
    seats = (others, name) if cell.kind == RESPONSE else (name, others)
    parts = ("atlantis evaluate", cell.game.name, *seats, *flags)
    return " ".join([part for part in parts if part] + [f"--blocks {blocks} --seed {seed}"])


def decision_milliseconds(game: Game, text: str, seed: int = 0, decisions: int = TIMED) -> float:
    """Return the mean CPU milliseconds of a decision with a choice, one at a time, in games against itself."""
    agent, batch, lane = make_agent(text, game), game.batch(1, seed), np.arange(1)
    spent, counted = 0.0, -WARM
    while counted < decisions:
        words, choice = batch.noise(seed), int(batch.action_masks.sum()) > 1
        started = time.process_time()
        action = ask(agent, batch, lane, words)
        took = time.process_time() - started
        counted += choice
        spent += took if choice and counted > 0 else 0.0
        batch.step(action)
    return 1000 * spent / decisions


# ------------------------------------------------------------------------------------------------ all cards as one page


TOP = """# Bundled agents

*How strong is each bundled agent, and how was it made?* `champion` is the strongest that answers in about 5 ms,
`grandmaster` in about 100; the tables have win shares.

| name | agent |
|---|---|
| `network` | a trained policy by itself |
| `critic` | a policy that knows values, for a search (`leaf=critic`) |
| `champion` | the strongest agent found within about 5 ms of CPU time a decision; ties are broken by speed |
| `grandmaster` | the strongest within about 100 ms, in Atlandice and Atlantis |

You can use these names wherever an agent name is accepted. None needs torch:

    atlantis play atlandice --seat human --seat champion
    atlantis evaluate atlandice network heuristic

A name means the newest edition. `champion@1` and `network@1` are the first ones, so you can repeat a comparison:

    atlantis evaluate atlandice champion champion@1

`python -m atlantis_training.shipping page` makes this page from the cards beside the policies. Shares are of wins; in a
cooperative game they are games won, with the agent in every seat. Intervals are Wilson's, 95 %. The last column is CPU
time of one decision, asked one at a time, on a machine that was busy with other work; the machines of different days
differ threefold in speed. Commands of training leave `--out` out, and `--start` names the run of the command before. A
`stranger` learned from itself alone, and nothing here was fitted to it. A `best response` learned against the agent and
has one seat; the agent has all others.
"""
TRAINED_RULES = "trained_rules"  # of a card: the version of the rules, where the policy learned by earlier ones
COLUMNS = ("players", "options", "agent", "against", "games", "share", "interval", "by seat", "ms")


def all_cards(within: Path = HERE) -> list[dict[str, Any]]:
    """Return every card there is: network, critic, champion, grandmaster."""
    paths = [path for agent in (*FOLDERS, *NAMED) for path in sorted(within.glob(f"*/{card_name(agent)}"))]
    return [read_json(path) for path in paths]


def page(within: Path = HERE) -> str:
    """Return the page: what names stand for, then a section for each game."""
    cards = all_cards(within)
    stands_for = [
        (definition(game).title, players, f"`{name}`", *(f"`{text}`" for text in (editions[-1], *editions[:-1])))
        for name, games in named_texts(within).items()
        for game, texts in games.items()
        for players, editions in texts.items()
    ]
    most = max(map(len, stands_for))
    columns = ("game", "players", "name", "stands for", *(f"edition {index + 1}" for index in range(most - 4)))
    rows = [(*row, *[""] * (most - len(row))) for row in stands_for]
    lines = [TOP, "## What the names stand for", "", str(Table(columns, rows))]
    for game in dict.fromkeys(card["game"] for card in cards):
        lines += ["", f"## {definition(game).title}"]
        for card in cards:
            if card["game"] == game:
                lines += ["", *_card_lines(card)]
    return "\n".join(lines) + "\n"


def _card_lines(card: dict[str, Any]) -> list[str]:
    """Return one card: how it was made, and its table."""
    seats = "any number of players" if card["players"] is None else seats_text(card["players"])
    lines = [f"**`{card['agent']}`, {seats}.** {_made(card)}{_rules(card)}", ""]
    table = str(Table(COLUMNS, [_row(cell) for cell in card["cells"]]))
    return [*lines, *_lowest_first(card), table, *_opponents(card)]


def _lowest_first(card: dict[str, Any]) -> list[str]:
    """Return the shares against all that are worth beating, the lowest first; nothing where nobody is to be beaten."""
    cells = sorted((cell["value"], cell["against"]) for cell in card["cells"] if cell["against"] not in ("", RANDOM))
    if len(cells) < 2 or len({cell["players"] for cell in card["cells"]}) > 1:
        return []
    return ["Lowest first: " + ", ".join(f"{markdown(against)} {value:.3f}" for value, against in cells) + ".", ""]


def _opponents(card: dict[str, Any]) -> list[str]:
    """Return who the opponents were that do not come with the library."""
    cells = [cell for cell in card["cells"] if "made_by" in cell]
    made = [f"{cell['against']}: {'; then '.join(f'`{command}`' for command in cell['made_by'])}" for cell in cells]
    return ["", f"How these opponents were made: {'; '.join(made)}."] if made else []


def _features_text(edition: int) -> str:
    """Return what a card says of features; older cards have True for the first edition, and False for none."""
    if not edition:
        return ""
    return " and features" if int(edition) == 1 else f" and features (edition {edition})"


def _made(card: dict[str, Any]) -> str:
    if "plays" in card:
        return f"Stands for `{card['plays']}`."
    sizes = ", ".join(map(str, card["hidden"])) or "no"
    commands = "; then ".join(f"`{command}`" for command in card["commands"])
    played = f"{card['steps']:,} decisions of its own in the last run, " if card["steps"] else ""
    sees = card["inputs"] + _features_text(card.get("features", 0))
    return (
        f"Sees {sees}; hidden layers {sizes}, {card['weights']:,} numbers of {card['stored']}, "
        f"{card['bytes']:,} bytes. "
        f"Trained for {card['minutes']:g} minutes, {played}seed {card['seed']}: {commands}."
    )


def _rules(card: dict[str, Any]) -> str:
    """Tell by which rules it was trained and measured, where they are not the present ones."""
    present = definition(card["game"]).versions.rules
    trained, measured = card.get(TRAINED_RULES, present), card["versions"]["rules"]
    message = f" Trained with rules {trained}." if trained != present else ""
    if measured != present:
        message += f" Measured with rules {measured}; the game now has rules {present}."
    return message


def _two_digits(number: float) -> str:
    """Return a number with two digits, and without an exponent above 100."""
    return f"{float(f'{number:.2g}'):g}"


def _row(cell: dict[str, Any]) -> tuple[Any, ...]:
    options = ", ".join(f"{key} {value}" for key, value in cell["options"].items())
    seats = " ".join(f"{seat['value']:.3f}" for seat in cell["seats"])
    share = (f"{cell['value']:.3f}", f"{cell['low']:.3f}..{cell['high']:.3f}")
    names = (markdown(cell["agent"]), markdown(cell["against"]) or "-")
    return (cell["players"], options, *names, f"{cell['games']:,}", *share, seats, _two_digits(cell["milliseconds"]))
