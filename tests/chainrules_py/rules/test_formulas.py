"""Functions that are partial derivatives, written as the expression that they return, or in their
own words.
"""

import operator
from functools import wraps

import pytest

from chainrules_py.rules.formulas import latex_of_function


def slope(x, out, xp):
    """The slope of something."""
    return xp.where(x == 0, 0, 2 * xp.exp(x) / out)


def by_steps(x):
    """It takes two steps."""
    y = x * x
    return y + 1


def in_silence(x):
    y = x * x
    return y + 1


def call(function, *args):
    return function(*args)


def closure(sign, function):
    def of_other(x, xp):
        return sign * call(function, x, xp)

    return of_other


def changed(function, then):
    @wraps(function)
    def wrapper(*args):
        return then(function(*args))

    return wrapper


HALF = r"\begin{cases}0 & x = 0\\\frac{2 \, \exp\left(x\right)}{y} & \text{otherwise}\end{cases}"
FIRST, SECOND = (lambda a, b: a - b), (lambda a, b: b - a)


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (slope, HALF),
        (by_steps, r"\text{It takes two steps}"),
        (in_silence, None),
        (lambda z: z**3, "z^{3}"),
        (FIRST, "a - b"),
        (SECOND, "b - a"),
        (closure(0.5, slope), r"0.5 \, \operatorname{slope}\left(x\right)"),
        (changed(slope, operator.neg), rf"-\left({HALF}\right)"),
        (changed(slope, operator.pos), None),
        (changed(in_silence, operator.neg), None),
        (abs, None),
    ],
)
def test_functions_are_written_as_what_they_return(function, expected):
    if function is abs:  # a function that Python cannot show says what it does
        assert latex_of_function(abs, "y").startswith(r"\text{")
    else:
        assert latex_of_function(function, "y") == expected
