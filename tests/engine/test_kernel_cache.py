"""The private disk cache of kernels: found again by a second process, never stale, never another's."""

from __future__ import annotations

import shutil
import signal
import sys
import time
from pathlib import Path
from textwrap import dedent

import pytest
from helpers.support import sampled
from helpers.toy_kernels import RUN, Toy

from atlantis_envs.kernels.kernel import JIT


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

    from atlantis_envs.kernels.vocabulary import Vocabulary

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


LARGE = """
    from atlantis_envs.kernels.kernel import entry, kernel

    def make(bonus):
        @kernel
        def long(x):
            total = 0
            for outer in range(9):
                for inner in range(7):
                    total += (x * outer + inner) % 5
                    if total % 11 == 3:
                        total -= outer
                    elif total % 13 == 5:
                        total += inner * x
                    if total > 10_000:
                        return total % 97 + bonus
            return total + bonus

        @entry
        def loop(x):
            y = long(x)
            return y - long(y) if y < 0 else y
        return loop

    print(*[make(bonus)(2) - make(0)(2) for bonus in ({})])
"""


def test_two_games_that_started_cold_at_once_stay_themselves(toy: Toy) -> None:
    """What either process numbers in order has the same numbers; kernels are too large to be taken in by the caller."""
    for bonus in ("1,", "2,"):
        assert toy.says(LARGE.format(bonus), ATLANTIS_ENVS_CACHE=str(toy.place / bonus)) == (bonus[0], True)
        shutil.copytree(toy.place / bonus, toy.cache, dirs_exist_ok=True)
    assert toy.says(LARGE.format("1, 2")) == ("1 2", False)
    assert toy.says(LARGE.format("2, 1")) == ("2 1", False)


def test_kernels_handed_to_a_factory_count(toy: Toy) -> None:
    code = """
        from atlantis_envs.kernels.kernel import kernel
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
        from atlantis_envs.kernels.kernel import entry

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


# ---- several at once, and interrupted


def test_six_processes_that_start_cold_at_once(toy: Toy) -> None:
    code = f"""
        import time
        import atlantis_envs.kernels.kernel, toy.outer
        time.sleep(max(0.0, {time.time() + 4} - time.time()))
        {RUN}
    """
    processes = [toy.start(code) for _ in range(6)]
    told = [process.communicate(timeout=120) for process in processes]
    assert [(process.returncode, out) for process, (out, _) in zip(processes, told, strict=True)] == [(0, "58\n")] * 6
    assert len(toy.machine_code()) == 2 and not list(toy.kernels.glob(".*"))
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
    from atlantis_envs.kernels import cache as cache_files

    write = cache_files.os.replace

    def slow(*places):
        print("writing", flush=True)
        time.sleep(DELAY)
        write(*places)

    cache_files.os.replace = slow
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize(
    "sign",
    sampled([signal.SIGINT, signal.SIGKILL, signal.SIGTERM], lambda sign: sign != signal.SIGTERM),
    ids=lambda sign: sign.name,
)
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
    cut = len(toy.machine_code()) < 2
    # Ctrl-C waits for the kernel in hand, which may have been the last one on a machine that was slow to send it.
    assert cut or (sign, moment) == (signal.SIGINT, "compiling")
    assert toy.says(RUN) == ("58", cut)
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


# ---- what is read through modules

MODULES = """
    from atlantis_envs.kernels.kernel import entry
    from toy import constants, inner, words
    import toy

    @entry
    def run(x):
        return inner.step(x) + constants.SCALE + toy.inner.OFFSETS[1] + words.Colour.RED
"""
WORDS = """
    from atlantis_envs.kernels.vocabulary import Vocabulary

    class Colour(Vocabulary):
        RED = 500
"""
THROUGH_MODULES = [  # code of a kernel, a constant, an array in a module of a module, a vocabulary
    ("inner.py", "SCALE * x", "SCALE - x", "534"),
    ("constants.py", "SCALE = 3", "SCALE = 4", "542"),
    ("inner.py", "[10, 20, 30]", "[10, 21, 30]", "540"),
    ("words.py", "RED = 500", "RED = 600", "639"),
]


@pytest.fixture
def modules(toy: Toy) -> Toy:
    for name, text in (("outer.py", MODULES), ("words.py", WORDS)):
        (toy.place / "toy" / name).write_text(dedent(text))
    return toy


def test_an_edit_of_what_is_read_through_a_module_is_seen(modules: Toy) -> None:
    assert modules.says(RUN) == ("539", True)
    assert modules.says(RUN) == ("539", False)
    for file, old, new, answer in THROUGH_MODULES:
        modules.edit(file, old, new)
        assert modules.says(RUN) == (answer, True), new
        modules.edit(file, new, old)
    modules.edit("constants.py", "TABLE = (1, 2, 3)", "TABLE = (4, 5)")
    assert modules.says(RUN) == ("539", False), "what no kernel reads of a module does not count"


def test_an_attribute_of_a_module_that_is_set_anew_is_seen(modules: Toy) -> None:
    assert modules.says(RUN) == ("539", True)
    assert modules.says(f"from toy import constants; constants.SCALE = 5; {RUN}") == ("545", True)
    assert modules.says(RUN) == ("539", False)


def test_what_is_read_through_modules_is_the_same_uncompiled(modules: Toy) -> None:
    assert modules.says(RUN, NUMBA_DISABLE_JIT="1") == ("539", False)
