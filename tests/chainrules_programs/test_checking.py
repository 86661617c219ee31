"""Derivatives by hand before two judges: what is wrong, where and by how much; what is right; and
what cannot be checked.
"""

import numpy as np
import pytest

from chainrules_py import primitive, scalar_rule
from chainrules_py.testing import CheckFailure, UnsuitableCallError
from chainrules_tape import assert_derivatives, check_derivatives

X = np.array([0.5, 2.0])


def rosenbrock(x):
    return (1 - x[0]) ** 2 + 100 * (x[1] - x[0] ** 2) ** 2


def slope(x):
    t = x[1] - x[0] ** 2
    return np.array([-2 * (1 - x[0]) - 400 * x[0] * t, 200 * t])


def curvature(x):
    mixed = -400 * x[0]
    return np.array([[2 - 400 * x[1] + 1200 * x[0] ** 2, mixed], [mixed, 200.0]])


RIGHT = {
    "gradient and Hessian": (rosenbrock, X, slope, curvature),
    "a gradient": (rosenbrock, X, slope, None),
    "a Hessian": (rosenbrock, X, None, curvature),
    "a program": (rosenbrock, X, None, None),
    "a row": (rosenbrock, X, lambda x: slope(x)[None], None),
    "a number": (np.tanh, 0.3, lambda x: 1 - np.tanh(x) ** 2, None),
    "a Jacobian": (lambda x: np.outer(x, x)[0], X, lambda x: [[2 * x[0], 0.0], [x[1], x[0]]], None),
    "an array of arrays": (
        lambda x: x * x,
        np.arange(4.0).reshape(2, 2),
        lambda x: np.diag(2 * x.ravel()).reshape(2, 2, 2, 2),
        None,
    ),
    "a container": (
        lambda p: p["a"] * np.sum(p["w"] ** 2),
        {"a": 2.0, "w": X},
        lambda p: {"a": np.sum(p["w"] ** 2), "w": 2 * p["a"] * p["w"]},
        None,
    ),
    "a kink": (lambda x: np.sum(np.abs(x)), np.array([0.0, 1.0]), np.sign, None),
}


Z = np.array([0.5 + 0.3j, 2.0 - 1.0j])
RIGHT |= {
    "a real loss": (lambda z: np.sum(np.abs(z) ** 2), Z, lambda z: 2 * z, lambda z: 2 * np.eye(4)),
    "a holomorphic function": (np.exp, Z, lambda z: np.diag(np.exp(z)), None),
    "a holomorphic number": (lambda z: z**2, Z[0], lambda z: 2 * z, None),
    "a conjugate": (np.conj, Z, lambda z: np.diag([1.0, 1.0, -1.0, -1.0]), None),
    "real parts": (lambda z: np.real(z**2), Z, lambda z: np.diag(2 * np.conj(z)), None),
    "a path": (lambda t: np.exp(1j * t), X, lambda t: np.diag(1j * np.exp(1j * t)), None),
    "complex numbers in a container": (
        lambda p: np.sum(p["x"] * np.abs(p["z"])),
        {"x": X, "z": Z},
        lambda p: {"x": np.abs(p["z"]), "z": p["x"] * p["z"] / np.abs(p["z"])},
        None,
    ),
    "a program of complex numbers": (lambda z: np.fft.fft(z * np.conj(z[0])), Z, None, None),
}


@pytest.mark.parametrize(("function", "x", "jac", "hess"), RIGHT.values(), ids=RIGHT)
def test_what_is_right(function, x, jac, hess):
    report = check_derivatives(function, x, jac, hess)
    assert report.is_right, report
    assert "wrong" not in str(report)
    assert_derivatives(function, x, jac, hess)


WRONG = {
    "sign": (lambda x: -slope(x), None, {(0, 0), (0, 1)}, "wrong sign"),
    "an entry": (lambda x: slope(x) * [1.0, 0.0], None, {(0, 1)}, "are zero, the others are right"),
    "a little": (
        lambda x: slope(x) * [1.0, 1 + 1e-5],
        None,
        {(0, 1)},
        "the first digits are right",
    ),
    "nan": (lambda x: slope(x) * [np.nan, 1.0], None, {(0, 0)}, "nan or inf"),
    "half a Hessian": (slope, lambda x: np.triu(curvature(x)), {(1, 0)}, "the others are right"),
    "a Hessian alone": (None, lambda x: 2 * curvature(x), None, "multiply by 1/2"),
}


