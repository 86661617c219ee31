"""Every function that the namespace of a library has, on the samples of the kit: NumPy's numbers, dtypes
and shapes, in three dtypes, or a refusal of a function that is listed.
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import islice
from operator import attrgetter
from typing import Any

import numpy as np
import pytest

from chainrules_array_api import ArrayApiError
from chainrules_array_api.standard_array import StandardArray, on_host
from chainrules_py.testing import load_shipped, samples_of
from chainrules_py.values.shipped import FUNCTIONS
from chainrules_py.values.structure import fields, is_container, rebuild
from stand_ins.array_makers import ARRAYS_BESIDE, host
from stand_ins.standard_calls import namespace, standard

MODULES = ("numpy", "numpy.linalg", "numpy.fft")
NAMES = [name.removeprefix("numpy.") for name in FUNCTIONS if name.rpartition(".")[0] in MODULES]


@dataclass(frozen=True)
class Library:
    """Its namespace, its arrays, how NumPy's go there and come back, what it says that it lacks, and
    functions: those to which there are several answers, some of whose calls are refused, and all.
    """

    namespace: Any
    array: type
    make: Callable[[Any], Any]
    read: Callable[[Any], Any]
    error: type[Exception]
    open: str
    partly: str
    never: str


LIBRARIES = {
    "the standard": Library(
        *(namespace, StandardArray, standard, on_host, ArrayApiError),
        "average histogram histogram2d histogramdd ix_ partition vander linalg.eig linalg.eigvals"
        " linalg.svd",
        "array asarray full_like pad poly real_if_close select sort std tril triu unique var where"
        " fft.fft fft.fftn fft.hfft fft.ifft fft.ifftn fft.irfft fft.irfftn linalg.eigh"
        " linalg.eigvalsh",
        "full linalg.lstsq linalg.matrix_power min_scalar_type polydiv",
    )
}
for each in ARRAYS_BESIDE:
    if find_spec(each.MODULE):
        xp, array, error = each.own()
        LIBRARIES[each.NAME] = Library(
            *(xp, array, each.in_chunks, host, error), *(each.OPEN, each.PARTLY, each.NEVER)
        )
REFUSALS = {
    *("refused", "lacking", "TypeError", "ValueError", "NotDifferentiableError", "IndexError"),
    *("NotImplementedError", "AttributeError", "AxisError", "ZeroDivisionError"),
}


def is_real(x) -> bool:
    return isinstance(x, np.ndarray) and x.dtype.kind in "fc"


def is_array_in(x) -> bool:
    return is_real(x) or (is_container(x) and any(map(is_array_in, fields(x).values())))


def calls(primal):
    """Arguments and options of samples that have an array, and their values."""
    load_shipped()
    for dtype in ("float64", "complex128", "float32"):
        for sample in samples_of(primal, dtype):
            if sample.error is None:
                try:
                    expected = primal(*sample.args, **sample.options)
                except TypeError:  # of a dtype
                    continue
                yield dtype, sample.args, sample.options, expected


def outcome(library: Library, function, call) -> str:
    dtype, args, options, expected = call

    def there(x):
        if is_container(x):
            return rebuild(x, {key: there(part) for key, part in fields(x).items()})
        return library.make(x) if is_real(x) else x

    def require_equal(found, expected):
        if is_container(expected):
            assert is_container(found)
            for pair in zip(fields(found).values(), fields(expected).values(), strict=True):
                require_equal(*pair)
        elif isinstance(expected, np.ndarray | np.generic):
            assert isinstance(found, library.array)
            assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
            close = (
                1e-5 if "float32" in (dtype, expected.dtype) or expected.dtype == "c8" else 1e-11
            )
            np.testing.assert_allclose(library.read(found), expected, rtol=close, atol=close)
        else:
            assert found == expected

    try:
        require_equal(function(*map(there, args), **options), expected)
    except AssertionError:
        return "wrong"
    except library.error as error:
        return "lacking" if "no such function" in str(error) else "refused"
    except Exception as error:
        return type(error).__name__
    return "right"


def outcomes(library: Library, name: str) -> set[str]:
    function = attrgetter(name)(library.namespace)
    with np.errstate(all="ignore"):
        return {
            outcome(library, function, call)
            for call in calls(attrgetter(name)(np))
            if any(map(is_array_in, call[1]))
        }


@pytest.mark.one_in(2)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("named", LIBRARIES)
def test_samples(named, name):
    library = LIBRARIES[named]
    found = outcomes(library, name)
    if name in library.never.split():
        assert found
        assert "right" not in found
    elif name in f"{library.open} {library.partly}".split():
        allowed = {"wrong"} if name in library.open.split() else set()
        assert "right" in found
        assert found <= {"right"} | allowed | (
            REFUSALS if name in library.partly.split() else set()
        )
    else:
        assert found <= {"right"} or found == {"lacking"}, found


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.filterwarnings("ignore")
def test_on_numpys_arrays_they_are_numpys(name):
    function = attrgetter(name)(namespace)
    for _, args, options, expected in islice(calls(attrgetter(name)(np)), 2):
        try:
            found = function(*args, **options)
        except ArrayApiError:
            continue
        assert type(found) is type(expected)
        if is_real(expected):
            np.testing.assert_allclose(found, expected, rtol=1e-6)
