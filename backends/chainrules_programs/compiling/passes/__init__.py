"""Passes over recorded programs, `Program` to `Program`, each in a module of its name.

`memory` says what a step writes, and which values share memory;
`constants` has what passes keep of the recording. Read `unused` first, then in the order of
`optimized`. A value whose memory is written anywhere is left alone by all of them, but where it lies
(`memory.is_view`), and by `copies`.
"""

from functools import partial

from chainrules_programs.compiling.passes.blocked import blocked
from chainrules_programs.compiling.passes.boxed import boxed
from chainrules_programs.compiling.passes.broadcast import broadcast
from chainrules_programs.compiling.passes.common import common
from chainrules_programs.compiling.passes.copies import copies
from chainrules_programs.compiling.passes.entries import short_vectors_split
from chainrules_programs.compiling.passes.folded import folded
from chainrules_programs.compiling.passes.freed import freed
from chainrules_programs.compiling.passes.in_place import in_place
from chainrules_programs.compiling.passes.invariant import invariant
from chainrules_programs.compiling.passes.loops import rolled, within_loops
from chainrules_programs.compiling.passes.reduced import reduced
from chainrules_programs.compiling.passes.sums import sums, sums_into_views
from chainrules_programs.compiling.passes.unused import unused
from chainrules_programs.recording.patience import patience
from chainrules_programs.recording.program import Program

SHORTER = (
    within_loops(sums),
    unused,
    within_loops(invariant),
    within_loops(folded, common),
)
PASSES = (
    short_vectors_split,
    partial(rolled, uneven=True),
    *SHORTER,
    within_loops(sums_into_views, broadcast, copies),
    unused,
    within_loops(reduced, boxed, blocked, in_place),
    freed,
)


def optimized(program: Program) -> Program:
    """Apply all passes, in the order in which one prepares the next."""
    for each in PASSES:
        patience.ask()
        program = each(program)
    return program


def shortened(program: Program) -> Program:
    """Leave out what need not be computed: for other languages, which have the rest."""
    for each in (*SHORTER, unused):
        program = each(program)
    return program
