"""Arrays that lie in memory in unusual ways, or are not to be written: values and derivatives are
those of the same numbers side by side, of every sample of every function. Some long doubles, too.
"""

import numpy as np
import optree
import pytest
from scipy import linalg

from chainrules_py.tangents.plain_containers import as_plain_container
from chainrules_py.testing.coordinates import Layout
from chainrules_py.testing.random_tangents import random_tangent, seeded
from chainrules_tape import grad, jvp, vjp
from chainrules_tape.core.levels import call
from sampled_calls import cases_with_tangents, interceptable


def side_by_side(x):
    return x.copy()


def reversed_in_memory(x):
    backwards = (slice(None, None, -1),) * x.ndim
    return x[backwards].copy()[backwards] if x.ndim else x


def every_second(x):
    wide = np.full(tuple(2 * n for n in x.shape), np.nan, x.dtype)
    part = wide[(*(slice(None, None, 2) for _ in x.shape), ...)]
    part[...] = x
    return part


def read_only(x):
    x = x.copy()
    x.flags.writeable = False
    return x


FORMS = {
    "byte-swapped": lambda x: x.astype(x.dtype.newbyteorder()),
    "column by column": lambda x: x.copy(order="F"),
    "reversed": reversed_in_memory,
    "every second": every_second,
    "read-only": read_only,
}

CASES = cases_with_tangents()
FIRST = {case.primal: case for case in reversed(CASES)}
PARAMETERS = [
    pytest.param(
        case,
        id=case.name.removesuffix("-reverse"),
        marks=() if FIRST[case.primal] is case else pytest.mark.slow,
    )
    for case in CASES
]


@pytest.mark.kinds
@pytest.mark.parametrize("case", PARAMETERS)
@pytest.mark.filterwarnings("ignore")
def test_each_form_of_all_arrays(case):
    primal, args, options = case.settings.rules.canonical(
        case.primal, case.sample.args, dict(case.sample.options)
    )
    fixed = case.effective_settings().fixed  # arguments by which nobody has written a derivative
    chosen = [i for i, arg in enumerate(args) if Layout((arg,)).size and i not in fixed]
    points = tuple(args[i] for i in chosen)
    rng = seeded(case.name, seed=0)
    dots = tuple(as_plain_container(random_tangent(rng, point), point) for point in points)
    y = primal(*args, **options)
    y_bar = as_plain_container(random_tangent(rng, y), y)

    def derivatives(form):
        """The value, the pullback of a cotangent and the pushforward of tangents, all in this form."""
        formed = in_form(args, form)

        def function(*values):
            replaced = dict(zip(chosen, values, strict=True))
            return interceptable(primal)(
                *(replaced.get(i, arg) for i, arg in enumerate(formed)), **options
            )

        y, pullback = vjp(function, *in_form(points, form))
        bars = pullback(in_form(y_bar, form))
        return y, bars, jvp(function, in_form(points, form), in_form(dots, form))[1]

    expected = derivatives(side_by_side)
    for name, form in FORMS.items():
        if is_taken(primal, in_form(args, form), options, expected[0]):
            assert agree(derivatives(form), expected), name


def is_taken(primal, args, options, value):
    """Whether a function computes the same with these arrays: many of SciPy's refuse swapped bytes,
    and `scipy.linalg.inv` takes them for other numbers.
    """
    try:
        return agree(primal(*args, **options), value)
    except (TypeError, ValueError, RuntimeError):
        return False


def has_entries(x):
    return isinstance(x, np.ndarray) and x.dtype.kind in "fc"


def in_form(tree, form):
    return optree.tree_map(lambda x: form(x) if has_entries(x) else x, tree)


def agree(found, expected):
    """Whether all numbers are the same, but for rounding."""
    pairs = zip(optree.tree_leaves(found), optree.tree_leaves(expected), strict=True)
    return all(
        np.allclose(
            one,
            other,
            rtol=1e-9,
            atol=1e-9 * (1 + np.max(np.abs(other), initial=0)),
            equal_nan=True,
        )
        for one, other in pairs
        if isinstance(other, np.ndarray | float | complex | np.inexact)
    )


@pytest.mark.parametrize("zeros", [0, 1, 2])
def test_products_of_long_doubles(zeros):
    x = np.array([3.0, 2.0, 5.0], np.longdouble)
    x[:zeros] = 0
    expected = [x[1] * x[2], x[0] * x[2], x[0] * x[1]]
    np.testing.assert_array_equal(grad(np.prod)(x), expected)


@pytest.mark.parametrize("f", [linalg.sqrtm, linalg.logm])
def test_functions_of_matrices_of_long_doubles(f):
    """SciPy's Schur decomposition computes a complex form of these in single precision."""
    a = np.array([[4.0, 1.0], [0.5, 3.0]])

    def slope(a):
        return jvp(lambda a: call(f, (a,), {}), (a,), (a + 1,))[1]

    np.testing.assert_allclose(slope(a.astype(np.longdouble)), slope(a), rtol=1e-14)
