"""Second derivatives at repeated eigenvalues and singular values: exact, refused, or a convention
that is written down.

`docs/design/linalg.md` has the table; here is each row of it, in every order of the two modes,
against second differences of the function itself.
"""

import numpy as np
import pytest

from chainrules_py import NotDifferentiableError
from chainrules_py.rulesets.linalg.degeneracy import differentiable_once
from chainrules_py.rulesets.linalg.hermitian_functions import hermitian_function
from chainrules_tape import grad, hessian, jvp
from product.judge import derivatives
from product.ways import DERIVATIVES

linalg = np.linalg
RNG = np.random.default_rng(0)
W, E = (m + m.T for m in RNG.normal(size=(2, 3, 3)))
POINTS = {
    "I": np.eye(3),
    "two lowest": np.diag([1.0, 1.0, 3.0]),
    "two highest": np.diag([1.0, 3.0, 3.0]),
    "one zero": np.diag([0.0, 1.0, 2.0]),
    "two zeros": np.diag([0.0, 0.0, 1.0]),
    "apart": np.diag([1.0, 2.0, 4.0]),
}
REGULAR = ("I", "two lowest", "two highest", "apart")
TWICE = ("forward-reverse", "reverse-reverse", "forward-forward", "reverse-forward")


def projector(a, k):
    v = linalg.eigh(a)[1][:, k]
    return np.sum(W * np.outer(v, v))


def polar(a):
    u, _, vh = linalg.svd(a)
    return np.sum(W * (u @ vh))


# sums of values, each repeated one with one weight; forward first, nobody knows of the weights
EXACT_OVER_REVERSE = {
    "trace": (lambda a: np.sum(linalg.eigvalsh(a)), tuple(POINTS)),
    "trace, by eigvals": (lambda a: np.sum(np.real(linalg.eigvals(a))), tuple(POINTS)),
    "largest": (lambda a: linalg.eigvalsh(a)[-1], ("two lowest", "one zero", "two zeros", "apart")),
    "singular values": (lambda a: np.sum(linalg.svdvals(a)), REGULAR),
    "singular values, by svd": (lambda a: np.sum(linalg.svd(a)[1]), REGULAR),
}
REFUSED = {  # smooth or not: the formulas do not know
    "trace of A^2": (
        lambda a: np.sum(linalg.eigvalsh(a) ** 2),
        ("I", "two lowest", "two highest", "two zeros"),
    ),
    "trace of A^2, by eigh": (
        lambda a: np.sum(linalg.eigh(a)[0] ** 2),
        ("I", "two lowest", "two highest", "two zeros"),
    ),
    "trace of A^2, by eigvals": (
        lambda a: np.real(np.sum(linalg.eigvals(a) ** 2)),
        ("I", "two lowest", "two zeros"),
    ),
    "a vector of the repeated": (lambda a: projector(a, 0), ("I", "two lowest", "two zeros")),
    "norm^2 by svdvals": (
        lambda a: np.sum(linalg.svdvals(a) ** 2),
        ("I", "two lowest", "two highest", "one zero", "two zeros"),
    ),
    "polar factor by svd": (polar, ("I", "two lowest", "two highest", "one zero", "two zeros")),
}
# kinks: of values that share, the derivatives are those of their mean; zeros are left out
MEANS = {
    "largest singular value": (
        lambda a: linalg.norm(a, 2),
        "two highest",
        lambda a: np.mean(linalg.svdvals(a)[:2]),
    ),
    "condition, all": (linalg.cond, "I", lambda a: 1.0),
    "nuclear norm": (
        lambda a: linalg.norm(a, "nuc"),
        "one zero",
        lambda a: np.sum(linalg.svdvals(a)[:2]),
    ),
}


def cases(table):
    return [
        pytest.param(function, point, id=f"{name}, {point}")
        for name, (function, points) in table.items()
        for point in points
    ]


def line(function, a):
    return lambda t: function(a + t * E)


def twice(tower, function, a):
    return DERIVATIVES[tower](line(function, a))[2]


def by_differences(function, a, order=2):
    return derivatives(line(function, a))[0][order]


@pytest.mark.parametrize("tower", TWICE[:2])
@pytest.mark.parametrize(("function", "point"), cases(EXACT_OVER_REVERSE))
def test_exact_over_reverse(function, point, tower):
    a = POINTS[point]
    np.testing.assert_allclose(
        twice(tower, function, a), by_differences(function, a), rtol=1e-5, atol=1e-6
    )


