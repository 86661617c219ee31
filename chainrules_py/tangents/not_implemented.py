"""A derivative that exists mathematically and that nobody wrote.

It costs nothing until somebody uses it: sums and scalings hand it on, a zero annihilates it, and
only a use of its value raises, with the reason and the line that made it.
"""

from collections.abc import Iterator
from typing import Any, NoReturn

from chainrules_py.errors import NotImplementedTangentError
from chainrules_py.introspection import caller_location
from chainrules_py.tangents.abstract import AbstractTangent


class NotImplementedTangent(AbstractTangent):
    """The place of a missing derivative: why it is missing, and the ``file:line`` that says so."""

    __slots__ = ("location", "reason")

    def __init__(self, reason: str, location: str) -> None:
        self.reason = reason
        self.location = location

    def refuse_use(self, operation: str) -> NoReturn:
        """Raise: `operation` needs the value that nobody wrote."""
        raise NotImplementedTangentError(
            operation,
            f"got a derivative that is not implemented ({self.reason}), declared at"
            f" {self.location}",
            "do not differentiate with respect to this argument, or register a rule for it",
            reason=self.reason,
            location=self.location,
        )

    def __repr__(self) -> str:
        return f"NotImplementedTangent({self.reason!r}, {self.location!r})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, NotImplementedTangent):
            return NotImplemented if isinstance(other, AbstractTangent) else False
        return (self.reason, self.location) == (other.reason, other.location)

    def __hash__(self) -> int:
        return hash((NotImplementedTangent, self.reason, self.location))

    def __bool__(self) -> bool:
        return self.refuse_use("bool")

    def __float__(self) -> NoReturn:
        self.refuse_use("float")

    def __complex__(self) -> NoReturn:
        self.refuse_use("complex")

    def __len__(self) -> int:
        return self.refuse_use("len")

    def __iter__(self) -> Iterator[Any]:
        self.refuse_use("iter")

    def __getitem__(self, index: Any) -> NoReturn:
        self.refuse_use("getitem")

    def __array__(self, dtype: Any = None, copy: Any = None) -> NoReturn:
        self.refuse_use("numpy.asarray")


def not_implemented(reason: str) -> NotImplementedTangent:
    """A `NotImplementedTangent` that remembers the line it was written on.

    >>> not_implemented("the order of a Bessel function").reason
    'the order of a Bessel function'
    """
    return NotImplementedTangent(reason, caller_location(1))
