"""`Tangent[P]`: the tangent of a container or of an object, field by field.

    Tangent[tuple](a_bar, ZERO)      t[0], len(t), iteration       tuple, list: the length is part of the value
    Tangent[dict]({"w": w_bar})      t["w"], keys, values, items   any key that is absent is ZERO
    Tangent[Point](x=1.0)            t.x                           dataclass, attrs, object: absent fields are ZERO
    Tangent[Pair](1.0, ZERO)         t[0], t.x, iteration          namedtuple: both

`Tangent[P]` is a class of its own, made once per P, so that rules can dispatch on it. That of a
mutable P is mutable: a rule that overwrites such an object assigns to the entries of the tangent
that it is given. Nobody else writes after construction. A record's tangent has no methods with
ordinary names: these belong to the fields. Use `entries(t)`.
"""

from collections.abc import ItemsView, Iterable, Iterator, KeysView, ValuesView
from typing import Any, ClassVar, Generic, NoReturn, TypeVar

from chainrules_py.errors import TangentTypeError
from chainrules_py.tangents.abstract import AbstractTangent
from chainrules_py.tangents.thunk import unthunk
from chainrules_py.tangents.zero import ZERO
from chainrules_py.values import structure
from chainrules_py.values.notebooks import html_table, in_short

P = TypeVar("P")

_classes: dict[type, type["Tangent[Any]"]] = {}


class Tangent(AbstractTangent, Generic[P]):
    """A structural tangent; `Tangent[P]` is the class of those that belong to P.

    >>> t = Tangent[tuple](2.0, ZERO)
    >>> t[0], (1.0, 7) + t
    (2.0, (3.0, 7))
    """

    __slots__ = ("__entries__",)
    __entries__: dict[Any, Any]
    __primal_type__: ClassVar[type]
    primal_type: ClassVar[type]

    def __class_getitem__(cls, primal_type: Any) -> Any:
        """The class of the tangents of `primal_type`, the same one each time."""
        if primal_type is Any or isinstance(primal_type, TypeVar):
            return cls  # an annotation
        if primal_type not in _classes:
            return _classes.setdefault(primal_type, _make_class(primal_type))
        return _classes[primal_type]

    def __init__(self, *args: Any, **named: Any) -> None:
        raise _error(type(self), "got no primal type", "write Tangent[P](...)", *args)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tangent):
            return NotImplemented if isinstance(other, AbstractTangent) else False
        if type(self) is not type(other):
            return False
        a, b = entries(self), entries(other)
        return all(_same(a.get(key, ZERO), b.get(key, ZERO)) for key in a.keys() | b.keys())

    def __hash__(self) -> int:
        present = frozenset(
            (key, value) for key, value in entries(self).items() if unthunk(value) is not ZERO
        )
        return hash((self.__primal_type__, present))

    def __array__(self, dtype: Any = None, copy: Any = None) -> NoReturn:
        raise _error(
            type(self),
            "got numpy.asarray",
            "a structural tangent is no array: convert its fields",
            self,
        )

    def __reduce__(self) -> Any:
        return (with_entries, (self.__primal_type__, entries(self)))

    def __repr__(self) -> str:
        inside = ", ".join(f"{name}={value!r}" for name, value in entries(self).items())
        return f"{type(self).__name__}({inside})"

    def _repr_html_(self) -> str:
        rows = [(key, *in_short(value)) for key, value in entries(self).items()]
        return html_table(type(self).__name__, ("entry", "type", "tangent"), rows)


class SequenceTangent(Tangent[P]):
    """The tangent of a tuple or a list."""

    __slots__ = ()

    def __init__(self, *values) -> None:
        self.__entries__ = dict(enumerate(values))

    def __len__(self) -> int:
        return len(self.__entries__)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.__entries__.values())

    def __getitem__(self, index) -> Any:
        return tuple(self)[index]

    def __setitem__(self, index: int, value) -> None:
        set_entry(self, range(len(self))[index], value)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, SequenceTangent) and len(self) != len(other):
            return False
        return super().__eq__(other)

    __hash__ = Tangent.__hash__

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(map(repr, self))})"


class MappingTangent(Tangent[P]):
    """The tangent of a mapping, or of a container that is declared by functions."""

    __slots__ = ()

    def __init__(self, values: Any = (), /, **named) -> None:
        self.__entries__ = dict(values, **named)

    def __getitem__(self, key) -> Any:
        return self.__entries__.get(key, ZERO)

    def __setitem__(self, key, value) -> None:
        set_entry(self, key, value)

    def __contains__(self, key) -> bool:
        return key in self.__entries__

    def __len__(self) -> int:
        return len(self.__entries__)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.__entries__)

    def keys(self) -> KeysView[Any]:
        """The keys that are present."""
        return self.__entries__.keys()

    def values(self) -> ValuesView[Any]:
        """The tangents of the keys that are present."""
        return self.__entries__.values()

    def items(self) -> ItemsView[Any, Any]:
        """Pairs of a key and its tangent."""
        return self.__entries__.items()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.__entries__!r})"


class RecordTangent(Tangent[P]):
    """The tangent of a dataclass, an attrs class, an object or a partial."""

    __slots__ = ()

    def __init__(self, /, **named) -> None:
        known = structure.field_names(self.__primal_type__)
        unknown = [] if known is None else [name for name in named if name not in known]
        if unknown:
            raise _error(
                type(self),
                f"got the fields {unknown}",
                f"its fields are {list(known or ())}",
                *named.values(),
            )
        object.__setattr__(self, "__entries__", named)

    def __getattr__(self, name: str) -> Any:
        # Known fields are properties of the class; this is for objects whose class does not tell
        # its fields. Notebooks ask for names that begin with _ipython or _repr, and take an object
        # that has them all for one that shows nothing.
        if (
            name.startswith(("__", "_ipython_", "_repr_"))
            or structure.field_names(self.__primal_type__) is not None
        ):
            raise AttributeError(
                f"{type(self).__name__} has the fields {list(entries(self))}, not {name!r}"
            )
        return entries(self).get(name, ZERO)


