"""Integrals of samples: linear in the samples, by rules of trapezoids and parabolas."""

from typing import Any

import numpy as np
from scipy import integrate

from chainrules_py import composed
from chainrules_py.annotations import Args, Options
from chainrules_py.makers import primitive
from chainrules_py.makers.by_source import by_source, own_source
from chainrules_py.makers.joint import array_of_parts
from chainrules_py.table.registry import default_rules

default_rules.alias(integrate.trapezoid, np.trapezoid)


by_source(integrate.cumulative_trapezoid, arguments=2)
by_source(integrate.simpson, integrate.romb)


@primitive
def running_simpson(y, x=None, dx=1.0, initial=None, *, axis: int = -1) -> Any:
    """The result of `cumulative_simpson`, whose points are an argument here."""
    return integrate.cumulative_simpson(y, x=x, dx=dx, axis=axis, initial=initial)


@composed(running_simpson)
def running_simpson_body(y, x=None, dx=1.0, initial=None, *, axis: int = -1) -> Any:
    """Parabolas, by SciPy's own source."""
    return own_source(integrate.cumulative_simpson)(y, x=x, dx=dx, axis=axis, initial=initial)


def as_running_simpson(y, *, x=None, dx=1.0, axis=-1, initial=None) -> tuple[Args, Options]:
    """The arguments and options of `running_simpson` for a call of `cumulative_simpson`."""
    points = None if x is None else array_of_parts(x)
    return (y, points, dx, initial), {"axis": axis}


default_rules.alias(integrate.cumulative_simpson, running_simpson, as_running_simpson)
