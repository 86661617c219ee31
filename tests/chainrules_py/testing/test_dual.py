"""Arrays that carry a tangent compute with both by `frule`, and never lose the tangent silently."""

import numpy as np
import pytest

from chainrules_py import NO_TANGENT, ZERO, Tangent
from chainrules_py.testing.dual import DualNumbers, dot_of, dual, value_of

X, X_DOT = np.linspace(0.5, 1.5, 6).reshape(2, 3), np.arange(6.0).reshape(2, 3)
x = DualNumbers(X, X_DOT)


@pytest.mark.parametrize("lose", [np.asarray, float, lambda x: np.zeros(3).__setitem__(0, x[0, 0])])
def test_a_tangent_is_never_lost_silently(lose):
    with pytest.raises((TypeError, ValueError)):
        lose(DualNumbers(np.float64(1.0), np.float64(2.0)) if lose is float else x)


def test_comparisons_are_plain():
    assert type(x > 1.0) is np.ndarray
    assert bool(DualNumbers(np.float64(1.0), np.float64(2.0)))


def test_structures_are_taken_apart_and_put_together():
    traced = dual((1.0, [X, 3]), Tangent[tuple](2.0, Tangent[list](X_DOT, NO_TANGENT)))
    assert (traced[0].data, traced[1][1]) == (2.0, 3)
    assert value_of(traced)[1][0] is X
    assert dot_of(traced)[1][0] is X_DOT
    assert dot_of((1.0, 2)) is ZERO
