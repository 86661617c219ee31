"""Taylor coefficients and higher derivatives along a direction, by one run of a function on series
(`series.level`).
"""

from math import factorial
from typing import Any

from chainrules_py.annotations import Function
from chainrules_py.engines.compilers import entry_point
from chainrules_py.errors import OptionError
from chainrules_py.strong_zeros.strictness import watching
from chainrules_py.table.registry import RuleTable, default_rules
from chainrules_py.tangents.plain_containers import tangent_of_ones
from chainrules_py.values.identity import qualified_name
from chainrules_tape.arguments import own_leaf, raise_without_numbers, refuse_integers_in_lists
from chainrules_tape.core.config import engine_of
from chainrules_tape.core.tracebacks import without_own_frames
from chainrules_tape.core.trees import TreeSpace, as_constant, flatten, unshared
from chainrules_tape.core.values import is_differentiable
from chainrules_tape.gradients import dense
from chainrules_tape.refusals.subclasses import refuse_other_arrays
from chainrules_tape.series.level import Series, expand


@entry_point
@without_own_frames
def taylor(
    function: Function,
    x: Any,
    order: int,
    direction: Any = None,
    *,
    rules: RuleTable = default_rules,
) -> list[Any]:
    """The Taylor coefficients of ``t -> f(x + t * direction)`` at 0, from t**0 to t**order.

    Each coefficient has the structure of f's result. The direction has the structure of x; if none
    is given, it is one in each entry, so that the coefficients of an elementwise function are those
    of its entries.

    >>> taylor(np.exp, 0.0, 3)
    [np.float64(1.0), np.float64(1.0), np.float64(0.5), np.float64(0.16666666666666666)]
    >>> taylor(lambda x: np.sum(x**2), np.array([1.0, 2.0]), 2, direction=np.array([0.0, 3.0]))
    [np.float64(5.0), np.float64(12.0), np.float64(9.0)]
    """
    require_order(function, order)
    leaves, rebuilt = flatten((x,))
    refuse_other_arrays(function, leaves)
    if not any(map(is_differentiable, leaves)):
        raise_without_numbers(f"taylor({qualified_name(function)})", function, leaves)
    if direction is None:
        refuse_integers_in_lists(function, (x,))
        direction = tangent_of_ones(as_constant(x))
    directions = TreeSpace(leaves, rebuilt).leaves((direction,), function)
    level = Series(engine_of(rules))
    level.given = leaves, []
    series, made = watching(
        expand,
        level,
        function,
        list(map(own_leaf, leaves)),
        directions,
        rebuilt,
        order,
    )
    # of each order, the coefficients of all leaves of the result
    values, *others = [[each[k] for each in series] for k in range(order + 1)]
    coefficients = [dense(coefficient, values) for coefficient in others]
    return [made(unshared(values)), *map(made, coefficients)]


@entry_point
@without_own_frames
def higher_derivatives(
    function: Function,
    x: Any,
    order: int,
    direction: Any = None,
    *,
    rules: RuleTable = default_rules,
) -> list[Any]:
    """The derivatives of ``t -> f(x + t * direction)`` at 0, from the value to that of an order.

    They are the coefficients of `taylor`, each times the factorial of its order.

    >>> higher_derivatives(np.exp, 0.0, 3)
    [np.float64(1.0), np.float64(1.0), np.float64(1.0), np.float64(1.0)]
    """
    value, *coefficients = taylor(function, x, order, direction, rules=rules)
    return [value, *(scaled_numbers(c, factorial(k)) for k, c in enumerate(coefficients, 1))]


def scaled_numbers(tree, factor: int) -> Any:
    """Multiply the numbers of a tree."""
    leaves, rebuilt = flatten(tree)
    return rebuilt([leaf * float(factor) if is_differentiable(leaf) else leaf for leaf in leaves])


def require_order(function: Function, order) -> None:
    """Raise for an order that is no number of derivatives."""
    if isinstance(order, int) and not isinstance(order, bool) and order >= 0:
        return
    where = f"taylor({qualified_name(function)})"
    instead = "give the order of the last coefficient, an integer from 0 on"
    raise OptionError(
        where, f"got order={order!r}", instead, primal=function, option="order", value=order
    )
