"""NumPy's names for other libraries, and functions as programs of others, by NumPy itself."""

import numpy as np
import pytest

from chainrules_py.engines import NamesOfNumPy, body_of
from chainrules_py.engines.reductions import reduction
from chainrules_py.errors import OptionError

NAMES = NamesOfNumPy(np, {"sin": np.cos}, lambda function, name: (function, name))


def test_names_are_found_once_by_what_they_have_within_numpy():
    assert NAMES.sin is np.cos
    assert NAMES.tan == (np.tan, "tan")
    assert NAMES.linalg.inv == (np.linalg.inv, "linalg.inv")
    assert NAMES.linalg is NAMES.linalg
    assert NAMES.pi == np.pi
    assert NAMES.float32 is np.float32
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = NAMES.no_such_name


@pytest.mark.parametrize("function", [np.sin, np.unique_values, np.histogram_bin_edges])
def test_there_is_no_body_to_compute_by(function):
    assert body_of(function) is None


@pytest.mark.parametrize("name", ["max", "min"])
def test_an_extreme_of_some_entries_wants_an_initial_value(name):
    found = reduction(name, getattr(np, name))
    with pytest.raises(OptionError, match=rf"numpy\.{name}: where= without .*; pass initial="):
        found(np.ones(2), where=np.array([True, False]))
