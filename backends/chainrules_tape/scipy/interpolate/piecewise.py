"""`PPoly`: piecewise polynomials, of which cubic interpolants are some."""

from functools import cached_property
from typing import Any

import numpy as np
from scipy import interpolate

from chainrules_py.errors import OptionError
from chainrules_py.rulesets.scipy.interpolate.cubic import derived, integrated, piecewise
from chainrules_tape.core.levels import innermost, untraced
from chainrules_tape.refusals.apparent_instances import ApparentInstance
from chainrules_tape.scipy.interpolate.interpolants import integral_between, with_points_at
from chainrules_tape.scipy.objects import StandIn, floats, is_recorded, public_place


class PPoly(ApparentInstance, metaclass=StandIn):
    """`scipy.interpolate.PPoly`, by coefficients, knots and points.

    `coefficients` are those of the powers of the distance from the knot before, the highest first,
    with an entry per interval along their first axis.
    """

    __chainrules_made_anew__ = True
    made_by = interpolate.PPoly
    _apparent_class: Any = interpolate.PPoly

    def __init__(self, c, x, extrapolate: Any = None, axis: int = 0) -> None:
        c, x = floats(c), floats(x)
        if innermost((c, x)) is None:  # SciPy's checks them
            self.plain = interpolate.PPoly(c, x, extrapolate, axis)
        self.axis = axis % (c.ndim - 1)
        self.coefficients = list(np.moveaxis(c, (self.axis, self.axis + 1), (0, 1)))
        self.x, self.extrapolate = x, True if extrapolate is None else extrapolate

    @classmethod
    def of(cls, coefficients: list[Any], x, extrapolate: Any, axis: int) -> "PPoly":
        """The piecewise polynomial of these coefficients; `axis` is that of the points."""
        made = cls.__new__(cls)
        made.coefficients, made.x = coefficients, x
        made.extrapolate, made.axis = extrapolate, axis
        return made

    @classmethod
    def in_place_of(cls, own) -> "PPoly":
        """Replace one of SciPy's piecewise polynomials, which may be an interpolant."""
        made = cls.of(list(own.c), own.x, own.extrapolate, own.axis)
        made.plain, made._apparent_class = own, type(own)
        return made

    @property
    def c(self) -> Any:
        """The coefficients as one array, with axes for powers and intervals before all others."""
        return np.stack(self.coefficients)

    @cached_property
    def plain(self) -> Any:
        """SciPy's own object; None if coefficients are traced or recorded."""
        if is_recorded(self.coefficients) or innermost((self.coefficients, self.x)) is not None:
            return None
        return interpolate.PPoly.construct_fast(self.c, self.x, self.extrapolate, self.axis)

    def __call__(self, x, nu: int = 0, extrapolate: Any = None) -> Any:
        """The derivative `nu` at points: by SciPy, or in operations that are traced."""
        if self.plain is not None and innermost((x,)) is None:
            return untraced(self.plain, (x, nu, extrapolate), {})
        outside, x = self.extrapolate if extrapolate is None else extrapolate, floats(x)
        return with_points_at(self.axis, piecewise(self.coefficients, self.x, x, nu, outside), x)

    def derivative(self, nu: int = 1) -> "PPoly":
        """The derivative `nu`, a piecewise polynomial."""
        if nu < 0:
            return self.antiderivative(-nu)
        return PPoly.of(derived(self.coefficients, nu), self.x, self.extrapolate, self.axis)

    def antiderivative(self, nu: int = 1) -> "PPoly":
        """The integral from the first knot on, `nu` times; it is not periodic."""
        if nu <= 0:
            return self.derivative(-nu)
        coefficients = self.coefficients
        for _ in range(nu):
            coefficients = integrated(coefficients, self.x)
        outside = False if self.extrapolate == "periodic" else self.extrapolate
        return PPoly.of(coefficients, self.x, outside, self.axis)

    def integrate(self, a, b, extrapolate: Any = None) -> Any:
        """The integral from a to b."""
        outside = self.extrapolate if extrapolate is None else extrapolate
        if self.plain is not None and innermost((a, b)) is None:
            return self.plain.integrate(a, b, outside)
        integral = PPoly.of(integrated(self.coefficients, self.x), self.x, bool(outside), 0)
        return integral_between(integral, a, b, self.x[0], self.x[-1], outside)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or "coefficients" not in self.__dict__:
            raise AttributeError(name)
        own = interpolate.PPoly if self.plain is None else self.plain
        found = getattr(own, name)  # raises for what is no attribute
        if self.plain is None:
            where, got = public_place(interpolate.PPoly), f"{name!r} of traced coefficients"
            instead = "call the object, or integrate it"
            raise OptionError(where, got, instead, primal=own, option=name, value=self)
        return found

    def __reduce__(self) -> Any:
        return PPoly.of, (self.coefficients, self.x, self.extrapolate, self.axis)
