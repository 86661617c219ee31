"""Write `chainrules_py/makers/written_rules.py`: the texts of rules that most programs need.

    python tests/chainrules_py/makers/write_rules.py          # write the file
    python tests/chainrules_py/makers/write_rules.py check    # print what it lacks, and what is left over

A process of its own, because a text is written once in a process.
"""

import operator
import sys
from itertools import product
from pathlib import Path

import numpy as np

from chainrules_py import default_rules
from chainrules_py.makers import writing
from chainrules_py.makers.writing import digest
from chainrules_py.makers.written_rules import FUNCTIONS
from chainrules_tape.arrays.handles import TapeArray

HEAD = '''\
# ruff: noqa: D103, E701, F821
# mypy: ignore-errors
# pyright: basic, reportUndefinedVariable=false, reportRedeclaration=false
# fmt: off
"""The texts of rules that most programs need, as the makers write them (see `writing`).

Python compiles this module once and keeps it, where a text is compiled in each process anew. Nobody
edits it: `tests/chainrules_py/makers/write_rules.py` writes it, and a text that a maker writes
otherwise is compiled as any other. Nobody calls these functions either: what they name is in the
scope of the rule that is made of their code.
"""

from typing import Any

FUNCTIONS: dict[int, Any] = {}  # by the digest of their text
'''

ARRAY, NUMBER, CONSTANT = np.ndarray, float, int
UNARY = (
    *(np.absolute, np.cos, np.exp, np.log, np.log1p, np.negative, np.sin, np.sqrt, np.square),
    np.tanh,
)
BINARY = (np.add, np.subtract, np.multiply, np.divide, np.power)
OF_ARRAYS = (np.maximum, np.minimum, np.logaddexp)
PRODUCTS = (np.matmul, np.dot)


def patterns(count, kinds):
    """Classes and needs of calls of so many arguments in which something is differentiated."""
    for types in product(kinds, repeat=count):
        for needs in product((True, False), repeat=count):
            is_needed = [cls for cls, need in zip(types, needs, strict=True) if need]
            if is_needed and CONSTANT not in is_needed:
                yield types, needs


def common_calls():
    """Functions with the classes of arguments, and which of these are differentiated."""
    for primal in UNARY:
        for pattern in patterns(1, (ARRAY, NUMBER)):
            yield primal, *pattern
    for primal in BINARY:
        for pattern in patterns(2, (ARRAY, NUMBER, CONSTANT)):
            yield primal, *pattern
    for primal in OF_ARRAYS:
        for pattern in patterns(2, (ARRAY,)):
            yield primal, *pattern
    # of second derivatives, too, where the values are traced
    for primal in PRODUCTS:
        for pattern in patterns(2, (ARRAY, TapeArray)):
            yield primal, *pattern
    for cls in (ARRAY, TapeArray):
        yield operator.getitem, (cls, int), (True, False)


def texts_and_their_digests():
    """Make the rules of these calls, and return the texts that are written for them, by digest."""
    texts = {}

    def noted(source):
        texts[digest(source)] = source

    writing.functions_of = noted  # which finds nothing: they are compiled
    for primal, types, needs in common_calls():
        default_rules.resolve("reverse", primal, types, needs)
    return texts


def names_of(text):
    """The functions that a text defines."""
    return [line[4:].partition("(")[0] for line in text.splitlines() if line.startswith("def ")]


def main():
    texts = texts_and_their_digests()
    if "check" in sys.argv:
        lacking = [text for key, text in texts.items() if key not in FUNCTIONS]
        left_over = [f"{key} is left over" for key in FUNCTIONS if key not in texts]
        print(*lacking, *left_over, sep="\n")
        return
    parts = [
        f"\n{text}FUNCTIONS[{key}] = ({', '.join(names_of(text))},)\n"
        for key, text in texts.items()
    ]
    path = Path(writing.__file__).with_name("written_rules.py")
    path.write_text(HEAD + "".join(parts), encoding="utf-8")


if __name__ == "__main__":
    main()
