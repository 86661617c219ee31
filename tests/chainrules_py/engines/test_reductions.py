"""NumPy's options of reductions, on a library that has none of them: NumPy's own functions with an
axis alone.
"""

import numpy as np
import pytest

from chainrules_py.engines.reductions import UFUNCS, averaging, reduction
from chainrules_py.errors import OptionError

X = np.array([[0.3, -1.7, 0.0], [2.5, 0.9, -0.4]])
MASK = np.array([[True, False, True], [False, False, False]])


def bare(name):
    """NumPy's reduction without its other options."""
    return lambda a, *, axis, dtype, keepdims: getattr(np, name)(a, axis=axis, keepdims=keepdims)


def outcome(function, *args, **options):
    try:
        return function(*args, **options)
    except ValueError:
        return None


@pytest.mark.parametrize("name", UFUNCS)
@pytest.mark.parametrize(
    "a", [X, X.astype(np.float32), np.arange(6).reshape(2, 3), X[:, :0], X[:0]], ids=str
)
def test_options_are_numpys(name, a):
    numbers = [{}] if name in ("any", "all") else [{}, {"initial": 1.0}, {"initial": 2.5}]
    for axis in (None, 0, 1, (0, 1)):
        for options in [
            *({**initial, "keepdims": keep} for initial in numbers for keep in (False, True)),
            {**numbers[-1], "where": MASK[:, : a.shape[1]][: len(a)]},
        ]:
            found, expected = (
                outcome(f, a, axis, **options)
                for f in (reduction(name, bare(name)), getattr(np, name))
            )
            assert (found is None) == (expected is None)
            np.testing.assert_allclose(
                np.asarray(found, float), np.asarray(expected, float), rtol=1e-6
            )


@pytest.mark.parametrize("name", ["max", "min"])
def test_an_extreme_of_some_entries_wants_an_initial_value(name):
    with pytest.raises(
        OptionError, match=rf"numpy\.{name}: where= without initial=; pass initial="
    ):
        reduction(name, bare(name))(X, where=MASK)


def test_the_mean_of_some_entries():
    mean = averaging(reduction("sum", bare("sum")), bare("mean"))
    np.testing.assert_allclose(mean(X, axis=0), X.mean(axis=0))
    np.testing.assert_allclose(
        mean(X, where=MASK, keepdims=True), X.mean(where=MASK, keepdims=True)
    )
    np.testing.assert_allclose(mean(X, 1, where=X[0] > 0), X.mean(axis=1, where=X[0] > 0))
