"""Where a code counts, and where what it counts is read as well."""

import dis

import pytest

from chainrules_py.introspection.counts import counts_in
from chainrules_py.introspection.names_read import names_read


def code_of(body, first="x"):
    space = {}
    exec(f"def f({first}):\n    {body}\n", space)
    return space["f"].__code__


def counted(body):
    """The attributes, global names and the attributes read of a body."""
    found = names_read(code_of(body))
    return found.attributes_counted, found.globals_counted, found.attributes


@pytest.mark.parametrize(
    "body",
    ["x.n += 1", "x.n -= 3", "x.n = x.n + 1", "x.n = x.n - 2", "x.part.n += 1", "x[0].n += 1"],
)
def test_attributes_that_are_counted(body):
    names, _, read = counted(body)
    assert names == {"n"}
    assert "n" not in read


@pytest.mark.parametrize(
    "body",
    [
        *("x.n += 1.0", "x.n += True", "x.n += k", "x.n *= 2", "x.n = 1 + x.n", "x.n = y.n + 1"),
        *("y = x.n = x.n + 1", "return x.n + 1", "x.n[0] += 1", "x.m = x.n + 1", "x.n += -x.n"),
    ],
)
def test_attributes_that_are_read(body):
    names, _, read = counted(body)
    assert not names
    assert "n" in read


def test_count_of_a_global_name():
    assert counted("global n; n += 1")[1] == {"n"}
    assert names_read(code_of("global n; n += 1")).globals_changed == set()
    assert names_read(code_of("global n; n = n + m")).globals_changed == {"n"}


def test_count_that_is_read_elsewhere():
    both = names_read(code_of("x.n += 1; return x.n"))
    assert "n" in both.attributes_counted & both.attributes


def test_variables_of_enclosing_functions():
    n = m = k = 0

    def counting(x):
        nonlocal n, m, k
        n += 1
        m += 1
        k = 2
        return m

    found = names_read(counting.__code__)
    assert found.variables_counted == {"n"}
    assert found.variables_changed == {"n", "m", "k"}


def test_initializers():
    class Model:
        def __init__(self, other):
            self.new = other.changed = 0

        def reset(self):
            self.again = 0

    found = names_read(Model.__init__.__code__)
    assert found.attributes_initialized | found.attributes_changed == {"new", "changed"}
    assert "new" not in names_read(Model.reset.__code__).attributes_initialized
    assert names_read(Model.reset.__code__).attributes_changed == {"again"}


def test_offsets():
    code = code_of("x.n += 1")
    instructions = list(dis.get_instructions(code))
    offsets = counts_in(instructions)
    assert [(one.opname, one.argval) for one in instructions if one.offset in offsets] == [
        ("LOAD_ATTR", "n"),
        ("STORE_ATTR", "n"),
    ]
    assert not counts_in([None, *instructions[:-3]])
