"""Complex eigenvectors and singular vectors, through functions that do not depend on their free
phase.

A vector v_k enters these functions as v_k v_k^H, a pair of singular vectors as u_k v_k^H: that is
all there is to know of them, and finite differences of it exist.
"""

import numpy as np
import pytest

from chainrules_py import Array, RuleTable, Tangent, default_rules, frule, is_zero, rrule
from chainrules_py.testing import Settings, check_rule

table = RuleTable(parent=default_rules, name="gauge-free")


def outer(u, vh, xp):
    """u_k vh_k for each k: shape (..., k, m, n)."""
    return xp.expand_dims(xp.swapaxes(u, -1, -2), -1) * xp.expand_dims(vh, -2)


def outer_pullback(t_bar, u, vh, xp):
    u_bar = xp.swapaxes(xp.sum(t_bar * xp.conj(xp.expand_dims(vh, -2)), axis=-1), -1, -2)
    vh_bar = xp.sum(t_bar * xp.conj(xp.expand_dims(xp.swapaxes(u, -1, -2), -1)), axis=-2)
    return u_bar, vh_bar


def adjoint(a, xp):
    return xp.conj(xp.swapaxes(a, -1, -2))


def singular_terms(a):
    """The singular values and the terms u_k v_k^H."""
    u, s, vh = np.linalg.svd(a, full_matrices=False)
    return s, outer(u, vh, np)


@table.rrule.register(singular_terms)
def singular_terms_rrule(a: Array, *, xp):
    y, pullback = rrule(np.linalg.svd, a, full_matrices=False)
    u, s, vh = y

    def singular_terms_pullback(y_bar):
        s_bar, t_bar = y_bar
        u_bar, vh_bar = (t_bar, t_bar) if is_zero(t_bar) else outer_pullback(t_bar, u, vh, xp)
        return pullback(Tangent[type(y)](u_bar, s_bar, vh_bar))

    return (s, outer(u, vh, xp)), singular_terms_pullback


@table.frule.register(singular_terms)
def singular_terms_frule(dots, a: Array, *, xp):
    (u, s, vh), y_dot = frule(dots, np.linalg.svd, a, full_matrices=False)
    if is_zero(y_dot):
        return (s, outer(u, vh, xp)), y_dot
    u_dot, s_dot, vh_dot = y_dot
    return (s, outer(u, vh, xp)), Tangent[tuple](s_dot, outer(u_dot, vh, xp) + outer(u, vh_dot, xp))


def spectral_terms(decompose):
    """The eigenvalues and the terms v_k v_k^H."""

    def terms(a):
        w, v = decompose(a)
        return w, outer(v, adjoint(v, np), np)

    @table.rrule.register(terms)
    def terms_rrule(a: Array, *, xp):
        y, pullback = rrule(decompose, a)
        w, v = y

        def terms_pullback(y_bar):
            w_bar, t_bar = y_bar
            if not is_zero(t_bar):
                left_bar, right_bar = outer_pullback(t_bar, v, adjoint(v, xp), xp)
                t_bar = left_bar + adjoint(right_bar, xp)
            return pullback(Tangent[type(y)](w_bar, t_bar))

        return (w, outer(v, adjoint(v, xp), xp)), terms_pullback

    @table.frule.register(terms)
    def terms_frule(dots, a: Array, *, xp):
        (w, v), y_dot = frule(dots, decompose, a)
        if is_zero(y_dot):
            return (w, outer(v, adjoint(v, xp), xp)), y_dot
        w_dot, v_dot = y_dot
        t_dot = outer(v_dot, adjoint(v, xp), xp) + outer(v, adjoint(v_dot, xp), xp)
        return (w, outer(v, adjoint(v, xp), xp)), Tangent[tuple](w_dot, t_dot)

    return terms


eigh_terms, eig_terms = spectral_terms(np.linalg.eigh), spectral_terms(np.linalg.eig)


def matrices(*shape):
    """Complex matrices with eigenvalues and singular values about 1, 2.5, 4, ..."""
    rng = np.random.default_rng(shape)
    noise = rng.normal(size=shape) + 1j * rng.normal(size=shape)
    return np.eye(*shape[-2:]) * (1.0 + 1.5 * np.arange(shape[-1])) + noise / 8


@pytest.mark.parametrize("shape", [(3, 3), (4, 2), (2, 4), (2, 3, 2), (1, 1)])
def test_svd_complex(shape):
    check_rule(singular_terms, matrices(*shape), settings=Settings(rules=table))


@pytest.mark.parametrize("shape", [(3, 3), (2, 2, 2), (1, 1)])
def test_eigh_complex(shape):
    a = matrices(*shape)
    settings = Settings(rules=table, structures={0: "hermitian"})
    check_rule(eigh_terms, (a + adjoint(a, np)) / 2, settings=settings)


@pytest.mark.parametrize("shape", [(3, 3), (2, 2, 2), (1, 1)])
def test_eig_complex(shape):
    check_rule(eig_terms, matrices(*shape), settings=Settings(rules=table))


def test_eig_real_matrix_with_complex_eigenvalues():
    check_rule(
        eig_terms,
        np.array([[1.0, 2.0, 0.1], [-1.5, 0.5, 0.2], [0.3, 0.1, 3.0]]),
        settings=Settings(rules=table),
    )
