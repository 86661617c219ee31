"""Frozen copies hold the same numbers, in the same layout, and cannot be written to; code that
refuses them gets writable ones, and is watched.
"""

import ctypes
from typing import Any

import numpy as np
import pytest

from chainrules_py import RuleTable, linear_rule, primitive
from chainrules_py.testing import CheckFailure, Settings, check_rule
from chainrules_py.testing.freezing import frozen

X = np.arange(24.0).reshape(2, 3, 4)
LAYOUTS = {
    "rows": X,
    "columns": np.asfortranarray(X),
    "gaps": X[:, ::2, 1::2],
    "backwards": X[::-1, :, ::-1],
    "broadcast": np.broadcast_to(X[0], (2, 3, 4)),
    "number": np.array(2.0),
    "empty": X[:, :0],
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_a_copy_has_the_layout_and_refuses_writes(name):
    array = LAYOUTS[name]
    copy = frozen(array)
    np.testing.assert_array_equal(copy, array)
    assert not np.shares_memory(copy, array)
    assert (copy.flags.c_contiguous, copy.flags.f_contiguous) == (
        array.flags.c_contiguous,
        array.flags.f_contiguous,
    )
    longer = [
        axis
        for axis in range(array.ndim)
        if array.size and array.shape[axis] > 1 and array.strides[axis]
    ]
    assert [np.sign(copy.strides[axis]) for axis in longer] == [
        np.sign(array.strides[axis]) for axis in longer
    ]
    with pytest.raises(ValueError, match="read-only"):
        copy[...] = 0.0
    open_copy = frozen(array, writable=True)
    assert open_copy.strides == copy.strides
    open_copy[...] = 0.0
    np.testing.assert_array_equal(copy, array)


def by_ctypes(x):
    """Ask for memory that may be written to, as ctypes does."""
    memory: Any = np.ascontiguousarray(x)
    ctypes.c_double.from_buffer(memory)


def by_buffers(x):
    """Ask for memory that may be written to, as the memoryviews of Cython do."""
    view, strided_and_writable = ctypes.create_string_buffer(256), 0x19
    ctypes.pythonapi.PyObject_GetBuffer(ctypes.py_object(x), view, strided_and_writable)
    ctypes.pythonapi.PyBuffer_Release(view)


def kernel(ask, write):
    """A function that doubles, in compiled code that takes no read-only arrays."""

    @primitive
    def doubled(x):
        y = 2.0 * x
        ask(x)
        write(x)
        return y

    return doubled


def leave(x):
    """Write nothing."""


def spoil(x):
    """Write to an argument."""
    x[0] += 1.0


def settings_with(rules):
    """Check with these rules, and float64 in one piece, which the kernels take."""
    return Settings(rules=rules, layouts=False, dtypes=False)


@pytest.mark.parametrize("ask", [by_ctypes, by_buffers])
def test_compiled_code_that_refuses_read_only_arrays_gets_others(ask):
    with pytest.raises((ValueError, TypeError)):
        ask(frozen(X))
    doubled, rules = kernel(ask, leave), RuleTable()
    linear_rule(doubled, lambda y_bar, x: doubled(y_bar), table=rules)
    check_rule(doubled, np.ones(3), settings=settings_with(rules))


@pytest.mark.parametrize("who", ["primal", "adjoint"])
def test_what_such_code_writes_is_found_by_comparison(rules, who):
    doubled = kernel(by_ctypes, spoil if who == "primal" else leave)
    adjoint = kernel(by_ctypes, spoil if who == "adjoint" else leave)
    linear_rule(doubled, lambda y_bar, x: adjoint(y_bar), table=rules)
    with pytest.raises(CheckFailure) as caught:
        check_rule(doubled, np.ones(3), settings=settings_with(rules))
    assert caught.value.diagnosis.kind == "mutates-input"
    assert "it wrote to" in caught.value.diagnosis.sentence
