"""Call functions with rules on boxes, one derivative after the other.

The latest derivative comes first: its boxes are opened, the rule runs on what they hold, and the
value goes into a box whose node has the rule's pullback, or the tangent. Under an outer derivative
they hold boxes again. Then there are two cases:

* *traced*: the rule runs on boxes, in autograd's operations and ours, and autograd differentiates
  what it does;
* *opaque*: the rule needs NumPy's own arrays. Then the value is one call, and the pullback another
  one, which the tape differentiates (`opaque`).

Which of them applies is found out by a trial, once for each kind of call.
"""

from collections.abc import Callable, Sequence
from functools import cache, wraps
from typing import Any

import numpy as np
from autograd.extend import JVPNode, VJPNode, defjvp_argnums, defvjp_argnums, vspace
from autograd.tracer import getval, new_box, trace_stack

from chainrules_autograd import differentiation
from chainrules_autograd.boxes import Mine, boxes_of_latest, is_differentiable, level, out_of_boxes
from chainrules_autograd.opaque import (
    Call,
    Leaves,
    NumpyCall,
    OpaqueDerivative,
    active_in,
    by_tape,
    present,
)
from chainrules_autograd.translation import (
    autograd_cotangent,
    dense,
    other_convention,
    require_shape,
)
from chainrules_autograd.trials import are_numbers
from chainrules_py import (
    ZERO,
    HasForwardsMode,
    HasReverseMode,
    NotDifferentiableError,
    RuleTable,
    default_rules,
    is_zero,
    rules_of,
    unthunk,
)
from chainrules_py.engines import (
    FlatCall,
    FlatValue,
    Mode,
    Program,
    Pull,
    Pullback,
    Pushforward,
    describe,
    qualified_name,
    with_items_at,
)


class Autograd(HasReverseMode, HasForwardsMode):
    """The config of rules on boxes: autograd differentiates the functions that a rule calls."""

    def __init__(self, table: RuleTable) -> None:
        self.table = table

    def is_active(self, value) -> bool:
        """Tell whether a value is traced."""
        return level(value) >= 0

    def rrule_via_ad(self, function: Callable[..., Any], *args, **options) -> tuple[Any, Any]:
        """Return the value of a function and its pullback, by the tape if the function does not run
        on boxes.
        """
        y, pullback = self._transformed("vjp", args, function, args, options)
        return y, pullback

    def frule_via_ad(
        self, dots: tuple[Any, ...], function: Callable[..., Any], *args, **options
    ) -> tuple[Any, Any]:
        """Return the value of a function and its tangent, as `rrule_via_ad` does."""
        y, y_dot = self._transformed("jvp", (args, dots), function, args, options)
        return y, y_dot

    def _transformed(
        self,
        transform: str,
        given: tuple[Any, ...],
        function: Callable[..., Any],
        args: tuple[Any, ...],
        options: dict[str, Any],
    ) -> Any:
        """Call `vjp` or `jvp` of autograd's on a function, else that of the tape."""

        @wraps(function)
        def call_with_options(*xs) -> Any:
            return function(*xs, **options)

        # What the function calls of autograd's own is differentiated by autograd's rules, whatever
        # the table: so another table than the default one is the tape's.
        if self.table is default_rules:
            try:
                return getattr(differentiation, transform)(call_with_options, *given)
            except Exception:
                call_with_options(*args)  # raises here, too, if the error is the function's own
        return by_tape(transform, call_with_options, self.table, *given)


config_of = cache(Autograd)  # configs are keys of the table's memory: one for each table
INTEGERS = frozenset("iu")  # kinds of dtypes


def evaluate_call(call: Call, leaves: Leaves) -> FlatValue:
    """Compute the value of a call, and record it where leaves are boxes."""
    latest, mine = boxes_of_latest(leaves)
    if not mine:
        return call.value(leaves)
    if is_constant(call, leaves):
        plain = list(map(getval, leaves))  # the rule may read entries, which boxes do not show
        y, _ = reverse_rule(call, plain, [False] * len(leaves))
        return y

    values, nodes = out_of_boxes(leaves, mine)
    if isinstance(nodes[0], VJPNode):
        return record_in_boxes(call, values, mine, nodes, latest)
    if not isinstance(nodes[0], JVPNode):
        got = f"autograd traces it with {type(nodes[0]).__name__}, which is no derivative"
        instead = "take grad, make_vjp or make_jvp"
        raise NotDifferentiableError(repr(call), got, instead, primal=call, argument=None)

    dots = with_items_at([ZERO] * len(leaves), mine, [node.g for node in nodes])
    return push_in_boxes(call, values, dots, nodes, latest)


