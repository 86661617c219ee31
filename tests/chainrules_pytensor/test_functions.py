"""`to_pytensor` holds to differences and to PyTensor's own gradients of the same expressions."""

import numpy as np
import pytensor
import pytensor.tensor as pt
import pytest
from pytensor.gradient import DisconnectedInputError, NullTypeGradError, verify_grad
from scipy.integrate import solve_ivp

from chainrules_py import Array, RuleTable, default_rules, primitive, rrule, scalar_rule
from chainrules_pytensor import PytensorError, to_pytensor
from chainrules_tape import as_primitive
from chainrules_tape.scipy.integrate import solve_ivp as traced_solve_ivp

# operations run in Python one by one: to compile takes longer than a test may
MODE = pytensor.compile.Mode(linker="py", optimizer="fast_compile")
X = np.array([0.8, 0.4, 1.7, 0.9])


def running_maximum(x, scale=1.0):
    y = x.copy()
    for i in range(1, len(y)):
        if y[i] < y[i - 1]:
            y[i] = y[i - 1] * np.cos(y[i]) * scale
    return y * x[0]


def springs(x):
    def spring(t, y, k):
        return np.stack([y[1], -k * y[0]])

    start = np.stack([x[0], x[1]])
    return traced_solve_ivp(spring, (0.0, 1.0), start, args=(x[2],), rtol=1e-9, atol=1e-10).y[:, -1]


def springs_by_scipy(x):
    found = solve_ivp(lambda t, y: [y[1], -x[2] * y[0]], (0, 1), x[:2], rtol=1e-11, atol=1e-12)
    return found.y[:, -1]


def own_expression(x, y):
    return np.tanh(x @ x.T) @ y + np.exp(-y) * 0.5


def of_pytensor(x, y):
    return pt.tanh(x @ x.T) @ y + pt.exp(-y) * 0.5


def compiled(inputs, outputs):
    return pytensor.function(inputs, outputs, mode=MODE, on_unused_input="ignore")


@pytest.mark.parametrize("program", [running_maximum, springs])
def test_gradients_by_differences(program):
    verify_grad(to_pytensor(program), [X], rng=np.random.default_rng(0), mode=MODE)


def test_the_value_of_an_equation_is_that_of_scipy():
    x = pt.dvector("x")
    value = compiled([x], to_pytensor(springs)(x))(X)
    np.testing.assert_allclose(value, springs_by_scipy(X), rtol=1e-7)


@pytest.mark.parametrize("program", [running_maximum, springs])
def test_second_derivatives_by_differences(program):
    def slope(x):
        return pytensor.grad((to_pytensor(program)(x) ** 2).sum(), x)

    verify_grad(slope, [X], rng=np.random.default_rng(0), mode=MODE, rel_tol=1e-4, abs_tol=1e-4)


def gradients(f, x, y):
    return pytensor.grad((f(x, y) ** 2).sum(), [x, y])


def gradients_of_a_gradient(f, x, y):
    first = pytensor.grad((f(x, y) ** 2).sum(), y)
    return pytensor.grad((first**3).sum(), [x, y])


def derivative_by_two_pullbacks(f, x, y):
    run = getattr(pytensor.gradient, "pushforward", None) or pytensor.gradient.Rop
    return [run(f(x, y), [x, y], [pt.cos(x), pt.sin(y)])]


@pytest.mark.parametrize(
    "derivative", [gradients, gradients_of_a_gradient, derivative_by_two_pullbacks]
)
def test_the_same_expression_by_pytensor(derivative):
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(3, 3)), rng.normal(size=3)
    x, y = pt.dmatrix("x"), pt.dvector("y")
    functions = to_pytensor(own_expression), of_pytensor
    ours, theirs = (compiled([x, y], derivative(f, x, y))(a, b) for f in functions)
    for found, expected in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("function", [np.tanh, lambda x: x + np.tanh(x)], ids=["call", "program"])
