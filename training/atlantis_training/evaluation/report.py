"""Reports: what was measured as a page of Markdown, as JSON, and as pictures, and where it comes from."""

from __future__ import annotations

import json
import re
import shlex
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from atlantis_agents.catalogue import SEARCH, agent_names, base_text
from atlantis_agents.networks.policy import MANIFEST, policy_directory
from atlantis_agents.search.settings import parse_argument
from atlantis_agents.shipped import is_network, meant
from atlantis_envs import __version__
from atlantis_envs.base.files import read_json, write_atomically
from atlantis_envs.base.values import one_line, visible
from atlantis_envs.engine.game import Game
from atlantis_training.evaluation.statistics import Mean

ENOUGH_BLOCKS = 30  # with 20, 95 % intervals over blocks hold the truth in 94 % of runs, with 5 in 86 %
PLACES = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh")  # in turn order
STYLE: Any = {
    "font.size": 8,
    "axes.labelsize": 8,
    "axes.titlesize": 8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "axes.axisbelow": True,
    "grid.color": "0.9",
    "grid.linewidth": 0.6,
    "legend.fontsize": 7.5,
    "legend.frameon": False,
    "svg.fonttype": "none",
    "pdf.fonttype": 42,  # letters that a publisher can embed
    "savefig.dpi": 300,
}
# Distinguishable with and without colour vision (Okabe and Ito), and in print by their marks.
SERIES = (
    ("#0072B2", "o"), ("#D55E00", "s"), ("#009E73", "^"), ("#CC79A7", "D"), ("#E69F00", "v"), ("#56B4E9", "P"),
    ("#000000", "X"),
)  # fmt: skip
COLOUR = SERIES[0][0]  # of what is alone in its picture
HTML = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "@": "&#64;"}
MARKS = frozenset("\\`*[]|~$!")
BLOCK = re.compile(r"^[#+=-]|(?<![^\W_])_|_(?![^\W_])|(?<=^\d)[.)]")  # of a list, a title; emphasis, not a_name
LINKS = re.compile(r"(?i)\bwww\.|:(?=//)")  # what some readers make links of


def markdown(name: str) -> str:
    """Return a name from outside as text of a Markdown page: a letter of it is neither Markdown nor HTML."""
    text = one_line(name)
    text = "".join(HTML.get(letter, f"\\{letter}" if letter in MARKS else letter) for letter in text)
    return LINKS.sub(lambda found: f"{found[0][:-1]}&#{ord(found[0][-1])};", BLOCK.sub(r"\\\g<0>", text))


def pictured(name: str) -> str:
    """Return a name from outside as a label of a picture, where a dollar sign would begin a formula."""
    return one_line(name).replace("$", r"\$")


def shell_word(text: object) -> str:
    """Return a word of a command to be copied: quoted as shells take it, and on one visible line."""
    word = str(text)
    if visible(word) == word:
        return shlex.quote(word)
    plain = (letter if visible(letter) == letter and letter not in "\\'" else _bytes(letter) for letter in word)
    return f"$'{''.join(plain)}'"


def _bytes(letter: str) -> str:
    raw = letter.encode("utf-8", "surrogateescape" if "\udc80" <= letter <= "\udcff" else "surrogatepass")
    return "".join(f"\\x{byte:02x}" for byte in raw)


@dataclass(frozen=True)
class Table:
    """A table of a report.

    Attributes:
        columns: their titles.
        rows: of cells, which are shown as ``str`` has them; names from outside come from ``markdown``.
    """

    columns: Sequence[Any]
    rows: Sequence[Sequence[Any]]

    def __str__(self) -> str:
        """Return it as Markdown, two lines of head and one a row."""
        head, *lines = [f"| {' | '.join(map(str, cells))} |" for cells in (self.columns, *self.rows)]
        return "\n".join([head, f"{'|---' * len(self.columns)}|", *lines])


@dataclass(frozen=True)
class Figure:
    """A picture of a report.

    Attributes:
        caption: what it shows.
        draw: writes it to these paths.
    """

    caption: str
    draw: Callable[[Sequence[Path]], None]


