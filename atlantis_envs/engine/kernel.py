"""The one place that knows numba: the ``kernel`` decorator and its private disk cache.

A kernel is a plain Python function over NumPy records and arrays; compiled it runs like C, and with
``NUMBA_DISABLE_JIT=1`` the same source runs as ordinary Python. numba's own cache cannot serve here: it looks at one
function's byte code only, so an edit in another file keeps stale machine code, and a loop that closes over a game's
kernels is compiled anew in every process. Here a kernel's identity is a recursive digest of its source, of every
constant it reads and of every kernel it calls; the digest names the cache entry and the dispatcher.

The cache lies in the user's cache directory; the variable ATLANTIS_ENVS_CACHE moves it. It holds machine code, so it is
used only when the directory belongs to this user.
"""

from __future__ import annotations

import dis
import hashlib
import inspect
import os
import stat
import sys
import tempfile
import time
import types
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache, partial
from pathlib import Path
from typing import Any, TypeVar

import numba
import numpy as np

Function = TypeVar("Function", bound=Callable[..., Any])

OPTIONS = {"nogil": True, "error_model": "numpy", "_nrt": False}  # nothing is allocated: no reference counts
INNER_OPTIONS = {
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
}  # a quarter of the compile time, for nothing
JIT = not numba.config.DISABLE_JIT
CACHE_VARIABLE = "ATLANTIS_ENVS_CACHE"
CACHE_FORMAT = "1"
UNUSED_DAYS = 30  # cache entries not used for so long are removed
SECONDS_PER_DAY = 86_400


def kernel(function: Function) -> Function:
    """Compile ``function`` when another kernel calls it. Python calls entry points only (or ``.py_func``)."""
    return _compiled(function, INNER_OPTIONS)


def entry(function: Function) -> Function:
    """A kernel that Python may call: compiled on first call, with a disk cache that sees every edit it depends on."""
    return _compiled(function, {})


def _compiled(function: Function, more: dict[str, bool]) -> Function:
    if not JIT:
        return function
    dispatcher = numba.njit(**OPTIONS, **more)(function)
    try:
        if more:
            dispatcher.__class__ = _InnerDispatcher
        dispatcher._cache = _LazyCache(dispatcher)
        dispatcher.get_call_template = partial(_call_widened, dispatcher.get_call_template)
    except Exception as error:  # a numba whose inside looks different: slower starts, same results
        warnings.warn(f"private kernel cache unavailable ({error}); using numba's own", stacklevel=2)
        dispatcher.enable_caching()
    return dispatcher  # type: ignore[no-any-return]


class _InnerDispatcher(numba.core.registry.CPUDispatcher):
    """A kernel without a Python wrapper: calling it from Python would jump to nowhere."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise TypeError(f"{self.py_func.__name__} is called by kernels only; make it an entry, or use .py_func")


def _call_widened(get_call_template: Any, args: Any, kws: Any) -> Any:
    """Compile a called kernel for int64 arguments once, not again for every narrow integer and every literal."""
    return get_call_template(tuple(_widened(arg) for arg in args), {key: _widened(arg) for key, arg in kws.items()})


def _widened(numba_type: Any) -> Any:
    plain = numba.types.unliteral(numba_type)
    narrow = isinstance(plain, numba.types.Integer) and plain.bitwidth < numba.int64.bitwidth
    return numba.int64 if narrow else plain


# ---------------------------------------------------------------------------------------------------------- digest


def digest(function: Any) -> str:
    """Hex digest of a kernel: its source, the constants it reads, and the digests of the kernels it calls."""
    return _digest(_plain(function), ())


def callees(function: Any) -> set[Any]:
    """Every kernel reachable from this one, itself included."""
    found, waiting = {function}, [function]
    while waiting:
        for _, value in _references(_plain(waiting.pop())):
            if _is_kernel(value) and value not in found:
                found.add(value)
                waiting.append(value)
    return found


_digests: dict[types.FunctionType, str] = {}


def _digest(function: types.FunctionType, above: tuple[types.FunctionType, ...]) -> str:
    if function in above:
        raise TypeError(f"kernel {function.__qualname__} is recursive, which kernels must not be")
    if function not in _digests:
        text = hashlib.sha256(f"{CACHE_FORMAT} {_environment()}\n{_source(function)}".encode())
        for name, value in _references(function):
            text.update(f"\n{name} = {_identity(value, function, above)}".encode())
        _digests[function] = text.hexdigest()
    return _digests[function]


def _environment() -> str:
    """What changes the machine code but not the source, and is missing from numba's own key."""
    config = numba.config
    return f"{sys.version_info[:2]} {np.__version__} {config.BOUNDSCHECK} {config.OPT} {sorted(OPTIONS.items())}"


