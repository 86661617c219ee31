"""Operands of steps, taken apart and put together again."""

from collections import namedtuple

from chainrules_programs.recording.program import Value, values_of, with_values

Pair = namedtuple("Pair", "x y")
A, B = Value(1.0), Value(2.0)


def test_values_in_operands():
    assert values_of((A, [2, {"b": B}], slice(None, A))) == [A, B, A]
    assert values_of((1, "text", slice(2))) == []


def test_operands_with_other_values():
    operand = (A, [2, {"b": B}], slice(None, A), Pair(B, 3))
    found = with_values(operand, lambda value: value.array)
    assert found == (1.0, [2, {"b": 2.0}], slice(None, 1.0), Pair(2.0, 3))
    assert type(found[3]) is Pair
