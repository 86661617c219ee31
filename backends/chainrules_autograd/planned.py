"""Planned calls: their pullbacks and tangents as autograd's nodes want them.

They are calls of functions that we hand to autograd, and of rules that stand in its own tables,
where the value, `ans`, is known already. Calls without a plan, and cotangents that are boxes while
the arguments are none, go through `calls`.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from autograd.extend import JVPNode, VJPNode
from autograd.numpy.numpy_boxes import ArrayBox
from autograd.tracer import getval, new_box

from chainrules_autograd.boxes import (
    Mine,
    boxes_of_latest,
    is_box_or_array,
    is_differentiable,
    opened,
    out_of_boxes,
)
from chainrules_autograd.calls import evaluate_call, require_floating
from chainrules_autograd.differentiation import jvp, vjp
from chainrules_autograd.plans import FORWARD, REVERSE, Args, BoundRule, Options
from chainrules_autograd.translation import (
    autograd_cotangent,
    dense,
    other_convention,
    require_shape,
)
from chainrules_py import ZERO, RuleTable, default_rules
from chainrules_py.engines import FlatCall, FlatValue, made_of, planned, with_items_at

Vjp = Callable[[Any], Sequence[Any]]

new_node: Any = object.__new__
ARRAYS = frozenset({np.ndarray, ArrayBox})
PLAIN = frozenset({np.float64, float, int, bool, type(None)})


def call_on_boxes(primal, args: Args, options: Options, rules: RuleTable = default_rules) -> Any:
    """The value of a call of a function with a rule, in a box where boxes are among its arguments."""
    latest, mine = boxes_of_latest(args)
    if not mine:
        return call_outside(primal, args, options, rules)
    if options and not are_simple(options):
        return general_call(primal, args, options, rules)

    values, nodes = out_of_boxes(args, mine)
    found = None
    kind = type(nodes[0])
    if kind is VJPNode:
        require_floating(primal, nodes, [values[n] for n in mine])
        found = reverse(primal, mine, None, values, options, rules)
    elif kind is JVPNode:
        dots = [each.g for each in nodes]
        found = forward(primal, mine, dots, None, values, options, rules)
    if found is None:
        return constant(primal, args, options, rules)

    y, derivative = found
    node = new_node(kind)  # its `__init__` would ask autograd's tables for the derivative
    if kind is VJPNode:
        node.parents, node.vjp = nodes, derivative
    else:
        node.g = derivative
    return ArrayBox(y, latest, node) if type(y) in ARRAYS else new_box(y, latest, node)


def call_outside(primal, args: Args, options: Options, rules: RuleTable) -> Any:
    """The value of a call none of whose arguments is a box itself."""
    if options or not all(map(has_no_box, args)):
        return general_call(primal, args, options, rules)
    function = made_of(primal) or primal
    return function(*args)


def are_simple(options: Options) -> bool:
    """Tell whether options are numbers, names or None, which hold no boxes."""
    return all(isinstance(option, int | float | str | None) for option in options.values())


def general_call(primal, args: Args, options: Options, rules: RuleTable) -> Any:
    """The value of any call, with boxes anywhere among its arguments."""
    flat, leaves = FlatCall.of(primal, opened(args), opened(options), is_box_or_array, rules)
    value = evaluate_call(flat, leaves)
    return value.with_leaves(value.leaves)


def has_no_box(x) -> bool:
    """Tell whether a value is a number or an array of NumPy's, or a tuple of such, so that no box
    is in it.
    """
    if type(x) is np.ndarray:
        return bool(x.dtype != object)
    if type(x) is tuple:
        return all(map(has_no_box, x))
    return type(x) in PLAIN


def constant(primal, args: Args, options: Options, rules: RuleTable) -> Any:
    """The value of a function without derivative, in no box; others go through the general call."""
    rule = rules.rule_for("reverse", primal, tuple(map(type, args)))
    if rule is None or rule.differentiable or options:
        return general_call(primal, args, options, rules)
    return rules.rrule(primal, *map(getval, args))[0]


def reverse(
    primal, mine: Mine, ans, args: Args, options: Options, rules: RuleTable
) -> tuple[Any, Vjp] | None:
    """Return the value, and autograd's pullback to the arguments at `mine`; None without a plan.

    `ans` is the value where it is known, else None.
    """
    found = planned(rules, REVERSE[ans is not None], primal, args, options, mine)
    if found is None:
        return None
    rule, args, options = found
    if ans is not None:
        rule.tell(ans, args, options)
    y, pull = rule.run(*args, **options)
    if (type(y) not in ARRAYS or y.dtype.kind != "f") and not is_differentiable(y):
        rule.refuse()
        return None
    return y, partial(pulled_back, rule, pull, getattr(y, "shape", ()), args, options)


def pulled_back(
    rule: BoundRule, pull, shape: tuple[int, ...], args: Args, options: Options, g
) -> Sequence[Any]:
    """Return the cotangents of the arguments, at that of the value, in autograd's convention."""
    cls = type(g)
    if cls is ArrayBox and not rule.nested:
        return general_reverse(rule.primal, rule.needed, args, options, rule.table)(g)
    # only complex cotangents differ between autograd's convention and ours
    if cls not in ARRAYS or g.dtype.kind != "f" or g.shape != shape:
        require_shape(g, shape, rule.primal)
        g = other_convention(g)
    bars, mine = pull(g), rule.needed
    if len(mine) != 1:
        return [autograd_cotangent(bars[n], args[n]) for n in mine]
    (n,) = mine
    bar = bars[n]
    if type(bar) in ARRAYS and bar.dtype.kind == "f":
        return (bar,)
    return (autograd_cotangent(bar, args[n]),)


