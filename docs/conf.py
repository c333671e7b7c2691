"""Settings of the documentation site; ``make docs`` builds it into build/docs."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

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
autodoc_default_options = {"members": True, "show-inheritance": False}
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
