"""SciPy's functions of one array for many examples at once, by the options that say where they run.

A function that runs along axes leaves others alone. So it computes all lanes in one call, if its
options are those of an array with one more axis in front: axes are counted from the end, and sizes
that are given for each axis have one more. `lanes_first` declares what becomes of the options. The
adjoint that is declared beside a function (`linear_pairs`) has the same options, and the same
becomes of them.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from chainrules_py import batched
from chainrules_py.batching.along_axes import Mixes, from_the_end
from chainrules_py.batching.lanes import Lanes, Same
from chainrules_py.batching.loop import looped
from chainrules_py.batching.words import Axes
from chainrules_py.rulesets.scipy.lanes_last import WITH_COLUMNS, with_lanes_last
from chainrules_py.rulesets.scipy.linear_pairs import transposed
from chainrules_py.values.arrays import call
from chainrules_py.values.signatures import signature_of

Given = dict[str, Any]
# the options of a call with lanes, given those of one example and the rank of its argument; None
# for a loop
Change = Callable[[Given, int], Given | None]

CHANGES: dict[Any, Change] = {}


def lanes_first(
    *primals,
    change: Change | None = None,
    same: tuple[int, ...] = (),
    axes: Axes | None = None,
) -> None:
    """Declare functions of one array whose options change so for lanes; without, by their `axis`.

    The results at the positions `same` are those of all examples. `axes` is the word for what the
    functions do with axes; what has an `axis`, and one result, mixes the entries along that.
    """
    for primal in primals:
        default = default_of(primal, "axis")
        own = change or partial(axis_from_the_end, default)
        word = Mixes(default=default) if change is None and not same else axes
        CHANGES[primal] = own
        declare(primal, own, same, word)


def declare(primal, change: Change, same: tuple[int, ...], axes: Axes | None) -> None:
    """Register the rule for batching of one function."""

    @batched.register(primal, axes=axes)
    def lanes_first_batched(lanes: Lanes, *args: object, **options):
        x: Any = args[0]
        changed = None
        if lanes[0] is True and not any(lanes[1:]) and x.ndim > 1 and x.shape[0]:
            changed = change(options, x.ndim - 1)
        if changed is None:
            return looped(partial(call, primal), lanes, args, options)
        y = call(primal, x, *args[1:], **changed)
        return marked(y, same) if same else y


def marked(results: tuple[Any, ...], same: tuple[int, ...]) -> tuple[Any, ...]:
    """The results, of which some are the same in all lanes."""
    return tuple([Same(y) if number in same else y for number, y in enumerate(results)])


def default_of(function, name: str) -> Any:
    """The default of an option of a function; None where there is no such option."""
    known = signature_of(function).parameters.get(name)
    return None if known is None or known.default is known.empty else known.default


def axis_from_the_end(default: int, options: Given, rank: int) -> Given:
    """The option `axis`, counted from the end."""
    return {**options, "axis": from_the_end(options.get("axis", default), rank)}


def axes_from_the_end(default, options: Given, rank: int) -> Given:
    """The option `axes`, counted from the end; None stands for all of them."""
    axes = options.get("axes", default)
    own = list(axes) if isinstance(axes, list | np.ndarray) else axes
    return {**options, "axes": from_the_end(tuple(own) if type(own) is list else own, rank)}


def along_the_last(options: Given, rank: int) -> Given:
    """The options of a function that runs along the last axis, as they are."""
    return options


def with_first(options: Given, rank: int, **first) -> Given:
    """The options, with a value for the lanes in front of those that are given for each axis.

    A value for all axes is one for each first.
    """
    changed = dict(options)
    for name, value in first.items():
        if name in options:
            own = options[name]
            changed[name] = (value, *([own] * rank if np.ndim(own) == 0 else own))
    return changed


@batched.register(transposed)
def transposed_batched(lanes: Lanes, y_bar: object, *, of, shape, dtype, options: Given):
    """The adjoint of a function that is called with lanes first, or with lanes as columns."""
    count = getattr(y_bar, "shape", (0,))[0]
    if of in WITH_COLUMNS and count:
        given = {"of": of, "shape": (*shape, count), "dtype": dtype, "options": options}
        return with_lanes_last(partial(transposed, **given), y_bar)
    changed = CHANGES[of](options, len(shape)) if of in CHANGES and count and shape else None
    if changed is None:
        given = {"of": of, "shape": shape, "dtype": dtype, "options": options}
        return looped(transposed, lanes, (y_bar,), given)
    whole = (count, *shape)
    return transposed(y_bar, of=of, shape=whole, dtype=dtype, options=changed)
