"""What no kernel may do or read is refused with its name; what is allowed computes in wide integers."""

from __future__ import annotations

import copy
import os
import types

import cloudpickle
import numpy as np
import pytest

from atlantis_envs.kernels.kernel import JIT, digest, entry, kernel

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
def passes_a_module(x):  # type: ignore[no-untyped-def]
    return doubled(np.linalg if x else os)


@entry
def reads_a_list_of_a_module(x):  # type: ignore[no-untyped-def]
    return os.sys.path[x]


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
        (passes_a_module, "passes_a_module"),
        (reads_a_list_of_a_module, "reads_a_list_of_a_module"),
        (calls_a_plain_function, "calls_a_plain_function"),
    ],
)
def test_what_a_kernel_may_not_read_is_refused_at_its_first_call(function: object, name: str) -> None:
    """A list may change after compiling, and nothing would see it."""
    with pytest.raises(TypeError, match=f"kernel {name} reads .*may read numbers"):
        function(1)  # type: ignore[operator]


def _reader_of(module):  # type: ignore[no-untyped-def]
    @entry
    def read(x):  # type: ignore[no-untyped-def]
        return x + module.INNER

    return read


@compiled_only
def test_a_module_in_a_closure_counts_with_what_is_read_of_it() -> None:
    first, second, third = (types.ModuleType(name) for name in ("first", "second", "third"))
    first.INNER, second.INNER, third.INNER = 1, 1, 2  # type: ignore[attr-defined]
    assert digest(_reader_of(first)) == digest(_reader_of(second)) != digest(_reader_of(third))
    assert [_reader_of(module)(10) for module in (first, third)] == [11, 12]


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