def require_floating(call, nodes: Sequence[VJPNode], values: Sequence[Any]) -> None:
    """Raise where somebody differentiates by an array of integers, which our rules give no
    cotangent; autograd's own do.

    Integers that were computed of numbers, positions, say, are constants.
    """
    for node, x in zip(nodes, values, strict=True):
        if not node.parents and getattr(getattr(x, "dtype", None), "kind", "") in INTEGERS:
            got = f"the derivative by {describe(x)}, and integers have none"
            instead = "pass it to grad as floats: x.astype(float)"
            primal = call.primal if isinstance(call, FlatCall) else call
            where = f"to_autograd({qualified_name(primal)})"
            raise NotDifferentiableError(where, got, instead, primal=primal, argument=None)


def is_constant(call: Call, leaves: Leaves) -> bool:
    """Tell whether the value of a call has no derivative by any of its leaves."""
    if not isinstance(call, FlatCall):
        return False
    rule = call.rule("reverse", leaves, config_of(call.table))
    return rule is not None and not rule.differentiable


def derivative_of_node(derivative) -> Any:
    """Return the argument, which is the derivative of the call that made a node.

    The nodes of our calls say that they came from this function; autograd asks for its derivative.
    """
    return derivative


defvjp_argnums(derivative_of_node, lambda argnums, ans, args, kwargs: args[0])
defjvp_argnums(derivative_of_node, lambda argnums, gs, ans, args, kwargs: args[0])


def record_in_boxes(
    call: Call, values: Leaves, mine: Mine, nodes: list[VJPNode], latest: int
) -> FlatValue:
    """Return the value in boxes whose common node has the pullback."""
    require_floating(call, nodes, [values[k] for k in mine])
    y, pull = rrule_of(call, values, [k in mine for k in range(len(values))])
    active = active_in(y)
    if not active:
        return y
    parts = tuple(y.leaves[n] for n in active)
    together = parts[0] if len(parts) == 1 else parts
    vjp = autograd_pullback(call, y, pull, values, mine)
    node = type(nodes[0])(together, derivative_of_node, (vjp,), {}, (0,), nodes)
    box = new_box(together, latest, node)
    boxes = (box,) if len(active) == 1 else box
    return FlatValue(with_items_at(y.leaves, active, boxes), y.tree)


def autograd_pullback(
    call: Call, y: FlatValue, pull: Pull, values: Leaves, mine: Sequence[int]
) -> Callable[[Any], list[Any]]:
    """Make the pullback that autograd calls: on the cotangent of the value, or on one for each
    differentiable leaf.
    """
    count = len(y.leaves)
    shapes = {n: np.shape(leaf) for n, leaf in enumerate(y.leaves) if is_differentiable(leaf)}

    def vjp(g) -> list[Any]:
        bars = [ZERO] * count
        for n, bar in zip(shapes, (g,) if len(shapes) == 1 else g, strict=True):
            require_shape(bar, shapes[n], call)
            # autograd writes zeros for parts of the value that nobody uses
            is_unused = len(shapes) > 1 and level(bar) < 0 and not np.any(bar)
            bars[n] = ZERO if is_unused else other_convention(bar)
        found = pull(bars)
        return [autograd_cotangent(found[k], values[k]) for k in mine]

    return vjp


def push_in_boxes(
    call: Call, values: Leaves, dots: Leaves, nodes: list[JVPNode], latest: int
) -> FlatValue:
    """Return the value in boxes whose nodes have its tangents."""
    y, y_dots = frule_of(call, values, dots)

    def boxed(leaf, dot) -> Any:
        if not is_differentiable(leaf):
            return leaf
        node = type(nodes[0])(leaf, derivative_of_node, (dense(dot, leaf),), {}, (0,), nodes)
        return new_box(leaf, latest, node)

    return FlatValue(list(map(boxed, y.leaves, y_dots)), y.tree)


# The rules, on plain values and on boxes


def reverse_rule(call: Call, values: Leaves, needed: Sequence[bool]) -> tuple[FlatValue, Pull]:
    """Run the rule of a call; what it calls on boxes is differentiated by the same table."""
    table = call.table
    with rules_of(table):
        y, pull = call.rrule(values, needed, config_of(table))

    def pull_by_table(bars: Leaves) -> list[Any]:
        with rules_of(table):
            return pull(bars)

    return y, pull_by_table


def forward_rule(call: Call, values: Leaves, dots: Leaves) -> tuple[FlatValue, list[Any]]:
    """Run the rule of a call; what it calls on boxes is differentiated by the same table."""
    with rules_of(call.table):
        return call.frule(values, dots, config_of(call.table))


def rrule_of(call: Call, values: Leaves, needed: Sequence[bool]) -> tuple[FlatValue, Pull]:
    """Return the value and the pullback of a call, whose cotangents may be boxes."""
    if runs(call, values, needed, "reverse"):
        y, pull = reverse_rule(call, values, needed)
    else:
        y, pull = evaluate_call(call, values), None

    def pull_any(bars: Leaves) -> list[Any]:
        latest = max((*bars, *values), key=level)
        if pull is not None and (level(latest) < 0 or max(map(level, values)) >= 0):
            return pull(bars)
        boxes = lifted(values, latest)
        if runs(call, boxes, needed, "reverse"):
            return reverse_rule(call, boxes, needed)[1](bars)
        return opaque_cotangents(call, y, needed, bars, values)

    return y, pull_any


