"""The rules of `np.vectorize`, with an engine that knows nothing but the table of rules, and with
the tape.
"""

import functools
import subprocess
import sys

import numpy as np
import pytest

from chainrules_py import (
    NO_TANGENT,
    ZERO,
    NoRuleError,
    NotDifferentiableError,
    Tangent,
    default_rules,
    frule,
    rrule,
)
from chainrules_py.testing import Settings, check_rule
from chainrules_tape.core.config import TapeConfig
from stand_ins.table_engine import TableEngine

TABLE, TAPE = TableEngine(), TapeConfig(default_rules)
X, Y = np.array([0.5, 1.5, 2.0]), np.array([[0.3], [-0.7]])
M = np.array([[0.3, -0.7, 1.1], [0.5, 0.9, -0.2]])


def check(vectorized, *args, config=TAPE, **options):
    """The call as a function of what is passed by position; the vectorised function itself is a
    constant.
    """
    settings = Settings(config=config, second_order="where rules exist", fixed=(0,))
    check_rule(np.vectorize.__call__, vectorized, *args, settings=settings, **options)


def test_without_an_engine():
    with pytest.raises(NoRuleError):
        rrule(np.vectorize(np.multiply), X, Y)


def test_the_first_call_of_a_process_finds_the_rule():
    code = """
import numpy as np
from chainrules_py import HasReverseMode, rrule
class Engine(HasReverseMode):
    rrule_via_ad = staticmethod(rrule)
print(rrule(np.vectorize(np.square), np.array([1.0, 2.0]), config=Engine())[1](np.ones(2))[1])
"""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False
    )
    assert (done.stderr, done.stdout) == ("", "[2. 4.]\n")


@pytest.mark.parametrize(
    "args", [(X, Y), (X, 2.0), (0.5, 2.0), ([0.5, 1.5], 3.0), (X.astype(complex), Y)], ids=str
)
def test_broadcasting(args):
    check(np.vectorize(np.multiply), *args, config=TABLE)


def ramp(x, slope):
    return x if x > 0 else slope * x


def several(x, y):
    return x * y, 3, np.exp(x)


def polynomial(x, coefficients, shift=0.0, *, scale=1.0):
    return functools.reduce(lambda y, c: y * x + c, coefficients, 0.0) * scale + shift


def test_control_flow_on_values():
    check(np.vectorize(ramp), M, Y)


def test_several_outputs():
    check(np.vectorize(several), M, X)


def test_several_outputs_of_which_one_is_used():
    _, pullback = rrule(np.vectorize(several), X, np.array([2.0, 3.0, 4.0]), config=TAPE)
    assert [bar.tolist() for bar in pullback(Tangent[tuple](np.ones(3), ZERO, ZERO))[1:]] == [
        [2.0, 3.0, 4.0],
        X.tolist(),
    ]


@pytest.mark.parametrize("excluded", [{1}, {1, "scale"}])
def test_what_is_excluded_is_passed_whole_and_receives_the_sum(excluded):
    check(np.vectorize(polynomial, excluded=excluded), M, [2.0, -1.0, 0.5])
    check(np.vectorize(polynomial, excluded=excluded), M, np.array([2.0, -1.0]), X, scale=2.0)


def test_keywords_are_broadcast_or_excluded_and_constant():
    check(np.vectorize(polynomial, excluded=["coefficients"]), X, coefficients=[1.0, 2.0], scale=Y)


def test_nothing_to_vectorise():
    check(np.vectorize(polynomial, excluded={0, 1}), X, (1.0, 2.0))


SIGNATURES = {
    "(n),(n)->()": (np.dot, X, M),
    "(m,n),(n)->(m)": (np.matmul, np.stack([M, 2 * M]), X),
    "( ), (n) -> (n)": (np.multiply, Y[:, 0], M),
    "(n)->(),(n)": (lambda row: (np.sum(row), row * row), M),
    "(n)->(m)": (lambda row: np.concatenate([row, row * row]), M),
}


@pytest.mark.parametrize("signature", SIGNATURES)
def test_core_slices(signature):
    function, *args = SIGNATURES[signature]
    check(np.vectorize(function, signature=signature), *args)


