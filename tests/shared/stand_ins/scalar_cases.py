"""Calls of every scalar rule, on a library that is NumPy but for its kernels."""

import linecache

import numpy as np

from chainrules_cupy.kernels.fusion import fuse_with
from chainrules_py import default_rules
from chainrules_py.values.arrays import ArrayLibrary
from chainrules_py.values.identity import qualified_name

default_rules.load_all()
RULES = {
    primal: {rule.mode: rule for rule in default_rules.rules(primal) if rule.partials is not None}
    for primal in dict.fromkeys(
        rule.primal for rule in default_rules.rules() if rule.partials is not None
    )
    if not qualified_name(primal).startswith(("scipy.", "chainrules_py.rulesets.scipy.special."))
    if isinstance(primal, np.ufunc) or primal is np.sinc
}
DTYPES = ("f2", "f4", "f8", "c8", "c16")


def library_with(launcher):
    return ArrayLibrary(
        "host kernels", np, (np.ndarray,), fuse=fuse_with(launcher, (np,), (np.ndarray,))
    )


def is_fused(rule):
    stage = getattr(rule, "stage", None)  # none where it refuses an integer's derivative
    return stage is not None and "fused(" in "".join(linecache.getlines(stage.__code__.co_filename))


def bound(rule, library, count):
    return rule.bind((np.ndarray,) * count, (True,) * count, library)


def arguments(count, dtype, shapes, low=0.15, high=0.85):
    rng = np.random.default_rng(7)
    drawn = [rng.uniform(low, high, shape) for shape in shapes[:count]]
    if np.dtype(dtype).kind == "c":
        drawn = [a + 1j * rng.uniform(low, high, a.shape) for a in drawn]
    return [np.asarray(a, dtype) for a in drawn]


def takes(primal, args):
    """Whether NumPy has a loop for these arguments."""
    try:
        with np.errstate(all="ignore"):
            return np.asarray(primal(*args)).dtype == args[0].dtype
    except TypeError:
        return False


SHAPES = {
    "equal": [(2, 3), (2, 3)],
    "broadcast": [(2, 3), (3,)],
    "both": [(2, 1), (1, 3)],
    "scalar": [(3,), ()],
}
CASES = [
    (primal, dtype, kind)
    for primal, rules in RULES.items()
    for dtype in DTYPES
    for kind in SHAPES
    if getattr(primal, "nout", 1) == 1 and len(rules["reverse"].types) <= 2
    if kind == "equal" or (len(rules["reverse"].types) == 2 and dtype in ("f2", "f8"))
    if takes(primal, arguments(len(rules["reverse"].types), dtype, SHAPES[kind]))
]


def name_of(case):
    return f"{getattr(case[0], '__name__', case[0])}-{case[1]}-{case[2]}"


def reverse(library, primal, dtype, kind):
    rule = RULES[primal]["reverse"]
    args = shifted(primal, arguments(len(rule.types), dtype, SHAPES[kind]))
    with np.errstate(all="ignore"):
        y, pullback = bound(rule, library, len(args))(*args)
        return pullback(arguments(1, dtype, [np.shape(y)], -1.0, 1.0)[0])


def forward(library, primal, dtype, kind):
    rule = RULES[primal]["forward"]
    args = shifted(primal, arguments(len(rule.types), dtype, SHAPES[kind]))
    dots = arguments(len(args), dtype, [a.shape for a in args], -1.0, 1.0)
    with np.errstate(all="ignore"):
        return bound(rule, library, len(args))(tuple(dots), *args)[1:]


def shifted(primal, args):
    """The arguments moved into the domain: above 1 for arccosh, on both sides of 0 where the
    function is defined there.
    """
    if primal is np.arccosh:
        return [a + 1 for a in args]
    turned = [
        np.where(np.arange(a.size).reshape(a.shape) % 2 == k, -a, a) for k, a in enumerate(args)
    ]
    with np.errstate(all="ignore"):
        return (
            turned
            if np.isfinite(primal(*turned)).all() and np.isfinite(primal(*[-a for a in args])).all()
            else args
        )


SINGULAR = [
    (primal, point, seed)
    for primal, point in [
        (np.sqrt, 0.0),
        (np.log, 0.0),
        (np.log1p, -1.0),
        (np.arcsin, 1.0),
        (np.arctanh, 1.0),
        (np.cbrt, 0.0),
    ]
    for seed in (0.0, 2.0)
]


def singular(library, primal, point, seed):
    with np.errstate(all="ignore"):
        _, pullback = bound(RULES[primal]["reverse"], library, 1)(np.array([point]))
        return pullback(np.array([seed]))[0]


NUMBERS = [
    (primal, number)
    for primal in (np.power, np.multiply, np.divide)
    for number in (2, 3, 2.0, -1, 0.5, 7)
]


def with_number(library, primal, number):
    rule, x = RULES[primal]["reverse"], np.array([0.5, 2.0], np.float32)
    with np.errstate(all="ignore"):
        _, pullback = rule.bind((np.ndarray, type(number)), (True, False), library)(x, number)
        return pullback(np.array([1.0, -3.0], np.float32))[0]


def powers_of_zero(library, dtype):
    """The derivative of x**2, x and 1 at 0, where the kernel computes 0**1, 0**0 and 0**1."""
    zeros, exponents = np.zeros(3, dtype), np.array([2, 1, 0], dtype)
    with np.errstate(all="ignore"):
        _, pullback = bound(RULES[np.power]["reverse"], library, 2)(zeros, exponents)
        return pullback(np.full(3, 1.5, dtype))[0]


def run_all(library):
    """Every call of the tables, for the kernels that it takes."""
    for case in CASES:
        reverse(library, *case)
        forward(library, *case)
    for case in SINGULAR:
        singular(library, *case)
    for case in NUMBERS:
        with_number(library, *case)
    for dtype in ("f8", "c8", "c16"):
        powers_of_zero(library, dtype)
