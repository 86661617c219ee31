"""Dask's arrays: the samples of every primal in both modes, lazily; second order; the same graph
each time; refusals.
"""

from contextlib import contextmanager
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
from chainrules_py.testing.samples import dtypes_of, load_shipped
from chainrules_py.values.identity import qualified_name
from chainrules_tape import LostGradientError, grad, jvp, value_and_grad
from small_programs import logistic
from stand_ins.array_makers import in_chunks
from stand_ins.device_runs import Device, calls, check_forward, check_reverse, compare

now = partial(dask.compute, scheduler="synchronous")


class ComputedError(Exception):
    """A Dask array was computed."""


def refuse(*args, **options):
    raise ComputedError


@contextmanager
def lazily(*names):
    """Nothing is computed."""
    with dask.config.set(scheduler=refuse):
        yield


def put(x):
    """Whole numbers stay, since they say where to read."""
    return in_chunks(x) if x.dtype.kind in "fc" else x


DASK = Device(da.Array, put, lambda x: now(x)[0], lazily)
DIFFERENTIABLE = {rule.primal for rule in default_rules.load_all().rules() if rule.differentiable}

# of numpy.polynomial: the rules of one are those of all
OTHER_FAMILIES = ("legendre", "laguerre", "hermite", "hermite_e")
PRIMALS = sorted(DIFFERENTIABLE, key=qualified_name)
PRIMALS = [
    primal
    for primal in PRIMALS
    if (name := qualified_name(primal)).startswith("numpy.")
    and name.split(".")[-2] not in OTHER_FAMILIES
]


def dask_has(primal, args, options, like):
    """Whether Dask itself has the value of this call, without computing it."""
    try:
        with lazily():
            y = chainrules_dask.dask_library.implementation(primal)(*args, **options)
        compare(DASK, y, like, 1e-9)
    except Exception:
        return False
    return True


def check_lazily(primal, call):
    sample, args, options = call
    with np.errstate(all="ignore"):
        had = dask_has(primal, args, options, primal(*sample.args, **sample.options))
        try:
            check_reverse(DASK, primal, sample, args, options, 1e-9)
            check_forward(DASK, primal, sample, args, options, 1e-9)
        except (AssertionError, ComputedError):
            raise
        except Exception:
            if had:
                raise


def in_turn():
    """Each primal with the dtypes of its samples: of two, one waits for the `long` tests."""
    load_shipped()
    for turn, primal in enumerate(PRIMALS):
        dtypes = [dtype for dtype in ("float64", "complex128") if dtype in dtypes_of(primal)]
        for k, dtype in enumerate(dtypes):
            marks = () if k == turn % len(dtypes) else pytest.mark.long
            name = f"{qualified_name(primal)}-{dtype}"
            yield pytest.param(primal, dtype, marks=marks, id=name)


@pytest.mark.kinds
@pytest.mark.filterwarnings("ignore:Increasing number of chunks")
@pytest.mark.parametrize(("primal", "dtype"), [*in_turn()])
def test_what_dask_has_is_differentiated_and_nothing_is_computed(primal, dtype, request):
    wanted = None if "slow" in request.config.option.markexpr else 1
    for call in islice(calls(DASK, primal, dtype), wanted):
        check_lazily(primal, call)


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
    sample, args, options = next(calls(DASK, primal, "float64"))
    with np.errstate(all="ignore"):
        assert dask_has(primal, args, options, primal(*sample.args, **sample.options))
        check_reverse(DASK, primal, sample, args, options, 1e-9)
        check_forward(DASK, primal, sample, args, options, 1e-9)


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
    with pytest.raises(LostGradientError, match=r"from_array"):
        grad(lambda w: da.sum(da.from_array(w)).compute())(W)
