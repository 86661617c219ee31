"""Operators on functions of one argument, as operators on functions of several."""

from functools import wraps as wraps_of_python
from typing import Any

from chainrules_py.annotations import Args, Function, Options


def unary_to_nary(unary_operator: Function) -> Function:
    """Make of an operator ``(f, x) -> result`` one that takes ``(f, argnum)`` and gives a function
    of all arguments of f.

    >>> @unary_to_nary
    ... def twice(f, x):
    ...     return f(f(x))
    >>> twice(lambda x, y: x - y, 1)(10.0, 3.0)
    3.0
    """

    @wraps_of_python(unary_operator)
    def nary_operator(fun: Function, argnum: Any = 0, *more, **options_of_it) -> Function:
        require_argnum(argnum)

        def nary_function(*args, **options):
            function, x = restricted(fun, argnum, args, options)
            return unary_operator(function, x, *more, **options_of_it)

        return named_by_autograd(nary_function, unary_operator.__name__, fun, argnum)

    return nary_operator


def require_argnum(argnum) -> None:
    """Raise where an argument is not named by its position."""
    positions = argnum if type(argnum) in (tuple, list) else [argnum]
    if not all(isinstance(position, int) for position in positions):
        raise TypeError(f"argnum={argnum!r} is no position; pass an int, or a tuple of such")


def restricted(fun: Function, argnum, args: Args, options: Options) -> tuple[Function, Any]:
    """A function of the chosen argument alone, or of a tuple of these, and the argument."""
    if type(argnum) is int and len(args) == 1 and argnum in (0, -1) and not options:
        return fun, args[0]
    is_one = isinstance(argnum, int)
    positions = [argnum] if is_one else list(argnum)

    def function(x):
        given = list(args)
        for position, value in zip(positions, [x] if is_one else x, strict=True):
            given[position] = value
        return fun(*given, **options)

    return function, args[argnum] if is_one else tuple([args[i] for i in positions])


def named_by_autograd(function: Function, operator: str, fun: Function, argnum) -> Function:
    """Give the result of an operator autograd's name for it."""
    name = getattr(fun, "__name__", "[unknown name]")
    function.__name__ = f"{operator}_of_{name}_wrt_argnum_{argnum}"
    function.__doc__ = f"{operator} of {name} with respect to argument number {argnum}."
    return function


def wraps(fun: Function, namestr: str = "{fun}", docstr: str = "{doc}", **names) -> Function:
    """Give a function the name and the docstring of another one, in these texts."""

    def wrap(function: Function) -> Function:
        name, doc = getattr(fun, "__name__", "[unknown name]"), getattr(fun, "__doc__", "")
        function.__name__ = namestr.format(fun=name, **names)
        function.__doc__ = docstr.format(fun=name, doc=doc, **names)
        return function

    return wrap
