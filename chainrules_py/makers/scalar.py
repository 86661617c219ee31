"""`scalar_rule` makes both rules of an elementwise function from its partial derivatives.

    scalar_rule(np.arctan2, "y, x", "x / (x*x + y*y)", "-y / (x*x + y*y)")

The model. For one pattern of argument kinds, needs and array library, `scalar_reverse` and
`scalar_forward` write the straight-line Python that a careful person would write for that pattern:
it calls the primal, keeps the values that the needed expressions mention and the shapes of the
rest, and multiplies. Three things can be different from the plain real case, and each is found by a
comparison or two, then handled off the fast path:

* the cotangent is a Python number, a thunk, ZERO, or of another float dtype: `admit`;
* the product is of another shape or dtype than its argument, which was broadcast: `fit`;
* the output is complex: the same source with every partial conjugated. A real output of complex
  arguments has a gradient where a real one has a partial: f' along z_dot is
  Re(conj(gradient) * z_dot), and its pullback multiplies by the gradient.

`singular=True` says that a partial can be infinite where the function is still used (sqrt at 0):
products are then strong, a zero cotangent stays zero (`strong_product`). `selects=True` says that a
partial is the weight with which an argument is selected: what is not selected has a derivative of
zero, whatever its tangent or the cotangent is, nan too (`selected_product`).
"""

import ast
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from chainrules_py.annotations import Function
from chainrules_py.introspection import caller_location
from chainrules_py.makers.definition import (
    Definition,
    Partial,
    PartialFunction,
    Pattern,
    ScalarForm,
    specialised,
)
from chainrules_py.makers.expressions import Expression
from chainrules_py.makers.scalar_reverse import write_reverse
from chainrules_py.makers.scalar_source import write_partials
from chainrules_py.makers.skeleton import both_rules
from chainrules_py.rules.rule import Rule, require_callable
from chainrules_py.table.registry import RuleTable, default_rules
from chainrules_py.tangents import AbstractZero
from chainrules_py.values.arrays import Array, Scalar, library_of_types


def scalar_rule(
    primal: Any,
    arguments: str,
    *partials: Any,
    singular: bool = False,
    selects: bool = False,
    names: dict[str, Any] | None = None,
    types: Sequence[Any] | None = None,
    table: RuleTable = default_rules,
) -> None:
    """Register both rules of an elementwise function from one partial derivative per argument.

    With several outputs, one tuple of partials per output. A partial may also be a function of some
    of the arguments and `out` (found by parameter name), `ZERO`, `NO_TANGENT`, or
    `not_implemented(...)`. Names in expressions are NumPy's mathematical functions; `names` adds
    others, each a canonical function such as `scipy.special.erf`. `types` narrows the classes it dispatches
    on from any array or number. `singular=True` keeps a zero cotangent or tangent zero where a
    partial is infinite or nan. `selects=True` says that a partial is the weight with which an
    argument is selected: what is not selected has a derivative of zero, even if the seed is nan.

    >>> import numpy as np
    >>> from chainrules_py import rrule
    >>> def cube(x):
    ...     return x**3
    >>> scalar_rule(cube, "x", "3 * x**2")
    >>> y, pullback = rrule(cube, np.array([1.0, 2.0]))
    >>> pullback(np.ones(2))
    (array([ 3., 12.]),)
    """
    where = caller_location(1)

    def make_rules() -> Iterator[Rule]:
        require_callable(primal, None, f"scalar_rule at {where}")
        definition = Definition(primal, where, names or {})
        given = definition.arguments(arguments)
        form = ScalarForm(
            primal, given, definition.partials(given, partials), singular, where, selects, {}
        )
        described = Rule(
            mode="reverse",
            primal=primal,
            types=(Array | Scalar,) * len(given) if types is None else tuple(types),
            names=given,
            function=None,
            options=frozenset(),
            partials=partial(evaluate, form),
            written_partials=partial(written_partials, form),
            checks_seed=True,
            where=where,
        )
        return both_rules(
            described,
            partial(specialised, write_reverse, form),
            partial(specialised, write_in_forward_mode, form),
            elementwise=True,
            constants=[i for i in range(len(given)) if form.is_constant(i)],
        )

    table.declare(primal, make_rules)


def write_in_forward_mode(form: ScalarForm, pattern: Pattern) -> Function:
    """Compile the forward rule for one pattern; most programs have none in this mode."""
    from chainrules_py.makers.scalar_forward import write_forward

    return write_forward(form, pattern)


def evaluate(form: ScalarForm, out, *args) -> tuple[Any, ...]:
    """Compute the partials, one per argument; with several outputs one tuple for each of these."""
    outputs = out if isinstance(out, tuple) else (out,)
    library = library_of_types(map(type, (*args, *outputs)))
    needs = (True,) * len(args)
    function = specialised(write_partials, form, tuple(map(type, args)), needs, library)
    values: tuple[tuple[Any, ...], ...] = function(out, *args)
    return values if len(form.partials) > 1 else values[0]


def written_partials(form: ScalarForm) -> tuple[tuple[Any, ...], ...]:
    """List the partials as their author wrote them, a row of them per output: an expression with the
    functions that it calls, or a function.
    """
    return tuple(tuple(map(_as_written, row)) for row in form.partials)


def _as_written(partial: Partial):
    if isinstance(partial, Expression):
        return partial.tree, partial.functions
    if isinstance(partial, PartialFunction):
        return partial.function
    return (ast.Constant(0), {}) if isinstance(partial, AbstractZero) else partial