@dataclass(frozen=True)
class Report:
    """What was measured, for people and for programs.

    Attributes:
        name: of its files.
        parts: paragraphs of Markdown, headings with them, tables and figures; empty ones are left out.
        document: makes the same as plain values; None: there is no JSON.
        arrays: makes the games behind it, by name, for a file that NumPy reads without pickles; None: there is none.
    """

    name: str
    parts: Sequence[str | Table | Figure]
    document: Callable[[], dict[str, Any]] | None = None
    arrays: Callable[[], dict[str, NDArray[Any]]] | None = None

    def markdown(self, figures: str | None = None) -> str:
        """Return the page; ``figures`` is the name of the file with its picture, None leaves it out."""
        shown = [f"![{part.caption}]({figures})" if isinstance(part, Figure) else str(part)
                 for part in self.parts if figures or not isinstance(part, Figure)]  # fmt: skip
        return "\n\n".join(part for part in shown if part) + "\n"

    def _repr_markdown_(self) -> str:
        """Return the page with its picture in it, as notebooks show it."""
        with TemporaryDirectory() as folder:
            path = Path(folder) / f"{self.name}.png"
            for part in self.parts:
                if isinstance(part, Figure):
                    part.draw([path])
            inside = f"data:image/png;base64,{b64encode(path.read_bytes()).decode()}" if path.exists() else None
        return self.markdown(inside)

    def write(
        self, out: Path, picture: str | None = None, endings: Sequence[str] = ("png", "svg", "pdf")
    ) -> list[Path]:
        """Write ``name.md``, ``name.json`` and ``name.npz`` if there is what they hold, and the picture, if any.

        Args:
            out: the directory, made if needed.
            picture: the name of its files; None: that of the report.
            endings: of its files.

        Returns:
            The paths of what was written.

        Raises:
            ValueError: a number that is not finite, which JSON has no word for; nothing is written.
        """
        drawn = [part for part in self.parts if isinstance(part, Figure)]
        pictures = [out / f"{picture or self.name}.{ending}" for ending in endings] if drawn else []
        plain = None if self.document is None else json.dumps(self.document(), indent=1, allow_nan=False) + "\n"
        out.mkdir(parents=True, exist_ok=True)
        paths = [out / f"{self.name}.md"]
        write_atomically(paths[0], self.markdown(pictures[0].name if pictures else None))
        if plain is not None:
            paths.append(out / f"{self.name}.json")
            write_atomically(paths[1], plain)
        if self.arrays is not None:
            paths.append(out / f"{self.name}.npz")
            content = BytesIO()
            np.savez_compressed(content, **self.arrays())  # type: ignore[arg-type]
            write_atomically(paths[-1], content.getvalue())
        for part in drawn:
            part.draw(pictures)
        return [*paths, *pictures]


def cautions(truncated: int, games: int, blocks: int = ENOUGH_BLOCKS) -> str:
    """Return what to heed: games that a safety bound cut off, and blocks too few for intervals; "" if nothing."""
    cut = f"{truncated:,} of {games:,} games were cut off by a safety bound: neither won nor lost."
    few = f"Only {blocks} blocks: below {ENOUGH_BLOCKS}, intervals and errors over blocks are too narrow."
    return "\n\n".join([cut] * (truncated > 0) + [few] * (blocks < ENOUGH_BLOCKS))


def forfeits(counts: Mapping[str, int], games: int) -> str:
    """Return how many games were given up, an agent a line; "" if none."""
    return "\n".join(
        f"- {markdown(agent)} forfeited {count:,} of {games:,} games, which count as lost."
        for agent, count in counts.items()
    )


def p_text(value: float) -> str:
    """Return a p-value as text, never 0."""
    return "p < 0.0001" if value < 1e-4 else f"p = {value:.4f}" if value < 0.1 else f"p = {value:.2f}"


def seats_text(count: int) -> str:
    """Return the number of players: 1 player, 2 players."""
    return f"{count} player{'' if count == 1 else 's'}"


# ---------------------------------------------------------------------------------------------------------- provenance


def provenance(game: Game, agents: Sequence[str], seed: int) -> dict[str, Any]:
    """Return game, options, versions, seed and agents as plain values."""
    return {
        "game": game.name,
        "players": game.players,
        "options": game.options.to_json(),
        "versions": asdict(game.definition.versions),
        "library": __version__,
        "numpy": np.__version__,
        "seed": seed,
        "agents": [agent_json(agent, game) for agent in dict.fromkeys(agents)],
    }


