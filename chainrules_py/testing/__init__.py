"""The test kit for everybody who writes rules or an engine: a rule that passes it is right.

    from chainrules_py.testing import check_rule, samples_for, Sample

    verification      `check_rule` and its kin; `checks` holds one module for each promise
    samples           the table of example calls; those of NumPy's and SciPy's functions are a
                      distribution of their own, chainrules-samples
    finite_differences, coordinates, stencils      the oracle, in real coordinates
    diagnosis, jacobian_report                     what is wrong with a rule that fails
    conformance       `check_engine`: an engine on all samples
    programs          programs that write, draw or take functions, for engines
    mutation          wrong rules, each of which the samples must find
    numerical_rule    a rule by finite differences, as a stopgap
    pytest_cases      parameters for pytest, which nothing else here needs

Read `verification` first, then `trial` and one of `checks`.
"""

from chainrules_py.testing.cases import (
    Case as Case,
    cases as cases,
    cases_of as cases_of,
    primals_of as primals_of,
    unsampled as unsampled,
)
from chainrules_py.testing.conformance import (
    Passed as Passed,
    check_engine as check_engine,
    check_engine_call as check_engine_call,
    check_series as check_series,
    engine_cases as engine_cases,
    run_engine_case as run_engine_case,
    run_engine_case_in_lanes as run_engine_case_in_lanes,
    run_engine_program as run_engine_program,
)
from chainrules_py.testing.coordinates import Layout as Layout
from chainrules_py.testing.draw import Draw as Draw
from chainrules_py.testing.failures import (
    CheckFailure as CheckFailure,
    Diagnosis as Diagnosis,
    MissingSamplesError as MissingSamplesError,
    UnsuitableCallError as UnsuitableCallError,
)
from chainrules_py.testing.finite_differences import (
    Derivative as Derivative,
    Verdict as Verdict,
    directional as directional,
    oracle_jacobian as oracle_jacobian,
)
from chainrules_py.testing.inner_products import inner as inner
from chainrules_py.testing.keywords import (
    Keyword as Keyword,
    untested_keywords as untested_keywords,
)
from chainrules_py.testing.mutation import (
    GateReport as GateReport,
    Mutant as Mutant,
    mutation_gate as mutation_gate,
)
from chainrules_py.testing.numerical_rule import (
    NumericalRuleWarning as NumericalRuleWarning,
    numerical_rule as numerical_rule,
)
from chainrules_py.testing.programs import (
    EngineProgram as EngineProgram,
    engine_program as engine_program,
)
from chainrules_py.testing.random_tangents import (
    adding_to_nothing as adding_to_nothing,
    rand_tangent as rand_tangent,
)
from chainrules_py.testing.samples import (
    COMPLEX as COMPLEX,
    REAL as REAL,
    REAL_AND_COMPLEX as REAL_AND_COMPLEX,
    Sample as Sample,
    Tag as Tag,
    load_shipped as load_shipped,
    samples_for as samples_for,
    samples_of as samples_of,
)
from chainrules_py.testing.settings import Settings as Settings
from chainrules_py.testing.verification import (
    check_batching as check_batching,
    check_frule as check_frule,
    check_rrule as check_rrule,
    check_rule as check_rule,
)
from chainrules_py.values.late_names import by_first_use

__getattr__, __dir__ = by_first_use(__name__, {}, former={"random_tangent": "rand_tangent"})
__all__ = [
    "COMPLEX",
    "Case",
    "CheckFailure",
    "Derivative",
    "Diagnosis",
    "Draw",
    "EngineProgram",
    "GateReport",
    "Keyword",
    "Layout",
    "MissingSamplesError",
    "Mutant",
    "NumericalRuleWarning",
    "Passed",
    "REAL",
    "REAL_AND_COMPLEX",
    "Sample",
    "Settings",
    "Tag",
    "UnsuitableCallError",
    "Verdict",
    "adding_to_nothing",
    "cases",
    "cases_of",
    "check_batching",
    "check_engine",
    "check_engine_call",
    "check_frule",
    "check_rrule",
    "check_rule",
    "check_series",
    "directional",
    "engine_cases",
    "engine_program",
    "inner",
    "load_shipped",
    "mutation_gate",
    "numerical_rule",
    "oracle_jacobian",
    "primals_of",
    "rand_tangent",
    "run_engine_case",
    "run_engine_case_in_lanes",
    "run_engine_program",
    "samples_for",
    "samples_of",
    "unsampled",
    "untested_keywords",
]
