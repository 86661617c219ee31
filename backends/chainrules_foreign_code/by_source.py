"""Functions of SciPy's that run by their own source: those that `chainrules_py.makers.by_source`
declares, and those without a rule.
"""

from importlib import import_module
from typing import Any

from chainrules_foreign_code.callees import twin_of
from chainrules_py.annotations import Args, Function, Options
from chainrules_py.rulesets.formulas.each_example import has_lanes, traced_in
from chainrules_py.values.arrays import library_of_types
from chainrules_py.values.captured_values import closed
from chainrules_tape.core.levels import innermost
from chainrules_tape.lanes.unit_vectors import is_run_by_numpy
from chainrules_tape.refusals.handles import plain


def run_by_source(function: Function, args: Args, options: Options) -> Any:
    """Run the code of a function on values that the tape traces.

    For many examples, which it may tell apart, and for other engines it is one operation, of what
    is traced: the rest is constant.
    """
    given = dict(enumerate(closed(args))) | closed(options)
    beneath = [type(plain(x)) for x in traced_in(given)]
    is_of_tape = innermost(given.values()) is not None and not has_lanes(given)
    if is_of_tape and is_run_by_numpy(library_of_types(beneath)):
        return twin_of(function)(*args, **options)
    moving = [key for key, x in given.items() if next(traced_in(x), None) is not None]

    def program(*values) -> Any:
        own = given | dict(zip(moving, values, strict=True))
        positional = [own.pop(k) for k in range(len(args))]
        return twin_of(function)(*positional, **own)

    operation = import_module("chainrules_tape").as_primitive(program)
    operation.is_of_library = is_of_tape
    return operation(*[given[key] for key in moving])