@pytest.mark.parametrize(("jac", "hess", "places", "sentence"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_is_named_by_both_judges(jac, hess, places, sentence):
    report = check_derivatives(rosenbrock, X, jac, hess)
    part = report.parts[-1]
    assert not report.is_right
    assert places is None or {tuple(place) for place in np.argwhere(part.wrong)} == places
    assert "  differences and the rules: " in str(part)
    assert sentence in str(part)
    with pytest.raises(CheckFailure) as raised:
        assert_derivatives(rosenbrock, X, jac, hess)
    assert raised.value.check == part.name
    assert raised.value.entries


def test_a_gradient_by_the_other_convention_is_called_conjugated():
    report = check_derivatives(lambda z: np.sum(np.abs(z) ** 2), Z, jac=lambda z: 2 * np.conj(z))
    assert "conjugate" in str(report)
    assert [row[:2] for row in report.parts[0].rows()[1:]] == [
        ("out", "x[0].imag"),
        ("out", "x[1].imag"),
    ]


def test_the_table_has_what_each_of_them_says():
    report = check_derivatives(rosenbrock, X, lambda x: slope(x) + [0.0, 7.0])
    (part,) = report.parts
    head, row = part.rows()
    assert head == ("output", "input", "jac", "differences", "rules")
    assert row[:2] == ("out", "x[1]")
    assert [float(cell) for cell in row[2:]] == pytest.approx([357.0, 350.0, 350.0])
    assert "<td>357</td>" in report._repr_html_()


def test_what_the_rules_cannot_differentiate_has_one_judge():
    def compiled(x):
        return float(x[0]) ** 2 * float(x[1])

    good = lambda x: np.array([2 * x[0] * x[1], x[0] ** 2])  # noqa: E731
    report = check_derivatives(compiled, X, good)
    assert report.is_right
    assert "by differences alone; the rules have none: LostGradientError" in str(report)
    assert not check_derivatives(compiled, X, lambda x: 2 * good(x)).is_right
    alone = check_derivatives(compiled, X)
    assert not alone.is_right
    assert "there is none to check" in str(alone)
    with pytest.raises(CheckFailure):
        assert_derivatives(compiled, X)


def test_a_wrong_rule_is_seen_in_a_program():
    @primitive
    def cubed(x):
        return x**3

    scalar_rule(cubed, "x", "2 * x**2")
    report = check_derivatives(lambda x: np.sum(cubed(x)), X)
    assert "every entry is 2/3 times what it should be" in str(report)
    against = check_derivatives(lambda x: np.sum(cubed(x)), X, jac=lambda x: 3 * x**2)
    assert "the rules: " in str(against)
    assert "differences" not in str(against).partition("\n  output")[0].partition("the rules")[0]


UNSUITABLE = {
    "another shape": (rosenbrock, X, dict(jac=lambda x: np.ones(3))),
    "a Jacobian's transpose": (lambda x: x[:1], X, dict(jac=lambda x: np.ones((2, 1)))),
    "a gradient for a Hessian": (rosenbrock, X, dict(hess=slope)),
    "a Hessian of arrays": (np.sin, X, dict(hess=curvature)),
    "a matrix of another size": (np.conj, Z, dict(jac=lambda z: np.ones(3))),
    "a complex Hessian": (lambda z: np.abs(z[0]), Z, dict(hess=lambda z: 2j * np.eye(2))),
    "a Hessian of a complex number": (lambda z: z[0], Z, dict(hess=lambda z: np.eye(4))),
    "integers": (rosenbrock, np.array([1, 2]), {}),
}


@pytest.mark.parametrize(("function", "x", "given"), UNSUITABLE.values(), ids=UNSUITABLE)
def test_what_cannot_be_checked_is_refused(function, x, given):
    with pytest.raises(UnsuitableCallError, match="check_derivatives"):
        check_derivatives(function, x, **given)


def test_nothing_finite_is_right_where_the_derivative_is_infinite():
    def roots(x):
        return np.sum(np.sqrt(x))

    x = np.array([0.0, 4.0])
    with np.errstate(divide="ignore"):
        found = check_derivatives(roots, x, jac=lambda x: np.array([1.0, 0.25]))
        assert check_derivatives(roots, x, jac=lambda x: 0.5 / np.sqrt(x)).is_right
    assert found.parts[0].wrong.tolist() == [[True, False]]


def test_a_gradient_of_a_vector_with_one_entry_is_asked_for_as_a_row():
    x = np.array([1.0, 2.0])
    with pytest.raises(UnsuitableCallError, match=r"shape \(1, 2\)"):
        check_derivatives(lambda x: x[:1] ** 2, x, jac=lambda x: 2 * x)
