"""The measurement of recompiling: its edits fit the sources, and it measures the copy, not the checkout."""

from __future__ import annotations

from pathlib import Path

import pytest

import atlantis_envs
from atlantis_envs.kernels import kernel
from benchmarks.experiments import compiling
from benchmarks.experiments.compiling import EDITS, Copy, study

SOURCE = Path(atlantis_envs.__file__).parent


def test_every_game_has_edits_and_each_is_there_once(tmp_path: Path) -> None:
    assert set(EDITS) == set(atlantis_envs.game_names())
    copy = Copy(tmp_path)
    for game, edits in EDITS.items():
        for change in edits:
            copy.edit(game, change)
            path = Path("games") / game / change[0]
            assert (copy.root / "atlantis_envs" / path).read_bytes() != (SOURCE / path).read_bytes()
            with pytest.raises(ValueError, match="allowed: once"):
                copy.edit(game, change)


@pytest.mark.parametrize("game", list(EDITS))
def test_an_edit_is_far_from_most_kernels(game: str) -> None:
    """What has to be compiled anew are the edited kernel and those above it; the other digests stay."""
    definition = atlantis_envs.game(game).definition
    kernels = set().union(*(kernel.callees(one) for one in definition.kernels().values() if hasattr(one, "py_func")))
    names = {one.py_func.__name__: one for one in kernels}
    above = [name for name, one in names.items() if names["returns"] in kernel.callees(one)]
    assert above == ["returns"] and len(kernels) > 20


def test_an_unknown_game_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        compiling.main(["chess"])
    assert "games: chess; allowed: atlandice, atlantis, atlantis_rising" in capsys.readouterr().err


@pytest.mark.full
@pytest.mark.parametrize("game", list(EDITS))
def test_an_edit_costs_less_than_a_cold_start_and_a_warm_start_compiles_nothing(game: str) -> None:
    found = study(game, warm_runs=1)
    assert found.cold.compiled > 20 and found.warm.compiled == 0
    assert found.warm.processor < found.cold.processor / 4
    for change, cost in found.edited:
        assert 0 < cost.compiled < found.cold.compiled / 3, change
        assert cost.processor < found.cold.processor, change
