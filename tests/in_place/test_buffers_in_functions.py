"""Each sample of NumPy's functions with buffers that hold traced entries in place of arrays."""

import numpy as np
import pytest

import chainrules_tape.numpy as tnp
from chainrules_py import default_rules
from chainrules_py.engines import FlatValue, mapped
from chainrules_py.errors import NotImplementedTangentError
from chainrules_py.testing import Layout, load_shipped, primals_of
from chainrules_py.testing.samples import samples_of
from chainrules_py.values.identity import belongs_to_package
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


def is_float_array(x):
    return isinstance(x, np.ndarray) and x.dtype.kind in "fc"


def buffered(x):
    """A buffer in the place of an array, a part of a larger one."""
    if not is_float_array(x):
        return x
    whole = tnp.zeros((2, *x.shape), x.dtype)
    whole[1] = x
    return whole[1]


def pulled(f, args):
    """The value of a call and the cotangents of its arguments for a cotangent of ones, as vectors;
    None where it has none.
    """
    try:
        y, pullback = vjp(f, *args)
        found = Layout(y)
        bars = pullback(found.restore(np.ones(found.size)))
        return found.vector(y), Layout(args).tangent_vector(bars)
    except (TypeError, ValueError, NotImplementedTangentError):
        return None


@pytest.mark.kinds
@pytest.mark.parametrize("primal", PRIMALS, ids=[primal.__name__ for primal in PRIMALS])
@pytest.mark.filterwarnings("ignore")
def test_every_sample(primal):
    for sample in samples_of(primal, "float64"):
        has_arrays = any(map(is_float_array, FlatValue.of(sample.args).leaves))
        if sample.error is not None or primal in NO_ARRAYS or not has_arrays:
            continue

        def function(*args, sample=sample):
            return primal(*args, **sample.options)

        with np.errstate(all="ignore"):
            expected = pulled(function, sample.args)
            if expected is None:
                continue
            found = pulled(lambda *args: function(*mapped(buffered, args)), sample.args)
        assert found is not None
        for ours, theirs in zip(found, expected, strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-12)
