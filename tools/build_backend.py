"""The build backend: setuptools, with editable installs that type checkers can follow.

Packages in three folders make setuptools install an import hook, which mypy and pyright do not run: to them the
packages would be missing. A plain list of the folders does the same for Python, and every tool reads it.
"""

from __future__ import annotations

import base64
import hashlib
import tomllib
import zipfile
from pathlib import Path
from typing import Any

from setuptools import build_meta
from setuptools.build_meta import *  # noqa: F403  (all that a build backend has to offer)


def build_editable(
    wheel_directory: str, config_settings: dict[str, Any] | None = None, metadata_directory: str | None = None
) -> str:
    """A wheel that names the folders of the packages; what setuptools makes where an ``editable_mode`` is asked for."""
    name = build_meta.build_editable(wheel_directory, config_settings, metadata_directory)
    if not (config_settings or {}).get("editable_mode"):
        list_folders(Path(wheel_directory, name))
    return name


def list_folders(wheel: Path) -> None:
    """Put a list of folders in the place of the import hook."""
    with zipfile.ZipFile(wheel) as built:
        members = {item: built.read(item) for item in built.namelist() if not item.startswith("__editable__")}
    find = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]["packages"]["find"]
    folders = "".join(f"{Path(folder).resolve()}\n" for folder in find["where"])
    members[f"__editable__.{wheel.name.split('-')[0]}.pth"] = folders.encode()
    record = next(item for item in members if item.endswith(".dist-info/RECORD"))
    del members[record]
    lines = [f"{item},sha256={digest(content)},{len(content)}\n" for item, content in members.items()]
    members[record] = "".join([*lines, f"{record},,\n"]).encode()
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as made:
        for item, content in members.items():
            made.writestr(item, content)


def digest(content: bytes) -> str:
    """The hash of a file, as RECORD writes it."""
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
