"""Where autograd is not installed, there is nothing to test here."""

from importlib.util import find_spec

import numpy as np
import pytest

if find_spec("autograd") is None:
    collect_ignore_glob = ["*"]


@pytest.fixture(autouse=True)
def seeded_tangents():
    """autograd's `check_grads` draws its tangents from NumPy's global generator."""
    np.random.seed(0)
