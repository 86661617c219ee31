"""NumPy's own list of functions that can be intercepted, held against ours; `test_newer_numpy` says
which is in no category.
"""

import json
from collections import Counter

import numpy as np
import pytest

from chainrules_numpy.coverage import (
    Coverage,
    classify,
    overridable,
    series_functions,
)
from chainrules_py import default_rules
from chainrules_py.rulesets.without_rules import listed

# What HIPS autograd 1.9 or JAX 0.10 differentiate in numpy: the least that has to have a rule.
# Names that write in place are left out.
FLOOR = (
    "abs absolute acos acosh add amax amin angle append arccos arccosh arcsin arcsinh arctan"
    " arctan2 arctanh array_split asin asinh atan atan2 atanh atleast_1d atleast_2d atleast_3d"
    " average bincount broadcast_arrays broadcast_to cbrt choose clip column_stack compress concat"
    " concatenate conj conjugate convolve copysign corrcoef correlate cos cosh cov cross cumprod"
    " cumsum cumulative_prod cumulative_sum deg2rad degrees delete diag diagflat diagonal diff"
    " divide divmod dot dsplit dstack ediff1d einsum exp exp2 expand_dims expm1 extract fabs flip"
    " fliplr flipud float_power fmax fmin fmod frexp gradient histogram histogram2d"
    " histogram_bin_edges histogramdd hsplit hstack hypot i0 imag inner insert interp kron ldexp"
    " log log10 log1p log2 logaddexp logaddexp2 matmul matrix_transpose matvec max maximum mean"
    " median meshgrid min minimum mod modf moveaxis multiply nan_to_num nancumprod nancumsum nanmax"
    " nanmean nanmedian nanmin nanpercentile nanprod nanquantile nanstd nansum nanvar negative"
    " outer pad partition percentile permute_dims positive pow power prod ptp quantile rad2deg"
    " radians ravel real real_if_close reciprocal remainder repeat reshape resize roll rollaxis"
    " rot90 select sign sin sinc sinh sort sort_complex split sqrt square squeeze stack std"
    " subtract sum swapaxes take take_along_axis tan tanh tensordot tile trace transpose trapezoid"
    " tril triu true_divide unstack unwrap vander var vdot vecdot vecmat vsplit vstack where "
)


CATEGORIES = Coverage.CONSTANT, Coverage.INTERNAL, Coverage.MISSING
LISTED = [name for category in CATEGORIES for name in listed(category, "numpy") if "*" not in name]
# Listed, and not in every version that is supported: since 2.3, since 2.5, until 2.3.
OF_SOME_VERSIONS = {"_slice", "real", "imag", "numpy.in1d"}


def test_nothing_is_listed_that_numpy_does_not_have_or_that_has_a_rule():
    default_rules.load_all()
    names = overridable()
    installed = set(LISTED) - (OF_SOME_VERSIONS - set(names))
    assert sorted(installed - set(names)) == []
    assert [
        name for name in installed if next(default_rules.rules(names[name]), None) is not None
    ] == []


def test_no_name_is_listed_twice():
    assert [name for name, count in Counter(LISTED).items() if count > 1] == []


@pytest.mark.parametrize("name", FLOOR.split())
def test_what_others_differentiate_has_a_rule(name: str):
    own = list(default_rules.rules(getattr(np, name)))
    assert any(rule.differentiable for rule in own)


def test_an_unknown_function_has_no_category():
    assert classify("numpy.unheard_of", json.dumps) is None


# --- numpy.polynomial ---

LISTED_OF_SERIES = {
    name for category in CATEGORIES for name in listed(category, "numpy.polynomial")
}


def test_series_that_are_listed_exist_and_have_no_rule():
    default_rules.load_all()
    functions = [
        (suffix, function)
        for _, suffix, function in series_functions()
        if suffix in LISTED_OF_SERIES
    ]
    assert {suffix for suffix, _ in functions} == LISTED_OF_SERIES
    assert [
        function
        for _, function in functions
        if next(default_rules.rules(function), None) is not None
    ] == []
