"""The private disk cache of kernels: found again by a second process, never stale, never another's, never unsafe."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from textwrap import dedent

import numpy as np
import pytest
from support import TESTS, run_python

from atlantis_envs.engine.kernel import JIT, digest, entry, kernel

CONSTANTS = """
    SCALE = 3
    TABLE = (1, 2, 3)
"""
INNER = """
    import numpy as np
    from atlantis_envs.engine.kernel import kernel
    from toy.constants import SCALE

    OFFSETS = np.array([10, 20, 30])

    @kernel
    def step(x):
        return SCALE * x + OFFSETS[0]
"""
OUTER = """
    from atlantis_envs.engine.kernel import entry, kernel
    from toy.inner import step

    @entry
    def run(x):
        return step(step(x))

    def factory(bonus, inner):
        @kernel
        def play(x):
            return inner(x) + bonus

        @entry
        def loop(x):
            return play(play(x))
        return loop
"""
FILES = {"__init__.py": "", "constants.py": CONSTANTS, "inner.py": INNER, "outer.py": OUTER}
RUN = "from toy.outer import run; print(run(2))"


class Toy:
    """A package of kernels in a directory of its own, with a cache of its own."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.cache = place / "cache"
        (place / "toy").mkdir()
        for name, text in FILES.items():
            (place / "toy" / name).write_text(dedent(text))

    def edit(self, name: str, old: str, new: str) -> None:
        """Change a file; compiled byte code of the old one must not be used."""
        path = self.place / "toy" / name
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))

    def run(self, code: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """Another process; its warnings are errors."""
        wanted = {"ATLANTIS_ENVS_CACHE": str(self.cache), "PYTHONDONTWRITEBYTECODE": "1", **variables}
        wanted["PYTHONPATH"] = f"{self.place}{os.pathsep}{TESTS.parent}"
        return run_python("-c", dedent(code), **wanted)

    def says(self, code: str, **variables: str) -> tuple[str, bool]:
        """What a process prints, and whether it had to compile."""
        result = self.run(code, **variables)
        assert result.returncode == 0, result.stderr
        return result.stdout.strip(), "compiling" in result.stderr

    def machine_code(self) -> dict[str, int]:
        """The compiled entries and when they were written; the index beside each is touched when it is used."""
        return {path.name: path.stat().st_mtime_ns for path in self.cache.glob("*.nbc")}


@pytest.fixture
def toy(tmp_path: Path) -> Toy:
    return Toy(tmp_path)


# ---- found again


def test_a_second_process_compiles_nothing(toy: Toy) -> None:
    assert toy.says(RUN) == ("58", True)
    written = toy.machine_code()
    assert len(written) == 2
    assert toy.says(RUN) == ("58", False)
    assert toy.machine_code() == written


def test_a_loop_made_by_a_factory_is_found_again(toy: Toy) -> None:
    code = "from toy.outer import factory, step; print(factory(100, step)(2))"
    assert toy.says(code) == ("458", True)
    before = toy.machine_code()
    assert toy.says(code) == ("458", False)
    assert toy.machine_code() == before


def test_another_working_directory_and_hash_seed_find_it_too(toy: Toy) -> None:
    toy.says(RUN)
    assert toy.says(f"import os; os.chdir({str(toy.cache)!r}); {RUN}", PYTHONHASHSEED="5") == ("58", False)


# ---- never stale


EDITS = [  # code of a called kernel, a number in a third file, an array beside it, the entry's own code
    ("inner.py", "SCALE * x", "SCALE - x", "2"),
    ("constants.py", "SCALE = 3", "SCALE = 4", "82"),
    ("inner.py", "[10, 20, 30]", "[11, 20, 30]", "62"),
    ("outer.py", "step(step(x))", "step(x)", "16"),
]


def test_an_edit_is_seen_wherever_it_is(toy: Toy) -> None:
    assert toy.says(RUN) == ("58", True)
    for file, old, new, answer in EDITS:
        toy.edit(file, old, new)
        assert toy.says(RUN) == (answer, True), new
        toy.edit(file, new, old)
    assert toy.says(RUN) == ("58", False), "the first entry is still there"


def test_an_edit_of_a_default_argument_is_seen(toy: Toy) -> None:
    toy.edit("inner.py", "def step(x)", "def step(x, scale=SCALE)")
    toy.edit("inner.py", "SCALE * x", "scale * x")
    assert toy.says(RUN)[0] == "58"
    toy.edit("constants.py", "SCALE = 3", "SCALE = 4")
    assert toy.says(RUN)[0] == "82"


def test_an_edit_that_changes_nothing_a_kernel_reads_costs_nothing(toy: Toy) -> None:
    toy.says(RUN)
    toy.edit("constants.py", "TABLE = (1, 2, 3)", "TABLE = (4, 5)")
    assert toy.says(RUN) == ("58", False)


# ---- never another's


def test_two_games_of_equal_source_stay_themselves(toy: Toy) -> None:
    """Equal names and sources, other constants: what one process cached must not serve the other."""
    code = "from toy.outer import factory, step; print(*[factory(bonus, step)(2) for bonus in ({})])"
    assert toy.says(code.format("100,")) == ("458", True)
    assert toy.says(code.format("200,")) == ("858", True)
    assert toy.says(code.format("100, 200")) == ("458 858", False)
    assert toy.says(code.format("200, 100, 300")) == ("858 458 1258", True)


def test_kernels_handed_to_a_factory_count(toy: Toy) -> None:
    code = """
        from atlantis_envs.engine.kernel import kernel
        from toy.outer import factory

        def make(number):
            @kernel
            def inner(x):
                return x * number
            return inner

        print(*[factory(0, make(number))(2) for number in (NUMBERS)])
    """
    assert toy.says(code.replace("NUMBERS", "3,"))[0] == "18"
    assert toy.says(code.replace("NUMBERS", "5, 3"))[0] == "50 18"


def test_bounds_checking_has_entries_of_its_own(toy: Toy) -> None:
    code = """
        import numpy as np
        from toy.constants import SCALE
        from atlantis_envs.engine.kernel import entry

        @entry
        def far(a, i):
            return a[i]

        try:
            far(np.zeros(3), 0), far(np.zeros(3), 300_000)
            print("unchecked")
        except IndexError:
            print("checked")
    """
    (toy.place / "toy" / "far.py").write_text(dedent(code).replace("300_000", "3"))
    run = "import toy.far"
    assert toy.says(run) == ("unchecked", True)
    assert toy.says(run, NUMBA_BOUNDSCHECK="1") == ("checked", True)
    assert toy.says(run) == ("unchecked", False)
    assert toy.says(run, NUMBA_BOUNDSCHECK="1") == ("checked", False)


# ---- never unsafe


WHERE = "from atlantis_envs.engine.kernel import cache_directory; print(cache_directory())"


def test_the_variable_names_the_directory_which_is_made_private(toy: Toy) -> None:
    deep = toy.cache / "made" / "on demand"
    assert toy.says(WHERE, ATLANTIS_ENVS_CACHE=str(deep)) == (str(deep), False)
    assert deep.stat().st_mode & 0o777 == 0o700


def test_an_unusable_directory_falls_back_and_still_works(toy: Toy) -> None:
    (toy.place / "file").write_text("")
    elsewhere = toy.place / "temporary"
    elsewhere.mkdir()
    variables = {"ATLANTIS_ENVS_CACHE": str(toy.place / "file" / "cache"), "TMPDIR": str(elsewhere)}
    place, _ = toy.says(WHERE, **variables)
    assert Path(place).parent == elsewhere and Path(place).stat().st_mode & 0o077 == 0
    assert toy.says(RUN, **variables) == ("58", True)
    assert toy.says(RUN, **variables) == ("58", False)


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="no such permissions here")
def test_a_directory_that_anybody_may_write_to_is_refused(toy: Toy) -> None:
    """Machine code of somebody else must never be loaded."""
    toy.cache.mkdir()
    toy.cache.chmod(0o777)
    place, _ = toy.says(WHERE, TMPDIR=str(toy.place))
    assert Path(place) != toy.cache and Path(place).parent == toy.place
    toy.says(RUN, TMPDIR=str(toy.place))
    assert not list(toy.cache.iterdir())


