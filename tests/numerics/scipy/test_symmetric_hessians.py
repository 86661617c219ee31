"""Hessians of functions of two and more arguments are symmetric: at zeros, ties, and ends of domains.

Both mixed derivatives, by every two arguments that are differentiated, at all pairs of a few hard
numbers, where the function has a value. One that is nan or refused is seen by whoever gets it, and
is not compared. What is not symmetric has a reason in `higher_points`.
"""

import itertools
import warnings

import numpy as np
import pytest

from chainrules_py import default_rules
from chainrules_py.errors import NotImplementedTangentError, SeedError
from chainrules_py.testing import load_shipped
from chainrules_py.testing.samples import samples_of
from chainrules_py.values.identity import qualified_name
from chainrules_tape import LostGradientError, OutputError, grad

pytest.importorskip("mpmath")

from higher_points import ASYMMETRIC

load_shipped()
HARD = (0.0, 1.0, -1.0, 2.0, 0.5, 1e-8, -1e-8, 3.0)
X, Y = np.array(list(itertools.product(HARD, HARD))).T
NUMPY = ("hypot", "arctan2", "logaddexp", "logaddexp2", "multiply", "divide", "power")
SPECIAL = ("xlogy", "xlog1py", "rel_entr", "kl_div", "pseudo_huber", "boxcox", "boxcox1p", "stdtr")
QUICK = [*(f"numpy.{name}" for name in NUMPY), *(f"scipy.special.{name}" for name in SPECIAL)]


def names_of_scalar_rules():
    """The functions whose partials are formulas, by name."""
    default_rules.load_all()
    with_partials = [rule.primal for rule in default_rules.rules() if rule.written_partials]
    return {qualified_name(primal): primal for primal in with_partials}


PRIMALS = names_of_scalar_rules()


def calls_of(primal):
    """A call with each number of positional arguments from two on, all of which are numbers."""
    found = {}
    for sample in samples_of(primal, "float64"):
        sizes = [np.size(arg) for arg in sample.args]
        if not sample.options and len(sample.args) > 1 and all(sizes):
            found.setdefault(len(sample.args), [np.ravel(arg)[0] for arg in sample.args])
    return found.values()


def pairs_of(args):
    floats = [i for i, arg in enumerate(args) if np.asarray(arg).dtype.kind == "f"]
    return itertools.combinations(floats, 2)


def mixed(primal, args, first, then):
    """The derivative by one argument, and then by another."""

    def slope(*args):
        return np.sum(grad(lambda *args: np.sum(primal(*args)), argnums=first)(*args))

    return np.broadcast_to(grad(slope, argnums=then)(*args), X.shape)


def asymmetric_points(primal, args, pair):
    """Where both mixed derivatives are numbers, and not the same."""
    given = [np.full(X.shape, arg) for arg in args]
    given[pair[0]], given[pair[1]] = X, Y
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        try:
            values = primal(*given)
            one, other = mixed(primal, given, *pair), mixed(primal, given, *pair[::-1])
        except REFUSALS:
            return np.zeros(X.shape, bool)
        close = np.abs(one - other) <= 1e-6 * np.maximum(np.abs(one), np.abs(other)) + 1e-9
        unknown = np.isnan(one) | np.isnan(other) | ~np.isfinite(values)
    return ~(unknown | (one == other) | close)


# no derivative by a parameter, complex results, and integers in places that a tape does not see
REFUSALS = (NotImplementedTangentError, OutputError, SeedError, LostGradientError, TypeError)


def unexplained(name):
    """The arguments, the points and the derivatives that have no reason; the reasons without one."""
    primal, reasons = PRIMALS[name], [each for each in ASYMMETRIC if each.primal == name]
    used, found = set(), []
    for args in calls_of(primal):
        for pair in pairs_of(args):
            bad = asymmetric_points(primal, args, pair)
            for reason in reasons:
                if reason.pair == pair:
                    there = eval(reason.points, {"x": X, "y": Y, "abs": abs})
                    used |= {reason} if np.any(bad & there) else set()
                    bad = bad & ~there
            found += [(pair, x, y) for x, y in zip(X[bad], Y[bad], strict=True)]
    return found, [reason for reason in reasons if reason not in used]


@pytest.mark.parametrize("name", QUICK)
def test_functions_of_many_programs(name):
    assert unexplained(name) == ([], [])


@pytest.mark.long
@pytest.mark.parametrize("name", sorted(PRIMALS))
def test_all_functions(name):
    assert unexplained(name) == ([], [])
