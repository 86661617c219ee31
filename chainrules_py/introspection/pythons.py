"""The one table of what the bytecode of each version of CPython means, and how it counts references.

With a version that is not in it, `BYTECODE` is None. Then whoever asks takes the answer by which no
derivative is lost: code may ask what a value is and may search, an array may be held by others, and
no line is known to be an assignment or to show a text. So a row is added once the tests pass.
"""

from sys import implementation, version_info
from typing import NamedTuple


class Bytecode(NamedTuple):
    """How a version of CPython loads, calls, chooses and counts.

    `has_method_bit`: LOAD_ATTR loads methods as well, and the lowest bit of its argument says so;
    before, LOAD_METHOD does. `null_first`: PUSH_NULL stands before the function that is loaded in
    order to call it; later, behind it. `numbers`: the instructions that load a constant number.
    `branch`: what stands between a jump and the branch that does not jump. `lends`: what a function
    is given of a caller's variable is borrowed, and not counted as another reference.
    """

    has_method_bit: bool
    null_first: bool
    branch: str
    lends: bool


PYTHONS = {
    (3, 11): Bytecode(False, True, "", lends=False),
    (3, 12): Bytecode(True, True, "", lends=False),
    (3, 13): Bytecode(True, False, "", lends=False),
    (3, 14): Bytecode(True, False, "NOT_TAKEN ", lends=True),
}
IS_CPYTHON = implementation.name == "cpython"
BYTECODE: Bytecode | None = PYTHONS.get(version_info[:2]) if IS_CPYTHON else None
