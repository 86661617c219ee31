"""Jacobians and Hessians: shapes, modes, trees, and values against differences or closed forms."""

import numpy as np
import optree
import pytest

from chainrules_py import NO_TANGENT, OptionError, frule, rrule
from chainrules_tape import grad, hessian, hvp, jacobian, primitive, value_and_grad
from chainrules_tape.refusals.errors import InputError, OutputError

RNG = np.random.default_rng(1)


@pytest.mark.parametrize("mode", ["forward", "reverse", None])
@pytest.mark.parametrize("shape", [(), (3,), (2, 2), (0,)])
@pytest.mark.parametrize("out", [(), (2,), (2, 3)])
def test_jacobian_of_a_linear_map_is_the_map(mode, shape, out):
    a = RNG.normal(size=out + shape)
    x = RNG.normal(size=shape)
    axes = tuple(range(len(out), len(out) + len(shape)))
    found = jacobian(lambda x: np.sum(a * x, axis=axes), mode=mode)(x)
    np.testing.assert_allclose(found, a)


@pytest.mark.parametrize("mode", ["forward", "reverse"])
def test_trees_of_blocks(mode):
    def f(p):
        return {"u": p["a"] * p["b"], "v": np.sum(p["a"])}

    found = jacobian(f, mode=mode)({"a": np.array([1.0, 2.0]), "b": 3.0, "n": 4})
    np.testing.assert_array_equal(found["u"]["a"], 3 * np.eye(2))
    np.testing.assert_array_equal(found["u"]["b"], [1.0, 2.0])
    np.testing.assert_array_equal(found["v"]["a"], [1.0, 1.0])
    np.testing.assert_array_equal(found["v"]["b"], 0.0)
    assert found["u"]["n"] is NO_TANGENT


@pytest.mark.parametrize("mode", [None, "forward", "reverse"])
def test_integers_beside_other_results_have_no_block(mode):
    found, none = jacobian(lambda x: (np.sum(x), np.argmax(x)), mode=mode)(np.ones(2))
    np.testing.assert_array_equal(found, [1.0, 1.0])
    assert none is NO_TANGENT


@pytest.mark.parametrize("mode", [None, "forward", "reverse"])
@pytest.mark.parametrize("f", [np.argsort, np.argmax, np.isnan, lambda x: 3, lambda x: None])
def test_results_of_integers_alone_are_refused(f, mode):
    with pytest.raises(OutputError, match="no derivative") as caught:
        jacobian(f, mode=mode)(np.ones(2))
    assert f.__name__ in caught.value.where


@pytest.mark.parametrize("mode", [None, "forward", "reverse"])
def test_integers_as_floats_are_constants(mode):
    found = jacobian(lambda x: np.argsort(x).astype(float), mode=mode)(np.ones(2))
    np.testing.assert_array_equal(found, np.zeros((2, 2)))


@pytest.mark.parametrize("mode", ["xyz", "fwd", "rev", "r", True, 0])
def test_a_mode_that_does_not_exist_is_refused_with_those_that_do(mode):
    with pytest.raises(OptionError, match="'reverse', 'forward'") as caught:
        jacobian(np.sin, mode=mode)
    assert (caught.value.option, caught.value.value) == ("mode", mode)


def test_argnums_and_float32():
    found = jacobian(lambda a, b: a * b, 1)(2.0, np.ones(3, "float32"))
    np.testing.assert_array_equal(found, 2 * np.eye(3))
    assert found.dtype == np.float32


@pytest.mark.parametrize("mode", ["forward", "reverse", None])
def test_several_arguments_have_a_block_each(mode):
    a, x, y = RNG.normal(size=(2, 3)), RNG.normal(size=3), RNG.normal(size=2)
    found = jacobian(
        lambda x, n, y: {"map": a @ x * y, "sum": np.sum(x)}, argnums=(2, "x"), mode=mode
    )(x, 1.0, y)
    expected = {"map": (np.diag(a @ x), a * y[:, None]), "sum": (np.zeros(2), np.ones(3))}
    for name, blocks in expected.items():
        assert isinstance(found[name], tuple)
        for block, by_hand in zip(found[name], blocks, strict=True):
            np.testing.assert_allclose(block, by_hand)


