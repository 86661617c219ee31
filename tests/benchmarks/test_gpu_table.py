"""The command that makes the table of device speeds, without a device: every engine, every line,
sizes that cost nothing.
"""

import subprocess
import sys

import pytest

from benchmarks import gpu_table
from benchmarks.gpu_engines import BY_HAND, ENGINES, OURS
from benchmarks.gpu_programs import PROGRAMS

CHAIN, LAST = PROGRAMS[0], PROGRAMS[-1]


@pytest.mark.parametrize("name", ENGINES)
def test_an_engine_measures_every_program(name):
    if missing := ENGINES[name].missing(dry=True):
        pytest.skip(f"{missing} not installed")
    about, *rows = gpu_table.column(name, [], "float64", dry=True)
    assert about["about"]
    measured = [row for row in rows if row["program"] != gpu_table.LAUNCH]
    assert [row["program"] for row in measured] == [program.name for program in PROGRAMS]
    assert all(row.get("seconds", 0) > 0 for row in rows), rows


def test_the_command():
    words = [
        sys.executable,
        "-m",
        "benchmarks.gpu_table",
        "--dry",
        "--program",
        LAST.name,
        "--engine",
        OURS,
        "--engine",
        BY_HAND,
    ]
    found = subprocess.run(words, capture_output=True, text=True)
    assert found.returncode == 0, found.stderr
    assert f"| {LAST.name} | {LAST.small} |" in found.stdout
