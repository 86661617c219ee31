"""Every sample of every rule, through the engine: forward, reverse, and all second orders
(`check_engine`).
"""

from contextlib import nullcontext

import numpy as np
import pytest

from chainrules_py.testing import CheckFailure
from chainrules_py.testing.conformance import (
    run_engine_case,
    run_engine_case_in_lanes,
)
from chainrules_py.testing.samples import Tag
from chainrules_py.values.identity import qualified_name
from sampled_calls import Tape, cases_with_tangents

ALL = cases_with_tangents()
# Of SciPy's functions one sample in each dtype: what else there is to a rule, the kit has looked at
# (tests/numerics/scipy).
FIRST = {(case.primal, case.dtype): case for case in reversed(ALL)}
CASES = [
    case
    for case in ALL
    if "scipy." not in qualified_name(case.primal) or FIRST[case.primal, case.dtype] is case
]


@pytest.mark.kinds
@pytest.mark.parametrize("case", CASES, ids=[case.name.removesuffix("-reverse") for case in CASES])
def test_every_sample(case):
    # At the edge of a domain (arcsin at 1) a second derivative is infinite, and NumPy warns of the
    # division.
    edge = Tag.DOMAIN in case.sample.tags
    with np.errstate(divide="ignore", invalid="ignore") if edge else nullcontext():
        run_engine_case(Tape, case)


# Derivatives that choose by values what to compute next, and say so: lanes would choose differently
SHAPES = "how many entries the derivative reads depends on their values"
BRANCHES = "the derivative decides by a value"
ORDERS = "the order within windows is written into arrays of NumPy's"
SUPPORT = "SciPy decides by parameters where a distribution's support is"
REFUSED = {
    **dict.fromkeys(("numpy.trim_zeros", "numpy.union1d", "numpy.setxor1d"), SHAPES),
    **dict.fromkeys(("numpy.polynomial.polyutils.trimcoef",), SHAPES),
    **dict.fromkeys(("scipy.linalg._decomp_schur.schur",), BRANCHES),
    **dict.fromkeys(("scipy.linalg._matfuncs.fractional_matrix_power",), BRANCHES),
    **dict.fromkeys(
        (
            *("scipy.signal._signaltools.order_filter", "scipy.signal._signaltools.medfilt2d"),
            "scipy.signal._signaltools.medfilt",
            *(
                f"scipy.ndimage._filters.{name}"
                for name in (
                    *("percentile_filter", "rank_filter", "median_filter", "minimum_filter"),
                    *("maximum_filter1d", "minimum_filter1d", "maximum_filter"),
                )
            ),
        ),
        ORDERS,
    ),
    **dict.fromkeys(
        (
            "scipy.stats._multivariate.multinomial_gen.pmf",
            "scipy.stats._multivariate.multinomial_gen.logpmf",
        ),
        SUPPORT,
    ),
    **{
        f"scipy.stats._distn_infrastructure.rv_discrete.{name}": SUPPORT
        for name in ("cdf", "sf", "logcdf", "logsf")
    },
}
SOONER_IN_LANES = {
    np.add,
    np.exp,
    np.sum,
    np.matmul,
    np.linalg.solve,
    np.where,
    np.sort,
    np.fft.fft,
}


def parameter(case):
    name = qualified_name(case.primal)
    is_early = case.primal in SOONER_IN_LANES and case is FIRST[case.primal, case.dtype]
    marks = () if is_early else pytest.mark.long
    return pytest.param(case, marks=marks, id=f"{name}-{case.sample.name}-{case.dtype}")


@pytest.mark.parametrize("case", [parameter(case) for case in CASES])
def test_every_sample_in_lanes(case):
    edge = Tag.DOMAIN in case.sample.tags
    with np.errstate(all="ignore") if edge else nullcontext():
        failure = failure_in_lanes(case)
    if failure is not None:
        # refused with a sentence, and not wrong
        assert qualified_name(case.primal) in REFUSED, failure
        assert "Error: " in failure.diagnosis.sentence


def failure_in_lanes(case):
    """What the kit says against a sample in lanes, or None."""
    try:
        run_engine_case_in_lanes(Tape, case)
    except CheckFailure as failure:
        return failure
    return None
