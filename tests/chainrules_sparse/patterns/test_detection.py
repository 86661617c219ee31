"""Detection: which functions, arguments and results have a pattern."""

import numpy as np
import pytest

import chainrules_tape as ct
import chainrules_tape.scipy as scipy
from chainrules_py import RuleTable, default_rules, primitive
from chainrules_tape import sparsity


def test_chosen_arguments():
    found = sparsity(lambda x, y, z: x * z, np.ones(2), 1.0, np.ones(2), argnums=2)
    np.testing.assert_array_equal(found.pattern.toarray(), np.eye(2, dtype=bool))
    by_name = sparsity(lambda x, y: x * y, np.ones(2), argnums="y", y=np.ones(2))
    assert by_name == found


def test_a_rule_that_asks_for_numbers_makes_its_result_dense():
    rules = RuleTable(parent=default_rules)

    @primitive
    def doubled(x):
        return 2.0 * x

    @rules.frule.register(doubled)
    def doubled_frule(dots, x: np.ndarray):
        largest = float(np.max(np.abs(dots[0])))
        return doubled(x), 2.0 * dots[0] if largest else 0.0 * dots[0]

    found = sparsity(lambda x: doubled(x)[:2] + x[1:3], np.ones(4), rules=rules)
    assert found.pattern.toarray().all()
    assert "doubled" in found.dense_because[0]
    assert "test_detection.py" in found.dense_because[0]


def test_within_another_derivative():
    def f(c):
        found = sparsity(lambda x: c * x[1:] * x[:-1], np.ones(3))
        return c * found.pattern.nnz

    assert ct.grad(f)(2.0) == 4.0


def test_a_pattern_that_escapes_is_refused():
    kept = []

    def f(x):
        kept.append(x)
        return x

    sparsity(f, np.ones(2))
    with pytest.raises(ct.EscapedValueError):
        kept[0] * 2.0


ALONG_ONE_AXIS = {
    "fft": lambda x: np.real(scipy.fft.fft(x, axis=0)),
    "dct": lambda x: scipy.fft.dct(x, axis=0),
    "dctn": lambda x: scipy.fft.dctn(x, axes=(0,)),
    "gaussian_filter1d": lambda x: scipy.ndimage.gaussian_filter1d(x, 1.0, axis=0),
    "gaussian_filter": lambda x: scipy.ndimage.gaussian_filter(x, 1.0, axes=(0,)),
    "savgol_filter": lambda x: scipy.signal.savgol_filter(x, 3, 1, axis=0),
}


@pytest.mark.parametrize("name", ALONG_ONE_AXIS)
def test_functions_of_scipy_that_run_along_an_axis_leave_others_apart(name):
    found = sparsity(ALONG_ONE_AXIS[name], np.ones((4, 3)))
    most = np.kron(np.ones((4, 4)), np.eye(3)) > 0
    least = (
        ct.jacobian(ALONG_ONE_AXIS[name])(np.arange(12.0).reshape(4, 3) ** 1.5).reshape(12, 12) != 0
    )
    pattern = found.pattern.toarray()
    assert not np.any(pattern & ~most)
    assert not np.any(least & ~pattern)
    assert not found.dense_because
