"""Work postponed until someone asks for it.

A thunk computes its value once, however many threads ask, then forgets how: the residuals that its
function held are freed. Engines and people call `unthunk`; arithmetic and NumPy's functions do so
by themselves. A thunk is not an array: it forwards no methods. Pickling or copying a thunk forces
it and yields the value, because the postponed function is rarely picklable.
"""

from collections.abc import Callable, Iterator
from inspect import CO_VARARGS
from threading import RLock
from typing import Any, NoReturn, cast

import numpy as np

from chainrules_py.annotations import Function
from chainrules_py.errors import TangentTypeError
from chainrules_py.tangents.abstract import AbstractTangent
from chainrules_py.values.late_names import warn_of_former

_RULE_ENDINGS = ("_pullback", "_pushforward", "_rrule", "_frule")


class Thunk(AbstractTangent):
    """A tangent that is computed, once, when somebody needs it.

    >>> unthunk(Thunk(lambda: 2.0 * 3.0))
    6.0
    """

    __slots__ = ("_compute", "_lock", "_name", "_value")

    def __init__(self, compute: Function, name: str | None = None) -> None:
        self._compute: Function | None = compute
        self._name = (
            name if name is not None else getattr(compute, "__qualname__", type(compute).__name__)
        )
        self._value: Any = None
        # not Lock: a thunk that needs itself then ends in RecursionError, not in a deadlock
        self._lock = RLock()

    @property
    def name(self) -> str:
        """The rule that made this thunk: ``getitem_pullback``."""
        parts = [part for part in self._name.split(".") if not part.startswith("<")] or [self._name]
        return next((part for part in reversed(parts) if part.endswith(_RULE_ENDINGS)), parts[-1])

    @property
    def forced(self) -> bool:
        """Whether the value has been computed."""
        return self._compute is None

    def is_in(self, shape: tuple[int, ...], dtype: Any) -> bool:
        """Whether the value is known to be an array of this shape and dtype."""
        return False

    def force(self) -> Any:
        """The value; an exception of the computation passes through, and the next call tries again."""
        if self._compute is not None:
            with self._lock:
                if self._compute is not None:
                    self._value = self._evaluate()
                    self._release()
        return self._value

    def _evaluate(self) -> Any:
        assert self._compute is not None, "asked while the lock is held"
        return self._compute()

    def _release(self) -> None:
        self._compute = None  # last, and after _value: another thread reads without the lock

    def __repr__(self) -> str:
        state = repr(self._value) if self.forced else "postponed"
        return f"{type(self).__name__}({self.name}: {state})"

    def __reduce__(self) -> Any:
        return (unthunk, (unthunk(self),))

    def __eq__(self, other: object) -> Any:
        return unthunk(self) == unthunk(other)

    def __hash__(self) -> int:
        return hash(unthunk(self))

    def __bool__(self) -> bool:
        return bool(unthunk(self))

    def __float__(self) -> float:
        return float(unthunk(self))

    def __complex__(self) -> complex:
        return complex(unthunk(self))

    def __iter__(self) -> Iterator[Any]:
        return iter(unthunk(self))

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.array(unthunk(self), dtype=dtype, copy=copy)


class InplaceableThunk(Thunk):
    """A thunk that can also add itself into a buffer, without making its value first.

    `add_into(buffer)` adds into an owned array of the primal's shape and dtype, `compute` gives the
    value, or is a thunk that does, and `zeros()` makes a fresh array. A scatter (the cotangent of
    indexing) touches only its own entries, so that n reads of an n-array cost O(n). A subclass that
    overrides both passes None for the functions. `space` is the shape and dtype of the value, where
    that is known; `fits` says of a buffer whether `add_into` can write to it, where that depends on
    what the thunk holds.
    """

    __slots__ = ("_add_into", "_fits", "_space", "_zeros")

    def __init__(
        self,
        add_into: Callable[[Any], None] | None,
        compute: Function | Thunk,
        zeros: Callable[[], Any] | None = None,
        name: str | None = None,
        space: tuple[tuple[int, ...], Any] | None = None,
        fits: Callable[[Any], bool] | None = None,
    ) -> None:
        code: Any = getattr(add_into, "__code__", None)
        if code is not None and not code.co_argcount and not code.co_flags & CO_VARARGS:
            warn_of_former("InplaceableThunk(compute, add_into)", "(add_into, compute)")
            add_into, compute = cast("Any", compute), cast("Any", add_into)
        if isinstance(compute, Thunk):
            name, compute = name or compute.name, compute.force
        super().__init__(compute, name)
        self._add_into, self._zeros, self._space, self._fits = add_into, zeros, space, fits

    def is_in(self, shape: tuple[int, ...], dtype: Any) -> bool:
        """Whether the space is known to be this one."""
        return self._space == (shape, dtype)

    def fits_into(self, buffer: Any) -> bool:
        """Whether `add_into` may write into this buffer: traced values need traced ones."""
        fits = self._fits
        return fits is None or fits(buffer)

    def taking(self, buffer: Any) -> Any:
        """Return a buffer that takes what `add_into` adds, this one or another, or None."""
        return buffer if self.fits_into(buffer) else None

    def add_into(self, buffer: Any) -> None:
        """``buffer += value``, written into `buffer` itself."""
        scatter = self._add_into
        if scatter is None:
            buffer += unthunk(self)
            return
        added = scatter(buffer)
        if added is not None and added is not buffer:
            self._refuse_new_array(added)

    def _refuse_new_array(self, added: Any) -> NoReturn:
        """Raise for a sum that was made beside the buffer, where it would be lost."""
        raise TangentTypeError(
            f"add_into of {self.name}",
            f"it returned {added!r}, and wrote nothing into its buffer",
            "write into it: buffer += value, or numpy.add(buffer, value, out=buffer)",
            operation="add_into",
            operands=(self, added),
        )

    def zeros(self) -> Any:
        """A fresh zero buffer of the primal's shape and dtype, owned by the caller."""
        make = self._zeros
        return make() if make is not None else np.zeros_like(unthunk(self))

    def _release(self) -> None:
        super()._release()
        # they hold residuals too, and the value says it all now
        self._add_into = self._zeros = self._fits = None


def unthunk(t: Any) -> Any:
    """The tangent itself: forces thunks, repeatedly; everything else passes through."""
    while issubclass(type(t), Thunk):  # isinstance would ask a traced array for its value's class
        t = t.force()
    return t
