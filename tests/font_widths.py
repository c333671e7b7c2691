"""The widths of the letters of the fonts in the package: ``python tests/font_widths.py`` writes them to a file."""

from __future__ import annotations

import json
import sys
from importlib import resources
from typing import Any

from fontTools.ttLib import TTFont

from atlantis_envs.drawing.letters import FILES, font_file


def font_widths() -> dict[str, Any]:
    """Return by font file the units of a size, and the width of every letter by its code point."""
    widths = {}
    for bold, name in FILES.items():
        with resources.as_file(font_file(bold)) as path, TTFont(path) as font:
            metrics = font["hmtx"].metrics
            letters = {str(code): metrics[glyph][0] for code, glyph in sorted(font.getBestCmap().items())}
            widths[name] = {"units_per_em": font["head"].unitsPerEm, "widths": letters}
    return widths


def main() -> int:
    """Write the file."""
    path = font_file(False).parent / "widths.json"
    path.write_text(json.dumps(font_widths(), separators=(",", ":")) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
