"""Taylor mode: values that stand for power series in t, of t -> f(x + t v).

    handle       a value, and the node that has its series
    node         the coefficients of t**k so far, the value being the first one
    step         how the coefficients of an operation's results are computed

The function is run once, on values; each operation makes nodes, which are kept in order. Then round
k computes coefficient k of each node, in that order. There are four kinds of steps:

    linear           the function itself, of coefficient k of its arguments
    multilinear      the sum of products of coefficients whose orders add up to k
    arithmetic       recurrences, of `chainrules_py.rulesets.formulas.recurrences`
    everything else  from y' = frule(x, x'), run on series: y[k] = y'[k - 1] / k

The last one needs no other formula than the table's. The rule is run once, on handles of this
level, when the first coefficient is asked for; x' is the node whose coefficients are those of x,
shifted. The operations that the rule calls make nodes of their own, one *depth* below y. They stand
before y in the order of nodes, and are needed to one order less: round k computes their coefficient
``k - depth``.

A rule may need y itself, as that of `tanh` does, or another function of x, as those of sine and
cosine do. It finds their nodes in a memo, by the function and its arguments, instead of making new
ones. So the equations close: for most functions the number of nodes does not depend on the order.

Branches, ties and sorts are those of the value.
"""

import os
from typing import Any

import numpy as np

import chainrules_py
from chainrules_py.annotations import Args, Function, Options
from chainrules_py.checks.comparing import same_value
from chainrules_py.projection import ProjectTo
from chainrules_py.strong_zeros.strictness import this_thread
from chainrules_py.tangents import ZERO, is_zero, with_entries
from chainrules_py.values.plain_code import say_plain
from chainrules_py.values.python_numbers import in_numpys_form, ufunc_of
from chainrules_py.values.structure import (
    fields,
    is_container,
    is_mutable,
    leaves_of,
    rebuild,
    shallow_copy,
)
from chainrules_tape.core.dispatch import EQUALITIES, Derivative
from chainrules_tape.core.levels import SlowDispatchOnly, open_level, open_levels, with_parts
from chainrules_tape.core.plans import Engine, Plan
from chainrules_tape.core.recording import own_constant
from chainrules_tape.core.trees import Rebuild, flatten
from chainrules_tape.core.values import is_differentiable, resolved
from chainrules_tape.refusals.bypassed_rules import warn_of_bypassed_rules
from chainrules_tape.refusals.errors import refuse_objects
from chainrules_tape.refusals.explaining import explain_error, warn_of_refusals
from chainrules_tape.refusals.handles import HandleClasses, TracedArray, plain
from chainrules_tape.refusals.instrumented_packages import stood_for
from chainrules_tape.refusals.subclasses import refuse_labelled_results
from chainrules_tape.series.coefficients import (
    Coefficients,
    Derived,
    Given,
    Linear,
    Node,
    Operand,
    Path,
    Recurrent,
    Shifted,
    Step,
    fitted_coefficient,
    implementation_for,
)

RULESETS = os.path.join(os.path.dirname(chainrules_py.__file__), "rulesets")
NUMBERS = frozenset({int, bool, str, type(None)})
PLAIN = frozenset({np.ndarray, np.float64, float, int})
UNKNOWN = (None, None, None)  # what the memo has not


class SeriesHandle(TracedArray):
    """A handle on a value and its node; `arrays.handles` has its classes."""

    __slots__ = ("node",)
    carries = "node"
    node: Node


HANDLE_OF = HandleClasses()
HANDLES = HANDLE_OF.classes
MEMORY: list[Any] = []  # the class of memory into which series are written, which `in_place` gives


# The level


