"""The versions of CPython whose bytecode is known here, and how they differ."""

from sys import implementation, version_info


class Bytecode:
    """How a version of CPython loads and calls functions.

    `has_method_bit`: LOAD_ATTR loads methods as well, and the lowest bit of its argument says so;
    before, LOAD_METHOD does. `null_first`: PUSH_NULL stands before the function that is loaded in
    order to call it; later, behind it.
    """

    def __init__(self, *, has_method_bit: bool, null_first: bool) -> None:
        self.has_method_bit, self.null_first = has_method_bit, null_first


PYTHONS = {
    (3, 11): Bytecode(has_method_bit=False, null_first=True),
    (3, 12): Bytecode(has_method_bit=True, null_first=True),
    (3, 13): Bytecode(has_method_bit=True, null_first=False),
    (3, 14): Bytecode(has_method_bit=True, null_first=False),
}
IS_CPYTHON = implementation.name == "cpython"
BYTECODE: Bytecode | None = PYTHONS.get(version_info[:2]) if IS_CPYTHON else None
