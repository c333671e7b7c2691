"""The module that knows numba: the ``kernel`` decorator and its private disk cache.

A kernel is a plain Python function over NumPy records and arrays; compiled it is machine code, and with
``NUMBA_DISABLE_JIT=1`` the same source runs as ordinary Python. numba's own cache cannot serve here: it looks at one
function's byte code only, so an edit in another file keeps stale machine code, and a loop that closes over a game's
kernels is compiled anew in every process. Here a kernel's identity is a recursive digest of its source, of every
constant it reads and of every kernel it calls, by name or as ``module.name``; the digest names the cache entry and the
dispatcher.

The cache lies in the user's cache directory; the variable ATLANTIS_ENVS_CACHE moves it. How its files are kept safe is
the matter of ``cache_files``.
"""

from __future__ import annotations

import dis
import hashlib
import inspect
import sys
import types
import warnings
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext, suppress
from functools import cache, partial
from io import BytesIO
from pathlib import Path
from pickle import Unpickler
from typing import Any, TypeVar

import llvmlite
import numba
import numpy as np
from numba.core.compiler import Compiler

from atlantis_envs.kernels import literals as literals  # tells the compiler of vocabularies
from atlantis_envs.kernels.cache import cache_directory, kept_names, read_entry, write_entry, written_at
from atlantis_envs.kernels.inner import KIND, InnerCompiler, adopt_environments, rebuilt
from atlantis_envs.kernels.prebuilt import Machine, machine_for, prebuilt_names, read_prebuilt
from atlantis_envs.kernels.progress import DeferredSignals, Progress
from atlantis_envs.kernels.vocabulary import Vocabulary

Function = TypeVar("Function", bound=Callable[..., Any])

OPTIONS = {"nogil": True, "error_model": "numpy", "_nrt": False}  # nothing is allocated: no reference counts
INNER_OPTIONS = {
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
}  # a quarter of the compile time, for nothing
JIT = not numba.config.DISABLE_JIT
CACHE_FORMAT = "4"
FOREIGN_MODULES = {"numpy", "math"}  # known by name: their versions are part of every digest
READS_NAME, READS_ATTRIBUTE = {"LOAD_GLOBAL", "LOAD_DEREF"}, {"LOAD_ATTR", "LOAD_METHOD"}
SAYS_NOTHING = {"EXTENDED_ARG", "CACHE", "PUSH_NULL"}  # steps that may stand between a module and its attribute
SECONDS_A_BYTE, SECONDS_A_BYTE_OF_ENTRIES, SECONDS_TAKEN_IN = 1.6e-4, 3e-4, 2.5e-5  # see _seconds


def kernel(function: Function) -> Function:
    """Compile ``function`` when another kernel calls it. Python calls entry points only (or ``.py_func``).

    >>> from atlantis_envs.authoring import OVER, kernel
    >>> @kernel
    ... def node(rules, state):
    ...     return OVER if int(state.turn) == 2 else int(state.turn)

    A kernel allocates nothing, raises nothing, and reads constants and other kernels through their modules.
    """
    return _compiled(function, INNER_OPTIONS)


def entry(function: Function) -> Function:
    """Make a kernel that Python may call: compiled on first call, with a cache that sees every edit it depends on."""
    return _compiled(function, {})


def direct(function: Function, *arguments: Any) -> Function:
    """Give the machine code of an entry for arguments of just these types, and a call is 1.5 us shorter.

    It looks at no types: only for arguments that the caller itself has made.
    """
    return function.compile(tuple(map(numba.typeof, arguments))) if JIT else function  # type: ignore[attr-defined]


def _compiled(function: Function, more: dict[str, bool]) -> Function:
    if not JIT:
        return function
    dispatcher = numba.njit(**OPTIONS, **more)(function)
    try:
        dispatcher._compiler.pipeline_class = _NamedInner if more else _Named
        dispatcher.__class__ = _InnerDispatcher if more else _Dispatcher
        dispatcher._cache = _LazyCache(dispatcher)
        dispatcher.get_call_template = partial(_call_widened, dispatcher.get_call_template)
    except Exception as error:  # a numba with other internals: slower starts, same results
        warnings.warn(f"private kernel cache unavailable ({error}); using numba's own", stacklevel=2)
        dispatcher.enable_caching()
    return dispatcher  # type: ignore[no-any-return]


