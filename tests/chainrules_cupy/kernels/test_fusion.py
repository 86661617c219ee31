"""Fused products against the generated Python of the same rule on NumPy: every scalar rule, every pattern of dtypes."""

import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("cupy")
sys.path.insert(0, str(Path(__file__).parents[1]))