class Series(Derivative):
    """One expansion: operations on its handles make nodes, and `advance` their coefficients."""

    __slots__ = (
        *("constants", "depth", "expanded", "memo", "nodes", "order", "recurrences", "strictness"),
    )
    mode = "forward"
    nothing = None

    def __init__(self, engine: Engine) -> None:
        # a rule pack, loaded with the first expansion
        from chainrules_py.rulesets.formulas.recurrences import RECURRENCES

        super().__init__(engine, SlowDispatchOnly())
        self.recurrences = RECURRENCES
        self.strictness = this_thread.strictness
        self.nodes: list[Node] = []
        # steps by function and arguments, with what the function returned, and nodes
        self.memo: dict[Any, Any] = {}
        # by the identity of a constant array: that array, and the copy that nodes have
        self.constants: dict[int, tuple[Any, Any]] = {}
        self.depth = 0  # of the nodes that are made now
        self.order = 0  # of the last coefficient that is asked for
        # whose rule runs, of whose results some are in the memo
        self.expanded: Derived | None = None

    def close(self) -> None:
        """End the trace, and let go of its nodes."""
        super().close()
        self.nodes, self.memo, self.constants = [], {}, {}

    # Handles

    def handle(self, value, step: Step, path: Path = ()) -> Any:
        """Make a node, if the step has none yet, and the handle on it."""
        node = self.memo.get((step, path))
        if node is None:
            node = self.memo[step, path] = Node(value, step, path, self.depth)
            self.nodes.append(node)
        return self.handle_on(value, node)

    def handle_on(self, value, node: Node) -> Any:
        """Make the handle on a value and its node."""
        if value is None:  # of a node that writes
            return None
        made: Any = object.__new__(HANDLE_OF[type(value)])
        made.value = value
        made.node, made.level = node, self
        return made

    def fresh(self, value) -> Any:
        """Return other handles on the same series, because the program may write into its own."""
        if isinstance(value, TracedArray):
            return self.handle_on(value.value, value.node) if value.level is self else value  # type: ignore[attr-defined]
        return with_parts(value, self.fresh) if is_container(value) else value

    def memory_like(self, root: np.ndarray) -> Any:
        """Return memory for coefficients, beside that of the values."""
        return MEMORY[0](self, root)

    def series(self, value) -> Coefficients:
        """Return the coefficients of a value; a constant has one, and zero none."""
        if isinstance(value, TracedArray) and value.level is self:
            return value.node.coefficients  # type: ignore[attr-defined]
        return [value]

    def mode_data(self, value) -> Any:
        """Return the argument itself, if there is a series in it; None for a constant."""
        if isinstance(value, TracedArray):
            return value if value.level is self else None
        if is_container(value) and self.strip(value) is not value:
            return value
        return None

    # Operations

    def call(self, primal, args: Args, options: Options) -> Any:
        """Run any operation on values of this level and of outer ones."""
        is_plain = self.written is None is self.decisions and primal not in EQUALITIES
        if options or type(primal) is not np.ufunc or self.closed or not is_plain:
            return super().call(primal, args, options)
        # operators of arrays and numbers, nearly always: 6 us less
        is_own = [type(x) in HANDLES and x.level is self for x in args]
        values = tuple([x.value if own else x for x, own in zip(args, is_own, strict=True)])
        types = tuple(map(type, values))
        plan = self.engine.plans.get(("forward", primal, types, tuple(is_own)))
        if plan is None or not PLAIN.issuperset(types):
            return super().call(primal, args, options)
        given = tuple([x if own else None for x, own in zip(args, is_own, strict=True)])
        return self.run(primal, plan, values, options, given)

    def run(
        self,
        primal,
        plan: Plan,
        values: tuple[Any, ...],
        options: Options,
        mode_data: tuple[Any, ...],
    ) -> Any:
        """Compute the value of an operation, and make the nodes that will compute the rest."""
        run = implementation_for(primal, values)
        if not plan.differentiable:
            return own_constant(run(*values, **options), values)
        pairs = zip(values, mode_data, strict=True)
        args = tuple([value if given is None else given for value, given in pairs])
        of_rule = self.expanded
        if of_rule is not None and self.key_of_call(primal, args, options) == of_rule.key:
            # what the rule derives, and a draw would be another one
            return self.wrap(primal, copied_result(of_rule.result), of_rule)
        args = tuple(map(self.own, args))
        options = {name: self.own(option) for name, option in options.items()}
        key = self.key_of_call(primal, args, options)
        # computed again: programs in a rule may write into it
        y = run(*values, **options)
        step, before, _ = self.memo.get(key, UNKNOWN)
        if of_rule is None or step is None or not are_equal(y, before):
            needs = tuple([given is not None for given in mode_data])
            step = self.step(primal, plan, args, values, options, needs)
            self.memo[key] = (step, y, (args, options))  # the key has ids of these
            if type(step) is Derived:
                step.key, step.result = key, y
        return self.wrap(primal, y, step)

    def step(
        self,
        primal,
        plan: Plan,
        args: Args,
        values: tuple[Any, ...],
        options: Options,
        needs: tuple[bool, ...],
    ) -> Step:
        """Choose how the coefficients of an operation are computed."""
        recurrence = None if options else self.recurrence_of(primal, plan, values, needs)
        if recurrence is not None:
            series = list(map(self.series, args))
            if recurrence.companion:
                series.append([])
            return Recurrent(recurrence.coefficient, series, self.strictness)
        linear = plan.rule.linear
        if linear is None:
            return Derived(self, primal, tuple(map(self.fresh, args)), options)
        operands = {
            i: Operand(self, args[i], needs[i])
            for i, is_linear in enumerate(linear.arguments)
            if is_linear
        }
        triples = zip(args, values, needs, strict=True)
        others = [value if need else arg for arg, value, need in triples]
        return Linear(primal, others, operands, options, linear)

    def recurrence_of(
        self, primal, plan: Plan, values: tuple[Any, ...], needs: tuple[bool, ...]
    ) -> Any:
        """Return the recurrence of an operation; None where it has none that holds."""
        found = self.recurrences.get(ufunc_of(primal))
        if found is None or not plan.rule.where.startswith(RULESETS):  # it is somebody else's
            return None
        # of examples in lanes, it has to hold for all: their numbers are asked beneath the handles
        numbers = tuple(map(plain, values))
        return found if found.holds(numbers, needs) else None

    def wrap(self, primal, y, step: Step, path: Path = ()) -> Any:
        """Make the handles on the result of an operation; integers and the like are constants."""
        if isinstance(y, TracedArray):
            y = resolved(y)
            self.refuse_own(primal, y)
        elif is_container(y):
            parts = fields(y)
            return rebuild(
                y,
                {key: self.wrap(primal, part, step, (*path, key)) for key, part in parts.items()},
            )
        if is_differentiable(y):
            return self.handle(y, step, path)
        refuse_objects(primal, y)
        return y

    # The memo

    def own(self, constant) -> Any:
        """Return an argument as a node may keep it: the program may write into its constants."""
        if issubclass(type(constant), np.ndarray):
            original, own = self.constants.get(id(constant), (None, None))
            if original is None or (original is not own and not same_value(original, own)):
                own = np.ndarray.copy(constant, "K")  # its class may copy in another way
                self.constants[id(constant)] = (constant, own)
                self.constants[id(own)] = (own, own)
            return own
        if is_container(constant):
            own = with_parts(constant, self.own)
            return shallow_copy(own) if own is constant and is_mutable(type(own)) else own
        if not callable(constant):
            return constant
        from chainrules_py.engines import frozen_once  # by the first function

        # the same copy while nothing changes: functions are in the memo by their identity
        return frozen_once(constant)

    def key_of_call(self, primal, args: Args, options: Options) -> Any:
        """Return what tells a call from others."""
        given = (*args, *options.values())
        return (ufunc_of(primal), *options, *map(self.key, given))

    def key(self, x) -> Any:
        """Return what tells a constant, or a series, from others."""
        cls = type(x)
        if issubclass(cls, TracedArray) and x.level is self:
            return (cls.is_number, x.node)
        x = in_numpys_form(x)  # as a rule is given it
        cls = type(x)
        if cls in NUMBERS:
            return (cls, x)
        if issubclass(cls, np.generic):
            return (cls, x.tobytes())
        if cls is tuple or cls is list:
            return (cls, *map(self.key, x))
        if cls is dict:
            return (cls, *x, *map(self.key, x.values()))
        return (cls, id(x))

    # Coefficients

    def advance(self, k: int) -> None:
        """Compute one coefficient more of each node: coefficient k of those of depth 0."""
        before, self.nodes = self.nodes, []
        for node in before:
            self.depth = node.depth + 1
            known = node.coefficients
            known.append(node.step.coefficient(k - node.depth, node.path, known))
            self.nodes.append(node)

    def derivative_of_call(self, step: Derived) -> Any:
        """Return the derivative of an operation by t, by its forward rule."""
        primal, args, options = step.primal, step.args, step.options
        dots = tuple([self.derivative(arg) for arg in args])
        needs = tuple([dot is not ZERO for dot in dots])
        if not any(needs):
            return ZERO
        plan = self.engine.plan("forward", primal, tuple(map(type, args)), needs)
        before, self.expanded = self.expanded, step
        try:
            _, y_dot = plan.run(dots, *args, **options)
        finally:
            self.expanded = before
        return y_dot

    def derivative(self, arg) -> Any:
        """Return the derivative of an argument by t: a series, a constant, or `ZERO`."""
        if isinstance(arg, TracedArray):
            return self.derivative_of_series(arg) if arg.level is self else ZERO
        if not is_container(arg):
            return ZERO
        dots = {key: self.derivative(part) for key, part in fields(arg).items()}
        if all(dot is ZERO for dot in dots.values()):
            return ZERO
        return with_entries(type(arg), dots)

    def derivative_of_series(self, x) -> Any:
        """Return the derivative of a series by t."""
        node: Node = x.node
        if type(node.step) is Given:
            return node.step.direction
        key = (Shifted, node)
        if key not in self.memo:
            slope = node.coefficients[1]
            step = Shifted(node.coefficients)
            made = ZERO if slope is ZERO else self.handle(slope, step)
            self.memo[key] = made
        return self.fresh(self.memo[key])


