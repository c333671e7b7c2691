"""Build what a release consists of into dist/: ``python tests/release.py`` (docs/releasing.md says what to do with it).

The sources are those of a commit, never of the working tree. Each file is built twice, in different folders, and the
two must be the same bytes. ``--prebuilt`` adds the wheel with compiled kernels for this version of Python (minutes).
``--url`` is the address of the project's repository, for the metadata. ``PIP_ARGS`` is passed to pip.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import uuid
from io import BytesIO
from pathlib import Path
from typing import Any

import prebuilt_wheel
from wheel import ROOT, programs, run

DIST = ROOT / "dist"
SUMS = "SHA256SUMS"
NAMESPACE = uuid.UUID("6f6d7c1e-9c1b-5a43-8d2e-1f4c6a0b9e57")  # of the serial numbers of bills of materials


def checkout(commit: str, place: Path) -> Path:
    """Unpack the sources of a commit."""
    archive = subprocess.run(["git", "archive", commit], cwd=ROOT, check=True, capture_output=True).stdout
    with tarfile.open(fileobj=BytesIO(archive)) as files:
        files.extractall(place, filter="data")
    return place


def version_of(source: Path) -> str:
    """The version, which pyproject.toml, the package and CITATION.cff must agree on, with notes in the changelog."""
    version = str(tomllib.loads((source / "pyproject.toml").read_text("utf-8"))["project"]["version"])
    wanted = {"atlantis_envs/__init__.py": f'__version__ = "{version}"', "CITATION.cff": f"version: {version}"}
    wrong = [name for name, text in wanted.items() if text not in (source / name).read_text("utf-8")]
    if wrong:
        raise SystemExit(f"version: {version} is not that of {', '.join(wrong)}; allowed: one version everywhere")
    if f"## [{version}]" not in (source / "CHANGELOG.md").read_text("utf-8"):
        print(f"CHANGELOG.md has no notes of {version} yet.", file=sys.stderr)
    return version


def build(source: Path, out: Path, variables: dict[str, str], *targets: str) -> list[Path]:
    """Build distributions of a source tree."""
    flags = [word for target in targets for word in ("-t", target)]
    run(sys.executable, "-m", "hatchling", "build", *flags, "-d", out, cwd=source, env=os.environ | variables)
    return sorted(path for path in out.iterdir() if path.suffix in (".gz", ".whl"))


def digest(path: Path) -> str:
    """SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def build_twice(commit: str, folder: Path, variables: dict[str, str], kernels: Path | None) -> list[Path]:
    """Build everything twice; the files of the first time.

    Raises:
        SystemExit: the two differ.
    """
    made: list[list[Path]] = []
    for time in ("first", "second"):
        source, out = checkout(commit, folder / time), folder / f"{time}-dist"
        made.append(build(source, out, variables, "sdist", "wheel"))
        if kernels is not None:
            made[-1] = build(source, out, variables | {"ATLANTIS_ENVS_WHEEL_KERNELS": str(kernels)}, "wheel")
    for one, other in zip(*made, strict=True):
        if (one.name, digest(one)) != (other.name, digest(other)):
            raise SystemExit(f"{one.name}: two builds differ; allowed: the same bytes")
    return made[0]


def resolved(wheel: Path, folder: Path) -> list[dict[str, Any]]:
    """What pip would install beside a wheel into an empty environment, at the tested versions, with hashes."""
    run(sys.executable, "-m", "venv", folder)
    report, extra = folder / "report.json", shlex.split(os.environ.get("PIP_ARGS", ""))
    given = ("--dry-run", "-q", "-c", ROOT / "constraints.txt", "--report", report, *extra, wheel)
    run(programs(folder) / "python", "-m", "pip", "install", *given)
    found = []
    for item in json.loads(report.read_text("utf-8"))["install"]:
        if not item["is_direct"]:
            about, sums = item["metadata"], item["download_info"]["archive_info"]["hashes"]
            licence = about.get("license_expression") or about.get("license") or ""
            row = {"name": about["name"], "version": about["version"], "sha256": sums["sha256"], "licence": licence}
            found.append(row)
    return sorted(found, key=lambda row: str(row["name"]).lower())


