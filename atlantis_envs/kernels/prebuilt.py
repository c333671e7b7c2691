"""Machine code that came with the package, so that a fresh machine need not compile it.

A platform wheel (``make wheel``) carries the entries of a cache in the directory ``prebuilt`` of the package, with a
manifest that says for what they were made. They lie in the installed package itself and are trusted as its code is,
whoever owns it; a link that leads out of the package is not followed. Names and contents are those of the cache, so an
entry whose kernel was edited is never found. An entry that is damaged, or is not the one that the wheel's RECORD
lists, counts as none: a line on stderr says so, and the kernel is compiled.
"""

from __future__ import annotations

import csv
import hashlib
import json
import os
import sys
import zlib
from base64 import urlsafe_b64encode
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

from atlantis_envs.base.files import read_file

PREBUILT_VARIABLE = "ATLANTIS_ENVS_PREBUILT"  # "0": compile for this very processor, as if there were none
PACKAGE = Path(__file__).resolve().parents[1]
FOLDER = "prebuilt"
MANIFEST = "manifest.json"
ENDING = ".nbz"
HEADER = b"atlantis-envs prebuilt 1\n"
MOST_BYTES = 1 << 30  # of an entry
SUM_BYTES = hashlib.sha256().digest_size

# What a wheel is made for: processors since about 2015 (the level v3 of the x86-64 psABI), elsewhere any.
X86_64_V3 = (
    "+avx,+avx2,+bmi,+bmi2,+cmov,+cx16,+cx8,+f16c,+fma,+fxsr,+lzcnt,+mmx,+movbe,+popcnt,+sahf,+sse,+sse2,+sse3,"
    "+sse4.1,+sse4.2,+ssse3,+xsave"
)
BASELINES = {"x86_64": ("x86-64-v3", X86_64_V3), "AMD64": ("x86-64-v3", X86_64_V3)}
ANY_PROCESSOR = ("generic", "")

Machine = tuple[str, str, str]  # triple, processor and its features, as numba names what it compiles for


@dataclass(frozen=True)
class Manifest:
    """For what the entries were made: all of it must fit.

    Attributes:
        environment: the versions that decide how machine code is made and written down.
        triple: the platform, as LLVM names it.
        processor: the oldest that will do.
        features: what it must have, "+avx2,+fma,...".
    """

    environment: str
    triple: str
    processor: str
    features: str

    def fits(self, environment: str, machine: Machine) -> bool:
        """Return whether code made for this runs on ``machine``, in this environment."""
        triple, _, features = machine
        enough = set(filter(None, self.features.split(","))) <= set(features.split(","))
        return (environment, triple) == (self.environment, self.triple) and (enough or machine == self.machine)

    @property
    def machine(self) -> Machine:
        """Return what the code was made for, as it stands in the key of an entry."""
        return self.triple, self.processor, self.features


def machine_for(environment: str, here: Machine) -> Machine | None:
    """Return for what machine the entries of this package were made, if that fits here; None without any."""
    manifest = _manifest()
    return manifest.machine if manifest is not None and manifest.fits(environment, here) else None


@cache
def _manifest() -> Manifest | None:
    if os.environ.get(PREBUILT_VARIABLE) == "0":
        return None
    try:
        if (PACKAGE / FOLDER).resolve() != PACKAGE / FOLDER:
            return None  # a link, which may lead out of the package
        found = Manifest(**json.loads(read_file(PACKAGE / FOLDER / MANIFEST, links=False)))
    except (OSError, ValueError, TypeError):
        return None
    return found if all(isinstance(value, str) for value in asdict(found).values()) else None


def prebuilt_names() -> set[str]:
    """Return the names of the kernels that came with the package."""
    return {path.name.partition(".")[0] for path in (PACKAGE / FOLDER).glob(f"*{ENDING}")}


def read_prebuilt(name: str) -> bytes | None:
    """Return the content of an entry of this package; None if there is none, or it is not as it was built."""
    path = PACKAGE / FOLDER / f"{name}{ENDING}"
    try:
        raw = read_file(path, MOST_BYTES, links=False)
    except ValueError:
        return None
    start = len(HEADER) + SUM_BYTES
    packed = memoryview(raw)[start:]
    sums, listed = _recorded(), len(raw) >= start and raw[:start] == HEADER + hashlib.sha256(packed).digest()
    if sums is not None:
        listed &= sums.get(path.name) == _record_sum(raw)
    if not listed:
        text = f"atlantis-envs: {FOLDER}/{path.name} is not as it was built: it is not used, its kernel is compiled."
        print(text, file=sys.stderr)
        return None
    return zlib.decompress(packed)


def _record_sum(raw: bytes) -> str:
    """Return the digest of a file as a RECORD writes it."""
    return f"sha256={urlsafe_b64encode(hashlib.sha256(raw).digest()).rstrip(b'=').decode()}"


@cache
def _recorded() -> dict[str, str] | None:
    """Return the digests that the RECORD of the installed wheel lists, by name of the entry; None without a RECORD."""
    for path in PACKAGE.parent.glob(f"{PACKAGE.name}-*.dist-info/RECORD"):
        try:
            rows = csv.reader(path.read_text("utf-8").splitlines())
            within = f"{PACKAGE.name}/{FOLDER}/"
            return {row[0].removeprefix(within): row[1] for row in rows if len(row) > 1 and row[0].startswith(within)}
        except (OSError, ValueError, csv.Error):
            return {}
    return None


def write_prebuilt(directory: Path, manifest: Manifest, entries: dict[str, bytes]) -> None:
    """Write what a wheel is to carry, into a directory that is made."""
    directory.mkdir(parents=True)
    (directory / MANIFEST).write_text(json.dumps(asdict(manifest), indent=1, sort_keys=True) + "\n")
    for name, content in entries.items():
        packed = zlib.compress(content, 9)
        (directory / f"{name}{ENDING}").write_bytes(HEADER + hashlib.sha256(packed).digest() + packed)
