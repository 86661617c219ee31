"""Rules of polynomials and fits."""

import numpy as np

from chainrules_py import Tangent, frule, rrule


def test_moving_a_root_moves_the_polynomial_and_back():
    zeros, zeros_dot = np.array([1.0, 2.0, 4.0]), np.array([0.5, -1.0, 2.0])
    p, p_dot = frule((zeros_dot,), np.poly, zeros)
    found, found_dot = frule((p_dot,), np.roots, p)
    order = np.argsort(found)
    np.testing.assert_allclose(found[order], zeros)
    np.testing.assert_allclose(found_dot[order], zeros_dot)


def test_quotient_and_remainder_still_make_the_dividend():
    rng = np.random.default_rng(0)
    u, v, u_dot, v_dot = (
        rng.normal(size=6),
        rng.normal(size=3),
        rng.normal(size=6),
        rng.normal(size=3),
    )
    (q, r), (q_dot, r_dot) = frule((u_dot, v_dot), np.polydiv, u, v)
    made = np.convolve(v_dot, q) + np.convolve(v, q_dot)
    made[-r.size :] += r_dot
    np.testing.assert_allclose(made, u_dot, atol=1e-12)


def test_coefficients_in_a_list():
    p_bar, x_bar = rrule(np.polyval, [3.0, 2.0, 1.0], 2.0)[1](1.0)
    assert isinstance(p_bar, Tangent[list])
    assert [*p_bar] == [4.0, 2.0, 1.0]
    assert x_bar == 14.0


def test_a_fit_through_as_many_points_does_not_move_with_the_points_along_the_curve():
    x, p = np.array([-1.0, 0.5, 2.0]), np.array([1.0, -2.0, 3.0])
    x_dot = np.array([0.3, -0.2, 0.1])
    y_dot = np.polyval(np.polyder(p), x) * x_dot
    c, c_dot = frule((x_dot, y_dot), np.polyfit, x, np.polyval(p, x), deg=2)
    np.testing.assert_allclose(c, p)
    np.testing.assert_allclose(c_dot, np.zeros(3), atol=1e-12)
