"""Run packages' own tests as they are and while the package is seen through: ``make
test-packages``.

With plain values nothing may be different inside the scope, so what passes outside has to pass
inside. The packages are those of ``suites.txt``, in a folder of their own, which is the first
argument; further arguments name some of them.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).parent

# Of each package, which of its tests run, and what else pytest is told.
SUITES: dict[str, list[str]] = {
    "uravu": ["uravu/tests"],
    "sklearn": [
        "sklearn/linear_model/tests/test_base.py",
        "sklearn/metrics/tests/test_regression.py",
    ],
    "pint": ["pint/testsuite/test_numpy.py", "pint/testsuite/test_quantity.py"],
    "pandas": ["pandas/tests/reductions/test_reductions.py"],
    "sympy": ["sympy/utilities/tests/test_lambdify.py", "sympy/geometry/tests/test_point.py"],
    "statsmodels": ["statsmodels/stats/tests/test_weightstats.py"],
    "transforms3d": ["transforms3d"],
    "astropy": ["astropy/units/tests/test_quantity.py"],
    "networkx": ["networkx/linalg"],
    "mpmath": ["mpmath/tests/test_linalg.py", "mpmath/tests/test_calculus.py"],
    "xarray": ["xarray/tests/test_duck_array_ops.py"],
}


def outcomes(
    folder: Path, root: str, arguments: list[str], *, seen: bool
) -> tuple[dict[str, str], float, str]:
    """What became of each test, how long it took, and what pytest said."""
    with tempfile.TemporaryDirectory() as place:
        file = Path(place) / "outcomes.json"
        paths = os.pathsep.join([str(folder), str(HERE)])
        environment = os.environ | {
            "PYTHONPATH": paths,
            "SEEN_THROUGH": root if seen else "",
            "OUTCOMES": str(file),
        }
        environment |= {"MPLBACKEND": "agg", "PYTHONHASHSEED": "0"}
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-p",
            "outcomes",
            "-p",
            "no:cacheprovider",
            "-q",
            "--tb=short",
        ]
        command += ["-c", os.devnull, "--rootdir", str(folder), "-W", "ignore"]
        begin = time.perf_counter()
        done = subprocess.run(
            [*command, *arguments],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        found = json.loads(file.read_text()) if file.exists() else {}
        return found, time.perf_counter() - begin, done.stdout[-20000:] + done.stderr[-3000:]


def main() -> bool:
    folder, names = Path(sys.argv[1]).resolve(), sys.argv[2:] or list(SUITES)
    differing = False
    for name in names:
        outside, seconds, said = outcomes(folder, name, SUITES[name], seen=False)
        inside, more, said_inside = outcomes(folder, name, SUITES[name], seen=True)
        passed = [test for test, outcome in outside.items() if outcome == "passed"]
        lost = [test for test in passed if inside.get(test) != "passed"]
        print(
            f"{name}: {len(passed)} of {len(outside)} tests pass outside, {len(lost)} of these not"
            f" inside ({seconds:.0f} s, {more:.0f} s)",
            flush=True,
        )
        if lost or not passed:
            differing = True
            print("\n".join(lost[:50]), said_inside if passed else said, sep="\n")
    return differing


if __name__ == "__main__":
    sys.exit(main())
