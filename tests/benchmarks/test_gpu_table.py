"""The command that makes the table of device speeds, without a device: every engine, every line,
sizes that cost nothing.
"""

import subprocess
import sys

import pytest

from benchmarks import gpu_table
from benchmarks.gpu_engines import BY_HAND, ENGINES, JAX, OURS, TORCH
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


def rows_of(program, size, seconds, value=1.0):
    return [
        {"program": program.name, "size": size, "seconds": seconds, "value": value, "norm": 2.0}
    ]


def columns(**seconds):
    """Our column at one second, and others."""
    others = {
        {"by_hand": BY_HAND, "torch": TORCH, "jax": JAX}[name]: rows_of(LAST, 9, time)
        for name, time in seconds.items()
    }
    return {OURS: rows_of(LAST, 9, 1.0), **others}


def test_the_table_has_ratios_and_marks_what_misses_a_limit():
    *_, line = gpu_table.table(columns(by_hand=0.8, torch=2.0, jax=0.1), "float64")
    assert line == "| FFT deconvolution | 9 | 1000 | **1.250** | 0.500 | 10.000 |"


def test_engines_that_disagree_are_not_compared():
    wrong = columns(by_hand=1.0) | {TORCH: rows_of(LAST, 9, 1.0, value=1.1)}
    assert gpu_table.table(wrong, "float64")[-1].endswith("| 1.000 | **disagrees** |")


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
