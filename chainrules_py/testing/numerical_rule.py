"""`numerical_rule`: a rule by finite differences, until there is a real one.

It stands in the test kit, and is never chosen by itself: a rule that nobody wrote is an error in
this library, and no slow guess.
"""

import warnings
from typing import Any

import numpy as np

from chainrules_py.annotations import Function
from chainrules_py.errors import NotDifferentiableError
from chainrules_py.makers.declarations import primitive, traced_part
from chainrules_py.table.registry import RuleTable, default_rules
from chainrules_py.tangents import is_zero
from chainrules_py.testing.coordinates import Layout, tangent_at
from chainrules_py.testing.failures import UnsuitableCallError
from chainrules_py.testing.finite_differences import directional
from chainrules_py.values.identity import made_of, qualified_name
from chainrules_py.values.places import with_items_at


class NumericalRuleWarning(UserWarning):
    """A derivative came from finite differences: slow, with fewer digits, and of first order."""


def numerical_rule(function: Function, *, rules: RuleTable = default_rules) -> Function:
    """Differentiate a function by finite differences of its values, as a stopgap; return it as a
    primitive, which is what to call.

    Its first use warns. Forward it costs some ten calls of the function for each derivative, in
    reverse ten for each number among the arguments. It has no second derivatives.

    >>> import chainrules_tape, math
    >>> with warnings.catch_warnings(action="ignore"):
    ...     round(chainrules_tape.grad(numerical_rule(lambda x: math.lgamma(x)))(2.5), 9)
    0.703156641
    """
    primal = made_of(function) or function
    where = f"numerical_rule({qualified_name(primal)})"
    if any(rules.rules(primal)):
        got, instead = "it has rules", "call it as it is"
        raise UnsuitableCallError(
            where, got, instead, primal=primal, argument="function", value=function
        )
    warned: list[str] = []

    def warn() -> None:
        if not warned:
            warned.append(where)
            message = f"{where} is differentiated by finite differences; write a rule for it"
            warnings.warn(message, NumericalRuleWarning, stacklevel=3)

    def numerical_frule(dots: tuple[object, ...], *args: object, **options):
        warn()
        call, moved = _of_moved(where, primal, args, options, dots)
        point = tuple([args[k] for k in moved])
        found = directional(call, point, tuple([dots[k] for k in moved]))
        return found.output, found.require(where, primal).tangent()

    def numerical_rrule(*args: object, **options):
        warn()
        call, _ = _of_moved(where, primal, args, options)
        y = primal(*args, **options)
        inputs, outputs = Layout(args), Layout(y)
        point = inputs.vector(args)

        def numerical_pullback(y_bar) -> tuple[Any, ...]:
            seed = outputs.tangent_vector(y_bar)

            def weighted(values):
                return outputs.vector(call(values)) @ seed

            slopes = [
                directional(weighted, args, inputs.tangent(unit)).require(where, primal).value[0]
                for unit in np.eye(inputs.size)
            ]
            found = inputs.tangent(np.array([*slopes, *point[:0]]))
            return tuple([tangent_at(found, (place,)) for place in range(len(args))])

        return y, numerical_pullback

    rules.frule.register(primal)(numerical_frule)
    rules.rrule.register(primal)(numerical_rrule)
    return function if function is not primal else primitive(function)


def _of_moved(where: str, primal, args, options, dots=None) -> tuple[Function, list[int]]:
    """Return the function of the arguments that move, by default of all, and which these are."""
    if (traced := traced_part((*args, *options.values()))) is not None:
        got = f"an argument is a {type(traced).__name__}, as at second order"
        instead = "write a rule: differences of differences have no digits left"
        raise NotDifferentiableError(where, got, instead, primal=primal, argument=None)
    moved = [k for k in range(len(args)) if dots is None or not is_zero(dots[k])]

    def call(values) -> Any:
        return primal(*with_items_at(args, moved, values), **options)

    return call, moved
