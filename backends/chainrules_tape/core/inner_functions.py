"""Functions that a rule was given, differentiated for it in either mode: what `config` offers, and
checkpoints use.
"""

from typing import Any

from chainrules_py.annotations import Args, Function, Options
from chainrules_py.errors import NotDifferentiableError, said_by
from chainrules_py.strong_zeros.strictness import watching
from chainrules_py.tangents import NO_TANGENT, AbstractZero
from chainrules_py.tangents.plain_containers import as_plain_container, as_tangent
from chainrules_py.values.identity import qualified_name
from chainrules_tape.core.duals import Pushforward, trace_forward
from chainrules_tape.core.tape import Tape
from chainrules_tape.core.tracing import cotangents, trace
from chainrules_tape.core.trees import TreeSpace, flatten
from chainrules_tape.core.values import is_differentiable
from chainrules_tape.refusals.errors import InPlaceError
from chainrules_tape.refusals.handles import TracedArray, plain
from chainrules_tape.refusals.subclasses import refuse_other_arrays


def rrule_of(tape: Tape, function: Function, args: Args, options: Options) -> tuple[Any, Function]:
    """Return the value and the pullback of a function, for a rule."""
    inputs, outputs, recording = watching(
        trace, tape, refusing_in_place(function), args, options, keep=False, of=function
    )
    space = TreeSpace(outputs.values, outputs.rebuilt)

    def pullback(y_bar) -> tuple[Any, ...]:
        seeds = space.leaves(y_bar, function)
        bars = watching(cotangents, inputs, recording.copy(), seeds, outputs.slots)
        none = [
            bar if is_differentiable(x) else NO_TANGENT
            for bar, x in zip(bars, inputs.values, strict=True)
        ]
        return tuple(map(as_tangent, inputs.rebuilt(none)))

    return outputs.rebuilt(outputs.values), pullback


def frule_of(
    level: Pushforward,
    dots: tuple[Any, ...],
    function: Function,
    args: Args,
    options: Options,
) -> tuple[Any, Any]:
    """Return the value and the tangent of a function, for a rule."""
    dense = tuple(
        dot if isinstance(dot, AbstractZero) else as_plain_container(dot, arg)
        for dot, arg in zip(dots, args, strict=True)
    )
    leaves, rebuilt = flatten(args)
    given = TreeSpace(leaves, rebuilt).leaves(dense, function)
    inner = refusing_in_place(function)
    refuse_other_arrays(function, leaves)
    values, found, made = watching(
        trace_forward, level, lambda *some: inner(*some, **options), leaves, given, rebuilt
    )
    return made(values), as_tangent(made(found))


def refusing_in_place(function: Function) -> Function:
    """Make a function that raises where it writes into its arguments: the arrays outside, which
    should see that, are other handles.
    """

    def inner(*args, **options) -> Any:
        given = [(leaf, plain(leaf)) for leaf in flatten(args)[0] if isinstance(leaf, TracedArray)]
        y = function(*args, **options)
        refuse_writes(function, given)
        refuse_made_objects(function, y)
        return y

    return inner


def refuse_made_objects(function: Function, y) -> None:
    """Raise where a result is a stand-in of SciPy's objects: nobody finds traced values in it."""
    for leaf in flatten(y)[0]:
        if hasattr(type(leaf), "made_by"):
            got = f"a {type(leaf).__name__} as the result of a function that is run on its own"
            instead = "call its methods inside of the checkpoint, and return arrays"
            name = qualified_name(function)
            raise NotDifferentiableError(name, got, instead, primal=function, argument="y")


def refuse_writes(function: Function, own: list[tuple[Any, Any]]) -> None:
    """Raise where the value of an argument is not the one any more with which it was traced."""
    for handle, value in own:
        if plain(handle) is not value:
            raise written_argument(function, handle)


# what NumPy says of a write into a read-only array: most functions, `dot`, and random generators
_READ_ONLY = ("read-only", "output array is not acceptable", "must be contiguous, writable")


def is_refused_write(error: ValueError) -> bool:
    """Whether NumPy refused to write into an array that is read-only."""
    said = said_by(error)
    return any(words in said for words in _READ_ONLY)


def written_argument(function: Function, value) -> InPlaceError:
    """Make the error for a function that is differentiated, and wrote into an argument."""
    got = "a write into an argument, in a function that another function or checkpoint calls"
    return InPlaceError(
        qualified_name(function),
        got,
        "write into a copy: x = x.copy()",
        operation=function,
        value=value,
    )
