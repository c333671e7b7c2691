"""Difficulty: cells are what they say they are, variants are compared on the same games, teams tolerate errors."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from click.testing import Result
from typer.testing import CliRunner

import atlantis_envs
from atlantis_envs.errors import OptionError
from atlantis_training.cli.app import app
from atlantis_training.evaluation.evaluate import evaluate
from atlantis_training.evaluation.levels import Levels, half_won, level_of, levels

GAMES = 24


@pytest.fixture(scope="module")
def found() -> Levels:
    tables = {
        variant: [
            atlantis_envs.game("atlantis_rising", players=players, level=level, hands_open=not variant)
            for players in (1, 3)
            for level in (1, 5)
        ]
        for variant in ("", "hands_open=false")
    }
    return levels(tables, ["heuristic"], games=GAMES, errors=[0.5], causes=1, seed=3)


def test_there_is_a_cell_for_every_variant_team_number_of_players_and_level(found: Levels, tmp_path: Path) -> None:
    names = [(cell.variant, cell.agent, *cell.where) for cell in found.cells]
    assert len(names) == len(set(names)) == 16 and ("hands_open=false", "eps:0.5:heuristic", 3, 5) in names
    cell = next(cell for cell in found.cells if (cell.agent, cell.where) == ("heuristic", (3, 5)))
    team = evaluate(cell.game, ("heuristic",) * 3, GAMES, 3).team
    assert team is not None and cell.share == team.share
    page = found.report().markdown()
    assert f"{cell.share.value:.4f} [{cell.share.low:.4f}, {cell.share.high:.4f}]" in page
    document = json.loads(found.report().write(tmp_path)[1].read_text("utf-8"))
    assert [entry["level"] for entry in document["cells"][:4]] == [1, 5, 1, 5]
    assert sorted(path.suffix for path in tmp_path.iterdir()) == [".json", ".md", ".pdf", ".png", ".svg"]
    assert "](data:image/png;base64," in found._repr_markdown_()


def test_variants_are_compared_on_the_same_games(found: Levels) -> None:
    won = {(cell.variant, cell.agent, cell.where): cell.won for cell in found.cells}
    assert len(found.comparisons) == 8
    for one in found.comparisons:
        plain, varied = (won[variant, one.cell.agent, one.cell.where] for variant in ("", one.cell.variant))
        assert (one.lost, one.gained) == ((plain > varied).sum(), (varied > plain).sum())
        discordant = one.lost + one.gained  # McNemar's test is that of a fair coin among these
        tail = sum(math.comb(discordant, tossed) for tossed in range(min(one.lost, one.gained) + 1)) / 2**discordant
        assert one.p == pytest.approx(min(1.0, 2 * tail)) and one.corrected >= one.p


def test_some_lost_games_are_played_again_to_their_ends(found: Levels) -> None:
    for cell in found.cells:
        lost = cell.losses
        assert (lost is None) == (cell.won.all())
        if lost:
            assert lost.games == 1 and lost.rounds >= 1 and 0 <= lost.built < 10
            assert sum(lost.first.values()) == lost.games and all(lost.first)


def test_half_is_won_where_a_falling_line_crosses_it() -> None:
    chances = [0.0, 0.1, 0.2]
    assert half_won(np.array([0.9, 0.6, 0.2]), chances) == pytest.approx(0.125)
    assert half_won(np.array([0.4, 0.6, 0.2]), chances) == 0
    assert half_won(np.array([0.9, 0.8, 0.7]), chances) == math.inf
    assert half_won(np.array([0.9, 0.3, 0.7]), chances) == pytest.approx(0.1 * 0.4 / 0.6)


def test_tolerances_hold_what_was_won(found: Levels) -> None:
    assert [(one.variant, one.where) for one in found.tolerances][:2] == [("", (1, 1)), ("", (1, 5))]
    by_table = {(one.variant, one.where): one for one in found.tolerances}
    assert by_table["", (1, 1)].value == 0  # less than half is won without any error
    one = by_table["", (3, 1)]
    assert 0 < one.low <= one.value <= one.high <= 0.5 and str(one).startswith(f"{one.value:.3f} [")


def test_games_without_levels_are_refused() -> None:
    with pytest.raises(OptionError, match="'atlandice' is no cooperative game with levels"):
        level_of(atlantis_envs.game("atlandice"))


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--variants", "level=3"], "level: given twice"),
        (["--variants", "open=1"], "allowed"),
        (["--eps", "0.1,2"], "--eps '0.1,2'; allowed: numbers above 0"),
    ],
)
def test_what_cannot_be_varied_is_refused(flags: list[str], message: str) -> None:
    done: Result = CliRunner().invoke(app, ["levels", "atlantis_rising", "random", *flags])
    assert done.exit_code == 2 and message in done.stderr
