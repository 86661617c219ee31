"""NumPy's floating-point warnings while a derivative is taken.

They are those of plain NumPy, at the user's own lines; warnings of the derivative come at the line
that asked for it.
"""

import linecache
import warnings
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from chainrules_tape import checkpoint, grad, hessian, hvp, jacobian, jvp, linearize, vjp

ZEROS = np.zeros(2)


def said(function, *args) -> list[tuple[Any, ...]]:
    """What a call warns of: the text, the category and the place."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        function(*args)
    return [(str(w.message), w.category, w.filename, w.lineno) for w in caught]


def at(found: list[tuple[Any, ...]]) -> set[str]:
    """The source lines at which something was warned of."""
    return {linecache.getline(filename, line).strip() for _, _, filename, line in found}


def logarithm(x):
    y = np.log(x)
    return np.sum(np.where(x > 0, y, x))


def quotient(x):
    y = (
        2.0
        / x
    )  # fmt: skip
    return np.sum(np.where(x > 0, y, x))


def overflow(x):
    return np.sum(np.where(x == 0, x, np.exp((x + 1) * 1e6)))


def plain_beside(x):
    constant = np.sqrt(np.full(2, -1.0))
    return np.sum(x) + np.sum(np.isnan(constant))


def in_numpy(x):
    return np.sum(x) + np.var(np.array([1e300, -1e300]))


FUNCTIONS = [logarithm, quotient, overflow, plain_beside, in_numpy]
TRANSFORMS = {
    "grad": grad,
    "vjp": lambda f: lambda x: vjp(f, x),
    "jvp": lambda f: lambda x: jvp(f, (x,), (np.zeros_like(x),)),
    "checkpoint": lambda f: lambda x: vjp(checkpoint(f), x),
    "second": lambda f: lambda x: vjp(lambda x: jvp(f, (x,), (np.zeros_like(x),))[0], x),
}


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("transform", TRANSFORMS.values(), ids=TRANSFORMS)
def test_the_value_warns_as_plain_numpy_does(transform, function):
    plain = said(function, ZEROS)
    assert plain
    assert set(plain) <= set(said(transform(function), ZEROS))


def test_the_derivative_warns_at_the_line_that_asks_for_it():
    found = said(lambda: grad(np.sqrt)(0.0))
    assert at(found) == {"found = said(lambda: grad(np.sqrt)(0.0))"}
    _, pullback = vjp(np.sqrt, 0.0)
    found = said(lambda: pullback(1.0))
    assert at(found) == {"found = said(lambda: pullback(1.0))"}
    found = said(lambda: jacobian(np.sqrt)(ZEROS))
    assert at(found) == {"found = said(lambda: jacobian(np.sqrt)(ZEROS))"}


def root(x):
    return np.sum(np.sqrt(x))


def test_forward_the_derivative_warns_at_the_operation():
    assert at(said(lambda: jvp(root, (ZEROS,), (np.ones(2),)))) == {"return np.sum(np.sqrt(x))"}


@pytest.mark.parametrize(
    "take",
    [hessian, lambda f: lambda x: hvp(f, x, x + 1), lambda f: lambda x: linearize(f, x)[1](x)],
)
def test_no_warning_of_any_order_is_at_a_line_of_this_library(take):
    found = said(take(root), ZEROS)
    assert found
    assert {filename for _, _, filename, _ in found} == {__file__}


def test_each_line_warns_once_and_filters_know_its_module():
    found = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        for _ in range(3):
            vjp(logarithm, ZEROS)
        found += caught
    assert len(found) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", module=__name__.replace(".", r"\."))
        grad(logarithm)(ZEROS)


def test_a_warning_may_be_an_error():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for take in TRANSFORMS.values():
            before = np.geterr(), np.geterrcall()
            with pytest.raises(RuntimeWarning, match="divide by zero"):
                take(logarithm)(ZEROS)
            assert (np.geterr(), np.geterrcall()) == before


# What the caller has said about errors


@pytest.mark.parametrize("mode", ["ignore", "warn", "raise", "call", "print", "log"])
@pytest.mark.parametrize("where", ["outside", "inside"])
@pytest.mark.parametrize("name", ["vjp", "jvp", "checkpoint"])
def test_the_users_error_state_says_what_is_done(name: str, where: str, mode, capfd):
    class Log:
        def write(self, message: str):
            heard.append(message)

        def __call__(self, error: str, flag: int):
            heard.append((error, flag))

    def stated(function):
        def call(*args):
            with np.errstate(all=mode, call=Log()):
                return function(*args)

        return call

    def outcome(function):
        heard.clear()
        try:
            warned: Any = said(function, ZEROS)
        except FloatingPointError as error:
            warned = str(error)
        if (where, mode) == ("inside", "warn"):
            # not reported to this library, which cannot know the line
            warned = [message for message, *_ in warned]
        return warned, list(heard), capfd.readouterr()

    heard: list[Any] = []
    take = TRANSFORMS[name]
    ours = stated(take(overflow)) if where == "outside" else take(stated(overflow))
    assert outcome(ours) == outcome(stated(overflow))


def test_what_the_function_sets_for_good_stays_set():
    def sets(x):
        np.seterr(divide="ignore")
        return np.sum(np.where(x > 0, np.log(x), x))

    for take in (lambda f: vjp(f, ZEROS), lambda f: jvp(f, (ZEROS,), (ZEROS,))):
        with np.errstate(divide="warn"):
            before = np.geterr()
            assert said(take, sets) == []
            assert np.geterr() == {**before, "divide": "ignore"}


def test_a_thread_warns_at_its_own_line():
    def task(x):
        return np.sum(vjp(logarithm, x)[0])

    with ThreadPoolExecutor(2) as pool, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        list(pool.map(task, [ZEROS, ZEROS]))
    assert {linecache.getline(w.filename, w.lineno).strip() for w in caught} == {"y = np.log(x)"}


def test_functions_of_generated_modules_without_a_name_are_no_lines_of_this_library():
    scope: dict[str, Any] = {"np": np}
    exec(compile("def f(x):\n    return np.sum(np.log(x))\n", "<a user's>", "exec"), scope)
    assert {filename for _, _, filename, _ in said(lambda: vjp(scope["f"], ZEROS))} == {
        "<a user's>"
    }