def copied_result(y) -> Any:
    """A result with arrays of its own."""
    if is_container(y):
        return with_parts(y, copied_result)
    return y.copy("K") if isinstance(y, np.ndarray) else y


def are_equal(y, before) -> bool:
    """Whether a function has returned the same numbers again: none has that draws them."""
    pairs = zip(leaves_of(y), leaves_of(before), strict=True)
    return all(same_value(plain(one), plain(other)) for one, other in pairs)


# Functions


def expand(
    level: Series,
    function: Function,
    leaves: list[Any],
    directions: list[Any],
    rebuilt: Rebuild,
    order: int,
) -> tuple[list[Coefficients], Rebuild]:
    """Run a function on series: the coefficients of the leaves of its result, and the function that
    makes a result of such leaves.
    """
    if level.engine.bypassed:
        warn_of_bypassed_rules(level.engine, function)
    level.points, level.order = leaves, order
    before = say_plain(False)
    try:
        open_level(level.serial, function)
        given = [
            level.handle(x, Given(v)) if is_differentiable(x) and not is_zero(v) else x
            for x, v in zip(leaves, directions, strict=True)
        ]
        results, made = flatten(function(*rebuilt(given)))
        values, found = series_of_results(level, function, results, order)
        level.close()
    except Exception as error:
        explain_error(level, error)
        raise
    finally:
        open_levels.pop(level.serial, None)
        say_plain(before)
        if not level.closed:
            level.close()
    return [
        [y, *(projected(c, y) for c in padded_series(series, order)[1:])]
        for y, series in zip(values, found, strict=True)
    ], made


