"""Dask's arrays: the samples of every primal in both modes, lazily; second order; the same graph
each time; refusals.
"""

from functools import partial
from itertools import islice

import dask
import dask.array as da
import numpy as np
import pytest
from scipy import special

import chainrules_dask
import chainrules_tape.numpy as tnp
import chainrules_tape.scipy.linalg
import chainrules_tape.scipy.special
import chainrules_tape.scipy.stats
from chainrules_dask.library import LAZY_IN_SCIPY
from chainrules_py import default_rules
from chainrules_py.values.identity import qualified_name
from chainrules_tape import LostGradientError, grad, jvp, value_and_grad
from small_programs import logistic
from stand_ins.library_runs import DEVICES, forward, outcomes, primals, reverse

now = partial(dask.compute, scheduler="synchronous")


DASK = DEVICES["Dask"]()
lazily = DASK.watching  # nothing is computed


@pytest.mark.kinds
@pytest.mark.filterwarnings("ignore:Increasing number of chunks", "ignore:Casting complex")
@pytest.mark.parametrize("primal", primals(), ids=qualified_name)
def test_what_dask_has_is_differentiated_and_nothing_is_computed(primal, request):
    wanted = None if "slow" in request.config.option.markexpr else 1
    found = islice(outcomes(DASK, primal, (reverse, forward)), wanted)
    assert {*found} <= {"rf"}


LAZY = {
    rule.primal
    for rule in default_rules.load_all().rules()
    if getattr(rule.primal, "__qualname__", "") in LAZY_IN_SCIPY
    and rule.primal.__module__.startswith("scipy.")
}
LAZY |= {
    default_rules.canonical(vars(special)[name], (0.5,), {})[0]
    for name in ("erf", "gammaln", "expit")
}


@pytest.mark.parametrize("primal", sorted(LAZY, key=qualified_name), ids=qualified_name)
def test_what_scipy_computes_by_operations_stays_lazy(primal):
    assert next(outcomes(DASK, primal, (reverse, forward))) == "rf"


def program(x):
    return (
        np.sum(np.tanh(x[:, :4] @ np.arange(4.0)) ** 2)
        + np.sum(np.cumsum(x, axis=0)[2:] * x[[0, 1, 1, 2]])
        + np.linalg.norm(x)
    )


RNG = np.random.default_rng(0)
X, LABELS, W = RNG.normal(size=(50, 5)), (RNG.random(50) > 0.5) * 1.0, RNG.normal(size=5)


def close(got, wanted):
    np.testing.assert_allclose(now(got)[0], wanted, rtol=1e-10, atol=1e-12)


def test_data_in_chunks_and_parameters_of_numpy():
    x, labels = da.from_array(X, chunks=(20, 5)), da.from_array(LABELS, chunks=20)
    with lazily():
        value, slope = value_and_grad(logistic)(W, x, labels)
    assert isinstance(value, da.Array)
    assert isinstance(slope, da.Array)
    close(value, logistic(W, X, LABELS))
    close(slope, grad(logistic)(W, X, LABELS))


def test_chunks_stay_where_everything_is_elementwise():
    x = da.from_array(X, chunks=((10, 25, 15), (2, 3)))
    slope = grad(lambda x: np.sum(np.sin(x) * x))(x)
    assert slope.chunks == x.chunks
    close(slope, np.cos(X) * X + np.sin(X))


def test_second_derivatives_stay_lazy():
    """Their numbers are cells of `product`."""
    x = da.from_array(X[:6], chunks=(4, 2))
    with lazily():
        jvp(grad(program), (x,), (x,))
        grad(lambda x: np.sum(grad(program)(x) * x))(x)
        grad(lambda x: jvp(program, (x,), (x,))[1])(x)


def test_the_same_program_makes_the_same_graph():
    names = [grad(program)(da.from_array(X[:6], chunks=(4, 2), name="x")).name for _ in range(2)]
    assert names[0] == names[1]


def test_the_graph_of_a_gradient_grows_with_the_chunks_alone():
    tasks = {}
    for chunks in (5, 10):
        x = da.zeros((10 * chunks, 5), chunks=(10, 5))
        tasks[chunks] = len(grad(logistic)(W, x, da.zeros(10 * chunks, chunks=10)).dask)
    assert tasks[10] <= 2.2 * tasks[5]


def test_what_would_compute_is_refused():
    x = da.from_array(X[0], chunks=2)
    with lazily():
        for function, named in (
            (lambda x: np.sum(tnp.polynomial.polynomial.polymul(x, x)), "Dask array"),
            (lambda x: np.sum(np.compress(x > 0, x)), "Dask array"),
            (lambda x: np.sum(x[x > 0]), "Dask array"),
            (lambda x: np.abs(np.linalg.eig(x[None] * x[:, None])[0][0]), "a [+] 0j"),
            (
                lambda x: np.sum(chainrules_tape.scipy.linalg.expm(x[None] * x[:, None])),
                "scipy.linalg.expm",
            ),
            (
                lambda x: np.sum(chainrules_tape.scipy.linalg.cholesky(x[None] * x[:, None])),
                "scipy.linalg.cholesky",
            ),
            (lambda x: chainrules_tape.scipy.special.logsumexp(x), "scipy.special.logsumexp"),
            (
                lambda x: np.sum(chainrules_tape.scipy.stats.norm.logpdf(x)),
                "scipy.stats.rv_continuous.logpdf",
            ),
        ):
            with pytest.raises((chainrules_dask.DaskError, LookupError), match=named):
                grad(function)(x)


def test_a_matrix_of_which_one_triangle_is_filled_is_not_looked_at():
    a = X[:4] @ X[:4].T + 5 * np.eye(4)
    with lazily():
        found = grad(lambda a: np.sum(tnp.linalg.cholesky(a)))(da.from_array(a, chunks=2))
    close(found, grad(lambda a: np.sum(tnp.linalg.cholesky(np.tril(a))))(np.tril(a)))


def test_a_traced_value_does_not_become_a_constant_of_dask():
    with pytest.raises(LostGradientError, match=r"from_array") as caught:
        grad(lambda w: da.sum(da.from_array(w)).compute())(W)
    assert "seen_through" not in "".join(getattr(caught.value, "__notes__", ()))


@pytest.mark.parametrize("places", [2, [1, 3], np.int64(2), X[0, :4] > 0])
def test_complex_values_are_inserted_at_known_places(places):
    """Dask warns of complex entries at positions of its own."""
    x, x_dot = np.arange(4.0) + 1j, np.ones(4) * 1j
    given = [(da.from_array(part, chunks=2),) for part in (x, x_dot)]
    found = jvp(lambda a: np.insert(a, places, a[:2].sum()), *given)
    for part, expected in zip(dask.compute(*found), (x, x_dot), strict=True):
        np.testing.assert_allclose(part, np.insert(expected, places, expected[:2].sum()))
