"""Every sample of every rule, through the engine: forward, reverse, and all second orders (`check_engine`)."""

from typing import Any

import numpy as np
import pytest

import chainrules_tape
from chainrules_py.registry import default_rules
from chainrules_py.testing.conformance import engine_cases, run_engine_case
from chainrules_py.testing.samples import load_shipped
from chainrules_tape.reverse import is_differentiable

# NumPy hands these over for some of their arguments only, or not at all; `chainrules_tape.numpy` does, and is tested for it.
NOT_INTERCEPTED = {
    *(np.array, np.asarray, np.asanyarray, np.ascontiguousarray, np.asfortranarray),
    *(np.full, np.full_like, np.select, np.polyval, np.histogram),
    *(np.polynomial.polynomial.polyval, np.polynomial.chebyshev.chebval, np.polynomial.legendre.legval),
    *(np.polynomial.laguerre.lagval, np.polynomial.hermite.hermval, np.polynomial.hermite_e.hermeval),
}


def is_real_valued(primal: Any, args: tuple[Any, ...], options: Any) -> bool:
    """Whether every output has a tangent space: seeds are drawn for the whole output."""
    with np.errstate(all="ignore"):
        y = primal(*args, **options)
    parts = y if isinstance(y, tuple | list) else (y,)
    return all(is_differentiable(part) for part in parts)


# At the edge of the domain, where the second derivative of the rule divides by zero; NumPy warns.
WARNS = {"numpy.arcsin-2-domain-float64", "numpy.arccos-2-domain-float64", "numpy.cbrt-2-domain-float64"}

load_shipped()
CASES = [
    case
    for case in engine_cases()
    if case.primal not in NOT_INTERCEPTED
    and case.name.removesuffix("-reverse") not in WARNS
    and is_real_valued(case.primal, case.sample.args, case.sample.options)
]


@pytest.mark.parametrize("case", CASES, ids=[case.name.removesuffix("-reverse") for case in CASES])
def test_every_sample(case):
    run_engine_case(chainrules_tape, case)


def test_there_are_samples_of_most_primals():
    primals = {rule.primal for rule in default_rules.rules() if rule.differentiable}
    assert len({case.primal for case in CASES}) > len(primals) / 2
