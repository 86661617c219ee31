"""Every differentiable primal that `jax.numpy` has, traced and compiled in both modes: no formula
mentions NumPy by accident.

Whatever call of a sample JAX's own function can trace, the rules must be able to trace, too: no
formula survives that which looks at a value. Two calls of each primal are compiled as well, and the
answers compared with NumPy's. Those two and one of four other samples of a primal are traced, all of
them as `long` tests. What comes of it is in docs/design/engines_jax.md.
"""

import operator
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from chainrules_py import default_rules
from chainrules_py.tangents import is_zero
from chainrules_py.testing import load_shipped, rand_tangent, samples_of
from chainrules_py.testing.random_tangents import seeded
from chainrules_py.values.identity import qualified_name
from chainrules_py.values.structure import fields, is_container, rebuild
from stand_ins.moving_leaves import is_moving, leaves, seed_of
from stand_ins.table_engine import TableEngine

load_shipped()
DOCUMENT = Path(__file__).parents[3] / "docs" / "design" / "engines_jax.md"


def of_jax(primal):
    """JAX's own function of the same name; None where it has none."""
    root, _, path = qualified_name(primal).partition(".")
    try:
        return operator.attrgetter(path)(jnp) if root == "numpy" else None
    except AttributeError:
        return None


# --- Which primals ---

DIFFERENTIABLE = dict.fromkeys(
    rule.primal
    for rule in default_rules.load_all().rules()
    if rule.differentiable and rule.overwrites is None
)
SHARED = [primal for primal in DIFFERENTIABLE if of_jax(primal) is not None]

# These and no others: the result has as many entries as the traced values have it.
DISTINCT = "returns the distinct ones among traced values: how many these are is not known"
NOT_COMPILED = {
    **dict.fromkeys(
        (np.unique, np.unique_values, np.unique_counts, np.unique_inverse, np.unique_all), DISTINCT
    ),
    **dict.fromkeys((np.union1d, np.intersect1d, np.setxor1d, np.setdiff1d), DISTINCT),
    np.trim_zeros: (
        "returns what is left of traced values without the zeros at their ends: how many these are"
        " is not known"
    ),
}
SIZE_UNKNOWN = (jax.errors.ConcretizationTypeError, jax.errors.NonConcreteBooleanIndexError)

COMPILED = [
    *(primal for primal in SHARED if primal not in NOT_COMPILED),
    operator.getitem,
    np.linalg.matrix_rank,
]
# Where JAX's own value is another one than NumPy's, JAX's own derivative is what is compared with.
ANOTHER_VALUE = {
    np.partition: "the order among entries is the library's own affair",
    np.polydiv: "jax.numpy does not trim the remainder",
}

# --- Which calls ---

X, Y = np.array([[-2.0, 0.5, 1.5], [0.3, -0.7, 2.0]]), np.array([1.0, 2.0, 3.0])
# beside their samples; those of the last two have no arrays
MORE_CALLS = {
    np.apply_along_axis: [(np.cumsum, 0, X), (np.multiply, 1, X, Y)],
    np.piecewise: [
        (X, [X < 0, X > 1], [np.sin, np.exp, np.cos]),
        (X, [X < 0], [np.multiply, np.add], Y[:1]),
    ],
    np.fft.fftfreq: [(8, np.float64(0.5))],
    np.fft.rfftfreq: [(7, np.float64(0.5))],
}


def calls(primal):
    """The calls that its samples make, in canonical form, where they have anything to trace."""
    found = [(args, {}) for args in MORE_CALLS.get(primal, ())]
    for dtype in ("float64", "complex128"):
        found += [
            (sample.args, sample.options)
            for sample in samples_of(primal, dtype)
            if sample.error is None
        ]
    canonical = [default_rules.canonical(primal, args, dict(options)) for args, options in found]
    return [call for call in canonical if moving(call[1])]


def moving(args):
    """The arrays in the arguments that are traced."""
    return [leaf for leaf in leaves(args) if is_moving(leaf)]


def replaced(x, found):
    """A nesting like that of `x` with the next of `found` in the place of each floating array."""
    if is_container(x):
        return rebuild(x, {key: replaced(part, found) for key, part in fields(x).items()})
    return next(found) if is_moving(x) else x


def dots_of(primal, args):
    rng = seeded(primal.__name__)
    return tuple(rand_tangent(rng, arg) for arg in args)