def test_without_any_usable_directory_there_is_still_a_private_one(toy: Toy) -> None:
    """The fallback of the fallback, when the temporary name is taken by a file."""
    elsewhere = toy.place / "temporary"
    elsewhere.mkdir()
    (elsewhere / f"atlantis-envs-{os.getuid()}").write_text("taken")
    (toy.place / "file").write_text("")
    variables = {"ATLANTIS_ENVS_CACHE": str(toy.place / "file" / "cache"), "TMPDIR": str(elsewhere)}
    place, _ = toy.says(WHERE, **variables)
    assert Path(place).parent == elsewhere and Path(place).is_dir() and Path(place).stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("ending", ["nbi", "nbc"])
def test_a_damaged_entry_is_compiled_anew(toy: Toy, ending: str) -> None:
    toy.says(RUN)
    for path in toy.cache.glob(f"*.{ending}"):
        path.write_bytes(path.read_bytes()[:20])
    assert toy.says(RUN) == ("58", True)


def test_old_entries_are_removed_and_used_ones_kept(toy: Toy) -> None:
    toy.says(RUN)
    old, new = toy.cache / "old-1.py311.nbi", toy.cache / "new-1.py311.nbi"
    for path, age in ((old, 40), (new, 20)):
        path.write_bytes(b"")
        then = path.stat().st_mtime - age * 86_400
        os.utime(path, (then, then))
    assert toy.says(RUN) == ("58", False)
    assert not old.exists() and new.exists()


