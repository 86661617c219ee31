"""Which functions of NumPy call lanes one by one; that rules for batching are right, `check_rule` says."""

from types import SimpleNamespace

import numpy as np
import pytest

from chainrules_py import BatchingError, default_rules
from chainrules_py.batching import loop
from chainrules_py.testing import load_shipped, samples_of
from chainrules_py.testing.checks import batching as kit
from chainrules_py.testing.samples import dtypes_of
from chainrules_py.values.identity import qualified_name

default_rules.load_all()
load_shipped()
PRIMALS = [
    primal
    for primal in dict.fromkeys(rule.primal for rule in default_rules.rules(modes=("batching",)))
    if dtypes_of(primal)
]

# NumPy's functions outside of numpy.polynomial that have a rule and call lanes one by one, in some
# of their samples; rare functions, which are looped, have none
STILL_LOOPED = {
    "numpy.unique_values": "in which order, a call for each example says",
    "numpy.histogram_bin_edges": "a method's name stands for a number that depends on values",
    "numpy.diff": "what is put in front or behind has a shape of its own",
    "numpy.extract": "it calls compress",
    "numpy.interp": "it calls searchsorted",
    "numpy.histogram": "it calls searchsorted and bincount",
    "numpy.histogram2d": "it calls searchsorted and bincount",
    "numpy.histogramdd": "it calls searchsorted and bincount",
    "numpy.setdiff1d": "it calls isin",
    "numpy.linalg.lstsq": "matrices that differ",
}


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")
def test_functions_of_numpy_compute_all_lanes_at_once(monkeypatch):
    """The loop puts results together by `stacked`, which is counted here."""
    loops = []
    stacked = loop.stacked_results
    monkeypatch.setattr(loop, "stacked_results", lambda *args: loops.append(1) or stacked(*args))
    names = set()
    for primal in PRIMALS:
        name = qualified_name(primal)
        if name.startswith("numpy.") and not name.startswith("numpy.polynomial."):
            for sample in samples_of(primal, dtypes_of(primal)[0]):
                if sample.error is None:
                    loops.clear()
                    run_in_lanes(primal, sample)
                    names.update([name] if loops else [])
    looped = {name for name in names if not name.endswith(".reduceat")}  # where starts differ
    assert looped <= STILL_LOOPED.keys()


def run_in_lanes(primal, sample):
    """Call a primal in all ways with lanes that the kit knows."""
    args, options = default_rules.canonical(primal, sample.args, sample.options)[1:]
    trial = SimpleNamespace(args=args, subject=SimpleNamespace(primal=primal, options=options))
    (rule, *_) = default_rules.rules(primal, ("batching",))
    with np.errstate(all="ignore"):
        for call in kit.laned_calls(trial, rule):
            try:
                run = default_rules.in_lanes(primal, tuple(map(type, call.args)), call.lanes)
                run(*call.args, **call.options)
            except BatchingError:
                pass  # a mask that chooses other numbers of entries in other lanes
