"""Functions of flat NumPy arrays that JAX programs call; here the value of a call of a function
with rules.

An operation is static and hashable; arrays come as arguments. `derivatives` has the pushforwards
and pullbacks. Those of a `Value` come from the rules of the table; those of a derivative, for
second derivatives, from chainrules_tape, which differentiates what the rules compute.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import jax
import numpy as np

from chainrules_jax import configs
from chainrules_jax.errors import JaxError, note
from chainrules_jax.tangents import Spec, is_array, is_floating
from chainrules_py import ZERO, materialize
from chainrules_py.engines import FlatCall, FlatValue

Arrays = Sequence[Any]
MODES = ("reverse", "forward")
INSTEAD = (
    "return what has the same shape and kind for all arguments of one shape, or declare it:"
    " to_jax(f, shapes=...)"
)
KINDS = {"b": 0, "u": 1, "i": 1, "f": 2, "c": 3}  # of dtypes: each holds those before it
Specs = tuple[Any, ...]


class Operation:
    """A function of arrays with declared shapes; the arguments from `linear_from` on enter
    linearly.
    """

    ins: Specs
    outs: Specs
    of: Any

    @cached_property
    def floating(self) -> tuple[bool, ...]:
        """Which outputs are real or complex."""
        return tuple(map(is_floating, self.outs))

    @property
    def linear_from(self) -> int:
        """How many arguments come before those that enter linearly."""
        return len(self.ins)

    @property
    def broadcasts(self) -> bool:
        """Tell whether one more axis in front of all arguments is one more axis of the outputs."""
        return False

    def compute(self, arrays: Arrays) -> list[Any]:
        """The outputs; of arrays that chainrules_tape traces, too."""
        raise NotImplementedError

    def push(self, arrays: Arrays, dots: Arrays) -> list[Any]:
        """The tangents of the floating outputs, from one tangent, ZERO among them, of each
        argument.
        """
        tangents = tuple(materialize(dot, like=x) for dot, x in zip(dots, arrays, strict=True))
        with self._differentiated():
            _, found = configs.tape().jvp(
                lambda *xs: tuple(self.compute(xs)), tuple(arrays), tangents, rules=self.table
            )
        return chosen(found, self.floating)

    def pull(self, arrays: Arrays, bars: Arrays, active: Sequence[bool]) -> list[Any]:
        """The cotangents of all arguments, ZERO among them, from those of the floating outputs."""
        with self._differentiated():
            _, pullback = configs.tape().vjp(
                lambda *xs: tuple(self.compute(xs)), *arrays, rules=self.table
            )
            return list(pullback(tuple(bars)))

    @contextmanager
    def _differentiated(self) -> Iterator[None]:
        """Say what to write where the rule itself cannot be differentiated."""
        try:
            yield
        except LookupError as error:
            got = (
                f"{self} is to be differentiated again, and its rule runs on NumPy's own arrays"
                f" only ({error})"
            )
            instead = (
                "write the rule on Array, in operations that have rules, or on xp, so that JAX can"
                " trace it"
            )
            raise JaxError(f"the derivative of {self}", got, instead, primal=self) from error

    def transposed(self) -> "Operation":
        """Return the transpose of the linear part of the operation."""
        raise NotImplementedError

    def over(self, size: int, rank: int) -> "Operation":
        """The operation on arrays with `size` in front and `rank` axes after it."""
        raise NotImplementedError

    def direct_rrule(self, active: Sequence[bool]) -> Callable[..., Any] | None:
        """The reverse rule as a function of NumPy's arrays, where nothing has to be laid out; None
        elsewhere.
        """
        return None

    @property
    def rank(self) -> int:
        """The largest number of axes."""
        return max(len(spec.shape) for spec in (*self.ins, *self.outs))

    @property
    def table(self) -> Any:
        """The table of rules that the operation is differentiated by."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"the {type(self).__name__.lower()} of {self.of}"

    def __call__(self, *arrays) -> list[Any]:
        """The outputs of plain arrays.

        JAX's caches refer weakly to parameters of primitives that can be called, and keep others.
        """
        return self.evaluate(*arrays)

    def evaluate(self, *arrays) -> list[Any]:
        """The outputs of plain arrays, of the declared shapes and dtypes; errors are noted for
        `own_errors`.
        """
        try:
            found = without_writing(self.compute, list(map(np.asarray, arrays)))
            return [_declared(y, spec, self) for y, spec in zip(found, self.outs, strict=True)]
        except Exception as error:
            note(error)
            raise


