"""The fit on the cluster is that of iterated least squares on the same counts in NumPy, and the
truth within its errors.
"""

import numpy as np
import pytest


@pytest.fixture(scope="module", autouse=True)
def dask():
    """Dask, where all that the program needs is installed."""
    pytest.importorskip("scipy")
    pytest.importorskip("distributed")
    return pytest.importorskip("dask")


@pytest.fixture(scope="module")
def result(dask, program):
    """The fit without a cluster, whose processes take longer to start than the fit takes."""
    with dask.config.set(scheduler="synchronous"):
        return program.analyse()


def test_the_fit_is_that_of_iterated_least_squares(dask, program, result):
    x, counts = dask.compute(*program.observe(), scheduler="synchronous")
    w = np.zeros(x.shape[1])
    for _ in range(20):
        rate = np.exp(x @ w)
        information = x.T @ (rate[:, None] * x)
        w = w + np.linalg.solve(information, x.T @ (counts - rate))
    np.testing.assert_allclose(result["best"], w, atol=1e-5)
    np.testing.assert_allclose(
        result["deviations"], np.sqrt(np.diag(np.linalg.inv(information))), rtol=1e-4
    )


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # Dask's own, of sockets
def test_two_processes_find_it_and_draw_it(program, result, tmp_path):
    np.testing.assert_allclose(
        program.main(str(tmp_path / "dask_fit.png"))["best"], result["best"], atol=1e-5
    )
