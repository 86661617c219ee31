"""Sparse products and solves of SciPy's in PyTorch, next to PyTorch's own on the CPU.

PyTorch has a product of sparse matrices, and on the CPU no sparse solve: there its dense one is
what a user has. `python -m benchmarks.sparse_in_torch` prints the table of
docs/scipy_in_engines.md.
"""

import warnings
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import Any

import numpy as np

from benchmarks.markdown import number, seconds, table
from benchmarks.measure import Run, paired_ratio, ratio, take_turns
from benchmarks.sparse_solves import poisson
from benchmarks.titles import titled

ROWS = (20, 100, 400, 4000)
SIDES = (10, 30, 45)
PER_ROW = 10


def sparse_matrix(rows: int) -> Any:
    """A sparse matrix with half as many columns as rows, and ten entries per row or fewer."""
    from scipy import sparse

    columns = rows // 2
    density = min(0.5, PER_ROW / columns)
    rng = np.random.default_rng(0)
    return sparse.random_array((rows, columns), density=density, format="csr", rng=rng)


def backward(function: Callable[[Any], Any], size: int) -> Run:
    """The value of a function of tensors, and a backward pass."""
    import torch

    x = torch.tensor(np.random.default_rng(1).normal(size=size), requires_grad=True)
    y_bar = torch.ones_like(function(x))
    return lambda: torch.autograd.grad(function(x), x, y_bar)[0]


def product_of(rows: int) -> tuple[Run, Run]:
    """The product of a constant matrix and a vector with its gradient: ours, and PyTorch's."""
    import torch

    from chainrules_torch import to_torch

    a = sparse_matrix(rows)
    parts = map(torch.from_numpy, (a.indptr, a.indices, a.data))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Sparse CSR tensor support is in beta", UserWarning)
        own = torch.sparse_csr_tensor(*parts, a.shape, check_invariants=True)
    ours = backward(to_torch(lambda x: a @ x), a.shape[1])
    theirs = backward(lambda x: own @ x, a.shape[1])
    torch.testing.assert_close(ours(), theirs())
    return ours, theirs


def solve_of(side: int) -> tuple[Run, Run]:
    """A solve with the Laplacian on a grid, and its gradient: sparse here, and dense in PyTorch."""
    import torch

    from chainrules_tape.scipy.sparse import linalg
    from chainrules_torch import to_torch

    a = poisson(side, "csc")
    own = torch.from_numpy(a.toarray())
    ours = backward(to_torch(lambda b: linalg.spsolve(a, b)), side * side)
    theirs = backward(lambda b: torch.linalg.solve(own, b), side * side)
    torch.testing.assert_close(ours(), theirs())
    return ours, theirs


def require_torch() -> None:
    """Leave a benchmark out where PyTorch is not installed."""
    if find_spec("torch") is None:
        raise NotImplementedError("torch is not installed")
    import torch

    torch.set_num_threads(1)


class Products:
    """A sparse matrix times a vector, and the gradient by the vector."""

    params = (ROWS,)
    param_names = ("rows",)

    def setup(self, rows: int) -> None:
        require_torch()
        self.ours, self.theirs = product_of(rows)

    @titled("sparse product / torch's own", "ratio")
    def track_product(self, rows: int) -> float:
        return ratio(self.ours, self.theirs)


class Solves:
    """A sparse solve on a square grid, and the gradient by the right-hand side."""

    params = (SIDES,)
    param_names = ("side",)

    def setup(self, side: int) -> None:
        require_torch()
        self.ours, self.theirs = solve_of(side)

    @titled("sparse solve / torch's dense one", "ratio")
    def track_solve(self, side: int) -> float:
        return ratio(self.ours, self.theirs)


def rows_of_table() -> Iterator[tuple[str, ...]]:
    """A row for each size: the time here, that of PyTorch, and the quotient."""
    for what, runs, sizes in (
        ("product, {0} × {1}", product_of, ROWS),
        ("solve, {2} unknowns", solve_of, SIDES),
    ):
        for size in sizes:
            ours, theirs = runs(size)
            samples = take_turns({"ours": ours, "theirs": theirs}, warm=True)
            times = map(seconds, (min(samples["ours"]), min(samples["theirs"])))
            quotient = paired_ratio(samples["ours"], samples["theirs"])
            yield what.format(size, size // 2, size**2), *times, number(quotient)


if __name__ == "__main__":
    require_torch()
    print(table(("value and gradient", "SciPy's here", "PyTorch's", "ratio"), rows_of_table()))
