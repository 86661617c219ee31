"""The other tests here want a device: in processes of their own they have the emulated one, which
stays while those last.
"""

import subprocess
import sys
from pathlib import Path

import pytest

from emulated_cuda import missing
from emulated_cuda.loading import is_loaded

HERE = Path(__file__).parent
REASON = missing() or ("this process has it already" if is_loaded() else None)
FILES = sorted(
    path.name
    for path in HERE.glob("test_*.py")
    if "mark.gpu" in path.read_text() and path != Path(__file__)
)


# a process for each file, some of a minute; `.ci/run` draws a few of those that are long
DAILY = "test_cupy_libraries.py"


@pytest.mark.skipif(REASON is not None, reason=f"no process with the emulated device: {REASON}")
@pytest.mark.parametrize(
    "file", [pytest.param(file, marks=() if file == DAILY else pytest.mark.long) for file in FILES]
)
def test_file(file):
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "emulated_cuda.plugin",
        "-p",
        "no:cacheprovider",
        str(HERE / file),
    ]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    assert "passed" in done.stdout
