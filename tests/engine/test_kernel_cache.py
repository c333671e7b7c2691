"""The private disk cache of kernels: found again by a second process, never stale, never another's, never unsafe."""

from __future__ import annotations

import copy
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from textwrap import dedent

import cloudpickle
import numpy as np
import pytest
from helpers.support import ROOT, run_python, scaled

from atlantis_envs.engine.cache_files import read_entry
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
        return run_python("-c", dedent(code), **self.variables(**variables))

    def start(self, code: str, **variables: str) -> subprocess.Popen[str]:
        """Another process, not waited for."""
        command = [sys.executable, "-W", "error", "-c", dedent(code)]
        own = {key: value for key, value in os.environ.items() if not key.startswith("NUMBA_")}
        environment = {**own, **self.variables(**variables)}
        return subprocess.Popen(
            command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT
        )

    def variables(self, **more: str) -> dict[str, str]:
        """What the environment of another process says."""
        wanted = {"ATLANTIS_ENVS_CACHE": str(self.cache), "PYTHONDONTWRITEBYTECODE": "1", **more}
        return {**wanted, "PYTHONPATH": f"{self.place}{os.pathsep}{ROOT}"}

    def says(self, code: str, **variables: str) -> tuple[str, bool]:
        """What a process prints, and whether it had to compile."""
        result = self.run(code, **variables)
        assert result.returncode == 0, result.stderr
        return result.stdout.strip(), "compiling" in result.stderr

    def machine_code(self) -> dict[str, int]:
        """The compiled entries and which file each is: writing one anew makes another file."""
        return {path.name: path.stat().st_ino for path in self.cache.glob("*.nbc")}


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


COLOURS = """

    from atlantis_envs.engine.vocabulary import Vocabulary

    class Colour(Vocabulary):
        RED = 1
        GREEN = 3
        SCARLET = 1
"""


def test_a_number_in_a_vocabulary_is_seen_under_every_name(toy: Toy) -> None:
    toy.edit("constants.py", "TABLE = (1, 2, 3)", f"TABLE = (1, 2, 3){dedent(COLOURS)}")
    toy.edit("inner.py", "import SCALE", "import Colour")
    toy.edit("inner.py", "SCALE * x + OFFSETS[0]", "Colour.GREEN * x + OFFSETS[Colour.SCARLET - 1]")
    assert toy.says(RUN) == ("58", True)
    assert toy.says(RUN) == ("58", False)
    toy.edit("constants.py", "GREEN = 3", "GREEN = 4")
    assert toy.says(RUN) == ("82", True)
    toy.edit("constants.py", "SCARLET = 1", "SCARLET = 2")
    assert toy.says(RUN) == ("132", True)


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


WHERE = "from atlantis_envs.engine.cache_files import cache_directory; print(cache_directory())"


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


posix_only = pytest.mark.skipif(not hasattr(os, "getuid"), reason="no such permissions here")
root_only = pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root can give files away")
NOBODY = 65534


def refused(toy: Toy, place: Path) -> str:
    """What is said of a directory that is not used for the cache; nothing comes to lie there."""
    before = sorted(place.iterdir())
    result = toy.run(f"{WHERE}; {RUN}", ATLANTIS_ENVS_CACHE=str(place), TMPDIR=str(toy.place))
    assert result.returncode == 0, result.stderr
    where, answer = result.stdout.split()
    assert Path(where).parent == toy.place and answer == "58"
    assert sorted(place.iterdir()) == before
    line = result.stderr.splitlines()[0]
    assert line.startswith(f"atlantis-envs: no kernels are kept in {place}, since ") and where in line
    return line


@posix_only
@pytest.mark.parametrize("mode", [0o777, 0o770, 0o702, 0o720, 0o1777])
def test_a_directory_that_others_may_write_to_is_refused(toy: Toy, mode: int) -> None:
    """Machine code of somebody else must never be loaded."""
    toy.cache.mkdir()
    toy.cache.chmod(mode)
    assert "others may write to it" in refused(toy, toy.cache)


@posix_only
@pytest.mark.parametrize("mode", [0o777, 0o770])
def test_a_directory_that_others_may_replace_is_refused(toy: Toy, mode: int) -> None:
    """Whoever may write to the directory above it may put another one in its place."""
    above = toy.place / "above"
    (above / "cache").mkdir(parents=True)
    above.chmod(mode)
    assert f"others may write to {above}" in refused(toy, above / "cache")
    above.chmod(mode | 0o1000)  # sticky, as /tmp: what lies there stays its owner's
    assert toy.says(WHERE, ATLANTIS_ENVS_CACHE=str(above / "cache"))[0] == str(above / "cache")