def series_of_results(
    level: Series, function: Function, results: list[Any], order: int
) -> tuple[list[Any], list[Coefficients]]:
    """Compute the values and the series of what a function returned."""
    if level.refused is not None:
        warn_of_refusals(level)
    if not HANDLES.issuperset(map(type, results)):
        results = list(map(stood_for, results))
        refuse_labelled_results(function, results)
    results = list(map(level.resolved, results))
    level.written = None  # rules write into arrays of their own
    for k in range(1, order + 1):
        level.advance(k)

    found = [level.series(result) for result in results]
    if order and level.decisions is not None:
        tangents = [ZERO if len(series) < 2 else series[1] for series in found]
        has_tangents = any(map(is_differentiable, map(level.strip, results)))
        level.decisions.require_tangents(tangents, has_tangents)
    return [level.strip(result) for result in results], found


def projected(coefficient, value) -> Any:
    """Project a coefficient into the tangent space of its value; nearly always it is there."""
    if coefficient is ZERO or not is_differentiable(value):
        return ProjectTo(value)(coefficient)
    found = fitted_coefficient(coefficient, value)
    return found if type(found) is type(value) else ProjectTo(value)(found)


def padded_series(series: Coefficients, order: int) -> Coefficients:
    """Return the coefficients up to an order, with zeros for those that a constant does not have."""
    return [*series, *[ZERO] * (order + 1 - len(series))]
