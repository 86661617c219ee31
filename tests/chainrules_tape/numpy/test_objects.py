"""Arrays of Python objects that hold traced numbers, in code that is seen through."""

import numpy as np
import pytest

from chainrules_py import ChainRulesError
from chainrules_tape import grad, hessian, numpy as tnp, seen_through
from chainrules_tape.numpy.objects import array_of_objects
from chainrules_tape.refusals.errors import InPlaceError
from chainrules_tape.refusals.handles import TracedArray
from slopes import check_slopes
from strangers import objects


@pytest.mark.parametrize("f", objects.OBJECTS.values(), ids=objects.OBJECTS)
def test_objects_in_the_scope(f):
    with seen_through("strangers"):
        check_slopes(f, 1.2345)


@pytest.mark.parametrize(
    "values",
    [[1.0], [[1.0, 2.0], [3.0, None]], [[[1.0], [2.0]]], (1.0, "words"), [[1.0, 2.0], 1.0]],
)
def test_its_shape_and_entries_are_numpys(values):
    found = []

    def with_traced(values, x):
        return [with_traced(v, x) if type(v) is list else (x if v == 1.0 else v) for v in values]

    grad(lambda x: found.append(array_of_objects(with_traced(values, x))) or x)(1.0)
    (made,) = found
    try:
        expected = np.array(values, dtype=object)
    except ValueError:
        expected = None
    if expected is None or expected.size != sum(1 for _ in leaves(values)):
        assert made is None
    else:
        assert made.shape == expected.shape
        assert [1.0 if issubclass(type(v), TracedArray) else v for v in made.flat] == list(
            expected.flat
        )


def leaves(values):
    """The entries of nested lists."""
    for value in values:
        if isinstance(value, list):
            yield from leaves(value)
        else:
            yield value


@pytest.mark.parametrize("dtype", [float, "f4", int, complex, "f8,f8"])
def test_lists_that_are_written_into_arrays_of_numbers_are_refused(dtype):
    def lists(x, y):
        y[:] = [(x[0], x[1])] if dtype == "f8,f8" else [x[0], 1.0]

    def arrays(x, y):
        y[...] = x

    def entries(x, y):
        y[0] = np.reshape(x[0], ())

    for write in (lists, arrays, entries):

        def run(x, write=write):
            write(x, np.zeros(2, dtype=dtype))
            return x[0]

        with pytest.raises(InPlaceError, match=r"chainrules_tape\.numpy"):
            grad(run)(np.ones(2))


def test_writes_into_arrays_of_objects_need_no_scope():
    def mean_and_product(x):
        o = np.empty(2, dtype=object)
        o[:] = [x[0] * 2.0, x[1] ** 2]
        return tnp.mean(o) + o[0] * o[1]

    x = np.array([0.3, 0.7])
    check_slopes(lambda t: mean_and_product(x * t), 1.3)
    assert np.allclose(hessian(mean_and_product)(x), [[0, 4 * 0.7], [4 * 0.7, 1 + 4 * 0.3]])


def test_what_it_does_not_take_is_refused():
    for f in (lambda x: np.zeros(2, object) * x, lambda x: np.array([x, 1.0], dtype=object)):
        with pytest.raises((ChainRulesError, TypeError)):
            grad(lambda x, f=f: f(x)[0])(1.5)
