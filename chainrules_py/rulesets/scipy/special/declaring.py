"""Declaring rules of `scipy.special` in its own functions.

`special_rule` is `scalar_rule` with their names in expressions.
"""

from functools import partial
from typing import Any

import numpy as np
from scipy import special

from chainrules_py.calls.private_ufuncs import wrapped_ufuncs
from chainrules_py.makers import scalar_rule
from chainrules_py.rulesets.formulas.without_cancellation import over
from chainrules_py.rulesets.scipy.special.psi_differences import psi_difference
from chainrules_py.table.registry import default_rules

FUNCTIONS = {
    name: getattr(special, name) for name in special.__all__ if callable(getattr(special, name))
}
FUNCTIONS |= {"psi_difference": psi_difference, "over": over}
special_rule = partial(scalar_rule, names=FUNCTIONS)


# Python functions that hand their arguments to a private ufunc, which is what an engine sees: its
# rule is found from the start.
for _function in (special.zeta, special.lambertw):
    for _ufunc, _adapt in wrapped_ufuncs(_function):
        default_rules.alias(_ufunc, _function, _adapt)

# With SCIPY_ARRAY_API=1 SciPy puts functions that ask for the library in the place of its ufuncs.
for _function in FUNCTIONS.values():
    _wrapped: Any = getattr(_function, "__wrapped__", None)
    if isinstance(_wrapped, np.ufunc):
        default_rules.alias(_wrapped, _function)