def agent_json(agent: str, game: Game) -> dict[str, Any]:
    """Return an agent's text, what it stands for if that is another one, and the sums of its weights."""
    plays = meant(game, agent)
    sums = policy_sums(plays, game)
    own = {"sha256": sums.pop(plays)} if plays in sums else {}
    return {"agent": agent} | ({"plays": plays} if plays != agent else {}) | own | ({"policies": sums} if sums else {})


def policy_sums(agent: str, game: Game) -> dict[str, str]:
    """Return the SHA-256 of the weights of every policy that a text names: itself, or those that a search asks.

    Returns:
        By the text that names the policy: ``network``, or a directory.

    Raises:
        OptionError: the text is that of a search and cannot be read.
    """
    plays = meant(game, base_text(agent))
    name, _, argument = plays.partition(":")
    texts = [plays]
    if name == SEARCH:
        given = parse_argument(argument) if argument else {}
        texts = [str(given[setting]) for setting in ("guide", "rollout", "own", "leaf") if setting in given]
    found = {text: policy_directory(text, game) for text in texts if is_network(text) or text not in agent_names()}
    return {text: str(read_json(path / MANIFEST)["sha256"]) for text, path in found.items() if path is not None}


def sums_of_own(agents: Iterable[str], game: Game) -> dict[str, str]:
    """Return the same of several agents, without those of ``network``: those that only a checksum tells apart.

    What comes with the library is told apart by the fingerprint of the code (code_hash).

    Raises:
        OptionError: see policy_sums.
    """
    sums = {text: total for agent in agents for text, total in policy_sums(agent, game).items()}
    return {text: total for text, total in sums.items() if not is_network(text)}


def option_flags(options: Mapping[str, Any]) -> list[str]:
    """Return options of a game as the flags that set them, for a shell."""
    return [f"--option {shell_word(f'{key}={json.dumps(value)}')}" for key, value in options.items()]


# ------------------------------------------------------------------------------------------------------------ pictures


@contextmanager
def figure(*paths: Path, size: tuple[float, float], panels: int = 1) -> Iterator[tuple[Any, Any]]:
    """Draw a figure of ``panels`` axes side by side, ``size`` in inches; written to PNG, SVG, PDF ``paths`` last.

    Yields the figure and a sequence of its axes. The same content gives the same bytes under the same name.
    """
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    with plt.rc_context({**STYLE, "svg.hashsalt": paths[0].stem}):
        drawn, axes = plt.subplots(1, panels, figsize=size, constrained_layout=True, squeeze=False)
        try:
            yield drawn, axes[0]
            for path in paths:
                content = BytesIO()
                metadata = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}.get(path.suffix, {})
                drawn.savefig(content, format=path.suffix[1:], metadata=metadata)
                write_atomically(path, content.getvalue())
        finally:
            plt.close(drawn)


def look(number: int = 0) -> dict[str, Any]:
    """Return how a series of this number looks in ``errorbar``."""
    colour, mark = SERIES[number % len(SERIES)]
    return {"color": colour, "marker": mark, "markersize": 4, "capsize": 2.5, "linewidth": 1}


def apart(heights: Sequence[float], least: float) -> list[float]:
    """Return where labels stand: in the same order, ``least`` apart, as near to what they name as that leaves them."""
    order = sorted(range(len(heights)), key=heights.__getitem__)
    groups: list[tuple[float, int]] = []  # middle and size
    for number in order:
        groups.append((heights[number], 1))
        while len(groups) > 1 and groups[-1][0] - groups[-2][0] < least * (groups[-1][1] + groups[-2][1]) / 2:
            (high, above), (low, below) = groups.pop(), groups.pop()
            groups.append(((high * above + low * below) / (above + below), above + below))
    stand = [middle + least * (step - (size - 1) / 2) for middle, size in groups for step in range(size)]
    return [stand[order.index(number)] for number in range(len(heights))]


def whiskers(shares: Sequence[Mean], scale: float = 1.0) -> list[list[float]]:
    """Return the intervals of shares as ``errorbar`` takes them, both ends outside the value in spite of rounding."""
    below = [scale * max(0.0, share.value - share.low) for share in shares]
    return [below, [scale * max(0.0, share.high - share.value) for share in shares]]
