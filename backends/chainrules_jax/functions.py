"""`to_jax`: functions with rules as functions of JAX's arrays, which its transformations
differentiate by these rules.

Each call is taken apart into its arrays and the rest (`calls`). For this rest and these
shapes a `JaxPlan` is cached: whether JAX can trace the value, the shapes where it cannot, and a
`jax.custom_jvp` of the arrays.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer

from chainrules_jax.calls import flat_call
from chainrules_jax.derivatives import Push
from chainrules_jax.host_calls import call_on_host, on_device_of
from chainrules_jax.operations import Value, given_to_active, of_active
from chainrules_jax.rehearsals import rehearse
from chainrules_jax.results import (
    declared_result,
    host_result,
    traced_result,
    value_on_host,
)
from chainrules_jax.routes import ENGINE, derivative_of
from chainrules_jax.tangents import (
    Spec,
    as_tangent,
    from_symbolic,
    in_declared_dtype,
    is_floating,
    spec_of,
)
from chainrules_py import ZERO, RuleConfig, RuleTable, default_rules, is_zero, rules_of
from chainrules_py.engines import (
    FlatCall,
    FlatValue,
    as_primitive,
    has_rules,
    in_force,
    tape,
    with_rules,
)

Shapes = Callable[..., Any]


def to_jax(
    primal: Callable[..., Any], *, rules: RuleTable = default_rules, shapes: Shapes | None = None
) -> "JaxFunction":
    """Make a function of JAX's arrays of a function with rules; `jax.jit`, `grad`, `jvp` and `vmap`
    work on it.

    A function without rules is a program of NumPy's, which chainrules_tape differentiates
    (`chainrules_tape.as_primitive`).
    Arrays may stand anywhere in tuples, lists and dicts; options are given by keyword. Rules are
    looked up when JAX traces a call. ``shapes(*args, **options)`` says what an opaque function
    returns, as `jax.ShapeDtypeStruct`; without it, the function is called once with made-up numbers
    to find out.

    >>> import jax
    >>> float(jax.grad(to_jax(np.tanh))(0.0))
    1.0
    """
    return JaxFunction(as_primitive(primal), rules, shapes)


@dataclass(frozen=True)
class JaxFunction:
    """A function of JAX's arrays whose derivatives are rules of the table; two of equal primals and
    tables are equal.
    """

    primal: Any
    rules: RuleTable
    shapes: Shapes | None

    def __call__(self, *args: Any, **options: Any) -> Any:
        """Return the value, in JAX's arrays."""
        plan, leaves, _ = self.planned(args, options)
        return plan.with_leaves(plan.function(*leaves))

    @property
    def __name__(self) -> str:
        """Return the name of the primal."""
        return getattr(self.primal, "__name__", type(self.primal).__name__)

    def explain(self, *args: Any, **options: Any) -> str:
        """Say how JAX gets the value and the derivative of this call, traced or opaque, and by
        which rules.
        """
        plan = self.planned(args, options)[0]
        if has_rules(in_force(self.rules), self.primal, args, options):
            return plan.explain()
        shapes = "known" if plan.is_declared else "found by a call with made-up numbers"
        runs = f"NumPy in a callback, where JAX compiles; its shapes are {shapes}"
        explained: str = self.program.explained("JAX", runs)
        return explained

    @property
    def program(self) -> Any:
        """The whole program that a function without rules is."""
        return tape().program_of(self.primal, in_force(self.rules))

    def planned(
        self, args: tuple[Any, ...], options: dict[str, Any]
    ) -> tuple["JaxPlan", list[Any], list[Any]]:
        """Return the plan for calls like this one, and the leaves of this one that vary: as JAX's
        arrays, and as they came.
        """
        rules = in_force(self.rules)
        operation, values, _ = with_rules(self.primal, args, options, rules, is_tracer)
        if operation is not self.primal:
            vars(self)["held"] = values[0]  # with what is found out of the program
            declared = self.shapes or values[0].result_shapes
            shapes = None if declared is None else ShapesOfProgram(declared, len(args))
            return JaxFunction(operation, rules, shapes).planned(values, {})
        flat, given = flat_call(self.primal, args, options, rules)
        leaves = list(map(jnp.asarray, given))
        known = partial(jax.dtypes.canonicalize_dtype, allow_extended_dtype=True)  # keys, too
        specs = tuple(Spec(x.shape, known(x.dtype), weak_type=is_weak(x)) for x in leaves)

        plans = flat.memory(ENGINE)
        has_doubles = bool(jax.config.read("jax_enable_x64"))
        key = (flat, specs, self.shapes, has_doubles)
        plan = plans.get(key)
        if plan is None:
            plan = plans[key] = JaxPlan(flat, specs, self.declared(args, options))
        return plan, leaves, given

    def declared(self, args: tuple[Any, ...], options: dict[str, Any]) -> FlatValue | None:
        """Return what `shapes` says of the result of a call; None where nobody said it."""
        return None if self.shapes is None else FlatValue.of(self.shapes(*args, **options))


