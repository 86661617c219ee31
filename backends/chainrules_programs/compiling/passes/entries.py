"""Entries of short vectors as numbers: a vector that is filled one by one is made once, of all of them.

Pullbacks of ``y[0]``, ``y[1]`` add to entries of a vector of zeros. Until something reads all of it,
its entries are values of their own. A vector from outside to whose entries a loop adds is read before
the loop, its entries are handed on, and are written back after it.
"""

from dataclasses import replace
from operator import getitem, setitem
from typing import Any

import numpy as np

from chainrules_programs.compiling.passes.loops import within_loops
from chainrules_programs.compiling.passes.memory import memory_of_value, roots_of, targets
from chainrules_programs.recording.program import Call, Program, Value, values_of
from chainrules_programs.recording.repetitions import Carried, Loop
from chainrules_programs.recording.steps import made_anew, reads, rewritten, with_other_operands

MOST = 16  # entries of a vector
ZERO = np.float64(0.0)


def short_vectors_split(program: Program) -> Program:
    """Have numbers in the place of the entries of short vectors."""
    return within_loops(_in_steps)(_beside_loops(program))


def _in_steps(program: Program) -> Program:
    """Make the vectors of zeros of a program once they are read, of entries that are known then."""
    vectors: dict[Value, list[Any]] = {}
    zeros: dict[Value, Call] = {}

    def made(values: list[Value]) -> list[Call]:
        """Return the calls that make vectors of their entries; of zeros alone as before."""
        found = [(value, vectors.pop(value)) for value in values if value in vectors]
        return [
            zeros[value]
            if all(number is ZERO for number in numbers)
            else Call(np.array, (numbers,), {}, value)
            for value, numbers in found
        ]

    def rewrite(step, by: dict[Value, Any]) -> list[Any]:
        if _makes_zeros(step):
            zeros[step.results] = step
            vectors[step.results] = [ZERO] * step.results.array.size
            return []
        place = _place(step, vectors)
        if place is None:
            return [*made(reads(step)), step]
        if step.primal is setitem:
            vectors[step.args[0]][place] = step.args[2]
        else:
            by[step.results] = vectors[step.args[0]][place]
        return []

    found = rewritten(program, rewrite)
    return replace(found, steps=[*found.steps, *made(values_of(found.result))])


def _makes_zeros(step) -> bool:
    """Whether a step makes a short vector of zeros."""
    if type(step) is not Call or step.primal not in (np.zeros, np.zeros_like):
        return False
    return step.into is None and type(step.results) is Value and _is_vector(step.results)


def _is_vector(value: Value) -> bool:
    """Whether a value is a short vector of double precision with memory of its own."""
    x = value.array
    if type(x) is not np.ndarray or x.ndim != 1 or x.dtype != np.float64 or x.base is not None:
        return False
    return bool(x.size <= MOST)


def _place(step, vectors) -> int | None:
    """Return which entry of one of the vectors a step reads or writes; None for other steps."""
    if type(step) is not Call or step.primal not in (getitem, setitem):
        return None
    vector, index, *entries = step.args
    if any(type(x) is not Value or type(x.array) is not np.float64 for x in entries):
        return None
    if type(index) is tuple and len(index) == 1:
        (index,) = index
    if type(index) is not int or type(vector) is not Value or vector not in vectors:
        return None
    return int(index % vector.array.size)


def _beside_loops(program: Program) -> Program:
    """Have loops hand on the entries of vectors to which they add."""
    steps: list[Any] = []
    former: list[Any] = program.steps
    for step in former:
        if type(step) is Loop:
            steps += _with_entries_handed_on(step)
        else:
            steps.append(step)
    return replace(program, steps=steps)


def _with_entries_handed_on(loop: Loop) -> list[Any]:
    """Return a loop that writes into no short vectors from outside, and what is done around it."""
    vectors = _accumulated(loop)
    if not vectors:
        return [loop]
    first: dict[tuple[Value, int], Value] = {}
    names: dict[tuple[Value, int], Value] = {}
    now: dict[tuple[Value, int], Value] = {}
    by: dict[Value, Any] = {}
    body: list[Any] = []
    for former in loop.body:
        step: Any = with_other_operands(former, by)
        place = _place(step, vectors)
        if place is None:
            body.append(step)
            continue
        key = step.args[0], place
        if key not in first:
            number = key[0].array[place]
            first[key], names[key] = Value(number), Value(number)
            now[key] = names[key]
        if step.primal is setitem:
            now[key] = step.args[2]
        else:
            by[step.results] = now[key]
    made = {value for step in body for value in made_anew(step)}.union(names.values())
    if not made.issuperset(now.values()) or not loop.held.isdisjoint(by):
        return [loop]  # it writes what comes from outside, or others read an entry
    carried = [Carried(names[key], first[key], now[key]) for key in first]
    after = {Value(now[key].array): now[key] for key in first}
    before = [Call(getitem, key, {}, first[key]) for key in first]
    last = loop.last | after
    found = replace(loop, carried=[*loop.carried, *carried], last=last).with_body(body)
    back = [
        Call(setitem, (*key, value), {}, None, into=key[0])
        for key, value in zip(first, after, strict=True)
    ]
    return [*before, found, *back]


def _accumulated(loop: Loop) -> list[Value]:
    """List the vectors from outside that a loop reads and writes by known entries alone."""
    changed = {memory_of_value(value) for step in loop.body for value in targets(step)}
    vectors = [
        value for value in loop.outside if memory_of_value(value) in changed and _is_vector(value)
    ]
    if not vectors:  # nearly always: below, all entries of all lists are looked at
        return []
    others = [*(each.first for each in loop.carried), *(x for s in loop.streams for x in s.entries)]
    elsewhere = set(roots_of(values_of(others)))
    return [
        value
        for value in vectors
        if memory_of_value(value) not in elsewhere
        and all(_place(step, [value]) is not None for step in _concerned(value, loop))
    ]


def _concerned(value: Value, loop: Loop) -> list[Any]:
    """List the steps of a loop that read or write the memory of a value."""
    memory = memory_of_value(value)
    return [step for step in loop.body if memory in set(map(memory_of_value, reads(step)))]
