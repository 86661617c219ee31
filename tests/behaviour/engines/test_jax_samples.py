"""The samples of every differentiable primal through JAX, in both modes, held to finite differences."""

import pytest

from chainrules_py import default_rules
from chainrules_py.identity import qualified_name
from chainrules_py.testing import CheckFailure, Settings, engine_cases, run_engine_case

jax = pytest.importorskip("jax")
chainrules_jax = pytest.importorskip("chainrules_jax")
stand_in = pytest.importorskip("stand_ins.jax_engine")

OWN_VALUE = "jax.numpy returns another value than NumPy"
EXCEPTIONS = {
    "numpy.partition": f"{OWN_VALUE}: the order among entries is the library's own affair",
    "numpy.polydiv": f"{OWN_VALUE}: it does not trim the remainder",
    "numpy.roots": f"{OWN_VALUE}: complex roots of real coefficients, in its own order",
    "numpy.histogram": f"{OWN_VALUE}: counts are floating",
    "numpy.histogramdd": f"{OWN_VALUE}: a list of edges is a tuple",
}
DIFFERENTIABLE = {rule.primal for rule in default_rules.load_all().rules() if rule.differentiable}
FIRST = {}  # one sample of each primal in each dtype
for case in engine_cases(settings=Settings(second_order="off")):
    if case.primal in DIFFERENTIABLE:
        FIRST.setdefault((qualified_name(case.primal), case.dtype), case)
CASES = [case for (name, _), case in FIRST.items() if name not in EXCEPTIONS]
OFTEN = 24  # every so many cases run each time, the others with the slow tests


def run(case):
    with jax.enable_x64(True):
        run_engine_case(stand_in.JaxEngine(), case, called=chainrules_jax.to_jax)


@pytest.mark.parametrize(
    "case", [pytest.param(c, id=c.name, marks=[pytest.mark.slow] if k % OFTEN else []) for k, c in enumerate(CASES)]
)
def test_samples(case):
    run(case)


@pytest.mark.parametrize("name", EXCEPTIONS)
def test_the_exceptions_are_exceptions(name):
    with pytest.raises(CheckFailure):
        run(FIRST[name, "float64"])


def test_at_least_95_percent_of_the_primals_pass():
    names = {name for name, _ in FIRST}
    assert len(names - EXCEPTIONS.keys()) >= 0.95 * len(names)


@pytest.mark.parametrize("name", ["numpy.multiply", "numpy.linalg.solve", "numpy.nanmedian"])
def test_second_order(name):
    run(next(engine_cases([case for case in CASES if qualified_name(case.primal) == name][0:1] and [_primal(name)])))


def _primal(name):
    return next(primal for primal in DIFFERENTIABLE if qualified_name(primal) == name)
