"""The formulas of numpy.linalg and numpy.fft under `jax.numpy`, traced and compiled: none of them mentions NumPy by accident.

Every sample is traced, which no formula survives that looks at a value; two of each primal are compiled as well, and the
answers compared with NumPy's.
"""

import numpy as np
import pytest

from chainrules_py import AbstractTangent, Tangent, default_rules
from chainrules_py.structure import fields, is_container, rebuild
from chainrules_py.tangents import entries, unthunk, with_entries
from chainrules_py.testing import load_shipped, random_tangent, samples_of
from chainrules_py.testing.random_tangents import seeded
from chainrules_py.testing.samples import dtypes_of

jax = pytest.importorskip("jax")
jnp = pytest.importorskip("jax.numpy")
load_shipped()

FUNCTIONS = [getattr(np.linalg, name) for name in np.linalg.__all__] + [getattr(np.fft, name) for name in np.fft.__all__]
PRIMALS = [function for function in FUNCTIONS if not isinstance(function, type) and dtypes_of(function)]


def differs_in_jax(primal, sample, y):
    """Where jax.numpy's own function is another one."""
    if primal is np.linalg.lstsq and y[1].size == 0:
        return "jax.numpy.linalg.lstsq always returns residuals"
    if -1 in (sample.options.get("s") or ()):
        return "jax.numpy.fft takes no -1 in s"
    axes = sample.options.get("axes")
    if isinstance(axes, tuple) and len(set(axes)) < len(axes):
        return "jax.numpy.fft takes no repeated axes"
    return None


def calls(primal):
    for dtype in ("float64", "complex128"):
        if dtype in dtypes_of(primal):
            for sample in samples_of(primal, dtype):
                if sample.error is None:
                    canonical, args, options = default_rules.canonical(primal, sample.args, dict(sample.options))
                    with np.errstate(all="ignore"):
                        y = canonical(*args, **options)
                    if differs_in_jax(primal, sample, y) is None:
                        yield canonical, args, options, y


def is_moving(x):
    return getattr(x, "dtype", np.dtype(bool)).kind in "fc"


def leaves(x):
    if isinstance(x, AbstractTangent):
        x = unthunk(x)
        return [leaf for entry in entries(x).values() for leaf in leaves(entry)] if isinstance(x, Tangent) else []
    if is_container(x):
        return [leaf for part in fields(x).values() for leaf in leaves(part)]
    return [x] if is_moving(x) or isinstance(x, float) else []


def replaced(x, found):
    """The same nesting with the next of `found` in the place of each floating array."""
    if is_container(x):
        return rebuild(x, {key: replaced(part, found) for key, part in fields(x).items()})
    return next(found) if is_moving(x) else x


def both_modes(primal, args, options, dots, y_bar):
    """The numbers in the cotangents and in the tangent, as a function of the numbers in the arguments."""

    def answers(*arrays):
        found = iter(arrays)
        moved = tuple(replaced(arg, found) for arg in args)
        y, pullback = default_rules.rrule(primal, *moved, **options)
        seed = with_entries(type(y), entries(y_bar)) if isinstance(y_bar, Tangent) else y_bar
        y_dot = default_rules.frule(dots, primal, *moved, **options)[1]
        return [leaf for bar in pullback(seed) for leaf in leaves(bar)], leaves(y_dot)

    return answers


def prepared(primal, args, options, y):
    rng = seeded(primal.__name__)
    dots = tuple(random_tangent(rng, arg) for arg in args)
    return both_modes(primal, args, options, dots, random_tangent(rng, y)), [leaf for arg in args for leaf in leaves(arg)]


@pytest.mark.parametrize("primal", PRIMALS, ids=lambda primal: primal.__name__)
def test_every_sample_can_be_traced(primal):
    with jax.enable_x64(True):
        for call in calls(primal):
            answers, arrays = prepared(*call)
            jax.eval_shape(answers, *[jnp.asarray(a) for a in arrays if is_moving(a)])


@pytest.mark.parametrize("primal", PRIMALS, ids=lambda primal: primal.__name__)
def test_compiled_answers_are_numpys(primal):
    found = list(calls(primal))
    with jax.enable_x64(True):
        for call in [found[0], found[len(found) // 2]]:
            answers, arrays = prepared(*call)
            moving = [a for a in arrays if is_moving(a)]
            compiled = jax.jit(answers)(*[jnp.asarray(a) for a in moving])
            for mode, expected in zip(compiled, answers(*moving), strict=True):
                assert len(mode) == len(expected)
                for one, other in zip(mode, expected, strict=True):
                    np.testing.assert_allclose(np.asarray(one), other, rtol=1e-7, atol=1e-10)
