"""Python's own containers, which autograd has classes of its own for.

Traced values may be in any tuple, list and dict here, and `isinstance` and `type` see them as what
they are; the names are for programs that import them.
"""

import builtins
from typing import Any

from chainrules_tape.autograd.boxes import (
    Box as Box,
    DictBox as DictBox,
    SequenceBox as SequenceBox,
    getval,
)

tuple, list, dict = builtins.tuple, builtins.list, builtins.dict
tuple_, list_, dict_ = tuple, list, dict
isinstance_, type_ = builtins.isinstance, builtins.type


def isinstance(x: Any, classes: Any) -> bool:
    """Tell whether a value, or what is traced, is of a class."""
    return builtins.isinstance(getval(x), classes)


def type(x: Any) -> Any:
    """The class of a value, or of what is traced."""
    return builtins.type(getval(x))
