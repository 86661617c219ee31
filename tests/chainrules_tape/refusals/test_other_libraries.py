"""SciPy's own functions with traced arguments: where ours are not called in their place, the error
names the module that has them.
"""

import numpy as np
import pytest
from scipy import stats

import strangers
from chainrules_tape import LostGradientError, grad, seen_through
from chainrules_tape.numpy.namespaces import interceptable
from chainrules_tape.scipy import linalg
from remembered import function_of, gradient
from sampled_calls import first_calls

CALLS = {
    ".".join(call[0]): call
    for call in first_calls()
    if call[0][0].startswith("scipy.") and not isinstance(function_of(call), np.ufunc)
}


def check_that_it_is_named(name, function):
    parent, _, module = CALLS[name][0][0].rpartition(".")
    try:
        gradient(CALLS[name], function)
    except Exception as error:
        said = "\n".join([str(error), *getattr(error, "__notes__", ())])
        # of a compiled function nothing tells that it asks
        ours = f"from chainrules_tape.{parent} import {module}", "chainrules_tape.scipy likewise"
        assert any(each in said for each in ours)
        return said
    return None


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CALLS)
def test_the_module_of_ours_is_named(name):
    said = check_that_it_is_named(name, function_of(CALLS[name]))
    assert said is None or "Or leave remembered.py as it is" in said


OWN_FILE = """
from {module} import {name} as imported
def f(*args, **options):
    return imported(*args, **options)
"""


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CALLS)
def test_it_is_right_in_a_file_that_is_seen_through(name):
    call = CALLS[name]
    module, function = call[0]
    own = {"__name__": "own"}
    exec(OWN_FILE.format(module=module, name=function), own)
    expected = gradient(call, interceptable(function_of(call)))
    for bar, other in zip(gradient(call, seen_through(own["f"])), expected, strict=True):
        is_square = np.ndim(bar) > 1 and bar.shape[-1] == bar.shape[-2]
        if (
            function in linalg.TRIANGLES and is_square
        ):  # which belong to one triangle there, as LAPACK reads it
            bar, other = bar + np.swapaxes(bar, -1, -2), other + np.swapaxes(other, -1, -2)
        np.testing.assert_allclose(bar, other, rtol=1e-9, atol=1e-12)


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")
def test_it_is_named_to_who_has_held_the_function_since_before_the_scope():
    held = {name: function_of(call) for name, call in CALLS.items()}
    with seen_through("scipy"):  # which is entered once: that takes longer than all else
        for name, function in held.items():
            check_that_it_is_named(name, function)


def test_there_are_many_calls():
    assert len(CALLS) > 180
    refused = ("cholesky", "cho_factor", "solve_triangular", "eigh", "svd", "qr", "logm")
    for name in refused:
        call = CALLS[f"scipy.linalg.{name}"]
        with pytest.raises(LostGradientError, match=r"chainrules_tape\.scipy import linalg"):
            gradient(call, function_of(call))


def test_objects_that_were_made_before_a_scope():
    before = strangers.Density()
    with seen_through("strangers"):
        assert grad(before.at)(0.3) == pytest.approx(-0.3 * stats.norm.pdf(0.3))
