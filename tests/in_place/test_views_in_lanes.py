"""Views of what an index, a ufunc or a solve made, and views without axes, in lanes: what is
written through them arrives where it does for one example, and is read where it is.
"""

import numpy as np
import pytest

import chainrules_tape.numpy as tnp
from chainrules_py.errors import OptionError
from chainrules_tape import grad, jvp, vmap
from chainrules_tape.refusals.errors import InPlaceError

X = np.array([[0.3, 0.9, 0.5, 1.4], [0.6, 1.8, -1.0, 0.2], [-0.7, 0.1, 2.0, 0.4]])
MASK, TABLE = np.array([True, False, True, True]), np.array([[0, 1], [2, 3]])

MADE = {
    "list": lambda m, x: x[[0, 1, 2]],
    "mask": lambda m, x: x[MASK],
    "table": lambda m, x: x[TABLE],
    "two lists": lambda m, x: m.outer(x, x)[[0, 1], [1, 2]],
    "list before": lambda m, x: m.outer(x, x)[[0, 1], 1:],
    "list behind": lambda m, x: m.outer(x, x)[1:, [0, 1]],
    "sin": lambda m, x: m.sin(x[[0, 1, 2]]),
    "solve": lambda m, x: m.linalg.solve(np.diag([1.0, 2.0, 3.0, 4.0]), x),
    "solve columns": lambda m, x: m.linalg.solve(np.diag([1.0, 2.0, 3.0, 4.0]), m.outer(x, x)),
    "quantile": lambda m, x: m.quantile(x, [0.2, 0.5]),
    "reversed": lambda m, x: m.correlate(x[:2], x, "full"),
    "pad": lambda m, x: m.pad(m.outer(x, x[:3]).T, 1),
    "delete": lambda m, x: m.delete(m.outer(x, x[:3]).T, 1, axis=0),
    "insert": lambda m, x: m.insert(m.outer(x, x[:3]).T, 1, 2.0, axis=0),
    "meshgrid": lambda m, x: m.meshgrid(x, x[:2], indexing="ij")[0],
    "gradient": lambda m, x: m.gradient(m.outer(x, x[:3]).T, x + 3.0 * np.arange(4), axis=1),
}
SHOWN = {
    "ravel": lambda m, w: m.ravel(w),
    "method ravel": lambda m, w: w.ravel(),
    "by columns": lambda m, w: w.ravel("F"),
    "in any order": lambda m, w: w.ravel("K"),
    "in its order": lambda m, w: w.ravel("A"),
    "flat copy": lambda m, w: w.flatten("K"),
    "reshape": lambda m, w: w.reshape(-1),
    "reshape in its order": lambda m, w: m.reshape(w, -1, order="A"),
    "ascontiguousarray": lambda m, w: m.ascontiguousarray(w),
    "asfortranarray": lambda m, w: m.asfortranarray(w),
    "transposed": lambda m, w: w.T.reshape(-1),
    "copy in any order": lambda m, w: w.copy("K").ravel("K"),
    "copy in its order": lambda m, w: w.copy("A").ravel("K"),
}
WITHOUT_AXES = {
    "ellipsis behind": lambda m, w: w[1, ...],
    "ellipsis before": lambda m, w: w[..., 1],
    "reshape": lambda m, w: w[1:2].reshape(()),
    "function reshape": lambda m, w: m.reshape(w[1:2], ()),
    "squeeze": lambda m, w: m.squeeze(w[1:2]),
    "real": lambda m, w: w[1, ...].real,
    "imaginary part": lambda m, w: (w * 1j)[1, ...].imag,
    "of a view": lambda m, w: w[1, ...][...],
    "transposed": lambda m, w: w[1, ...].T,
    "asarray": lambda m, w: m.asarray(w[1, ...]),
    "with an axis": lambda m, w: w[1, ...][None],
    "flat": lambda m, w: w[1, ...].ravel(),
    "number": lambda m, w: w[1],
    "number with an axis": lambda m, w: w[1][None],
    "array of a number": lambda m, w: m.asarray(w[1]),
    "reshaped number": lambda m, w: m.reshape(w[1], (1,)),
    "vector of a number": lambda m, w: m.atleast_1d(w[1]),
    "number as an array": lambda m, w: w[1][...],
    "choice": lambda m, w: m.where(w[0] < 9.0, w[1], 0.0),
}


def scaled(v):
    v *= 5.0
    return v


def doubled(v):
    v += v
    return v


WRITES = {"scaled": scaled, "doubled": doubled}


def total(m, *arrays):
    """A number that depends on all entries of all arrays, on each differently."""
    return sum(
        m.sum(m.sin(a) * np.reshape(np.arange(1.0, 1 + a.size) * 7**k, a.shape))
        for k, a in enumerate(arrays)
    )


def through(made, shown):
    def program(m, x):
        w = MADE[made](m, x)
        v = SHOWN[shown](m, w)
        v[(0,) * v.ndim] = 2.0 * x[0]
        w[(-1,) * w.ndim] = x[1] * x[2]
        v[(-1,) * v.ndim] *= 3.0
        return total(m, w, v)

    return program


def without_axes(view, write):
    def program(m, x):
        w = x * 1.0
        v = same = WITHOUT_AXES[view](m, w)
        if write is None:
            w[1] = 4.0 * x[0]
        else:
            v = WRITES[write](v)
        return total(m, w, v, same)

    return program


def check(program):
    """Values are the loop's in NumPy; derivatives within and around lanes are the loop's."""

    def traced(x):
        return program(tnp, x)

    expected = np.stack([program(np, x.copy()) for x in X])
    np.testing.assert_allclose(vmap(traced)(X), expected, rtol=1e-12)
    twice = vmap(vmap(traced))(np.stack([X, X[::-1]]))
    np.testing.assert_allclose(twice, [expected, expected[::-1]], rtol=1e-12)
    try:
        bars = np.stack([grad(traced)(x) for x in X])
    except OptionError:  # orders that tangents do not share
        return
    np.testing.assert_allclose(vmap(grad(traced))(X), bars, rtol=1e-12, atol=1e-12)
    outside = grad(lambda x: np.sum(vmap(traced)(x)))(X)
    np.testing.assert_allclose(outside, bars, rtol=1e-12, atol=1e-12)
    slopes = vmap(lambda x: jvp(traced, (x,), (x,))[1])(X)
    np.testing.assert_allclose(slopes, np.sum(bars * X, axis=1), rtol=1e-10, atol=1e-10)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("shown", SHOWN)
@pytest.mark.parametrize("made", MADE)
def test_writes_through_views(made, shown):
    check(through(made, shown))


@pytest.mark.parametrize("write", [None, *WRITES])
@pytest.mark.parametrize("view", WITHOUT_AXES)
def test_views_without_axes(view, write):
    check(without_axes(view, write))


@pytest.mark.parametrize("inside", [lambda f: f, grad], ids=["value", "grad"])
def test_an_array_of_booleans_takes_no_lanes(inside):
    def program(x):
        chosen = tnp.zeros(4, dtype=bool)
        chosen[:] = x > 0.6
        return np.sum(np.where(chosen, x, 0.0))

    with pytest.raises(InPlaceError, match="the same in all lanes; write"):
        vmap(inside(program))(X)
