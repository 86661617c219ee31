"""Tell PyTensor's linkers of our operation, at the first graph that one of them compiles.

PyTensor looks a linker's function up by the class of the operation. To register ours means to
import that linker's library, and PyTensor's module for JAX switches JAX to 64 bits. So nothing is
registered before PyTensor rewrites a graph for that linker.
"""

from importlib import import_module

from pytensor.compile.mode import optdb
from pytensor.graph.rewriting.basic import GraphRewriter

FIRST = 0  # among the rewriters; none of the others has to do with this one


class RegisterOperation(GraphRewriter):  # type: ignore[misc]
    """A rewriter that leaves graphs alone, and imports what a linker needs."""

    def __init__(self, module: str) -> None:
        super().__init__()
        self.module = module

    def apply(self, fgraph, *args, **options) -> None:
        """Import the module, which registers our operation."""
        import_module(self.module)


def register_with_linkers() -> None:
    """Put a rewriter for each linker into PyTensor's database; called once, with the operation."""
    for linker in ("numba", "jax"):
        rewriter = RegisterOperation(f"chainrules_pytensor.in_{linker}")
        optdb.register(f"chainrules_in_{linker}", rewriter, linker, position=FIRST)
