"""Programs: calls that are recorded, shown, compiled, and given to other engines.

Put here what works on a whole recorded program; nobody needs it to take a derivative. What users
call has its name in `chainrules_tape`, which imports it from here by its first use.

    recording         recorded arrays, which write down what is done with them
    showing           `show`, `draw` and `explain`: a traced program as a listing and as a graph
    compiling         `compiled`: a program that is recorded once runs as straight NumPy code
    whole_programs    `as_primitive`, `as_operation`: a program as one operation of another engine
"""

from chainrules_py.version import __version__ as __version__
