"""Where machine code is kept: in files that nobody else may have written, whole ones only, and none for ever."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest
from helpers.support import ROOT, run_python, sampled, scaled
from helpers.toy_kernels import RUN, Toy

from atlantis_envs.kernels.cache import OURS, read_entry


@pytest.fixture
def toy(tmp_path: Path) -> Toy:
    return Toy(tmp_path)


WHERE = "from atlantis_envs.kernels.cache import cache_directory; print(cache_directory())"


def test_the_variable_names_the_directory_which_is_made_private(toy: Toy) -> None:
    deep = toy.cache / "made" / "on demand"
    assert toy.says(WHERE, ATLANTIS_ENVS_CACHE=str(deep)) == (str(deep / OURS), False)
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
    assert toy.says(WHERE, ATLANTIS_ENVS_CACHE=str(above / "cache"))[0] == str(above / "cache" / OURS)


@posix_only
def test_a_link_to_a_directory_is_as_good_as_the_directory_and_the_place_it_stands_in(toy: Toy) -> None:
    real, open_place = toy.place / "real", toy.place / "open"
    for place in (real, open_place):
        place.mkdir(mode=0o700)
    link = toy.place / "link"
    link.symlink_to("real")
    assert toy.says(WHERE, ATLANTIS_ENVS_CACHE=str(link)) == (str(link / OURS), False)
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
@pytest.mark.parametrize(
    "how", sampled(["group", "anybody", "link", "owner", "pipe"], {"group", "link", "pipe"}.__contains__)
)
def test_a_file_that_others_may_have_written_is_compiled_anew(toy: Toy, how: str) -> None:
    """Sound as it is: its checksum says nothing about who wrote it."""
    if how == "owner" and os.getuid() != 0:
        pytest.skip("only root can give files away")
    toy.says(RUN)
    for path in sorted(toy.kernels.glob("*.nbc")):
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
    assert all(path.lstat().st_mode == 0o100600 for path in toy.kernels.glob("*.nbc"))


@posix_only
def test_a_generous_umask_opens_nothing_to_others(toy: Toy) -> None:
    place = toy.place / "made" / "cache"
    code = f"import os; os.umask(0); {RUN}"
    assert toy.says(code, ATLANTIS_ENVS_CACHE=str(place)) == ("58", True)
    assert toy.says(code, ATLANTIS_ENVS_CACHE=str(place)) == ("58", False)
    modes = {path.stat().st_mode & 0o777 for path in (place.parent, place, place / OURS)}
    assert modes == {0o700} and {path.stat().st_mode & 0o777 for path in (place / OURS).iterdir()} == {0o600}


def test_a_tilde_in_the_variable_is_the_home_directory(toy: Toy) -> None:
    told, _ = toy.says(WHERE, ATLANTIS_ENVS_CACHE="~/kernels here", HOME=str(toy.place))
    assert told == str(toy.place / "kernels here" / OURS) and Path(told).is_dir()
    assert not (ROOT / "~").exists()
    told, _ = toy.says(WHERE, ATLANTIS_ENVS_CACHE="~no_such_user_here/x", TMPDIR=str(toy.place))
    assert Path(told).parent == toy.place


def test_a_relative_directory_stays_where_it_was(toy: Toy) -> None:
    code = f"import os; os.chdir({str(toy.place)!r}); {WHERE}; os.chdir('/'); {RUN}"
    told, _ = toy.says(code, ATLANTIS_ENVS_CACHE="near")
    assert told.split() == [str(toy.place / "near" / OURS), "58"] and list((toy.place / "near" / OURS).glob("*.nbc"))


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


@pytest.mark.parametrize("damage", sampled(DAMAGES, {"cut off", "no pickle"}.__contains__))
def test_a_damaged_entry_is_compiled_anew(toy: Toy, damage: str) -> None:
    toy.says(RUN)
    for path in toy.kernels.glob("*.nbc"):
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
    for path in sorted(toy.kernels.glob("*.nbc")):
        raw, dice = path.read_bytes(), random.Random(path.name[:4])
        ends = (0, 22, 23, 54, 55, 56, len(raw) - 1)  # in the header, the checksum, the content
        for place in (*ends, *(dice.randrange(len(raw)) for _ in range(300))):
            path.write_bytes(raw[:place] + bytes([raw[place] ^ 1 << dice.randrange(8)]) + raw[place + 1 :])
            assert read_entry(path) is None, place
        assert path.stat().st_size == len(raw)
    dice = random.Random(5)
    for _ in range(scaled(3, 40)):
        for path in sorted(toy.kernels.glob("*.nbc")):
            raw = bytearray(path.read_bytes())
            raw[dice.randrange(len(raw))] ^= 1 << dice.randrange(8)
            path.write_bytes(raw)
        assert toy.says(RUN) == ("58", True)
    assert toy.says(RUN) == ("58", False)


def test_an_entry_under_the_name_of_another_is_not_used(toy: Toy) -> None:
    """Two sources of one shape, the file of each under the other's name: what it is for stands inside it too."""
    toy.says(RUN)
    mine = {path.name.partition("-")[0]: path for path in toy.kernels.glob("*.nbc")}
    kept = {name: path.read_bytes() for name, path in mine.items()}
    toy.edit("constants.py", "SCALE = 3", "SCALE = 4")
    assert toy.says(RUN) == ("82", True)
    for path in set(toy.kernels.glob("*.nbc")) - set(mine.values()):
        path.write_bytes(kept[path.name.partition("-")[0]])
    assert toy.says(RUN) == ("82", True)


def test_old_entries_and_what_interrupted_processes_left_are_removed_and_the_rest_kept(toy: Toy) -> None:
    toy.says(RUN)
    ages = {"old-1.py311.nbi": 40, "new-1.py311.nbi": 20, ".step-1.nbc.aa.tmp": 2, ".step-1.nbc.bb.tmp": 0}  # days
    for name, age in ages.items():
        path = toy.kernels / name
        path.write_bytes(b"half")
        then = path.stat().st_mtime - age * 86_400
        os.utime(path, (then, then))
    assert toy.says(RUN) == ("58", False)
    assert [name for name in ages if (toy.kernels / name).exists()] == ["new-1.py311.nbi", ".step-1.nbc.bb.tmp"]


def test_what_is_not_ours_is_never_removed(toy: Toy) -> None:
    toy.cache.mkdir()
    others = [
        toy.cache / name for name in (".notes.tmp", "function-1.py311.nbi", "function-1.nbc", ".step-1.nbc.aa.tmp")
    ]
    for path in others:
        path.write_bytes(b"somebody else's")
        then = path.stat().st_mtime - 400 * 86_400
        os.utime(path, (then, then))
    assert toy.says(RUN) == ("58", True) and toy.machine_code()
    assert sorted(toy.cache.iterdir()) == sorted([*others, toy.kernels])


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
