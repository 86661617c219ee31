"""Programs for the array API standard, by `array_api_compat`, on the arrays of several libraries; by
their own namespace they are programs of `product`.
"""

from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import array_api_programs as programs
from chainrules_tape import (
    InputError,
    grad,
    hessian,
    jacobian,
    jacobian_operator,
    jvp,
    sparsity,
)
from product.judge import case_of
from product.programs import rows_of_the_standard
from stand_ins.array_makers import ARRAYS_BESIDE, of_torch

compat = pytest.importorskip("array_api_compat")
pytest.importorskip("array_api_extra")
numpys = pytest.importorskip("array_api_compat.numpy")


def of_jax(x):
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    return jax.numpy.asarray(x)


MAKERS = {
    "numpy": np.asarray,
    "strict": lambda x: pytest.importorskip("array_api_strict").asarray(x),
    "torch": of_torch,
    "jax": of_jax,
    **{each.NAME: each.make for each in ARRAYS_BESIDE},
    "cubed": lambda x: pytest.importorskip("cubed.array_api").asarray(x),
    "ndonnx": lambda x: pytest.importorskip("ndonnx").asarray(x),
}
OF_MATRICES = {programs.determinant, programs.solutions, programs.decompositions}
LACKING = {
    "cubed": {*OF_MATRICES, programs.spectra, programs.orders, programs.chosen_entries},
    "ndonnx": {*OF_MATRICES, programs.spectra, programs.elementwise},
}
ROWS = {row.name.removeprefix("standard, "): row for row in rows_of_the_standard()}
ALL = (*programs.PLAIN, *programs.EXTRA)
RARE = ("cubed", "ndonnx")  # installed by hand; without them one test is skipped
OF_EACH = [
    (name, program)
    for name in MAKERS
    for program in (ALL if name not in RARE or find_spec(name) else ALL[:1])
    if program not in LACKING.get(name, ())
]


def numbers(x):
    if hasattr(x, "unwrap_numpy"):
        return x.unwrap_numpy()
    plain = isinstance(x, np.ndarray | np.generic) or not hasattr(x, "__dlpack__")
    return np.asarray(x) if plain else np.from_dlpack(x)


@pytest.mark.one_in(3)
@pytest.mark.filterwarnings("ignore:.*onnxruntime:UserWarning", "ignore:numpy.core")
@pytest.mark.parametrize(("name", "program"), OF_EACH)
def test_derivatives_are_those_of_differences(name, program):
    x = MAKERS[name](programs.POINT)
    gradient = grad(lambda x: program(compat.array_namespace(x), x))(x)
    assert type(gradient) is type(x)
    case = case_of(ROWS[program.__name__])
    case.require({1: case.weights[0] * numbers(gradient) @ case.direction})


OTHERS = ("strict", "torch", "jax", *(each.NAME for each in ARRAYS_BESIDE))


@pytest.mark.filterwarnings("ignore:divide by zero")
@pytest.mark.parametrize("name", OTHERS)
def test_at_the_ends_of_domains_second_derivatives_are_numpys(name):
    def change(make):
        x = make(np.array([1.0, 0.5, -1.0]))
        slope = grad(lambda x: np.sum(np.arccos(x) ** 2 * np.arcsin(x)))
        return numbers(jvp(slope, (x,), (x,))[1])

    assert np.allclose(change(MAKERS[name]), change(np.asarray))


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize(
    "derivative",
    [
        lambda x: jacobian(np.sin, sparse=True)(x),
        lambda x: hessian(lambda x: np.sum(x**3), sparse=True)(x),
        lambda x: sparsity(np.sin, x),
        lambda x: jacobian_operator(np.sin, x),
        lambda x: grad(lambda x: np.sum(jacobian(np.sin, sparse=True)(x).diagonal()))(x),
    ],
)
def test_sparse_matrices_are_of_numpys_arrays(name, derivative):
    with pytest.raises(InputError, match="matrices of SciPy are NumPy's"):
        derivative(MAKERS[name](programs.POINT))


@pytest.mark.parametrize("name", ["numpy", "strict", "torch", "jax"])
@pytest.mark.parametrize("first", ["data", "traced"])
def test_plain_arrays_may_come_first(name, first):
    data = MAKERS[name](np.arange(1.0, 4.0))

    def f(x):
        xp = compat.array_namespace(*((data, x) if first == "data" else (x, data)))
        buffer = xp.zeros(3)
        buffer[...] = x
        return xp.sum(buffer**2 * data) + xp.sum(data) * x[0]

    wanted = 2 * programs.POINT * np.arange(1.0, 4.0) + [6.0, 0, 0]
    assert np.allclose(numbers(grad(f)(MAKERS[name](programs.POINT))), wanted)


def test_outside_of_derivatives_compat_answers_as_ever():
    grad(lambda x: compat.array_namespace(x).sum(x))(np.ones(2))
    assert compat.array_namespace(np.ones(2)) is numpys
    assert compat.array_namespace(np.ones(2), 1.0, None) is numpys
    with pytest.raises(TypeError):
        compat.array_namespace(1.0)


def test_clipped_numbers_keep_their_dtype():
    def f(x):
        y = compat.array_namespace(x).clip(x, np.array([0.5, 0.5]), 3.0)
        assert y.dtype == np.float32
        return compat.array_namespace(x).sum(y)

    assert np.array_equal(grad(f)(np.array([0.25, 2.0], np.float32)), [0.0, 1.0])


def test_sorting_has_both_directions():
    x = np.array([2.0, 1.0, 2.0, 3.0])

    def check(y):
        for xp in (y.__array_namespace__(), compat.array_namespace(y)):
            assert np.array_equal(xp.argsort(y, descending=True), [3, 0, 2, 1])
            assert np.array_equal(xp.argsort(y), [1, 0, 2, 3])
        return xp.sum(xp.sort(y, descending=True) * xp.arange(4.0))

    assert np.array_equal(grad(check)(x), [1.5, 3.0, 1.5, 0.0])


def test_the_page_for_users_runs():
    pytest.importorskip("array_api_strict")
    page = Path(__file__).parents[2] / "docs" / "users" / "array_api.md"
    fenced = page.read_text(encoding="utf-8").split("```")[1::2]
    blocks = [block.partition("\n") for block in fenced]
    assert [kind for kind, _, _ in blocks] == ["python", "text", "text"]
    names = {}
    for _, _, block in blocks:
        exec(block, names)
