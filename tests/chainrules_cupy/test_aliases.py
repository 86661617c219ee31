"""CuPy's functions are known by their own names."""

import inspect
from operator import itemgetter

import cupy
import numpy as np
import pytest

from chainrules_cupy.aliases import MODULES, renames, shared
from chainrules_py import default_rules

ALIASED = [
    (f"{module}.{name}".lstrip("."), primal, other)
    for module in MODULES
    for name, primal, other in shared(module)
]


@pytest.mark.parametrize(
    ("other", "primal"),
    [(cupy.max, np.max), (cupy.amin, np.min), (cupy.around, np.round), (cupy.fix, np.trunc)],
)
def test_synonyms_of_numpys_are_known_by_their_primals(other, primal):
    assert default_rules.canonical(other, (1.0,), {})[0] is primal


@pytest.mark.parametrize(("name", "primal", "other"), ALIASED, ids=map(itemgetter(0), ALIASED))
def test_an_alias_leads_to_the_function_of_its_name(name, primal, other):
    found, _, _ = default_rules.canonical(other, (np.ones(3),) * required(primal), {})
    expected, _, _ = default_rules.canonical(primal, (np.ones(3),) * required(primal), {})
    # CuPy has some under several
    names = {same.rpartition(".")[2] for same, _, function in ALIASED if function is other}
    assert found is expected or found.__name__ in names


def required(primal):
    """How many arguments a call needs at least."""
    if isinstance(primal, np.ufunc):
        return primal.nin
    try:
        parameters = inspect.signature(primal).parameters.values()
    except ValueError:
        return 2
    return max(
        sum(
            p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
            for p in parameters
        ),
        1,
    )


def test_parameters_with_another_name_are_renamed():
    assert renames(np.stack, cupy.stack) == {"tup": "arrays"}
    assert default_rules.canonical(cupy.stack, (), {"tup": [1.0]})[1:] == (([1.0],), {})
    assert renames(np.argmax, cupy.argmax) == {}


def test_operators_and_methods():
    x, y = object(), object()
    assert default_rules.canonical(cupy.ndarray.__mul__, (x, y), {})[0] is np.multiply
    assert default_rules.canonical(cupy.ndarray.sum, (x,), {"axis": 0})[0] is np.sum
    assert default_rules.canonical(cupy.ndarray.reshape, (x, 2, 3), {}) == (
        np.reshape,
        (x,),
        {"shape": (2, 3)},
    )
