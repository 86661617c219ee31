"""Products of which only a sum is wanted: multiplied and summed by one kernel, and stored where
something else is wanted.
"""

import numpy as np
import pytest

from chainrules_cupy.kernels.plans import Launcher
from chainrules_cupy.kernels.postponed import FusedProduct
from chainrules_py import unthunk
from chainrules_py.accumulation import accumulate
from chainrules_py.projection import fit
from chainrules_py.values.arrays import numpy_library
from stand_ins.host_kernels import HAS_COMPILER, Collecting, Compiled
from stand_ins.scalar_cases import RULES, arguments, bound, library_with

pytestmark = pytest.mark.skipif(
    not HAS_COMPILER, reason="no g++ to compile the kernels for the host"
)

WIDE, LARGE, LONG = (4, 6, 3), (9100, 4, 8), (30, 100, 90)
# the shape, that to sum to, and how often which kind of kernel is launched: elementwise, summing
CASES = {
    "a row": (WIDE, (3,), (0, 1)),
    "one number": (WIDE, (), (0, 1)),
    "kept axes": (WIDE, (4, 1, 3), (0, 1)),
    "nothing": (WIDE, WIDE, (1, 0)),
    "in slices, and a rest": (LARGE, (4, 8), (0, 2)),
    "few numbers of trailing axes": (LONG, (30, 1, 1), (1, 0)),
    "many numbers of trailing axes": (LARGE, (9100, 1, 1), (0, 1)),
}


def square(library, shape):
    """What `later` of x**2 answers, and the same from NumPy's pullback."""
    (x,) = arguments(1, "f8", [shape])
    y_bar = arguments(1, "f8", [shape], -1.0, 1.0)[0]
    rule = RULES[np.square]["reverse"]
    _, pull, kept = bound(rule, library, 1).stage(x)
    _, plain, plainly_kept = bound(rule, numpy_library(), 1).stage(x)
    return pull.later(kept, y_bar), plain(plainly_kept, y_bar)[0]


@pytest.fixture(scope="module")
def compiled():
    collecting = Collecting()
    for shape, to, _ in CASES.values():
        product, _ = square(library_with(collecting.launcher), shape)
        fit(product, to, np.dtype(float))
        unthunk(product)
    return Compiled(collecting.sources)


@pytest.mark.parametrize("name", CASES)
def test_sums(compiled, name):
    shape, to, wanted = CASES[name]
    launched = []

    def counting(kind, make):
        def noted(source):
            run = make(source)
            return lambda *args, **options: launched.append(kind) or run(*args, **options)

        return noted

    launcher = Launcher(
        counting("elementwise", compiled.elementwise), counting("summing", compiled.summing)
    )
    product, expected = square(library_with(launcher), shape)
    assert isinstance(product, FusedProduct)
    assert product.is_in(shape, np.dtype(float))
    assert not launched
    found = unthunk(fit(product, to, np.dtype(float)))
    assert (launched.count("elementwise"), launched.count("summing")) == wanted
    np.testing.assert_allclose(found, fit(expected, to, np.dtype(float)), rtol=1e-9)


def test_what_else_happens_to_it(compiled):
    product, expected = square(library_with(compiled.launcher), WIDE)
    np.testing.assert_allclose(unthunk(accumulate(np.ones(WIDE), product).buffer), expected + 1.0)
    np.testing.assert_allclose(-product, -expected)
    assert product.forced
    np.testing.assert_allclose(fit(product, (3,), np.dtype(float)), expected.sum((0, 1)))


def test_what_is_not_postponed():
    """Several results, those that are narrower than the cotangent, and irregular cotangents."""
    library = library_with(Collecting().launcher)
    x1, x2 = arguments(2, "f8", [WIDE, (3,)])
    _, pull, kept = bound(RULES[np.multiply]["reverse"], library, 2).stage(x1, x1)
    assert pull.later(kept, np.ones(WIDE)) is None
    _, pull, kept = (
        RULES[np.multiply]["reverse"].bind((np.ndarray,) * 2, (False, True), library).stage(x1, x2)
    )
    assert pull.later(kept, np.ones(WIDE)) is None
    assert pull.later(kept, np.ones(WIDE, "f4")) is None
    assert pull.later(kept, 1.0) is None
