"""Settings of the documentation site; ``make docs`` builds it into build/docs."""

from __future__ import annotations

import re
import shutil
import sys
from itertools import pairwise
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from sphinx.application import Sphinx
from sphinx.domains.python import PyObject

import atlantis_envs
from atlantis_envs.registry import GAMES

DOCS = Path(__file__).parent
for notebook in (DOCS.parent / "notebooks").glob("*.ipynb"):
    shutil.copy2(notebook, DOCS / "tutorials")  # Sphinx reads one folder

project = "atlantis-envs"
author = "the atlantis-envs authors"
project_copyright = author
version = release = atlantis_envs.__version__

extensions = [
    "directives",
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "sphinx_design",
]
exclude_patterns = ["_templates"]
highlight_language = "none"  # indented blocks are command lines and output
nitpicky = False
suppress_warnings = ["myst.header"]  # rules files number their headings as the rulebook does

myst_enable_extensions = ["colon_fence", "deflist", "substitution"]
myst_heading_anchors = 4
nb_execution_mode = "off"  # notebooks are stored as they ran; a test compares them with what their cells print

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {"members": True}
autodoc_preserve_defaults = True
autodoc_type_aliases = {name: name for name in ("ArrayLike", "Function", "Known", "Opponents", "Progress", "Workers")}
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True
napoleon_custom_sections = [("Kernels", "params_style")]

linkcheck_anchors = False
linkcheck_timeout, linkcheck_retries, linkcheck_workers = 10, 1, 8

html_theme = "furo"
html_title = f"atlantis-envs {version}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
templates_path = ["_templates"]
html_copy_source = False
html_show_sphinx = False
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True


def game_versions() -> list[str]:
    """Return, of every game, its title and its four version numbers."""
    found = []
    for name in GAMES:
        definition = atlantis_envs.game(name).definition
        v = definition.versions
        found.append(
            f"{definition.title}: rules {v.rules}, observation {v.observation}, actions {v.actions}, chance {v.chance}"
        )
    return found


html_context = {"versions": [f"atlantis-envs {version}", *game_versions()]}

RULES = {f"rules/{name}" for name in GAMES}
CLAUSE = re.compile(r"(\d+\.\d+|\d+[a-z]|R-\d+) (?=[^\s])")
LONGEST = 500  # characters of a signature
SPELLED = re.compile(
    r"TypeAliasForwardRef\('(\w+)'\)|~(?:\w+\.)+(\w+)|_InnerDispatcher\(<function (\w+)>\)|<function (\w+)>"
)
ARRAY = re.compile(r"(?:numpy\.)?ndarray\[tuple\[Any, \.\.\.\], (?:numpy\.)?dtype\[(?:numpy\.)?(\w+)\]\]")
SHORT = {"raw_env", "parallel_env"}  # they take what ``env`` takes


def separate_clauses(app: Sphinx, page: str, source: list[str]) -> None:
    """Give every clause of a rules file a paragraph, which begins with its number."""
    if page in RULES:
        parts = re.split(r"(^```.*?^```$)", source[0], flags=re.DOTALL | re.MULTILINE)
        source[0] = "".join(part if part.startswith("```") else separated(part) for part in parts)


def separated(text: str) -> str:
    """Return text whose clauses have an empty line before them and a bold number."""
    lines = ["", *text.split("\n")]
    out = []
    for before, line in pairwise(lines):
        if CLAUSE.match(line):
            out += [""] if before.strip() else []
            line = CLAUSE.sub(r"**\1** ", line, count=1)
        out.append(line)
    return "\n".join(out)


def shorten(app: Sphinx, what: str, name: str, value: object, options: object, lines: list[str]) -> None:
    """Leave out what Python says of a constant's type, and arguments that an environment shares with ``env``."""
    if what == "data":
        lines.clear()
    if name.rpartition(".")[2] in SHORT and "Args:" in lines:
        lines[lines.index("Args:") :] = ["Arguments as for ``env``.", ""]


def tidy(
    app: Sphinx, what: str, name: str, value: object, options: object, signature: str | None, returned: str | None
) -> tuple[str | None, str | None]:
    """Return a signature in the words of its source; leave out one that is longer than the list of attributes."""
    parts = [
        part and SPELLED.sub(lambda found: next(filter(None, found.groups())), part) for part in (signature, returned)
    ]
    parts = [part and ARRAY.sub(r"NDArray[\1]", part) for part in parts]
    return ("(...)" if what == "class" and len(parts[0] or "") > LONGEST else parts[0]), parts[1]


def setup(app: Sphinx) -> None:
    """Register what changes pages on the way, before docstrings are parsed."""
    app.connect("source-read", separate_clauses)
    app.connect("autodoc-process-docstring", shorten, priority=100)
    app.connect("autodoc-process-signature", tidy)
    for field in PyObject.doc_field_types:
        if field.name == "variable":
            field.label = "Attributes"
