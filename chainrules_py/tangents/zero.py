"""The two zeros: a derivative that is zero, and the absence of any tangent space.

Both are singletons, so `t is ZERO` is the test. They answer the linear array methods with
themselves, so that a rule written with methods (`y_bar.reshape(shape)`) need not ask whether its
cotangent is zero. They have no shape and no dtype: what needs those is not linear in the tangent
alone.
"""

from collections.abc import Iterator
from typing import Any, ClassVar, NoReturn, Self

from chainrules_py.errors import TangentTypeError
from chainrules_py.tangents.abstract import AbstractTangent

_LINEAR_ATTRIBUTES = ("T", "mT", "H", "real", "imag")
_LINEAR_METHODS = (
    *("sum", "mean", "cumsum", "trace", "diagonal"),
    *("reshape", "transpose", "swapaxes", "squeeze"),
    *("ravel", "flatten", "repeat", "take", "__getitem__"),
    *("conj", "conjugate", "astype", "copy"),
)


class AbstractZero(AbstractTangent):
    """Base of `ZeroTangent` and `NoTangent`: false, hashable, one instance each."""

    __slots__ = ()
    _instance: ClassVar[Any]
    _name: ClassVar[str]

    def __new__(cls) -> Self:
        """The one instance of the class."""
        return cls._instance

    def __reduce__(self) -> str:
        # A string is a global's name in this module: pickle, copy and deepcopy all keep the
        # identity.
        return self._name

    def __repr__(self) -> str:
        return self._name

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        # Other tangents are asked in turn: a thunk is equal to what it computes.
        return NotImplemented if isinstance(other, AbstractTangent) else False

    def __hash__(self) -> int:
        return hash(self._name)

    def __bool__(self) -> bool:
        return False

    def __iter__(self) -> Iterator[Any]:
        # Without this Python would iterate by __getitem__, which answers forever.
        _refuse_operation(
            "iter", self, "its length is unknown; `materialize(t, like=x)` can be iterated"
        )

    def __array__(self, dtype: Any = None, copy: Any = None) -> NoReturn:
        _refuse_operation("numpy.asarray", self, "write `materialize(t, like=x)` for a dense zero")

    def __getattr__(self, name: str) -> Any:
        # Only reached for absent names; the linear ones are generated below.
        raise AttributeError(
            f"{self!r} has no attribute {name!r}: a zero has no shape, dtype or entries; see"
            " materialize"
        )


class ZeroTangent(AbstractZero):
    """A derivative that exists and is zero; its only instance is `ZERO`.

    >>> ZERO + 2.0, 3.0 * ZERO
    (2.0, ZERO)
    """

    __slots__ = ()
    _name = "ZERO"

    def __float__(self) -> float:
        return 0.0

    def __complex__(self) -> complex:
        return 0j


class NoTangent(AbstractZero):
    """There is no tangent space here, as for integers and strings; the instance is `NO_TANGENT`."""

    __slots__ = ()
    _name = "NO_TANGENT"


def _refuse_operation(operation: str, operand, instead: str) -> NoReturn:
    raise TangentTypeError(
        operation, f"got {operand!r}", instead, operation=operation, operands=(operand,)
    )


def _itself(self: AbstractZero, *args, **options) -> AbstractZero:
    return self


for _attribute in _LINEAR_ATTRIBUTES:
    setattr(AbstractZero, _attribute, property(_itself))
for _method in _LINEAR_METHODS:
    setattr(AbstractZero, _method, _itself)

ZeroTangent._instance = object.__new__(ZeroTangent)
NoTangent._instance = object.__new__(NoTangent)
ZERO: ZeroTangent = ZeroTangent()
NO_TANGENT: NoTangent = NoTangent()