def _source(function: types.FunctionType) -> str:
    try:
        return inspect.getsource(function)
    except (OSError, TypeError):
        return repr((function.__code__.co_code, function.__code__.co_consts))


def _plain(function: Any) -> types.FunctionType:
    plain: types.FunctionType = getattr(function, "py_func", function)
    return plain


def _is_kernel(value: Any) -> bool:
    return hasattr(value, "py_func") or (not JIT and isinstance(value, types.FunctionType))


@cache
def _global_names(code: types.CodeType) -> list[str]:
    """The globals a function reads; reading byte code was a fifth of a warm start."""
    return sorted({step.argval for step in dis.get_instructions(code) if step.opname == "LOAD_GLOBAL"})


def _references(function: types.FunctionType) -> list[tuple[str, Any]]:
    """The (name, value) pairs of the globals and closure variables a function reads."""
    code = function.__code__
    pairs = [(name, function.__globals__[name]) for name in _global_names(code) if name in function.__globals__]
    pairs += [("default values", (function.__defaults__, *(function.__kwdefaults__ or {}).items()))]
    cells = function.__closure__ or ()
    return pairs + [(name, cell.cell_contents) for name, cell in zip(code.co_freevars, cells, strict=True)]


def _identity(value: Any, reader: types.FunctionType, above: tuple[types.FunctionType, ...]) -> str:
    if _is_kernel(value):
        return _digest(_plain(value), (*above, reader))
    if isinstance(value, types.ModuleType) and value.__name__ in {"numpy", "math"}:
        return value.__name__
    if isinstance(value, (bool, int, float, str, np.generic, np.dtype, type(None))):
        return f"{type(value).__name__} {value!r}"
    if isinstance(value, np.ndarray):
        return f"array {value.dtype} {value.shape} {hashlib.sha256(value.tobytes()).hexdigest()}"
    if isinstance(value, tuple):
        return f"({', '.join(_identity(item, reader, above) for item in value)})"
    raise TypeError(
        f"kernel {reader.__qualname__} reads {value!r}; a kernel may read numbers, strings, tuples, arrays, dtypes, "
        "numpy, math and other kernels"
    )


# ----------------------------------------------------------------------------------------------------------- cache


def cache_directory() -> Path:
    """The directory of compiled kernels, created if needed; a private temporary one if that is impossible."""
    global _directory
    if _directory is None:
        candidates = [_user_cache(), Path(tempfile.gettempdir()) / f"atlantis-envs-{_user_id()}"]
        _directory = next((path for path in candidates if _is_usable(path)), None) or Path(tempfile.mkdtemp())
        _prune(_directory)
    return _directory


_directory: Path | None = None


def _user_cache() -> Path:
    chosen = os.environ.get(CACHE_VARIABLE)
    if chosen:
        return Path(chosen)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", str(Path.home()))) / "atlantis-envs" / "cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "atlantis-envs"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "atlantis-envs"


def _user_id() -> int:
    return os.getuid() if hasattr(os, "getuid") else 0


def _is_usable(path: Path) -> bool:
    """Writable, and ours alone: machine code written by somebody else must never be loaded."""
    try:
        path.mkdir(parents=True, exist_ok=True, mode=0o700)
        facts = path.stat()
        if hasattr(os, "getuid") and (facts.st_uid != os.getuid() or facts.st_mode & stat.S_IWOTH):
            return False
        with tempfile.TemporaryFile(dir=path):
            return True
    except OSError:
        return False


def _prune(path: Path) -> None:
    oldest = time.time() - UNUSED_DAYS * SECONDS_PER_DAY
    for entry in path.glob("*.nb[ic]"):
        with suppress(OSError):
            if entry.stat().st_mtime < oldest:
                entry.unlink()