@posix_only
def test_a_link_to_a_directory_is_as_good_as_the_directory_and_the_place_it_stands_in(toy: Toy) -> None:
    real, open_place = toy.place / "real", toy.place / "open"
    for place in (real, open_place):
        place.mkdir(mode=0o700)
    link = toy.place / "link"
    link.symlink_to("real")
    assert toy.says(WHERE, ATLANTIS_ENVS_CACHE=str(link)) == (str(link), False)
    real.chmod(0o770)
    assert "others may write to it" in refused(toy, link)
    real.chmod(0o700)
    open_place.chmod(0o777)
    (open_place / "further").symlink_to(real)
    assert f"others may write to {open_place}" in refused(toy, open_place / "further")
    again = toy.place / "again"  # a link to a link in an open place
    again.symlink_to(open_place / "further")
    assert f"others may write to {open_place}" in refused(toy, again)


@root_only
def test_directories_and_links_of_another_owner_are_refused(toy: Toy) -> None:
    toy.cache.mkdir(mode=0o700)
    os.chown(toy.cache, NOBODY, NOBODY)
    assert "it belongs to another user" in refused(toy, toy.cache)
    os.chown(toy.cache, 0, 0)
    above = toy.place / "above"
    (above / "cache").mkdir(parents=True, mode=0o700)
    os.chown(above, NOBODY, NOBODY)
    assert f"{above} belongs to another user" in refused(toy, above / "cache")
    link = toy.place / "link"
    link.symlink_to(toy.cache)
    os.chown(link, NOBODY, NOBODY, follow_symlinks=False)
    assert f"{link} belongs to another user" in refused(toy, link)


@posix_only
@pytest.mark.parametrize("how", ["group", "anybody", "link", "owner", "pipe"])
def test_a_file_that_others_may_have_written_is_compiled_anew(toy: Toy, how: str) -> None:
    """Sound as it is: its checksum says nothing about who wrote it."""
    if how == "owner" and os.getuid() != 0:
        pytest.skip("only root can give files away")
    toy.says(RUN)
    for path in sorted(toy.cache.glob("*.nbc")):
        if how in {"group", "anybody"}:
            path.chmod(0o660 if how == "group" else 0o606)
        elif how == "owner":
            os.chown(path, NOBODY, NOBODY)
        else:
            path.rename(toy.place / path.name)
            if how == "link":
                path.symlink_to(toy.place / path.name)
            else:
                os.mkfifo(path)
    assert toy.says(RUN) == ("58", True)
    assert toy.says(RUN) == ("58", False)
    assert all(path.lstat().st_mode == 0o100600 for path in toy.cache.glob("*.nbc"))


@posix_only
def test_a_generous_umask_opens_nothing_to_others(toy: Toy) -> None:
    place = toy.place / "made" / "cache"
    code = f"import os; os.umask(0); {RUN}"
    assert toy.says(code, ATLANTIS_ENVS_CACHE=str(place)) == ("58", True)
    assert toy.says(code, ATLANTIS_ENVS_CACHE=str(place)) == ("58", False)
    modes = {path.stat().st_mode & 0o777 for path in (place.parent, place)}
    assert modes == {0o700} and {path.stat().st_mode & 0o777 for path in place.iterdir()} == {0o600}


def test_a_tilde_in_the_variable_is_the_home_directory(toy: Toy) -> None:
    told, _ = toy.says(WHERE, ATLANTIS_ENVS_CACHE="~/kernels here", HOME=str(toy.place))
    assert told == str(toy.place / "kernels here") and Path(told).is_dir()
    assert not (ROOT / "~").exists()
    told, _ = toy.says(WHERE, ATLANTIS_ENVS_CACHE="~no_such_user_here/x", TMPDIR=str(toy.place))
    assert Path(told).parent == toy.place


def test_a_relative_directory_stays_where_it_was(toy: Toy) -> None:
    code = f"import os; os.chdir({str(toy.place)!r}); {WHERE}; os.chdir('/'); {RUN}"
    told, _ = toy.says(code, ATLANTIS_ENVS_CACHE="near")
    assert told.split() == [str(toy.place / "near"), "58"] and list((toy.place / "near").glob("*.nbc"))