def test_a_table_of_ones_own(function):
    steeper = RuleTable(parent=default_rules, name="steeper")
    scalar_rule(np.tanh, "x", "3.0 * cos(x)", table=steeper)
    x = pt.dvector("x")

    def gradient(**tables):
        y = to_pytensor(function, **tables)(x)
        return pytensor.grad((y * X).sum(), x)

    # both in one graph, where calls that do the same are merged
    by_ours, by_theirs = compiled([x], [gradient(rules=steeper), gradient()])(X)
    of_sum = X if function is not np.tanh else 0.0
    np.testing.assert_allclose(by_ours, of_sum + 3.0 * np.cos(X) * X)
    np.testing.assert_allclose(by_theirs, of_sum + X / np.cosh(X) ** 2)


def test_a_table_of_ones_own_at_the_second_order():
    steeper = RuleTable(parent=default_rules, name="steeper")
    scalar_rule(np.sin, "x", "5.0 * cos(x)", table=steeper)
    x = pt.dvector("x")
    y = to_pytensor(np.sin, rules=steeper)(x)
    slope = pytensor.grad(y.sum(), x)
    second = pytensor.grad(slope.sum(), x)
    found = compiled([x], second)(X)
    np.testing.assert_allclose(found, -5.0 * np.sin(X))


def test_pushforward_of_the_operation():
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(3, 3)), rng.normal(size=3)
    x, y = pt.dmatrix("x"), pt.dvector("y")
    node = to_pytensor(own_expression)(x, y).owner
    dots = [pt.cos(x), pt.sin(y)]
    (found,) = node.op.pushforward(node.inputs, node.outputs, dots)
    (by_old_name,) = node.op.R_op(node.inputs, dots)
    (alone,) = node.op.R_op(node.inputs, [None, dots[1]])
    (of_that,) = pytensor.grad(found.sum(), [x])
    both, old, one, third = compiled([x, y], [found, by_old_name, alone, of_that])(a, b)

    (expected,) = derivative_by_two_pullbacks(of_pytensor, x, y)
    theirs = compiled([x, y], [expected, pytensor.grad(expected.sum(), x)])(a, b)
    np.testing.assert_allclose(both, theirs[0], rtol=1e-10)
    np.testing.assert_allclose(old, theirs[0], rtol=1e-10)
    expected_alone = np.tanh(a @ a.T) @ np.sin(b) - 0.5 * np.exp(-b) * np.sin(b)
    np.testing.assert_allclose(one, expected_alone, rtol=1e-10)
    np.testing.assert_allclose(third, theirs[1], rtol=1e-9, atol=1e-12)


def test_functions_with_rules_keep_them():
    x, w = pt.dmatrix("x"), pt.dvector("w")
    found = pytensor.grad(to_pytensor(np.linalg.solve)(x, w).sum(), [x, w])
    theirs = pytensor.grad(pt.linalg.solve(x, w).sum(), [x, w])
    a, b = np.array([[3.0, 1.0], [0.5, 2.0]]), np.array([1.0, -1.0])
    for one, other in zip(*(compiled([x, w], part)(a, b) for part in (found, theirs)), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)


def test_a_rule_of_the_user_is_the_derivative():
    @primitive
    def kepler(m):
        e = m
        for _ in range(50):
            e = m + 0.4 * np.sin(e)
        return e

    scalar_rule(kepler, "m", "1 / (1 - 0.4*cos(out))")
    x = pt.dscalar("x")
    y = to_pytensor(kepler)(x)
    first = pytensor.grad(y, x)
    second = pytensor.grad(first, x)
    value, slope, curvature = compiled([x], [y, first, second])(0.5)
    assert value - 0.4 * np.sin(value) == pytest.approx(0.5)
    assert slope == pytest.approx(1 / (1 - 0.4 * np.cos(value)))
    assert curvature == pytest.approx(-0.4 * np.sin(value) * slope**3)


def test_a_rule_that_stands_for_a_body_of_numpys_alone():
    def log_det(a):
        return np.linalg.slogdet(np.asarray(a, dtype=float))[1]

    @rrule.register(log_det)
    def log_det_rrule(a: Array):
        def log_det_pullback(y_bar):
            return (y_bar * np.linalg.inv(a).T,)

        return log_det(a), log_det_pullback

    x = pt.dmatrix("x")
    a = np.array([[3.0, 1.0], [0.5, 2.0]])
    slope = compiled([x], pytensor.grad(to_pytensor(log_det)(x), x))(a)
    np.testing.assert_allclose(slope, np.linalg.inv(a).T)


