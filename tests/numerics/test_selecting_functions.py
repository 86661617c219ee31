"""What a function does not select has a derivative of zero, whatever its tangent: infinite, or nan.

Of each sample of functions that select, and of some programs, the plain derivative (the columns of
the Jacobian, by unit tangents) tells which entries are not used for which results. A tangent that
is not finite there gives what a tangent of zero gives.
"""

import operator
from functools import partial

import numpy as np
import pytest

import chainrules_tape.numpy as tnp
from chainrules_py.testing.samples import Tag
from chainrules_tape import jvp, vjp
from sampled_calls import cases_with_tangents, interceptable
from slopes import along

BAD = [np.inf, -np.inf, np.nan]
X = np.array([[0.3, 2.0, -1.0, 0.7], [1.5, -0.4, 0.1, 0.9]])
MASK = np.array([[True, False, True, True], [False, True, True, False]])
PROGRAMS = {
    "maximum of two": lambda x: np.maximum(x, x[::-1]),
    "select": lambda x: np.select([MASK, ~MASK], [x, x**2]),
    "choose": lambda x: np.choose(MASK.astype(int), [x, 2.0 * np.ones_like(X)]),
    "piecewise": lambda x: tnp.piecewise(x, [x < 0.5, x >= 0.5], [lambda v: v, 3.0]),
    "median of four": lambda x: np.median(x, axis=1),
    "digitized": lambda x: np.heaviside(x, 0.5) * np.ones_like(X),
    "quantile at an entry": lambda x: np.quantile(x[:, :3], 0.5, axis=1),
}
SELECTING = {
    *(np.where, np.maximum, np.minimum, np.fmax, np.fmin, np.clip, np.nan_to_num),
    *(np.max, np.min, np.nanmax, np.nanmin, np.sum, np.mean, np.prod, np.nansum, np.var, np.ptp),
    *(np.median, np.nanmedian, np.quantile, np.percentile, np.sort, np.partition, np.interp),
    *(np.take, np.take_along_axis, operator.getitem, np.diagonal, np.trace, np.compress),
    *(np.maximum.accumulate, np.minimum.accumulate, np.minimum.reduceat, np.maximum.reduceat),
}
SPECIAL = {Tag.EMPTY, Tag.ERROR, Tag.KINK, Tag.TIE}


def calls():
    """Functions of one array, and the array."""
    for name, program in PROGRAMS.items():
        yield pytest.param(program, X, id=name)
    for case in cases_with_tangents():
        sample = case.sample
        if case.primal in SELECTING and case.dtype == "float64" and not sample.tags & SPECIAL:
            function = partial(interceptable(case.primal), **sample.options)
            for position, x in enumerate(sample.args):
                if isinstance(x, np.ndarray) and x.ndim and x.dtype == float:
                    name = f"{case.name.removesuffix('-float64-reverse')}-{position}"
                    yield pytest.param(along(function, sample.args, position), x, id=name)


CALLS = [*calls()]


@pytest.fixture(autouse=True)
def _quiet():
    with np.errstate(all="ignore"):
        yield


def jacobian_at(f, x):
    """The matrix of a function, by unit tangents."""
    units = np.eye(x.size).reshape(x.size, *x.shape)
    return np.stack([np.ravel(jvp(f, (x,), (unit,))[1]) for unit in units], axis=1)


@pytest.mark.one_in(8)
@pytest.mark.parametrize(("f", "x"), CALLS)
def test_a_tangent_of_what_is_not_selected_does_not_count(f, x):
    matrix, rng = jacobian_at(f, x), np.random.default_rng(0)
    for position in range(x.size):
        for bad in BAD:
            dot = rng.standard_normal(x.shape)
            dot.flat[position] = 0.0
            expected = np.ravel(jvp(f, (x,), (dot,))[1])
            dot.flat[position] = bad
            found, unused = np.ravel(jvp(f, (x,), (dot,))[1]), matrix[:, position] == 0
            np.testing.assert_array_equal(found[unused], expected[unused])


@pytest.mark.one_in(8)
@pytest.mark.parametrize(("f", "x"), CALLS)
def test_a_cotangent_does_not_come_to_what_is_not_selected(f, x):
    y, pullback = vjp(f, x)
    matrix = jacobian_at(f, x)
    for position in range(np.size(y)):
        for bad in BAD:
            y_bar = np.zeros(np.shape(y))
            y_bar.flat[position] = bad
            found, unused = (
                np.ravel(pullback(y_bar if np.shape(y) else bad)[0]),
                matrix[position] == 0,
            )
            assert not found[unused].any()
