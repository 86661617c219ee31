"""`to_pytensor`: containers, tables, memory, shapes, and errors; derivatives are ways of `product`."""

import numpy as np
import pytensor
import pytensor.tensor as pt
import pytest
from pytensor.gradient import DisconnectedInputError, NullTypeGradError

from chainrules_py import Array, RuleTable, default_rules, primitive, rrule, scalar_rule
from chainrules_pytensor import PytensorError, to_pytensor
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


def compiled(inputs, outputs):
    return pytensor.function(inputs, outputs, mode=MODE, on_unused_input="ignore")


@pytest.mark.parametrize("function", [np.tanh, lambda x: x + np.tanh(x)], ids=["call", "program"])
def test_a_table_of_ones_own(function):
    steeper = RuleTable(parent=default_rules, name="steeper")
    scalar_rule(np.tanh, "x", "3.0 * cos(x)", table=steeper)
    x = pt.dvector("x")

    def gradient(**tables):
        y = to_pytensor(function, **tables)(x)
        return pytensor.grad((y * X).sum(), x)

    ours = gradient(rules=steeper)
    # all in one graph, where calls that do the same are merged
    outputs = [ours, gradient(), pytensor.grad(ours.sum(), x)]
    by_ours, by_theirs, second = compiled([x], outputs)(X)
    of_sum = X if function is not np.tanh else 0.0
    np.testing.assert_allclose(by_ours, of_sum + 3.0 * np.cos(X) * X)
    np.testing.assert_allclose(by_theirs, of_sum + X / np.cosh(X) ** 2)
    np.testing.assert_allclose(second, -3.0 * np.sin(X) * X)


def test_tangents_of_some_inputs():
    x, y = pt.dvector("x"), pt.dvector("y")
    node = to_pytensor(lambda x, y: np.sin(x) * y)(x, y).owner
    found = node.op.R_op(node.inputs, [None, x])
    np.testing.assert_allclose(compiled([x, y], found[0])(X, 2 * X), np.sin(X) * X)


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


def test_equal_calls_are_one_node():
    x = pt.dvector("x")
    f = to_pytensor(running_maximum)
    merged = pytensor.function([x], f(x) + f(x), mode=pytensor.compile.Mode("py", "merge"))
    names = [str(node.op) for node in merged.maker.fgraph.toposort()]
    assert sum("running_maximum" in name for name in names) == 1


def test_memory_is_nobody_elses():
    def overwritten(x):
        x *= 2.0
        return x

    table = np.ones(3)
    x = pt.dvector("x")
    given = X.copy()
    outputs = [*to_pytensor(lambda x: (x, table))(x), to_pytensor(overwritten)(x)]
    same, constant, twice = compiled([x], outputs)(given)
    assert twice.tolist() == (2 * X).tolist()
    same[:], constant[:] = 0.0, 0.0
    assert given.tolist() == X.tolist()
    assert table.tolist() == [1.0] * 3


def test_shapes_are_known_where_those_of_inputs_are():
    x = pt.tensor("x", dtype="float64", shape=(4,))
    assert to_pytensor(running_maximum)(x).type.shape == (4,)
    assert to_pytensor(running_maximum)(pt.dvector()).type.shape == (None,)
    n = pt.lscalar("n")
    assert to_pytensor(lambda n: np.ones(n))(n).type.shape == (None,)


def demanding(x):
    if x[0] < 0.5:
        raise ValueError("too small")
    return x[x > 0.85]


def test_declared_outputs():
    x = pt.tensor("x", dtype="float64", shape=(4,))
    chosen = to_pytensor(demanding, outputs=pt.dvector)(x)
    found = compiled([x], [chosen, pytensor.grad(chosen.sum(), x)])(X)
    assert [part.tolist() for part in found] == [[1.7, 0.9], [0.0, 0.0, 1.0, 1.0]]


@primitive
def scaled(x, *, by):
    return x * by


@rrule.register(scaled)
def scaled_rrule(x: Array, *, by):
    return x * by, lambda y_bar: (y_bar * by,)


def slope_by_an_integer():
    x, n = pt.dvector("x"), pt.lscalar("n")
    y = to_pytensor(lambda x, n: x * n)(x, n)
    assert compiled([x, n], pytensor.grad(y.sum(), x))(X, 3).tolist() == [3.0] * 4
    pytensor.grad(y.sum(), n)


def slope_by_an_option():
    x, p = pt.dvector("x"), pt.dscalar("p")
    y = to_pytensor(scaled)(x, by=p)
    assert compiled([x, p], pytensor.grad(y.sum(), x))(X, 3.0).tolist() == [3.0] * 4
    pytensor.grad(y.sum(), p)


def of_another_shape():
    x = pt.tensor("x", dtype="float64", shape=(4,))
    return compiled([x], to_pytensor(lambda x: x[x > 0.85])(x))(np.ones(4) * 2)


ERRORS = {
    "an integer": (slope_by_an_integer, DisconnectedInputError, "n"),
    "an option": (slope_by_an_option, NullTypeGradError, "by position"),
    "a shape that depends on values": (of_another_shape, PytensorError, "outputs="),
    "made-up numbers": (
        lambda: to_pytensor(lambda x: demanding(x - 100))(pt.dvector()),
        *(PytensorError, r"too small.*outputs="),
    ),
    "no tensor": (
        lambda: to_pytensor(np.tanh)(pytensor.tensor.random.type.random_generator_type()),
        *(PytensorError, "tensors"),
    ),
}


# PyTensor 2 says that it cannot put its own text into our error
@pytest.mark.filterwarnings("ignore:.*does not allow us to add:UserWarning")
@pytest.mark.parametrize(("call", "error", "words"), ERRORS.values(), ids=ERRORS)
def test_what_is_refused(call, error, words):
    with pytest.raises(error, match=words):
        call()


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
