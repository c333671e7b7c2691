"""What notebooks show: well-formed, with nothing from outside standing as markup."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

import atlantis_envs
from atlantis_envs.drawing.notebook import MOST_BOARDS, table
from atlantis_envs.registry import GAMES


def parsed(html: str) -> ElementTree.Element:
    return ElementTree.fromstring(f"<div>{html}</div>")


def count(element: ElementTree.Element, name: str) -> int:
    return sum(part.tag.rpartition("}")[2] == name for part in element.iter())


@pytest.mark.parametrize("name", GAMES)
def test_a_batch_is_a_grid_of_its_first_boards(name: str) -> None:
    batch = atlantis_envs.game(name, players=2).batch(8, seed=1)
    html = batch._repr_html_()
    page = parsed(html)
    assert count(page, "svg") == count(page, "figcaption") == MOST_BOARDS
    assert (
        "Batch of 8 games" in html and f"lane 5: game 5, ply 0, seat {batch.seats[5]}" in html and "lane 6" not in html
    )
    assert count(parsed(atlantis_envs.game(name, players=2).batch(1)._repr_html_()), "svg") == 1


@pytest.mark.parametrize("name", GAMES)
def test_a_game_is_a_table_of_its_options(name: str) -> None:
    game = atlantis_envs.game(name)
    page = parsed(game._repr_html_())
    assert count(page, "tr") == 1 + len(game.describe().options)
    assert f"{game.num_actions} actions" in "".join(page.itertext())


def test_an_analysis_is_a_table_with_the_best_move_first() -> None:
    position = atlantis_envs.game("atlandice", players=2).batch(1, seed=3).position(0)
    found = atlantis_envs.analyse(position, agent="heuristic", simulations=8)
    page = parsed(found._repr_html_())
    cells = ["".join(cell.itertext()) for cell in page.iter("td")]
    assert cells[::5] == [judged.text for judged in found.actions] and cells[1] == f"{found.best.share:.1%}"
    assert count(page, "svg") == len(found.actions)


def test_texts_of_a_table_are_no_markup() -> None:
    page = parsed(table("<a>", ["<b>"], [["<script>", 1]], "<i>"))
    assert {part.tag for part in page.iter()} == {"div", "p", "b", "table", "thead", "tbody", "tr", "th", "td"}