def test_containers_options_constants_and_several_outputs():
    def model(parameters, pair, *, power):
        a, b = pair
        return {"y": parameters["k"] * a**power + b, "count": len(a), "total": (b.sum(), None)}

    k, a, p = pt.dscalar("k"), pt.dvector("a"), pt.dscalar("p")
    data = np.array([1.0, 2.0])
    out = to_pytensor(model)({"k": k}, [a, data], power=p)
    assert out["total"][1] is None
    cost = out["y"].sum() * 1.0 + out["total"][0]
    found = compiled([k, a, p], [out["y"], out["count"], *pytensor.grad(cost, [k, a, p])])
    y, count, k_bar, a_bar, p_bar = found(2.0, np.array([1.5, 0.5]), 3.0)
    np.testing.assert_allclose(y, 2 * np.array([1.5, 0.5]) ** 3 + data)
    assert count == 2
    np.testing.assert_allclose(k_bar, 1.5**3 + 0.5**3)
    np.testing.assert_allclose(a_bar, 6 * np.array([1.5, 0.5]) ** 2)
    np.testing.assert_allclose(p_bar, 2 * (1.5**3 * np.log(1.5) + 0.5**3 * np.log(0.5)))


def test_single_precision_stays():
    x = pt.fvector("x")
    y = to_pytensor(running_maximum)(x, 0.5)
    slope = pytensor.grad(y.sum(), x)
    assert y.dtype == slope.dtype == "float32"
    assert compiled([x], slope)(X.astype(np.float32)).dtype == np.float32


def test_integers_have_no_derivative():
    x, n = pt.dvector("x"), pt.lscalar("n")
    y = to_pytensor(lambda x, n: x * n)(x, n)
    assert compiled([x, n], pytensor.grad(y.sum(), x))(X, 3).tolist() == [3.0] * 4
    with pytest.raises(DisconnectedInputError):
        pytensor.grad(y.sum(), n)


def test_an_option_of_a_rule_has_no_derivative():
    x, p = pt.dvector("x"), pt.dscalar("p")

    @primitive
    def scaled(x, *, by):
        return x * by

    @rrule.register(scaled)
    def scaled_rrule(x: Array, *, by):
        return x * by, lambda y_bar: (y_bar * by,)

    y = to_pytensor(scaled)(x, by=p)
    assert compiled([x, p], pytensor.grad(y.sum(), x))(X, 3.0).tolist() == [3.0] * 4
    with pytest.raises(NullTypeGradError, match="by position"):
        pytensor.grad(y.sum(), p)


def test_equal_calls_are_one_node():
    x = pt.dvector("x")
    f = to_pytensor(running_maximum)
    merged = pytensor.function([x], f(x) + f(x), mode=pytensor.compile.Mode("py", "merge"))
    names = [str(node.op) for node in merged.maker.fgraph.toposort()]
    assert sum("running_maximum" in name for name in names) == 1


def test_a_program_that_writes_into_its_argument():
    def overwritten(x):
        x *= 2.0
        return x

    x = pt.dvector("x")
    given = X.copy()
    assert compiled([x], to_pytensor(overwritten)(x))(given).tolist() == (2 * X).tolist()
    assert given.tolist() == X.tolist()


def test_results_are_nobody_elses_memory():
    table = np.ones(3)
    x = pt.dvector("x")
    f = compiled([x], to_pytensor(lambda x: (x, table))(x))
    same, constant = f(X)
    same[:], constant[:] = 0.0, 0.0
    assert X[0] == 0.8
    assert table.tolist() == [1.0] * 3


def test_shapes_are_known_where_those_of_inputs_are():
    x = pt.tensor("x", dtype="float64", shape=(4,))
    assert to_pytensor(running_maximum)(x).type.shape == (4,)
    assert to_pytensor(running_maximum)(pt.dvector()).type.shape == (None,)
    n = pt.lscalar("n")
    assert to_pytensor(lambda n: np.ones(n))(n).type.shape == (None,)


