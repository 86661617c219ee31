"""Questions that the language does not answer: who calls, what a line does, who holds an object.

Put here whatever reads frames, bytecode, reference counts or the garbage collector, and nothing
else; no other module does (`tests/hygiene/test_introspection.py`). The name of each function says
what it answers, and nothing of how CPython stores it. In reading order:

    pythons         the table of the versions of CPython whose bytecode is known here
    frames          who calls, from which line, and what its variables hold
    instructions    what a frame is doing just now, and what a code does with a name
    references      how many hold an object, and which objects do
    called_code     code that calls other functions in the place of those that it names
    names_read      the globals, attributes and modules that a code names
    collections_paused    no search for garbage while many objects are made that stay

With a Python that is not in the table, questions about bytecode have the answer that leaves
everything as it is: no line is an assignment, no call is replaced.
"""

from chainrules_py.introspection.collections_paused import (
    collections_paused as collections_paused,
)
from chainrules_py.introspection.frames import caller_location as caller_location
from chainrules_py.introspection.frames import callers as callers
from chainrules_py.introspection.frames import first_variable as first_variable
from chainrules_py.introspection.frames import frame_above as frame_above
from chainrules_py.introspection.frames import frame_outside as frame_outside
from chainrules_py.introspection.frames import frames_inside as frames_inside
from chainrules_py.introspection.frames import frames_outward as frames_outward
from chainrules_py.introspection.frames import line_of as line_of
from chainrules_py.introspection.frames import location_of as location_of
from chainrules_py.introspection.frames import module_name as module_name
from chainrules_py.introspection.frames import package_name as package_name
from chainrules_py.introspection.frames import place_in_code as place_in_code
from chainrules_py.introspection.frames import source_of_expression as source_of_expression
from chainrules_py.introspection.frames import user_frame as user_frame
from chainrules_py.introspection.frames import variables_of_frame as variables_of_frame
from chainrules_py.introspection.instructions import assigned_variable as assigned_variable
from chainrules_py.introspection.instructions import has_branches as has_branches
from chainrules_py.introspection.instructions import is_applying_decorator as is_applying_decorator
from chainrules_py.introspection.instructions import (
    is_augmented_assignment as is_augmented_assignment,
)
from chainrules_py.introspection.instructions import is_only_called as is_only_called
from chainrules_py.introspection.instructions import is_same_code as is_same_code
from chainrules_py.introspection.instructions import is_storing_entries as is_storing_entries
from chainrules_py.introspection.instructions import with_filename as with_filename
from chainrules_py.introspection.instructions import writes_into_arrays as writes_into_arrays
from chainrules_py.introspection.references import is_held_once as is_held_once
from chainrules_py.introspection.references import reference_count as reference_count
from chainrules_py.introspection.references import referrers as referrers
from chainrules_py.introspection.references import shown_mapping as shown_mapping
