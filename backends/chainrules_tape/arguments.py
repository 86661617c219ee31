"""Which arguments of a function are differentiated: by position, by name, or passed by keyword."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, NoReturn

import numpy as np

from chainrules_py.annotations import Args, Function, Options
from chainrules_py.tangents import ZERO
from chainrules_py.values.identity import qualified_name
from chainrules_py.values.signatures import parameters_of
from chainrules_py.values.structure import is_structural
from chainrules_tape.core.following import see_questions_in
from chainrules_tape.core.tracing import Leaves
from chainrules_tape.core.trees import as_constant, flatten
from chainrules_tape.core.values import is_differentiable
from chainrules_tape.overwriting.arguments import copied_leaf
from chainrules_tape.refusals.errors import InputError
from chainrules_tape.refusals.handles import TracedArray

Argument = int | str  # by position, or by name
Arguments = Argument | Sequence[Argument]
NAMES = (int, str, np.integer)  # classes of what names an argument
POSITIONS = frozenset({int})


def require_argnums(name: str, function: Function, argnums) -> None:
    """Raise where somebody passes the point in the place of `argnums`."""
    if isinstance(argnums, NAMES):
        return
    if not is_several(argnums) or not all(isinstance(each, NAMES) for each in argnums):
        where, got = f"{name}({qualified_name(function)}, ...)", f"argnums={argnums!r}"
        instead = f"write {name}(f)(x); argnums names arguments, by position or by name"
        raise InputError(where, got, instead, function=function, argument=argnums, value=argnums)


def restricted_to(
    function: Function,
    chosen: Sequence[Argument],
    args: Args,
    options: Options,
    *,
    runs_often: bool = False,
) -> Function:
    """Make the function of some of its arguments, the others being constants.

    What `runs_often` gets copies of them in each run, and may write into these.
    """
    constants = [None if k in chosen else as_constant(arg) for k, arg in enumerate(args)]
    constant_options = {k: None if k in chosen else as_constant(arg) for k, arg in options.items()}

    def restricted(*some):
        all_args, all_options = constants.copy(), constant_options.copy()
        if runs_often:
            all_args = list(map(own_copy, all_args))
            all_options = {name: own_copy(option) for name, option in all_options.items()}
        for key, arg in zip(chosen, some, strict=True):
            if isinstance(key, int):
                all_args[key] = arg
            else:
                all_options[key] = arg
        return function(*all_args, **all_options)

    others = [*constants, *constant_options.values()]
    restricted.constants = [x for x in others if x is not None]  # type: ignore[attr-defined]
    return restricted


def own_copy(tree) -> Any:
    """An argument with copies of its arrays, into which a run of a function may write."""
    leaves, rebuilt = flatten(tree)
    return rebuilt(list(map(own_leaf, leaves)))


def own_leaf(leaf) -> Any:
    """A leaf that nobody else writes into, nor reads."""
    return leaf.resolved() if issubclass(type(leaf), TracedArray) else copied_leaf(leaf)


def own_constants(leaves: list[Any], dots: list[Any]) -> list[Any]:
    """The leaves of an argument, those without a tangent copied: a first write copies the others."""
    return [own_leaf(x) if dot is ZERO else x for x, dot in zip(leaves, dots, strict=True)]


def is_several(argnums: Arguments) -> bool:
    """Whether arguments are named one by one, so that there is a gradient for each."""
    return isinstance(argnums, tuple | list)


def chosen_arguments(
    function: Function, argnums: Arguments, args: Args, options: Options
) -> tuple[tuple[Argument, ...], tuple[Any, ...]]:
    """The positions of the arguments that `argnums` names, or the names of those that were passed by
    keyword; and these arguments.
    """
    see_questions_in((*args, *options.values()))
    asked: Any = argnums if is_several(argnums) else (argnums,)
    are_positions = POSITIONS.issuperset(map(type, asked))
    if are_positions and all(map(range(len(args)).__contains__, asked)):
        chosen = tuple(asked)
    else:
        chosen = tuple([chosen_argument(function, one, args, options) for one in asked])
    if len(set(chosen)) < len(chosen):
        where = f"a derivative of {qualified_name(function)}"
        got = f"argnums={argnums}, which names an argument twice"
        instead = "name each argument once"
        raise InputError(where, got, instead, function=function, argument=chosen[0], value=args)
    return chosen, tuple([args[key] if isinstance(key, int) else options[key] for key in chosen])


def chosen_argument(function: Function, asked: Argument, args: Args, options: Options) -> Argument:
    """The position of one argument, or its name where it was passed by keyword; InputError where it
    was not passed.
    """
    as_index: Any = getattr(asked, "__index__", None)
    position: int | None = None if as_index is None else as_index()
    if position is not None and -len(args) <= position < len(args):
        return position % len(args)
    if isinstance(asked, str) and asked in options:
        return asked
    names = positional_names(function)
    if isinstance(asked, str) and asked in names[: len(args)]:
        return names.index(asked)
    if position is not None and 0 <= position < len(names) and names[position] in options:
        return names[position]
    where = f"a derivative of {qualified_name(function)}"
    got = f"argnums={asked!r}, {len(args)} positional arguments and the keywords {list(options)}"
    instead = "name an argument that the call passes, by its position or by its name"
    raise InputError(where, got, instead, function=function, argument=asked, value=args)


def positional_names(function: Function) -> list[str]:
    """The names of a function's positional parameters; none where Python cannot tell."""
    try:
        return [*parameters_of(function).positional]
    except (TypeError, ValueError):
        return []


