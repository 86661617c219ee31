"""The posterior of the equation that SciPy solves is that of its closed form, and near the numbers
that were published.
"""

import numpy as np
import pytest

pytest.importorskip("scipy")
pytest.importorskip("pymc", reason="PyMC is not installed")

POINT = {"rate_log__": -0.6, "capacity_log__": 6.5, "start_log__": 2.2, "noise_log__": 1.2}


@pytest.mark.filterwarnings("ignore")  # PyMC's own
def test_the_gradient_is_that_of_the_closed_form(program):
    def solved_closely(rate, capacity, start):
        return program.solved(rate, capacity, start, rtol=1e-9, atol=1e-8)

    slopes = []
    for curve in (program.to_pytensor(solved_closely), program.closed):
        model = program.model(curve)
        slopes.append(model.compile_dlogp()({name: np.array(x) for name, x in POINT.items()}))
    np.testing.assert_allclose(*slopes, rtol=1e-5)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # PyMC's own
def test_both_models_have_one_posterior(program, tmp_path):
    picture = tmp_path / "yeast_growth.png"
    ours, own = program.main(str(picture)).values()
    for name in program.NAMES:
        deviation = own[name].std()
        assert abs(ours[name].mean() - own[name].mean()) < 0.2 * deviation
        assert ours[name].std() == pytest.approx(deviation, rel=0.15)
    # R. Pearl, The Growth of Populations, Quarterly Review of Biology 2 (1927): by hand
    assert ours["rate"].mean() == pytest.approx(0.5355, abs=0.02)
    assert ours["capacity"].mean() == pytest.approx(665.0, abs=4.0)
    assert picture.read_bytes().startswith(b"\x89PNG")
