"""Steps that nobody reads are left out; writes live as long as the memory that they change."""

from operator import setitem

import numpy as np

from chainrules_programs.compiling.passes.unused import unused
from chainrules_programs.recording.program import Call, Guard, Program, Value


def call(primal, *args, **options):
    """A step that is run while it is written, as the recorder does."""
    given = [arg.array if isinstance(arg, Value) else arg for arg in args]
    return Call(primal, args, options, Value(primal(*given, **options)))


def write(target, index, entries):
    """The step that writes into an array."""
    return Call(setitem, (target, index, entries), {}, None, into=target)


def test_what_no_result_needs_is_left_out():
    x = Value(np.ones(3))
    kept, lost = call(np.sin, x), call(np.cos, x)
    program = Program((x,), [kept, lost], kept.results)
    assert unused(program).steps == [kept]


def test_guards_and_what_they_ask_are_kept():
    x = Value(np.ones(3))
    total = call(np.sum, x)
    guard = Guard(bool, total.results, True)
    assert unused(Program((x,), [total, guard], None)).steps == [total, guard]


def test_a_write_lives_as_long_as_its_memory():
    x = Value(np.ones(3))
    zeros = call(np.zeros, 3)
    row = call(np.reshape, zeros.results, (1, 3))
    # read by a view that was made before the write
    steps = [zeros, row, write(zeros.results, slice(0, 1), x)]
    assert unused(Program((x,), steps, row.results)).steps == steps
    assert unused(Program((x,), steps, x)).steps == []


def test_writes_into_arguments_are_kept():
    x = Value(np.ones(3))
    steps = [write(x, 0, 2.0)]
    assert unused(Program((x,), steps, None)).steps == steps


def test_a_part_that_is_written_to_where_it_stands_is_left_out():
    x = Value(np.ones(3))
    zeros = call(np.zeros, 3)
    part = Call(lambda v, k: v[k], (zeros.results, slice(1, None)), {}, None)
    part.results = Value(zeros.results.array[1:])
    change = Call(np.add, (part.results, 1.0), {}, part.results, into=part.results)
    back = write(zeros.results, slice(1, None), part.results)
    elsewhere = write(zeros.results, slice(None, -1), part.results)
    steps = [zeros, part, change, back, elsewhere]
    assert unused(Program((x,), steps, zeros.results)).steps == [zeros, part, change, elsewhere]


def test_calls_for_their_effects_alone_are_kept():
    x = Value(np.ones(3))
    effect = Call(print, (x,), {}, None)
    assert unused(Program((x,), [effect], x)).steps == [effect]


def test_of_several_results_the_unread_ones_are_not_named():
    x = Value(np.eye(2))
    values, vectors = map(Value, np.linalg.eigh(x.array))
    results = np.linalg._linalg.EighResult(values, vectors)
    program = unused(Program((x,), [Call(np.linalg.eigh, (x,), {}, results)], values))
    assert program.steps[0].results == (values, None)
