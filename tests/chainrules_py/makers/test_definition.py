"""What a scalar rule runs is compiled once per pattern, and its pullback keeps what it reads."""

import numpy as np
import pytest

from chainrules_py.makers.definition import (
    Definition,
    Pattern,
    ScalarForm,
    function_for_pattern,
    kind_of_argument,
    written_later,
)
from chainrules_py.makers.scalar_reverse import write_reverse
from chainrules_py.values.arrays import library_of_types

X = np.ones((2, 3))


def form_of(primal, arguments, *partials, singular=False):
    definition = Definition(primal, "here", {})
    names = definition.arguments(arguments)
    partials = definition.partials(names, partials)
    return ScalarForm(primal, names, partials, singular, "here", False, {})


def pattern_of(*args, needs=None):
    types = tuple(map(type, args))
    return Pattern(
        tuple(map(kind_of_argument, types)), needs or (True,) * len(args), library_of_types(types)
    )


def test_what_is_written_later_is_written_at_the_first_call():
    form, calls = form_of(np.sin, "x", "cos(x)"), []

    def write(form, pattern):
        calls.append(pattern)
        return lambda x: x + 1

    pattern = pattern_of(X)
    later = written_later(write, form, pattern)
    assert calls == []
    assert (later(1), later(2)) == (2, 3)
    assert function_for_pattern(write, form, pattern)(3) == 4
    assert calls == [pattern]


RESIDUALS = {
    "of a product both, from which shapes are read": (
        form_of(np.multiply, "a, b", "b", "a"),
        (X, X),
        (True, True),
        [X, X],
    ),
    "of a sum shapes and dtypes": (form_of(np.add, "a, b", "1", "1"), (X, X), (True, True), []),
    "an output that an expression names": (form_of(np.exp, "x", "out"), (X,), (True,), [np.exp(X)]),
    "not what only the other partial reads": (
        form_of(np.multiply, "a, b", "b", "a"),
        (X, 2 * X),
        (True, False),
        [2 * X],
    ),
    "not an argument called as an attribute is": (
        form_of(np.multiply, "shape, b", "b", "2"),
        (X, 2 * X),
        (True, True),
        [2 * X],
    ),
}


@pytest.mark.parametrize(("form", "args", "needs", "arrays"), RESIDUALS.values(), ids=RESIDUALS)
def test_the_pullback_keeps_what_it_reads(form, args, needs, arrays):
    rule = write_reverse(form, pattern_of(*args, needs=needs))
    _, pull, residuals = rule.stage(*args)
    found = [value for value in residuals if isinstance(value, np.ndarray)]
    assert len(found) == len(arrays)
    assert all(map(np.array_equal, found, arrays))
    assert all(
        np.shape(bar) == arg.shape
        for bar, arg, need in zip(pull(residuals, X), args, needs, strict=True)
        if need
    )
