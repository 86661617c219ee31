"""Names that programs import from `autograd.core`.

A `primitive` from here has methods for its rules, which autograd has deprecated since 1.2:
``f.defgrad(maker, argnum)``, ``f.defvjp(pull, argnum)`` and ``f.defvjp_is_zero(argnums)``.
"""

import warnings
from typing import Any

from chainrules_tape.autograd import extend
from chainrules_tape.autograd.boxes import Box as Box, getval as getval, isbox as isbox
from chainrules_tape.autograd.differential_operators import (
    make_jvp_of_one as make_jvp,
    make_vjp_of_one as make_vjp,
)
from chainrules_tape.autograd.extend import (
    VSpace as VSpace,
    def_linear as def_linear,
    defjvp as defjvp,
    defjvp_argnum as defjvp_argnum,
    defjvp_argnums as defjvp_argnums,
    defvjp as defvjp,
    defvjp_argnum as defvjp_argnum,
    defvjp_argnums as defvjp_argnums,
    vspace as vspace,
)

__all__ = ["make_jvp", "make_vjp"]


def primitive(fun: extend.Function) -> Any:
    """Make a function one operation, with methods that define its pullbacks.

    >>> from chainrules_tape.autograd import grad
    >>> @primitive
    ... def square(x):
    ...     return x * x
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     square.defgrad(lambda y, x: lambda y_bar: y_bar * 2 * x)
    >>> grad(square)(3.0)
    6.0
    """
    made: Any = extend.primitive(fun)
    makers: dict[int, extend.Maker] = {}

    def define(method: str, added: dict[int, extend.Maker]) -> None:
        message = f"{extend.name_of(fun)}.{method} is deprecated; call defvjp of autograd.extend"
        warnings.warn(message, DeprecationWarning, stacklevel=3)
        if not makers:
            extend.rule_of_makers(made, makers)
        makers.update(added)

    def defgrad(maker: extend.Function, argnum: int = 0) -> None:
        define("defgrad", {argnum: maker})

    def defvjp(pull: extend.Function, argnum: int = 0) -> None:
        def maker(y, *args, **options) -> extend.Function:
            space = vspace(args[argnum])
            return lambda y_bar: pull(y_bar, y, space, vspace(y_bar), *args, **options)

        define("defvjp", {argnum: maker})

    def defvjp_is_zero(argnums: Any = (0,)) -> None:
        define("defvjp_is_zero", dict.fromkeys(argnums))

    if made is not fun:  # a ufunc has its rules
        made.defgrad, made.defvjp, made.defvjp_is_zero = defgrad, defvjp, defvjp_is_zero
    return made