if JIT:
    from numba.core.caching import CompileResultCacheImpl, FunctionCache, NullCache, _Cache, _CacheLocator

    class _DigestLocator(_CacheLocator):
        """Puts entries into our directory, under the kernel's digest."""

        def __init__(self, function: types.FunctionType) -> None:
            self._py_file = function.__code__.co_filename
            self._digest = digest(function)

        def get_cache_path(self) -> str:
            return str(cache_directory())

        def get_source_stamp(self) -> str:
            return self._digest

        def get_disambiguator(self) -> str:
            return self._digest[:32]

    class _KernelCacheImpl(CompileResultCacheImpl):
        def __init__(self, function: types.FunctionType) -> None:
            self._lineno = function.__code__.co_firstlineno
            self._locator = _DigestLocator(function)
            self._filename_base = self.get_filename_base(function.__name__, getattr(sys, "abiflags", ""))

    class _KernelCache(FunctionCache):
        _impl_class = _KernelCacheImpl

        def _index_key(self, sig: Any, codegen: Any) -> tuple[Any, Any, str]:
            return (sig, codegen.magic_tuple(), self._impl.locator.get_source_stamp())

        def load_overload(self, sig: Any, target_context: Any) -> Any:
            try:
                loaded = super().load_overload(sig, target_context)
            except Exception:  # a file cut off or damaged: compile again, which replaces it
                with suppress(OSError):
                    os.unlink(self._cache_file._index_path)
                return None
            if loaded is not None:
                with suppress(OSError):
                    os.utime(self._cache_file._index_path)
            return loaded

    class _LazyCache(_Cache):
        """Computes the digest at the first call only, when the kernels further down the file exist."""

        def __init__(self, dispatcher: Any) -> None:
            self._dispatcher = dispatcher
            self._kernel_cache: Any = None

        def _inner(self) -> Any:
            if self._kernel_cache is None:
                self._dispatcher._set_uuid(digest(self._dispatcher))
                try:
                    self._kernel_cache = _KernelCache(self._dispatcher.py_func)
                except OSError:
                    self._kernel_cache = NullCache()
            return self._kernel_cache

        @property
        def cache_path(self) -> Any:
            return self._inner().cache_path

        def load_overload(self, sig: Any, target_context: Any) -> Any:
            loaded = self._inner().load_overload(sig, target_context)
            if loaded is None:
                _progress.begin(self._dispatcher.py_func.__name__)
            return loaded

        def save_overload(self, sig: Any, cres: Any) -> None:
            self._inner().save_overload(sig, cres)
            _progress.end()

        def enable(self) -> None:
            self._inner().enable()

        def disable(self) -> None:
            self._inner().disable()

        def flush(self) -> None:
            self._inner().flush()


# -------------------------------------------------------------------------------------------------------- progress


class _Progress:
    """One line on stderr while kernels compile, so that a first use never looks like a hang."""

    def __init__(self) -> None:
        self.title = ""
        self.total = 0
        self.depth = 0
        self.done = 0
        self.started = 0.0
        self.announced = False

    def begin(self, name: str) -> None:
        self.depth += 1
        if not self.announced:
            self.announced = True
            self.started = time.perf_counter()
            self._write(f"atlantis-envs: compiling {self.title or name} (first use only, then cached) ...")

    def end(self) -> None:
        self.depth = max(0, self.depth - 1)
        self.done += 1
        if self.announced and sys.stderr.isatty():
            share = f"{self.done}/{self.total}" if self.total else f"{self.done}"
            self._write(f"\ratlantis-envs: compiling {self.title} (first use only, then cached): {share} kernels ")
        if self.depth == 0 and not self.total:
            self.finish()

    def finish(self) -> None:
        if self.announced:
            self._write(f" {time.perf_counter() - self.started:.1f} s\n")
        self.announced, self.done, self.depth = False, 0, 0

    @staticmethod
    def _write(text: str) -> None:
        if sys.stderr is not None:
            sys.stderr.write(text)
            sys.stderr.flush()


_progress = _Progress()


@contextmanager
def compiling(title: str, entries: list[Any]) -> Iterator[None]:
    """Report everything compiled inside as one line under ``title``, counted against the kernels of ``entries``."""
    if not JIT:
        yield
        return
    reached: set[Any] = set()
    for entry in entries:
        reached |= callees(entry)
    _progress.title, _progress.total = title, len(reached)
    try:
        yield
    finally:
        _progress.finish()
        _progress.title, _progress.total = "", 0
