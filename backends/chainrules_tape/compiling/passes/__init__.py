"""Passes over recorded programs, `Program` to `Program`, each in a module of its name.

`steps` and `memory` say what a step reads, makes and writes, and which values share memory;
`constants` has what passes keep of the recording. Read `unused` first, then in the order of
`optimized`. A value whose memory is written anywhere is left alone by all of them.
"""

from chainrules_py.introspection import collections_paused
from chainrules_recorder.program import Program
from chainrules_tape.compiling.passes.blocked import blocked
from chainrules_tape.compiling.passes.boxed import boxed
from chainrules_tape.compiling.passes.broadcast import broadcast
from chainrules_tape.compiling.passes.common import common
from chainrules_tape.compiling.passes.folded import folded
from chainrules_tape.compiling.passes.freed import freed
from chainrules_tape.compiling.passes.in_place import in_place
from chainrules_tape.compiling.passes.looped import looped
from chainrules_tape.compiling.passes.reduced import reduced
from chainrules_tape.compiling.passes.unused import unused

PASSES = (
    *(unused, folded, common, broadcast, unused),
    *(reduced, boxed, blocked, in_place, looped, freed),
)


def optimized(program: Program) -> Program:
    """Apply all passes, in the order in which one prepares the next."""
    with collections_paused():
        for each in PASSES:
            program = each(program)
    return program
