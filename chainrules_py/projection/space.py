"""`Space`: the tangent space of one value, without the value.

    space = ProjectTo(x)         the space of `x`; its class says which kind (`project_to`)
    space(t)                     the cotangent `t` in this space: `t` itself where it is there already
    space.admit(seed, where)     a tangent from outside as a rule may see it; SeedError for what is none
    space.fits(t)                whether `t` has the shape, or the parts, of the values
    space.shape, space.dtype     what adjoints are given in place of an array that they need not keep

A value that is neither a number nor an array has no shape (None), and what nobody knows the
tangents of admits all of them.
"""

from collections.abc import Callable
from math import prod
from typing import Any

from chainrules_py.errors import ProjectionError
from chainrules_py.projection.admission import admit_natural, seed_error
from chainrules_py.tangents.abstract import AbstractTangent
from chainrules_py.tangents.describing import describe
from chainrules_py.tangents.not_implemented import NotImplementedTangent
from chainrules_py.tangents.structural import Tangent
from chainrules_py.tangents.thunk import InplaceableThunk, Thunk, unthunk
from chainrules_py.tangents.zero import NO_TANGENT, ZERO, AbstractZero, NoTangent
from chainrules_py.values.structure import kind


class Space:
    """The tangent space of values of one class, shape and dtype; a number's is its class.

    Zeros and missing derivatives pass a projection, thunks stay lazy. Subclasses say what happens
    to natural and structural tangents. There is no zero here: that of a traced or a device value is
    made of the value (`zero_tangent`).
    """

    __slots__ = ("dtype", "primal_type", "shape")
    # None of what is neither a number nor an array, which nobody asks for a shape
    shape: tuple[int, ...]

    def __init__(self, primal_type: Any, shape: Any = None, dtype: Any = None) -> None:
        self.primal_type, self.shape, self.dtype = primal_type, shape, dtype

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of entries."""
        return prod(self.shape)

    def __call__(self, t: Any) -> Any:
        """The cotangent `t` in this space: `t` itself where it is there already."""
        if issubclass(type(t), AbstractTangent) and not isinstance(t, Tangent):
            return self._postponed(t) if isinstance(t, Thunk) else t
        return self.bring(t)

    def bring(self, t: Any) -> Any:
        """A natural or structural cotangent in this space."""
        raise NotImplementedError

    def _postponed(self, t: Thunk) -> Thunk:
        def compute():
            return self(unthunk(t))

        if isinstance(t, InplaceableThunk):
            # Its buffers have the primal's shape already; a wider dtype goes away here, and adding
            # casts.
            return InplaceableThunk(
                t.add_into, compute, lambda: self(t.zeros()), t.name, fits=t.fits_into
            )
        return Thunk(compute, t.name)

    def admit(self, seed: Any, where: str) -> Any:
        """The seed as a rule may see it; `where` is how an error names the place it was handed in."""
        seed = unthunk(seed)
        if issubclass(type(seed), AbstractZero):
            return ZERO
        if seed is None or issubclass(type(seed), NotImplementedTangent):
            raise seed_error(
                seed,
                repr(seed),
                self.primal_type.__qualname__,
                where,
                "pass ZERO where there is no influence",
            )
        if self.shape is None:
            return self._admit_parts(seed, where)
        if kind(type(seed)) == "declared":  # it may have a shape, and a unit besides
            instead = "pass a number or an array, as the value is one"
            raise seed_error(seed, describe(seed), self.primal_type.__qualname__, where, instead)
        return admit_natural(seed, self.shape, self.dtype, where)

    def _admit_parts(self, seed: Any, where: str) -> Any:
        return seed

    def fits(self, t: Any) -> bool:
        """Whether a tangent has the shape, or the parts, of the values; thunks are not asked."""
        if isinstance(t, AbstractTangent) and not isinstance(t, Tangent):
            return True
        shape = getattr(t, "shape", () if isinstance(t, int | float | complex) else None)
        return self._fit_parts(t) if self.shape is None else bool(shape == self.shape)

    def _fit_parts(self, t: Any) -> bool:
        return True


class NoTangentSpace(Space):
    """The space of what has no tangents: integers, strings, functions.

    Everything becomes NO_TANGENT, unforced.
    """

    __slots__ = ()

    def __call__(self, t) -> NoTangent:
        """NO_TANGENT."""
        return NO_TANGENT

    def __repr__(self) -> str:
        return "ProjectTo(a value without tangents)"


class CustomSpace(Space):
    """The space of a class for which a user's factory returned the projection as a plain function."""

    __slots__ = ("function",)

    def __init__(self, x, function: Callable[[Any], Any]) -> None:
        super().__init__(type(x), getattr(x, "shape", None), getattr(x, "dtype", None))
        self.function = function

    def bring(self, t) -> Any:
        """The cotangent that the user's function makes of `t`."""
        return self.function(t)

    def __repr__(self) -> str:
        return f"ProjectTo({self.primal_type.__qualname__})"


def projection_error(space, value, instead: str) -> ProjectionError:
    """The error for a `value` that has no place in `space`."""
    return ProjectionError(repr(space), f"got {describe(value)}", instead, space=space, value=value)
