"""After a scope, nothing has changed in the packages that were differentiated in it, nor in what
is known of functions that were first differentiated inside.

All packages that are installed here are compared, entry by entry, most of them as `long` tests. `make
test-packages` compares packages that are not installed for the other tests.
"""

import functools
import importlib.util
import json
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest

import leftovers
import remembered
from sampled_calls import first_calls

PACKAGES = (
    *("scipy.stats", "scipy.signal", "scipy.optimize", "sklearn.linear_model"),
    *("sympy", "pandas", "astropy.units", "statsmodels.api"),
    *("xarray", "networkx", "matplotlib.pyplot", "numba"),
    *("dask.array", "mpmath", "sgp4.api", "autograd", "strangers"),
)
SMALL = ("mpmath", "strangers")  # looked at in an ordinary run


def is_installed(name):
    return importlib.util.find_spec(name.partition(".")[0]) is not None


@functools.cache
def report_about(packages):
    """The report of a fresh process about each package that is installed."""
    names = [name for name in packages if is_installed(name)]
    paths = os.pathsep.join(path for path in sys.path if path)
    done = subprocess.run(
        [sys.executable, leftovers.__file__, *names],
        env=os.environ | {"PYTHONPATH": paths, "MPLBACKEND": "agg"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("package", [*SMALL, "together"])
def test_nothing_is_left_in_small_packages(package):
    check_report(report_about(SMALL), package)


@pytest.mark.long
@pytest.mark.parametrize(
    "package", [*dict.fromkeys(name.partition(".")[0] for name in PACKAGES), "together"]
)
def test_nothing_is_left(package):
    check_report(report_about(PACKAGES), package)


def check_report(report, package):
    if package not in report:
        pytest.skip(f"{package} is not installed")
    entries, inside, left = report[package]
    assert entries > 1000 or package in ("strangers", "sgp4")
    assert inside > 10
    assert left == []


def test_what_is_left_would_be_found(monkeypatch):
    """A change of each kind of entry is found: of a module, a class, a dict, a function's code."""
    import strangers

    # finders hold pytest's session, and so all tests of this process
    monkeypatch.setattr(sys, "meta_path", [])
    before = leftovers.Entries(["strangers"])
    monkeypatch.setattr(strangers, "np", None)
    monkeypatch.setattr(strangers.Model, "average", None)
    monkeypatch.setattr(strangers.halves, "__code__", (lambda x: x).__code__)
    monkeypatch.setitem(strangers.TABLE, "sin", None)
    found = leftovers.differences(before, leftovers.Entries(["strangers"]))
    assert {path[-1] for path in found} >= {"np", "average", "code", "sin"}


SEEN = ("numpy", "scipy")


def reported(path, *packages):
    """The gradients of the calls in a file, in a process that began by seeing through packages."""
    done = subprocess.run(
        [sys.executable, remembered.__file__, str(path), *packages],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout, done.stderr
    return json.loads(done.stdout)


def check_that_nothing_is_remembered(calls, folder):
    """Compare a process whose first derivatives were in a scope with one that had no scope."""
    path = folder / "calls"
    path.write_bytes(pickle.dumps(calls))
    expected, found = reported(path)["outside"], reported(path, *SEEN)["outside"]
    for (place, *_), one, other in zip(calls, expected, found, strict=True):
        if isinstance(one, str) or isinstance(other, str):
            assert one == other, place
        else:
            np.testing.assert_allclose(
                other, one, rtol=1e-9, atol=1e-12, err_msg=str(place), strict=True
            )


def test_derivatives_of_matrices_are_not_remembered_from_a_scope(tmp_path):
    calls = [call for call in first_calls() if call[0][0].endswith(".linalg")]
    assert len(calls) > 60
    check_that_nothing_is_remembered(calls, tmp_path)


@pytest.mark.long
def test_no_derivative_is_remembered_from_a_scope(tmp_path):
    calls = first_calls()
    assert len(calls) > 800
    check_that_nothing_is_remembered(calls, tmp_path)
