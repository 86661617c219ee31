"""What a library lacks is said by NumPy's name, whether it has no function or refuses the call."""

from types import SimpleNamespace

import pytest

from chainrules_array_api.errors import ArrayApiError, computed_by_standard


def undone(x):
    raise NotImplementedError("not yet")


SMALL = SimpleNamespace(__name__="small", sin=undone, abs=abs)


@pytest.mark.parametrize(
    ("name", "said"),
    [("cos", "small has no cos"), ("sin", r"small does not compute sin of these \(not yet\)")],
)
def test_what_a_library_lacks_is_named(name, said):
    with pytest.raises(ArrayApiError, match=said) as caught:
        computed_by_standard(SMALL, name, name, 1.0)
    assert caught.value.function == name


def test_what_it_has_is_called():
    assert computed_by_standard(SMALL, "abs", "absolute", -2.0) == 2.0
