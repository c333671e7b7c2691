"""Puts compiled kernels into the wheel where they are given (``make wheel``), and the address of the project.

Without kernels the wheel stays as pure as the source. Without an address the metadata name none.
"""

from __future__ import annotations

import os
import sys
import sysconfig
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

KERNELS = "ATLANTIS_ENVS_WHEEL_KERNELS"  # the directory that tests/prebuilt_wheel.py has filled
ADDRESS = "ATLANTIS_ENVS_URL"  # of the project's repository
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


class Urls(MetadataHookInterface):
    """A metadata hook of hatchling's."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Fill the table of addresses where the project's is given."""
        address = os.environ.get(ADDRESS, "").rstrip("/")
        metadata["urls"] = {name: f"{address}{page}" for name, page in PAGES.items()} if address else {}
