"""Calls into other people's packages, ready to be differentiated, and what became of each: shared by
`run` and `run_in_engines`, which write the tables.

    site_of_packages(folder)      the packages of `requirements.txt` can be imported
    calls_that_run(names)         each call of the lists, as a function of its point, with differences
    judged(differentiate, ...)    "right", "differs: ...", or the error
"""

import importlib
import site
import sys
import warnings
from functools import cache
from importlib import metadata
from string import ascii_lowercase
from typing import NamedTuple

import numpy as np
from calls import ALSO, BEFORE, CALLS, MODEL, SERIES
from differences import central_differences, largest_difference
from more_calls import ALSO_MORE, MORE_CALLS, VALUES
from other_calls import ALSO_OTHER, OTHER_CALLS

from chainrules_foreign_code.report import weighted_sum
from chainrules_py.values.progress import Progress

EVERY_CALL = [
    (module, kind, expression, point)
    for kinds in (CALLS, MORE_CALLS, OTHER_CALLS)
    for kind, modules in kinds.items()
    for module, rows in modules.items()
    for expression, point in rows.items()
]
RIGHT, DIFFERS = "right", "differs"


class ForeignCall(NamedTuple):
    """A call into a package: the program that it is, where it is differentiated, and the result."""

    module: str
    kind: str
    expression: str
    program: object
    points: list
    value: float
    slopes: list

    @property
    def root(self):
        """The package."""
        return root_of(self.module)

    @property
    def packages(self):
        """The packages that are seen through: those that the call runs through."""
        return (self.root, *(ALSO | ALSO_MORE | ALSO_OTHER).get(self.root, ()))

    def total(self, *values):
        """A number of the result: each of its entries counts, with a weight of its own."""
        return weighted_sum(self.program(*values))

    def differences(self, step):
        """The gradient of `total`, by differences of another step."""
        return central_differences(self.total, self.points, step)


def site_of_packages(folder):
    """Make the packages in a folder importable, and quiet."""
    site.addsitedir(folder)
    sys.modules["numba"] = None  # is not found, so that it does not matter whether it is there
    warnings.simplefilter("ignore")


def calls_that_run(names=()):
    """Each call of the lists, or of the packages that are named; what does not run is printed."""
    chosen = [row for row in EVERY_CALL if not names or root_of(row[0]) in names]
    with Progress("calls", len(chosen)) as progress:
        for done, (module, kind, expression, point) in enumerate(chosen):
            progress.at(done)
            try:
                with np.errstate(all="ignore"):
                    call = foreign_call(module, kind, expression, point)
            except Exception as error:
                print(f"not run: {module}: {expression}: {type(error).__name__}: {error}")
                continue
            yield call


def foreign_call(module, kind, expression, point):
    """A call with its value and its gradient by differences."""
    variables = {
        "m": importlib.import_module(module),
        "np": np,
        "SERIES": SERIES,
        "MODEL": MODEL,
        **VALUES,
    }
    eval(BEFORE.get(module, "None"), variables)
    points = [np.array(x, float) if isinstance(x, list) else x for x in point]
    names = ", ".join(ascii_lowercase[: len(points)])
    exec(f"def program({names}): return {expression}", variables)
    call = ForeignCall(module, kind, expression, variables["program"], points, 0.0, [])
    slopes = central_differences(call.total, points)
    return call._replace(value=float(call.total(*points)), slopes=slopes)


def judged(call, differentiate, along=None):
    """What one derivative of a call comes to.

    `differentiate` returns the value and the gradient or, of tangents that are given by `along`,
    the value and one number.
    """

    def expected(slopes):
        return slopes if along is None else [directional(slopes, along)]

    try:
        with np.errstate(all="ignore"):
            value, bars = differentiate()
    except Exception as error:
        return f"{type(error).__name__}: {' '.join(str(error).split())}"
    same = np.isclose(float(value), call.value, rtol=1e-9, atol=1e-12)
    if same and largest_difference(bars, expected(call.slopes)) < 1e-4:
        return RIGHT
    near = largest_difference(bars, expected(call.differences(1e-7))) < 1e-4
    return f"{DIFFERS}: " + (
        "the program's derivative, to which differences of small steps agree"
        if near
        else "not explained"
    )


def directional(slopes, dots):
    """The derivative along a direction, of a gradient."""
    return sum(np.sum(slope * dot) for slope, dot in zip(slopes, dots, strict=True))


def first_word(outcome):
    """The kind of an outcome: right, differs, or the name of an error."""
    return outcome.partition(":")[0]


def root_of(module):
    """The package that a module belongs to."""
    return module.partition(".")[0]


@cache
def distributions():
    """The distributions of all packages, which takes seconds to find."""
    return metadata.packages_distributions()


def version_of(root):
    """The name of a package's distribution, with its version."""
    found = distributions().get(root, [root])[0]
    return f"{found} {metadata.version(found)}"


def table(columns, rows):
    """A table in Markdown."""
    lines = [columns, ["---"] * len(columns), *rows]
    return "".join("| " + " | ".join(map(str, cells)) + " |\n" for cells in lines)
