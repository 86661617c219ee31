"""Forward mode: a level whose values carry tangents."""

from typing import Any

from chainrules_py.annotations import Args, Function, Options
from chainrules_py.bodies.traced import Level, Traced
from chainrules_py.rules.config import frule_via_ad
from chainrules_py.tangents import ZERO, entries, is_zero, unthunk, with_entries
from chainrules_py.values.structure import fields, is_container, rebuild


class Forward(Level):
    """The level of one derivative; `data` of its values is the tangent."""

    mode = "forward"

    def trace(self, x, x_dot) -> Any:
        """Trace a value along a tangent, part by part in containers; a constant is returned."""
        x_dot = unthunk(x_dot)
        if is_zero(x_dot):
            return x
        if not is_container(x):
            return Traced(x, self, x_dot)
        dots = entries(x_dot)
        parts = fields(x).items()
        return rebuild(x, {key: self.trace(part, dots.get(key, ZERO)) for key, part in parts})

    def tangent(self, x) -> Any:
        """Return the tangent of a value; `ZERO` for what this level does not trace."""
        if self.owns(x):
            return x.data
        if not self.is_in(x):
            return ZERO
        return with_entries(type(x), {key: self.tangent(part) for key, part in fields(x).items()})

    def by_engine(self, primal, args: Args, options: Options) -> Any:
        """Call a function that the body was given along the tangents, as the engine does."""
        dots, values = tuple(map(self.tangent, args)), map(self.plain, args)
        return self.trace(*frule_via_ad(self.config, dots, primal, *values, **options))

    def run(self, primal, args: Args, options: Options) -> Any:
        """Run the forward rule of an operation."""
        dots = tuple(map(self.tangent, args))
        values = tuple(map(self.plain, args))
        return self.trace(*self.table.frule(dots, primal, *values, **options))


def jvp(
    level: Forward,
    function: Function,
    dots: tuple[Any, ...],
    args: Args,
    options: Options,
) -> tuple[Any, Any]:
    """Run a function at a level along tangents, and return its value and its tangent."""
    inputs = [level.trace(arg, dot) for arg, dot in zip(args, dots, strict=True)]
    result = function(*map(level.given, inputs), **options)
    return level.plain(result), level.tangent(result)
