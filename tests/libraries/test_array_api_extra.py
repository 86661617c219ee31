"""array-api-extra's own tests, with the calls of its functions differentiated."""

import os
import re
import subprocess
import sys
from ast import literal_eval
from pathlib import Path

import pytest

extra = pytest.importorskip("array_api_extra")
pytest.importorskip("array_api_strict")

SHARED = Path(__file__).parents[1] / "shared"
TESTS = Path(extra.__file__).parent / "tests" / "main"
FILES = (
    *("creation", "elementwise", "linalg", "manipulation", "searching"),
    *("set", "sorting", "statistical"),
)
# What searches for counterexamples, and what runs on other libraries at the same time.
OTHERS = ("hypothesis", "readonly", "strictest", "device", "1d_from_numpy")
LEFT_OUT = " and ".join(f"not {name}" for name in OTHERS)
# `expand_dims` is not among them: its tests take `xp.empty`, whose numbers may be of any size.
DIFFERENTIATED = {
    *("argpartition", "atleast_nd", "cov", "create_diagonal", "deg2rad", "isclose", "kron"),
    *("nanmax", "nanmean", "nanmin", "nansum", "partition", "rad2deg", "sinc"),
}
# A plain array of the strict library refuses to meet any other class, traced ones included.
REFUSED = {"numpy": "", "array_api_strict": " and not frequency_weights"}


@pytest.mark.one_in(2)
@pytest.mark.skipif(not TESTS.exists(), reason="installed without its tests")
@pytest.mark.parametrize("library", REFUSED)
def test_its_own_tests_pass_with_derivatives(library, tmp_path):
    path = os.pathsep.join((str(SHARED), *sys.path))
    run = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"),
            *("-p", "differentiated_calls", "--rootdir", str(tmp_path), "--tb=short"),
            # not the settings of a checkout in which they are installed
            *("-c", os.devnull),
            *("--disable-warnings",),
            *("-k", f"{library} and {LEFT_OUT}{REFUSED[library]}"),
            *(str(TESTS / f"test_{name}.py") for name in FILES),
        ],
        env={**os.environ, "PYTHONPATH": path},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout[-6000:] + run.stderr[-2000:]
    found = literal_eval(re.search(r"differentiated: ({.*})", run.stdout)[1])
    assert found.keys() >= DIFFERENTIATED
