"""The instructions that a run executes are noted, and names are read of these alone."""

import subprocess
import sys

from chainrules_py.introspection.executed import Executed, is_traced
from chainrules_py.introspection.names_read import names_read

SCALE = OTHER = 2.0
LONG = [f"name_{k}" for k in range(300)]


def chosen(x):
    if x > 0:
        return SCALE * x.real
    return OTHER * x.imag


def passed_on(x):
    return sum(chosen(each) for each in [x])


def own(module):
    return module == __name__


def ran(function, *args):
    executed = Executed(own)
    executed.run(function, *args)
    return executed


def test_names_of_what_ran():
    above, below = (
        names_read(chosen.__code__, ran(chosen, 1.0)),
        names_read(chosen.__code__, ran(chosen, -1.0)),
    )
    assert (above.globals_read, above.attributes) == ({"SCALE"}, {"real"})
    assert (below.globals_read, below.attributes) == ({"OTHER"}, {"imag"})
    assert names_read(chosen.__code__).globals_read == {"SCALE", "OTHER"}


def test_what_did_not_run():
    executed = ran(chosen, 1.0)
    assert passed_on.__code__ not in executed.offsets
    assert names_read(passed_on.__code__, executed).globals_read == set()


def test_inner_codes_and_calls():
    executed = ran(passed_on, 1.0)
    assert names_read(passed_on.__code__, executed).globals_read == {"sum", "chosen"}
    assert names_read(chosen.__code__, executed).globals_read == {"SCALE"}


def test_more_runs_add_to_it():
    executed = ran(chosen, 1.0)
    count = executed.count()
    executed.run(chosen, 2.0)
    assert executed.count() == count
    executed.run(chosen, -2.0)
    assert executed.count() > count


def test_extended_arguments():
    """A name beyond the 256th has an instruction of its own before it, which holds a part of it."""
    space = dict.fromkeys(LONG, 1.0) | {"__name__": __name__}
    exec("def many():\n    return " + " + ".join(LONG), space)
    assert names_read(space["many"].__code__, ran(space["many"])).globals_read == set(LONG)


def test_a_python_that_tells_of_no_instructions(monkeypatch):
    """Then all of what was called counts."""
    executed = Executed(own)
    tell = executed._called

    def without_instructions(frame, event, arg):
        local = tell(frame, event, arg)
        frame.f_trace_opcodes = False
        return local

    monkeypatch.setattr(executed, "_called", without_instructions)
    executed.run(chosen, 1.0)
    assert executed.of(chosen.__code__) is None
    assert names_read(chosen.__code__, executed).globals_read == {"SCALE", "OTHER"}


def test_errors_end_it():
    before = sys.gettrace()
    sys.settrace(None)
    try:
        ran(chosen, "text")
    except TypeError:
        assert not is_traced()
    finally:
        sys.settrace(before)


FIRST_RUN = """
from chainrules_py.introspection.executed import Executed
choose = lambda x: x.real if x > 0 else x.imag
executed = Executed(lambda module: module == "__main__")
executed.run(choose, 1.0)
print(len(executed.of(choose.__code__)) > 3)
"""


def test_the_first_run_of_a_process_is_noted():
    """Pythons 3.12 and 3.13 told of no instructions in it."""
    done = subprocess.run([sys.executable, "-c", FIRST_RUN], capture_output=True, text=True)
    assert done.stdout == "True\n", done.stderr
