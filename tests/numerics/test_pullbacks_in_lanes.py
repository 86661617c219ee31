"""How many pullbacks compute a batch of cotangents at once, and how many one after the other."""

import warnings

import numpy as np
import pytest

from chainrules_py.batching import loop
from chainrules_py.errors import NotImplementedTangentError
from chainrules_py.tangents.plain_containers import tangent_of_ones
from chainrules_py.testing.checks.lanes import in_lanes, scaled
from chainrules_py.testing.conformance import engine_cases
from chainrules_py.testing.samples import load_shipped
from chainrules_py.values.identity import qualified_name
from chainrules_tape import LostGradientError, vjp, vmap
from chainrules_tape.core.levels import call
from chainrules_tape.core.trees import flatten
from chainrules_tape.core.values import is_differentiable

LOOPED = 30  # of 871, those refused included; it may only fall
SHARE = 0.93


def first_cases():
    """One sample of each primal with a derivative."""
    load_shipped()
    found = {}
    for case in engine_cases(dtypes=["float64"]):
        found.setdefault(case.primal, case)
    return found.values()


def pullback_of(case):
    """The pullback of a call, and a cotangent; None where it has no derivative at all."""
    args, options = case.sample.args, case.sample.options
    active = [k for k, arg in enumerate(args) if is_differentiable(arg)]

    def function(*xs):
        moved = dict(zip(active, xs, strict=True))
        return call(case.primal, tuple([moved.get(k, x) for k, x in enumerate(args)]), options)

    if not active:
        return None
    try:
        y, pullback = vjp(function, *[args[k] for k in active])
        seed = tangent_of_ones(y)
        pullback(seed)
    except (NotImplementedTangentError, TypeError, ValueError, LostGradientError):
        return None
    axes, seeds = in_lanes([scaled(seed, number) for number in range(3)])
    return (pullback, axes, seeds) if 0 in flatten(axes)[0] else None


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")
def test_few_pullbacks_are_looped(monkeypatch):
    loops, looped, count = [], [], 0
    stacked = loop.stacked
    monkeypatch.setattr(loop, "stacked", lambda *args: loops.append(1) or stacked(*args))
    with np.errstate(all="ignore"), warnings.catch_warnings():
        for case in first_cases():
            found = pullback_of(case)
            if found is None:
                continue
            pullback, axes, seeds = found
            count += 1
            loops.clear()
            try:
                vmap(lambda bar, pullback=pullback: tuple(pullback(bar)), (axes,))(seeds)
            except Exception:  # refused, or not computed at all
                loops.append(1)
            looped.extend([qualified_name(case.primal)] if loops else [])
    assert count > 800
    assert len(looped) <= LOOPED, looped
    assert len(looped) <= (1 - SHARE) * count
