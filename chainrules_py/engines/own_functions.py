"""Functions that rules call and NumPy lacks, which a library may compute by itself
(`ArrayLibrary.implementations`).

They stand here for adapters to import; each is defined, with its rules, in
`chainrules_py.rulesets`.
"""

from chainrules_py.makers.products import is_worth_asking as is_worth_asking
from chainrules_py.rulesets.entries.replacing import replaced as replaced
from chainrules_py.rulesets.entries.scatter import (
    add_at as add_at,
    has_few_columns as has_few_columns,
    is_basic as is_basic,
    one_for_each_axis as one_for_each_axis,
    scatter_add as scatter_add,
)
from chainrules_py.rulesets.formulas.known_values import (
    any_of_host as any_of_host,
    is_of_host as is_of_host,
    require_known as require_known,
)
from chainrules_py.rulesets.formulas.matrices import (
    adjoint_solution as adjoint_solution,
    triangular_solution as triangular_solution,
)
from chainrules_py.rulesets.functions.higher_order import (
    covering as covering,
    selected_entries as selected_entries,
)
