"""Linear algebra on matrices and stacks of them, on tensors and by NumPy; of decompositions, what
they decompose.
"""

import numpy as np
import pytest

from chainrules_torch.arrays import linalg
from stand_ins.tensor_calls import both, call, in_numpy, require_agreement

A = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, -0.2], [0.5, -0.2, 2.0]])
STACK = np.stack([A, A @ A])
WIDE = np.arange(6.0).reshape(2, 3) - 1
V = np.array([0.3, -1.7, 2.0])
Z = A + 0.3j * (WIDE.T @ WIDE)
HERMITIAN = A + 1j * np.array([[0, 1, -0.5], [-1, 0, 0.2], [0.5, -0.2, 0]])
SINGULAR = np.ones((2, 2))
SMALL = np.full((2, 2), -100, np.int8)  # whose squares do not fit
TOLERANCES = np.array([0.5, 0.05, 0.001])  # one for each of as many matrices
CALLS = [
    *(
        call("linalg.inv", x)
        for x in (A, STACK, Z, A.astype("float32"), A.astype(int), SINGULAR, WIDE)
    ),
    *(
        call("linalg.solve", a, b)
        for a, b in ((A, V), (A, A), (STACK, A), (STACK, V), (A, STACK), (Z, V), (SINGULAR, V[:2]))
    ),
    *(
        call("linalg.cholesky", a, **options)
        for a in (A, HERMITIAN @ HERMITIAN, -A)
        for options in ({}, {"upper": True})
    ),
    *(call("linalg.det", a) for a in (A, -STACK, Z, SINGULAR, A.astype("float32"))),
    *(call("linalg.slogdet", a) for a in (A, -STACK, Z, SINGULAR)),
    *(call("linalg.qr", a, mode="r") for a in (WIDE[:, :2], A)),
    *(call("linalg.svdvals", a) for a in (WIDE, STACK, Z)),
    call("linalg.svd", WIDE, compute_uv=False),
    *(call("linalg.eigvalsh", a, *args) for a in (A, STACK, HERMITIAN) for args in ((), ("U",))),
    *(call("linalg.pinv", a) for a in (WIDE, A, Z, SINGULAR)),
    call("linalg.pinv", A, rcond=0.6),
    call("linalg.pinv", np.diag([1.0, 7e-16]), rtol=None),
    call("linalg.pinv", np.diag([1.0, 1e-6, 1e-8]).astype("float32"), rtol=None),
    call("linalg.pinv", STACK, rtol=np.array([0.6, 1e-15])),
    *(call("linalg.norm", V, order) for order in (None, 1, 2, 3, np.inf, -np.inf, 0)),
    *(call("linalg.norm", WIDE, order) for order in (None, "fro", "nuc", 1, -1, 2, -2, np.inf)),
    *(
        call("linalg.norm", STACK, **options)
        for options in (
            {},
            {"axis": 1},
            {"axis": (0, 2)},
            {"keepdims": True},
            {"axis": -1, "ord": 1},
        )
    ),
    *(
        call("linalg.vector_norm", STACK, **options)
        for options in ({}, {"axis": (0, 1)}, {"axis": 1, "ord": 1, "keepdims": True})
    ),
    *(
        call("linalg.matrix_norm", STACK, **options)
        for options in ({}, {"ord": "nuc"}, {"keepdims": True})
    ),
    *(call(f"linalg.{name}", SMALL) for name in ("norm", "vector_norm", "matrix_norm")),
    call("linalg.norm", V.astype("float32"), 1),
    call("linalg.tensorinv", np.eye(6).reshape(2, 3, 6) + 0.1, 2),
    call("linalg.tensorsolve", np.eye(6).reshape(2, 3, 3, 2) + 0.1, WIDE),
    call("linalg.tensorsolve", (np.eye(6) + 0.1).reshape(3, 2, 2, 3), WIDE, axes=(0, 1)),
    *(call("linalg.matrix_power", A, n) for n in (0, 1, 3, -2)),
    *(call("linalg.cond", A, p) for p in (None, 2, -2, 1, "fro", np.inf)),
    call("linalg.eigvals", np.array([[1j, 2.0], [0.0, 3.0]])),
    *(call("linalg.matrix_rank", a) for a in (A, SINGULAR, STACK, 0 * A)),
    call("linalg.matrix_rank", A, tol=2.5),
    *(
        call("linalg.matrix_rank", np.stack([np.diag([1.0, 0.1, 0.01])] * 3), **tolerances)
        for tolerances in ({"tol": TOLERANCES}, {"rtol": TOLERANCES}, {"rtol": 0.05})
    ),
]
RECOMPOSED = {
    "svd": lambda f: (f.U * f.S) @ f.Vh,
    "qr": lambda f: f.Q @ f.R,
    "eigh": lambda f: (f.eigenvectors * f.eigenvalues) @ f.eigenvectors.conj().T,
    "eig": lambda f: f.eigenvectors @ np.diag(f.eigenvalues) @ np.linalg.inv(f.eigenvectors),
}


@pytest.mark.parametrize("made", CALLS, ids=str)
def test_it_is_numpys(made):
    require_agreement(made)


@pytest.mark.parametrize(
    "a", [A, HERMITIAN, HERMITIAN.astype("complex64")], ids=["real", "complex", "single"]
)
@pytest.mark.parametrize("name", RECOMPOSED)
def test_decompositions_decompose(name, a):
    found, expected = both(call(f"linalg.{name}", a + 0j if name == "eig" else a))
    found = type(expected)(*map(in_numpy, found))
    assert [(part.shape, part.dtype) for part in found] == [
        (part.shape, part.dtype) for part in expected
    ]
    np.testing.assert_allclose(
        RECOMPOSED[name](found), a, atol=1e-5 if a.dtype == np.complex64 else 1e-12
    )


@pytest.mark.parametrize(
    "made",
    [
        *(
            call("linalg.lstsq", a, b)
            for a, b in ((A, V), (A[:, :2], V), (A[:, :2], A), (WIDE, V[:2]), (SINGULAR, V[:2]))
        ),
        call("linalg.lstsq", Z, V),
        call("linalg.lstsq", A, V, rcond=0.6),
    ],
    ids=str,
)
def test_least_squares_are_numpys(made):
    found, expected = map(list, both(made))
    assert found.pop(2) == expected.pop(2)  # the rank is a number
    for part, wanted in zip(map(in_numpy, found), expected, strict=True):
        assert part.dtype == wanted.dtype
        np.testing.assert_allclose(part, wanted, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", ["eig", "eigvals"])
def test_eigenvalues_of_a_real_matrix_are_refused(name):
    with pytest.raises(TypeError, match="known to NumPy only"):
        raise both(call(f"linalg.{name}", A))[0]


def test_every_function_is_here():
    names = {f"linalg.{name}" for name in linalg.LINALG} - {"linalg.lstsq"}
    assert names <= {*(made.name for made in CALLS), *(f"linalg.{name}" for name in RECOMPOSED)}


@pytest.mark.parametrize("of_adjoint", [False, True])
@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("a", [A, STACK, Z])
def test_a_triangular_system_is_solved(a, lower, of_adjoint):
    t = (np.tril if lower else np.triu)(a)
    found = in_numpy(linalg.solved_by_substitution(t, a, None, lower=lower, of_adjoint=of_adjoint))
    np.testing.assert_allclose((t.conj().swapaxes(-1, -2) if of_adjoint else t) @ found, a)