class _Dispatcher(numba.core.registry.CPUDispatcher):
    """Compiles, or loads, without being interrupted where that would harm the process."""

    def compile(self, sig: Any) -> Any:
        with _patience:
            return super().compile(sig)

    @property
    def _uuid(self) -> str:
        """Return the name in numba's pickles: the digest, whether the kernel is compiled first or pickled first."""
        name = digest(self)
        self._set_uuid(name)
        return name

    def _set_uuid(self, name: str) -> None:
        if self._memo.get(name) is not self:
            self._memo[name] = self
            self._recent.append(self)


class _Named(Compiler):
    """numba's compiler, with names for the linker that say what a kernel is.

    numba numbers functions in the order in which a process compiles them. Of two kernels with equal names and numbers,
    compiled by two processes, a third one would run the first for both.
    """

    def _compile_bytecode(self) -> Any:
        identity, types_of = self.state.func_id, self.state.args
        identity.unique_id = hashlib.sha256(f"{digest(identity.func)} {types_of}".encode()).hexdigest()[:32]
        return super()._compile_bytecode()


class _NamedInner(_Named, InnerCompiler):
    """The same for kernels that only kernels call."""


class _InnerDispatcher(_Dispatcher):
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
    """Return the hex digest of a kernel: its source, the constants it reads, the digests of kernels it calls."""
    return _digest(_plain(function), ())


def callees(function: Any) -> set[Any]:
    """Return every kernel reachable from this one, itself included."""
    found, waiting = {function}, [function]
    while waiting:
        new = _called(waiting.pop()) - found
        found |= new
        waiting += new
    return found


def _called(function: Any) -> set[Any]:
    """Return the kernels that a kernel names itself; as default values they count like any other."""
    return {value for _, value in _references(_plain(function)) if _is_kernel(value)}


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
    """Return what changes the machine code or its encoding, but not the source, and is missing from numba's key."""
    numpy = ".".join(np.__version__.split(".")[:2])  # what mends a fault of NumPy changes no array
    versions = f"{sys.version_info[:2]} {numpy} {numba.__version__} {llvmlite.__version__}"
    return f"{versions} {numba.config.BOUNDSCHECK} {numba.config.OPT} {sorted(OPTIONS.items())}"


def _here() -> Machine:
    machine: Machine = numba.core.registry.cpu_target.target_context.codegen().magic_tuple()
    return machine


def target() -> tuple[str, Machine]:
    """Return for what this process compiles: the versions that matter, and the machine."""
    return _environment(), _here()


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
def _names_read(code: types.CodeType) -> list[tuple[str, ...]]:
    """Return the globals and closure variables that code reads, each with the chain of attributes asked of it.

    ``board.is_live`` gives ("board", "is_live"). Reading byte code was a fifth of a warm start.
    """
    found: list[tuple[str, ...]] = []
    inside = False  # whether the step before read a name, or an attribute of one
    for step in dis.get_instructions(code):
        if step.opname in READS_NAME:
            found.append((step.argval,))
            inside = True
        elif inside and step.opname in READS_ATTRIBUTE:
            found[-1] += (step.argval,)
        elif step.opname not in SAYS_NOTHING:
            inside = False
    return sorted(set(found))


def _references(function: types.FunctionType) -> list[tuple[str, Any]]:
    """Return the (name, value) pairs of what a function reads; of a module of kernels its attributes, not the module.

    A module that is read whole, as ``f(board)`` does, stays a module, and ``_identity`` refuses it.
    """
    code, scope = function.__code__, function.__globals__
    cells = zip(code.co_freevars, function.__closure__ or (), strict=True)
    closed = {name: cell.cell_contents for name, cell in cells}
    read = _names_read(code)
    passed_on = [(name,) for name in closed if name not in {name for name, *_ in read}]  # to a function within
    pairs = dict(_followed(scope, *names) for names in read if names[0] in scope and names[0] not in closed)
    pairs["default values"] = (function.__defaults__, *(function.__kwdefaults__ or {}).items())
    return [
        *pairs.items(),
        *dict(_followed(closed, *names) for names in read + passed_on if names[0] in closed).items(),
    ]


def _followed(scope: dict[str, Any], name: str, *attributes: str) -> tuple[str, Any]:
    """Return the name and the value that a chain of attributes leads to, as far as it leads through modules."""
    value = scope[name]
    for attribute in attributes:
        if not _is_our_module(value) or not hasattr(value, attribute):
            break
        name, value = f"{name}.{attribute}", getattr(value, attribute)
    return name, value


