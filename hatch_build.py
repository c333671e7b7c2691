"""Puts compiled kernels into the wheel where they are given (``make wheel``), and the address of the project.

Without kernels the wheel stays as pure as the source. Without an address the metadata name none, and the links of
README.md stay as they are; with one they lead to the files of this version there.
"""

from __future__ import annotations

import os
import re
import sys
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

KERNELS = "ATLANTIS_ENVS_WHEEL_KERNELS"  # the directory that tests/prebuilt_wheel.py has filled
ADDRESS = "ATLANTIS_ENVS_URL"  # of the project's repository
LINK = re.compile(r"(!?\[[^\[\]]*\]\()(?!https?:|#)")  # of Markdown, up to an address in this repository
PAGES = {"Source": "", "Documentation": "/tree/main/docs", "Changelog": "/blob/main/CHANGELOG.md", "Issues": "/issues"}


class Kernels(BuildHookInterface):  # type: ignore[type-arg]
    """A build hook of hatchling's."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Before the wheel is written: name what else belongs into it, and for whom it is."""
        place = os.environ.get(KERNELS)
        if place and version == "standard":
            python = f"cp{sys.version_info.major}{sys.version_info.minor}"
            platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
            build_data["force_include"][place] = "atlantis_envs/prebuilt"
            build_data["pure_python"] = False
            build_data["tag"] = f"{python}-{python}-{platform}"


class Addresses(MetadataHookInterface):
    """A metadata hook of hatchling's."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Fill the table of addresses where the project's is given, and describe it by README.md."""
        address = os.environ.get(ADDRESS, "").rstrip("/")
        text = (Path(self.root) / "README.md").read_text("utf-8")
        if address:
            text = LINK.sub(lambda found: f"{found[1]}{address}/{place(found[1])}/v{metadata['version']}/", text)
        metadata["urls"] = {name: f"{address}{page}" for name, page in PAGES.items()} if address else {}
        metadata["readme"] = {"content-type": "text/markdown", "text": text}


def place(link: str) -> str:
    """Return where the files that a link names lie: a picture is shown, everything else is opened."""
    return "raw" if link.startswith("!") else "blob"
