"""What a notebook shows of batches, games and analyses: HTML without a style sheet, in the colours of the page."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from atlantis_envs.drawing.svg import escaped

MOST_BOARDS = 6  # of a batch
BOARD = 300  # pixels across one of them
BAR = 160  # pixels across a share
BLUE = "#0072B2"
SIZE = re.compile(r' width="[\d.]+" height="[\d.]+"')
CELL = 'style="text-align:left;vertical-align:top;padding:2px 10px"'


class Markup(str):
    """A cell that is HTML already."""

    __slots__ = ()


def table(caption: str, columns: Sequence[str], rows: Iterable[Sequence[object]], below: str = "") -> str:
    """Return a table: texts are escaped, ``Markup`` stands as it is; ``below`` is a paragraph under it."""
    head = "".join(f"<th {CELL}>{escaped(title)}</th>" for title in columns)
    body = "".join(f"<tr>{''.join(f'<td {CELL}>{_cell(cell)}</td>' for cell in row)}</tr>" for row in rows)
    note = f"<p>{escaped(below)}</p>" if below else ""
    return f"<p><b>{escaped(caption)}</b></p><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{note}"


def _cell(cell: object) -> str:
    return cell if isinstance(cell, Markup) else escaped(str(cell))


def grid(caption: str, boards: Iterable[tuple[str, str]]) -> str:
    """Return pictures side by side, as many as fit: of each its SVG, and what stands below it."""
    figures = [
        f'<figure style="margin:0;width:{BOARD}px">{SIZE.sub(f""" width="{BOARD}" """.rstrip(), svg, count=1)}'
        f"<figcaption>{escaped(text)}</figcaption></figure>"
        for svg, text in boards
    ]
    row = f'<div style="display:flex;flex-wrap:wrap;gap:12px">{"".join(figures)}</div>'
    return f"<p><b>{escaped(caption)}</b></p>{row}"


def interval(share: float, low: float, high: float) -> Markup:
    """Return a share of 0..1 as a dot on a line from 0 to 1, with its interval."""
    left, right, middle = (3 + (BAR - 6) * value for value in (low, high, share))
    return Markup(
        f'<svg width="{BAR}" height="14" role="img" aria-label="{share:.0%}, {low:.0%} to {high:.0%}">'
        f'<line x1="3" x2="{BAR - 3}" y1="7" y2="7" stroke="currentColor" stroke-opacity="0.25"/>'
        f'<line x1="{left:.1f}" x2="{right:.1f}" y1="7" y2="7" stroke="{BLUE}" stroke-width="5" stroke-opacity="0.45"/>'
        f'<circle cx="{middle:.1f}" cy="7" r="3" fill="{BLUE}"/></svg>'
    )
