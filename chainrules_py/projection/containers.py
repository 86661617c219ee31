"""Containers and objects: every field is projected to the space of that field."""

from collections.abc import Callable
from typing import Any

from chainrules_py.projection.admission import seed_error
from chainrules_py.projection.space import NoTangentSpace, Space, projection_error
from chainrules_py.tangents import ZERO, AbstractZero
from chainrules_py.tangents.structural import Tangent, entries, with_entries
from chainrules_py.values.structure import fields, fields_of_tangent, is_container, kind

# where a tangent has as many entries as the primal; elsewhere a missing one is ZERO
_EXACT = ("tuple", "list")


class StructuralSpace(Space):
    """The space of `Tangent[P]` with one space per field of one value of class P.

    Takes a `Tangent[P]`, or a P that holds cotangents; gives a `Tangent[P]`.
    """

    __slots__ = ("fields",)

    def __init__(self, primal_type: type, fields: dict[Any, Space]) -> None:
        super().__init__(primal_type)
        self.fields = fields

    def bring(self, t) -> Any:
        """A structural cotangent, field by field."""
        given = self._given(t)
        brought = {key: project(given[key]) for key, project in self.fields.items() if key in given}
        unchanged = isinstance(t, Tangent) and all(brought[key] is given[key] for key in brought)
        return t if unchanged else with_entries(self.primal_type, brought)

    def _given(self, t) -> dict[Any, Any]:
        if isinstance(t, Tangent) and t.primal_type is self.primal_type:
            given, exact = entries(t), kind(self.primal_type) in _EXACT
        elif type(t) is self.primal_type:
            given, exact = fields(t), True
        else:
            raise projection_error(
                self,
                t,
                f"pass a Tangent[{self.primal_type.__qualname__}], or one holding cotangents",
            )
        own = self.fields.keys()
        has_fields = given.keys() == own if exact else given.keys() <= own
        if not has_fields:
            raise projection_error(self, t, f"give it exactly the fields {list(self.fields)}")
        return given

    def _admit_parts(self, seed, where: str) -> Any:
        given = _parts_of(seed)
        is_sequence = isinstance(seed, tuple | list)  # which has all parts, or is a mistake
        if type(seed) is tuple and given is not None and len(given) == len(self.fields):
            given = dict(zip(self.fields, given.values(), strict=True))  # of a namedtuple, too
        if (
            given is None
            or not given.keys() <= self.fields.keys()
            or (is_sequence and len(given) != len(self.fields))
        ):
            instead = f"pass one for each of the {len(self.fields)} parts, ZERO for unused ones"
            raise seed_error(seed, repr(seed), self.primal_type.__qualname__, where, instead)
        admitted = {
            key: space.admit(given.get(key, ZERO), f"{where} part {key!r}")
            for key, space in self.fields.items()
        }
        if all(isinstance(part, AbstractZero) for part in admitted.values()):
            return ZERO
        return with_entries(self.primal_type, admitted)

    def _fit_parts(self, t) -> bool:
        parts = _parts_of(t)
        if parts is None or not parts.keys() <= self.fields.keys():
            return False
        if kind(self.primal_type) in _EXACT and len(parts) != len(self.fields):
            return False
        return all(self.fields[key].fits(part) for key, part in parts.items())

    def __repr__(self) -> str:
        return f"ProjectTo({self.primal_type.__qualname__} with the fields {list(self.fields)})"


class DeclaredSpace(StructuralSpace):
    """The space of one object of a class that says itself what a tangent of it is."""

    __slots__ = ("primal",)

    def __init__(self, primal, fields: dict[Any, Space]) -> None:
        super().__init__(type(primal), fields)
        self.primal = primal

    def _admit_parts(self, seed, where: str) -> Any:
        if not isinstance(seed, Tangent):
            given = fields_of_tangent(self.primal, seed)
            seed = seed if given is None else with_entries(self.primal_type, given)
        return super()._admit_parts(seed, where)


def _parts_of(t) -> dict[Any, Any] | None:
    if isinstance(t, Tangent):
        return entries(t)
    return fields(t) if is_container(t) else None


def space_of_parts(x, project_to: Callable[[Any], Space]) -> Space:
    """The space of a container or object; where no field has tangents, neither has the whole."""
    spaces = {key: project_to(value) for key, value in fields(x).items()}
    if all(isinstance(space, NoTangentSpace) for space in spaces.values()):
        return NoTangentSpace(type(x))
    return StructuralSpace(type(x), spaces)
