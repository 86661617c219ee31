"""Functions on arrays of the standard where no sample of the kit goes: masks, no entries, other dtypes,
lines of nan, and what is refused.
"""

from types import SimpleNamespace

import numpy as np
import pytest

from chainrules_array_api import ArrayApiError, products
from stand_ins.standard_calls import namespace, require_numpys, standard

X = np.array([[0.3, -1.7, 0.0], [2.5, 0.9, -0.4]])
MASK = np.array([[True, False, True], [True, True, False]])


@pytest.mark.parametrize("name", ["sum", "prod", "max", "min", "mean", "any", "all"])
def test_of_some_entries_of_no_entries_and_of_other_dtypes(name):
    initial = {} if name in ("mean", "any", "all") else {"initial": 0.5}

    def function(**options):
        return lambda xp, x: getattr(xp, name)(x, **options)

    for options in ({"where": MASK, "axis": 1, **initial}, {"where": MASK, **initial}):
        require_numpys(function(**options), X)
        require_numpys(function(**options), X.astype("float32"))
    require_numpys(function(axis=1, where=MASK), X)  # an error of the extremes
    for dtype in ("float32", "int64", "bool"):
        require_numpys(function(axis=1), np.abs(X).astype(dtype))
    if name != "mean":
        for axis in (None, 0, 1):
            require_numpys(function(axis=axis), X[:, :0])
    require_numpys(function(axis=2), X)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # NumPy's, of lines of nan
@pytest.mark.parametrize("options", [{}, {"initial": 2.0}], ids=str)
@pytest.mark.parametrize("name", ["nanmax", "nanmin"])
def test_lines_of_nan_have_no_extreme(name, options):
    x = np.array([[np.nan, -np.inf, 1.0]])
    require_numpys(lambda xp, x: getattr(xp, name)(x, axis=0, **options), x)


REFUSED = {
    "complex": lambda xp, x: xp.var(x * 1j),
    "where": lambda xp, x: xp.var(x, where=MASK),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_the_standard_does_not_do_is_refused_by_name(name):
    with pytest.raises(ArrayApiError, match=rf"numpy\.var .*{name}"):
        REFUSED[name](namespace, standard(X))


@pytest.mark.parametrize("method", ["accumulate", "reduceat"])
def test_a_method_of_a_ufunc_that_the_standard_lacks_is_refused(method):
    args = ([0, 2],) if method == "reduceat" else ()
    with pytest.raises(TypeError, match=f"'maximum'>, '{method}'"):
        getattr(np.maximum, method)(standard(X), *args)


def test_an_extension_that_a_library_lacks_is_refused_by_name(monkeypatch):
    bare = SimpleNamespace(__name__="bare")
    monkeypatch.setattr(products, "namespace_of", lambda values: bare)
    with pytest.raises(
        ArrayApiError, match=r"numpy\.linalg\.inv .*bare does not have the extension linalg"
    ):
        namespace.linalg.inv(standard(X[:, :2]))