def test_dtypes_that_are_asked_for():
    check(np.vectorize(np.multiply, otypes=[complex]), X, Y, config=TABLE)
    check(np.vectorize(several, otypes="ddd"), X, Y)


@pytest.mark.parametrize("dtype", [np.float32, np.complex64])
def test_dtypes_are_numpys(dtype):
    vectorized, x = np.vectorize(several), X.astype(dtype)
    y, pullback = rrule(vectorized, x, x, config=TAPE)
    assert [part.dtype for part in y] == [part.dtype for part in vectorized(x, x)]
    assert pullback(Tangent[tuple](y[0], ZERO, ZERO))[1].dtype == dtype


@pytest.mark.parametrize("otypes", [[int], "i"])
def test_integer_results_have_no_tangent(otypes):
    vectorized = np.vectorize(np.multiply, otypes=otypes)
    y, pullback = rrule(vectorized, X, 2.0, config=TABLE)
    assert y.tolist() == vectorized(X, 2.0).tolist() == [1, 3, 4]
    assert pullback(NO_TANGENT)[1:] == (ZERO, ZERO)
    assert frule((X, 1.0), vectorized, X, 2.0, config=TABLE)[1] is NO_TANGENT


def test_the_first_result_decides():
    # an integer first: NumPy truncates the others
    vectorized = np.vectorize(lambda x: 1 if x < 1 else x)
    y, y_dot = frule((X,), vectorized, X, config=TAPE)
    assert (y.tolist(), y_dot) == (vectorized(X).tolist(), NO_TANGENT)


def test_empty_arguments():
    empty = np.empty((0, 3))
    y, pullback = rrule(np.vectorize(np.multiply, otypes=[float]), empty, X, config=TABLE)
    _, empty_bar, x_bar = pullback(np.empty((0, 3)))
    assert (y.shape, empty_bar, x_bar) == ((0, 3), ZERO, ZERO)
    with pytest.raises(ValueError, match="size 0 inputs"):
        rrule(np.vectorize(np.multiply), empty, X, config=TABLE)
    with pytest.raises(ValueError, match="size 0 inputs"):
        np.vectorize(np.multiply)(empty, X)


REFUSED = {
    "an array where there is one number": (np.vectorize(np.atleast_1d), (X,), "result"),
    "results of two shapes": (
        np.vectorize(lambda x: x if x > 1 else np.stack([x, x]), signature="()->()"),
        (X,),
        "result",
    ),
    "other axes than the signature says": (
        np.vectorize(np.sum, signature="(n)->(n)"),
        (M,),
        "result",
    ),
    "more results than the types": (np.vectorize(np.modf, otypes="d"), (X,), "result"),
    "more results than the signature says": (
        np.vectorize(np.modf, signature="()->()"),
        (X,),
        "result",
    ),
    "sometimes two results": (
        np.vectorize(lambda x: x if x < 1 else (x, x), otypes="d"),
        (X,),
        "result",
    ),
    "another number of arguments": (
        np.vectorize(np.sin, signature="(n)->(n)"),
        (X, X),
        "signature",
    ),
    "axes of two lengths": (np.vectorize(np.dot, signature="(n),(n)->()"), (X, X[:2]), 1),
    "too few axes": (np.vectorize(np.sum, signature="(n)->()"), (0.5,), 0),
}


@pytest.mark.parametrize("case", REFUSED.values(), ids=REFUSED)
def test_what_numpy_refuses_is_refused(case):
    vectorized, args, argument = case
    with pytest.raises(NotDifferentiableError) as caught:
        rrule(vectorized, *args, config=TAPE)
    assert (caught.value.primal, caught.value.argument) == (vectorized, argument)
    with pytest.raises((TypeError, ValueError)):
        vectorized(*args)


def test_fewer_results_than_types_are_refused_where_numpy_answers_with_nan():
    vectorized = np.vectorize(np.sin, otypes="dd")
    with pytest.raises(NotDifferentiableError) as caught:
        rrule(vectorized, X, config=TABLE)
    assert caught.value.argument == "result"
