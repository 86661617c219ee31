"""What `install` writes into autograd's tables, what it leaves, and that it can be undone."""

import autograd.numpy as anp
import numpy as np
import pytest
from autograd import grad, make_jvp
from autograd.core import primitive_jvps, primitive_vjps
from autograd.extend import primitive as autograd_primitive
from autograd.test_util import check_grads
from autograd.tracer import notrace_primitives

from chainrules_autograd import install
from chainrules_py import RuleTable, default_rules, scalar_rule

x = np.array([3.0, 1.0, 2.0])


def tables():
    """All that autograd knows of derivatives, and the names of its NumPy."""
    constants = {node: set(functions) for node, functions in notrace_primitives.items()}
    names = [dict(vars(module)) for module in (anp, anp.numpy_wrapper, anp.linalg, anp.fft)]
    return dict(primitive_vjps), dict(primitive_jvps), constants, names


@pytest.fixture
def installed():
    made = install()
    yield made
    made.undo()


def test_it_fills_what_is_missing_and_no_more():
    before = tables()
    made = install()
    after = tables()
    assert all(after[0][key] is value for key, value in before[0].items())
    assert all(after[1][key] is value for key, value in before[1].items())
    assert len(made.reverse) > 100
    assert {"numpy.linalg.inv", "numpy.fft.fft", "numpy.median"} <= set(made.forward)
    assert "numpy.linalg.inv" not in made.reverse
    assert "numpy.isin" in made.constant
    made.undo()
    assert tables() == before


def test_it_may_be_called_again(installed):
    again = install()
    assert (again.reverse, again.forward, again.constant) == ([], [], [])
    again.undo()
    assert grad(anp.median)(x).tolist() == [0.0, 0.0, 1.0]


def test_autograds_names_see_containers_and_keywords(installed):
    check_grads(lambda x, y: anp.dstack([x * x, y]))(x, x + 1)
    check_grads(lambda x, y: anp.average(x, weights=y))(x, x)
    check_grads(lambda x: anp.linalg.lstsq(np.eye(3), x * x, rcond=None)[0])(x)


def test_methods_and_ufuncs_of_numpy_work_on_boxes(installed):
    check_grads(lambda x: (x * x).take([0, 0, 1]))(x)
    check_grads(lambda x: (x * x).cumprod())(x)
    check_grads(lambda x: np.cbrt(x * x))(x)
    check_grads(lambda x: anp.modf(x * 0.7)[0])(x)


def test_functions_without_derivative_are_constant(installed):
    assert grad(lambda x: anp.sum(x[anp.isin(x, [1.0, 2.0])]))(x).tolist() == [0.0, 1.0, 1.0]


def test_forward_over_autograds_own_reverse_rules(installed):
    check_grads(anp.fft.fft)(x + 0j)
    check_grads(lambda a: anp.linalg.det(a))(np.diag(x) + 0.1)


def test_replaced_rules_are_ours_and_go_again():
    y = np.array([[1.0, 3.0], [2.0, 0.5]])

    def sorted_along_0(y):
        return anp.sort(y, axis=0)

    with pytest.raises(AssertionError):
        check_grads(sorted_along_0, modes=["fwd"], order=1)(y)
    made = install(replace=[np.sort, np.sign])
    check_grads(sorted_along_0)(y)
    check_grads(anp.sign)(np.array([1 + 2j, 3 - 1j]))
    made.undo()
    with pytest.raises(AssertionError):
        check_grads(sorted_along_0, modes=["fwd"], order=1)(y)


def test_everything_may_be_replaced():
    made = install(replace=True)
    try:
        check_grads(lambda x: anp.concatenate([x, anp.tanh(x) * x**2], axis=None) / (1 + x @ x))(x)
        assert "numpy.sin" in made.reverse
    finally:
        made.undo()


@pytest.mark.parametrize("follow", [True, False])
def test_functions_that_get_a_rule_later_follow(follow):
    def plain(x):
        return x * x * x

    wrapped = autograd_primitive(plain)
    made = install(follow=follow)
    try:
        scalar_rule(plain, "x", "3*x*x")
        if not follow:
            with pytest.raises(NotImplementedError):
                grad(wrapped)(2.0)
            return
        assert grad(wrapped)(2.0) == 12.0
        assert make_jvp(wrapped)(2.0)(1.0)[1] == 12.0
        assert grad(grad(wrapped))(2.0) == 12.0
    finally:
        made.undo()
    with pytest.raises(NotImplementedError):
        grad(wrapped)(2.0)


def test_what_somebody_defined_stays():
    @autograd_primitive
    def own(x):
        return x * x

    primitive_vjps[own] = lambda argnums, ans, args, kwargs: lambda g: (g * 100.0,)
    scalar_rule(own.fun, "x", "2*x")
    made = install()
    assert grad(own)(1.0) == 100.0
    assert make_jvp(own)(1.0)(1.0)[1] == 2.0
    made.undo()


def test_rules_of_an_overlay():
    table = RuleTable(parent=default_rules, name="mine")
    scalar_rule(np.cbrt, "x", "7.0 + 0*x", table=table)
    made = install(rules=table)
    assert grad(anp.cbrt)(2.0) == 7.0
    made.undo()
