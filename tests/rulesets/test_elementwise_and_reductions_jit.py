"""Elementwise functions, reductions and sorting under `jax.numpy`, traced and compiled: no formula mentions NumPy by accident.

Every sample that JAX's own function takes is traced in both modes, which no formula survives that looks at a value; one of each
primal is compiled as well, and the answers compared with NumPy's.
"""

import numpy as np
import pytest

from chainrules_py import AbstractTangent, Tangent, default_rules
from chainrules_py.structure import fields, is_container, rebuild
from chainrules_py.tangents import entries, is_zero, unthunk, with_entries
from chainrules_py.testing import load_shipped, random_tangent, samples_of
from chainrules_py.testing.random_tangents import seeded
from chainrules_py.testing.samples import dtypes_of

jax = pytest.importorskip("jax")
jnp = pytest.importorskip("jax.numpy")
load_shipped()

FILES = (
    *("elementwise", "sinc_and_i0", "complex_parts", "selection", "reductions", "cumulative", "statistics", "covariance"),
    *("quantiles", "sorting", "histograms", "differences", "sampled_gradient", "interpolation", "convolution"),
)
RULES = [rule for rule in default_rules.load_all().rules() if rule.where.rpartition("/")[2].partition(".py")[0] in FILES]
PRIMALS = [f for f in dict.fromkeys(r.primal for r in RULES if r.differentiable) if hasattr(jnp, f.__name__)]

# What JAX cannot trace itself, or computes as something else.
UNTRACEABLE = {
    "unique unique_all unique_counts unique_inverse unique_values": "the shape of the result depends on values",
    "bincount": "the shape of the result depends on values",
}
# Where the order among entries is the library's own affair.
ANOTHER_ORDER = (np.partition,)


def calls(primal):
    """The calls that its samples make, in canonical form."""
    for dtype in dtypes_of(primal):
        if dtype in ("float64", "complex128"):
            for sample in samples_of(primal, dtype):
                if sample.error is None:
                    yield default_rules.canonical(primal, sample.args, dict(sample.options))


def is_moving(x):
    return isinstance(x, np.ndarray | np.generic | jax.Array | jax.core.Tracer) and x.dtype.kind in "fc"


def leaves(x):
    """The numbers in a value or tangent, in order."""
    x = unthunk(x)
    if isinstance(x, AbstractTangent):
        return [leaf for entry in entries(x).values() for leaf in leaves(entry)] if isinstance(x, Tangent) else []
    if is_container(x):
        return [leaf for part in fields(x).values() for leaf in leaves(part)]
    return [x] if is_moving(x) or isinstance(x, float | complex) else []


def replaced(x, found):
    """The same nesting with the next of `found` in the place of each floating array."""
    if isinstance(x, Tangent):
        return with_entries(x.primal_type, {key: replaced(entry, found) for key, entry in entries(x).items()})
    if is_container(x):
        return rebuild(x, {key: replaced(part, found) for key, part in fields(x).items()})
    return next(found) if is_moving(x) else x


def seed_of(y, rng):
    """A cotangent of an output, of its own library; ones are as good as any and depend on nothing."""
    if is_container(y):
        return with_entries(type(y), {key: seed_of(part, rng) for key, part in fields(y).items()})
    xp = np if isinstance(y, np.ndarray | np.generic) else jnp
    return xp.cos(xp.arange(y.size, dtype=float)).reshape(y.shape).astype(y.dtype) if is_moving(y) else random_tangent(rng, 1)


def both_modes(primal, args, options):
    rng = seeded(primal.__name__)
    dots = tuple(random_tangent(rng, arg) for arg in args)

    def answers(*arrays):
        moved = tuple(replaced(arg, found) for found in [iter(arrays)] for arg in args)
        y, pullback = default_rules.rrule(primal, *moved, **options)
        seed = seed_of(y, rng)
        bars = () if is_zero(seed) else pullback(seed)
        return [leaf for bar in bars for leaf in leaves(bar)], leaves(default_rules.frule(dots, primal, *moved, **options)[1])

    return answers


def jax_takes(primal, args, options):
    """Whether JAX's own function can be traced for this call."""

    def value(*arrays):
        moved = (replaced(arg, found) for found in [iter(arrays)] for arg in args)
        return leaves(getattr(jnp, primal.__name__)(*moved, **options))

    try:
        jax.eval_shape(value, *moving(args))
    except (TypeError, ValueError, NotImplementedError, IndexError, AttributeError):  # what JAX says to NumPy's own calls
        return False
    return True


def moving(args):
    return [jnp.asarray(leaf) for arg in args for leaf in leaves(arg) if is_moving(leaf)]


def traceable(primal):
    return [call for call in calls(primal) if jax_takes(*call)]


def test_all_but_a_few_explained_primals_are_traced():
    with jax.enable_x64(True):
        untraced = {f.__name__ for f in PRIMALS if not traceable(f)}
    explained = {name for names in UNTRACEABLE for name in names.split()}
    assert untraced - explained == set()
    assert len(untraced) <= 0.05 * len(PRIMALS)


@pytest.mark.parametrize("primal", PRIMALS, ids=lambda primal: primal.__name__)
def test_every_sample_can_be_traced(primal):
    with jax.enable_x64(True):
        for call in traceable(primal):
            jax.eval_shape(both_modes(*call), *moving(call[1]))


@pytest.mark.parametrize("primal", [f for f in PRIMALS if f not in ANOTHER_ORDER], ids=lambda primal: primal.__name__)
def test_compiled_answers_are_numpys(primal):
    with jax.enable_x64(True), np.errstate(all="ignore"):
        for call in traceable(primal)[:1]:
            answers = both_modes(*call)
            compiled = jax.jit(answers)(*moving(call[1]))
            for mode, expected in zip(compiled, answers(*map(np.asarray, moving(call[1]))), strict=True):
                assert len(mode) == len(expected)
                for one, other in zip(mode, expected, strict=True):
                    np.testing.assert_allclose(np.asarray(one), other, rtol=1e-7, atol=1e-10)
