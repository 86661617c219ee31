"""Calls are brought into the form in which rules receive them: arguments by position, options by
keyword.
"""

import numpy as np
import pytest

from chainrules_py.calls.callform import CallForm
from chainrules_py.errors import OptionError


def solve(a, b, lower=False, *, trans=0):
    return a


def test_arguments_by_keyword_come_in_their_order():
    assert CallForm.of(solve).arrange((), {"b": 2, "a": 1}, 2) == ((1, 2), {})


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


@pytest.mark.parametrize(
    ("axis", "plain"), [(np.array(1), 1), ((np.int8(0), -1), (0, -1)), ([0, 1], [0, 1]), ("x", "x")]
)
def test_an_axis_is_an_integer(axis, plain):
    _, options = CallForm.of(np.sum).arrange((np.ones((2, 2)),), {"axis": axis}, 1)
    assert options == {"axis": plain}
    assert type(options["axis"]) is type(plain)
