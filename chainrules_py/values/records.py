"""`Record`: a class of named values, declared as a dataclass is.

A dataclass writes its methods as text and has them compiled when its module is imported: 0.3 to 0.8
ms for each that is frozen, where a record takes 20 us, and a program imports a dozen before its
first gradient. Making an instance takes twice as long as of a dataclass that is frozen, so a class
whose instances are made in every call is none of these.
"""

import inspect
from typing import Any, ClassVar, Self, dataclass_transform, get_origin

from chainrules_py.annotations import Args


class OwnSignature:
    """The signature of a class of records, for `help`: of its names, and made when it is asked."""

    def __get__(self, record: "Record | None", cls: "type[Record]") -> inspect.Signature:
        if record is not None:
            raise AttributeError("__signature__")
        return inspect.Signature(
            [
                inspect.Parameter(
                    name,
                    inspect.Parameter.POSITIONAL_OR_KEYWORD,
                    default=cls._defaults.get(name, inspect.Parameter.empty),
                )
                for name in cls.field_names
            ]
        )


@dataclass_transform(eq_default=False, frozen_default=True)
class Record:
    """Base of classes whose annotated names are the arguments that make an instance.

    A value in the class is the default of its name. An instance does not change, and is equal to
    itself alone.

    >>> class Interval(Record):
    ...     begin: float
    ...     end: float = 1.0
    >>> half = Interval(0.5)
    >>> half, half.replaced(begin=0.0)
    (Interval(begin=0.5, end=1.0), Interval(begin=0.0, end=1.0))
    """

    field_names: ClassVar[tuple[str, ...]] = ()
    _names: ClassVar[frozenset[str]] = frozenset()
    _defaults: ClassVar[dict[str, Any]] = {}
    __signature__: ClassVar[Any] = OwnSignature()

    def __init_subclass__(cls) -> None:
        hints = cls.__annotations__
        own = [name for name in hints if not of_class(hints[name])]
        cls.field_names = tuple(dict.fromkeys((*cls.field_names, *own)))
        cls._names = frozenset(cls.field_names)
        defaults = {name: getattr(cls, name) for name in own if hasattr(cls, name)}
        cls._defaults = {**cls._defaults, **defaults}

    def __init__(self, *args, **values) -> None:
        by_position = dict(zip(self.field_names, args, strict=False))
        every = {**self._defaults, **by_position, **values}
        is_twofold = len(by_position) < len(args) or not by_position.keys().isdisjoint(values)
        if is_twofold or every.keys() != self._names:
            raise TypeError(_wrong_arguments(self, args, values))
        self.__dict__.update(every)

    def replaced(self, **values) -> Self:
        """Make a copy with other values of these names."""
        own = self.__dict__  # with what was computed once of its values
        return type(self)(**{**{name: own[name] for name in self.field_names}, **values})

    def __setattr__(self, name: str, value) -> None:
        raise AttributeError(f"{_called(self)} does not change; make another by replaced({name}=)")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{_called(self)} does not change, so {name} stays")

    def __repr__(self) -> str:
        listed = [f"{name}={getattr(self, name)!r}" for name in self.field_names]
        return f"{type(self).__qualname__}({', '.join(listed)})"


def of_class(hint) -> bool:
    """Whether an annotation says that the name belongs to the class, and is no argument."""
    return hint is ClassVar or get_origin(hint) is ClassVar


def _called(record: Record) -> str:
    return f"{type(record).__qualname__}({', '.join(record.field_names)})"


def _wrong_arguments(record: Record, args: Args, values: dict[str, Any]) -> str:
    given = {*record.field_names[: len(args)], *values}
    missing = [name for name in record.field_names if name not in {*given, *record._defaults}]
    lacks = f", and lacks {', '.join(missing)}" if missing else ""
    by_name = ", ".join(values) or "nothing"
    return f"{_called(record)} got {len(args)} values by position and {by_name} by name{lacks}"
