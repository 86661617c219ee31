"""What a pullback accepts: the cotangent of an output, checked before a rule ever sees it.

A `SeedSpace` remembers of an output only its shape, dtype and structure. `admit` returns a natural cotangent (or a `Tangent`
for an output with several parts, or ZERO), and raises a SeedError for anything else: None, a wrong shape or number of
parts, an integer or object array, a complex seed of a real output. A Python number is weak: it takes the output's dtype.
"""

from typing import Any

from chainrules_py.arrays import numpy_library
from chainrules_py.errors import SeedError
from chainrules_py.structure import fields, is_container
from chainrules_py.tangents import ZERO, AbstractZero, NotImplementedTangent, Tangent, unthunk
from chainrules_py.tangents.structural import entries, with_entries


class SeedSpace:
    """The cotangent space of one output value, without the value."""

    __slots__ = ("dtype", "parts", "primal_type", "shape")

    def __init__(self, y: Any) -> None:
        self.primal_type = type(y)
        self.parts = {key: SeedSpace(part) for key, part in fields(y).items()} if is_container(y) else None
        self.shape = getattr(y, "shape", () if isinstance(y, (int, float, complex)) else None)
        self.dtype = getattr(y, "dtype", None)

    def admit(self, y_bar: Any, rule: str) -> Any:
        """The cotangent as a rule may see it."""
        y_bar = unthunk(y_bar)
        if isinstance(y_bar, AbstractZero):
            return ZERO
        if isinstance(y_bar, NotImplementedTangent) or y_bar is None:
            raise self._wrong(y_bar, rule, "pass ZERO where the output has no influence")
        if self.parts is not None:
            return self._admit_parts(self.parts, y_bar, rule)
        if self.shape is None:
            return y_bar  # an opaque output: its rule knows its cotangents
        return admit_natural(y_bar, self.shape, self.dtype, rule)

    def _admit_parts(self, parts: dict[Any, "SeedSpace"], y_bar: Any, rule: str) -> Any:
        given = entries(y_bar) if isinstance(y_bar, Tangent) else _parts_of(y_bar)
        if given is None or not given.keys() <= parts.keys() or (isinstance(y_bar, tuple | list) and len(given) != len(parts)):
            raise self._wrong(y_bar, rule, f"pass one cotangent for each of the {len(parts)} outputs, ZERO for unused ones")
        admitted = {key: space.admit(given.get(key, ZERO), f"{rule} output {key!r}") for key, space in parts.items()}
        if all(isinstance(part, AbstractZero) for part in admitted.values()):
            return ZERO
        return with_entries(self.primal_type, admitted)

    def _wrong(self, y_bar: Any, rule: str, instead: str) -> SeedError:
        return SeedError(
            f"the pullback of {rule}",
            f"got {y_bar!r} as the cotangent of a {self.primal_type.__qualname__}",
            instead,
            rule=rule,
            argument="y_bar",
            value=y_bar,
            expected=self.primal_type,
        )


def _parts_of(y_bar: Any) -> dict[Any, Any] | None:
    return fields(y_bar) if is_container(y_bar) else None


def admit_natural(y_bar: Any, shape: tuple[int, ...], dtype: Any, rule: str) -> Any:
    """A dense cotangent of an output with this shape and dtype; a Python number becomes one where the shape is ()."""
    if isinstance(y_bar, AbstractZero):
        return ZERO
    if isinstance(y_bar, (int, float, complex)) and not hasattr(y_bar, "dtype"):
        if shape != ():
            raise _wrong_natural(y_bar, shape, dtype, rule, "a Python number")
        return _weak_number(y_bar, shape, dtype, rule)
    if getattr(y_bar, "shape", None) != shape:
        raise _wrong_natural(y_bar, shape, dtype, rule, f"shape {getattr(y_bar, 'shape', None)}")
    kind = getattr(getattr(y_bar, "dtype", None), "kind", "f")
    wanted = getattr(dtype, "kind", "f")
    if wanted in "biu":
        return ZERO  # the output has no tangent space, so nothing can arrive
    if kind != wanted and (kind, wanted) != ("f", "c"):
        raise _wrong_natural(y_bar, shape, dtype, rule, f"dtype {getattr(y_bar, 'dtype', None)}")
    return y_bar


def admit_dense(y_bar: Any, shape: tuple[int, ...], dtype: Any, rule: str) -> Any:
    """`admit_natural` for generated pullbacks: thunks are forced first, and other float dtypes become the output's."""
    y_bar = unthunk(y_bar)
    if y_bar is None or isinstance(y_bar, NotImplementedTangent | Tangent):
        raise _wrong_natural(y_bar, shape, dtype, rule, repr(y_bar))
    y_bar = admit_natural(y_bar, shape, dtype, rule)
    return y_bar if y_bar is ZERO or y_bar.dtype == dtype else y_bar.astype(dtype)


def _weak_number(y_bar: Any, shape: tuple[int, ...], dtype: Any, rule: str) -> Any:
    if dtype is None:
        return y_bar
    if isinstance(y_bar, complex) and dtype.kind != "c":
        raise _wrong_natural(y_bar, shape, dtype, rule, "a complex number")
    return numpy_library().namespace.asarray(y_bar, dtype=dtype)[()]


def _wrong_natural(y_bar: Any, shape: tuple[int, ...], dtype: Any, rule: str, got: str) -> SeedError:
    return SeedError(
        f"the pullback of {rule}",
        f"got {got} as the cotangent of an output of shape {shape} and dtype {dtype}",
        "pass an array of that shape and kind of dtype, or ZERO",
        rule=rule,
        argument="y_bar",
        value=y_bar,
        expected=(shape, dtype),
    )


def admit_tangents(dots: Any, args: tuple[Any, ...], rule: str) -> tuple[Any, ...]:
    """The tangents of a forward call, one per positional argument, as a rule may see them."""
    if not isinstance(dots, tuple) or len(dots) != len(args):
        raise SeedError(
            rule,
            f"got {dots!r} as the tangents of {len(args)} arguments",
            "pass a tuple with one tangent per positional argument, ZERO for constants",
            rule=rule,
            argument="dots",
            value=dots,
            expected=len(args),
        )
    return tuple(
        _admit_tangent(dot, arg, f"{rule} argument {index}") for index, (dot, arg) in enumerate(zip(dots, args, strict=True))
    )


def _admit_tangent(dot: Any, arg: Any, rule: str) -> Any:
    if isinstance(dot, AbstractZero):
        return dot
    return SeedSpace(arg).admit(dot, rule)