@dataclass(frozen=True, repr=False)
class Value(Operation):
    """The value of a call."""

    flat: FlatCall
    ins: Specs
    outs: Specs
    elementwise: bool

    @property
    def broadcasts(self) -> bool:
        """Tell whether the rule is that of an elementwise function."""
        return self.elementwise

    @property
    def table(self) -> Any:
        """The table of the call."""
        return self.flat.table

    def compute(self, arrays: Arrays) -> list[Any]:
        """The leaves of the value."""
        if self.direct_program is not None:
            y = self.direct_program.value(arrays)
            return [y] if type(y) is np.ndarray else self._parts(FlatValue.of(y))
        return self._parts(self.flat.value(self._numbers(arrays, "reverse")))

    def _parts(self, y: FlatValue) -> list[Any]:
        """The arrays and numbers of a value, as many as were declared."""
        found = list(filter(is_array, y.leaves))
        if len(found) != len(self.outs):
            got = (
                f"it returned {len(found)} arrays and numbers, where {len(self.outs)} were declared"
            )
            raise JaxError(f"{self}", got, INSTEAD, primal=self)
        return found

    def __repr__(self) -> str:
        return f"to_jax({self.flat})"

    @cached_property
    def config(self) -> Any:
        """How functions that are arguments are differentiated."""
        return configs.host(self.table)

    def push(self, arrays: Arrays, dots: Arrays) -> list[Any]:
        """The tangents by the forward rule, or else by the reverse rule: a pullback is linear, and
        its derivative is this.
        """
        if self._modes == ["reverse"]:
            return self._push_by_pullback(arrays, dots)
        y, found = self.flat.frule(self._numbers(arrays, "forward"), dots, self.config)
        self._parts(y)
        own = list(map(is_array, y.leaves))
        return dense(chosen(found, own), chosen(y.leaves, own), self.floating)

    def pull(self, arrays: Arrays, bars: Arrays, active: Sequence[bool]) -> list[Any]:
        """The cotangents by the reverse rule, or else by the forward rule: a pushforward is linear,
        and this its pullback.
        """
        if self._modes == ["forward"]:
            return self._pull_by_pushforward(arrays, bars, active)
        y, pull = self.flat.rrule(self._numbers(arrays, "reverse"), active, self.config)
        seeds = bars if len(bars) == 1 else list(map(_seed, bars))
        self._parts(y)
        given = iter(spread(seeds, self.floating))
        return pull([_admitted(next(given), y) if is_array(y) else ZERO for y in y.leaves])

    def direct_rrule(self, active: Sequence[bool]) -> Callable[..., Any] | None:
        """The rule, where the arguments of the call are the arrays, in order."""
        if self.direct_program is not None:
            return pulled_by_program(self.direct_program, self._parts)
        if self._has_numbers:
            return None
        return self.flat.direct("reverse", [np.empty(0)] * len(self.ins), active, self.config)

    @cached_property
    def direct_program(self) -> Any:
        """The whole program that the call is, where its arguments are the arrays; None elsewhere."""
        if any(self.flat.numbers) or not configs.has_tape():
            return None
        return configs.tape().direct_program(self.flat)

    def _numbers(self, arrays: Arrays, mode: str) -> Arrays:
        return self.flat.as_numbers(arrays, mode, self.config) if self._has_numbers else arrays

    @cached_property
    def _has_numbers(self) -> bool:
        return any(self.flat.numbers) or not all(spec.shape for spec in self.ins)

    @cached_property
    def _modes(self) -> list[str]:
        """The modes in which there is a rule for NumPy's arrays."""
        arrays = [np.ones(spec.shape, spec.dtype) for spec in self.ins]

        def has_rule(mode: str) -> bool:
            return self.flat.rule(mode, self._numbers(arrays, mode), self.config) is not None

        return list(filter(has_rule, MODES))

    def _push_by_pullback(self, arrays: Arrays, dots: Arrays) -> list[Any]:
        active = [dot is not ZERO for dot in dots]
        zeros = [np.zeros(spec.shape, spec.dtype) for spec in chosen(self.outs, self.floating)]
        _, transposed = configs.tape().vjp(
            lambda *bars: tuple(chosen(self.pull(arrays, bars, active), active)),
            *zeros,
            rules=self.table,
        )
        return list(transposed(tuple(chosen(dots, active))))

    def _pull_by_pushforward(
        self, arrays: Arrays, bars: Arrays, active: Sequence[bool]
    ) -> list[Any]:
        zeros = [np.zeros(x.shape, x.dtype) for x in chosen(arrays, active)]
        _, transposed = configs.tape().vjp(
            lambda *dots: tuple(self.push(arrays, spread(dots, active))), *zeros, rules=self.table
        )
        return spread(transposed(tuple(bars)), active)

    def over(self, size: int, rank: int) -> "Value":
        """The value of arrays with one more axis."""

        def wide(spec) -> Any:
            ones = (1,) * (rank - len(spec.shape))
            return Spec((size, *ones, *spec.shape), spec.dtype)

        outs = tuple(Spec((size, *spec.shape), spec.dtype) for spec in self.outs)
        return replace(self, ins=tuple(map(wide, self.ins)), outs=outs)


