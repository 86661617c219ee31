"""Shaping, joining, indexing, products and polynomials under `jax.numpy`, traced: no formula mentions NumPy by accident.

Whatever call of a sample `jax.numpy` itself can trace, both rules must be able to trace, too. One call of each primal is
compiled as well, and its answers are compared with NumPy's.
"""

import operator

import numpy as np
import pytest

from chainrules_py import AbstractTangent, Tangent, default_rules
from chainrules_py.arrays import library_of_types
from chainrules_py.structure import fields, is_container, rebuild
from chainrules_py.tangents import entries, unthunk, with_entries
from chainrules_py.testing import load_shipped, random_tangent, samples_of
from chainrules_py.testing.random_tangents import seeded

jax = pytest.importorskip("jax")
jnp = pytest.importorskip("jax.numpy")
load_shipped()

# Not here, because jax.numpy cannot compile them itself, the result's shape depending on values: compress, extract, trim_zeros,
# roots, the set operations; because it lacks them: asanyarray, ascontiguousarray, asfortranarray, numpy.polynomial.
PRIMALS = (
    *(np.reshape, np.ravel, np.expand_dims, np.squeeze, np.atleast_1d, np.atleast_2d, np.atleast_3d, np.transpose),
    *(np.matrix_transpose, np.swapaxes, np.moveaxis, np.rollaxis, np.broadcast_to, np.broadcast_arrays, np.meshgrid),
    *(np.flip, np.fliplr, np.flipud, np.rot90, np.roll, np.tile, np.repeat, np.resize, np.tril, np.triu, np.diagonal),
    *(np.trace, np.diag, np.diagflat, np.vander, np.pad, np.concatenate, np.stack, np.hstack, np.vstack, np.dstack),
    *(np.column_stack, np.append, np.block, np.insert, np.split, np.array_split, np.hsplit, np.vsplit, np.dsplit, np.unstack),
    *(operator.getitem, np.take, np.take_along_axis, np.delete, np.choose, np.select),
    *(np.matmul, np.matvec, np.vecmat, np.vecdot, np.vdot, np.outer, np.kron, np.cross, np.tensordot, np.dot, np.inner),
    *(np.einsum, np.copy, np.astype, np.asarray, np.array, np.full, np.full_like, np.linspace, np.logspace, np.geomspace),
    *(np.polyadd, np.polysub, np.polymul, np.polydiv, np.polyder, np.polyint, np.polyval, np.poly, np.polyfit),
)


def calls(primal):
    for dtype in ("float64", "complex128"):
        for sample in samples_of(primal, dtype):
            if sample.error is None:
                canonical, args, options = default_rules.canonical(primal, sample.args, dict(sample.options))
                if any(map(is_moving, leaves(args))):
                    yield canonical, args, options


def is_moving(x):
    return getattr(x, "dtype", np.dtype(bool)).kind in "fc"


def leaves(x):
    x = unthunk(x)
    if isinstance(x, AbstractTangent):
        return [leaf for entry in entries(x).values() for leaf in leaves(entry)] if isinstance(x, Tangent) else []
    return [leaf for part in fields(x).values() for leaf in leaves(part)] if is_container(x) else [x]


def with_leaves(x, found):
    """The same nesting with the next of `found` in the place of each floating array."""
    if is_container(x):
        return rebuild(x, {key: with_leaves(part, found) for key, part in fields(x).items()})
    return next(found) if is_moving(x) else x


def traceable_alone(primal, args, options):
    """The value of the call as `jax.numpy` computes it, as a function of its arrays."""

    def value(*arrays):
        moved = with_leaves(args, iter(arrays))
        library = library_of_types(map(type, leaves(moved)))
        return [leaf for leaf in leaves(library.implementation(primal)(*moved, **options)) if not isinstance(leaf, list)]

    return value


def both_modes(primal, args, options):
    """The numbers in the cotangents and in the tangent, as a function of the arrays."""

    def answers(*arrays):
        moved, rng = with_leaves(args, iter(arrays)), seeded("jit")
        y, pullback = default_rules.rrule(primal, *moved, **options)
        seed = random_tangent(rng, with_leaves(y, iter([np.zeros(leaf.shape, leaf.dtype) for leaf in leaves(y)])))
        seed = with_entries(type(y), entries(seed)) if isinstance(seed, Tangent) else seed
        y_dot = default_rules.frule(tuple(random_tangent(rng, arg) for arg in args), primal, *moved, **options)[1]
        return [leaf for bar in pullback(seed) for leaf in leaves(bar)], leaves(y_dot)

    return answers


def can_trace(function, arrays):
    try:
        jax.eval_shape(function, *arrays)
    except (TypeError, ValueError, NotImplementedError, IndexError):  # what JAX says to calls that only NumPy takes
        return False
    return True


def traceable(primal):
    for call in calls(primal):
        arrays = [jnp.asarray(leaf) for leaf in leaves(call[1]) if is_moving(leaf)]
        if can_trace(traceable_alone(*call), arrays):
            yield both_modes(*call), arrays


@pytest.mark.parametrize("primal", PRIMALS, ids=lambda f: f.__name__)
def test_what_jax_can_trace_the_rules_can(primal):
    with jax.enable_x64(True):
        found = list(traceable(primal))
        assert found
        for answers, arrays in found:
            jax.eval_shape(answers, *arrays)


# jax.numpy.polydiv does not trim the remainder, so that its cotangent has another shape.
@pytest.mark.parametrize("primal", [f for f in PRIMALS if f is not np.polydiv], ids=lambda primal: primal.__name__)
def test_compiled_answers_are_numpys(primal):
    with jax.enable_x64(True):
        answers, arrays = next(iter(traceable(primal)))
        for mode, expected in zip(jax.jit(answers)(*arrays), answers(*map(np.asarray, arrays)), strict=True):
            assert len(mode) == len(expected)
            for one, other in zip(mode, expected, strict=True):
                np.testing.assert_allclose(np.asarray(one), np.asarray(other), rtol=1e-7, atol=1e-10)
