"""All solvers agree, with fewer calls by our matrix, which is sparse."""

import numpy as np
import pytest

pytest.importorskip("scipy")


def test_the_solutions_agree(result):
    exact = result["found"]["our Jacobian"]
    assert exact.success
    for found in result["found"].values():
        np.testing.assert_allclose(found.y, exact.y, atol=2e-3)


def test_the_pattern_and_the_matrix_save_calls(result):
    calls = result["calls"]
    assert calls["our pattern"] < 0.5 * calls["differences"]
    assert calls["our Jacobian"] <= calls["our pattern"]


def test_the_pattern_has_the_neighbours_of_each_cell(program, result):
    assert result["pattern"].pattern.nnz == 8 * program.CELLS - 4
