"""Every function that the namespace of the standard has, on the samples of the kit: NumPy's numbers,
dtypes and shapes, in three dtypes, or a refusal of a function that is listed.
"""

from operator import attrgetter

import numpy as np
import pytest

from chainrules_array_api import ArrayApiError
from chainrules_py import default_rules
from chainrules_py.testing import load_shipped, samples_of
from chainrules_py.values.identity import qualified_name
from chainrules_py.values.structure import fields, is_container, rebuild
from stand_ins.standard_calls import namespace, require_equal, standard

load_shipped()
MODULES = ("numpy", "numpy.linalg", "numpy.fft")
FUNCTIONS = {
    name.removeprefix("numpy."): rule.primal
    for rule in default_rules.load_all().rules()
    if (name := qualified_name(rule.primal)).rpartition(".")[0] in MODULES
}
# Some of their calls are refused, or NumPy's answer is another one of several.
PARTLY = {
    *("array", "asarray", "average", "full_like", "histogram", "histogram2d", "histogramdd"),
    *("ix_", "pad", "partition", "poly", "real_if_close", "select", "sort", "std", "tril"),
    *("triu", "unique", "vander", "var", "where", "fft.fft", "fft.fftn", "fft.hfft", "fft.ifft"),
    *("fft.ifftn", "fft.irfft", "fft.irfftn", "linalg.eigh", "linalg.eigvals"),
    *("linalg.eigvalsh", "linalg.svd"),
}
# All of them are.
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
    if name in PARTLY:
        assert "right" in found
    elif name not in NEVER:
        assert found <= {"right"} or found == {"lacking"}, found


def is_array_in(x):
    return is_real(x) or (is_container(x) and any(map(is_array_in, fields(x).values())))