class OpenRecordTangent(RecordTangent[P]):
    """The tangent of an object whose class does not tell its fields."""

    __slots__ = ()

    def __setattr__(self, name: str, value) -> None:
        set_entry(self, name, value)


class NamedTupleTangent(RecordTangent[P]):
    """The tangent of a namedtuple: by name and by position."""

    __slots__ = ()
    __primal_type__: ClassVar[Any]  # which has _fields

    def __init__(self, *values, **named) -> None:
        names = self.__primal_type__._fields
        if len(values) > len(names):
            raise _error(
                type(self), f"got {len(values)} values", f"its fields are {list(names)}", *values
            )
        by_position = dict(zip(names, values, strict=False))
        twice = by_position.keys() & named.keys()
        if twice:
            raise _error(
                type(self),
                f"got {sorted(twice)} twice",
                "give a field by position or by name",
                *values,
            )
        super().__init__(**by_position, **named)

    def __len__(self) -> int:
        return len(self.__primal_type__._fields)

    def __iter__(self) -> Iterator[Any]:
        return iter([self.__entries__.get(name, ZERO) for name in self.__primal_type__._fields])

    def __getitem__(self, index) -> Any:
        return tuple(self)[index]


_KINDS: dict[str, type[Tangent[Any]]] = {
    "namedtuple": NamedTupleTangent,
    "dataclass": RecordTangent,
    "attrs": RecordTangent,
    "mapping": MappingTangent,
    "tuple": SequenceTangent,
    "list": SequenceTangent,
    "object": RecordTangent,
    "partial": RecordTangent,
    "declared": MappingTangent,
}


def _make_class(primal_type) -> type[Tangent[Any]]:
    kind = structure.kind(primal_type) if isinstance(primal_type, type) else None
    if kind is None:
        instead = (
            "numbers and arrays are their own tangents; name the class of a container or of an"
            " object"
        )
        raise _error(Tangent, f"got {primal_type!r}", instead, primal_type)
    namespace: dict[str, Any] = {
        "__slots__": (),
        "__module__": __name__,
        "__doc__": f"The structural tangents of {primal_type.__qualname__}.",
        "__primal_type__": primal_type,
        "primal_type": primal_type,
    }
    names = structure.field_names(primal_type)
    namespace |= {name: _field(name) for name in names or ()}
    base: Any = OpenRecordTangent if kind == "object" and names is None else _KINDS[kind]
    return type(f"Tangent[{primal_type.__qualname__}]", (base,), namespace)


def _field(name: str) -> property:
    return property(
        lambda self: entries(self).get(name, ZERO), lambda self, value: set_entry(self, name, value)
    )


def entries(t: Tangent[Any]) -> dict[Any, Any]:
    """The explicit entries of a structural tangent by name, key or position; not to be written.

    >>> entries(Tangent[tuple](2.0, ZERO))
    {0: 2.0, 1: ZERO}
    """
    return t.__entries__


def set_entry(t: Tangent[Any], key, value) -> None:
    """Assign to an entry of a structural tangent of a mutable class."""
    if not structure.is_mutable(t.__primal_type__):
        got = f"got an assignment to {key!r}, where the class itself cannot be assigned to"
        raise _error(
            type(t), got, "make another one: with_entries(P, {**entries(t), key: value})", t
        )
    t.__entries__[key] = value


def with_entries(primal_type: type, values: dict[Any, Any]) -> Tangent[Any]:
    """The `Tangent[primal_type]` with these entries, keyed as `entries` and `structure.fields` are.

    >>> with_entries(tuple, {0: 2.0, 1: ZERO})
    Tangent[tuple](2.0, ZERO)
    """
    made: type[Tangent[Any]] = Tangent.__class_getitem__(primal_type)
    if issubclass(made, SequenceTangent):
        return made(*values.values())
    return made(values) if issubclass(made, MappingTangent) else made(**values)


def classes_in(tangents: Iterable[Any]) -> Iterator[type]:
    """The classes of tangents, and of the entries of structural ones."""
    for t in tangents:
        if isinstance(t, Tangent):
            yield from classes_in(entries(t).values())
        else:
            yield type(t)


def _same(a, b) -> bool:
    a, b = unthunk(a), unthunk(b)
    if a is b:
        return True
    if isinstance(a, AbstractTangent) or isinstance(b, AbstractTangent):
        return bool(a == b)
    if structure.is_container(a) and type(a) is type(b):
        return _same_containers(structure.fields(a), structure.fields(b))
    return _same_values(a, b)


def _same_values(a, b) -> bool:
    if getattr(a, "shape", ()) != getattr(b, "shape", ()):
        return False
    equal = a == b
    return bool(equal.all()) if hasattr(equal, "all") else bool(equal)


def _same_containers(a: dict[Any, Any], b: dict[Any, Any]) -> bool:
    return a.keys() == b.keys() and all(_same(a[key], b[key]) for key in a)


def _error(where: type, got: str, instead: str, *operands) -> TangentTypeError:
    return TangentTypeError(
        where.__name__, got, instead, operation=where.__name__, operands=operands
    )
