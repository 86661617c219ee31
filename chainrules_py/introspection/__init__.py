"""Questions that the language does not answer: who calls, what a line does, who holds an object.

Put here whatever reads frames, bytecode, reference counts or the garbage collector, or minds between
which steps of Python's something else may come, and nothing else; no other module does
(`tests/hygiene/test_introspection.py`). The name of each function says what it answers, and nothing
of how CPython stores it. In reading order:

    pythons         the table of the versions of CPython whose bytecode is known here
    frames          who calls, from which line, and what its variables hold
    instructions    what a frame is doing just now, and what a code does with a name
    called_names    what a frame is calling just now, and whether that only shows a text
    references      how many hold an object
    called_code     code that calls other functions in the place of those that it names
    waiting_code    code that waits for the first call of its function
    shared_state    locks and scopes of all threads, whatever forks and interrupts come
    collections_paused    no search for garbage while many objects are made that stay

With a Python that is not in the table, questions about bytecode have the answer by which no
derivative is lost (`pythons`).
"""

from chainrules_py.introspection.called_names import (
    called_names as called_names,
    is_showing as is_showing,
)
from chainrules_py.introspection.collections_paused import (
    collections_paused as collections_paused,
)
from chainrules_py.introspection.frames import (
    caller_location as caller_location,
    callers as callers,
    calls_noted as calls_noted,
    closure_values as closure_values,
    first_variable as first_variable,
    frame_above as frame_above,
    frame_outside as frame_outside,
    frames_inside as frames_inside,
    frames_outward as frames_outward,
    is_ours as is_ours,
    is_profiled as is_profiled,
    line_of as line_of,
    location_of as location_of,
    module_name as module_name,
    package_name as package_name,
    place_in_code as place_in_code,
    user_frame as user_frame,
    users_level as users_level,
    variables_of_frame as variables_of_frame,
)
from chainrules_py.introspection.instructions import (
    asks_identity as asks_identity,
    asks_what_a_value_is as asks_what_a_value_is,
    assigned_variable as assigned_variable,
    globals_named as globals_named,
    holds_what_it_augments as holds_what_it_augments,
    is_applying_decorator as is_applying_decorator,
    is_augmented_assignment as is_augmented_assignment,
    is_decided_on as is_decided_on,
    is_formatting as is_formatting,
    is_same_code as is_same_code,
    is_storing_entries as is_storing_entries,
    may_search as may_search,
    names_in as names_in,
    variables_assigned as variables_assigned,
    with_filename as with_filename,
    with_inner_codes as with_inner_codes,
    with_label as with_label,
    writes_into_arrays as writes_into_arrays,
)
from chainrules_py.introspection.references import (
    is_held_once as is_held_once,
    reference_count as reference_count,
    uncounted as uncounted,
)
from chainrules_py.introspection.shared_state import (
    Entry as Entry,
    SharedScope as SharedScope,
    by_thread as by_thread,
    free_in_child as free_in_child,
    process_lock as process_lock,
)