@pytest.mark.parametrize("tower", TWICE)
@pytest.mark.parametrize(("function", "point"), cases(REFUSED))
def test_refused(function, point, tower):
    with pytest.raises(NotDifferentiableError) as raised:
        twice(tower, function, POINTS[point])
    one, other = np.abs(raised.value.values)
    assert abs(one - other) < 1e-14
    assert raised.value.primal in (
        linalg.eigh,
        linalg.eigvalsh,
        linalg.eig,
        linalg.eigvals,
        linalg.svd,
        linalg.svdvals,
    )


@pytest.mark.parametrize("tower", TWICE)
@pytest.mark.parametrize("name", MEANS)
def test_what_shares_is_a_mean(name, tower):
    function, point, mean = MEANS[name]
    found, expected = twice(tower, function, POINTS[point]), by_differences(mean, POINTS[point])
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    "function",
    [lambda a: linalg.eigvalsh(a)[-1], lambda a: linalg.norm(a, 2)],
    ids=["eigvalsh", "norm"],
)
def test_third_derivatives_of_a_single_value_next_to_repeated_ones_are_refused(function):
    with pytest.raises(NotDifferentiableError):
        DERIVATIVES["forward-forward-reverse"](line(function, POINTS["two lowest"]))


def test_one_matrix_of_a_stack_is_enough():
    stack = np.stack([POINTS["apart"], POINTS["I"]])
    with pytest.raises(NotDifferentiableError) as raised:
        hessian(lambda a: np.sum(linalg.eigvalsh(a) ** 2))(stack)
    np.testing.assert_allclose(raised.value.values, (1.0, 1.0))
    hessian(lambda a: np.sum(linalg.eigvalsh(a) ** 2))(stack[:1])


@pytest.mark.parametrize("dtype", ["float32", "complex64", "complex128"])
def test_other_dtypes(dtype):
    def sum_of_squares(a):
        return np.sum(linalg.eigvalsh(a) ** 2)

    e = E.astype(dtype)
    with pytest.raises(NotDifferentiableError):
        jvp(grad(sum_of_squares), (np.eye(3, dtype=dtype),), (e,))
    np.testing.assert_allclose(
        jvp(grad(sum_of_squares), (np.diag([1, 2, 4]).astype(dtype),), (e,))[1], 2 * E, rtol=1e-4
    )


def test_other_variables_may_move():
    """The derivative in a parameter of the gradient at a fixed matrix."""
    found = jvp(
        lambda p: grad(lambda a: np.sum(linalg.eigvalsh(a) ** p))(2 * np.eye(3)), (3.0,), (1.0,)
    )[1]
    np.testing.assert_allclose(found, (4 + 12 * np.log(2.0)) * np.eye(3))


def test_compiled_by_jax_nothing_is_looked_at():
    jax = pytest.importorskip("jax")
    compiled = jax.jit(lambda v, w: differentiable_once(v, w, None, of=linalg.eigh))
    np.testing.assert_array_equal(compiled(np.eye(2, dtype="f"), np.ones(2, "f")), np.eye(2))


# First derivatives by eigh at repeated values, where Q is no eigenbasis that LAPACK would return.
Q = linalg.qr(RNG.normal(size=(3, 3)))[0]
REPEATED = {"I": np.eye(3), "turned": Q @ np.diag([1.0, 1.0, 3.0]) @ Q.T}
RANK_ONE = np.outer(Q[0], Q[1])
SCALED = W - np.trace(W) / 3 * np.eye(3)


def through_vectors(h, weights=W):
    def function(a):
        w, v = linalg.eigh(a)
        return np.sum(weights * ((v * h(w)) @ v.T))

    return function


def through_pairs(h, weights=W, factor=Q):
    """U h(S) V^H of a matrix times a factor, which takes symmetric directions to others."""

    def function(a):
        u, s, vh = linalg.svd(a @ factor)
        return np.sum(weights * ((u * h(s)) @ vh))

    return function


def through_mixed_vectors(weights):
    def function(a):
        w, v = linalg.eig(a)
        return np.real(np.sum(weights * ((v * np.exp(w)) @ linalg.inv(v))))

    return function


def leading_pair(a):
    u, s, vh = linalg.svd(a @ RANK_ONE)
    return np.sum(W * (s[0] * np.outer(u[:, 0], vh[0])))


def span(a):
    """A projector onto the space of the two lowest values."""
    v = linalg.eigh(a)[1][:, :2]
    return np.sum(W * (v @ v.T))


def values_and_span(a):
    w, v = linalg.eigh(a)
    return np.sum(w**2) + np.sum(W * (v[:, :2] @ v[:, :2].T))


