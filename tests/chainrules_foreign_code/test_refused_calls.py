"""What looks at the type of a number and asks it nothing is refused by us, so that there is a
warning where that is caught.
"""

import statistics
import warnings
from contextlib import nullcontext

import numpy as np
import pytest

import strangers
from chainrules_tape import LostGradientError, LostGradientWarning, grad, jvp, seen_through
from strangers import numbers


@pytest.mark.parametrize("f", numbers.CAUGHT.values(), ids=numbers.CAUGHT)
def test_a_refusal_that_is_caught_is_warned_of(f):
    assert f(1.5) == 1.5
    with seen_through("strangers"):
        for derivative in (grad(f), lambda x: jvp(f, (x,), (1.0,))[1]):
            with pytest.warns(LostGradientWarning, match="refused, and the error was caught"):
                assert derivative(1.5) == 2.0


@pytest.mark.parametrize("f", numbers.FLOATS.values(), ids=numbers.FLOATS)
def test_objects_of_classes_of_floats_hold_no_traced_number(f):
    with seen_through("strangers"):
        for derivative in (grad(f), lambda x: jvp(f, (x,), (1.0,))):
            with pytest.raises(LostGradientError, match=r"float\(x\).*keep the traced value"):
                derivative(1.5)
        assert isinstance(numbers.Length(1.5), numbers.Length)


def test_outside_of_a_scope_nothing_is_known_of_such_a_function():
    """A limit: C asks the traced number nothing, and Python does not say that an error is caught."""
    f = numbers.CAUGHT["decimal"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert grad(f)(1.5) == 2.0
    with pytest.raises(TypeError, match="Decimal") as raised:
        grad(numbers.priced)(1.5)
    assert "traced" in raised.value.__notes__[0]


def test_the_text_of_a_traced_number_is_not_read_back():
    with seen_through("strangers"), pytest.raises(LostGradientError, match="the text of"):
        grad(numbers.read_back)(1.5)


@pytest.mark.parametrize("name", ["mean", "fmean", "stdev", "pvariance", "harmonic_mean"])
@pytest.mark.parametrize("scope", [nullcontext(), seen_through("strangers")], ids=["", "scope"])
def test_statistics_name_numpys_functions(name, scope, monkeypatch):
    monkeypatch.setattr(strangers, "mean", getattr(statistics, name), raising=False)
    with scope, pytest.raises(LostGradientError, match="use NumPy's function of the same meaning"):
        grad(lambda x: strangers.mean([x, 2.0 * x, 3.0]))(1.5)


@pytest.mark.parametrize("name", ["nansum", "nanmean", "nanstd", "nanmedian"])
@pytest.mark.parametrize("scope", [nullcontext(), seen_through("strangers")], ids=["", "scope"])
def test_bottleneck_names_numpys_functions(name, scope, monkeypatch):
    bottleneck = pytest.importorskip("bottleneck")
    monkeypatch.setattr(strangers, "bn", bottleneck, raising=False)
    with scope, pytest.raises(LostGradientError, match="in place of numpy"):
        grad(lambda x: getattr(strangers.bn, name)(x))(np.array([1.5, np.nan]))


def test_the_refusal_says_what_was_called():
    with (
        seen_through("strangers"),
        pytest.raises(LostGradientError, match=r"^decimal\.Decimal\(x\): a traced value"),
    ):
        grad(numbers.priced)(1.5)