def test_one_argument_in_a_tuple_has_a_tuple():
    (block,) = jacobian(lambda x: 2 * x, argnums=(0,))(np.ones(2))
    np.testing.assert_array_equal(block, 2 * np.eye(2))
    ((block,),) = hessian(lambda x: np.sum(x**2), argnums=[0])(np.ones(2))
    np.testing.assert_array_equal(block, 2 * np.eye(2))


def test_a_hessian_in_two_arguments_is_two_rows_of_two_blocks():
    a, x, y = RNG.normal(size=(3, 2)), RNG.normal(size=3), RNG.normal(size=2)
    (xx, xy), (yx, yy) = hessian(lambda x, y: x @ a @ y + np.sum(x**2) * y[0], argnums=(0, 1))(x, y)
    np.testing.assert_allclose(xx, 2 * y[0] * np.eye(3))
    np.testing.assert_allclose(xy, a + np.outer(2 * x, [1.0, 0.0]))
    np.testing.assert_allclose(yx, xy.T)
    np.testing.assert_array_equal(yy, np.zeros((2, 2)))


def test_hessian_of_rosenbrock():
    def f(x):
        return 100 * (x[1] - x[0] ** 2) ** 2 + (1 - x[0]) ** 2

    def by_hand(x):
        return np.array([[1200 * x[0] ** 2 - 400 * x[1] + 2, -400 * x[0]], [-400 * x[0], 200.0]])

    x = np.array([-1.2, 1.0])
    np.testing.assert_allclose(hessian(f)(x), by_hand(x), rtol=1e-12)
    np.testing.assert_allclose(
        hvp(f, x, np.array([1.0, -2.0])), by_hand(x) @ [1.0, -2.0], rtol=1e-12
    )


# Going back, the reads of x[0] arrive in one buffer: first the one whose cotangent is a constant of
# the outer derivative.
READS = {
    "a number, linear first": lambda x: x[0] + x[0] ** 2 + x[1],
    "a number, linear last": lambda x: x[0] ** 2 * x[1] + x[0],
    "the last entry": lambda x: x[-1] + np.exp(x[-1]) * x[0] + x[0],
    "slices": lambda x: np.sum(x[:1]) + np.sum(x[:1] ** 2 * x[1:]),
    "lists": lambda x: np.sum(x[[0, 0]]) + np.sum(x[[0, 1]] ** 3),
    "masks": lambda x: np.sum(x[[True, False]]) + np.sum(x[[True, True]] ** 3),
}


@pytest.mark.parametrize("f", READS.values(), ids=list(READS))
@pytest.mark.parametrize("dtype", [np.float64, np.longdouble])
def test_hessian_of_a_function_that_reads_an_entry_in_linear_and_in_other_terms(f, dtype):
    x = np.array([-1.2, 1.0])
    h = 1e-4
    steps = h * np.eye(2)
    expected = [
        [(f(x + a + b) - f(x + a - b) - f(x - a + b) + f(x - a - b)) / (4 * h * h) for b in steps]
        for a in steps
    ]
    np.testing.assert_allclose(hessian(f)(x.astype(dtype)), expected, atol=1e-6)
    np.testing.assert_allclose(
        jacobian(grad(f), mode="reverse")(x.astype(dtype)), expected, atol=1e-6
    )


def test_hvp_passes_the_other_arguments():
    assert hvp(lambda x, c: c * x**3, 2.0, 1.0, 5.0) == pytest.approx(60.0)


def test_a_jacobian_of_a_jacobian():
    x = np.array([0.3, 0.7])
    found = jacobian(jacobian(lambda x: x**3))(x)
    expected = np.zeros((2, 2, 2))
    expected[[0, 1], [0, 1], [0, 1]] = 6 * x
    np.testing.assert_allclose(found, expected)


Z = np.array([1.0 + 1.0j, 2.0 - 1.0j])
COMPLEX = {
    "a holomorphic function": (lambda z: z * z * z, Z, np.diag(3 * Z**2)),
    "a holomorphic function to a number": (lambda z: np.sum(np.exp(z)), Z, np.exp(Z)),
    "of a Python number": (lambda z: z * z, 1 + 2j, 2 + 4j),
    "real of complex, as the gradient": (lambda z: np.abs(z) ** 2, Z, np.diag(2 * Z)),
    "complex of real": (lambda x: x * x * 1j + x, np.array([1.0, 3.0]), np.diag([1 + 2j, 1 + 6j])),
    "of nothing": (lambda z: z * z, Z[:0], np.zeros((0, 0))),
}


@pytest.mark.parametrize("name", COMPLEX)
@pytest.mark.parametrize("mode", ["forward", "reverse", None])
def test_complex_jacobians_do_not_depend_on_the_mode(name, mode):
    f, x, expected = COMPLEX[name]
    np.testing.assert_allclose(jacobian(f, mode=mode)(x), expected, atol=1e-14)


@pytest.mark.parametrize("f", [np.conj, lambda z: z * np.abs(z)], ids=["conj", "size"])
@pytest.mark.parametrize("mode", ["forward", "reverse", None])
def test_one_complex_number_does_not_say_how_these_move(f, mode):
    with pytest.raises(OutputError) as caught:
        jacobian(f, mode=mode)(Z)
    assert caught.value.function is f


def test_hessian_of_complex_entries():
    with pytest.raises(OutputError):
        hessian(lambda z: np.sum(np.abs(z) ** 4))(Z)


@pytest.mark.parametrize("mode", ["forward", "reverse"])
def test_a_program_writes_into_a_copy_of_one_part_what_depends_on_another(mode):
    def scaled(p):
        u = p["u"].copy()
        u[1:] *= p["k"]
        u[0] = p["k"] ** 2
        return u

    blocks = jacobian(scaled, mode=mode)({"u": np.array([0.3, 0.7]), "k": 1.3})
    np.testing.assert_allclose(blocks["u"], [[0.0, 0.0], [0.0, 1.3]])
    np.testing.assert_allclose(blocks["k"], [2.6, 0.7])


def counting(x, state):
    """Writes into an argument that is not differentiated: of its second run it would have 2 x."""
    state[0] += 1
    return x * state[0]


@pytest.mark.parametrize("mode", [None, "forward", "reverse"])
@pytest.mark.parametrize("start", [np.zeros(2), np.zeros(2, int), [0.0, 0.0]])
def test_each_run_starts_from_the_constants_that_were_passed(start, mode):
    state = start.copy()
    x = np.array([1.0, 2.0, 3.0])
    derivatives = jacobian(counting, mode=mode, max_bytes=8)
    np.testing.assert_array_equal(derivatives(x, state), np.eye(3))
    np.testing.assert_array_equal(derivatives(x, state=state), np.eye(3))
    second = hessian(lambda x, state: np.sum(counting(x, state) ** 2), max_bytes=8)
    np.testing.assert_array_equal(second(x, state), 2 * np.eye(3))
    np.testing.assert_array_equal(state, start)


@pytest.mark.parametrize("mode", [None, "forward", "reverse"])
def test_each_run_starts_from_the_parts_that_were_passed(mode):
    """In forward mode, the parts but one are constants in each run."""
    parts = (np.array([1.0, 2.0]), np.array([3.0, 4.0]), np.array([0]))

    def f(parts):
        x, y, count = parts
        count[0] += 1
        x[0] *= 2
        y[1] += 3
        return x * y * count[0]

    of_x, of_y, _ = jacobian(f, mode=mode, max_bytes=8)(parts)
    np.testing.assert_array_equal(of_x, np.diag([6.0, 7.0]))
    np.testing.assert_array_equal(of_y, np.diag([2.0, 2.0]))
    assert [part.tolist() for part in parts] == [[1.0, 2.0], [3.0, 4.0], [0]]


def test_each_run_starts_from_the_traced_constants_that_were_passed():
    def f(state):
        return np.sum(jacobian(counting, mode="forward", max_bytes=8)(np.ones(3), state))

    np.testing.assert_array_equal(grad(f)(np.array([1.0, 5.0])), [3.0, 0.0])


@pytest.mark.parametrize("mode", [None, "forward"])
def test_a_function_with_other_values_in_another_run_is_refused(mode):
    found_outside = np.zeros(1)
    with pytest.raises(OutputError, match="other values in another run") as caught:
        jacobian(lambda x: counting(x, found_outside), mode=mode, max_bytes=8)(np.ones(3))
    assert "copies" in caught.value.instead


def with_sides(x, c):
    """A value of two parts, and what was computed on the way."""
    half = np.sin(x) * c["c"]
    return {"y": half**2, "z": np.sum(half)}, {"half": half, "text": "seen", "count": 2}