def turned_polar(a):
    """The polar factor is the rotation alone, by an angle that depends on the matrix."""
    angle = np.trace(a)
    rotation = np.cos(angle) * np.eye(3) + np.sin(angle) * QUARTER + (1.0 - np.cos(angle)) * LAST
    return polar(a @ rotation)


QUARTER = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
LAST = np.diag([0.0, 0.0, 1.0])
DETERMINED = {
    "polar factor, by svd": (turned_polar, tuple(REPEATED)),
    "singular values": (lambda a: np.sum(np.exp(linalg.svd(a)[1])), tuple(REPEATED)),
    "the trace of a function, by svd": (through_pairs(np.exp, Q), ("I",)),
    "the pair next to zeros": (leading_pair, tuple(REPEATED)),
    "eigenvalues by eig": (lambda a: np.sum(linalg.eig(a)[0].real ** 2), tuple(REPEATED)),
    "a function of the values": (lambda a: np.sum(np.exp(linalg.eigh(a)[0])), tuple(REPEATED)),
    "what vectors span": (span, ("turned",)),
    "values, and what vectors span, by two calls": (
        lambda a: np.sum(linalg.eigvalsh(a) ** 2) + span(a),
        ("turned",),
    ),
    "value and vector next to the repeated": (
        lambda a: linalg.eigh(a)[0][2] ** 2 * projector(a, 2),
        ("turned",),
    ),
    "entries by hermitian_function": (
        lambda a: np.sum(W * hermitian_function(np.exp, a)),
        tuple(REPEATED),
    ),
}
UNDETERMINED = {
    "entries by svd": (through_pairs(np.exp), tuple(REPEATED)),
    "entries of rank one by svd": (
        lambda a: through_pairs(lambda s: s)((a - np.eye(3) + RANK_ONE) @ Q.T),
        ("I",),
    ),
    "entries by eig": (through_mixed_vectors(W), tuple(REPEATED)),
    "an entry by eig, of which the cotangents are zero": (
        through_mixed_vectors(np.triu(W, 1)),
        ("I",),
    ),
    "entries of exp(A)": (through_vectors(np.exp), tuple(REPEATED)),
    "entries of A^2, of trace zero": (through_vectors(np.square, SCALED), tuple(REPEATED)),
    "a vector of the repeated": (lambda a: projector(a, 0), tuple(REPEATED)),
    "values, and what vectors span": (values_and_span, ("turned",)),
}


@pytest.mark.parametrize(("function", "point"), cases(DETERMINED))
def test_a_first_derivative_that_the_cotangents_determine(function, point):
    a = REPEATED[point]
    (found,) = DERIVATIVES["grad"](line(function, a)).values()
    assert found == pytest.approx(by_differences(function, a, 1), rel=1e-6, abs=1e-8)


@pytest.mark.parametrize("mode", ["grad", "forward"])
@pytest.mark.parametrize(("function", "point"), cases(UNDETERMINED))
def test_a_first_derivative_that_they_do_not_determine_is_refused(function, point, mode):
    with pytest.raises(NotDifferentiableError, match="hermitian_function") as raised:
        DERIVATIVES[mode](line(function, REPEATED[point]))
    assert raised.value.primal in (linalg.eigh, linalg.eig, linalg.svd)
    np.testing.assert_allclose(*np.abs(raised.value.values), atol=1e-15)


@pytest.mark.parametrize("point", REPEATED)
def test_forward_mode_knows_of_values_alone(point):
    a = REPEATED[point]
    for name in ("a function of the values", "singular values", "eigenvalues by eig"):
        moving = line(DETERMINED[name][0], a)
        (found,) = DERIVATIVES["forward"](moving).values()
        assert found == pytest.approx(derivatives(moving)[0][1], rel=1e-6)


def test_a_stack_is_refused_for_one_of_its_matrices():
    with pytest.raises(NotDifferentiableError):
        grad(lambda a: np.sum(W * ((v := linalg.eigh(a))[1] * v[0][..., None, :]) @ v[1].mT))(
            np.stack([E, np.eye(3)])
        )


@pytest.mark.parametrize("dtype", ["float32", "complex64", "complex128"])
def test_first_derivatives_in_other_dtypes(dtype):
    a = REPEATED["turned"].astype(dtype)
    np.testing.assert_allclose(
        grad(lambda a: np.real(np.sum(linalg.eigh(a)[0] ** 2)))(a), 2 * a, rtol=1e-4, atol=1e-5
    )

    def entries(a):
        w, v = linalg.eigh(a)
        return np.real(np.sum(W.astype(dtype) * ((v * w) @ np.conj(v.T))))

    with pytest.raises(NotDifferentiableError):
        grad(entries)(a)
