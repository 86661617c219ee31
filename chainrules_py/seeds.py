"""What rules are handed: cotangents of outputs and tangents of arguments, checked before a rule ever sees them.

A `SeedSpace` remembers of a value only its shape, dtype and structure. `admit` returns a natural tangent (or a `Tangent` for
a value with several parts, or ZERO), and raises a SeedError for anything else: None, a wrong shape or number of parts, an
integer or object array, a complex seed of a real value. A Python number is weak: it takes the value's dtype.
"""

from typing import Any

from chainrules_py.arrays import numpy_library
from chainrules_py.errors import SeedError
from chainrules_py.identity import qualified_name
from chainrules_py.structure import fields, is_container
from chainrules_py.tangents import ZERO, AbstractZero, NotImplementedTangent, Tangent, has_tangent, unthunk
from chainrules_py.tangents.structural import entries, with_entries

_KINDS = {int: "i", float: "f", complex: "c"}  # Python's numbers have no dtype: their class says what they are


class SeedSpace:
    """The tangent space of one value, without the value."""

    __slots__ = ("dtype", "parts", "primal_type", "shape")

    def __init__(self, y: Any) -> None:
        self.primal_type = type(y)
        self.parts = {key: SeedSpace(part) for key, part in fields(y).items()} if is_container(y) else None
        self.shape = getattr(y, "shape", () if isinstance(y, (int, float, complex)) else None)
        dtype = getattr(y, "dtype", None)
        self.dtype = dtype if dtype is not None else next((cls for cls in _KINDS if isinstance(y, cls)), None)

    def admit(self, seed: Any, where: str) -> Any:
        """The seed as a rule may see it; `where` is how an error names the place it was handed in."""
        seed = unthunk(seed)
        if isinstance(seed, AbstractZero):
            return ZERO
        if seed is None or isinstance(seed, NotImplementedTangent):
            raise seed_error(seed, repr(seed), self.primal_type.__qualname__, where, "pass ZERO where there is no influence")
        if self.parts is not None:
            return self._admit_parts(self.parts, seed, where)
        if self.shape is None:
            return seed  # an opaque value: its rule knows its tangents
        return admit_natural(seed, self.shape, self.dtype, where)

    def _admit_parts(self, parts: dict[Any, "SeedSpace"], seed: Any, where: str) -> Any:
        given = entries(seed) if isinstance(seed, Tangent) else fields(seed) if is_container(seed) else None
        incomplete = isinstance(seed, tuple | list) and given is not None and len(given) != len(parts)
        if given is None or incomplete or not given.keys() <= parts.keys():
            instead = f"pass one for each of the {len(parts)} parts, ZERO for unused ones"
            raise seed_error(seed, repr(seed), self.primal_type.__qualname__, where, instead)
        admitted = {key: space.admit(given.get(key, ZERO), f"{where} part {key!r}") for key, space in parts.items()}
        if all(isinstance(part, AbstractZero) for part in admitted.values()):
            return ZERO
        return with_entries(self.primal_type, admitted)


def admit_natural(seed: Any, shape: tuple[int, ...], dtype: Any, where: str) -> Any:
    """A dense tangent of a value with this shape and dtype; a Python number becomes one where the shape is ()."""
    if isinstance(seed, AbstractZero):
        return ZERO
    wanted = dtype.kind if hasattr(dtype, "kind") else _KINDS.get(dtype, "f")
    if wanted in "biu":
        raise seed_error(seed, repr(seed), f"value of dtype {dtype}", where, "pass NO_TANGENT: integers have no tangent")
    if issubclass(type(seed), (int, float, complex)) and not hasattr(seed, "dtype"):
        return _weak_number(seed, shape, dtype, wanted, where)
    if getattr(seed, "shape", None) != shape:
        got = f"shape {seed.shape}" if hasattr(seed, "shape") else f"a {type(seed).__qualname__}"
        raise _mismatch(seed, got, shape, dtype, where)
    kind = getattr(getattr(seed, "dtype", None), "kind", "f")
    if kind != wanted and (kind, wanted) != ("f", "c"):
        raise _mismatch(seed, f"dtype {getattr(seed, 'dtype', None)}", shape, dtype, where)
    return seed


def admit_dense(y_bar: Any, shape: tuple[int, ...], dtype: Any, where: str) -> Any:
    """`admit_natural` for generated pullbacks: thunks are forced first, and other float dtypes become the output's."""
    y_bar = unthunk(y_bar)
    if y_bar is None or isinstance(y_bar, NotImplementedTangent | Tangent):
        raise _mismatch(y_bar, repr(y_bar), shape, dtype, where)
    y_bar = admit_natural(y_bar, shape, dtype, where)
    return y_bar if y_bar is ZERO or y_bar.dtype == dtype else y_bar.astype(dtype)


def _weak_number(seed: Any, shape: tuple[int, ...], dtype: Any, wanted: str, where: str) -> Any:
    if shape != () or (isinstance(seed, complex) and wanted != "c"):
        raise _mismatch(seed, f"the number {seed!r}", shape, dtype, where)
    return numpy_library().namespace.asarray(seed, dtype=dtype)[()] if hasattr(dtype, "kind") else seed


def admit_tangents(dots: Any, args: tuple[Any, ...], primal: Any) -> tuple[Any, ...]:
    """The tangents of a forward call, one per positional argument, as a rule may see them."""
    if not isinstance(dots, tuple) or len(dots) != len(args):
        instead = "pass a tuple with one tangent per positional argument, ZERO for constants"
        raise seed_error(dots, repr(dots), f"call with {len(args)} arguments", f"frule({qualified_name(primal)})", instead)
    return tuple([_admit_tangent(dot, arg, primal, i) for i, (dot, arg) in enumerate(zip(dots, args, strict=True))])


def _admit_tangent(dot: Any, arg: Any, primal: Any, index: int) -> Any:
    if isinstance(dot, AbstractZero):
        return dot
    own = hasattr(dot, "dtype") and hasattr(arg, "dtype") and dot.dtype is arg.dtype and dot.shape == arg.shape
    if own and has_tangent(dot.dtype):
        return dot
    return SeedSpace(arg).admit(dot, f"argument {index} of frule({qualified_name(primal)})")


def _mismatch(seed: Any, got: str, shape: tuple[int, ...], dtype: Any, where: str) -> SeedError:
    name = dtype.__name__ if isinstance(dtype, type) else dtype
    return seed_error(seed, got, f"value of shape {shape} and dtype {name}", where, "pass one of that shape and kind, or ZERO")


def seed_error(seed: Any, got: str, space: str, where: str, instead: str) -> SeedError:
    """The error for a seed that is no tangent of the value it was handed in for."""
    return SeedError(where, f"got {got} as the tangent of a {space}", instead, rule=where, value=seed, expected=space)
