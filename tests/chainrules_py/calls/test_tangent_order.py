"""The forward mode of calls that are rewritten: each tangent goes where its argument goes."""

from importlib import import_module
from importlib.util import find_spec

import numpy as np
import pytest

from chainrules_numpy import linalg_aliases
from chainrules_py import (
    NO_TANGENT,
    ZERO,
    OptionError,
    RuleTable,
    default_rules,
    frule,
    materialize,
)
from chainrules_py.values.identity import qualified_name

linalg_aliases.register_linalg_aliases(default_rules)
if find_spec("cupy") is not None:
    # CuPy's names, called with NumPy's arrays: no device is needed for that
    import_module("chainrules_cupy.aliases")
default_rules.load_all()

RNG = np.random.default_rng(0)
X, Y = RNG.uniform(0.5, 1.5, (2, 3)), RNG.uniform(0.5, 1.5, (2, 3))
SQUARE, A, B = X[:, :2], X[0], Y[0]
STEP = 1e-6

BITWISE = ("bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift")
# A call of each alias that rewrites its calls: by the names of its canonical primal and adapter,
# else by the adapter alone.
CALLS = {
    "mask_first": ((X, [True, False], 0), {}),
    ("matmul", "swapped"): ((SQUARE, Y[:, :2]), {}),
    ("extract", "adapt"): ((X > 1, X), {}),
    ("delete", "adapt"): ((A, 1), {}),
    ("flip", "adapt"): ((X, 1), {}),
    ("stack", "adapt"): (([A, B],), {}),
    ("take_along_axis", "adapt"): ((X, np.array([[0, 1, 2], [2, 1, 0]]), 1), {}),
    ("unravel_index", "adapt"): ((4, (2, 3)), {}),
    ("matrix_power", "adapt"): ((SQUARE, 3), {}),
    ("union1d", "adapt"): ((A, B), {}),
    ("intersect1d", "adapt"): ((np.arange(3), np.arange(2)), {}),
    ("reshape", "adapt"): ((X, (3, 2)), {}),
    "of_last_axes": ((X,), {"offset": 1}),
    "of_vectors": ((A, B), {}),
    "of_three_components": ((X, B), {}),
    "swapped": ((X, Y), {}),
    **{(name, "of_numbers"): ((6, 3), {}) for name in BITWISE},
    "of_numbers": ((0.7, 0.3), {}),
    "power": ((X, Y), {}),
    "entry": ((X, 1, 2), {}),
    "without_memory": ((A, {}), {}),
    "clip_bounds": ((X, 0.8, Y), {}),
    "packed_shape": ((X, 3, 2), {}),
    "packed_axes": ((X, 1, 0), {}),
    "reduced_over_first_axis": ((X,), {}),
    "accumulated_along_first_axis": ((X, 1), {}),
    "reduced_over_stretches": ((X, np.array([0, 1])), {}),
    "adapt": ((X,), {}),
    "as_weights": ((5, 3), {"deriv": 1, "delta": 0.5}),
}
REWRITTEN = {
    f"{alias.adapt.__name__}-{qualified_name(other)}-{alias.primal.__name__}": (
        other,
        (alias.primal.__name__, alias.adapt.__name__),
    )
    for other, alias in default_rules.names.aliases.items()
    # Not of ufuncs that nobody calls, nor of SciPy's functions and methods: those have tests of
    # their own.
    if getattr(alias.adapt, "__name__", "without_defaults") != "without_defaults"
    and not qualified_name(other).startswith(("scipy.integrate.", "scipy.optimize."))
}


def canonical_value(primal, args, options):
    """The value of what the table makes of a call; the last of several: the edges of a histogram."""
    canonical, arranged, kept = default_rules.canonical(primal, args, options)
    y = canonical(*arranged, **kept)
    return np.asarray(y[-1] if isinstance(y, tuple) else y)


def direction(x):
    """A tangent of a float, of an array of floats, or of a list of them."""
    if isinstance(x, list):
        return NO_TANGENT if isinstance(x[0], bool) else [direction(part) for part in x]
    real = isinstance(x, float) or getattr(getattr(x, "dtype", None), "kind", "") == "f"
    return np.ones(np.shape(x))[()] * RNG.normal(size=np.shape(x)) if real else NO_TANGENT


def moved(x, dot, step):
    """An argument, moved along its tangent."""
    if isinstance(dot, list):
        return [moved(part, part_dot, step) for part, part_dot in zip(x, dot, strict=True)]
    return x if dot is NO_TANGENT else x + step * dot


def check_forward(primal, args, options):
    """Compare the tangent of a call with central differences of its canonical value."""
    dots = tuple(map(direction, args))
    ahead, behind = (
        canonical_value(
            primal,
            tuple(moved(arg, dot, step) for arg, dot in zip(args, dots, strict=True)),
            options,
        )
        for step in (STEP, -STEP)
    )
    y, y_dot = frule(dots, primal, *args, **options)
    y, y_dot = (y[-1], y_dot[-1]) if isinstance(y, tuple) else (y, y_dot)
    np.testing.assert_array_equal(y, canonical_value(primal, args, options))
    if ahead.dtype.kind == "f":
        np.testing.assert_allclose(
            materialize(y_dot, like=y), (ahead - behind) / (2 * STEP), rtol=1e-6, atol=1e-8
        )


@pytest.mark.parametrize(("other", "names"), REWRITTEN.values(), ids=REWRITTEN.keys())
def test_the_forward_mode_of_every_alias_that_rewrites_its_calls(other, names):
    args, options = CALLS.get(names) or CALLS[names[1]]
    check_forward(other, args, options)


@pytest.mark.parametrize("cls", [np.ndarray, np.float64, float, list], ids=lambda cls: cls.__name__)
def test_one_object_given_twice_has_two_tangents(cls):
    """A subtraction, called with its arguments in the other order."""
    rules, x = (
        RuleTable(parent=default_rules),
        {np.ndarray: A, np.float64: A[0], float: 0.5, list: [1.0, 2.0]}[cls],
    )

    def difference(a, b):
        return a[0] - b[0] if cls is list else a - b

    def reversed_difference(b, a):
        return difference(a, b)

    rules.alias(reversed_difference, difference, lambda b, a: ((a, b), {}))
    rules.frule.register(difference)(lambda dots, a, b: (difference(a, b), difference(*dots)))
    one, two = ([3.0, 0.0], [5.0, 0.0]) if cls is list else (x * 0 + 3.0, x * 0 + 5.0)
    np.testing.assert_array_equal(
        rules.frule((one, two), reversed_difference, x, x)[1], difference(two, one)
    )


def test_no_adapter_sees_anything_but_the_arguments():
    rules, seen = RuleTable(parent=default_rules), []

    def adapt(*args):
        seen.extend(map(type, args))
        return args, {}

    def sine(x):
        raise AssertionError("its canonical primal is called")

    rules.alias(sine, np.sin, adapt)
    rules.frule((A,), sine, A)
    assert set(seen) == {np.ndarray}


def test_the_tangent_of_what_an_adapter_replaces_is_refused():
    rules = RuleTable(parent=default_rules)

    def sine_of_half(x):
        return np.sin(x / 2)

    rules.alias(sine_of_half, np.sin, lambda x: ((x / 2,), {}))
    with pytest.raises(OptionError, match="rewrites") as caught:
        rules.frule((A,), sine_of_half, A)
    assert (caught.value.primal, caught.value.value) == (np.sin, A)
    assert rules.frule((NO_TANGENT,), sine_of_half, A)[1] is ZERO
