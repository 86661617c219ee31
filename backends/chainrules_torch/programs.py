"""Calls that NumPy computes for PyTorch, with pullbacks that are made with their values."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from chainrules_py import NoRuleError
from chainrules_py.engines import Call, FlatValue, Pull, is_traced, with_items_at

Arrays = Sequence[Any]
Results = Sequence[Any]


@dataclass(eq=False)
class Shape:
    """How the value of a call is built of its results, which is known when it has run.

    The results themselves are not in it: they would keep PyTorch's graph alive.
    """

    tree: FlatValue | None = None
    places: Sequence[int] = ()

    def results_in(self, y: FlatValue) -> list[Any]:
        """Return the results in a value, and store what else is in it."""
        self.places = places = places_of(y)
        others = [None if k in places else leaf for k, leaf in enumerate(y.leaves)]
        self.tree = FlatValue(others, y.tree)
        return [y.leaves[k] for k in places]

    def rebuilt(self, results: Results) -> Any:
        """Build the value with these results in their places."""
        assert self.tree is not None, "the call has been run"
        return self.tree.with_leaves(with_items_at(self.tree.leaves, self.places, results))


class CachedPullback(NamedTuple):
    """A pullback of a call, with the memory and the needed leaves that it is right for."""

    memory: Any
    needed: frozenset[int]
    value: FlatValue
    pull: Pull

    def serves(self, memory, needed: Sequence[int]) -> bool:
        """Tell whether it computes the cotangents of these leaves."""
        return self.memory == memory and self.needed.issuperset(needed)


@dataclass(frozen=True, eq=False, repr=False)
class NumpyCall(Call):
    """A call of a primal, whose results are the arrays and the numbers with a dtype in its value.

    `needed` are the leaves that require gradients, as far as it is known. Where there are any, the
    pullback is made with the value, and cached: it is used again for the same memory.
    """

    needed: frozenset[int] = frozenset()
    shape: Shape = field(default_factory=Shape)
    cached: list[CachedPullback] = field(default_factory=list)  # the last one

    def __repr__(self) -> str:
        return f"to_torch({self.flat})"

    def compute(self, arrays: Arrays, memory: Any = None) -> list[Any]:
        """Return the results."""
        is_needed = bool(self.needed) and not any(map(is_traced, arrays))
        value = self._value_if_ruled(arrays, memory) if is_needed else None
        return self.shape.results_in(self.value(arrays) if value is None else value)

    def places(self, value: FlatValue) -> list[int]:
        """Find the leaves of the value that become tensors."""
        return places_of(value)

    def with_pullback(
        self, arrays: Arrays, needed: Sequence[int], memory: Any
    ) -> tuple[FlatValue, Pull]:
        """Return the value and its pullback, the cached one if it serves."""
        if memory is None or not any(last.serves(memory, needed) for last in self.cached):
            found = super().with_pullback(arrays, needed, memory)
            self.cached[:] = [CachedPullback(memory, frozenset(needed), *found)]
        (last,) = self.cached
        return last.value, last.pull

    def _value_if_ruled(self, arrays: Arrays, memory) -> FlatValue | None:
        try:
            return self.with_pullback(arrays, tuple(self.needed), memory)[0]
        except NoRuleError:  # raised again when somebody asks for the derivative
            return None


def places_of(value: FlatValue) -> list[int]:
    """Find the leaves that become tensors: arrays and numbers, but no integers of Python."""
    leaves = enumerate(value.leaves)
    return [k for k, y in leaves if hasattr(y, "dtype") or isinstance(y, float | complex)]
