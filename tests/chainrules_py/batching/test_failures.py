"""An exception that a program catches in lanes is one that every example raises."""

import warnings

import numpy as np
import pytest

from chainrules_py import BatchingError
from chainrules_tape import compiled, grad, jvp, vmap
from chainrules_tape.scipy import linalg, optimize

ONE, TWO = np.eye(2), np.ones(2)
SINGULAR = np.linalg.LinAlgError


def strictly(function):
    """The function with floating-point errors that raise."""

    def strict(x):
        with np.errstate(all="raise"):
            return function(x)

    return strict


def with_errors_for_warnings(x):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return 1 / x


def chosen(x):
    return np.where(x[0] > 0, 1, 7)


def written(x):
    w = x * 1.0
    w[chosen(x)] = 3.0
    return w


def added(x):
    w = x * 1.0
    np.add.at(w, chosen(x), x[0])
    return w


# what may raise; the exception that a program expects; an example that is fine, and one that is not
RAISING = {
    "cholesky": (np.linalg.cholesky, SINGULAR, ONE, -ONE),
    "solve": (lambda a: np.linalg.solve(a, a), SINGULAR, ONE, 0 * ONE),
    "inv": (np.linalg.inv, SINGULAR, ONE, 0 * ONE),
    "svd": (lambda a: np.linalg.svd(a)[0], SINGULAR, ONE, np.nan * ONE),
    "scipy cholesky": (linalg.cholesky, SINGULAR, ONE, -ONE),
    "scipy solve": (lambda a: linalg.solve(a, a), SINGULAR, ONE, 0 * ONE),
    "anything": (np.linalg.cholesky, Exception, ONE, -ONE),
    "brentq": (
        lambda x: optimize.brentq(lambda t, c: t**2 - c, 0.0, 2.0, args=(x[0],)) * x,
        ValueError,
        TWO,
        -TWO,
    ),
    "divide": (strictly(lambda x: 1 / x), FloatingPointError, TWO, 0 * TWO),
    "exp": (strictly(np.exp), FloatingPointError, TWO, 1e4 * TWO),
    "sum": (strictly(lambda x: np.sum(1e158 * x) * 1e-150), FloatingPointError, TWO, 1e150 * TWO),
    "polyfit": (lambda x: np.polyfit(x, x, 1), SINGULAR, TWO + [0, 1], 0 * TWO),
    "a warning": (with_errors_for_warnings, RuntimeWarning, TWO, 0 * TWO),
    "an index": (lambda x: x[chosen(x)] * x, IndexError, TWO, -TWO),
    "take": (lambda x: np.take(x, chosen(x)) * x, IndexError, TWO, -TWO),
    "a write": (written, IndexError, TWO, -TWO),
    "sums at entries": (added, IndexError, TWO, -TWO),
    "a mask": (lambda x: np.sum(x[x > 0]) * x, ValueError, TWO, TWO * [1, -1]),
}


def careful(name):
    """The program that catches the exception, and its examples."""
    function, error, fine, bad = RAISING[name]

    def program(x):
        try:
            y = function(x)
        except error:
            return -x
        else:
            return y * 2

    return program, fine, bad


def summed(function):
    return lambda x: np.sum(function(x) ** 2)


@pytest.mark.parametrize("name", RAISING)
def test_what_some_lanes_raise_cannot_be_caught(name):
    program, fine, bad = careful(name)
    x = np.stack([fine, bad])
    for in_lanes in (
        *(vmap(program), vmap(program, chunk_size=2), grad(summed(vmap(program)))),
        *(vmap(grad(summed(program))), vmap(lambda x: jvp(program, (x,), (x * 0 + 1,)))),
        vmap(lambda x: vmap(program)(np.stack([x, x]))),
    ):
        with pytest.raises(BatchingError):
            in_lanes(x)


@pytest.mark.parametrize("name", [name for name in RAISING if name != "a mask"])
@pytest.mark.filterwarnings("ignore:The fit may be poorly", "ignore:invalid value")
def test_what_all_lanes_raise_can_be_caught(name):
    program, fine, bad = careful(name)
    for example in (fine, bad):
        x, slopes = np.stack([example, example]), [grad(summed(program))(example)] * 2
        for found, expected in (
            (vmap(program)(x), [program(example)] * 2),
            (vmap(vmap(program))(x[None])[0], [program(example)] * 2),
            (vmap(grad(summed(program)))(x), slopes),
            (grad(summed(vmap(program)))(x), slopes),
        ):
            np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


def test_the_error_names_the_lanes():
    a = np.stack([ONE, ONE, -ONE])
    with pytest.raises(
        BatchingError, match=r"cholesky\): LinAlgError .* in lane 2 of 3, .* lane 0"
    ) as found:
        vmap(np.linalg.cholesky)(a)
    assert isinstance(found.value.__cause__, SINGULAR)


def test_what_lanes_raise_differently_cannot_be_caught():
    def minors(a):
        try:
            return linalg.cholesky(a)
        except SINGULAR as error:
            return a * (2.0 if "1" in str(error) else 3.0)

    a = np.stack([-ONE, np.diag([1.0, -1.0])])
    with pytest.raises(
        BatchingError, match=r"1(-th|]) .*, and LinAlgError .*2(-th|]) .* in another"
    ):
        vmap(minors)(a)


def test_errors_in_lanes_say_what_one_example_says():
    """The sizes and axes in a message are those of one example."""
    with pytest.raises(IndexError, match="index 5 is out of bounds for axis 0 with size 2"):
        vmap(lambda x: x[5])(np.ones((3, 2)))
    with pytest.raises(ValueError, match=r"operands could not be broadcast .* \(2,\) \(3,\)"):
        vmap(lambda x: x + np.ones(3))(np.ones((4, 2)))


def test_one_lane_after_the_other_where_a_rule_raises_and_no_lane_does():
    """Here the sums of all lanes overflow, and none of one."""
    from chainrules_py.batching.failures import one_after_the_other

    found = one_after_the_other("here", np.cumsum, (True,), (np.ones((2, 3)),), {"axis": 0})
    np.testing.assert_array_equal(found, [[1, 2, 3]] * 2)


def test_compiled_programs_raise_as_they_do_uncompiled():
    program, fine, bad = careful("cholesky")
    run = compiled(vmap(program))
    for _ in range(3):
        np.testing.assert_array_equal(run(np.stack([fine, fine])), [2 * fine] * 2)
    for _ in range(3):
        with pytest.raises(BatchingError):
            run(np.stack([fine, bad]))
    np.testing.assert_array_equal(run(np.stack([bad, bad])), [-bad] * 2)
    with pytest.raises(BatchingError):
        run(np.stack([bad, fine]))
    np.testing.assert_array_equal(run(np.stack([fine, fine])), [2 * fine] * 2)


def test_what_is_caught_to_compute_in_another_way_does_not_stop_the_program():
    """A mask that holds elsewhere in each lane is written through lane by lane."""

    def program(x):
        w = x * 2.0
        w[x > 0] = x[:1]
        return w

    x = np.array([[[1.0, -2.0], [3.0, 4.0]], [[-1.0, -2.0], [3.0, -4.0]]])
    expected = np.where(x > 0, x[..., :1], 2 * x)
    np.testing.assert_array_equal(vmap(vmap(program))(x), expected)