def test_lengths_that_must_agree_with_data_are_found():
    data = np.arange(50.0)
    x = pt.dvector("x")
    y = to_pytensor(lambda x, d: (x - d) ** 2)(x, data)
    assert compiled([x], y)(data + 1).tolist() == [1.0] * 50


def test_declared_outputs():
    x = pt.tensor("x", dtype="float64", shape=(4,))
    chosen = to_pytensor(lambda x: x[x > 0.85], outputs=pt.dvector)(x)
    found = compiled([x], [chosen, pytensor.grad(chosen.sum(), x)])(X)
    assert [part.tolist() for part in found] == [[1.7, 0.9], [0.0, 0.0, 1.0, 1.0]]


# PyTensor 2 says that it cannot put its own text into our error
@pytest.mark.filterwarnings("ignore:.*does not allow us to add:UserWarning")
def test_a_shape_that_depends_on_values_is_refused_with_what_to_write():
    x = pt.tensor("x", dtype="float64", shape=(4,))
    found = compiled([x], to_pytensor(lambda x: x[x > 0.85])(x))
    with pytest.raises(PytensorError, match="outputs="):
        found(np.ones(4) * 2)


def test_a_program_that_refuses_made_up_numbers():
    def demanding(x):
        if x[0] < 100:
            raise ValueError("too small")
        return x**2

    x = pt.dvector("x")
    with pytest.raises(PytensorError, match=r"too small.*outputs="):
        to_pytensor(demanding)(x)
    y = to_pytensor(demanding, outputs=pt.dvector)(x)
    assert compiled([x], pytensor.grad(y.sum(), x))(X + 100).tolist() == (2 * (X + 100)).tolist()


def test_a_program_that_wants_times_in_their_order():
    def decays(rate, end, times):
        start = np.array([1.0, 2.0])
        solution = traced_solve_ivp(lambda t, y: -rate * y, (0.0, end), start, t_eval=times)
        return solution.y  # an empty list where there is no time

    rate, end, times = pt.dscalar("rate"), pt.dscalar("end"), pt.dvector("times")
    y = to_pytensor(decays)(rate, end, times)
    assert y.type.ndim == 2
    slope = compiled([rate, end, times], pytensor.grad(y.sum(), rate))
    at = np.array([0.0, 0.4, 0.7, 1.0])
    assert slope(0.5, 1.0, at) == pytest.approx(-3 * np.sum(at * np.exp(-0.5 * at)), rel=1e-2)


def test_what_is_no_tensor_is_refused():
    with pytest.raises(PytensorError, match="tensors"):
        to_pytensor(np.tanh)(pytensor.tensor.random.type.random_generator_type())


def test_packages_that_are_seen_through():
    x = pt.dvector("x")
    y = to_pytensor(as_primitive(running_maximum))(x)
    np.testing.assert_allclose(compiled([x], y)(X), running_maximum(X))


def test_in_scan():
    x = pt.dvector("x")

    def ours(x):
        return to_pytensor(lambda x: np.sin(x) * x)(x)

    def theirs(x):
        return pt.sin(x) * x

    def end(f):
        found = pytensor.scan(f, outputs_info=[x], n_steps=3, return_updates=False)
        return [found[-1], pytensor.grad(found[-1].sum(), x)]

    one, other = (compiled([x], end(f))(X) for f in (ours, theirs))
    for found, expected in zip(one, other, strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_vectorized_over_a_batch():
    x, batch = pt.dvector("x"), pt.dmatrix("batch")
    y = to_pytensor(running_maximum)(x)
    many = pytensor.graph.vectorize_graph(y, {x: batch})
    points = np.stack([X, X[::-1], X + 1])
    found = compiled([batch], [many, pytensor.grad(many.sum(), batch)])(points)
    single = compiled([x], [y, pytensor.grad(y.sum(), x)])
    for k, point in enumerate(points):
        for of_all, of_one in zip(found, single(point), strict=True):
            np.testing.assert_allclose(of_all[k], of_one)
