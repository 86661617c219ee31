"""What seen code makes of a traced number's text: it may be shown, and is not read."""

import logging
import math

import numpy as np
import pytest

from chainrules_tape import LostGradientError, grad, hessian, seen_through
from slopes import quotients
from strangers import texts


@pytest.mark.parametrize("program", texts.READ.values(), ids=texts.READ)
def test_a_text_that_is_read_is_refused(program):
    with pytest.raises(LostGradientError):
        grad(seen_through(program))(0.5)


@pytest.mark.parametrize("program", texts.SHOWN)
def test_a_text_that_is_shown_is_a_text(program):
    slope = grad(seen_through(program))(0.5)
    assert math.isclose(slope, quotients(program, 0.5), rel_tol=1e-6)


LOG = logging.getLogger(__name__)


def says(x, said):
    total = np.sum(x)
    LOG.warning("%s %r %.1f", x, [x], total)
    LOG.warning(f"{total:.2f}" + str(x))
    print(x, [x], {"x": x}, f"{total:6.2f}|{x!r}", "of " + repr(x), sep=";")
    print("{} of {}".format(*[x, x]), "%s" % [x], end=f"{total}\n")
    said.append(f"{x}")  # may be read
    return total**2


@pytest.mark.parametrize("see", [seen_through, lambda f: f], ids=["seen", "unseen"])
@pytest.mark.parametrize("derivative", [grad, hessian])
@pytest.mark.parametrize("x", [0.5, np.float64(0.5), np.array([0.5, 1.5])])
def test_what_is_printed_or_logged_looks_plain(x, derivative, see, capsys, caplog):
    says(x, plain := [])
    expected = *capsys.readouterr(), caplog.text
    caplog.clear()
    derivative(see(says))(x, said := [])
    assert (*capsys.readouterr(), caplog.text) == expected
    assert said != plain


def kind_of_number(y):
    return (
        hasattr(y, "dtype"),
        hasattr(y, "shape"),
        getattr(y, "ndim", "none"),
        np.iterable(y),
        type(y) is float,
        isinstance(y, np.floating),
    )


def attribute_of(y):
    try:
        return y.ndim
    except AttributeError:
        return "none"


@pytest.mark.parametrize("ask", [kind_of_number, attribute_of])
@pytest.mark.parametrize(
    "number",
    [math.sin, float, lambda x: x, np.sin, lambda x: x * 2.0, lambda x: math.exp(np.sin(x))],
)
def test_a_traced_number_answers_as_its_value(ask, number):
    answers = []

    @seen_through
    def program(x):
        y = number(x)
        answers.append(ask(y))
        return y * y

    grad(program)(0.5)
    assert answers == [ask(number(0.5))]
