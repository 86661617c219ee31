"""Rules by hand for y sin(x) pass the kit, and conjugate gradients are those of NumPy's solver."""

import numpy as np
import pytest

from chainrules_py.testing import check_frule, check_rrule
from chainrules_py.testing.settings import Settings
from chainrules_tape import vjp


@pytest.fixture
def seed(load):
    return load("seeds/custom_rules")


@pytest.fixture(params=["rules", "one_line"])
def table(seed, request):
    return getattr(seed, request.param)


def test_hand_written_rules_pass_the_kit(seed, table):
    for check in (check_rrule, check_frule):
        check(
            seed.modulated,
            np.array(0.5),
            np.array(3.0),
            settings=Settings(rules=table, second_order="off"),
        )


A, B = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, -0.25], [0.5, -0.25, 2.0]]), np.array([1.0, 2.0, -1.0])
X_BAR = np.array([1.0, -2.0, 0.5])


def test_linear_solver_in_reverse(seed):
    x, pullback = vjp(seed.conjugate_gradients, A, B, rules=seed.rules)
    np.testing.assert_allclose(x, np.linalg.solve(A, B), rtol=1e-12)
    a_bar, b_bar = pullback(X_BAR)
    np.testing.assert_allclose(b_bar, np.linalg.inv(A).T @ X_BAR, rtol=1e-12)
    np.testing.assert_allclose(a_bar, -np.linalg.inv(A).T @ np.outer(X_BAR, x), rtol=1e-12)


@pytest.mark.parametrize("name", ["custom_rules", "multiplication", "simple_autograd", "softmax"])
def test_each_program_of_this_folder_says_something(name, load, capsys):
    load(f"seeds/{name}").main()
    assert len(capsys.readouterr().out.splitlines()) > 3
