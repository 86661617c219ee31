"""Declaring rules of `scipy.special` in its own functions.

`special_rule` is `scalar_rule` with their names in expressions.
"""

from functools import partial, wraps
from typing import Any

import numpy as np
from scipy import special

from chainrules_py.annotations import Function
from chainrules_py.makers import scalar_rule
from chainrules_py.rulesets.formulas.without_cancellation import over
from chainrules_py.rulesets.scipy.special.psi_differences import psi_difference, zeta_difference
from chainrules_py.table.registry import default_rules

FUNCTIONS = {
    name: getattr(special, name) for name in special.__all__ if callable(getattr(special, name))
}
FUNCTIONS |= {each.__name__: each for each in (psi_difference, zeta_difference, over)}
special_rule = partial(scalar_rule, names=FUNCTIONS)


def named(function: Function) -> Function:
    """Decorator: expressions may call the function by its name; one that takes `xp` is given that."""
    FUNCTIONS[function.__name__] = function
    return function


def of_doubles(slope: Function) -> Function:
    """Compute a slope of arguments whose terms cancel in double precision, where single is given.

    SciPy computes values so, too. Other libraries may have no double precision.
    """

    @wraps(slope)
    def computed(*args, xp) -> Any:
        return slope(*(map(widened, args) if xp is np else args), xp=xp)

    computed.__chainrules_primal__ = slope  # type: ignore[attr-defined]  # whose formula it has
    return computed


def widened(x) -> Any:
    """Numbers in double precision, if they are not; what has no dtype of NumPy's as it is."""
    dtype: Any = getattr(x, "dtype", None)
    if not isinstance(dtype, np.dtype) or dtype in (np.float64, np.complex128):
        return x
    return x.astype(np.result_type(dtype, np.float64))


# Python functions hand their arguments to these private ufuncs, which are what an engine sees.
_UFUNCS: Any = special._ufuncs
default_rules.alias(_UFUNCS._zeta, special.zeta)
default_rules.alias(_UFUNCS._riemann_zeta, special.zeta)
default_rules.alias(_UFUNCS._lambertw, special.lambertw)

# With SCIPY_ARRAY_API=1 SciPy puts functions that ask for the library in the place of its ufuncs.
for _function in FUNCTIONS.values():
    _wrapped: Any = getattr(_function, "__wrapped__", None)
    if isinstance(_wrapped, np.ufunc):
        default_rules.alias(_wrapped, _function)
