"""JAX has NumPy's precision where a test asks for it."""

import pytest


@pytest.fixture
def double_precision():
    """A test with 64 bits in JAX; skipped without JAX."""
    with pytest.importorskip("jax").enable_x64(True):
        yield
