"""Calls of which some leaves are constants: small integer and boolean arrays of NumPy's, which may
decide about sizes.

Everything else that is an array is traced by JAX. A call with its constants is hashable, so that
what was found out about it is found again, and compiled code too.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import jax
import numpy as np

from chainrules_py import NO_TANGENT, RuleConfig, RuleTable
from chainrules_py.engines import FlatCall, FlatValue, frozen_once

LARGEST_CONSTANT = 2**14  # bytes; larger ones are traced
_PYTHON_NUMBERS = (float, complex)


@dataclass(frozen=True)
class Constant:
    """An array that is a part of what a call is; equal by content."""

    content: bytes
    dtype: Any
    shape: tuple[int, ...]

    @property
    def array(self) -> Any:
        """The array, which cannot be written."""
        return np.frombuffer(self.content, self.dtype).reshape(self.shape)


@dataclass(frozen=True)
class BoundCall:
    """A flat call, the constants among its leaves (None where one varies), and which varying leaves
    were Python's numbers.
    """

    call: FlatCall
    constants: tuple[Constant | None, ...]
    numbers: tuple[type | None, ...]

    @classmethod
    def of(
        cls, primal, args: tuple[Any, ...], options: dict[str, Any], table: RuleTable
    ) -> tuple["BoundCall", list[Any]]:
        """A call taken apart, and its leaves that vary."""
        # JAX runs functions later, compiled ones again and again
        args, options = frozen_once(args), frozen_once(options)
        call, leaves = FlatCall.of(primal, args, options, _is_array, table)
        constants = tuple(map(_constant, leaves))
        pairs = zip(leaves, constants, strict=True)
        varying = [leaf for leaf, constant in pairs if constant is None]
        kinds = map(type, varying)
        numbers = tuple(kind if kind in _PYTHON_NUMBERS else None for kind in kinds)
        return cls(call, constants, numbers), varying

    @cached_property
    def _has_constants(self) -> bool:
        return any(self.constants)

    def value(self, leaves: Sequence[Any]) -> FlatValue:
        """The value of the call."""
        return self.call.value(self._all(leaves, _array_of))

    def frule(
        self, leaves: Sequence[Any], dots: Sequence[Any], config: RuleConfig
    ) -> tuple[FlatValue, list[Any]]:
        """The value and its tangents by the forward rule."""
        return self.call.frule(self._all(leaves, _array_of), self.with_constants(dots), config)

    def rrule(
        self, leaves: Sequence[Any], needed: Sequence[bool], config: RuleConfig
    ) -> tuple[FlatValue, Callable[[Sequence[Any]], list[Any]]]:
        """The value and the pullback to the leaves that vary, by the reverse rule."""
        y, pull = self.call.rrule(
            self._all(leaves, _array_of), self._all(needed, lambda _: False), config
        )
        if not self._has_constants:
            return y, pull

        def pull_to_varying(bars: Sequence[Any]) -> list[Any]:
            return self.varying(pull(bars))

        return y, pull_to_varying

    def rule(self, mode, leaves: Sequence[Any], config: RuleConfig) -> Any:
        """The rule for leaves of these classes, None where there is none."""
        return self.call.rule(mode, self._all(leaves, _array_of), config)

    def as_numbers(self, leaves: Sequence[Any], mode, config: RuleConfig) -> list[Any]:
        """NumPy's arrays as the rule takes them: Python's numbers, which are weak, where they stood
        in the call.
        """
        weak = [_number(x, kind) for x, kind in zip(leaves, self.numbers, strict=True)]
        if self.rule(mode, weak, config) is not None:
            return weak
        return [x[()] if isinstance(x, np.ndarray) else x for x in weak]

    def with_constants(self, tangents: Sequence[Any]) -> list[Any]:
        """The tangents of all leaves from those of the leaves that vary."""
        return self._all(tangents, lambda _: NO_TANGENT)

    def all_leaves(self, leaves: Sequence[Any]) -> list[Any]:
        """All leaves of the call, its constants among them."""
        return self._all(leaves, _array_of)

    def varying(self, items: Sequence[Any]) -> list[Any]:
        """Select the items of leaves that vary, from one item for each leaf."""
        pairs = zip(items, self.constants, strict=True)
        return [item for item, constant in pairs if constant is None]

    def _all(self, leaves: Sequence[Any], of_constant: Callable[[Constant], Any]) -> list[Any]:
        if not self._has_constants:
            return list(leaves)
        found = iter(leaves)
        return [
            next(found) if constant is None else of_constant(constant)
            for constant in self.constants
        ]


def _number(x, kind: type | None) -> Any:
    """A 0-d array as the Python number that stood in its place; what chainrules_tape traces as it
    is.
    """
    return kind(x) if kind is not None and type(x) is np.ndarray and x.ndim == 0 else x


def _array_of(constant: Constant) -> Any:
    return constant.array


def _is_array(x) -> bool:
    # JAX's tracers say that they are jax.Array
    return isinstance(x, jax.Array | np.ndarray | np.generic)


def _constant(leaf) -> Constant | None:
    if not isinstance(leaf, np.ndarray | np.generic):
        return None
    if leaf.dtype.kind not in "biu" or leaf.nbytes > LARGEST_CONSTANT:
        return None
    return Constant(leaf.tobytes(), leaf.dtype, leaf.shape)