def test_importing_the_library_compiles_nothing_and_touches_no_cache(toy: Toy) -> None:
    code = "import atlantis_envs; print(atlantis_envs.game('atlandice').players)"
    assert toy.says(code) == ("3", False)
    assert not toy.cache.exists()


def test_a_whole_game_is_found_again(toy: Toy) -> None:
    """In the cache of this user, which the tests have filled: no line on stderr at all."""
    code = "import atlantis_envs; print(atlantis_envs.game('atlandice', players=2).batch(3).seats.shape)"
    first = run_python("-c", code)
    second = run_python("-c", code)
    assert (first.returncode, second.returncode) == (0, 0)
    assert (second.stdout, second.stderr) == ("(3,)\n", "")


# ---- refused


compiled_only = pytest.mark.skipif(not JIT, reason="plain Python needs no such care")


@kernel
def endless(x):  # type: ignore[no-untyped-def]
    return endless(x)


@kernel
def ping(x):  # type: ignore[no-untyped-def]
    return pong(x)


@kernel
def pong(x):  # type: ignore[no-untyped-def]
    return ping(x)


@entry
def serve(x):  # type: ignore[no-untyped-def]
    return ping(x)


A_LIST = [1, 2]
A_DICT = {1: 2}


@entry
def reads_a_list(x):  # type: ignore[no-untyped-def]
    return A_LIST[x]


@entry
def reads_a_dict(x):  # type: ignore[no-untyped-def]
    return A_DICT[x]


@entry
def reads_a_module(x):  # type: ignore[no-untyped-def]
    return os.getpid() + x


@entry
def calls_a_plain_function(x):  # type: ignore[no-untyped-def]
    return plain(x)


def plain(x):  # type: ignore[no-untyped-def]
    return x


@compiled_only
@pytest.mark.parametrize("function", [endless, ping, serve], ids=["itself", "each other", "below"])
def test_recursion_is_refused_with_its_name(function: object) -> None:
    with pytest.raises(TypeError, match=r"(endless|ping|pong).*recursive"):
        digest(function)


@compiled_only
@pytest.mark.parametrize(
    ("function", "name"),
    [
        (reads_a_list, "reads_a_list"),
        (reads_a_dict, "reads_a_dict"),
        (reads_a_module, "reads_a_module"),
        (calls_a_plain_function, "calls_a_plain_function"),
    ],
)
def test_what_a_kernel_may_not_read_is_refused_at_its_first_call(function: object, name: str) -> None:
    """A list may change after compiling, and nothing would see it."""
    with pytest.raises(TypeError, match=f"kernel {name} reads .*may read numbers"):
        function(1)  # type: ignore[operator]


@compiled_only
def test_an_inner_kernel_is_not_called_from_python() -> None:
    """It has no Python wrapper: the call would jump to nowhere."""

    @kernel
    def inner(x):  # type: ignore[no-untyped-def]
        return x + 1

    with pytest.raises(TypeError, match="inner is called by kernels only"):
        inner(1)
    assert inner.py_func(1) == 2


def test_a_kernel_called_with_narrow_integers_computes_in_wide_ones() -> None:
    """int8 100 + 100 is 200, as it is uncompiled."""

    @kernel
    def total(x, y):  # type: ignore[no-untyped-def]
        return x + y

    @entry
    def sum_of(a):  # type: ignore[no-untyped-def]
        return total(a[0], a[1])

    assert sum_of(np.array([100, 100], np.int8)) == 200
