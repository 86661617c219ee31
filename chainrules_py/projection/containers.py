"""Containers and objects: every field is projected to the space of that field."""

from collections.abc import Callable
from typing import Any

from chainrules_py.projection.projector import NO_TANGENT_PROJECTOR, NoTangentProjector, Projector, projection_error
from chainrules_py.structure import fields, kind
from chainrules_py.tangents.structural import Tangent, entries, with_entries

_EXACT = ("tuple", "list")  # where a tangent has as many entries as the primal; elsewhere a missing one is ZERO


class StructuralProjector(Projector):
    """The space of `Tangent[P]` with one projector per field of one value of class P.

    Takes a `Tangent[P]`, or a P that holds cotangents; gives a `Tangent[P]`.
    """

    __slots__ = ("fields", "primal_type")

    def __init__(self, primal_type: type, fields: dict[Any, Projector]) -> None:
        self.primal_type, self.fields = primal_type, fields

    def bring(self, t: Any) -> Any:
        """A structural cotangent, field by field."""
        given = self._given(t)
        brought = {key: project(given[key]) for key, project in self.fields.items() if key in given}
        unchanged = isinstance(t, Tangent) and all(brought[key] is given[key] for key in brought)
        return t if unchanged else with_entries(self.primal_type, brought)

    def _given(self, t: Any) -> dict[Any, Any]:
        if isinstance(t, Tangent) and t.primal_type is self.primal_type:
            given, exact = entries(t), kind(self.primal_type) in _EXACT
        elif type(t) is self.primal_type:
            given, exact = fields(t), True
        else:
            raise projection_error(self, t, f"pass a Tangent[{self.primal_type.__qualname__}], or one holding cotangents")
        if given.keys() != self.fields.keys() if exact else not given.keys() <= self.fields.keys():
            raise projection_error(self, t, f"give it exactly the fields {list(self.fields)}")
        return given

    def __repr__(self) -> str:
        return f"ProjectTo({self.primal_type.__qualname__} with the fields {list(self.fields)})"


def project_structure(x: Any, project_to: Callable[[Any], Projector]) -> Projector:
    """The projector of a container or object; where no field has tangents, neither has the whole."""
    projectors = {key: project_to(value) for key, value in fields(x).items()}
    if all(isinstance(projector, NoTangentProjector) for projector in projectors.values()):
        return NO_TANGENT_PROJECTOR
    return StructuralProjector(type(x), projectors)
