"""Parts for adapters of other engines: our rules in their programs, and their functions in ours.

call_plans           what is found out once for each kind of call, so that the next one is quick
call_memory          what is remembered of calls, and for how long
traced_calls         the traced values of an engine, and the calls that it differentiates
flat_calls           a call with its arrays laid flat, its value and both rules on lists of arrays
programs             such calls as one operation of an engine, and their derivatives
by_tape              what chainrules_tape differentiates for other engines, where it is installed
rules_of_calls       whether a function has rules; what value is known while a rule runs
foreign_functions    a function that another engine differentiates, as a primitive with rules
frozen_functions     copies of functions that an engine calls later
compilers            what compilers of Python are told of engines
numpy_protocols      what NumPy's functions do with the arrays of a library that joined
absent_functions     functions that a library lacks as programs of those that it has
reductions           NumPy's options of sums and their like, for a library that has fewer
own_functions        functions of the rules themselves, which a library may compute by itself; imported by itself

The adapters import names from here and from `chainrules_py`, and nothing else of it
(`tests/hygiene/test_adapters.py`). So what they need of other modules is public here.
"""

from typing import TYPE_CHECKING

from chainrules_py.batching.loop import one_by_one as one_by_one
from chainrules_py.calls.method_names import add_methods as add_methods
from chainrules_py.calls.traced_values import (
    next_level as next_level,
    refuse_captured as refuse_captured,
)
from chainrules_py.checks.guards import held as held
from chainrules_py.engines.call_plans import (
    BoundCall as BoundCall,
    BoundRule as BoundRule,
    CanonicalCall as CanonicalCall,
    bound_in_reverse as bound_in_reverse,
    closing_stage as closing_stage,
    planned as planned,
)
from chainrules_py.engines.compilers import mark_entry_points as mark_entry_points
from chainrules_py.makers.declarations import as_primitive as as_primitive
from chainrules_py.rules.rule import Mode as Mode, Rule as Rule
from chainrules_py.table.registry import current_table as current_table, in_force as in_force
from chainrules_py.tangents.describing import describe as describe
from chainrules_py.tangents.plain_containers import as_tangent as as_tangent
from chainrules_py.values.arrays import library_of_types as library_of_types
from chainrules_py.values.discovery import require_installed as require_installed
from chainrules_py.values.identity import made_of as made_of, qualified_name as qualified_name
from chainrules_py.values.late_names import (
    NamesOfNumPy as NamesOfNumPy,
    by_first_use,
    found_at as found_at,
    with_ufunc_methods as with_ufunc_methods,
)
from chainrules_py.values.places import with_items_at as with_items_at
from chainrules_py.values.structure import (
    fields as fields,
    is_container as is_container,
    kind as kind,
    mapped as mapped,
    rebuild as rebuild,
)

if TYPE_CHECKING:
    from chainrules_py.batching.made_up import made_up_arguments as made_up_arguments
    from chainrules_py.engines.absent_functions import (
        body_of as body_of,
        by_body as by_body,
        cond as cond,
        lstsq as lstsq,
        matvec as matvec,
        nanmax as nanmax,
        nanmin as nanmin,
        pinv as pinv,
        vecdot as vecdot,
        vecmat as vecmat,
    )
    from chainrules_py.engines.by_tape import (
        each_example as each_example,
        tape as tape,
        tape_config as tape_config,
        with_rules as with_rules,
    )
    from chainrules_py.engines.flat_calls import (
        LARGEST_CONSTANT as LARGEST_CONSTANT,
        FlatCall as FlatCall,
        FlatValue as FlatValue,
    )
    from chainrules_py.engines.foreign_functions import (
        ForeignFunction as ForeignFunction,
        foreign_primitive as foreign_primitive,
    )
    from chainrules_py.engines.frozen_functions import frozen_once as frozen_once
    from chainrules_py.engines.numpy_protocols import answer_numpy as answer_numpy
    from chainrules_py.engines.programs import (
        Call as Call,
        Derived as Derived,
        InLanes as InLanes,
        Program as Program,
        Pull as Pull,
        Pullback as Pullback,
        Pushforward as Pushforward,
        call_without_writing as call_without_writing,
        fitted as fitted,
        is_result as is_result,
        of_chosen as of_chosen,
    )
    from chainrules_py.engines.reductions import (
        Axis as Axis,
        averaging as averaging,
        reduction as reduction,
    )
    from chainrules_py.engines.rules_of_calls import KnownCall as KnownCall, has_rules as has_rules
    from chainrules_py.engines.traced_calls import (
        TracedCall as TracedCall,
        TracedValue as TracedValue,
    )
    from chainrules_py.rulesets.linalg.norms import vector_norm as vector_norm
    from chainrules_py.values.indices import is_traced as is_traced

# Each adapter needs some of them, and the tape few.
_LATE = {
    "LARGEST_CONSTANT": ".flat_calls",
    "FlatCall": ".flat_calls",
    "FlatValue": ".flat_calls",
    "ForeignFunction": ".foreign_functions",
    "foreign_primitive": ".foreign_functions",
    **dict.fromkeys(("each_example", "tape", "tape_config", "with_rules"), ".by_tape"),
    **dict.fromkeys(
        ("Call", "Derived", "InLanes", "Program", "Pullback", "Pushforward", "Pull"), ".programs"
    ),
    **dict.fromkeys(("call_without_writing", "fitted", "is_result", "of_chosen"), ".programs"),
    "is_traced": "chainrules_py.values.indices",
    "made_up_arguments": "chainrules_py.batching.made_up",
    "frozen_once": ".frozen_functions",
    "KnownCall": ".rules_of_calls",
    "answer_numpy": ".numpy_protocols",
    "Axis": ".reductions",
    "averaging": ".reductions",
    **dict.fromkeys(("body_of", "by_body", "cond", "lstsq"), ".absent_functions"),
    **dict.fromkeys(("matvec", "nanmax", "nanmin", "pinv"), ".absent_functions"),
    **dict.fromkeys(("vecdot", "vecmat"), ".absent_functions"),
    "reduction": ".reductions",
    "has_rules": ".rules_of_calls",
    **dict.fromkeys(("TracedCall", "TracedValue"), ".traced_calls"),
    "vector_norm": "chainrules_py.rulesets.linalg.norms",
}
__getattr__, __dir__ = by_first_use(__name__, _LATE)
