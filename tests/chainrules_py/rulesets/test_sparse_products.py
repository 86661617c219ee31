"""Products of sparse and dense: the dense matrix is the independent source of every value and
derivative.
"""

import numpy as np
import pytest

from chainrules_py import NotDifferentiableError, RuleTable, default_rules
from chainrules_py.testing import Case, Mutant, Sample, Settings
from chainrules_py.testing.mutation import CHANGES, is_killed
from chainrules_tape import LostGradientError, grad, jacobian, jvp, vjp, vmap
from processes import printed
from product.judge import Case as Cell
from product.programs import Program
from product.ways import DERIVATIVES, WHOLE

sparse = pytest.importorskip("scipy.sparse")
DENSE = np.array([[1.0, 0.0, 2.0], [0.0, -3.0, 0.0]])
FORMATS = ("csr", "csc", "coo", "bsr", "lil", "dok", "dia")
CLASSES = {
    f"{name}_{kind}": getattr(sparse, f"{name}_{kind}")
    for name in FORMATS
    for kind in ("array", "matrix")
}
PRODUCTS = {
    "a @ x": (lambda a, x: a @ x, 3),
    "x @ a": (lambda a, x: x.T @ a, 2),
    "a.T @ x": (lambda a, x: a.T @ x, 2),
    "a.dot(x)": (lambda a, x: a.dot(x), 3),
}


def require_same(name, product, dense, x):
    """Check the derivatives of a nonlinear function of a product."""

    def of(product):
        return lambda x: np.sin(product(x * x))

    case = Cell(Program(name, of(product), of(dense), (x,), frozenset()))
    for way in ("pullback", "pushforward"):
        WHOLE[way](case)
    for way in ("forward-reverse", "reverse-reverse"):
        case.require(DERIVATIVES[way](case.line(case.program.function)))


@pytest.mark.parametrize("product", PRODUCTS)
@pytest.mark.parametrize(
    ("name", "columns"),
    [*((name, ()) for name in CLASSES), ("csr_array", (1,)), ("csr_matrix", (4,))],
    ids=str,
)
def test_products_are_those_of_the_dense_matrix(name, columns, product):
    function, count = PRODUCTS[product]
    x = np.random.default_rng(0).normal(size=(count, *columns))
    a = CLASSES[name](DENSE)
    # a plain array's method cannot be intercepted
    dense = PRODUCTS["a @ x"][0] if product == "a.dot(x)" else function
    require_same(name, lambda x: function(a, x), lambda x: dense(DENSE, x), x)


@pytest.mark.parametrize("name", [name for name in CLASSES if name.endswith("matrix")])
def test_the_star_of_matrices_is_their_product(name):
    x, a = np.array([0.5, 1.5, -1.0]), CLASSES[name](DENSE)
    require_same(name, lambda x: a * x, lambda x: DENSE @ x, x)
    require_same(name, lambda x: x[:2] * a, lambda x: x[:2] @ DENSE, x)


def test_complex_matrices_and_real_vectors():
    dense, x = DENSE * (1 + 2j), np.array([0.5, 1.5, -1.0])
    for z in (x, x + 1j):
        require_same("complex", lambda z: sparse.csr_array(dense) @ z, lambda z: dense @ z, z)


def test_float32_stays():
    a, x = sparse.csr_array(DENSE.astype("float32")), np.ones(3, "float32")
    assert grad(lambda x: np.sum(a @ x))(x).dtype == np.float32


@pytest.mark.parametrize("product", [lambda a, x: a @ x, lambda a, x: x[:2] @ a])
def test_the_sparse_factor_is_a_constant(product):
    a, x = sparse.csr_array(DENSE), np.ones(3)
    with pytest.raises(NotDifferentiableError) as caught:
        vjp(product, a, x)
    assert "argnums" in caught.value.instead
    with pytest.raises(NotDifferentiableError):
        jvp(lambda a: product(a, x), (a,), (a,))


def test_a_product_entry_by_entry_with_a_sparse_array_is_refused():
    with pytest.raises(LostGradientError) as caught:
        grad(lambda x: np.sum(sparse.csr_array(DENSE) * x))(np.ones(3))
    assert "a @ x" in caught.value.instead


def test_scipy_is_not_imported_before_it_is_used():
    program = (
        "import sys, numpy, chainrules_tape as t; t.grad(lambda x: x @ x)(numpy.ones(2)); assert"
        " 'scipy' not in sys.modules"
    )
    printed(program)


def matrix_product(one, other):
    return one @ other


def star(one, other):
    return one * other


FACTORS = {
    "a @ x, array": (np.matmul, matrix_product, sparse.csr_array, 1),
    "x @ a, array": (np.matmul, matrix_product, sparse.csr_array, 0),
    "a @ x, matrix": (np.matmul, matrix_product, sparse.csr_matrix, 1),
    "a * x": (np.multiply, star, sparse.csr_matrix, 1),
    "x * a": (np.multiply, star, sparse.csr_matrix, 0),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("mode", ["reverse", "forward"])
@pytest.mark.parametrize("product", FACTORS)
def test_no_mutant_survives(product, mode, change):
    """The gate calls primals, and NumPy's take no sparse matrices: the rules are tried as those of
    the operators.
    """
    primal, operation, cls, dense = FACTORS[product]
    args = [cls(DENSE * (1 + 2j)), cls(DENSE * (1 + 2j))]
    args[dense] = np.array([0.5 + 1j, 1.5, -1.0 - 0.4j])[: 3 if dense else 2]
    table = RuleTable(parent=default_rules)
    overlay = RuleTable(parent=table)
    settings = Settings(rules=overlay, layouts=False, dtypes=False, second_order="off")
    rule = default_rules.rule_for(mode, primal, tuple(map(type, args)), settings.config)
    assert rule.where.rpartition(":")[0].endswith("sparse_products.py")
    rule = table.add(rule.replaced(primal=operation))
    case = Case(operation, Sample(*args, fixed=[1 - dense]), "complex128", mode, settings)
    case.run()
    assert is_killed(Mutant(rule, dense, change), [case], overlay)


@pytest.mark.parametrize("kind", ["array", "matrix"])
@pytest.mark.parametrize("columns", [(), (2,)])
def test_many_examples_are_one_product(kind, columns):
    matrix = getattr(sparse, f"csr_{kind}")(DENSE)
    x = np.random.default_rng(0).normal(size=(5, 3, *columns))
    np.testing.assert_allclose(vmap(lambda x: matrix @ x)(x), DENSE @ x if columns else x @ DENSE.T)
    rows = np.random.default_rng(1).normal(size=(5, *columns, 2))
    np.testing.assert_allclose(vmap(lambda x: x @ matrix)(rows), rows @ DENSE)
    for mode in ("forward", "reverse"):
        found = jacobian(lambda x: matrix @ x, mode=mode)(x[0, :, 0] if columns else x[0])
        np.testing.assert_allclose(found, DENSE)
