"""NumPy's own list of functions that can be intercepted, held against ours; `test_newer_numpy` says
which is in no category.
"""

import json
from collections import Counter

import numpy as np
import pytest

from chainrules_numpy.coverage import (
    INTERNAL,
    NO_RULE_YET,
    NOTHING_TO_DIFFERENTIATE,
    Coverage,
    classify,
    coverage,
    listed,
    overridable,
)
from chainrules_py import default_rules

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


@pytest.fixture(scope="module")
def classified() -> dict[str, Coverage]:
    default_rules.load_all()
    return {found.name: found.coverage for found in coverage()}


def test_nothing_is_listed_that_numpy_does_not_have_or_that_has_a_rule() -> None:
    default_rules.load_all()
    names = overridable()
    assert sorted(set(listed()) - set(names)) == []
    assert [
        name for name in listed() if next(default_rules.rules(names[name]), None) is not None
    ] == []


def test_no_name_is_listed_twice() -> None:
    names = [
        name
        for group in (*NOTHING_TO_DIFFERENTIATE.values(), tuple(INTERNAL), tuple(NO_RULE_YET))
        for name in group
    ]
    assert [name for name, count in Counter(names).items() if count > 1] == []


def test_the_list_of_missing_rules_is_short_and_gives_reasons(
    classified: dict[str, Coverage],
) -> None:
    missing = [name for name, found in classified.items() if found is Coverage.MISSING]
    assert len(missing) < 15
    assert all(len(NO_RULE_YET[name]) > 10 for name in missing)


@pytest.mark.parametrize("name", FLOOR.split())
def test_what_others_differentiate_has_a_rule(name: str) -> None:
    own = list(default_rules.rules(getattr(np, name)))
    assert any(rule.differentiable for rule in own)


def test_an_unknown_function_has_no_category() -> None:
    assert classify("numpy.unheard_of", json.dumps) is None