def test_a_cache_that_cannot_be_written_any_more_costs_nothing_but_time(toy: Toy) -> None:
    code = f"{WHERE}; import shutil; shutil.rmtree({str(toy.cache)!r}); open({str(toy.cache)!r}, 'w').close(); {RUN}"
    told, compiled = toy.says(code)
    assert told.split()[-1] == "58" and compiled and toy.cache.is_file()


def test_without_any_usable_directory_there_is_still_a_private_one(toy: Toy) -> None:
    """The fallback of the fallback, when the temporary name is taken by a file."""
    elsewhere = toy.place / "temporary"
    elsewhere.mkdir()
    (elsewhere / f"atlantis-envs-{os.getuid()}").write_text("taken")
    (toy.place / "file").write_text("")
    variables = {"ATLANTIS_ENVS_CACHE": str(toy.place / "file" / "cache"), "TMPDIR": str(elsewhere)}
    place, _ = toy.says(WHERE, **variables)
    assert Path(place).parent == elsewhere and Path(place).is_dir() and Path(place).stat().st_mode & 0o077 == 0


DAMAGES = ("cut off", "empty", "something appended", "another version's", "no pickle")


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_entry_is_compiled_anew(toy: Toy, damage: str) -> None:
    toy.says(RUN)
    for path in toy.cache.glob("*.nbc"):
        raw = path.read_bytes()
        done = {"cut off": raw[:200], "empty": b"", "something appended": raw + b"x", "no pickle": b"junk" * 99}
        done["another version's"] = raw.replace(b"kernel 2", b"kernel 1", 1)
        assert done[damage] != raw
        path.write_bytes(done[damage])
    assert toy.says(RUN) == ("58", True)
    assert toy.says(RUN) == ("58", False)


def test_a_flipped_bit_is_compiled_anew_wherever_it_is(toy: Toy) -> None:
    """Nothing of a damaged file is unpickled or jumped to: it is as if it were not there."""
    toy.says(RUN)
    for path in sorted(toy.cache.glob("*.nbc")):
        raw, dice = path.read_bytes(), random.Random(path.name[:4])
        ends = (0, 22, 23, 54, 55, 56, len(raw) - 1)  # in the header, the checksum, the content
        for place in (*ends, *(dice.randrange(len(raw)) for _ in range(300))):
            path.write_bytes(raw[:place] + bytes([raw[place] ^ 1 << dice.randrange(8)]) + raw[place + 1 :])
            assert read_entry(path) is None, place
        assert path.stat().st_size == len(raw)
    dice = random.Random(5)
    for _ in range(scaled(3, 40)):
        for path in sorted(toy.cache.glob("*.nbc")):
            raw = bytearray(path.read_bytes())
            raw[dice.randrange(len(raw))] ^= 1 << dice.randrange(8)
            path.write_bytes(raw)
        assert toy.says(RUN) == ("58", True)
    assert toy.says(RUN) == ("58", False)


def test_an_entry_under_the_name_of_another_is_not_used(toy: Toy) -> None:
    """Two sources of one shape, the file of each under the other's name: what it is for stands inside it too."""
    toy.says(RUN)
    mine = {path.name.partition("-")[0]: path for path in toy.cache.glob("*.nbc")}
    kept = {name: path.read_bytes() for name, path in mine.items()}
    toy.edit("constants.py", "SCALE = 3", "SCALE = 4")
    assert toy.says(RUN) == ("82", True)
    for path in set(toy.cache.glob("*.nbc")) - set(mine.values()):
        path.write_bytes(kept[path.name.partition("-")[0]])
    assert toy.says(RUN) == ("82", True)


def test_old_entries_are_removed_and_used_ones_kept(toy: Toy) -> None:
    toy.says(RUN)
    old, new = toy.cache / "old-1.py311.nbi", toy.cache / "new-1.py311.nbi"
    for path, age in ((old, 40), (new, 20)):
        path.write_bytes(b"")
        then = path.stat().st_mtime - age * 86_400
        os.utime(path, (then, then))
    assert toy.says(RUN) == ("58", False)
    assert not old.exists() and new.exists()


def test_what_an_interrupted_process_left_behind_is_removed(toy: Toy) -> None:
    toy.says(RUN)
    old, new = toy.cache / ".step-1.nbc.aa.tmp", toy.cache / ".step-1.nbc.bb.tmp"
    for path, age in ((old, 2), (new, 0)):
        path.write_bytes(b"half")
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


