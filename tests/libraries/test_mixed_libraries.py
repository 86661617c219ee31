"""Arrays of two libraries in one program: NumPy's go with each, and no others with each other."""

from itertools import permutations

import numpy as np
import pytest

from chainrules_tape import InputError, grad
from stand_ins.array_makers import MAKERS, host

W, C = np.array([0.5, -1.0, 2.0]), np.array([1.0, 2.0, 3.0])

pytestmark = pytest.mark.usefixtures("double_precision")
JOINED = {
    "ufunc": lambda w, c: np.sum(np.sin(w) * c),
    "operator": lambda w, c: np.sum(c - w**2),
    "function": lambda w, c: np.dot(c, w),
}


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("program", JOINED.values(), ids=JOINED)
def test_numpys_arrays_go_with_those_of_each(make, program):
    wanted = grad(program)(W, C)
    for args in ((make(W), C), (W, make(C)), (make(W), make(C))):
        found = grad(program)(*args)
        assert type(found) is type(make(W))
        np.testing.assert_allclose(host(found), wanted, rtol=1e-5)


@pytest.mark.parametrize(("one", "other"), list(permutations(MAKERS, 2)))
@pytest.mark.parametrize("program", JOINED.values(), ids=JOINED)
def test_two_other_libraries_are_refused_by_name(one, other, program):
    with pytest.raises(InputError, match="move them to one library first"):
        grad(program)(one(W), other(C))
