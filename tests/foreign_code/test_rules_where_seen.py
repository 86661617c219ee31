"""Where NumPy's and SciPy's packages are seen, each derivative by a rule is what it is elsewhere."""

import json
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest

import remembered
from sampled_calls import first_calls

SEEN = ("numpy", "scipy")


def reported(path, *packages):
    """The gradients of the calls in a file, in a process that sees through packages."""
    done = subprocess.run(
        [sys.executable, remembered.__file__, str(path), *packages],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout, done.stderr
    return json.loads(done.stdout)


def check_where_seen(calls, folder):
    """Compare a process in which the packages are seen with one in which they are not."""
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


def test_derivatives_of_matrices_where_scipy_is_seen(tmp_path):
    calls = [call for call in first_calls() if call[0][0].endswith(".linalg")]
    assert len(calls) > 60
    check_where_seen(calls, tmp_path)


@pytest.mark.long
def test_derivatives_where_scipy_is_seen(tmp_path):
    calls = first_calls()
    assert len(calls) > 800
    check_where_seen(calls, tmp_path)
