"""What a line does is told by its instructions; with an unknown Python nothing is."""

import operator

from chainrules_py.introspection import frame_above, pythons
from chainrules_py.introspection.instructions import (
    is_applying_decorator,
    is_augmented_assignment,
    is_same_code,
    is_storing_entries,
    variables_assigned,
)


class Watching:
    """Notes what the line does that operates on it."""

    def __init__(self):
        self.found = []

    def note(self):
        frame = frame_above(2)
        self.found.append((is_augmented_assignment(frame), is_storing_entries(frame)))
        return self

    def __imul__(self, other):
        return self.note()

    def __mul__(self, other):
        return self.note()

    def __isub__(self, other):
        return self.note()

    def __setitem__(self, index, value):
        self.note()

    def __getitem__(self, index):
        return self.note()


def lines_with(watching):
    a = watching
    a *= 2.0
    a -= 2.0
    a * 2.0
    a[0] = 1.0
    a[0:2] = 1.0
    a[0]
    operator.imul(a, 2.0)
    return a.found


def test_assignments_are_told_from_other_operations():
    augmented, storing, neither = (True, False), (False, True), (False, False)
    expected = [augmented, augmented, neither, storing, storing, neither, neither]
    assert lines_with(Watching()) == expected


def test_with_an_unknown_python_no_line_is_an_assignment(monkeypatch):
    monkeypatch.setattr(pythons, "BYTECODE", None)
    assert lines_with(Watching()) == [(False, False)] * 7


def asking(function=None):
    return is_applying_decorator(frame_above(1))


def test_a_decorator_is_told_from_a_call():
    @asking
    def decorated():
        pass

    assert decorated is True

    @asking
    class Decorated:
        pass

    assert Decorated is True
    assert asking() is False
    assert asking(lambda: None) is False


def test_with_an_unknown_python_no_call_is_a_decorator(monkeypatch):
    monkeypatch.setattr(pythons, "BYTECODE", None)

    @asking
    def decorated():
        pass

    assert decorated is False


def test_codes_with_the_same_instructions():
    one, other = (lambda x: x + 1), (lambda y: y + 1)
    assert is_same_code(one.__code__, other.__code__)
    assert not is_same_code(one.__code__, (lambda x: x * 1).__code__)


def test_variables_of_enclosing_functions_that_are_assigned():
    count, constant = 0, 1

    def inner():
        nonlocal count
        count += constant
        own = 1

        def innermost():
            nonlocal own
            own += 1

        return innermost

    assert variables_assigned(inner.__code__) == {"count"}
