"""The tape on PyTorch's tensors, which come and go as tensors: all modes, NumPy's arrays beside
them, `torch.func`.
"""

import numpy as np
import pytest
import torch

from chainrules_tape import grad, hessian, jvp, value_and_grad
from chainrules_tape.scipy import integrate
from processes import printed
from whole_programs import number_of_matrix as program

RNG = np.random.default_rng(0)
X, V = RNG.normal(size=(4, 3)), RNG.normal(size=(4, 3))


def logistic(w, x, labels):
    z = x @ w
    return np.mean(np.logaddexp(0.0, z) - labels * z) + np.sum(np.exp(-np.abs(x)).sum(axis=0) * w)


W, LABELS = RNG.normal(size=3), (RNG.random(4) > 0.5) * 1.0


def close(got, wanted, tolerance=1e-10):
    assert isinstance(got, torch.Tensor)
    np.testing.assert_allclose(got.detach().numpy(), wanted, rtol=tolerance, atol=tolerance)


def tensor(x):
    return torch.tensor(x)


def test_tensors_that_a_function_captures():
    x, rows = tensor(X), tensor([0, 0, 2])
    close(
        grad(lambda w: np.sum(np.log1p(np.exp(np.dot(x, w)))))(tensor(W)),
        X.T @ (1 / (1 + np.exp(-X @ W))),
    )
    close(grad(lambda w: np.sum(np.log1p(np.exp(x @ w))))(W), X.T @ (1 / (1 + np.exp(-X @ W))))
    close(
        grad(lambda w: np.sum(w[rows] * w[:, None][:, 0][rows]))(tensor(W)),
        2 * W * np.array([2.0, 0.0, 1.0]),
    )
    close(
        grad(lambda w: np.sum(np.select([rows > 1], [w**2], 3 * w)))(tensor(W)),
        [3.0, 3.0, 2 * W[2]],
    )


def test_a_choice_that_does_not_exist_is_refused_and_nan_in_a_batch():
    def chosen(positions):
        return value_and_grad(lambda w: np.choose(positions, [w, 2 * w]).sum())(tensor(W[:2]))

    positions = tensor(np.array([[0, 1], [0, 7]]))
    with pytest.raises(ValueError, match="invalid entry"):
        chosen(positions[1])
    values, slopes = torch.func.vmap(chosen)(positions)  # whose numbers PyTorch does not tell
    assert torch.isnan(values).tolist() == [False, True]
    close(slopes, [[1.0, 2.0], [1.0, 0.0]])


def test_pytorchs_transformations_around_ours():
    stack = RNG.normal(size=(5, 4, 3))
    close(
        torch.func.vmap(grad(program))(tensor(stack)), np.stack([grad(program)(x) for x in stack])
    )
    wanted = grad(lambda x: np.sum(grad(program)(x) * V))(X)
    close(torch.func.grad(lambda x: torch.sum(grad(program)(x) * tensor(V)))(tensor(X)), wanted)
    x = torch.tensor(X, requires_grad=True)
    torch.sum(grad(program)(x) * tensor(V)).backward()
    close(x.grad, wanted)


def test_a_recorded_gradient_is_a_graph_that_torch_compile_takes():
    from torch.fx.experimental.proxy_tensor import make_fx

    graph = make_fx(grad(logistic))(tensor(W), tensor(X), tensor(LABELS))
    compiled = torch.compile(graph, backend="aot_eager", fullgraph=True)
    close(compiled(tensor(2 * W), tensor(X), tensor(LABELS)), grad(logistic)(2 * W, X, LABELS))


def test_torch_compile_takes_a_gradient_into_its_graph():
    def weighed(w, x):
        # constants of NumPy's become the graph's
        return logistic(w, x, LABELS) + np.sum(np.array([1.0, -1.0, 0.5]) * w)

    slope = torch._dynamo.nonstrict_trace(grad(weighed))
    compiled = torch.compile(
        lambda w, x: torch.sin(slope(2 * w, x)), backend="aot_eager", fullgraph=True
    )
    for w in (W, -W):
        close(compiled(tensor(w), tensor(X)), np.sin(grad(weighed)(2 * w, X)))


def test_functions_run_by_their_source_after_torch_compile_has_refused():
    def refused(x):
        raise ValueError

    with pytest.raises(torch._dynamo.exc.Unsupported):
        torch.compile(refused, backend="eager", fullgraph=True)(tensor(X))
    # from here on each call holds its arguments once more
    wanted = [np.sum(integrate.cumulative_simpson(unit)) for unit in np.eye(4)]
    slope = grad(lambda y: np.sum(integrate.cumulative_simpson(y)))
    np.testing.assert_allclose(slope(np.ones(4)), wanted, rtol=1e-12)


COMPILED = {
    "grad": (grad(program), lambda x: grad(program)(x)),
    "jvp": (
        lambda x: jvp(program, (x,), (x,))[1] * 2.0,
        lambda x: jvp(program, (x,), (x,))[1] * 2.0,
    ),
    "hessian": (hessian(program), hessian(program)),
}


@pytest.mark.parametrize("name", COMPILED)
@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
def test_torch_compile_calls_a_derivative_as_it_is_between_two_graphs(name, backend):
    torch._dynamo.reset()
    on_tensors, on_arrays = COMPILED[name]
    compiled = torch.compile(on_tensors, backend=backend)
    for x in (X, -X):
        close(compiled(tensor(x)), on_arrays(x))


FIRST = """
import numpy as np
from chainrules_tape import grad
import torch

x = torch.tensor([0.5, 2.0], dtype=torch.float64)
print(torch.compile(grad(lambda x: np.sum(np.sin(x))), backend="eager")(x).equal(torch.cos(x)))
"""


def test_the_first_thing_that_a_program_does_may_be_to_compile_a_gradient():
    assert printed(FIRST).split() == ["True"]
