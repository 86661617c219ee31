"""Interrupt a program at any step of Python's, and look what it leaves behind."""

import builtins
import gc
import sys
import types

import numpy as np

from chainrules_py.introspection import shared_state
from chainrules_py.strong_zeros.strictness import this_thread
from chainrules_tape.arrays.handles import InForwardMode, OnTape
from chainrules_tape.core.levels import open_levels


def steps(program, at=None, file=""):
    """Run a program, and raise KeyboardInterrupt at a step of it, or of a file; how many there were,
    and where.
    """
    count, place = 0, ""

    def trace(frame, event, argument):
        nonlocal count, place
        if not frame.f_code.co_filename.endswith(file):
            return trace
        frame.f_trace_opcodes = True
        count += 1
        if count == at:
            place = f"{frame.f_code.co_qualname} at line {frame.f_lineno}, {event}"
            sys.settrace(None)
            raise KeyboardInterrupt
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        program()
    except KeyboardInterrupt:
        pass
    finally:
        sys.settrace(before)
        # as `with` takes and releases a lock, and `finally` begins, no signal comes, but a tracer does
        open_levels.clear()
        this_thread.strictness.applies = False
        for lock in shared_state._locks:
            while lock._is_owned():
                lock.release()
    return count, place


def everything(*modules):
    """What a program may leave changed, by identity, for the process and for these modules."""
    found = {
        "import": builtins.__import__,
        "collector": (gc.isenabled(), gc.get_threshold()),
        "errors": (np.geterr(), np.geterrcall()),
        "room": sys.getrecursionlimit(),
        **{("finder", k): finder for k, finder in enumerate(sys.meta_path)},
    }
    for holder in (*modules, OnTape, InForwardMode):
        for name, value in vars(holder).items():
            found[holder.__name__, name] = id(value)
            if isinstance(value, types.FunctionType):
                found[holder.__name__, name, "code"] = value.__code__, value.__defaults__
                for k, cell in enumerate(value.__closure__ or ()):
                    found[holder.__name__, name, k] = id(cell.cell_contents)
    return found
