"""One of the engines is PyTorch, which warns while it loads; JAX has double precision where a test
asks for it.
"""

from collections.abc import Iterator
from contextlib import nullcontext
from importlib.util import find_spec

import pytest

import quiet_torch as quiet_torch


@pytest.fixture
def double_precision() -> Iterator[None]:
    """A test with 64 bits in JAX, if that is there."""
    if find_spec("jax"):
        import jax
    with jax.enable_x64(True) if find_spec("jax") else nullcontext():
        yield