# --- What is compiled ---


def both_modes(primal, args, options):
    """The numbers in the value, the cotangents and the tangent, as a function of the arrays in the
    arguments.
    """

    def answers(*arrays):
        moved, config = replaced(args, iter(arrays)), TableEngine()
        y, pullback = default_rules.rrule(primal, *moved, config=config, **options)
        seed = seed_of(y)
        bars = () if is_zero(seed) else pullback(seed)
        y_dot = default_rules.frule(
            dots_of(primal, args), primal, *moved, config=config, **options
        )[1]
        return jax.tree.leaves(y), leaves(bars), leaves(y_dot)

    return answers


def by_jax(primal, args, options):
    """The value as JAX's own function computes it, and JAX's own derivatives: its gradients are the
    conjugates of ours.
    """
    function = of_jax(primal) or primal

    def value(*arrays):
        return leaves(function(*replaced(args, iter(arrays)), **options))

    def answers(*arrays):
        y, pullback = jax.vjp(value, *arrays)
        dots = [leaf for leaf in leaves(dots_of(primal, args)) if is_moving(leaf)]
        bars = pullback([seed_of(part).conj() for part in y])
        return y, [bar.conj() for bar in bars], jax.jvp(value, arrays, tuple(dots))[1]

    return value, answers


def agree(ours, expected):
    for parts, others in zip(ours, expected, strict=True):
        for one, other in zip(parts, others, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-7, atol=1e-10)


def trace(function, arrays):
    """The function as JAX traces it, to be compiled; None where it cannot."""
    try:
        return jax.jit(function).trace(*arrays)
    # what JAX says to NumPy's own calls
    except (TypeError, ValueError, NotImplementedError, IndexError, AttributeError):
        return None


def traced(primal, found):
    """The calls that the rules can trace: all that JAX can trace itself, or else the error is
    raised.
    """
    for call in found:
        answers, arrays = both_modes(*call), moving(call[1])
        found = trace(answers, arrays)
        if found is not None:
            yield call, found, arrays
        elif trace(by_jax(*call)[0], arrays) is not None:
            jax.eval_shape(answers, *arrays)


@pytest.mark.kinds
@pytest.mark.parametrize("primal", COMPILED, ids=qualified_name)
def test_what_jax_can_trace_the_rules_can_and_compiled_answers_are_numpys(primal):
    found = with_the_middle_second(calls(primal))
    check(primal, [*found[:2], *found[2::4]], instead=found[2:])


@pytest.mark.long
@pytest.mark.parametrize("primal", COMPILED, ids=qualified_name)
def test_further_samples(primal):
    check(primal, with_the_middle_second(calls(primal)))


def with_the_middle_second(found):
    """Several calls, of which the first two are unlike each other."""
    middle = max(1, len(found) // 2)
    return [*found[:1], *found[middle:], *found[1:middle]]


def check(primal, chosen, instead=()):
    """Trace calls of a primal, others where JAX can trace none of these, and compile two of them."""
    with jax.enable_x64(True), np.errstate(all="ignore"):
        found = list(traced(primal, chosen)) or list(traced(primal, instead))
        assert found
        for call, answers, arrays in found[:2]:
            expected = by_jax(*call)[1] if primal in ANOTHER_VALUE else both_modes(*call)
            agree(answers.lower().compile()(*arrays), expected(*arrays))


# --- Which are not ---


def test_the_exceptions_are_among_them_and_documented():
    assert set(NOT_COMPILED) <= set(SHARED)
    assert [
        primal
        for primal in NOT_COMPILED
        if f"`{primal.__name__}`" not in DOCUMENT.read_text(encoding="utf-8")
    ] == []


@pytest.mark.parametrize("primal", NOT_COMPILED, ids=qualified_name)
def test_jax_itself_cannot_compile_the_exceptions(primal):
    for call in calls(primal):
        with pytest.raises(SIZE_UNKNOWN):
            jax.eval_shape(by_jax(*call)[0], *moving(call[1]))


@pytest.mark.one_in(4)
@pytest.mark.parametrize("primal", NOT_COMPILED, ids=qualified_name)
def test_the_exceptions_run_on_jax_arrays_outside_jit(primal):
    with jax.enable_x64(True):
        call = calls(primal)[0]
        answers, arrays = both_modes(*call), moving(call[1])
        agree(answers(*map(jnp.asarray, arrays)), answers(*arrays))
