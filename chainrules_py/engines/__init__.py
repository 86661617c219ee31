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
made_up              numbers with which a function is called to find out what it returns
compilers            what compilers of Python are told of engines
numpy_protocols      what NumPy's functions do with the arrays of a library that joined, and its methods
absent_functions     NumPy's names for a library, and functions that it lacks as programs of those that it has
reductions           NumPy's options of sums and their like, for a library that has fewer
own_functions        functions of the rules themselves, which a library may compute by itself; imported by itself

The adapters of autograd, JAX, PyTorch and Dask import names from here and from `chainrules_py`, and
nothing else of it (`tests/hygiene/test_adapters.py`). So what they need of other modules is public
here.
"""

from typing import TYPE_CHECKING

from chainrules_py.batching.loop import one_by_one as one_by_one
from chainrules_py.calls.traced_values import next_level as next_level
from chainrules_py.calls.traced_values import refuse_captured as refuse_captured
from chainrules_py.engines.call_plans import BoundCall as BoundCall
from chainrules_py.engines.call_plans import BoundRule as BoundRule
from chainrules_py.engines.call_plans import CanonicalCall as CanonicalCall
from chainrules_py.engines.call_plans import bound_in_reverse as bound_in_reverse
from chainrules_py.engines.call_plans import closing_stage as closing_stage
from chainrules_py.engines.call_plans import planned as planned
from chainrules_py.engines.compilers import mark_entry_points as mark_entry_points
from chainrules_py.makers.declarations import as_primitive as as_primitive
from chainrules_py.rules.rule import Mode as Mode
from chainrules_py.rules.rule import Rule as Rule
from chainrules_py.table.registry import current_table as current_table
from chainrules_py.tangents.describing import describe as describe
from chainrules_py.tangents.plain_containers import as_tangent as as_tangent
from chainrules_py.values.arrays import library_of_types as library_of_types
from chainrules_py.values.discovery import require_installed as require_installed
from chainrules_py.values.identity import made_of as made_of
from chainrules_py.values.identity import qualified_name as qualified_name
from chainrules_py.values.late_names import by_first_use
from chainrules_py.values.structure import fields as fields
from chainrules_py.values.structure import is_container as is_container
from chainrules_py.values.structure import kind as kind
from chainrules_py.values.structure import mapped as mapped
from chainrules_py.values.structure import rebuild as rebuild

if TYPE_CHECKING:
    from chainrules_py.engines.absent_functions import NamesOfNumPy as NamesOfNumPy
    from chainrules_py.engines.absent_functions import body_of as body_of
    from chainrules_py.engines.absent_functions import cond as cond
    from chainrules_py.engines.absent_functions import diff as diff
    from chainrules_py.engines.absent_functions import lstsq as lstsq
    from chainrules_py.engines.absent_functions import matvec as matvec
    from chainrules_py.engines.absent_functions import vecdot as vecdot
    from chainrules_py.engines.absent_functions import vecmat as vecmat
    from chainrules_py.engines.absent_functions import vector_norm as vector_norm
    from chainrules_py.engines.by_tape import each_example as each_example
    from chainrules_py.engines.by_tape import tape as tape
    from chainrules_py.engines.by_tape import tape_config as tape_config
    from chainrules_py.engines.by_tape import with_rules as with_rules
    from chainrules_py.engines.flat_calls import LARGEST_CONSTANT as LARGEST_CONSTANT
    from chainrules_py.engines.flat_calls import FlatCall as FlatCall
    from chainrules_py.engines.flat_calls import FlatValue as FlatValue
    from chainrules_py.engines.foreign_functions import ForeignFunction as ForeignFunction
    from chainrules_py.engines.foreign_functions import foreign_primitive as foreign_primitive
    from chainrules_py.engines.frozen_functions import frozen_once as frozen_once
    from chainrules_py.engines.made_up import made_up_arguments as made_up_arguments
    from chainrules_py.engines.numpy_protocols import add_methods as add_methods
    from chainrules_py.engines.numpy_protocols import answer_numpy as answer_numpy
    from chainrules_py.engines.programs import Call as Call
    from chainrules_py.engines.programs import Derived as Derived
    from chainrules_py.engines.programs import InLanes as InLanes
    from chainrules_py.engines.programs import Program as Program
    from chainrules_py.engines.programs import Pull as Pull
    from chainrules_py.engines.programs import Pullback as Pullback
    from chainrules_py.engines.programs import Pushforward as Pushforward
    from chainrules_py.engines.programs import fitted as fitted
    from chainrules_py.engines.programs import is_result as is_result
    from chainrules_py.engines.programs import is_traced as is_traced
    from chainrules_py.engines.programs import of_chosen as of_chosen
    from chainrules_py.engines.reductions import Axis as Axis
    from chainrules_py.engines.reductions import averaging as averaging
    from chainrules_py.engines.reductions import reduction as reduction
    from chainrules_py.engines.rules_of_calls import KnownCall as KnownCall
    from chainrules_py.engines.rules_of_calls import has_rules as has_rules
    from chainrules_py.engines.traced_calls import TracedCall as TracedCall
    from chainrules_py.engines.traced_calls import TracedValue as TracedValue

# Each adapter needs some of them, and the tape few.
_LATE = {
    "add_methods": ".numpy_protocols",
    "LARGEST_CONSTANT": ".flat_calls",
    "FlatCall": ".flat_calls",
    "FlatValue": ".flat_calls",
    "ForeignFunction": ".foreign_functions",
    "foreign_primitive": ".foreign_functions",
    **dict.fromkeys(("each_example", "tape", "tape_config", "with_rules"), ".by_tape"),
    **dict.fromkeys(
        ("Call", "Derived", "InLanes", "Program", "Pullback", "Pushforward", "Pull"), ".programs"
    ),
    **dict.fromkeys(("fitted", "is_result", "is_traced", "of_chosen"), ".programs"),
    "frozen_once": ".frozen_functions",
    "KnownCall": ".rules_of_calls",
    "answer_numpy": ".numpy_protocols",
    "made_up_arguments": ".made_up",
    "Axis": ".reductions",
    "averaging": ".reductions",
    **dict.fromkeys(("NamesOfNumPy", "body_of", "cond", "diff", "lstsq"), ".absent_functions"),
    **dict.fromkeys(("matvec", "vecdot", "vecmat", "vector_norm"), ".absent_functions"),
    "reduction": ".reductions",
    "has_rules": ".rules_of_calls",
    **dict.fromkeys(("TracedCall", "TracedValue"), ".traced_calls"),
}
__getattr__, __dir__ = by_first_use(__name__, _LATE)