@dataclass(frozen=True)
class ShapesOfProgram:
    """Shapes of the results of a whole program, for the operation that it is a part of; `count` is
    that of its own arguments, before which are values that it captures.
    """

    shapes: Shapes
    count: int

    def __call__(self, program, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
        """Say what the program returns for these arguments."""
        return self.shapes(*args[len(args) - self.count :], **options)


class JaxPlan:
    """The plan of calls of one kind: how the value is computed, its shapes and dtypes, and the
    `jax.custom_jvp` that JAX calls.
    """

    def __init__(self, flat: FlatCall, specs: tuple[Any, ...], declared: FlatValue | None) -> None:
        self.flat, self.specs = flat, specs
        self.is_declared = declared is not None
        self.rehearsed: set[tuple[bool, ...]] = set()  # the active leaves of derivatives
        self.reason: str | None = None  # why NumPy has to compute the value
        self.result: FlatValue | None = None
        found = traced_result(flat, specs)
        if isinstance(found, FlatValue):
            self.result = found
        else:
            self.reason = found
            self.result = declared and declared_result(declared)
        # whether JAX can trace a rule, by mode and active leaves: see `rules_by_numpy`
        self.is_traced: dict[Any, bool] = {}
        self.function = jax.custom_jvp(self._evaluate_call)
        self.function.defjvp(self._jvp, symbolic_zeros=True)

    @cached_property
    def value(self) -> Value:
        """Return the value as an operation with declared shapes, found out when JAX has to know
        them.
        """
        if self.result is None:
            self.result = host_result(self.flat, self.specs)
        return self._value_of(self.result.leaves)

    def _value_of(self, outs: Sequence[Any]) -> Value:
        """Return the value as an operation, with these shapes and dtypes of its leaves."""
        elementwise = _is_elementwise(self.flat, len(self.specs))
        return Value(self.flat, self.specs, tuple(outs), elementwise)

    def flat_value(self, leaves: Sequence[Any]) -> FlatValue:
        """Return the value of the call as its leaves and their tree."""
        assert self.result is not None, "the function has run"
        return FlatValue(list(leaves), self.result.tree)

    def with_leaves(self, leaves: Sequence[Any]) -> Any:
        """Build the value of the call of its leaves."""
        return self.flat_value(leaves).with_leaves(leaves)

    def explain(self) -> str:
        """Return the text of `JaxFunction.explain`."""
        active = tuple(map(is_floating, self.value.ins))
        lines = [f"{self.flat} in JAX", f"  value: {_computed_by(self.reason)}"]
        if any(active):
            lines += derivative_of(self.value, active).explain()
        return "\n".join(lines)

    def _rehearse(self, value: Value, active: tuple[bool, ...]) -> None:
        """Raise what the tape refuses in a program now, where JAX is about to compile its call."""
        is_new = active not in self.rehearsed
        if is_new and not self.is_declared and self.flat.is_whole_program:
            rehearse(value, active)
        self.rehearsed.add(active)

    def _evaluate_call(self, *leaves) -> list[Any]:
        if self.reason is None:
            with rules_of(self.flat.table):
                return list(map(in_declared_dtype, self.flat.value(leaves).leaves, self.value.outs))
        return (
            call_on_host(self.value, *leaves)
            if any(map(is_tracer, leaves))
            else self._evaluate_by_numpy(leaves)
        )

    def _evaluate_by_numpy(self, leaves: Sequence[Any]) -> list[Any]:
        """Compute the value outside compiled code, where nobody needs to know its shapes before."""
        y = value_on_host(self.flat, leaves)
        # the tree may hold text, which differs from value to value
        if self.result is None or self.result.tree != y.tree:
            self.result = declared_result(y)
        return [on_device_of(leaves, leaf) for leaf in y.leaves]

    def _jvp(
        self, primals: tuple[Any, ...], tangents: tuple[Any, ...]
    ) -> tuple[list[Any], list[Any]]:
        dots = list(map(from_symbolic, tangents))
        active = tuple(not is_zero(dot) for dot in dots)
        if not any(active):
            ys = self.function(*primals)
            return ys, [as_tangent(ZERO, y) for y in ys]
        ys, found = self._push_tangents(primals, of_active(dots, active), active)
        y_dots = given_to_active(found, list(map(is_floating, ys)))
        return ys, list(map(as_tangent, y_dots, ys))

    def _push_tangents(
        self, xs: tuple[Any, ...], dots: list[Any], active: tuple[bool, ...]
    ) -> tuple[list[Any], list[Any]]:
        if self.reason is None or any(map(is_tracer, xs)):
            value, ys = self.value, None
        else:
            ys = self.function(*xs)
            value = self._value_of(list(map(spec_of, ys)))
        inline = derivative_of(value, active).inline
        if inline is not None:
            return inline(xs, dots)
        if ys is None:
            self._rehearse(value, active)
        return ys or self.function(*xs), call_on_host(Push(value, active), *xs, *dots)


def is_tracer(x) -> bool:
    """Tell whether JAX traces a value."""
    return isinstance(x, Tracer)


def is_weak(x) -> bool:
    """Tell whether the type of an array is weak; keys of random numbers do not say."""
    return getattr(x, "weak_type", False)


def _is_elementwise(flat: FlatCall, count: int) -> bool:
    """Tell whether the rule is a scalar rule, which broadcasts."""
    rule = flat.rule("reverse", [np.empty(0)] * count, RuleConfig())
    return rule is not None and rule.partials is not None


def _computed_by(reason: str | None) -> str:
    return "traced" if reason is None else f"opaque, NumPy in a callback ({reason})"
