"""Programs by the C compiler: the numbers of the tape, or NumPy's program with its reason."""

import shutil

import numpy as np
import pytest

import chainrules_tape.numpy as tnp
from chainrules_programs.compiling import to_c
from chainrules_tape import as_primitive, compiled, grad, hessian, jvp, value_and_grad, vmap

pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
X = np.array([0.5, -1.0, 2.0])
W = np.linspace(-1.0, 1.0, 9).reshape(3, 3)


def steps(x):
    for _ in range(120):
        x = x + 0.1 * np.tanh(W @ x)
    return np.sum(x * x)


def kept(x):
    found = [x]
    for _ in range(120):
        found.append(np.sin(found[-1]) * x[::-1])
    return np.sum(np.stack(found[::7]) ** 2)


def written(x):
    y = tnp.zeros(4)
    for _ in range(120):
        y[1:] = y[:3] * 0.5 + x
        y[:2] += np.cos(y[2])
    return np.sum(y * y[::-1])


def table(x):
    for k in range(120):
        x = x * ROWS[k] + ROWS[119 - k, 0]
    return np.sum(x)


def asked(x):
    return np.sum(x * x) if x[0] > 0 else np.sum(np.exp(x))


def elementwise(x):
    y = np.where(x > 0.1, np.sqrt(np.abs(x)), np.expm1(x)) / (1.0 + x**2)
    y = np.maximum(y, np.arctan2(x, 2.0)) - np.minimum(x, 0.3)
    return np.sum(np.outer(y, x).T[1:, ::-1]) + np.mean(np.cumsum(y)) + np.prod(y)


ROWS = np.cos(np.arange(360.0)).reshape(120, 3)
FUNCTIONS = [steps, kept, written, table, asked, elementwise]
TRANSFORMS = {
    "value": lambda f: f,
    "value and gradient": value_and_grad,
    "derivative": lambda f: lambda x: jvp(f, (x,), (x * 0.5 + 1.0,)),
    "many examples": lambda f: lambda x: vmap(grad(f))(np.stack([x, 2 * x])),
}


FORMS = [form for form in to_c._FORMS if isinstance(form, np.ufunc) and "d" in "".join(form.types)]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("ufunc", FORMS, ids=lambda ufunc: ufunc.__name__)
def test_each_form(ufunc):
    """Each function of the table is NumPy's, where it is nan, infinite, zero or negative, too."""
    points = np.array([-2.0, -1.0, -0.5, -0.0, 0.0, 0.5, 1.0, 3.0, np.inf, -np.inf, np.nan])
    args = np.meshgrid(*ufunc.nin * [points], indexing="ij")
    step = compiled(lambda *x: np.where(ufunc(*x), 1.0, 0.0) if is_answer else ufunc(*x), to="c")
    with np.errstate(all="ignore"):
        expected = ufunc(*args)
        is_answer = expected.dtype == bool
        step.prepare(*args)
        assert step.reasons == []
        found = step.programs()[0].run(*args)
    np.testing.assert_allclose(found, expected, rtol=1e-14)
    assert step.count_of_programs() == 1


def leaves(x):
    return [leaf for part in x for leaf in leaves(part)] if isinstance(x, tuple) else [x]


def require_same(found, expected):
    for one, other in zip(leaves(found), leaves(expected), strict=True):
        assert type(one) is type(other)
        np.testing.assert_allclose(one, other, rtol=1e-11, atol=1e-13)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("transform", TRANSFORMS)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_numbers_of_the_tape(function, transform):
    if function is asked and transform == "many examples":
        return  # the examples differ in what is asked
    derivative = TRANSFORMS[transform](function)
    step = compiled(derivative, to="c")
    step.prepare(X)
    for k in range(3):
        x = X * (1 + 0.1 * k)
        require_same(step(x), derivative(x))
    assert step.count_of_programs() == 1


@pytest.mark.parametrize("function", FUNCTIONS)
def test_no_program_of_numpy(function):
    step = compiled(value_and_grad(function), to="c")
    step.prepare(X)
    assert step.reasons == []


def test_hessian():
    step = compiled(hessian(elementwise), to="c")
    require_same(step(X), hessian(elementwise)(X))
    require_same(step(X + 0.25), hessian(elementwise)(X + 0.25))
    assert step.reasons == []


def test_another_answer_is_another_program():
    step = compiled(grad(asked), to="c")
    for sign in (1, -1, 1, -1, 1, -1):
        require_same(step(sign * X), grad(asked)(sign * X))
    assert step.count_of_programs() == 2
    assert step.reasons == []


def test_zero_times_infinity_is_the_functions():
    def function(x):
        return np.sum(np.where(x > 0, np.log(x), 0.0))

    step = compiled(grad(function), to="c")
    step.prepare(X)
    x = np.array([0.0, 1.0, 2.0])
    with np.errstate(all="ignore"):
        require_same(step(x), grad(function)(x))


def test_results_are_of_the_caller():
    step = compiled(lambda x: (x[::-1] * 2.0, x), to="c")
    step.prepare(X)
    first, same = step(X)
    first[:] = same[:] = 0.0
    assert step(X)[0][0] == 4.0
    assert X[0] == 0.5


def alias(x):
    y, found = x * 1.0, []
    for _ in range(120):
        y += np.sin(x)
        found.append(y)
    return np.sum(np.stack(found))


def written_afterwards(x):
    for _ in range(120):
        x = np.cos(x) + 0.1
        rest = x[1:]
    x[2] = 5.0
    return np.sum(rest)


@pytest.mark.parametrize("function", [alias, written_afterwards])
def test_memory_that_repetitions_share(function):
    step = compiled(function, to="c")
    for k in range(3):
        require_same(step(X + k), function(X + k))


LEFT = {
    "functions without a form": lambda x: np.sum(np.linalg.solve(W + 5 * np.eye(3), x)),
    "functions that move bits": lambda x: np.sum(np.nan_to_num(x)),
    "other precision": lambda x: np.sum(x.astype(np.float32)),
    "answers": lambda x: x > 0.2,
    "complex numbers": lambda x: np.sum(np.abs(x + 1j)),
    "positions that change": lambda x: np.sum(x[np.argsort(x)]),
    "many operations": lambda x: np.sum(np.sin(np.broadcast_to(x, (10_000, 3)))),
}


@pytest.mark.parametrize("function", LEFT.values(), ids=LEFT)
def test_the_rest_is_numpys(function):
    step = compiled(function, to="c")
    step.prepare(X)
    assert step.count_of_programs() == 1
    assert 'it is compiled to="numpy", because' in step.reasons[0]
    require_same(step(X + 1), function(X + 1))


def test_writes_into_arguments_are_numpys():
    def function(x):
        x[0] = 3.0
        return np.sum(x)

    step = compiled(function, to="c")
    for _ in range(3):
        x = X.copy()
        assert step(x) == function(X.copy())
        assert x[0] == 3.0
    assert "a write into an argument" in step.reasons[0]


def test_with_a_compiler_that_fails(monkeypatch):
    monkeypatch.setattr(to_c, "compiler", lambda: "false")
    step = compiled(grad(steps), to="c")
    step.prepare(X)
    assert "no program of the C compiler false" in step.reasons[0]
    require_same(step(X), grad(steps)(X))


def test_in_a_program_of_an_engine():
    step = compiled(grad(lambda x: np.sum(as_primitive(steps, compiled=True)(x))), to="c")
    require_same(step(X), grad(steps)(X))
    require_same(step(X + 1), grad(steps)(X + 1))
