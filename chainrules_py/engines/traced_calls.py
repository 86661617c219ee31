"""The traced values of an engine, and the calls on them that it differentiates.

An engine derives its class of values from `TracedValue`, and gives it `differentiate`, which takes a
`TracedCall`: its function, its arguments laid flat, and the rule of it as a method.
"""

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from chainrules_py.annotations import Args, Options
from chainrules_py.calls.traced_values import ArrayProxy, innermost, join_traced, refuse_captured
from chainrules_py.engines.flat_calls import FlatCall, FlatValue, Leaves
from chainrules_py.rules.config import NO_CONFIG, RuleConfig
from chainrules_py.values.identity import qualified_name


class TracedValue(ArrayProxy):
    """A value that stands for an array or a number, `value`, in the derivative numbered `level`.

    Operators, methods, NumPy's functions and rules compute with it as with an array. `config` is
    what rules may ask of the engine. A derived class joins the array libraries by itself; where
    values of several meet, that with the highest `priority` is the namespace of rules.
    """

    __slots__ = ()
    config: ClassVar[RuleConfig] = NO_CONFIG

    def __init_subclass__(cls, priority: int = 100, **options: Any) -> None:
        super().__init_subclass__(**options)
        join_traced(cls, qualified_name(cls), priority)

    @classmethod
    def compute(cls, primal: Any, args: Args, options: Options) -> Any:
        """Compute an operation: by `differentiate`, and on plain values where it has no derivative."""
        owner = innermost((*args, *options.values()))
        if owner is None:
            return primal(*args, **options)
        call = TracedCall(owner, primal, args, options)
        return cls.differentiate(call) if call.has_derivative() else call.plain_result()

    @classmethod
    def differentiate(cls, call: "TracedCall") -> Any:
        """Return the result of a call, traced: by ``call.rrule()``, or by ``call.frule(dots)``."""
        raise NotImplementedError


class TracedCall:
    """A call of the derivative that began last among those of its arguments; `owner` is one of them,
    and `level` the number of that derivative.

    `leaves` are the values in its arguments and options, containers opened. Those of other
    derivatives are plain to it.
    """

    owner: Any  # of the engine's own class

    def __init__(self, owner: TracedValue, primal: Any, args: Args, options: Options) -> None:
        self.owner, self.level = owner, owner.level
        self.flat, self.leaves = FlatCall.of(primal, args, options)
        self._values = [x.value if self.is_own(x) else x for x in self.leaves]
        self._needed = list(map(self.is_own, self.leaves))

    def is_own(self, x: Any) -> bool:
        """Whether a value is traced by this derivative."""
        return isinstance(x, TracedValue) and bool(x.level == self.level)

    @property
    def primal(self) -> Any:
        """The function that is called."""
        return self.flat.primal

    def traced(self, y: Any, *fields: Any) -> Any:
        """Return a result, of several parts too, with each array and number in it traced: the class of
        the `owner` is called with the value, the level and `fields`.
        """
        flat = y if isinstance(y, FlatValue) else FlatValue.of(y)
        cls: Any = type(self.owner)
        return flat.with_leaves([cls(leaf, self.level, *fields) for leaf in flat.leaves])

    def rrule(self) -> tuple[FlatValue, Callable[[Leaves], list[Any]]]:
        """Return the value, and the pullback from cotangents of its leaves to those of `leaves`."""
        # a program may write to its arrays before the pullback reads them
        values = [x.copy() if type(x) is np.ndarray else x for x in self._values]
        return self._checked(self.flat.rrule(values, self._needed, self.owner.config))

    def frule(self, dots: Leaves) -> tuple[FlatValue, list[Any]]:
        """Return the value, and the tangents of its leaves; from a tangent for each of `leaves`, ZERO
        among them.
        """
        return self._checked(self.flat.frule(self._values, dots, self.owner.config))

    def has_derivative(self) -> bool:
        """Whether the function is not known to be constant, as comparisons are."""
        return self.flat.has_derivative(self._values, self._needed, self.owner.config)

    def plain_result(self) -> Any:
        """Return the result for plain values."""
        return self.owner.dispatch(self.flat.primal, *self.flat.arguments(self._values))

    def _checked(self, found: tuple[FlatValue, Any]) -> tuple[FlatValue, Any]:
        refuse_captured(self.flat.primal, found[0].leaves, self.level)
        return found