def frule_of(call: Call, values: Leaves, dots: Leaves) -> tuple[FlatValue, list[Any]]:
    """Return the value and the tangents of a call, where tangents may be boxes."""
    latest = max((*dots, *values), key=level)
    are_values_plain = max(map(level, values)) < 0
    boxes = lifted(values, latest) if are_values_plain and level(latest) >= 0 else values
    if runs(call, boxes, [not is_zero(dot) for dot in dots], "forward"):
        return forward_rule(call, boxes, dots)
    y = evaluate_call(call, values)
    return y, opaque_tangents(call, y, dots, values)


def opaque_cotangents(
    call: Call, y: FlatValue, needed: Sequence[bool], bars: Leaves, values: Leaves
) -> list[Any]:
    """Return the cotangents of the leaves, by a pullback that autograd sees as one operation."""
    chosen = tuple([k for k, need in enumerate(needed) if need])
    of_active = [bars[n] for n in active_in(y)]
    given = present(of_active)
    pullback = Pullback(program_of_call(call), len(values), chosen, tuple(given))
    found = evaluate_call(OpaqueDerivative(pullback), [*values, *(of_active[n] for n in given)])
    return with_items_at([ZERO] * len(values), chosen, found.leaves)


def opaque_tangents(call: Call, y: FlatValue, dots: Leaves, values: Leaves) -> list[Any]:
    """Return the tangents of the value's leaves, by a pushforward that autograd sees as one
    operation.
    """
    moved, active = present(dots), active_in(y)
    wanted = tuple(range(len(active)))
    pushforward = Pushforward(program_of_call(call), len(values), tuple(moved), wanted)
    found = evaluate_call(OpaqueDerivative(pushforward), [*values, *(dots[k] for k in moved)])
    return with_items_at([ZERO] * len(y.leaves), active, found.leaves)


def program_of_call(call: Call) -> Program:
    """Return a call as a program, which has derivatives of every order."""
    if isinstance(call, OpaqueDerivative):
        return call.program
    return NumpyCall(call, config_of(call.table))


def lifted(values: Leaves, near) -> list[Any]:
    """Put differentiable values into boxes of the derivative that traces `near`, so that rules run
    on autograd's operations.
    """
    return [
        _root(x, type(near._node), level(near)) if level(x) < 0 and is_differentiable(x) else x
        for x in values
    ]


def _root(x, node: type[VJPNode] | type[JVPNode], trace: int) -> Any:
    """Put a value into a box that nothing was computed of; its tangent, where it has one, is zero."""
    root = node.new_root(vspace(x).zeros()) if node is JVPNode else node.new_root()
    return new_box(x, trace, root)


def runs_on_boxes(call: Call, values: Leaves, mode: Mode) -> bool:
    """Tell whether the rule of a mode runs on boxes in the place of these values; otherwise it is
    opaque.
    """
    boxes = [_root(x, VJPNode, trace_stack.top + 1) if is_differentiable(x) else x for x in values]
    return runs(call, boxes, list(map(is_differentiable, boxes)), mode)


def runs(call: Call, values: Leaves, needed: Sequence[bool], mode: Mode) -> bool:
    """Tell whether the rule of a call runs on these values: on plain values always, on boxes if a
    trial succeeds.
    """
    boxed = tuple(level(x) >= 0 for x in values)
    if not any(boxed):
        return True
    if isinstance(call, OpaqueDerivative):
        return False
    key = (call, mode, tuple(needed), boxed)
    found = call.table.memory.of_engines[Autograd]
    if key not in found:
        found[key] = all(
            _succeeds(call, list(map(getval, values)), boxed, needed, mode, node)
            for node in (VJPNode, JVPNode)  # autograd's operations have rules of their own for each
        )
    return bool(found[key])


def _succeeds(
    call: Call,
    values: Leaves,
    boxed: Sequence[bool],
    needed: Sequence[bool],
    mode: Mode,
    node: type[VJPNode] | type[JVPNode],
) -> bool:
    """Try a rule on boxes in the place of some values, and on (co)tangents that are boxes."""

    def box(x) -> Any:
        return _root(x, node, trace_stack.top + 1)

    boxes = [box(x) if own else x for x, own in zip(values, boxed, strict=True)]
    try:
        if mode == "forward":
            dots = [
                box(vspace(x).ones()) if need else ZERO
                for x, need in zip(values, needed, strict=True)
            ]
            y, results = forward_rule(call, boxes, dots)
        else:
            y, pull = reverse_rule(call, boxes, needed)
            bars = [
                box(vspace(getval(leaf)).ones()) if is_differentiable(leaf) else ZERO
                for leaf in y.leaves
            ]
            results = pull(bars)
        return are_numbers(y.leaves, map(unthunk, results))
    # whatever the error is: if the rule itself is wrong, it raises again on NumPy's arrays
    except Exception:
        return False
