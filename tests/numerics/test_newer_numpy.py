"""Of a NumPy that is newer than what was known here: one test lists what is new, and no traced
value goes into it unnoticed.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.polynomial import polyutils

from chainrules_numpy.coverage import coverage, overridable, series_coverage, series_functions
from chainrules_py import default_rules
from chainrules_tape.arrays.behaviour import NEWER
from chainrules_tape.arrays.handles import TapeArray

# Public functions that NumPy hands over to nobody and that have no rule.
OF_INTEGERS_AND_SHAPES = (
    *("broadcast_shapes", "indices", "diag_indices", "tril_indices"),
    *("triu_indices", "mask_indices", "isscalar", "iterable"),
    *("bartlett", "blackman", "hamming", "hanning", "isfortran", "nested_iters"),
)
OF_TYPES = ("datetime_data", "isdtype", "issubdtype", "mintypecode", "promote_types", "typename")
OF_SETTINGS = (
    *("get_include", "get_printoptions", "getbufsize", "geterr"),
    *("geterrcall", "info", "printoptions", "set_printoptions"),
    *("setbufsize", "seterr", "seterrcall", "show_config", "show_runtime", "test"),
)
OF_TEXT_AND_FILES = (
    *("base_repr", "binary_repr", "format_float_positional"),
    *("format_float_scientific", "from_dlpack", "fromregex", "load"),
)
# trapz until NumPy 2.3
REFUSED_AS_ARRAYS = ("asarray_chkfinite", "asmatrix", "bmat", "frompyfunc", "kaiser", "trapz")
OF_SERIES = (
    "as_series",
    "format_float",
    "getdomain",
    "mapdomain",
    "mapparms",
    "trimseq",
    "set_default_printstyle",
)
WITHOUT_RULE = {
    *OF_INTEGERS_AND_SHAPES,
    *OF_TYPES,
    *OF_SETTINGS,
    *OF_TEXT_AND_FILES,
    *REFUSED_AS_ARRAYS,
    *OF_SERIES,
}

# What arrays have besides what `interception` gives to traced values: Python's and NumPy's own
# protocols; operators of integers, which are never traced; and methods that NumPy has abandoned.
PROTOCOLS = {
    "__array_finalize__",
    "__array_wrap__",
    "__setstate__",
    "__class_getitem__",
}
OF_INTEGERS = {
    f"__{r}{name}__" for name in ("and", "or", "xor", "lshift", "rshift") for r in ("", "r")
} | {"__invert__"}
ABANDONED = {"tostring", "itemset", "newbyteorder", "ptp"}

HERE = Path(__file__).parent


def unknown_functions():
    """By name, public functions and those that can be intercepted."""
    known = {found.name for found in (*coverage(), *series_coverage())}
    interceptable = overridable()
    yield from interceptable.keys() - known
    yield from (
        name
        for name, _, function in series_functions()
        if name not in known and function not in default_rules
    )
    for module in (np, np.linalg, np.fft, np.polynomial, polyutils):
        for name in set(module.__all__) - WITHOUT_RULE:
            function = getattr(module, name)
            if (
                callable(function)
                and not isinstance(function, type)
                and function not in default_rules
            ):
                yield from (
                    [f"{module.__name__}.{name}"] if function not in interceptable.values() else []
                )


def unknown_attributes():
    """Of arrays: what traced values refuse because no table says more, and what they do not have."""
    missing = {name for name in dir(np.ndarray) if not hasattr(TapeArray, name)}
    yield from (
        f"numpy.ndarray.{name}"
        for name in missing.union(NEWER) - PROTOCOLS - OF_INTEGERS - ABANDONED
    )


def test_numpy_has_nothing_that_is_not_known_here():
    default_rules.load_all()
    unknown = sorted({*unknown_functions(), *unknown_attributes()})
    wanted = (
        f"NumPy {np.__version__} is newer than what is known here: give a rule, or a category, to"
    )
    assert not unknown, f"{wanted} {', '.join(unknown)}"


# --- The same under a newer NumPy, in an interpreter of its own ---


def in_newer_numpy(*command):
    """What an interpreter says for which NumPy has more."""
    environment = {**os.environ, "PYTHONPATH": str(HERE)}
    return subprocess.run(
        [sys.executable, *command],
        capture_output=True,
        text=True,
        env=environment,
        cwd=HERE.parents[1],
    )


NOTICING = "tests/numerics/test_newer_numpy.py::test_numpy_has_nothing_that_is_not_known_here"
LOOKING_AT_NAMES = (  # the files whose tests go through NumPy's own names
    *("chainrules_numpy/test_coverage.py", "chainrules_numpy/test_aliases.py"),
    *("chainrules_py/rulesets/ufuncs/test_elementwise.py", "chainrules_tape/test_numpy.py"),
    "chainrules_tape/arrays/test_behaviour.py",
)
WITHOUT_SAMPLES = "not test_rules and not test_methods and not operators"
ADDED = (
    *("wiggled", "wobbled", "linalg.gramian", "fft.dct"),
    *("polynomial.polynomial.polymirror", "polynomial.polynomial.polytwist"),
    *("ndarray.mirrored", "ndarray.roughness"),
)


@pytest.mark.long
def test_one_test_lists_what_is_new_and_the_others_pass():
    options = ["-q", "-rf", "-p", "newer_numpy", "-p", "no:cacheprovider", "-k", WITHOUT_SAMPLES]
    files = [NOTICING, *(f"tests/{name}" for name in LOOKING_AT_NAMES)]
    done = in_newer_numpy(
        "-c", "import sys, pytest; sys.exit(pytest.main(sys.argv[1:]))", *options, *files
    )
    failed = [
        line.split()[1] for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))
    ]
    assert failed == [NOTICING]
    assert [name for name in ADDED if f"numpy.{name}" not in done.stdout] == []
    assert "is newer than what is known here" in done.stdout


@pytest.fixture(scope="module")
def said():
    """What each new name says when a traced value reaches it."""
    done = in_newer_numpy(str(HERE / "newer_numpy.py"))
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_what_is_new_is_refused_by_name(said):
    assert len(said) == 22
    for call, (error, message) in said.items():
        name = call.partition(",")[0].partition(" ")[0]
        assert error in ("NoRuleError", "LostGradientError"), call
        assert name in message, call
        assert "; " in message, call  # what to do instead
