"""Calls are brought into the form in which rules receive them: arguments by position, options by
keyword.
"""

import numpy as np
import pytest

from chainrules_py.calls.callform import CallForm
from chainrules_py.errors import OptionError


def solve(a, b, lower=False, *, trans=0):
    return a


CALLS = [
    # args, options, arity -> args, options
    ((1, 2), {}, 2, (1, 2), {}),
    ((1,), {"b": 2}, 2, (1, 2), {}),
    ((), {"b": 2, "a": 1}, 2, (1, 2), {}),
    ((1, 2, True), {}, 2, (1, 2), {"lower": True}),
    ((1, 2, False), {"trans": 0}, 2, (1, 2), {}),
    ((1, 2), {"lower": True, "trans": 1}, 2, (1, 2), {"lower": True, "trans": 1}),
    ((1, 2), {"lower": True}, 3, (1, 2, True), {}),
    ((1, 2), {}, 3, (1, 2), {}),
]


@pytest.mark.parametrize(("args", "options", "arity", "arranged", "kept"), CALLS)
def test_arranging(args, options, arity, arranged, kept):
    assert CallForm.of(solve).arrange(args, options, arity) == (arranged, kept)


def test_an_argument_in_between_takes_its_default():
    def clip(a, low=None, high=None):
        return a

    assert CallForm.of(clip).arrange((1,), {"high": 5}, 3) == ((1, None, 5), {})


def test_missing_arguments_are_left_to_the_primal():
    assert CallForm.of(solve).arrange((), {"b": 2}, 2) == ((), {"b": 2})


@pytest.mark.parametrize(
    ("args", "options"), [((1, 2, True, 3), {}), ((1, 2, True), {"lower": True})]
)
def test_calls_that_python_would_refuse(args, options):
    with pytest.raises(OptionError) as caught:
        CallForm.of(solve).arrange(args, options, 2)
    assert caught.value.primal is solve


def test_functions_without_a_signature_are_called_as_written():
    form = CallForm.of(max)
    assert form.arrange((1, 2, 3), {"key": abs}, 1) == ((1, 2, 3), {"key": abs})


def test_variadic_functions_are_called_as_written():
    assert CallForm.of(lambda *xs, axis=0: xs).arrange((1, 2, 3), {"axis": 1}, 1) == (
        (1, 2, 3),
        {"axis": 1},
    )


def test_ufuncs_have_a_form():
    form = CallForm.of(np.add)
    assert form.names[:2] == ("x1", "x2")
    assert form.arrange((1, 2), {"where": True, "out": None}, 2) == ((1, 2), {})
    assert form.arrange((1, 2, "buffer"), {}, 2) == ((1, 2), {"out": "buffer"})


@pytest.mark.parametrize(
    ("axis", "plain"), [(np.array(1), 1), ((np.int8(0), -1), (0, -1)), ([0, 1], [0, 1]), ("x", "x")]
)
def test_an_axis_is_an_integer(axis, plain):
    _, options = CallForm.of(np.sum).arrange((np.ones((2, 2)),), {"axis": axis}, 1)
    assert options == {"axis": plain}
    assert type(options["axis"]) is type(plain)
