"""Put tangents in the order of a call's canonical arguments, and cotangents back into that of the
arguments as they were written.

Aliases swap, pack and check arguments, and look at shapes for that; so they are given the arguments
and nothing else. Then an argument is recognised by its identity, for which no two that have
tangents may be one object.
"""

import copy
from collections.abc import Collection, Iterator
from functools import partial
from typing import Any, NoReturn

from chainrules_py.annotations import Args, Options
from chainrules_py.errors import OptionError
from chainrules_py.tangents import NO_TANGENT, AbstractZero
from chainrules_py.values.identity import qualified_name


def as_distinct_objects(primal, args: Args, options: Options, moving: Collection[int]) -> Args:
    """Copy arguments that move and that the call has twice, so that identity tells them apart."""
    ids = list(map(id, (*args, *options.values(), *held_by(primal))))
    if len(set(ids)) == len(ids):
        return args
    return tuple(
        copy_of(arg) if index in moving and ids.count(id(arg)) > 1 else arg
        for index, arg in enumerate(args)
    )


def held_by(primal) -> Iterator[Any]:
    """List what a callable brings into a call: what is bound to it, and itself."""
    while isinstance(primal, partial):
        yield from (*primal.args, *primal.keywords.values())
        primal = primal.func
    yield from (primal, getattr(primal, "__self__", None))


def copy_of(x) -> Any:
    """Make another object with the same value; of numbers by negating twice."""
    if not isinstance(x, float | complex) and not hasattr(x, "dtype"):
        return copy.copy(x)
    negative = -x
    return -negative


def rearranged(dots: Args, args: Args, primal, arranged: Args, options: Options) -> Args:
    """Return the tangents of canonical arguments: NO_TANGENT for those that the call lacks.

    Raises for a tangent of what has become an option, or something else.
    """
    waiting = {id(arg): (arg, dot) for arg, dot in zip(args, dots, strict=True)}
    found = tuple([waiting.pop(id(arg), (arg, NO_TANGENT))[1] for arg in arranged])
    for arg, dot in waiting.values():
        if not isinstance(dot, AbstractZero):
            names = [name for name, value in options.items() if value is arg]
            _refuse_tangent(primal, names[0] if names else None, arg, dot)
    return found


def places_of(args: Args, arranged: Args) -> list[int | None]:
    """Find the place of each argument as it was written among those of the canonical call."""
    waiting: dict[int, list[int]] = {}
    for place, arg in enumerate(arranged):
        waiting.setdefault(id(arg), []).append(place)
    found = [waiting.get(id(arg)) for arg in args]
    return [places.pop(0) if places else None for places in found]


def _refuse_tangent(primal, option: str | None, value, dot) -> NoReturn:
    what = "an argument that the call rewrites" if option is None else f"the option {option!r}"
    raise OptionError(
        f"frule({qualified_name(primal)})",
        f"got the tangent {dot!r} for {what}, which the rule does not differentiate",
        "pass NO_TANGENT for it",
        primal=primal,
        option=option,
        value=value,
    )