def _is_our_module(value: Any) -> bool:
    return isinstance(value, types.ModuleType) and value.__name__ not in FOREIGN_MODULES


def _identity(value: Any, reader: types.FunctionType, above: tuple[types.FunctionType, ...]) -> str:
    if _is_kernel(value):
        return _digest(_plain(value), (*above, reader))
    if isinstance(value, numba.extending._Intrinsic):
        return _source(value._defn)
    if isinstance(value, types.ModuleType) and value.__name__ in FOREIGN_MODULES:
        return value.__name__
    if isinstance(value, (bool, int, float, str, np.generic, np.dtype, type(None))):
        return f"{type(value).__name__} {value!r}"
    if isinstance(value, np.ndarray):
        return f"array {value.dtype} {value.shape} {hashlib.sha256(value.tobytes()).hexdigest()}"
    if isinstance(value, type) and issubclass(value, Vocabulary):
        return f"{value.__name__} {value.numbers()}"
    if isinstance(value, tuple):
        return f"({', '.join(_identity(item, reader, above) for item in value)})"
    raise TypeError(
        f"kernel {reader.__qualname__} reads {value!r}; a kernel may read numbers, strings, tuples, arrays, dtypes, "
        "vocabularies, numpy, math and other kernels, also as attributes of a module"
    )


# ----------------------------------------------------------------------------------------------------------- cache


def _file_name(function: types.FunctionType) -> str:
    return f"{function.__name__}-{digest(function)[:32]}"


if JIT:
    from numba.core.caching import CompileResultCacheImpl, FunctionCache, NullCache, _Cache, _CacheLocator
    from numba.core.serialize import dumps

    class _DigestLocator(_CacheLocator):
        """Puts entries into our directory, under the kernel's digest."""

        def __init__(self, function: types.FunctionType) -> None:
            self._py_file = function.__code__.co_filename
            self._digest = digest(function)

        def get_cache_path(self) -> str:
            """Return no path: the directory is looked for when it is needed, which with prebuilt kernels is never."""
            return ""

        def ensure_cache_path(self) -> None:
            """Do nothing: the directory is made, for this user alone, with the first entry."""

        def get_source_stamp(self) -> str:
            return self._digest

        def get_disambiguator(self) -> str:
            return self._digest[:32]

    class _KernelCacheImpl(CompileResultCacheImpl):
        def __init__(self, function: types.FunctionType) -> None:
            self._locator = _DigestLocator(function)
            self._filename_base = _file_name(function)

        def reduce(self, cres: Any) -> Any:
            """Leave the annotated source out: a third of an entry, with paths of this machine, that nobody reads."""
            return super().reduce(cres._replace(type_annotation=""))

        def rebuild(self, target_context: Any, payload: Any) -> Any:
            """Make of an entry what was saved."""
            kind = payload[0][1]
            return (rebuilt if kind == KIND else super().rebuild)(target_context, payload)

    class _Entries:
        """One file per kernel and signature, in the place of numba's index and data files.

        Two processes that write the same entry write the same thing, and an index they might tear does not exist.
        """

        def __init__(self, base: str) -> None:
            self._base = base
            self._missed: dict[Path, int] = {}  # entries that were of no use, by when they were written

        def name(self, key: Any) -> str:
            """Return the name of an entry: of the kernel, and of what it was compiled for."""
            return f"{self._base}.{hashlib.sha256(repr(key).encode()).hexdigest()[:16]}"

        def _path(self, key: Any) -> Path:
            return cache_directory() / f"{self.name(key)}.nbc"

        def load(self, key: Any) -> Any:
            """Return what was saved under the key, or None."""
            path = self._path(key)
            found = _unpickled(read_entry(path), key)
            if found is None:
                self._missed[path] = written_at(path)
            return found

        def save(self, key: Any, data: Any) -> None:
            """Write an entry; where that fails, later processes compile again."""
            path = self._path(key)
            if written_at(path) > self._missed.get(path, sys.maxsize):
                _progress.compiled_elsewhere()
            write_entry(path, dumps((key, data)))

        def flush(self) -> None:
            """Do nothing: nothing is kept in memory."""

    class _PrebuiltEntries(_Entries):
        """What came with the package, made for a processor that this one can stand in for."""

        def load(self, key: Any) -> Any:
            """Return what was made of the kernel in the key, for another machine that fits, or None."""
            signature, here, stamp = key
            machine = _machine_for(here)
            if machine is None:
                return None
            key = (signature, machine, stamp)
            return _unpickled(read_prebuilt(self.name(key)), key)

    @cache
    def _machine_for(here: Machine) -> Machine | None:
        return machine_for(_environment(), here)

    def _unpickled(content: bytes | None, key: Any) -> Any:
        if content is None:
            return None
        # As numba reads its own cache; these bytes are ours, and as they were written (cache_files, prebuilt).
        found, data = Unpickler(BytesIO(content)).load()
        return data if found == key else None

    class _KernelCache(FunctionCache):
        _impl_class = _KernelCacheImpl

        def __init__(self, function: types.FunctionType) -> None:
            super().__init__(function)
            base = self._impl.filename_base
            self._places = (_PrebuiltEntries(base), _Entries(base))
            self._cache_file = self._places[-1]

        def _index_key(self, sig: Any, codegen: Any) -> tuple[Any, Any, str]:
            return (sig, codegen.magic_tuple(), self._impl.locator.get_source_stamp())

        def load_overload(self, sig: Any, target_context: Any) -> Any:
            for place in self._places:
                self._cache_file = place
                with suppress(Exception):  # as it was written, and yet of no use here: the next place, or compile
                    loaded = super().load_overload(sig, target_context)
                    if loaded is not None:
                        return loaded
            return None

        def save_overload(self, sig: Any, cres: Any) -> None:
            self._cache_file = self._places[-1]
            with suppress(OSError):  # a full disk costs the next process its time, and this one nothing
                super().save_overload(sig, cres)

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
            return str(cache_directory())

        def load_overload(self, sig: Any, target_context: Any) -> Any:
            _patience.safe_point()
            loaded = self._inner().load_overload(sig, target_context)
            if loaded is None:
                one = self._dispatcher
                _progress.begin(one, in_words(one.py_func), partial(_missing, [one]))
            return loaded

        def save_overload(self, sig: Any, cres: Any) -> None:
            if not isinstance(self._dispatcher, _InnerDispatcher):
                adopt_environments(cres)
            self._inner().save_overload(sig, cres)
            _progress.end(self._dispatcher)
            _patience.safe_point()

        def enable(self) -> None:
            self._inner().enable()

        def disable(self) -> None:
            self._inner().disable()

        def flush(self) -> None:
            self._inner().flush()


