"""What a projector is: metadata of one value, and the way from any cotangent to that value's tangent space."""

from collections.abc import Callable
from typing import Any

from chainrules_py.describing import describe
from chainrules_py.errors import ProjectionError
from chainrules_py.tangents.abstract import AbstractTangent
from chainrules_py.tangents.structural import Tangent
from chainrules_py.tangents.thunk import InplaceableThunk, Thunk, unthunk
from chainrules_py.tangents.zero import NO_TANGENT, NoTangent


class Projector:
    """Brings a cotangent to the tangent space of one value: `project(t)`.

    Zeros and missing derivatives pass, thunks stay lazy. Subclasses say what happens to natural and structural tangents.
    """

    __slots__ = ()

    def __call__(self, t: Any) -> Any:
        """The cotangent `t` in this space: `t` itself where it is there already."""
        if isinstance(t, AbstractTangent) and not isinstance(t, Tangent):
            return self._postponed(t) if isinstance(t, Thunk) else t
        return self.bring(t)

    def bring(self, t: Any) -> Any:
        """A natural or structural cotangent in this space."""
        raise NotImplementedError

    def _postponed(self, t: Thunk) -> Thunk:
        def compute() -> Any:
            return self(unthunk(t))

        if isinstance(t, InplaceableThunk):
            # Its buffers have the primal's shape already; a wider dtype goes away here, and adding casts.
            return InplaceableThunk(compute, t.add_into, lambda: self(t.zeros()), t.name, fits=t.fits_into)
        return Thunk(compute, t.name)


class NoTangentProjector(Projector):
    """The projector of what has no tangent space: integers, strings, functions. Everything becomes NO_TANGENT, unforced."""

    __slots__ = ()

    def __call__(self, t: Any) -> NoTangent:
        """NO_TANGENT."""
        return NO_TANGENT

    def __repr__(self) -> str:
        return "ProjectTo(a value without tangents)"


class CustomProjector(Projector):
    """The projector that a user's factory returned as a plain function."""

    __slots__ = ("function", "primal_type")

    def __init__(self, primal_type: type, function: Callable[[Any], Any]) -> None:
        self.primal_type, self.function = primal_type, function

    def bring(self, t: Any) -> Any:
        """The cotangent that the user's function makes of `t`."""
        return self.function(t)

    def __repr__(self) -> str:
        return f"ProjectTo({self.primal_type.__qualname__})"


NO_TANGENT_PROJECTOR = NoTangentProjector()


def projection_error(space: Any, value: Any, instead: str) -> ProjectionError:
    """The error for a `value` that has no place in `space`."""
    return ProjectionError(repr(space), f"got {describe(value)}", instead, space=space, value=value)