def require_active_arguments(
    function: Function, inputs: Leaves, chosen: Sequence[Argument]
) -> None:
    """Raise where nothing in the arguments can be differentiated, or where an integer stands among
    floats in a list.
    """
    refuse_integers_in_lists(function, inputs.rebuilt(inputs.values), chosen)
    if any(slot is not None for slot in inputs.slots):
        return
    raise_without_numbers(f"grad({qualified_name(function)})", function, inputs.values)


def raise_without_numbers(where: str, function: Function, values: list[Any]) -> NoReturn:
    """Raise: nothing in the arguments can be differentiated."""
    got = f"arguments without real or complex numbers: {values!r}"
    objects = [x for x in values if is_structural(x) or isinstance(x, type)]
    instead = advice_for(objects[0]) if objects else "pass floats: integers have no tangent"
    raise InputError(where, got, instead, function=function, argument=0, value=values)


def advice_for(x) -> str:
    """What to write for an object whose fields are not differentiated."""
    if isinstance(x, type):  # since Python 3.13 a class method binds functions alone
        return "differentiate the class method that is bound, grad(cls.method)"
    if isinstance(x, partial):
        return "pass what the partial holds as arguments"
    if hasattr(type(x), "__array_namespace__"):
        return f"let its library's arrays in by chainrules_array_api.join({type(x).__qualname__})"
    return f"mark the class {type(x).__qualname__} with @chainrules_tape.container"


def refuse_integers_in_lists(
    function: Function, points: Sequence[Any], chosen: Sequence[Argument] | None = None
) -> None:
    """Raise where an argument is, or contains, a list of floats and integers, which would get no
    derivative.

    `chosen` says which arguments these are, if not the first ones. In tuples, dicts and objects an
    integer beside floats is a constant, as a number of steps beside a rate is.
    """
    for argument, point in zip(chosen or range(len(points)), points, strict=True):
        for path, number in integers_among_floats(point):
            where = f"a derivative of {qualified_name(function)}"
            place = f"x{path}, where x is argument {argument!r}"
            got = (
                f"the integer {number} in a list with floats, at {place}: integers have no tangent"
            )
            instead = f"write {float(number)}, or put what is constant into another argument"
            raise InputError(
                where, got, instead, function=function, argument=argument, value=number
            )


def integers_among_floats(tree) -> Iterator[tuple[str, Any]]:
    """The integers in lists of numbers that have floats beside them, each with the path to it."""
    if isinstance(tree, dict):
        parts = {f"[{key!r}]": part for key, part in tree.items()}
    elif isinstance(tree, list | tuple):
        parts = {f"[{index}]": part for index, part in enumerate(tree)}
    else:
        return
    if type(tree) is list and all(map(is_number, tree)) and any(map(is_differentiable, tree)):
        yield from ((path, part) for path, part in parts.items() if is_integer(part))
    for path, part in parts.items():
        yield from ((path + inner, number) for inner, number in integers_among_floats(part))


def is_integer(x) -> bool:
    """Whether a value is one whole number, of Python's or of NumPy's; a bool is none."""
    if isinstance(x, np.ndarray | np.generic):
        return x.ndim == 0 and x.dtype.kind in "iu"
    return isinstance(x, int) and not isinstance(x, bool)


def is_number(x) -> bool:
    """Whether a value is one real or complex number."""
    return is_integer(x) or (is_differentiable(x) and np.ndim(x) == 0)
