"""The packages that are seen through."""

import sys
from contextlib import ContextDecorator
from importlib.util import find_spec
from typing import Any, Self

from chainrules_foreign_code.callees import see_packages
from chainrules_foreign_code.replacements import OF_NUMPY
from chainrules_tape.refusals.code_owners import ENGINE
from chainrules_tape.refusals.errors import InputError


def require_package(name: str) -> None:
    """Raise where there is no module of a name, or one of this library's."""
    if name.partition(".")[0] in ("chainrules_py", *ENGINE):
        where, got = f'seen_through("{name}")', "this library's own code"
        instead = "leave it out: it takes traced values as it stands"
        raise InputError(where, got, instead, function=Scope, argument=0, value=name)
    if name not in sys.modules and find_spec(name.partition(".")[0]) is None:
        where, got = f'seen_through("{name}")', "no module of this name"
        raise InputError(
            where,
            got,
            "write names of packages and modules as you import them",
            function=Scope,
            argument=0,
            value=name,
        )


def names_seen(name: str) -> tuple[str, ...]:
    """The packages that are seen through where a name is given: of NumPy, the polynomials alone.

    The functions in NumPy's other modules hand traced values over by themselves, and our rules are
    found by these functions, so no other ones may stand under their names.

    >>> names_seen("numpy"), names_seen("numpy.linalg"), names_seen("colorsys")
    (('numpy.polynomial',), (), ('colorsys',))
    """
    if name.partition(".")[0] != "numpy" or f"{name}.".startswith(f"{OF_NUMPY}."):
        return (name,)
    return (OF_NUMPY,) if name == "numpy" else ()


class Scope(ContextDecorator):
    """Packages whose modules are differentiated as they stand, from when this is entered first.

    Nothing is put back at the end: what is seen stays so.
    """

    def __init__(self, *packages: str) -> None:
        self.given = packages

    def __enter__(self) -> Self:
        """See through the packages; raise where something was named that is no package or module."""
        for name in self.given:
            require_package(name)
        see_packages([seen for name in self.given for seen in names_seen(name)])
        return self

    def __exit__(self, *error: Any) -> None:
        """Nothing is put back."""

    def for_good(self) -> None:
        """See through the packages."""
        self.__enter__()
