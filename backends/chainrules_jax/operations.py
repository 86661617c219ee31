"""Functions of flat NumPy arrays that JAX programs call; here the value of a call of a function
with rules.

An operation is static and hashable; arrays come as arguments. `derivatives` has the pushforwards
and pullbacks.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import jax
import numpy as np

from chainrules_jax.errors import JaxError, note_own_error
from chainrules_jax.tangents import Spec, has_jax_array, is_floating
from chainrules_py import ZERO
from chainrules_py.engines import Call, FlatValue, Mode, Program, call_without_writing, tape

Arrays = Sequence[Any]
INSTEAD = (
    "return what has the same shape and kind for all arguments of one shape, or declare it:"
    " to_jax(f, shapes=...)"
)
KINDS = {"b": 0, "u": 1, "i": 1, "f": 2, "c": 3}  # of dtypes: each holds those before it
Specs = tuple[Any, ...]


class Operation(Program):
    """A function of arrays with declared shapes; the arguments from `linear_from` on enter
    linearly.
    """

    ins: Specs
    outs: Specs

    @cached_property
    def floating(self) -> tuple[bool, ...]:
        """Which outputs are real or complex."""
        return tuple(map(is_floating, self.outs))

    @property
    def moving(self) -> list[int]:
        """The positions of the outputs that are real or complex."""
        return active_positions(self.floating)

    @property
    def linear_from(self) -> int:
        """How many arguments come before those that enter linearly."""
        return len(self.ins)

    @property
    def broadcasts(self) -> bool:
        """Tell whether one more axis in front of all arguments is one more axis of the outputs."""
        return False

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
            found = call_without_writing(self.compute, arrays)
            return [_declared(y, spec, self) for y, spec in zip(found, self.outs, strict=True)]
        except Exception as error:
            note_own_error(error)
            raise


@dataclass(frozen=True, repr=False)
class Value(Call, Operation):
    """The value of a call."""

    ins: Specs
    outs: Specs
    elementwise: bool

    @property
    def broadcasts(self) -> bool:
        """Tell whether the rule is that of an elementwise function."""
        return self.elementwise

    def __repr__(self) -> str:
        return f"to_jax({self.flat})"

    def compute(self, arrays: Arrays, memory: Any = None) -> list[Any]:
        """The leaves of the value."""
        if self.direct_program is None:
            return super().compute(self._numbers(arrays, "reverse"))
        y = self.direct_program.value(arrays)
        return [y] if type(y) is np.ndarray else self._parts(FlatValue.of(y))

    def places(self, value: FlatValue) -> list[int]:
        """The arrays and numbers among the leaves of a value, as many as were declared."""
        found = [k for k, y in enumerate(value.leaves) if has_jax_array(y)]
        if len(found) != len(self.outs):
            got = (
                f"it returned {len(found)} arrays and numbers, where {len(self.outs)} were declared"
            )
            raise JaxError(f"{self}", got, INSTEAD, primal=self)
        return found

    def _parts(self, y: FlatValue) -> list[Any]:
        return [y.leaves[k] for k in self.places(y)]

    def pulled(
        self,
        arrays: Arrays,
        needed: Sequence[int],
        given: Sequence[int],
        bars: Arrays,
        memory: Any = None,
    ) -> list[Any]:
        """The cotangents by the reverse rule."""
        if len(given) > 1:
            # JAX writes zeros out: an output may have no other cotangent
            present = [n for n, bar in enumerate(bars) if type(bar) is not np.ndarray or bar.any()]
            given, bars = [given[n] for n in present], [bars[n] for n in present]
        return super().pulled(self._numbers(arrays, "reverse"), needed, given, bars)

    def pushed(
        self, arrays: Arrays, moved: Sequence[int], dots: Arrays, wanted: Sequence[int]
    ) -> list[Any]:
        """The tangents by the forward rule."""
        return super().pushed(self._numbers(arrays, "forward"), moved, dots, wanted)

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
        if any(self.flat.numbers):
            return None
        return tape().direct_program(self.flat)

    def _numbers(self, arrays: Arrays, mode: Mode) -> Arrays:
        return self.flat.as_numbers(arrays, mode, self.config) if self._has_numbers else arrays

    @cached_property
    def _has_numbers(self) -> bool:
        return any(self.flat.numbers) or not all(spec.shape for spec in self.ins)

    def over(self, size: int, rank: int) -> "Value":
        """The value of arrays with one more axis."""

        def wide(spec):
            ones = (1,) * (rank - len(spec.shape))
            return Spec((size, *ones, *spec.shape), spec.dtype)

        outs = tuple(Spec((size, *spec.shape), spec.dtype) for spec in self.outs)
        return replace(self, ins=tuple(map(wide, self.ins)), outs=outs)


def pulled_by_program(program, parts: Callable[[FlatValue], list[Any]]) -> Callable[..., Any]:
    """The reverse rule of a whole program, which traces it; `parts` refuses several results."""

    def rule(*arrays) -> tuple[Any, Callable[[Any], Any]]:
        y, pullback = program.program.run_again(lambda: program.value_and_pullback(arrays))
        if isinstance(y, np.ndarray):
            return y, pullback
        parts(FlatValue.of(y))
        return y, lambda bar: pullback(bar[()])

    return rule


def of_active(items: Arrays, active: Sequence[bool]) -> list[Any]:
    """Select the items of active arguments, from one item for each argument."""
    if all(active):
        return list(items)
    return [item for item, chosen in zip(items, active, strict=True) if chosen]


def active_positions(active: Sequence[bool]) -> list[int]:
    """The positions of active arguments."""
    return [k for k, own in enumerate(active) if own]


def given_to_active(items: Arrays, active: Sequence[bool]) -> list[Any]:
    """Give the items to the active arguments, in order, and ZERO to all others."""
    given = iter(items)
    return [next(given) if chosen else ZERO for chosen in active]


def _declared(y, spec, operation: Operation) -> Any:
    """An output with the dtype that was declared; one of another shape, or of a kind that the dtype
    does not hold, complex instead of real, say, is refused.
    """
    if type(y) is np.ndarray and y.dtype == spec.dtype and y.shape == spec.shape:
        return y
    require_numpy([y], operation)
    y = np.asarray(y)
    if y.shape != spec.shape or not is_dtype_held(y.dtype, np.dtype(spec.dtype)):
        declared = f"{spec.shape} and {spec.dtype} were declared"
        got = f"it returned shape {y.shape} and dtype {y.dtype}, where {declared}"
        raise JaxError(f"{operation}", got, INSTEAD, primal=operation)
    return np.asarray(y, dtype=spec.dtype)


def is_dtype_held(found: np.dtype[Any], declared: np.dtype[Any]) -> bool:
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
