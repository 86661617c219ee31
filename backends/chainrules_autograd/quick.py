"""Calls with arrays and numbers by position: the pullback and the tangent as autograd's nodes want them.

They are for functions that we hand to autograd and for rules that stand in its own tables, where the value, `ans`, is known
already. Calls without a plan, and cotangents that are boxes while the arguments are none, go the general way of `calls`.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from autograd.extend import JVPNode, VJPNode
from autograd.numpy.numpy_boxes import ArrayBox
from autograd.tracer import box_types, getval, new_box

from chainrules_autograd.boxes import is_array, is_differentiable, opened
from chainrules_autograd.calls import autograd_pullback, frule_of, recorded, rrule_of
from chainrules_autograd.plans import Args, Options, plan_for
from chainrules_autograd.translation import autograd_cotangent, dense, other_convention, require_shape
from chainrules_py import ZERO, OptionError, RuleTable
from chainrules_py.engines import FlatCall, FlatValue, made_of, qualified_name

Mine = tuple[int, ...]
Vjp = Callable[[Any], Sequence[Any]]


def quick_call(primal: Any, args: Args, options: Options, rules: RuleTable) -> Any:
    """The value of a call in a box; NotImplemented where the call has no plan."""
    latest: int = -1
    mine: Mine = ()
    for n, arg in enumerate(args):
        if type(arg) in box_types and arg._trace >= latest:
            latest, mine = arg._trace, (*mine, n) if arg._trace == latest else (n,)
    if not mine:
        return (made_of(primal) or primal)(*args) if not options and all(map(is_plain, args)) else NotImplemented
    if options and not all(isinstance(option, int | float | str | None) for option in options.values()):
        return NotImplemented
    nodes, values = [args[n]._node for n in mine], list(args)
    for n in mine:
        values[n] = args[n]._value
    node = type(nodes[0])
    if node is VJPNode:
        found = reverse(primal, mine, None, values, options, rules)
    else:
        found = forward(primal, mine, [each.g for each in nodes], None, values, options, rules) if node is JVPNode else None
    if found is None:
        return constant(primal, args, options, rules)
    return new_box(found[0], latest, node(found[0], recorded, found[1:], {}, (0,), nodes))


def is_real_array(x: Any) -> bool:
    """Whether a value is an array of real numbers, or a box of one, for which conventions are one; most cotangents are."""
    return type(x) in ARRAYS and x.dtype.kind == "f"


ARRAYS = frozenset({np.ndarray, ArrayBox})
PLAIN = frozenset({np.float64, float, int, bool, type(None)})


def is_plain(x: Any) -> bool:
    """Whether a value is a number or an array of NumPy's, or a tuple of such, so that no box is in it."""
    return x.dtype != object if type(x) is np.ndarray else type(x) in PLAIN or (type(x) is tuple and all(map(is_plain, x)))


def constant(primal: Any, args: Args, options: Options, rules: RuleTable) -> Any:
    """The value of a function without a derivative, which is no box whatever the arguments are; NotImplemented of others."""
    rule = rules.rule_for("reverse", primal, tuple(map(type, args)))
    if rule is None or rule.differentiable or options:
        return NotImplemented
    return rules.rrule(primal, *map(getval, args))[0]


def reverse(primal: Any, mine: Mine, ans: Any, args: Args, options: Options, rules: RuleTable) -> tuple[Any, Vjp] | None:
    """The value and autograd's pullback to the arguments at `mine`; None where there is no plan."""
    plan = plan_for(rules, "reverse", primal, args, options, mine, ans is not None)
    if plan is None or not plan.simple:
        return None
    y, pull = plan((), args, options, ans)
    if not plan.simple:
        return None
    shape, nested = getattr(y, "shape", ()), plan.nested

    def vjp(g: Any) -> Sequence[Any]:
        if type(g) is ArrayBox and not nested:
            return general_reverse(primal, mine, args, options, rules)(g)
        if not is_real_array(g) or g.shape != shape:
            require_shape(g, shape, primal)
            g = other_convention(g)
        bars = pull(g)
        return [bar if is_real_array(bar := bars[n]) else autograd_cotangent(bar, args[n]) for n in mine]

    return y, vjp


def forward(
    primal: Any, mine: Mine, gs: Sequence[Any], ans: Any, args: Args, options: Options, rules: RuleTable
) -> tuple[Any, Any] | None:
    """The value and its tangent along those of the arguments at `mine`; None where there is no plan."""
    plan = plan_for(rules, "forward", primal, args, options, mine, ans is not None)
    if plan is None or not plan.simple or (ArrayBox in map(type, gs) and not plan.nested):
        return None
    dots = [ZERO] * len(args)
    for n, g in zip(mine, gs, strict=True):
        dots[n] = g
    y, y_dot = plan((tuple(dots),), args, options, ans)
    return (y, dense(y_dot, y)) if plan.simple else None


def general_reverse(primal: Any, mine: Mine, args: Args, options: Options, rules: RuleTable) -> Vjp:
    """Autograd's pullback, of any call."""
    call, leaves, places = located(primal, mine, args, options, rules)
    y, pull = rrule_of(call, leaves, [k in places for k in range(len(leaves))])
    vjp = autograd_pullback(call, y, pull, leaves, places)
    if len(y.leaves) == 1:
        return vjp
    chosen = [n for n, leaf in enumerate(y.leaves) if is_differentiable(leaf)]

    def vjp_of_several(g: Any) -> Sequence[Any]:
        bars = FlatValue.of(opened(g)).leaves
        return vjp([bars[n] for n in chosen] if len(chosen) > 1 else bars[chosen[0]])

    return vjp_of_several


def general_forward(primal: Any, mine: Mine, gs: Sequence[Any], args: Args, options: Options, rules: RuleTable) -> Any:
    """The tangent of the value, of any call."""
    call, leaves, places = located(primal, mine, args, options, rules)
    dots = [ZERO] * len(leaves)
    for k, g in zip(places, gs, strict=True):
        dots[k] = g
    y, y_dots = frule_of(call, leaves, dots)
    return y.with_leaves([dense(dot, leaf) for dot, leaf in zip(y_dots, y.leaves, strict=True)])


def located(primal: Any, mine: Mine, args: Args, options: Options, rules: RuleTable) -> tuple[FlatCall, list[Any], list[int]]:
    """The call laid flat, and where among its leaves the arguments at `mine` are.

    Each of these is put into a box of its own while the call is arranged: two of them may be one object.
    """
    marks = {n: ArrayBox(args[n], -1, None) for n in mine}
    call, leaves = FlatCall.of(primal, tuple(marks.get(n, arg) for n, arg in enumerate(args)), options, is_array, rules)
    where = {id(leaf): k for k, leaf in enumerate(leaves)}
    try:
        places = [where[id(mark)] for mark in marks.values()]
    except KeyError:
        got = "an argument that is differentiated is not among the arrays of the call"
        instead = f"call to_autograd({qualified_name(primal)})"
        raise OptionError(qualified_name(primal), got, instead, primal=primal, option=None, value=args) from None
    for k, mark in zip(places, marks.values(), strict=True):
        leaves[k] = mark._value
    return call, leaves, places
