"""Completion offers what SciPy's modules offer, and not what ours need for themselves."""

import importlib

import pytest

from processes import printed

package = importlib.import_module("chainrules_tape.scipy")
NAMES = [*dir(package), "sparse.linalg", "spatial.distance"]


def test_the_package_offers_its_modules():
    assert {"fft", "linalg", "optimize", "sparse", "spatial", "special", "stats"} <= set(
        dir(package)
    )
    assert not any(name.startswith("_") for name in dir(package))
    program = (
        "import chainrules_tape.scipy as s; print(s.linalg.expm.__name__, hasattr(s,"
        " 'no_such_module'))"
    )
    assert printed(program).split() == ["expm", "False"]


@pytest.mark.parametrize("name", NAMES)
def test_a_module_offers_what_scipys_offers(name):
    ours, theirs = (
        importlib.import_module(f"chainrules_tape.scipy.{name}"),
        importlib.import_module(f"scipy.{name}"),
    )
    assert set(dir(ours)) == set(theirs.__all__)
    assert [offered for offered in dir(ours) if not hasattr(ours, offered)] == []


def test_numpy_offers_its_names_and_interceptable():
    ours = importlib.import_module("chainrules_tape.numpy")
    assert set(dir(ours)) == {"interceptable", *importlib.import_module("numpy").__all__}
    assert [offered for offered in dir(ours) if not hasattr(ours, offered)] == []
