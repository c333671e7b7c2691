"""Files of machine code: in a directory that is ours alone, each with a checksum that is compared before it is used.

Whoever can write to such a file, replace it, or lead us to another one, runs code as this user. So the directory must
belong to this user and be writable to nobody else, every directory and link on the way to it must be out of others'
reach too, and so must every file. A checksum is no protection against people; it is one against disks: a flipped bit
would otherwise be unpickled, or jumped to.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import stat
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from atlantis_envs.base.values import repr_short

CACHE_VARIABLE = "ATLANTIS_ENVS_CACHE"
OURS = "atlantis-envs-kernels"  # in the directory that the variable names: what else lies there is not ours to remove
HEADER = b"atlantis-envs kernel 2\n"
SUM_BYTES = hashlib.sha256().digest_size
UNFINISHED = ".tmp"
ENDINGS = (".nbc", ".nbi")  # entries, and what older formats had beside them
UNUSED_DAYS = 30  # entries not used for so long are removed
UNFINISHED_DAYS = 1  # and so is what an interrupted process left behind
SECONDS_PER_DAY = 86_400
OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
HAS_USERS = hasattr(os, "getuid")
MOST_LINKS = 40


# ------------------------------------------------------------------------------------------------------- the directory


def cache_directory() -> Path:
    """The directory of compiled kernels, created if needed; a private temporary one if that is impossible."""
    global _directory
    if _directory is None:
        candidates = [place for place in (_user_cache(), _shared_temporary()) if place is not None]
        refused: list[str] = []
        chosen = next((path for path in candidates if _is_usable(path, refused)), None)
        _directory = chosen or Path(tempfile.mkdtemp(prefix="atlantis-envs-"))
        if refused and sys.stderr is not None:
            message = f"atlantis-envs: no kernels are kept in {'; '.join(refused)}. They are kept"
            message += f" in {repr_short(_directory)}.\n"
            sys.stderr.write(message)
        _prune(_directory)
    return _directory


_directory: Path | None = None


def _user_cache() -> Path | None:
    try:
        return _named_cache().absolute()
    except RuntimeError:  # a user without a home directory
        return None


def _named_cache() -> Path:
    chosen = os.environ.get(CACHE_VARIABLE)
    if chosen:
        return Path(chosen).expanduser() / OURS
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", str(Path.home()))) / "atlantis-envs" / "cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "atlantis-envs"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "atlantis-envs"


def _shared_temporary() -> Path:
    return Path(tempfile.gettempdir()).absolute() / f"atlantis-envs-{os.getuid() if HAS_USERS else 0}"


def _is_usable(path: Path, refused: list[str]) -> bool:
    """Whether the directory is ours alone and writable; a reason against the former is noted in ``refused``."""
    try:
        for place in (path.parent, path) if path.name == OURS else (path,):
            _make(place)
            why = weakness(place)
            if why:
                refused.append(f"{repr_short(place)}, since {why}")
                return False
        with tempfile.TemporaryFile(dir=path):
            return True
    except (OSError, ValueError):  # a name with a zero byte is a ValueError
        return False


def _make(path: Path) -> None:
    """Make a directory and those above it, as far as they are missing, for this user alone."""
    for place in reversed((path, *path.parents)):
        if not place.exists():
            with suppress(FileExistsError):  # another process may be faster
                place.mkdir(mode=0o700)


def weakness(path: Path) -> str:
    """Why machine code is not taken from a directory, "" where nobody but this user and root can put any there.

    Raises:
        OSError: something on the way cannot be looked at.
    """
    if not HAS_USERS:
        return ""
    facts = path.stat()
    if not stat.S_ISDIR(facts.st_mode):
        return "it is not a directory"
    if facts.st_uid != os.getuid():
        return "it belongs to another user"
    if facts.st_mode & OTHERS_WRITE:
        return "others may write to it (chmod go-w mends that)"
    for place in _way_to(path):
        facts = place.lstat()
        if facts.st_uid not in {0, os.getuid()}:
            return f"{repr_short(place)} belongs to another user"
        if not stat.S_ISLNK(facts.st_mode) and facts.st_mode & OTHERS_WRITE and not facts.st_mode & stat.S_ISVTX:
            return f"others may write to {repr_short(place)}"
    return ""


def _way_to(path: Path, links: int = 0) -> Iterator[Path]:
    """Every directory and link that leads to a path, and where the links lead, itself included."""
    for place in reversed((path, *path.parents)):
        yield place
        if place.is_symlink():
            if links >= MOST_LINKS:
                raise OSError(f"{repr_short(path)}: too many links")
            yield from _way_to(place.parent / place.readlink(), links + 1)


def _prune(path: Path) -> None:
    now = time.time()
    with suppress(OSError), os.scandir(path) as found:
        for entry in found:
            left_over = entry.name.startswith(".") and entry.name.endswith(UNFINISHED)
            if left_over or entry.name.endswith(ENDINGS):
                with suppress(OSError):
                    days = UNFINISHED_DAYS if left_over else UNUSED_DAYS
                    if entry.stat(follow_symlinks=False).st_mtime < now - days * SECONDS_PER_DAY:
                        os.unlink(entry.path)


# ----------------------------------------------------------------------------------------------------------- the files


def read_entry(path: Path) -> bytes | None:
    """The content written under this name; None if there is none, it has changed, or another user wrote it."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        with os.fdopen(os.open(path, flags), "rb") as stream:
            facts = os.fstat(stream.fileno())
            own = not HAS_USERS or (facts.st_uid == os.getuid() and not facts.st_mode & OTHERS_WRITE)
            raw = stream.read() if own and stat.S_ISREG(facts.st_mode) else b""
    except OSError:
        return None
    start = len(HEADER) + SUM_BYTES
    content = memoryview(raw)[start:]
    if len(raw) < start or raw[:start] != HEADER + hashlib.sha256(content).digest():
        return None
    with suppress(OSError):
        os.utime(path)  # so that what is in use is not removed
    return bytes(content)


def written_at(path: Path) -> int:
    """Return when an entry was written or last used, in nanoseconds since 1970; -1 where there is none."""
    with suppress(OSError):
        return path.lstat().st_mtime_ns
    return -1


def kept_names() -> set[str]:
    """The names of the kernels that have entries, whatever they were compiled for."""
    with suppress(OSError):
        return {name.partition(".")[0] for name in os.listdir(cache_directory()) if name.endswith(ENDINGS)}
    return set()


def write_entry(path: Path, content: bytes) -> None:
    """Put an entry in place, for this user alone: it is complete or was never there.

    Raises:
        OSError: it cannot be written.
    """
    _make(path.parent)
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}{UNFINISHED}")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    try:
        with os.fdopen(os.open(temporary, flags, 0o600), "wb") as stream:
            for part in (HEADER, hashlib.sha256(content).digest(), content):
                stream.write(part)
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise
