"""Jacobians and Hessians: shapes, modes, trees, and values against differences or closed forms."""

import numpy as np
import optree
import pytest

from chainrules_py import NO_TANGENT, OptionError, frule, rrule
from chainrules_tape import grad, hessian, jacobian, primitive, value_and_grad
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


@pytest.mark.parametrize("kind", [float, np.float64, np.array])
@pytest.mark.parametrize("mode", ["forward", "reverse", None])
def test_derivatives_of_numbers_by_numbers_are_numbers(mode, kind):
    found = [jacobian(lambda x: x**3, mode=mode)(kind(0.5)), hessian(lambda x: x**3)(kind(0.5))]
    assert found == [0.75, 3.0]
    assert {isinstance(each, float) for each in found} == {kind is not np.array}


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


Z = np.array([1.0 + 1.0j, 2.0 - 1.0j])
HOLOMORPHIC = {
    "a holomorphic function": (lambda z: z * z * z, Z, np.diag(3 * Z**2)),
    "a holomorphic function to a number": (lambda z: np.sum(np.exp(z)), Z, np.exp(Z)),
    "of a Python number": (lambda z: z * z, 1 + 2j, 2 + 4j),
    "real of complex, as the gradient": (lambda z: np.abs(z) ** 2, Z, np.diag(2 * Z)),
    "complex of real": (lambda x: x * x * 1j + x, np.array([1.0, 3.0]), np.diag([1 + 2j, 1 + 6j])),
    "of nothing": (lambda z: z * z, Z[:0], np.zeros((0, 0))),
}


@pytest.mark.parametrize("name", HOLOMORPHIC)
@pytest.mark.parametrize("mode", ["forward", "reverse", None])
def test_complex_jacobians_do_not_depend_on_the_mode(name, mode):
    f, x, expected = HOLOMORPHIC[name]
    np.testing.assert_allclose(jacobian(f, mode=mode)(x), expected, atol=1e-14)


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


MODES = [None, "forward", "reverse"]
NO_PAIRS = {
    "three results": lambda x: (x * x, 1, 2),
    "one result": lambda x: (x * x,),
    "a number": lambda x: x * x,
    "an array of two": lambda x: x * np.ones(2),
    "a dict of two": lambda x: {"y": x * x, "z": x},
    "nothing": lambda x: None,
}


def of_changes(mode):
    """A function that has other values in another run."""
    outside = np.zeros(1)
    return jacobian(lambda x: counting(x, outside), mode=mode, max_bytes=8)(np.ones(3))


PAIR = r"has_aux=True\): .*, not a pair; return \(value, aux\)"
REFUSED = {
    **{
        f"{name} as a pair, {transform.__name__}": (
            lambda transform=transform, f=f: transform(f, has_aux=True)(2.0),
            OutputError,
            PAIR,
        )
        for name, f in NO_PAIRS.items()
        for transform in (grad, value_and_grad, jacobian, hessian)
    },
    **{
        f"a gradient of {name}": (
            lambda f=f: grad(f, has_aux=True)(2.0),
            OutputError,
            "a container, not a real number",
        )
        for name, f in {
            "several": lambda x: ((x * x, x), 1),
            "none": lambda x: ((), x * x),
        }.items()
    },
    **{
        f"aux beside a sparse {transform.__name__}": (
            lambda transform=transform: transform(with_sides, has_aux=True, sparse=True),
            InputError,
            "sparse matrix; return the value alone",
        )
        for transform in (jacobian, hessian)
    },
    **{
        f"integers of {f.__name__}, {mode}": (
            lambda f=f, mode=mode: jacobian(f, mode=mode)(np.ones(2)),
            OutputError,
            f"{f.__name__}.*no derivative",
        )
        for f in (np.argsort, np.isnan, lambda x: 3, lambda x: None)
        for mode in MODES
    },
    **{
        f"mode {mode}": (
            lambda mode=mode: jacobian(np.sin, mode=mode),
            OptionError,
            "'reverse', 'forward'",
        )
        for mode in ("xyz", "fwd", True, 0)
    },
    **{
        f"a Jacobian of {name}, {mode}": (
            lambda f=f, mode=mode: jacobian(f, mode=mode)(Z),
            OutputError,
            "complex",
        )
        for name, f in {"conj": np.conj, "size": lambda z: z * np.abs(z)}.items()
        for mode in MODES
    },
    "a Hessian of complex entries": (
        lambda: hessian(lambda z: np.sum(np.abs(z) ** 4))(Z),
        OutputError,
        "complex",
    ),
    **{
        f"other values in another run, {mode}": (
            lambda mode=mode: of_changes(mode),
            OutputError,
            "other values in another run.*copies",
        )
        for mode in (None, "forward")
    },
}


@pytest.mark.parametrize(("call", "error", "words"), REFUSED.values(), ids=REFUSED)
def test_what_is_refused(call, error, words):
    with pytest.raises(error, match=words):
        call()


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
