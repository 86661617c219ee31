"""A small tape engine: derivatives of plain NumPy code, by the rules of `chainrules_py`."""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING

from chainrules_py.introspection import collections_paused

with collections_paused(all_stay=True):
    # for its effect: what is known of arrays with labels and units of other packages
    import chainrules_labels as chainrules_labels
    from chainrules_py.errors import ClosureError as ClosureError
    from chainrules_py.ignoring import stop_gradient as stop_gradient
    from chainrules_py.makers import primitive as primitive
    from chainrules_py.values.late_names import by_first_use
    from chainrules_py.values.structure import container as container
    from chainrules_py.version import __version__ as __version__

    # for its effect: traced arrays have a namespace of the array API standard
    from chainrules_tape import standard as standard

    # for its effect: the engine is given the classes of traced values
    from chainrules_tape.arrays import handles as handles
    from chainrules_tape.core.levels import prepare_when_imported as _prepare_when_imported

    # for its effect: arrays on devices are swept over with fewer kernels
    from chainrules_tape.device_sweep import device_step as _device_step  # noqa: F401
    from chainrules_tape.gradients import grad as grad, value_and_grad as value_and_grad
    from chainrules_tape.refusals.bypassed_rules import BypassedRuleWarning as BypassedRuleWarning
    from chainrules_tape.refusals.errors import (
        EscapedValueError as EscapedValueError,
        InPlaceError as InPlaceError,
        InputError as InputError,
        LostGradientError as LostGradientError,
        LostGradientWarning as LostGradientWarning,
        OutputError as OutputError,
        RecomputationError as RecomputationError,
        SparsityError as SparsityError,
    )
    from chainrules_tape.refusals.instrumented_packages import foreign_code as _answering
    from chainrules_tape.refusals.names_elsewhere import (
        instead_of_name as _instead_of_name,
        tell_importers as _tell_importers,
    )
    from chainrules_tape.refusals.unseen import (
        SeenThroughWarning as SeenThroughWarning,
        only_marked as only_marked,
    )
    from chainrules_tape.taylor import higher_derivatives as higher_derivatives, taylor as taylor
    from chainrules_tape.vmap import vmap as vmap
    from chainrules_tape.xp import namespace as namespace


_answering.append(
    by_first_use(
        "chainrules_foreign_code",
        {
            "attempt": ".following",
            "leave_plain": ".following",
            "note_equality": ".decisions",
            "run_by_source": ".by_source",
            "see_file_of": ".callees",
        },
    )[0]
)


def _constant_matrices() -> None:
    _import_module(f"{__name__}.scipy.constant_matrices")


_prepare_when_imported("scipy.sparse", _constant_matrices)

if TYPE_CHECKING:
    from chainrules_foreign_code.seen_functions import seen_through as seen_through
    from chainrules_programs.checking import (
        CheckedDerivative as CheckedDerivative,
        DerivativeReport as DerivativeReport,
        assert_derivatives as assert_derivatives,
        check_derivatives as check_derivatives,
    )
    from chainrules_programs.compiling.compile import (
        Compiled as Compiled,
        NotCompiledWarning as NotCompiledWarning,
        compiled as compiled,
    )
    from chainrules_programs.showing.drawing import draw as draw
    from chainrules_programs.showing.explanation import explain as explain
    from chainrules_programs.showing.listing import show as show
    from chainrules_programs.whole_programs import (
        DirectProgram as DirectProgram,
        as_operation as as_operation,
        as_primitive as as_primitive,
        direct_program as direct_program,
        program_of as program_of,
    )
    from chainrules_sparse.matrices import (
        jacobian_operator as jacobian_operator,
        sparsity as sparsity,
    )
    from chainrules_sparse.sparsity import Sparsity as Sparsity
    from chainrules_tape.checkpointing import checkpoint as checkpoint
    from chainrules_tape.fitting import Fit as Fit, fit as fit
    from chainrules_tape.keeping_memory import keep_memory as keep_memory
    from chainrules_tape.matrices import hessian as hessian, hvp as hvp, jacobian as jacobian
    from chainrules_tape.transforms import jvp as jvp, linearize as linearize, vjp as vjp
    from chainrules_tape.vectors import as_vector as as_vector

# Imported by their first use, by module: most programs need few of them, and some need SciPy.
_LATE = {
    "checkpoint": ".checkpointing",
    "Fit": ".fitting",
    "fit": ".fitting",
    "keep_memory": ".keeping_memory",
    "hessian": ".matrices",
    "hvp": ".matrices",
    "jacobian": ".matrices",
    "jvp": ".transforms",
    "linearize": ".transforms",
    "vjp": ".transforms",
    "as_vector": ".vectors",
    "DirectProgram": "chainrules_programs.whole_programs",
    "as_operation": "chainrules_programs.whole_programs",
    "as_primitive": "chainrules_programs.whole_programs",
    "direct_program": "chainrules_programs.whole_programs",
    "program_of": "chainrules_programs.whole_programs",
    "assert_derivatives": "chainrules_programs.checking",
    "check_derivatives": "chainrules_programs.checking",
    "CheckedDerivative": "chainrules_programs.checking",
    "DerivativeReport": "chainrules_programs.checking",
    "draw": "chainrules_programs.showing.drawing",
    "explain": "chainrules_programs.showing.explanation",
    "show": "chainrules_programs.showing.listing",
    "compiled": "chainrules_programs.compiling.compile",
    "Compiled": "chainrules_programs.compiling.compile",
    "NotCompiledWarning": "chainrules_programs.compiling.compile",
    "seen_through": "chainrules_foreign_code.seen_functions",
    "sparsity": "chainrules_sparse.matrices",
    "jacobian_operator": "chainrules_sparse.matrices",
    "Sparsity": "chainrules_sparse.sparsity",
}
_MODULES = ("autograd", "numpy", "optimizers", "scipy")

__getattr__, __dir__ = by_first_use(__name__, _LATE, _MODULES, _instead_of_name)
_tell_importers()
