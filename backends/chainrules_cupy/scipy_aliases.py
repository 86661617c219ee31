"""Other names of SciPy's functions: those of ``cupyx.scipy.special`` and ``cupyx.scipy.fft``.

``cupyx.scipy.linalg`` loads libraries of CUDA when it is imported, so its functions are looked up but not declared.
"""

from chainrules_cupy.scipy_functions import pairs
from chainrules_py.registry import RuleTable, default_rules


def register_scipy_aliases(table: RuleTable, *modules: str) -> None:
    """Declare the functions of these modules in a table."""
    for module in modules:
        for other, primal in pairs(module).items():
            table.alias(other, primal)


register_scipy_aliases(default_rules, "special", "fft")