# ------------------------------------------------------------------------------------------------------- in the open


_progress = Progress()
_patience = DeferredSignals(_progress)
# What a kernel of ours belongs to, by the beginning of its module's name; the first that fits.
PARTS = (
    ("atlantis_envs.drawing.", "pictures"),
    ("atlantis_envs.seats.", "seats"),
    ("atlantis_envs.", "environment"),
    ("atlantis_agents.search.", "search"),
    ("atlantis_agents.features", "features"),
    ("atlantis_agents.", "agents"),
)
in_background = _patience.in_background


def compiling_status() -> str:
    """Return what is being compiled and how long it still takes; "" where nothing is."""
    return _progress.status


def compiling(title: str, entries: list[Any]) -> AbstractContextManager[None]:
    """Report everything compiled inside as one line under ``title``, counted against the kernels of ``entries``."""
    return _progress.expect(title, partial(_missing, entries)) if JIT else nullcontext()


def in_words(function: types.FunctionType) -> str:
    """Return what a kernel is part of, for people; of somebody else's kernel its name."""
    names = (words for module, words in PARTS if function.__module__.startswith(module))
    return next(names, function.__name__)


def _missing(entries: list[Any]) -> dict[Any, float]:
    """Return the kernels that have to be compiled for these entries, and about how many seconds each will take."""
    kept = kept_names() | (prebuilt_names() if _machine_for(_here()) else set())
    missing: dict[Any, float] = {}
    waiting = [entry for entry in entries if _is_kernel(entry)]
    while waiting:
        one = waiting.pop()
        if one not in missing and _file_name(one.py_func) not in kept:
            missing[one] = _seconds(one)
            waiting += _called(one)
    return missing


def _seconds(one: Any) -> float:
    """Estimate seconds of compiling on an idle core of 2023 from the byte code: r = 0.83 and 0.99 over all kernels."""
    if isinstance(one, _InnerDispatcher):
        return SECONDS_A_BYTE * _size(one)
    return SECONDS_A_BYTE_OF_ENTRIES * _size(one) + SECONDS_TAKEN_IN * sum(map(_size, callees(one)))


def _size(one: Any) -> int:
    return len(_plain(one).__code__.co_code)
