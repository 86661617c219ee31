"""Samples of functions without a derivative: a call each, through which nothing may flow."""

import cmath
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from chainrules_py.rulesets.draws import DRAWS
from chainrules_py.testing.samples import Draw, Sample, Samples, samples_for

OF_ONE = (
    *(np.logical_not, np.all, np.any, np.isnan, np.isinf),
    *(np.isfinite, np.isneginf, np.isposinf, np.signbit),
    *(np.isreal, np.iscomplex, np.isrealobj, np.iscomplexobj),
    *(np.shape, np.ndim, np.size, np.zeros_like, np.ones_like),
    *(np.result_type, np.common_type, np.min_scalar_type),
    *(np.array2string, np.array_repr, np.array_str),
    *(np.argmax, np.argmin, np.nanargmax, np.nanargmin, np.argsort, np.lexsort),
    *(np.nonzero, np.flatnonzero, np.argwhere, np.count_nonzero),
)
OF_TWO = (
    *(np.equal, np.not_equal, np.less, np.less_equal),
    *(np.greater, np.greater_equal, np.floor_divide),
    *(np.logical_and, np.logical_or, np.logical_xor),
    *(np.isclose, np.allclose, np.array_equal, np.array_equiv),
    *(np.isin, np.shares_memory, np.may_share_memory),
)
OF_INTEGERS = (
    np.gcd,
    np.lcm,
    np.bitwise_and,
    np.bitwise_or,
    np.bitwise_xor,
    np.left_shift,
    np.right_shift,
)
DAYS = np.array(["2024-02-28", "2024-02-29"], "datetime64[D]")
OTHERS: dict[Callable[..., Any], Callable[[Draw], tuple[Any, ...]]] = {
    np.argpartition: lambda draw: (draw.distinct(5), 2),
    np.searchsorted: lambda draw: (np.sort(draw.distinct(4)), draw.any(2)),
    np.digitize: lambda draw: (draw.any(3), np.sort(draw.distinct(4))),
    np.can_cast: lambda draw: (draw.dtype, np.float64),
    np.unravel_index: lambda draw: (np.array([1, 5]), (2, 3)),
    np.ravel_multi_index: lambda draw: ((np.array([1]), np.array([2])), (2, 3)),
    np.diag_indices_from: lambda draw: (draw.any(3, 3),),
    np.tril_indices_from: lambda draw: (draw.any(3, 3),),
    np.triu_indices_from: lambda draw: (draw.any(3, 3),),
    np.einsum_path: lambda draw: ("ij,jk->ik", draw.any(2, 3), draw.any(3, 2)),
    np.invert: lambda draw: (draw.integers(0, 9, 3),),
    np.bitwise_count: lambda draw: (draw.integers(0, 9, 3),),
    np.packbits: lambda draw: (draw.mask(9),),
    np.unpackbits: lambda draw: (np.array([3], np.uint8),),
    round: lambda draw: (25, -1),
    math.isclose: lambda draw: (0.5, 0.6),
    math.ulp: lambda draw: (2.5,),
    math.comb: lambda draw: (5, 2),
    math.perm: lambda draw: (5, 2),
    math.factorial: lambda draw: (5,),
    math.isqrt: lambda draw: (10,),
    cmath.isclose: lambda draw: (0.5, 0.6),
    cmath.isfinite: lambda draw: (0.5,),
    cmath.isinf: lambda draw: (0.5,),
    cmath.isnan: lambda draw: (0.5,),
    np.isnat: lambda draw: (DAYS,),
    np.busday_count: lambda draw: (DAYS[0], DAYS[1]),
    np.busday_offset: lambda draw: (DAYS[0], 1),
    np.is_busday: lambda draw: (DAYS,),
    np.datetime_as_string: lambda draw: (DAYS,),
}


@samples_for(*OF_ONE)
def query_samples(draw: Draw) -> Samples:
    """Queries of one array."""
    yield Sample(draw.distinct(2, 3))


@samples_for(*OF_TWO)
def comparison_samples(draw: Draw) -> Samples:
    """Comparisons of two."""
    yield Sample(draw.between(0.3, 0.7, 2, 3), draw.between(1.1, 1.4, 3))


@samples_for(*OF_INTEGERS, dtypes=["float64"])
def integer_samples(draw: Draw) -> Samples:
    """Integers, which have no tangents to begin with."""
    yield Sample(draw.integers(1, 9, 2, 3), draw.integers(1, 9, 3))


@samples_for(*OTHERS, dtypes=["float64"])
def other_samples(draw: Draw, primal) -> Samples:
    """Samples of functions whose arguments are of a kind of their own."""
    yield Sample(*OTHERS[primal](draw), name="call")


def draw_samples(draw: Draw) -> Samples:
    """None: no two draws are the same, so there is nothing to compare."""
    return iter(())


for source in (np.random.Generator, np.random.RandomState):
    samples_for(
        *(getattr(source, name) for name in DRAWS if hasattr(source, name)), dtypes=["float64"]
    )(draw_samples)


@samples_for(np.empty_like)
def empty_samples(draw: Draw) -> Samples:
    """Nothing in it: what would be there is no function of the argument."""
    yield Sample(draw.any(0, 3))
