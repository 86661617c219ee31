"""The template of a pack of rules is a wheel, whose rules are found by what it declares."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip(
    "hatchling", reason="building without network needs hatchling in this environment (group: test)"
)

PACK = Path(__file__).parents[2] / "examples" / "rule_pack"
USE = """
import json, sys
import heat_rod
import numpy as np
from chainrules_py import explain, rrule
from chainrules_tape import grad

positions = np.array([0.0, 1.0, 3.0, 3.5])
band = np.array([0.5, -1.0, 0.25])


def heat(b):
    diagonal = 3 + heat_rod.conductivity(b)
    return heat_rod.stored_heat(heat_rod.solve_tridiagonal(band, diagonal, band, b), positions)


b = np.array([0.1, 0.2, -0.3, 0.4])
loaded = ["heat_rod.rules" in sys.modules]
rrule(heat_rod.conductivity, b)
loaded.append("heat_rod.rules" in sys.modules)
differences = [(heat(b + step) - heat(b - step)) / 2e-6 for step in 1e-6 * np.eye(4)]
where = explain(heat_rod.conductivity, b).reverse.where
print(json.dumps([heat_rod.__file__, loaded, where, grad(heat)(b).tolist(), differences]))
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder into which the wheel of the pack is installed, from a copy of its sources."""
    folder = tmp_path_factory.mktemp("rule_pack")
    wheels, site = folder / "wheels", folder / "site"
    pip("wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", wheels, PACK)
    (wheel,) = wheels.iterdir()
    pip("install", "--no-deps", "--no-index", "--target", site, wheel)
    return site


def pip(*arguments: str | Path):
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def run(site: Path, *arguments: str | Path) -> str:
    """Run Python with the installed pack in a process of its own, and return what it printed."""
    path = os.pathsep.join(filter(None, [str(site), os.environ.get("PYTHONPATH")]))
    done = subprocess.run(
        [sys.executable, "-W", "error", *arguments],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PYTHONPATH": path},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_rules_are_found_when_a_function_is_asked_for(installed: Path):
    file, loaded, where, gradient, differences = json.loads(run(installed, "-c", USE))
    assert Path(file).is_relative_to(installed)
    assert loaded == [False, True]
    assert where.startswith(str(installed / "heat_rod" / "rules.py"))
    np.testing.assert_allclose(gradient, differences, rtol=1e-7)


def test_the_command_lists_the_pack(installed: Path):
    command = ("-m", "chainrules_command", "rules", "--packs")
    (found,) = json.loads(run(installed, *command, "--json", "heat_rod"))
    assert found == {
        "for": "heat_rod",
        "module": "heat_rod.rules",
        "kind": "rules",
        "distribution": "heat-rod",
        "version": "1.0",
    }
    rows = [line.split() for line in run(installed, *command).splitlines()]
    assert [*found.values()] in rows


@pytest.mark.long
def test_its_own_tests_pass_on_what_is_installed(installed: Path):
    tests, settings = PACK / "tests", PACK / "pyproject.toml"
    options = ("-q", "-p", "no:cacheprovider", "-c", settings)
    assert " passed" in run(installed, "-m", "pytest", *options, tests)
