"""In lanes, a function raises only what it raises for each example: the search.

Every sample of NumPy's and SciPy's functions, with one array replaced by numbers that may be
refused, in a lane beside the sample itself. Where one of both raises, the program cannot catch it.
"""

import numpy as np
import pytest

from chainrules_py import BatchingError, default_rules
from chainrules_py.testing import load_shipped, samples_of
from chainrules_py.testing.samples import dtypes_of
from chainrules_py.values.identity import qualified_name
from chainrules_tape import vmap
from chainrules_tape.core.levels import call_traced
from chainrules_tape.refusals.handles import TracedArray

default_rules.load_all()
load_shipped()
PRIMALS = {
    qualified_name(primal): primal
    for primal in dict.fromkeys(rule.primal for rule in default_rules.rules(modes=("reverse",)))
    if dtypes_of(primal) and qualified_name(primal).startswith(("numpy.", "scipy."))
}
ENDLESS = {"scipy.special.hyp1f1"}  # SciPy's sum for an argument of 1e300 takes minutes
SOONER = {"numpy.linalg.solve", "numpy.polyfit", "numpy.log", "numpy.take"}


def likely_refused(x):
    """Arrays like one, of numbers that functions refuse."""
    if x.dtype.kind == "i":
        return [np.full_like(x, 10**6), np.full_like(x, -(10**6))]
    one_nan = x.copy()
    one_nan.reshape(-1)[:1] = np.nan
    made = [np.full_like(x, number) for number in (0.0, np.nan, np.inf, 1e300)]
    return [*made, -abs(x), one_nan]


def given_to(primal, sample, x):
    """Those that a call may be given: without a check, SciPy may not return for nan. Where a body
    overflows is its own affair.
    """
    numbers = likely_refused(x)
    if sample.options.get("check_finite") is False:
        numbers = [bad for bad in numbers if np.all(np.isfinite(bad))]
    return [bad for bad in numbers if not (has_body(primal) and np.any(bad == 1e300))]


def places_of(sample):
    return [
        place
        for place, x in enumerate(sample.args)
        if type(x) is np.ndarray and x.size and x.dtype in (np.float64, np.int64)
    ]


def raises(function, x):
    try:
        function(x * 1)
    except Exception:
        return True
    return False


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=() if name in SOONER else pytest.mark.long)
        for name in PRIMALS
        if name not in ENDLESS
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_what_one_lane_raises_cannot_be_caught(name):
    primal = PRIMALS[name]
    dtypes = dtypes_of(primal)
    dtype = next((dtype for dtype in dtypes if np.dtype(dtype) == np.float64), dtypes[0])
    for sample in samples_of(primal, dtype):
        for place in places_of(sample) if sample.error is None else ():
            require_same_outcome(primal, sample, place)


def has_body(primal):
    return any(rule.body is not None for rule in default_rules.rules(primal))


def require_same_outcome(primal, sample, place):
    # which operations of a body overflow is its own affair
    for mode in ("warn",) if has_body(primal) else ("warn", "raise"):

        def of_one(x, mode=mode):
            args = list(sample.args)
            args[place] = x
            with np.errstate(all=mode):
                if isinstance(x, TracedArray):
                    return call_traced(primal, tuple(args), dict(sample.options))
                return primal(*args, **sample.options)

        def careful(x, of_one=of_one):
            return 1.0 if raises(of_one, x) else 0.0

        fine = sample.args[place]
        if raises(of_one, fine):
            continue
        for bad in given_to(primal, sample, fine):
            if raises(of_one, bad):
                with pytest.raises(BatchingError):
                    vmap(careful)(np.stack([fine, bad]))
