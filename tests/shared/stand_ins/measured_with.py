"""Whether the libraries here are those by which the tables of engines and of array libraries were
measured.
"""

from importlib.metadata import version

import pytest

MEASURED_WITH = {"numpy": "2.4", "scipy": "1.17"}

with_the_measured_libraries = pytest.mark.skipif(
    any(not version(name).startswith(f"{measured}.") for name, measured in MEASURED_WITH.items()),
    reason=(
        f"other versions of NumPy and SciPy have other functions: the table is of {MEASURED_WITH}"
    ),
)
