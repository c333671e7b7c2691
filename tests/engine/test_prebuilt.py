"""Machine code that came with the package: found there, on any processor that fits, and never when it does not."""

from __future__ import annotations

import json
import shutil
import sys
import zlib
from base64 import urlsafe_b64encode
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest
from helpers.support import ROOT, run_python
from helpers.toy_kernels import RUN, Toy

from atlantis_envs.kernels.kernel import JIT
from atlantis_envs.kernels.prebuilt import HEADER, SUM_BYTES, Manifest
from atlantis_envs.warm import compile_for_wheels, pack

pytestmark = [
    pytest.mark.skipif(not JIT, reason="nothing is compiled"),
    pytest.mark.skipif(sys.platform == "win32", reason="links of POSIX"),
]
PACK = "from pathlib import Path; from atlantis_envs.warm import pack; print(pack(Path({!r})))"
WHERE = "import atlantis_envs; print(atlantis_envs.__file__)"


class Installed(Toy):
    """The toy kernels beside a copy of the library of their own, as in site-packages."""

    def __init__(self, place: Path) -> None:
        super().__init__(place)
        ignored = shutil.ignore_patterns("__pycache__", "prebuilt", "games", "play")
        shutil.copytree(ROOT / "atlantis_envs", place / "atlantis_envs", ignore=ignored)
        self.package = place / "atlantis_envs"
        self.prebuilt = self.package / "prebuilt"

    def run(self, code: str, **variables: str):  # type: ignore[no-untyped-def]
        """As of Toy; the library is this copy."""
        own = {**self.variables(**variables), "PYTHONPATH": str(self.place)}
        return run_python("-P", "-c", code, **own)  # -P: and not the one in the working directory

    def ship(self) -> None:
        """Fill the package with machine code, and forget the cache."""
        wanted = compile_for_wheels()
        assert self.says(RUN, **wanted) == ("58", True)
        assert self.says(PACK.format(str(self.prebuilt)), **wanted) == ("2", False)
        shutil.rmtree(self.cache)

    @property
    def entries(self) -> list[Path]:
        return sorted(self.prebuilt.glob("*.nbz"))


@pytest.fixture(scope="module")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("shipped")
    Installed(place).ship()
    return place


@pytest.fixture
def toy(shipped: Path, tmp_path: Path) -> Installed:
    """A copy elsewhere: nothing of what was compiled knows its place."""
    made = Installed(tmp_path)
    shutil.copytree(shipped / "atlantis_envs" / "prebuilt", made.prebuilt)
    return made


def test_what_was_shipped_is_used_elsewhere_and_the_cache_is_not_even_made(toy: Installed) -> None:
    assert toy.says(WHERE) == (str(toy.package / "__init__.py"), False)
    assert toy.says(RUN) == ("58", False)
    assert not toy.cache.exists()


def test_nothing_in_it_tells_where_it_was_made(toy: Installed, shipped: Path) -> None:
    for path in toy.entries:
        content = zlib.decompress(path.read_bytes()[len(HEADER) + SUM_BYTES :])
        for place in (shipped, ROOT, Path.home(), Path(sys.prefix)):
            assert f"{place}/".encode() not in content


def test_a_kernel_that_was_edited_is_compiled_and_the_others_are_not(toy: Installed) -> None:
    toy.edit("outer.py", "step(step(x))", "step(x)")
    assert toy.says(RUN) == ("16", True)
    assert [name.partition("-")[0] for name in toy.machine_code()] == ["run"]
    assert toy.says(RUN) == ("16", False)


def test_a_shipped_kernel_serves_callers_that_were_not_shipped(toy: Installed) -> None:
    code = "from toy.outer import factory, step; print(factory(100, step)(2))"
    assert toy.says(code) == ("458", True)
    assert sorted(name.partition("-")[0] for name in toy.machine_code()) == ["loop", "play"]


def test_the_variable_turns_it_off(toy: Installed) -> None:
    assert toy.says(RUN, ATLANTIS_ENVS_PREBUILT="0") == ("58", True)


def manifest(toy: Installed, **changes: str) -> None:
    path = toy.prebuilt / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_bytes()), **changes}))


MISFITS: dict[str, dict[str, str]] = {
    "another Python or numba": {"environment": "(3, 2) 1.0 0.1 0.1 0 3 []"},
    "another platform": {"triple": "aarch64-apple-darwin"},
    "a newer processor": {"features": "+avx2,+of-the-future"},
    "another processor's code": {"processor": "x86-64-v2"},
}


@pytest.mark.parametrize("change", MISFITS.values(), ids=MISFITS)
def test_what_does_not_fit_is_compiled(toy: Installed, change: dict[str, str]) -> None:
    manifest(toy, **change)
    assert toy.says(RUN) == ("58", True)
    assert toy.says(RUN) == ("58", False)