def pinned(name: str, version: str, files: list[Path], needed: list[dict[str, Any]]) -> str:
    """Return requirements for ``pip install --require-hashes``: the wheels of this release and what they need."""
    own = " ".join(f"--hash=sha256:{digest(path)}" for path in files if path.suffix == ".whl")
    lines = [f"{row['name']}=={row['version']} --hash=sha256:{row['sha256']}" for row in needed]
    return "\n".join([f"{name}=={version} {own}", *lines]) + "\n"


def bill(name: str, version: str, files: list[Path], needed: list[dict[str, Any]], moment: str) -> str:
    """Return a software bill of materials in the format CycloneDX 1.5, a function of its arguments."""

    def component(kind: str, title: str, number: str, **more: Any) -> dict[str, Any]:
        purl = f"pkg:pypi/{re.sub(r'[-_.]+', '-', title).lower()}@{number}"
        return {"type": kind, "bom-ref": purl, "name": title, "version": number, "purl": purl} | more

    def sums(*values: str) -> list[dict[str, str]]:
        return [{"alg": "SHA-256", "content": value} for value in values]

    main = component("library", name, version, licenses=[{"license": {"id": "MIT"}}])
    parts = [
        component("library", row["name"], row["version"], hashes=sums(row["sha256"]),
                  **({"licenses": [{"license": {"name": row["licence"]}}]} if 0 < len(row["licence"]) < 80 else {}))
        for row in needed
    ]  # fmt: skip
    held = [{"type": "file", "name": path.name, "hashes": sums(digest(path))} for path in files]
    refs = [part["bom-ref"] for part in parts]
    document = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": f"urn:uuid:{uuid.uuid5(NAMESPACE, ' '.join(map(digest, files)))}",
        "version": 1,
        "metadata": {"timestamp": moment, "component": main},
        "components": [*parts, *held],
        "dependencies": [{"ref": main["bom-ref"], "dependsOn": refs}],
    }
    return json.dumps(document, indent=1) + "\n"


def main(arguments: list[str]) -> None:
    """Build, compare, and write what goes with it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--commit", default="HEAD", help="what to build (default: HEAD)")
    parser.add_argument("--url", default="", help="address of the project's repository; default: none in the metadata")
    parser.add_argument("--prebuilt", action="store_true", help="also the wheel with kernels for this Python")
    given = parser.parse_args(arguments)
    moment = run("git", "log", "-1", "--format=%ct", given.commit, cwd=ROOT).strip()
    shown = run("git", "log", "-1", "--format=%cd", "--date=format-local:%Y-%m-%dT%H:%M:%SZ", given.commit,
                cwd=ROOT, env=os.environ | {"TZ": "UTC"}).strip()  # fmt: skip
    variables = {"SOURCE_DATE_EPOCH": moment, "ATLANTIS_ENVS_URL": given.url}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source = checkout(given.commit, folder / "source")
        version, kernels = version_of(source), None
        if given.prebuilt:
            kernels = folder / "prebuilt"
            print(f"{prebuilt_wheel.compile_kernels(source, kernels)} kernels compiled", flush=True)
        made = build_twice(given.commit, folder, variables, kernels)
        plain = next(path for path in made if path.name.endswith("-py3-none-any.whl"))
        needed = resolved(plain, folder / "env")
        shutil.rmtree(DIST, ignore_errors=True)
        DIST.mkdir()
        files = [Path(shutil.copy(path, DIST)) for path in made]
    tag = f"cp{sys.version_info.major}{sys.version_info.minor}-{sys.platform}"
    (DIST / f"requirements-{tag}.txt").write_text(pinned("atlantis-envs", version, files, needed), "utf-8")
    (DIST / "bill-of-materials.cdx.json").write_text(bill("atlantis-envs", version, files, needed, shown), "utf-8")
    sums = "".join(f"{digest(path)}  {path.name}\n" for path in files)
    (DIST / f"{SUMS}-{tag}").write_text(sums, "utf-8")
    print(f"{sums}Built twice, the same bytes both times; in {DIST.relative_to(ROOT)}/: hashes, also of what is "
          f"needed, and a bill of materials of {len(needed)} packages.")  # fmt: skip


if __name__ == "__main__":
    main(sys.argv[1:])
