"""Calls that are brought into the form on which rules dispatch."""

import numpy as np
import pytest

from chainrules_py import OptionError, default_rules
from chainrules_py.values.identity import existing

FIX = [(fix, np.trunc) for fix in existing(np, "fix")]
X = np.array([-2.0, 0.5, 3.0])


@pytest.mark.parametrize(
    ("other", "primal"), [(np.amax, np.max), (np.amin, np.min), (np.around, np.round), *FIX]
)
def test_synonyms(other, primal):
    assert default_rules.canonical(other, (X,), {})[0] is primal


@pytest.mark.parametrize(
    ("args", "options", "bounds"),
    [
        *(((0.0, 1.0), {}, (0.0, 1.0)), ((None, 1.0), {}, (None, 1.0)), ((), {}, (None, None))),
        *(((), {"min": 0.0}, (0.0, None)), ((), {"max": 1.0}, (None, 1.0))),
        ((0.0,), {"max": 1.0}, (0.0, 1.0)),
        *(((), {"a_max": 1.0, "a_min": 0.0}, (0.0, 1.0)), ((0.0,), {"a_max": 1.0}, (0.0, 1.0))),
    ],
)
def test_clip(args, options, bounds):
    primal, canonical, kept = default_rules.canonical(np.clip, (X, *args), options)
    assert (primal, canonical[1:], kept) == (np.clip, bounds, {})


def test_the_method_may_name_the_lower_bound_alone():
    primal, canonical, kept = default_rules.canonical(X.clip, (0.0,), {})
    np.testing.assert_array_equal(primal(*canonical, **kept), X.clip(0.0))


def test_other_options_of_clip_are_left_alone():
    assert default_rules.canonical(np.clip, (X, 0.0, 1.0), {"dtype": float})[2] == {"dtype": float}


@pytest.mark.parametrize(
    ("bounds", "options"),
    [
        *(((0.0,), {"a_min": 1.0}), ((0.0,), {"min": 1.0}), ((0.0, None), {"max": 1.0})),
        ((), {"min": 0.0, "a_min": 0.0}),
    ],
)
def test_a_bound_that_is_given_twice_is_refused(bounds, options):
    with pytest.raises(OptionError, match="give each bound once"):
        default_rules.canonical(np.clip, (X, *bounds), options)
