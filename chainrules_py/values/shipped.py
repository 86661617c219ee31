"""Tables of what this distribution ships: the modules with the rules of functions, and backends.

    PACKS         by the home of a function: the modules that have all rules of that home, and the
                  packages, which are imported with all of their modules
    OTHER_NAMES   by the home of a function: the modules that say which names are one function
    FUNCTIONS     by the name of a function: the modules that have its rules of differentiation, and
                  after a stroke those that have its rules for many examples
    UNLISTED      packages whose functions may have rules without a line in FUNCTIONS
    BACKENDS      by the root module of an array class

A look-up imports the modules that the table of functions names, and else the whole pack; so a rule
of a function in UNLISTED may stand anywhere, and costs its first user some 20 ms. All other
functions of NumPy's and SciPy's that have rules are listed by their public module, so that one can
tell that a function has none without importing any. `tests/shared/table_of_rules.py` writes the
table, and a test compares it with the rulesets.
"""

import os.path
from typing import Any

_RULESETS = "chainrules_py.rulesets"
_ALL_OF_NUMPY = (
    *(f"{_RULESETS}.{name}" for name in ("entries", "functions", "products", "reductions")),
    *(f"{_RULESETS}.{name}" for name in ("sampled", "shapes", "ufuncs", "non_differentiable")),
    f"{_RULESETS}.polynomial.polynomials",
)
_PARTS_OF_SCIPY = (
    *("fft", "integrate", "interpolate", "linalg", "ndimage", "optimize", "signal", "sparse"),
    *("sparse.linalg", "special", "stats"),
)
PACKS = {
    "numpy": _ALL_OF_NUMPY,
    "numpy.linalg": (f"{_RULESETS}.linalg",),
    "numpy.fft": (f"{_RULESETS}.fft",),
    "numpy.polynomial": (f"{_RULESETS}.polynomial",),
    "numpy.random": (f"{_RULESETS}.draws",),
    **{f"scipy.{part}": (f"{_RULESETS}.scipy.{part}",) for part in _PARTS_OF_SCIPY},
    "math": _ALL_OF_NUMPY,
    "cmath": _ALL_OF_NUMPY,
    "operator": _ALL_OF_NUMPY,
    "builtins": _ALL_OF_NUMPY,
    "functools": _ALL_OF_NUMPY,
}

_NAMES_OF_NUMPY = ("chainrules_numpy.aliases",)
OTHER_NAMES = {
    "numpy": _NAMES_OF_NUMPY,
    "numpy.linalg": ("chainrules_numpy.linalg_aliases",),
    "math": _NAMES_OF_NUMPY,
    "operator": _NAMES_OF_NUMPY,
    "builtins": _NAMES_OF_NUMPY,
    "functools": _NAMES_OF_NUMPY,
}

TABLE = f"{os.path.dirname(os.path.dirname(__file__))}/rulesets/functions.txt"


def _table() -> dict[str, str]:
    """Read the table by the loader of this module, which may be that of an archive.

    A line is a name, a colon and modules; one split of the whole text takes 0.5 ms.
    """
    loader: Any = __spec__.loader
    text: str = loader.get_data(TABLE).decode()
    parts = iter(text.replace("\n", ": ").split(": "))
    return dict(zip(parts, parts, strict=False))  # after the last line there is nothing


FUNCTIONS = _table()


def modules_of(name: str, batching: bool = False) -> list[str]:
    """The modules with the rules of a function, on request with those for many examples.

    >>> modules_of("numpy.sort")
    ['chainrules_py.rulesets.entries.sorting']
    """
    own, _, lanes = FUNCTIONS[name].partition(" | ")
    names = f"{own} {lanes}" if batching else own
    return [f"{_RULESETS}.{module}" for module in names.split()]


UNLISTED = ("numpy.polynomial", "numpy.random")


def may_be_unlisted(home: str) -> bool:
    """Whether functions of a module may have rules of ours that `FUNCTIONS` does not name."""
    if home.partition(".")[0] not in ("numpy", "scipy"):
        return True
    return any(f"{home}.".startswith(f"{package}.") for package in UNLISTED)


BACKENDS = {
    "array_api_strict": "chainrules_array_api.strict",
    "numpy": "chainrules_numpy",
    "autograd": "chainrules_autograd",
    "cubed": "chainrules_array_api.cubed_arrays",
    "cupy": "chainrules_cupy",
    "cupyx": "chainrules_cupy.scipy_aliases",
    "dask": "chainrules_dask",
    "jax": "chainrules_jax",
    "jaxlib": "chainrules_jax",
    "ndonnx": "chainrules_array_api.ndonnx_arrays",
    "sparse": "chainrules_array_api.sparse_arrays",
    "torch": "chainrules_torch",
    "scipy": "chainrules_py.rulesets.sparse_products",
}

CONVERTED = ("autograd", "jax", "pytensor", "torch")  # engines with `to_...` and `from_...`
PACKAGES_OF_OURS = frozenset(
    {f"chainrules_{name}" for name in ("command", "engines", "foreign_code", "labels", "programs")}
    | {f"chainrules_{name}" for name in ("sparse", "tape", *CONVERTED)}
    | {name.partition(".")[0] for name in BACKENDS.values()}
)


def is_module_of_ours(module: str) -> bool:
    """Whether a module is of this distribution: its rules are known to be right, so that a table
    makes each when it is asked for.
    """
    return module.partition(".")[0] in PACKAGES_OF_OURS


def is_ruleset(module: str) -> bool:
    """Whether a module or a package of ours has rules and nothing else."""
    return module.startswith(f"{_RULESETS}.")
