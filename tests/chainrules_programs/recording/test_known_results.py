"""What is known of results without a guard: other numbers in the same arrays give the same form."""

import contextlib

import numpy as np
import pytest

from chainrules_programs.recording import known_results as known
from chainrules_py.testing import load_shipped, samples_of
from chainrules_py.values.structure import fields, is_container

load_shipped()
# `where` of one argument is guarded; the others take shapes, or return nothing
UNSAMPLED = {np.zeros, np.ones, np.empty, np.broadcast_shapes, np.put_along_axis}
UNSAMPLED |= {np.fill_diagonal, np.where, np.linalg.LinAlgError, len}
NAMESAKES = {np.amax: np.max, np.amin: np.min, np.around: np.round}
LISTED = known.OF_FORM | {
    found
    for module, names in (
        (np, known._NAMES),
        (np.linalg, known._LINALG),
        (np.fft, np.fft.__all__),
    )
    for found in (getattr(module, name) for name in names)
}
REFUSED = ArithmeticError, TypeError, ValueError  # numbers, and options of the namesake alone
CHANGES = (lambda x: x, lambda x: 0 * x, lambda x: -x[::-1] if x.ndim else -x, np.round)


def form(value):
    """The shapes and dtypes of a value and what it holds."""
    if is_container(value):
        return type(value), [form(part) for part in fields(value).values()]
    if isinstance(value, np.ndarray | np.generic):
        return value.shape, value.dtype
    return type(value) if isinstance(value, bool | float | complex) else repr(value)


def changed(value, change):
    """Other numbers in the arrays of a value."""
    if isinstance(value, list | tuple):
        return type(value)(changed(part, change) for part in value)
    moves = isinstance(value, np.ndarray) and value.dtype.kind in "fc"
    return change(value) if moves else value


def forms(primal):
    """The forms of results of each sample of a function or its namesake, with several numbers each."""
    source = NAMESAKES.get(primal, primal)
    for place in (source, getattr(np, primal.__name__, source)):
        for sample in samples_of(place, "float64"):
            found = set()
            for change in CHANGES if sample.error is None else ():
                args = [
                    arg if k in sample.fixed else changed(arg, change)
                    for k, arg in enumerate(sample.args)
                ]
                with np.errstate(all="ignore"), contextlib.suppress(*REFUSED):
                    found.add(repr(form(primal(*args, **sample.options))))
            yield found


def name_of(primal):
    return f"{primal.__module__}.{primal.__name__}"


@pytest.mark.filterwarnings("ignore")  # NumPy's, of zeros
@pytest.mark.parametrize("primal", sorted(LISTED - UNSAMPLED, key=name_of), ids=name_of)
def test_results_have_one_form(primal):
    assert max(map(len, forms(primal))) == 1


# the eigenvalues are complex of all matrices since NumPy 2.5
OF_OTHERS = [
    np.nonzero,
    np.unique,
    *[np.linalg.eigvals][np.linalg.eigvals(np.eye(2)).dtype == "D" :],
]


@pytest.mark.parametrize("primal", OF_OTHERS, ids=name_of)
def test_the_forms_of_others_differ(primal):
    assert max(map(len, forms(primal))) > 1
