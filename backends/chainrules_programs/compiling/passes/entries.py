"""Entries of short vectors as numbers: a vector that is filled one by one is made once, of all of them.

Pullbacks of ``y[0]``, ``y[1]`` add to entries of a vector of zeros. Until something reads all of it,
its entries are values of their own, which loops then hand on. So are those of a copy that is read and
written entry by entry, more than once each.
"""

from collections import Counter
from dataclasses import replace
from operator import getitem, setitem
from typing import Any

import numpy as np

from chainrules_programs.compiling.passes.memory import Memory
from chainrules_programs.recording.program import Call, Program, Value, values_of
from chainrules_programs.recording.steps import reads, rewritten

MOST = 16  # entries of a vector
ZERO = np.float64(0.0)
OF_ENTRIES = {getitem, setitem, np.add.at}


def short_vectors_split(program: Program) -> Program:
    """Make short vectors once they are read, of entries that are known then."""
    steps: list[Any] = program.steps
    asked = Counter([step.args[0] for step in steps if _is_of_entry(step)])
    if not any(_is_vector(value.array) for value in asked):
        return program
    memory = Memory(program)
    vectors: dict[Value, list[Any]] = {}
    unchanged: dict[Value, Call] = {}

    def made(values: list[Value]) -> list[Call]:
        """Return the calls that make vectors of their entries; as before where none was written."""
        found = [(value, vectors.pop(value)) for value in values if value in vectors]
        return [
            unchanged.get(value) or Call(np.array, (numbers,), {}, value)
            for value, numbers in found
        ]

    def kept(step) -> list[Any]:
        return [*made(reads(step)), step]

    def copied(step) -> list[Any]:
        """Split a copy whose entries are asked for often, and whose numbers at that time are known."""
        copy, source = step.results, step.args[0]
        if asked[copy] <= 2 * copy.array.size or not _is_vector(copy.array):
            return kept(step)
        if source in vectors:
            vectors[copy] = [*vectors[source]]
            return []
        if type(source) is not Value or memory.was_written(source):
            return kept(step)
        vectors[copy] = [Value(number) for number in source.array]
        parts = enumerate(vectors[copy])
        return [Call(getitem, (source, k), {}, part) for k, part in parts]

    def rewrite(step, by: dict[Value, Any]) -> list[Any]:
        first = _first_entries(step)
        if first is not None:
            vectors[step.results], unchanged[step.results] = first, step
            return []
        if not _is_of_entry(step) or step.args[0] not in vectors:
            return copied(step) if type(step) is Call and step.primal is np.copy else kept(step)
        vector, place, *written = step.args
        entries = vectors[vector]
        if not written:
            by[step.results] = entries[place]
            return []
        unchanged.pop(vector, None)
        (value,) = written
        if step.primal is setitem:
            entries[place] = value if type(value) is Value else np.float64(value)
            return []
        added, entries[place] = entries[place], Value(step.note)
        return [Call(np.add, (added, value), {}, entries[place], step.place, None, step.strict)]

    found = rewritten(program, rewrite)
    return replace(found, steps=[*found.steps, *made(values_of(found.result))])


def _first_entries(step) -> list[Any] | None:
    """Return the entries of a short vector of double precision that a step makes of zeros or numbers."""
    if type(step) is not Call or step.primal not in (np.zeros, np.zeros_like, np.array):
        return None
    if type(step.results) is not Value or not _is_vector(step.results.array):
        return None
    if step.primal is not np.array:
        return [ZERO] * step.results.array.size
    (numbers, *others) = step.args
    if others or step.options or type(numbers) is not list or not all(map(_is_number, numbers)):
        return None
    return [each if type(each) is Value else np.float64(each) for each in numbers]


def _is_number(x) -> bool:
    """Whether an operand is a number of NumPy's, or a constant that becomes one in a vector."""
    return type(x.array) is np.float64 if type(x) is Value else type(x) in (float, np.float64)


def _is_vector(x) -> bool:
    """Whether an array is a short vector of double precision."""
    return type(x) is np.ndarray and x.ndim == 1 and x.dtype == np.float64 and x.size <= MOST


def _is_of_entry(step) -> bool:
    """Whether a step reads a known entry of an array, writes a number there, or adds one."""
    if type(step) is not Call or step.primal not in OF_ENTRIES:
        return False
    vector, index, *entries = step.args
    return type(vector) is Value and type(index) is int and all(map(_is_number, entries))
