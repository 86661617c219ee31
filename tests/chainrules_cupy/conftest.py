"""The tests here share modules (`host_kernels`, `stand_in`); where CuPy is not installed there are none."""

import sys
from importlib.util import find_spec
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

if find_spec("cupy") is None:
    collect_ignore_glob = ["*"]
