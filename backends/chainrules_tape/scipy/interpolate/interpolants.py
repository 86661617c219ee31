"""The base of interpolants: objects that are called at points, plain or traced."""

from functools import cache
from typing import Any, ClassVar

import numpy as np

from chainrules_py.annotations import Args, Function, Options
from chainrules_py.makers.declarations import PLAIN
from chainrules_py.rulesets.formulas.each_example import each_example, has_lanes
from chainrules_py.values.arrays import library_of
from chainrules_py.values.structure import is_container
from chainrules_tape.core.levels import call_traced, innermost, untraced
from chainrules_tape.core.trees import flatten
from chainrules_tape.core.values import resolved
from chainrules_tape.lanes.level import LaneHandle
from chainrules_tape.numpy.other_libraries import by_library
from chainrules_tape.refusals.handles import TracedArray
from chainrules_tape.scipy.objects import (
    StandInObject,
    constant,
    floats,
    is_recorded,
    named_arguments,
)

WHERE = "chainrules_tape.scipy.interpolate"


class Interpolant(StandInObject):
    """An interpolant of SciPy's class `made_by`; `evaluate` computes its values of traced ones."""

    # The argument whose lanes are computed at once: what `plain` is asked for is the same whatever
    # that holds. Where another has lanes, or there is none, lanes are computed one by one.
    laned: ClassVar[str] = ""

    def plain_object(self, args: Args, options: Options) -> Any:
        """SciPy's own object; if values are in lanes, it has those of all examples.

        SciPy checks all of them then; where it is told what the values are at the ends or outside,
        in the shape of one example, it is given the first.
        """
        own: Any = constant(self.given.get(self.laned))
        given = {name: constant(value) for name, value in self.given.items()}
        if is_recorded(given.values()):  # the program makes it, to be checked
            self.is_traced = True
            return untraced(self.made_by, (), given)
        if not isinstance(own, LaneHandle):
            return super().plain_object(args, options)
        (values, more), axis = beside_each_other(own), given["axis"]
        if any(has_numbers(given.get(name)) for name in ("bc_type", "fill_value")):
            values = values[(..., *(0,) * more)]
        elif axis < 0:
            axis -= more
        return untraced(self.made_by, (), {**given, self.laned: values, "axis": axis})

    def __init__(self, *args, **options) -> None:
        self.given = named_arguments(self.made_by, *args, **options)
        values = self.given.get(self.laned)
        if is_container(values) and has_lanes(values):  # of a list, which is no array in lanes
            args, options = (), {**self.given, self.laned: floats(values)}
        others = [x for name, x in self.given.items() if name != self.laned]
        self.is_anothers = by_other_library(args, options)
        self.is_looped = not self.is_anothers and has_lanes(others)
        # then SciPy's object would be one of plain values, which may not be known yet
        self.is_traced, self.plain = True, None
        if not (self.is_anothers or self.is_looped):
            super().__init__(*args, **options)

    def __call__(self, *args, **options) -> Any:
        """Evaluate at points: by SciPy, or in operations that are traced."""
        if self.is_anothers or by_other_library(args, options):
            found = by_library(made_and_called(type(self)), (self.given, args, options), {})
            if found is not NotImplemented:
                return found
        if not self.is_traced and innermost((*args, *options.values())) is None:
            return untraced(self.plain, args, options)
        if self.is_looped or (not self.laned and has_lanes((self.given, args, options))):
            return in_each_lane(made_and_called(type(self)), self.given, args, options)
        return self.evaluate(**named_arguments(self.made_by.__call__, self, *args, **options))

    evaluate: ClassVar[Function]  # the values for the arguments of a call by name


def by_other_library(args: Args, options: Options) -> bool:
    """Whether some arguments are arrays of a library that calls functions itself, such as JAX."""
    if not options and PLAIN.issuperset(map(type, args)):  # nearly always
        return False
    for part in (*args, *options.values()):
        cls = type(part)
        if cls in PLAIN or issubclass(cls, TracedArray):
            continue
        if cls is tuple or cls is list:
            if by_other_library(tuple(part), {}):
                return True
            continue
        library = library_of(cls)
        if library is not None and library.calls is not None:
            return True
    return False


@cache
def made_and_called(cls: type[Interpolant]) -> Function:
    """The function that makes an interpolant of a class and evaluates it, as one operation."""

    def evaluated(given: dict[str, Any], args: Args, options: Options):
        return cls(**given)(*args, **options)

    return evaluated


def in_each_lane(function: Function, *args) -> Any:
    """Call a function of containers lane by lane."""
    leaves, rebuilt = flatten(args)
    places = [place for place, leaf in enumerate(leaves) if innermost((leaf,)) is not None]

    def of_one(*values):
        own = list(leaves)
        for place, value in zip(places, values, strict=True):
            own[place] = value
        return function(*rebuilt(own))

    return call_traced(each_example, (of_one, *[leaves[place] for place in places]), {})


def beside_each_other(x) -> tuple[Any, int]:
    """A plain array with all lanes as its last axes, and the number of lanes."""
    more = 0
    while isinstance(x, LaneHandle):
        x = np.moveaxis(constant(resolved(x).value), 0, -1)
        more += 1
    return x, more


def has_numbers(option) -> bool:
    """Whether an option has more than one number."""
    return isinstance(option, tuple | list | np.ndarray)


def with_points_at(axis: int, y, points) -> Any:
    """Move the axes of points from the front to the place of an axis."""
    ndim = points.ndim
    return np.moveaxis(y, tuple(range(ndim)), tuple(range(axis, axis + ndim)))


def integral_between(integral: Function, a, b, first, last, outside: Any) -> Any:
    """The integral from a to b, from the antiderivative, which may be periodic."""
    period = last - first

    def until(x) -> Any:
        if outside != "periodic":
            return integral(x)
        count = np.floor((x - first) / period)
        return count * integral(last) + integral(x - count * period)

    return until(b) - until(a)