@pytest.mark.parametrize("mode", ["forward", "reverse", None])
@pytest.mark.parametrize("argnums", [0, 1, (0, 1)])
@pytest.mark.parametrize("max_bytes", [2**28, 8])
def test_what_is_returned_beside_the_value(mode, argnums, max_bytes):
    x, c = np.array([0.3, 0.7]), {"c": 2.0}
    options = {"mode": mode, "max_bytes": max_bytes}
    found, aux = jacobian(with_sides, argnums, has_aux=True, **options)(x, c)
    expected = jacobian(lambda x, c: with_sides(x, c)[0], argnums, **options)(x, c)
    found, expected = (optree.tree_leaves(each) for each in (found, expected))
    for block, known in zip(found, expected, strict=True):
        np.testing.assert_array_equal(block, known)
    assert type(aux["half"]) is np.ndarray
    np.testing.assert_array_equal(aux["half"], np.sin(x) * 2.0)
    assert (aux["text"], aux["count"]) == ("seen", 2)


def test_a_hessian_and_what_is_returned_beside_the_value():
    found, aux = hessian(lambda x: (np.sum(x**3), x * 2), has_aux=True)(np.array([1.0, 2.0]))
    np.testing.assert_allclose(found, np.diag([6.0, 12.0]))
    assert type(aux) is np.ndarray
    assert aux.tolist() == [2.0, 4.0]


def test_derivatives_of_what_is_beside_the_value_go_on():
    def through(x):
        found, aux = jacobian(lambda y: (y**2, y**3), has_aux=True)(x)
        return np.sum(found) + np.sum(aux)

    np.testing.assert_allclose(grad(through)(np.array([1.0, 2.0])), [2 + 3, 2 + 12])


NO_PAIRS = {
    "three results": lambda x: (x * x, 1, 2),
    "one result": lambda x: (x * x,),
    "a number": lambda x: x * x,
    "a constant": lambda x: 3.0,
    "an array of two": lambda x: x * np.ones(2),
    "a dict of two": lambda x: {"y": x * x, "z": x},
    "nothing": lambda x: None,
}


@pytest.mark.parametrize("f", NO_PAIRS.values(), ids=NO_PAIRS)
@pytest.mark.parametrize("transform", [grad, value_and_grad, jacobian, hessian])
def test_with_aux_a_result_that_is_no_pair_is_refused(transform, f):
    with pytest.raises(OutputError, match=r"has_aux=True\): .*, not a pair; return \(value, aux\)"):
        transform(f, has_aux=True)(2.0)


@pytest.mark.parametrize("beside", [lambda x: ((x * x, x), 1), lambda x: ((), x * x)])
def test_a_gradient_with_aux_wants_one_number_as_the_value(beside):
    with pytest.raises(OutputError, match="a container, not a real number"):
        grad(beside, has_aux=True)(2.0)


def test_an_aux_beside_a_sparse_matrix_is_refused():
    for transform in (jacobian, hessian):
        with pytest.raises(InputError, match="sparse matrix; return the value alone"):
            transform(with_sides, has_aux=True, sparse=True)


@pytest.mark.parametrize("size", [1, 4])
def test_few_entries_take_one_run(size):
    """A trace would tell how large the result is, and cost as much as the columns."""
    runs = []

    def powers(x):
        runs.append(x)
        return np.concatenate([x**2, x**3])

    x = np.linspace(1.0, 2.0, size)
    expected = np.concatenate([np.diag(2 * x), np.diag(3 * x**2)])
    np.testing.assert_allclose(jacobian(powers)(x), expected, rtol=1e-14)
    assert len(runs) == 1


@pytest.mark.parametrize("error", [NotImplementedError("not forward"), TypeError("no number")])
def test_few_entries_of_a_rule_for_reverse_mode_alone(error):
    """A number of them is differentiated in reverse; a vector would be in forward mode."""

    @primitive
    def total(x):
        return np.sum(x**2)

    @rrule.register(total)
    def total_rrule(x, *, xp):
        def total_pullback(y_bar):
            return (2 * x * y_bar,)

        return total(x), total_pullback

    @frule.register(total)
    def total_frule(dots, x, *, xp):
        raise error

    x = np.array([1.0, 2.0])
    np.testing.assert_allclose(jacobian(total)(x), 2 * x)
    with pytest.raises(type(error), match=str(error)):
        jacobian(lambda x: total(x) * x)(x)
