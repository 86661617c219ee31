"""Classic programs run and say something; their derivatives are cells of `product`."""

import runpy
from pathlib import Path

import pytest

PROGRAMS = Path(__file__).parents[2] / "examples" / "programs"


@pytest.mark.one_in(3)
@pytest.mark.parametrize("path", sorted(PROGRAMS.glob("*.py")), ids=lambda path: path.stem)
def test_runs_and_says_something(path, capsys):
    runpy.run_path(str(path), run_name="__main__")
    assert capsys.readouterr().out
