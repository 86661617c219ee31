"""Plain functions of Python's with rules, as engines call them under several derivatives."""

from functools import lru_cache
from types import FunctionType
from typing import Any

from chainrules_py.makers.declarations import primitive
from chainrules_py.values.identity import made_of


@lru_cache(maxsize=2**10)
def as_primitive(primal: Any) -> Any:
    """Return a plain function as a primitive, which has the same rules; anything else as it is.

    A rule that a maker wrote calls its function for the value. Under another derivative that call
    has to go to the rule again, and not into the body, which may take NumPy's arrays only.
    """
    if isinstance(primal, FunctionType) and made_of(primal) is None:
        return primitive(primal)
    return primal
