"""Every function that the namespace of the standard has, on the samples of the kit: NumPy's numbers,
dtypes and shapes, in three dtypes, or a refusal of a function that is listed.
"""

from itertools import islice
from operator import attrgetter
from types import SimpleNamespace

import numpy as np
import pytest

from chainrules_array_api import ArrayApiError, products
from chainrules_py import default_rules
from chainrules_py.testing import load_shipped, samples_of
from chainrules_py.values.identity import qualified_name
from chainrules_py.values.structure import fields, is_container, rebuild
from stand_ins.standard_calls import namespace, require_equal, require_numpys, standard

load_shipped()
MODULES = ("numpy", "numpy.linalg", "numpy.fft")
FUNCTIONS = {
    name.removeprefix("numpy."): rule.primal
    for rule in default_rules.load_all().rules()
    if (name := qualified_name(rule.primal)).rpartition(".")[0] in MODULES
}
# NumPy's answer to some of their calls is another one of several.
OPEN = {
    *("average", "histogram", "histogram2d", "histogramdd", "ix_", "partition", "vander"),
    *("linalg.eigvals", "linalg.svd"),
}
# Some of their calls are refused.
PARTLY = {
    *("array", "asarray", "full_like", "pad", "poly", "real_if_close", "select", "sort", "std"),
    *("tril", "triu", "unique", "var", "where", "fft.fft", "fft.fftn", "fft.hfft", "fft.ifft"),
    *("fft.ifftn", "fft.irfft", "fft.irfftn", "linalg.eigh", "linalg.eigvalsh"),
}
REFUSALS = {"refused", "lacking", "TypeError", "ValueError", "NotDifferentiableError"}
# All of them are, or give numbers of Python's and other signs beside arrays, as other tests hold.
NEVER = {"full", "linalg.eig", "linalg.lstsq", "linalg.matrix_power", "min_scalar_type", "polydiv"}


def there(x):
    """A value with arrays of the standard for NumPy's."""
    if is_container(x):
        return rebuild(x, {key: there(part) for key, part in fields(x).items()})
    return standard(x) if is_real(x) else x


def is_real(x):
    return isinstance(x, np.ndarray) and x.dtype.kind in "fc"


def calls(primal):
    """Arguments and options of samples that have an array, and their values."""
    for dtype in ("float64", "complex128", "float32"):
        for sample in samples_of(primal, dtype):
            if sample.error is None:
                try:
                    expected = primal(*sample.args, **sample.options)
                except TypeError:  # of a dtype
                    continue
                yield sample.args, sample.options, expected


def outcome(function, args, options, expected):
    try:
        found = function(*map(there, args), **options)
    except ArrayApiError as error:
        return "lacking" if "no such function" in str(error) else "refused"
    except Exception as error:
        return type(error).__name__
    try:
        require_equal(found, expected)
    except AssertionError:
        return "wrong"
    return "right"


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.filterwarnings("ignore")
def test_samples(name):
    function = attrgetter(name)(namespace)
    with np.errstate(all="ignore"):
        found = {
            outcome(function, *call)
            for call in calls(FUNCTIONS[name])
            if any(map(is_array_in, call[0]))
        }
    if name in NEVER:
        assert "right" not in found
    elif name in OPEN | PARTLY:
        assert "right" in found
        assert found <= {"right", *(REFUSALS if name in PARTLY else ["wrong"])}
    else:
        assert found <= {"right"} or found == {"lacking"}, found


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.filterwarnings("ignore")
def test_on_numpys_arrays_they_are_numpys(name):
    function = attrgetter(name)(namespace)
    for args, options, expected in islice(calls(FUNCTIONS[name]), 2):
        try:
            found = function(*args, **options)
        except ArrayApiError:
            continue
        assert type(found) is type(expected)
        if is_real(expected):
            np.testing.assert_allclose(found, expected, rtol=1e-6)


def is_array_in(x):
    return is_real(x) or (is_container(x) and any(map(is_array_in, fields(x).values())))


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
    "mean": lambda xp, x: xp.pad(x, 1, mode="mean"),
    "odd": lambda xp, x: xp.pad(x, 1, mode="reflect", reflect_type="odd"),
    "complex": lambda xp, x: xp.var(x * 1j),
    "where": lambda xp, x: xp.var(x, where=MASK),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_the_standard_does_not_do_is_refused_by_name(name):
    with pytest.raises(ArrayApiError, match=rf"numpy\.(pad|var) .*{name}"):
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