def forward(
    primal,
    mine: Mine,
    gs: Sequence[Any],
    ans,
    args: Args,
    options: Options,
    rules: RuleTable,
) -> tuple[Any, Any] | None:
    """Return the value, and its tangent along those at `mine`; None without a plan.

    `ans` is the value where it is known, else None.
    """
    found = planned(rules, FORWARD[ans is not None], primal, args, options, mine)
    if found is None:
        return None
    rule, args, options = found
    if not rule.nested and ArrayBox in map(type, gs):
        return None
    dots = [ZERO] * len(args)
    for n, g in zip(mine, gs, strict=True):
        dots[n] = g
    if ans is not None:
        rule.tell(ans, args, options)
    y, y_dot = rule.run(tuple(dots), *args, **options)
    if (type(y) not in ARRAYS or y.dtype.kind != "f") and not is_differentiable(y):
        rule.refuse()
        return None
    return y, y_dot if type(y_dot) in ARRAYS else dense(y_dot, y)


# Calls without a plan: autograd differentiates what it sees of the general call


def general_reverse(primal, mine: Mine, args: Args, options: Options, rules: RuleTable) -> Vjp:
    """Autograd's pullback, of any call."""
    function, values = of_mine(primal, mine, args, options, rules)
    y, pullback = vjp(function, *values)
    flat = FlatValue.of(opened(y))

    def general_pullback(g) -> Sequence[Any]:
        seeds = [g] if len(flat.leaves) == 1 else FlatValue.of(opened(g)).leaves
        bars = pullback(flat.tangent(list(map(other_convention, seeds))))
        return list(map(autograd_cotangent, bars, values))

    return general_pullback


def general_forward(
    primal, mine: Mine, gs: Sequence[Any], args: Args, options: Options, rules: RuleTable
) -> Any:
    """The tangent of the value, of any call."""
    function, values = of_mine(primal, mine, args, options, rules)
    return jvp(function, tuple(values), tuple(gs))[1]


def of_mine(
    primal, mine: Mine, args: Args, options: Options, rules: RuleTable
) -> tuple[Callable[..., Any], list[Any]]:
    """A call as a function of the arguments at `mine`, and these."""

    def function(*values) -> Any:
        return general_call(primal, tuple(with_items_at(args, mine, values)), options, rules)

    return function, [args[n] for n in mine]
