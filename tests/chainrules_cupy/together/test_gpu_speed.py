"""Speed on a device: the limits of the speed statements, on the figures of `python -m
benchmarks.gpu_table`, which it prints.

Run it alone on an idle device: `make test-gpu ARGS="-s tests/chainrules_cupy/together/test_gpu_speed.py"`.
"""

import re

import pytest

from benchmarks import gpu_table
from benchmarks.gpu_engines import ENGINES, OURS
from benchmarks.gpu_programs import PROGRAMS

pytestmark = [pytest.mark.gpu, pytest.mark.slow]


@pytest.fixture(scope="module")
def columns():
    options = gpu_table.options_of([])
    found = {name: gpu_table.column_of_process(name, options) for name in ENGINES}
    print("\n\n" + gpu_table.report(found, options.dtype))
    return {name: gpu_table.by_program(rows) for name, rows in found.items()}


@pytest.mark.parametrize("peer", gpu_table.LIMITS)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_large_sizes(columns, program, peer):
    key = program.name, max(program.sizes)
    if key not in columns[peer]:
        pytest.skip(f"{peer} is not installed")
    assert gpu_table.agrees(columns[OURS][key], columns[peer][key], "float64")
    assert columns[OURS][key]["seconds"] <= gpu_table.LIMITS[peer] * columns[peer][key]["seconds"]


def test_engine_overhead_against_a_launch(columns):
    figures = gpu_table.overhead({name: list(rows.values()) for name, rows in columns.items()})
    assert float(re.search(r"ratio (\S+)", figures).group(1)) <= gpu_table.LAUNCH_LIMIT, figures
