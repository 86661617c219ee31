"""Each sample of NumPy's functions with buffers that hold traced entries in place of arrays."""

import numpy as np
import pytest

import chainrules_tape.numpy as tnp
from chainrules_py import default_rules
from chainrules_py.errors import NotImplementedTangentError
from chainrules_py.testing import load_shipped, primals_of
from chainrules_py.testing.samples import samples_of
from chainrules_py.values.identity import belongs_to_package
from chainrules_py.values.structure import fields, is_container, rebuild
from chainrules_tape import vjp

load_shipped()
PRIMALS = sorted(
    filter(belongs_to_package, primals_of(default_rules.load_all())),
    key=lambda primal: primal.__name__,
)
NO_ARRAYS = {
    np.array2string,
    np.array_repr,
    np.array_str,
    np.einsum_path,
    np.min_scalar_type,
    np.result_type,
    np.common_type,
}


def is_numeric(x):
    return isinstance(x, float | complex | np.floating | np.complexfloating) or (
        isinstance(x, np.ndarray) and x.dtype.kind in "fc"
    )


def leaves(x):
    return (
        [leaf for part in fields(x).values() for leaf in leaves(part)] if is_container(x) else [x]
    )


def buffered(x):
    """A value with buffers in the place of its arrays, each a part of a larger one."""
    if is_container(x):
        return rebuild(x, {key: buffered(part) for key, part in fields(x).items()})
    if not isinstance(x, np.ndarray) or x.dtype.kind not in "fc":
        return x
    whole = tnp.zeros((2, *x.shape), x.dtype)
    whole[1] = x
    return whole[1]


def ones_like(y):
    if is_container(y):
        return rebuild(y, {key: ones_like(part) for key, part in fields(y).items()})
    return np.ones_like(y)[()] if is_numeric(y) else y


def pulled(f, args):
    """The value of a call and the cotangents of its arguments for a cotangent of ones; None where
    it has none.
    """
    try:
        y, pullback = vjp(f, *args)
        return leaves(y), [leaf for leaf in leaves(pullback(ones_like(y))) if is_numeric(leaf)]
    except (TypeError, ValueError, NotImplementedTangentError):
        return None


@pytest.mark.kinds
@pytest.mark.parametrize("primal", PRIMALS, ids=[primal.__name__ for primal in PRIMALS])
@pytest.mark.filterwarnings("ignore")
def test_every_sample(primal):
    for sample in samples_of(primal, "float64"):
        has_arrays = any(
            isinstance(leaf, np.ndarray) and is_numeric(leaf) for leaf in leaves(sample.args)
        )
        if sample.error is not None or primal in NO_ARRAYS or not has_arrays:
            continue
        with np.errstate(all="ignore"):
            expected = pulled(
                lambda *args, sample=sample: primal(*args, **sample.options), sample.args
            )
            if expected is None:
                continue
            found = pulled(
                lambda *args, sample=sample: primal(*map(buffered, args), **sample.options),
                sample.args,
            )
        assert found is not None
        for ours, theirs in zip(found, expected, strict=True):
            for one, other in zip(ours, theirs, strict=True):
                np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)