def test_a_processor_that_may_not_use_what_it_has_compiles(toy: Installed) -> None:
    """Somebody asked for code without AVX, or for another processor altogether."""
    if "avx2" in compile_for_wheels()["NUMBA_CPU_FEATURES"]:
        assert toy.says(RUN, NUMBA_ENABLE_AVX="0") == ("58", True)
        assert toy.says(RUN, NUMBA_CPU_NAME="generic") == ("58", True)


def broken(how: str, raw: bytes) -> bytes:
    done = {"cut off": raw[:200], "empty": b"", "something appended": raw + b"x", "no entry": b"junk" * 99}
    done["a flipped bit"] = raw[:-9] + bytes([raw[-9] ^ 4]) + raw[-8:]
    done["of the cache"] = raw.replace(b"prebuilt", b"kernel  ", 1)
    return done[how]


@pytest.mark.parametrize("how", ["cut off", "empty", "something appended", "no entry", "a flipped bit", "of the cache"])
def test_a_damaged_entry_is_compiled(toy: Installed, how: str) -> None:
    for path in toy.entries:
        raw = path.read_bytes()
        path.write_bytes(broken(how, raw))
        assert path.read_bytes() != raw
    shown = toy.run(RUN)
    assert shown.stdout == "58\n" and shown.stderr.count("is not as it was built: it is not used") == 2


def record(toy: Installed) -> Path:
    """The RECORD of a wheel that was installed here."""
    path = toy.place / "atlantis_envs-1.0.dist-info" / "RECORD"
    path.parent.mkdir()
    sums = {entry.name: urlsafe_b64encode(sha256(entry.read_bytes()).digest()) for entry in toy.entries}
    rows = [f"atlantis_envs/prebuilt/{name},sha256={digest.decode().rstrip('=')},1" for name, digest in sums.items()]
    path.write_text("\n".join(["atlantis_envs/py.typed,,", *rows, "atlantis_envs-1.0.dist-info/RECORD,,"]) + "\n")
    return path


def test_an_entry_that_is_not_the_one_of_the_record_is_compiled(toy: Installed) -> None:
    """Its own digest may be right: whoever changed it may have changed that too."""
    path = record(toy)
    assert toy.says(RUN) == ("58", False)
    one, other = toy.entries
    shutil.copy(other, one)
    shown = toy.run(RUN)
    assert shown.stdout == "58\n" and f"prebuilt/{one.name} is not as it was built" in shown.stderr
    assert shown.stderr.count("is not as it was built") == 1
    shutil.rmtree(toy.cache)
    path.write_text("no,table\n")
    assert toy.says(RUN) == ("58", True)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"environment": 1, "triple": 2, "processor": 3, "features": 4}'])
def test_a_manifest_that_is_none_is_as_no_kernels_at_all(toy: Installed, text: str) -> None:
    (toy.prebuilt / "manifest.json").write_text(text)
    assert toy.says(RUN) == ("58", True)


def test_an_entry_under_the_name_of_another_is_not_used(toy: Installed) -> None:
    """What it is for stands inside it too."""
    toy.edit("constants.py", "SCALE = 3", "SCALE = 4")
    assert toy.says(RUN, **compile_for_wheels()) == ("82", True)
    kept = {path.name.partition("-")[0]: path for path in toy.entries}
    for path in sorted(toy.kernels.glob("*.nbc")):
        kept[path.name.partition("-")[0]].rename(toy.prebuilt / path.with_suffix(".nbz").name)
    shutil.rmtree(toy.cache)
    assert toy.says(RUN) == ("82", True)


def _link_the_directory(toy: Installed) -> None:
    toy.prebuilt.rename(toy.place / "elsewhere")
    toy.prebuilt.symlink_to(toy.place / "elsewhere")


def _link_the_files(toy: Installed) -> None:
    (toy.place / "elsewhere").mkdir()
    for path in toy.entries:
        path.rename(toy.place / "elsewhere" / path.name)
        path.symlink_to(toy.place / "elsewhere" / path.name)


@pytest.mark.parametrize("link", [_link_the_directory, _link_the_files])
def test_a_link_out_of_the_package_is_not_followed(toy: Installed, link: Callable[[Installed], None]) -> None:
    link(toy)
    assert toy.says(RUN) == ("58", True)


def test_what_was_compiled_for_this_processor_alone_is_not_packed(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="environment: NUMBA_CPU_NAME NUMBA_CPU_FEATURES; allowed: as compile_for"):
        pack(tmp_path / "prebuilt")
    assert not (tmp_path / "prebuilt").exists()


def test_code_fits_machines_with_more_than_it_needs_and_no_others() -> None:
    made = Manifest("versions", "x86_64-linux", "x86-64-v3", "+avx2,+fma")
    here = ("x86_64-linux", "znver4", "+avx2,+avx512f,-amx,+fma")
    assert made.fits("versions", here)
    assert not made.fits("other versions", here)
    assert not made.fits("versions", ("aarch64-linux", *here[1:]))
    assert not made.fits("versions", ("x86_64-linux", "old", "+fma,-avx2"))
    assert made.fits("versions", made.machine)
    assert not Manifest("versions", "x86_64-linux", "generic", "+avx2").fits("versions", ("x86_64-linux", "old", ""))