def pulled_by_program(program, parts: Callable[[FlatValue], list[Any]]) -> Callable[..., Any]:
    """The reverse rule of a whole program, which traces it; `parts` refuses several results."""

    def rule(*arrays) -> tuple[Any, Callable[[Any], Any]]:
        y, pullback = program.traced(arrays)
        if isinstance(y, np.ndarray):
            return y, pullback
        parts(FlatValue.of(y))
        return y, lambda bar: pullback(bar[()])

    return rule


def without_writing(function: Callable[[list[Any]], Any], arrays: list[Any]) -> Any:
    """Call a function on arrays that cannot be written; where it writes into them or wants to be
    able to, on copies.
    """
    for x in arrays:
        if x.flags.writeable:
            x.flags.writeable = False
    try:
        return function(arrays)
    except ValueError as error:
        if "read-only" not in str(error):
            raise
        return function(list(map(np.array, arrays)))


def chosen(items: Arrays, active: Sequence[bool]) -> list[Any]:
    """Select the items of active arguments, from one item for each argument."""
    if all(active):
        return list(items)
    return [item for item, chosen in zip(items, active, strict=True) if chosen]


def spread(items: Arrays, active: Sequence[bool]) -> list[Any]:
    """Give the items to the active arguments, in order, and ZERO to all others."""
    given = iter(items)
    return [next(given) if chosen else ZERO for chosen in active]


def _seed(bar) -> Any:
    """The cotangent of one output of several; ZERO where JAX wrote zeros out: an output may have no
    other cotangent.
    """
    return ZERO if type(bar) is np.ndarray and not bar.any() else bar


def _admitted(bar, y) -> Any:
    """The cotangent of an output; ZERO for an integer that stands where a number was declared."""
    return ZERO if type(y) is int else bar


def dense(tangents: Arrays, values: Arrays, floating: Sequence[bool]) -> list[Any]:
    """Dense tangents of the values that are floating, or were declared so."""

    def tangent(t, y) -> Any:
        if type(t) is np.ndarray:
            return t
        return np.zeros(()) if type(y) is int else materialize(t, like=y)

    pairs = zip(chosen(tangents, floating), chosen(values, floating), strict=True)
    return [tangent(t, y) for t, y in pairs]


def _declared(y, spec, operation: Operation) -> Any:
    """An output with the dtype that was declared; one of another shape, or of a kind that the dtype
    does not hold, complex instead of real, say, is refused.
    """
    if type(y) is np.ndarray and y.dtype == spec.dtype and y.shape == spec.shape:
        return y
    require_numpy([y], operation)
    y = np.asarray(y)
    if y.shape != spec.shape or not is_held(y.dtype, np.dtype(spec.dtype)):
        declared = f"{spec.shape} and {spec.dtype} were declared"
        got = f"it returned shape {y.shape} and dtype {y.dtype}, where {declared}"
        raise JaxError(f"{operation}", got, INSTEAD, primal=operation)
    return np.asarray(y, dtype=spec.dtype)


def is_held(found: np.dtype[Any], declared: np.dtype[Any]) -> bool:
    """Tell whether numbers of a dtype lose nothing but digits in another one."""
    return KINDS.get(found.kind, 0) <= KINDS.get(declared.kind, len(KINDS))


def require_numpy(leaves: Arrays, where) -> None:
    """Refuse what was computed by JAX in a function of NumPy's: from a callback, that can wait
    forever for itself.
    """
    if any(isinstance(leaf, jax.Array) for leaf in leaves if type(leaf) is not np.ndarray):
        got = "it returns an array of JAX's, and is called by NumPy, since JAX cannot trace it"
        instead = (
            "write it in NumPy alone, or so that JAX can trace all of it: a callback that calls JAX"
            " can wait forever"
        )
        raise JaxError(f"{where}", got, instead, primal=where)
