"""Objects in the place of those of SciPy's classes, and what the modules of this package share.

With plain values they are what SciPy's are; with traced ones, operations that have rules.

Such an object keeps what it was made of. SciPy's object is made of the plain values in any case, so
that what SciPy refuses is refused, and what it finds out of its arguments (an axis, what is done
outside) is asked of it.
"""

import inspect
from functools import cache
from typing import Any, ClassVar, cast

import numpy as np

from chainrules_py.annotations import Args, Options
from chainrules_py.errors import OptionError
from chainrules_py.ignoring import ignore_derivatives
from chainrules_py.values.arrays import stood_for
from chainrules_py.values.structure import is_container
from chainrules_tape.core.levels import innermost, untraced, with_parts
from chainrules_tape.core.values import resolved
from chainrules_tape.lanes.level import LaneHandle
from chainrules_tape.numpy.namespaces import interceptable
from chainrules_tape.refusals.apparent_instances import ApparentInstance

_as_array = interceptable(np.asarray)


class StandIn(type):
    """The metaclass of classes in the place of SciPy's: instances and subclasses of SciPy's class
    are theirs, and they have its other attributes.
    """

    made_by: type

    def __getattr__(cls, name: str) -> Any:
        made_by = cls.__dict__.get("made_by")
        if made_by is None or name.startswith("__"):
            raise AttributeError(f"type object {cls.__name__!r} has no attribute {name!r}")
        return getattr(made_by, name)

    def __instancecheck__(cls, instance) -> bool:
        made_by = cls.__dict__.get("made_by", ())
        return super().__instancecheck__(instance) or isinstance(instance, made_by)

    def __subclasscheck__(cls, subclass: type) -> bool:
        made_by = cls.__dict__.get("made_by", ())
        return super().__subclasscheck__(subclass) or issubclass(subclass, made_by)


class StandInObject(ApparentInstance, metaclass=StandIn):
    """An object in the place of one of SciPy's class `made_by`.

    `plain` is SciPy's own, made of the same arguments. Where these are traced, it is not asked for
    attributes, which would be constants.
    """

    __chainrules_made_anew__ = True
    made_by: ClassVar[type]
    instead: ClassVar[str] = "call the object"  # of reading an attribute
    _apparent_class = property(lambda self: type(self).made_by)

    def __init__(self, *args, **options) -> None:
        self.given = named_arguments(self.made_by, *args, **options)
        self.is_traced = innermost(self.given.values()) is not None
        self.plain: Any = self.plain_object(args, options)

    def plain_object(self, args: Args, options: Options) -> Any:
        """SciPy's own object of plain values."""
        given = {name: self.plain_part(value) for name, value in options.items()}
        return self.made_by(*map(self.plain_part, args), **given)

    def plain_part(self, value) -> Any:
        """An argument as SciPy's own object gets it."""
        return constant(value)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or "plain" not in self.__dict__:
            # whoever asks for `__name__`, say, knows what to do with that
            raise AttributeError(name)
        if self.is_traced:
            where = public_place(self.made_by)
            got = f"{name!r} of a {self.made_by.__name__} that was made of traced values"
            raise OptionError(
                where, got, self.instead, primal=self.made_by, option=name, value=self
            )
        return getattr(self.plain, name)

    def refused(self, option: str, instead: str) -> OptionError:
        """The error of an option that the object was made with, and that is not differentiated."""
        return traced_option_error(self.made_by, option, self.given[option], instead)

    def __reduce__(self) -> Any:
        return remade, (type(self), self.given)


def constant(value) -> Any:
    """An argument without what is traced in it."""
    return value if innermost((value,)) is None else ignore_derivatives(value)


def example(value) -> Any:
    """The plain value of an argument; of one with a value in each lane, that in the first.

    It is for what SciPy checks and says of shapes, which is the same in all lanes.
    """
    value = resolved(constant(value))
    if isinstance(value, LaneHandle):
        lanes = constant(resolved(value).value)
        return example(lanes[0]) if lanes.shape[0] else np.zeros(lanes.shape[1:])
    if type(value) is np.ndarray and not value.flags.writeable:
        return value.copy()  # in a checkpoint it is read-only, which some of SciPy's Cython refuses
    return with_parts(value, example) if is_container(value) else value


def is_recorded(values) -> bool:
    """Whether some of the values are those of a recording, which SciPy cannot be asked of."""
    return any(stood_for(constant(value)) is not None for value in values)


def is_in_lanes(value) -> bool:
    """Whether a value has lanes."""
    return isinstance(constant(value), LaneHandle)


def remade(cls: type, given: dict[str, Any]) -> Any:
    """The object of a class that was made with these arguments, for `pickle` and `copy`."""
    own: Any = cls
    made = inspect.BoundArguments(signature(own.made_by), cast(Any, given))
    return cls(*made.args, **made.kwargs)


@cache
def signature(function) -> inspect.Signature:
    """The signature of a function or class, which takes 20 us to find."""
    return inspect.signature(function)


def named_arguments(function, /, *args, **options) -> dict[str, Any]:
    """The arguments of a call by name, with the defaults of those left out; without `self`."""
    given = signature(function).bind(*args, **options)
    given.apply_defaults()
    # of `rng` and `random_state`, an older name, SciPy takes one
    left_out = ("self", "random_state") if "rng" in given.arguments else ("self",)
    return {name: value for name, value in given.arguments.items() if name not in left_out}


def floats(x) -> Any:
    """Make an array of floating-point or complex numbers, from a list, too."""
    x = untraced(_as_array, (x,), {})
    return x if x.dtype.kind in "fc" else x.astype(float)


def public_place(function) -> str:
    """The public name of a class or function of SciPy in this package."""
    module = ".".join(part for part in function.__module__.split(".") if not part.startswith("_"))
    return f"chainrules_tape.{module}.{function.__name__}"


def traced_option_error(function, option: str, value, instead: str) -> OptionError:
    """The error for an option of SciPy's that has no derivative."""
    got = f"got {option}={value!r} and traced values"
    return OptionError(
        public_place(function), got, instead, primal=function, option=option, value=value
    )