# ---- several at once, and interrupted


def test_six_processes_that_start_cold_at_once(toy: Toy) -> None:
    code = f"""
        import time
        import atlantis_envs.engine.kernel, toy.outer
        time.sleep(max(0.0, {time.time() + 4} - time.time()))
        {RUN}
    """
    processes = [toy.start(code) for _ in range(6)]
    told = [process.communicate(timeout=120) for process in processes]
    assert [(process.returncode, out) for process, (out, _) in zip(processes, told, strict=True)] == [(0, "58\n")] * 6
    assert len(toy.machine_code()) == 2 and not list(toy.cache.glob(".*"))
    assert toy.says(RUN) == ("58", False)


def test_two_versions_of_the_source_share_a_cache(tmp_path: Path) -> None:
    """Side by side and by turns, neither is given the other's machine code nor made to compile again."""
    places = [tmp_path / name for name in ("old", "new")]
    for place in places:
        place.mkdir()
    old, new = map(Toy, places)
    new.cache = old.cache
    new.edit("constants.py", "SCALE = 3", "SCALE = 4")
    processes = [toy.start(RUN) for toy in (old, new) * 2]
    assert [process.communicate(timeout=120)[0] for process in processes] == ["58\n", "82\n"] * 2
    for _ in range(2):
        assert old.says(RUN) == ("58", False)
        assert new.says(RUN) == ("82", False)


SLOW = """
    import time
    from atlantis_envs.engine import cache_files

    write = cache_files.os.replace

    def slow(*places):
        print("writing", flush=True)
        time.sleep(DELAY)
        write(*places)

    cache_files.os.replace = slow
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGKILL, signal.SIGTERM], ids=lambda sign: sign.name)
@pytest.mark.parametrize("moment", ["compiling", "writing"])
def test_an_interrupted_compilation_leaves_nothing_bad(toy: Toy, sign: signal.Signals, moment: str) -> None:
    """Whenever it comes: while code is made, or between a file's last byte and its name."""
    code = dedent(SLOW).replace("DELAY", "3" if moment == "writing" else "0") + RUN
    process = toy.start(code)
    assert process.stdout is not None and process.stderr is not None
    if moment == "writing":
        assert process.stdout.readline() == "writing\n"
    else:
        assert "compiling" in process.stderr.read(40)
    process.send_signal(sign)
    out, _ = process.communicate(timeout=60)
    assert process.returncode != 0 and "58" not in out
    assert len(toy.machine_code()) < 2
    assert toy.says(RUN) == ("58", True)
    assert toy.says(RUN) == ("58", False)


@pytest.mark.skipif(not JIT, reason="nothing is compiled")
@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_ctrl_c_while_compiling_leaves_the_process_itself_sound(toy: Toy) -> None:
    """As in a notebook: the next call compiles what is missing, and is right."""
    code = """
        import random, signal, threading, time
        from toy.outer import factory, step

        here, dice, caught = threading.main_thread().ident, random.Random(3), 0
        for bonus in range(20):
            loop = factory(bonus, step)
            delay = dice.uniform(0.0, 0.3)
            timer = threading.Timer(delay, signal.pthread_kill, (here, signal.SIGINT))
            timer.start()
            try:
                loop(2)
                time.sleep(60)
            except KeyboardInterrupt:
                caught += 1
            assert loop(2) == 58 + 4 * bonus
        print(caught, factory(100, step)(2))
    """
    result = toy.run(code)
    assert (result.returncode, result.stdout) == (0, "20 458\n"), result.stderr
    assert "KeyboardInterrupt" not in result.stderr  # raised where nobody could catch it


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


@kernel
def doubled(x):  # type: ignore[no-untyped-def]
    return x * 2


@compiled_only
def test_a_kernel_that_was_pickled_before_it_was_compiled_compiles() -> None:
    """A pickle of one by value, as gymnasium makes of closures, holds those it calls, compiled or not."""

    @entry
    def doubled_and_one(x):  # type: ignore[no-untyped-def]
        return doubled(x) + 1

    assert cloudpickle.loads(cloudpickle.dumps(doubled_and_one))(4) == 9
    assert copy.deepcopy(doubled_and_one)(4) == 9
    assert doubled_and_one(4) == 9
