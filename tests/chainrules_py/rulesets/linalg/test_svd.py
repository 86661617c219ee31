"""The singular value decomposition: what the columns that complete a basis span, and what they may
not be asked for.
"""

import numpy as np
import pytest

from chainrules_py import ZERO, Tangent, frule, rrule
from chainrules_py.errors import NotDifferentiableError
from slopes import quotients


def drawn(shape, dtype):
    rng = np.random.default_rng(len(shape))
    parts = rng.normal(size=(2, *shape))
    return parts[0] + 1j * parts[1] if dtype is complex else parts[0]


def adjoint(a):
    return np.conj(np.swapaxes(a, -1, -2))


@pytest.mark.parametrize("dtype", [float, complex])
@pytest.mark.parametrize("shape", [(4, 2), (2, 4)])
def test_columns_that_complete_a_basis(shape, dtype):
    a, a_dot = drawn(shape, dtype), drawn((*shape[::-1],), dtype).reshape(shape)
    w = drawn((4, 4), dtype) + 0.0
    tall = shape[0] > shape[1]

    def projected(a):
        u, s, vh = np.linalg.svd(a)
        more = u[:, 2:] if tall else adjoint(vh[2:])
        return np.real(np.sum(np.conj(w) * (more @ adjoint(more)))) + np.sum(s**2)

    y, pullback = rrule(np.linalg.svd, a)
    u, s, vh = y
    more = u[:, 2:] if tall else adjoint(vh[2:])
    more_bar = (w + adjoint(w)) @ more
    zeros = np.zeros((4, 2), dtype)
    whole_bar = np.concatenate([zeros, more_bar], axis=1)
    u_bar, vh_bar = (whole_bar, ZERO) if tall else (ZERO, adjoint(whole_bar))
    (a_bar,) = pullback(Tangent[type(y)](u_bar, 2 * s, vh_bar))
    quotient = quotients(lambda t: projected(a + t * a_dot), 0.0)
    np.testing.assert_allclose(np.real(np.vdot(a_bar, a_dot)), quotient, rtol=1e-6)

    (_, _, _), (u_dot, s_dot, vh_dot) = frule((a_dot,), np.linalg.svd, a)
    more_dot = u_dot[:, 2:] if tall else adjoint(vh_dot[2:])
    moved = np.real(
        np.sum(np.conj(w) * (more_dot @ adjoint(more) + more @ adjoint(more_dot)))
    ) + np.sum(2 * s * s_dot)
    np.testing.assert_allclose(moved, quotient, rtol=1e-6)

    arbitrary = np.concatenate([zeros, drawn((4, 2), dtype)], axis=1)
    with pytest.raises(NotDifferentiableError, match="arbitrary basis"):
        pullback(
            Tangent[type(y)](arbitrary, ZERO, ZERO)
            if tall
            else Tangent[type(y)](ZERO, ZERO, adjoint(arbitrary))
        )
