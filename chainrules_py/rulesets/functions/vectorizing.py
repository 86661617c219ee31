"""`np.vectorize`, as a program of calls of the function that a vectorised one was made from.

Everything passed by position is differentiated, what is `excluded` included: its cotangent is the
sum over the calls. What is passed by keyword is broadcast as NumPy does it, and is a constant, as
options are.
"""

from typing import Any

import numpy as np

from chainrules_py import composed
from chainrules_py.rulesets.formulas.vectorized_calls import Calls


@composed(np.vectorize.__call__, one_by_one=True)
def vectorized_calls(vectorized: np.vectorize, *args: object, **options) -> Any:
    """The results of all calls."""
    calls = Calls(vectorized, args, options)
    return calls.result([vectorized.pyfunc(*own, **named) for own, named in calls])
