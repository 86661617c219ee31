"""Compile the functions of a scalar rule: one for each pattern of arguments.

That happens at the first call of a pattern, once for all tables and engines.
"""

from collections.abc import Callable
from typing import Any

from chainrules_py.makers.definition import Kind, Pattern, ScalarForm
from chainrules_py.values.arrays import ArrayLibrary

Function = Callable[..., Any]
Write = Callable[[ScalarForm, Pattern], Function]


def specialised(
    write: Write,
    form: ScalarForm,
    types: tuple[type, ...],
    needs: tuple[bool, ...],
    library: ArrayLibrary,
) -> Function:
    """Find or compile the function that `write` makes for arguments of these classes."""
    kinds: tuple[Kind, ...] = tuple([kind_of(cls) for cls in types])
    return written(write, form, Pattern(kinds, needs, library))


def kind_of(cls: type) -> Kind:
    """Classify an argument by its class: what has a shape and a dtype is an array."""
    if hasattr(cls, "dtype") or not issubclass(cls, float | complex | int):
        return "array"
    return "constant" if issubclass(cls, int) else "number"


def written(write: Write, form: ScalarForm, pattern: Pattern) -> Function:
    """Find or compile the function that `write` makes for a pattern."""
    key = (write, pattern)
    if key not in form.written:
        form.written[key] = write(form, pattern)
    return form.written[key]


def written_later(write: Write, form: ScalarForm, pattern: Pattern) -> Function:
    """Return a function that is compiled when it is called for the first time."""

    def write_and_call(*args) -> Any:
        return written(write, form, pattern)(*args)

    return write_and_call
