"""Which rules may make the host wait or copy to the device, by phase, with the reason; all others
may not.

The names are those of primals without their modules, those of `numpy.polynomial` with the last one.
A device says whether they are complete, the emulated one, which counts, whether they are up to date.
"""

from chainrules_py import default_rules
from chainrules_py.rulesets.polynomial.families import FAMILIES
from chainrules_py.testing.samples import load_shipped, sampled_primals
from chainrules_py.values.identity import qualified_name

DEPENDS = "the shape of the result depends on the numbers, so that CuPy itself waits"
CHECKS = "CuPy's own function looks at numbers before it answers, to raise or to choose its way"
TRIMS = (
    "NumPy drops the coefficients at the end that are zero: one number, how many are left, is read"
)
TEXT = "the numbers are written out"
LISTS = (
    "a list that the caller gave is copied to the device, as CuPy copies it; the host does not wait"
)


def short_name(primal):
    """A primal's name without its module, unless `numpy.polynomial` has another function of that
    name.
    """
    package, _, name = qualified_name(primal).rpartition(".")
    return (
        f"{package.rpartition('.')[2]}.{name}" if package.startswith("numpy.polynomial.") else name
    )


TRIMMING = [
    "polyutils.trimcoef",
    *(
        short_name(family.function(name))
        for family in FAMILIES
        for name in ("add", "sub", "mul", "mulx", "pow")
    ),
    *(
        short_name(getattr(f.module, name))
        for f in FAMILIES[1:]
        for name in (f"{f.prefix}2poly", f"poly2{f.prefix}")
    ),
]
WAITS_FOR_VALUE = {
    **dict.fromkeys(TRIMMING, TRIMS),
    **dict.fromkeys(
        (
            *("argwhere", "flatnonzero", "nonzero", "unique", "where", "compress", "extract"),
            *("polymul", "polydiv", "insert", "piecewise", "selected_entries"),
        ),
        DEPENDS,
    ),
    **dict.fromkeys(
        (
            "intersect1d",
            "setdiff1d",
            "setxor1d",
            "union1d",
            "roots",
            "trim_zeros",
            "repeat",
            "delete",
        ),
        DEPENDS,
    ),
    **dict.fromkeys(("unique_all", "unique_counts", "unique_inverse", "unique_values"), DEPENDS),
    **dict.fromkeys(("bincount", "lstsq", "tril_indices_from", "triu_indices_from"), DEPENDS),
    "getitem": DEPENDS + " (a mask)",
    **dict.fromkeys(
        ("argpartition", "cond"),
        CHECKS,
    ),
    **dict.fromkeys(
        ("percentile", "quantile", "real_if_close", "unravel_index"),
        CHECKS,
    ),
    **dict.fromkeys(("diag_indices_from", "shares_memory"), CHECKS),
    **dict.fromkeys(("array2string", "array_repr", "array_str"), TEXT),
}
STRETCHES = "which entries an index begins and the next one ends is found on the host"
WAITS_FOR_TANGENT = {"reduceat": STRETCHES}
WAITS_FOR_COTANGENT = {"reduceat": STRETCHES}
SHAPES = "a shape is copied to the device, by CuPy"
POSITIONS = "where each entry went is known to the host alone"
BY_SHAPE = "positions that follow from the shape are copied; the host does not wait"
COPIES = {
    **dict.fromkeys(("getitem", "take"), LISTS),
    "diag_indices_from": SHAPES,
    "adjugate": BY_SHAPE,
}
COPIES_FOR_TANGENT = {"reduceat": STRETCHES, "det": BY_SHAPE}
COPIES_FOR_COTANGENT = {
    "reduceat": STRETCHES,
    **dict.fromkeys(("take", "getitem", "compress"), LISTS),
    "sliding_window_view": POSITIONS,
    **dict.fromkeys(("adjugate", "det"), BY_SHAPE),
}
# At second order the cotangents of cotangents read again what the values read, and what made them
# from lists is copied again.
LEDGERS = {
    "value": (WAITS_FOR_VALUE, COPIES),
    "cotangents": (WAITS_FOR_COTANGENT, COPIES_FOR_COTANGENT),
    "tangent": (WAITS_FOR_VALUE | WAITS_FOR_TANGENT, COPIES | COPIES_FOR_TANGENT),
    "second order": (
        WAITS_FOR_VALUE | WAITS_FOR_TANGENT,
        COPIES | COPIES_FOR_COTANGENT | {"polyval": LISTS},
    ),
}

# Of several right answers a device may give another than NumPy: signs and phases of vectors, orders
# of what is not sorted.
AMBIGUOUS = frozenset({"eig", "eigh", "eigvals", "svd", "qr", "partition", "argpartition", "roots"})

# Written for NumPy, and not held to anything on a device yet: they read numbers one by one, or mix
# in arrays of the host.
NOT_FOR_DEVICES = frozenset(
    short_name(family.function(name))
    for family in FAMILIES
    for name in ("line", "div", "fromroots", "roots", "companion")
)

default_rules.load_all()
load_shipped()
PRIMALS = [
    primal
    for primal in sampled_primals()
    if next(default_rules.rules(primal), None) is not None
    and short_name(primal) not in NOT_FOR_DEVICES
    # cupyx.scipy shares the rules, and nothing here has its functions.
    and not qualified_name(primal).startswith(("scipy.", "chainrules_py.rulesets.scipy."))
]
